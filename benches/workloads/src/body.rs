//! W8's 200 attributes: eight kinds of small expressions, 25 of each with different constants.

/// Number of attributes.
pub const ATTRIBUTES: usize = 200;
/// Kinds of expressions; an attribute is of the kind of its number modulo this.
pub const KINDS: usize = 8;

/// The constant of an attribute: the number of its row of eight.
pub fn constant(attribute: usize) -> usize {
    attribute / KINDS
}

/// The name of an attribute.
pub fn name(attribute: usize) -> String {
    format!("attribute_{attribute:03}")
}

/// The expression of an attribute.
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

/// The body: one attribute on each line.
pub fn text() -> String {
    let lines: Vec<String> = (0..ATTRIBUTES).map(|at| format!("{} = {}", name(at), expression(at))).collect();
    lines.join("\n") + "\n"
}
