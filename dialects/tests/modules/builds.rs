//! Builds: their sources, provisioners and post-processors.

use hclvm::value::Arena;
use hclvm::{OwnedValue, Value};
use hclvm_dialects::{Inputs, packer};

use crate::{errors, evaluated, shown, template};

/// Returns a template with two sources and this build.
fn template_of(build: &str) -> String {
    format!(
        "source \"null\" \"x\" {{\n port = 22\n}}\nsource \"null\" \"y\" {{}}\nbuild {{\n name = \"b\"\n{build}\n}}\n"
    )
}

/// Returns the bodies of all provisioners, with their sources.
fn provisioners(build: &str) -> Vec<String> {
    let evaluation = evaluated(&template_of(build), &Inputs::new());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let sources = evaluation.content().builds().iter().flat_map(|build| build.sources());
    let steps = sources.flat_map(|source| source.provisioners().iter().map(move |step| (source, step)));
    steps.map(|(source, step)| format!("{}: {}", source.name(), shown(step.body()))).collect()
}

fn build_errors(build: &str) -> Vec<String> {
    errors(&template_of(build))
}

const BOTH: &str = "sources = [\"null.x\", \"source.null.y\"]\n";

#[test]
fn bodies_are_evaluated_for_each_source() {
    let step = "provisioner \"a\" {\n v = \"${source.type} ${source.name} ${build.name} ${build.ID}\"\n}\n";
    let expected = ["x: v=\"null x b <unknown>\"", "y: v=\"null y b <unknown>\""];
    assert_eq!(provisioners(&format!("{BOTH}{step}")), expected);
}

#[test]
fn only_and_except_name_sources_of_the_build() {
    let build = "source \"null.x\" {\n name = \"own\"\n}\nsources = [\"null.y\"]\nprovisioner \"a\" {\n only = [\"null.own\"]\n v = 1\n}\nprovisioner \"a\" {\n except = [\"null.own\"]\n v = 2\n}\n";
    assert_eq!(provisioners(build), ["y: v=2", "own: v=1"]);
    let both = format!("{BOTH}provisioner \"a\" {{\n only = [\"a\"]\n except = [\"b\"]\n}}\n");
    assert_eq!(build_errors(&both), ["only one of 'only' or 'except' may be specified"]);
}

#[test]
fn an_iterator_called_source_hides_the_source_in_its_block_only() {
    let build = "dynamic \"source\" {\n for_each = { a = 1, b = 2 }\n labels = [\"null.x\"]\n content {\n name = source.key\n size = source.value\n }\n}\ndynamic \"provisioner\" {\n for_each = [\"p\"]\n labels = [\"a\"]\n content {\n v = \"${provisioner.value} ${source.name}\"\n }\n}\n";
    assert_eq!(provisioners(build), ["a: v=\"p a\"", "b: v=\"p b\""]);
    let evaluation = evaluated(&template_of(build), &Inputs::new());
    let sources: Vec<String> =
        evaluation.content().builds()[0].sources().iter().map(|one| shown(one.body())).collect();
    assert_eq!(sources, ["port=22, size=1", "port=22, size=2"]);
}

#[test]
fn names_of_sources_in_builds_are_constants() {
    let of = |name: &str| build_errors(&format!("source \"null.x\" {{\n name = {name}\n}}\n"));
    assert_eq!(of("var.n"), ["Variables not allowed"]);
    assert_eq!(of("upper(\"n\")"), ["Function calls not allowed"]);
}

#[test]
fn wrong_headers_are_told_together_and_hide_bodies() {
    let build = "sources = [\"null\"]\n";
    assert_eq!(build_errors(build), ["Invalid source reference"]);
    let build = "provisioner \"a\" {\n timeout = \"x\"\n pause_before = \"y\"\n}\nprovisioner \"b\" {\n override = 1\n}\nprovisioner \"c\" {\n override = { x = 1 }\n}\n";
    let expected = [
        "Failed to parse pause_before duration",
        "provisioner's override block must be an HCL object",
        "provisioner's override.'x' block must be an HCL object",
        "missing source reference",
    ];
    assert_eq!(build_errors(build), expected);
    assert_eq!(
        build_errors("sources = [\"null.z\"]\nprovisioner \"a\" {\n v = source.zz\n}\n"),
        ["Unknown source null.z"]
    );
}

#[test]
fn a_wrong_body_ends_its_source() {
    let failed = |kind: &str| format!("Failed preparing {kind}-block \"a\" \"\"");
    let steps = "provisioner \"a\" {\n v = source.zz\n}\nprovisioner \"a\" {\n v = source.yy\n}\npost-processor \"a\" {\n v = source.zz\n}\n";
    let build = format!("sources = [\"null.x\"]\n{steps}");
    assert_eq!(build_errors(&build), [failed("provisioner"), failed("provisioner")]);
    let build = "sources = [\"null.x\"]\npost-processor \"a\" {\n v = source.zz\n}\nerror-cleanup-provisioner \"a\" {\n v = source.zz\n}\n";
    assert_eq!(build_errors(build), [failed("post-processor")]);
    let build = format!("source \"null.x\" {{\n port = 1\n}}\n{steps}");
    assert_eq!(build_errors(&build), ["Duplicate argument"]);
}

