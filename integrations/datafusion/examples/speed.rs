//! Times conditions as expressions of hclvm and as expressions of DataFusion, over rows in memory.
//!
//! ```console
//! $ cargo run --release --example speed -- 10000000
//! ```

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray, StructArray};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::{Result, exec_err};
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use hclvm_datafusion::Functions;

/// Pairs of equal conditions: of hclvm and of SQL.
const CONDITIONS: [(&str, &str); 4] = [
    (
        r#"role == "admin" || (method == "GET" && size < 1000000 && !locked)"#,
        "role = 'admin' OR (method = 'GET' AND size < 1000000 AND NOT locked)",
    ),
    (r#"user.role == "admin" && size < 1000000"#, "\"user\"['role'] = 'admin' AND size < 1000000"),
    ("size * 3 + id % 7 > 2000000", "size * 3 + id % 7 > 2000000"),
    (r#"contains(["GET", "HEAD", "PUT"], method)"#, "method IN ('GET', 'HEAD', 'PUT')"),
];

/// The times that each condition is timed; the least is shown.
const ROUNDS: usize = 5;

const BATCH: usize = 8_192;

fn batch(first: usize, rows: usize) -> Result<RecordBatch> {
    let numbers = (first..first + rows).map(|at| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20);
    let numbers: Vec<usize> = numbers.map(|number| usize::try_from(number).unwrap_or(0)).collect();
    let text = |of: &[&'static str]| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(numbers.iter().map(|number| of[number % of.len()])))
    };
    let integer = |number: &usize| i64::try_from(number % 2_000_000).unwrap_or(0);
    let role = text(&["guest", "staff", "admin", "owner", "staff"]);
    let user =
        StructArray::from(vec![(Arc::new(Field::new("role", DataType::Utf8, false)), Arc::clone(&role))]);
    let ids = (first..first + rows).map(|id| i64::try_from(id).unwrap_or(0));
    Ok(RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from_iter_values(ids)) as ArrayRef),
        ("role", role),
        ("method", text(&["GET", "PUT", "POST", "DELETE", "GET", "PATCH", "HEAD"])),
        ("size", Arc::new(Int64Array::from_iter_values(numbers.iter().map(integer)))),
        ("locked", Arc::new(numbers.iter().map(|number| Some(number % 11 == 0)).collect::<BooleanArray>())),
        ("user", Arc::new(user)),
    ])?)
}

/// Returns the time of a query and its result.
async fn timed(session: &SessionContext, condition: &str) -> Result<(Duration, String)> {
    let query = session.sql(&format!("SELECT count(*) FROM requests WHERE {condition}")).await?;
    let begun = Instant::now();
    let batches = query.collect().await?;
    let elapsed = begun.elapsed();
    Ok((elapsed, datafusion::arrow::util::display::array_value_to_string(batches[0].column(0), 0)?))
}

#[tokio::main]
async fn main() -> Result<()> {
    let rows: usize = std::env::args().nth(1).and_then(|rows| rows.parse().ok()).unwrap_or(1_000_000);
    let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1));
    Functions::new(&hclvm::Engine::new()).register(&session)?;
    let batches: Vec<RecordBatch> =
        (0..rows).step_by(BATCH).map(|first| batch(first, BATCH.min(rows - first))).collect::<Result<_>>()?;
    let Some(first) = batches.first() else { return exec_err!("there are no rows") };
    session.register_table("requests", Arc::new(MemTable::try_new(first.schema(), vec![batches])?))?;
    let mut out = std::io::stdout();
    writeln!(out, "{rows} rows, one thread, nanoseconds a row; the least of {ROUNDS}\n")?;
    writeln!(out, "{:>8} {:>10} {:>7}  condition", "hclvm", "DataFusion", "ratio")?;
    for (ours, sql) in CONDITIONS {
        let call = format!("hclvm('{ours}')");
        let mut least = [Duration::MAX; 2];
        // Interleaved, so that what else the machine does meets both.
        for _ in 0..ROUNDS {
            let (ours, found) = timed(&session, &call).await?;
            let (theirs, expected) = timed(&session, sql).await?;
            if found != expected {
                return exec_err!("{found} rows instead of {expected}");
            }
            least = [least[0].min(ours), least[1].min(theirs)];
        }
        #[expect(clippy::cast_precision_loss, reason = "a time to three digits")]
        let [ours_ns, theirs_ns] = least.map(|time| time.as_nanos() as f64 / rows as f64);
        writeln!(out, "{ours_ns:>8.1} {theirs_ns:>10.1} {:>7.2}  {ours}", ours_ns / theirs_ns)?;
    }
    Ok(())
}
