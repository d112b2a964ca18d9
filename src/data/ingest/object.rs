//! Host objects: types whose attributes are requested by name, and only if programs read them.
//!
//! Host objects are resolved when they enter a scope, not while a program runs. The compiler has
//! which attributes each program may read (see [`Projection`](crate::run::Projection)), so the scope
//! requests exactly those, once, and every operation of the language sees a plain object. Types that
//! implement `Serialize` are in `value_serializer`.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;
use std::sync::Arc;

use hclvm_vm::{Arena, Entry, Number, Value, last_of_each};
use serde::Serialize;

use super::value_serializer::{ValueRefusal, ValueSerializer};
use crate::data::path_error::PathError;
use crate::diagnostics::error::Error;
use crate::run::projection::{Read, ReadParts};

/// An object with attributes on request: a database row, a request that is parsed on demand. Set it as a
/// variable with [`Scope::set_object`](crate::Scope::set_object): a scope of a
/// [projection](crate::run::Projection) requests the attributes that programs read, each once; any
/// other scope requests all of them. For structs, [`record!`](crate::record) implements it.
///
/// # When attributes are requested
///
/// When the object enters the scope, once for each attribute, never while a program runs. An attribute
/// counts as read if it occurs in any branch: `row.cached ? row.short : row.long` requests all three, and
/// so does `try(row.short, row.long)`. An attribute that fails makes
/// [`set_object`](crate::Scope::set_object) fail, even if an evaluation would not have reached it. If an
/// attribute is expensive and rarely needed, make it a separate variable, and set it after another
/// program has decided that it is needed.
///
/// Attributes are not requested while a program runs, because both tiers and the comparison of scopes work on
/// plain values: a value that computes itself would be another case of every operation. What has to be lazy
/// is a [host function](crate::function), such as `history(row.key)`. An evaluation that reaches the call
/// calls it, and each call converts its arguments and its result.
///
/// In return, evaluations never wait for the host or fail because of it, an attribute is computed once
/// for any number of programs, and scopes can be shared between threads.
///
/// ```
/// use hclvm::{Engine, Error, Value};
/// use hclvm::ingest::{Builder, HostObject};
///
/// struct Row { key: u32 }
///
/// impl HostObject for Row {
///     fn names(&self, visit: &mut dyn FnMut(&str)) {
///         ["key", "owner", "history"].into_iter().for_each(visit);
///     }
///
///     fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, Error> {
///         match name {
///             "key" => to.value(&self.key).map(Some),
///             "owner" => to.value(&format!("owner of {}", self.key)).map(Some),
///             "history" => Err(Error::host("the archive is closed")),
///             _ => Ok(None),
///         }
///     }
/// }
///
/// let engine = Engine::new();
/// let document = engine.parse("x.hcl", r#"x = "${row.key}: ${row.owner}""#)?;
/// let mut scope = document.projection().scope();
/// scope.set_object("row", &Row { key: 7 })?;      // does not request the history
/// let x = document.attribute("x").expect("x is defined").program()?;
/// assert_eq!(engine.session().run(&x, &scope)?.as_str(), Some("7: owner of 7"));
/// # Ok::<(), Error>(())
/// ```
pub trait HostObject {
    /// Calls `visit` with the names of all attributes, in any order. Names must be in normal form C;
    /// ASCII names are.
    fn names(&self, visit: &mut dyn FnMut(&str));

    /// Builds the value of an attribute with `to`. Returns `None` if there is no such attribute.
    ///
    /// # Errors
    /// [`Error::host`] if the attribute cannot be computed. The variable is not set then.
    fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, Error>;
}

/// A host type that builds its value directly: strings, numbers, bools, options, sequences, maps, and
/// structs with [`record!`](crate::record). The values equal those built through serde, see
/// [`Ingest`](crate::ingest::Ingest).
pub trait HostValue {
    /// Builds the value.
    ///
    /// # Errors
    /// NaN, nesting deeper than 128 levels, and nesting or memory beyond the limits of the engine.
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error>;
}

/// Builds a value of a host type: the parts of it that programs read.
#[derive(Clone, Copy, Debug)]
pub struct Builder<'a, 'r> {
    serializer: ValueSerializer<'a, 'r>,
    /// The levels of objects and sequences that may follow.
    levels: u16,
}

/// The nesting of host values. Host code runs between two levels, with stack frames of unknown size, so
/// the limit is lower than that of values.
const DEEPEST: u16 = 128;

impl<'a> Builder<'a, 'static> {
    /// Creates a builder of whole values in an arena, such as that of a call of a host function.
    pub fn whole_in(arena: &'a Arena) -> Self {
        Self::new(arena, &Read::Whole)
    }
}

