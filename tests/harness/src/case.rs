//! One recorded case: its kind, source text and scope. `conformance` runs it.

use serde_json::{Map, Value as Json};

/// A line of a case file, without its expected result.
pub(crate) struct Case {
    fields: Map<String, Json>,
}

impl Case {
    /// Parses a line.
    pub(crate) fn read(line: &str) -> Result<Self, String> {
        let line = serde_json::from_str(line).map_err(|error| format!("not a case: {error}: {line}"))?;
        Self::of(&line)
    }

    /// Returns the case that a parsed line describes.
    pub(crate) fn of(line: &Json) -> Result<Self, String> {
        match line {
            Json::Object(fields) => Ok(Self { fields: fields.clone() }),
            other => Err(format!("not a case: {other}")),
        }
    }

    /// Returns a field, which only some kinds have.
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        self.fields.get(name)
    }

    fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Json::as_str).unwrap_or("")
    }

    /// Returns its unique name.
    pub(crate) fn id(&self) -> &str {
        self.text("id")
    }

    /// Returns its kind, which selects the operation.
    pub(crate) fn kind(&self) -> &str {
        self.text("kind")
    }

    /// Returns the variant of its kind.
    pub(crate) fn mode(&self) -> &str {
        self.text("mode")
    }

    /// Returns a boolean field, false if absent.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Json::as_bool).unwrap_or(false)
    }

    /// Returns the source text, which may not be UTF-8.
    pub(crate) fn source(&self) -> Vec<u8> {
        match self.get("src_b64").and_then(Json::as_str) {
            Some(encoded) => base64::decode(encoded),
            None => self.text("src").as_bytes().to_vec(),
        }
    }
}

/// Bytes as text in JSON. Written here so that the harness needs no crate for two functions.
pub(crate) mod base64 {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    /// Decodes a text. Padding and other characters are skipped.
    pub(crate) fn decode(text: &str) -> Vec<u8> {
        let digits = text.bytes().filter_map(|byte| ALPHABET.iter().position(|digit| *digit == byte));
        let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
        for digit in digits {
            bits = bits << 6 | u32::try_from(digit).unwrap_or_default();
            held += 6;
            if held >= 8 {
                held -= 8;
                bytes.push((bits >> held).to_le_bytes()[0]);
            }
        }
        bytes
    }

    /// Encodes bytes, with padding.
    pub(crate) fn encode(bytes: &[u8]) -> String {
        let mut text = String::new();
        for chunk in bytes.chunks(3) {
            let word = (0..3).fold(0_u32, |word, at| word << 8 | u32::from(*chunk.get(at).unwrap_or(&0)));
            for at in 0..4 {
                let digit = (word >> (18 - 6 * at)) as usize & 63;
                text.push(if at > chunk.len() { '=' } else { char::from(ALPHABET[digit]) });
            }
        }
        text
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn decoding_reverses_encoding() {
            for (text, bytes) in
                [("", &b""[..]), ("I+KC", b"#\xe2\x82"), ("4oI=", b"\xe2\x82"), ("/w==", b"\xff")]
            {
                assert_eq!(super::decode(text), bytes);
                assert_eq!(super::encode(bytes), text);
            }
        }
    }
}
