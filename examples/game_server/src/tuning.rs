//! The values for one player.

use std::cell::RefCell;

use hclvm::module::BodyValues;
use hclvm::{Error, Json as Shown, Module, Scope, Session, Value};
use hclvm_reload::{Current, Reader};
use serde_json::{Map, Value as Json, json};

/// What a thread of the server reuses.
struct Worker {
    reader: Reader<Module>,
    session: Session,
    /// The scope, and the epoch that it was made for.
    scope: (u64, Scope),
}

thread_local! {
    static WORKER: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

impl Worker {
    fn new(current: &Current<Module>) -> Self {
        let mut reader = current.reader();
        let loaded = reader.current().clone();
        let session = loaded.document().engine().session();
        Self { scope: (loaded.epoch(), loaded.host().scope()), reader, session }
    }
}

/// Returns the tuning of a player.
///
/// # Errors
/// The evaluation has errors for this player.
pub(crate) fn values(current: &Current<Module>, name: &str, rank: i64) -> Result<Json, Error> {
    WORKER.with_borrow_mut(|worker| {
        let Worker { reader, session, scope } = worker.get_or_insert_with(|| Worker::new(current));
        let loaded = reader.current();
        let module = loaded.host();
        if scope.0 != loaded.epoch() {
            *scope = (loaded.epoch(), module.scope());
        }
        let scope = &mut scope.1;
        if scope.has("player") {
            scope.set("player", &json!({ "name": name, "rank": rank }))?;
        }
        let values = module.evaluate(session, scope)?;
        if values.diagnostics().has_errors() {
            return Err(values.into_diagnostics().into());
        }
        Ok(json!({ "epoch": loaded.epoch(), "player": name, "values": members(values.body()) }))
    })
}

/// Returns attributes by name, and blocks by type and labels. Blocks are nested as deep as the file, which the parser
/// limits.
fn members(body: BodyValues<'_>) -> Json {
    let mut members: Map<String, Json> =
        body.attributes().map(|(name, value)| (name.to_owned(), shown(value))).collect();
    for block in body.blocks() {
        let header: Vec<&str> = std::iter::once(block.kind()).chain(block.labels()).collect();
        members.insert(header.join("."), self::members(block.body()));
    }
    Json::Object(members)
}

fn shown(value: Value<'_>) -> Json {
    serde_json::to_value(Shown(value)).unwrap_or(Json::Null)
}
