//! Types as a type constraint writes them: `string`, `list(any)`, `object({ a = number })`.

use hclvm::{Arena, AttributeType, Type};

/// Nesting of a type that is still read.
const DEPTH: usize = 64;

/// Bytes of a type's text; types share parts too, so a small one may have a text without end.
const LONGEST: usize = 1 << 16;

/// A type as text, or `None` when that is too long.
pub(crate) fn show(ty: Type<'_>) -> Option<String> {
    let mut out = String::new();
    write(&mut out, ty)?;
    Some(out)
}

/// Appends a type. Recursion is bounded by the depth of the value that the type belongs to.
fn write(out: &mut String, ty: Type<'_>) -> Option<()> {
    match ty {
        Type::Dynamic => out.push_str("any"),
        Type::Bool => out.push_str("bool"),
        Type::Number => out.push_str("number"),
        Type::String => out.push_str("string"),
        Type::Capsule(name) => out.push_str(name),
        Type::List(element) => wrapped(out, "list(", *element)?,
        Type::Set(element) => wrapped(out, "set(", *element)?,
        Type::Map(element) => wrapped(out, "map(", *element)?,
        Type::Tuple(elements) => {
            out.push_str("tuple([");
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write(out, *element)?;
            }
            out.push_str("])");
        }
        Type::Object(attributes) => {
            out.push_str("object({");
            for (at, attribute) in attributes.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                out.push_str(&key(attribute.name));
                out.push_str(" = ");
                write(out, attribute.ty)?;
            }
            out.push_str("})");
        }
    }
    (out.len() <= LONGEST).then_some(())
}

fn wrapped(out: &mut String, kind: &str, element: Type<'_>) -> Option<()> {
    out.push_str(kind);
    write(out, element)?;
    out.push(')');
    Some(())
}

/// An attribute name, quoted unless it is a word.
fn key(name: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.chars().all(word) { name.to_owned() } else { format!("{name:?}") }
}

/// The type that a text denotes.
pub(crate) fn read<'a>(arena: &'a Arena, text: &str) -> Result<Type<'a>, String> {
    let mut reader = Reader { arena, rest: text, depth: 0 };
    let ty = reader.ty();
    reader.skip_blanks();
    match ty {
        Some(ty) if reader.rest.is_empty() => Ok(ty),
        _ => Err(format!(
            "{text:?} is no type; types are written like string, list(number), object({{a = bool}})"
        )),
    }
}

/// Reads a type; `None` means that the text is not one.
struct Reader<'t, 'a> {
    arena: &'a Arena,
    rest: &'t str,
    depth: usize,
}

impl<'t, 'a> Reader<'t, 'a> {
    /// `type = word | word "(" (type | elements | attributes) ")"`
    fn ty(&mut self) -> Option<Type<'a>> {
        if self.depth == DEPTH {
            return None;
        }
        self.depth += 1;
        let ty = match self.word()? {
            "any" | "dynamic" => Type::Dynamic,
            "bool" => Type::Bool,
            "number" => Type::Number,
            "string" => Type::String,
            "list" => Type::List(self.element()?),
            "set" => Type::Set(self.element()?),
            "map" => Type::Map(self.element()?),
            "tuple" => self.elements()?,
            "object" => self.attributes()?,
            _ => return None,
        };
        self.depth -= 1;
        Some(ty)
    }

    fn element(&mut self) -> Option<&'a Type<'a>> {
        self.expect("(")?;
        let element = self.ty()?;
        self.expect(")")?;
        Some(self.arena.item(element))
    }

    /// `elements = "([" { type [","] } "])"`
    fn elements(&mut self) -> Option<Type<'a>> {
        self.expect("(")?;
        self.expect("[")?;
        let mut elements = Vec::new();
        while self.expect("]").is_none() {
            elements.push(self.ty()?);
            self.expect(",").or_else(|| self.at("]"))?;
        }
        self.expect(")")?;
        Some(Type::Tuple(self.arena.slice(&elements)))
    }

    /// `attributes = "({" { name "=" type [","] } "})"`
    fn attributes(&mut self) -> Option<Type<'a>> {
        self.expect("(")?;
        self.expect("{")?;
        let mut attributes: Vec<AttributeType<'a>> = Vec::new();
        while self.expect("}").is_none() {
            let name = self.arena.text(self.word()?);
            self.expect("=")?;
            attributes.push(AttributeType { name, ty: self.ty()?, optional: false });
            self.expect(",").or_else(|| self.at("}"))?;
        }
        self.expect(")")?;
        attributes.sort_by_key(|one| one.name);
        attributes.dedup_by_key(|one| one.name);
        Some(Type::Object(self.arena.slice(&attributes)))
    }

    /// A word, or a text in quotes without escapes.
    fn word(&mut self) -> Option<&'t str> {
        self.skip_blanks();
        if let Some(quoted) = self.rest.strip_prefix('"') {
            let (name, after) = quoted.split_once('"')?;
            self.rest = after;
            return Some(name);
        }
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'));
        let (word, after) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = after;
        (!word.is_empty()).then_some(word)
    }

    fn expect(&mut self, sign: &str) -> Option<()> {
        self.at(sign)?;
        self.rest = self.rest.strip_prefix(sign)?;
        Some(())
    }

    fn at(&mut self, sign: &str) -> Option<()> {
        self.skip_blanks();
        self.rest.starts_with(sign).then_some(())
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }
}
