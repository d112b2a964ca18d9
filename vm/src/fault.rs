//! Faults of evaluations: what happened and where, as facts.
//!
//! Faults are recorded without building text, because `&&`, `||`, `?:`, `try` and `can` discard most of
//! them. Titles and sentences are in [`describe`]: titles follow the reference, sentences are ours.
//! The compiler resolves a fault's node and part to a place in the source and makes it a
//! [`Diagnostic`](diagnostic::Diagnostic).

use std::borrow::Cow;

use crate::cast;
use crate::function::Function;
use crate::memory::arena::Arena;
use crate::ops::OperationFault;
use crate::text::suggest::Comparisons;
use crate::types::Type;
use crate::types::convert::Mismatch;
use crate::value::{Marks, Value};

pub mod code;
mod describe;
pub(crate) mod diagnostic;
mod failure;
pub(crate) mod span;

pub use failure::Failure;

/// The part of a node that a fault concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The node, with no larger context.
    Node,
    /// The root name of a traversal.
    Root,
    /// A step of a traversal.
    Step(u16),
    /// The brackets of an index expression.
    Brackets,
    /// The left operand.
    Left,
    /// The right operand.
    Right,
    /// The only operand.
    Operand,
    /// The predicate.
    Condition,
    /// The true arm.
    Yes,
    /// The false arm.
    No,
    /// From the true arm to the false arm.
    Arms,
    /// The key of an object item or for expression.
    Key(u32),
    /// The value of an object item.
    Value(u32),
    /// The collection of a for expression.
    Collection,
    /// The source of a splat, up to the marker.
    Source,
    /// The repeated part of a splat.
    Each,
    /// A part of a template.
    Part(u16),
    /// The name of a called function.
    FunctionName,
    /// The start of a call: name and opening parenthesis.
    CallStart,
    /// The closing parenthesis of a call.
    CloseParen,
    /// The argument list of a call, with its parentheses.
    Arguments,
    /// The arguments of a call from the second to the last.
    MoreArguments,
    /// The start of an argument; of the last one when there are fewer.
    Argument(u16),
    /// The whole of the last, expanded argument.
    Expanded,
}

