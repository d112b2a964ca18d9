//! What depends on what: packages point one way, the files of a package form no large circles, the
//! instruction set does not depend on its execution, and each external crate has one wrapper.
//!
//! Each rule is a function over sources, so that a test can plant a violation.

pub(crate) mod modules;
mod reader;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use modules::{Sources, circles, graph, sources};
use reader::paths;

/// A package of the project.
struct Package {
    /// Its name in source code.
    name: &'static str,
    /// Its source folder.
    folder: &'static str,
    /// The packages of the project that it may name.
    below: &'static [&'static str],
    /// The most files that may reach each other.
    largest_circle: usize,
}

/// The packages, lowest first. Circles larger than three are recursions of the language: converting
/// and unifying types need each other at every depth, as do the productions of an expression and the
/// constructs of the baseline tier, which share one machine. Lowering to each of three tiers is a file that names
/// the entry points.
const PACKAGES: [Package; 14] = [
    Package { name: "hclvm_vm", folder: "vm/src", below: &[], largest_circle: 9 },
    Package { name: "hclvm_compiler", folder: "compiler/src", below: &["hclvm_vm"], largest_circle: 5 },
    Package { name: "hclvm_functions", folder: "functions/src", below: &["hclvm_vm"], largest_circle: 2 },
    Package {
        name: "hclvm",
        folder: "src",
        below: &["hclvm_compiler", "hclvm_functions", "hclvm_vm"],
        largest_circle: 3,
    },
    Package {
        name: "hclvm_treewalk",
        folder: "treewalk/src",
        below: &["hclvm_compiler", "hclvm_vm"],
        largest_circle: 14,
    },
    Package { name: "hclvm_dialects", folder: "dialects/src", below: &["hclvm"], largest_circle: 8 },
    Package { name: "hclvm_reload", folder: "integrations/reload/src", below: &["hclvm"], largest_circle: 3 },
    Package { name: "hclvm_arrow", folder: "integrations/arrow/src", below: &["hclvm"], largest_circle: 1 },
    Package {
        name: "hclvm_decision_log",
        folder: "integrations/decision-log/src",
        below: &["hclvm"],
        largest_circle: 1,
    },
    Package {
        name: "hclvm_project",
        folder: "project/src",
        below: &["hclvm", "hclvm_dialects"],
        largest_circle: 2,
    },
    Package {
        name: "hclvm_lsp",
        folder: "lsp/src",
        below: &["hclvm", "hclvm_dialects", "hclvm_project"],
        largest_circle: 2,
    },
    Package {
        name: "hclvm_cli",
        folder: "cli/src",
        below: &[
            "hclvm",
            "hclvm_arrow",
            "hclvm_dialects",
            "hclvm_lsp",
            "hclvm_project",
            "hclvm_reload",
            "hclvm_treewalk",
        ],
        largest_circle: 6,
    },
    // In a workspace of its own.
    Package {
        name: "hclvm_authorization",
        folder: "integrations/authorization/src",
        below: &["hclvm", "hclvm_decision_log", "hclvm_reload"],
        largest_circle: 1,
    },
    // A workspace of its own.
    Package {
        name: "hclvm_datafusion",
        folder: "integrations/datafusion/src",
        below: &["hclvm", "hclvm_arrow"],
        largest_circle: 1,
    },
];

