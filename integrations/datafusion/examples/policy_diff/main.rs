//! Replays recorded requests under an old and a new policy and shows where the decisions differ.
//!
//! ```console
//! $ cargo run --release --all-features --example policy_diff -- generate requests --rows 10000000
//! $ cargo run --release --all-features --example policy_diff -- compare requests
//! $ cargo run --release --all-features --example policy_diff -- compare requests --ballista df://127.0.0.1:50050
//! ```

mod compare;
mod generate;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use datafusion::common::Result;

/// Replays recorded requests under an old and a new policy.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes a folder of Parquet files with random requests.
    Generate {
        folder: PathBuf,
        #[arg(long, default_value_t = 1_000_000)]
        rows: u64,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The number of files, which are the steps of a comparison.
        #[arg(long, default_value_t = 64)]
        files: u64,
    },
    /// Compares the decisions for the requests of a folder.
    Compare(compare::Comparison),
}

#[tokio::main]
async fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Generate { folder, rows, seed, files } => generate::generate(&folder, rows, seed, files),
        Command::Compare(comparison) => comparison.run().await,
    }
}
