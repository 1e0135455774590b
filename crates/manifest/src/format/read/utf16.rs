//! Conversion of UTF-16 text, as Windows programs write it, to UTF-8. Unpaired surrogates become U+FFFD. Text whose lines
//! end with carriage returns alone, as on the first Macintosh, gets line feeds; with two carriage returns before each line
//! feed, one is left out.

use super::lines::read;
use std::io::{self, Read};

/// Returns the byte order of UTF-16 text; `None` if it is no UTF-16. It starts with a byte order mark or with ASCII.
pub(in crate::format) fn order(first: &[u8]) -> Option<Order> {
    let zeros =
        |from: usize| first.len() >= 8 && first[..8].iter().skip(from).step_by(2).all(|byte| *byte == 0);
    let letters = |from: usize| {
        first[..8]
            .iter()
            .skip(from)
            .step_by(2)
            .all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
    };
    match first {
        [0xff, 0xfe, ..] => Some(Order::Little),
        [0xfe, 0xff, ..] => Some(Order::Big),
        _ if zeros(1) && letters(0) => Some(Order::Little),
        _ if zeros(0) && letters(1) => Some(Order::Big),
        _ => None,
    }
}

/// The byte order: least or most significant byte first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) enum Order {
    Little,
    Big,
}

/// A stream that converts UTF-16 to UTF-8.
pub(in crate::format) struct Utf8<R> {
    input: R,
    order: Order,
    /// An odd byte of the last read, and the first half of a surrogate pair.
    odd: Option<u8>,
    half: Option<u16>,
    /// The byte order mark was not reached yet.
    start: bool,
    /// Converted text, and the start of its unread part.
    text: Vec<u8>,
    at: usize,
    ended: bool,
}

impl<R: Read> Utf8<R> {
    pub fn new(input: R, order: Order) -> Self {
        Utf8 { input, order, odd: None, half: None, start: true, text: Vec::new(), at: 0, ended: false }
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut bytes = [0; 8 << 10];
        let length = read(&mut self.input, &mut bytes)?;
        (self.at, self.ended) = (0, length == 0);
        self.text.clear();
        for byte in &bytes[..length] {
            match self.odd.take() {
                None => self.odd = Some(*byte),
                Some(first) => self.unit(match self.order {
                    Order::Little => u16::from_le_bytes([first, *byte]),
                    Order::Big => u16::from_be_bytes([first, *byte]),
                }),
            }
        }
        if self.ended && (self.odd.take().is_some() | self.half.take().is_some()) {
            self.push(char::REPLACEMENT_CHARACTER);
        }
        Ok(())
    }

    fn unit(&mut self, unit: u16) {
        if std::mem::take(&mut self.start) && unit == 0xfeff {
            return;
        }
        match (self.half.take(), unit) {
            (Some(half), 0xdc00..=0xdfff) => {
                let mut letters = char::decode_utf16([half, unit]);
                self.push(letters.next().and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER));
                return;
            }
            (Some(_), _) => self.push(char::REPLACEMENT_CHARACTER),
            (None, _) => {}
        }
        match unit {
            0xd800..=0xdbff => self.half = Some(unit),
            _ => self.push(char::from_u32(unit.into()).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }

    fn push(&mut self, letter: char) {
        self.text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

impl<R: Read> Read for Utf8<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() && !self.ended {
            self.fill()?;
        }
        let rest = &self.text[self.at..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.at += length;
        Ok(length)
    }
}

/// Returns the stream, in UTF-8 without a mark, and its first bytes, as many as [`super::sniff()`] examines.
///
/// # Errors
/// Those of the stream.
pub(in crate::format) fn beginning<'a>(
    mut input: Box<dyn Read + 'a>,
) -> io::Result<(Vec<u8>, Box<dyn Read + 'a>)> {
    let mut first = first_bytes(&mut *input)?;
    // A mark before UTF-8 says nothing, and readers of JSON do not expect it.
    if first.starts_with(b"\xef\xbb\xbf") {
        first.drain(..3);
    }
    let (mut first, rest) = match order(&first) {
        None => (first, input),
        Some(order) => {
            let mut text: Box<dyn Read + 'a> =
                Box::new(Utf8::new(io::Cursor::new(first).chain(input), order));
            (first_bytes(&mut *text)?, text)
        }
    };
    if has_two_returns(&first) {
        let mut text: Box<dyn Read + 'a> = Box::new(OneReturn(io::Cursor::new(first).chain(rest), false));
        return Ok((first_bytes(&mut *text)?, text));
    }
    if !has_returns(&first) {
        return Ok((first, rest));
    }
    with_feeds(&mut first);
    Ok((first, Box::new(WithFeeds(rest))))
}

/// Returns whether lines end with two carriage returns and a line feed: a text that was converted twice.
fn has_two_returns(first: &[u8]) -> bool {
    let mut feeds = memchr::memchr_iter(b'\n', first).peekable();
    feeds.peek().is_some() && feeds.all(|at| first[..at].ends_with(b"\r\r"))
}

/// A stream with one carriage return in the place of several. The flag tells whether the last byte was one.
struct OneReturn<R>(R, bool);

impl<R: Read> Read for OneReturn<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.0.read(buffer)?;
            let mut kept = 0;
            for at in 0..length {
                let byte = buffer[at];
                if !(byte == b'\r' && self.1) {
                    buffer[kept] = byte;
                    kept += 1;
                }
                self.1 = byte == b'\r';
            }
            if kept > 0 || length == 0 {
                return Ok(kept);
            }
        }
    }
}

