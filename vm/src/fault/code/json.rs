//! Codes of the JSON syntax.

use super::{Code, CodeRow, codes, example};

codes! {
    JSON_EXTRA "json-extra" ["Extraneous data after value"],
        "The text continues after the JSON value.",
        "{} {}" => "{}";
    JSON_MISSING_VALUE "json-missing-value" ["Missing JSON value", "Missing value", "Missing object value"],
        "A value is missing.",
        "{\"a\": }" => "{\"a\": 1}";
    JSON_MISSING_ELEMENT "json-missing-element" ["Missing array element value"],
        "A value of an array is missing.",
        "{\"a\": ]}" => "{\"a\": []}";
    JSON_INVALID_VALUE "json-invalid-value" ["Invalid start of value"],
        "A JSON value is an object, an array, a number, a string in double quotes, `true`, `false` or `null`.",
        "{\"a\": 'x'}" => "{\"a\": \"x\"}";
    JSON_INVALID_NAME "json-invalid-name" ["Invalid object property name"],
        "The names of properties are strings in double quotes.",
        "{a: 1}" => "{\"a\": 1}";
    JSON_MISSING_COLON "json-missing-colon" ["Missing property value colon"],
        "Between the name and the value of a property is a colon.",
        "{\"a\" = 1}" => "{\"a\": 1}";
    JSON_TRAILING_COMMA "json-trailing-comma" ["Trailing comma in object", "Trailing comma in array"],
        "JSON has no comma after the last property or value.",
        "{\"a\": 1,}" => "{\"a\": 1}";
    JSON_UNCLOSED "json-unclosed" ["Unclosed object"],
        "The closing brace of an object or the closing bracket of an array is missing.",
        "{\"a\": 1" => "{\"a\": 1}";
    JSON_MISMATCHED_BRACKET "json-mismatched-bracket" ["Mismatched braces", "Mismatched brackets"],
        "An object is closed with a brace, an array with a bracket.",
        "{\"a\": [1}}" => "{\"a\": [1]}";
    JSON_MISSING_COMMA "json-missing-comma" ["Missing attribute seperator comma"],
        "Properties and values are separated by commas.",
        "{\"a\": 1 \"b\": 2}" => "{\"a\": 1, \"b\": 2}";
    JSON_NAMED_ELEMENT "json-named-element" ["Invalid array value"],
        "Values of an array have no names. Use an object.",
        "{\"a\": [\"b\": 1]}" => "{\"a\": {\"b\": 1}}";
    JSON_INVALID_NUMBER "json-invalid-number" ["Invalid JSON number"],
        "A number has no leading zeros, and digits on both sides of its dot.",
        "{\"a\": 01}" => "{\"a\": 1}";
    JSON_INVALID_STRING "json-invalid-string" ["Invalid JSON string"],
        "A string ends on its line, and its escapes are those of JSON.",
        "{\"a\": \"\\x\"}" => "{\"a\": \"\\\\x\"}";
    JSON_UNKNOWN_WORD "json-unknown-word" ["Invalid JSON keyword"],
        "The words of JSON are `true`, `false` and `null`.",
        "{\"a\": None}" => "{\"a\": null}";
    JSON_ROOT "json-root" ["Root value must be object"],
        "A configuration in JSON is an object, or an array of objects.",
        "1" => "{}";
    JSON_TYPE "json-type" ["Incorrect JSON value type"],
        "A body is an object; blocks with labels are objects whose names are the labels.",
        "{\"service\": {\"a\": 1}}" => "{\"service\": {\"a\": {\"port\": 1}}}";
    JSON_PROPERTY "json-property" ["Extraneous JSON object property"],
        "There is no argument and no block type of this name.",
        "{\"nothing\": 1}" => "{}";
    JSON_MISSING_LABEL "json-missing-label" ["Missing block label"],
        "The names of an object are the labels of blocks, so an object for labels is not empty.",
        "{\"service\": {}}" => "{\"service\": {\"a\": {\"port\": 1}}}";
    JSON_DUPLICATE_ARGUMENT "json-duplicate-argument" ["Duplicate attribute definition"],
        "An argument can be set once in a body.",
        "{\"port\": 1, \"port\": 2}" => "{\"port\": 1}";
}
