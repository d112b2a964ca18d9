//! Scopes in Parquet files: the results of rows are those of equal lines of JSON.
//!
//! `HCLVM_ROWS=tables` selects a longer run.

use std::fs::File;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, DurationSecondArray,
    Float32Array, Float64Array, Int8Array, Int32Array, Int64Array, LargeStringArray, RecordBatch,
    StringArray, StringViewArray, StructArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Fields};
use hclvm_workloads::dice::Dice;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::{Map, Value as Json};

use super::*;

/// Returns the number of tables to generate.
fn tables(usual: u64) -> u64 {
    std::env::var("HCLVM_ROWS").ok().and_then(|asked| asked.parse().ok()).unwrap_or(usual)
}

/// A column of a table, and its values as JSON.
struct Made {
    name: &'static str,
    array: ArrayRef,
    cells: Vec<Json>,
}

const TEXTS: [&str; 8] =
    ["", "admin", "guest", "GET", "a longer text than a view has", "zoë", "7", "\"quoted\"\n"];

/// Instants in microseconds with their text in UTC.
const INSTANTS: [(i64, &str); 4] = [
    (0, "1970-01-01T00:00:00Z"),
    (1_767_323_045_000_000, "2026-01-02T03:04:05Z"),
    (1_767_323_045_250_000, "2026-01-02T03:04:05.250Z"),
    (-1_000_000, "1969-12-31T23:59:59Z"),
];

/// Returns cells, of which about a fifth is null if some are.
fn cells<T: Clone>(dice: &mut Dice, rows: usize, mut cell: impl FnMut(&mut Dice) -> T) -> Vec<Option<T>> {
    let nulls = if dice.chance(50) { 20 } else { 0 };
    (0..rows).map(|_| (!dice.chance(nulls)).then(|| cell(dice))).collect()
}

fn shown<T: Clone + Into<Json>>(cells: &[Option<T>]) -> Vec<Json> {
    cells.iter().map(|cell| cell.clone().map_or(Json::Null, Into::into)).collect()
}

fn bools(dice: &mut Dice, rows: usize) -> (ArrayRef, Vec<Json>) {
    let cells = cells(dice, rows, |dice| dice.chance(50));
    (Arc::new(BooleanArray::from(cells.clone())), shown(&cells))
}

fn integers(dice: &mut Dice, rows: usize) -> (ArrayRef, Vec<Json>) {
    match dice.below(4) {
        0 => {
            let cells = cells(dice, rows, |dice| i8::try_from(dice.below(200)).unwrap_or(-3));
            (Arc::new(Int8Array::from(cells.clone())), shown(&cells))
        }
        1 => {
            let cells = cells(dice, rows, |dice| u64::MAX - dice.below(3) as u64);
            (Arc::new(UInt64Array::from(cells.clone())), shown(&cells))
        }
        2 => {
            let cells = cells(dice, rows, |dice| i64::try_from(dice.below(20)).unwrap_or(0) - 5);
            (Arc::new(Int64Array::from(cells.clone())), shown(&cells))
        }
        _ => {
            let cells = cells(dice, rows, |dice| i32::try_from(dice.below(100)).unwrap_or(0));
            (Arc::new(Int32Array::from(cells.clone())), shown(&cells))
        }
    }
}

/// Returns floats that are short decimals, so that they are the same numbers as their texts.
fn floats(dice: &mut Dice, rows: usize) -> (ArrayRef, Vec<Json>) {
    let cells =
        cells(dice, rows, |dice| f64::from(i32::try_from(dice.below(4_000)).unwrap_or(0) - 2_000) / 8.0);
    if dice.chance(30) {
        #[expect(clippy::cast_possible_truncation, reason = "eighths below a thousand are floats of 32 bits")]
        let narrow: Vec<Option<f32>> = cells.iter().map(|cell| cell.map(|cell| cell as f32)).collect();
        return (Arc::new(Float32Array::from(narrow)), shown(&cells));
    }
    (Arc::new(Float64Array::from(cells.clone())), shown(&cells))
}

fn decimals(dice: &mut Dice, rows: usize) -> (ArrayRef, Vec<Json>) {
    let cells = cells(dice, rows, |dice| i128::try_from(dice.below(100_000)).unwrap_or(0) - 50_000);
    let array: Decimal128Array = cells.iter().copied().collect();
    let array = array.with_precision_and_scale(10, 2).expect("they are short");
    let number = |cell: &Option<i128>| match cell {
        None => Json::Null,
        Some(cell) => {
            let (sign, cell) = (if *cell < 0 { "-" } else { "" }, cell.abs());
            serde_json::from_str(&format!("{sign}{}.{:02}", cell / 100, cell % 100)).expect("a number")
        }
    };
    (Arc::new(array), cells.iter().map(number).collect())
}

