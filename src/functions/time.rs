//! Functions of time: `formatdate`, `timeadd`.

pub(crate) mod calendar;
mod duration;
mod pattern;
pub(crate) mod timestamp;

use hclvm_vm::function::{CallError, Function};
use hclvm_vm::types::Type;

use super::arguments::{string, text_of};
use super::draft::{Draft, text_value};

/// `formatdate(format, time)`
pub(crate) fn formatdate() -> Function {
    Function::new("formatdate", ["format", "time"].map(string), Type::String, |arena, args, _| {
        let time = timestamp::parse(text_of(args, 1)).map_err(|why| CallError::argument(1, why))?;
        let mut draft = Draft::new(arena);
        pattern::write(&mut draft, text_of(args, 0), &time).map_err(|why| CallError::argument(0, why))?;
        Ok(draft.value())
    })
}

/// `timeadd(timestamp, duration)`
pub(crate) fn timeadd() -> Function {
    Function::new("timeadd", ["timestamp", "duration"].map(string), Type::String, |arena, args, _| {
        let time = timestamp::parse(text_of(args, 0)).map_err(CallError::new)?;
        let nanoseconds = duration::parse(text_of(args, 1)).map_err(CallError::new)?;
        Ok(text_value(arena, &time.plus(nanoseconds).to_string()))
    })
    .refined(None)
}
