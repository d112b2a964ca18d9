//! One recorded case: what to run, and with what.

use serde_json::{Map, Value as Json};

/// A line of a case file, without its expected result.
pub(crate) struct Case {
    fields: Map<String, Json>,
}

impl Case {
    /// The case of a line.
    pub(crate) fn read(line: &str) -> Result<Self, String> {
        match serde_json::from_str(line) {
            Ok(Json::Object(fields)) => Ok(Self { fields }),
            Ok(other) => Err(format!("not a case: {other}")),
            Err(error) => Err(format!("not a case: {error}: {line}")),
        }
    }

    /// A field that only some kinds have.
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        self.fields.get(name)
    }

    fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Json::as_str).unwrap_or("")
    }

    /// Its unique name.
    pub(crate) fn id(&self) -> &str {
        self.text("id")
    }

    /// What is to be done with it.
    pub(crate) fn kind(&self) -> &str {
        self.text("kind")
    }

    /// The variety of its kind.
    pub(crate) fn mode(&self) -> &str {
        self.text("mode")
    }

    /// A field that is a flag.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Json::as_bool).unwrap_or(false)
    }

    /// The source text, which is not always UTF-8.
    pub(crate) fn source(&self) -> Vec<u8> {
        match self.get("src_b64").and_then(Json::as_str) {
            Some(encoded) => base64::decode(encoded),
            None => self.text("src").as_bytes().to_vec(),
        }
    }
}

/// Bytes as text that JSON can carry.
pub(crate) mod base64 {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    /// The bytes of an encoded text; padding and anything foreign is skipped.
    pub(crate) fn decode(text: &str) -> Vec<u8> {
        let digits = text.bytes().filter_map(|byte| ALPHABET.iter().position(|digit| *digit == byte));
        let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
        for digit in digits {
            bits = bits << 6 | digit as u32;
            held += 6;
            if held >= 8 {
                held -= 8;
                bytes.push((bits >> held) as u8);
            }
        }
        bytes
    }

    /// The text of bytes, padded.
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
        fn bytes_survive() {
            for (text, bytes) in
                [("", &b""[..]), ("I+KC", b"#\xe2\x82"), ("4oI=", b"\xe2\x82"), ("/w==", b"\xff")]
            {
                assert_eq!(super::decode(text), bytes);
                assert_eq!(super::encode(bytes), text);
            }
        }
    }
}
