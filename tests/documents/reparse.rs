//! Edited texts: a document that is parsed again by its changed items is equal to one that is parsed as a whole. Edits
//! are random lines, characters and blocks of real files.

use std::fmt::Write as _;
use std::sync::Arc;

use hclvm::syntax::NamedAttribute;
use hclvm::{Body, Document, Engine};

const FILES: [&str; 3] = [
    include_str!("../../examples/game/game.hcl"),
    include_str!("../../examples/authz/authz.hcl"),
    include_str!("../../examples/service/service.hcl"),
];

/// Lines and parts of lines that change what is around them.
const PIECES: [&str; 40] = [
    "a = 1\n",
    "b = n + 1 # a comment\n",
    "c = <<EOT\n  text ${n}\nEOT\n",
    "d = <<-EOT\n    text\n      %{ if n }x%{ endif }\n    EOT\n",
    "/* a comment\n a = 2\n*/\n",
    "/* open\n",
    "*/\n",
    "r \"x\" {\n  when = [for x in xs : x.y if x.z]\n}\n",
    "r \"x\" { when = true }\n",
    "r {\n}\n",
    "e = [\n  1,\n  2\n]\n",
    "f = \"é${upper(\"x\")}🏳️‍🌈\"\n",
    "\n",
    "\n\n",
    "  ",
    "\t",
    "\r\n",
    "\u{FEFF}",
    "g = xs[*].y\n",
    "h = xs[n].y.0\n",
    "{",
    "}",
    "}\n",
    "[",
    "(",
    ")\n",
    "\"",
    "${",
    "<<EOT\n",
    "EOT\n",
    "# \n",
    "//\n",
    "=",
    "1",
    "n",
    ".x",
    "\u{301}",
    "i = try(f(n...), null)",
    "x = 1\nx = 2\n",
    "j = a ? b : c\n",
];

/// A sequence of numbers that is the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % end.max(1)
    }

    /// Returns a position between two characters.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        // Most edits are of whole lines.
        if self.below(3) > 0 { text[..at].rfind('\n').map_or(0, |line| line + 1) } else { at }
    }

    fn edited(&mut self, text: &str) -> String {
        let (a, b) = (self.place(text), self.place(text));
        let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 200));
        let to = (to..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let mut edited = text[..from].to_owned();
        match self.below(4) {
            // Pieces are put in, a part is left out, a part is replaced, a part is repeated.
            0 => (0..=self.below(3)).for_each(|_| edited += PIECES[self.below(PIECES.len())]),
            1 => return edited + &text[to..],
            2 => {
                edited += PIECES[self.below(PIECES.len())];
                return edited + &text[to..];
            }
            _ => edited += &text[from..to],
        }
        edited + &text[from..]
    }
}

/// Describes all items of a body with their places, what their expressions mean, and the places of their faults.
fn described(body: Body<'_>, shown: &mut String) {
    let document = body.document();
    let _ = writeln!(shown, "body {:?}", body.span());
    for attribute in body.attributes() {
        let (name, span) = (attribute.name(), attribute.span());
        let (name_span, expression) = (attribute.name_span(), attribute.expression_span());
        let _ = writeln!(shown, "{name} {span:?} {name_span:?} {expression:?}");
        let program = attribute.program().expect("it compiles");
        let mut scope = document.engine().scope(program.layout());
        scope.set_rest_unknown();
        match document.engine().session().run(&program, &scope) {
            Ok(value) => writeln!(shown, "  {value:?}"),
            Err(error) => writeln!(shown, "  {error}"),
        }
        .expect("a text takes everything");
        let variables: Vec<String> =
            program.variables().iter().map(|one| format!("{one} {:?}", one.span())).collect();
        let _ = writeln!(shown, "  {variables:?}");
    }
    for block in body.blocks() {
        let labels: Vec<&str> = block.labels().collect();
        let spans: Vec<_> = block.label_spans().collect();
        let _ = writeln!(shown, "{} {labels:?} {spans:?} {:?}", block.kind(), block.span());
        described(block.body(), shown);
    }
}

fn description(document: &Document) -> String {
    let mut shown = String::new();
    described(document.body(), &mut shown);
    let source = document.source();
    let end = u32::try_from(source.text().len()).expect("a short text");
    let places: Vec<_> = (0..=end).step_by(7).map(|at| source.position(at)).collect();
    let _ = writeln!(shown, "{places:?}");
    shown
}

/// Returns what an update from one document to another reports.
fn reported(before: &Document, after: &Document) -> String {
    let (_, update) = before.update_to(after).expect("it compiles");
    let list = |list: &[NamedAttribute]| list.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let moved: Vec<String> =
        update.moved.iter().map(|moved| format!("{}>{}", moved.from, moved.to)).collect();
    let [added, removed, changed] = [&update.added, &update.removed, &update.changed].map(|one| list(one));
    let all = update.compiled + update.reused;
    format!("+{added} -{removed} ~{changed} {moved:?} ={} of {all}", update.unchanged)
}

