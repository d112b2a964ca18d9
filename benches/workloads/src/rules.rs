//! Ten thousand rules on the requests of `policy-condition`, each a conjunction of four comparisons
//! with constants. At most one of them holds for a request. Beside them, rules of several forms, of which an
//! index can look up most.

/// Number of rules.
pub const RULES: usize = 10_000;

/// Number of requests they are evaluated for in turn.
pub const REQUESTS: usize = 8;

const ROLES: [&str; 4] = ["admin", "member", "auditor", "guest"];
const METHODS: [&str; 3] = ["GET", "POST", "DELETE"];
const GROUPS: usize = 16;

/// The constants of a rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What `user.role` is compared with.
    pub role: &'static str,
    /// What `request.method` is compared with.
    pub method: &'static str,
    /// What `resource.group` is compared with.
    pub group: String,
    /// What `resource.owner` is compared with.
    pub owner: String,
}

impl Rule {
    /// Returns a rule by its number. All combinations differ.
    pub fn of(number: usize) -> Self {
        let (role, rest) = (number % ROLES.len(), number / ROLES.len());
        let (method, rest) = (rest % METHODS.len(), rest / METHODS.len());
        let (group, owner) = (rest % GROUPS, rest / GROUPS);
        Self {
            role: ROLES.get(role).copied().unwrap_or_default(),
            method: METHODS.get(method).copied().unwrap_or_default(),
            group: format!("group-{group:02}"),
            owner: format!("person.{owner:02}@example.com"),
        }
    }

    /// Returns all rules.
    pub fn all() -> Vec<Self> {
        (0..RULES).map(Self::of).collect()
    }

    /// Returns the expression of the rule with this operator for "and".
    pub fn expression(&self, and: &str) -> String {
        let Self { role, method, group, owner } = self;
        format!(
            r#"user.role == "{role}" {and} request.method == "{method}" {and} resource.group == "{group}" {and} resource.owner == "{owner}""#
        )
    }
}

/// Returns the name of a rule.
pub fn name(rule: usize) -> String {
    format!("rule_{rule:04}")
}

/// Returns all rules as the source text of a body, one per line.
pub fn text() -> String {
    text_of(RULES)
}

/// Returns this number of rules as the source text of a body. More rules have more owners.
pub fn text_of(count: usize) -> String {
    body(count, |number| Rule::of(number).expression("&&"))
}

/// Returns this number of rules of four comparisons each. A fifth compares texts, a fifth begins with a membership, a
/// fifth with a prefix, a fifth with a range, and the last fifth compares no value with a constant that it must have.
pub fn mixed_text(count: usize) -> String {
    body(count, |number| {
        let (Rule { role, method, group, .. }, at) = (Rule::of(number / 5), number / 5);
        let owner = |number: usize| format!("\"person.{:02}@example.com\"", number % 320);
        match number % 5 {
            0 => Rule::of(number).expression("&&"),
            1 => format!(
                r#"contains([{}, {}, {}], resource.owner) && user.role == "{role}" && request.method == "{method}" && resource.group == "{group}""#,
                owner(at),
                owner(at + 7),
                owner(at + 50),
            ),
            2 => format!(
                r#"startswith(request.path, "/api/v1/projects/{}/") && user.role == "{role}" && request.method == "{method}" && resource.group == "{group}""#,
                at % 1_000,
            ),
            3 => format!(
                r#"resource.size >= {} && resource.size < {} && user.role == "{role}" && request.method == "{method}""#,
                at * 5_000 % 10_000_000,
                at * 5_000 % 10_000_000 + 20_000,
            ),
            _ => format!(
                r#"user.email == resource.owner && resource.size != {at} && resource.group != "{group}" && user.name != resource.id"#
            ),
        }
    })
}

fn body(count: usize, expression: impl Fn(usize) -> String) -> String {
    let lines: Vec<String> = (0..count).map(|at| format!("{} = {}", name(at), expression(at))).collect();
    lines.join("\n") + "\n"
}