impl<'a, 'r> Builder<'a, 'r> {
    pub(crate) fn new(arena: &'a Arena, read: &'r Read) -> Self {
        Self { serializer: ValueSerializer::new(arena, read), levels: DEEPEST }
    }

    /// Returns the builder of a member of which programs read `read`.
    fn inside<'m>(self, read: &'m Read) -> Result<Builder<'a, 'm>, Error> {
        let levels =
            self.levels.checked_sub(1).ok_or(ValueRefusal::Depth(DEEPEST)).map_err(PathError::from)?;
        let serializer = self.serializer.inside().map_err(PathError::from)?;
        serializer.has_room().map_err(PathError::from)?;
        Ok(Builder { serializer: serializer.reading(read), levels })
    }

    /// Returns a builder of these parts.
    fn reading<'o>(self, read: &'o Read) -> Builder<'a, 'o> {
        Builder { serializer: self.serializer.reading(read), levels: self.levels }
    }

    /// Returns the arena that holds the value.
    pub fn arena(self) -> &'a Arena {
        self.serializer.arena()
    }

    /// Builds a [`HostValue`].
    pub fn value(self, value: &(impl HostValue + ?Sized)) -> Result<Value<'a>, Error> {
        value.build(self)
    }

    /// Builds a type that implements `Serialize`; of maps and structs the attributes that programs read.
    pub fn serde(self, value: &(impl Serialize + ?Sized)) -> Result<Value<'a>, Error> {
        Ok(self.serializer.take(value)?)
    }

    /// Builds an object with the attributes that programs read, or with all of them.
    pub fn object(self, object: &(impl HostObject + ?Sized)) -> Result<Value<'a>, Error> {
        match self.serializer.parts() {
            Some(parts) => self.parts(object, parts),
            None => self.whole(object),
        }
    }

    fn parts(self, object: &(impl HostObject + ?Sized), parts: &ReadParts) -> Result<Value<'a>, Error> {
        let arena = self.arena();
        let inside = self.inside(&Read::Whole)?;
        let mut entries = arena.list_with(parts.len());
        for part in parts.iter() {
            if let Some(value) = object.attribute(part.name(), inside.reading(part.read()))? {
                entries.push(Entry { name: arena.text(part.name()), symbol: part.symbol(), value });
            }
        }
        Ok(Value::object(arena, entries.into_bump_slice()))
    }

    fn whole(self, object: &(impl HostObject + ?Sized)) -> Result<Value<'a>, Error> {
        let mut entries = self.arena().list_with(8);
        let mut failed = None;
        object.names(&mut |name| {
            if failed.is_none() {
                failed = self.entry(object, name).map(|entry| entries.extend(entry)).err();
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(Value::object(self.arena(), last_of_each(entries))),
        }
    }

    fn entry(self, object: &(impl HostObject + ?Sized), name: &str) -> Result<Option<Entry<'a>>, Error> {
        let inside = self.inside(&Read::Whole)?;
        let Some(value) = object.attribute(name, inside)? else { return Ok(None) };
        let name = inside.serializer.name(name).map_err(PathError::from)?;
        Ok(Some(self.arena().entry(name, value)))
    }

    /// Builds a tuple with all its elements.
    fn items<T: HostValue>(self, items: impl ExactSizeIterator<Item = T>) -> Result<Value<'a>, Error> {
        let arena = self.arena();
        let inside = self.inside(&Read::Whole)?;
        // All elements at once, so that none has to look for room.
        if !arena.has_room(items.len().saturating_mul(size_of::<Value<'_>>())) {
            return Err(PathError::from(self.serializer.too_large()).into());
        }
        let mut values = arena.list_with(items.len());
        for item in items {
            values.push(item.build(inside)?);
        }
        Ok(Value::tuple(self.arena(), values.into_bump_slice()))
    }

    /// Builds an integer whose width depends on the platform.
    fn integer<N: Into<Number>, E>(self, wide: Result<N, E>, n: impl ToString) -> Result<Value<'a>, Error> {
        let number = wide.map(Into::into).ok().or_else(|| Number::parse_integer(&n.to_string(), 10));
        self.number(number)
    }

    fn number(self, number: Option<Number>) -> Result<Value<'a>, Error> {
        let number = number.ok_or_else(|| Error::host("found a float that is not a number (NaN)"))?;
        Ok(Value::number(self.arena(), number))
    }
}

