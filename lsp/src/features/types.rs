//! The types of paths: of variables that the project declares, and in policies of the attributes of a resource, by the
//! schemas of providers.

use std::sync::Arc;

use hclvm::Type;
use hclvm::syntax::TypeConstraint;
use hclvm_dialects::terraform_policy::PolicyKind;

use crate::analysis::Analysis;

/// The names of the attributes of the resource that a policy judges.
const ATTRIBUTES: [&str; 2] = ["attrs", "prior_attrs"];

/// Returns what a function makes of the type of a path such as `attrs.rule[0].port` at a byte, if it is known.
pub(crate) fn with_type<R>(
    analysis: &Analysis,
    path: &str,
    offset: u32,
    then: impl FnOnce(Type<'_>) -> R,
) -> Option<R> {
    let mut steps = path.split(['.', '[']);
    let root = steps.next()?;
    let of_resource = if ATTRIBUTES.contains(&root) { resource(analysis, offset) } else { None };
    let declared = || analysis.settings.declared.type_of(root);
    let mut ty = of_resource.as_ref().map(|known| known.ty()).or_else(declared)?;
    for step in steps {
        ty = match ty {
            Type::Object(attributes) => attributes.iter().find(|one| one.name == step)?.ty,
            Type::Map(element) => *element,
            Type::List(element) | Type::Set(element) if step.ends_with(']') => *element,
            _ => return None,
        };
    }
    Some(then(ty))
}

/// Returns the type of the resources that the policy around a byte judges.
fn resource(analysis: &Analysis, offset: u32) -> Option<Arc<TypeConstraint>> {
    let schemas = analysis.settings.provider_schemas.as_ref()?;
    let blocks = analysis.document.blocks_at(offset);
    let policy = blocks.first().filter(|block| kind_at(block.kind()) == Some(PolicyKind::Resource))?;
    schemas.attributes(policy.labels().next()?)
}

/// Returns the attributes of `meta` in the policy around a byte.
pub(crate) fn meta(analysis: &Analysis, offset: u32) -> &'static [&'static str] {
    let blocks = analysis.document.blocks_at(offset);
    blocks.first().and_then(|block| kind_at(block.kind())).map_or(&[], PolicyKind::meta)
}

fn kind_at(block: &str) -> Option<PolicyKind> {
    PolicyKind::ALL.into_iter().find(|kind| kind.block() == block)
}
