//! Groups of rules of a set whose columnar code is linked, so that they share what they read and compute.

use hclvm_vm::code::columns::{ColumnCode, link};

use crate::compile::program::Program;

/// The most registers and masks of a group. A register takes 8 kilobytes in a run and a mask 128 bytes, so that those of a
/// group stay in the second cache.
const MOST_REGISTERS: usize = 32;
const MOST_MASKS: usize = 2_048;

/// Rules of a set whose code was linked.
#[derive(Debug)]
pub(crate) struct LinkedGroup {
    pub(super) code: ColumnCode,
    /// Their numbers, ascending.
    pub(super) rules: Vec<usize>,
}

/// Links the columnar code of rules. A rule that has none, or whose group could not be linked, is in no group.
pub(crate) fn groups(programs: &[Program]) -> Vec<LinkedGroup> {
    let mut groups = Vec::new();
    let mut group = Vec::new();
    let (mut registers, mut masks) = (0, 0);
    for (rule, program) in programs.iter().enumerate() {
        let Some(code) = program.columns().filter(|_| !program.layout().has_any_derived()) else { continue };
        registers += usize::from(code.registers);
        masks += usize::from(code.masks);
        if registers > MOST_REGISTERS || masks > MOST_MASKS {
            groups.extend(linked(std::mem::take(&mut group)));
            (registers, masks) = (usize::from(code.registers), usize::from(code.masks));
        }
        group.push((rule, code));
    }
    groups.extend(linked(group));
    groups
}

fn linked(group: Vec<(usize, &ColumnCode)>) -> Option<LinkedGroup> {
    if group.len() < 2 {
        return None;
    }
    let code = link(group.iter().map(|(_, code)| *code))?;
    Some(LinkedGroup { code, rules: group.into_iter().map(|(rule, _)| rule).collect() })
}
