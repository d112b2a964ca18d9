//! The tuning for one player, as the types that the game uses.

use std::cell::RefCell;
use std::collections::BTreeMap;

use hclvm::{Error, Module, Scope, Session};
use hclvm_reload::{Current, Reader};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

/// The tuning file. Its `locals` are evaluated, and no field is read from them.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Tuning {
    #[serde(default)]
    revision: u64,
    speed: f64,
    #[serde(default)]
    health: u32,
    greeting: Option<String>,
    #[serde(default)]
    weapon: BTreeMap<String, Weapon>,
    #[serde(default)]
    revision_again: u64,
}

/// A weapon, by its label.
#[derive(Debug, Deserialize, Serialize)]
struct Weapon {
    damage: u32,
    range: Option<f64>,
}

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

/// Returns the answer for a player.
///
/// # Errors
/// The evaluation has errors for this player, or the values do not fit.
pub(crate) fn answer(current: &Current<Module>, name: &str, rank: i64) -> Result<Json, Error> {
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
        let tuning: Tuning = module.evaluate(session, scope)?.decode()?;
        Ok(json!({ "epoch": loaded.epoch(), "player": name, "values": tuning }))
    })
}
