//! The macro that declares an instruction set by a table of rows.
//!
//! ```text
//! /// d = a.name
//! Attribute { out d: Reg, in a: Reg, cache cache: InlineCache, name symbol: Symbol } : [next selects …]
//!   instruction  role name type                                                        facts
//!
//! BranchAttributeText { in a: Reg, choice when: bool, …, name symbol: Symbol, constant k: Const }
//!     = [value] Attribute { d: value, a, cache, symbol }; BranchText { a: value, when, to, k }
//!       register between the parts   the parts, over the row's operands; behind a semicolon an operand of both
//! ```
//!
//! A row of the fast tier has either [facts](super::facts) or two parts. With parts it describes a superinstruction,
//! which is equal to them in sequence; one of them may be a superinstruction as well. Generated from the rows: the
//! enum, the table with its texts, the view of operands by role, the change of the register type, the facts, and for
//! superinstructions the expansion into parts and the fusion of parts. The rows themselves are in
//! [`baseline`](super::baseline) and [`fast`](super::fast).

use super::role::Field;

/// One row of an instruction table.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Name.
    pub name: &'static str,
    /// Its operands.
    pub operands: &'static [Field],
    /// Its effect: the row's comment, or the names of the parts.
    pub text: &'static str,
    /// Names of the parts, if it is a superinstruction.
    pub parts: &'static [&'static str],
}

