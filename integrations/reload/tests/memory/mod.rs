//! A source in memory.

use std::sync::{Arc, Mutex};

use hclvm::{Diagnostics, Document, Engine};
use hclvm_reload::{Source, Text, Texts, Unreadable, Watched};

/// Texts that a test replaces.
#[derive(Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<String>>);

impl Memory {
    pub(crate) fn set(&self, text: &str) {
        text.clone_into(&mut self.0.lock().expect("no test panicked"));
    }
}

impl Texts for Memory {
    fn watched(&self) -> Vec<Watched> {
        Vec::new()
    }

    fn read(&mut self) -> Result<Vec<Text>, Unreadable> {
        let bytes = self.0.lock().expect("no test panicked").clone().into_bytes();
        Ok(vec![Text { name: "game.hcl".to_owned(), bytes }])
    }
}

impl Source for Memory {
    fn parse(
        &mut self,
        engine: &Engine,
        texts: &[Text],
        last: Option<&Document>,
    ) -> Result<Document, Vec<Diagnostics>> {
        let text = String::from_utf8_lossy(&texts[0].bytes);
        let parsed = match last {
            Some(last) => last.reparse(&text),
            None => engine.parse(&texts[0].name, &text),
        };
        parsed.map_err(|error| error.diagnostics().cloned().into_iter().collect())
    }
}
