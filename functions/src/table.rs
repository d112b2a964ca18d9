//! The table of all functions: a row per function, a column per dialect.
//!
//! To add a function, write its constructor in the file of its family and add a row here. The rows
//! are sorted by name. This file decides names and dialects only; parameters, types and bodies
//! belong to the constructors, and [`capability`](crate::capability) decides what a function can
//! reach beyond its arguments.
//!
//! A function that differs between dialects has one row per variant, with the same name. A name
//! occurs at most once in each column.

use hclvm_vm::{Function, FunctionTable};

use crate::capability::Capabilities;
use crate::file::templatefile;
use crate::template::{MakeRenderer, add_templatestring};

/// Functions that fetch secrets from services for Packer.
const OF_ONE_APPLICATION: [&str; 4] = ["aws_secretsmanager", "aws_secretsmanager_raw", "consul_key", "vault"];

/// Returns every function of the tables under its usual name, except those that fetch secrets for one
/// application. Those that depend on more than their arguments use what the host has `granted`.
///
/// Where tables have different functions of one name, it is OpenTofu's, else Packer's, else that of the
/// standard dialect: `coalesce` skips empty strings, `index` returns a position, and `lookup` may leave out the
/// default. Only `replace` is that of all others, which is literal: in OpenTofu's, a path between slashes would
/// silently be a pattern, and `regex_replace` is there for patterns.
pub fn all(granted: &Capabilities, renderer: MakeRenderer) -> FunctionTable {
    let mut table = FunctionTable::new();
    // The last of equal names wins.
    let preferences: [fn(&Row) -> Cell; 4] =
        [|row| row.nomad, |row| row.standard, |row| row.packer, |row| row.opentofu];
    for cell in preferences {
        let is_common = |row: &&Row| !OF_ONE_APPLICATION.contains(&row.name);
        for row in ROWS.iter().filter(is_common).filter(|row| !matches!(cell(row), Cell::Absent)) {
            table.insert(row.name, row.constructor.call(granted));
        }
    }
    table.insert("replace", crate::text::replace());
    add_templatestring(&mut table, renderer);
    let outer = templatefile(granted, renderer(table.clone()));
    table.insert("templatefile", outer);
    table
}

/// Returns the functions of the standard dialect: go-cty's library and the additions that every
/// application makes to it.
pub fn standard() -> FunctionTable {
    column(|row| row.standard, &Capabilities::none())
}

/// Returns the functions of Packer's templates. Those that depend on more than their arguments use
/// what the host has `granted`. `renderer` makes the renderer of `templatefile` from the functions
/// that template files can call.
///
/// `env`, which Packer allows in the defaults of variables only, is included; the host decides where
/// it may be called.
pub fn packer(granted: &Capabilities, renderer: MakeRenderer) -> FunctionTable {
    let mut table = column(|row| row.packer, granted);
    // The row holds the variant that template files call, which cannot render further files.
    let outer = templatefile(granted, renderer(table.clone()));
    table.insert("templatefile", outer);
    table
}

/// Returns the functions of Nomad's job specifications. Those that depend on more than their
/// arguments use what the host has `granted`.
///
/// Four of them differ from Packer's functions of the same name: `coalesce` does not skip empty
/// strings, `index` returns an element, `length` rejects strings and objects, and `reverse` takes a
/// string.
pub fn nomad(granted: &Capabilities) -> FunctionTable {
    column(|row| row.nomad, granted)
}

/// Returns the functions that OpenTofu's expressions can call without files, clock or randomness.
/// Each of them is also available as `core::name`. `renderer` makes the renderer of `templatestring`.
pub fn opentofu(renderer: MakeRenderer) -> FunctionTable {
    let mut table = column(|row| row.opentofu, &Capabilities::none());
    let names: Vec<_> = table.names().cloned().collect();
    for name in names {
        if let Some(function) = table.get(&name).cloned() {
            table.insert(format!("core::{name}"), function);
        }
    }
    add_templatestring(&mut table, renderer);
    table
}

/// Returns the table of one dialect, whose cell of a row is given by `cell`.
fn column(cell: fn(&Row) -> Cell, granted: &Capabilities) -> FunctionTable {
    let mut table = FunctionTable::new();
    for row in ROWS {
        let function = match cell(row) {
            Cell::Absent => continue,
            Cell::Present => row.constructor.call(granted),
            Cell::Unrefined => row.constructor.call(granted).refined(None),
        };
        table.insert(row.name, function);
    }
    table
}

