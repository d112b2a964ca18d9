//! What entries show of why a decision was made, and what they must not show: generated policies are decided for requests
//! that differ in masked and marked values alone, and their explanations are equal.

#[path = "log/file.rs"]
mod file;
#[path = "log/random.rs"]
mod random;

use std::time::Duration;

use hclvm::policy::{Branches, Combining, Policy, PolicySpec};
use hclvm::value::{Arena, Entry, marks_from};
use hclvm::why::{Explained, Outcome};
use hclvm::{Engine, Module, Scope, Value};
use hclvm_decision_log::{Builder, DecisionLog, Explain, JsonLines, Origin};
use serde_json::{Value as Json, json};

use file::File;
use random::Random;

/// Decides for each scope, and returns the lines.
fn logged(builder: Builder, policy: &Policy, scopes: &[Scope]) -> Vec<Json> {
    let file = File::default();
    let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
    let mut session = policy.session();
    for scope in scopes {
        let decision = policy.decide(&mut session, scope).expect("within the limits");
        log.record(&decision, scope, &Origin::default(), Duration::ZERO);
    }
    assert_eq!(log.close().written, scopes.len() as u64);
    file.lines()
}

const RULES: &str = "\
locals {
  same_team = user.team == resource.team
}
rule \"locked\" {
  when   = resource.locked && user.role != \"admin\"
  effect = \"deny\"
}
rule \"team\" {
  when   = local.same_team && user.age > 17
  effect = \"allow\"
}
rule \"admin\" {
  when   = user.role == \"admin\"
  effect = \"allow\"
}
";

fn policy(text: &str) -> (Module, Policy) {
    let module = Engine::standard().parse("p.hcl", text).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    (module, policy)
}

fn request(module: &Module, role: &str, age: u32) -> Scope {
    let mut scope = module.scope();
    let user = json!({"team": "a", "role": role, "age": age});
    scope.set("user", &user).expect("a variable");
    scope.set("resource", &json!({"team": "b", "locked": true})).expect("a variable");
    scope
}

#[test]
fn an_entry_tells_which_conditions_were_false() {
    let (module, policy) = policy(RULES);
    let scopes = [request(&module, "admin", 30)];
    let line = &logged(DecisionLog::builder().explain(Explain::Conditions), &policy, &scopes)[0];
    let is = |at: &str, is: &str| json!({"at": format!("p.hcl:{at}"), "is": is});
    let expected = json!([
        {"rule": "locked", "at": "p.hcl:5:12-5:51", "is": "false",
            "because": [is("5:31-5:51", "false")]},
        {"rule": "team", "at": "p.hcl:9:12-9:44", "is": "false",
            "because": [is("2:15-2:41", "false")]},
        {"rule": "admin", "at": "p.hcl:13:12-13:32", "is": "true", "decides": true,
            "because": [is("13:12-13:32", "true")]},
    ]);
    assert_eq!(line["why"]["rules"], expected, "{line}");
    let branches: Branches = line["why"]["branches"].as_str().expect("a text").parse().expect("branches");
    assert_eq!(
        policy.explain(&branches).expect("of the policy").to_string(),
        "allow, because rule \"admin\" applies\n\
         rule \"locked\" does not apply, because `user.role != \"admin\"` is false\n\
         rule \"team\" does not apply, because `local.same_team` is false: `user.team == resource.team` is false\n\
         rule \"admin\" applies, because `user.role == \"admin\"` is true\n"
    );
    let line = &logged(DecisionLog::builder().explain(Explain::Branches), &policy, &scopes)[0];
    assert_eq!(line["why"], json!({"branches": branches.to_string()}));
}

/// Returns the conditions of the first rule of a policy for a user.
fn rule(text: &str, user: &Json) -> Json {
    let (module, policy) = policy(text);
    let mut scope = module.scope();
    scope.set("user", user).expect("a variable");
    logged(DecisionLog::builder().explain(Explain::Conditions), &policy, &[scope])[0]["why"]["rules"][0]
        .take()
}

