//! Arguments as Rust values. They are converted to the parameter's type before; left to check are the
//! ranges of numbers and nulls inside of collections. Results are in `result`.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use hclvm_vm::{Arena, Number, NumberRef, Type, Value};
use serde::de::DeserializeOwned;

/// A parameter type of closures that takes one argument.
///
/// ```
/// use hclvm::{Type, Value, function};
/// use hclvm::host::FromArgument;
/// use hclvm::value::Arena;
/// use std::net::IpAddr;
///
/// struct Address(IpAddr);
///
/// impl FromArgument for Address {
///     const TYPE: Type<'static> = Type::String;
///     type Of<'a> = Self;
///
///     fn from_argument<'a>(arena: &'a Arena, value: Value<'a>) -> Result<Self, String> {
///         let text = <&str>::from_argument(arena, value)?;
///         text.parse().map(Address).map_err(|_| format!("{text} is not an address"))
///     }
/// }
///
/// let function = function("isloopback", ["address"], |address: Address| address.0.is_loopback());
/// assert_eq!(function.parameters[0].ty, Type::String);
/// ```
pub trait FromArgument {
    /// The type that arguments are converted to first.
    const TYPE: Type<'static>;
    /// True if null is accepted.
    const NULL: bool = false;
    /// The type with the lifetime of a call.
    type Of<'a>: 'a;

    /// Reads a value of [`FromArgument::TYPE`] that is wholly known and unmarked.
    ///
    /// # Errors
    /// A phrase without a final period that says what is required.
    fn from_argument<'a>(arena: &'a Arena, value: Value<'a>) -> Result<Self::Of<'a>, String>;
}

/// A parameter or result that is converted with serde: structs from and to objects, sequences from
/// lists, sets and tuples.
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Endpoint { host: String, port: u16 }
///
/// use hclvm::function;
/// use hclvm::host::Serde;
/// let url = function("url", ["endpoint"], |Serde(at): Serde<Endpoint>| {
///     format!("http://{}:{}/", at.host, at.port)
/// });
/// # let engine = hclvm::Engine::builder().functions({
/// #     let mut table = hclvm::functions::FunctionTable::new(); table.insert("url", url); table
/// # }).build();
/// # let document = engine.parse("x.hcl", r#"x = url({ host = "a", port = 80 })"#)?;
/// # let program = document.attribute("x").unwrap().program()?;
/// # assert_eq!(engine.session().run(&program, &document.scope())?.as_str(), Some("http://a:80/"));
/// # Ok::<(), hclvm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Serde<T>(pub T);

fn required(value: Value<'_>, what: &str) -> String {
    if value.is_null() { format!("{what} is required, not null") } else { format!("{what} is required") }
}

/// Implements [`FromArgument`] for types with a method of [`Value`] that reads them.
macro_rules! read {
    ($($type:ty as $of:ty: $language:ident, $what:literal, $read:expr;)*) => {$(
        impl FromArgument for $type {
            const TYPE: Type<'static> = Type::$language;
            type Of<'a> = $of;

            fn from_argument<'a>(_: &'a Arena, value: Value<'a>) -> Result<Self::Of<'a>, String> {
                let read: fn(Value<'a>) -> Option<$of> = $read;
                read(value).ok_or_else(|| required(value, $what))
            }
        }
    )*};
}

read! {
    &str as &'a str: String, "a string", Value::as_str;
    String as String: String, "a string", |value| value.as_str().map(str::to_owned);
    bool as bool: Bool, "a bool", Value::as_bool;
    f64 as f64: Number, "a number", |value| value.as_number().map(NumberRef::to_f64);
    f32 as f32: Number, "a number", |value| value.as_number().map(|number| nearest(number.to_f64()));
    Number as Number: Number, "a number", |value| value.as_number().map(NumberRef::to_owned);
}

#[expect(clippy::cast_possible_truncation, reason = "rounds to the nearest f32, as the table in `host` says")]
fn nearest(number: f64) -> f32 {
    number as f32
}

/// Implements [`FromArgument`] for integers, which accept whole numbers in their range.
macro_rules! integers {
    ($read:ident: $($type:ty)*) => {$(
        impl FromArgument for $type {
            const TYPE: Type<'static> = Type::Number;
            type Of<'a> = Self;

            fn from_argument<'a>(_: &'a Arena, value: Value<'a>) -> Result<Self, String> {
                let whole = value.as_number().and_then(NumberRef::$read);
                whole.and_then(|whole| Self::try_from(whole).ok()).ok_or_else(|| {
                    required(value, &format!("a whole number between {} and {}", Self::MIN, Self::MAX))
                })
            }
        }
    )*};
}

