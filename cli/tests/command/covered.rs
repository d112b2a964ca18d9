//! `hclvm test --coverage`: the forms of the coverage of one folder in full.

use crate::{Folder, hclvm, text};

const RULES: &str = "\
locals {
  both   = n > 1 && n < 9
  never  = n > 100 ? \"big\" : \"small\"
}
rule \"a.b\" {
  when = local.both
  text = \"${n}\"
}
rule \"c\" {
  when = flag
}
rule \"d\" {
  when = n == 77
  deep {
    x = flag ? 1 : n > 3 ? 2 : 3
  }
}
rule \"e\" {
  other = [
    n > 5,
    n > 50,
  ]
  none = true ? 1 : 2
}
dynamic \"made\" {
  for_each = n > 2 ? [1] : []
  content {
    y = made.value > n
  }
}
";

const OTHER: &str = "a = flag\nb = n > 3 ? \"<&>\" : \"\\\"\"\nunused = [for x in [n] : x if x > 1]\n";

const CASES: &str = r#"file = "."
scope = { flag = true }
case "low" {
  scope  = { n = 1 }
  expect = { "rule.\"a.b\".when" = false, "rule.c.when" = true, "rule.d.deep.x" = 1, a = true, b = "\"" }
}
case "middle" {
  scope  = { n = 5 }
  expect = { "rule.\"a.b\".when" = true, "rule.e.other" = [false, false], "local.never" = "small" }
}
case "high" {
  scope  = { n = 9 }
  expect = { "rule.\"a.b\".when" = false, "rule.e.other" = [true, false] }
}
case "fails" {
  scope  = { n = 9 }
  expect = { "rule.\"a.b\".text" = 10 }
}
case "made" {
  scope  = { n = 9 }
  expect = { "made.y" = false }
}
"#;

/// Returns the printed table of the folder, and the text that is written to a file.
fn coverage(options: &[&str]) -> (String, String) {
    let folder = Folder::new();
    folder.file("a.hcl", RULES);
    folder.file("longer-name.hcl", OTHER);
    let file = folder.file("a.hcltest", CASES);
    let out = folder.file("out", "");
    let options: Vec<&str> =
        options.iter().map(|one| if *one == "OUT" { out.as_str() } else { one }).collect();
    let output = hclvm(&[&["test", "-v", &file, "--coverage"], &options[..]].concat());
    assert_eq!(text(&output.stderr), "");
    let path = format!("{}/", folder.0.path().display());
    let written = std::fs::read_to_string(&out).expect("a file");
    let printed = text(&output.stdout);
    let (_, table) = printed.split_once("failed\n").expect("a summary");
    (table.replace(&path, ""), written.replace(&path, ""))
}

/// The lines of the table below its rows.
const MISSING: &str = "\
./a.hcl:3: local.never: `n > 100` is never true
./a.hcl:10: rule.c.when: `flag` is never false
./a.hcl:13: rule.d.when is not evaluated
./a.hcl:15: rule.d.deep.x: `flag` is never false
./a.hcl:15: rule.d.deep.x: `n > 3` is neither true nor false
./a.hcl:21: rule.e.other: `n > 50` is never true
./a.hcl:23: rule.e.none is not evaluated
./a.hcl:28: dynamic.made.content.y: `made.value > n` is never true
./longer-name.hcl:1: a: `flag` is never false
./longer-name.hcl:2: b: `n > 3` is never true
./longer-name.hcl:3: unused is not evaluated
";

