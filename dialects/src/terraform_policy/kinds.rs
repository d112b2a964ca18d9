//! The words of policies: what they are for, their levels, operations, results.

/// What a policy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PolicyKind {
    /// A resource in one operation.
    Resource,
    /// A provider with its configuration.
    Provider,
    /// The call of a module.
    Module,
}

impl PolicyKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Resource, Self::Provider, Self::Module];

    /// Returns the type of its blocks.
    pub const fn block(self) -> &'static str {
        match self {
            Self::Resource => "resource_policy",
            Self::Provider => "provider_policy",
            Self::Module => "module_policy",
        }
    }

    /// Returns the names of the attributes of `meta`.
    pub const fn meta(self) -> &'static [&'static str] {
        match self {
            Self::Resource => {
                &["module_path", "operation", "provider_type", "tfe_stack", "tfe_workspace", "type"]
            }
            Self::Provider => &["alias", "name", "namespace", "source", "tfe_stack", "type", "version"],
            Self::Module => &["address", "source", "tfe_stack", "version"],
        }
    }
}

/// What follows if a policy fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// A warning.
    Advisory,
    /// Stops the run unless the policy is overridden.
    Overridable,
    /// The run stops.
    Mandatory,
}

impl Level {
    pub(super) const NAMES: [&str; 3] = ["advisory", "mandatory", "mandatory_overridable"];

    pub(super) fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "advisory" => Self::Advisory,
            "mandatory" => Self::Mandatory,
            "mandatory_overridable" => Self::Overridable,
            _ => return None,
        })
    }

    /// Returns its name in files: `mandatory`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Advisory => "advisory",
            Self::Overridable => "mandatory_overridable",
            Self::Mandatory => "mandatory",
        }
    }
}

/// What a plan does with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// It is created.
    Create,
    /// It is changed.
    Update,
    /// It is destroyed.
    Delete,
    /// It stays as it is.
    NoOp,
}

impl Operation {
    pub(super) fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "create" => Self::Create,
            "update" => Self::Update,
            "delete" => Self::Delete,
            "no-op" => Self::NoOp,
            _ => return None,
        })
    }

    /// Returns its name in files: `no-op`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::NoOp => "no-op",
        }
    }
}

/// A set of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operations(u8);

impl Operations {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALL: Self = Self(0b1111);
    /// Those of a policy that lists none.
    pub(super) const DEFAULT: Self =
        Self::NONE.with(Operation::Create).with(Operation::Update).with(Operation::NoOp);

    const fn bit(operation: Operation) -> u8 {
        match operation {
            Operation::Create => 1,
            Operation::Update => 2,
            Operation::Delete => 4,
            Operation::NoOp => 8,
        }
    }

    pub(super) const fn with(self, operation: Operation) -> Self {
        Self(self.0 | Self::bit(operation))
    }

    pub(super) const fn has(self, operation: Operation) -> bool {
        self.0 & Self::bit(operation) != 0
    }
}

/// The result of a policy for an object. Of several results the greater one counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// The policy is not for this operation, or its filter excludes the object.
    Skipped,
    /// All conditions hold.
    #[default]
    Pass,
    /// A condition depends on values that are not known yet.
    Unknown,
    /// A condition does not hold.
    Fail,
    /// A condition cannot be evaluated.
    Error,
}

impl Status {
    /// Returns its name in reports: `pass`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Pass => "pass",
            Self::Unknown => "unknown",
            Self::Fail => "fail",
            Self::Error => "error",
        }
    }
}
