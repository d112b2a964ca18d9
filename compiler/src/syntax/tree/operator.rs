//! The operators of expressions.
//!
//! Their binding powers are in `grammar::expr`, their semantics in `hclvm_vm::ops`. Code that depends on an operator asks
//! for its [`BinaryKind`], so that a new operator is placed once and a new kind wherever kinds matter.

use hclvm_vm::code::{Arithmetic, Comparison};

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

/// What operators with two operands do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryKind {
    /// `&&` and `||`.
    Logical {
        /// The operand that determines the result alone, and is the result.
        deciding: bool,
    },
    /// `==` and `!=`.
    Equality {
        /// The result for equal operands.
        when: bool,
    },
    /// A comparison of numbers.
    Comparison(Comparison),
    /// A computation with numbers.
    Arithmetic(Arithmetic),
}

impl BinaryOp {
    /// Returns what the operator does.
    pub const fn kind(self) -> BinaryKind {
        match self {
            Self::Or => BinaryKind::Logical { deciding: true },
            Self::And => BinaryKind::Logical { deciding: false },
            Self::Equal => BinaryKind::Equality { when: true },
            Self::NotEqual => BinaryKind::Equality { when: false },
            Self::Less => BinaryKind::Comparison(Comparison::Less),
            Self::LessOrEqual => BinaryKind::Comparison(Comparison::LessOrEqual),
            Self::Greater => BinaryKind::Comparison(Comparison::Greater),
            Self::GreaterOrEqual => BinaryKind::Comparison(Comparison::GreaterOrEqual),
            Self::Add => BinaryKind::Arithmetic(Arithmetic::Add),
            Self::Subtract => BinaryKind::Arithmetic(Arithmetic::Subtract),
            Self::Multiply => BinaryKind::Arithmetic(Arithmetic::Multiply),
            Self::Divide => BinaryKind::Arithmetic(Arithmetic::Divide),
            Self::Modulo => BinaryKind::Arithmetic(Arithmetic::Modulo),
        }
    }

    /// Returns true for `&&` and `||`.
    pub const fn is_logical(self) -> bool {
        matches!(self.kind(), BinaryKind::Logical { .. })
    }

    /// Returns the operator as it is written.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
        }
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `!`
    Not,
}
