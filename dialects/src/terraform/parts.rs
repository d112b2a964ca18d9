//! Parts of declarations: repetition, conditions, the meta-arguments of resources, addresses.

use hclvm::schema::Schema;
use hclvm::syntax::is_identifier;
use hclvm::{Attribute, Block};

use super::declarations::{CustomCondition, META, Repetition, Resource};
use super::groups::{BlockGroups, blocks_of, check_content, mode_of};
use super::references::{PlaceNames, Reference, ReferenceTarget, Resolver};
use crate::problems::TextRange;

/// Returns how often a group exists.
pub(super) fn repetition(group: &BlockGroups<'_>, resolver: &mut Resolver<'_>) -> Repetition {
    let (count, for_each) = (group.attribute("count"), group.attribute("for_each"));
    if let (Some(_), Some(second)) = (count, for_each) {
        let title = "Invalid combination of \"count\" and \"for_each\"";
        let detail = "Use one of them.";
        resolver.problems.error(&TextRange::of_name(second), title, detail);
        return Repetition::default();
    }
    let mut expr = |one: Option<Attribute<'_>>| one.and_then(|one| resolver.expr(one, PlaceNames::default()));
    Repetition { count: expr(count), for_each: expr(for_each) }
}

/// Returns which names exist in a group, also if its `count` or `for_each` is wrong.
pub(super) fn context_of(group: &BlockGroups<'_>) -> PlaceNames {
    let has = |name: &str| group.attribute(name).is_some();
    PlaceNames { each: has("for_each"), count: has("count"), itself: false }
}

/// Returns the references in `depends_on`.
pub(super) fn depends(group: &BlockGroups<'_>, resolver: &mut Resolver<'_>) -> Vec<Reference> {
    let Some(attribute) = group.attribute("depends_on") else { return Vec::new() };
    if attribute.document().is_json() {
        return Vec::new();
    }
    resolver.reads(attribute, PlaceNames::default(), &[]).unwrap_or_default()
}

pub(super) fn resource(group: &BlockGroups<'_>, resolver: &mut Resolver<'_>) -> Resource {
    let before = resolver.references.errors();
    let repetition = repetition(group, resolver);
    let context = context_of(group);
    let with_self = PlaceNames { itself: true, ..context };
    let mut reads = Vec::new();
    let mode = mode_of(group.kind);
    for (_, block) in &group.blocks {
        resolver.body(block.body(), &META, context, &mut Vec::new(), &mut reads);
    }
    let (mut preconditions, mut postconditions) = (Vec::new(), Vec::new());
    let mut depends = depends(group, resolver);
    for (_, block) in &group.blocks {
        let schema =
            Schema::new().block("lifecycle", &[]).block("provisioner", &["type"]).block("connection", &[]);
        for nested in blocks_of(block.body(), &schema) {
            if nested.kind() != "lifecycle" {
                let except = ["when", "on_failure"];
                // Only their references are checked: they have no values before an apply.
                resolver.body(nested.body(), &except, with_self, &mut Vec::new(), &mut Vec::new());
                continue;
            }
            let schema = LIFECYCLE.iter().fold(Schema::new(), |schema, name| schema.optional(*name));
            let schema = schema.block("precondition", &[]).block("postcondition", &[]);
            let (content, found) = nested.body().content_lenient(&schema);
            resolver.problems.add(found);
            if let Some(triggers) =
                content.attribute("replace_triggered_by").filter(|one| !one.document().is_json())
            {
                depends.extend(resolver.reads(triggers, context, &[]).unwrap_or_default());
            }
            preconditions.extend(conditions(content.blocks_of("precondition").collect(), context, resolver));
            postconditions.extend(conditions(
                content.blocks_of("postcondition").collect(),
                with_self,
                resolver,
            ));
        }
    }
    let mut labels = group.labels.iter().cloned();
    let (kind, name) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
    let itself = resolver.symbols.resources.get(&(mode, kind.clone(), name.clone())).copied();
    let is_itself = |read: &Reference| itself.is_some_and(|at| read.target == ReferenceTarget::Resource(at));
    if reads.iter().chain(repetition.exprs().flat_map(|expr| &expr.reads)).any(is_itself) {
        let detail = format!("The configuration of `{}{kind}.{name}` reads itself.", mode.prefix());
        resolver.references.error(&group.place, "Self-referential block", detail);
    }
    Resource {
        mode,
        kind,
        name,
        place: group.place.clone(),
        blocks: group.blocks.iter().map(|(handle, _)| *handle).collect(),
        repetition,
        reads,
        depends,
        preconditions,
        postconditions,
        attributes: Vec::new(),
        nested: group.check,
        is_sound: resolver.references.errors() == before,
    }
}

