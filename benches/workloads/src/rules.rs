//! Ten thousand rules on the requests of `policy-condition`, each a conjunction of four comparisons
//! with constants. At most one of them holds for a request.

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
    let rules = Rule::all().into_iter().enumerate();
    let lines: Vec<String> =
        rules.map(|(at, rule)| format!("{} = {}", name(at), rule.expression("&&"))).collect();
    lines.join("\n") + "\n"
}
