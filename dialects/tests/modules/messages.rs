//! The places and texts of problems of templates, each as it is printed.

use hclvm_dialects::packer::Settings;
use hclvm_dialects::{File, Inputs};

use crate::template;

/// Returns the problems of a template, a line for each.
fn problems_of(text: &str, inputs: &Inputs) -> String {
    problems_with(&Settings::new(), &[("main.pkr.hcl", text)], inputs)
}

fn problems_with(settings: &Settings, files: &[(&str, &str)], inputs: &Inputs) -> String {
    let module = settings.prepare(&template(files)).unwrap_or_else(|problems| panic!("{problems:?}"));
    module.evaluate(inputs).problems().to_string()
}

#[test]
fn declarations() {
    for (text, expected) in [
        (
            "variable \"a\" {\n default = upper(\"x\")\n}\n",
            "main.pkr.hcl:2:12: Call to unknown function: The default of a variable may call only `env`, not `upper`: compute the value in a local.",
        ),
        (
            "variable \"a\" {\n default = 1\n}\nvariable \"a\" {\n default = 2\n}\n",
            "main.pkr.hcl:4:1: Duplicate variable: The variable \"a\" is already declared at main.pkr.hcl:1.",
        ),
        (
            "variable \"a\" {\n default = 1\n}\nvariables {\n b = 1\n a = 2\n}\n",
            "main.pkr.hcl:6:2: Duplicate variable: The variable \"a\" is already declared at main.pkr.hcl:1.",
        ),
        (
            "variable \"1a\" {\n default = 1\n}\n",
            "main.pkr.hcl:1:10: Invalid variable name: \"1a\" is not a valid name: a name begins with a letter and has letters, digits, _ and - only.",
        ),
        (
            "variable \"a\" {\n type = number\n default = \"x\"\n}\n",
            "main.pkr.hcl:3:12: Invalid default value for variable: The default does not fit the type of the variable: expected a number, found a string that does not denote one.",
        ),
        (
            "variable \"a\" {\n type = nmber\n}\nvariable \"a\" {\n default = 1\n}\n",
            "main.pkr.hcl:2:9: Invalid type specification: There is no type `nmber`. Did you mean `number`?",
        ),
        (
            "variable \"a\" {\n default = [\"x\"]\n description = [1]\n}\n",
            "main.pkr.hcl:3:16: Unsuitable value type: `description` is a string, not [\n  1,\n].",
        ),
        (
            "variable \"a\" {\n default = 1\n sensitive = 5\n}\n",
            "main.pkr.hcl:3:14: Unsuitable value type: `sensitive` is true or false, not 5.",
        ),
        (
            "variable \"a\" {\n default = 1\n other = 2\n}\n",
            "main.pkr.hcl:3:2: Unsupported argument: \"other\" is not an argument that can be set here. Possible names are description, default, type, sensitive.",
        ),
        (
            "variable \"a\" {}\nvariable \"b\" {\n type = string\n}\n",
            "main.pkr.hcl:1:1: Unset variable \"a\": The variable has no default. Set it with --var 'a=…', in a variable file, or as PKR_VAR_a.\nmain.pkr.hcl:2:1: Unset variable \"b\": The variable has no default. Set it with --var 'b=…', in a variable file, or as PKR_VAR_b.",
        ),
        (
            "variable \"a\" {\n default = 1\n validation {\n  condition = var.a > 5\n  error_message = \"More than 5.\"\n }\n validation {\n  condition = var.a < 0\n  error_message = \"Negative.\"\n }\n}\n",
            "main.pkr.hcl:2:12: Invalid value for default variable: More than 5. This is a rule for `var.a` at main.pkr.hcl:3.\nmain.pkr.hcl:2:12: Invalid value for default variable: Negative. This is a rule for `var.a` at main.pkr.hcl:7.",
        ),
        (
            "variable \"a\" {\n default = 1\n validation {\n  condition = \"x${var.a}\"\n  error_message = \"A.\"\n }\n}\n",
            "main.pkr.hcl:4:15: Invalid variable validation result: The condition is \"x1\", where true or false is needed.",
        ),
        (
            "variable \"a\" {\n default = 1\n validation {\n  condition = var.b.c > 5 && var.a > 0\n  error_message = \"a\"\n }\n}\n",
            "main.pkr.hcl:4:15: Invalid reference in variable validation: A condition reads `var.a` and nothing else: variables are validated before anything else has a value.\nmain.pkr.hcl:5:19: Invalid validation error message: The message is a sentence: it begins with a capital letter and ends with a full stop, ? or !.",
        ),
        (
            "variable \"a\" {\n default = 1\n validation {\n  condition = true\n  error_message = \"\"\n }\n}\n",
            "main.pkr.hcl:4:15: Invalid variable validation condition: The condition does not read `var.a`, so that no value changes its result.\nmain.pkr.hcl:5:19: Invalid validation error message: The message is empty. Tell what a value has to be.",
        ),
        (
            "local \"1\" {\n expression = 1\n}\n",
            "main.pkr.hcl:1:7: Invalid local name: \"1\" is not a valid name: a name begins with a letter and has letters, digits, _ and - only.",
        ),
        (
            "locals {\n a = 1\n}\nlocal \"a\" {\n expression = 1\n}\n",
            "main.pkr.hcl:4:1: Duplicate local definition: `local.a` is already defined at main.pkr.hcl:2.",
        ),
        (
            "local \"a\" {\n expression = 1\n sensitive = [1]\n}\n",
            "main.pkr.hcl:3:14: Unsuitable value type: `sensitive` is true or false, not [\n  1,\n].",
        ),
        (
            "data \"1\" \"x\" {}\ndata \"a\" \"2\" {}\ndata \"a\" \"x\" {}\ndata \"a\" \"x\" {}\n",
            "main.pkr.hcl:1:1: Invalid data source name: The type \"1\" is not a valid name: a name begins with a letter and has letters, digits, _ and - only.\nmain.pkr.hcl:2:1: Invalid data resource name: \"2\" is not a valid name: a name begins with a letter and has letters, digits, _ and - only.\nmain.pkr.hcl:4:1: Duplicate data block: `data.a.x` is already defined at main.pkr.hcl:3.",
        ),
        (
            "locals {\n a = local.b\n b = local.a\n c = local.bb\n d = data.x.y\n}\n",
            "main.pkr.hcl:4:2: failed to prepare execution graph: `local.c` reads `local.bb`, which does not exist. Did you mean `local.b`?\n`local.d` reads `data.x.y`, which does not exist.\nValues depend on each other in a cycle: local.a -> local.b -> local.a.",
        ),
        (
            "data \"http\" \"page\" {}\nlocals {\n a = data.http.pge\n}\n",
            "main.pkr.hcl:3:2: failed to prepare execution graph: `local.a` reads `data.http.pge`, which does not exist. Did you mean `data.http.page`?",
        ),
        (
            "data \"http\" \"page\" {\n url = data.http.page.body\n}\n",
            "main.pkr.hcl:1:1: failed to prepare execution graph: Values depend on each other in a cycle: data.http.page -> data.http.page.",
        ),
        (
            "packer {\n required_version = 1\n}\nvariable \"a\" {}\n",
            "main.pkr.hcl:2:21: Invalid version constraint: A version requirement is a string such as \">= 1.9\", not 1.",
        ),
        (
            "packer {\n required_version = \">= x\"\n}\n",
            "main.pkr.hcl:2:21: Invalid version constraint: \">= x\" is not a version requirement. Write operators and versions: \">= 1.9, < 2\".",
        ),
        (
            "packer {\n required_version = \"< 1.2\"\n}\nvariable \"1\" {}\n",
            "main.pkr.hcl:2:21: Unsupported Packer Core version: The template requires version < 1.2, and this is 1.16.0.",
        ),
        (
            "packer {\n other = 1\n}\n",
            "main.pkr.hcl:2:2: Unsupported argument: \"other\" is not an argument that can be set here. Possible names are required_version.",
        ),
    ] {
        assert_eq!(problems_of(text, &Inputs::new()), expected, "{text}");
    }
}

