//! Requests of the client: a line for each method, which reads its parameters and calls a feature.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use gen_lsp_types as lsp;
use hclvm::diagnostics::Span;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::abilities::{self, ClientAbilities};
use super::{ConnectionState, Server};
use crate::analysis::Analysis;
use crate::failure::{self, RequestFailure};
use crate::features::{
    actions, completion, diagnostics, format, hints, hover, lenses, navigate, rename, signature, structure,
    symbols, tokens,
};
use crate::params;
use crate::uri;

impl Server {
    /// Answers a request with JSON.
    pub(super) fn request(&mut self, method: &str, parameters: &Json) -> Result<String, RequestFailure> {
        match (method, self.state) {
            ("initialize", ConnectionState::Created) => return Ok(self.initialize(parameters)),
            ("initialize", _) => {
                return Err(RequestFailure::new(
                    failure::INVALID_REQUEST,
                    "The server is initialized already.",
                ));
            }
            (_, ConnectionState::Created) => {
                return Err(RequestFailure::new(
                    failure::NOT_INITIALIZED,
                    "The first request is `initialize`.",
                ));
            }
            ("shutdown", ConnectionState::Initialized) => {
                self.state = ConnectionState::ShutDown;
                return Ok("null".to_owned());
            }
            (_, ConnectionState::ShutDown | ConnectionState::Ended) => {
                return Err(RequestFailure::new(failure::INVALID_REQUEST, "The server is shut down."));
            }
            _ => {}
        }
        match method {
            "textDocument/hover" => self.at(parameters, |_, text, at| Ok(hover::hover(text, at))),
            "textDocument/completion" => self.at(parameters, |server, text, at| {
                Ok(completion::completion(&mut server.workspace, text, at))
            }),
            "completionItem/resolve" => json_of(&completion::resolve(params::read(parameters)?)),
            "textDocument/signatureHelp" => {
                self.at(parameters, |_, text, at| Ok(signature::signature(text, at)))
            }
            "textDocument/definition" | "textDocument/declaration" => self
                .at(parameters, |server, text, at| Ok(navigate::definition(&mut server.workspace, text, at))),
            "textDocument/references" => {
                let with = parameters
                    .pointer("/context/includeDeclaration")
                    .and_then(Json::as_bool)
                    .unwrap_or(false);
                self.at(parameters, |server, text, at| {
                    Ok(navigate::references(&mut server.workspace, text, at, with))
                })
            }
            "textDocument/documentHighlight" => {
                self.at(parameters, |_, text, at| Ok(navigate::highlights(text, at)))
            }
            "textDocument/prepareRename" => {
                self.at(parameters, |server, text, at| rename::prepare(&mut server.workspace, text, at))
            }
            "textDocument/rename" => {
                let name = parameters.get("newName").and_then(Json::as_str).unwrap_or_default().to_owned();
                self.at(parameters, |server, text, at| rename::rename(&mut server.workspace, text, at, &name))
            }
            "textDocument/documentSymbol" => self.text(parameters, |_, text| Ok(symbols::document(text))),
            "workspace/symbol" => {
                let wanted: lsp::WorkspaceSymbolParams = params::read(parameters)?;
                json_of(&symbols::workspace(&mut self.workspace, &wanted.query))
            }
            "textDocument/semanticTokens/full" => self.all_tokens(parameters, None),
            "textDocument/semanticTokens/full/delta" => {
                let before = parameters.get("previousResultId").and_then(Json::as_str);
                self.all_tokens(parameters, Some(before.unwrap_or_default()))
            }
            "textDocument/semanticTokens/range" => self.within(parameters, |_, text, within| {
                Ok(lsp::SemanticTokens { result_id: None, data: tokens::tokens(text, Some(within)) })
            }),
            "textDocument/foldingRange" => self.text(parameters, |_, text| Ok(structure::folding(text))),
            "textDocument/selectionRange" => {
                let wanted: lsp::SelectionRangeParams = params::read(parameters)?;
                let positions: Vec<lsp::Position> = wanted.positions.into_iter().take(1000).collect();
                self.text(parameters, |_, text| {
                    Ok(positions.iter().map(|at| structure::selection(text, *at)).collect::<Vec<_>>())
                })
            }
            "textDocument/documentLink" => self.text(parameters, |_, text| Ok(structure::links(text))),
            "textDocument/formatting" => self.text(parameters, |_, text| Ok(format::whole(text))),
            "textDocument/rangeFormatting" => {
                let wanted: Ranged = params::read(parameters)?;
                self.text(parameters, |_, text| Ok(format::lines(text, wanted.range)))
            }
            "textDocument/onTypeFormatting" => {
                let character = parameters.get("ch").and_then(Json::as_str).unwrap_or_default().to_owned();
                let at: lsp::TextDocumentPositionParams = params::read(parameters)?;
                self.text(parameters, |_, text| Ok(format::typed(text, at.position.line, &character)))
            }
            "textDocument/inlayHint" => {
                self.within(parameters, |_, text, within| Ok(hints::hints(text, within)))
            }
            "textDocument/codeLens" => {
                self.text(parameters, |server, text| Ok(lenses::lenses(&server.workspace, text)))
            }
            "textDocument/codeAction" => {
                let wanted: Ranged = params::read(parameters)?;
                self.text(parameters, |server, text| {
                    Ok(actions::actions(&server.workspace, text, wanted.range))
                })
            }
            "textDocument/diagnostic" => self.text(parameters, |server, text| {
                let items = diagnostics::diagnostics(&server.workspace, text);
                Ok(json!({"kind": "full", "items": items}))
            }),
            "workspace/diagnostic" => Ok(self.all_diagnostics()),
            "workspace/executeCommand" => json_of(&self.command(&params::read(parameters)?)?),
            _ => {
                Err(RequestFailure::new(failure::METHOD_NOT_FOUND, format!("There is no method `{method}`.")))
            }
        }
    }