fn strings(dice: &mut Dice, rows: usize) -> (ArrayRef, Vec<Json>) {
    let cells = cells(dice, rows, |dice| dice.pick(&TEXTS));
    let array: ArrayRef = match dice.below(4) {
        0 => Arc::new(StringArray::from(cells.clone())),
        1 => Arc::new(cells.iter().copied().collect::<LargeStringArray>()),
        2 => Arc::new(cells.iter().copied().collect::<StringViewArray>()),
        _ => Arc::new(cells.iter().copied().collect::<DictionaryArray<Int32Type>>()),
    };
    (array, shown(&cells))
}

fn instants(dice: &mut Dice, rows: usize) -> (ArrayRef, Vec<Json>) {
    let cells = cells(dice, rows, |dice| INSTANTS[dice.below(INSTANTS.len())]);
    let zone = dice.pick(&["UTC", "+00:00", "Europe/Zurich"]);
    let array: TimestampMicrosecondArray = cells.iter().map(|cell| cell.map(|(time, _)| time)).collect();
    let texts: Vec<Option<&str>> = cells.iter().map(|cell| cell.map(|(_, text)| text)).collect();
    (Arc::new(array.with_timezone(zone)), shown(&texts))
}

fn lists(dice: &mut Dice, rows: usize) -> (ArrayRef, Vec<Json>) {
    let cells = cells(dice, rows, |dice| {
        (0..dice.below(4)).map(|_| dice.pick(&["admin", "read", "write"])).collect::<Vec<_>>()
    });
    let mut array = ListBuilder::new(StringBuilder::new());
    for cell in &cells {
        for text in cell.iter().flatten() {
            array.values().append_value(text);
        }
        array.append(cell.is_some());
    }
    (Arc::new(array.finish()), shown(&cells))
}

fn objects(dice: &mut Dice, rows: usize, members: &[(&'static str, Make)]) -> (ArrayRef, Vec<Json>) {
    let members: Vec<Made> = members.iter().map(|(name, make)| made(dice, name, rows, *make)).collect();
    let present: Vec<bool> = cells(dice, rows, |_| ()).iter().map(Option::is_some).collect();
    let fields: Fields =
        members.iter().map(|one| Field::new(one.name, one.array.data_type().clone(), true)).collect();
    let arrays = members.iter().map(|one| Arc::clone(&one.array)).collect();
    let array = StructArray::new(fields, arrays, Some(present.clone().into()));
    let object = |row: usize| {
        let members = members.iter().map(|one| (one.name.to_owned(), one.cells[row].clone()));
        if present[row] { Json::Object(members.collect()) } else { Json::Null }
    };
    (Arc::new(array), (0..rows).map(object).collect())
}

fn inner(dice: &mut Dice, rows: usize) -> (ArrayRef, Vec<Json>) {
    objects(dice, rows, &[("on", bools), ("at", instants)])
}

fn user(dice: &mut Dice, rows: usize) -> (ArrayRef, Vec<Json>) {
    objects(dice, rows, &[("role", strings), ("age", integers), ("groups", lists), ("inner", inner)])
}

type Make = fn(&mut Dice, usize) -> (ArrayRef, Vec<Json>);

fn made(dice: &mut Dice, name: &'static str, rows: usize, make: Make) -> Made {
    let (array, cells) = make(dice, rows);
    Made { name, array, cells }
}

const COLUMNS: [(&str, Make); 9] = [
    ("b", bools),
    ("i", integers),
    ("j", integers),
    ("f", floats),
    ("d", decimals),
    ("s", strings),
    ("t", instants),
    ("l", lists),
    ("user", user),
];

fn batch(columns: &[Made]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        columns.iter().map(|one| (one.name, Arc::clone(&one.array), true)),
    )
    .expect("columns of one length")
}

/// Writes a table in row groups and pages of some size.
fn write(folder: &Folder, name: &str, batch: &RecordBatch, dice: &mut Dice) -> String {
    let compression = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ];
    let properties = WriterProperties::builder()
        .set_compression(compression[dice.below(compression.len())])
        .set_max_row_group_row_count(Some(1 + dice.below(300)))
        .set_data_page_row_count_limit(1 + dice.below(50))
        .set_dictionary_enabled(dice.chance(50))
        .build();
    let path = folder.file(name, "");
    let file = File::create(&path).expect("a file for the test");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a schema");
    writer.write(batch).expect("rows");
    writer.close().expect("a footer");
    path
}

