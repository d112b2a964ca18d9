//! The language of policies and of their tests, as editors show it: its names, its blocks, what its functions do.

use hclvm::Dialect;
use hclvm::schema::Schema;

use super::{POLICY_SUFFIX, PolicyKind, TEST_SUFFIX, functions};
use crate::application::{DefinedBy, NameDefinition};

/// The names that expressions of policies read, beside those of loops.
pub(super) const ROOTS: [&str; 5] = ["attrs", "prior_attrs", "meta", "input", "local"];

/// The language of a file: that of policies, or of their tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// That of `*.policy.hcl`.
    Policies,
    /// That of `*.policytest.hcl`.
    Tests,
}

const INPUTS: NameDefinition = NameDefinition { block: "input", root: "input", by: DefinedBy::Labels(1) };
const LOCALS: NameDefinition = NameDefinition { block: "locals", root: "local", by: DefinedBy::Attributes };
const OWN_LOCALS: NameDefinition = NameDefinition { by: DefinedBy::NestedAttributes, ..LOCALS };
const GIVEN_INPUTS: NameDefinition =
    NameDefinition { block: "inputs", root: "input", by: DefinedBy::Attributes };
const DATA: NameDefinition = NameDefinition { block: "data", root: "data", by: DefinedBy::Labels(2) };

impl Language {
    /// Returns the language of a file, by its name.
    ///
    /// ```
    /// use hclvm_dialects::terraform_policy::Language;
    ///
    /// assert_eq!(Language::of_file("a.policy.hcl"), Some(Language::Policies));
    /// assert_eq!(Language::of_file("a.hcl"), None);
    /// ```
    pub fn of_file(name: &str) -> Option<Self> {
        let has_suffix = |(suffix, _): &(&str, Self)| name.ends_with(suffix);
        [(POLICY_SUFFIX, Self::Policies), (TEST_SUFFIX, Self::Tests)]
            .into_iter()
            .find(has_suffix)
            .map(|(_, one)| one)
    }

    /// Returns the dialect of its expressions.
    pub fn dialect(self) -> Dialect {
        Dialect::with_functions(functions::table())
    }

    /// Returns the names that expressions may begin with.
    pub fn roots(self) -> &'static [&'static str] {
        match self {
            Self::Policies => &ROOTS,
            Self::Tests => &["data", "input", "local"],
        }
    }

    /// Returns the blocks whose content defines names that expressions read.
    pub fn definitions(self) -> &'static [NameDefinition] {
        match self {
            Self::Policies => &[INPUTS, LOCALS, OWN_LOCALS],
            Self::Tests => &[GIVEN_INPUTS, LOCALS, DATA],
        }
    }

    /// Returns the blocks and attributes of its files.
    pub fn schema(self) -> Schema {
        match self {
            Self::Policies => policies(),
            Self::Tests => tests(),
        }
    }
}

/// Returns what a function does that only policies have; `None` of others.
///
/// ```
/// use hclvm_dialects::terraform_policy::function_summary;
///
/// assert!(function_summary("core::semvercmp").is_some() && function_summary("core::upper").is_none());
/// ```
pub fn function_summary(name: &str) -> Option<&'static str> {
    Some(match name.strip_prefix("core::")? {
        "alltrue" => "Returns whether all elements are true. Strings are not converted.",
        "anytrue" => "Returns whether at least one element is true. Strings are not converted.",
        "contains_substring" => "Returns whether a string contains another one.",
        "getdatasource" => {
            "Returns the data source of a type whose attributes have the values of a configuration."
        }
        "gethttprequest" => {
            "Returns the answer of a web address. Nothing is requested here: the answer is unknown."
        }
        "getresources" => {
            "Returns the resources of a type whose attributes have the values of a filter, from all modules of the plan."
        }
        "regex_match" => "Returns whether a pattern matches a part of a string.",
        "semvercmp" => {
            "Compares two versions: -1 if the first one is lower, 0 if they are equal, 1 if it is higher."
        }
        "semverconstraint" => "Returns whether a version meets a constraint such as `~> 1.2, != 1.2.5`.",
        "valuetostring" => "Returns any value as text: primitives as they are, others as indented JSON.",
        _ => return None,
    })
}

fn with_optional(schema: Schema, names: &[&str]) -> Schema {
    names.iter().fold(schema, |schema, name| schema.optional(*name))
}

/// Returns the schema of a file of policies.
pub(super) fn policies() -> Schema {
    let [resource, provider, module] = PolicyKind::ALL.map(policy);
    Schema::new()
        .block_with("policy", &[], header())
        .block_with("input", &["name"], input())
        .block("locals", &[])
        .block_with("resource_policy", &["type", "label"], resource)
        .block_with("provider_policy", &["name", "label"], provider)
        .block_with("module_policy", &["source", "label"], module)
}

/// Returns the schema of the block `policy`.
pub(super) fn header() -> Schema {
    let schema = Schema::new().optional("enforcement_level").block("required_providers", &[]);
    schema.block_with("terraform_config", &[], terraform_config()).block("plugins", &[])
}

/// Returns the schema of the block `terraform_config`.
pub(super) fn terraform_config() -> Schema {
    Schema::new().optional("required_version")
}

/// Returns the schema of the declaration of an input.
pub(super) fn input() -> Schema {
    with_optional(Schema::new().required("type"), &["default", "nullable", "sensitive", "description"])
}

/// Returns the schema of a policy.
pub(super) fn policy(kind: PolicyKind) -> Schema {
    let schema = with_optional(Schema::new(), &["enforcement_level", "filter"]);
    let schema = if kind == PolicyKind::Resource { schema.optional("operations") } else { schema };
    schema.block("locals", &[]).block_with("enforce", &[], enforce())
}

/// Returns the schema of the block `enforce`.
pub(super) fn enforce() -> Schema {
    with_optional(Schema::new().required("condition"), &["error_message", "info_message"])
}

/// Returns the schema of a test file.
pub(super) fn tests() -> Schema {
    let labels = ["type", "name"];
    let [resource, provider, module] = PolicyKind::ALL.map(|kind| mock(Some(kind)));
    Schema::new()
        .block_with("policytest", &[], policytest())
        .block("inputs", &[])
        .block("locals", &[])
        .block_with("resource", &labels, resource)
        .block_with("provider", &labels, provider)
        .block_with("module", &labels, module)
        .block_with("data", &labels, mock(None))
}

/// Returns the schema of the block `policytest`.
pub(super) fn policytest() -> Schema {
    let schema = Schema::new().optional("targets").block("plugins", &[]);
    schema.block_with("terraform_config", &[], terraform_config())
}

/// Returns the schema of a mock, of an object that policies judge or of data.
pub(super) fn mock(kind: Option<PolicyKind>) -> Schema {
    let schema = Schema::new().optional("attrs");
    match kind {
        None => schema,
        Some(PolicyKind::Resource) => {
            with_optional(schema, &["prior_attrs", "meta", "expect_failure", "skip"]).block("inputs", &[])
        }
        Some(_) => with_optional(schema, &["meta", "expect_failure"]).block("inputs", &[]),
    }
}
