//! Codes of the structure of files: schemas, dynamic blocks, locals, rules, specifications, decoding. Which
//! arguments and blocks there are is the application's to say; examples have `service "name" { port = … }`.

use super::{Code, CodeRow, codes, example};

codes! {
    MISSING_ARGUMENT "missing-argument" ["Missing required argument"],
        "The application requires this argument.",
        "service \"a\" {\n}\n" => "service \"a\" {\n  port = 80\n}\n";
    UNKNOWN_ARGUMENT "unknown-argument" ["Unsupported argument"],
        "The application has no argument of this name here.",
        "service \"a\" {\n  port = 80\n  prt  = 81\n}\n" => "service \"a\" {\n  port = 80\n}\n";
    DUPLICATE_ARGUMENT "duplicate-argument" ["Duplicate argument"],
        "The argument is set twice, in two objects of an array in JSON or in two files that are read as one.",
        "[{\"port\": 1}, {\"port\": 2}]" => "{\"port\": 1}";
    UNKNOWN_BLOCK_TYPE "unknown-block-type" ["Unsupported block type"],
        "The application has no blocks of this type here.",
        "servce \"a\" {\n  port = 80\n}\n" => "service \"a\" {\n  port = 80\n}\n";
    EXTRA_LABEL "extra-label" ["Extraneous label for {}"],
        "Blocks of this type have fewer labels.",
        "service \"a\" \"b\" {\n  port = 80\n}\n" => "service \"a\" {\n  port = 80\n}\n";
    MISSING_LABEL "missing-label" ["Missing {} for {}"],
        "Blocks of this type have more labels.",
        "service {\n  port = 80\n}\n" => "service \"a\" {\n  port = 80\n}\n";
    UNEXPECTED_BLOCK "unexpected-block" ["Unexpected \"{}\" block"],
        "Only arguments can be set here, no blocks.",
        "service \"a\" {\n}\n" => "service = \"a\"\n";
    MISSING_BLOCK "missing-block" ["Missing {} block"],
        "The application requires a block of this type.",
        "# nothing\n" => "service {\n  port = 80\n}\n";
    DUPLICATE_BLOCK "duplicate-block" ["Duplicate {} block"],
        "The application allows one block of this type, or one for each label.",
        "service \"a\" {\n  port = 80\n}\nservice \"a\" {\n  port = 81\n}\n" => "service \"a\" {\n  port = 80\n}\nservice \"b\" {\n  port = 81\n}\n";
    TOO_FEW_BLOCKS "too-few-blocks" ["Insufficient {} blocks"],
        "The application requires more blocks of this type.",
        "service {\n  port = 80\n}\n" => "service {\n  port = 80\n}\nservice {\n  port = 81\n}\n";
    TOO_MANY_BLOCKS "too-many-blocks" ["Too many {} blocks"],
        "The application allows fewer blocks of this type.",
        "service {\n  port = 80\n}\nservice {\n  port = 81\n}\n" => "service {\n  port = 80\n}\n";
    ATTRIBUTE_TYPE "attribute-type" ["Incorrect attribute value type"],
        "The value does not have the type that the application requires.",
        "port = \"http\"\n" => "port = 80\n";
    ELEMENT_TYPE "element-type" ["Invalid attribute value"],
        "All arguments of the block have the same type.",
        "service {\n  port = \"http\"\n}\n" => "service {\n  port = 80\n}\n";
    INCONSISTENT_TYPES "inconsistent-types" ["Unconsistent argument types in {} blocks"],
        "An argument has the same type in all blocks of this type.",
        "service {\n  port = [80]\n}\nservice {\n  port = { http = 80 }\n}\n" => "service {\n  port = [80]\n}\nservice {\n  port = [81]\n}\n";
    TRANSFORMATION_FAILED "transformation-failed" ["Transform function failed"],
        "The application cannot transform the value.",
        "port = \"http\"\n" => "port = 80\n";
    VALUE_TYPE "value-type" ["Unsuitable value type"],
        "The value does not fit the field of the application.",
        "service \"a\" {\n  port = \"http\"\n}\n" => "service \"a\" {\n  port = 80\n}\n";

    DYNAMIC_FOR_EACH "dynamic-for-each" ["Invalid dynamic for_each value"],
        "`for_each` of a dynamic block is a list, set, tuple, map or object.",
        "dynamic \"service\" {\n  for_each = 1\n  labels   = [\"a\"]\n  content {\n    port = 80\n  }\n}\n" => "dynamic \"service\" {\n  for_each = [1]\n  labels   = [\"a\"]\n  content {\n    port = 80\n  }\n}\n";
    DYNAMIC_ITERATOR "dynamic-iterator" ["Invalid dynamic iterator name"],
        "`iterator` is the name of the variable for the current element, without attributes.",
        "dynamic \"service\" {\n  for_each = [1]\n  iterator = x.y\n  labels   = [\"a\"]\n  content {\n    port = 80\n  }\n}\n" => "dynamic \"service\" {\n  for_each = [1]\n  iterator = x\n  labels   = [\"a\"]\n  content {\n    port = 80\n  }\n}\n";
    DYNAMIC_EXTRA_LABEL "dynamic-extra-label" ["Extraneous dynamic block label"],
        "`labels` has an expression for each label of the blocks to make.",
        "dynamic \"service\" {\n  for_each = [1]\n  labels   = [\"a\", \"b\"]\n  content {\n    port = 80\n  }\n}\n" => "dynamic \"service\" {\n  for_each = [1]\n  labels   = [\"a\"]\n  content {\n    port = 80\n  }\n}\n";
    DYNAMIC_MISSING_LABEL "dynamic-missing-label" ["Insufficient dynamic block labels"],
        "`labels` has an expression for each label of the blocks to make.",
        "dynamic \"service\" {\n  for_each = [1]\n  labels   = []\n  content {\n    port = 80\n  }\n}\n" => "dynamic \"service\" {\n  for_each = [1]\n  labels   = [\"a\"]\n  content {\n    port = 80\n  }\n}\n";
    DYNAMIC_LABEL "dynamic-label" ["Invalid dynamic block label"],
        "The labels of dynamic blocks are strings, known and not null.",
        "dynamic \"service\" {\n  for_each = [1]\n  labels   = [null]\n  content {\n    port = 80\n  }\n}\n" => "dynamic \"service\" {\n  for_each = [1]\n  labels   = [\"a\"]\n  content {\n    port = 80\n  }\n}\n";
    DYNAMIC_MISSING_CONTENT "dynamic-missing-content" ["Missing dynamic content block"],
        "The block `content` is the body of the blocks to make.",
        "dynamic \"service\" {\n  for_each = [1]\n  labels   = [\"a\"]\n}\n" => "dynamic \"service\" {\n  for_each = [1]\n  labels   = [\"a\"]\n  content {\n    port = 80\n  }\n}\n";
    DYNAMIC_EXTRA_CONTENT "dynamic-extra-content" ["Extraneous dynamic content block"],
        "A dynamic block has one `content` block.",
        "dynamic \"service\" {\n  for_each = [1]\n  labels   = [\"a\"]\n  content {\n    port = 80\n  }\n  content {\n    port = 81\n  }\n}\n" => "dynamic \"service\" {\n  for_each = [1]\n  labels   = [\"a\"]\n  content {\n    port = 80\n  }\n}\n";

    DUPLICATE_LOCAL "duplicate-local" ["Duplicate local value"],
        "A local value is defined once in a file.",
        "locals {\n  n = 1\n}\nlocals {\n  n = 2\n}\n" => "locals {\n  n = 1\n}\nlocals {\n  m = 2\n}\n";
    DEPENDENCY_CYCLE "dependency-cycle" ["Dependency cycle"],
        "Local values depend on each other in a circle, so that none of them can be computed first.",
        "locals {\n  n = local.m\n  m = local.n\n}\n" => "locals {\n  n = local.m\n  m = 1\n}\n";
    RULE_CONDITION "rule-condition" ["Unsuitable rule condition"],
        "The condition of a rule is true or false.",
        "rule \"a\" {\n  when = 1\n}\n" => "rule \"a\" {\n  when = 1 > 0\n}\n";
    RULE_EFFECT "rule-effect" ["Missing effect"],
        "A rule of a policy has an effect, such as `allow` or `deny`.",
        "rule \"a\" {\n  when = true\n}\n" => "rule \"a\" {\n  when   = true\n  effect = \"allow\"\n}\n";
    RULE_WITHOUT_CONDITION "rule-without-condition" ["Missing condition"],
        "A rule of a policy has a condition. Without one it would be ignored.",
        "rule \"a\" {\n  effect = \"deny\"\n}\n" => "rule \"a\" {\n  when   = true\n  effect = \"deny\"\n}\n";
    RULE_EFFECT_VALUE "rule-effect-value" ["Unsuitable effect"],
        "The effects of a policy are `allow` and `deny`, unless its application has others.",
        "rule \"a\" {\n  when   = true\n  effect = \"dney\"\n}\n" => "rule \"a\" {\n  when   = true\n  effect = \"deny\"\n}\n";
    RULE_PRIORITY "rule-priority" ["Unsuitable rule priority"],
        "The priority of a rule is a number that is written out.",
        "rule \"a\" {\n  when     = true\n  priority = [1]\n}\n" => "rule \"a\" {\n  when     = true\n  priority = 1\n}\n";
    RULES_IN_DYNAMIC "rules-in-dynamic" ["Rules in a dynamic block"],
        "Rules are known before an evaluation, so they cannot be made by a dynamic block.",
        "dynamic \"rule\" {\n  for_each = [1]\n  content {\n    when = true\n  }\n}\n" => "rule \"a\" {\n  when = true\n}\n";
    FUNCTION_PARAMETER "function-parameter" ["Invalid param element", "Invalid variadic_param"],
        "The parameters of a function are single names without quotes.",
        "function \"twice\" {\n  params = [\"n\"]\n  result = 2\n}\n" => "function \"twice\" {\n  params = [n]\n  result = n * 2\n}\n";
}
