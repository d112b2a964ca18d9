//! Conditions, arithmetic and functions of texts over columns of 10,000 rows: hclvm, Arrow's kernels one after the other,
//! and the rows of a batch one by one. The results are compared before anything is timed.
//!
//! The times are medians of rounds in which all contenders take turns: `cargo bench --package hclvm-arrow`.
#![expect(clippy::print_stdout, reason = "the result of a benchmark")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use arrow_arith::boolean::{and, and_not, or};
use arrow_arith::numeric::{add_wrapping, mul_wrapping, rem, sub_wrapping};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray,
    StringViewArray,
};
use arrow_ord::cmp::{eq, gt, lt};
use hclvm::run::{Batch, RuleSet};
use hclvm::{Engine, Program, Scope, Session};

const ROWS: usize = 10_000;
const ROUNDS: usize = 301;

type Kernels = Box<dyn Fn(&RecordBatch) -> ArrayRef>;

/// An expression, the columns that it reads, and the same as kernels.
struct Case {
    name: &'static str,
    text: &'static str,
    columns: Vec<(&'static str, ArrayRef)>,
    kernels: Option<Kernels>,
}

fn column<'b>(batch: &'b RecordBatch, name: &str) -> &'b ArrayRef {
    batch.column_by_name(name).expect("the batch has the column")
}

/// A pseudo-random number below `below` for a row.
fn draw(row: usize, seed: u64, below: u64) -> u64 {
    let mixed = (row as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ seed).rotate_left(29);
    (mixed.wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33) % below
}

fn pick(row: usize, seed: u64, texts: &[&'static str]) -> &'static str {
    texts[usize::try_from(draw(row, seed, texts.len() as u64)).expect("small")]
}

const ROLES: [&str; 5] = ["viewer", "editor", "admin", "operator", "auditor"];
const METHODS: [&str; 3] = ["GET", "POST", "PUT"];
const PATHS: [&str; 4] = ["/api/items/17", "/api/items.json", "/index.html", "/api/users/42/settings.json"];

fn ints(seed: u64, below: u64) -> ArrayRef {
    let int = |row| i64::try_from(draw(row, seed, below)).expect("small");
    Arc::new((0..ROWS).map(int).collect::<Int64Array>())
}

fn strings(seed: u64, texts: &'static [&'static str]) -> ArrayRef {
    Arc::new((0..ROWS).map(|row| Some(pick(row, seed, texts))).collect::<StringArray>())
}

fn dictionaries(seed: u64, texts: &'static [&'static str]) -> ArrayRef {
    Arc::new((0..ROWS).map(|row| pick(row, seed, texts)).collect::<DictionaryArray<Int32Type>>())
}

fn floats(seed: u64) -> ArrayRef {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let float = |row| draw(row, seed, 100_000) as f64 / 100.0;
    Arc::new((0..ROWS).map(float).map(Some).collect::<Float64Array>())
}

fn condition_columns(
    text: fn(seed: u64, texts: &'static [&'static str]) -> ArrayRef,
) -> Vec<(&'static str, ArrayRef)> {
    let locked: BooleanArray = (0..ROWS).map(|row| Some(draw(row, 4, 4) == 0)).collect();
    vec![
        ("role", text(1, &ROLES)),
        ("method", text(2, &METHODS)),
        ("size", ints(3, 2_000_000)),
        ("locked", Arc::new(locked)),
    ]
}

