//! Codes of Terraform's policies and their tests. Examples are files of policies, and test files if they have mocks or a
//! `policytest` block.

use super::{Code, CodeRow, codes, example};

codes! {
    POLICY_TOO_MANY "policy-too-many" ["Too many policies"],
        "All files of policies together have at most 60,000 names of inputs and locals. Load them in several runs.",
        none because "Such files have thousands of names.";
    POLICY_DUPLICATE "policy-duplicate" ["Duplicate policy"],
        "A file has one policy of a label for a target. Choose another label.",
        "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\nresource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\n" => "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\n";
    POLICY_DUPLICATE_BLOCK "policy-duplicate-block" ["Duplicate policy block", "Duplicate locals block", "Duplicate policytest block"],
        "A file has one block `policy` or `policytest`, and a policy one block `locals`.",
        "resource_policy \"aws_vpc\" \"p\" {\n  locals {\n    a = 1\n  }\n  locals {\n    b = 2\n  }\n  enforce {\n    condition = attrs.on\n  }\n}\n" => "resource_policy \"aws_vpc\" \"p\" {\n  locals {\n    a = 1\n    b = 2\n  }\n  enforce {\n    condition = attrs.on\n  }\n}\n";
    POLICY_FILE_LEVEL "policy-file-level" ["Enforcement level of a file"],
        "`enforcement_level` in the block `policy` is the level of all policies of the file that have none. Other programs may refuse it.",
        "policy {\n  enforcement_level = \"advisory\"\n}\nresource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\n" => "resource_policy \"aws_vpc\" \"p\" {\n  enforcement_level = \"advisory\"\n  enforce {\n    condition = attrs.on\n  }\n}\n";
    POLICY_PLUGIN "policy-plugin" ["Unsupported plugin"],
        "A plugin of policies is a program, which is not run here. Its functions do not exist.",
        "policy {\n  plugins {\n    site = {\n      source = \"./plugins/site\"\n    }\n  }\n}\nresource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\n" => "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\n";
    POLICY_PROVIDER "policy-provider" ["Invalid required provider"],
        "A provider of the block `required_providers` is an object with a `source`.",
        "policy {\n  required_providers {\n    aws = {\n      version = \">= 6.0\"\n    }\n  }\n}\nresource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\n" => "policy {\n  required_providers {\n    aws = {\n      source  = \"hashicorp/aws\"\n      version = \">= 6.0\"\n    }\n  }\n}\nresource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\n";
    POLICY_DUPLICATE_INPUT "policy-duplicate-input" ["Duplicate input"],
        "A file declares an input once.",
        "input \"size\" {\n  type = number\n}\ninput \"size\" {\n  type = number\n}\n" => "input \"size\" {\n  type = number\n}\n";
    POLICY_INPUT_NAME "policy-input-name" ["Invalid input name"],
        "The name of an input begins with a letter and has letters, digits, underscores and hyphens only.",
        "input \"1st\" {\n  type = number\n}\n" => "input \"first\" {\n  type = number\n}\n";
    POLICY_INPUT_DEFAULT "policy-input-default" ["Invalid default value for input"],
        "The default does not convert to the type of the input.",
        "input \"size\" {\n  type    = number\n  default = \"large\"\n}\n" => "input \"size\" {\n  type    = number\n  default = 20\n}\n";
    POLICY_INPUT_VALUE "policy-input-value" ["Invalid value for input"],
        "A value that is given does not convert to the type of the input.",
        none because "The value is not in the file.";
    POLICY_INPUT_UNSET "policy-input-unset" ["Unset input"],
        "An input without a default needs a value: --input NAME=VALUE, a file of values, or TFPOLICY_INPUT_NAME in the environment. One with `nullable = true` is null without a value.",
        none because "The problem depends on values that are given.";
    POLICY_INPUT_UNDECLARED "policy-input-undeclared" ["Undeclared input", "Undefined input"],
        "There is no declaration of an input of this name in the file. Each file declares the inputs that it reads; those of other files are not visible.",
        "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.size <= input.limit\n  }\n}\n" => "input \"limit\" {\n  type    = number\n  default = 8\n}\nresource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.size <= input.limit\n  }\n}\n";
    POLICY_DUPLICATE_LOCAL "policy-duplicate-local" ["Duplicate local"],
        "A local has one definition in a file. That of a policy must not have the name of one of the file.",
        "locals {\n  most = 1\n}\nresource_policy \"aws_vpc\" \"p\" {\n  locals {\n    most = 2\n  }\n  enforce {\n    condition = attrs.size <= local.most\n  }\n}\n" => "locals {\n  most = 1\n}\nresource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.size <= local.most\n  }\n}\n";
    POLICY_UNDEFINED_LOCAL "policy-undefined-local" ["Undefined local"],
        "Neither the file nor the policy defines a local of this name. Those of other files are not visible.",
        "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.size <= local.most\n  }\n}\n" => "locals {\n  most = 1\n}\nresource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.size <= local.most\n  }\n}\n";
    POLICY_CYCLE "policy-cycle" ["Circular reference detected"],
        "Locals, or mocks of a test file, read each other, so that none of them can be evaluated first.",
        "locals {\n  a = local.b\n  b = local.a\n}\nresource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\n" => "locals {\n  a = local.b\n  b = 1\n}\nresource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\n";
    POLICY_REFERENCE "policy-reference" ["Invalid reference"],
        "The name has no value here. Locals of a file are evaluated before any object, so that they cannot read `attrs` or `prior_attrs`; only resources have `prior_attrs`; `local` and `input` are followed by a name.",
        "locals {\n  size = attrs.size\n}\nresource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = local.size < 3\n  }\n}\n" => "resource_policy \"aws_vpc\" \"p\" {\n  locals {\n    size = attrs.size\n  }\n  enforce {\n    condition = local.size < 3\n  }\n}\n";
    POLICY_META "policy-meta" ["Unknown attribute of meta"],
        "`meta` has other attributes. Those of a resource are module_path, operation, provider_type, tfe_stack, tfe_workspace and type.",
        "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = meta.adress != \"\"\n  }\n}\n" => "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = meta.module_path != \"\"\n  }\n}\n";
    POLICY_NO_ENFORCE "policy-no-enforce" ["Missing enforce block"],
        "A policy has at least one block `enforce` with a condition.",
        "resource_policy \"aws_vpc\" \"p\" {\n}\n" => "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\n";
    POLICY_CALL "policy-call" ["Unsupported call"],
        "`core::getresources` and `core::getdatasource` can be called in policies of resources alone: providers and modules are judged before resources are planned.",
        "provider_policy \"aws\" \"p\" {\n  enforce {\n    condition = core::length(core::getresources(\"aws_vpc\", {})) > 0\n  }\n}\n" => "resource_policy \"aws_instance\" \"p\" {\n  enforce {\n    condition = core::length(core::getresources(\"aws_vpc\", {})) > 0\n  }\n}\n";
    POLICY_NAMESPACE "policy-namespace" ["Function without namespace"],
        "Policies call functions with their namespace: core::NAME.",
        "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = length(attrs.tags) > 0\n  }\n}\n" => "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = core::length(attrs.tags) > 0\n  }\n}\n";
    POLICY_UNDOCUMENTED "policy-undocumented" ["Undocumented function"],
        "The function is one of Terraform, and not among those that are documented for policies. Other programs may not have it.",
        none because "It is reported with --strict alone.";
    POLICY_LEVEL "policy-level" ["Invalid enforcement level"],
        "The enforcement level is \"advisory\", \"mandatory\" or \"mandatory_overridable\".",
        "resource_policy \"aws_vpc\" \"p\" {\n  enforcement_level = \"mandatory-overridable\"\n  enforce {\n    condition = attrs.on\n  }\n}\n" => "resource_policy \"aws_vpc\" \"p\" {\n  enforcement_level = \"mandatory_overridable\"\n  enforce {\n    condition = attrs.on\n  }\n}\n";
    POLICY_OPERATIONS "policy-operations" ["Invalid operations", "Missing operations"],
        "Operations are a list of \"create\", \"update\", \"delete\" and \"no-op\", each once; \"delete\" stands without \"create\" and \"no-op\". A policy that reads prior_attrs lists \"update\", \"delete\" or both.",
        "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.size >= prior_attrs.size\n  }\n}\n" => "resource_policy \"aws_vpc\" \"p\" {\n  operations = [\"update\"]\n  enforce {\n    condition = attrs.size >= prior_attrs.size\n  }\n}\n";
    POLICY_WITHOUT_NO_OP "policy-without-no-op" ["Operations without no-op"],
        "The policy depends on other resources, and is not evaluated for objects that do not change themselves. List \"no-op\" as well, or leave out `operations`.",
        "resource_policy \"aws_vpc\" \"p\" {\n  operations = [\"create\"]\n  enforce {\n    condition = core::length(core::getresources(\"aws_flow_log\", {})) > 0\n  }\n}\n" => "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = core::length(core::getresources(\"aws_flow_log\", {})) > 0\n  }\n}\n";
    POLICY_CONDITION "policy-condition" ["Invalid condition"],
        "A condition or filter is not true or false, but null or of another type.",
        none because "It is found when a policy is evaluated.";
    POLICY_MESSAGE "policy-message" ["Invalid message"],
        "A part of a message is not a string, number or bool. core::valuetostring converts any value to a string.",
        none because "It is found when a policy is evaluated.";
    POLICY_TARGET "policy-target" ["Invalid targets", "Unknown target"],
        "The targets of a test file are a list of files and folders of policies, as paths from its folder.",
        "policytest {\n  targets = [\"missing.policy.hcl\"]\n}\n" => "policytest {\n  targets = [\"a.policy.hcl\"]\n}\n";
    POLICY_DUPLICATE_MOCK "policy-duplicate-mock" ["Duplicate mock"],
        "A test file has one mock of a type and name.",
        "resource \"aws_vpc\" \"a\" {\n  attrs = { on = true }\n}\nresource \"aws_vpc\" \"a\" {\n  attrs = { on = true }\n}\n" => "resource \"aws_vpc\" \"a\" {\n  attrs = { on = true }\n}\n";
    POLICY_MOCK "policy-mock" ["Invalid mock", "Invalid operation of a mock"],
        "The mock of a resource has `attrs`, `prior_attrs` or both, which are objects with attributes. `meta.operation` is \"create\", \"update\", \"delete\" or \"no-op\".",
        "resource \"aws_vpc\" \"a\" {\n  attrs = {}\n}\n" => "resource \"aws_vpc\" \"a\" {\n  attrs = { on = true }\n}\n";
    POLICY_UNKNOWN_MOCK "policy-unknown-mock" ["Unknown mock"],
        "A mock reads another one that the file does not have. Those of other files are not visible.",
        "resource \"aws_vpc\" \"a\" {\n  attrs = { on = aws_vpc.b.on }\n}\n" => "resource \"aws_vpc\" \"a\" {\n  attrs = { on = aws_vpc.b.on }\n}\nresource \"aws_vpc\" \"b\" {\n  attrs = { on = true }\n}\n";
    POLICY_VIOLATION "policy-violation" ["Policy violation"],
        "A condition of a policy does not hold for an object of the plan.",
        none because "It is found when a policy is evaluated.";
    POLICY_ERROR "policy-error" ["Policy error"],
        "A condition of a policy cannot be evaluated for an object of the plan.",
        none because "It is found when a policy is evaluated.";
    POLICY_UNKNOWN "policy-unknown" ["Policy with unknown result"],
        "A condition depends on values that are known after the plan is applied. It is evaluated again then.",
        none because "It is found when a policy is evaluated.";
}
