//! Running a program over columns gives what running it with each row in a scope gives: values, nulls and errors.
//!
//! `HCLVM_COLUMNS=tables` or `tables:seed` selects another run than the short default.
#![expect(clippy::print_stdout, reason = "a longer run shows what it compared")]

mod expression;
mod table;

use std::cmp::Ordering;
use std::sync::Arc;

use expression::{NAMES, expression};
use hclvm::run::RuleSet;
use hclvm::run::columns::{Cell, Cells, Column, Columns, Output};
use hclvm::value::{Number, marks_from};
use hclvm::{Engine, Error, ErrorKind, Layout, Program, Scope, Session, Type, Value};
use hclvm_vm::number;
use hclvm_workloads::dice::Dice;
use table::{Kept, Kind};

const TABLES: u64 = 2_000;

/// The most rows of most tables; a few have more than a vector.
const ROWS: usize = 70;

/// The most digits of numbers that are compared as text: more than a float has.
const LONGEST: u64 = 400;

fn asked_for() -> (u64, u64) {
    let asked = std::env::var("HCLVM_COLUMNS").unwrap_or_default();
    let (tables, seed) = asked.split_once(':').unwrap_or((&asked, ""));
    (tables.parse().unwrap_or(TABLES), seed.parse().unwrap_or(1))
}

/// What a run compared.
#[derive(Debug, Default)]
struct Tally {
    tables: u64,
    rows: usize,
    values: usize,
    nulls: usize,
    failures: usize,
}

/// The columns of a table by variable.
struct Table {
    columns: Vec<(&'static str, Kept)>,
    /// The values of other variables.
    scope: Scope,
    rows: usize,
}

impl Table {
    fn random(dice: &mut Dice, engine: &Engine, layout: &Arc<Layout>) -> Self {
        let rows = match dice.roll(100) {
            0 => 1_000 + dice.below(1_200),
            1 => 0,
            _ => 1 + dice.below(ROWS),
        };
        let kinds = [
            ("b", Kind::Bool),
            ("c", Kind::Bool),
            ("i", Kind::Int),
            ("j", Kind::Int),
            ("f", Kind::Float),
            ("g", Kind::Float),
            ("s", Kind::Text),
            ("t", Kind::Text),
        ];
        let mut columns: Vec<(&str, Kept)> =
            kinds.iter().map(|(name, kind)| (*name, Kept::random(dice, *kind, rows))).collect();
        let inner = Kept::structure(dice, rows, &[("flag", Kind::Bool), ("name", Kind::Text)]);
        let fields = [
            ("role", Kind::Text),
            ("age", Kind::Int),
            ("score", Kind::Float),
            ("on", Kind::Bool),
            ("none", Kind::Nulls),
        ];
        columns.push(("u", Kept::structure(dice, rows, &fields).with("inner", inner)));
        columns.push(("l", Kept::lists(dice, rows)));
        // A variable without a column has no value.
        if dice.chance(10) {
            columns.remove(dice.below(columns.len()));
        }
        Self { columns, scope: constants(dice, engine, layout), rows }
    }

    fn columns(&self) -> Columns<'_> {
        let mut columns = self.scope.columns(self.rows);
        for (name, kept) in &self.columns {
            columns.set(name, kept.column()).expect("the name is in the layout");
        }
        columns
    }
}

fn constants(dice: &mut Dice, engine: &Engine, layout: &Arc<Layout>) -> Scope {
    let mut scope = engine.scope(layout);
    let number = ["5", "0.1", "100", "null", "-0.0", "true"][dice.below(6)];
    match dice.roll(8) {
        0 => scope.set("limit", &0.1).expect("it fits"),
        1 => scope.set("limit", &7).expect("it fits"),
        2 => scope.set_unknown("limit"),
        3 => {}
        _ => scope.set_json("limit", number).expect("it fits"),
    }
    scope.set("name", dice.pick(&table::TEXTS)).expect("it fits");
    scope.set("on", &dice.chance(50)).expect("it fits");
    if dice.chance(20) {
        let name = dice.pick(&["limit", "name", "on"]);
        match dice.roll(4) {
            0 => scope.set_value(name, Value::NULL).expect("it fits"),
            1 => scope.build(name, |arena| Ok(Value::null(arena, Type::Number))).expect("it fits"),
            _ => {}
        }
        let value = scope.get(name).map(hclvm::OwnedValue::new);
        scope
            .build(name, |arena| {
                let value = value.as_ref().map_or(Value::NULL, |value| hclvm_vm::copy(arena, value.get()));
                Ok(value.with_marks(arena, marks_from(arena, &["secret"])))
            })
            .expect("it fits");
    }
    scope
}

