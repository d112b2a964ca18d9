//! The properties of a policy's rules that are known without evaluation, and mistakes that would make rules have no effect.
//!
//! A rule that denies must not disappear because of a misspelt name. So whatever looks like a rule, or like a part of
//! one, has to be one, unless the specification is lenient.

use std::collections::HashMap;
use std::sync::Arc;

use hclvm_vm::{Diagnostic, Layout, Value, View, nearest, nearest_of_many};
use smol_str::SmolStr;

use super::{KnownRule, PolicySpec};
use crate::diagnostics::error::Error;
use crate::run::session::Session;
use crate::structure::content::problem::{unknown_argument, unknown_block};
use crate::structure::module::locals::LOCALS;
use crate::structure::schema::DYNAMIC;
use crate::syntax::document::{Attribute, Block, Body, Document};

/// Reads the rules of a document, by the numbers of their blocks.
///
/// # Errors
/// All mistakes, see [`PolicySpec::lenient`].
pub(super) fn known_rules(
    document: &Document,
    session: &mut Session,
    spec: &PolicySpec<'_>,
) -> Result<HashMap<u32, KnownRule>, Error> {
    let mut reader = StrictReader { spec, session, known: HashMap::new(), problems: Vec::new() };
    reader.file(document.body())?;
    let StrictReader { known, mut problems, .. } = reader;
    if problems.is_empty() {
        return Ok(known);
    }
    problems.sort_by_key(|problem| problem.subject.map_or(0, |place| place.start));
    Err(document.file().diagnostics(problems).into())
}

struct StrictReader<'r, 'n> {
    spec: &'r PolicySpec<'n>,
    session: &'r mut Session,
    known: HashMap<u32, KnownRule>,
    problems: Vec<Diagnostic>,
}

impl StrictReader<'_, '_> {
    fn file(&mut self, body: Body<'_>) -> Result<(), Error> {
        for block in body.blocks() {
            if block.kind() == self.spec.kind {
                self.rule(block)?;
            } else if !self.spec.lenient {
                self.other_block(block);
            }
        }
        // In JSON, or with an equals sign.
        if let Some(rule) = body.attribute(self.spec.kind).filter(|_| !self.spec.lenient) {
            let detail = "Rules are blocks of the native syntax; this argument would be ignored.";
            self.problems.push(Diagnostic::error("Unsupported argument", detail, rule.name_span()));
        }
        Ok(())
    }

    fn rule(&mut self, rule: Block<'_>) -> Result<(), Error> {
        let spec = self.spec;
        if !spec.lenient {
            self.unknown_parts(rule);
        }
        let condition = rule.attribute(spec.condition);
        if !spec.lenient {
            self.problems.extend(condition.and_then(condition_in_quotes));
        }
        if condition.is_none() {
            if !spec.lenient {
                let detail = format!(
                    "A rule has a condition: write `{} = true` if it always applies.",
                    spec.condition
                );
                self.problems.push(Diagnostic::error("Missing condition", detail, rule.header_span()));
            }
            return Ok(());
        }
        let Some(effect) = rule.attribute(spec.effect) else {
            let example = spec.effects.first().unwrap_or(&spec.default_effect);
            let detail =
                format!("A rule has an effect: write `{} = \"{example}\"` or another text.", spec.effect);
            self.problems.push(Diagnostic::error("Missing effect", detail, rule.header_span()));
            return Ok(());
        };
        let has_duties =
            spec.outcome.iter().chain([&spec.obligations]).any(|name| rule.attribute(name).is_some());
        let effect = self.constant_effect(effect)?;
        if let Some(number) = rule.index() {
            self.known.insert(number, KnownRule { effect, has_duties });
        }
        Ok(())
    }

    /// Returns the effect that a rule has in every scope, if there is one.
    fn constant_effect(&mut self, attribute: Attribute<'_>) -> Result<Option<SmolStr>, Error> {
        let effects = self.spec.effects;
        let Some(value) = attribute.constant(self.session)? else {
            self.problems.extend(effect_without_quotes(effects, attribute).filter(|_| !self.spec.lenient));
            return Ok(None);
        };
        let value = value.get().unmark().0;
        match value.as_str() {
            Some(effect) if effects.is_empty() || effects.contains(&effect) => Ok(Some(effect.into())),
            _ if self.spec.lenient => Ok(None),
            _ => {
                self.problems.push(unsuitable_effect(effects, value, attribute));
                Ok(None)
            }
        }
    }

