//! The values of a decision as JSON, without those that are masked.

mod text;

use std::fmt::Write;

use crate::encoded::{Reader, Tag};
use crate::entry::quote;

/// What is written for a masked value.
const MASKED: &str = "{\"$masked\":true}";

/// The path of values that are not logged: names separated by dots, `*` for every attribute or element.
#[derive(Clone, Debug)]
pub(crate) struct Mask(Box<[String]>);

impl Mask {
    pub(crate) fn new(path: &str) -> Self {
        Self(path.split('.').map(str::to_owned).collect())
    }
}

/// The masks that apply below a value, without the names of the values around it.
type Below<'m> = Vec<&'m [String]>;

/// Returns the masks below the attribute `name`; `None` if that is masked.
fn below<'m>(masks: &[&'m [String]], name: &str) -> Option<Below<'m>> {
    let matching = masks.iter().filter_map(|mask| {
        let (first, rest) = mask.split_first()?;
        (first == "*" || first == name).then_some(rest)
    });
    let below: Below<'m> = matching.collect();
    below.iter().all(|rest| !rest.is_empty()).then_some(below)
}

/// Writes values with their names as a JSON object in place of a text. Returns `None` if they end early.
pub(crate) fn to_json(reader: &mut Reader<'_>, masks: &[Mask], out: &mut String) -> Option<()> {
    let masks: Below<'_> = masks.iter().map(|mask| &*mask.0).collect();
    out.clear();
    if let Some(object) = reader.whole() {
        text::append(object, &masks, out);
        return Some(());
    }
    out.push('{');
    while let Some(name) = reader.name() {
        member(name, reader, &masks, out)?;
    }
    out.push('}');
    Some(())
}

fn member(name: &str, reader: &mut Reader<'_>, masks: &[&[String]], out: &mut String) -> Option<()> {
    separate(out);
    quote(name, out);
    out.push(':');
    masked(name, reader, masks, out)
}

fn separate(out: &mut String) {
    if !out.ends_with(['{', '[']) {
        out.push(',');
    }
}

/// Writes the value of the attribute or element `name`, or the mask in its place.
fn masked(name: &str, reader: &mut Reader<'_>, masks: &[&[String]], out: &mut String) -> Option<()> {
    // Most values have no mask above or below them.
    let masks = if masks.is_empty() { Some(Vec::new()) } else { below(masks, name) };
    if let Some(masks) = masks {
        return value(reader, &masks, out);
    }
    // Read like any other value, and then forgotten.
    let begin = out.len();
    value(reader, &[], out)?;
    out.truncate(begin);
    out.push_str(MASKED);
    Some(())
}

/// Writes a value. The recursion is bounded by the depth of what was encoded.
fn value(reader: &mut Reader<'_>, masks: &[&[String]], out: &mut String) -> Option<()> {
    match reader.tag()? {
        Tag::End => return None,
        Tag::Null => out.push_str("null"),
        Tag::False => out.push_str("false"),
        Tag::True => out.push_str("true"),
        Tag::Int => {
            // Writing to a string cannot fail.
            let _ = write!(out, "{}", reader.int()?);
        }
        Tag::Text => quote(reader.text()?, out),
        Tag::Raw => out.push_str(reader.text()?),
        Tag::List => {
            out.push('[');
            for at in 0..reader.length()? {
                separate(out);
                if masks.is_empty() {
                    value(reader, masks, out)?;
                } else {
                    masked(&at.to_string(), reader, masks, out)?;
                }
            }
            out.push(']');
        }
        Tag::Object => {
            out.push('{');
            for _ in 0..reader.length()? {
                let name = reader.text()?;
                member(name, reader, masks, out)?;
            }
            out.push('}');
        }
    }
    Some(())
}
