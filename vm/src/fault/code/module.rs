//! Codes of modules as applications read them: variables, locals, data sources, builds, jobs, modules of Terraform. Examples are Packer
//! templates, and Nomad jobs if they have a `job` block.

use super::{Code, CodeRow, codes, example};

codes! {
    VERSION_CONSTRAINT "version-constraint" ["Invalid version constraint"],
        "A version requirement is a string of operators and versions, separated by commas.",
        "packer {\n  required_version = \"1.9 or later\"\n}\n" => "packer {\n  required_version = \">= 1.9\"\n}\n";
    PLUGIN_REQUIREMENT "plugin-requirement" ["Invalid plugin requirement", "Invalid required_plugins syntax", "Invalid required_plugins object", "Invalid plugin local name", "Invalid plugin type", "Invalid source", "Malformed source URL", "Too many parts to source URL", "No source was set", "No version constraint was set"],
        "A plugin is required by an object with its source, which is a path on a host, and its version.",
        "packer {\n  required_plugins {\n    docker = \"1.0.0\"\n  }\n}\n" => "packer {\n  required_plugins {\n    docker = { source = \"github.com/hashicorp/docker\", version = \">= 1.0.0\" }\n  }\n}\n";
    REGISTRY "registry" ["hcp_packer_registry.{}", "the argument hcp_packer_registry.{}"],
        "The registry of a template has a bucket with a short name and labels for it and for its builds.",
        "hcp_packer_registry {\n  bucket_name = \"web_image\"\n}\n" => "hcp_packer_registry {\n  bucket_name = \"web-image\"\n}\n";
    SCALING_POLICY "scaling-policy" ["Invalid group scaling type", "Invalid scaling policy name", "Invalid scaling policy type"],
        "A group scales horizontally, and a task has a policy for `cpu` and one for `mem`, which scale vertically.",
        "job \"j\" {\n  task \"t\" {\n    scaling \"disk\" {\n    }\n  }\n}\n" => "job \"j\" {\n  task \"t\" {\n    scaling \"cpu\" {\n    }\n  }\n}\n";
    UNSUPPORTED_VERSION "unsupported-version" ["Unsupported Packer Core version"],
        "The template requires another version of the application.",
        "packer {\n  required_version = \"< 1\"\n}\n" => "packer {\n  required_version = \">= 1.7\"\n}\n";
    VARIABLE_NAME "variable-name" ["Invalid variable name"],
        "The name of a variable begins with a letter and has letters, digits, underscores and hyphens only.",
        "variable \"1st\" {\n  default = 1\n}\n" => "variable \"first\" {\n  default = 1\n}\n";
    DUPLICATE_VARIABLE "duplicate-variable" ["Duplicate variable"],
        "A variable is declared once in all files of a module, either in a `variable` block or in `variables`.",
        "variable \"size\" {\n  default = 1\n}\nvariables {\n  size = 2\n}\n" => "variable \"size\" {\n  default = 1\n}\n";
    VARIABLE_DEFAULT "variable-default" ["Invalid default value for variable"],
        "The default does not convert to the type of the variable.",
        "variable \"size\" {\n  type    = number\n  default = \"large\"\n}\n" => "variable \"size\" {\n  type    = number\n  default = 20\n}\n";
    VARIABLE_VALUE "variable-value" ["Invalid value for variable", "Invalid argument value for -var variable"],
        "A value from the environment, a variable file or the command line does not convert to the type of the variable. For types other than string and number, the value is parsed as an expression: quote strings in it.",
        none because "The value is not in the file.";
    UNDECLARED_VARIABLE "undeclared-variable" ["Undefined variable", "Undefined -var variable", "Value for undeclared variable"],
        "There is a value for a variable that no file declares. Correct the name, or declare the variable.",
        none because "The value is not in the file.";
    VARIABLE_WITHOUT_VALUE "variable-without-value" ["Unset variable \"{}\"", "No value for required variable"],
        "A variable without a default needs a value, also if nothing reads it: on the command line, in a variable file or from the environment.",
        "variable \"region\" {\n  type = string\n}\n" => "variable \"region\" {\n  type    = string\n  default = \"eu\"\n}\n";
    VARIABLE_DECLARATION_AMONG_VALUES "variable-declaration-among-values" ["Variable declaration in a {} file", "Variable declaration in .tfvars file"],
        "A variable file gives values, `name = value`. Variables are declared in the files of the module.",
        none because "The declaration is in a variable file.";
    VARIABLE_FILE_FORMAT "variable-file-format" ["Could not guess format of {}"],
        "The name of a variable file ends in .hcl or .json, which tells its syntax.",
        none because "The problem is the name of a file.";
    VALIDATION_REFERENCE "validation-reference" ["Invalid reference in variable validation"],
        "The condition of a validation reads its own variable and nothing else.",
        "locals {\n  least = 8\n}\nvariable \"size\" {\n  default = 10\n  validation {\n    condition     = var.size >= local.least\n    error_message = \"The size is 8 at least.\"\n  }\n}\n" => "variable \"size\" {\n  default = 10\n  validation {\n    condition     = var.size >= 8\n    error_message = \"The size is 8 at least.\"\n  }\n}\n";
    VALIDATION_CONDITION "validation-condition" ["Invalid variable validation condition"],
        "The condition of a validation does not read its variable, so that it is the same for all values.",
        "variable \"size\" {\n  default = 10\n  validation {\n    condition     = 10 >= 8\n    error_message = \"The size is 8 at least.\"\n  }\n}\n" => "variable \"size\" {\n  default = 10\n  validation {\n    condition     = var.size >= 8\n    error_message = \"The size is 8 at least.\"\n  }\n}\n";
    VALIDATION_MESSAGE "validation-message" ["Invalid validation error message"],
        "The message of a validation is not empty. Packer also asks for a sentence, which begins with a capital letter and ends with a full stop, a question mark or an exclamation mark.",
        "variable \"size\" {\n  default = 10\n  validation {\n    condition     = var.size >= 8\n    error_message = \"too small\"\n  }\n}\n" => "variable \"size\" {\n  default = 10\n  validation {\n    condition     = var.size >= 8\n    error_message = \"The size is 8 at least.\"\n  }\n}\n";
    VALIDATION_RESULT "validation-result" ["Invalid variable validation result"],
        "The condition of a validation is true or false.",
        "variable \"name\" {\n  default = \"web\"\n  validation {\n    condition     = regex(\"^w\", var.name)\n    error_message = \"The name begins with w.\"\n  }\n}\n" => "variable \"name\" {\n  default = \"web\"\n  validation {\n    condition     = can(regex(\"^w\", var.name))\n    error_message = \"The name begins with w.\"\n  }\n}\n";
    VALIDATION_FAILED "validation-failed" ["Invalid value for {} variable"],
        "The value of a variable does not meet the condition of a validation. The title says where the value is from.",
        "variable \"size\" {\n  default = 5\n  validation {\n    condition     = var.size >= 8\n    error_message = \"The size is 8 at least.\"\n  }\n}\n" => "variable \"size\" {\n  default = 10\n  validation {\n    condition     = var.size >= 8\n    error_message = \"The size is 8 at least.\"\n  }\n}\n";
    LOCAL_NAME "local-name" ["Invalid local name"],
        "The name of a local value begins with a letter and has letters, digits, underscores and hyphens only.",
        "local \"1st\" {\n  expression = 1\n}\n" => "local \"first\" {\n  expression = 1\n}\n";
    DUPLICATE_LOCAL_DEFINITION "duplicate-local-definition" ["Duplicate local definition", "Duplicate value in locals"],
        "A local value is defined once in all files of a module.",
        "locals {\n  a = 1\n}\nlocals {\n  a = 2\n}\n" => "locals {\n  a = 1\n}\n";
    EXECUTION_GRAPH "execution-graph" ["failed to prepare execution graph"],
        "Local values and data sources refer to each other in a cycle, or to a name that does not exist. The text has the path.",
        "locals {\n  a = local.b\n  b = local.a\n}\n" => "locals {\n  a = local.b\n  b = 1\n}\n";
    DATA_SOURCE_NAME "data-source-name" ["Invalid data source name", "Invalid data resource name"],
        "Type and name of a data source begin with a letter and have letters, digits, underscores and hyphens only.",
        "data \"http\" \"1st\" {\n}\n" => "data \"http\" \"first\" {\n}\n";
    DATA_SOURCE_FAILED "data-source-failed" ["Data source {} failed"],
        "A data source cannot be read. The text says why.",
        none because "The host reads data sources.";
    BUILD_WITHOUT_SOURCE "build-without-source" ["missing source reference"],
        "A build has at least one source, in `sources` or in a `source` block.",
        "build {\n  name = \"web\"\n}\n" => "source \"null\" \"web\" {\n}\nbuild {\n  name    = \"web\"\n  sources = [\"source.null.web\"]\n}\n";
    SOURCE_REFERENCE "source-reference" ["Invalid source reference"],
        "A reference to a source is the string \"source.TYPE.NAME\".",
        "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"web\"]\n}\n" => "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.web\"]\n}\n";
    UNKNOWN_SOURCE "unknown-source" ["Unknown source {}"],
        "No file of the template has this `source` block.",
        "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.wb\"]\n}\n" => "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.web\"]\n}\n";
    SINGLE_BLOCK "single-block" ["Only one {} is allowed"],
        "A build has one block of this type at most.",
        "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.web\"]\n  error-cleanup-provisioner \"shell-local\" {\n  }\n  error-cleanup-provisioner \"shell-local\" {\n  }\n}\n" => "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.web\"]\n  error-cleanup-provisioner \"shell-local\" {\n  }\n}\n";
    ONLY_AND_EXCEPT "only-and-except" ["only one of 'only' or 'except' may be specified"],
        "`only` names the sources that a provisioner or post-processor runs for, `except` the others. One of both is enough.",
        "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.web\"]\n  provisioner \"shell-local\" {\n    only   = [\"null.web\"]\n    except = [\"null.db\"]\n  }\n}\n" => "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.web\"]\n  provisioner \"shell-local\" {\n    only = [\"null.web\"]\n  }\n}\n";
    OVERRIDE "override" ["provisioner's {} block must be an HCL object"],
        "`override` is an object with an object of arguments for each source.",
        "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.web\"]\n  provisioner \"shell-local\" {\n    override = { web = \"x\" }\n  }\n}\n" => "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.web\"]\n  provisioner \"shell-local\" {\n    override = { web = { inline = [\"x\"] } }\n  }\n}\n";
    DURATION "duration" ["Failed to parse {} duration"],
        "A duration is a string of numbers with units, such as \"1m30s\".",
        "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.web\"]\n  provisioner \"shell-local\" {\n    timeout = \"30\"\n  }\n}\n" => "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.web\"]\n  provisioner \"shell-local\" {\n    timeout = \"30s\"\n  }\n}\n";
    STEP_BODY "step-body" ["Failed preparing {}"],
        "The body of a provisioner or post-processor has errors for one of its sources. The text lists them.",
        "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.web\"]\n  provisioner \"shell-local\" {\n    inline = [source.kind]\n  }\n}\n" => "source \"null\" \"web\" {\n}\nbuild {\n  sources = [\"source.null.web\"]\n  provisioner \"shell-local\" {\n    inline = [source.type]\n  }\n}\n";
    NULL_DURATION "null-duration" ["Unsuitable value"],
        "A duration is a string such as \"30s\" or a number of nanoseconds, not null.",
        "job \"web\" {\n  group \"web\" {\n    shutdown_delay = null\n  }\n}\n" => "job \"web\" {\n  group \"web\" {\n    shutdown_delay = \"30s\"\n  }\n}\n";
    UNKNOWN_IN_CONFIG "unknown-in-config" ["unsuitable value type"],
        "A value in the configuration of a driver is not known.",
        none because "Values of a job are known, unless the host gives unknown ones.";
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
