//! Nomad's job specification: which arguments and blocks each body of a job has. [`table`] holds the names; what a value
//! is converted to is in [`convert`](crate::convert).
//!
//! ```text
//! BodyType   task:  arguments  "driver kill_signal kind user" ─▶ a text that is not null
//!                   blocks     template ─▶ many, body of type `template`;  env ─▶ one, texts of any names
//! ```

mod table;

use std::collections::HashMap;
use std::sync::LazyLock;

use hclvm::schema::Schema;

use crate::convert::{Argument, ArgumentType, Range};

pub(super) use table::JOB;

/// A body whose arguments and blocks the specification names.
#[derive(Debug)]
pub(super) struct BodyType {
    /// Its name, which differs from those of other bodies.
    pub(super) name: &'static str,
    /// The names of arguments, separated by blanks, by what they hold.
    arguments: &'static [(Argument, &'static str)],
    required: &'static [&'static str],
    blocks: &'static [BlockRule],
    /// True if a value of another type is the error of a specification of exact types.
    pub(super) exact: bool,
}

/// A type of blocks in a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockRule {
    kind: &'static str,
    /// The name of its label in messages, which may be empty.
    label: Option<&'static str>,
    pub(super) content: JobBlockSchema,
    pub(super) count: BlockCount,
    /// True if it may be written as an argument as well, which holds an object.
    pub(super) is_argument: bool,
    /// True if Nomad reports nothing of what is in it.
    pub(super) is_unchecked: bool,
}

/// The content of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum JobBlockSchema {
    /// An argument or block of the specification.
    Rules(&'static BodyType),
    /// Values of any names; blocks also become values.
    Values,
    /// Texts of any names.
    Texts,
    /// Lists of texts of any names.
    TextLists,
}

/// How many blocks of a type a body may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockCount {
    /// One; of several none is read.
    One,
    /// One; of several the first is read.
    FirstIsRead,
    /// Any number.
    Many,
}

const fn argument(holds: ArgumentType) -> Argument {
    Argument { holds, may_be_null: false }
}

const fn or_null(holds: ArgumentType) -> Argument {
    Argument { holds, may_be_null: true }
}

const INT64: ArgumentType = ArgumentType::Integer(Range(i64::MIN, i64::MAX as u64));
const TEXT: Argument = argument(ArgumentType::Text);
const TEXT_OR_NULL: Argument = or_null(ArgumentType::Text);
const BOOL: Argument = argument(ArgumentType::Bool);
const BOOL_OR_NULL: Argument = or_null(ArgumentType::Bool);
const INTEGER: Argument = argument(INT64);
const INTEGER_OR_NULL: Argument = or_null(INT64);
const NUMBER_OR_NULL: Argument = or_null(ArgumentType::Number);
const INT8_OR_NULL: Argument = or_null(ArgumentType::Integer(Range(-128, 127)));
const UINT8: Argument = argument(ArgumentType::Integer(Range(0, 255)));
const UINT16: Argument = argument(ArgumentType::Integer(Range(0, 65_535)));
const UINT32_OR_NULL: Argument = or_null(ArgumentType::Integer(Range(0, 4_294_967_295)));
const UINT64_OR_NULL: Argument = or_null(ArgumentType::Integer(Range(0, u64::MAX)));
const DURATION: Argument = argument(ArgumentType::Duration);
const TEXTS: Argument = or_null(ArgumentType::Texts);
const PORTS: Argument = or_null(ArgumentType::Integers(Range(0, 65_535)));
const MAP: Argument = or_null(ArgumentType::Map);

/// A body without anything, from which others are made.
const EMPTY: BodyType = BodyType { name: "", arguments: &[], required: &[], blocks: &[], exact: false };

const fn block(kind: &'static str, content: JobBlockSchema, count: BlockCount) -> BlockRule {
    BlockRule { kind, label: None, content, count, is_argument: false, is_unchecked: false }
}

const fn one(kind: &'static str, content: JobBlockSchema) -> BlockRule {
    block(kind, content, BlockCount::One)
}

const fn many(kind: &'static str, content: JobBlockSchema) -> BlockRule {
    block(kind, content, BlockCount::Many)
}

impl BlockRule {
    const fn labelled(self, label: &'static str) -> Self {
        Self { label: Some(label), ..self }
    }

    const fn or_argument(self) -> Self {
        Self { is_argument: true, ..self }
    }

    const fn unchecked(self) -> Self {
        Self { is_unchecked: true, ..self }
    }

    const fn first_is_read(self) -> Self {
        Self { count: BlockCount::FirstIsRead, ..self }
    }
}

/// The schemas of all bodies by their names, those of files in JSON apart: a block that may be an argument is always a
/// block there.
static SCHEMAS: LazyLock<HashMap<(&'static str, bool), Schema>> = LazyLock::new(|| {
    let mut schemas = HashMap::new();
    let mut open = vec![&JOB];
    while let Some(body) = open.pop() {
        for json in [false, true] {
            schemas.insert((body.name, json), body.new_schema(json));
        }
        let inner = body.blocks.iter().filter_map(|rule| match rule.content {
            JobBlockSchema::Rules(inner) if !schemas.contains_key(&(inner.name, false)) => Some(inner),
            _ => None,
        });
        open.extend(inner);
    }
    schemas
});

impl BodyType {
    /// Returns what an argument holds.
    pub(super) fn argument(&self, name: &str) -> Option<Argument> {
        let mut known = self.arguments.iter();
        known.find(|(_, names)| names.split(' ').any(|known| known == name)).map(|(argument, _)| *argument)
    }

    /// Returns the rule of a type of blocks.
    pub(super) fn block(&self, kind: &str) -> Option<BlockRule> {
        self.blocks.iter().find(|rule| rule.kind == kind).copied()
    }

    /// Returns the schema of the body, in HCL's JSON syntax or in the native one.
    pub(super) fn schema(&self, json: bool) -> &'static Schema {
        static NOTHING: LazyLock<Schema> = LazyLock::new(Schema::new);
        SCHEMAS.get(&(self.name, json)).unwrap_or(&NOTHING)
    }

    fn new_schema(&self, json: bool) -> Schema {
        let arguments = self.arguments.iter().flat_map(|(_, names)| names.split(' '));
        let arguments = arguments
            .chain(self.blocks.iter().filter(|rule| rule.is_argument && !json).map(|rule| rule.kind));
        let schema = arguments.fold(Schema::new(), |schema, name| {
            if self.required.contains(&name) { schema.required(name) } else { schema.optional(name) }
        });
        self.blocks.iter().fold(schema, |schema, rule| schema.block(rule.kind, rule.label.as_slice()))
    }
}
