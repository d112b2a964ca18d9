//! The abilities of the client, and those of the server.

use serde_json::{Value as Json, json};

use crate::commands::{EVALUATE, EXPLAIN, RUN_TEST, USE_SCOPE, WHY};
use crate::features::tokens;
use crate::lines::Encoding;

/// Abilities of the client.
#[derive(Debug, Default)]
pub(super) struct ClientAbilities {
    pub(super) pulls_diagnostics: bool,
    pub(super) watches_files: bool,
    pub(super) refreshes_lenses: bool,
    /// False if the client shows the results of commands.
    pub(super) shows_messages: bool,
}

impl ClientAbilities {
    /// Reads the parameters of `initialize`. Only these parts are read, so that unknown abilities do not matter.
    pub(super) fn new(parameters: &Json) -> Self {
        let has = |path: &str| parameters.pointer(path).and_then(Json::as_bool).unwrap_or(false);
        let diagnostic = parameters.pointer("/capabilities/textDocument/diagnostic");
        Self {
            pulls_diagnostics: diagnostic.is_some_and(Json::is_object),
            watches_files: has("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration"),
            refreshes_lenses: has("/capabilities/workspace/codeLens/refreshSupport"),
            shows_messages: !has("/initializationOptions/showsResults"),
        }
    }
}

/// Returns the unit of columns that a client prefers, by the parameters of `initialize`.
pub(super) fn encoding(parameters: &Json) -> Encoding {
    let encodings = parameters.pointer("/capabilities/general/positionEncodings").and_then(Json::as_array);
    let takes_bytes = encodings.is_some_and(|all| all.iter().any(|one| one.as_str() == Some("utf-8")));
    if takes_bytes { Encoding::Utf8 } else { Encoding::Utf16 }
}

/// Returns the capabilities of the server.
pub(super) fn capabilities(encoding: Encoding) -> Json {
    let encoding = match encoding {
        Encoding::Utf16 => "utf-16",
        Encoding::Utf8 => "utf-8",
    };
    json!({
        "positionEncoding": encoding,
        "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
        "hoverProvider": true,
        "completionProvider": {"triggerCharacters": [".", "\"", "{"], "resolveProvider": true},
        "signatureHelpProvider": {"triggerCharacters": ["(", ","]},
        "declarationProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "codeActionProvider": {"codeActionKinds": ["quickfix"]},
        "codeLensProvider": {},
        "documentLinkProvider": {},
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "documentOnTypeFormattingProvider": {"firstTriggerCharacter": "}", "moreTriggerCharacter": ["\n"]},
        "renameProvider": {"prepareProvider": true},
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "inlayHintProvider": true,
        "executeCommandProvider": {"commands": [EXPLAIN, EVALUATE, WHY, RUN_TEST, USE_SCOPE]},
        "semanticTokensProvider": {
            "legend": {"tokenTypes": tokens::TYPES, "tokenModifiers": tokens::MODIFIERS},
            "range": true,
            "full": {"delta": true},
        },
        "diagnosticProvider": {"identifier": "hclvm", "interFileDependencies": true, "workspaceDiagnostics": true},
        "workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}},
    })
}
