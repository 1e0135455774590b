//! Fields of OpenSSH's formats (RFC 4251, 5): numbers, and strings after their lengths.

use std::fmt;

/// The reason why bytes are not a key or a signature of OpenSSH.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SshFault {
    /// They end inside a field.
    Short,
    /// A field is longer than it should be.
    Long,
    /// A field that is text is not UTF-8.
    NotText,
    /// A number is negative, or has a zero byte too many in front.
    Number,
    /// There is no such kind of key or signature.
    Kind(String),
    /// A point of a curve is not on the stated curve, or not in full.
    Point,
    /// The base64 or its first or last line is damaged.
    Armour,
    /// The file does not begin like a private key.
    Magic,
    /// The file does not have exactly one key.
    Keys,
    /// It is encrypted with a cipher that is not supported.
    Cipher(String),
    /// Its passphrase is used in a way that is not supported.
    Derivation(String),
    /// The private key and the public key do not belong together.
    Halves,
    /// The two numbers before the private key, which should be the same, differ.
    Check,
    /// The bytes after the private key are not those that fill its last block.
    Padding,
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
        let (taken, rest) = self.0.split_at_checked(count).ok_or(SshFault::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn number(&mut self) -> Result<u32, SshFault> {
        self.bytes(4)?.try_into().map(u32::from_be_bytes).map_err(|_| SshFault::Short)
    }

    pub fn string(&mut self) -> Result<&'a [u8], SshFault> {
        let length = self.number()?;
        self.bytes(usize::try_from(length).map_err(|_| SshFault::Short)?)
    }

    pub fn text(&mut self) -> Result<&'a str, SshFault> {
        str::from_utf8(self.string()?).map_err(|_| SshFault::NotText)
    }

    /// Takes a number of any length that is not negative, in its only form. Returns its bytes from the highest one that
    /// is not zero.
    pub fn positive(&mut self) -> Result<&'a [u8], SshFault> {
        match self.string()? {
            [0, rest @ ..] if rest.first().is_some_and(|byte| *byte >= 0x80) => Ok(rest),
            [0 | 0x80..=0xff, ..] => Err(SshFault::Number),
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
        if self.is_empty() { Ok(()) } else { Err(SshFault::Long) }
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
        f.write_str(match self {
            SshFault::Kind(kind) => return write!(f, "unknown kind '{kind}'"),
            SshFault::Cipher(name) => {
                return write!(
                    f,
                    "it is encrypted with {name}, which is not supported; 'ssh-keygen -p -Z aes256-ctr -f KEY' changes that"
                );
            }
            SshFault::Derivation(name) => {
                return write!(f, "its passphrase is used by '{name}', which is not supported");
            }
            SshFault::Short => "a field ends too early",
            SshFault::Long => "a field has trailing bytes",
            SshFault::NotText => "a text is not UTF-8",
            SshFault::Number => "a number is not in its only form",
            SshFault::Point => "a point is not in full on its curve",
            SshFault::Armour => "its lines of base64 are damaged",
            SshFault::Magic => "it does not begin with 'openssh-key-v1'",
            SshFault::Keys => "it does not have exactly one key",
            SshFault::Halves => "its private and its public half do not belong together",
            SshFault::Check => "its two check numbers differ",
            SshFault::Padding => "it does not end as a private key does",
        })
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
        assert_eq!(fields.end(), Err(SshFault::Long));
        assert_eq!(fields.number(), Err(SshFault::Short));
        assert_eq!((fields.bytes(1), fields.end()), (Ok(&[7][..]), Ok(())));
        assert_eq!(Fields::new(&[0, 0, 0, 2, 1]).string(), Err(SshFault::Short));
        assert_eq!(Fields::new(&[0xff; 9]).string(), Err(SshFault::Short));
        assert_eq!(Fields::new(&[0, 0, 0, 1, 0xff]).text(), Err(SshFault::NotText));
    }

    #[test]
    fn numbers_have_one_form() {
        for (number, wanted) in [
            (&[][..], Ok(&[][..])),
            (&[1], Ok(&[1])),
            (&[0x7f, 0], Ok(&[0x7f, 0])),
            (&[0, 0xff], Ok(&[0xff])),
            (&[0], Err(SshFault::Number)),
            (&[0, 1], Err(SshFault::Number)),
            (&[0, 0, 0x80], Err(SshFault::Number)),
            (&[0x80], Err(SshFault::Number)),
        ] {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            assert_eq!(Fields::new(&bytes).positive(), wanted, "{number:?}");
        }
    }
}
