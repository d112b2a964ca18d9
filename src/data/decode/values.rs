//! The values of a module as host types. Types are filled as by [`Document::decode`](crate::Document::decode), but from
//! values that are there: errors name the path to a value instead of its place in the file.
//!
//! [`body`](super::body) evaluates what a type reads; here everything was evaluated before.

mod block;
mod blocks;
mod fields;

use serde::Deserialize;

use crate::data::show::Allowance;
use crate::diagnostics::error::Error;
use crate::limits::Limits;
use crate::structure::module::{BlockValues, BodyValues, Values};
use block::BlockValuesDeserializer;

impl<'s> Values<'s> {
    /// Deserializes the attributes and blocks of the file; see [`BodyValues::decode`]. Locals are in
    /// [`Values::locals`].
    ///
    /// # Errors
    /// The [diagnostics](Values::diagnostics), if they have errors: values are partial then. See
    /// [`BodyValues::decode`].
    pub fn decode<T: Deserialize<'s>>(&self) -> Result<T, Error> {
        if self.diagnostics().has_errors() {
            return Err(self.diagnostics().clone().into());
        }
        self.body().decode()
    }
}

impl<'s> BodyValues<'s> {
    /// Deserializes the attributes and blocks into the types that [`Document::decode`](crate::Document::decode) fills,
    /// without evaluating them again. `T` may borrow strings. A type with [`Spanned`](crate::decode::Spanned) needs
    /// `Document::decode`: values do not keep their places.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Game<'v> { title: &'v str, weapon: BTreeMap<&'v str, Weapon> }
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Weapon { damage: u32 }
    ///
    /// let engine = hclvm::Engine::new();
    /// let module = engine.parse("game.hcl", r#"
    ///     locals { base = 10 }
    ///     title = "arena"
    ///     weapon "sword" { damage = local.base * 2 }
    /// "#)?.module()?;
    /// let (mut session, scope) = (engine.session(), module.scope());
    /// let values = module.evaluate(&mut session, &scope)?;
    /// let game: Game<'_> = values.decode()?;
    /// assert_eq!((game.title, game.weapon["sword"].damage), ("arena", 20));
    ///
    /// let sword = values.block("weapon", ["sword"]).expect("it is there");
    /// let refused = sword.body().decode::<BTreeMap<String, bool>>().unwrap_err();
    /// assert_eq!(refused.to_string(), "damage: found the number 20, wanted true or false");
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// What does not fit `T`, with the path to it; an unknown or marked value that `T` reads; more than 64 MiB of
    /// values.
    pub fn decode<T: Deserialize<'s>>(self) -> Result<T, Error> {
        decode(BlockValuesDeserializer::of_body(self, &Allowance::new(&Limits::untrusted())))
    }
}

impl<'s> BlockValues<'s> {
    /// Deserializes the block: the field `$label` is its label, as in [`Document::decode`](crate::Document::decode).
    ///
    /// # Errors
    /// See [`BodyValues::decode`].
    pub fn decode<T: Deserialize<'s>>(self) -> Result<T, Error> {
        decode(BlockValuesDeserializer::of_block(self, &Allowance::new(&Limits::untrusted())))
    }
}

fn decode<'s, T: Deserialize<'s>>(from: BlockValuesDeserializer<'s, '_>) -> Result<T, Error> {
    Ok(T::deserialize(from)?)
}