/// A function and the dialects that have it.
struct Row {
    /// The name that programs use.
    name: &'static str,
    constructor: Constructor,
    standard: Cell,
    packer: Cell,
    nomad: Cell,
    opentofu: Cell,
}

/// Whether a dialect has a function.
#[derive(Clone, Copy)]
enum Cell {
    /// `-`: the dialect does not have it.
    Absent,
    /// `+`: the dialect has it as constructed.
    Present,
    /// `~`: the dialect has it without its refinement: nothing is known of an unknown result, not
    /// even that it is not null. Packer and Nomad treat functions outside of go-cty's library so.
    Unrefined,
}

/// The function of a family file that makes a [`Function`].
#[derive(Clone, Copy)]
enum Constructor {
    /// Of a function that depends on its arguments only, and charges fuel for its work.
    Pure(fn() -> Function),
    /// Of a function that uses capabilities.
    Granted(fn(&Capabilities) -> Function),
}

impl Constructor {
    fn call(self, granted: &Capabilities) -> Function {
        match self {
            Self::Pure(construct) => construct().metered(),
            Self::Granted(construct) => construct(granted),
        }
    }
}

macro_rules! cell {
    (-) => {
        Cell::Absent
    };
    (+) => {
        Cell::Present
    };
    (~) => {
        Cell::Unrefined
    };
}

macro_rules! constructor {
    ($($path:ident)::+) => {
        Constructor::Pure(crate::$($path)::+)
    };
    ($($path:ident)::+ (granted)) => {
        Constructor::Granted(crate::$($path)::+)
    };
}

/// Makes the rows of the table. A row without its features is left out.
macro_rules! rows {
    ($($name:literal $family:ident :: $function:ident $(($granted:ident))?
        | $standard:tt | $packer:tt | $nomad:tt | $opentofu:tt | [$($feature:literal)*])*) => {
        &[$(
            #[cfg(all($(feature = $feature),*))]
            Row {
                name: $name,
                constructor: constructor!($family::$function $(($granted))?),
                standard: cell!($standard),
                packer: cell!($packer),
                nomad: cell!($nomad),
                opentofu: cell!($opentofu),
            },
        )*]
    };
}

