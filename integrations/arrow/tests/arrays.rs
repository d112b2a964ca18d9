//! Arrow arrays as columns, sliced and whole, and outputs as arrays.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int64Array,
    LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray, StructArray, UInt16Array,
    UInt64Array,
};
use arrow_schema::DataType;
use hclvm::value::marks_from;
use hclvm::{Engine, Error, Program, Scope, Type, Value};
use hclvm_arrow::Evaluated;

/// Runs an expression over arrays by name.
fn run(text: &str, arrays: &[(&str, ArrayRef)], wanted: Option<&DataType>) -> Result<Evaluated, Error> {
    let engine = Engine::new();
    let (program, scope) = compiled(&engine, text, arrays);
    let rows = arrays.first().map_or(0, |(_, array)| array.len());
    let mut columns = scope.columns(rows);
    for (name, array) in arrays {
        columns.set(name, hclvm_arrow::column(array.as_ref())?)?;
    }
    hclvm_arrow::run(&mut engine.session(), &program, &columns, wanted)
}

fn compiled(engine: &Engine, text: &str, arrays: &[(&str, ArrayRef)]) -> (Program, Scope) {
    let layout = Arc::new(hclvm::Layout::new(arrays.iter().map(|(name, _)| *name)));
    (engine.compile(text, &layout).expect("it compiles"), engine.scope(&layout))
}

