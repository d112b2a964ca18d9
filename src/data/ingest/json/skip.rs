//! What nobody reads: checked, and passed over without a trace.

use super::{DEEPEST, JsonError, Reader};

const _: () = assert!(DEEPEST as u32 <= u128::BITS);

/// The aggregates around a position: of each only its kind, the innermost in the lowest bit.
#[derive(Clone, Copy)]
struct Open {
    objects: u128,
    count: u16,
}

impl Open {
    const fn close(self) -> u8 {
        if self.objects & 1 == 1 { b'}' } else { b']' }
    }

    fn push(&mut self, object: bool) {
        self.objects = self.objects << 1 | u128::from(object);
        self.count += 1;
    }

    fn pop(&mut self) {
        self.objects >>= 1;
        self.count -= 1;
    }
}

impl Reader<'_> {
    /// Passes over a value that nests no deeper than `depth`, which is at most [`DEEPEST`] and what
    /// is left of `limit`.
    pub(super) fn skip(&mut self, depth: u16, limit: u16) -> Result<(), JsonError> {
        let mut open = Open { objects: 0, count: 0 };
        loop {
            self.space();
            match self.peek() {
                Some(b'"') => self.skip_string()?,
                Some(b'-' | b'0'..=b'9') => self.skip_number()?,
                Some(b't') => self.word("true")?,
                Some(b'f') => self.word("false")?,
                Some(b'n') => self.word("null")?,
                Some(bracket @ (b'{' | b'[')) => {
                    if open.count >= depth.min(DEEPEST) {
                        return Err(self.too_deep(limit));
                    }
                    self.at += 1;
                    open.push(bracket == b'{');
                    self.space();
                    match self.peek() {
                        Some(byte) if byte == open.close() => {}
                        Some(_) => {
                            self.skip_name(open)?;
                            continue;
                        }
                        None => return Err(self.no_separator(open.close())),
                    }
                }
                _ => return Err(self.no_value()),
            }
            if !self.skip_ends(&mut open)? {
                return Ok(());
            }
        }
    }

    /// After a value: passes over the ends of as many aggregates as close here, to the next value.
    /// Whether there is one.
    #[inline]
    fn skip_ends(&mut self, open: &mut Open) -> Result<bool, JsonError> {
        while open.count > 0 {
            self.space();
            let close = open.close();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    self.space();
                    self.skip_name(*open)?;
                    return Ok(true);
                }
                Some(byte) if byte == close => {
                    self.at += 1;
                    open.pop();
                }
                _ => return Err(self.no_separator(close)),
            }
        }
        Ok(false)
    }

    /// The name and the colon in front of a member of an object.
    #[inline]
    fn skip_name(&mut self, open: Open) -> Result<(), JsonError> {
        if open.objects & 1 == 0 {
            return Ok(());
        }
        self.key_start()?;
        self.skip_string()?;
        self.colon()
    }
}
