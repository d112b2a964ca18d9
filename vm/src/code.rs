//! Compiled code: instructions, what they refer to, and where each came from.
//!
//! Code is data. This module declares both instruction sets, checks and lists code, and links code of
//! several programs; it names nothing of the executor, [`exec`](crate::exec), which runs it.
//!
//! | file | holds |
//! |---|---|
//! | `baseline` | the baseline tier's instructions and code |
//! | `conditions` | what can be true or false in baseline code |
//! | `fast` | the fast tier's instructions and code |
//! | `columns` | the columnar tier's steps and code |
//! | `operand`, `role` | types of operands, and what an instruction does with them |
//! | `table`, `facts` | the macro that declares an instruction set, and what its rows say about instructions |
//! | `register_file` | registers of the fast tier, as indexes and as scaled operands |
//! | `switch` | chains of comparisons with texts as one lookup |
//! | `verify`, `listing` | a check of code, and its text |
//! | `saved` | fast code as bytes for another process |
//! | `opt` | linking of programs, common subexpression elimination |

mod baseline;
pub mod columns;
mod conditions;
pub mod facts;
pub mod fast;
mod listing;
mod operand;
mod opt;
mod register_file;
mod role;
pub mod saved;
mod switch;
mod table;
mod verify;

use smol_str::SmolStr;

pub use crate::fault::Failure;
pub use baseline::{Code, INSTRUCTIONS, Op, Origin};
pub use conditions::{Condition, ConditionKind, ConditionUse, Conditions};
pub use listing::{Line, fast_lines, lines};
pub use operand::{
    Arithmetic, Build, Callee, Comparison, Connective, Const, Count, FailureId, Label, Position, Reg,
    Rounding, ShapeId, Slot,
};
pub use opt::link;
pub use role::{Choice, Field, Operand, OperandMut, Role};
pub use switch::Switch;
pub use table::Instruction;
pub use verify::{Defect, verify, verify_fast};

use crate::memory::cast::index;

/// The keys of an object constructor whose keys are all constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Names sorted and distinct, each with the position of its value among the pushed ones
    /// (of a name given twice: the last).
    pub names: Box<[(SmolStr, u32)]>,
    /// Symbols of the names, in the same order.
    pub symbols: Box<[u32]>,
    /// How many values are pushed.
    pub pushed: u32,
}

impl Shape {
    /// Name, symbol and position among the pushed values, sorted by name.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, u32, usize)> {
        let symbols = self.symbols.iter().copied().chain(std::iter::repeat(0));
        self.names.iter().zip(symbols).map(|((name, at), symbol)| (name.as_str(), symbol, index(*at)))
    }
}