/// Returns whether the lines of a text end with carriage returns alone.
fn has_returns(first: &[u8]) -> bool {
    let after = memchr::memchr(b'\r', first).map_or(0, |at| first.len() - at - 1);
    after > 0 && memchr::memchr2(b'\n', 0, first).is_none()
}

fn with_feeds(text: &mut [u8]) {
    text.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
}

/// A stream with line feeds in the place of carriage returns.
struct WithFeeds<R>(R);

impl<R: Read> Read for WithFeeds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.read(buffer)?;
        with_feeds(&mut buffer[..length]);
        Ok(length)
    }
}

fn first_bytes(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    input.take(super::text::SNIFFED as u64).read_to_end(&mut first)?;
    Ok(first)
}

/// Returns the stream, converted to UTF-8 if it is UTF-16, for callers that examine the first bytes themselves.
///
/// # Errors
/// Those of the stream.
pub fn utf8<'a>(input: Box<dyn Read + 'a>) -> io::Result<Box<dyn Read + 'a>> {
    let (first, rest) = beginning(input)?;
    Ok(Box::new(io::Cursor::new(first).chain(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that gives one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len().min(1);
            self.0.read(&mut buffer[..length])
        }
    }

    #[test]
    fn any_text_comes_back_in_both_orders() {
        for text in ["plain text", "\u{feff}caf\u{e9} \u{1f600}\u{10ffff}\n", "\u{fffd}"] {
            let plain = text.trim_start_matches('\u{feff}');
            for order in [Order::Little, Order::Big] {
                let unit =
                    |unit: u16| if order == Order::Big { unit.to_be_bytes() } else { unit.to_le_bytes() };
                let bytes: Vec<u8> = text.encode_utf16().flat_map(unit).collect();
                let mut read = String::new();
                Utf8::new(Slow(&bytes), order).read_to_string(&mut read).unwrap();
                assert_eq!(read, plain);
                let whole = io::read_to_string(Utf8::new(&bytes[..], order)).unwrap();
                assert_eq!(whole, plain);
            }
        }
    }

    #[test]
    fn halves_of_pairs_and_odd_bytes_are_marked() {
        for (units, wanted) in [
            (&[0xd83d, u16::from(b'a')][..], "\u{fffd}a"),
            (&[0xde00, u16::from(b'a')], "\u{fffd}a"),
            (&[0xd83d, 0xd83d, 0xde00], "\u{fffd}\u{1f600}"),
            (&[0xd83d], "\u{fffd}"),
        ] {
            let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            assert_eq!(
                io::read_to_string(Utf8::new(&bytes[..], Order::Little)).unwrap(),
                wanted,
                "{units:x?}"
            );
        }
        assert_eq!(io::read_to_string(Utf8::new(&b"a\0b"[..], Order::Little)).unwrap(), "a\u{fffd}");
    }

    #[test]
    fn lists_of_lines_that_end_with_nul_are_none() {
        assert_eq!(order(b"9001  a\0"), None);
        assert_eq!(order(b"\xff\xfea\0"), Some(Order::Little));
        assert_eq!(order(b"a\0b\0c\0d\0"), Some(Order::Little));
        assert_eq!(order(b"\0a\0b\0c\0d"), Some(Order::Big));
        assert_eq!(order(b"a\0\0\0c\0d\0"), None);
    }
}
