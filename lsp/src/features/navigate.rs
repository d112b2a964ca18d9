//! From a name to its definition and to its other uses.

use std::rc::Rc;

use gen_lsp_types::{DocumentHighlight, DocumentHighlightKind, Location};
use hclvm::diagnostics::Span;

use crate::analysis::Analysis;
use crate::index::{IndexedName, NameTarget};
use crate::workspace::Workspace;

/// Returns the places where the name at a byte is defined.
pub(crate) fn definition(workspace: &mut Workspace, analysis: &Rc<Analysis>, offset: u32) -> Vec<Location> {
    let Some(target) = analysis.index().at(offset).and_then(|name| name.target.clone()) else {
        return Vec::new();
    };
    match &target {
        NameTarget::Bound(_) => {
            defining(analysis, &target).map(|span| workspace.location(analysis, span)).collect()
        }
        NameTarget::Function(name) => of_function(workspace, analysis, name),
        NameTarget::Defined(path) => {
            let mut found = Vec::new();
            for file in workspace.module(analysis) {
                found.extend(file.index().definition(path).map(|one| workspace.location(&file, one.name)));
            }
            found
        }
        // A variable of the host is defined where the project has its type.
        NameTarget::Path(path) => of_variable(workspace, analysis, path).into_iter().collect(),
    }
}

fn defining<'a>(analysis: &'a Analysis, target: &NameTarget) -> impl Iterator<Item = Span> + use<'a> {
    analysis.index().of(target).filter(|name| name.defines).map(|name| name.span)
}

/// Returns the block that defines a function: in the file, or with its answer in the project file.
fn of_function(workspace: &mut Workspace, analysis: &Rc<Analysis>, name: &str) -> Vec<Location> {
    let path = format!("{name}()");
    if let Some(own) = analysis.index().definition(&path) {
        return vec![workspace.location(analysis, own.name)];
    }
    let project = analysis.settings.project.path.clone().and_then(|path| path.canonicalize().ok());
    let Some(file) = project.and_then(|path| workspace.file(&path)) else { return Vec::new() };
    let found = file.index().definition(&path).map(|one| workspace.location(&file, one.name));
    found.into_iter().collect()
}

/// Returns the attribute of the schema that declares a variable.
fn of_variable(workspace: &mut Workspace, analysis: &Rc<Analysis>, path: &str) -> Option<Location> {
    let project = Rc::clone(&analysis.settings.project);
    let schema = project.folder()?.join(project.schema.as_ref()?).canonicalize().ok()?;
    let file = workspace.file(&schema)?;
    let root = path.split('.').next().unwrap_or(path);
    let span = file.document.attribute(root)?.name_span();
    Some(workspace.location(&file, span))
}

/// Returns the uses of the name at a byte, in all files of the module.
pub(crate) fn references(
    workspace: &mut Workspace,
    analysis: &Rc<Analysis>,
    offset: u32,
    with_definitions: bool,
) -> Vec<Location> {
    let Some(target) = analysis.index().at(offset).and_then(|name| name.target.clone()) else {
        return Vec::new();
    };
    let files = match target {
        NameTarget::Bound(_) => vec![Rc::clone(analysis)],
        _ => workspace.module(analysis),
    };
    let mut found = Vec::new();
    for file in files {
        let names = file.index().of(&target).filter(|name| with_definitions || !name.defines);
        found.extend(names.map(|name| workspace.location(&file, name.span)));
    }
    found
}

/// Returns the uses of the name at a byte in its text.
pub(crate) fn highlights(analysis: &Analysis, offset: u32) -> Vec<DocumentHighlight> {
    let index = analysis.index();
    let Some(name) = index.at(offset) else { return Vec::new() };
    let highlight = |name: &IndexedName| DocumentHighlight {
        range: analysis.lines.range(name.span),
        kind: Some(if name.defines { DocumentHighlightKind::Write } else { DocumentHighlightKind::Read }),
    };
    if let Some(target) = &name.target {
        return index.of(target).map(highlight).collect();
    }
    // Attributes, blocks and keys of one name.
    let text = name.span.slice(analysis.text());
    let equal = |one: &&IndexedName| one.role == name.role && one.span.slice(analysis.text()) == text;
    index.names.iter().filter(equal).map(highlight).collect()
}
