//! The body of `attribute-body`, `rule-set` and `compile`: 200 attributes of eight kinds of small
//! expressions, 25 of each kind with different constants. Its scopes are in [`crate::input`].

/// Number of attributes.
pub const ATTRIBUTES: usize = 200;
/// Number of kinds of expressions. The kind of an attribute is its number modulo this.
pub const KINDS: usize = 8;

/// Returns the constant of an attribute: the number of its row of eight.
pub fn constant(attribute: usize) -> usize {
    attribute / KINDS
}

/// Returns the name of an attribute.
pub fn name(attribute: usize) -> String {
    format!("attribute_{attribute:03}")
}

/// Returns the expression of an attribute.
pub fn expression(attribute: usize) -> String {
    let n = constant(attribute);
    match attribute % KINDS {
        0 => format!("a * {} + b - c", n + 2),
        1 => format!(r#"user.role == "admin" || service.port > {}"#, 8000 + 40 * n),
        2 => format!(r#"env == "prod" ? service.name : "fallback-{n:02}""#),
        3 => format!(r#""${{service.name}}-{n:02}.${{region}}:${{service.port}}""#),
        4 => format!("upper({})", UPPER[n % UPPER.len()]),
        5 => format!(r#"contains(user.groups, "group-{:02}")"#, n % 16),
        6 => format!("service.replicas >= {} && !service.exposed", n % 9),
        _ => format!("(a + {n}) % 7 > 2 ? b / 2 : c * {n}"),
    }
}

/// Returns the expression of an attribute of the body whose attributes all differ: the three kinds that
/// repeat themselves in [`expression`] have the number of their row in a constant here.
pub fn distinct_expression(attribute: usize) -> String {
    let n = constant(attribute);
    match attribute % KINDS {
        4 => format!(r#"upper("${{{}}}-{n:02}")"#, UPPER[n % UPPER.len()]),
        5 => format!(r#"contains(user.groups, "group-{n:02}")"#),
        6 => format!("service.replicas >= {n} && !service.exposed"),
        _ => expression(attribute),
    }
}

/// The arguments of `upper` in the attributes of the fifth kind, in turn.
pub const UPPER: [&str; 3] = ["region", "service.name", "user.name"];

/// Returns the body's source text, one attribute per line.
pub fn text() -> String {
    text_of(expression)
}

/// Returns the source text of the body whose attributes all differ.
pub fn distinct_text() -> String {
    text_of(distinct_expression)
}

fn text_of(expression: fn(usize) -> String) -> String {
    let lines: Vec<String> = (0..ATTRIBUTES).map(|at| format!("{} = {}", name(at), expression(at))).collect();
    lines.join("\n") + "\n"
}