#[test]
fn the_table() {
    let table = coverage(&[]).0;
    let (head, missing) = table.split_at(table.find("./a.hcl:").expect("what is missing"));
    assert_eq!(missing, MISSING);
    let lines: Vec<&str> = head.lines().skip(1).collect();
    let columns = "  attributes  conditions      rules  covered";
    let width = lines[0].len() - columns.len();
    assert_eq!(lines[0], format!("{:width$}{columns}", ""));
    // The longest name has no blanks behind it.
    assert_eq!(
        lines[1].split_once(' ').map(|(_, row)| row.trim()),
        Some("8/10       15/24        2/3   67.6 %")
    );
    assert_eq!(lines[2], "./longer-name.hcl         2/3         2/6        0/0   44.4 %");
    assert_eq!(lines[3], format!("{:width$}       10/13       17/30        2/3   62.7 %", "all"));
    assert_eq!(lines.len(), 4);
}

#[test]
fn the_table_in_a_file() {
    let (table, (printed, written)) = (coverage(&[]).0, coverage(&["text", "--coverage-out", "OUT"]));
    assert_eq!((printed.as_str(), format!("\n{written}")), ("", table));
}

/// The records of lcov.
const RECORDS: &str = "\
TN:
SF:./a.hcl
BRDA:2,0,0,2
BRDA:2,0,1,1
BRDA:2,1,0,1
BRDA:2,1,1,2
BRDA:2,2,0,1
BRDA:2,2,1,1
BRDA:3,0,0,0
BRDA:3,0,1,1
BRDA:6,0,0,1
BRDA:6,0,1,2
BRDA:10,0,0,1
BRDA:10,0,1,0
BRDA:13,0,0,-
BRDA:13,0,1,-
BRDA:15,0,0,1
BRDA:15,0,1,0
BRDA:15,1,0,0
BRDA:15,1,1,0
BRDA:20,0,0,1
BRDA:20,0,1,1
BRDA:21,0,0,0
BRDA:21,0,1,2
BRDA:28,0,0,0
BRDA:28,0,1,1
BRF:24
BRH:15
DA:2,3
DA:3,1
DA:6,3
DA:7,1
DA:10,1
DA:13,0
DA:15,1
DA:19,2
DA:20,2
DA:21,2
DA:23,0
DA:28,1
LF:12
LH:10
end_of_record
SF:./longer-name.hcl
BRDA:1,0,0,1
BRDA:1,0,1,0
BRDA:2,0,0,0
BRDA:2,0,1,1
BRDA:3,0,0,-
BRDA:3,0,1,-
BRF:6
BRH:2
DA:1,1
DA:2,1
DA:3,0
LF:3
LH:2
end_of_record
";

#[test]
fn the_records() {
    assert_eq!(coverage(&["lcov", "--coverage-out", "OUT"]).1, RECORDS);
}

