//! A scope that has read many texts, whose members it predicts, reads the next one as a new scope does.

use hclvm::{Document, Scope};
use hclvm_workloads::dice::Dice;

/// What precedes a name, follows it, and precedes a closing bracket.
const STYLES: &[[&str; 3]] = &[["", ":", ""], [" ", ": ", ""], ["\n    ", " : ", "\n\t"]];

/// Names of members: those that programs read, others, and some that are long or have escapes.
const NAMES: &[&str] =
    &["a", "b", "name", "\\u0061", "e\u{301}", "\u{e9}", "a name of more than a word", "", "a\\\"", "load"];

/// Values without members.
const LEAVES: &[&str] = &[
    "0",
    "7",
    "-7",
    "-0",
    "01",
    "10",
    "1234567",
    "12345678",
    "123456789012345678",
    "1234567890123456789",
    "0.5",
    "-0.25",
    "10.50",
    "0.0",
    "12345678.87654321",
    "1e3",
    "1.5E-3",
    "1e99999999999",
    "-",
    "1.",
    "true",
    "false",
    "null",
    "nul",
    "\"\"",
    "\"a\"",
    "\"1234567\"",
    "\"12345678\"",
    "\"a text of several words\"",
    "\"e\u{301}\"",
    "\"gr\u{fc}n\"",
    "\"\\n\"",
    "\"12345678\\u00e9\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud83d\"",
    "\"\u{1}\"",
    "\"\u{7f}\"",
    "[]",
    "{}",
    "[1, 2]",
    "[[]]",
    "[{\"a\":1}]",
];

struct Writer<'d> {
    dice: &'d mut Dice,
    style: [&'static str; 3],
    /// The probability in percent of a deviation from the usual members, and of a leaf that may be no JSON.
    wild: u32,
}

impl Writer<'_> {
    fn leaf(&mut self) -> &'static str {
        if self.dice.chance(self.wild) {
            self.dice.pick(LEAVES)
        } else {
            self.dice.pick(&["1", "\"b\"", "0.75", "true"])
        }
    }

    /// Writes an object with the members `a`, `b`, `name` and `load`, more or less.
    fn object(&mut self, depth: u32, out: &mut String) {
        let [before, colon, close] = self.style;
        out.push('{');
        let mut comma = "";
        for usual in ["a", "b", "name", "load"] {
            let repeats = if self.dice.chance(self.wild) { self.dice.roll(3) } else { 1 };
            for _ in 0..repeats {
                let name = if self.dice.chance(self.wild) { self.dice.pick(NAMES) } else { usual };
                out.push_str(comma);
                comma = if self.dice.chance(self.wild / 16) { " ,\n" } else { "," };
                out.push_str(before);
                out.push('"');
                out.push_str(name);
                out.push('"');
                out.push_str(colon);
                self.value(if usual == "a" || usual == "b" { depth } else { 0 }, out);
            }
        }
        out.push_str(close);
        out.push('}');
    }

    fn value(&mut self, depth: u32, out: &mut String) {
        if depth == 0 {
            return out.push_str(self.leaf());
        }
        if self.dice.chance(50) {
            return self.object(depth - 1, out);
        }
        out.push('[');
        for at in 0..self.dice.roll(4) {
            out.push_str(if at > 0 { "," } else { "" });
            if self.dice.chance(self.wild) { out.push_str(self.leaf()) } else { self.object(depth - 1, out) }
        }
        out.push(']');
    }
}

fn text(dice: &mut Dice, style: usize, wild: u32) -> String {
    let mut writer = Writer { dice, style: STYLES[style], wild };
    let mut out = "{\"v\":".to_owned();
    writer.object(3, &mut out);
    out.push_str(if writer.dice.chance(wild) { ",\"none\":" } else { ",\"w\":" });
    writer.object(2, &mut out);
    out.push('}');
    out
}

const READS: &[&str] = &[
    "v.a",
    "v.a.b.name",
    "v.name == w.load",
    "[for x in v.a : x.name if x.load < 1]",
    "v.a[*].b[*].name",
    "[v, w.a.e\u{301}]",
    "v[\"a name of more than a word\"] == v[\"\"]",
    "w",
];