    /// Finds attributes and blocks of a rule that have no meaning.
    fn unknown_parts(&mut self, rule: Block<'_>) {
        let PolicySpec { condition, effect, reason, obligations, outcome, priority, .. } = *self.spec;
        let mut names = vec![condition, effect, reason, obligations];
        names.extend(priority);
        names.extend(outcome);
        for attribute in rule.body().attributes().filter(|known| !names.contains(&known.name())) {
            self.problems.push(unknown_argument(attribute.name(), &names, &[], attribute.name_span()));
        }
        for block in rule.body().blocks() {
            self.problems.push(unknown_block(block.kind(), &names, &[], block.kind_span()));
        }
    }

    /// Finds a rule whose type is misspelt, and rules in other blocks.
    fn other_block(&mut self, block: Block<'_>) {
        let kind = self.spec.kind;
        let made = block.labels().next().filter(|_| block.kind() == DYNAMIC);
        let own = made.unwrap_or(block.kind());
        // The planner reports dynamic blocks that make rules.
        if own == LOCALS || own == kind || self.spec.other_blocks.contains(&own) {
            return;
        }
        // `rules { rule "a" {} }`: the rules in it are reported.
        let holds_rules = block.body().blocks().any(|inner| self.has_shape(inner));
        let is_near = !holds_rules && nearest_of_many(own, [kind]).is_some();
        if is_near || self.has_shape(block) {
            let hint = if is_near { format!(" Did you mean \"{kind}\"?") } else { String::new() };
            let detail = format!(
                "Rules are blocks of type \"{kind}\"; a block of type \"{own}\" would be ignored.{hint}"
            );
            let problem = Diagnostic::error("Unsupported block type", detail, block.kind_span());
            let fixed = is_near && made.is_none();
            let problem = if fixed { problem.replacement(block.kind_span(), kind) } else { problem };
            self.problems.push(problem);
            return;
        }
        let mut open: Vec<Block<'_>> = block.body().blocks().collect();
        while let Some(inner) = open.pop() {
            if self.has_shape(inner) {
                let detail = "Rules are blocks of the file; this one in another block would be ignored.";
                self.problems.push(Diagnostic::error("Unsupported block type", detail, inner.kind_span()));
            } else {
                open.extend(inner.body().blocks());
            }
        }
    }

    /// Returns true if a block has a condition and an effect.
    fn has_shape(&self, block: Block<'_>) -> bool {
        block.attribute(self.spec.condition).is_some() && block.attribute(self.spec.effect).is_some()
    }
}

/// The condition of a rule is a string, which is an error in every scope: probably an expression in quotes.
fn condition_in_quotes(attribute: Attribute<'_>) -> Option<Diagnostic> {
    let document = attribute.document();
    let text = document.tree().literal_text(attribute.definition().expr)?;
    let place = attribute.expression_span();
    let detail = "The condition of a rule is a bool, not a string.";
    if document.engine().compile(text, &Arc::new(Layout::default())).is_err()
        || matches!(text, "true" | "false")
    {
        return Some(Diagnostic::error("Unsuitable value type", detail, place));
    }
    let detail = format!("{detail} Without quotes, it is an expression.");
    Some(Diagnostic::error("Unsuitable value type", detail, place).replacement(place, text))
}

/// The effect of a rule is a variable with the name of an effect.
fn effect_without_quotes(effects: &[&str], attribute: Attribute<'_>) -> Option<Diagnostic> {
    let place = attribute.expression_span();
    let text = place.slice(attribute.document().source().text());
    effects.contains(&text).then(|| {
        let detail = format!("`{text}` is a variable here. The effect is a string: \"{text}\".");
        Diagnostic::error("Unsuitable effect", detail, place).replacement(place, format!("\"{text}\""))
    })
}

/// The effect of a rule is a constant that no rule may have.
fn unsuitable_effect(effects: &[&str], value: Value<'_>, attribute: Attribute<'_>) -> Diagnostic {
    let place = attribute.expression_span();
    let title = "Unsuitable effect";
    let quoted: Vec<String> = effects.iter().map(|effect| format!("\"{effect}\"")).collect();
    let effects_of_rules = format!("The effect of a rule is {}", quoted.join(" or "));
    let View::String(effect) = value.view() else {
        return Diagnostic::error(title, format!("{effects_of_rules}, as a string."), place);
    };
    let near = nearest(effect, effects.iter().copied());
    let hint = near.map_or(String::new(), |near| format!(" Did you mean \"{near}\"?"));
    let detail = format!("{effects_of_rules}, not \"{effect}\".{hint}");
    let problem = Diagnostic::error(title, detail, place);
    match near {
        Some(near) => problem.replacement(place, format!("\"{near}\"")),
        None => problem,
    }
}