fn condition(batch: &RecordBatch, text: &dyn Fn(&ArrayRef, &'static str) -> BooleanArray) -> ArrayRef {
    let get = text(column(batch, "method"), "GET");
    let small = lt(column(batch, "size"), &Int64Array::new_scalar(1_000_000)).expect("integers");
    let free = and_not(&and(&get, &small).expect("equal lengths"), column(batch, "locked").as_boolean());
    let admin = text(column(batch, "role"), "admin");
    Arc::new(or(&admin, &free.expect("equal lengths")).expect("equal lengths"))
}

const CONDITION: &str = r#"role == "admin" || (method == "GET" && size < 1000000 && !locked)"#;

fn cases() -> Vec<Case> {
    let views = |seed, texts: &'static [&'static str]| -> ArrayRef {
        Arc::new((0..ROWS).map(|row| Some(pick(row, seed, texts))).collect::<StringViewArray>())
    };
    vec![
        Case {
            name: "condition, strings",
            text: CONDITION,
            columns: condition_columns(strings),
            kernels: Some(Box::new(|batch| {
                condition(batch, &|array, text| eq(array, &StringArray::new_scalar(text)).expect("texts"))
            })),
        },
        Case {
            name: "condition, views",
            text: CONDITION,
            columns: condition_columns(views),
            kernels: Some(Box::new(|batch| {
                condition(batch, &|array, text| eq(array, &StringViewArray::new_scalar(text)).expect("texts"))
            })),
        },
        Case {
            name: "condition, dictionaries",
            text: CONDITION,
            columns: condition_columns(dictionaries),
            kernels: Some(Box::new(|batch| {
                condition(batch, &|array, text| eq(array, &StringArray::new_scalar(text)).expect("texts"))
            })),
        },
        Case {
            name: "comparisons of numbers",
            text: "a < 500000 && b > 300.25 && a > c",
            columns: vec![("a", ints(5, 1_000_000)), ("b", floats(6)), ("c", ints(7, 1_000_000))],
            kernels: Some(Box::new(|batch| {
                let small = lt(column(batch, "a"), &Int64Array::new_scalar(500_000)).expect("integers");
                let large = gt(column(batch, "b"), &Float64Array::new_scalar(300.25)).expect("floats");
                let greater = gt(column(batch, "a"), column(batch, "c")).expect("integers");
                Arc::new(and(&and(&small, &large).expect("bools"), &greater).expect("bools"))
            })),
        },
        Case {
            name: "arithmetic",
            text: "(a + b * 3 - c) % 7",
            columns: vec![("a", ints(8, 1_000)), ("b", ints(9, 1_000)), ("c", ints(10, 1_000))],
            kernels: Some(Box::new(|batch| {
                let scaled = mul_wrapping(column(batch, "b"), &Int64Array::new_scalar(3)).expect("integers");
                let sum = add_wrapping(column(batch, "a"), &scaled).expect("integers");
                let less = sub_wrapping(&sum, column(batch, "c")).expect("integers");
                rem(&less, &Int64Array::new_scalar(7)).expect("integers")
            })),
        },
        Case {
            name: "arithmetic and a conditional",
            text: "(a + b * 3 - c) % 7 > 2 ? a * 2 + 1 : b - c * 4",
            columns: vec![("a", ints(8, 1_000)), ("b", ints(9, 1_000)), ("c", ints(10, 1_000))],
            kernels: Some(Box::new(|batch| {
                let (a, b, c) = (column(batch, "a"), column(batch, "b"), column(batch, "c"));
                let scalar = Int64Array::new_scalar;
                let sum = add_wrapping(a, &mul_wrapping(b, &scalar(3)).expect("integers")).expect("integers");
                let rest = rem(&sub_wrapping(&sum, c).expect("integers"), &scalar(7)).expect("integers");
                let condition = gt(&rest, &scalar(2)).expect("integers");
                let yes = add_wrapping(&mul_wrapping(a, &scalar(2)).expect("integers"), &scalar(1));
                let no = sub_wrapping(b, &mul_wrapping(c, &scalar(4)).expect("integers")).expect("integers");
                chosen(&condition, &yes.expect("integers"), &no)
            })),
        },
        Case {
            name: "functions of texts",
            text: r#"startswith(path, "/api/") && (lower(method) == "get" || endswith(path, ".json"))"#,
            columns: vec![("path", strings(11, &PATHS)), ("method", strings(2, &METHODS))],
            kernels: None,
        },
        Case {
            name: "functions of dictionaries",
            text: r#"startswith(path, "/api/") && endswith(path, ".json")"#,
            columns: vec![("path", dictionaries(11, &PATHS))],
            kernels: None,
        },
        Case {
            name: "a template",
            text: r#""${method} ${path} ${size}""#,
            columns: vec![
                ("path", strings(11, &PATHS)),
                ("method", strings(2, &METHODS)),
                ("size", ints(3, 2_000_000)),
            ],
            kernels: None,
        },
    ]
}

/// Chooses between integers, as Arrow's `zip` does.
fn chosen(condition: &BooleanArray, yes: &ArrayRef, no: &ArrayRef) -> ArrayRef {
    let (yes, no) = (yes.as_primitive::<Int64Type>().values(), no.as_primitive::<Int64Type>().values());
    let bits = condition.values();
    let pick = |row| if bits.value(row) { yes[row] } else { no[row] };
    Arc::new(Int64Array::from_iter_values((0..condition.len()).map(pick)))
}

/// The rows of a record batch as scopes.
fn rows(scope: &Scope, program: &Program, batch: &RecordBatch, session: &mut Session) -> Batch {
    let mut scope = scope.fork();
    let mut rows = scope.batch();
    let columns: Vec<_> = batch.schema_ref().fields().iter().map(|field| field.name().clone()).collect();
    for row in 0..batch.num_rows() {
        let one = batch.slice(row, 1);
        for name in &columns {
            let value = hclvm_arrow::column(column(&one, name).as_ref()).expect("it has values");
            scope
                .build(name, |arena| {
                    value.value(0, arena).map_err(|error| hclvm::Error::host(error.to_string()))
                })
                .expect("it has a value");
        }
        session.run(program, &scope).expect("it has a result");
        rows.push(&scope).expect("it is like the first");
    }
    rows
}

