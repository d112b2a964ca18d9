//! Sensitive values are in no problem of a template and in no explanation, and change nothing else of its results.

use hclvm::Json;
use hclvm_dialects::packer::{GivenData, Host, Module, Settings};
use hclvm_dialects::{File, Inputs, Problems, packer};

use crate::{shown, template, titles};

/// The text that must not appear, in the forms that functions give it. Nothing else in a test has one of them.
const FORMS: [&str; 5] = ["zq7canary", "yranac7qz", "enE3Y2FuYXJ5", "7a713763616e617279", "zq7%2Bcanary"];

/// Returns problems in each form in which they can be printed.
fn printed(problems: &Problems) -> String {
    let data = problems.groups().map(|found| serde_json::to_string(found).expect("JSON"));
    format!("{problems}\n{problems:?}\n{}", data.collect::<String>())
}

fn leaks(text: &str) -> bool {
    let text = text.to_lowercase();
    FORMS.iter().any(|form| text.contains(&form.to_lowercase()))
}

fn module(text: &str) -> Result<Module, Problems> {
    Settings::new().prepare(&template(&[("a.pkr.hcl", text)]))
}

/// Returns what is printed of the problems of a template with inputs, which has some.
fn problems(text: &str, inputs: &Inputs) -> String {
    let found = match module(text) {
        Ok(module) => module.evaluate(inputs).problems().clone(),
        Err(problems) => problems,
    };
    assert!(found.has_errors(), "{text}");
    printed(&found)
}

fn variable(ty: &str, sensitive: bool) -> String {
    format!(
        "variable \"open\" {{\n type = number\n default = 1\n}}\nvariable \"pw\" {{\n type = {ty}\n sensitive = {sensitive}\n}}\n"
    )
}

#[test]
fn a_sensitive_value_of_the_wrong_type_is_in_no_part_of_the_report() {
    let text = |ty: &str, text: &str| {
        [
            ("<value for var.pw from env>:1:1", Inputs::new().environment([("PKR_VAR_pw", text)])),
            ("<value for var.pw from arguments>:1:1", Inputs::new().argument("pw", text)),
        ]
        .map(|(place, inputs)| (ty.to_owned(), place, inputs))
    };
    let file = |ty: &str, place, name: &str, text: &str| {
        (ty.to_owned(), place, Inputs::new().file(File::new(name, text)))
    };
    let cases = [
        &text("number", "zq7Canary")[..],
        &text("bool", "\"zq7Canary\""),
        // Expressions that fail before their type is known.
        &text("bool", "zq7Canary"),
        &text("list(string)", "[zq7Canary"),
        &text("list(number)", "[1, \"zq7Canary\"]"),
        &text("object({ a = number })", "{ zq7Canary = 1 }"),
        &[
            file("number", "v.pkrvars.hcl:2:6", "v.pkrvars.hcl", "open = 2\npw = \"zq7Canary\"\n"),
            file("number", "v.pkrvars.hcl:1:6", "v.pkrvars.hcl", "pw = upper(\"zq7Canary\")\n"),
            file("number", "v.pkrvars.hcl:1:6", "v.pkrvars.hcl", "pw = zq7Canary\n"),
            file("map(number)", "v.pkrvars.hcl:1:6", "v.pkrvars.hcl", "pw = { zq7Canary = [\n1] }\n"),
            file("number", "v.pkrvars.json:1:8", "v.pkrvars.json", "{\"pw\": \"zq7Canary\"}"),
            // The value is beside the one that is wrong.
            file(
                "string",
                "v.pkrvars.json:1:29",
                "v.pkrvars.json",
                "{\"pw\": \"zq7Canary\", \"open\": \"x\"}",
            ),
            // Files that cannot be read to the end.
            file("string", "v.pkrvars.hcl:2", "v.pkrvars.hcl", "open = 1\npw = \"zq7Canary\nopen = 3\n"),
            file("string", "v.pkrvars.hcl:1", "v.pkrvars.hcl", "pw = \"a\" zq7Canary\n"),
            file("string", "v.pkrvars.hcl:2", "v.pkrvars.hcl", "pw = \"a\"\npw = \"zq7Canary\"\n"),
            file("string", "v.pkrvars.json:1", "v.pkrvars.json", "{\"pw\": \"a\", \"pw\": \"zq7Canary\"}"),
            file("string", "v.pkrvars.json:1", "v.pkrvars.json", "{\"pw\": \"zq7Canary"),
        ],
    ];
    for (ty, place, inputs) in cases.into_iter().flatten() {
        let found = problems(&variable(ty, true), inputs);
        assert!(!leaks(&found), "{ty} {inputs:?}: {found}");
        assert!(found.contains(place), "{place}: {found}");
        assert!(leaks(&problems_or_value(&variable(ty, false), inputs)), "{ty} {inputs:?}");
    }
}

