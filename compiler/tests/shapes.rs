//! The trees of small texts, written as nested lists.

use hclvm_compiler::tree::{BodyId, BodyItem, Node, NodeId, StepKind, StepList, Tree, UnaryOp};
use hclvm_compiler::{ParseLimits, parse_config, parse_expression, parse_template};

/// Writes a node as text: `(Add 1 (a .b))`.
fn show(tree: &Tree, id: NodeId) -> String {
    let list = |head: &str, children: &[NodeId]| {
        let children = children.iter().map(|&child| format!(" {}", show(tree, child)));
        format!("({head}{})", children.collect::<String>())
    };
    match tree.node(id) {
        Node::Null => "null".into(),
        Node::Bool(value) => value.to_string(),
        Node::Number(number) => tree.number(number).to_string(),
        Node::Text(text) => format!("{:?}", tree.text(text)),
        Node::Template(parts) => list("template", tree.list(parts)),
        Node::TemplateWrap(inner) => list("wrap", &[inner]),
        Node::TemplateJoin(inner) => list("join", &[inner]),
        Node::Traversal { root, steps } if steps.is_empty() => tree.name(root).to_string(),
        Node::Traversal { root, steps } => format!("({}{})", tree.name(root), show_steps(tree, steps)),
        Node::RelativeTraversal { source, steps } => {
            format!("({}{})", show(tree, source), show_steps(tree, steps))
        }
        Node::Call(call) => {
            let call = tree.call(call);
            let expand = if call.expand { "..." } else { "" };
            list(&format!("call {}{expand}", call.name), tree.list(call.args))
        }
        Node::Conditional { condition, yes, no } => list("if", &[condition, yes, no]),
        Node::Index { collection, key, .. } => list("index", &[collection, key]),
        Node::Tuple(items) => list("tuple", tree.list(items)),
        Node::Object(items) => list("object", tree.list(items)),
        Node::ObjectKey { expr, forced: true } => list("key!", &[expr]),
        Node::ObjectKey { expr, forced: false } => list("key", &[expr]),
        Node::For(details) => {
            let details = tree.for_expr(details);
            let mut children = vec![details.collection];
            children.extend(details.key);
            children.push(details.value);
            children.extend(details.condition);
            list(if details.group { "for..." } else { "for" }, &children)
        }
        Node::Splat { source, each, .. } => list("splat", &[source, each]),
        Node::SplatItem => "item".into(),
        Node::Binary { op, lhs, rhs } => list(&format!("{op:?}"), &[lhs, rhs]),
        Node::Unary { op: UnaryOp::Negate, operand } => list("-", &[operand]),
        Node::Unary { op: UnaryOp::Not, operand } => list("!", &[operand]),
        Node::Parens(inner) => list("parens", &[inner]),
        Node::Invalid => "invalid".into(),
        Node::JsonObject(items) => list("json", tree.list(items)),
        Node::JsonKey { name, .. } => list("name", &[name]),
        Node::JsonString { template, .. } => list("string", &[template]),
        Node::Broken(problems) => list("broken", tree.list(problems)),
        Node::Problem(problem) => format!("{:?}", tree.problem(problem).title),
    }
}

fn show_steps(tree: &Tree, steps: StepList) -> String {
    let step = |kind: StepKind| match kind {
        StepKind::Attribute(name) => format!(" .{}", tree.name(name)),
        StepKind::Index(key) => format!(" [{}]", show(tree, key)),
    };
    tree.steps(steps).iter().map(|one| step(one.kind)).collect()
}

/// Writes a body as text: `a = 1; b "l" { }`.
fn show_body(tree: &Tree, text: &str, id: BodyId) -> String {
    let item = |item: &BodyItem| match *item {
        BodyItem::Attribute(index) => {
            let attribute = tree.attribute(index);
            format!("{} = {}; ", tree.attribute_name(attribute, text), show(tree, attribute.expr))
        }
        BodyItem::Block(index) => {
            let block = tree.block(index);
            let labels: Vec<String> = block.labels.iter().map(|label| format!(" {:?}", label.text)).collect();
            let labels = labels.concat();
            format!("{}{labels} {{ {}}} ", tree.name(block.kind), show_body(tree, text, block.body))
        }
    };
    tree.body(id).items.iter().map(item).collect()
}

#[track_caller]
fn expression(text: &str, wanted: &str) {
    let parsed = parse_expression(text, &ParseLimits::default());
    assert_eq!(parsed.diagnostics, [], "{text}");
    assert_eq!(show(&parsed.tree, parsed.root), wanted, "{text}");
    children_come_first(&parsed.tree);
}

#[track_caller]
fn template(text: &str, wanted: &str) {
    let parsed = parse_template(text, &ParseLimits::default());
    assert_eq!(parsed.diagnostics, [], "{text}");
    assert_eq!(show(&parsed.tree, parsed.root), wanted, "{text}");
    children_come_first(&parsed.tree);
}

#[track_caller]
fn config(text: &str, wanted: &str, titles: &[&str]) {
    let parsed = parse_config(text, &ParseLimits::default());
    let found: Vec<&str> = parsed.diagnostics.iter().map(|one| one.title.as_ref()).collect();
    assert_eq!(found, titles, "{text}");
    assert_eq!(show_body(&parsed.tree, text, parsed.body).trim_end(), wanted, "{text}");
}

