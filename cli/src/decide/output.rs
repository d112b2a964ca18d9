//! Decisions as text and as JSON.
//!
//! ```text
//! allow, because rule "owner" applies (policy.hcl:2)
//! reason: ann owns it
//! obligations: {"audit":true}
//! ```
//! Values are written as `eval` writes them; of marked ones only the marks are.

use std::fmt::Write as _;

use hclvm::module::BlockValues;
use hclvm::policy::{Cause, Decision, PolicyWhy};
use hclvm::{Diagnostics, Value};
use serde_json::{Map, Value as Json};

use super::{DecisionFormat, DecisionSubject, outcome_of};
use crate::disasm::plain;
use crate::outcome::CommandResult;
use crate::report::{list, sentence};
use crate::shown::{OutputFormat, shown, write, write_text};
use crate::stream::errors;

/// Rules that the line of an undecided decision names; JSON has all.
const MOST_NAMED: usize = 3;

/// A decision, and how it ends the command.
pub(super) struct Decided {
    pub(super) outcome: CommandResult,
    pub(super) problems: Diagnostics,
    pub(super) why: Option<PolicyWhy>,
    title: Option<String>,
    effect: String,
    cause: Cause,
    /// The rule that decided: its name, and its file and line.
    rule: Option<(String, String)>,
    reason: Option<String>,
    /// The names of the rules with their obligations.
    obligations: Vec<(String, Json)>,
    attributes: Map<String, Json>,
    failed: Vec<String>,
    undecided: Vec<String>,
}

impl Decided {
    /// # Errors
    /// The reason why a value of the decision cannot be written: what the host has to do must not be lost.
    pub(super) fn new(
        subject: &DecisionSubject<'_>,
        decision: &Decision<'_>,
        title: Option<String>,
    ) -> Result<Self, String> {
        let names = |rules: &[BlockValues<'_>]| rules.iter().map(|rule| name(*rule)).collect();
        let obligations = decision.obligations().filter(|(_, value)| !value.is_null());
        let rule = decision.rule();
        let attributes = rule.into_iter().flat_map(|rule| {
            let outcome = subject.settings.outcome().iter();
            outcome.filter_map(move |name| Some((name, rule.attribute(name)?)))
        });
        let attributes = attributes.map(|(name, value)| Ok((name.clone(), json(value)?)));
        Ok(Self {
            outcome: outcome_of(&subject.settings, decision.effect(), decision.cause()),
            problems: decision.diagnostics().clone(),
            why: None,
            title,
            effect: decision.effect().to_owned(),
            cause: decision.cause(),
            rule: rule.map(|rule| (name(rule), place(subject, rule))),
            reason: decision.reason().map(str::to_owned),
            obligations: obligations
                .map(|(rule, value)| Ok((name(rule), json(value)?)))
                .collect::<Result<_, String>>()?,
            attributes: attributes.collect::<Result<_, String>>()?,
            failed: names(decision.failed()),
            undecided: names(decision.undecided()),
        })
    }

    /// Clears `buffer` and writes the decision to it. `place` is the place of the scope in its file.
    ///
    /// # Errors
    /// The reason why it cannot be written.
    pub(super) fn write(
        &self,
        format: DecisionFormat,
        place: Option<(&str, usize)>,
        all: bool,
        buffer: &mut Vec<u8>,
    ) -> Result<(), String> {
        match format {
            DecisionFormat::Text => write_text(&self.text(place, all), buffer),
            DecisionFormat::Json => write(OutputFormat::Json, &self.json()?, buffer),
            DecisionFormat::Pretty => write(OutputFormat::Pretty, &self.json()?, buffer),
        }
    }

    fn text(&self, place: Option<(&str, usize)>, all: bool) -> String {
        let mut out = String::new();
        let scope = scope_name(place, self.title.as_deref());
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}{}, because {}", plain(&scope), plain(&self.effect), plain(&self.because()));
        if let Some(reason) = &self.reason {
            let _ = writeln!(out, "reason: {}", plain(reason));
        }
        for (rule, value) in &self.obligations {
            let of = match &self.rule {
                Some((own, _)) if own == rule => String::new(),
                _ => format!(" of {}", quoted(rule)),
            };
            let _ = writeln!(out, "{}", plain(&format!("obligations{of}: {value}")));
        }
        for (name, value) in &self.attributes {
            let _ = writeln!(out, "{}", plain(&format!("{name}: {value}")));
        }
        if let Some(why) = &self.why {
            if all {
                why.rules().iter().for_each(|rule| out.push_str(&(plain(&rule.reason()) + "\n")));
            } else {
                // Without the line of the effect, which is there already.
                let lines = why.to_string();
                lines.lines().skip(1).for_each(|line| out.push_str(&(plain(line) + "\n")));
            }
        }
        out
    }

