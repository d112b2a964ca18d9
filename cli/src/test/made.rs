//! Paths into what applications make of their files, in the form that `module_eval` prints.
//!
//! | path | value |
//! |---|---|
//! | `var.NAME`, `local.NAME`, `data.TYPE.NAME` | a variable, a local value, the outputs of a data source |
//! | `build.NAME.TYPE.SOURCE.attribute` | an attribute of a source in a build |
//! | `job.NAME.group.NAME.count` | an attribute in blocks, as in other files |

use hclvm::ingest::Ingest;
use hclvm::value::Arena;
use hclvm::{Error, OwnedValue, Value};
use serde_json::Value as Json;

/// Returns what a path leads to.
pub(super) fn at<'j>(result: &'j Json, path: &[&str]) -> Option<&'j Json> {
    match path {
        ["var", name] => result.get("variables")?.get(name),
        ["local", name] => result.get("locals")?.get(name),
        ["data", kind, name] => result.get("data")?.get(kind)?.get(name),
        ["build", build, kind, name, rest @ ..] => {
            let mut builds = items(result, "builds").filter(|one| one["name"] == *build);
            builds.find_map(|build| {
                let mut sources = items(build, "sources");
                let source = sources.find(|one| one["type"] == *kind && one["name"] == *name)?;
                in_body(source, rest)
            })
        }
        _ => in_body(result, path),
    }
}

/// Looks up a path in a body. Each level of recursion consumes at least one name.
fn in_body<'j>(body: &'j Json, path: &[&str]) -> Option<&'j Json> {
    let (name, rest) = path.split_first()?;
    if rest.is_empty() {
        return body.get("attrs")?.get(name);
    }
    items(body, "blocks").filter(|block| block["type"] == *name).find_map(|block| {
        let labels: Vec<&Json> = items(block, "labels").collect();
        let (own, below) = rest.split_at_checked(labels.len())?;
        own.iter().zip(labels).all(|(name, label)| label == name).then(|| in_body(block, below))?
    })
}

fn items<'j>(json: &'j Json, name: &str) -> impl Iterator<Item = &'j Json> {
    json.get(name).and_then(Json::as_array).into_iter().flatten()
}

/// Returns a value that is printed as this JSON.
pub(super) fn value(json: &Json) -> Option<OwnedValue> {
    let arena = Arena::new();
    let value: Result<Value<'_>, Error> = json.ingest(&arena);
    value.ok().map(OwnedValue::new)
}