/// Asserts that nodes precede the nodes that refer to them. Keys of steps are the one place where the
/// order of reading differs.
fn children_come_first(tree: &Tree) {
    for id in (0..hclvm_vm::cast::length(tree.len())).map(NodeId) {
        let steps = match tree.node(id) {
            Node::Traversal { steps, .. } => steps,
            Node::RelativeTraversal { source, steps } => {
                assert!(source < id);
                steps
            }
            Node::Index { collection, key, .. } => {
                assert!(collection < id && key < id);
                continue;
            }
            _ => continue,
        };
        for step in tree.steps(steps) {
            assert!(!matches!(step.kind, StepKind::Index(key) if key >= id));
        }
    }
}

#[test]
fn operators_bind_by_their_power_and_to_the_left() {
    expression("1 + 2 * 3 - 4", "(Subtract (Add 1 (Multiply 2 3)) 4)");
    expression("a || b && c == d", "(Or a (And b (Equal c d)))");
    expression("1 < 2 == true", "(Equal (Less 1 2) true)");
}

#[test]
fn a_unary_operator_takes_a_term_with_its_traversal() {
    expression("-a.b + !c == d", "(Equal (Add (- (a .b)) (! c)) d)");
    expression("--5", "(- (- 5))");
}

#[test]
fn conditionals_group_to_the_right() {
    expression("a ? b : c ? d : e", "(if a b (if c d e))");
}

#[test]
fn constant_keys_are_steps_and_other_keys_are_indexes() {
    expression("a.b[0][\"x\\n\"].0[true]", "(a .b [0] [\"x\\n\"] [0] [true])");
    expression("a[b.c].d", "((index a (b .c)) .d)");
    expression("a.x[b.y[c.z]].d", "((index (a .x) (index (b .y) (c .z))) .d)");
    expression("a[-1]", "(index a (- 1))");
    expression("(a)[0]", "((parens a) [0])");
    expression("f(x).y", "((call f x) .y)");
}

#[test]
fn splats_take_the_steps_after_them() {
    expression("a.*.b.0[1]", "((splat a (item .b [0])) [1])");
    expression("a[*].b[0][c]", "(splat a (index (item .b [0]) c))");
    expression("a[*].b[*].c", "(splat a (splat (item .b) (item .c)))");
    expression("a[*]", "(splat a item)");
}

#[test]
fn object_keys_tell_names_from_expressions() {
    expression(
        "{a = 1, (b) : 2\n \"c\" = 3}",
        "(object (key a) 1 (key! (parens b)) 2 (key (template \"c\")) 3)",
    );
}

#[test]
fn for_expressions_make_tuples_and_objects() {
    expression("[for x in y : x if z]", "(for y x z)");
    expression("{for k, v in m : k => v...}", "(for... m k v)");
    expression("[for if in [1]: if if if == 1]", "(for (tuple 1) if (Equal if 1))");
}

#[test]
fn calls_may_be_scoped_and_expanded() {
    expression("a :: b (c, d...)", "(call a::b... c d)");
}

#[test]
fn quoted_templates_unwrap_a_single_value() {
    expression("\"\"", "(template \"\")");
    expression("\"${a}\"", "(wrap a)");
    expression("\"x$${y}$z %%{\\u00e9\"", "(template \"x${y}$z %{é\")");
    expression("\"a ${b} c\"", "(template \"a \" b \" c\")");
}

#[test]
fn strip_markers_reach_one_line() {
    template("a\n \n  ${~ 1 ~}\n  b", "(template \"a\\n \\n\" 1 \"  b\")");
}

#[test]
fn flush_heredocs_lose_the_smallest_indentation() {
    expression("<<-E\n    a\n\n      b${c}\n  E\n", "(template \"a\\n\\n  b\" c \"\\n\")");
    expression("<<E\n  a\nE\n", "(template \"  a\\n\")");
}

#[test]
fn directives_become_conditionals_and_joins() {
    template("%{ if a }b%{ endif }", "(template (if a (template \"b\") (template \"\")))");
    template("%{ for k, v in m }${v}%{ endfor }!", "(template (join (for m (template v))) \"!\")");
}

#[test]
fn bodies_hold_attributes_and_blocks_in_order() {
    config(
        "b \"l\" m {\n  a = 1 # x\n}\nc {}\nd { e = 2 }\nf = 3",
        "b \"l\" \"m\" { a = 1; } c { } d { e = 2; } f = 3;",
        &[],
    );
}

#[test]
fn the_first_definition_counts() {
    config("a = 1\na = 2\n", "a = 1;", &["Attribute redefined"]);
    // Names in ascending order, and names in any order.
    config(
        "a = 1\nb = 2\nc = 3\nb = 4\nd = 5\na = 6\n",
        "a = 1; b = 2; c = 3; d = 5;",
        &["Attribute redefined"; 2],
    );
    config(
        "c = 1\na = 2\nb {}\nb = 3\nc = 4\nb = 5\n",
        "c = 1; a = 2; b { } b = 3;",
        &["Attribute redefined"; 2],
    );
}

#[test]
fn an_error_costs_one_item() {
    config("a = 1 +\nb = 2\nc = [1\n", "a = 1; b = 2; c = (tuple 1);", &["Invalid expression"]);
    config("a = 1\n= 2\nb = 3\n", "a = 1;", &["Argument or block definition required"]);
}
