//! The chart: a panel for the mean of each section and for each warm task, a bar for each peer, on one
//! logarithmic scale. Bars start at
//! hclvm's time; bars to the left are faster. [`crate::report`] writes the same figures as text.

use std::fmt::Write;

use hclvm_workloads::reference;

use crate::conditions::Conditions;
use crate::measure::Row;
use crate::peers::{OURS, WALKER};
use crate::report::short;
use crate::targets::{mean, ratio};
use crate::task::Section;

/// The peers in the chart, if they were measured, with their labels.
const DRAWN: &[Drawn] = &[
    ("Rust on structs", "Rust, structs"),
    ("Rust on serde_json", "Rust, serde_json"),
    ("wirefilter", "wirefilter"),
    ("roto", "roto"),
    ("arrow", "arrow"),
    ("LuaJIT", "LuaJIT"),
    ("QuickJS", "QuickJS"),
    ("starlark", "starlark"),
    ("minijinja", "minijinja"),
    ("cel", "cel"),
    ("rhai", "rhai"),
    ("zen", "zen"),
    ("regorus", "regorus"),
    ("cedar", "cedar"),
    ("hcl-rs", "hcl-rs"),
    (reference::NAME, "hcl in Go"),
    (WALKER, "our tree-walker"),
];

const COLUMNS: usize = 3;
const WIDTH: f64 = 310.0;
const ROW: f64 = 15.0;
const HEAD: f64 = 26.0;
/// Space below the bars for the scale.
const FOOT: f64 = 28.0;
/// Offset at which names end and bars start.
const NAMES: f64 = 98.0;
/// Space right of the longest bar for its number.
const NUMBER: f64 = 34.0;
/// The scale: from 20 times faster to 3000 times slower.
const SCALE: (f64, f64) = (0.05, 3000.0);

/// Returns a self-contained SVG.
pub fn chart(measured: &[Row], conditions: &Conditions) -> String {
    let bars: Vec<_> =
        DRAWN.iter().filter(|bar| measured.iter().any(|row| row.of(bar.0).is_some())).collect();
    let section = |section: Section| measured.iter().filter(move |row| row.task.section() == section);
    let means = Section::ALL.into_iter().filter(|chosen| section(*chosen).count() > 1);
    let means: Vec<Section> = means.filter(|section| *section != Section::Compile).collect();
    let single: Vec<&Row> = section(Section::Warm).chain(section(Section::Compile).take(1)).collect();
    let lines = (means.len() + single.len()).div_ceil(COLUMNS);
    let (width, height) = (WIDTH * COLUMNS as f64 + 10.0, tall(&bars) * lines as f64 + 56.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"system-ui, sans-serif\" role=\"img\">\n<title>Time of other engines relative to hclvm</title>\n{STYLE}\
         <rect class=\"b\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n"
    );
    let _ = writeln!(
        svg,
        "<text class=\"h\" x=\"10\" y=\"22\">Time relative to {OURS} (the line at 1): bars to the right are \
         slower, to the left faster. Logarithmic scale, cut off at 0.05</text>\n\
         <text class=\"n\" x=\"10\" y=\"{:.0}\">{}.</text>",
        height - 8.0,
        conditions.caption()
    );
    for (at, chosen) in means.iter().enumerate() {
        let title = format!("mean of {} rows: {}", section(*chosen).count(), chosen.short());
        panel(&mut svg, &bars, at, &title, |peer| mean(section(*chosen), peer).map(|mean| mean.0));
    }
    for (at, row) in single.iter().enumerate() {
        panel(&mut svg, &bars, means.len() + at, &row.task.title(), |peer| ratio(row, peer));
    }
    svg + "</svg>\n"
}

/// Colours that follow the reader's light or dark scheme. The chart has its own background, because the
/// page around it may ignore that scheme.
const STYLE: &str = "<style>
.b{fill:#ffffff}text{fill:#1f2328;font-size:11px}.h{font-size:13px}.t{font-weight:600;font-size:12px}
.s{fill:#7c93ad}.f{fill:#c4622d}.g{stroke:#d0d7de;stroke-width:1}.o{stroke:#1f2328;stroke-width:1.5}.n{fill:#6e7781;font-size:10px}
@media (prefers-color-scheme:dark){.b{fill:#0d1117}text{fill:#e6edf3}.s{fill:#6f8bab}.f{fill:#d9794a}.g{stroke:#30363d}.o{stroke:#e6edf3}.n{fill:#8b949e}}
</style>
";

/// A peer's name and its label in the chart.
type Drawn = (&'static str, &'static str);

/// Returns the height of a panel with these rows.
fn tall(rows: &[&Drawn]) -> f64 {
    HEAD + ROW * rows.len() as f64 + FOOT
}

fn panel(svg: &mut String, rows: &[&Drawn], at: usize, title: &str, value: impl Fn(&str) -> Option<f64>) {
    let left = 10.0 + WIDTH * (at % COLUMNS) as f64;
    let top = 36.0 + tall(rows) * (at / COLUMNS) as f64;
    let bottom = top + HEAD + ROW * rows.len() as f64;
    let _ = writeln!(svg, "<text class=\"t\" x=\"{left:.0}\" y=\"{:.0}\">{title}</text>", top + 14.0);
    for (power, name) in [(0.1, "0.1"), (1.0, "1"), (10.0, "10"), (100.0, "100"), (1000.0, "1000")] {
        let x = left + place(power);
        let class = if power == 1.0 { "o" } else { "g" };
        let _ = writeln!(
            svg,
            "<text class=\"n\" x=\"{x:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{name}</text>",
            bottom + 10.0
        );
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{x:.1}\" y1=\"{:.0}\" x2=\"{x:.1}\" y2=\"{bottom:.0}\"/>",
            top + HEAD - 4.0
        );
    }
    for (row, (peer, name)) in rows.iter().enumerate() {
        let y = top + HEAD + ROW * row as f64;
        let baseline = y + 9.5;
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{baseline:.1}\" text-anchor=\"end\">{name}</text>",
            left + NAMES - 6.0
        );
        let Some(ratio) = value(peer) else {
            let _ = writeln!(
                svg,
                "<text class=\"n\" x=\"{:.1}\" y=\"{baseline:.1}\">none</text>",
                left + place(1.0) + 4.0
            );
            continue;
        };
        let (one, end) = (left + place(1.0), left + place(ratio));
        let (x, class) = if ratio < 1.0 { (end, "f") } else { (one, "s") };
        let _ = writeln!(
            svg,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.0}\"/>\
             <text x=\"{:.1}\" y=\"{baseline:.1}\">{}</text>",
            (end - one).abs().max(0.5),
            ROW - 4.0,
            end.max(one) + 4.0,
            short(ratio)
        );
    }
}

/// Returns the horizontal position of a ratio in a panel.
fn place(ratio: f64) -> f64 {
    let (low, high) = (SCALE.0.log10(), SCALE.1.log10());
    let part = (ratio.clamp(SCALE.0, SCALE.1).log10() - low) / (high - low);
    NAMES + part * (WIDTH - NAMES - NUMBER - 10.0)
}
