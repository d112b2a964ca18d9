//! Cases that read a file by a schema, with or without dynamic blocks.

use hclvm::diagnostics::Source;
use hclvm::expansion::{BodyView, Expansion};
use hclvm::run::Evaluation;
use hclvm::schema::{Content, Schema};
use hclvm::{Attribute, Block, Body, Diagnostic, Document, Error, Scope};
use serde_json::{Map, Value as Json, json};

use super::evaluate::{Counted, failed};
use super::{Answer, fields};
use crate::report::diagnostics_to;
use crate::tv::value_to;

/// The content of a file by a schema, evaluated.
pub(super) fn run(
    document: &Document,
    schema: &Json,
    dynamic: bool,
    scope: &Scope,
    session: &mut Counted,
) -> Result<Answer, String> {
    let schema: Schema = serde_json::from_value(schema.clone()).map_err(|error| error.to_string())?;
    let mut problems = Vec::new();
    let content = if dynamic {
        let expanded = session.session.expand(document, scope).and_then(|mut expansion| {
            let view = expansion.body();
            let shown = expanded_body(&mut expansion, view, &schema)?;
            problems.extend(expansion.take_diagnostics().iter().cloned());
            Ok(shown)
        });
        expanded.map_err(|error| error.to_string())?
    } else {
        Static { scope, session, problems: &mut problems }.body(document.body(), &schema)
    };
    Ok(Some(with_problems(content, document.source(), &problems)))
}

/// Evaluates the attributes of a file that has nothing else.
pub(super) fn attributes(document: &Document, scope: &Scope, session: &mut Counted) -> Map<String, Json> {
    let (attributes, diagnostics) = document.body().just_attributes_lenient();
    let mut problems = Vec::new();
    let mut reading = Static { scope, session, problems: &mut problems };
    let shown: Map<String, Json> = attributes
        .iter()
        .map(|attribute| (attribute.name().to_owned(), Json::Object(reading.attribute(*attribute))))
        .collect();
    let found: Vec<Diagnostic> = diagnostics.iter().cloned().collect();
    with_problems(fields([("attrs", Json::Object(shown))]), document.source(), &found)
}

fn with_problems(content: Map<String, Json>, source: &Source, problems: &[Diagnostic]) -> Map<String, Json> {
    let mut answer = Map::new();
    if !problems.is_empty() {
        answer.insert("phase".to_owned(), json!("content"));
        answer.insert("errors".to_owned(), diagnostics_to(source, problems));
    }
    answer.extend(content);
    answer
}

/// Returns the schema of a block's content; without one, the block must be empty.
fn inner_of(schema: &Schema, kind: &str) -> Schema {
    schema.block_type(kind).and_then(|found| found.schema.clone()).unwrap_or_default()
}

/// Evaluates bodies without expanding dynamic blocks.
struct Static<'s> {
    scope: &'s Scope,
    session: &'s mut Counted,
    problems: &'s mut Vec<Diagnostic>,
}

impl Static<'_> {
    fn body(&mut self, written: Body<'_>, schema: &Schema) -> Map<String, Json> {
        let (content, diagnostics): (Content<'_>, _) = written.content_lenient(schema);
        self.problems.extend(diagnostics.iter().cloned());
        let attributes = content
            .attributes
            .iter()
            .map(|attribute| (attribute.name().to_owned(), Json::Object(self.attribute(*attribute))));
        let attributes = attributes.collect();
        let blocks = content.blocks.iter().map(|block| self.block(*block, schema)).collect();
        fields([("attrs", Json::Object(attributes)), ("blocks", Json::Array(blocks))])
    }

    fn attribute(&mut self, attribute: Attribute<'_>) -> Map<String, Json> {
        match attribute.program() {
            Ok(program) => self.session.evaluated(&program, self.scope),
            Err(error) => failed("eval", &error),
        }
    }

    fn block(&mut self, block: Block<'_>, schema: &Schema) -> Json {
        let labels: Vec<&str> = block.labels().collect();
        let mut shown = fields([("type", json!(block.kind())), ("labels", json!(labels))]);
        shown.extend(self.body(block.body(), &inner_of(schema, block.kind())));
        Json::Object(shown)
    }
}

/// Evaluates a body with its dynamic blocks expanded.
fn expanded_body<'a>(
    expansion: &mut Expansion<'a>,
    view: BodyView<'a>,
    schema: &Schema,
) -> Result<Map<String, Json>, Error> {
    let content = expansion.content(view, schema)?;
    let mut attributes = Map::new();
    for attribute in content.attributes {
        attributes.insert(attribute.name().to_owned(), shown(&expansion.evaluate(attribute)?));
    }
    let mut blocks = Vec::new();
    for block in content.blocks {
        let mut made = fields([("type", json!(block.kind)), ("labels", json!(block.labels))]);
        made.extend(expanded_body(expansion, block.body, &inner_of(schema, block.kind))?);
        blocks.push(Json::Object(made));
    }
    Ok(fields([("attrs", Json::Object(attributes)), ("blocks", Json::Array(blocks))]))
}

fn shown(result: &Evaluation<'_>) -> Json {
    let mut shown = Map::new();
    if !result.diagnostics.is_empty() {
        shown.insert("phase".to_owned(), json!("eval"));
        let source = result.diagnostics.source();
        shown.insert("errors".to_owned(), diagnostics_to(source, result.diagnostics.iter()));
    }
    shown.insert("value".to_owned(), value_to(result.value));
    Json::Object(shown)
}