/// Outside crates and the files that may name them, as the beginnings of paths. A crate whose types are
/// a vocabulary, such as short strings, has whole packages as its doors.
const DOORS: [(&str, &[&str]); 72] = [
    ("allocation_counter", &["cli/src/bench/allocations.rs"]),
    ("anstream", &["cli/src/report.rs"]),
    ("arc_swap", &["integrations/reload/src/loaded.rs"]),
    ("arrow_array", &["integrations/arrow/src/", "cli/src/scopes/rows.rs"]),
    ("arrow_buffer", &["integrations/arrow/src/"]),
    ("arrow_cast", &["cli/src/scopes/rows.rs"]),
    ("arrow_schema", &["integrations/arrow/src/", "cli/src/scopes/rows.rs"]),
    (
        "axum",
        &[
            "integrations/authorization/src/admin.rs",
            "integrations/authorization/src/attributes/",
            "integrations/authorization/src/authzen.rs",
            "integrations/authorization/src/connections.rs",
            "integrations/authorization/src/http.rs",
            "integrations/authorization/src/outcome.rs",
            "integrations/authorization/src/server.rs",
        ],
    ),
    ("ballista", &["integrations/datafusion/src/cluster.rs"]),
    ("ballista_core", &["integrations/datafusion/src/cluster"]),
    ("ballista_executor", &["integrations/datafusion/src/cluster.rs"]),
    ("ballista_scheduler", &["integrations/datafusion/src/cluster.rs"]),
    ("base64", &["functions/src/encoding"]),
    ("bcrypt", &["functions/src/random.rs"]),
    ("bumpalo", &["vm/src/memory/arena.rs"]),
    (
        "clap",
        &[
            "cli/src/",
            "integrations/datafusion/src/bin/",
            "integrations/authorization/src/arguments.rs",
            "integrations/authorization/src/main.rs",
        ],
    ),
    ("clap_complete", &["cli/src/completions.rs"]),
    ("clap_mangen", &["cli/src/completions.rs"]),
    ("console", &["cli/src/report.rs"]),
    ("csv_core", &["cli/src/scopes/table.rs"]),
    ("datafusion", &["integrations/datafusion/src/"]),
    ("datafusion_proto", &["integrations/datafusion/src/cluster"]),
    ("encoding_rs", &["functions/src/charset.rs"]),
    (
        "envoy_types",
        &[
            "integrations/authorization/src/answer.rs",
            "integrations/authorization/src/attributes/",
            "integrations/authorization/src/envoy",
            "integrations/authorization/src/outcome.rs",
            "integrations/authorization/src/server.rs",
        ],
    ),
    ("etcetera", &["cli/src/repl/editor.rs"]),
    ("flate2", &["functions/src/compression.rs"]),
    ("foldhash", &["vm/src/memory/hash.rs"]),
    ("form_urlencoded", &["integrations/authorization/src/attributes/"]),
    ("gen_lsp_types", &["lsp/src/"]),
    ("getrandom", &["functions/src/capability/system.rs"]),
    // Linked by rug, never named: the dependency only selects its features.
    ("gmp_mpfr_sys", &[]),
    ("hyper", &["integrations/authorization/src/connections.rs"]),
    ("hyper_util", &["integrations/authorization/src/connections.rs"]),
    ("indicatif", &["cli/src/progress.rs"]),
    ("crc32fast", &["src/syntax/saved.rs"]),
    ("dashu_int", &["vm/src/number/big/float/pure"]),
    ("itoa", &["vm/src/exec/fast/", "vm/src/number/big/shortest.rs", "vm/src/number/ratio/digits.rs"]),
    ("libc", &["functions/src/capability/system.rs"]),
    ("libm", &["functions/src/number/elementary.rs"]),
    ("logos", &["compiler/src/syntax/token.rs", "compiler/src/syntax/lexer"]),
    ("md5", &["functions/src/digest.rs", "functions/src/file/digest.rs"]),
    ("notify", &["integrations/reload/src/notices.rs"]),
    ("parquet", &["cli/src/scopes/rows.rs"]),
    ("prometheus_client", &["integrations/authorization/src/metrics.rs"]),
    ("regex", &["functions/src/regex/pattern.rs"]),
    ("rsa", &["functions/src/cipher.rs"]),
    ("rug", &["vm/src/number/big/float"]),
    ("rustyline", &["cli/src/repl/editor.rs"]),
    ("saphyr_parser", &["functions/src/yaml/decode.rs"]),
    (
        "serde",
        &[
            "src/",
            "cli/src/",
            "dialects/src/terraform/schemas.rs",
            "integrations/decision-log/src/text.rs",
            "integrations/datafusion/src/library.rs",
            "integrations/authorization/src/authzen.rs",
            "integrations/authorization/src/settings.rs",
            "integrations/reload/src/candidate.rs",
            "lsp/src/params.rs",
            "lsp/src/server.rs",
            "lsp/src/server/requests.rs",
            "project/src/",
        ],
    ),
    (
        "serde_json",
        &[
            "integrations/datafusion/src/library.rs",
            "src/data/",
            "src/structure/spec",
            "cli/src/",
            "dialects/src/terraform/schemas.rs",
            "integrations/decision-log/src/entry.rs",
            "integrations/decision-log/src/text.rs",
            "integrations/authorization/src/admin.rs",
            "integrations/authorization/src/attributes/tests.rs",
            "integrations/authorization/src/authzen.rs",
            "integrations/authorization/src/envoy/tests.rs",
            "lsp/src/",
            "project/src/",
        ],
    ),
    ("sha1", &["functions/src/digest.rs", "functions/src/file/digest.rs"]),
    ("sha2", &["functions/src/digest.rs", "functions/src/file/digest.rs"]),
    ("signal_hook", &["cli/src/repl/editor.rs"]),
    ("similar", &["cli/src/fmt.rs"]),
    ("siphasher", &["integrations/reload/src/hash.rs"]),
    ("smallvec", &["vm/src/code/", "vm/src/value/", "compiler/src/lower/", "compiler/src/analysis/"]),
    (
        "smol_str",
        &[
            "vm/src/",
            "compiler/src/",
            "functions/src/",
            "src/",
            "dialects/src/",
            "treewalk/src/",
            "integrations/decision-log/src/",
        ],
    ),
    (
        "tempfile",
        &[
            "cli/src/rewrite.rs",
            "integrations/datafusion/src/bin/",
            "integrations/reload/src/points/tests.rs",
            "lsp/src/server/execute.rs",
        ],
    ),
    ("thread_local", &["integrations/authorization/src/decide.rs"]),
    (
        "tokio",
        &[
            "integrations/datafusion/src/bin/",
            "integrations/datafusion/src/cluster.rs",
            "integrations/authorization/src/authzen.rs",
            "integrations/authorization/src/connections.rs",
            "integrations/authorization/src/http.rs",
            "integrations/authorization/src/main.rs",
            "integrations/authorization/src/server.rs",
        ],
    ),
    ("tonic", &["integrations/authorization/src/envoy.rs", "integrations/authorization/src/server.rs"]),
    ("tonic_health", &["integrations/authorization/src/server.rs"]),
    ("tracing", &["integrations/decision-log/src/events.rs"]),
    ("triomphe", &["src/compile/artifact.rs"]),
    ("try_lock", &["src/compile/scratch_pool.rs"]),
    ("typeid", &["src/data/serde_json.rs"]),
    ("unicode_ident", &["compiler/src/syntax/"]),
    ("unicode_normalization", &["vm/src/text.rs", "integrations/authorization/src/attributes/names.rs"]),
    ("unicode_segmentation", &["vm/src/text.rs"]),
    ("unicode_width", &["vm/src/text.rs"]),
    ("yoke", &["src/compile/program.rs"]),
];

