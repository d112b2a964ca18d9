//! Tuples and objects while their members arrive.

use hclvm_vm::{ArenaVec, Entry, Value};
use serde::Serialize;
use serde::ser::{
    Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use super::build::Verbatim;
use super::key::Key;
use super::site::Site;
use crate::data::path_error::Misfit;
use crate::run::projection::{Parts, Read};

/// A length that the host announces is trusted up to here; longer lists grow as they arrive.
const TRUSTED_LEN: usize = 1024;

/// A tuple, perhaps the content of a variant.
#[derive(Debug)]
pub(super) struct Items<'a> {
    site: Site<'a, 'static>,
    inside: Site<'a, 'static>,
    variant: Option<&'static str>,
    members: ArenaVec<'a, Value<'a>>,
}

impl<'a> Items<'a> {
    /// All of the elements are read, whatever is read of attributes.
    pub(super) fn new(site: Site<'a, '_>, len: usize) -> Result<Self, Misfit> {
        let mut members = site.arena().list();
        members.reserve(len.min(TRUSTED_LEN));
        Ok(Self { site: site.reading(&Read::Whole), inside: site.inside()?, variant: None, members })
    }

    pub(super) fn of_variant(site: Site<'a, '_>, variant: &'static str, len: usize) -> Result<Self, Misfit> {
        let content = Self::new(site.inside()?, len)?;
        Ok(Self { site: site.reading(&Read::Whole), variant: Some(variant), ..content })
    }

    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Misfit> {
        self.inside.has_room()?;
        let index = self.members.len();
        let item = self.inside.take(value);
        self.members.push(item.map_err(|misfit| misfit.at_index(index).at_variant(self.variant))?);
        Ok(())
    }

    fn finish(self) -> Result<Value<'a>, Misfit> {
        let tuple = self.site.tuple(self.members);
        self.variant.map_or(Ok(tuple), |variant| self.site.tagged(variant, tuple))
    }
}

/// An object, perhaps the content of a variant. Attributes that are not read are passed over.
#[derive(Debug)]
pub(super) struct Entries<'a, 'r> {
    site: Site<'a, 'r>,
    inside: Site<'a, 'static>,
    variant: Option<&'static str>,
    members: ArenaVec<'a, Entry<'a>>,
    /// The key that waits for its value.
    key: &'a str,
}

impl<'a, 'r> Entries<'a, 'r> {
    pub(super) fn new(site: Site<'a, 'r>, len: usize) -> Result<Self, Misfit> {
        let mut members = site.arena().list();
        members.reserve(site.parts().map_or(len.min(TRUSTED_LEN), Parts::len));
        Ok(Self { site, inside: site.inside()?, variant: None, members, key: "" })
    }

    /// All of the content of a variant is read.
    pub(super) fn of_variant(site: Site<'a, 'r>, variant: &'static str, len: usize) -> Result<Self, Misfit> {
        let content = Entries::new(site.inside()?, len)?;
        Ok(Self {
            variant: Some(variant),
            site: site.reading(&Read::Whole),
            inside: content.inside,
            members: content.members,
            key: "",
        })
    }

    /// Adds a field.
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Misfit> {
        match self.site.parts() {
            // What nobody reads needs no copy of its name.
            Some(parts) if name.is_ascii() && parts.find(name).is_none() => Ok(()),
            _ => self.push(self.site.name(name)?, value),
        }
    }

    fn push<T: Serialize + ?Sized>(&mut self, name: &'a str, value: &T) -> Result<(), Misfit> {
        let (symbol, read) = match self.site.parts().map(|parts| parts.find(name)) {
            None => (self.site.arena().symbol(name), &Read::Whole),
            Some(Some((_, part))) => (part.symbol(), part.read()),
            Some(None) => return Ok(()),
        };
        self.inside.has_room()?;
        let value = self.inside.reading(read).take(value);
        let value = value.map_err(|misfit| misfit.at_name(name).at_variant(self.variant))?;
        self.members.push(Entry { name, symbol, value });
        Ok(())
    }

    fn finish(self) -> Result<Value<'a>, Misfit> {
        let object = self.site.object(self.members);
        self.variant.map_or(Ok(object), |variant| self.site.tagged(variant, object))
    }
}

/// The fields of a struct: an object, or the one text of a struct of `serde_json`.
#[derive(Debug)]
pub(super) enum Fields<'a, 'r> {
    Entries(Entries<'a, 'r>),
    Verbatim(Site<'a, 'static>, Verbatim, Option<Value<'a>>),
}

impl<'a> Fields<'a, '_> {
    pub(super) fn verbatim(site: Site<'a, '_>, meaning: Verbatim) -> Self {
        Self::Verbatim(site.reading(&Read::Whole), meaning, None)
    }
}

impl<'a> SerializeStruct for Fields<'a, '_> {
    type Ok = Value<'a>;
    type Error = Misfit;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Misfit> {
        match self {
            Self::Entries(entries) => entries.field(name, value),
            Self::Verbatim(site, meaning, result) => {
                let text = value.serialize(Key(*site))?;
                *result = Some(meaning.value(*site, text)?);
                Ok(())
            }
        }
    }

    fn end(self) -> Result<Value<'a>, Misfit> {
        match self {
            Self::Entries(entries) => entries.finish(),
            Self::Verbatim(_, _, result) => result.ok_or_else(|| Misfit::new("found a number without text")),
        }
    }
}

impl<'a> SerializeStructVariant for Entries<'a, '_> {
    type Ok = Value<'a>;
    type Error = Misfit;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Misfit> {
        self.field(name, value)
    }

    fn end(self) -> Result<Value<'a>, Misfit> {
        self.finish()
    }
}

impl<'a> SerializeMap for Entries<'a, '_> {
    type Ok = Value<'a>;
    type Error = Misfit;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Misfit> {
        self.key = key.serialize(Key(self.inside))?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Misfit> {
        self.push(self.key, value)
    }

    fn end(self) -> Result<Value<'a>, Misfit> {
        self.finish()
    }
}

/// The traits of sequences differ in their names only.
macro_rules! sequence {
    ($($name:ident::$push:ident),*) => {$(
        impl<'a> $name for Items<'a> {
            type Ok = Value<'a>;
            type Error = Misfit;

            fn $push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Misfit> {
                self.push(value)
            }

            fn end(self) -> Result<Value<'a>, Misfit> {
                self.finish()
            }
        }
    )*};
}

sequence! {
    SerializeSeq::serialize_element, SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field, SerializeTupleVariant::serialize_field
}

/// What a key can never be.
pub(super) type NoAggregate<'a> = Impossible<&'a str, Misfit>;