/// A failure of an evaluation.
#[derive(Clone, Copy, Debug)]
pub enum Fault<'a> {
    /// A failure that the compiler found.
    Failure(&'a Failure),
    /// A slot of the layout has no value.
    UnsetVariable(&'a str),
    /// An operand does not convert to the operator's type.
    Operand(&'static str, Mismatch<'a>),
    /// An operator cannot be applied to these values.
    Operation(OperationFault),
    /// The arms of a conditional have no common type.
    Arms(Type<'a>, Type<'a>),
    /// The value of the chosen arm does not convert to the common type.
    Arm(bool, Mismatch<'a>),
    /// A null condition.
    NullCondition,
    /// A condition that is not a bool.
    Condition(Mismatch<'a>),
    /// A null object key.
    NullKey,
    /// An object key that is not a string.
    Key(Mismatch<'a>),
    /// A null name of an object of JSON.
    NameNull,
    /// A name of an object of JSON that is not a string.
    Name(Mismatch<'a>),
    /// A repeated name in an object of JSON, if it may be shown.
    NameTaken(Option<&'a str>),
    /// A for expression over null.
    IterateNull,
    /// A for expression over a value without elements.
    IterateScalar(Type<'a>),
    /// The `if` clause is null for unknown loop variables.
    ClauseNull,
    /// The `if` clause is null for an element.
    IncludeNull,
    /// The `if` clause is not a bool.
    Include(Mismatch<'a>),
    /// The key of a for expression is null.
    ForKeyNull,
    /// The key of a for expression is not a string.
    ForKey(Mismatch<'a>),
    /// Two elements with equal keys; the key, if it may be shown.
    DuplicateKey(Option<&'a str>),
    /// A splat of a null sequence.
    SplatNull,
    /// Elements of a nested splat have different types.
    SplatTypes,
    /// A null in a template.
    PartNull,
    /// A value in a template that does not convert to a string.
    Part(Mismatch<'a>),
    /// A null in a repeated part of a template.
    JoinNull,
    /// A value in a repeated part of a template that does not convert to a string.
    Join(Mismatch<'a>),
    /// An attribute of null.
    AttributeOfNull,
    /// An attribute that the object does not have.
    NoAttribute {
        /// The attribute.
        name: &'a str,
        /// The object, if its attributes may be shown.
        of: Option<Value<'a>>,
    },
    /// A key that the map does not have.
    NoElement {
        /// The key.
        name: &'a str,
        /// The map, if its keys may be shown.
        of: Option<Value<'a>>,
    },
    /// An attribute of a list or set of objects.
    AttributeOfObjects {
        /// The attribute.
        name: &'a str,
        /// True for a set.
        set: bool,
        /// True if the objects have the attribute.
        known: bool,
    },
    /// An attribute of a primitive.
    AttributeOfPrimitive(Type<'a>),
    /// An attribute of a value that has no attributes.
    AttributeOfOther(Type<'a>),
    /// An index of null.
    IndexOfNull,
    /// A null key.
    IndexNull,
    /// A key of the wrong type.
    IndexKey(Mismatch<'a>),
    /// A fractional or infinite index.
    IndexFraction,
    /// A negative index.
    IndexNegative,
    /// An index of an empty sequence.
    IndexEmpty,
    /// An index that is out of range; the length of the sequence, if it may be shown.
    IndexRange(Option<usize>),
    /// A key that the map or object does not have.
    IndexMissing {
        /// The key, if it may be shown.
        key: Option<&'a str>,
        /// True if an object was indexed with a number.
        number: bool,
        /// The map or object, if its keys may be shown.
        of: Option<Value<'a>>,
    },
    /// An index of a set.
    IndexOfSet,
    /// An index of a value that has no elements.
    IndexOfOther(Type<'a>),
    /// The expanded argument is null.
    ExpandNull,
    /// The expanded argument is not a sequence.
    ExpandType(Type<'a>),
    /// Too few arguments.
    TooFew {
        /// The function.
        function: &'a Function,
        /// The number of arguments, if it may be shown.
        count: Option<usize>,
    },
    /// Too many arguments.
    TooMany {
        /// The function.
        function: &'a Function,
    },
    /// An argument does not convert to its parameter's type.
    Argument {
        /// The function.
        function: Called<'a>,
        /// The position of the argument.
        index: usize,
        /// The reason.
        mismatch: Mismatch<'a>,
    },
    /// The function rejected an argument.
    Refused {
        /// The function.
        function: &'a Function,
        /// The position of the argument.
        index: usize,
        /// The reason, as a phrase.
        message: &'a str,
    },
    /// The function failed.
    Call {
        /// The function.
        function: &'a str,
        /// The reason, as a phrase.
        message: &'a str,
    },
    /// All arguments of `try` failed.
    NoneSucceeded(&'a [Record<'a>]),
}

/// The function whose argument does not fit.
#[derive(Clone, Copy, Debug)]
pub enum Called<'a> {
    /// A function of the table.
    Function(&'a Function),
    /// `convert`, which is an instruction.
    Convert,
}

/// Replaces a message that might reveal a value that is not shown.
pub(crate) const CONCEALED: &str = "the reason is not shown, because it could reveal a hidden value";

/// A fault and its node.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The fault.
    pub fault: Fault<'a>,
    /// The node, relative to the first node of the expression.
    pub node: u32,
    /// How many of the records directly before this one are reported after it: an operator's own faults come before
    /// those of its operands, which are evaluated first. See [`Record::in_order`].
    pub precedes: u32,
    /// The part of the node.
    pub place: Place,
    /// The values that the fault concerns, with their marks: the operands of an operator, the source of an
    /// attribute or index and the key, a condition, an argument. Unset ones where there are fewer, and
    /// where an enclosing loop visits a marked collection.
    pub concerned: [Value<'a>; 2],
    /// The key and the element that each enclosing for expression was visiting, the outermost first. Empty
    /// where one of them visits a marked collection.
    pub visited: &'a [[Value<'a>; 2]],
    /// The marks of the values that decided that there is a fault. Where the fault is dropped, the result gets them, so
    /// that it has marks whether there was a fault or not.
    pub marks: Marks<'a>,
}

impl<'a> Record<'a> {
    /// Creates a record without values.
    pub const fn new(fault: Fault<'a>, node: u32, place: Place) -> Self {
        let concerned = [Value::UNSET; 2];
        Self { fault, node, precedes: 0, place, concerned, visited: &[], marks: Marks::NONE }
    }

    /// Returns the record without anything that could reveal values, from which marks were removed.
    pub fn concealed(self, arena: &'a Arena) -> Self {
        let concealed = Self::new(self.fault.concealed(arena), self.node, self.place);
        Self { marks: self.marks, precedes: self.precedes, ..concealed }
    }

    /// Returns the record with marks in addition to those it has.
    #[must_use]
    pub fn with_marks(self, arena: &'a Arena, marks: Marks<'a>) -> Self {
        Self { marks: self.marks.union(arena, marks), ..self }
    }

    /// Returns the records of one evaluation in the order in which they are reported. The records that a record
    /// [precedes](Self::precedes) are directly before it, so that one pass moves each to its place; inserting them would
    /// take quadratic time in a chain of operators that all fail.
    pub fn in_order(arena: &'a Arena, records: &'a [Self]) -> &'a [Self] {
        if records.iter().all(|record| record.precedes == 0) {
            return records;
        }
        let mut ordered = arena.list_with(records.len());
        ordered.extend_from_slice_copy(records);
        // Ranges of the records, and how far their places are behind.
        let mut open = vec![(0..records.len(), 0)];
        while let Some((range, behind)) = open.pop() {
            let Some(last) = range.end.checked_sub(1).filter(|last| *last >= range.start) else { continue };
            let first = last.saturating_sub(cast::amount(records[last].precedes.into())).max(range.start);
            ordered[first + behind] = records[last];
            open.push((range.start..first, behind));
            open.push((first..last, behind + 1));
        }
        ordered.into_bump_slice()
    }

    /// Returns the marks of records.
    pub fn marks_of(arena: &'a Arena, records: &[Self]) -> Marks<'a> {
        records.iter().fold(Marks::NONE, |marks, record| marks.union(arena, record.marks))
    }
}

impl<'a> Fault<'a> {
    /// Returns the fault of a call with `count` arguments, which the function does not take, and its place.
    pub fn of_count(function: &'a Function, count: usize) -> (Self, Place) {
        let needs = function.parameters.len();
        if count < needs {
            return (Self::TooFew { function, count: Some(count) }, Place::CloseParen);
        }
        (Self::TooMany { function }, Place::Argument(u16::try_from(needs).unwrap_or(u16::MAX)))
    }

    /// Conceals the fault if the value it concerns had `marks`.
    pub fn concealed_under(self, arena: &'a Arena, marks: Marks<'_>) -> Self {
        if marks.is_empty() { self } else { self.concealed(arena) }
    }

    /// Returns the fault without anything that could reveal the values it concerns, from which a mark was
    /// removed. Cold, like every path on which an evaluation fails.
    #[cold]
    pub fn concealed(self, arena: &'a Arena) -> Self {
        match self {
            Self::DuplicateKey(_) => Self::DuplicateKey(None),
            Self::NameTaken(_) => Self::NameTaken(None),
            Self::IndexRange(_) | Self::IndexEmpty | Self::IndexNegative | Self::IndexFraction => {
                Self::IndexRange(None)
            }
            Self::TooFew { function, .. } => Self::TooFew { function, count: None },
            Self::NoAttribute { name, .. } => Self::NoAttribute { name, of: None },
            Self::NoElement { name, .. } => Self::NoElement { name, of: None },
            Self::IndexMissing { number, .. } => Self::IndexMissing { key: None, number, of: None },
            Self::Refused { function, index, .. } => Self::Refused { function, index, message: CONCEALED },
            Self::Call { function, .. } => Self::Call { function, message: CONCEALED },
            Self::NoneSucceeded(attempts) => {
                let mut told = arena.list();
                told.extend(attempts.iter().map(|attempt| match attempt.fault {
                    // Nested attempts are shown by their title only.
                    Self::NoneSucceeded(_) => *attempt,
                    _ => attempt.concealed(arena),
                }));
                Self::NoneSucceeded(told.into_bump_slice())
            }
            // The others consist of mismatches, of types, of names in the source, or of nothing.
            other => other.with_mismatch(|why| why.concealed(arena)),
        }
    }

    /// Returns the fault of values without marks, whose texts may be shown.
    pub fn showing(self, arena: &'a Arena) -> Self {
        self.with_mismatch(|why| why.showing(arena))
    }

    /// Returns the fault with another mismatch, if it has one.
    fn with_mismatch(self, change: impl FnOnce(Mismatch<'a>) -> Mismatch<'a>) -> Self {
        match self {
            Self::Operand(which, why) => Self::Operand(which, change(why)),
            Self::Arm(which, why) => Self::Arm(which, change(why)),
            Self::Condition(why) => Self::Condition(change(why)),
            Self::Key(why) => Self::Key(change(why)),
            Self::Name(why) => Self::Name(change(why)),
            Self::Include(why) => Self::Include(change(why)),
            Self::ForKey(why) => Self::ForKey(change(why)),
            Self::Part(why) => Self::Part(change(why)),
            Self::Join(why) => Self::Join(change(why)),
            Self::IndexKey(why) => Self::IndexKey(change(why)),
            Self::Argument { function, index, mismatch } => {
                Self::Argument { function, index, mismatch: change(mismatch) }
            }
            other => other,
        }
    }

    /// Returns the fault with the names of `object` in place of those of the object that lacks one.
    pub fn with_names(self, object: Option<Value<'a>>) -> Self {
        match self {
            Self::NoAttribute { name, .. } => Self::NoAttribute { name, of: object },
            Self::NoElement { name, .. } => Self::NoElement { name, of: object },
            Self::IndexMissing { key, number, .. } => Self::IndexMissing { key, number, of: object },
            other => other,
        }
    }

    /// Returns the object that lacks a name, if it may be shown.
    pub fn names_of(&self) -> Option<Value<'a>> {
        match self {
            Self::NoAttribute { of, .. } | Self::NoElement { of, .. } | Self::IndexMissing { of, .. } => *of,
            _ => None,
        }
    }

    /// Returns the title, which is the reference's.
    pub fn title(&self) -> Cow<'static, str> {
        describe::title(self)
    }

    /// Returns the nearest of the names that there are, if the fault is about a name that there is not.
    pub fn near(&self, comparisons: &Comparisons) -> Option<&str> {
        describe::near(self, comparisons)
    }

    /// Returns true if the name that is [near](Self::near) may be proposed as a change of the text: names that only look
    /// alike are not.
    pub fn may_become(&self, near: &str) -> bool {
        describe::may_become(self, near)
    }

    /// Returns the sentences: what was found, what was expected, and what to do.
    pub fn detail(&self) -> String {
        self.detail_with(self.near(&Comparisons::new()))
    }

    /// Returns the sentences, with the name that is [near](Fault::near).
    pub fn detail_with(&self, near: Option<&str>) -> String {
        describe::detail(self, near)
    }
}