/// Shows the variables.
fn values(scope: &Scope) -> String {
    format!("{:?} {:?}", scope.get("v"), scope.get("w"))
}

fn reads() -> Vec<Document> {
    let parse = |text: &&str| super::document(&format!("x = {text}\ny = [v.nothing, w.nothing]"));
    READS.iter().map(parse).collect()
}

/// Sets scopes that were set before, and new ones, and compares them.
fn compare(documents: &[Document], scopes: &mut [Scope], bytes: &[u8]) -> bool {
    let whole = documents[0].scope().set_all_json(bytes).map_err(|error| error.to_string());
    for (document, scope) in documents.iter().zip(scopes) {
        let mut new = match scope.projection() {
            Some(_) => document.projection().scope(),
            None => document.scope(),
        };
        let set = new.set_all_json(bytes).map_err(|error| error.to_string());
        assert_eq!(set, whole, "{}", String::from_utf8_lossy(bytes));
        let again = scope.set_all_json(bytes).map_err(|error| error.to_string());
        assert_eq!(again, whole, "{}", String::from_utf8_lossy(bytes));
        if whole.is_ok() && new.get("w").is_some() && new.get("v").is_some() {
            assert_eq!(values(scope), values(&new), "{}", String::from_utf8_lossy(bytes));
        }
    }
    whole.is_ok()
}

#[test]
fn similar_texts_are_read_as_if_each_were_the_first() {
    let documents = reads();
    let mut scopes: Vec<Scope> = documents.iter().map(|document| document.projection().scope()).collect();
    let mut all: Vec<Scope> = documents.iter().map(Document::scope).collect();
    let (mut dice, mut valid) = (Dice::new(5), 0);
    for round in 0..900 {
        // Long runs of one style, in which texts differ little, and short ones of others.
        let wild = [0, 0, 0, 2, 2, 10, 40][dice.below(7)];
        let style = if dice.chance(5) { dice.below(3) } else { round / 90 % 3 };
        let text = text(&mut dice, style, wild);
        valid += u32::from(compare(&documents, &mut scopes, text.as_bytes()));
        compare(&documents[..1], &mut all[..1], text.as_bytes());
    }
    assert!((450..870).contains(&valid), "{valid}");
}

#[test]
fn every_truncation_of_a_predicted_text_is_refused() {
    let documents = reads();
    let mut scopes: Vec<Scope> = documents.iter().map(|document| document.projection().scope()).collect();
    let mut dice = Dice::new(6);
    for style in 0..3 {
        for _ in 0..6 {
            compare(&documents, &mut scopes, text(&mut dice, style, 0).as_bytes());
        }
        let text = text(&mut dice, style, 0);
        for end in 0..text.len() {
            assert!(!compare(&documents, &mut scopes, &text.as_bytes()[..end]), "{}", &text[..end]);
            // A character too much or another one.
            for byte in b"{}[],:\" 0\xff" {
                let (before, behind) = text.as_bytes().split_at(end);
                if dice.chance(10) {
                    compare(&documents, &mut scopes, &[before, &[*byte], behind].concat());
                    compare(&documents, &mut scopes, &[before, &[*byte], &behind[1..]].concat());
                }
            }
        }
        assert!(compare(&documents, &mut scopes, text.as_bytes()));
    }
}

#[test]
fn a_prediction_does_not_outlive_its_projection() {
    let [few, more] = ["x = v.name", "x = [v.a, v.b, v.name]"].map(super::document);
    let text = r#"{"v": {"a": 1, "b": 2, "name": 3}}"#;
    let mut scope = few.projection().scope();
    for _ in 0..5 {
        scope.set_all_json(text).expect("JSON");
    }
    scope.clone_from(&more.projection().scope());
    for _ in 0..5 {
        scope.set_all_json(text).expect("JSON");
        assert_eq!(format!("{:?}", scope.get("v").expect("it is set")), "{a = 1, b = 2, name = 3}");
    }
}