/// Writes the rows as lines of JSON.
fn write_lines(folder: &Folder, name: &str, columns: &[Made], rows: usize) -> String {
    let line = |row: usize| {
        let members = columns.iter().map(|one| (one.name.to_owned(), one.cells[row].clone()));
        format!("{}\n", Json::Object(members.collect::<Map<_, _>>()))
    };
    folder.file(name, (0..rows).map(line).collect::<String>())
}

const EXPRESSIONS: [&str; 24] = [
    "i > 3",
    "i + j * 2",
    "f",
    "f * 2 > i || b",
    "d",
    "d < 10.5 && d != 3.25",
    "s",
    r#"s == "admin" || s == "GET""#,
    r#""${s}: ${i}""#,
    "t",
    r#"t > "2000" ? 1 : 2"#,
    r#"t == "2026-01-02T03:04:05Z""#,
    "l",
    r#"contains(l, "admin")"#,
    "[for x in l : upper(x) if x != s]",
    "user",
    r#"user.role == "admin" && user.age >= 18"#,
    "user.inner.on",
    "user.inner",
    "user.rolle",
    "user.role.more",
    "try(user.groups[0], null)",
    "i == null ? 0 : i / 3",
    "limit + i",
];

const MODULE: &str = r#"
locals {
  grown = user == null ? false : try(user.age > 17, false)
}
rule "grown" {
  when   = local.grown && b
  reason = "age ${user.age}"
}
small = i < 10
first = try(l[0], "none")
kind  = s == "admin" ? "A" : user.inner.at
"#;

/// A file that reads parts of a struct, of which some do not exist.
const PARTS: &str = r#"
locals {
  age = user.age
}
deep    = user.inner.on ? local.age : user.role
none    = try(user.rolle, "none")
missing = user.inner.off
of_text = user.role.name
"#;

/// A file that reads some parts of a struct, all of which exist.
const SOME: &str = r"
locals {
  role = user.role
}
adult = user.age > 17 && user.inner.on
sum   = local.role + 1
";

/// Returns the results, with the words of Parquet for places.
fn results(arguments: &[&str], scopes: &str) -> String {
    let output = hclvm(&[arguments, &["--scopes", scopes]].concat());
    let found = text(&output.stdout).replace("{\"line\":", "{\"row\":");
    assert!(output.status.code().is_some_and(|code| code < 2), "{arguments:?}: {}", text(&output.stderr));
    found
}

#[test]
fn rows_have_the_results_of_equal_lines() {
    let folder = Folder::new();
    let module = folder.file("module.hcl", MODULE);
    let parts = folder.file("parts.hcl", PARTS);
    let some = folder.file("some.hcl", SOME);
    let (mut fine, mut failed) = (0, 0);
    for seed in 0..tables(20) {
        let mut dice = Dice::new(seed);
        let rows = match dice.below(10) {
            0 => dice.below(3),
            1 => 4_000 + dice.below(3_000),
            _ => 1 + dice.below(400),
        };
        let mut columns: Vec<Made> =
            COLUMNS.iter().map(|(name, make)| made(&mut dice, name, rows, *make)).collect();
        if dice.chance(20) {
            columns.remove(dice.below(columns.len()));
        }
        let table = write(&folder, "rows.parquet", &batch(&columns), &mut dice);
        let lines = write_lines(&folder, "rows.ndjson", &columns, rows);
        let attribute =
            dice.pick(&["local.grown", "rule.grown.when", "small", "first", "kind", "rule.grown"]);
        let part = dice.pick(&["local.age", "deep", "none", "missing", "of_text"]);
        let expression = dice.pick(&EXPRESSIONS);
        let undefined = dice.pick(&["error", "unknown", "text"]);
        let from = (1 + dice.below(rows + 2)).to_string();
        for arguments in [
            &["eval", "-e", expression] as &[&str],
            &["eval", "-e", dice.pick(&EXPRESSIONS), "--threads", "1", "--undefined", undefined],
            &["eval", "-e", "limit < i ? s : limit", "--var", "limit=4", "--from", &from],
            &["eval", "-t", "${s} is ${i}"],
            &["eval", &module],
            &["eval", &module, "--attr", attribute, "--var", "s=admin"],
            &["eval", &parts, "--attr", part],
            &["eval", &some, "--attr", dice.pick(&["adult", "sum", "local.role"])],
        ] {
            let (found, wanted) = (results(arguments, &table), results(arguments, &lines));
            for (found, wanted) in found.lines().zip(wanted.lines()) {
                assert_eq!(found, wanted, "seed {seed}, {arguments:?}");
                let is_failed = wanted.starts_with("{\"row\":");
                (fine, failed) = if is_failed { (fine, failed + 1) } else { (fine + 1, failed) };
            }
            assert_eq!(found.lines().count(), wanted.lines().count(), "seed {seed}, {arguments:?}");
        }
    }
    assert!(fine > 10_000 && failed > 2_000, "{fine} rows with results, {failed} with errors");
}

