//! Deep and long texts: up to the nesting limit a stack of 2 MiB suffices, beyond it there is one
//! diagnostic, and long texts that do not nest do not count as deep.

use hclvm_compiler::{LimitReached, ParseLimits, parse_config, parse_expression, parse_template};

/// A construct that nests: `open` and `close` around each level, `core` innermost.
struct Shape {
    name: &'static str,
    open: &'static str,
    core: &'static str,
    close: &'static str,
    /// Levels of nesting per repetition.
    levels: usize,
}

const fn shape(
    name: &'static str,
    open: &'static str,
    core: &'static str,
    close: &'static str,
    levels: usize,
) -> Shape {
    Shape { name, open, core, close, levels }
}

const SHAPES: &[Shape] = &[
    shape("parentheses", "(", "1", ")", 1),
    shape("tuples", "[", "", "]", 1),
    shape("objects", "{a=", "1", "}", 1),
    shape("object keys", "{(", "1", ")=1}", 2),
    shape("calls", "f(", "1", ")", 1),
    shape("namespaced calls", "a::b(x, ", "1", ")", 1),
    shape("templates", "\"a${", "1", "}\"", 1),
    shape("wrapped templates", "\"${", "1", "}\"", 1),
    shape("heredocs", "<<E\nx${", "1", "}\nE\n", 1),
    shape("for expressions", "[for x in [1]: ", "x", "]", 1),
    shape("for collections", "{for k, v in ", "x", ": k => v}", 1),
    shape("for conditions", "[for x in y: x if ", "x", "]", 1),
    shape("conditional arms", "a ? b : ", "c", "", 1),
    shape("conditional conditions", "(", "c", " ? a : b)", 1),
    shape("middle arms", "a ? ", "b", " : c", 1),
    shape("negations", "-", "1", "", 1),
    shape("unary and brackets", "-[!", "1", "]", 3),
    shape("indexes", "a[", "b", "]", 1),
    shape("binary operands", "(a || b && c == d < e + f * ", "1", ")", 1),
    shape("full splats", "", "a", "[*]", 1),
    shape("attribute splats", "", "a", ".*[0]", 1),
    shape("computed indexes", "", "a", "[b]", 1),
    shape("directives in strings", "\"%{ if ", "c", " }x%{ endif }\"", 1),
];

fn repeat(shape: &Shape, times: usize) -> String {
    [shape.open.repeat(times), shape.core.into(), shape.close.repeat(times)].concat()
}

fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(test);
    thread.expect("a thread").join().expect("the test passes");
}

#[test]
fn nesting_up_to_the_limit_parses_on_a_small_stack() {
    on_small_stack(|| {
        for shape in SHAPES {
            let text = repeat(shape, 990 / shape.levels);
            let parsed = parse_expression(&text, &ParseLimits::default());
            assert!(parsed.diagnostics.is_empty(), "{}: {:?}", shape.name, parsed.diagnostics[0]);
        }
    });
}

#[test]
fn nesting_beyond_the_limit_gives_one_diagnostic() {
    on_small_stack(|| {
        for shape in SHAPES {
            let text = repeat(shape, 20_000);
            let parsed = parse_expression(&text, &ParseLimits::default());
            let titles: Vec<_> = parsed.diagnostics.iter().map(|one| one.title.as_ref()).collect();
            assert_eq!(titles, ["Nesting too deep"], "{}", shape.name);
            assert_eq!(parsed.limit, Some(LimitReached::Nesting), "{}", shape.name);
        }
    });
}

#[test]
fn blocks_nest_up_to_the_limit() {
    on_small_stack(|| {
        let deep = |times: usize| ["a {\n".repeat(times), "}\n".repeat(times)].concat();
        let parsed = parse_config(&deep(990), &ParseLimits::default());
        assert!(parsed.diagnostics.is_empty());
        let parsed = parse_config(&deep(20_000), &ParseLimits::default());
        assert_eq!(parsed.diagnostics.len(), 1);
        assert_eq!(parsed.limit, Some(LimitReached::Nesting));
    });
}

#[test]
fn directives_nest_up_to_the_limit() {
    on_small_stack(|| {
        let deep = |times: usize| ["%{ if a }x".repeat(times), "%{ endif }".repeat(times)].concat();
        let parsed = parse_template(&deep(990), &ParseLimits::default());
        assert!(parsed.diagnostics.is_empty());
        let parsed = parse_template(&deep(20_000), &ParseLimits::default());
        assert_eq!(parsed.limit, Some(LimitReached::Nesting));
    });
}

#[test]
fn chains_of_any_length_are_not_nesting() {
    on_small_stack(|| {
        let long = 100_000;
        let chains = [
            ["1".into(), " + 1".repeat(long)].concat(),
            ["true".into(), " && true || false".repeat(long)].concat(),
            ["a".into(), ".b[0][\"c\"]".repeat(long)].concat(),
            ["\"".into(), "x${y}".repeat(long), "\"".into()].concat(),
            ["[".into(), "1, ".repeat(long), "]".into()].concat(),
            ["f(".into(), "1, ".repeat(long), ")".into()].concat(),
        ];
        for chain in &chains {
            let parsed = parse_expression(chain, &ParseLimits::default());
            assert!(parsed.diagnostics.is_empty(), "{}: {:?}", &chain[..30], parsed.diagnostics[0]);
        }
    });
}
