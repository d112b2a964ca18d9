//! Builds and data sources as tools show them.

use hclvm::value::Entry;

use super::build::{Build, Provisioner, Source};
use super::registry::REGISTRY;
use super::template::Template;
use crate::evaluated::Body;
use crate::output::{Members, Output, Selection, push_body};

/// Returns the data sources, the builds with the sources that are selected, and the sources that no build uses.
pub(super) fn members<'e>(template: &'e Template, selection: &Selection) -> Members<'e> {
    let data = template.data.iter().map(|(kind, outputs)| {
        let outputs = outputs.iter().map(|(name, output)| (name.as_str(), Output::Value(output.get())));
        (kind.as_str(), Output::Object(outputs.collect()))
    });
    let builds = template.builds().iter().filter_map(|made| build(made, selection));
    let unused = template.unused_sources().iter().map(unused_source);
    vec![
        ("data", Output::Object(data.collect())),
        (REGISTRY, Output::Object(template.registry().map(arguments).unwrap_or_default())),
        ("builds", Output::List(builds.collect())),
        ("blocks", Output::List(unused.collect())),
    ]
}

/// Returns the arguments of a body.
fn arguments(body: &Body) -> Members<'_> {
    body.attributes().map(|(name, value)| (name, Output::Value(value))).collect()
}

/// Returns a build with its selected sources; none if there are sources, but none is selected. The name of a source is
/// `BUILD.TYPE.NAME`, in a build without a name `TYPE.NAME`.
fn build<'e>(build: &'e Build, selection: &Selection) -> Option<Output<'e>> {
    let mut members = vec![("name", Output::Text(build.name()))];
    members.extend(build.description().map(|text| ("description", Output::Text(text))));
    let is_wanted = |source: &&Source| {
        let name = format!("{}.{}", source.kind(), source.name());
        selection.has(&if build.name().is_empty() { name } else { format!("{}.{name}", build.name()) })
    };
    let sources: Vec<Output<'e>> = build.sources().iter().filter(is_wanted).map(source).collect();
    let is_left_out = sources.is_empty() && !selection.is_everything();
    members.extend(build.registry().map(|registry| (REGISTRY, Output::Object(arguments(registry)))));
    members.push(("sources", Output::List(sources)));
    (!is_left_out).then_some(Output::Object(members))
}

fn source(source: &Source) -> Output<'_> {
    let sensitive = source.has_sensitive_name();
    let mut members = vec![
        ("type", Output::name(source.kind(), sensitive)),
        ("name", Output::name(source.name(), sensitive)),
    ];
    push_body(&mut members, source.body());
    if !source.provisioners().is_empty() {
        members.push(("provisioners", steps(source.provisioners())));
    }
    members.extend(source.error_cleanup().map(|cleanup| ("error_cleanup_provisioner", step(cleanup))));
    if !source.post_processors().is_empty() {
        let sequences = source.post_processors().iter().map(|sequence| steps(sequence));
        members.push(("post_processors", Output::List(sequences.collect())));
    }
    Output::Object(members)
}

fn steps(steps: &[Provisioner]) -> Output<'_> {
    Output::List(steps.iter().map(step).collect())
}

fn step(step: &Provisioner) -> Output<'_> {
    let mut members = vec![("type", Output::name(step.kind(), step.has_sensitive_kind()))];
    members.extend(step.name().map(|name| ("name", Output::Text(name))));
    match step.overrides().and_then(|value| value.unmark().0.as_entries()) {
        None => push_body(&mut members, step.body()),
        Some(overrides) => push_overridden(&mut members, step.body(), overrides),
    }
    Output::Object(members)
}

/// Appends the attributes and blocks of a body, those of `override` in the place of others with their names.
fn push_overridden<'e>(members: &mut Members<'e>, body: &'e Body, overrides: &'e [Entry<'e>]) {
    let is_replaced = |name: &str| overrides.iter().any(|entry| entry.name == name);
    let kept = body.attributes().filter(|(name, _)| !is_replaced(name));
    let replaced = overrides.iter().map(|entry| (entry.name, entry.value));
    let attributes: Members<'e> =
        kept.chain(replaced).map(|(name, value)| (name, Output::Value(value))).collect();
    let blocks = body.blocks().iter().filter(|block| !is_replaced(block.kind()));
    let blocks: Vec<Output<'e>> = blocks.map(Output::from).collect();
    if !attributes.is_empty() {
        members.push(("attrs", Output::Object(attributes)));
    }
    if !blocks.is_empty() {
        members.push(("blocks", Output::List(blocks)));
    }
}

fn unused_source(source: &Source) -> Output<'_> {
    let labels = vec![Output::Name(source.kind()), Output::Name(source.name())];
    let mut members = vec![("type", Output::Name("source")), ("labels", Output::List(labels))];
    push_body(&mut members, source.body());
    Output::Object(members)
}
