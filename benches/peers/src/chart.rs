//! The chart: the table of ratios as a grid, a cell for each row and peer, coloured by the ratio. Cells in
//! which the peer is faster than hclvm have a colour of their own. [`crate::report`] writes the same figures
//! as text.

use std::fmt::Write;

use crate::conditions::Conditions;
use crate::measure::Row;
use crate::peers::OURS;
use crate::report::{COLUMNS, Heading, short};
use crate::targets::{mean, ratio};
use crate::task::Section;

/// Width of the names of rows.
const NAMES: f64 = 196.0;
/// Width of a cell.
const CELL: f64 = 47.0;
/// Height of a row.
const ROW: f64 = 15.0;
/// Height of the title and the headings.
const HEAD: f64 = 68.0;
/// Height of the line below the grid.
const FOOT: f64 = 24.0;

/// The upper limits of the colours: the peer is faster, about as fast, 5, 25, 125 times slower or more.
const LIMITS: [f64; 5] = [1.0, 2.0, 5.0, 25.0, 125.0];

/// Colours that follow the reader's light or dark scheme: `k0` to `k5` for the cells, from faster peers to
/// slower ones. The chart has its own background, because the page around it may ignore that scheme.
const STYLE: &str = "<style>
.b{fill:#ffffff}text{fill:#1f2328;font-size:10px;text-anchor:end}.h{font-size:13px;text-anchor:start}.t{font-weight:600;text-anchor:start}
.r{text-anchor:start}.n{fill:#6e7781;text-anchor:start}.m{font-weight:600}
.k0{fill:#f6b58c}.k1{fill:#f4f6f8}.k2{fill:#e3ebf4}.k3{fill:#cbdaea}.k4{fill:#adc5df}.k5{fill:#8fb0d2}
@media (prefers-color-scheme:dark){.b{fill:#0d1117}text{fill:#e6edf3}.n{fill:#8b949e}
.k0{fill:#8a4a22}.k1{fill:#161b22}.k2{fill:#1b2633}.k3{fill:#213347}.k4{fill:#29435f}.k5{fill:#325579}}
</style>
";

/// Returns a self-contained SVG.
pub fn chart(rows: &[Row], conditions: &Conditions) -> String {
    let measured = |heading: &&Heading| rows.iter().any(|row| row.of(heading.peer).is_some());
    let columns: Vec<&Heading> = COLUMNS.iter().filter(measured).collect();
    let mut grid = Grid { columns, cells: Default::default(), texts: String::new(), y: HEAD };
    for section in Section::ALL {
        let chosen: Vec<&Row> = rows.iter().filter(|row| row.task.section() == section).collect();
        if !chosen.is_empty() {
            grid.section(section, &chosen);
        }
    }
    let width = NAMES + CELL * (grid.columns.len() + 1) as f64 + 10.0;
    let height = grid.y + FOOT;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"system-ui, sans-serif\" role=\"img\">\n<title>Time of other engines relative to hclvm</title>\n{STYLE}\
         <rect class=\"b\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n"
    );
    let _ = writeln!(
        svg,
        "<text class=\"h\" x=\"10\" y=\"22\">Time of each peer as a multiple of {OURS}'s, whose nanoseconds are in \
         the first column; orange cells: the peer is faster</text>"
    );
    for (at, heading) in grid.columns.iter().enumerate() {
        let x = column(at + 1);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.0}\" y=\"48\">{}</text><text x=\"{x:.0}\" y=\"60\">{}</text>",
            heading.upper, heading.lower
        );
    }
    let _ = writeln!(svg, "<text x=\"{:.0}\" y=\"60\">ns</text>", column(0));
    for (class, path) in grid.cells.iter().enumerate() {
        let _ = writeln!(svg, "<path class=\"k{class}\" d=\"{path}\"/>");
    }
    let caption = conditions.caption();
    let _ =
        write!(svg, "{}<text class=\"n\" x=\"10\" y=\"{:.0}\">{caption}.</text>", grid.texts, height - 8.0);
    svg + "\n</svg>\n"
}

/// Returns the right edge of the texts in a column; the first column is that of hclvm.
fn column(at: usize) -> f64 {
    NAMES + CELL * (at + 1) as f64 - 4.0
}

/// The parts of the chart that grow row by row.
struct Grid {
    columns: Vec<&'static Heading>,
    /// The cells of each colour as a path, which is shorter than an element for each.
    cells: [String; LIMITS.len() + 1],
    texts: String,
    /// The top of the next row.
    y: f64,
}

impl Grid {
    fn section(&mut self, section: Section, rows: &[&Row]) {
        let title = section.title();
        let _ = writeln!(self.texts, "<text class=\"t\" x=\"10\" y=\"{:.0}\">{title}</text>", self.y + 12.0);
        self.y += ROW;
        for row in rows {
            let ours = row.of(OURS).map_or_else(String::new, short);
            self.row("r", &row.task.name(), &ours, |peer| ratio(row, peer));
        }
        if section.has_mean() {
            let name = format!("geometric mean of {} rows", rows.len());
            self.row("m r", &name, "", |peer| Some(mean(rows.iter().copied(), peer)?.0));
        }
        self.y += 4.0;
    }

    fn row(&mut self, class: &str, name: &str, ours: &str, cell: impl Fn(&str) -> Option<f64>) {
        let baseline = self.y + 11.0;
        let _ = write!(
            self.texts,
            "<text class=\"{class}\" x=\"10\" y=\"{baseline:.0}\">{name}</text><text x=\"{:.0}\" y=\"{baseline:.0}\">{ours}</text>",
            column(0)
        );
        for (at, heading) in self.columns.iter().enumerate() {
            let Some(ratio) = cell(heading.peer) else { continue };
            let colour = LIMITS.iter().position(|limit| ratio < *limit).unwrap_or(LIMITS.len());
            let right = column(at + 1);
            let _ = write!(
                self.cells[colour],
                "M{:.0} {:.0}h{:.0}v{:.0}h-{:.0}z",
                right + 4.0 - CELL,
                self.y,
                CELL - 1.0,
                ROW - 1.0,
                CELL - 1.0
            );
            let _ = write!(self.texts, "<text x=\"{right:.0}\" y=\"{baseline:.0}\">{}</text>", short(ratio));
        }
        self.texts.push('\n');
        self.y += ROW;
    }
}
