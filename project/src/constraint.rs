//! Reads types as results write them: `string`, `list(any)`, `object({"a b" = number})`. Unlike type
//! constraints of the language, attribute names may be quoted, because names in values are arbitrary.

use hclvm::Type;
use hclvm::value::{Arena, AttributeType};

/// Nesting limit, which bounds the recursion of the reader.
const DEPTH: usize = 64;

/// Parses a type.
pub(crate) fn read<'a>(arena: &'a Arena, text: &str) -> Result<Type<'a>, String> {
    let mut reader = TypeParser { arena, rest: text, depth: 0 };
    let ty = reader.ty();
    reader.skip_blanks();
    match ty {
        Some(ty) if reader.rest.is_empty() => Ok(ty),
        _ => Err(format!(
            "{text:?} is not a type; write for example string, list(number) or object({{a = bool}})"
        )),
    }
}

/// A recursive descent parser. Its productions return `None` if the text does not match.
struct TypeParser<'t, 'a> {
    arena: &'a Arena,
    rest: &'t str,
    depth: usize,
}

impl<'t, 'a> TypeParser<'t, 'a> {
    /// `type = word | word "(" type ")" | "tuple" elements | "object" attributes`
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

    /// The type argument of a collection: `"(" type ")"`
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

    /// A word, or a quoted string without escapes.
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
