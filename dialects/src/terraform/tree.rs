//! The tree of modules: the folder of the root module, and for each call of a local module another node.
//!
//! ```text
//! root ──module.a──▶ ./a ──module.c──▶ ./c      folders are read once,
//!   ╰────module.b──▶ ./a ──module.c──▶ ./c      nodes are as many as calls
//! ```

use std::collections::{BTreeSet, HashMap};

use hclvm::{Document, Engine};
use smol_str::SmolStr;

use super::declarations::{self, ModuleDefinitions, ModuleInput};
use super::files;
use super::reader::FolderReader;
use super::schemas::ResourceSchemas;
use crate::constants::ConstantEvaluator;
use crate::files::{File, Files};
use crate::names::ModuleLayout;
use crate::problems::Problems;

/// The most nodes of a tree: calls that call modules which call modules double with each level.
const MOST_NODES: usize = 2_000;

/// The deepest nesting of modules.
const DEEPEST: usize = 32;

/// A folder that was parsed.
#[derive(Debug)]
struct ParsedFolder {
    /// Its path below the root module.
    path: String,
    documents: Vec<Document>,
}

/// The folders of a tree that were parsed, the root module first.
#[derive(Debug)]
pub(super) struct Parsed(Vec<ParsedFolder>);

impl Parsed {
    /// Returns the names of the functions of providers that are called.
    pub(super) fn provider_functions(&self) -> Vec<String> {
        let documents = self.0.iter().flat_map(|folder| &folder.documents);
        let names = documents.flat_map(Document::required_functions);
        let names: BTreeSet<SmolStr> = names.filter(|name| name.starts_with("provider::")).collect();
        names.into_iter().map(String::from).collect()
    }
}

/// Parses the files of a module and of the local modules that it calls.
///
/// # Errors
/// The syntax errors of all files.
pub(super) fn parse(engine: &Engine, files: &Files) -> Result<Parsed, Problems> {
    let mut problems = Problems::default();
    let mut parse = |files: Vec<&File>| -> Vec<Document> {
        let parse = |file: &&File| {
            let (document, found) = file.parse(engine, file.suffix() == "json");
            problems.add(found);
            document
        };
        files.iter().map(parse).collect()
    };
    let own = if files.is_folder { files::of_module(files.iter()) } else { files.iter().collect() };
    let mut folders = vec![ParsedFolder { path: ".".to_owned(), documents: parse(own) }];
    let mut known: BTreeSet<String> = BTreeSet::from([".".to_owned()]);
    let mut next = 0;
    while let Some(folder) = folders.get(next) {
        next += 1;
        let mut found = Vec::new();
        for source in sources(&folder.documents).into_iter().filter(|source| files::is_local(source)) {
            let path = files::normalized(&format!("{}/{source}", folder.path));
            if known.len() < MOST_NODES && known.insert(path.clone()) {
                found.push(path);
            }
        }
        for path in found {
            let Some(files) = files::of_folder(files, &path) else { continue };
            let documents = parse(files::of_module(files.iter()));
            folders.push(ParsedFolder { path, documents });
        }
    }
    if problems.has_errors() { Err(problems) } else { Ok(Parsed(folders)) }
}

/// Returns the sources of module calls, by their texts.
fn sources(documents: &[Document]) -> Vec<String> {
    let blocks = declarations::blocks(documents);
    let calls = blocks.into_iter().flatten().filter(|block| block.kind() == "module");
    let source = |block: hclvm::Block<'_>| {
        let attribute = block.attribute("source")?;
        let text = attribute.expression_span().slice(attribute.document().source().text());
        Some(text.trim_matches('"').to_owned())
    };
    calls.filter_map(source).collect()
}

/// A folder with what it declares.
#[derive(Debug)]
pub(super) struct Folder {
    /// Its path below the root module.
    pub(super) path: String,
    /// Compiled for the layout of `names`.
    pub(super) documents: Vec<Document>,
    pub(super) names: ModuleLayout,
    pub(super) definitions: ModuleDefinitions,
}

/// A module of the tree: a folder as one call reads it.
#[derive(Debug)]
pub(super) struct ModuleNode {
    pub(super) folder: usize,
    /// The node and the number of the call; `None` for the root.
    pub(super) parent: Option<(usize, usize)>,
    /// The nodes of its calls; `None` for modules that are not local.
    pub(super) children: Vec<Option<usize>>,
}