const ROWS: &[Row] = rows! {
//  name                      constructor                               | standard | packer | nomad | opentofu | features
    "abs"                     number::abs                               |    +     |   +    |   +   |    +     | []
    "abspath"                 file::abspath(granted)                    |    -     |   +    |   +   |    -     | []
    "add"                     operator::add                             |    +     |   -    |   -   |    -     | []
    "alltrue"                 collection::alltrue                       |    -     |   +    |   -   |    +     | []
    "and"                     operator::and                             |    +     |   -    |   -   |    -     | []
    "anytrue"                 collection::anytrue                       |    -     |   +    |   -   |    +     | []
    "assertnotnull"           collection::assertnotnull                 |    +     |   -    |   -   |    -     | []
    "aws_secretsmanager"      network::aws_secretsmanager(granted)      |    -     |   +    |   -   |    -     | []
    "aws_secretsmanager_raw"  network::aws_secretsmanager_raw(granted)  |    -     |   +    |   -   |    -     | []
    "base64decode"            encoding::base64decode                    |    -     |   ~    |   ~   |    +     | ["encoding"]
    "base64encode"            encoding::base64encode                    |    -     |   ~    |   ~   |    +     | ["encoding"]
    "base64gunzip"            compression::base64gunzip                 |    -     |   -    |   -   |    +     | ["compression"]
    "base64gzip"              compression::base64gzip                   |    -     |   ~    |   -   |    +     | ["compression"]
    "base64sha256"            digest::base64sha256                      |    -     |   -    |   -   |    +     | ["digest" "encoding"]
    "base64sha512"            digest::base64sha512                      |    -     |   -    |   -   |    +     | ["digest" "encoding"]
    "basename"                file::basename                            |    -     |   ~    |   ~   |    +     | []
    "bcrypt"                  random::bcrypt(granted)                   |    -     |   +    |   +   |    -     | ["bcrypt"]
    "byteslen"                bytes::byteslen                           |    +     |   -    |   -   |    -     | []
    "bytesslice"              bytes::bytesslice                         |    +     |   -    |   -   |    -     | []
    "can"                     lazy::can                                 |    +     |   +    |   +   |    +     | []
    "ceil"                    number::ceil                              |    +     |   +    |   +   |    +     | []
    "chomp"                   text::chomp                               |    +     |   +    |   +   |    +     | []
    "chunklist"               collection::chunklist                     |    +     |   +    |   +   |    +     | []
    "cidrcontains"            network::cidrcontains_of_opentofu         |    -     |   -    |   -   |    +     | []
    "cidrhost"                network::cidrhost                         |    -     |   ~    |   ~   |    -     | []
    "cidrhost"                network::cidrhost_of_opentofu             |    -     |   -    |   -   |    +     | []
    "cidrnetmask"             network::cidrnetmask                      |    -     |   ~    |   ~   |    -     | []
    "cidrnetmask"             network::cidrnetmask_of_opentofu          |    -     |   -    |   -   |    +     | []
    "cidrsubnet"              network::cidrsubnet                       |    -     |   ~    |   ~   |    -     | []
    "cidrsubnet"              network::cidrsubnet_of_opentofu           |    -     |   -    |   -   |    +     | []
    "cidrsubnets"             network::cidrsubnets                      |    -     |   ~    |   ~   |    -     | []
    "cidrsubnets"             network::cidrsubnets_of_opentofu          |    -     |   -    |   -   |    +     | []
    "coalesce"                collection::coalesce                      |    +     |   -    |   +   |    -     | []
    "coalesce"                collection::coalesce_nonempty             |    -     |   ~    |   -   |    +     | []
    "coalescelist"            collection::coalescelist                  |    +     |   +    |   +   |    +     | []
    "compact"                 collection::compact                       |    +     |   +    |   +   |    +     | []
    "concat"                  collection::concat                        |    +     |   +    |   +   |    +     | []
    "consul_key"              network::consul_key(granted)              |    -     |   +    |   -   |    -     | []
    "contains"                collection::contains                      |    +     |   +    |   +   |    +     | []
    "convert"                 lazy::convert                             |    +     |   +    |   +   |    +     | []
    "csvdecode"               csv::csvdecode                            |    +     |   +    |   +   |    +     | []
    "dirname"                 file::dirname                             |    -     |   ~    |   ~   |    +     | []
    "distinct"                collection::distinct                      |    +     |   +    |   +   |    +     | []
    "divide"                  operator::divide                          |    +     |   -    |   -   |    -     | []
    "element"                 collection::element                       |    +     |   +    |   +   |    +     | []
    "endswith"                text::endswith                            |    -     |   ~    |   -   |    +     | []
    "env"                     environment::env(granted)                 |    -     |   +    |   -   |    -     | []
    "ephemeralasnull"         marking::ephemeralasnull                  |    -     |   -    |   -   |    +     | []
    "equal"                   operator::equal                           |    +     |   -    |   -   |    -     | []
    "file"                    file::file(granted)                       |    -     |   +    |   +   |    -     | []
    "filebase64"              file::filebase64(granted)                 |    -     |   +    |   +   |    -     | ["encoding"]
    "fileexists"              file::fileexists(granted)                 |    -     |   +    |   +   |    -     | []
    "fileset"                 file::fileset(granted)                    |    -     |   +    |   +   |    -     | []
    "flatten"                 collection::flatten                       |    +     |   +    |   +   |    +     | []
    "floor"                   number::floor                             |    +     |   +    |   +   |    +     | []
    "format"                  format::format                            |    +     |   +    |   +   |    +     | []
    "formatdate"              time::formatdate                          |    +     |   +    |   +   |    +     | []
    "formatlist"              format::formatlist                        |    +     |   +    |   +   |    +     | []
    "greaterthan"             operator::greaterthan                     |    +     |   -    |   -   |    -     | []
    "greaterthanorequalto"    operator::greaterthanorequalto            |    +     |   -    |   -   |    -     | []
    "hasindex"                collection::hasindex                      |    +     |   -    |   -   |    -     | []
    "indent"                  text::indent                              |    +     |   +    |   +   |    +     | []
    "index"                   collection::index                         |    +     |   -    |   +   |    -     | []
    "index"                   collection::index_of                      |    -     |   ~    |   -   |    +     | []
    "int"                     number::int                               |    +     |   -    |   -   |    -     | []
    "issensitive"             marking::issensitive                      |    -     |   -    |   -   |    +     | []
    "join"                    text::join                                |    +     |   +    |   +   |    +     | []
    "jsondecode"              json::jsondecode                          |    +     |   +    |   +   |    +     | []
    "jsonencode"              json::jsonencode                          |    +     |   +    |   +   |    +     | []
    "keys"                    collection::keys                          |    +     |   +    |   +   |    +     | []
    "legacy_isotime"          time::legacy_isotime(granted)             |    -     |   +    |   -   |    -     | []
    "legacy_strftime"         time::legacy_strftime(granted)            |    -     |   +    |   -   |    -     | []
    "length"                  collection::length                        |    +     |   +    |   -   |    +     | []
    "length"                  collection::length_of_collection          |    -     |   -    |   +   |    -     | []
    "length_cty"              collection::length_of_collection          |    +     |   -    |   -   |    -     | []
    "lessthan"                operator::lessthan                        |    +     |   -    |   -   |    -     | []
    "lessthanorequalto"       operator::lessthanorequalto               |    +     |   -    |   -   |    -     | []
    "log"                     number::log                               |    +     |   +    |   +   |    +     | []
    "lookup"                  collection::lookup                        |    +     |   +    |   +   |    -     | []
    "lookup"                  collection::lookup_optional               |    -     |   -    |   -   |    +     | []
    "lower"                   text::lower                               |    +     |   +    |   +   |    +     | []
    "matchkeys"               collection::matchkeys                     |    -     |   -    |   -   |    +     | []
    "max"                     number::max                               |    +     |   +    |   +   |    +     | []
    "md5"                     digest::md5                               |    -     |   ~    |   ~   |    +     | ["digest"]
    "merge"                   collection::merge                         |    +     |   +    |   +   |    +     | []
    "min"                     number::min                               |    +     |   +    |   +   |    +     | []
    "modulo"                  operator::modulo                          |    +     |   -    |   -   |    -     | []
    "multiply"                operator::multiply                        |    +     |   -    |   -   |    -     | []
    "negate"                  operator::negate                          |    +     |   -    |   -   |    -     | []
    "nonsensitive"            marking::nonsensitive                     |    -     |   -    |   -   |    +     | []
    "not"                     operator::not                             |    +     |   -    |   -   |    -     | []
    "notequal"                operator::notequal                        |    +     |   -    |   -   |    -     | []
    "one"                     collection::one                           |    -     |   -    |   -   |    +     | []
    "or"                      operator::or                              |    +     |   -    |   -   |    -     | []
    "parseint"                number::parseint                          |    +     |   +    |   +   |    +     | []
    "pathexpand"              file::pathexpand(granted)                 |    -     |   +    |   +   |    +     | []
    "pow"                     number::pow                               |    +     |   +    |   +   |    +     | []
    "range"                   number::range                             |    +     |   +    |   +   |    +     | []
    "regex"                   regex::regex                              |    +     |   +    |   -   |    +     | ["regex"]
    "regex_replace"           regex::regex_replace                      |    +     |   +    |   +   |    -     | ["regex"]
    "regexall"                regex::regexall                           |    +     |   +    |   -   |    +     | ["regex"]
    "replace"                 text::replace                             |    +     |   +    |   +   |    -     | []
    "replace"                 regex::replace_of_opentofu                |    -     |   -    |   -   |    +     | ["regex"]
    "reverse"                 collection::reverse                       |    +     |   +    |   -   |    +     | []
    "reverse"                 text::strrev                              |    -     |   -    |   +   |    -     | []
    "reverselist"             collection::reverse                       |    +     |   -    |   -   |    -     | []
    "rfc3339_parse"           time::rfc3339_parse                       |    -     |   ~    |   -   |    -     | []
    "rsadecrypt"              cipher::rsadecrypt                        |    -     |   ~    |   ~   |    +     | ["rsa"]
    "sensitive"               marking::sensitive                        |    -     |   -    |   -   |    +     | []
    "sethaselement"           set::sethaselement                        |    +     |   -    |   -   |    -     | []
    "setintersection"         set::setintersection                      |    +     |   +    |   +   |    +     | []
    "setproduct"              collection::setproduct                    |    +     |   +    |   +   |    +     | []
    "setsubtract"             set::setsubtract                          |    +     |   -    |   -   |    +     | []
    "setsymmetricdifference"  set::setsymmetricdifference               |    +     |   -    |   -   |    -     | []
    "setunion"                set::setunion                             |    +     |   +    |   +   |    +     | []
    "sha1"                    digest::sha1                              |    -     |   ~    |   ~   |    +     | ["digest"]
    "sha256"                  digest::sha256                            |    -     |   ~    |   ~   |    +     | ["digest"]
    "sha512"                  digest::sha512                            |    -     |   ~    |   ~   |    +     | ["digest"]
    "signum"                  number::signum                            |    +     |   +    |   +   |    +     | []
    "slice"                   collection::slice                         |    +     |   +    |   +   |    +     | []
    "sort"                    text::sort                                |    +     |   +    |   +   |    +     | []
    "split"                   text::split                               |    +     |   +    |   +   |    +     | []
    "startswith"              text::startswith                          |    -     |   ~    |   -   |    +     | []
    "strcontains"             text::strcontains                         |    -     |   ~    |   -   |    +     | []
    "strlen"                  text::strlen                              |    +     |   -    |   +   |    -     | []
    "strrev"                  text::strrev                              |    +     |   +    |   +   |    +     | []
    "substr"                  text::substr                              |    +     |   +    |   +   |    +     | []
    "subtract"                operator::subtract                        |    +     |   -    |   -   |    -     | []
    "sum"                     number::sum                               |    -     |   ~    |   -   |    +     | []
    "templatefile"            file::nested_templatefile                 |    -     |   +    |   -   |    -     | []
    "templatestring"          template::nested_templatestring           |    -     |   -    |   -   |    +     | []
    "textdecodebase64"        charset::textdecodebase64                 |    -     |   ~    |   -   |    +     | ["charset"]
    "textencodebase64"        charset::textencodebase64                 |    -     |   ~    |   -   |    +     | ["charset"]
    "timeadd"                 time::timeadd                             |    +     |   +    |   +   |    +     | []
    "timecmp"                 time::timecmp                             |    -     |   -    |   -   |    +     | []
    "timestamp"               time::now(granted)                        |    -     |   +    |   -   |    -     | []
    "title"                   text::title                               |    +     |   +    |   +   |    +     | []
    "tobool"                  conversion::tobool                        |    +     |   -    |   -   |    +     | []
    "tolist"                  conversion::tolist                        |    +     |   -    |   -   |    +     | []
    "tomap"                   conversion::tomap                         |    +     |   -    |   -   |    +     | []
    "tonumber"                conversion::tonumber                      |    +     |   -    |   -   |    +     | []
    "toset"                   conversion::toset                         |    +     |   -    |   -   |    +     | []
    "tostring"                conversion::tostring                      |    +     |   -    |   -   |    +     | []
    "transpose"               collection::transpose                     |    -     |   -    |   -   |    +     | []
    "trim"                    text::trim                                |    +     |   +    |   +   |    +     | []
    "trimprefix"              text::trimprefix                          |    +     |   +    |   +   |    +     | []
    "trimspace"               text::trimspace                           |    +     |   +    |   +   |    +     | []
    "trimsuffix"              text::trimsuffix                          |    +     |   +    |   +   |    +     | []
    "try"                     lazy::try_first                           |    +     |   +    |   +   |    +     | []
    "unix_timestamp_parse"    time::unix_timestamp_parse                |    -     |   ~    |   -   |    -     | []
    "upper"                   text::upper                               |    +     |   +    |   +   |    +     | []
    "urldecode"               encoding::urldecode                       |    -     |   -    |   -   |    +     | []
    "urlencode"               encoding::urlencode                       |    -     |   ~    |   ~   |    +     | []
    "uuidv4"                  random::uuidv4(granted)                   |    -     |   +    |   +   |    -     | []
    "uuidv5"                  digest::uuidv5                            |    -     |   ~    |   ~   |    +     | ["digest"]
    "values"                  collection::values                        |    +     |   +    |   +   |    +     | []
    "vault"                   network::vault(granted)                   |    -     |   +    |   -   |    -     | []
    "yamldecode"              yaml::yamldecode                          |    -     |   ~    |   ~   |    +     | ["yaml"]
    "yamlencode"              yaml::yamlencode                          |    -     |   ~    |   ~   |    +     | ["yaml"]
    "zipmap"                  collection::zipmap                        |    +     |   +    |   +   |    +     | []
};

#[cfg(test)]
mod tests {
    use super::{Cell, ROWS, Row};

    #[test]
    fn rows_are_sorted_by_name() {
        let names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
        assert!(names.is_sorted(), "{names:?}");
    }

    #[test]
    fn a_name_occurs_once_in_each_column() {
        let cells: [fn(&Row) -> Cell; 4] =
            [|row| row.standard, |row| row.packer, |row| row.nomad, |row| row.opentofu];
        for cell in cells {
            let mut names: Vec<_> =
                ROWS.iter().filter(|row| !matches!(cell(row), Cell::Absent)).map(|row| row.name).collect();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "a name is twice in a column: {names:?}");
        }
    }
}
