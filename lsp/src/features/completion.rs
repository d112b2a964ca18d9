//! Completion of names: variables and their parts, definitions, functions, bound names, attributes and blocks.

use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemTextEdit, CompletionList, Documentation,
    InsertTextFormat, MarkupContent, MarkupKind, TextEdit,
};
use hclvm::functions::{Function, summary};
use hclvm::policy::PolicySpec;
use hclvm::syntax::is_identifier;
use hclvm::{Type, Value};
use hclvm_dialects::{DefinedBy, terraform_policy};
use serde_json::json;

use super::context::{NameContext, surroundings};
use super::types::{meta, with_type};
use crate::analysis::Analysis;
use crate::index::{NameIndex, own_root};
use crate::lines::size;
use crate::values::shown;
use crate::workspace::Workspace;
use std::rc::Rc;

/// The most items of a list; with more, the client asks again when more of a name is written.
const MOST: usize = 500;

/// Words of expressions.
const WORDS: [&str; 3] = ["true", "false", "null"];

/// Directives of templates, as snippets.
const DIRECTIVES: [(&str, &str); 5] = [
    ("if", "if ${1:condition} }$0%{ endif "),
    ("for", "for ${1:value} in ${2:collection} }$0%{ endfor "),
    ("else", "else "),
    ("endif", "endif "),
    ("endfor", "endfor "),
];

/// A list of items that is being made.
struct Items<'a> {
    analysis: &'a Analysis,
    prefix: &'a str,
    range: gen_lsp_types::Range,
    found: Vec<CompletionItem>,
    is_incomplete: bool,
}

impl Items<'_> {
    fn add(&mut self, label: &str, kind: CompletionItemKind, detail: Option<String>, insert: Option<String>) {
        if !fits(label, self.prefix) {
            return;
        }
        if self.found.len() >= MOST {
            self.is_incomplete = true;
            return;
        }
        let is_snippet = insert.is_some();
        let edit = TextEdit { range: self.range, new_text: insert.unwrap_or_else(|| label.to_owned()) };
        self.found.push(CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail,
            insert_text_format: is_snippet.then_some(InsertTextFormat::Snippet),
            text_edit: Some(CompletionItemTextEdit::TextEdit(edit)),
            ..CompletionItem::default()
        });
    }

    /// Adds the parts of a value.
    fn members(&mut self, value: Value<'_>) {
        if let Some(entries) = value.as_entries() {
            for entry in entries.iter().filter(|entry| is_identifier(entry.name)) {
                self.add(entry.name, CompletionItemKind::Field, shown(entry.value), None);
            }
        }
    }
}