/// Returns what is printed of the problems of a template, and its values.
fn problems_or_value(text: &str, inputs: &Inputs) -> String {
    let evaluation = module(text).expect("no syntax errors").evaluate(inputs);
    let values = evaluation.variables().iter().map(|one| hclvm::show::line(one.value()));
    printed(evaluation.problems()) + &values.collect::<String>()
}

#[test]
fn literals_of_sensitive_values_are_not_excerpted() {
    let cases = [
        // What is wrong is the value.
        (
            "variable \"pw\" {\n type = number\n default = \"zq7Canary\"\n sensitive = true\n}\n",
            "a.pkr.hcl:3:12",
        ),
        ("variable \"pw\" {\n default = zq7Canary\n sensitive = \"true\"\n}\n", "a.pkr.hcl:2:12"),
        ("variable \"pw\" {\n default = upper(\"zq7Canary\")\n sensitive = x\n}\n", "a.pkr.hcl:2:12"),
        (
            "variable \"pw\" {\n default = \"zq7Canary\"\n sensitive = true\n validation {\n  condition = length(var.pw) > 20\n  error_message = \"Longer.\"\n }\n}\n",
            "a.pkr.hcl:4:2",
        ),
        ("local \"l\" {\n expression = \"zq7Canary\" + 1\n sensitive = true\n}\n", "a.pkr.hcl:2:15"),
        (
            "local \"l\" {\n expression = [for x in [\"zq7Canary\"] : x + 1]\n sensitive = true\n}\n",
            "a.pkr.hcl:2:",
        ),
        ("local \"l\" {\n expression = { zq7Canary = 1 }[\"b\"]\n sensitive = true\n}\n", "a.pkr.hcl:2:"),
        ("local \"l\" {\n expression = regex(\"zq7Canary(\", \"b\")\n sensitive = true\n}\n", "a.pkr.hcl:2:"),
        (
            "local \"l\" {\n expression = parseint(<<-E\n  zq7Canary\n E\n, 10)\n sensitive = true\n}\n",
            "a.pkr.hcl:3:",
        ),
        // The text of the template.
        ("variable \"pw\" {\n sensitive = true\n default = \"zq7Canary\n}\n", "a.pkr.hcl:3:"),
        ("variable \"pw\" {\n default = \"zq7Canary\n sensitive = true\n}\n", "a.pkr.hcl:2:"),
        ("variable \"pw\" {\n default = \"a\" zq7Canary\n sensitive = true\n}\n", "a.pkr.hcl:2:"),
        ("local \"l\" {\n sensitive = true\n expression = [\"zq7Canary\" \"b\"]\n}\n", "a.pkr.hcl:3:"),
    ];
    for (text, place) in cases {
        let found = problems(text, &Inputs::new());
        assert!(!leaks(&found), "{text}: {found}");
        assert!(found.contains(place), "{place}: {found}");
        let lines = text.lines().filter(|line| !line.contains("sensitive"));
        let open = lines.collect::<Vec<_>>().join("\n");
        assert!(leaks(&problems(&open, &Inputs::new())), "{open}");
    }
    let json =
        "{\"variable\": {\"pw\": {\"type\": \"number\", \"default\": \"zq7Canary\", \"sensitive\": true}}}";
    let module = Settings::new().prepare(&template(&[("a.pkr.json", json)])).expect("no syntax errors");
    let found = printed(module.evaluate(&Inputs::new()).problems());
    assert!(found.contains("a.pkr.json:1:") && !leaks(&found), "{found}");
}

