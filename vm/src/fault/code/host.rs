//! Codes of hosts: the command, and applications that make diagnostics of their own.

use super::{Code, Row, codes};

codes! {
    OTHER "other" [],
        "The application reports a problem of its own. Its title and text say what it is.",
        "" => "";
    UNREADABLE_FILE "unreadable-file" ["Unreadable file"],
        "The file does not exist or cannot be read.",
        "" => "";
    INVALID_VALUE "invalid-value" ["Invalid value"],
        "A value of the scope cannot be used.",
        "" => "";
    INVALID_SCOPE "invalid-scope" ["Invalid scope"],
        "A scope is a JSON object with a member for each variable.",
        "" => "";
    UNKNOWN_ATTRIBUTE_PATH "unknown-attribute-path" ["Unknown attribute"],
        "The file has no attribute at this path.",
        "" => "";
    SCOPE_TOO_LARGE "scope-too-large" ["Scope too large"],
        "A scope is longer than the limit.",
        "" => "";
    RESULT_TOO_LARGE "result-too-large" ["Result too large"],
        "The result cannot be written within the limits.",
        "" => "";
}
