//! Deserializers of a document and of one block. Blocks of a type together are in `group`.

use hclvm_vm::Span;
use serde::de::{DeserializeSeed, EnumAccess, Error, VariantAccess, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};

use super::attribute::{WRAPPERS, unwrapped};
use super::context::DecodeContext;
use super::failure::BodyError;
use super::fields::{BodyFields, Labels, Locals};
use super::location::BodyLocation;
use super::spanned::{self, SpannedAccess};
use crate::data::decode::name::NameDeserializer;
use crate::data::path_error::PathError;
use crate::data::wanted::ExpectedType;
use crate::structure::expansion::BlockView;
use crate::structure::module::locals::LOCALS;

/// Deserializes the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct DocumentDeserializer<'a, 'r> {
    context: &'r DecodeContext<'a>,
    wrappers: u8,
}

impl<'a, 'r> DocumentDeserializer<'a, 'r> {
    pub(super) fn new(context: &'r DecodeContext<'a>) -> Self {
        Self { context, wrappers: WRAPPERS }
    }

    fn fields(self, wanted: Option<&'static [&'static str]>) -> Result<BodyFields<'a, 'r>, BodyError> {
        let view = self.context.expansion.borrow().body();
        let start = view.body().span().empty_at_start();
        let location = BodyLocation { kind: "", header: start, open: start };
        // The blocks are the host's own if its struct has a field for them.
        let locals = if wanted.is_some_and(|wanted| wanted.contains(&LOCALS)) {
            Locals::Content
        } else {
            self.context.evaluate_locals()?;
            Locals::Evaluated
        };
        BodyFields::new(self.context, view, Vec::new(), location, wanted, locals)
    }
}

/// Returns the empty range at the start of a block's body.
pub(super) fn open_brace(block: &BlockView<'_>) -> Span {
    block.body.body().span().empty_at_start()
}

/// Deserializes one block.
#[derive(Debug)]
pub(super) struct BlockDeserializer<'a, 'r> {
    pub(super) context: &'r DecodeContext<'a>,
    pub(super) block: BlockView<'a>,
    /// The number of labels that maps and enums took.
    pub(super) depth: usize,
    pub(super) wrappers: u8,
}

impl<'a, 'r> BlockDeserializer<'a, 'r> {
    fn fields(self, wanted: Option<&'static [&'static str]>) -> Result<BodyFields<'a, 'r>, BodyError> {
        let block = self.block;
        let open = open_brace(&block);
        let location = BodyLocation { kind: block.kind, header: block.header_span, open };
        let labels: Labels<'a> = block.labels.into_iter().zip(block.label_spans).skip(self.depth).collect();
        BodyFields::new(self.context, block.body, labels, location, wanted, Locals::Content)
    }

    pub(super) fn mismatch<V: Visitor<'a>>(self, visitor: V) -> BodyError {
        let (place, kind) = (self.block.header_span, self.block.kind);
        let wanted = ExpectedType(&visitor);
        let reason = format!("found a block, wanted {wanted}; an argument is written {kind} = …");
        BodyError::from(PathError::new(reason)).at(place, place)
    }

    fn only(self) -> Result<Self, BodyError> {
        Ok(self)
    }

    fn inner(self) -> Result<Self, BodyError> {
        Ok(Self { wrappers: unwrapped(self.wrappers)?, ..self })
    }
}

/// Deserializer methods for types that a block cannot be.
macro_rules! refuse_scalars {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
            Err(self.only()?.mismatch(visitor))
        }
    )*};
}
pub(super) use refuse_scalars;

impl<'a> Deserializer<'a> for DocumentDeserializer<'a, '_> {
    type Error = BodyError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        self.fields(None)?.visit(visitor)
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        if name == spanned::NAME {
            let span = self.context.expansion.borrow().body().body().span();
            return visitor.visit_map(SpannedAccess::new(span, self));
        }
        self.fields(Some(fields))?.visit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        visitor.visit_newtype_struct(Self { wrappers: unwrapped(self.wrappers)?, ..self })
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        visitor.visit_some(Self { wrappers: unwrapped(self.wrappers)?, ..self })
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'a> Deserializer<'a> for BlockDeserializer<'a, '_> {
    type Error = BodyError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        self.fields(None)?.visit(visitor)
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        self.fields(None)?.visit(visitor)
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        if name == spanned::NAME {
            return visitor.visit_map(SpannedAccess::new(self.block.header_span, self));
        }
        self.fields(Some(fields))?.visit(visitor)
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        visitor.visit_some(self.inner()?)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        visitor.visit_newtype_struct(self.inner()?)
    }

    /// A block whose presence is its meaning: its body must be empty.
    fn deserialize_unit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        self.deserialize_unit_struct("", visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        self.fields(Some(&[]))?;
        visitor.visit_unit()
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        let place = match self.block.label_spans.get(self.depth) {
            Some(span) => *span,
            None => self.block.header_span,
        };
        visitor.visit_enum(VariantBlock(self)).map_err(|error| error.at(place, place))
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        visitor.visit_unit()
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        Err(self.mismatch(visitor))
    }

    fn deserialize_tuple<V: Visitor<'a>>(self, _len: usize, visitor: V) -> Result<V::Value, BodyError> {
        Err(self.mismatch(visitor))
    }

    fn deserialize_tuple_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        Err(self.mismatch(visitor))
    }

    refuse_scalars! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_identifier
    }
}

/// Deserializes a block as an enum, whose variant is named by a label.
struct VariantBlock<'a, 'r>(BlockDeserializer<'a, 'r>);

impl<'a> EnumAccess<'a> for VariantBlock<'a, '_> {
    type Error = BodyError;
    type Variant = Self;

    fn variant_seed<N: DeserializeSeed<'a>>(self, seed: N) -> Result<(N::Value, Self), BodyError> {
        let Some(label) = self.0.block.labels.get(self.0.depth) else {
            return Err(BodyError::custom("the block needs a label that names the variant"));
        };
        let name = seed.deserialize(NameDeserializer(label))?;
        Ok((name, Self(BlockDeserializer { depth: self.0.depth + 1, ..self.0 })))
    }
}

impl<'a> VariantAccess<'a> for VariantBlock<'a, '_> {
    type Error = BodyError;

    fn unit_variant(self) -> Result<(), BodyError> {
        self.0.fields(Some(&[])).map(drop)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, BodyError> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'a>>(self, _len: usize, visitor: V) -> Result<V::Value, BodyError> {
        Err(self.0.mismatch(visitor))
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        self.0.fields(Some(fields))?.visit(visitor)
    }
}