#[test]
fn values_of_variables() {
    let module = "variable \"region\" {\n default = \"eu\"\n}\nvariable \"count\" {\n type = number\n default = 1\n}\nvariable \"pin\" {\n type = number\n default = 1\n sensitive = true\n}\n";
    let arena = hclvm::value::Arena::new();
    let text = |text: &str| hclvm::Value::str(&arena, arena.text(text));
    for (inputs, expected) in [
        (
            Inputs::new().argument("rgion", "x").argument("zzzzzz", "x"),
            "Undefined -var variable: There is no `variable \"rgion\"`. Did you mean \"region\"?\nUndefined -var variable: There is no `variable \"zzzzzz\"`.",
        ),
        (
            Inputs::new().value("rgion", text("x")),
            "Undefined variable: There is no `variable \"rgion\"`. Did you mean \"region\"?",
        ),
        (
            Inputs::new().argument("count", "x"),
            "<value for var.count from arguments>:1:1: Invalid argument value for -var variable: The value \"x\" does not fit the type of `var.count`, declared at main.pkr.hcl:4: expected a number, found a string that does not denote one.",
        ),
        (
            Inputs::new().argument("pin", "x"),
            "<value for var.pin from arguments>:1:1: Invalid argument value for -var variable: The value does not fit the type of `var.pin`, declared at main.pkr.hcl:8: expected a number, found a string that does not denote one.",
        ),
        (
            Inputs::new().environment([("PKR_VAR_count", "x"), ("count", "y"), ("PKR_VAR_cnt", "z")]),
            "<value for var.count from env>:1:1: Invalid value for variable: The value \"x\" does not fit the type of `var.count`, declared at main.pkr.hcl:4: expected a number, found a string that does not denote one.",
        ),
        (
            Inputs::new().value("count", text("x")).value("pin", text("x")),
            "Invalid value for variable: The value \"x\" does not fit the type of `var.count`, declared at main.pkr.hcl:4: expected a number, found a string that does not denote one.\nInvalid value for variable: The value does not fit the type of `var.pin`, declared at main.pkr.hcl:8: expected a number, found a string that does not denote one.",
        ),
        (
            Inputs::new().file(File::new("f.hcl", "count = \"x\"\npin = \"y\"\n")),
            "f.hcl:1:9: Invalid value for variable: The value \"x\" does not fit the type of `var.count`, declared at main.pkr.hcl:4: expected a number, found a string that does not denote one.\nf.hcl:2:7: Invalid value for variable: The value does not fit the type of `var.pin`, declared at main.pkr.hcl:8: expected a number, found a string that does not denote one.",
        ),
        (
            Inputs::new().file(File::new("f.hcl", "count = upper(\"x\")\npin = upper(\"x\")\n")),
            "f.hcl:1:9: Function calls not allowed: Functions cannot be called here.\nf.hcl:2:7: Function calls not allowed: The reason is not shown, because it may contain a sensitive value.",
        ),
        (
            Inputs::new().file(File::new("f.hcl", "variable \"x\" {}\n")),
            "f.hcl:1:1: Variable declaration in a .pkrvar file: A variable file gives values, `name = value`. Declare variables in the files of the module.",
        ),
        (
            Inputs::new().file(File::new("f.txt", "count = 1\n")),
            "Could not guess format of f.txt: The name of a variable file ends in .hcl or .json.",
        ),
        (
            Inputs::new().file(File::new("f.hcl", "count = [\n")),
            "f.hcl:2:1: Missing expression: Expected an expression, found the end of the text. Close the `[` with `]`.",
        ),
        (
            Inputs::new().file(File::new("f.hcl", "rgion = 1\n")),
            "f.hcl:1:1: Undefined variable: There is no `variable \"rgion\"`. Did you mean \"region\"?",
        ),
    ] {
        assert_eq!(
            problems_with(&Settings::new().warn_undeclared(true), &[("main.pkr.hcl", module)], &inputs),
            expected,
            "{inputs:?}"
        );
    }
}

