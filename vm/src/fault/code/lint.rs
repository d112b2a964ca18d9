//! Codes of lints: warnings about texts that are correct, but probably not what was meant.

use super::{Code, CodeRow, codes, example};

codes! {
    UNUSED_LOCAL "unused-local" ["Unused local value"],
        "Nothing reads this local value. Remove it, or correct the name where it should be read.",
        "locals {\n  n = 1\n}\na = 2\n" => "locals {\n  n = 1\n}\na = local.n\n";
    DUPLICATE_LABELS "duplicate-labels" ["Duplicate block labels"],
        "Two blocks of the same type have the same labels, so that they cannot be told apart.",
        "rule \"a\" {\n}\nrule \"a\" {\n}\n" => "rule \"a\" {\n}\nrule \"b\" {\n}\n";
    CONSTANT_CONDITION "constant-condition" ["Constant condition"],
        "The condition has the same value in every scope, so that one of the results is never used.",
        "a = 1 > 2 ? x : y\n" => "a = n > 2 ? x : y\n";
    CONSTANT_OPERAND "constant-operand" ["Constant result"],
        "One operand decides the result of `&&` or `||` in every scope, so that the other has no effect.",
        "a = x || true\n" => "a = x || y\n";
    REFERENCE_IN_QUOTES "reference-in-quotes" ["Reference in quotes"],
        "A text in quotes is the name of a local value or variable that exists. Without quotes it is its value.",
        "locals {\n  n = 1\n}\na = \"local.n\"\nb = local.n\n" => "locals {\n  n = 1\n}\na = local.n\n";
    SUSPICIOUS_TEMPLATE "suspicious-template" ["Suspicious template"],
        "The text looks like an interpolation, but is literal. Interpolations are written `${` and `}` inside quotes.",
        "locals {\n  n = 1\n}\na = \"$local.n\"\nb = local.n\n" => "locals {\n  n = 1\n}\na = \"${local.n}\"\n";
    LITERAL_PATTERN "literal-pattern" ["Pattern taken literally"],
        "`replace` looks for the text itself, slashes included; only the OpenTofu dialect treats a text between slashes as a pattern. `regex_replace` takes patterns, without slashes.",
        "a = replace(x, \"/[0-9]+/\", \"\")\n" => "a = regex_replace(x, \"[0-9]+\", \"\")\n";
    QUOTED_NUMBER "quoted-number" ["Comparison with a quoted literal"],
        "`==` does not convert: the string \"1\" never equals the number 1, nor \"true\" the bool true.",
        "a = x + 1 == \"2\"\n" => "a = x + 1 == 2\n";
    UNEQUAL_TYPES "unequal-types" ["Comparison of different types"],
        "Values of different types are never equal, so that the comparison has the same result in every scope.",
        "a = x + 1 == [2]\n" => "a = x + 1 == 2\n";
    SWAPPED_ARGUMENTS "swapped-arguments" ["Arguments in the other order"],
        "A literal is in the place of the argument that is usually a value, as in `startswith(\"/admin\", path)`, which asks whether the literal begins with the path.",
        "a = startswith(\"/admin\", x)\n" => "a = startswith(x, \"/admin\")\n";
    NULL_COMPARISON "null-comparison" ["Comparison with null"],
        "The value is never null, so that the comparison with null has the same result in every scope.",
        "a = \"${x}!\" == null\n" => "a = x == null\n";
    POINTLESS_CONDITIONAL "pointless-conditional" ["Conditional without effect"],
        "The conditional has the same result for true and for false.",
        "a = x == null ? null : x\n" => "a = x == null ? y : x\n";
    UNUSED_FOR_VARIABLE "unused-for-variable" ["Unused variables of for"],
        "No part of the `for` reads its variables, so that all results are equal.",
        "a = [for x in y : z]\n" => "a = [for x in y : x + z]\n";
    LEADING_ZERO "leading-zero" ["Number with a leading zero"],
        "Numbers are decimal, also with leading zeros: 0644 is 644. Write the digits of a mode or code as a string.",
        "mode = 0644\n" => "mode = \"0644\"\n";
    UNQUOTED_DATE "unquoted-date" ["Date without quotes"],
        "A date without quotes is a subtraction: 2024-01-31 is 1992.",
        "until = 2024-01-31\n" => "until = \"2024-01-31\"\n";
    BLOCK_AS_VARIABLE "block-as-variable" ["Block read as a variable"],
        "Expressions read variables, which the scope sets, and local values. The path leads to an attribute of a block of the file, which they do not read.",
        "tags {\n  env = \"prod\"\n}\na = tags.env\n" => "locals {\n  env = \"prod\"\n}\ntags {\n  env = local.env\n}\na = local.env\n";
    GUARDED_NAME "guarded-name" ["Name that is never there"],
        "A part of `try` or `can` reads a name that does not exist, so that it always fails, and the error is not shown.",
        "locals {\n  limit = 1\n}\na = try(local.limti, 2)\nb = local.limit\n" => "locals {\n  limit = 1\n}\na = try(local.limit, 2)\n";
    DIVISION_BY_ZERO "division-by-zero" ["Division by zero"],
        "A number divided by zero is infinite, zero divided by zero has no value, and the remainder of a division by zero is the dividend.",
        "a = x / 0\n" => "a = x / 2\n";
    OPERATOR_IN_COMMENT "operator-in-comment" ["Operator in a comment"],
        "`//` begins a comment, so that the number behind it has no effect. A division without its remainder is `floor(a / b)`.",
        "a = 7 // 2\n" => "a = floor(7 / 2)\n";
    LOCAL_PREFIX "local-prefix" ["Local value without its prefix"],
        "Local values are read as `local.name`. A name alone, and `locals.name`, are variables that the scope has to set.",
        "locals {\n  limit = 1\n}\na = limit + 1\n" => "locals {\n  limit = 1\n}\na = local.limit + 1\n";
    MISSPELLED_LOCALS "misspelled-locals" ["Misspelled block of local values"],
        "The file reads local values and has no block `locals`, but one with a similar name.",
        "local {\n  n = 1\n}\na = try(local.n, 2)\n" => "locals {\n  n = 1\n}\na = try(local.n, 2)\n";
    MISSPELLED_RULE "misspelled-rule" ["Misspelled rule"],
        "The file has rules, and a block or an attribute in a rule with nearly the name of one. It has no effect, so that a rule that denies may be missing. `hclvm check --policy` has it as an error.",
        "rule \"a\" {\n  when   = x\n  effect = \"deny\"\n}\nrul \"b\" {\n  when   = y\n  effect = \"deny\"\n}\n" => "rule \"a\" {\n  when   = x\n  effect = \"deny\"\n}\nrule \"b\" {\n  when   = y\n  effect = \"deny\"\n}\n";
    WORD_FOR_BOOL "word-for-bool" ["Word in place of a bool"],
        "The literals are `true` and `false`. `yes`, `no`, `on` and `off` are variables that the scope has to set.",
        "a = yes\n" => "a = true\n";
    UNKNOWN_CODE "unknown-code" ["Unknown code in a comment"],
        "A comment that allows warnings names a code that does not exist.",
        "# hclvm:allow unused-lcoal\na = 1\n" => "a = 1\n";
}
