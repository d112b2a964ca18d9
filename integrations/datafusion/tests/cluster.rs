//! Queries on a cluster of a scheduler and two executors, each a process of its own.

mod processes;
mod tables;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::{Result, exec_err};
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::logical_expr::Volatility;
use datafusion::prelude::{DataFrame, ParquetReadOptions, SessionConfig, SessionContext, create_udf};
use futures::StreamExt;
use hclvm_datafusion::{Functions, cluster};
use processes::Cluster;
use tables::{POLICY, policy_spec, requests};

/// The files of a table, which are its partitions.
const FILES: u64 = 8;

fn functions() -> Result<Functions> {
    let limits = "locals { most = 10 }\nsmall = size < local.most";
    Functions::new(&hclvm::Engine::new()).with_file("limits", limits)?.with_policy(
        "access",
        POLICY,
        &policy_spec(),
    )
}

/// Writes requests into a folder.
async fn write_requests(folder: &Path, rows: usize) -> Result<()> {
    let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1));
    for file in 0..FILES {
        let path = folder.join(format!("{file}.parquet"));
        let batch = session.read_batch(requests(rows, file))?;
        let options = DataFrameWriteOptions::new().with_single_file_output(true);
        batch.write_parquet(&path.to_string_lossy(), options, None).await?;
    }
    Ok(())
}

async fn with_requests(session: SessionContext, folder: &Path) -> Result<SessionContext> {
    session.register_parquet("requests", &folder.to_string_lossy(), ParquetReadOptions::default()).await?;
    Ok(session)
}

/// Returns a session of one process.
async fn alone(folder: &Path) -> Result<SessionContext> {
    let session = SessionContext::new();
    functions()?.register(&session)?;
    with_requests(session, folder).await
}

/// Returns the rows of a query in some order.
async fn rows(query: &DataFrame, attempts: usize) -> Result<Vec<String>> {
    let batches = cluster::collect(query, attempts).await?;
    let mut rows: Vec<String> =
        pretty_format_batches(&batches)?.to_string().lines().skip(3).map(str::to_owned).collect();
    rows.sort_unstable();
    Ok(rows)
}

const QUERIES: [&str; 7] = [
    r#"SELECT id, size FROM requests WHERE hclvm('user.role == "admin" && size < 50')"#,
    r#"SELECT hclvm('"${upper(user.role)}:${length(tags)}"') AS kind, count(*), sum(size) FROM requests GROUP BY kind"#,
    "SELECT locked, count(*) FROM requests WHERE hclvm_rule('limits.small') GROUP BY locked",
    "SELECT d['effect'], d['rule'], count(*) FROM (SELECT hclvm_decide('access') AS d FROM requests) GROUP BY 1, 2",
    "SELECT rule, count(*) FROM (SELECT unnest(hclvm_matches('access')) AS rule FROM requests) GROUP BY rule",
    "SELECT effect, rule, reason, count(*), sum(size) FROM hclvm_decide('access', 'requests') WHERE size < 60 GROUP BY 1, 2, 3",
    "SELECT rule, locked, count(*) FROM hclvm_matches('access', 'requests') GROUP BY rule, locked",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_executors_give_the_rows_of_one_process() -> Result<()> {
    let folder = tempfile::tempdir()?;
    write_requests(folder.path(), 2_000).await?;
    let local = alone(folder.path()).await?;
    let cluster = Cluster::start(2).await?;
    let remote = with_requests(cluster::connect(&cluster.url, &functions()?).await?, folder.path()).await?;
    for query in QUERIES {
        let expected = rows(&local.sql(query).await?, 1).await?;
        assert!(expected.len() > 2, "{query}: {expected:?}");
        assert_eq!(rows(&remote.sql(query).await?, 1).await?, expected, "{query}");
    }
    for executor in &cluster.executors {
        assert!(executor.results() > 0, "both executors have worked");
    }
    let failing = remote.sql("SELECT hclvm('tonumber(user.role)') FROM requests").await?;
    let message = rows(&failing, 1).await.expect_err("no role is a number").to_string();
    assert!(message.contains("expression:1:") && message.contains("of a batch, with user = "), "{message}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_of_an_executor_that_ends_are_given_to_another() -> Result<()> {
    let folder = tempfile::tempdir()?;
    write_requests(folder.path(), 4_000).await?;
    let query =
        "SELECT id, size, hclvm('length([for n in range(200) : n if n * size > 100])') AS n FROM requests";
    let expected = rows(&alone(folder.path()).await?.sql(query).await?, 1).await?;

    let mut cluster = Cluster::start(2).await?;
    let remote = with_requests(cluster::connect(&cluster.url, &functions()?).await?, folder.path()).await?;
    let query = remote.sql(query).await?;
    let found = tokio::spawn(async move { rows(&query, 1).await });
    let victim = &mut cluster.executors[0];
    tokio::time::timeout(Duration::from_mins(1), victim.has_results()).await.expect("it begins to work");
    victim.kill().await?;
    assert!(!found.is_finished(), "the executor is killed in the middle");
    let found = tokio::time::timeout(Duration::from_secs(200), found).await.expect("the query ends");
    assert_eq!(found.expect("it does not panic")?, expected);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_that_end_with_their_executor_are_an_error_and_computed_again() -> Result<()> {
    let folder = tempfile::tempdir()?;
    write_requests(folder.path(), 30_000).await?;
    let query = "SELECT id, size, \"user\", hclvm('upper(user.role)') AS role FROM requests";
    let mut cluster = Cluster::start(2).await?;
    let remote = with_requests(cluster::connect(&cluster.url, &functions()?).await?, folder.path()).await?;
    let query = remote.sql(query).await?;

    // The first batch comes when all results are written.
    let mut stream = query.clone().execute_stream().await?;
    let first = stream.next().await.expect("there are rows")?;
    for executor in &cluster.executors {
        assert!(executor.results() > 0, "both executors have results");
    }
    cluster.executors[0].kill().await?;
    let mut count = first.num_rows();
    let error = loop {
        match stream.next().await {
            Some(Ok(batch)) => count += batch.num_rows(),
            end => break end,
        }
    };
    assert!(matches!(error, Some(Err(_))), "{count} rows without an error");

    let batches = cluster::collect(&query, 3).await?;
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 30_000 * 8);
    Ok(())
}

#[tokio::test]
async fn a_query_that_fails_is_submitted_again() -> Result<()> {
    let session = SessionContext::new();
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let fails_once = create_udf(
        "fails_once",
        vec![DataType::Int64],
        DataType::Int64,
        Volatility::Volatile,
        Arc::new(move |values| match counted.fetch_add(1, Ordering::Relaxed) {
            0 => exec_err!("the executor has ended"),
            _ => Ok(values[0].clone()),
        }),
    );
    session.register_udf(fails_once);
    session.register_batch("requests", requests(10, 1))?;
    let query = session.sql("SELECT fails_once(id) FROM requests").await?;
    assert!(cluster::collect(&query, 1).await.is_err());
    runs.store(0, Ordering::Relaxed);
    assert_eq!(cluster::collect(&query, 2).await?[0].num_rows(), 10);
    Ok(())
}