/// Expressions that fail for the text `zq7Canary`, and show it if it is not sensitive. `S` is the value.
const FAILING: [&str; 40] = [
    "S + 1",
    "-S",
    "!S",
    "S && true",
    "S ? 1 : 2",
    "1 % S",
    "S < 3",
    "S.a",
    "S[0]",
    "S[*].a",
    "{ a = 1 }[S]",
    "[1, 2][S]",
    "merge({ a = \"b\" }, { c = \"d\" })[S]",
    "[S].x",
    "{ a = S }.b",
    "[for x in S : x]",
    "[for x in [S] : x + 1]",
    "{ for x in [S, S] : x => 1 }",
    "[for x in [S] : x if x]",
    "\"%{ if S }a%{ endif }\"",
    "\"x${[S]}\"",
    "abs(S)",
    "parseint(S, 10)",
    "parseint(S, 36) + parseint(S, 10)",
    "base64decode(S)",
    "jsondecode(S)",
    "yamldecode(\"{${S}\")",
    "csvdecode(\"${S},${S}\\n1,2\")",
    "formatdate(S, \"2020-01-01T00:00:00Z\")",
    "formatdate(\"YYYY\", S)",
    "timeadd(\"2020-01-01T00:00:00Z\", S)",
    "regex(\"${S}(\", \"x\")",
    "format(\"%d\", S)",
    "lookup({ a = 1 }, [S], 1)",
    "merge({ a = 1 }, S)",
    "cidrhost(S, 1)",
    "try(parseint(S, 10), abs(S))",
    "abs(upper(S)) + abs(strrev(S))",
    "abs(base64encode(S)) + parseint(sha256(S), 10)",
    "setproduct([S], S)",
];

/// A template in which every place with a value reads one of the expressions; those of a source are all evaluated.
fn failing(value: &str, sensitive: bool) -> String {
    let attributes = FAILING.iter().enumerate();
    let attributes = attributes.map(|(at, one)| format!(" a{at} = {}", one.replace('S', value)));
    let attributes = attributes.collect::<Vec<_>>().join("\n");
    format!(
        "variable \"pw\" {{\n default = \"zq7Canary\"\n sensitive = {sensitive}\n}}\n\
         local \"key\" {{\n expression = \"${{var.pw}}\"\n sensitive = {sensitive}\n}}\n\
         locals {{\n derived = {{ part = [\"x\", upper(var.pw)], all = \"x${{var.pw}}\" }}\n}}\n\
         source \"null\" \"x\" {{\n{attributes}\n dynamic \"d\" {{\n  for_each = [{value}]\n  labels = [[d.value]]\n  content {{}}\n }}\n\
         dynamic \"e\" {{\n  for_each = {value}\n  content {{}}\n }}\n}}\n\
         build {{\n sources = [\"null.x\"]\n}}\n"
    )
}

#[test]
fn no_problem_shows_a_sensitive_value() {
    for value in ["var.pw", "local.key", "local.derived.part[1]", "local.derived.all", "\"${var.pw}!\""] {
        let text = failing(value, true);
        let evaluation = module(&text).expect("no syntax errors").evaluate(&Inputs::new());
        let found = printed(evaluation.problems());
        for (line, wrong) in text.lines().enumerate() {
            let is_found = found.contains(&format!("a.pkr.hcl:{}:", line + 1));
            assert!(is_found || !wrong.starts_with(" a"), "`{wrong}` has no problem");
        }
        // The template itself has the literal where the variable is declared.
        assert!(!leaks(&found), "{value}: {found}");
        let checked = Settings::new().checking(true).prepare(&template(&[("a.pkr.hcl", &text)]));
        assert!(!leaks(&printed(checked.expect("no syntax errors").evaluate(&Inputs::new()).problems())));
        let (observed, _) = module(&text).expect("no syntax errors").observe(&Inputs::new(), Host::default());
        assert!(!leaks(&printed(observed.problems())) && observed.problems().has_errors());
        let open = module(&failing(value, false)).expect("no syntax errors").evaluate(&Inputs::new());
        let shown = open.problems().iter().filter(|one| leaks(&format!("{one:?}"))).count();
        assert!(shown > 12, "{value}: a value is shown in {shown} problems if it is not sensitive");
    }
}

