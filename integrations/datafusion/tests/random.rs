//! Random expressions over random columns: a query gives what the library gives for each row.

mod tables;

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::common::{DataFusionError, Result};
use datafusion::prelude::SessionContext;
use hclvm::{Engine, Error};
use hclvm_datafusion::Functions;
use serde_json::{Value, json};
use tables::{Numbers, requests};

const ROWS: usize = 40;

/// Returns an expression of some depth: a condition, a number or a text, or one whose type depends on the row.
fn expression(numbers: &mut Numbers, depth: u32) -> String {
    let inner = |numbers: &mut Numbers| expression(numbers, depth - 1);
    if depth == 0 {
        let leaf = numbers.one_of(&[
            "id",
            "size",
            "locked",
            "owner",
            "user.name",
            "user.role",
            "tags",
            "tags[0]",
            "tags[1]",
            "user",
            "7",
            "0.5",
            "\"ann\"",
            "null",
            "true",
            "length(tags)",
            "size * 2",
            "user.role == \"admin\"",
            "size < 50",
            "owner == null",
        ]);
        return leaf.to_owned();
    }
    match numbers.below(10) {
        0 => format!("({} && {})", inner(numbers), inner(numbers)),
        1 => format!("({} || {})", inner(numbers), inner(numbers)),
        2 => format!("!({})", inner(numbers)),
        3 => format!("({} ? {} : {})", inner(numbers), inner(numbers), inner(numbers)),
        4 => format!("({} {} {})", inner(numbers), numbers.one_of(&["==", "!="]), inner(numbers)),
        5 => {
            format!("({} {} {})", inner(numbers), numbers.one_of(&["<", ">=", "+", "*", "%"]), inner(numbers))
        }
        6 => format!("\"<${{{}}}>\"", inner(numbers)),
        7 => format!("try({}, {})", inner(numbers), inner(numbers)),
        8 => format!("[for t in tags : {} if t != \"old\"]", inner(numbers)),
        _ => inner(numbers),
    }
}

/// Returns a row as the variables of an expression.
fn row(batch: &RecordBatch, at: usize) -> Value {
    let column = |name: &str| batch.column_by_name(name).expect("a column of requests");
    let integer = |name: &str| column(name).as_primitive::<Int64Type>().value(at);
    let owner = column("owner").as_string::<i32>();
    let user = column("user").as_struct();
    let user =
        |name: &str| user.column_by_name(name).expect("a member").as_string::<i32>().value(at).to_owned();
    let tags = column("tags").as_list::<i32>().value(at);
    json!({
        "id": integer("id"),
        "size": integer("size"),
        "locked": column("locked").as_boolean().value(at),
        "owner": owner.is_valid(at).then(|| owner.value(at)),
        "user": { "name": user("name"), "role": user("role") },
        "tags": tags.as_string::<i32>().iter().collect::<Vec<_>>(),
    })
}

/// Returns a result of the library as the query shows it.
fn expected(engine: &Engine, text: &str, row: &Value) -> Result<Option<String>, Error> {
    let value = engine.eval(text, row)?;
    let value = value.get();
    Ok(match (value.as_bool(), value.as_str(), value.as_number()) {
        _ if value.is_null() => None,
        (Some(result), ..) => Some(result.to_string()),
        (_, Some(text), _) => Some(text.to_owned()),
        (.., Some(number)) => Some(number.to_f64().to_string()),
        _ => Some(hclvm::Json(value).to_text().map_err(|failure| Error::host(failure.to_string()))?),
    })
}

/// Returns a result of a query as text.
fn shown(column: &dyn Array, at: usize) -> Option<String> {
    if column.is_null(at) || column.data_type().is_null() {
        return None;
    }
    if let Some(bools) = column.as_boolean_opt() {
        return Some(bools.value(at).to_string());
    }
    if let Some(floats) = column.as_primitive_opt::<Float64Type>() {
        return Some(floats.value(at).to_string());
    }
    let text = column.as_string::<i32>().value(at);
    // In a column of texts, a number has all its digits.
    Some(text.parse::<f64>().map_or_else(|_| text.to_owned(), |number| number.to_string()))
}

#[tokio::test]
async fn queries_give_the_results_of_the_library() -> Result<()> {
    let engine = Engine::new();
    let session = SessionContext::new();
    Functions::new(&engine).register(&session)?;
    let batch = requests(ROWS, 3);
    session.register_batch("requests", batch.clone())?;
    let mut numbers = Numbers(20_261_123);
    let (mut planned, mut failing, mut whole) = (0, 0, 0);
    for _ in 0..600 {
        let depth = 1 + u32::try_from(numbers.below(3)).unwrap_or(0);
        let text = expression(&mut numbers, depth);
        let expected: Vec<_> = (0..ROWS).map(|at| expected(&engine, &text, &row(&batch, at))).collect();
        let sql = |function: &str| format!("SELECT {function}('{text}') FROM requests");
        let found = async { session.sql(&sql("try_hclvm")).await?.collect().await }.await;
        let found = match found {
            Ok(found) => found,
            // A check of types, as in SQL, also of operands that no row of the table reaches.
            Err(error) => {
                assert!(matches!(error.find_root(), DataFusionError::Plan(_)), "{text}: {error}");
                let is_guarded = ["for ", "&&", "||", "?", "try"].iter().any(|guard| text.contains(guard));
                assert!(is_guarded || expected.iter().all(Result::is_err), "{text}: {error}");
                continue;
            }
        };
        planned += 1;
        let column = found[0].column(0);
        for (at, expected) in expected.iter().enumerate() {
            let expected = expected.as_ref().ok().cloned().flatten();
            let as_number = expected
                .as_ref()
                .map(|text| text.parse::<f64>().map_or_else(|_| text.clone(), |n| n.to_string()));
            assert_eq!(shown(column, at), as_number, "{text} in row {at}");
        }
        let strict = async { session.sql(&sql("hclvm")).await?.collect().await }.await;
        let fails = expected.iter().position(Result::is_err);
        assert_eq!(strict.is_err(), fails.is_some(), "{text}");
        if let (Err(error), Some(row)) = (strict, fails) {
            assert!(error.to_string().contains(&format!("(row {row} of a batch")), "{text}: {error}");
            failing += 1;
        } else {
            whole += 1;
        }
    }
    assert!(
        planned > 100 && failing > 20 && whole > 50,
        "{planned} planned, {failing} failing, {whole} whole"
    );
    Ok(())
}
