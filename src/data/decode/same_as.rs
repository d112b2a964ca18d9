//! Deserializer methods that several deserializers delegate to another of their methods.

/// Deserializer methods that delegate to another one.
macro_rules! same_as {
    ($life:lifetime; $($method:ident => $same:ident),* $(,)?) => {$(
        fn $method<V: serde::de::Visitor<$life>>(self, visitor: V) -> Result<V::Value, crate::data::path_error::PathError> {
            self.$same(visitor)
        }
    )*};
}
pub(super) use same_as;
