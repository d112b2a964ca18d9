//! Codes of hosts: the command, and applications that make diagnostics of their own.

use super::{Code, CodeRow, codes, example};

codes! {
    OTHER "other" [],
        "The application itself reports this problem; its title and text describe it.",
        none because "The problems are those of the application.";
    UNREADABLE_FILE "unreadable-file" ["Unreadable file"],
        "The file does not exist or cannot be read.",
        "$ hclvm check missing.hcl\n" => "$ echo 'limit = 1' | hclvm check -\n";
    NOT_LOADED "not-loaded" ["Not loaded"],
        "A configuration that is watched cannot be read or was refused, and the one before it stays in use. The text says why.",
        none because "The reason is that of the application.";
    INVALID_VALUE "invalid-value" ["Invalid value"],
        "A value of the scope cannot be used.",
        "$ echo '{\"n\": {\"$number\": \"x\"}}' | hclvm eval -e n --scope -\n" => "$ echo '{\"n\": 1}' | hclvm eval -e n --scope -\n";
    INVALID_SCOPE "invalid-scope" ["Invalid scope"],
        "A scope is a JSON object with a member for each variable.",
        "$ echo '[1, 2]' | hclvm eval -e 'n + 1' --scope -\n" => "$ echo '{\"n\": 1}' | hclvm eval -e 'n + 1' --scope -\n";
    UNKNOWN_ATTRIBUTE_PATH "unknown-attribute-path" ["Unknown attribute"],
        "The file has no attribute at this path.",
        "$ echo 'limit = 1' | hclvm eval - --attr limt\n" => "$ echo 'limit = 1' | hclvm eval - --attr limit\n";
    NOTHING_TO_EXPLAIN "nothing-to-explain" ["Nothing to explain"],
        "Without `--attr`, `eval --why` explains the attributes whose values are bools, and the file has none.",
        "$ echo 'limit = 1' | hclvm eval - --why\n" => "$ echo 'limit = 1' | hclvm eval - --why --attr limit\n";
    SCOPE_TOO_LARGE "scope-too-large" ["Scope too large"],
        "A scope is longer than the limit.",
        none because "Such a scope has more than a screen of text.";
    RESULT_TOO_LARGE "result-too-large" ["Result too large"],
        "The result cannot be written within the limits.",
        none because "Such a result has more than a screen of text.";
}
