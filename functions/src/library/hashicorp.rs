//! The functions that HashiCorp's applications add to go-cty's: most of them were Terraform's first.

use super::{Constructor, Library, LibraryFunction, constructor, library};

library! {
    /// The functions of Terraform that Packer and Nomad also have.
    COMMON:
    "base64decode" encoding::base64decode ["encoding"],
    "base64encode" encoding::base64encode ["encoding"],
    "basename" file::basename [],
    "dirname" file::dirname [],
    "md5" digest::md5 ["digest"],
    "rsadecrypt" cipher::rsadecrypt ["rsa"],
    "sha1" digest::sha1 ["digest"],
    "sha256" digest::sha256 ["digest"],
    "sha512" digest::sha512 ["digest"],
    "urlencode" encoding::urlencode [],
    "uuidv5" digest::uuidv5 ["digest"],
    "yamldecode" yaml::yamldecode ["yaml"],
    "yamlencode" yaml::yamlencode ["yaml"],
}

library! {
    /// Further functions of Terraform. Packer has them; Nomad has those of go-cty where there are such.
    TERRAFORM:
    "alltrue" collection::alltrue [],
    "anytrue" collection::anytrue [],
    "base64gzip" compression::base64gzip ["compression"],
    "coalesce" collection::coalesce_nonempty [],
    "endswith" text::endswith [],
    "index" collection::index_of [],
    "startswith" text::startswith [],
    "strcontains" text::strcontains [],
    "sum" number::sum [],
    "textdecodebase64" charset::textdecodebase64 ["charset"],
    "textencodebase64" charset::textencodebase64 ["charset"],
}

library! {
    /// Functions that use capabilities.
    SYSTEM:
    "abspath" file::abspath(granted) [],
    "bcrypt" random::bcrypt(granted) ["bcrypt"],
    "file" file::file(granted) [],
    "filebase64" file::filebase64(granted) ["encoding"],
    "fileexists" file::fileexists(granted) [],
    "fileset" file::fileset(granted) [],
    "pathexpand" file::pathexpand(granted) [],
    "uuidv4" random::uuidv4(granted) [],
}

library! {
    /// Addresses of networks, as Terraform computed them before OpenTofu.
    NETWORKS:
    "cidrhost" network::cidrhost [],
    "cidrnetmask" network::cidrnetmask [],
    "cidrsubnet" network::cidrsubnet [],
    "cidrsubnets" network::cidrsubnets [],
}

library! {
    /// Digests of files.
    FILE_DIGESTS:
    "filebase64sha256" file::filebase64sha256(granted) ["digest" "encoding"],
    "filebase64sha512" file::filebase64sha512(granted) ["digest" "encoding"],
    "filemd5" file::filemd5(granted) ["digest"],
    "filesha1" file::filesha1(granted) ["digest"],
    "filesha256" file::filesha256(granted) ["digest"],
    "filesha512" file::filesha512(granted) ["digest"],
}
