//! The commands of `workspace/executeCommand`.

use std::fs;
use std::io;
use std::process::{Command, Stdio};

use gen_lsp_types as lsp;
use hclvm::diagnostics::Code;
use serde_json::{Value as Json, json};
use tempfile::NamedTempFile;

use super::Server;
use crate::commands::{EVALUATE, EXPLAIN, RUN_TEST, USE_SCOPE, WHY};
use crate::coverage::FileCoverage;
use crate::failure::{self, RequestFailure};
use crate::features::{actions, lenses};
use crate::uri;

/// The most bytes of the output of a test run that are shown.
const LONGEST_OUTPUT: usize = 64 << 10;

impl Server {
    /// Runs a command and returns the text that the client shows.
    pub(super) fn command(
        &mut self,
        wanted: &lsp::ExecuteCommandParams,
    ) -> Result<Option<String>, RequestFailure> {
        let arguments = wanted.arguments.clone().unwrap_or_default();
        let text = |at: usize| arguments.get(at).and_then(Json::as_str);
        let number =
            |at: usize| arguments.get(at).and_then(Json::as_u64).and_then(|one| u32::try_from(one).ok());
        let missing = || RequestFailure::new(failure::INVALID_PARAMS, "The command needs other arguments.");
        let result = match wanted.command.as_str() {
            EXPLAIN => {
                let name = text(0).ok_or_else(missing)?;
                let code = Code::find(name)
                    .ok_or_else(|| RequestFailure::refused(format!("There is no code `{name}`.")))?;
                actions::explanation(code)
            }
            EVALUATE | WHY => {
                let analysis = self.workspace.analysis(text(0).ok_or_else(missing)?)?;
                let at = number(2).or(number(1)).ok_or_else(missing)?;
                let is_why = wanted.command == WHY;
                let found = if is_why { lenses::why(&analysis, at) } else { lenses::evaluate(&analysis, at) };
                found.ok_or_else(|| {
                    RequestFailure::refused("There is no value: the file or the expression has errors.")
                })?
            }
            RUN_TEST => self.run_test(text(0).ok_or_else(missing)?, text(2).unwrap_or_default())?,
            USE_SCOPE => {
                self.workspace.sample = text(0).map(str::to_owned);
                self.workspace.forget();
                return Ok(None);
            }
            other => {
                return Err(RequestFailure::new(
                    failure::INVALID_PARAMS,
                    format!("There is no command `{other}`."),
                ));
            }
        };
        if self.client.shows_messages {
            self.notify("window/showMessage", &json!({"type": 3, "message": result}));
        }
        Ok(Some(result))
    }

    /// Runs those cases of a test file that have a text in their names, as the file is saved, and keeps their coverage.
    fn run_test(&mut self, uri: &str, case: &str) -> Result<String, RequestFailure> {
        let command = self.options.command.as_ref();
        let command = command.ok_or_else(|| RequestFailure::refused("This server runs no tests."))?;
        let failed = |error: io::Error| RequestFailure::refused(format!("The tests cannot be run: {error}."));
        let coverage = NamedTempFile::new().map_err(failed)?;
        let mut test = Command::new(command);
        test.args(["test", "--filter", case, "--coverage=lcov", "--coverage-out"]).arg(coverage.path());
        let output = test.arg("--").arg(uri::to_path(uri)).stdin(Stdio::null()).output().map_err(failed)?;
        self.workspace.coverage = FileCoverage::read(&fs::read_to_string(&coverage).unwrap_or_default());
        if self.client.refreshes_lenses {
            self.connection.send(
                json!({"jsonrpc": "2.0", "id": "lenses", "method": "workspace/codeLens/refresh"}).to_string(),
            );
        }
        let both = [output.stdout, output.stderr].concat();
        let shown = &both[..both.len().min(LONGEST_OUTPUT)];
        Ok(String::from_utf8_lossy(shown).into_owned())
    }
}