#[test]
fn there_is_one_error_cleanup_provisioner() {
    let build = format!("{BOTH}error-cleanup-provisioner \"a\" {{}}\nerror-cleanup-provisioner \"b\" {{}}\n");
    assert_eq!(build_errors(&build), ["Only one error-cleanup-provisioner is allowed"]);
}

#[test]
fn a_template_has_one_registry_and_each_build_too() {
    let registry = "hcp_packer_registry {}\n";
    let only_one = ["Only one hcp_packer_registry is allowed"];
    assert_eq!(errors(&registry.repeat(2)), only_one);
    assert_eq!(build_errors(&format!("{BOTH}{}", registry.repeat(2))), only_one);
    assert_eq!(errors(&format!("{registry}{}", template_of(&format!("{BOTH}{registry}")))), [""; 0]);
}

#[test]
fn post_processors_are_sequences() {
    let build = "sources = [\"null.x\"]\npost-processor \"a\" {}\npost-processors {\n post-processor \"b\" {\n keep_input_artifact = true\n timeout = 5\n }\n post-processor \"c\" {\n except = [\"null.x\"]\n }\n}\n";
    let evaluation = evaluated(&template_of(build), &Inputs::new());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let sequences = evaluation.content().builds()[0].sources()[0].post_processors();
    let kinds: Vec<Vec<&str>> =
        sequences.iter().map(|one| one.iter().map(|step| step.kind()).collect()).collect();
    assert_eq!(kinds, [["a"], ["b"]]);
    assert_eq!(shown(sequences[1][0].body()), "timeout=5");
    assert_eq!(shown(sequences[1][0].arguments()), "keep_input_artifact=true");
}

#[test]
fn a_sequence_of_other_sources_is_left_out() {
    let build = "sources = [\"null.x\", \"null.y\"]\npost-processor \"a\" {\n only = [\"null.y\"]\n}\npost-processors {\n post-processor \"b\" {\n except = [\"null.x\"]\n }\n}\npost-processor \"c\" {}\n";
    let evaluation = evaluated(&template_of(build), &Inputs::new());
    let kinds = |at: usize| -> Vec<Vec<String>> {
        let sequences = evaluation.content().builds()[0].sources()[at].post_processors().iter();
        sequences.map(|one| one.iter().map(|step| step.kind().to_owned()).collect()).collect()
    };
    assert_eq!(kinds(0), [["c"]]);
    assert_eq!(kinds(1), [["a"], ["b"], ["c"]]);
}

#[test]
fn overrides_are_those_of_the_source() {
    let build =
        "sources = [\"null.x\", \"null.y\"]\nprovisioner \"a\" {\n override = { y = { v = 2 } }\n v = 1\n}\n";
    let evaluation = evaluated(&template_of(build), &Inputs::new());
    let overrides: Vec<Option<String>> = evaluation.content().builds()[0]
        .sources()
        .iter()
        .map(|source| source.provisioners()[0].overrides().map(crate::json))
        .collect();
    assert_eq!(overrides, [None, Some("{\"v\":2}".to_owned())]);
}

#[test]
fn values_of_the_builder_replace_placeholders() {
    let text = template_of(
        "sources = [\"null.x\"]\nprovisioner \"a\" {\n v = [build.ID, build.Host, build.Extra]\n}\n",
    );
    let module =
        packer::Settings::new().prepare(&template(&[("a.pkr.hcl", &text)])).expect("no syntax errors");
    let arena = Arena::new();
    let given = [("ID", "i-1"), ("Extra", "e")];
    let given = given.map(|(name, value)| (name.to_owned(), OwnedValue::new(Value::str(&arena, value))));
    let host = packer::Host { builder: &given, ..packer::Host::default() };
    let evaluation = module.evaluate_with(&Inputs::new(), host);
    let body = evaluation.content().builds()[0].sources()[0].provisioners()[0].body();
    assert_eq!(shown(body), "v=[\"i-1\",\"<unknown>\",\"e\"]");
}

#[test]
fn named_values_outside_of_builds() {
    assert_eq!(errors("locals {\n a = build.ID\n}\n"), ["Unsupported attribute"]);
    assert_eq!(errors("locals {\n a = source.null.x\n}\n"), ["Unsupported attribute"]);
    let evaluation =
        evaluated("locals {\n a = source.name\n b = packer.version\n c = path.root\n}\n", &Inputs::new());
    assert!(evaluation.local("a").is_some_and(|value| !value.is_known()));
    assert_eq!(evaluation.local("c").and_then(|value| value.as_str()), Some("images"));
}

#[test]
fn placeholders_replace_unknown_values() {
    let text = "data \"http\" \"d\" {}\nsource \"null\" \"x\" {\n text = \"${data.http.d.v}\"\n list = [1, data.http.d.v]\n flag = data.http.d.v == 1\n size = data.http.d.v + 1\n inner {\n v = data.http.d\n }\n}\nbuild {\n sources = [\"null.x\"]\n}\n";
    let evaluation = evaluated(text, &Inputs::new());
    let body = evaluation.content().builds()[0].sources()[0].body();
    let expected = "text=\"<unknown>\", list=[1,\"<unknown>\"], flag=false, size=0, inner {v=\"<unknown>\"}";
    assert_eq!(shown(&body.with_placeholders()), expected);
}
