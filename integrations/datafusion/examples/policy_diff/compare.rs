//! The comparison: both policies decide every request; the pairs of decisions are counted file by file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::{Result, exec_err};
use datafusion::functions::core::expr_ext::FieldAccessor;
use datafusion::functions_aggregate::expr_fn::{count, min};
use datafusion::logical_expr::{col, lit};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use futures::{StreamExt, TryStreamExt, stream};
use hclvm::Engine;
use hclvm::policy::{Combining, PolicySpec};
use hclvm_datafusion::{Functions, cluster};
use indicatif::{ProgressBar, ProgressStyle};

/// Compares the decisions of two policies.
#[derive(Clone, Debug, Args)]
pub(crate) struct Comparison {
    /// The folder of Parquet files with requests.
    folder: PathBuf,
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/policy_diff/old.hcl"))]
    old: PathBuf,
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/policy_diff/new.hcl"))]
    new: PathBuf,
    /// The scheduler of a cluster; without one, this process decides.
    #[arg(long)]
    ballista: Option<String>,
    /// The files that are compared at once.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    jobs: usize,
    /// The requests with different decisions that are shown.
    #[arg(long, default_value_t = 5)]
    show: usize,
}

/// What a policy decided: an effect, and the rule that did.
type Decision = (String, Option<String>);

/// How often a pair of decisions came, and the first request that has it.
#[derive(Clone, Copy, Debug)]
struct Count {
    requests: i64,
    first: i64,
}

type Counts = BTreeMap<(Decision, Decision), Count>;

impl Comparison {
    pub(crate) async fn run(self) -> Result<()> {
        let functions = self.functions()?;
        let session = match &self.ballista {
            Some(url) => cluster::connect(url, &functions).await?,
            None => local(&functions)?,
        };
        let mut files: Vec<PathBuf> = std::fs::read_dir(&self.folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "parquet"));
        files.sort_unstable();
        let bar = ProgressBar::new(files.len() as u64);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:40} {pos}/{len} files  {elapsed_precise}, {eta} left")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        let begun = Instant::now();
        let one = |file: PathBuf| async {
            let counts = counts(&session, &functions, file).await;
            bar.inc(1);
            counts
        };
        let counts: Counts = stream::iter(files)
            .map(one)
            .buffer_unordered(self.jobs.max(1))
            .try_fold(Counts::new(), merged)
            .await?;
        let elapsed = begun.elapsed();
        bar.finish_and_clear();
        let mut out = std::io::stdout();
        write!(out, "{}", report(&counts, elapsed))?;
        self.show(&session, &counts, &mut out).await
    }

    fn functions(&self) -> Result<Functions> {
        let spec = PolicySpec { combining: Combining::Overrides("deny"), ..PolicySpec::default() };
        let text = |path: &Path| std::fs::read_to_string(path);
        Functions::new(&Engine::new()).with_policy("old", &text(&self.old)?, &spec)?.with_policy(
            "new",
            &text(&self.new)?,
            &spec,
        )
    }

    /// Prints the first requests of which both policies have different effects.
    async fn show(
        &self,
        session: &SessionContext,
        counts: &Counts,
        out: &mut impl std::io::Write,
    ) -> Result<()> {
        let different = counts.iter().filter(|((old, new), _)| old.0 != new.0);
        let mut ids: Vec<i64> = different.map(|(_, count)| count.first).collect();
        ids.sort_unstable();
        ids.truncate(self.show);
        if ids.is_empty() {
            return Ok(());
        }
        let folder = self.folder.to_string_lossy();
        let requests = session.read_parquet(folder.as_ref(), ParquetReadOptions::default()).await?;
        let ids = ids.into_iter().map(lit).collect();
        let shown =
            requests.filter(col("id").in_list(ids, false))?.sort(vec![col("id").sort(true, false)])?;
        let rows = cluster::collect(&shown, 3).await?;
        writeln!(
            out,
            "\nThe first requests with each difference in effect:\n{}",
            pretty_format_batches(&rows)?
        )?;
        Ok(())
    }
}

/// Returns a session of this process. A file is one partition; files are compared at once.
fn local(functions: &Functions) -> Result<SessionContext> {
    let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1));
    functions.register(&session)?;
    Ok(session)
}

/// Counts the pairs of decisions for the requests of a file.
async fn counts(session: &SessionContext, functions: &Functions, file: PathBuf) -> Result<Counts> {
    let requests =
        session.read_parquet(file.to_string_lossy().as_ref(), ParquetReadOptions::default()).await?;
    let decision = |policy| functions.call("hclvm_decide", policy, requests.schema());
    let (old, new) = (decision("old")?.alias("old"), decision("new")?.alias("new"));
    let member = |policy: &str, name: &str| col(policy).field(name).alias(format!("{policy}_{name}"));
    let groups = [("old", "effect"), ("old", "rule"), ("new", "effect"), ("new", "rule")];
    let groups = groups.iter().map(|(policy, name)| member(policy, name)).collect();
    let query = requests
        .select(vec![col("id"), old, new])?
        .aggregate(groups, vec![count(col("id")), min(col("id"))])?;
    let mut counts = Counts::new();
    for batch in cluster::collect(&query, 3).await? {
        for row in 0..batch.num_rows() {
            add(&mut counts, pair(&batch, row)?);
        }
    }
    Ok(counts)
}

/// Reads a row: two decisions, a number of requests, and the first one.
fn pair(batch: &RecordBatch, row: usize) -> Result<((Decision, Decision), Count)> {
    let text = |at: usize| {
        let column = batch.column(at).as_string::<i32>();
        column.is_valid(row).then(|| column.value(row).to_owned())
    };
    let number = |at: usize| batch.column(at).as_primitive::<Int64Type>().value(row);
    let (Some(old), Some(new)) = (text(0), text(2)) else { return exec_err!("a decision without an effect") };
    Ok((((old, text(1)), (new, text(3))), Count { requests: number(4), first: number(5) }))
}

fn add(counts: &mut Counts, (pair, count): ((Decision, Decision), Count)) {
    let known = counts.entry(pair).or_insert(Count { requests: 0, first: count.first });
    known.requests += count.requests;
    known.first = known.first.min(count.first);
}

async fn merged(mut counts: Counts, more: Counts) -> Result<Counts> {
    for pair in more {
        add(&mut counts, pair);
    }
    Ok(counts)
}

/// Returns the differences as text, the most frequent first.
fn report(counts: &Counts, elapsed: Duration) -> String {
    let all: i64 = counts.values().map(|count| count.requests).sum();
    let mut different: Vec<_> = counts.iter().filter(|((old, new), _)| old != new).collect();
    different.sort_by_key(|(_, count)| -count.requests);
    let sum = |of: &dyn Fn(&Decision, &Decision) -> bool| -> i64 {
        counts.iter().filter(|((old, new), _)| of(old, new)).map(|(_, count)| count.requests).sum()
    };
    let effects = sum(&|old, new| old.0 != new.0);
    let rules = sum(&|old, new| old.0 == new.0 && old.1 != new.1);
    let mut text = format!(
        "{all} requests in {:.1} s: {effects} with another effect, {rules} with the same effect by another rule\n",
        elapsed.as_secs_f64()
    );
    for ((old, new), count) in different {
        let shown =
            |decision: &Decision| format!("{} ({})", decision.0, decision.1.as_deref().unwrap_or("no rule"));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:>10}  {:<24} → {:<24} first {}",
            count.requests,
            shown(old),
            shown(new),
            count.first
        );
    }
    text
}
