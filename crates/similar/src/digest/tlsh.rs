//! The digest of TLSH, and its line in a list.

/// The text form of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TlshForm {
    /// `T1` and 70 digits: since version 4.
    T1,
    /// 70 digits.
    Old,
}

/// A digest of TLSH.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TlshDigest {
    /// The text form.
    pub form: TlshForm,
    /// A hash of all bytes.
    pub checksum: u8,
    /// The logarithm of the length.
    pub length: u8,
    /// The first and second quartile in hundredths of the third, modulo 16.
    pub ratios: [u8; 2],
    /// The quarter of each of the 128 buckets, two bits each, the first in the lowest bits.
    pub code: [u8; 32],
}

impl TlshDigest {
    /// Returns the usual text.
    pub fn text(&self) -> Vec<u8> {
        let prefix: &[u8] = if self.form == TlshForm::T1 { b"T1" } else { b"" };
        let ratios = self.ratios[0] | self.ratios[1] << 4;
        let head = [self.checksum, self.length, ratios].map(|byte| byte.rotate_left(4));
        let digit = |nibble: u8| b"0123456789ABCDEF"[usize::from(nibble)];
        let bytes = head.iter().chain(self.code.iter().rev());
        let digits = bytes.flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
        prefix.iter().copied().chain(digits).collect()
    }
}

/// Returns the line of a list, without its end.
pub fn line(digest: &TlshDigest, name: &[u8]) -> Vec<u8> {
    let mut line = digest.text();
    line.push(b'\t');
    line.extend_from_slice(name);
    line
}
