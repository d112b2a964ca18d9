//! Codes of Terraform's modules beside those of all [modules](super::module).

use super::{Code, Row, codes, example};

codes! {
    CYCLE "cycle" ["Cycle", "Module call cycle", "Self-referencing local value", "Self-referential block"],
        "Values depend on each other in a circle, or a module calls itself. Take one of the references out.",
        none because "The files of a module are in a folder.";
    MODULE_TOO_LARGE "module-too-large" ["Too many modules", "Too many instances"],
        "There are at most 2,000 calls of modules, 10,000 instances of a block and 20,000 of all blocks.",
        none because "Such modules are large.";
    EPHEMERAL_VALUE "ephemeral-value" ["Ephemeral value not allowed"],
        "An ephemeral value exists during a run only, so that nothing that is kept may depend on it.",
        none because "The files of a module are in a folder.";
    SENSITIVE_OUTPUT "sensitive-output" ["Output refers to sensitive values"],
        "An output of the root module shows its value. Declare it `sensitive = true`, or leave out what is sensitive.",
        none because "The files of a module are in a folder.";
    MODULE_ADDRESS "module-address" ["Invalid address"],
        "The addresses in `moved`, `import` and `removed` blocks are those of resources and modules, such as `aws_instance.web`.",
        none because "The files of a module are in a folder.";
    REPETITION "repetition" ["Invalid combination of \"count\" and \"for_each\""],
        "A block is repeated by `count` or by `for_each`, not by both.",
        none because "The files of a module are in a folder.";
    LOCAL_VALUE "local-value" ["Invalid local value name", "Duplicate local value definition", "Missing base local value definition to override"],
        "A local value has a name that begins with a letter or an underscore, and is defined once in a module; override files change values that exist.",
        none because "The files of a module are in a folder.";
    QUOTED_TYPE "quoted-type" ["Invalid quoted type constraints"],
        "The type of a variable is written without quotes: `type = string`.",
        none because "The files of a module are in a folder.";
    PROVIDER_SCHEMAS "provider-schemas" ["Invalid provider schemas"],
        "A file of schemas is what `terraform providers schema -json` writes.",
        none because "The problem is in another file.";
    UNCONFIGURABLE_ATTRIBUTE "unconfigurable-attribute" ["Value for unconfigurable attribute"],
        "The provider decides the value of the attribute. Remove the argument.",
        none because "The schema of the provider tells it.";
}
