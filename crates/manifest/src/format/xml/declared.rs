//! The encoding that an XML document declares. Names are decoded to UTF-8, or the document is refused: bytes of another
//! encoding must not be taken for a name.
//!
//! As in the Encoding Standard, ISO-8859-1 is read as windows-1252, which has letters where the former has control characters.

use crate::format::read::lines::read;
use encoding_rs::{Decoder, DecoderResult, Encoding};
use std::io::{self, Read};

/// The encoding of a document.
pub(in crate::format) enum Declared {
    /// UTF-8, or none: names of other bytes are read as they are.
    Utf8,
    Other(&'static Encoding),
    /// One that is not known.
    Unknown(Box<str>),
}

/// Returns the encoding that the declaration at the start of a document names. UTF-16 was converted before.
pub(in crate::format) fn encoding(first: &[u8]) -> Declared {
    let Some(name) = name(first) else { return Declared::Utf8 };
    let upper = name.to_ascii_uppercase();
    let is_plain = upper.starts_with(b"UTF-16") || upper == b"US-ASCII" || upper == b"ASCII";
    match Encoding::for_label(name) {
        _ if is_plain => Declared::Utf8,
        Some(encoding) if encoding == encoding_rs::UTF_8 => Declared::Utf8,
        Some(encoding) if encoding != encoding_rs::REPLACEMENT => Declared::Other(encoding),
        _ => Declared::Unknown(String::from_utf8_lossy(name).into()),
    }
}

/// Returns the value of `encoding` in `<?xml …?>`.
fn name(first: &[u8]) -> Option<&[u8]> {
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
    let rest = first.strip_prefix(b"<?xml")?;
    let declaration = &rest[..memchr::memmem::find(rest, b"?>")?];
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let value =
        declaration[at + b"encoding".len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    memchr::memchr(*quote, value).map(|end| &value[..end])
}

/// The number of bytes that are decoded at once.
const BLOCK: usize = 8 << 10;

/// A stream that is decoded to UTF-8. It fails at bytes that are no text of the encoding.
pub(in crate::format) struct Decoded<'a> {
    input: Box<dyn Read + 'a>,
    decoder: Decoder,
    bytes: Vec<u8>,
    /// Decoded text, and the start of its unread part.
    text: Vec<u8>,
    at: usize,
    ended: bool,
}

impl<'a> Decoded<'a> {
    pub fn new(input: Box<dyn Read + 'a>, encoding: &'static Encoding) -> Self {
        let decoder = encoding.new_decoder_without_bom_handling();
        Decoded { input, decoder, bytes: vec![0; BLOCK], text: Vec::new(), at: 0, ended: false }
    }

    fn fill(&mut self) -> io::Result<()> {
        let length = read(&mut *self.input, &mut self.bytes)?;
        self.ended = length == 0;
        let room = self.decoder.max_utf8_buffer_length_without_replacement(length).unwrap_or(4 * BLOCK);
        self.text.resize(room, 0);
        let bytes = &self.bytes[..length];
        let (result, _, written) =
            self.decoder.decode_to_utf8_without_replacement(bytes, &mut self.text, self.ended);
        self.text.truncate(written);
        self.at = 0;
        match result {
            DecoderResult::InputEmpty => Ok(()),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

impl Read for Decoded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() && !self.ended {
            self.fill()?;
        }
        let length = (self.text.len() - self.at).min(buffer.len());
        buffer[..length].copy_from_slice(&self.text[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(document: &[u8]) -> String {
        match encoding(document) {
            Declared::Utf8 => "as it is".into(),
            Declared::Unknown(name) => format!("unknown: {name}"),
            Declared::Other(encoding) => io::read_to_string(Decoded::new(Box::new(document), encoding))
                .map_or_else(|bad| bad.kind().to_string(), |text| text[text.find('>').unwrap() + 1..].into()),
        }
    }

    #[test]
    fn declared_encodings_are_decoded_or_named() {
        let document = |name: &str, text: &[u8]| {
            [format!("<?xml version='1.0' encoding=\"{name}\"?>").as_bytes(), text].concat()
        };
        for (name, text, wanted) in [
            ("ISO-8859-1", &b"\xe9"[..], "\u{e9}"),
            ("iso-8859-15", b"\xa4", "\u{20ac}"),
            ("windows-1251", b"\xc6", "\u{416}"),
            ("Shift_JIS", b"\x83\x5c", "\u{30bd}"),
            ("EUC-JP", b"\xa5\xbd", "\u{30bd}"),
            ("EUC-JP", b"\xff", "invalid data"),
            ("Shift_JIS", b"\x83", "invalid data"),
            ("UTF-8", b"\xe9", "as it is"),
            ("US-ASCII", b"x", "as it is"),
            ("UTF-16", b"x", "as it is"),
            ("IBM-037", b"x", "unknown: IBM-037"),
            ("ISO-2022-KR", b"x", "unknown: ISO-2022-KR"),
        ] {
            assert_eq!(decoded(&document(name, text)), wanted, "{name}");
        }
        assert_eq!(decoded(b"<dfxml encoding='x'>"), "as it is");
    }
}
