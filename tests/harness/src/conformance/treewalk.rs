//! The cases that run programs, by the tree-walker. `evaluate` runs them by the machine.

use std::rc::Rc;

use hclvm::diagnostics::Source;
use hclvm::functions::FunctionTable;
use hclvm::{Diagnostic, Layout, Undefined};
use hclvm_compiler::locate::locate;
use hclvm_compiler::lower::Environment;
use hclvm_compiler::source::decode;
use hclvm_compiler::tree::{BodyId, BodyItem, NodeId, Tree};
use hclvm_compiler::{
    ParseLimits, analysis, parse_config, parse_expression, parse_json_expression, parse_template,
};
use hclvm_treewalk::Walker;
use hclvm_vm::{Arena, Limits, Names, Record, Value};
use serde_json::{Map, Value as Json, json};

use super::evaluate::scope_names;
use super::{Answer, fields};
use crate::case::Case;
use crate::report::diagnostics_to;
use crate::tv::{self, value_from, value_to};

/// A parsed text with what its expressions may use.
struct Text {
    tree: Tree,
    source: Source,
    layout: Layout,
    functions: Rc<Option<FunctionTable>>,
}

/// An expression or template, evaluated.
pub(super) fn single(case: &Case, functions: &Rc<Option<FunctionTable>>) -> Result<Answer, String> {
    let text = decode(&case.source());
    let limits = ParseLimits::default();
    let parsed = match case.kind() {
        "template" => parse_template(&text, &limits),
        "jsonexpr" => parse_json_expression(&text, &limits),
        _ => parse_expression(&text, &limits),
    };
    let source = match case.kind() {
        "jsonexpr" => Source::of_json("", text.text, parsed.seams),
        _ => Source::new("", text.text, parsed.seams),
    };
    if !parsed.diagnostics.is_empty() {
        return Ok(Some(refused(&source, &parsed.diagnostics)));
    }
    let text = Text::new(case, parsed.tree, Some(parsed.root), source, functions);
    text.evaluated(NodeId(0), parsed.root, case).map(Some)
}

/// A file with every attribute evaluated; reading by a schema is no matter of evaluation.
pub(super) fn config(case: &Case, functions: &Rc<Option<FunctionTable>>) -> Result<Answer, String> {
    if case.get("schema").is_some() {
        return Ok(None);
    }
    let text = decode(&case.source());
    let parsed = parse_config(&text, &ParseLimits::default());
    let source = Source::new("", text.text, parsed.seams);
    if !parsed.diagnostics.is_empty() {
        return Ok(Some(refused(&source, &parsed.diagnostics)));
    }
    let text = Text::new(case, parsed.tree, None, source, functions);
    text.body(parsed.body, case).map(Some)
}

fn refused(source: &Source, diagnostics: &[Diagnostic]) -> Map<String, Json> {
    fields([("phase", json!("parse")), ("errors", diagnostics_to(source, diagnostics))])
}

impl Text {
    fn new(
        case: &Case,
        tree: Tree,
        root: Option<NodeId>,
        source: Source,
        functions: &Rc<Option<FunctionTable>>,
    ) -> Self {
        let used = analysis::names(&tree, root.into_iter().chain(tree.expressions()));
        let layout = Layout::new(used.into_iter().chain(scope_names(case)));
        Self { tree, source, layout, functions: Rc::clone(functions) }
    }

    /// The values of a case by slot.
    fn slots<'a>(&self, arena: &'a Arena, case: &Case) -> Result<Vec<Value<'a>>, String> {
        let scope = case.get("scope");
        let given = |name: &str| scope.and_then(|scope| scope.get(name));
        let names = self.layout.names().iter();
        names.map(|name| given(name).map_or(Ok(Value::UNSET), |json| value_from(arena, json))).collect()
    }

    fn evaluated(&self, first: NodeId, root: NodeId, case: &Case) -> Result<Map<String, Json>, String> {
        let environment = Environment {
            layout: Some(&self.layout),
            functions: (*self.functions).as_ref(),
            undefined: Undefined::Error,
            short_circuit: true,
            names: &Names::default(),
            source: self.source.text(),
        };
        let walker = Walker::new(&self.tree, first, root, environment);
        let (given, arena) = (tv::arena(), Arena::with_limits(Limits::default()));
        let slots = self.slots(&given, case)?;
        let result = walker.run(&slots, &arena);
        if let Some(limit) = result.exhausted {
            let error =
                json!({ "severity": "error", "summary": "Not evaluated", "detail": format!("{limit:?}") });
            return Ok(fields([("phase", json!("eval")), ("errors", json!([error]))]));
        }
        let value = value_to(result.value);
        if result.faults.is_empty() {
            return Ok(fields([("value", value)]));
        }
        let faults: Vec<Diagnostic> =
            result.faults.iter().map(|fault| self.diagnostic(first, fault)).collect();
        let errors = diagnostics_to(&self.source, &faults);
        Ok(fields([("phase", json!("eval")), ("errors", errors), ("value", value)]))
    }

    fn diagnostic(&self, first: NodeId, record: &Record<'_>) -> Diagnostic {
        let (subject, _) = locate(&self.tree, NodeId(first.0 + record.node), record.place);
        Diagnostic::error(record.fault.title(), record.fault.detail(), subject)
    }

    /// The attributes and blocks of a body.
    fn body(&self, id: BodyId, case: &Case) -> Result<Map<String, Json>, String> {
        let (mut attributes, mut blocks) = (Map::new(), Vec::new());
        for item in &self.tree.body(id).items {
            match *item {
                BodyItem::Attribute(index) => {
                    let attribute = self.tree.attribute(index);
                    let result = self.evaluated(attribute.first_node, attribute.expr, case)?;
                    let name = self.tree.attribute_name(attribute, self.source.text());
                    attributes.insert(name.to_owned(), Json::Object(result));
                }
                BodyItem::Block(index) => {
                    let block = self.tree.block(index);
                    let labels: Vec<&str> = block.labels.iter().map(|label| label.text.as_str()).collect();
                    let kind = self.tree.name(block.kind).as_str();
                    let mut shown = fields([("type", json!(kind)), ("labels", json!(labels))]);
                    shown.extend(self.body(block.body, case)?);
                    blocks.push(Json::Object(shown));
                }
            }
        }
        Ok(fields([("attrs", Json::Object(attributes)), ("blocks", Json::Array(blocks))]))
    }
}