fn nanoseconds(run: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    run();
    #[expect(clippy::cast_precision_loss, reason = "a duration of microseconds")]
    let elapsed = start.elapsed().as_nanos() as f64;
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let rows = ROWS as f64;
    elapsed / rows
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn measure(case: &Case) {
    let engine = Engine::new();
    let layout = Arc::new(hclvm::Layout::new(case.columns.iter().map(|(name, _)| *name)));
    let program = engine.compile(case.text, &layout).expect("it compiles");
    let scope = engine.scope(&layout);
    let batch = RecordBatch::try_from_iter(case.columns.clone()).expect("equal lengths");
    let mut session = engine.session();
    let ours = hclvm_arrow::columns(&scope, &batch).expect("the arrays have values");
    let ours = hclvm_arrow::run(&mut session, &program, &ours, None).expect("it suits the columns");
    assert!(ours.failures.is_empty(), "{}: {:?}", case.name, ours.failures.first());
    if let Some(kernels) = &case.kernels {
        assert_eq!(&ours.array, &kernels(&batch), "{}", case.name);
    }
    let mut other = engine.session();
    let rows = rows(&scope, &program, &batch, &mut other);

    let (mut columns, mut kernels, mut one_by_one) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        columns.push(nanoseconds(&mut || {
            let columns = hclvm_arrow::columns(&scope, &batch).expect("the arrays have values");
            black_box(
                hclvm_arrow::run(&mut session, &program, &columns, None).expect("it suits the columns"),
            );
        }));
        if let Some(run) = &case.kernels {
            kernels.push(nanoseconds(&mut || {
                black_box(run(&batch));
            }));
        }
        one_by_one.push(nanoseconds(&mut || {
            other
                .run_batch(&program, &rows, |result| _ = black_box(result.is_ok()))
                .expect("it suits the rows");
        }));
    }
    let (columns, one_by_one) = (median(columns), median(one_by_one));
    let kernels = (!kernels.is_empty()).then(|| median(kernels));
    let of_kernels =
        kernels.map_or("| | ".to_owned(), |kernels| format!("| {kernels:.2} | {:.2} ", columns / kernels));
    let times = one_by_one / columns;
    println!("| {} | {columns:.2} {of_kernels}| {one_by_one:.1} | {times:.1} |", case.name);
}

const RULES: usize = 100;

/// Measures a set of rules that have comparisons in common: together, and one after the other.
fn measure_rules(name: &str, columns: &[(&'static str, ArrayRef)]) {
    let rule = |at: usize| {
        let (role, method) = (ROLES[at % ROLES.len()], METHODS[at % METHODS.len()]);
        let most = (at % 7 + 1) * 250_000;
        format!(r#"role == "{role}" && method == "{method}" && size < {most} && !locked"#)
    };
    let engine = Engine::new();
    let layout = Arc::new(hclvm::Layout::new(columns.iter().map(|(name, _)| *name)));
    let program = |at| engine.compile(&*rule(at), &layout).expect("it compiles");
    let programs: Vec<Program> = (0..RULES).map(program).collect();
    let rules = RuleSet::new(programs.iter().cloned()).expect("one layout");
    let batch = RecordBatch::try_from_iter(columns.iter().cloned()).expect("equal lengths");
    let scope = engine.scope(&layout);
    let columns = hclvm_arrow::columns(&scope, &batch).expect("the arrays have values");
    let mut session = engine.session();
    let outputs = session.run_rules_columns(&rules, &columns).expect("they suit the columns");
    for (program, output) in programs.iter().zip(&outputs) {
        let own = session.run_columns(program, &columns).expect("it suits the columns");
        assert_eq!(own.as_bools(), output.as_bools(), "{name}");
    }

    let (mut together, mut one_by_one) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS / 5 {
        together.push(nanoseconds(&mut || {
            black_box(session.run_rules_columns(&rules, &columns).expect("they suit the columns"));
        }));
        one_by_one.push(nanoseconds(&mut || {
            for program in &programs {
                black_box(session.run_columns(program, &columns).expect("it suits the columns"));
            }
        }));
    }
    let (together, one_by_one) = (median(together), median(one_by_one));
    println!("| {name} | {together:.1} | {one_by_one:.1} | {:.1} |", one_by_one / together);
}

fn main() {
    println!("| nanoseconds a row | columns | Arrow's kernels | ratio | a batch of rows | times |");
    println!("|---|---|---|---|---|---|");
    cases().iter().for_each(measure);
    println!();
    println!("| nanoseconds a row, {RULES} rules | as a set | one after the other | times |");
    println!("|---|---|---|---|");
    measure_rules("strings", &condition_columns(strings));
    measure_rules("dictionaries", &condition_columns(dictionaries));
}
