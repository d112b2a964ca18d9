//! The colours of values on a terminal.

use std::io::{self, Write};

use serde_json::ser::{Formatter, PrettyFormatter};

const KEY: &[u8] = b"\x1b[34m";
const TEXT: &[u8] = b"\x1b[32m";
const NUMBER: &[u8] = b"\x1b[36m";
const WORD: &[u8] = b"\x1b[35m";
const PLAIN: &[u8] = b"\x1b[0m";

/// Indented JSON with colours.
pub(super) struct Painted {
    layout: PrettyFormatter<'static>,
    is_key: bool,
}

impl Painted {
    pub(super) fn new() -> Self {
        Self { layout: PrettyFormatter::new(), is_key: false }
    }
}

fn painted<W: ?Sized + Write>(out: &mut W, color: &[u8], text: &[u8]) -> io::Result<()> {
    out.write_all(color)?;
    out.write_all(text)?;
    out.write_all(PLAIN)
}

impl Formatter for Painted {
    fn write_null<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        painted(out, WORD, b"null")
    }

    fn write_bool<W: ?Sized + Write>(&mut self, out: &mut W, value: bool) -> io::Result<()> {
        painted(out, WORD, if value { b"true" } else { b"false" })
    }

    fn write_i64<W: ?Sized + Write>(&mut self, out: &mut W, value: i64) -> io::Result<()> {
        painted(out, NUMBER, value.to_string().as_bytes())
    }

    fn write_u64<W: ?Sized + Write>(&mut self, out: &mut W, value: u64) -> io::Result<()> {
        painted(out, NUMBER, value.to_string().as_bytes())
    }

    fn write_number_str<W: ?Sized + Write>(&mut self, out: &mut W, value: &str) -> io::Result<()> {
        painted(out, NUMBER, value.as_bytes())
    }

    fn begin_string<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(if self.is_key { KEY } else { TEXT })?;
        out.write_all(b"\"")
    }

    fn end_string<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\"")?;
        out.write_all(PLAIN)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.layout.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.is_key = true;
        self.layout.begin_object_key(out, first)
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.is_key = false;
        self.layout.end_object_key(out)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.end_object_value(out)
    }
}
