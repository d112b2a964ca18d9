//! Renaming of what files define: local values, variables, labels that are referred to, and bound names. Every value stays
//! as it is, or the request is refused.

use std::collections::HashMap;
use std::rc::Rc;

use gen_lsp_types::{PrepareRenamePlaceholder, Range, TextEdit, WorkspaceEdit};
use hclvm::diagnostics::Span;
use hclvm::syntax::is_identifier;

use crate::analysis::Analysis;
use crate::failure::RequestFailure;
use crate::index::{Binding, BindingKind, IndexedName, NameRole, NameTarget};
use crate::workspace::Workspace;

/// Names that are no variables where one is expected.
const RESERVED: [&str; 8] = ["true", "false", "null", "for", "in", "if", "else", "endfor"];

/// Returns the range and the text of the name at a byte, if it can be renamed.
pub(crate) fn prepare(
    workspace: &mut Workspace,
    analysis: &Rc<Analysis>,
    offset: u32,
) -> Result<PrepareRenamePlaceholder, RequestFailure> {
    let (name, _) = renamed(workspace, analysis, offset)?;
    let placeholder = name.span.slice(analysis.text()).to_owned();
    Ok(PrepareRenamePlaceholder { range: analysis.lines.range(name.span), placeholder })
}

/// Returns the name at a byte with its target.
fn renamed(
    workspace: &mut Workspace,
    analysis: &Rc<Analysis>,
    offset: u32,
) -> Result<(IndexedName, NameTarget), RequestFailure> {
    if !analysis.is_sound() {
        return Err(RequestFailure::refused(
            "The text has syntax errors, so that uses of the name may not be found.",
        ));
    }
    let name = analysis.index().at(offset).cloned();
    let name = name.ok_or_else(|| RequestFailure::refused("There is no name here."))?;
    let target = match &name.target {
        Some(target @ (NameTarget::Defined(_) | NameTarget::Bound(_))) => target.clone(),
        Some(NameTarget::Path(_)) if matches!(name.role, NameRole::Variable) => {
            return Err(RequestFailure::refused(
                "The host sets this variable, so that its name is not that of the file.",
            ));
        }
        Some(NameTarget::Path(_)) => {
            return Err(RequestFailure::refused("This is a part of a value that the file does not name."));
        }
        Some(NameTarget::Function(_)) => return Err(RequestFailure::refused("Functions cannot be renamed.")),
        None => {
            return Err(RequestFailure::refused("This name does not refer to anything that can be renamed."));
        }
    };
    if let NameTarget::Defined(path) = &target {
        let root = path.split('.').next().unwrap_or(path);
        let mut is_defined = false;
        for file in workspace.module(analysis) {
            if !file.is_sound() {
                let why = format!(
                    "{} has syntax errors, so that uses of the name may not be found.",
                    file.path.display()
                );
                return Err(RequestFailure::refused(why));
            }
            if file.index().whole_roots.contains(root) {
                let why = format!(
                    "`{root}` is read as a whole, so that names in it may be used without being written."
                );
                return Err(RequestFailure::refused(why));
            }
            is_defined |= file.index().definition(path).is_some();
        }
        if !is_defined {
            return Err(RequestFailure::refused("Nothing defines this name."));
        }
    }
    Ok((name, target))
}

/// Returns the edits that give another name to what is at a byte.
pub(crate) fn rename(
    workspace: &mut Workspace,
    analysis: &Rc<Analysis>,
    offset: u32,
    new: &str,
) -> Result<WorkspaceEdit, RequestFailure> {
    let (name, target) = renamed(workspace, analysis, offset)?;
    if !is_identifier(new) {
        return Err(RequestFailure::refused(format!(
            "`{new}` is not a valid name: a name begins with a letter."
        )));
    }
    if new == name.span.slice(analysis.text()) {
        return Ok(WorkspaceEdit::default());
    }
    let files = match &target {
        NameTarget::Defined(path) => {
            let files = workspace.module(analysis);
            let other = path.rsplit_once('.').map_or(new.to_owned(), |(before, _)| format!("{before}.{new}"));
            if files.iter().any(|file| file.index().definition(&other).is_some()) {
                return Err(RequestFailure::refused(format!("`{other}` is defined already.")));
            }
            // A reference that nothing defines yet would get a meaning.
            let target = NameTarget::Defined(other.clone());
            if files.iter().any(|file| file.index().of(&target).next().is_some()) {
                return Err(RequestFailure::refused(format!("`{other}` is referred to already.")));
            }
            files
        }
        NameTarget::Bound(binding) => {
            allowed(analysis, *binding, new)?;
            vec![Rc::clone(analysis)]
        }
        _ => return Err(RequestFailure::refused("This name cannot be renamed.")),
    };
    let mut changes = HashMap::new();
    for file in files {
        let index = file.index();
        let mut edits: Vec<TextEdit> = Vec::new();
        for name in index.of(&target) {
            match (&target, name.role) {
                (NameTarget::Bound(binding), NameRole::Label) => {
                    edits.extend(iterator(&file, &index.bindings[*binding], new));
                }
                _ => edits.push(TextEdit { range: file.lines.range(name.span), new_text: new.to_owned() }),
            }
        }
        if !edits.is_empty() {
            changes.insert(workspace.uri(&file.path), edits);
        }
    }
    Ok(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}

/// Refuses a name that would be captured by another binding, or capture other names.
fn allowed(analysis: &Analysis, binding: usize, new: &str) -> Result<(), RequestFailure> {
    if RESERVED.contains(&new) {
        return Err(RequestFailure::refused(format!("`{new}` is a word of the language.")));
    }
    let index = analysis.index();
    let own = &index.bindings[binding];
    let overlaps = |one: Span| one.start < own.scope.end && own.scope.start < one.end;
    let is_taken = index
        .bindings
        .iter()
        .enumerate()
        .any(|(at, one)| at != binding && one.name == new && overlaps(one.scope));
    if is_taken {
        return Err(RequestFailure::refused(format!("`{new}` is bound here already.")));
    }
    let is_read = |name: &&IndexedName| {
        matches!(name.role, NameRole::Variable | NameRole::Root)
            && name.span.slice(analysis.text()) == new
            && overlaps(name.span)
    };
    if index.names.iter().any(|name| is_read(&name)) {
        return Err(RequestFailure::refused(format!("`{new}` is a variable that is read here.")));
    }
    Ok(())
}

/// Returns the edit that names the iterator of a `dynamic` block, whose label is also the type of the blocks.
fn iterator(analysis: &Analysis, binding: &Binding, new: &str) -> Option<TextEdit> {
    let BindingKind::Label(before) = binding.kind else { return None };
    let start = analysis.lines.position(before);
    let line = analysis.document.source().line(start.line + 1).unwrap_or_default();
    let indentation: String = line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    Some(TextEdit {
        range: Range { start, end: start },
        new_text: format!("iterator = {new}\n{indentation}"),
    })
}