    /// Answers a request about a text.
    fn text<R: Serialize>(
        &mut self,
        parameters: &Json,
        answer: impl FnOnce(&mut Self, &Rc<Analysis>) -> Result<R, RequestFailure>,
    ) -> Result<String, RequestFailure> {
        let uri = parameters.pointer("/textDocument/uri").and_then(Json::as_str);
        let uri = uri
            .ok_or_else(|| RequestFailure::new(failure::INVALID_PARAMS, "`textDocument.uri` is missing."))?;
        let analysis = self.workspace.analysis(uri)?;
        json_of(&answer(self, &analysis)?)
    }

    /// Answers a request about a position of a text.
    fn at<R: Serialize>(
        &mut self,
        parameters: &Json,
        answer: impl FnOnce(&mut Self, &Rc<Analysis>, u32) -> Result<R, RequestFailure>,
    ) -> Result<String, RequestFailure> {
        let wanted: lsp::TextDocumentPositionParams = params::read(parameters)?;
        self.text(parameters, |server, analysis| {
            let offset = analysis.lines.offset(analysis.text(), wanted.position);
            answer(server, analysis, offset)
        })
    }

    /// Answers a request about a range of a text.
    fn within<R: Serialize>(
        &mut self,
        parameters: &Json,
        answer: impl FnOnce(&mut Self, &Rc<Analysis>, Span) -> Result<R, RequestFailure>,
    ) -> Result<String, RequestFailure> {
        let wanted: Ranged = params::read(parameters)?;
        self.text(parameters, |server, analysis| {
            let span = analysis.lines.span(analysis.text(), wanted.range);
            answer(server, analysis, span)
        })
    }

    /// Answers with the tokens of a text, or with what changed since those with a number.
    fn all_tokens(&mut self, parameters: &Json, before: Option<&str>) -> Result<String, RequestFailure> {
        let uri =
            parameters.pointer("/textDocument/uri").and_then(Json::as_str).unwrap_or_default().to_owned();
        self.text(parameters, |server, analysis| {
            let found = tokens::tokens(analysis, None);
            server.sent += 1;
            let id = server.sent.to_string();
            let known = server
                .sent_tokens
                .remove(&uri)
                .filter(|(number, _)| Some(number.to_string().as_str()) == before);
            let result = match known {
                Some((_, known)) => {
                    let edits = tokens::delta(&known, &found);
                    Tokens::Delta(lsp::SemanticTokensDelta { result_id: Some(id), edits })
                }
                None => Tokens::Full(lsp::SemanticTokens { result_id: Some(id), data: found.clone() }),
            };
            server.sent_tokens.insert(uri, (server.sent, found));
            Ok(result)
        })
    }

    /// Returns the diagnostics of all files of the folders.
    fn all_diagnostics(&mut self) -> String {
        let mut items = Vec::new();
        for path in self.workspace.paths() {
            // A file that cannot be read has no diagnostics, and one that fails does not hide those of others.
            let found = catch_unwind(AssertUnwindSafe(|| {
                let analysis = self.workspace.file(&path)?;
                let diagnostics = diagnostics::diagnostics(&self.workspace, &analysis);
                Some(
                    json!({"kind": "full", "uri": self.workspace.uri(&path), "version": null, "items": diagnostics}),
                )
            }));
            items.extend(found.ok().flatten());
        }
        json!({"items": items}).to_string()
    }

    fn initialize(&mut self, parameters: &Json) -> String {
        let folder = |one: &Json| one.get("uri").and_then(Json::as_str).map(uri::to_path);
        let folders = parameters.get("workspaceFolders").and_then(Json::as_array);
        self.workspace.folders = folders.into_iter().flatten().filter_map(folder).collect();
        if self.workspace.folders.is_empty() {
            let root = parameters.get("rootUri").and_then(Json::as_str);
            self.workspace.folders.extend(root.map(uri::to_path));
        }
        self.workspace.encoding = abilities::encoding(parameters);
        self.client = ClientAbilities::new(parameters);
        let scope = parameters.pointer("/initializationOptions/scope").and_then(Json::as_str);
        self.workspace.sample = scope.map(str::to_owned).filter(|name| !name.is_empty());
        self.state = ConnectionState::Initialized;
        json!({
            "capabilities": abilities::capabilities(self.workspace.encoding),
            "serverInfo": {"name": "hclvm", "version": env!("CARGO_PKG_VERSION")},
        })
        .to_string()
    }
}

/// Parameters with a range.
#[derive(serde::Deserialize)]
struct Ranged {
    range: lsp::Range,
}

/// Tokens, or their changes.
#[derive(Serialize)]
#[serde(untagged)]
enum Tokens {
    Full(lsp::SemanticTokens),
    Delta(lsp::SemanticTokensDelta),
}

fn json_of(result: &impl Serialize) -> Result<String, RequestFailure> {
    serde_json::to_string(result)
        .map_err(|error| RequestFailure::new(failure::INTERNAL_ERROR, error.to_string()))
}