#[test]
fn no_problem_of_a_build_shows_a_sensitive_value() {
    let wrong = [
        "sources = [\"null.x\"]\nname = [var.pw]",
        "sources = [var.pw]",
        "sources = [\"null.${var.pw}\"]",
        "sources = \"${var.pw}\"",
        "dynamic \"source\" {\n for_each = [var.pw]\n labels = [source.value]\n content {}\n}",
        "sources = [\"null.x\"]\nprovisioner \"shell\" {\n timeout = var.pw\n}",
        "sources = [\"null.x\"]\nprovisioner \"shell\" {\n max_retries = var.pw\n}",
        "sources = [\"null.x\"]\nprovisioner \"shell\" {\n only = { (var.pw) = 1 }\n}",
        "sources = [\"null.x\"]\nprovisioner \"shell\" {\n override = { (var.pw) = 1 }\n}",
        "sources = [\"null.x\"]\nprovisioner \"shell\" {\n name = var.pw\n a = null + 1\n}",
        "sources = [\"null.x\"]\ndynamic \"provisioner\" {\n for_each = [var.pw]\n labels = [provisioner.value]\n content {\n a = null + 1\n }\n}",
        "sources = [\"null.x\"]\nname = var.pw\nprovisioner \"shell\" {\n a = build.name + 1\n}",
        "dynamic \"source\" {\n for_each = [var.pw]\n labels = [\"null.x\"]\n content {\n name = source.value\n }\n}\nprovisioner \"shell\" {\n a = source.name + 1\n}",
    ];
    for build in wrong {
        let text = |sensitive: bool| {
            format!(
                "variable \"pw\" {{\n default = \"zq7Canary\"\n sensitive = {sensitive}\n}}\nsource \"null\" \"x\" {{}}\nbuild {{\n{build}\n}}\n"
            )
        };
        let found = problems(&text(true), &Inputs::new());
        assert!(!leaks(&found), "{build}: {found}");
        assert!(leaks(&problems(&text(false), &Inputs::new())), "{build}");
    }
}

/// Values in all places that need plain ones.
const WHOLE: &str = r#"
variable "text" {
  default   = "name"
  SENSITIVE
}
variable "list" {
  type      = list(string)
  default   = ["shell", "null"]
  SENSITIVE
}
variable "number" {
  default   = 3
  SENSITIVE
}
variable "flag" {
  default   = true
  SENSITIVE
  validation {
    condition     = var.flag
    error_message = "On."
  }
}
locals {
  key     = { (var.text) = 1, "x-${var.text}" = [var.number] }
  zipped  = zipmap(var.list, [1, var.number])
  each    = { for one in var.list : one => upper(one) if one != var.text }
  chosen  = var.flag ? { name = 1 } : { name = 2 }
  encoded = jsondecode(jsonencode({ a = var.list, b = var.text }))
  set     = setunion(var.list, [var.text])
  most    = max(var.number, [1, 2]...)
  text    = "%{ for one in var.list }${one},%{ endfor }${var.flag}"
  splat   = [{ a = var.text }][*].a
  caught  = try(tonumber(var.text), can(var.list[9]), 4)
  same    = var.text == "name" && !(var.number > 4) || false
  lookup  = lookup({ name = "found" }, var.text, "none")
  whole   = keys(var)
  data    = data.http.page
}
data "http" "page" {
  url = "https://${var.text}/"
}
source "null" "a" {
  size = var.number + 1
  dynamic "disk" {
    for_each = var.flag ? var.list : []
    labels   = [disk.value, "fixed"]
    content {
      path = "${disk.key}:${var.text}"
    }
  }
}
source "null" "unused" {
  text = var.text
}
build {
  name        = "b-${var.text}"
  description = var.text
  sources     = ["source.null.a", "${var.list[1]}.a"]
  dynamic "source" {
    for_each = [var.text]
    labels   = ["null.a"]
    content {
      name = source.value
    }
  }
  provisioner "shell" {
    name              = var.text
    max_retries       = var.number
    continue_on_error = var.flag
    timeout           = "${var.number}m"
    only              = var.flag ? ["null.a", "null.name"] : []
    override          = { (var.text) = { inline = [var.text] } }
    inline            = ["${build.name} ${source.name} ${source.type} ${var.text}"]
  }
  dynamic "provisioner" {
    for_each = var.list
    labels   = [provisioner.value]
    content {
      except = ["null.${var.text}"]
      inline = [provisioner.value]
    }
  }
  post-processor "manifest" {
    keep_input_artifact = var.flag
  }
}
"#;