/// Returns true if a name may be meant by what is written of it.
fn fits(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// Returns what may be written at a position.
pub(crate) fn completion(workspace: &mut Workspace, analysis: &Rc<Analysis>, offset: u32) -> CompletionList {
    let around = surroundings(analysis, offset);
    let prefix = analysis.text().get(around.word.start as usize..offset as usize).unwrap_or_default();
    let range = analysis.lines.range(around.word);
    let mut items = Items { analysis, prefix, range, found: Vec::new(), is_incomplete: false };
    match &around.context {
        NameContext::Nothing => {}
        NameContext::Item(blocks) => item(&mut items, blocks),
        NameContext::Directive => {
            for (name, snippet) in DIRECTIVES {
                items.add(name, CompletionItemKind::Keyword, None, Some(snippet.to_owned()));
            }
        }
        NameContext::Text(span) => text(workspace, analysis, &mut items, *span, offset),
        NameContext::Member(path) => {
            let path = path.slice(items.analysis.text()).trim().to_owned();
            members(workspace, analysis, &mut items, &path, offset);
        }
        NameContext::Expression => expression(workspace, analysis, &mut items, offset),
    }
    CompletionList { is_incomplete: items.is_incomplete, items: items.found, ..CompletionList::default() }
}

/// Adds what an expression may begin with.
fn expression(workspace: &mut Workspace, analysis: &Rc<Analysis>, items: &mut Items<'_>, offset: u32) {
    for binding in last_sound_index(workspace, analysis).visible(offset) {
        items.add(&binding.name, CompletionItemKind::Variable, None, None);
    }
    let settings = Rc::clone(&analysis.settings);
    for (name, value) in &settings.sample.1 {
        items.add(name, CompletionItemKind::Variable, shown(value.get()), None);
    }
    for name in settings.declared.declared_names().filter(|name| settings.sample_of(name).is_none()) {
        let ty = settings.declared.type_of(name).and_then(hclvm::show::type_text);
        items.add(name, CompletionItemKind::Variable, ty, None);
    }
    for root in settings.roots {
        items.add(root, CompletionItemKind::Module, None, None);
    }
    // Variables that the text uses elsewhere.
    for name in analysis.document.layout().names() {
        let is_known = items.found.iter().any(|one| one.label == name.as_str());
        if !is_known && is_identifier(name) && items.prefix != name.as_str() {
            items.add(name, CompletionItemKind::Variable, None, None);
        }
    }
    for word in WORDS {
        items.add(word, CompletionItemKind::Keyword, None, None);
    }
    functions(items, namespace(analysis.text(), offset - size(items.prefix.len())));
}

/// Adds the functions of a namespace, such as `core::`.
fn functions(items: &mut Items<'_>, namespace: &str) {
    let settings = Rc::clone(&items.analysis.settings);
    let of_namespace =
        settings.functions.names().filter_map(|name| Some((name.strip_prefix(namespace)?, name)));
    let mut names: Vec<_> = of_namespace.filter(|(label, _)| fits(label, items.prefix)).collect();
    names.sort_unstable();
    for (label, name) in names {
        if let Some(function) = settings.functions.get(name) {
            items.add(label, CompletionItemKind::Function, None, Some(call(label, function)));
            if let Some(last) = items.found.last_mut().filter(|last| last.label == label) {
                last.data = Some(json!({"function": name.as_str(), "dialect": settings.dialect}));
                last.detail = Some(function.signature());
            }
        }
    }
}

/// Returns the namespaces before a name: `core::` of `core::length`.
fn namespace(text: &str, name: u32) -> &str {
    let before = text.get(..name as usize).unwrap_or_default();
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut rest = before;
    while let Some(outer) = rest.strip_suffix("::") {
        rest = outer.trim_end_matches(is_of_name);
    }
    &before[rest.len()..]
}

/// Returns the names of the last version without errors: the text that is being written has often one.
fn last_sound_index(workspace: &Workspace, analysis: &Analysis) -> Rc<NameIndex> {
    let uri = workspace.uri(&analysis.path);
    match workspace.sound(&uri.0).filter(|_| !analysis.is_sound()) {
        Some(document) => Rc::new(NameIndex::new(&document, analysis.settings.definitions)),
        None => analysis.shared_index(),
    }
}

/// Returns a call as a snippet.
fn call(name: &str, function: &Function) -> String {
    let parameters = function.parameters.iter().chain(&function.variadic);
    let holes: Vec<String> =
        parameters.enumerate().map(|(at, parameter)| format!("${{{}:{}}}", at + 1, parameter.name)).collect();
    format!("{name}({})", holes.join(", "))
}

/// Adds the parts of what is before a dot.
fn members(
    workspace: &mut Workspace,
    analysis: &Rc<Analysis>,
    items: &mut Items<'_>,
    path: &str,
    offset: u32,
) {
    let settings = Rc::clone(&analysis.settings);
    let root = path.split(['.', '[']).next().unwrap_or_default();
    let index = last_sound_index(workspace, analysis);
    if index
        .visible(offset)
        .any(|binding| binding.name == path && !matches!(binding.kind, crate::index::BindingKind::For))
    {
        for name in ["key", "value"] {
            items.add(name, CompletionItemKind::Field, None, None);
        }
        return;
    }
    // Definitions whose paths continue this one, also those of the block around.
    let start = format!("{path}.");
    let own = analysis.document.blocks_at(offset).first().map(|block| format!("{}.", own_root(path, *block)));
    for file in workspace.module(analysis) {
        let index = if Rc::ptr_eq(&file, analysis) { Rc::clone(&index) } else { file.shared_index() };
        for definition in &index.definitions {
            let of_block = || definition.path.strip_prefix(own.as_deref()?);
            let Some(rest) = definition.path.strip_prefix(&start).or_else(of_block) else { continue };
            let name = rest.split('.').next().unwrap_or(rest);
            if is_identifier(name) && !items.found.iter().any(|one| one.label == name) {
                let value = file.values().and_then(|values| values.defined(&definition.path));
                let shown = value.and_then(|value| shown(value.get()));
                items.add(name, CompletionItemKind::Property, shown, None);
            }
        }
    }
    if !items.found.is_empty() {
        return;
    }
    let values = analysis.values();
    let of_values = values.and_then(|values| values.expression(analysis, path, |value| items.members(value)));
    if of_values.is_some() && !items.found.is_empty() {
        return;
    }
    // After a syntax error there are no values, but the sample has some.
    if let Some(sample) = settings.sample_of(root) {
        let mut value = sample.get();
        for step in path.split('.').skip(1) {
            let entry =
                value.as_entries().and_then(|entries| entries.iter().find(|entry| entry.name == step));
            match entry {
                Some(entry) => value = entry.value,
                None => return,
            }
        }
        items.members(value);
        return;
    }
    let attributes = with_type(analysis, path, offset, |ty| {
        let Type::Object(attributes) = ty else { return false };
        for one in attributes {
            items.add(one.name, CompletionItemKind::Field, hclvm::show::type_text(one.ty), None);
        }
        true
    });
    if attributes == Some(true) {
        return;
    }
    if path == "meta" {
        for name in meta(analysis, offset) {
            items.add(name, CompletionItemKind::Field, None, None);
        }
    }
    // Parts that the text reads elsewhere.
    for name in &index.names {
        if let Some(crate::index::NameTarget::Path(known)) = &name.target
            && let Some(rest) = known.strip_prefix(&start)
            && !rest.contains('.')
            && !items.found.iter().any(|one| one.label == rest)
            && rest != items.prefix
        {
            items.add(rest, CompletionItemKind::Field, None, None);
        }
    }
}

/// Adds the names of attributes and blocks.
fn item(items: &mut Items<'_>, blocks: &[String]) {
    let settings = Rc::clone(&items.analysis.settings);
    let mut schema = Some(&settings.schema);
    for kind in blocks {
        schema = schema.and_then(|schema| schema.block_type(kind)).and_then(|block| block.schema.as_ref());
    }
    for attribute in schema.iter().flat_map(|schema| &schema.attributes) {
        items.add(
            &attribute.name,
            CompletionItemKind::Property,
            None,
            Some(format!("{} = $0", attribute.name)),
        );
    }
    for block in schema.iter().flat_map(|schema| &schema.blocks) {
        let labels = block.labels.iter().enumerate();
        let labels: Vec<String> = labels.map(|(at, label)| format!("\"${{{}:{label}}}\" ", at + 1)).collect();
        let labels = labels.concat();
        let snippet = format!("{} {labels}{{\n  $0\n}}", block.kind);
        items.add(&block.kind, CompletionItemKind::Struct, None, Some(snippet));
    }
    let default = PolicySpec::default();
    let (rule, condition) = settings
        .policy
        .as_ref()
        .map_or((default.kind, default.condition), |policy| (policy.rule_type(), policy.condition()));
    if settings.application.is_none() {
        match blocks {
            [] => {
                let effect = default.effect;
                let rule_snippet = format!(
                    "{rule} \"${{1:name}}\" {{\n  {condition} = ${{2:true}}\n  {effect} = \"${{3:allow}}\"\n}}"
                );
                items.add(rule, CompletionItemKind::Struct, None, Some(rule_snippet));
                items.add("locals", CompletionItemKind::Struct, None, Some("locals {\n  $0\n}".to_owned()));
            }
            [kind] if kind == rule => {
                items.add(condition, CompletionItemKind::Property, None, Some(format!("{condition} = $0")));
                let parts: Vec<String> = match &settings.policy {
                    Some(policy) => policy.parts().map(str::to_owned).collect(),
                    None => [default.effect, default.reason, default.obligations].map(str::to_owned).to_vec(),
                };
                for part in parts {
                    items.add(&part, CompletionItemKind::Property, None, Some(format!("{part} = $0")));
                }
            }
            _ => {}
        }
    }
    if !blocks.is_empty() {
        let dynamic = "dynamic \"${1:type}\" {\n  for_each = ${2:[]}\n  content {\n    $0\n  }\n}";
        items.add("dynamic", CompletionItemKind::Struct, None, Some(dynamic.to_owned()));
    }
    // Attributes that blocks of this type have elsewhere in the file.
    let document = &items.analysis.document;
    let Some(kind) = blocks.last() else { return };
    let mut open = vec![document.body()];
    let mut names: Vec<&str> = Vec::new();
    while let Some(body) = open.pop() {
        for block in body.blocks() {
            if block.kind() == kind && kind != "locals" {
                names.extend(block.body().attributes().map(|one| one.name()));
            }
            open.push(block.body());
        }
    }
    names.sort_unstable();
    names.dedup();
    for name in names {
        if name != items.prefix && !items.found.iter().any(|one| one.label == name) {
            items.add(name, CompletionItemKind::Property, None, Some(format!("{name} = $0")));
        }
    }
}

/// Adds definitions that a text may name by its labels, such as `"source.null.x"`, and types of resources.
fn text<'a>(
    workspace: &mut Workspace,
    analysis: &'a Rc<Analysis>,
    items: &mut Items<'a>,
    span: hclvm::diagnostics::Span,
    offset: u32,
) {
    let written = analysis.text().get(span.start as usize..offset as usize).unwrap_or_default();
    items.prefix = written;
    items.range = analysis.lines.range(hclvm::diagnostics::Span::new(span.start, span.end.max(offset)));
    let named = analysis.settings.definitions.iter();
    let roots: Vec<&str> = named
        .filter(|one| matches!(one.by, DefinedBy::Labels(_)) && one.root == one.block)
        .map(|one| one.root)
        .collect();
    let line = analysis.text().get(..span.start as usize).and_then(|text| text.rsplit('\n').next());
    let header = line.map(|line| line.trim_end_matches('"').trim());
    if let (Some("resource_policy" | "resource"), Some(schemas)) =
        (header, &analysis.settings.provider_schemas)
    {
        schemas.resources().for_each(|kind| items.add(kind, CompletionItemKind::Class, None, None));
    }
    if roots.is_empty() {
        return;
    }
    for file in workspace.module(analysis) {
        for definition in &file.index().definitions {
            if roots.iter().any(|root| definition.path.split('.').next() == Some(root)) {
                items.add(&definition.path, CompletionItemKind::Reference, None, None);
            }
        }
    }
}

/// Adds the documentation of a function to an item.
pub(crate) fn resolve(mut item: CompletionItem) -> CompletionItem {
    let data = item.data.as_ref();
    let part = |name: &str| data.and_then(|data| data.get(name)).and_then(|part| part.as_str());
    if let (Some(function), Some(dialect)) = (part("function"), part("dialect")) {
        let value = documentation(function, dialect).unwrap_or_default();
        item.documentation =
            Some(Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }));
    }
    item
}

/// Returns what a function does, as Markdown.
pub(crate) fn documentation(function: &str, dialect: &str) -> Option<String> {
    if let Some(text) = terraform_policy::function_summary(function) {
        return Some(text.to_owned());
    }
    let function = function.strip_prefix("core::").unwrap_or(function);
    let tables = [dialect, "standard", "opentofu", "packer", "nomad"];
    let found = tables.iter().find_map(|table| summary(function, table))?;
    let example = found.example.map(|(call, result)| format!("\n\n```hcl\n{call} # {result}\n```"));
    Some(format!("{}{}", found.text, example.unwrap_or_default()))
}
