//! How the rules of a file decide: as the block `policy` of the project file says, else as the library has it.

use std::str::FromStr;

use hclvm::diagnostics::nearest;
use hclvm::policy::{Combining, PolicySpec};
use serde::Deserialize;

use crate::project::PROJECT_FILE;

/// The block `policy` of the project file. Its attributes are named like the options.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct PolicyBlock {
    /// Which rule decides if several apply.
    pub combining: Option<CombiningName>,
    /// The effects that rules may have.
    pub effects: Option<Vec<String>>,
    /// The effect if no rule applies.
    pub default_effect: Option<String>,
    /// The effect if it cannot be determined which rule decides.
    pub undecided_effect: Option<String>,
    /// The effects that allow.
    pub allowing: Option<Vec<String>>,
    /// The type of the blocks that are rules.
    pub rule_type: Option<String>,
    /// The attribute that is true if a rule applies.
    pub condition: Option<String>,
    /// The attribute with the effect.
    pub effect: Option<String>,
    /// The attribute with the reason.
    pub reason: Option<String>,
    /// The attribute with what the host has to do.
    pub obligations: Option<String>,
    /// Further attributes of rules, whose values are shown if a rule decides.
    pub outcome: Option<Vec<String>>,
    /// The attribute by which rules are ordered.
    pub priority: Option<String>,
    /// Types of other blocks, which are not rules although their names are similar.
    pub other_blocks: Option<Vec<String>>,
}

impl PolicyBlock {
    /// Returns the settings with those of another block where these say nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            combining: self.combining.or(other.combining),
            effects: self.effects.or(other.effects),
            default_effect: self.default_effect.or(other.default_effect),
            undecided_effect: self.undecided_effect.or(other.undecided_effect),
            allowing: self.allowing.or(other.allowing),
            rule_type: self.rule_type.or(other.rule_type),
            condition: self.condition.or(other.condition),
            effect: self.effect.or(other.effect),
            reason: self.reason.or(other.reason),
            obligations: self.obligations.or(other.obligations),
            outcome: self.outcome.or(other.outcome),
            priority: self.priority.or(other.priority),
            other_blocks: self.other_blocks.or(other.other_blocks),
        }
    }
}

/// The name of a way to combine rules.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum CombiningName {
    /// The first one that applies.
    First,
    /// The first one, with the obligations of all.
    All,
    /// One with this effect, whatever the others have.
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
pub struct PolicySettings {
    settings: PolicyBlock,
}

impl PolicySettings {
    /// Creates the settings of a block.
    ///
    /// # Errors
    /// A sentence about an effect that is not known.
    pub fn new(settings: PolicyBlock) -> Result<Self, String> {
        let settings = Self { settings };
        settings.check()?;
        Ok(settings)
    }

    /// Returns the settings with these effects that allow, if there are any.
    ///
    /// # Errors
    /// An effect that is not known.
    pub fn with_allowing(mut self, allowing: &[String]) -> Result<Self, String> {
        if !allowing.is_empty() {
            self.settings.allowing = Some(allowing.to_vec());
            self.check()?;
        }
        Ok(self)
    }

    /// Refuses effects that rules cannot have: they are probably misspelt, and would allow or deny nothing.
    fn check(&self) -> Result<(), String> {
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
            let why = format!("The {what} effect \"{effect}\" is not an effect of the rules. {hint}");
            return Err(why);
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
    pub fn allows(&self, effect: &str) -> bool {
        match &self.settings.allowing {
            Some(allowing) => allowing.iter().any(|one| one == effect),
            None => effect == "allow",
        }
    }

    /// Returns the further attributes whose values are shown.
    pub fn outcome(&self) -> &[String] {
        self.settings.outcome.as_deref().unwrap_or_default()
    }

    /// Returns the type of the blocks that are rules.
    pub fn rule_type(&self) -> &str {
        self.settings.rule_type.as_deref().unwrap_or(PolicySpec::default().kind)
    }

    /// Returns the names of the attributes that a rule has besides its condition.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        let PolicyBlock { effect, reason, obligations, .. } = &self.settings;
        let default = PolicySpec::default();
        let named = [(effect, default.effect), (reason, default.reason), (obligations, default.obligations)];
        let named = named.into_iter().map(|(name, default)| name.as_deref().unwrap_or(default));
        named.chain(self.outcome().iter().map(String::as_str))
    }

    /// Returns the name of the condition.
    pub fn condition(&self) -> &str {
        self.settings.condition.as_deref().unwrap_or(PolicySpec::default().condition)
    }

    /// Calls `then` with the specification.
    pub fn with_spec<R>(&self, then: impl FnOnce(&PolicySpec<'_>) -> R) -> R {
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
