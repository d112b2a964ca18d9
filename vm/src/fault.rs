//! What goes wrong while code runs: which error and where, with the sentences in one place.
//!
//! A fault is recorded without building text, because `&&`, `||`, `?:`, `try` and `can`
//! drop most of them. Titles are the established ones of HCL; the sentences are ours.

use std::borrow::Cow;

use crate::code::Failure;
use crate::memory::arena::Arena;
use crate::ops::OperationFault;
use crate::types::Type;
use crate::types::convert::Mismatch;
use crate::value::Marks;

mod describe;
pub(crate) mod diagnostic;
pub(crate) mod span;

/// The part of a node that a fault points at.
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

/// Something that went wrong.
#[derive(Clone, Copy, Debug)]
pub enum Fault<'a> {
    /// Known since compiling.
    Failure(&'a Failure),
    /// A slot of the layout has no value.
    UnsetVariable(&'a str),
    /// An operand has no counterpart in the operator's type.
    Operand(&'static str, Mismatch<'a>),
    /// An operator cannot be applied to these values.
    Operation(OperationFault),
    /// The arms of a conditional have no common type.
    Arms(Type<'a>, Type<'a>),
    /// The value of the chosen arm does not convert to the common type.
    Arm(bool, Mismatch<'a>),
    /// A null condition.
    NullCondition,
    /// A condition that is no bool.
    Condition(Mismatch<'a>),
    /// A null object key.
    NullKey,
    /// An object key that is no string.
    Key(Mismatch<'a>),
    /// A null name of an object of JSON.
    NameNull,
    /// A name of an object of JSON that is no string.
    Name(Mismatch<'a>),
    /// A name that an object of JSON has already, when it may be shown.
    NameTaken(Option<&'a str>),
    /// A for expression over null.
    IterateNull,
    /// A for expression over something without elements.
    IterateScalar(Type<'a>),
    /// The tried `if` clause is null.
    ClauseNull,
    /// The `if` clause of an element is null.
    IncludeNull,
    /// The `if` clause is no bool.
    Include(Mismatch<'a>),
    /// The key of a for expression is null.
    ForKeyNull,
    /// The key of a for expression is no string.
    ForKey(Mismatch<'a>),
    /// Two elements give the same key, which may perhaps be shown.
    DuplicateKey(Option<&'a str>),
    /// A splat of a null sequence.
    SplatNull,
    /// Elements of a nested splat have different types.
    SplatTypes,
    /// Null in a template.
    PartNull,
    /// Something in a template that is no text.
    Part(Mismatch<'a>),
    /// A repeated part is null.
    JoinNull,
    /// A repeated part is no text.
    Join(Mismatch<'a>),
    /// Attribute of null.
    AttributeOfNull,
    /// An object without that attribute.
    NoAttribute(&'a str),
    /// A map without that key.
    NoElement(&'a str),
    /// Attribute of a list or set of objects.
    AttributeOfObjects {
        /// The attribute.
        name: &'a str,
        /// Whether it is a set.
        set: bool,
        /// Whether the objects have it.
        known: bool,
    },
    /// Attribute of a primitive.
    AttributeOfPrimitive(Type<'a>),
    /// Attribute of something that has none.
    AttributeOfOther(Type<'a>),
    /// Index of null.
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
    /// An index that is out of range; the length of the sequence, when it may be shown.
    IndexRange(Option<usize>),
    /// A map or object without that key; whether the key was a number given to an object.
    IndexMissing {
        /// The key, when it may be shown.
        key: Option<&'a str>,
        /// Whether a number was used on an object.
        number: bool,
    },
    /// Index of a set.
    IndexOfSet,
    /// Index of something that has none.
    IndexOfOther(Type<'a>),
    /// The expanded argument is null.
    ExpandNull,
    /// The expanded argument is no sequence.
    ExpandType(Type<'a>),
    /// Too few arguments.
    TooFew {
        /// The function.
        function: &'a str,
        /// The first parameter without an argument.
        missing: &'a str,
        /// How many it needs.
        needs: usize,
        /// Whether it takes more than that.
        at_least: bool,
    },
    /// Too many arguments.
    TooMany {
        /// The function.
        function: &'a str,
        /// How many it takes.
        takes: usize,
    },
    /// An argument does not convert to its parameter's type.
    Argument {
        /// The parameter.
        parameter: &'a str,
        /// Why.
        mismatch: Mismatch<'a>,
    },
    /// The function refuses an argument.
    Refused {
        /// The parameter.
        parameter: &'a str,
        /// Why.
        message: &'a str,
    },
    /// The function failed.
    Call {
        /// The function.
        function: &'a str,
        /// Why.
        message: &'a str,
    },
    /// All arguments of `try` failed.
    NoneSucceeded(&'a [Record<'a>]),
}

/// What stands for a message that might tell what is marked.
pub(crate) const CONCEALED: &str = "the reason is not shown, because it could tell what is marked";

/// A fault and where it happened.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// What happened.
    pub fault: Fault<'a>,
    /// The node, counted from the first node of the expression.
    pub node: u32,
    /// The part of the node.
    pub place: Place,
}

impl<'a> Fault<'a> {
    /// The same fault about a value that had `marks`.
    pub fn concealed_under(self, arena: &'a Arena, marks: Marks<'_>) -> Self {
        if marks.is_empty() { self } else { self.concealed(arena) }
    }

    /// The same fault where a mark was taken off the values it is about: it tells nothing of them.
    #[cold]
    pub fn concealed(self, arena: &'a Arena) -> Self {
        match self {
            Self::DuplicateKey(_) => Self::DuplicateKey(None),
            Self::NameTaken(_) => Self::NameTaken(None),
            Self::IndexRange(_) => Self::IndexRange(None),
            Self::IndexMissing { number, .. } => Self::IndexMissing { key: None, number },
            Self::Operand(which, why) => Self::Operand(which, why.concealed(arena)),
            Self::Arm(which, why) => Self::Arm(which, why.concealed(arena)),
            Self::Condition(why) => Self::Condition(why.concealed(arena)),
            Self::Key(why) => Self::Key(why.concealed(arena)),
            Self::Name(why) => Self::Name(why.concealed(arena)),
            Self::Include(why) => Self::Include(why.concealed(arena)),
            Self::ForKey(why) => Self::ForKey(why.concealed(arena)),
            Self::Part(why) => Self::Part(why.concealed(arena)),
            Self::Join(why) => Self::Join(why.concealed(arena)),
            Self::IndexKey(why) => Self::IndexKey(why.concealed(arena)),
            Self::Argument { parameter, mismatch } => {
                Self::Argument { parameter, mismatch: mismatch.concealed(arena) }
            }
            Self::Refused { parameter, .. } => Self::Refused { parameter, message: CONCEALED },
            Self::Call { function, .. } => Self::Call { function, message: CONCEALED },
            Self::NoneSucceeded(attempts) => {
                let mut told = arena.list();
                told.extend(attempts.iter().map(|attempt| match attempt.fault {
                    // Of attempts inside attempts nothing but the name is told.
                    Self::NoneSucceeded(_) => *attempt,
                    fault => Record { fault: fault.concealed(arena), ..*attempt },
                }));
                Self::NoneSucceeded(told.into_bump_slice())
            }
            // Made of types, of names in the source, or of nothing.
            other => other,
        }
    }

    /// The established short name of the problem.
    pub fn title(&self) -> Cow<'static, str> {
        describe::title(self)
    }

    /// What was found, what was wanted, what to do.
    pub fn detail(&self) -> String {
        describe::detail(self)
    }
}