#[test]
fn a_condition_in_a_loop_has_all_that_it_was() {
    let text = "rule \"a\" {\n  when   = length([for x in user : x if length([for y in x : y if y > 1]) > 0]) > 0\n  \
                effect = \"allow\"\n}\n";
    for (user, is) in [
        (json!([[1], [2], ["x"]]), json!(["true", "false", "failed"])),
        (json!([[1], ["x"]]), json!(["false", "failed"])),
        (json!([["x"]]), json!(["failed"])),
    ] {
        let rule = rule(text, &user);
        assert_eq!(rule["is"], "failed");
        assert_eq!(rule["because"], json!([{"at": "p.hcl:2:41-2:78", "is": is}]), "{user}");
    }
}

#[test]
fn a_condition_that_was_not_needed_says_so() {
    let text = "rule \"a\" {\n  when   = user == 1 || !(null == true)\n  effect = \"allow\"\n}\n";
    let rule = rule(text, &json!(1));
    let user = json!({"at": "p.hcl:2:12-2:21", "is": "true"});
    assert_eq!(rule["because"], json!([user, {"at": "p.hcl:2:27-2:39", "is": "false", "needed": false}]));
}

#[test]
fn at_most_eight_conditions_of_a_rule_are_listed() {
    for (count, listed) in [(7, 7), (8, 8), (9, 8), (20, 8)] {
        let conditions: Vec<String> = (0..count).map(|at| format!("user == {at}")).collect();
        let text =
            format!("rule \"a\" {{\n  when   = {}\n  effect = \"allow\"\n}}\n", conditions.join(" || "));
        let rule = rule(&text, &json!(-1));
        let because = rule["because"].as_array().expect("a list");
        assert_eq!(because.len(), listed, "{count}");
        assert!(because.iter().all(|one| one["is"] == "false" && one.get("needed").is_none()), "{rule}");
        assert_eq!(because[6]["at"], "p.hcl:2:90-2:99");
    }
}

#[test]
fn a_rule_without_a_name_is_explained() {
    let rule = rule("rule {\n  when   = user == 1\n  effect = \"allow\"\n}\n", &json!(1));
    let place = "p.hcl:2:12-2:21";
    let because = json!([{"at": place, "is": "true"}]);
    assert_eq!(rule, json!({"rule": null, "at": place, "is": "true", "decides": true, "because": because}));
}

#[test]
fn what_cannot_be_explained_says_why() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    // A function of the host works when the request is decided, and panics when it is explained.
    let fails = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&fails);
    let check = move || -> bool {
        assert!(!flag.load(Ordering::Relaxed), "no");
        true
    };
    let mut functions = hclvm::functions::FunctionTable::new();
    functions.insert("check", hclvm::host::function("check", [], check).impure());
    let engine = Engine::builder().functions(functions).build();
    let text = "rule \"a\" {\n  when   = check() && user\n  effect = \"allow\"\n}\n";
    let module = engine.parse("p.hcl", text).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    let mut scope = module.scope();
    scope.set("user", &true).expect("a variable");
    let why = |is_broken: bool, log: &DecisionLog| {
        fails.store(false, Ordering::Relaxed);
        let mut session = policy.session();
        let decision = policy.decide(&mut session, &scope).expect("within the limits");
        fails.store(is_broken, Ordering::Relaxed);
        log.record(&decision, &scope, &Origin::default(), Duration::ZERO);
        let start = std::time::Instant::now();
        while log.status().waiting > 0 {
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", log.status());
        }
    };
    let file = File::default();
    let builder = DecisionLog::builder().explain(Explain::Branches).delay(Duration::from_millis(1));
    let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
    for is_broken in [false, true, false] {
        why(is_broken, &log);
    }
    assert_eq!(log.close().written, 3);
    let whys: Vec<Json> = file.lines().into_iter().map(|mut line| line["why"].take()).collect();
    assert_eq!(whys[1], json!({"$omitted": "a function panicked"}));
    assert!(whys[0]["branches"].is_string() && whys[0] == whys[2], "{whys:?}");
}

