//! The chart: a bar for each engine, as long as the logarithm of its time, where the values of a scope are set and an
//! expression is evaluated. [`crate::report`] writes all figures as text.

use std::fmt::Write;

use crate::conditions::Conditions;
use crate::measure::Row;
use crate::peers::OURS;
use crate::report::{COLUMNS, short};
use crate::targets::mean;
use crate::task::Section;

/// The most bars.
const MOST: usize = 12;
/// Width of the names.
const NAMES: f64 = 150.0;
/// Width of a bar for a time that is ten times as long.
const DECADE: f64 = 220.0;
/// Where the bars begin: a tenth of the time.
const LEAST: f64 = 0.1;
/// Height of a bar with its margin.
const ROW: f64 = 24.0;
/// Height of the title.
const HEAD: f64 = 58.0;
/// Height of the lines below the bars.
const FOOT: f64 = 44.0;
/// Width of the whole.
const WIDTH: f64 = 838.0;

/// Colours that follow the reader's light or dark scheme. The chart has its own background, because the page around it
/// may ignore that scheme.
const STYLE: &str = "<style>
.b{fill:#ffffff}text{fill:#1f2328;font-size:14px}.h{font-size:16px;font-weight:600}.n{fill:#59636e;font-size:12px}
.e{text-anchor:end}.k{fill:#8fb0d2}.f{fill:#e08e45}.o{fill:#1a7f37}
@media (prefers-color-scheme:dark){.b{fill:#0d1117}text{fill:#e6edf3}.n{fill:#9198a1}.k{fill:#325579}.f{fill:#a85f1d}.o{fill:#2ea043}}
</style>
";

/// Returns a self-contained SVG.
pub fn chart(rows: &[Row], conditions: &Conditions) -> String {
    let set: Vec<&Row> = rows.iter().filter(|row| row.task.section() == Section::Set).collect();
    let of_peer = |peer: &'static str| Some((peer, mean(set.iter().copied(), peer)?.0));
    let mut bars: Vec<(&str, f64)> = COLUMNS.iter().filter_map(|heading| of_peer(heading.peer)).collect();
    bars.truncate(MOST - 1);
    bars.push((OURS, 1.0));
    bars.sort_by(|a, b| a.1.total_cmp(&b.1));
    let height = HEAD + ROW * bars.len() as f64 + FOOT;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" \
         font-family=\"system-ui, sans-serif\" role=\"img\">\n<title>Time of engines relative to {OURS}</title>\n{STYLE}\
         <rect class=\"b\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n\
         <text class=\"h\" x=\"16\" y=\"26\">Set the values of a request, then evaluate: time as a multiple of {OURS}'s</text>\n\
         <text class=\"n\" x=\"16\" y=\"46\">Shorter is faster, on a logarithmic scale. Geometric means of {} workloads with \
         JSON or structs.</text>\n",
        set.len()
    );
    for (at, (peer, ratio)) in bars.iter().enumerate() {
        let y = HEAD + ROW * at as f64;
        let length = (ratio / LEAST).log10().max(0.0) * DECADE;
        let class = if *peer == OURS {
            "o"
        } else if *ratio < 1.0 {
            "f"
        } else {
            "k"
        };
        let _ = writeln!(
            svg,
            "<text class=\"e\" x=\"{NAMES:.0}\" y=\"{:.0}\">{peer}</text><rect class=\"{class}\" x=\"{:.0}\" y=\"{:.0}\" \
             width=\"{length:.0}\" height=\"{:.0}\"/><text x=\"{:.0}\" y=\"{:.0}\">{}</text>",
            y + 17.0,
            NAMES + 8.0,
            y + 3.0,
            ROW - 6.0,
            NAMES + 14.0 + length,
            y + 17.0,
            short(*ratio)
        );
    }
    let (machine, caption) = (conditions.machine(), conditions.caption());
    let _ = write!(
        svg,
        "<text class=\"n\" x=\"16\" y=\"{:.0}\">{machine}. Versions and all rows: docs/performance.txt.</text>\n\
         <text class=\"n\" x=\"16\" y=\"{:.0}\">{caption}.</text>",
        height - 24.0,
        height - 8.0
    );
    svg + "\n</svg>\n"
}
