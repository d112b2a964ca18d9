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
        4 => [r"upper(region)", r"upper(service.name)", r"upper(user.name)"][n % 3].to_owned(),
        5 => format!(r#"contains(user.groups, "group-{:02}")"#, n % 16),
        6 => format!("service.replicas >= {} && !service.exposed", n % 9),
        _ => format!("(a + {n}) % 7 > 2 ? b / 2 : c * {n}"),
    }
}

/// Returns the body's source text, one attribute per line.
pub fn text() -> String {
    let lines: Vec<String> = (0..ATTRIBUTES).map(|at| format!("{} = {}", name(at), expression(at))).collect();
    lines.join("\n") + "\n"
}
