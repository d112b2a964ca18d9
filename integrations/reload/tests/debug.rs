//! The `Debug` forms of what hosts print while they search for an error: short, whatever the size of the configuration.

mod memory;

use std::sync::{Arc, Mutex};

use hclvm::Engine;
use hclvm::policy::PolicySpec;
use hclvm_reload::{Event, Outcome, Reload};

use memory::Memory;

/// Returns a configuration with many attributes and rules.
fn text(limit: usize) -> String {
    let rule = |at: usize| {
        format!(
            "rule \"r{at}\" {{\n  when   = user.level > {at} && user.level < {limit}\n  effect = \"allow\"\n}}\n"
        )
    };
    (0..500).map(rule).collect()
}

/// Panics if a form is longer than three lines of a terminal.
fn check(name: &str, shown: &str) {
    assert!(shown.starts_with(name), "{shown}");
    assert!(shown.chars().count() <= 240 && shown.lines().count() <= 3, "{name}: {shown}");
}

#[test]
fn debug_forms_have_three_lines_at_most() {
    let memory = Memory::default();
    memory.set(&text(1));
    let engine = Engine::new();
    let builder = Reload::builder(&engine, memory.clone());
    let mut reload = builder.open(|candidate| {
        check("Candidate", &format!("{candidate:?}"));
        Ok(candidate.module()?.policy(&PolicySpec::default())?)
    });
    let reload = reload.as_mut().expect("it loads");
    let heard = Arc::new(Mutex::new(String::new()));
    let hear = {
        let heard = Arc::clone(&heard);
        move |event: &Event<'_, _>| *heard.lock().expect("no panic") = format!("{event:?}")
    };
    let _subscription = reload.subscribe("rule".parse().expect("a path"), hear);
    memory.set(&text(2));
    let outcome = reload.attempt();
    assert!(matches!(outcome, Outcome::Reloaded(_)));
    check("Event", &heard.lock().expect("no panic"));
    check("Reloaded", &format!("{outcome:?}"));
    let (current, loaded) = (reload.current(), reload.current().load());
    let module = loaded.document().module().expect("a module");
    let (mut session, mut scope) = (engine.session(), module.scope());
    check("Current", &format!("{current:?}"));
    check("Loaded", &format!("{loaded:?}"));
    check("Document", &format!("{:#?}", loaded.document()));
    check("Engine", &format!("{engine:#?}"));
    check("Module", &format!("{module:?}"));
    check("Policy", &format!("{:?}", loaded.host()));
    check("Session", &format!("{session:?}"));
    scope.set_all_json("{\"user\": {\"level\": 7, \"password\": \"hunter2\"}}").expect("an object");
    let decision = loaded.host().decide(&mut session, &scope).expect("no limit");
    let shown = format!("{decision:?}");
    check("Decision", &shown);
    assert!(!shown.contains("hunter2"));
    let recorder = decision.recorder();
    check("Recorder", &format!("{recorder:?}"));
}