    fn because(&self) -> String {
        match (self.cause, &self.rule) {
            (Cause::Rule, Some((rule, place))) => format!("{} applies ({place})", quoted(rule)),
            (Cause::Undecided, _) => {
                let of = |rules: &[String], what: &str| {
                    let mut names: Vec<String> =
                        rules.iter().take(MOST_NAMED).map(|rule| quoted(rule)).collect();
                    match rules.len().saturating_sub(MOST_NAMED) {
                        0 => {}
                        1 => names.push("1 more rule".to_owned()),
                        more => names.push(format!("{more} more rules")),
                    }
                    (!names.is_empty()).then(|| format!("{} {what}", names.join(", ")))
                };
                let verb = |rules: &[String], one, several| if rules.len() == 1 { one } else { several };
                let failed = of(&self.failed, verb(&self.failed, "has an error", "have errors"));
                let unknown = verb(&self.undecided, "depends on unknown values", "depend on unknown values");
                let open: Vec<String> = failed.into_iter().chain(of(&self.undecided, unknown)).collect();
                if open.is_empty() {
                    "it is undecided: a rule that applies has no suitable effect".to_owned()
                } else {
                    format!("it is undecided: {}", open.join(", and "))
                }
            }
            _ => "no rule applies".to_owned(),
        }
    }

    fn json(&self) -> Result<Json, String> {
        let mut members = Map::new();
        members.extend(self.title.clone().map(|title| ("scope".to_owned(), title.into())));
        let cause = match self.cause {
            Cause::Rule => "rule",
            Cause::NoRule => "no rule",
            _ => "undecided",
        };
        let rule = self.rule.as_ref().map(|(name, _)| name.clone());
        let obligations = self.obligations.iter().map(|(rule, value)| {
            let members = [("rule", rule.clone().into()), ("value", value.clone())];
            Json::Object(members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
        });
        let own: [(&str, Json); 5] = [
            ("effect", self.effect.clone().into()),
            ("cause", cause.into()),
            ("rule", rule.into()),
            ("reason", self.reason.clone().into()),
            ("obligations", obligations.collect()),
        ];
        members.extend(own.map(|(name, value)| (name.to_owned(), value)));
        let errors: Vec<Json> = self.problems.by_file().iter().flat_map(list).collect();
        let names = |rules: &[String]| rules.iter().map(|rule| Json::from(rule.as_str())).collect();
        let further: [(&str, Json); 4] = [
            ("outcome", Json::Object(self.attributes.clone())),
            ("failed", names(&self.failed)),
            ("undecided", names(&self.undecided)),
            ("diagnostics", errors.into()),
        ];
        let is_empty = |value: &Json| {
            value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty)
        };
        let further = further.into_iter().filter(|(_, value)| !is_empty(value));
        members.extend(further.map(|(name, value)| (name.to_owned(), value)));
        if let Some(why) = &self.why {
            members.insert("why".to_owned(), serde_json::to_value(why).map_err(|error| error.to_string())?);
        }
        Ok(Json::Object(members))
    }
}

/// Clears `buffer` and writes the errors of a scope to it.
pub(super) fn write_errors(
    format: DecisionFormat,
    title: Option<String>,
    place: (&str, usize),
    problems: &Diagnostics,
    buffer: &mut Vec<u8>,
) {
    let as_data = match format {
        DecisionFormat::Text => {
            let scope = scope_name(Some(place), title.as_deref());
            let _ =
                write_text(&plain_lines(&format!("{scope}error, nothing was decided: {problems}")), buffer);
            return;
        }
        DecisionFormat::Json => OutputFormat::Json,
        DecisionFormat::Pretty => OutputFormat::Pretty,
    };
    // A list of diagnostics is within the limits, so writing it cannot fail.
    let _ = write(as_data, &errors(title, place, problems), buffer);
}

/// Returns how the line of a decision begins: with the title of its scope, else with its place.
fn scope_name(place: Option<(&str, usize)>, title: Option<&str>) -> String {
    match (place, title) {
        (Some(_), Some(title)) => format!("{title}: "),
        (Some((unit, number)), None) => format!("{unit} {number}: "),
        (None, _) => String::new(),
    }
}

/// Returns lines without characters that steer a terminal.
fn plain_lines(text: &str) -> String {
    text.lines().map(|line| plain(line) + "\n").collect()
}

/// A decision is larger than results may be.
pub(super) fn too_large(why: &str, name: &str) -> Diagnostics {
    sentence("Result too large", &format!("Cannot write the decision: {why}."), name)
}

/// Returns the first label of a rule; an empty text if it has none.
fn name(rule: BlockValues<'_>) -> String {
    rule.labels().next().unwrap_or_default().to_owned()
}

fn quoted(rule: &str) -> String {
    if rule.is_empty() { "a rule without a name".to_owned() } else { format!("rule \"{rule}\"") }
}

fn json(value: Value<'_>) -> Result<Json, String> {
    serde_json::to_value(shown(value)).map_err(|error| error.to_string())
}

/// Returns the file and line of a rule; of several with equal labels only the file.
fn place(subject: &DecisionSubject<'_>, rule: BlockValues<'_>) -> String {
    let source = subject.document.source();
    let rules = subject.document.body().blocks_of(subject.settings.rule_type());
    let mut equal = rules.filter(|block| block.labels().eq(rule.labels()));
    match (equal.next(), equal.next()) {
        (Some(block), None) => {
            let start = block.header_span().start;
            let file = source.file_at(start).map_or(source.name(), |at| &source.files()[at].name);
            format!("{file}:{}", source.position(start).line)
        }
        _ => source.name().to_owned(),
    }
}