#[test]
fn packages_name_only_packages_below_them() {
    for package in &PACKAGES {
        let found = foreign_packages(package, &sources(package.folder));
        assert!(found.is_empty(), "{}", found.join("\n"));
        let manifest = read(&manifest_path(package));
        for other in &PACKAGES {
            let name = other.name.replace('_', "-");
            let depends = dependencies(&manifest).contains(&name);
            let allowed = package.below.contains(&other.name);
            assert!(!depends || allowed, "{} depends on {name}", package.name);
        }
    }
}

#[test]
fn files_form_no_large_circles() {
    for package in &PACKAGES {
        let found = large_circles(&sources(package.folder), package.largest_circle);
        assert!(found.is_empty(), "{}: {}", package.folder, found.join("\n"));
    }
}

#[test]
fn the_instruction_sets_name_nothing_of_their_execution() {
    let found = arrows_from_code_to_exec(&sources("vm/src"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_outside_crate_has_one_door() {
    for package in &PACKAGES {
        let found = open_doors(package.folder, &sources(package.folder));
        assert!(found.is_empty(), "{}", found.join("\n"));
        // A dependency without a row here has no door yet.
        for name in dependencies(&read(&manifest_path(package))) {
            let name = if name == "md-5" { "md5".to_owned() } else { name.replace('-', "_") };
            let is_ours = PACKAGES.iter().any(|package| package.name == name);
            assert!(is_ours || DOORS.iter().any(|(door, _)| *door == name), "{name} has no door");
        }
    }
}

#[test]
fn planted_violations_are_found() {
    let planted = |files: &[(&str, &str)]| -> Sources {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    };

    let upward = planted(&[("value.rs", "fn f() { hclvm_compiler::lex(); }")]);
    assert_eq!(foreign_packages(&PACKAGES[0], &upward), ["value.rs names hclvm_compiler"]);

    let circle = planted(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; pub use a::A;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "use super::d; pub struct C;"),
        ("d.rs", "fn f(_: crate::A) {}"),
    ]);
    assert_eq!(large_circles(&circle, 3), ["4 files: a.rs b.rs c.rs d.rs"]);
    assert_eq!(large_circles(&circle, 4), [""; 0]);

    let upward =
        planted(&[("code/fast.rs", "use crate::exec::{self, Way};"), ("exec.rs", "pub struct Way;")]);
    assert_eq!(arrows_from_code_to_exec(&upward), ["code/fast.rs names exec.rs"]);

    let door = planted(&[("value.rs", "use rug::Float;"), ("number/big/float.rs", "use rug::Float;")]);
    assert_eq!(open_doors("vm/src", &door), ["vm/src/value.rs names rug"]);
}

/// Packages of the project that files name and must not.
fn foreign_packages(package: &Package, sources: &Sources) -> Vec<String> {
    let others = PACKAGES.iter().map(|other| other.name);
    let forbidden: Vec<&str> =
        others.filter(|name| *name != package.name && !package.below.contains(name)).collect();
    let named = |file: &String, text: &String| {
        let first: BTreeSet<String> = paths(text).into_iter().map(|path| path.segments[0].clone()).collect();
        let found = forbidden.iter().filter(move |name| first.contains(**name));
        found.map(|name| format!("{file} names {name}")).collect::<Vec<_>>()
    };
    sources.iter().flat_map(|(file, text)| named(file, text)).collect()
}

/// Circles of more than `most` files.
fn large_circles(sources: &Sources, most: usize) -> Vec<String> {
    let circles = circles(&graph(sources)).into_iter().filter(|circle| circle.len() > most);
    circles.map(|circle| format!("{} files: {}", circle.len(), circle.join(" "))).collect()
}

/// Arrows from the instruction sets to their execution.
fn arrows_from_code_to_exec(sources: &Sources) -> Vec<String> {
    let is_in = |file: &str, module: &str| {
        file.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    };
    let graph = graph(sources);
    let code = graph.iter().filter(|(file, _)| is_in(file, "code"));
    let arrows = code.flat_map(|(file, targets)| targets.iter().map(move |target| (file, target)));
    arrows
        .filter(|(_, target)| is_in(target, "exec"))
        .map(|(file, target)| format!("{file} names {target}"))
        .collect()
}

/// Files of a package that name an outside crate beside its door.
fn open_doors(folder: &str, sources: &Sources) -> Vec<String> {
    let doors: BTreeMap<&str, &[&str]> = DOORS.into_iter().collect();
    let mut found = Vec::new();
    for (file, text) in sources {
        let path = format!("{folder}/{file}");
        let named: BTreeSet<String> = paths(text).into_iter().map(|path| path.segments[0].clone()).collect();
        for name in named {
            let Some(door) = doors.get(name.as_str()) else { continue };
            // A module of the package may have the name of a crate, such as `regex`.
            let is_module = sources.keys().any(|file| module_name(file) == name);
            if !is_module && !door.iter().any(|door| path.starts_with(door)) {
                found.push(format!("{path} names {name}"));
            }
        }
    }
    found
}

fn module_name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file).trim_end_matches(".rs")
}

fn manifest_path(package: &Package) -> String {
    format!("{}Cargo.toml", package.folder.trim_end_matches("src"))
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names below `[dependencies]` of a manifest.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let lines = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    let section = lines.take_while(|line| !line.starts_with('['));
    let names =
        section.filter(|line| !line.starts_with('#')).filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}