#[test]
fn builds() {
    let of = |build: &str| {
        problems_of(
            &format!("source \"null\" \"x\" {{\n port = 22\n}}\nbuild {{\n{build}\n}}\n"),
            &Inputs::new(),
        )
    };
    for (build, expected) in [
        (
            "name = [1]\nsources = [\"null.x\"]",
            "main.pkr.hcl:5:8: Unsuitable value type: `name` has to be a known text, not [1].",
        ),
        (
            "name = null\ndescription = [1]\nsources = [\"null.x\"]",
            "main.pkr.hcl:5:8: Unsuitable value type: `name` has to be a known text, not null.\nmain.pkr.hcl:6:15: Unsuitable value type: `description` has to be a known text, not [1].",
        ),
        (
            "sources = \"null.x\"",
            "main.pkr.hcl:5:12: Unsuitable value type: `sources` has to be a list of known texts, not \"null.x\".",
        ),
        (
            "sources = [null]",
            "main.pkr.hcl:5:11: Unsuitable value type: `sources` has to be a list of known texts, not [null].",
        ),
        (
            "sources = [\"null\", \"null.1\", \"1.x\"]",
            "main.pkr.hcl:5:11: Invalid source reference: \"null\" refers to no source. Write \"source.TYPE.NAME\".\nmain.pkr.hcl:5:11: Invalid source reference: \"null.1\" refers to no source. Write \"source.TYPE.NAME\".\nmain.pkr.hcl:5:11: Invalid source reference: \"1.x\" refers to no source. Write \"source.TYPE.NAME\".",
        ),
        (
            "sources = [\"null.y\", \"other.thing\"]",
            "main.pkr.hcl:5:11: Unknown source null.y: There is no source \"null.y\". Did you mean \"null.x\"?\nmain.pkr.hcl:5:11: Unknown source other.thing: There is no source \"other.thing\". The template defines null.x.",
        ),
        (
            "",
            "main.pkr.hcl:4:1: missing source reference: A build needs a source: `sources = [\"source.TYPE.NAME\"]`, or a block `source \"source.TYPE.NAME\"`.",
        ),
        (
            "source \"x\" {}",
            "main.pkr.hcl:5:1: Invalid source reference: \"x\" refers to no source. Write \"source.TYPE.NAME\".",
        ),
        (
            "source \"null.x\" {\n name = upper(\"a\")\n}\nsource \"null.x\" {\n name = var.a\n}\nsource \"null.x\" {\n name = \"${upper(var.b)}\"\n}",
            "main.pkr.hcl:6:9: Function calls not allowed: The name of a source in a build is a literal; `upper` cannot be called here.\nmain.pkr.hcl:9:9: Variables not allowed: The name of a source in a build is read before anything has a value. Use a literal.\nmain.pkr.hcl:12:18: Variables not allowed: The name of a source in a build is read before anything has a value. Use a literal.\nmain.pkr.hcl:12:9: Function calls not allowed: The name of a source in a build is a literal; `upper` cannot be called here.",
        ),
        (
            "source \"null.x\" {\n name = [1]\n}",
            "main.pkr.hcl:6:9: Unsuitable value type: `name` has to be a known text, not [1].",
        ),
        (
            "source \"null.x\" {\n name = 1 + \"a\"\n}",
            "main.pkr.hcl:6:13: Invalid operand: Unsuitable right operand: expected a number, found the string \"a\". Only numbers are added; to join strings, write \"1a\".",
        ),
        (
            "source \"null.x\" {\n port = 1\n other = 2\n}",
            "main.pkr.hcl:5:1: Duplicate argument: The argument \"port\" is already set in the source at main.pkr.hcl:1.",
        ),
        (
            "sources = [\"null.x\"]\nhcp_packer_registry {}\nhcp_packer_registry {}",
            "main.pkr.hcl:7:1: Only one hcp_packer_registry is allowed: Another one is above. A build is published to one registry.",
        ),
        (
            "sources = [\"null.x\"]\nerror-cleanup-provisioner \"a\" {}\nerror-cleanup-provisioner \"a\" {}",
            "main.pkr.hcl:7:1: Only one error-cleanup-provisioner is allowed: Another one is above. Put what both do into one.",
        ),
        (
            "sources = [\"null.x\"]\nprovisioner \"a\" {\n name = [1]\n timeout = \"x\"\n}",
            "main.pkr.hcl:7:9: Unsuitable value type: `name` has to be a known text, not [1].",
        ),
        (
            "sources = [\"null.x\"]\nprovisioner \"a\" {\n timeout = \"x\"\n}\nprovisioner \"a\" {\n pause_before = \"1\"\n}\nprovisioner \"a\" {\n pause_before = \"\"\n timeout = \"1m\"\n}",
            "main.pkr.hcl:7:12: Failed to parse timeout duration: \"x\" is not a duration. Write a number and a unit: \"30s\", \"1m30s\", \"2h\".\nmain.pkr.hcl:10:17: Failed to parse pause_before duration: \"1\" is not a duration. Write a number and a unit: \"30s\", \"1m30s\", \"2h\".",
        ),
        (
            "sources = [\"null.x\"]\nprovisioner \"a\" {\n max_retries = 1.5\n continue_on_error = \"x\"\n only = \"a\"\n except = [[1]]\n}",
            "main.pkr.hcl:7:16: Unsuitable value type: `max_retries` has to be a whole number, not 1.5.\nmain.pkr.hcl:8:23: Unsuitable value type: `continue_on_error` has to be true or false, not \"x\".\nmain.pkr.hcl:9:10: Unsuitable value type: `only` has to be a list of known texts, not \"a\".\nmain.pkr.hcl:10:11: Unsuitable value type: `except` has to be a list of known texts, not [[1]].",
        ),
        (
            "sources = [\"null.x\"]\nprovisioner \"a\" {\n max_retries = \"2\"\n continue_on_error = \"true\"\n only = null\n except = null\n override = null\n}",
            "",
        ),
        (
            "sources = [\"null.x\"]\nprovisioner \"a\" {\n continue_on_error = null\n override = { x = 1, y = {} }\n}",
            "main.pkr.hcl:6:1: provisioner's override.'x' block must be an HCL object: `override` is an object with an object of arguments for each source: `{ SOURCE = { inline = [] } }`.",
        ),
        (
            "sources = [\"null.x\"]\nprovisioner \"a\" {\n override = [1]\n}\nprovisioner \"a\" {\n only = [\"a\"]\n except = [\"b\"]\n}",
            "main.pkr.hcl:6:1: provisioner's override block must be an HCL object: `override` is an object with an object of arguments for each source: `{ SOURCE = { inline = [] } }`.\nmain.pkr.hcl:9:1: only one of 'only' or 'except' may be specified: Set `only`, which names the sources it runs for, or `except`, which names the others.",
        ),
        (
            "sources = [\"null.x\"]\nprovisioner \"a\" {\n only = []\n except = [\"b\"]\n}\nprovisioner \"a\" {\n override = { x = {} }\n}",
            "",
        ),
        (
            "sources = [\"null.x\"]\nprovisioner \"a\" {\n name = \"first\"\n v = source.zz\n}\nprovisioner \"b\" {\n v = source.yy\n}",
            "main.pkr.hcl:6:1: Failed preparing provisioner-block \"a\" \"first\": Its body has errors:\nmain.pkr.hcl:8:12: Unsupported attribute: This object has no attribute \"zz\". It has name, type.\nmain.pkr.hcl:10:1: Failed preparing provisioner-block \"b\" \"\": Its body has errors:\nmain.pkr.hcl:11:12: Unsupported attribute: This object has no attribute \"yy\". It has name, type.",
        ),
        (
            "sources = [\"null.x\"]\npost-processor \"a\" {\n v = source.zz\n}",
            "main.pkr.hcl:6:1: Failed preparing post-processor-block \"a\" \"\": Its body has errors:\nmain.pkr.hcl:7:12: Unsupported attribute: This object has no attribute \"zz\". It has name, type.",
        ),
        (
            "sources = [\"null.x\"]\npost-processors {\n post-processor \"a\" {\n  keep_input_artifact = \"x\"\n }\n post-processor \"b\" {\n  only = 1\n }\n}",
            "main.pkr.hcl:8:26: Unsuitable value type: `keep_input_artifact` has to be true or false, not \"x\".",
        ),
        (
            "sources = [\"null.x\"]\npost-processors {\n provisioner \"a\" {}\n}\npost-processors {\n post-processor \"a\" {\n  v = source.zz\n }\n}",
            "main.pkr.hcl:7:2: Unsupported block type: Blocks of type \"provisioner\" are not allowed here. Possible types are post-processor.",
        ),
        (
            "sources = [\"null.x\"]\nother \"a\" {}\nfoo = 1",
            "main.pkr.hcl:7:1: Unsupported argument: \"foo\" is not an argument that can be set here. Did you mean a block of type \"from\", which has no equals sign?\nmain.pkr.hcl:6:1: Unsupported block type: Blocks of type \"other\" are not allowed here. Possible types are from, source, provisioner, error-cleanup-provisioner, post-processor, post-processors, hcp_packer_registry.",
        ),
        (
            "sources = [\"null.x\"]\nprovisioner \"a\" {\n timeout = 1 + \"a\"\n max_retries = \"x\"\n}",
            "main.pkr.hcl:8:17: Unsuitable value type: `max_retries` has to be a whole number, not \"x\".\nmain.pkr.hcl:7:16: Invalid operand: Unsuitable right operand: expected a number, found the string \"a\". Only numbers are added; to join strings, write \"1a\".",
        ),
    ] {
        assert_eq!(of(build), expected, "{build}");
    }
    for (text, expected) in [
        (
            "build {\n sources = [\"null.x\"]\n}\n",
            "main.pkr.hcl:2:12: Unknown source null.x: The template defines no source.",
        ),
        (
            "source \"null\" \"x\" {}\nsource \"null\" \"x\" {}\n",
            "main.pkr.hcl:2:1: Duplicate source block: This source is already defined at main.pkr.hcl:1.",
        ),
        (
            "hcp_packer_registry {}\nhcp_packer_registry {}\n",
            "main.pkr.hcl:2:1: Only one hcp_packer_registry is allowed: Another one is in the template. Its builds are published to one registry.",
        ),
        (
            "source \"null\" \"one\" {}\nsource \"b\" \"two\" {}\nbuild {\n sources = [\"xxxxxxxx.yyyyyyyy\"]\n}\n",
            "main.pkr.hcl:4:12: Unknown source xxxxxxxx.yyyyyyyy: There is no source \"xxxxxxxx.yyyyyyyy\". The template defines b.two, null.one.",
        ),
        ("source \"null\" \"x\" {\n a = 1 + \"a\"\n}\n", ""),
        (
            "source \"null\" \"x\" {\n a = 1 + \"a\"\n}\nbuild {\n sources = [\"null.x\"]\n}\n",
            "main.pkr.hcl:2:10: Invalid operand: Unsuitable right operand: expected a number, found the string \"a\". Only numbers are added; to join strings, write \"1a\".",
        ),
    ] {
        assert_eq!(problems_of(text, &Inputs::new()), expected, "{text}");
    }
}