#[test]
fn decisions_of_several_policies_are_explained_by_their_own() {
    let file = File::default();
    let log = DecisionLog::builder().explain(Explain::Conditions);
    let log = log.start(JsonLines::new(file.clone())).expect("a thread");
    let policies = [policy(RULES), policy(&RULES.replace("user.age > 17", "user.age < 18"))];
    for at in [0, 1, 0, 0, 1] {
        let (module, policy) = &policies[at];
        let mut scope = request(module, "guest", 5);
        scope.set("resource", &json!({"team": "a", "locked": false})).expect("a variable");
        let mut session = policy.session();
        let decision = policy.decide(&mut session, &scope).expect("within the limits");
        log.record(&decision, &scope, &Origin::default(), Duration::ZERO);
    }
    log.close();
    let teams: Vec<String> = file
        .lines()
        .iter()
        .map(|line| line["why"]["rules"][1]["is"].as_str().unwrap_or("none").to_owned())
        .collect();
    assert_eq!(teams, ["false", "true", "false", "false", "true"]);
}

#[test]
fn nothing_is_explained_unless_that_is_wanted() {
    let (module, policy) = policy(RULES);
    let line = &logged(DecisionLog::builder(), &policy, &[request(&module, "admin", 30)])[0];
    assert_eq!(line.get("why"), None);
}

#[test]
fn branches_of_another_policy_are_refused() {
    let (module, one) = policy(RULES);
    let (_, other) = policy("rule \"a\" {\n  when = x\n  effect = \"deny\"\n}\n");
    let mut session = one.session();
    let scope = request(&module, "guest", 3);
    let recorder = one.decide(&mut session, &scope).expect("no limit").recorder();
    let branches = recorder.record(&mut session).expect("no limit");
    assert!(one.explain(&branches).is_ok());
    assert!(other.explain(&branches).is_err());
    for text in [
        "",
        "deny",
        "deny rule 1",
        "deny rule 1:0",
        "deny rule 1:é",
        "deny maybe 1:02",
        "%f rule",
        "%ff rule",
    ] {
        assert!(text.parse::<Branches>().is_err(), "{text}");
    }
    let text = "a%20b%25 undecided 12*:02ff local.x:";
    assert_eq!(text.parse::<Branches>().expect("branches").to_string(), text);
}

#[test]
fn a_condition_on_a_masked_value_is_not_told() {
    let text = "locals {\n  known = try(tonumber(user.pin), 0)\n}\n\
        rule \"a\" {\n  when = user.name == \"ann\" && user.pin == \"1234\"\n  effect = \"deny\"\n}\n\
        rule \"b\" {\n  when = local.known == 0 || can(regex(\"^12\", user.pin))\n  effect = \"allow\"\n}\n\
        rule \"c\" {\n  when = length(keys(user)) == 7\n  effect = \"allow\"\n}\n";
    let (module, policy) = policy(text);
    let scopes = ["1234", "x"].map(|pin| {
        let mut scope = module.scope();
        scope.set("user", &json!({"name": "bob", "pin": pin})).expect("a variable");
        scope
    });
    let builder = || DecisionLog::builder().explain(Explain::Conditions).mask("user.pin");
    let [one, other] = &logged(builder(), &policy, &scopes)[..] else { panic!("two lines") };
    assert_eq!(one["why"], other["why"]);
    let rules = &one["why"]["rules"];
    assert_eq!((&rules[0]["is"], &rules[1]["is"]), (&"sensitive".into(), &"sensitive".into()), "{one}");
}

#[test]
fn a_masked_part_of_a_value_that_is_no_longer_marked_is_not_told() {
    let text = "rule \"a\" {\n  when   = nonsensitive(user).pin == 1\n  effect = \"deny\"\n}\n\
                rule \"b\" {\n  when   = nonsensitive(user).age == 1\n  effect = \"deny\"\n}\n\
                rule \"c\" {\n  when   = user.age == 1\n  effect = \"deny\"\n}\n";
    let engine = Engine::builder().functions(hclvm::functions::opentofu()).build();
    let module = engine.parse("p.hcl", text).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    let mut scope = module.scope();
    let arena = Arena::new();
    let entries = [Entry::new("age", Value::int(2)), Entry::new("pin", Value::int(2))];
    let user = Value::object(&arena, &entries).with_marks(&arena, marks_from(&arena, &["sensitive"]));
    scope.set_value("user", user).expect("it is small");
    for (builder, wanted) in [
        (DecisionLog::builder(), ["false", "false", "sensitive"]),
        (DecisionLog::builder().mask("user.pin"), ["sensitive", "false", "sensitive"]),
        (DecisionLog::builder().mask("user"), ["sensitive", "sensitive", "sensitive"]),
    ] {
        let line = &logged(builder.explain(Explain::Conditions), &policy, std::slice::from_ref(&scope))[0];
        let is = [0, 1, 2].map(|rule| line["why"]["rules"][rule]["is"].as_str().unwrap_or("none"));
        assert_eq!(is, wanted, "{line}");
        // Nothing that is shown decides a rule that is not.
        let because = [0, 1, 2].map(|rule| line["why"]["rules"][rule].get("because").is_some());
        assert_eq!(because, wanted.map(|is| is == "false"), "{line}");
    }
}