/// Declares an instruction set; see the head of this file.
macro_rules! instructions {
    ($(#[$meta:meta])* $op:ident $(<$reg:ident = $default:ident>)?, $table:ident,
     registers: $registers:ident, labels: $labels:ident, rows: $rows:tt) => {
        instructions!(@declare [$(#[$meta])*] $op [$($reg = $default)?] $table $registers $labels $rows);
        $(
            instructions!(@expand $op $reg $labels $rows);
            instructions!(@fusion $op $reg $rows);
            instructions!(@saved $op $rows);
        )?
    };

    (@declare [$(#[$meta:meta])*] $op:ident [$($reg:ident = $default:ident)?] $table:ident
     $registers:ident $labels:ident {
     $( $(#[doc = $text:literal])* $name:ident { $($role:ident $field:ident : $ty:ident),* } $(: [$($fact:tt)*])?
        $(= [$($between:ident)? $(; $same:ident)?] $($part:ident { $($passed:tt)* });+)? )+ }) => {
        $(#[$meta])*
        #[derive(Debug)]
        #[expect(missing_docs, reason = "the operands are explained at the head of the table")]
        #[allow(rustdoc::broken_intra_doc_links, reason = "brackets are the language's indexes")]
        pub enum $op $(<$reg = $default>)? {
            $( #[doc = instructions!(@text [$($text)*] $($($part)+)?)] $name { $($field: $ty),* }, )+
        }

        /// The rows of the instruction set.
        pub const $table: &[Instruction] = &[
            $( Instruction {
                name: stringify!($name),
                operands: &[$( Field { role: instructions!(@role $role), name: stringify!($field) } ),*],
                text: instructions!(@text [$($text)*] $($($part)+)?),
                parts: &[$($(stringify!($part)),+)?],
            } ),+
        ];

        impl $(<$reg: Copy>)? $op $(<$reg>)? {
            /// Returns its name.
            pub const fn name(&self) -> &'static str {
                match self { $( Self::$name { .. } => stringify!($name), )+ }
            }

            /// Calls `visit` with the name of each operand and the operand.
            pub fn operands(&self, mut visit: impl FnMut(&'static str, Operand<$registers, $labels>)) {
                match self {
                    $( Self::$name { $($field),* } => {
                        $( visit(stringify!($field), instructions!(@operand $role $field)); )*
                    } )+
                }
            }

            /// Calls `visit` with each operand, to change it.
            pub fn operands_mut<'o>(&'o mut self, mut visit: impl FnMut(OperandMut<'o, $registers, $labels>)) {
                match self {
                    $( Self::$name { $($field),* } => {
                        $( visit(instructions!(@operand_mut $role $field)); )*
                    } )+
                }
            }
        }
    };

    (@expand $op:ident $reg:ident $labels:ident {
     $( $(#[doc = $text:literal])* $name:ident { $($role:ident $field:ident : $ty:ident),* } $(: [$($fact:tt)*])?
        $(= [$($between:ident)? $(; $same:ident)?] $first:ident { $($of_first:tt)* }; $second:ident { $($of_second:tt)* })? )+ }) => {
        impl<$reg: Copy> $op<$reg> {
            /// Writes the instruction over other registers and labels to `to`. `register` gets the role of each
            /// register as well.
            ///
            /// Written in place: the fields of an instruction that is returned are stored one by one and then read as
            /// words, which waits for the stores.
            ///
            /// Inlined into its two callers, of which one passes over all code that is compiled.
            #[inline(always)]
            pub(in crate::code) fn map_into<To>(
                &self,
                to: &mut $op<To>,
                mut register: impl FnMut(Role, $reg) -> To,
                mut label: impl FnMut($labels) -> $labels,
            ) {
                match self {
                    $( Self::$name { $($field),* } => *to = $op::$name {
                        $( $field: instructions!(@map $role $field register label) ),*
                    }, )+
                }
            }

            /// Returns what is known about the instruction.
            pub const fn facts(&self) -> Facts {
                $( #[allow(non_upper_case_globals, reason = "the names of the rows")]
                const $name: Facts = instructions!(@facts $([$($fact)*])? $($first $second)?); )+
                match self { $( Self::$name { .. } => $name, )+ }
            }

            /// Returns the two parts of a superinstruction, with a register for the value `between` them if there is one;
            /// `None` for any other instruction.
            pub(crate) fn parts(&self, between: Option<$reg>) -> Option<[Self; 2]> {
                // Bound by value: the parts have the operands themselves.
                match self.clone() {
                    $( Self::$name { $($field),* } => instructions!(@parts between [$($field)*]
                        $([$($between)? $(; $same)?] $first { $($of_first)* }; $second { $($of_second)* })?), )+
                }
            }

            /// Returns true if it may jump to a label.
            pub(crate) const fn has_label(&self) -> bool {
                match self { $( Self::$name { .. } => instructions!(@has_label $($role)*), )+ }
            }

            /// Returns the register that receives its result.
            pub(crate) const fn written(&self) -> Option<$reg> {
                match self { $( Self::$name { $($field),* } => {
                    $( let _ = $field; )*
                    instructions!(@written $($role $field)*)
                } )+ }
            }
        }
    };

    (@fusion $op:ident $reg:ident {
     $( $(#[doc = $text:literal])* $name:ident $operands:tt $(: $facts:tt)?
        $(= [$($between:ident)? $(; $same:ident)?] $first:ident { $($of_first:tt)* }; $second:ident { $($of_second:tt)* })? )+ }) => {
        /// The rows that a superinstruction has as second parts behind each row.
        const FOLLOWED: [u128; 128] = {
            let mut followed = [0; 128];
            $( $( followed[row::$first as usize] |= 1 << row::$second; )? )+
            followed
        };

        impl<$reg> $op<$reg> {
            /// Returns true if there may be a superinstruction for this instruction and the next one.
            #[inline]
            pub(in crate::code) const fn leads(&self, next: &Self) -> bool {
                FOLLOWED[self.row() as usize] >> next.row() & 1 == 1
            }
        }

        impl<$reg: Copy + PartialEq> $op<$reg> {
            /// Returns the superinstruction that is equal to this instruction and the next one, and the register between
            /// them, which it does not write; `None` if there is none.
            #[allow(unused_variables, reason = "what both parts have is bound twice")]
            pub(in crate::code) fn fused(&self, next: &Self) -> Option<(Self, Option<$reg>)> {
                let (fused, between) = match (self, next) {
                    $( $( (Self::$first { .. }, Self::$second { .. }) => {
                        let Self::$first { $($of_first)* } = self else { return None };
                        $( let written = $between; )?
                        $( let first = $same; )?
                        let Self::$second { $($of_second)* } = next else { return None };
                        $( if written != $between { return None; } )?
                        $( if first != $same { return None; } )?
                        (instructions!(@make $name $operands), instructions!(@between $($between)?))
                    } )? )+
                    _ => return None,
                };
                debug_assert!(
                    fused.parts(between).is_some_and(|[first, second]| first == *self && second == *next),
                    "both parts have an operand that their row does not name as the same"
                );
                Some((fused, between))
            }
        }
    };

    (@make $name:ident { $($role:ident $field:ident : $ty:ident),* }) => {
        Self::$name { $($field: Clone::clone($field)),* }
    };

    (@saved $op:ident { $( $(#[doc = $text:literal])* $name:ident { $($role:ident $field:ident : $ty:ident),* } $(: [$($fact:tt)*])?
        $(= [$($between:ident)? $(; $same:ident)?] $($part:ident { $($passed:tt)* });+)? )+ }) => {
        /// The number of each row in saved code.
        #[repr(u8)]
        enum Row { $( $name ),+ }

        #[expect(non_upper_case_globals, reason = "the names of the rows")]
        mod row {
            $( pub(super) const $name: u8 = super::Row::$name as u8; )+
        }

        impl<Register> $op<Register> {
            /// Returns the number of its row.
            pub(in crate::code) const fn row(&self) -> u8 {
                match self { $( Self::$name { .. } => row::$name, )+ }
            }
        }

        impl Saved for $op<Scaled> {
            fn save(&self, out: &mut Writer) {
                match self {
                    $( Self::$name { $($field),* } => {
                        out.u8(row::$name);
                        $( $field.save(out); )*
                    } )+
                }
            }

            fn load(from: &mut Reader<'_>) -> Option<Self> {
                Some(match from.u8()? {
                    $( row::$name => Self::$name { $( $field: Saved::load(from)? ),* }, )+
                    _ => return None,
                })
            }
        }
    };

    (@facts [$flow:ident $reads:ident $faults:ident $(($needs:ident, $gives:ident))?
        $effect:ident $(($worth:literal))? $straight:ident $times:ident]) => {
        Facts {
            flow: instructions!(@flow $flow),
            reads: instructions!(@reads $reads),
            faults: instructions!(@faults $faults $($needs $gives)?),
            effect: instructions!(@effect $effect $($worth)?),
            straight: instructions!(@straight $straight),
            iterates: instructions!(@times $times),
        }
    };
    (@facts $first:ident $second:ident) => { $first.then($second) };
    (@flow next) => { Flow::Next };
    (@flow final) => { Flow::Final };
    (@flow returns) => { Flow::Returns };
    (@flow emits) => { Flow::Emits };
    (@flow begins) => { Flow::Begins };
    (@flow ends) => { Flow::Ends };
    (@reads moves) => { Reads::Moves };
    (@reads makes) => { Reads::Makes };
    (@reads selects) => { Reads::Selects };
    (@reads computes) => { Reads::Computes };
    (@reads calls) => { Reads::Calls };
    (@reads opaque) => { Reads::Opaque };
    (@faults total $needs:ident $gives:ident) => { Faults::Total(Kind::$needs, Kind::$gives) };
    (@faults partial) => { Faults::Partial };
    (@effect pure $worth:literal) => { Effect::Pure($worth) };
    (@effect stateful) => { Effect::Stateful };
    (@straight straight) => { true };
    (@straight skips) => { false };
    (@times once) => { false };
    (@times iterates) => { true };

    (@text [$($text:literal)+] $($part:ident)*) => { concat!($($text, "\n"),+) };
    (@text [] $first:ident $($part:ident)*) => {
        concat!("`", stringify!($first), "`", $(", then `", stringify!($part), "`",)* ".")
    };

    (@parts $value:ident [$($field:ident)*]) => {{ $( let _ = $field; )* None }};
    (@parts $value:ident [$($field:ident)*]
     [$($between:ident)? $(; $same:ident)?] $first:ident { $($of_first:tt)* }; $second:ident { $($of_second:tt)* }) => {{
        $( let $between = $value?; )?
        Some([Self::$first { $($of_first)* }, Self::$second { $($of_second)* }])
    }};

    (@has_label) => { false };
    (@has_label jump $($role:ident)*) => { true };
    (@has_label $other:ident $($role:ident)*) => { instructions!(@has_label $($role)*) };
    (@written) => { None };
    (@written out $field:ident $($rest:ident)*) => { Some(*$field) };
    (@written inout $field:ident $($rest:ident)*) => { Some(*$field) };
    (@written $role:ident $field:ident $($rest:ident)*) => { instructions!(@written $($rest)*) };

    (@between) => { None };
    (@between $between:ident) => { Some(*$between) };

    (@role out) => { Role::Out };
    (@role in) => { Role::In };
    (@role inout) => { Role::InOut };
    (@role window) => { Role::Window };
    (@role jump) => { Role::Jump };
    (@role constant) => { Role::Constant };
    (@role function) => { Role::Function };
    (@role shape) => { Role::Shape };
    (@role switch) => { Role::Switch };
    (@role intervals) => { Role::Intervals };
    (@role slot) => { Role::Slot };
    (@role failure) => { Role::Failure };
    (@role name) => { Role::Name };
    (@role cache) => { Role::Cache };
    (@role count) => { Role::Count };
    (@role position) => { Role::Position };
    (@role number) => { Role::Number };
    (@role choice) => { Role::Choice };

    (@operand out $field:ident) => { Operand::Out(*$field) };
    (@operand in $field:ident) => { Operand::In(*$field) };
    (@operand inout $field:ident) => { Operand::InOut(*$field) };
    (@operand window $field:ident) => { Operand::Window(*$field) };
    (@operand jump $field:ident) => { Operand::Jump(*$field) };
    (@operand constant $field:ident) => { Operand::Constant(*$field) };
    (@operand function $field:ident) => { Operand::Function(*$field) };
    (@operand shape $field:ident) => { Operand::Shape(*$field) };
    (@operand switch $field:ident) => { Operand::Switch(*$field) };
    (@operand intervals $field:ident) => { Operand::Intervals(*$field) };
    (@operand slot $field:ident) => { Operand::Slot(*$field) };
    (@operand failure $field:ident) => { Operand::Failure(*$field) };
    (@operand name $field:ident) => { Operand::Name(*$field) };
    (@operand cache $field:ident) => { Operand::Cache($field.into()) };
    (@operand count $field:ident) => { Operand::Count((*$field).into()) };
    (@operand position $field:ident) => { Operand::Position(*$field) };
    (@operand number $field:ident) => { Operand::Number(*$field) };
    (@operand choice $field:ident) => { Operand::Choice((*$field).into()) };

    (@operand_mut out $field:ident) => { OperandMut::Out($field) };
    (@operand_mut in $field:ident) => { OperandMut::In($field) };
    (@operand_mut inout $field:ident) => { OperandMut::InOut($field) };
    (@operand_mut window $field:ident) => { OperandMut::Window($field) };
    (@operand_mut jump $field:ident) => { OperandMut::Jump($field) };
    (@operand_mut constant $field:ident) => { OperandMut::Constant($field) };
    (@operand_mut function $field:ident) => { OperandMut::Function($field) };
    (@operand_mut shape $field:ident) => { OperandMut::Shape($field) };
    (@operand_mut switch $field:ident) => { OperandMut::Switch($field) };
    (@operand_mut intervals $field:ident) => { OperandMut::Intervals($field) };
    (@operand_mut $role:ident $field:ident) => {{ let _ = $field; OperandMut::Fixed }};

    (@map out $field:ident $register:ident $label:ident) => { $register(Role::Out, *$field) };
    (@map in $field:ident $register:ident $label:ident) => { $register(Role::In, *$field) };
    (@map inout $field:ident $register:ident $label:ident) => { $register(Role::InOut, *$field) };
    (@map window $field:ident $register:ident $label:ident) => { $register(Role::Window, *$field) };
    (@map jump $field:ident $register:ident $label:ident) => { $label(*$field) };
    (@map cache $field:ident $register:ident $label:ident) => { $field.clone() };
    (@map $role:ident $field:ident $register:ident $label:ident) => { *$field };
}

pub(super) use instructions;