/// The page without its style.
const PAGE: &str = r##"<body>
<h1>Coverage</h1>
<p>Green lines are covered, yellow ones in part, red ones are not evaluated. A condition is covered if it was true in a case and false in another, and that mattered.</p>
<table class="totals">
<tr><th>File</th><th>Attributes</th><th>Conditions</th><th>Rules</th><th>Covered</th></tr>
<tr><td><a href="#file-0">./a.hcl</a></td><td>8 of 10</td><td>15 of 24</td><td>2 of 3</td><td>67.6 %</td></tr>
<tr><td><a href="#file-1">./longer-name.hcl</a></td><td>2 of 3</td><td>2 of 6</td><td>0 of 0</td><td>44.4 %</td></tr>
<tr><td>All</td><td>10 of 13</td><td>17 of 30</td><td>2 of 3</td><td>62.7 %</td></tr>
</table>
<h2 id="file-0">./a.hcl</h2>
<table class="code">
<tr><td class="number">1</td><td class="mark"></td><td>locals {</td><td class="note"></td></tr>
<tr class="covered"><td class="number">2</td><td class="mark">✓</td><td>  both   = n &gt; 1 &amp;&amp; n &lt; 9</td><td class="note"><code>n &gt; 1</code> <span class="yes">true ×2</span>, <span class="yes">false ×1</span><br><code>n &gt; 1 &amp;&amp; n &lt; 9</code> <span class="yes">true ×1</span>, <span class="yes">false ×2</span><br><code>n &lt; 9</code> <span class="yes">true ×1</span>, <span class="yes">false ×1</span></td></tr>
<tr class="part"><td class="number">3</td><td class="mark">~</td><td>  never  = n &gt; 100 ? &quot;big&quot; : &quot;small&quot;</td><td class="note"><code>n &gt; 100</code> <span class="no">never true</span>, <span class="yes">false ×1</span></td></tr>
<tr><td class="number">4</td><td class="mark"></td><td>}</td><td class="note"></td></tr>
<tr><td class="number">5</td><td class="mark"></td><td>rule &quot;a.b&quot; {</td><td class="note"></td></tr>
<tr class="covered"><td class="number">6</td><td class="mark">✓</td><td>  when = local.both</td><td class="note"><code>local.both</code> <span class="yes">true ×1</span>, <span class="yes">false ×2</span></td></tr>
<tr class="covered"><td class="number">7</td><td class="mark">✓</td><td>  text = &quot;${n}&quot;</td><td class="note"></td></tr>
<tr><td class="number">8</td><td class="mark"></td><td>}</td><td class="note"></td></tr>
<tr><td class="number">9</td><td class="mark"></td><td>rule &quot;c&quot; {</td><td class="note"></td></tr>
<tr class="part"><td class="number">10</td><td class="mark">~</td><td>  when = flag</td><td class="note"><code>flag</code> <span class="yes">true ×1</span>, <span class="no">never false</span></td></tr>
<tr><td class="number">11</td><td class="mark"></td><td>}</td><td class="note"></td></tr>
<tr><td class="number">12</td><td class="mark"></td><td>rule &quot;d&quot; {</td><td class="note"></td></tr>
<tr class="missed"><td class="number">13</td><td class="mark">✗</td><td>  when = n == 77</td><td class="note"></td></tr>
<tr><td class="number">14</td><td class="mark"></td><td>  deep {</td><td class="note"></td></tr>
<tr class="part"><td class="number">15</td><td class="mark">~</td><td>    x = flag ? 1 : n &gt; 3 ? 2 : 3</td><td class="note"><code>flag</code> <span class="yes">true ×1</span>, <span class="no">never false</span><br><code>n &gt; 3</code> <span class="no">never true</span>, <span class="no">never false</span></td></tr>
<tr><td class="number">16</td><td class="mark"></td><td>  }</td><td class="note"></td></tr>
<tr><td class="number">17</td><td class="mark"></td><td>}</td><td class="note"></td></tr>
<tr><td class="number">18</td><td class="mark"></td><td>rule &quot;e&quot; {</td><td class="note"></td></tr>
<tr class="covered"><td class="number">19</td><td class="mark">✓</td><td>  other = [</td><td class="note"></td></tr>
<tr class="covered"><td class="number">20</td><td class="mark">✓</td><td>    n &gt; 5,</td><td class="note"><code>n &gt; 5</code> <span class="yes">true ×1</span>, <span class="yes">false ×1</span></td></tr>
<tr class="part"><td class="number">21</td><td class="mark">~</td><td>    n &gt; 50,</td><td class="note"><code>n &gt; 50</code> <span class="no">never true</span>, <span class="yes">false ×2</span></td></tr>
<tr><td class="number">22</td><td class="mark"></td><td>  ]</td><td class="note"></td></tr>
<tr class="missed"><td class="number">23</td><td class="mark">✗</td><td>  none = true ? 1 : 2</td><td class="note"></td></tr>
<tr><td class="number">24</td><td class="mark"></td><td>}</td><td class="note"></td></tr>
<tr><td class="number">25</td><td class="mark"></td><td>dynamic &quot;made&quot; {</td><td class="note"></td></tr>
<tr><td class="number">26</td><td class="mark"></td><td>  for_each = n &gt; 2 ? [1] : []</td><td class="note"></td></tr>
<tr><td class="number">27</td><td class="mark"></td><td>  content {</td><td class="note"></td></tr>
<tr class="part"><td class="number">28</td><td class="mark">~</td><td>    y = made.value &gt; n</td><td class="note"><code>made.value &gt; n</code> <span class="no">never true</span>, <span class="yes">false ×1</span></td></tr>
<tr><td class="number">29</td><td class="mark"></td><td>  }</td><td class="note"></td></tr>
<tr><td class="number">30</td><td class="mark"></td><td>}</td><td class="note"></td></tr>
</table>
<h2 id="file-1">./longer-name.hcl</h2>
<table class="code">
<tr class="part"><td class="number">1</td><td class="mark">~</td><td>a = flag</td><td class="note"><code>flag</code> <span class="yes">true ×1</span>, <span class="no">never false</span></td></tr>
<tr class="part"><td class="number">2</td><td class="mark">~</td><td>b = n &gt; 3 ? &quot;&lt;&amp;&gt;&quot; : &quot;\&quot;&quot;</td><td class="note"><code>n &gt; 3</code> <span class="no">never true</span>, <span class="yes">false ×1</span></td></tr>
<tr class="missed"><td class="number">3</td><td class="mark">✗</td><td>unused = [for x in [n] : x if x &gt; 1]</td><td class="note"></td></tr>
</table>
</body>
</html>
"##;

