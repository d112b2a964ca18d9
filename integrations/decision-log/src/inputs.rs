//! The values of a decision as JSON, without those that are [masked](crate::mask).

use std::fmt::Write;

use crate::encoded::{Reader, Tag};
use crate::entry::quote;
use crate::mask::{Below, MASKED, Mask, Segment, below, separate};
use crate::text;

/// Appends values with their names as a JSON object. Returns `None` if they end early.
pub(crate) fn to_json(reader: &mut Reader<'_>, masks: &[Mask], out: &mut String) -> Option<()> {
    let masks: Below<'_> = masks.iter().map(Mask::segments).collect();
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

fn member(name: &str, reader: &mut Reader<'_>, masks: &[&[Segment]], out: &mut String) -> Option<()> {
    separate(out);
    quote(name, out);
    out.push(':');
    masked(name, reader, masks, out)
}

/// Writes the value of the attribute or element `name`, or the mask in its place.
fn masked(name: &str, reader: &mut Reader<'_>, masks: &[&[Segment]], out: &mut String) -> Option<()> {
    if let Some(masks) = below(masks, name) {
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
fn value(reader: &mut Reader<'_>, masks: &[&[Segment]], out: &mut String) -> Option<()> {
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
