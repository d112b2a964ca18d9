//! A large file: blocks with a condition and a reason each, of twelve kinds as policies have them, which
//! read variables and locals. All conditions differ, and so do all reasons.

use std::fmt::Write as _;

/// Number of rules of the large file.
pub const RULES: usize = 10_000;
/// Number of locals of the large file.
pub const LOCALS: usize = 2_000;

/// Returns a file of so many blocks `rule`, preceded by so many locals. Neighbours read the same locals.
pub fn text(rules: usize, locals: usize) -> String {
    let mut text = String::from("locals {\n");
    for at in 0..locals {
        let _ = writeln!(text, "  l{at} = {}", local(at));
    }
    text.push_str("}\n");
    for at in 0..rules {
        let near = at * locals / rules.max(1);
        let (condition, reason) = (condition(at, near), reason(at, near));
        let _ = write!(text, "\nrule \"r{at}\" {{\n  when   = {condition}\n  reason = {reason}\n}}\n");
    }
    text
}

/// Returns the expression of a local. One in four reads the local before it.
fn local(at: usize) -> String {
    match at % 4 {
        0 => format!("limits.requests * {}", at + 2),
        1 => format!("local.l{} > {}", at - 1, 40 * at),
        2 => format!(r#"env == "prod" ? "{at}.internal" : service.name"#),
        _ => format!(r#""${{service.name}}-{at}""#),
    }
}

/// Returns the condition of a rule, which may read a local: the one at `near` or one close to it.
fn condition(at: usize, near: usize) -> String {
    let number = near - near % 4;
    match at % 12 {
        0 => format!(r#"user.role == "role-{at}" || request.method == "GET""#),
        1 => format!(r#"request.method == "POST" && request.path == "/v1/items/{at}""#),
        2 => format!("request.size > local.l{number} && request.size < {at}"),
        3 => format!(r#"contains(user.groups, "group-{at}")"#),
        4 => format!(r#"user.role == "admin" && resource.owner == "team-{at}" && !resource.locked"#),
        5 => format!("service.replicas >= {at} && !service.exposed"),
        6 => format!("resource.region != region && resource.cost + {at} > limits.cost"),
        7 => format!(r#"startswith(request.path, "/admin/{at}/") && user.role != "admin""#),
        8 => format!("local.l{} && request.size >= {at}", number + 1),
        9 => format!("request.host == local.l{} && user.level > {at}", number + 2),
        10 => format!("(request.size * {at} + limits.cost) % 7 > 2"),
        _ => format!(r#"resource.tier == "tier-{at}" ? user.mfa : user.verified"#),
    }
}

/// Returns the reason of a rule.
fn reason(at: usize, near: usize) -> String {
    let text = near - near % 4 + 3;
    match at % 4 {
        0 | 1 => format!(r#""rule {at} forbids it""#),
        2 => format!(r#""${{user.name}} may not ${{request.method}} ${{resource.name}} ({at})""#),
        _ => format!(r#""${{local.l{text}}}: {at}""#),
    }
}