/// Returns all values of a template as text, with the marks that they have.
fn results(evaluation: &packer::Evaluation) -> Vec<String> {
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let mut all: Vec<String> = evaluation.locals().iter().map(|one| crate::json(one.value())).collect();
    all.extend(evaluation.variables().iter().map(|one| crate::json(one.value())));
    for build in evaluation.content().builds() {
        all.push(format!("{} {:?}", build.name(), build.description()));
        for source in build.sources() {
            all.push(format!("{} {} {}", source.kind(), source.name(), shown(source.body())));
            for one in source.provisioners().iter().chain(source.post_processors().iter().flatten()) {
                let overrides = one.overrides().map(|value| crate::json(value));
                all.push(format!("{} {:?} {overrides:?}", one.kind(), one.name()));
                all.push(format!("{} {}", shown(one.arguments()), shown(one.body())));
            }
        }
    }
    all.extend(evaluation.content().unused_sources().iter().map(|one| shown(one.body())));
    all
}

#[test]
fn results_do_not_depend_on_what_is_sensitive() {
    let mut data = GivenData::new();
    data.set("http", "page", hclvm::Value::int(7));
    let host = Host { data: &data, builder: &[] };
    let prepared =
        |sensitive: &str| module(&WHOLE.replace("SENSITIVE", sensitive)).expect("no syntax errors");
    let (open, hidden) = (prepared(""), prepared("sensitive = true"));
    let expected = results(&open.evaluate_with(&Inputs::new(), host));
    assert!(expected.len() > 25, "{expected:?}");
    assert_eq!(results(&hidden.evaluate_with(&Inputs::new(), host)), expected);
    assert_eq!(results(&hidden.why(&Inputs::new(), host).0), expected);
    assert_eq!(results(&hidden.observe(&Inputs::new(), host).0), expected);
    // Also where only what depends on a change is evaluated.
    let (mut one, mut other) = (open.instance(Inputs::new(), host), hidden.instance(Inputs::new(), host));
    for (name, text) in [("number", "4"), ("text", "other"), ("number", "5"), ("flag", "true")] {
        let (of_one, of_other) = (one.set_argument(name, text), other.set_argument(name, text));
        assert_eq!(of_one.expect("no problems"), of_other.expect("no problems"), "{name}");
        assert_eq!(results(other.evaluation()), results(one.evaluation()), "{name}");
    }
    let failed = other.set_argument("number", "zq7Canary").expect_err("it is no number");
    assert!(!leaks(&printed(&failed)), "{failed:?}");
}

