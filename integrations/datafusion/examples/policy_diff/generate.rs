//! Random requests that depend on a seed alone.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Int64Array, ListBuilder, RecordBatch, StringArray, StringBuilder, StructArray,
};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::{DataFusionError, Result, exec_err};
use datafusion::parquet::arrow::ArrowWriter;
use indicatif::ProgressBar;

/// The rows of a batch.
const BATCH: u64 = 65_536;

/// Writes requests into the files of a folder.
pub(crate) fn generate(folder: &Path, rows: u64, seed: u64, files: u64) -> Result<()> {
    if files == 0 {
        return exec_err!("requests need a file");
    }
    std::fs::create_dir_all(folder)?;
    let bar = ProgressBar::new(rows);
    let mut id = 0;
    for file in 0..files {
        let end = rows * (file + 1) / files;
        // The numbers of a file do not depend on those before it.
        let mut numbers = Numbers(seed ^ (file << 32));
        let path = folder.join(format!("requests-{file:04}.parquet"));
        let mut writer: Option<ArrowWriter<File>> = None;
        while id < end {
            let batch = requests(id, (end - id).min(BATCH), &mut numbers)?;
            id += batch.num_rows() as u64;
            bar.inc(batch.num_rows() as u64);
            let mut opened = match writer.take() {
                Some(opened) => opened,
                None => ArrowWriter::try_new(File::create(&path)?, batch.schema(), None)?,
            };
            opened.write(&batch)?;
            writer = Some(opened);
        }
        if let Some(writer) = writer {
            writer.close()?;
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn percent(&mut self, of: u64) -> bool {
        self.below(100) < of
    }

    fn one_of(&mut self, texts: &[&'static str]) -> &'static str {
        texts.get(usize::try_from(self.below(texts.len() as u64)).unwrap_or(0)).copied().unwrap_or_default()
    }
}

const GROUPS: [&str; 6] = ["sales", "legal", "research", "support", "finance", "board"];

/// Returns a batch of requests whose first has the number `first`.
fn requests(first: u64, rows: u64, numbers: &mut Numbers) -> Result<RecordBatch> {
    let texts = |numbers: &mut Numbers, of: &[&'static str]| -> ArrayRef {
        Arc::new(StringArray::from_iter_values((0..rows).map(|_| numbers.one_of(of))))
    };
    let bools = |numbers: &mut Numbers, percent: u64| -> ArrayRef {
        Arc::new((0..rows).map(|_| Some(numbers.percent(percent))).collect::<BooleanArray>())
    };
    let integers = |numbers: &mut Numbers, end: u64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(
            (0..rows).map(|_| i64::try_from(numbers.below(end)).unwrap_or(0)),
        ))
    };
    let people = |numbers: &mut Numbers| -> ArrayRef {
        Arc::new(StringArray::from_iter_values((0..rows).map(|_| format!("user-{}", numbers.below(500)))))
    };
    let mut groups = ListBuilder::new(StringBuilder::new());
    for _ in 0..rows {
        for _ in 0..numbers.below(4) {
            groups.values().append_value(numbers.one_of(&GROUPS));
        }
        groups.append(true);
    }
    let user = members(vec![
        ("name", people(numbers)),
        ("role", texts(numbers, &["staff", "staff", "staff", "guest", "guest", "admin"])),
        ("groups", Arc::new(groups.finish())),
        ("mfa", bools(numbers, 70)),
        ("suspended", bools(numbers, 2)),
    ]);
    let resource = members(vec![
        ("kind", texts(numbers, &["report", "contract", "ticket", "image"])),
        ("owner", people(numbers)),
        ("group", texts(numbers, &GROUPS)),
        ("size", integers(numbers, 2_000_000)),
        ("public", bools(numbers, 20)),
        ("locked", bools(numbers, 5)),
    ]);
    let ids = (first..first + rows).map(|id| i64::try_from(id).unwrap_or(i64::MAX));
    RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from_iter_values(ids)) as ArrayRef),
        ("method", texts(numbers, &["GET", "GET", "GET", "PUT", "DELETE"])),
        ("hour", integers(numbers, 24)),
        ("user", Arc::new(user)),
        ("resource", Arc::new(resource)),
    ])
    .map_err(DataFusionError::from)
}

fn members(columns: Vec<(&str, ArrayRef)>) -> StructArray {
    let field = |(name, column): (&str, ArrayRef)| {
        let ty: DataType = column.data_type().clone();
        (Arc::new(Field::new(name, ty, false)), column)
    };
    StructArray::from(columns.into_iter().map(field).collect::<Vec<_>>())
}