/// Every type of array with three rows, of which some have a null in the last one.
fn arrays() -> Vec<(&'static str, ArrayRef)> {
    let role: ArrayRef =
        Arc::new(StringViewArray::from(vec![Some("admin"), Some("a longer text of a view"), None]));
    let age: ArrayRef = Arc::new(UInt16Array::from(vec![17, 18, 19]));
    let mut dictionary = StringDictionaryBuilder::<Int8Type>::new();
    dictionary.append_value("GET");
    dictionary.append_value("PUT");
    dictionary.append_null();
    let mut lists = ListBuilder::new(Int64Builder::new());
    lists.append_value([Some(1), None]);
    lists.append_value([]);
    lists.append_value([Some(2), Some(3)]);
    let user = StructArray::try_from(vec![("role", role), ("age", age)]).expect("it is one");
    vec![
        ("b", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
        ("i", Arc::new(Int64Array::from(vec![Some(1), Some(i64::MAX), None]))),
        ("n", Arc::new(UInt64Array::from(vec![1, u64::MAX, 3]))),
        ("f", Arc::new(Float64Array::from(vec![0.5, -0.0, 0.1]))),
        ("g", Arc::new(Float32Array::from(vec![0.5, 2.0, 0.1]))),
        (
            "d",
            Arc::new(
                Decimal128Array::from(vec![150, 25, -1]).with_precision_and_scale(10, 2).expect("it fits"),
            ),
        ),
        ("s", Arc::new(StringArray::from(vec!["a", "", "e\u{301}"]))),
        ("t", Arc::new(LargeStringArray::from(vec![Some("x"), None, Some("z")]))),
        ("m", Arc::new(dictionary.finish())),
        ("user", Arc::new(user)),
        ("l", Arc::new(lists.finish())),
        ("z", Arc::new(NullArray::new(3))),
    ]
}

/// The results as JSON: a text, `null`, or `error`.
fn texts(evaluated: &Evaluated) -> Vec<String> {
    let array = evaluated.array.as_string::<i32>();
    let failed = |row: usize| evaluated.failures.iter().any(|(failed, _)| *failed == row);
    let cell = |row: usize| if array.is_null(row) { "null" } else { array.value(row) };
    (0..array.len()).map(|row| if failed(row) { "error" } else { cell(row) }.to_owned()).collect()
}

#[test]
fn every_type_of_array_has_values() {
    let arrays = arrays();
    let expected = [
        ("[b, i, n]", ["[true,1,1]", "[false,9223372036854775807,18446744073709551615]", "[null,null,3]"]),
        ("[f, d]", ["[0.5,1.5]", "[-0,0.25]", "[0.1,-0.01]"]),
        ("[g]", ["[0.5]", "[2]", "[0.10000000149011612]"]),
        (
            "[s == \"é\", s, t, m]",
            ["[false,\"a\",\"x\",\"GET\"]", "[false,\"\",null,\"PUT\"]", "[true,\"é\",\"z\",null]"],
        ),
        (
            "[user, l, z]",
            [
                "[{\"age\":17,\"role\":\"admin\"},[1,null],null]",
                "[{\"age\":18,\"role\":\"a longer text of a view\"},[],null]",
                "[{\"age\":19,\"role\":null},[2,3],null]",
            ],
        ),
    ];
    for (text, rows) in expected {
        let whole = run(text, &arrays, Some(&DataType::Utf8)).expect("all types have values");
        assert_eq!(texts(&whole), rows, "{text}");
        let sliced: Vec<_> = arrays.iter().map(|(name, array)| (*name, array.slice(1, 2))).collect();
        let sliced = run(text, &sliced, Some(&DataType::Utf8)).expect("all types have values");
        assert_eq!(texts(&sliced), rows[1..], "{text}");
    }
}

#[test]
fn the_array_of_an_output_has_its_natural_type() {
    let arrays = arrays();
    let run = |text: &str| run(text, &arrays, None).expect("all types have values");
    let result = run("f < 0.2");
    assert_eq!(result.array.as_boolean(), &BooleanArray::from(vec![false, true, true]));
    let result = run("user.age * 2");
    assert_eq!(result.array.as_primitive::<Int64Type>(), &Int64Array::from(vec![34, 36, 38]));
    let result = run("f + 0.25");
    assert_eq!(result.array.as_primitive::<Float64Type>(), &Float64Array::from(vec![0.75, 0.25, 0.35]));
    let result = run("user.role");
    let texts = vec![Some("admin"), Some("a longer text of a view"), None];
    assert_eq!(result.array.as_string::<i32>(), &StringArray::from(texts));
    assert_eq!(*run("null").array.data_type(), DataType::Null);
    assert_eq!(*run("user").array.data_type(), DataType::Utf8);
}

#[test]
fn rows_that_fail_are_null_and_have_errors() {
    let result = run("i + 1 > 1", &arrays(), None).expect("it suits the arrays");
    assert_eq!(result.array.as_boolean(), &BooleanArray::from(vec![Some(true), Some(true), None]));
    let [(2, error)] = result.failures.as_slice() else { panic!("{:?}", result.failures) };
    assert!(error.to_string().contains("Operation failed"), "{error}");
}

#[test]
fn results_of_another_type_than_wanted_fail() {
    let arrays = arrays();
    let result = run("i", &arrays, Some(&DataType::Boolean)).expect("it suits the arrays");
    assert_eq!((result.failures.len(), result.array.null_count()), (2, 3));
    assert_eq!(result.failures[0].1.to_string(), "the result is not of the type Boolean");
    let result = run("n", &arrays, Some(&DataType::Int64)).expect("it suits the arrays");
    assert_eq!(result.failures.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [1]);
    let error = run("i", &arrays, Some(&DataType::Date32)).expect_err("it is no type of results");
    assert!(error.to_string().contains("Boolean, Int64, Float64, Utf8"), "{error}");
}

#[test]
fn other_types_of_arrays_are_refused() {
    let dates: ArrayRef = Arc::new(Date32Array::from(vec![1]));
    let error = run("d", &[("d", Arc::clone(&dates))], None).expect_err("dates have no value");
    assert_eq!(error.to_string(), "arrays of Date32 have no values in HCL; cast them to a number or Utf8");
    let batch =
        RecordBatch::try_from_iter([("d", dates), ("other", Arc::new(NullArray::new(1)) as ArrayRef)]);
    let batch = batch.expect("it is one");
    let engine = Engine::new();
    let (_, scope) = compiled(&engine, "d", &[("d", Arc::clone(batch.column(0)))]);
    let error = hclvm_arrow::columns(&scope, &batch).expect_err("dates have no value");
    assert!(error.to_string().starts_with("the column \"d\": "), "{error}");
    let (_, scope) = compiled(&engine, "other", &[("other", Arc::clone(batch.column(1)))]);
    assert_eq!(hclvm_arrow::columns(&scope, &batch).expect("no variable has the dates").rows(), 1);
}

#[test]
fn the_static_type_of_a_program_is_that_of_its_arrays() {
    let engine = Engine::new();
    let of = |text| hclvm_arrow::static_type(&compiled(&engine, text, &arrays()).0);
    assert_eq!(of("b && i > 1"), Some(DataType::Boolean));
    assert_eq!(of("i + 1"), Some(DataType::Float64));
    assert_eq!(of("\"no. ${i}\""), Some(DataType::Utf8));
    assert_eq!(of("i"), None);
}

#[test]
fn a_marked_null_is_a_row_that_fails() {
    let engine = Engine::new();
    let layout = Arc::new(hclvm::Layout::new(["i", "secret"]));
    let program = engine.compile("i > 1 ? secret : i", &layout).expect("it compiles");
    for ty in [Type::Dynamic, Type::Number] {
        let mut scope = engine.scope(&layout);
        let made = scope.build("secret", |arena| {
            Ok(Value::null(arena, ty).with_marks(arena, marks_from(arena, &["sensitive"])))
        });
        made.expect("it is small");
        // The result has the marks of both arms.
        for i in 1..=3 {
            let mut alone = scope.fork();
            alone.set("i", &i).expect("it is a variable");
            let mut session = engine.session();
            assert!(session.run(&program, &alone).expect("it has no error").is_marked());
        }
        let mut columns = scope.columns(3);
        columns.set("i", &[1, 2, 3]).expect("it is a variable");
        for wanted in [None, Some(&DataType::Int64), Some(&DataType::Utf8)] {
            let evaluated =
                hclvm_arrow::run(&mut engine.session(), &program, &columns, wanted).expect("it is an array");
            let failed: Vec<usize> = evaluated.failures.iter().map(|(row, _)| *row).collect();
            assert_eq!(failed, [0, 1, 2], "{wanted:?}");
            assert_eq!(evaluated.array.data_type(), wanted.unwrap_or(&DataType::Utf8));
        }
    }
}