/// Generates policies.
impl Random {
    fn value(&mut self, depth: usize, locals: usize) -> String {
        const ATOMS: [&str; 16] = [
            "user.name",
            "user.age",
            "user.pin",
            "user.mail[0].to",
            "user.mail[*].to",
            "user.mail",
            "user",
            "secret",
            "secret.code",
            "later",
            "1",
            "\"s3cret-1\"",
            "null",
            "true",
            "list",
            "tags",
        ];
        if depth == 0 {
            return match self.below(locals + 8) {
                at if at < locals => format!("local.l{at}"),
                _ => self.of(&ATOMS).to_owned(),
            };
        }
        let (a, b) = (self.value(depth - 1, locals), self.value(depth - 1, locals));
        match self.below(15) {
            0 => format!("try({a}, {b})"),
            1 => format!("can({a})"),
            2 => format!("length({a})"),
            3 => format!("[for x in {a} : x if {}]", self.condition(depth - 1, locals)),
            4 => format!("[for x in user.mail : x.at if x.to == {a}]"),
            5 => format!("\"${{{a}}}-${{{b}}}\""),
            6 => format!("{} ? {a} : {b}", self.condition(depth - 1, locals)),
            7 => format!("{{ a = {a}, b = {b} }}.a"),
            8 => format!("[{a}, {b}]"),
            9 => format!("({a} + {b})"),
            10 => format!("try(tonumber({a}), 0)"),
            11 => format!("contains([{a}], {b})"),
            12 => format!("keys(local)[0] == {a}"),
            13 => format!("upper({a})"),
            _ => a,
        }
    }

    fn condition(&mut self, depth: usize, locals: usize) -> String {
        if depth == 0 {
            return format!("{} == {}", self.value(0, locals), self.value(0, locals));
        }
        let (a, b) = (self.condition(depth - 1, locals), self.condition(depth - 1, locals));
        match self.below(9) {
            0 | 1 => format!("({a}) && ({b})"),
            2 | 3 => format!("({a}) || ({b})"),
            4 => format!("!({a})"),
            5 => format!("({a}) ? ({b}) : {}", self.of(&["true", "false", "null"])),
            6 => format!(
                "length([for x in {} : x if {a}]) > 0",
                self.of(&["list", "tags", "user.mail", "secret"])
            ),
            7 => format!("{} != {}", self.value(depth, locals), self.value(depth, locals)),
            _ => format!("tobool({})", self.value(depth, locals)),
        }
    }

    /// Returns a policy.
    fn policy(&mut self) -> String {
        let mut text = "locals {\n".to_owned();
        let locals = self.below(4);
        for at in 0..locals {
            let value = if self.below(2) == 0 { self.value(2, at) } else { self.condition(1, at) };
            text.extend(["  l", &at.to_string(), " = ", &value.replace("keys(local)[0]", "null"), "\n"]);
        }
        text += "}\n";
        for at in 0..=self.below(4) {
            let effect = self.of(&["allow", "deny"]);
            let condition = self.condition(2, locals);
            let rule = format!("rule \"r{at}\" {{\n  when = {condition}\n  effect = \"{effect}\"\n}}\n");
            text.push_str(&rule);
        }
        text
    }
}

