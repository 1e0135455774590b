//! Splits a line at separators and keeps the position of each field.

use crate::Malformed;
use crate::malformed::malformed;

/// The remainder of a line.
pub(crate) struct Fields<'a> {
    line: &'a [u8],
    at: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    pub at: usize,
    pub bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Fields { line, at: 0 }
    }

    /// Takes the bytes up to the next separator, and skips the separator.
    pub(crate) fn until(&mut self, separator: u8, missing: &'static str) -> Result<Field<'a>, Malformed> {
        let rest = &self.line[self.at..];
        let Some(length) = rest.iter().position(|byte| *byte == separator) else {
            return malformed(self.line.len(), missing);
        };
        let field = Field { at: self.at, bytes: &rest[..length] };
        self.at += length + 1;
        Ok(field)
    }

    /// Takes `length` bytes.
    pub(crate) fn take(&mut self, length: usize, missing: &'static str) -> Result<Field<'a>, Malformed> {
        let rest = &self.line[self.at..];
        let Some(bytes) = rest.get(..length) else { return malformed(self.line.len(), missing) };
        let field = Field { at: self.at, bytes };
        self.at += length;
        Ok(field)
    }

    pub(crate) fn rest(&self) -> Field<'a> {
        Field { at: self.at, bytes: &self.line[self.at..] }
    }
}

impl Field<'_> {
    /// Parses the field as a decimal number.
    pub(crate) fn number(&self, reason: &'static str) -> Result<u64, Malformed> {
        let digits = !self.bytes.is_empty() && self.bytes.iter().all(u8::is_ascii_digit);
        let text = digits.then(|| str::from_utf8(self.bytes).ok()).flatten();
        let number = text.and_then(|text| text.parse().ok());
        number.map_or_else(|| malformed(self.at, reason), Ok)
    }

    /// Checks that the field has this value.
    pub(crate) fn expect(&self, wanted: &[u8], reason: &'static str) -> Result<(), Malformed> {
        if self.bytes == wanted { Ok(()) } else { malformed(self.at, reason) }
    }
}

/// Strips the line end, LF or CR LF.
pub(crate) fn chomp(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
