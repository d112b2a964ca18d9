//! How the rules of a file decide: from the options of the command, else from the block `policy` of the project file, else
//! as the library has it.

use clap::Args;
pub(crate) use hclvm_project::policy::PolicySettings;
use hclvm_project::policy::{CombiningName, PolicyBlock};

use crate::outcome::EarlyEnd;

/// How the rules of a file decide
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Policy (else as the block policy of hclvm.hcl says)")]
pub(crate) struct PolicyArguments {
    /// Which rule decides if several apply: first, all (the first one, with the obligations of all), or
    /// EFFECT-overrides, such as deny-overrides [default: first]
    #[arg(long, value_name = "HOW")]
    combining: Option<CombiningName>,

    /// The effects that rules may have [default: allow,deny]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    effects: Vec<String>,

    /// The effect if no rule applies [default: deny]
    #[arg(long, value_name = "EFFECT")]
    default_effect: Option<String>,

    /// The effect if it cannot be determined which rule decides [default: deny if rules can have it, else the default
    /// effect]
    #[arg(long, value_name = "EFFECT")]
    undecided_effect: Option<String>,

    /// The type of the blocks that are rules [default: rule]
    #[arg(long, value_name = "TYPE", hide_short_help = true)]
    rule_type: Option<String>,

    /// The attribute that is true if a rule applies [default: when]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    condition: Option<String>,

    /// The attribute with the effect [default: effect]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    effect: Option<String>,

    /// The attribute with the reason [default: reason]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    reason: Option<String>,

    /// The attribute with what the host has to do [default: obligations]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    obligations: Option<String>,

    /// Further attributes of rules, whose values are shown if a rule decides
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_short_help = true)]
    outcome: Vec<String>,

    /// The attribute by which rules are ordered, the least number first [default: priority]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    priority: Option<String>,

    /// Types of other blocks in the file, which are not rules although their names are similar
    #[arg(long, value_name = "TYPES", value_delimiter = ',', hide_short_help = true)]
    other_blocks: Vec<String>,
}

impl PolicyArguments {
    /// Returns true if an option is given.
    pub(crate) fn is_used(&self) -> bool {
        *self != Self::default()
    }

    /// Joins the options with the block of the project file.
    ///
    /// # Errors
    /// An effect that is not known.
    pub(crate) fn settings(&self, block: Option<PolicyBlock>) -> Result<PolicySettings, EarlyEnd> {
        let own = self.clone();
        let list = |names: Vec<String>| Some(names).filter(|names| !names.is_empty());
        let options = PolicyBlock {
            combining: own.combining,
            effects: list(own.effects),
            default_effect: own.default_effect,
            undecided_effect: own.undecided_effect,
            allowing: None,
            rule_type: own.rule_type,
            condition: own.condition,
            effect: own.effect,
            reason: own.reason,
            obligations: own.obligations,
            outcome: list(own.outcome),
            priority: own.priority,
            other_blocks: list(own.other_blocks),
        };
        PolicySettings::new(options.or(block.unwrap_or_default())).map_err(EarlyEnd::Refused)
    }
}
