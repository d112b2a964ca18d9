//! The standard table: the functions of go-cty's library and those every host of it adds.

use hclvm_vm::{Function, FunctionTable, Lazy};

use super::{bytes, collection, conversion, csv, format, json, number, operator, set, text, time};

/// The functions of the standard dialect.
pub fn standard() -> FunctionTable {
    let mut table = FunctionTable::new();
    for (name, function) in operators().into_iter().chain(numbers()).chain(texts()) {
        table.insert(name, function);
    }
    for (name, function) in encodings().into_iter().chain(patterns()) {
        table.insert(name, function);
    }
    for (name, function) in collections().into_iter().chain(sets()).chain(conversions()) {
        table.insert(name, function);
    }
    table
}

/// A function and the name that programs use.
type Named = (&'static str, Function);

fn operators() -> Vec<Named> {
    vec![
        ("add", operator::add()),
        ("and", operator::and()),
        ("divide", operator::divide()),
        ("equal", operator::equal()),
        ("greaterthan", operator::greaterthan()),
        ("greaterthanorequalto", operator::greaterthanorequalto()),
        ("lessthan", operator::lessthan()),
        ("lessthanorequalto", operator::lessthanorequalto()),
        ("modulo", operator::modulo()),
        ("multiply", operator::multiply()),
        ("negate", operator::negate()),
        ("not", operator::not()),
        ("notequal", operator::notequal()),
        ("or", operator::or()),
        ("subtract", operator::subtract()),
    ]
}

fn numbers() -> Vec<Named> {
    vec![
        ("abs", number::abs()),
        ("ceil", number::ceil()),
        ("floor", number::floor()),
        ("int", number::int()),
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
        ("byteslen", bytes::byteslen()),
        ("bytesslice", bytes::bytesslice()),
        ("chomp", text::chomp()),
        ("indent", text::indent()),
        ("join", text::join()),
        ("lower", text::lower()),
        ("replace", text::replace()),
        ("sort", text::sort()),
        ("split", text::split()),
        ("strlen", text::strlen()),
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

fn encodings() -> Vec<Named> {
    vec![
        ("csvdecode", csv::csvdecode()),
        ("format", format::format()),
        ("formatdate", time::formatdate()),
        ("formatlist", format::formatlist()),
        ("jsondecode", json::jsondecode()),
        ("jsonencode", json::jsonencode()),
        ("timeadd", time::timeadd()),
    ]
}

#[cfg(feature = "regex")]
fn patterns() -> Vec<Named> {
    use super::regex;
    vec![
        ("regex", regex::regex()),
        ("regex_replace", regex::regex_replace()),
        ("regexall", regex::regexall()),
    ]
}

#[cfg(not(feature = "regex"))]
fn patterns() -> Vec<Named> {
    Vec::new()
}

fn collections() -> Vec<Named> {
    vec![
        ("assertnotnull", collection::assertnotnull()),
        ("chunklist", collection::chunklist()),
        ("coalesce", collection::coalesce()),
        ("coalescelist", collection::coalescelist()),
        ("compact", collection::compact()),
        ("concat", collection::concat()),
        ("contains", collection::contains()),
        ("distinct", collection::distinct()),
        ("element", collection::element()),
        ("flatten", collection::flatten()),
        ("hasindex", collection::hasindex()),
        ("index", collection::index()),
        ("keys", collection::keys()),
        ("length", collection::length()),
        ("length_cty", collection::length_of_collection()),
        ("lookup", collection::lookup()),
        ("merge", collection::merge()),
        ("reverse", collection::reverse()),
        ("reverselist", collection::reverse()),
        ("setproduct", collection::setproduct()),
        ("slice", collection::slice()),
        ("values", collection::values()),
        ("zipmap", collection::zipmap()),
    ]
}

fn sets() -> Vec<Named> {
    vec![
        ("sethaselement", set::sethaselement()),
        ("setintersection", set::setintersection()),
        ("setsubtract", set::setsubtract()),
        ("setsymmetricdifference", set::setsymmetricdifference()),
        ("setunion", set::setunion()),
    ]
}

fn conversions() -> Vec<Named> {
    vec![
        ("can", Function::lazy("can", Lazy::Can)),
        ("convert", Function::lazy("convert", Lazy::Convert)),
        ("tobool", conversion::tobool()),
        ("tolist", conversion::tolist()),
        ("tomap", conversion::tomap()),
        ("tonumber", conversion::tonumber()),
        ("toset", conversion::toset()),
        ("tostring", conversion::tostring()),
        ("try", Function::lazy("try", Lazy::Try)),
    ]
}
