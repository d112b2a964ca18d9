//! Functions of lists, maps, tuples and objects.
//!
//! Most take marked arguments and put the container's own marks on the result; marks of
//! members travel with the members. A type rule only works the type out where an argument is
//! unknown: for known arguments the body runs, and its result shows the type.

mod access;
mod choose;
mod combine;
mod entries;
mod filter;
mod flatten;
mod lookup;
mod measure;
mod product;
mod slice;
mod truth;

pub(crate) use access::{element, hasindex, index, index_of, one};
pub(crate) use choose::{assertnotnull, coalesce, coalesce_nonempty, coalescelist};
pub(crate) use combine::{concat, merge};
pub(crate) use entries::{keys, transpose, values, zipmap};
pub(crate) use filter::{compact, contains, distinct, matchkeys};
pub(crate) use flatten::flatten;
pub(crate) use lookup::{lookup, lookup_optional};
pub(crate) use measure::{length, length_of_collection};
pub(crate) use product::setproduct;
pub(crate) use slice::{chunklist, reverse, slice};
pub(crate) use truth::{alltrue, anytrue};