/// The arguments of `lifecycle`.
const LIFECYCLE: [&str; 6] = [
    "create_before_destroy",
    "prevent_destroy",
    "ignore_changes",
    "replace_triggered_by",
    "destroy",
    "enabled",
];

/// Reads blocks with a condition and a message.
pub(super) fn conditions(
    blocks: Vec<Block<'_>>,
    context: PlaceNames,
    resolver: &mut Resolver<'_>,
) -> Vec<CustomCondition> {
    let schema = Schema::new().required("condition").required("error_message");
    let mut found = Vec::new();
    for block in blocks {
        let document = block.body().document();
        let (content, problems) = block.body().content_lenient(&schema);
        resolver.problems.add(problems);
        let message = content.attribute("error_message").and_then(|one| resolver.expr(one, context));
        let Some(condition) = content.attribute("condition") else { continue };
        if condition.variables().is_empty() {
            let title = match block.kind() {
                "validation" => "Invalid validation expression",
                "precondition" => "Invalid precondition expression",
                "postcondition" => "Invalid postcondition expression",
                _ => "Invalid assert expression",
            };
            let detail = "The condition reads nothing, so that its result never changes.";
            resolver.problems.error(&TextRange::of_value(condition), title, detail);
        }
        let Some(holds) = resolver.expr(condition, context) else { continue };
        found.push(CustomCondition { holds, message, place: TextRange::of_block(document, block) });
    }
    found
}

/// Checks the blocks about addresses: `moved`, `import`, `removed`.
pub(super) fn addresses(group: &BlockGroups<'_>, resolver: &mut Resolver<'_>) {
    let schema = match group.kind {
        "moved" => Schema::new().required("from").required("to"),
        "import" => Schema::new()
            .required("to")
            .optional("id")
            .optional("for_each")
            .optional("provider")
            .optional("identity"),
        _ => Schema::new()
            .required("from")
            .block("lifecycle", &[])
            .block("provisioner", &["type"])
            .block("connection", &[]),
    };
    check_content(group, &schema, resolver.problems);
    let context = PlaceNames { each: group.attribute("for_each").is_some(), ..PlaceNames::default() };
    for name in ["for_each", "id"] {
        if let Some(attribute) = group.attribute(name) {
            resolver.expr(attribute, if name == "id" { context } else { PlaceNames::default() });
        }
    }
    for attribute in ["from", "to"].iter().filter_map(|name| group.attribute(name)) {
        if attribute.document().is_json() {
            continue;
        }
        let text = attribute.expression_span().slice(attribute.document().source().text());
        if !is_address(text) {
            let detail = "An address has a type and a name, `aws_instance.web`, or is that of a module, `module.network`.";
            resolver.problems.error(&TextRange::of_value(attribute), "Invalid address", detail);
        }
    }
}

/// Returns true for the address of a resource or module.
fn is_address(text: &str) -> bool {
    let mut depth = 0_u32;
    // Without keys, which may be expressions.
    let plain: String = text
        .chars()
        .filter(|c| {
            depth = match c {
                '[' => depth + 1,
                ']' => depth.saturating_sub(1),
                _ => depth,
            };
            depth == 0 && *c != ']'
        })
        .collect();
    let mut names: Vec<&str> = plain.split('.').map(str::trim).collect();
    if !names.iter().all(|name| is_identifier(name)) {
        return false;
    }
    let mut is_module = false;
    while names.len() >= 2 && names[0] == "module" {
        names.drain(..2);
        is_module = true;
    }
    if matches!(names.first(), Some(&("data" | "ephemeral" | "resource"))) {
        names.remove(0);
    }
    names.len() == 2 || (is_module && names.is_empty())
}
