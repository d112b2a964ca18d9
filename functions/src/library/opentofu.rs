//! OpenTofu's own functions and forms of functions.

use super::{Constructor, Library, LibraryFunction, constructor, library};

library! {
    /// Functions that depend on their arguments alone.
    FUNCTIONS:
    "base64gunzip" compression::base64gunzip ["compression"],
    "base64sha256" digest::base64sha256 ["digest" "encoding"],
    "base64sha512" digest::base64sha512 ["digest" "encoding"],
    "cidrcontains" network::cidrcontains_of_opentofu [],
    "cidrhost" network::cidrhost_of_opentofu [],
    "cidrnetmask" network::cidrnetmask_of_opentofu [],
    "cidrsubnet" network::cidrsubnet_of_opentofu [],
    "cidrsubnets" network::cidrsubnets_of_opentofu [],
    "ephemeralasnull" marking::ephemeralasnull [],
    "issensitive" marking::issensitive [],
    "lookup" collection::lookup_optional [],
    "matchkeys" collection::matchkeys [],
    "nonsensitive" marking::nonsensitive [],
    "one" collection::one [],
    "replace" regex::replace_of_opentofu ["regex"],
    "sensitive" marking::sensitive [],
    "templatestring" template::nested_templatestring [],
    "timecmp" time::timecmp [],
    "transpose" collection::transpose [],
    "urldecode" encoding::urldecode [],
}