integers!(to_i64: i8 i16 i32 i64 isize);
integers!(to_u64: u8 u16 u32 u64 usize);

impl FromArgument for Value<'_> {
    const TYPE: Type<'static> = Type::Dynamic;
    type Of<'a> = Value<'a>;

    fn from_argument<'a>(_: &'a Arena, value: Value<'a>) -> Result<Value<'a>, String> {
        Ok(value)
    }
}

impl<T: DeserializeOwned + 'static> FromArgument for Serde<T> {
    const TYPE: Type<'static> = Type::Dynamic;
    type Of<'a> = Self;

    fn from_argument<'a>(_: &'a Arena, value: Value<'a>) -> Result<Self, String> {
        crate::data::decode::from_value(value).map(Serde).map_err(|error| error.to_string())
    }
}

impl<T: FromArgument> FromArgument for Option<T> {
    const TYPE: Type<'static> = T::TYPE;
    const NULL: bool = true;
    type Of<'a> = Option<T::Of<'a>>;

    fn from_argument<'a>(arena: &'a Arena, value: Value<'a>) -> Result<Self::Of<'a>, String> {
        if value.is_null() { Ok(None) } else { T::from_argument(arena, value).map(Some) }
    }
}

impl<T: FromArgument> FromArgument for Vec<T> {
    const TYPE: Type<'static> = Type::List(&T::TYPE);
    type Of<'a> = Vec<T::Of<'a>>;

    fn from_argument<'a>(arena: &'a Arena, value: Value<'a>) -> Result<Self::Of<'a>, String> {
        let items = value.as_items().ok_or_else(|| required(value, "a list"))?;
        let read = |(at, item): (usize, &Value<'a>)| {
            element::<T>(arena, *item).map_err(|message| format!("in element {at}, {message}"))
        };
        items.iter().enumerate().map(read).collect()
    }
}

impl<T: FromArgument> FromArgument for &[T]
where
    for<'a> T::Of<'a>: Copy,
{
    const TYPE: Type<'static> = Type::List(&T::TYPE);
    type Of<'a> = &'a [T::Of<'a>];

    fn from_argument<'a>(arena: &'a Arena, value: Value<'a>) -> Result<Self::Of<'a>, String> {
        Ok(arena.slice(&Vec::<T>::from_argument(arena, value)?))
    }
}

impl<T: FromArgument> FromArgument for BTreeMap<String, T> {
    const TYPE: Type<'static> = Type::Map(&T::TYPE);
    type Of<'a> = BTreeMap<String, T::Of<'a>>;

    fn from_argument<'a>(arena: &'a Arena, value: Value<'a>) -> Result<Self::Of<'a>, String> {
        entries::<T>(arena, value)?.collect()
    }
}

impl<T: FromArgument, S: BuildHasher + Default + 'static> FromArgument for HashMap<String, T, S> {
    const TYPE: Type<'static> = Type::Map(&T::TYPE);
    type Of<'a> = HashMap<String, T::Of<'a>, S>;

    fn from_argument<'a>(arena: &'a Arena, value: Value<'a>) -> Result<Self::Of<'a>, String> {
        entries::<T>(arena, value)?.collect()
    }
}

/// Iterates over the entries of a map as Rust values.
fn entries<'a, T: FromArgument>(
    arena: &'a Arena,
    value: Value<'a>,
) -> Result<impl Iterator<Item = Result<(String, T::Of<'a>), String>>, String> {
    let entries = value.as_entries().ok_or_else(|| required(value, "a map"))?;
    Ok(entries.iter().map(move |entry| {
        let read = element::<T>(arena, entry.value);
        let read = read.map_err(|message| format!("in element {:?}, {message}", entry.name))?;
        Ok((entry.name.to_owned(), read))
    }))
}

/// Reads an element of a collection. Nulls are checked here, because calls check only the arguments
/// themselves.
fn element<'a, T: FromArgument>(arena: &'a Arena, value: Value<'a>) -> Result<T::Of<'a>, String> {
    if value.is_null() && !T::NULL {
        return Err("a value is required, not null".to_owned());
    }
    T::from_argument(arena, value)
}
