//! Loads documents whose bytes were made up, with the right checksum, and runs their code: a document is refused, or
//! its evaluations end within the limits.
#![no_main]

use hclvm::{Engine, Limits};
use libfuzzer_sys::fuzz_target;

/// The texts whose saved form the input changes.
const TEXTS: [&str; 4] = [
    "locals {\n  a = upper(name)\n  b = [for x in items : \"${x.name}-${local.a}\"]\n}\nc \"d\" {\n  e = local.a == \"A\" \
     && n > 1\n  f = try(items[9].name, local.b[0], upper(name))\n}\ng = local.a == \"B\" ? n + 1 : n * 2\n",
    "a = [for x in items : x.size + n if x.size > 1]\nb = \"${name}-${n}\"\nc = n * 1.5 > 2 ? floor(n * 1.15) : n\n",
    "a = kind == \"a\" ? 1 : kind == \"b\" ? 2 : kind == \"c\" ? 3 : 4\nb \"c\" {\n  d = try(items[9].name, { x = [n] })\n}\n",
    "a = { for x in items : x.name => x.size... }\nb = items[*].name\nc = join(\"-\", [name, upper(kind)])\nd = -n % 3\n",
];

fuzz_target!(|data: &[u8]| {
    let Some((first, changes)) = data.split_first() else { return };
    let engine = Engine::builder().limits(Limits::untrusted()).build();
    let text = TEXTS[usize::from(*first) % TEXTS.len()];
    let saved = engine.parse("x.hcl", text).expect("it parses");
    let saved = if *first < 128 { saved.save() } else { saved.save_module() };
    let mut bytes = saved.expect("it is saved");
    // Three bytes of a change: where and what. The rest of a long input replaces the end.
    for change in changes.chunks_exact(3).take(64) {
        let at = 12 + (usize::from(change[0]) << 8 | usize::from(change[1])) % (bytes.len() - 12);
        bytes[at] = change[2];
    }
    if let Some(rest) = changes.get(192..) {
        let at = bytes.len().saturating_sub(rest.len()).max(12);
        bytes.truncate(at);
        bytes.extend_from_slice(rest);
    }
    let checksum = crc32fast::hash(&bytes[12..]).to_le_bytes();
    bytes[8..12].copy_from_slice(&checksum);
    let Ok(document) = engine.load(&bytes) else { return };
    let mut scope = engine.scope(document.layout());
    let values = serde_json::json!({
        "n": 2, "name": "ada", "kind": "c",
        "items": [{"name": "x", "size": 1}, {"name": "y", "size": 2}],
    });
    for (name, value) in values.as_object().into_iter().flatten() {
        if document.layout().slot(name).is_some() {
            scope.set(name, value).expect("it fits");
        }
    }
    let mut session = engine.session();
    let mut open = vec![document.body()];
    while let Some(body) = open.pop() {
        for attribute in body.attributes() {
            if let Ok(program) = attribute.program() {
                let _ = session.run(&program, &scope).map(|value| value.to_string());
            }
        }
        open.extend(body.blocks().map(|block| block.body()));
    }
    if let Ok(module) = document.module() {
        let _ = module.evaluate(&mut session, &scope).map(|values| values.diagnostics().len());
    }
});
