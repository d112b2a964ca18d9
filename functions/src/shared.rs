//! The functions that Packer and Nomad have in common, under the same names.

use hclvm_vm::{Function, Lazy};

use super::capability::Capabilities;
use super::{collection, csv, encoding, file, format, json, network, number, random, set, text, time};

/// A function and the name that programs use.
pub(super) type Named = (&'static str, Function);

/// The functions of their arguments alone.
pub(super) fn functions() -> Vec<Named> {
    let library = [numbers(), texts(), collections(), texts_of_values(), patterns()];
    library.into_iter().flatten().chain(unpromised(beyond_library())).collect()
}

/// The functions of their arguments alone that are not from go-cty's library.
pub(super) fn beyond_library() -> Vec<Named> {
    further().into_iter().chain(of_features()).collect()
}

/// Functions that are not from go-cty's library promise nothing of unknown results there, not
/// even that they are not null.
pub(super) fn unpromised(functions: Vec<Named>) -> impl Iterator<Item = Named> {
    functions.into_iter().map(|(name, function)| (name, function.refined(None)))
}

fn numbers() -> Vec<Named> {
    vec![
        ("abs", number::abs()),
        ("ceil", number::ceil()),
        ("floor", number::floor()),
        ("log", number::log()),
        ("max", number::max()),
        ("min", number::min()),
        ("parseint", number::parseint()),
        ("pow", number::pow()),
        ("range", number::range()),
        ("signum", number::signum()),
    ]
}

fn texts() -> Vec<Named> {
    vec![
        ("chomp", text::chomp()),
        ("format", format::format()),
        ("formatlist", format::formatlist()),
        ("indent", text::indent()),
        ("join", text::join()),
        ("lower", text::lower()),
        ("replace", text::replace()),
        ("sort", text::sort()),
        ("split", text::split()),
        ("strrev", text::strrev()),
        ("substr", text::substr()),
        ("title", text::title()),
        ("trim", text::trim()),
        ("trimprefix", text::trimprefix()),
        ("trimspace", text::trimspace()),
        ("trimsuffix", text::trimsuffix()),
        ("upper", text::upper()),
    ]
}

fn collections() -> Vec<Named> {
    vec![
        ("chunklist", collection::chunklist()),
        ("coalescelist", collection::coalescelist()),
        ("compact", collection::compact()),
        ("concat", collection::concat()),
        ("contains", collection::contains()),
        ("distinct", collection::distinct()),
        ("element", collection::element()),
        ("flatten", collection::flatten()),
        ("keys", collection::keys()),
        ("lookup", collection::lookup()),
        ("merge", collection::merge()),
        ("setintersection", set::setintersection()),
        ("setproduct", collection::setproduct()),
        ("setunion", set::setunion()),
        ("slice", collection::slice()),
        ("values", collection::values()),
        ("zipmap", collection::zipmap()),
    ]
}

fn texts_of_values() -> Vec<Named> {
    vec![
        ("csvdecode", csv::csvdecode()),
        ("jsondecode", json::jsondecode()),
        ("jsonencode", json::jsonencode()),
        ("formatdate", time::formatdate()),
        ("timeadd", time::timeadd()),
        ("can", Function::lazy("can", Lazy::Can)),
        ("convert", Function::lazy("convert", Lazy::Convert)),
        ("try", Function::lazy("try", Lazy::Try)),
    ]
}

fn further() -> Vec<Named> {
    vec![
        ("basename", file::basename()),
        ("cidrhost", network::cidrhost()),
        ("cidrnetmask", network::cidrnetmask()),
        ("cidrsubnet", network::cidrsubnet()),
        ("cidrsubnets", network::cidrsubnets()),
        ("dirname", file::dirname()),
        ("urlencode", encoding::urlencode()),
    ]
}

#[cfg(feature = "regex")]
fn patterns() -> Vec<Named> {
    vec![("regex_replace", super::regex::regex_replace())]
}

#[cfg(not(feature = "regex"))]
fn patterns() -> Vec<Named> {
    Vec::new()
}

/// The further functions that are there only with a feature of the crate.
fn of_features() -> Vec<Named> {
    vec![
        #[cfg(feature = "encoding")]
        ("base64decode", encoding::base64decode()),
        #[cfg(feature = "encoding")]
        ("base64encode", encoding::base64encode()),
        #[cfg(feature = "digest")]
        ("md5", super::digest::md5()),
        #[cfg(feature = "rsa")]
        ("rsadecrypt", super::cipher::rsadecrypt()),
        #[cfg(feature = "digest")]
        ("sha1", super::digest::sha1()),
        #[cfg(feature = "digest")]
        ("sha256", super::digest::sha256()),
        #[cfg(feature = "digest")]
        ("sha512", super::digest::sha512()),
        #[cfg(feature = "digest")]
        ("uuidv5", super::digest::uuidv5()),
        #[cfg(feature = "yaml")]
        ("yamldecode", super::yaml::yamldecode()),
        #[cfg(feature = "yaml")]
        ("yamlencode", super::yaml::yamlencode()),
    ]
}

/// The functions that need a capability.
pub(super) fn granted_functions(granted: &Capabilities) -> Vec<Named> {
    vec![
        ("abspath", file::abspath(granted)),
        #[cfg(feature = "bcrypt")]
        ("bcrypt", random::bcrypt(granted)),
        ("file", file::file(granted)),
        #[cfg(feature = "encoding")]
        ("filebase64", file::filebase64(granted)),
        ("fileexists", file::fileexists(granted)),
        ("fileset", file::fileset(granted)),
        ("pathexpand", file::pathexpand(granted)),
        ("uuidv4", random::uuidv4(granted)),
    ]
}