/// Edits a text again and again, and compares each document with that of the whole text. Returns how many texts were
/// sound, and how many of them were parsed by their changed items.
fn compare(seed: u64, edits: usize) -> [usize; 2] {
    let (mut sound, mut by_items) = (0, 0);
    let mut numbers = Numbers(seed);
    let engine = Engine::new();
    let first = FILES[numbers.below(FILES.len())];
    let mut document = engine.parse("x.hcl", first).expect("HCL");
    for edit in 0..edits {
        let text = numbers.edited(document.source().text());
        match (document.reparse(&text), engine.parse("x.hcl", &text)) {
            (Ok(edited), Ok(whole)) => {
                let message = || format!("seed {seed}, edit {edit}: {text}");
                assert_eq!(description(&edited), description(&whole), "{}", message());
                let mut names = whole.layout().names().iter();
                assert!(names.all(|name| edited.layout().slot(name).is_some()), "{}", message());
                sound += 1;
                assert_eq!(reported(&document, &edited), reported(&document, &whole), "{}", message());
                // The layout of a text that is parsed as a whole is its own.
                by_items += usize::from(Arc::ptr_eq(edited.layout(), document.layout()));
                document = edited;
            }
            (Err(edited), Err(whole)) => assert_eq!(edited.to_string(), whole.to_string()),
            (edited, whole) => panic!("seed {seed}, edit {edit}: {edited:?} {whole:?}"),
        }
        if document.source().text().len() > 20_000 {
            break;
        }
    }
    [sound, by_items]
}

#[test]
fn an_edited_document_is_equal_to_one_that_is_parsed_as_a_whole() {
    // `HCLVM_EDITS=seeds:edits` runs more.
    let more = std::env::var("HCLVM_EDITS").ok();
    let more = more.as_deref().and_then(|more| more.split_once(':'));
    let (seeds, edits) =
        more.and_then(|(seeds, edits)| Some((seeds.parse().ok()?, edits.parse().ok()?))).unwrap_or((12, 40));
    let counts = (0..seeds).map(|seed| compare(seed, edits));
    let [sound, by_items] = counts.fold([0, 0], |sum, count| [sum[0] + count[0], sum[1] + count[1]]);
    assert!(sound > 0 && 2 * by_items > sound, "{by_items} of {sound}");
}

/// Returns whether a text is parsed by its changed items, after comparing it with the whole text.
fn by_items(before: &str, after: &str) -> bool {
    let engine = Engine::new();
    let document = engine.parse("x.hcl", before).expect("HCL");
    let edited = document.reparse(after).expect("HCL");
    assert_eq!(description(&edited), description(&engine.parse("x.hcl", after).expect("HCL")));
    Arc::ptr_eq(edited.layout(), document.layout())
}

#[test]
fn items_on_lines_of_their_own_are_parsed_alone() {
    let before = "a = n\nb = 2\nr \"x\" {\n  c = n\n}\nd = <<EOT\n  x\nEOT\ne = 5\n";
    assert!(by_items(before, &before.replace("b = 2", "b = 22")));
    assert!(by_items(before, &before.replace("b = 2\n", "")));
    assert!(by_items(before, &before.replace("b = 2", "b = 2 # two")));
    assert!(by_items(before, &before.replace("c = n", "c = n\n  f = 1")));
    assert!(by_items(before, &before.replace("  x\n", "  y\n  z\n")));
    assert!(by_items(before, &before.replace("e = 5", "e = 6")));
    assert!(by_items(before, &before.replace("a = n", "a = n + n")));
    assert!(by_items(before, &format!("{before}g = 1\n")));
    assert!(by_items(before, &format!("# first\n\n{before}")));
    assert!(by_items(before, before));
}

#[test]
fn what_is_not_simple_is_parsed_as_a_whole() {
    let before = "a = n\nb = 2\nc = 3\n";
    let errors = |after: &str| {
        let engine = Engine::new();
        let edited =
            engine.parse("x.hcl", before).expect("HCL").reparse(after).err().map(|error| error.to_string());
        assert_eq!(edited, engine.parse("x.hcl", after).err().map(|error| error.to_string()));
        edited.is_some()
    };
    assert!(errors("a = n\nc = 2\nc = 3\n"));
    assert!(errors("a = n\nb = (\nc = 3\n"));
    assert!(errors("a = n\nb = <<EOT\nc = 3\n"));
    assert!(errors("a = n\n/* b = 2\nc = 3\n"));
    assert!(!errors("a = n\n/* b = 2\n*/ c = 3\n"));
    assert!(!errors("\u{FEFF}a = n\nb = 2\nc = 3\n"));
    assert!(!by_items(before, "a = n\nb = other\nc = 3\n"), "another layout");
}

#[test]
fn a_chain_of_edits_keeps_its_size() {
    let engine = Engine::new();
    let text = |at: usize| {
        let rules =
            (0..30).map(|rule| format!("r{rule} = n + {}\n", if rule == at % 30 { at } else { rule }));
        rules.collect::<Vec<_>>().concat()
    };
    let mut document = engine.parse("x.hcl", &text(0)).expect("HCL");
    let mut wholes = 0;
    for at in 1..1_000 {
        let edited = document.reparse(&text(at)).expect("HCL");
        wholes += usize::from(!Arc::ptr_eq(edited.layout(), document.layout()));
        document = edited;
    }
    // Each edit leaves 3 to 6 of about 90 nodes unused, and half of a tree is the most.
    assert!((20..200).contains(&wholes), "{wholes}");
    assert_eq!(description(&document), description(&engine.parse("x.hcl", &text(999)).expect("HCL")));
}