#[test]
fn names_that_depend_on_sensitive_values_are_known() {
    let text = WHOLE.replace("SENSITIVE", "sensitive = true");
    let evaluation = module(&text).expect("no syntax errors").evaluate(&Inputs::new());
    let sources = evaluation.content().builds()[0].sources();
    let names: Vec<_> =
        sources.iter().map(|one| (one.kind(), one.name(), one.has_sensitive_name())).collect();
    assert_eq!(names, [("null", "a", false), ("null", "a", true), ("null", "name", true)]);
    let kinds = sources[0].provisioners().iter().map(|one| (one.kind(), one.has_sensitive_kind()));
    assert_eq!(kinds.collect::<Vec<_>>(), [("shell", false), ("shell", true), ("null", true)]);
    assert!(sources[0].body().blocks()[0].has_sensitive_labels());
    let paths: Vec<String> = evaluation.values().iter().map(|one| one.path.to_string()).collect();
    assert!(paths.iter().any(|path| path.starts_with("build.<sensitive>.null.a.")), "{paths:?}");
    assert!(!paths.iter().any(|path| path.contains("b-name") || path.contains("null.name")), "{paths:?}");
    // A literal label of a block that a sensitive collection makes is no secret.
    let text = "variable \"l\" {\n type = list(string)\n default = [\"a\"]\n sensitive = true\n}\nsource \"null\" \"x\" {\n dynamic \"d\" {\n  for_each = var.l\n  labels = [\"a\"]\n  content {}\n }\n}\n";
    let evaluation = module(text).expect("no syntax errors").evaluate(&Inputs::new());
    assert!(!evaluation.content().unused_sources()[0].body().blocks()[0].has_sensitive_labels());
}

#[test]
fn an_explanation_does_not_show_the_expression_of_a_sensitive_local() {
    let text = "local \"pin\" {\n expression = \"zq7Canary\" == \"x\" ? \"zq7Canary\" : \"y\"\n sensitive = true\n}\n\
                locals {\n url = \"http://${local.pin}/\"\n is_pin = local.pin == \"y\"\n}\n";
    let (evaluation, found) = module(text).expect("no syntax errors").why(&Inputs::new(), Host::default());
    assert!(evaluation.problems().is_empty());
    let of = |path: &str| found.iter().find(|one| one.path.to_string() == path);
    for path in ["local.url", "local.is_pin"] {
        let why = &of(path).unwrap_or_else(|| panic!("{path}")).why;
        assert!(!leaks(&format!("{why}{}", serde_json::to_string(why).expect("JSON"))), "{why}");
    }
    assert!(of("local.pin").is_none());
}

#[test]
fn of_two_arguments_for_one_variable_the_last_is_used() {
    let inputs = Inputs::new().argument("m", "1").argument("m", "2").argument("m", "3");
    let text = "variable \"m\" {\n type = number\n}\nlocals {\n m = var.m\n}\n";
    let evaluation = module(text).expect("no syntax errors").evaluate(&inputs);
    assert_eq!(evaluation.local("m").map(crate::json).as_deref(), Some("3"));
    let all: Vec<String> = evaluation.variables()[0].values().map(|(_, one)| crate::json(one)).collect();
    assert_eq!(all, ["1", "2", "3"]);
    // One that does not fit is reported, even if it is not used.
    let inputs = Inputs::new().argument("m", "x").argument("m", "2");
    let evaluation = module(text).expect("no syntax errors").evaluate(&inputs);
    assert_eq!(titles(evaluation.problems()), ["Invalid argument value for -var variable"]);
}

#[test]
fn marks_of_a_host_stay_on_results() {
    let arena = hclvm::value::Arena::new();
    let marks = hclvm::value::marks_from(&arena, &["sensitive"]);
    let value = hclvm::Value::str(&arena, "host").with_marks(&arena, marks);
    let text = "variable \"a\" {}\nvariable \"b\" {\n default = \"x\"\n sensitive = true\n}\nlocals {\n both = \"${var.a}${var.b}\"\n own = var.b\n}\n";
    let evaluation = module(text).expect("no syntax errors").evaluate(&Inputs::new().value("a", value));
    let shown =
        |name: &str| Json(evaluation.local(name).expect("a value")).lenient().to_text().expect("JSON");
    assert_eq!((shown("both").as_str(), shown("own").as_str()), ("{\"$marked\":[\"sensitive\"]}", "\"x\""));
}