/// Implements [`HostObject`] and [`HostValue`] for a struct, with an attribute for each listed field.
/// `field as "attribute"` renames one. Fields are read by reference and without serde.
///
/// ```
/// struct User<'u> { name: &'u str, kind: u8, groups: Vec<String>, home: Address }
/// struct Address { city: String }
///
/// hclvm::record!(User<'_> { name, kind as "type", groups, home });
/// hclvm::record!(Address { city });
///
/// let engine = hclvm::Engine::new();
/// let document = engine.parse("x.hcl", r#"
///     allow = user.type == 1 && contains(user.groups, user.home.city)
/// "#)?;
/// let mut scope = document.projection().scope();      // requests three of the five fields
/// let home = Address { city: "Oslo".into() };
/// let groups = vec!["staff".to_owned(), "Oslo".to_owned()];
/// scope.set_object("user", &User { name: "Ann", kind: 1, groups, home })?;
/// let allow = document.attribute("allow").expect("allow is defined").program()?;
/// assert_eq!(engine.session().run(&allow, &scope)?.as_bool(), Some(true));
/// # Ok::<(), hclvm::Error>(())
/// ```
#[macro_export]
macro_rules! record {
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };
    ($type:ty { $($field:ident $(as $name:literal)?),* $(,)? }) => {
        impl $crate::ingest::HostObject for $type {
            fn names(&self, visit: &mut dyn FnMut(&str)) {
                $(visit($crate::record!(@name $field $($name)?));)*
            }

            fn attribute<'a>(
                &self,
                name: &str,
                to: $crate::ingest::Builder<'a, '_>,
            ) -> ::std::result::Result<::std::option::Option<$crate::Value<'a>>, $crate::Error> {
                $(if name == $crate::record!(@name $field $($name)?) {
                    return $crate::ingest::HostValue::build(&self.$field, to).map(::std::option::Option::Some);
                })*
                ::std::result::Result::Ok(::std::option::Option::None)
            }
        }

        impl $crate::ingest::HostValue for $type {
            fn build<'a>(
                &self,
                to: $crate::ingest::Builder<'a, '_>,
            ) -> ::std::result::Result<$crate::Value<'a>, $crate::Error> {
                to.object(self)
            }
        }
    };
}

impl HostValue for str {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        Ok(to.serializer.text(self).map_err(PathError::from)?)
    }
}

impl HostValue for String {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        self.as_str().build(to)
    }
}

impl HostValue for bool {
    fn build<'a>(&self, _: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        Ok(Value::bool(*self))
    }
}

macro_rules! numbers {
    ($($ty:ty: $value:ident, $to:ident => $made:expr;)*) => {$(
        impl HostValue for $ty {
            fn build<'a>(&self, $to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
                let $value = *self;
                $made
            }
        }
    )*};
}

numbers! {
    i8: n, _to => Ok(Value::short(n.into()));
    i16: n, _to => Ok(Value::short(n.into()));
    i32: n, _to => Ok(Value::short(n.into()));
    i64: n, _to => Ok(Value::short(n));
    isize: n, to => to.integer(i64::try_from(n), n);
    u8: n, _to => Ok(Value::short(n.into()));
    u16: n, _to => Ok(Value::short(n.into()));
    u32: n, _to => Ok(Value::short(n.into()));
    u64: n, to => to.number(Some(Number::from(n)));
    usize: n, to => to.integer(u64::try_from(n), n);
    f32: n, to => to.number(Number::from_f64(n.into()));
    f64: n, to => to.number(Number::from_f64(n));
}

impl<T: HostValue> HostValue for Option<T> {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        self.as_ref().map_or(Ok(Value::NULL), |value| value.build(to))
    }
}

impl<T: HostValue> HostValue for [T] {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        to.items(self.iter())
    }
}

impl<T: HostValue, const N: usize> HostValue for [T; N] {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        to.items(self.iter())
    }
}

impl<T: HostValue> HostValue for Vec<T> {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        to.items(self.iter())
    }
}

macro_rules! behind {
    ($($ty:ty),*) => {$(
        impl<T: HostValue + ?Sized> HostValue for $ty {
            fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
                (**self).build(to)
            }
        }
    )*};
}

behind!(&T, Box<T>, Arc<T>);

macro_rules! maps {
    ($($map:ident [$($hasher:ident)?]),*) => {$(
        impl<T: HostValue $(, $hasher: BuildHasher)?> HostObject for $map<String, T $(, $hasher)?> {
            fn names(&self, visit: &mut dyn FnMut(&str)) {
                for name in self.keys() {
                    visit(name);
                }
            }

            fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, Error> {
                self.get(name).map(|value| value.build(to)).transpose()
            }
        }

        impl<T: HostValue $(, $hasher: BuildHasher)?> HostValue for $map<String, T $(, $hasher)?> {
            fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
                to.object(self)
            }
        }
    )*};
}

maps!(BTreeMap[], HashMap[S]);