#[test]
fn the_page() {
    let page = coverage(&["html", "--coverage-out", "OUT"]).1;
    let (style, body) = page.split_once("</head>\n").expect("a head");
    assert_eq!(body, PAGE);
    assert!(style.contains("<meta charset=\"utf-8\">"), "{style}");
}

/// Returns the table of a file whose cases expect values.
fn table(name: &str, file: &str, cases: &[&str]) -> String {
    let folder = Folder::new();
    folder.file(name, file);
    let cases = cases.iter().map(|case| format!("case \"c\" {{\n  {case}\n}}\n"));
    let cases = format!("file = \"{name}\"\n{}", cases.collect::<String>());
    let output = hclvm(&["test", &folder.file("a.hcltest", cases), "--coverage", "-v"]);
    let printed = text(&output.stdout);
    let (_, table) =
        printed.rsplit_once("\n\n").unwrap_or_else(|| panic!("{printed}{}", text(&output.stderr)));
    let (_, rows) = table.split_once('\n').expect("a head");
    let rows = rows.replace(&format!("{}/", folder.0.path().display()), "");
    rows.lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn conditions_that_count() {
    for (file, cases, expected) in [
        // Constants are no conditions, and a value is one if a case makes it one.
        ("v = true ? 1 : 2\n", &["expect = { v = 1 }"][..], "a.hcl 1/1 0/0 0/0 100.0 %"),
        (
            "v = x\n",
            &["scope = { x = true }\nexpect = { v = true }"],
            "a.hcl 1/1 1/2 0/0 66.6 %\na.hcl:1: v: `x` is never false",
        ),
        ("v = x\n", &["scope = { x = 1 }\nexpect = { v = 1 }"], "a.hcl 1/1 0/0 0/0 100.0 %"),
        (
            "r {\n  when = x\n}\n",
            &["scope = { x = true }\nexpect = { \"r.when\" = true }"],
            "a.hcl 1/1 1/2 1/1 66.6 %\na.hcl:2: r.when: `x` is never false",
        ),
        (
            "r {\n  when = x\n}\n",
            &["scope = { x = false }\nexpect = { \"r.when\" = false }"],
            "a.hcl 1/1 1/2 0/1 66.6 %\na.hcl:2: r.when: `x` is never true",
        ),
        (
            "when = x\n",
            &["scope = { x = true }\nexpect = { when = true }"],
            "a.hcl 1/1 1/2 0/0 66.6 %\na.hcl:1: when: `x` is never false",
        ),
        // Equal conditions at different places count each; one that is evaluated several times counts once.
        (
            "v = x > 1 || x > 1\n",
            &["scope = { x = 2 }\nexpect = { v = true }"],
            "a.hcl 1/1 2/6 0/0 42.8 %\na.hcl:1: v: `x > 1` is never false\na.hcl:1: v: `x > 1 || x > 1` is never false\na.hcl:1: v: `x > 1` is neither true nor false",
        ),
        (
            "v = [for y in [1, 2] : y > x]\n",
            &["scope = { x = 1 }\nexpect = { v = [false, true] }"],
            "a.hcl 1/1 2/2 0/0 100.0 %",
        ),
        (
            "v = (x > 1 ?\n  y >\n    2 : 3)\n",
            &["scope = { x = 1, y = 1 }\nexpect = { v = 3 }"],
            "a.hcl 1/1 1/4 0/0 40.0 %\na.hcl:1: v: `x > 1` is never true\na.hcl:2: v: `y > 2` is neither true nor false",
        ),
        (
            "v = x > 1\nw = x > 1\n",
            &["scope = { x = 1 }\nexpect = { v = false }", "scope = { x = 2 }\nexpect = { v = true }"],
            "a.hcl 1/2 2/4 0/0 50.0 %\na.hcl:2: w is not evaluated",
        ),
        (
            "dynamic \"d\" {\n  for_each = x\n  content {\n    v = d.value > 1\n  }\n}\n",
            &["scope = { x = [1, 2] }\nexpect = { \"d.v\" = false }"],
            "a.hcl 1/1 2/2 0/0 100.0 %",
        ),
        (
            "locals {\n  v = x > 1\n}\nw = local.v\n",
            &["scope = { x = 1 }\nexpect = { w = false }"],
            "a.hcl 2/2 2/4 0/0 66.6 %\na.hcl:2: local.v: `x > 1` is never true\na.hcl:4: w: `local.v` is never true",
        ),
    ] {
        assert_eq!(table("a.hcl", file, cases), expected, "{file}");
    }
}

#[test]
fn attributes_that_count_in_a_template_and_a_job() {
    let file = r#"
packer {
  required_version = "> 1"
}
variable "n" {
  default = 1
  validation {
    condition     = var.n > 0 || var.n < -10
    error_message = "Positive."
  }
}
local "l" {
  expression = var.n > 1 ? 1 : 2
  sensitive  = false
}
data "http" "d" {
  url = var.n > 2 ? "a" : "b"
}
source "null" "x" {
  name = var.n > 3
  inner {
    sensitive = var.n > 4
  }
}
source "null" "unused" {
  a = var.n > 5
}
build {
  name = var.n > 6 ? "a" : "b"
  source "null.x" {
    name = "own"
  }
  source "null.x" {
    name = "other"
    e    = source.name == "own"
  }
  provisioner "shell" {
    only = var.n > 7 ? ["null.own"] : []
    a    = source.name == "own"
  }
}
"#;
    let expected = r#"a.pkr.hcl 8/8 9/16 0/0 70.8 %
a.pkr.hcl:13: local.l.expression: `var.n > 1` is never true
a.pkr.hcl:17: data.http.d.url: `var.n > 2` is never true
a.pkr.hcl:22: source.null.x.inner.sensitive: `var.n > 4` is never true
a.pkr.hcl:26: source.null.unused.a: `var.n > 5` is never true
a.pkr.hcl:29: build.name: `var.n > 6` is never true
a.pkr.hcl:35: build.source."null.x".e: `source.name == "own"` is never true
a.pkr.hcl:38: build.provisioner.shell.only: `var.n > 7` is never true"#;
    assert_eq!(table("a.pkr.hcl", file, &["expect = { \"local.l\" = 2 }"]), expected);
    let job = "variable \"n\" {\n  default = 1\n}\nlocals {\n  l = var.n > 1\n}\njob \"j\" {\n  all_at_once = local.l\n  group \"g\" {\n    count = var.n > 2 ? 1 : 2\n    task \"t\" {\n      config {\n        a = var.n > 3\n      }\n    }\n  }\n}\n";
    let expected = "\
a.nomad.hcl 4/4 4/8 0/0 66.6 %\n\
a.nomad.hcl:5: local.l: `var.n > 1` is never true\n\
a.nomad.hcl:8: job.j.all_at_once: `local.l` is never true\n\
a.nomad.hcl:10: job.j.group.g.count: `var.n > 2` is never true\n\
a.nomad.hcl:13: job.j.group.g.task.t.config.a: `var.n > 3` is never true";
    assert_eq!(table("a.nomad.hcl", job, &["expect = { \"local.l\" = false }"]), expected);
}

#[test]
fn a_percentage_is_rounded_down() {
    let attributes = (0..1000).map(|at| format!("a{at} = n\n")).collect::<Vec<_>>().concat();
    let expect = (0..999).map(|at| format!("a{at} = 1, ")).collect::<Vec<_>>().concat();
    let printed = table("a.hcl", &attributes, &[&format!("scope = {{ n = 1 }}\nexpect = {{ {expect} }}")]);
    assert!(printed.starts_with("a.hcl 999/1000 0/0 0/0 99.9 %\n"), "{printed}");
    let printed = table("a.hcl", "a = 1\nb = 2\nc = 3\n", &["expect = { a = 1, b = 2 }"]);
    assert!(printed.starts_with("a.hcl 2/3 0/0 0/0 66.6 %\n"), "{printed}");
    assert_eq!(table("a.hcl", "", &["expect_error {\ntitle = \"x\"\n}"]), "a.hcl 0/0 0/0 0/0 -");
}

#[test]
fn names_and_texts_of_a_table_do_not_steer_a_terminal() {
    let steering = "\u{202e}";
    let file = format!("r \"{steering}\" {{\n  v = x == \"{steering}\"\n}}\n");
    let printed = table("a.hcl", &file, &["scope = { x = 1 }\nexpect_error {\ntitle = \"x\"\n}"]);
    assert!(!printed.contains(steering) && printed.contains("a.hcl:2: r."), "{printed}");
}

#[test]
fn a_threshold_beside_json_fails_on_standard_error() {
    let folder = Folder::new();
    folder.file("a.hcl", "a = 1\nb = 2\n");
    let file = folder.file("a.hcltest", "file = \"a.hcl\"\ncase \"c\" {\n  expect = { a = 1 }\n}\n");
    let out = folder.file("out", "");
    let options = ["--coverage", "--threshold", "51", "--json", "--coverage-out", &out];
    let output = hclvm(&[&["test", &file], &options[..]].concat());
    assert_eq!(output.status.code(), Some(1));
    let sentence = "\nFAIL 50.0 % of the attributes and conditions is covered, less than 51 %.\n";
    assert_eq!(text(&output.stderr), sentence);
    assert_eq!(crate::json(&output.stdout)["passed"], 1);
    let output = hclvm(&["test", &file, "--coverage", "--threshold", "51"]);
    assert!(text(&output.stdout).ends_with(sentence) && output.stderr.is_empty(), "{}", text(&output.stdout));
}

#[test]
fn conditions_without_a_secret_are_shown_in_a_file_with_some() {
    let file = "variable \"pin\" {\n  default   = \"key\"\n  sensitive = true\n}\nlocal \"hidden\" {\n  expression = var.pin == \"key\" ? 1 : 2\n  sensitive  = true\n}\nlocals {\n  shown = var.pin == \"x\" ? 1 : 2\n}\n";
    let expected = "a.pkr.hcl 2/2 2/4 0/0 66.6 %\na.pkr.hcl:6: local.hidden.expression: `<sensitive>` is never false\n\
                    a.pkr.hcl:10: local.shown: `var.pin == \"x\"` is never true";
    assert_eq!(table("a.pkr.hcl", file, &["expect = { \"local.shown\" = 2 }"]), expected);
}
