//! Codes of compilation and evaluation.

use super::{Code, CodeRow, codes, example};

codes! {
    UNKNOWN_VARIABLE "unknown-variable" ["Unknown variable"],
        "The scope has no variable of this name, and no enclosing `for` declares it. Values of `locals` are read as `local.name`.",
        "a = [for user in [\"b\"] : usr]\n" => "a = [for user in [\"b\"] : user]\n";
    UNSET_VARIABLE "unset-variable" ["Unknown variable"],
        "The scope has no value for the variable. Set it, or test with `can` or `try` if it may be missing.",
        "a = user.role == \"admin\"\n" => "a = try(user.role, \"\") == \"admin\"\n";
    VARIABLES_NOT_ALLOWED "variables-not-allowed" ["Variables not allowed"],
        "The expression is evaluated before there are variables. Use a literal.",
        "object({ a = optional(string, user.role) })" => "object({ a = optional(string, \"admin\") })";
    FUNCTIONS_NOT_ALLOWED "functions-not-allowed" ["Function calls not allowed"],
        "The expression is evaluated without functions. Use a literal.",
        "object({ a = optional(string, upper(\"a\")) })" => "object({ a = optional(string, \"A\") })";
    UNKNOWN_FUNCTION "unknown-function" ["Call to unknown function"],
        "The dialect has no function of this name.",
        "a = maximum(1, 2)\n" => "a = max(1, 2)\n";
    AMBIGUOUS_KEY "ambiguous-key" ["Ambiguous attribute key"],
        "A key that looks like a reference is either a string in quotes or an expression in parentheses.",
        "a = { local.n = 1 }\n" => "a = { \"local.n\" = 1 }\n";
    INVALID_OPERAND "invalid-operand" ["Invalid operand"],
        "An operand of arithmetic is a number, an operand of `&&`, `||` and `!` is true or false. Texts such as \"12\" are converted, others are not.",
        "a = \"ten\" + 1\n" => "a = 10 + 1\n";
    OPERATION_FAILED "operation-failed" ["Operation failed"],
        "The operation has no result for these values, for example zero divided by zero.",
        "a = 0 / 0\n" => "a = 0 / 1\n";
    CONDITIONAL_TYPES "conditional-types" ["Inconsistent conditional result types"],
        "Both results of a conditional have a common type.",
        "a = true ? [1] : { b = 1 }\n" => "a = true ? [1] : []\n";
    NULL_CONDITION "null-condition" ["Null condition"],
        "The condition is null, where true or false is required.",
        "a = null ? 1 : 2\n" => "a = false ? 1 : 2\n";
    CONDITION_TYPE "condition-type" ["Incorrect condition type"],
        "A condition is true or false.",
        "a = \"yes\" ? 1 : 2\n" => "a = \"yes\" == \"yes\" ? 1 : 2\n";
    NULL_OBJECT_KEY "null-object-key" ["Null value as key"],
        "The key of an object is a string.",
        "a = { (null) = 1 }\n" => "a = { (\"b\") = 1 }\n";
    OBJECT_KEY_TYPE "object-key-type" ["Incorrect key type"],
        "The key of an object is a string, or a value that converts to one.",
        "a = { ([]) = 1 }\n" => "a = { (\"b\") = 1 }\n";
    PROPERTY_NAME_TYPE "property-name-type" ["Invalid object key expression"],
        "The name of a property of JSON is a template, whose value is a string.",
        "{\"a\": {\"${[]}\": 1}}" => "{\"a\": {\"${1}\": 1}}";
    NULL_PROPERTY_NAME "null-property-name" ["Invalid object key expression"],
        "The name of a property of JSON is a template, whose value is a string.",
        "{\"a\": {\"${null}\": 1}}" => "{\"a\": {\"b\": 1}}";
    DUPLICATE_PROPERTY "duplicate-property" ["Duplicate object attribute"],
        "The names of two properties of a JSON object are equal after their templates are evaluated.",
        "{\"a\": {\"b\": 1, \"${\\\"b\\\"}\": 2}}" => "{\"a\": {\"b\": 1, \"${\\\"c\\\"}\": 2}}";
    ITERATION_OVER_NULL "iteration-over-null" ["Iteration over null value"],
        "The collection of a `for` is null.",
        "a = [for x in null : x]\n" => "a = [for x in [] : x]\n";
    ITERATION_OVER_OTHER "iteration-over-other" ["Iteration over non-iterable value"],
        "A `for` needs a list, set, tuple, map or object.",
        "a = [for x in 12 : x]\n" => "a = [for x in [12] : x]\n";
    NULL_CLAUSE "null-clause" ["Condition is null"],
        "The `if` clause of a `for` is null.",
        "a = [for x in [1] : x if null]\n" => "a = [for x in [1] : x if x > 0]\n";
    FOR_CONDITION_TYPE "for-condition-type" ["Invalid 'for' condition"],
        "The `if` clause of a `for` is true or false.",
        "a = [for x in [1] : x if \"yes\"]\n" => "a = [for x in [1] : x if x > 0]\n";
    NULL_FOR_CONDITION "null-for-condition" ["Invalid 'for' condition"],
        "The `if` clause of a `for` is null for an element.",
        "a = [for x in [{ on = null }] : x if x.on]\n" => "a = [for x in [{ on = true }] : x if x.on]\n";
    FOR_KEY_TYPE "for-key-type" ["Invalid object key"],
        "The key of a `for` in braces is a string, or a value that converts to one.",
        "a = {for x in [1] : [] => x}\n" => "a = {for x in [1] : x => x}\n";
    NULL_FOR_KEY "null-for-key" ["Invalid object key"],
        "The key of a `for` in braces is null for an element.",
        "a = {for x in [null] : x => 1}\n" => "a = {for x in [\"b\"] : x => 1}\n";
    DUPLICATE_KEY "duplicate-key" ["Duplicate object key"],
        "Two elements have the same key. With `...` after the value, the values of equal keys form a list.",
        "a = {for x in [1, 1] : x => 2}\n" => "a = {for x in [1, 1] : x => 2...}\n";
    SPLAT_OF_NULL "splat-of-null" ["Splat of null value"],
        "`.*` and `[*]` need a list, set or tuple that is not null. A null of unknown type gives no elements.",
        "a = tolist(null)[*]\n" => "a = [][*]\n";
    SPLAT_TYPES "splat-types" ["Invalid nested splat expressions"],
        "The elements of the inner splat have different types and cannot form a list. A `for` expression forms a tuple.",
        "a = tolist([\"b\", null])[*][*]\n" => "a = [for x in tolist([\"b\", null]) : x[*]]\n";
    NULL_IN_TEMPLATE "null-in-template" ["Invalid template interpolation value"],
        "A value in a template is null. `coalesce` or a conditional gives another text for null.",
        "a = \"x${null}\"\n" => "a = \"x${coalesce(null, \"\")}\"\n";
    TEMPLATE_VALUE_TYPE "template-value-type" ["Invalid template interpolation value"],
        "A value in a template converts to a string. Lists are joined with `join`, other values are encoded with `jsonencode`.",
        "a = \"x${[1]}\"\n" => "a = \"x${join(\", \", [\"1\"])}\"\n";
    ATTRIBUTE_OF_NULL "attribute-of-null" ["Attempt to get attribute from null value"],
        "A null value has no attributes. `try(value.attribute, default)` allows for it.",
        "locals {\n  n = null\n}\na = local.n.b\n" => "locals {\n  n = null\n}\na = try(local.n.b, 1)\n";
    UNKNOWN_ATTRIBUTE "unknown-attribute" ["Unsupported attribute"],
        "The object has no attribute of this name.",
        "a = { name = 1 }.nmae\n" => "a = { name = 1 }.name\n";
    ATTRIBUTE_OF_LIST "attribute-of-list" ["Unsupported attribute"],
        "A list of objects has no attributes. Select an element with an index, or the attribute of all with `[*]`.",
        "a = tolist([{ n = 1 }]).n\n" => "a = tolist([{ n = 1 }])[*].n\n";
    ATTRIBUTE_OF_OTHER "attribute-of-other" ["Unsupported attribute"],
        "Only objects and maps have attributes.",
        "locals {\n  n = \"b\"\n}\na = local.n.length\n" => "locals {\n  n = \"b\"\n}\na = strlen(local.n)\n";
    UNKNOWN_ELEMENT "unknown-element" ["Missing map element"],
        "The map has no element with this key. `lookup(map, key, default)` gives a default.",
        "a = tomap({ b = 1 }).c\n" => "a = tomap({ b = 1 }).b\n";
    INDEX_OF_NULL "index-of-null" ["Attempt to index null value"],
        "A null value has no elements.",
        "locals {\n  n = null\n}\na = local.n[0]\n" => "locals {\n  n = [1]\n}\na = local.n[0]\n";
    INVALID_INDEX "invalid-index" ["Invalid index"],
        "The index of a list or tuple is a number, the key of a map or object is a string.",
        "a = [1][\"b\"]\n" => "a = [1][0]\n";
    NULL_INDEX "null-index" ["Invalid index"],
        "The index is null.",
        "a = [1][null]\n" => "a = [1][0]\n";
    FRACTIONAL_INDEX "fractional-index" ["Invalid index"],
        "The index of a list or tuple is a whole number.",
        "a = [1][0.5]\n" => "a = [1][0]\n";
    INDEX_OUT_OF_RANGE "index-out-of-range" ["Invalid index"],
        "Elements are counted from 0; the last index is the length less one.",
        "a = [1, 2][2]\n" => "a = [1, 2][1]\n";
    UNKNOWN_KEY "unknown-key" ["Invalid index"],
        "The map or object has no element with this key.",
        "a = { b = 1 }[\"c\"]\n" => "a = { b = 1 }[\"b\"]\n";
    INDEX_OF_SET "index-of-set" ["Invalid index"],
        "The elements of a set have no order. `tolist` makes a list of them.",
        "a = toset([1])[0]\n" => "a = tolist(toset([1]))[0]\n";
    INDEX_OF_OTHER "index-of-other" ["Invalid index"],
        "Only lists, tuples, maps and objects have elements.",
        "locals {\n  n = \"b\"\n}\na = local.n[0]\n" => "locals {\n  n = \"b\"\n}\na = substr(local.n, 0, 1)\n";
    NULL_EXPANSION "null-expansion" ["Invalid expanding argument value"],
        "The argument that `...` expands is null.",
        "a = max(null...)\n" => "a = max([1]...)\n";
    EXPANSION_TYPE "expansion-type" ["Invalid expanding argument value"],
        "`...` expands a list, set or tuple.",
        "a = max(1...)\n" => "a = max([1]...)\n";
    TOO_FEW_ARGUMENTS "too-few-arguments" ["Not enough function arguments"],
        "The function needs more arguments.",
        "a = substr(\"abc\")\n" => "a = substr(\"abc\", 0, 1)\n";
    TOO_MANY_ARGUMENTS "too-many-arguments" ["Too many function arguments"],
        "The function takes fewer arguments.",
        "a = upper(\"a\", \"b\")\n" => "a = upper(\"a\")\n";
    ARGUMENT_TYPE "argument-type" ["Invalid function argument"],
        "The argument does not convert to the type of the parameter.",
        "a = upper([])\n" => "a = upper(\"a\")\n";
    ARGUMENT_REFUSED "argument-refused" ["Invalid function argument"],
        "The type of the argument fits, but the function does not accept the value.",
        "a = regex(\"(\", \"a\")\n" => "a = regex(\"a\", \"a\")\n";
    FUNCTION_FAILED "function-failed" ["Error in function call"],
        "The function has no result for these arguments.",
        "a = coalesce(null, null)\n" => "a = coalesce(null, 1)\n";
    NO_ATTEMPT_SUCCEEDED "no-attempt-succeeded" ["Error in function call"],
        "All arguments of `try` failed. A literal as the last argument always succeeds.",
        "a = try({}.b)\n" => "a = try({}.b, null)\n";
    EXPRESSION_TOO_LARGE "expression-too-large" ["Expression too large"],
        "The expression needs more registers than an instruction can address. Split it into several attributes.",
        none because "Such an expression has tens of thousands of operands.";
    LIMIT_EXCEEDED "limit-exceeded" ["Limit exceeded", "Evaluation limit exceeded"],
        "The evaluation needs more work, memory or depth than the host allows.",
        none because "The limits are those of the host.";
}
