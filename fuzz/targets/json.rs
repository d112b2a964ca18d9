//! JSON in and out: a variable read from JSON is written as equal JSON, by the library and by the
//! functions of the language.
#![no_main]

use std::cell::RefCell;
use std::sync::Arc;

use hclvm::{Engine, Json, Layout, Limits, Program, Scope, Session};
use libfuzzer_sys::fuzz_target;

struct State {
    scope: Scope,
    session: Session,
    decoded: Program,
    encoded: Program,
    value: Program,
}

impl Default for State {
    fn default() -> Self {
        let limits = Limits { fuel: 200_000, arena_bytes: 16 << 20, digits: 5_000, ..Limits::untrusted() };
        let engine = Engine::builder().limits(limits).build();
        let layout = Arc::new(Layout::new(["text", "value"]));
        let compile = |text| engine.compile(text, &layout).expect("the text is ours");
        Self {
            scope: engine.scope(&layout),
            session: engine.session(),
            decoded: compile("jsonencode(jsondecode(text))"),
            encoded: compile("jsonencode(value)"),
            value: compile("value"),
        }
    }
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fuzz_target!(|data: &[u8]| {
    STATE.with_borrow_mut(|State { scope, session, decoded, encoded, value }| {
        let read = scope.set_json("value", data).is_ok();
        let Ok(text) = std::str::from_utf8(data) else { return };
        let text_fits = scope.set("text", text).is_ok();
        let by_functions = if text_fits {
            session.run(decoded, scope).ok().and_then(|value| value.as_str().map(str::to_owned))
        } else {
            None
        };
        if !read {
            return;
        }
        let by_encoding =
            session.run(encoded, scope).ok().and_then(|value| value.as_str().map(str::to_owned));
        if let (Some(one), Some(other)) = (&by_functions, &by_encoding) {
            assert_eq!(one, other, "jsondecode and set_json of {text:?}");
        }
        let Ok(result) = session.run(value, scope) else { return };
        if let Ok(written) = serde_json::to_string(&Json(result)) {
            scope.set_json("value", written.as_bytes()).expect("what was written can be read");
            let again = session.run(value, scope).map(|value| serde_json::to_string(&Json(value)).ok());
            assert_eq!(again.ok().flatten().as_ref(), Some(&written), "written, read and written: {text:?}");
        }
    });
});