/// Writes a table of 200 rows.
fn some_rows(folder: &Folder, name: &str, seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let columns: Vec<Made> = COLUMNS.iter().map(|(name, make)| made(&mut dice, name, 200, *make)).collect();
    write(folder, name, &batch(&columns), &mut dice)
}

#[test]
fn columns_without_values_are_named_if_they_are_read() {
    let folder = Folder::new();
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![b"a" as &[u8]]));
    let inner = StructArray::from(vec![
        (Arc::new(Field::new("raw", DataType::Binary, false)), Arc::clone(&bytes)),
        (Arc::new(Field::new("n", DataType::Int64, false)), Arc::new(Int64Array::from(vec![7])) as ArrayRef),
    ]);
    let columns: [(&str, ArrayRef); 5] = [
        ("raw", bytes),
        ("both", Arc::new(inner)),
        ("span", Arc::new(DurationSecondArray::from(vec![1]))),
        ("day", Arc::new(Date32Array::from(vec![20_455]))),
        ("nan", Arc::new(Float64Array::from(vec![f64::NAN]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("one row");
    let table = write(&folder, "types.parquet", &batch, &mut Dice::new(1));
    let run = |expression: &str| hclvm(&["eval", "-e", expression, "--scopes", &table]);
    assert_eq!(text(&run("[day, both.n]").stdout), "[\"2026-01-02\",7]\n");

    let output = run("[raw, both, span, day]");
    let errors = text(&output.stderr);
    for told in [
        "The column \"raw\" is of type Binary, which has no value.",
        "The column \"both.raw\" is of type Binary, which has no value.",
        "The column \"span\" is of type Duration(s), which has no value.",
    ] {
        assert!(errors.contains(told), "{errors}");
    }
    assert_eq!(output.status.code(), Some(1));
    let output = run("nan > 1");
    assert!(text(&output.stdout).starts_with("{\"row\":1,\"errors\":[{"), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("a float that is not a number (NaN)"));
}

#[test]
fn a_file_that_is_no_parquet_is_an_error() {
    let folder = Folder::new();
    let whole = std::fs::read(some_rows(&folder, "whole.parquet", 3)).expect("it was written");
    for (name, bytes) in [
        ("empty.parquet", &[] as &[u8]),
        ("text.parquet", b"{\"n\": 1}\n{\"n\": 2}\n"),
        ("cut.PARQUET", &whole[..900]),
    ] {
        let output = hclvm(&["eval", "-e", "n", "--scopes", &folder.file(name, bytes)]);
        assert_eq!(output.status.code(), Some(1));
        let errors = text(&output.stderr);
        assert!(errors.contains("The Parquet file cannot be read: "), "{errors}");
    }
    let output = hclvm(&["eval", "-e", "n", "--scopes", "missing.parquet"]);
    assert_eq!(output.status.code(), Some(2));
    let module = folder.file("module.hcl", "x = n");
    let output = hclvm(&["bench", &module, "--scopes", &folder.file("whole.parquet", &whole)]);
    assert!(text(&output.stderr).contains("only `hclvm eval` of an expression"), "{}", text(&output.stderr));
}

#[test]
fn damaged_files_are_errors() {
    let folder = Folder::new();
    // The decoder panics for the last one.
    for seed in (0..tables(60)).chain([1_134]) {
        let mut dice = Dice::new(seed);
        let mut bytes = std::fs::read(some_rows(&folder, "rows.parquet", seed % 4)).expect("it was written");
        for _ in 0..=dice.below(3) {
            let at = dice.below(bytes.len());
            bytes[at] = u8::try_from(dice.below(256)).expect("a byte");
        }
        let damaged = folder.file("damaged.parquet", bytes);
        let output = hclvm(&["eval", "-e", "[b, i, j, f, d, s, t, l, user]", "--scopes", &damaged]);
        let errors = text(&output.stderr);
        assert!(output.status.code().is_some_and(|code| code <= 2), "seed {seed}: {errors}");
        assert!(!errors.contains("panicked"), "seed {seed}: {errors}");
    }
}
