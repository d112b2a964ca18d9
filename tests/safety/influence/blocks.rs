//! Dynamic blocks: the values in generated blocks have the marks of what they were generated from.
//!
//! Blocks and labels have no marks, so how many blocks there are is reported, and so are elements that are
//! labels. A label that is marked itself is rejected, as in the reference.

use hclvm::expansion::{BodyView, Expansion};
use hclvm::{Document, Engine, OwnedValue, Scope};
use hclvm_vm::Arena;

use crate::influence::contents::{Place, Variant, variants};
use crate::influence::differ;

/// Bodies in which `m` is marked.
const BODIES: [&str; 8] = [
    "dynamic \"b\" {\n for_each = m\n content {\n k = b.key\n v = b.value\n c = 1\n }\n}",
    "dynamic \"b\" {\n for_each = m\n content {\n n {\n k = b.key\n v = [b.value]\n c = 1\n }\n }\n}",
    "dynamic \"b\" {\n for_each = m\n content {\n dynamic \"n\" {\n for_each = [1]\n content {\n v = b.value\n }\n }\n }\n}",
    "dynamic \"b\" {\n for_each = [1]\n content {\n dynamic \"n\" {\n for_each = m\n content {\n v = b.value\n }\n }\n }\n}",
    "dynamic \"b\" {\n for_each = [for x in m : 1]\n content {\n c = 1\n }\n}",
    "dynamic \"b\" {\n for_each = [m]\n content {\n v = b.value\n c = 1\n }\n}",
    "dynamic \"b\" {\n for_each = [1]\n content {\n v = m\n c = 1\n }\n}",
    "dynamic \"b\" {\n for_each = [1]\n labels = [m]\n content {\n c = 1\n }\n}",
];

/// The values of a body and of its blocks in order, and the messages.
type Made = (Vec<OwnedValue>, Vec<String>);

fn made(document: &Document, scope: &Scope) -> Made {
    let engine = document.engine().clone();
    let mut session = engine.session();
    let mut expansion = session.expand(document, scope).expect("the layout is the document's");
    let (mut values, body) = (Vec::new(), expansion.body());
    add(&mut expansion, body, &mut values);
    let problems = expansion.take_diagnostics();
    (
        values,
        problems
            .iter()
            .map(|problem| format!("{}: {} {:?}", problem.title, problem.detail, problem.additions))
            .collect(),
    )
}

fn add<'a>(expansion: &mut Expansion<'a>, body: BodyView<'a>, values: &mut Vec<OwnedValue>) {
    let content = expansion.everything(body).expect("no limit is exceeded");
    for attribute in content.attributes {
        values.push(OwnedValue::new(expansion.value(attribute).expect("no limit is exceeded")));
    }
    for block in &content.blocks {
        add(expansion, block.body, values);
    }
}

/// Returns how the results for two contents depend on what is marked, if they do.
fn leak(variants: [&Variant; 2], [a, b]: [&Made; 2]) -> Option<String> {
    if a.1.is_empty() && b.1.is_empty() && a.0.len() == b.0.len() {
        let arena = Arena::new();
        let pairs = a.0.iter().zip(&b.0);
        let mut apart = pairs.filter(|(a, b)| differ(&arena, a.get(), b.get()));
        return apart.next().map(|(a, b)| format!("{:?} / {:?}", a.get(), b.get()));
    }
    let [first, second] = variants;
    (a.1.len() == b.1.len() && a.1 != b.1 && first.is_like(second)).then(|| format!("{:?} / {:?}", a.1, b.1))
}

#[test]
fn values_in_generated_blocks_depend_only_on_what_their_marks_tell() {
    let engine = Engine::standard();
    let variants: Vec<_> = variants().into_iter().filter(|variant| !variant.is_unknown()).collect();
    let (mut wrong, mut marked) = (Vec::new(), 0);
    for text in BODIES {
        let document = engine.parse("t.hcl", text).expect("it is well formed");
        for place in Place::ALL {
            let mut all: Vec<(&Variant, Made)> = Vec::new();
            for variant in variants.iter().filter(|variant| variant.place == place) {
                let mut scope = document.scope();
                scope.build("m", |arena| Ok(variant.build(arena))).expect("it is small");
                let made = made(&document, &scope);
                marked += made.0.iter().filter(|value| value.get().contains_marks()).count();
                for (other, before) in &all {
                    let leak = leak([other, variant], [before, &made]);
                    wrong.extend(
                        leak.map(|leak| format!("{text}\n{} / {}: {leak}", other.name, variant.name)),
                    );
                }
                all.push((variant, made));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(marked > 100, "{marked} marked values");
}