/// All modules.
#[derive(Debug)]
pub(super) struct ModuleTree {
    pub(super) folders: Vec<Folder>,
    /// Parents before their children.
    pub(super) nodes: Vec<ModuleNode>,
}

impl ModuleTree {
    pub(super) fn new(
        parsed: Parsed,
        constants: &mut ConstantEvaluator,
        schemas: &ResourceSchemas,
        is_partial: bool,
        (problems, references): (&mut Problems, &mut Problems),
    ) -> Self {
        let folder = |(at, ParsedFolder { path, documents }): (usize, ParsedFolder)| {
            let names = declarations::names(&documents);
            let documents: Vec<Document> =
                documents.iter().map(|one| one.for_layout(names.layout())).collect();
            let mut reader =
                FolderReader { constants, problems, references, is_partial: is_partial && at == 0 };
            let mut definitions = reader.read(&documents);
            schemas.check(&documents, &mut definitions, references);
            Folder { path, documents, names, definitions }
        };
        let folders: Vec<Folder> = parsed.0.into_iter().enumerate().map(folder).collect();
        let mut tree = Self { folders, nodes: Vec::new() };
        tree.grow(problems);
        tree
    }

    /// Adds the nodes; reports modules that call themselves, and inputs that do not exist or are missing.
    fn grow(&mut self, problems: &mut Problems) {
        let paths: HashMap<&str, usize> =
            self.folders.iter().enumerate().map(|(at, folder)| (folder.path.as_str(), at)).collect();
        let mut nodes = vec![ModuleNode { folder: 0, parent: None, children: Vec::new() }];
        // Reported once for each call of a folder, however many nodes it has.
        let mut reported: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut at = 0;
        while at < nodes.len() {
            let folder = &self.folders[nodes[at].folder];
            let mut children = Vec::new();
            for (number, call) in folder.definitions.calls.iter().enumerate() {
                let is_new = reported.insert((nodes[at].folder, number));
                let source = call.source.as_deref().filter(|source| files::is_local(source));
                let path = source.map(|source| files::normalized(&format!("{}/{source}", folder.path)));
                let Some(target) = path.and_then(|path| paths.get(path.as_str()).copied()) else {
                    children.push(None);
                    continue;
                };
                let above =
                    std::iter::successors(Some(at), |node| nodes[*node].parent.map(|(parent, _)| parent));
                let depth = above.clone().count();
                let mut above = above;
                if above.any(|node| nodes[node].folder == target) {
                    let detail = format!("`module.{}` is a module that contains this call.", call.name);
                    problems.error(&call.place, "Module call cycle", detail);
                    children.push(None);
                    continue;
                }
                if nodes.len() >= MOST_NODES || depth > DEEPEST {
                    let detail =
                        format!("Modules have {MOST_NODES} calls and a nesting of {DEEPEST} at most.");
                    problems.error(&call.place, "Too many modules", detail);
                    self.nodes = nodes;
                    return;
                }
                if is_new {
                    check_inputs(call, &self.folders[target].definitions, problems);
                }
                children.push(Some(nodes.len()));
                nodes.push(ModuleNode { folder: target, parent: Some((at, number)), children: Vec::new() });
            }
            nodes[at].children = children;
            at += 1;
        }
        self.nodes = nodes;
    }
}

/// Reports inputs of a call that the module does not declare, those that it needs, and outputs that it does not have.
fn check_inputs(call: &declarations::ModuleCall, of: &ModuleDefinitions, problems: &mut Problems) {
    for ModuleInput { name, place, .. } in &call.inputs {
        if !of.symbols.variables.contains_key(name) {
            let near = hclvm::diagnostics::nearest(name, of.symbols.variables.keys().map(SmolStr::as_str));
            let near = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
            let detail = format!("The module has no variable `{name}`.{near}");
            problems.error(place, "Unsupported argument", detail);
        }
    }
    let is_missing =
        |one: &&declarations::VariableDeclaration| one.default.is_none() && call.input(&one.name).is_none();
    for variable in of.variables.iter().filter(is_missing) {
        let detail = format!(
            "The variable `{}` of the module has no default, so that a value is needed.",
            variable.name
        );
        problems.error(&call.place, "Missing required argument", detail);
    }
}
