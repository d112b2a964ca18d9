//! How the rules of a file decide: from the options of the command, else from the block `policy` of the project file, else
//! as the library has it.

use std::str::FromStr;

use clap::Args;
use hclvm::diagnostics::nearest;
use hclvm::policy::{Combining, PolicySpec};
use serde::Deserialize;

use crate::outcome::Stop;
use crate::project::PROJECT_FILE;

/// The block `policy` of the project file. Its attributes are named like the options.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct PolicyBlock {
    combining: Option<CombiningName>,
    effects: Option<Vec<String>>,
    default_effect: Option<String>,
    undecided_effect: Option<String>,
    allowing: Option<Vec<String>>,
    rule_type: Option<String>,
    condition: Option<String>,
    effect: Option<String>,
    reason: Option<String>,
    obligations: Option<String>,
    outcome: Option<Vec<String>>,
    priority: Option<String>,
    other_blocks: Option<Vec<String>>,
}

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
}

/// The name of a way to combine rules.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum CombiningName {
    First,
    All,
    Overrides(String),
}

impl FromStr for CombiningName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_suffix("-overrides")) {
            ("first", _) => Ok(Self::First),
            ("all", _) => Ok(Self::All),
            (_, Some(effect)) if !effect.is_empty() => Ok(Self::Overrides(effect.to_owned())),
            _ => {
                Err(format!("found {text:?}, wanted first, all, or EFFECT-overrides such as deny-overrides"))
            }
        }
    }
}

impl TryFrom<String> for CombiningName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// How the rules of a file decide: what no option and no project file says is `None` or empty.
#[derive(Clone, Debug)]
pub(crate) struct PolicySettings {
    settings: PolicyBlock,
}

impl PolicySettings {
    /// Joins the options with the block of the project file.
    ///
    /// # Errors
    /// An effect that is not known.
    pub(crate) fn new(arguments: &PolicyArguments, block: Option<PolicyBlock>) -> Result<Self, Stop> {
        let block = block.unwrap_or_default();
        let own = arguments.clone();
        let list = |own: Vec<String>, of_block| if own.is_empty() { of_block } else { Some(own) };
        let settings = PolicyBlock {
            combining: own.combining.or(block.combining),
            effects: list(own.effects, block.effects),
            default_effect: own.default_effect.or(block.default_effect),
            undecided_effect: own.undecided_effect.or(block.undecided_effect),
            allowing: block.allowing,
            rule_type: own.rule_type.or(block.rule_type),
            condition: own.condition.or(block.condition),
            effect: own.effect.or(block.effect),
            reason: own.reason.or(block.reason),
            obligations: own.obligations.or(block.obligations),
            outcome: list(own.outcome, block.outcome),
            priority: own.priority.or(block.priority),
            other_blocks: list(own.other_blocks, block.other_blocks),
        };
        let settings = Self { settings };
        settings.check()?;
        Ok(settings)
    }

    /// Returns the settings with these effects that allow, if there are any.
    ///
    /// # Errors
    /// An effect that is not known.
    pub(crate) fn with_allowing(mut self, allowing: &[String]) -> Result<Self, Stop> {
        if !allowing.is_empty() {
            self.settings.allowing = Some(allowing.to_vec());
            self.check()?;
        }
        Ok(self)
    }

    /// Refuses effects that rules cannot have: they are probably misspelt, and would allow or deny nothing.
    fn check(&self) -> Result<(), Stop> {
        let PolicyBlock { combining, default_effect, undecided_effect, allowing, .. } = &self.settings;
        let overriding = match combining {
            Some(CombiningName::Overrides(effect)) => Some(effect),
            _ => None,
        };
        let named = [("default", default_effect.as_ref()), ("undecided", undecided_effect.as_ref())];
        let allowing = allowing.iter().flatten().map(|effect| ("allowing", Some(effect)));
        let named = named.into_iter().chain([("overriding", overriding)]).chain(allowing);
        let effects = self.effects();
        let is_unknown = |effect: &&String| !effects.is_empty() && !effects.contains(&effect.as_str());
        for (what, effect) in named {
            let Some(effect) = effect.filter(is_unknown) else { continue };
            let hint = match nearest(effect, effects.iter().copied()) {
                Some(near) => format!("Did you mean \"{near}\"?"),
                None => format!("Name all effects with --effects, or as `effects` in {PROJECT_FILE}."),
            };
            let why = format!("The {what} effect \"{effect}\" is none that rules can have. {hint}");
            return Err(Stop::Refused(why));
        }
        Ok(())
    }

    fn effects(&self) -> Vec<&str> {
        match &self.settings.effects {
            Some(effects) => effects.iter().map(String::as_str).collect(),
            None => PolicySpec::default().effects.to_vec(),
        }
    }

    /// Returns true for an effect that allows.
    pub(crate) fn allows(&self, effect: &str) -> bool {
        match &self.settings.allowing {
            Some(allowing) => allowing.iter().any(|one| one == effect),
            None => effect == "allow",
        }
    }

    /// Returns the further attributes whose values are shown.
    pub(crate) fn outcome(&self) -> &[String] {
        self.settings.outcome.as_deref().unwrap_or_default()
    }

    /// Returns the type of the blocks that are rules.
    pub(crate) fn rule_type(&self) -> &str {
        self.settings.rule_type.as_deref().unwrap_or(PolicySpec::default().kind)
    }

    /// Returns the names of the attributes that a rule has besides its condition.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        let PolicyBlock { effect, reason, obligations, .. } = &self.settings;
        let default = PolicySpec::default();
        let named = [(effect, default.effect), (reason, default.reason), (obligations, default.obligations)];
        let named = named.into_iter().map(|(name, default)| name.as_deref().unwrap_or(default));
        named.chain(self.outcome().iter().map(String::as_str))
    }

    /// Returns the name of the condition.
    pub(crate) fn condition(&self) -> &str {
        self.settings.condition.as_deref().unwrap_or(PolicySpec::default().condition)
    }

    /// Calls `then` with the specification.
    pub(crate) fn with_spec<R>(&self, then: impl FnOnce(&PolicySpec<'_>) -> R) -> R {
        let settings = &self.settings;
        let default = PolicySpec::default();
        let effects = self.effects();
        let outcome: Vec<&str> = self.outcome().iter().map(String::as_str).collect();
        let other_blocks: Vec<&str> = settings.other_blocks.iter().flatten().map(String::as_str).collect();
        let name = |name: &'_ Option<String>, default| name.as_deref().unwrap_or(default).to_owned();
        let names = [
            name(&settings.effect, default.effect),
            name(&settings.reason, default.reason),
            name(&settings.obligations, default.obligations),
            name(&settings.default_effect, default.default_effect),
        ];
        let [effect, reason, obligations, default_effect] = names.each_ref().map(String::as_str);
        then(&PolicySpec {
            kind: self.rule_type(),
            condition: self.condition(),
            effect,
            reason,
            obligations,
            outcome: &outcome,
            priority: settings.priority.as_deref().or(default.priority),
            combining: match &settings.combining {
                None => default.combining,
                Some(CombiningName::First) => Combining::First,
                Some(CombiningName::All) => Combining::All,
                Some(CombiningName::Overrides(effect)) => Combining::Overrides(effect),
            },
            effects: &effects,
            default_effect,
            undecided_effect: settings.undecided_effect.as_deref(),
            other_blocks: &other_blocks,
            lenient: false,
        })
    }
}
