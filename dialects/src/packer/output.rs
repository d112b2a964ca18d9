//! Builds and data sources as tools show them.

use super::build::{Build, Provisioner, Source};
use super::template::Template;
use crate::output::{Members, Output, matches, push_body};

/// Returns the data sources, the builds with the sources that `only` selects, and the sources that no build uses.
pub(super) fn members<'e>(template: &'e Template, only: &[String]) -> Members<'e> {
    let data = template.data.iter().map(|(kind, outputs)| {
        let outputs = outputs.iter().map(|(name, output)| (name.as_str(), Output::Value(output.get())));
        (kind.as_str(), Output::Object(outputs.collect()))
    });
    let builds = template.builds().iter().map(|made| build(made, only));
    let unused = template.unused_sources().iter().map(unused_source);
    vec![
        ("data", Output::Object(data.collect())),
        ("builds", Output::List(builds.collect())),
        ("blocks", Output::List(unused.collect())),
    ]
}

fn build<'e>(build: &'e Build, only: &[String]) -> Output<'e> {
    let mut members = vec![("name", Output::Text(build.name()))];
    members.extend(build.description().map(|text| ("description", Output::Text(text))));
    let is_wanted = |source: &&Source| {
        let name = format!("{}.{}", source.kind(), source.name());
        let full = format!("{}.{name}", build.name());
        only.is_empty() || only.iter().any(|pattern| matches(pattern, &name) || matches(pattern, &full))
    };
    let sources = build.sources().iter().filter(is_wanted).map(source);
    members.push(("sources", Output::List(sources.collect())));
    Output::Object(members)
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
    push_body(&mut members, step.body());
    Output::Object(members)
}

fn unused_source(source: &Source) -> Output<'_> {
    let labels = vec![Output::Name(source.kind()), Output::Name(source.name())];
    let mut members = vec![("type", Output::Name("source")), ("labels", Output::List(labels))];
    push_body(&mut members, source.body());
    Output::Object(members)
}