/// Runs a program with each row in a scope.
fn row_by_row(
    session: &mut Session,
    program: &Program,
    engine: &Engine,
    table: &Table,
    mut check: impl FnMut(usize, Result<Value<'_>, Error>),
) {
    let mut scope = engine.projection([program]).expect("a program").scope();
    for name in ["limit", "name", "on"] {
        if let Some(value) = table.scope.get(name) {
            scope.set_value(name, value).expect("it fits");
        }
    }
    for row in 0..table.rows {
        let set = table.columns.iter().try_for_each(|(name, kept)| scope.set(name, &kept.host(row)));
        match set {
            Ok(()) => check(row, session.run(program, &scope)),
            Err(error) => check(row, Err(error)),
        }
    }
}

/// Returns how a result of columns differs from that of a scope.
fn difference(found: Option<Result<Cell<'_>, &Error>>, wanted: &Result<Value<'_>, Error>) -> Option<String> {
    let equal = match (&found, wanted) {
        (Some(Ok(cell)), Ok(value)) => is_same(*cell, *value),
        (Some(Err(found)), Err(wanted)) => match (found.kind(), wanted.kind()) {
            // The path to a value that cannot be set is reported by serde alone.
            (ErrorKind::Value(_), ErrorKind::Value(_)) => true,
            _ => format!("{found:?}") == format!("{wanted:?}"),
        },
        _ => false,
    };
    (!equal).then(|| format!("columns: {found:?}\n   rows: {wanted:?}"))
}

fn is_same(cell: Cell<'_>, value: Value<'_>) -> bool {
    let is_number = |own: &Number| {
        value.as_number().is_some_and(|number| {
            number::compare(own.borrow(), number) == Ordering::Equal
                && number::equal(own.borrow(), number)
                && (own.borrow().is_negative() == number.is_negative())
                && (own.borrow().precision() == number.precision()
                    || own.borrow().text_within(LONGEST) == number.text_within(LONGEST))
        })
    };
    match cell {
        Cell::Null => value.is_null() && !value.contains_marks(),
        Cell::Bool(bool) => value.as_bool() == Some(bool),
        Cell::Int(int) => is_number(&Number::short(int)),
        Cell::Float(float) => Number::from_f64(float).is_some_and(|own| is_number(&own)),
        Cell::Text(text) => value.as_str() == Some(text),
        Cell::Value(own) => match own.as_number() {
            Some(own) => is_number(&own.to_owned()),
            None => format!("{own:?}") == format!("{value:?}"),
        },
    }
}

/// Compares the output of columns with the runs of rows, and returns the first difference.
fn compare(
    tally: &mut Tally,
    session: &mut Session,
    (program, engine, table): (&Program, &Engine, &Table),
    output: &Output,
) -> Result<(), String> {
    if output.len() != table.rows {
        return Err(format!("{} rows instead of {}", output.len(), table.rows));
    }
    let mut first = None;
    row_by_row(session, program, engine, table, |row, wanted| {
        match &wanted {
            Err(_) => tally.failures += 1,
            Ok(value) if value.is_null() => tally.nulls += 1,
            Ok(_) => tally.values += 1,
        }
        if first.is_none() {
            let values = || table.columns.iter().map(|(name, kept)| format!("{name} = {:?}", kept.host(row)));
            let values = || values().collect::<Vec<_>>().join(", ");
            first = difference(output.get(row), &wanted)
                .map(|difference| format!("row {row}: {difference}\n{}", values()));
        }
    });
    tally.tables += 1;
    tally.rows += table.rows;
    first.map_or(Ok(()), Err)
}

/// Compares the output of columns with runs in a scope that is set from the columns row by row, and returns the first
/// difference.
fn compare_set_rows(
    session: &mut Session,
    (program, engine, table): (&Program, &Engine, &Table),
    columns: &Columns<'_>,
    output: &Output,
) -> Result<(), String> {
    let mut scope = engine.projection([program]).expect("a program").scope();
    for name in ["limit", "name", "on"] {
        if let Some(value) = table.scope.get(name) {
            scope.set_value(name, value).expect("it fits");
        }
    }
    for row in 0..table.rows {
        let result = scope.set_row(columns, row).and_then(|()| session.run(program, &scope));
        if let Some(difference) = difference(output.get(row), &result) {
            return Err(format!("set_row, row {row}: {difference}"));
        }
    }
    Ok(())
}

/// Makes rules with common subexpressions, which are reached by different rows.
fn related(
    dice: &mut Dice,
    engine: &Engine,
    layout: &Arc<Layout>,
    programs: &[(String, Program)],
) -> Vec<(String, Program)> {
    let parts: Vec<&str> = (0..3).map(|_| &*programs[dice.below(programs.len())].0).collect();
    let mut rules = Vec::new();
    for _ in 0..6 {
        let [a, b, c] = [0; 3].map(|_| parts[dice.below(parts.len())]);
        let text = match dice.roll(6) {
            0 => format!("({a}) && ({b})"),
            1 => format!("({a}) || ({b}) && ({c})"),
            2 => format!("b ? ({a}) : ({b})"),
            3 => format!("i > 3 && ({a}) == ({b})"),
            4 => format!("({a}) != ({b}) || c"),
            _ => format!("!({a}) && !({b})"),
        };
        let program = engine.compile(&*text, layout).unwrap_or_else(|error| panic!("{text}: {error}"));
        rules.push((text, program));
    }
    rules
}

fn compare_tables(tables: u64, seed: u64) -> Tally {
    let (engine, layout) = (Engine::new(), Arc::new(Layout::new(NAMES)));
    let (mut session, mut other) = (engine.session(), engine.session());
    let mut tally = Tally::default();
    let mut at = seed;
    let mut programs: Vec<(String, Program)> = Vec::new();
    while tally.tables < tables {
        let mut dice = Dice::new(at);
        at += 1;
        // Compiling takes longer than running, so that expressions serve for several tables.
        if programs.len() < 20 || dice.chance(20) {
            let text = expression(&mut dice);
            let program =
                engine.compile(text.as_str(), &layout).unwrap_or_else(|error| panic!("{text}: {error}"));
            if programs.len() >= 20 {
                programs.remove(0);
            }
            programs.push((text, program));
        }
        let table = Table::random(&mut dice, &engine, &layout);
        let columns = table.columns();
        for _ in 0..3 {
            let (text, program) = &programs[dice.below(programs.len())];
            let output = session.run_columns(program, &columns).expect("it suits the columns");
            let subject = (program, &engine, &table);
            let compared = compare(&mut tally, &mut other, subject, &output)
                .and_then(|()| compare_set_rows(&mut other, subject, &columns, &output));
            if let Err(difference) = compared {
                panic!("seed {}, {text}\n{difference}", at - 1);
            }
        }
        if dice.chance(8) {
            let related = dice.chance(40).then(|| related(&mut dice, &engine, &layout, &programs));
            let set = related.as_ref().unwrap_or(&programs);
            let rules = RuleSet::new(set.iter().map(|(_, program)| program.clone())).expect("one layout");
            let outputs = session.run_rules_columns(&rules, &columns).expect("they suit the columns");
            assert_eq!(outputs.len(), set.len());
            for ((text, program), output) in set.iter().zip(&outputs) {
                if let Err(difference) = compare(&mut tally, &mut other, (program, &engine, &table), output) {
                    let texts: Vec<_> = set.iter().map(|(text, _)| text).collect();
                    panic!("seed {}, rule {text}\n{difference}\n of {texts:?}", at - 1);
                }
            }
        }
    }
    tally
}

#[test]
fn columns_have_the_results_of_their_rows() {
    let (tables, seed) = asked_for();
    let tally = compare_tables(tables, seed);
    println!("{tally:?}");
    assert!(tally.values > tally.rows / 4, "most rows have values: {tally:?}");
    assert!(tally.failures > tally.rows / 100, "some rows fail: {tally:?}");
}

fn program(engine: &Engine, text: &str, names: &[&str]) -> (Program, Scope) {
    let layout = Arc::new(Layout::new(names.iter().copied()));
    let program = engine.compile(text, &layout).expect("it compiles");
    (program, engine.scope(&layout))
}

#[test]
fn outputs_have_the_type_of_all_results() {
    let engine = Engine::new();
    let run = |text: &str| {
        let (program, scope) = program(&engine, text, &["i", "f", "s"]);
        let mut columns = scope.columns(3);
        columns.set("i", &[1, 2, 3]).expect("it is a variable");
        columns.set("f", &[0.5, 2.0, 1e300]).expect("it is a variable");
        columns.set("s", &["a", "", "c"]).expect("it is a variable");
        engine.session().run_columns(&program, &columns).expect("it suits the columns")
    };
    assert!(matches!(run("i * 2").cells(), Cells::Ints(ints) if *ints == [2, 4, 6]));
    assert!(matches!(run("f").cells(), Cells::Floats(floats) if *floats == [0.5, 2.0, 1e300]));
    assert!(matches!(run("i == 1 ? 0.5 : i").cells(), Cells::Floats(floats) if *floats == [0.5, 2.0, 3.0]));
    assert!(matches!(run("i > 1").cells(), Cells::Bools(bools) if bools.words() == [6]));
    assert!(matches!(run("upper(s)").cells(), Cells::Texts(texts) if texts.text() == "AC"));
    assert!(matches!(run("null").cells(), Cells::Nulls));
    assert!(matches!(run("[i]").cells(), Cells::Values(_)));
    assert!(matches!(run("i / 3").cells(), Cells::Values(_)));
}

#[test]
fn equal_numbers_of_all_rows_are_compared_by_their_texts() {
    let engine = Engine::new();
    let (program, mut scope) = program(&engine, "b && limit <= 0.1", &["b", "limit"]);
    // The nearest float is above the decimal, and equal to it.
    scope.set("limit", &0.1).expect("it is a variable");
    let mut columns = scope.columns(2);
    columns.set("b", &[true, false]).expect("it is a variable");
    let output = engine.session().run_columns(&program, &columns).expect("it suits the columns");
    assert_eq!(output.as_bools().expect("it is a condition").words(), [1]);
}

#[test]
fn an_arm_that_all_rows_of_a_vector_take_is_not_that_of_the_next_one() {
    let engine = Engine::new();
    let rows = 3 * 1_024;
    let on: Vec<bool> = (0..rows).map(|row| row / 1_024 == 1).collect();
    let keys = vec![0_i32; rows];
    let floats = vec![0.5; rows];
    for text in ["d == (b ? \"x\" : \"y\")", "f < (b ? 0.75 : 0.25)"] {
        let (program, scope) = program(&engine, text, &["b", "d", "f"]);
        let mut columns = scope.columns(rows);
        columns.set("b", &on).expect("it is a variable");
        let texts =
            Column::dictionary(Column::from(&keys), Column::from(&["x"])).expect("the keys are integers");
        columns.set("d", texts).expect("it is a variable");
        columns.set("f", &floats).expect("it is a variable");
        let output = engine.session().run_columns(&program, &columns).expect("it suits the columns");
        assert_eq!(
            output.as_bools().expect("a condition").rows().collect::<Vec<_>>(),
            (1_024..2_048).collect::<Vec<_>>()
        );
    }
}

#[test]
fn columns_that_do_not_suit_are_refused() {
    let engine = Engine::new();
    let (program, scope) = program(&engine, "i", &["i"]);
    let mut columns = scope.columns(2);
    let error = columns.set("j", &[1, 2]).expect_err("there is no such variable");
    assert!(error.to_string().contains("no variable \"j\""), "{error}");
    let error = columns.set("i", &[1, 2, 3]).expect_err("there are two rows");
    assert_eq!(error.to_string(), "\"i\": the column has 3 rows instead of 2");
    assert!(Column::structure(2, [("a", Column::from(&[1])), ("b", Column::from(&[1, 2]))]).is_err());
    assert!(Column::structure(1, [("a", Column::from(&[1])), ("a", Column::from(&[2]))]).is_err());
    assert!(Column::dictionary(Column::from(&[0.0]), Column::from(&["a"])).is_err());
    let mut own = engine.scope(program.layout());
    columns.set("i", &[1, 2]).expect("there are two rows");
    assert!(own.set_row(&columns, 1).is_ok() && own.get("i").and_then(|i| i.as_i64()) == Some(2));
    let error = own.set_row(&columns, 2).expect_err("there are two rows");
    assert_eq!(error.to_string(), "there is no row 2 of 2");
    let error = engine.scope(&Arc::new(Layout::new(["j"]))).set_row(&columns, 0).expect_err("another layout");
    assert_eq!(error.to_string(), "the columns have another layout than the scope");
    let other = Engine::new();
    let mut columns = other.scope(program.layout()).columns(0);
    columns.set("i", &[0_i64; 0]).expect("it has no rows");
    assert!(engine.session().run_columns(&program, &columns).is_err());
}