/// The values of a request: what is masked and marked has one of several forms.
fn values(module: &Module, secrets: &mut Random) -> Scope {
    let mut scope = module.scope();
    let mut secret = || match secrets.below(7) {
        0 => Json::Null,
        1 => json!(1),
        2 => json!("1"),
        3 => json!(true),
        4 => json!(["s3cret-1"]),
        5 => json!({"code": "s3cret-2"}),
        _ => json!("s3cret-1"),
    };
    let mail: Vec<Json> = (0..2).map(|at| json!({"to": secret(), "at": at})).collect();
    let mut set = |name: &str, value: Json| {
        if scope.has(name) {
            scope.set(name, &value).expect("a variable");
        }
    };
    set("user", json!({"name": "ann", "age": 1, "pin": secret(), "mail": mail}));
    set("list", json!([1, 2]));
    set("tags", json!({"a": "x"}));
    if scope.has("secret") {
        scope.set("secret", &secret()).expect("a variable");
        let arena = Arena::new();
        let given = scope.fork();
        let value: Value<'_> = given.get("secret").expect("it is set");
        let marked = value.with_marks(&arena, marks_from(&arena, &["sensitive"]));
        scope.set_value("secret", marked).expect("it is small");
    }
    scope.set_unknown("later");
    scope
}

#[derive(Debug, Default)]
struct Tally {
    policies: usize,
    /// Requests that differ in what is not reported, and are decided alike.
    pairs: usize,
    /// Of these, those of which a condition is reported.
    told: usize,
    concealed: usize,
    recalled: usize,
}

fn check(policies: u64) -> Tally {
    let engine = Engine::standard();
    let mut tally = Tally::default();
    for number in 0..policies {
        let mut random = Random(number);
        let text = random.policy();
        let Ok(module) = engine.parse("p.hcl", text.as_str()).and_then(|document| document.module()) else {
            continue;
        };
        let combining = [Combining::First, Combining::All, Combining::Overrides("deny")][random.below(3)];
        let policy = module.policy(&PolicySpec { combining, ..PolicySpec::default() }).expect("a policy");
        tally.policies += 1;
        let scopes: Vec<Scope> = (0..4).map(|_| values(&module, &mut random)).collect();
        let builder = DecisionLog::builder().explain(Explain::Conditions);
        let lines = logged(builder.mask("user.pin").mask("user.mail.*.to"), &policy, &scopes);
        for line in &lines {
            assert!(!line.to_string().contains("s3cret"), "{text}{line}");
            for other in &lines {
                let decided = |line: &Json| [&line["effect"], &line["cause"], &line["rule"]].map(Json::clone);
                if decided(line) != decided(other) {
                    continue;
                }
                tally.pairs += 1;
                let omitted = |line: &Json| line["why"].get("$omitted").is_some();
                assert!(!omitted(line), "{text}{line}");
                assert_eq!(line["why"], other["why"], "{text}{line}\n{other}");
                let all = line["why"].to_string();
                tally.told += usize::from(all.contains("\"false\"") || all.contains("\"true\""));
                tally.concealed += usize::from(all.contains("sensitive"));
            }
        }
        recalled(&policy, &scopes[0], &text, &mut tally);
    }
    tally
}

/// Compares an explanation from branches with one that evaluates again.
fn recalled(policy: &Policy, scope: &Scope, text: &str, tally: &mut Tally) {
    let mut session = policy.session();
    let recorder = policy.decide(&mut session, scope).expect("no limit").recorder();
    let branches = recorder.record(&mut session).expect("no limit");
    assert_eq!(branches.to_string().parse::<Branches>().expect("its text"), branches);
    let recalled = policy.explain(&branches).expect("its policy");
    let observed = policy.why(&mut session, scope).expect("no limit");
    assert_eq!(recalled.rules().len(), observed.rules().len(), "{text}");
    for (one, other) in recalled.rules().iter().zip(observed.rules()) {
        compare(one.condition().root(), other.condition().root(), text);
        assert_eq!(one.decides(), other.decides());
        tally.recalled += 1;
    }
}

fn compare(recalled: &Explained, observed: &Explained, text: &str) {
    assert!(recalled.values.is_empty());
    // Without counts, one evaluation in a loop is explained like several.
    let has_loops = text.contains("[for ") || text.contains("[*]");
    let decides = |one: &Explained| one.decides && !has_loops;
    let same = |one: &Explained| (one.text.clone(), one.needed, decides(one), one.parts.len());
    assert_eq!(same(recalled), same(observed), "{text}");
    match (recalled.outcome, observed.outcome) {
        (Outcome::Some(were), Outcome::Each(counts)) => {
            assert_eq!(were, counts.map(|count| count > 0), "{text}");
        }
        (Outcome::Some(were), Outcome::Once(truth)) => assert!(were[truth as usize], "{text}"),
        (one, other) => assert_eq!(one, other, "{text}{}", observed.text),
    }
    recalled.parts.iter().zip(&observed.parts).for_each(|(one, other)| compare(one, other, text));
}

