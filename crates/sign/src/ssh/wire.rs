//! Fields of OpenSSH's formats (RFC 4251, 5): numbers, and strings after their lengths.

use crate::error::Text;
use std::borrow::Cow;
use std::fmt;

/// The reason why bytes are not a key or a signature of OpenSSH.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SshFault {
    /// There is no such kind of key or signature.
    Kind(String),
    /// They violate their format, or need what is not supported; the text says how.
    Other(Text),
}

pub(crate) const SHORT: SshFault = SshFault::new("a field ends too early");
pub(crate) const LONG: SshFault = SshFault::new("a field has trailing bytes");
const NOT_TEXT: SshFault = SshFault::new("a text is not UTF-8");
const NUMBER: SshFault = SshFault::new("a number is not in its only form");

impl SshFault {
    pub const fn new(how: &'static str) -> SshFault {
        SshFault::Other(Cow::Borrowed(how))
    }
}

/// Fields that are still to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub fn new(bytes: &'a [u8]) -> Fields<'a> {
        Fields(bytes)
    }

    /// Takes this number of bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], SshFault> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn number(&mut self) -> Result<u32, SshFault> {
        self.bytes(4)?.try_into().map(u32::from_be_bytes).map_err(|_| SHORT)
    }

    pub fn string(&mut self) -> Result<&'a [u8], SshFault> {
        let length = self.number()?;
        self.bytes(usize::try_from(length).map_err(|_| SHORT)?)
    }

    pub fn text(&mut self) -> Result<&'a str, SshFault> {
        str::from_utf8(self.string()?).map_err(|_| NOT_TEXT)
    }

    /// Takes a number of any length that is not negative, in its only form. Returns its bytes from the highest one that
    /// is not zero.
    pub fn positive(&mut self) -> Result<&'a [u8], SshFault> {
        match self.string()? {
            [0, rest @ ..] if rest.first().is_some_and(|byte| *byte >= 0x80) => Ok(rest),
            [0 | 0x80..=0xff, ..] => Err(NUMBER),
            bytes => Ok(bytes),
        }
    }

    /// Returns whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what is left.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// Checks that nothing is left.
    pub fn end(&self) -> Result<(), SshFault> {
        if self.is_empty() { Ok(()) } else { Err(LONG) }
    }
}

/// Appends a string after its length.
pub(crate) fn put(bytes: &mut Vec<u8>, field: &[u8]) {
    // No field is longer than a signature file or a message to an agent.
    let length = u32::try_from(field.len()).unwrap_or(u32::MAX);
    bytes.extend(length.to_be_bytes());
    bytes.extend(field);
}

impl fmt::Display for SshFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SshFault::Kind(kind) => write!(f, "unknown kind '{kind}'"),
            SshFault::Other(how) => f.write_str(how),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_one_by_one() {
        let mut bytes = Vec::new();
        put(&mut bytes, b"text");
        put(&mut bytes, &[0, 0x80]);
        bytes.extend([0, 0, 1, 2, 7]);
        let mut fields = Fields::new(&bytes);
        assert_eq!(fields.text(), Ok("text"));
        assert_eq!(fields.positive(), Ok(&[0x80][..]));
        assert_eq!(fields.number(), Ok(258));
        assert_eq!(fields.end(), Err(LONG));
        assert_eq!(fields.number(), Err(SHORT));
        assert_eq!((fields.bytes(1), fields.end()), (Ok(&[7][..]), Ok(())));
        assert_eq!(Fields::new(&[0, 0, 0, 2, 1]).string(), Err(SHORT));
        assert_eq!(Fields::new(&[0xff; 9]).string(), Err(SHORT));
        assert_eq!(Fields::new(&[0, 0, 0, 1, 0xff]).text(), Err(NOT_TEXT));
    }

    #[test]
    fn numbers_have_one_form() {
        for (number, wanted) in [
            (&[][..], Ok(&[][..])),
            (&[1], Ok(&[1])),
            (&[0x7f, 0], Ok(&[0x7f, 0])),
            (&[0, 0xff], Ok(&[0xff])),
            (&[0], Err(NUMBER)),
            (&[0, 1], Err(NUMBER)),
            (&[0, 0, 0x80], Err(NUMBER)),
            (&[0x80], Err(NUMBER)),
        ] {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            assert_eq!(Fields::new(&bytes).positive(), wanted, "{number:?}");
        }
    }
}