#[test]
fn explanations_do_not_depend_on_masked_and_marked_values() {
    let policies = std::env::var("HCLVM_WHY").ok().and_then(|policies| policies.parse().ok()).unwrap_or(400);
    let tally = check(policies);
    assert!(tally.pairs > tally.policies && tally.told > 400 && tally.concealed > 400, "{tally:?}");
}

#[test]
fn no_line_is_lost_or_torn_with_explanations() {
    let (module, policy) = policy(RULES);
    let file = File::default();
    let builder = DecisionLog::builder().explain(Explain::Conditions).capacity(1 << 20);
    let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
    std::thread::scope(|threads| {
        for thread in 0..4 {
            let (log, policy, module) = (&log, &policy, &module);
            threads.spawn(move || {
                let mut session = policy.session();
                for number in 0..500 {
                    let scope = request(module, "guest", number);
                    let decision = policy.decide(&mut session, &scope).expect("within the limits");
                    let origin = Origin { epoch: thread, document: number.to_string().into() };
                    log.record(&decision, &scope, &origin, Duration::ZERO);
                }
            });
        }
    });
    let summary = log.close();
    assert_eq!((summary.written, summary.dropped), (2_000, 0));
    let mut next = [0; 4];
    for line in file.lines() {
        let thread = usize::try_from(line["epoch"].as_u64().expect("a number")).expect("a thread");
        assert_eq!(line["document"], next[thread].to_string());
        // The explanation is about the same decision.
        assert_eq!(line["inputs"]["user"]["age"], next[thread]);
        let age = &line["why"]["rules"][0]["because"];
        assert!(age.is_array(), "{line}");
        next[thread] += 1;
    }
    assert_eq!(next, [500; 4]);
}

#[test]
fn a_log_that_cannot_keep_up_leaves_out_explanations_and_no_decisions() {
    let (module, policy) = policy(RULES);
    let file = File::default();
    let builder =
        DecisionLog::builder().explain(Explain::Branches).capacity(256).delay(Duration::from_secs(5));
    let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
    let mut session = policy.session();
    let scope = request(&module, "guest", 1);
    for _ in 0..128 {
        let decision = policy.decide(&mut session, &scope).expect("within the limits");
        log.record(&decision, &scope, &Origin::default(), Duration::ZERO);
    }
    let summary = log.close();
    assert_eq!((summary.written, summary.dropped), (128, 0));
    let omitted = file.lines().iter().filter(|line| line["why"].get("$omitted").is_some()).count();
    assert!(omitted < 128, "those that do not crowd the log are explained");
}

#[test]
fn an_entry_of_fifty_rules_is_short_and_can_be_explained_whole() {
    let rule = |at: usize| {
        format!(
            "rule \"kind-{at}\" {{\n  when   = request.kind == \"k{at}\" && request.user == resource.owner && \
             request.size < {at} && !resource.locked\n  effect = \"allow\"\n}}\n"
        )
    };
    let text: String = (0..50).map(rule).collect();
    let (module, policy) = policy(&text);
    let mut scope = module.scope();
    let request = json!({"kind": "k7", "user": "ann", "size": 30, "path": "/orders/17"});
    scope.set("request", &request).expect("a variable");
    scope.set("resource", &json!({"owner": "ann", "locked": false})).expect("a variable");
    let builder = DecisionLog::builder().explain(Explain::Conditions);
    let line = &logged(builder, &policy, &[scope])[0];
    let length = line.to_string().len();
    assert!(length <= 2048, "{length}");
    let rules = line["why"]["rules"].as_array().expect("a list");
    assert_eq!((rules.len(), &line["why"]["others"]), (3, &json!(47)));
    assert_eq!(rules[0]["rule"], "kind-7", "only its size is wrong");
    let branches: Branches = line["why"]["branches"].as_str().expect("a text").parse().expect("branches");
    assert_eq!(policy.explain(&branches).expect("of the policy").rules().len(), 50);
}
