//! Lines of bounded length from any stream, without an allocation for each.

use super::text::SNIFFED;
use crate::format::malformed::{Malformed, Why};
use std::io::{self, Read};

/// The maximum number of bytes of a line (a CSV record, an XML element) of a manifest. A path has a few thousand bytes,
/// and six times that if JSON escapes every byte; anything longer is an attack or no manifest, and is reported instead
/// of held in memory.
pub const MAX_LINE: usize = 1 << 20;

/// The maximum number of bytes of a line with likeness digests, enough for those of files of some 10 GiB.
pub const MAX_LIKENESS_LINE: usize = 256 << 20;

const BLOCK: usize = 64 << 10;

/// The lines of a stream with their numbers, without line feeds.
pub struct Lines<'a> {
    input: Box<dyn Read + 'a>,
    /// The line terminator.
    feed: u8,
    /// The maximum number of bytes of a line.
    most: usize,
    buffer: Vec<u8>,
    /// The start of the unread bytes, `buffer[start..end]`.
    start: usize,
    end: usize,
    /// The number of lines returned or skipped so far.
    pub(in crate::format) number: u64,
    ended: bool,
}

/// The position of a line in the buffer, `start..end`, and the start of the next one.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
    next: usize,
}

impl<'a> Lines<'a> {
    /// Creates a reader with lines of at most [`MAX_LINE`] bytes.
    pub fn new(input: Box<dyn Read + 'a>) -> Self {
        Lines::bounded(input, MAX_LINE)
    }

    /// Creates a reader with lines of at most this many bytes.
    pub fn bounded(input: Box<dyn Read + 'a>, most: usize) -> Self {
        Lines {
            input,
            feed: b'\n',
            most,
            buffer: vec![0; 2 * BLOCK],
            start: 0,
            end: 0,
            number: 0,
            ended: false,
        }
    }

    /// Creates a reader of lines that end with a NUL.
    pub(crate) fn zero(input: Box<dyn Read + 'a>) -> Self {
        Lines { feed: 0, ..Lines::new(input) }
    }

    /// Returns the next line and its number. A line that is too long is skipped.
    #[allow(clippy::should_implement_trait, reason = "an iterator can't lend its own buffer")]
    pub fn next(&mut self) -> Option<Result<(u64, &[u8]), Malformed>> {
        let span = match self.span(0)? {
            Ok(span) => span,
            Err(malformed) => return Some(Err(malformed)),
        };
        Some(Ok(self.take(span, 1)))
    }

    /// Returns the next lines as one text, up to the first with which all double quotes are paired. If there is none
    /// within the bound, returns the first line alone.
    pub fn next_quoted(&mut self) -> Option<Result<(u64, &[u8]), Malformed>> {
        let joined = match self.span(0)? {
            Ok(first) => self.join(first),
            Err(malformed) => return Some(Err(malformed)),
        };
        Some(joined.map(|(span, lines)| self.take(span, lines)))
    }

    fn take(&mut self, span: Span, lines: u64) -> (u64, &[u8]) {
        let number = self.number + 1;
        self.number += lines;
        self.start = span.next;
        let line = &self.buffer[span.start..span.end];
        let text = if number == 1 { line.strip_prefix(b"\xef\xbb\xbf") } else { None };
        (number, text.unwrap_or(line))
    }

    /// Adds lines to a first one until its quotes are paired; returns the text and the number of lines.
    fn join(&mut self, first: Span) -> Result<(Span, u64), Malformed> {
        let size = first.end - first.start;
        let (mut span, mut lines, mut counted) = (first, 1, 0);
        loop {
            let quotes = memchr::memchr_iter(b'"', &self.buffer[span.start + counted..span.end]).count();
            let opened = counted > 0;
            if quotes.is_multiple_of(2) != opened {
                // A stray quote must not swallow the lines up to the next one.
                if lines == 1 || is_quoted(&self.buffer[span.start..span.end]) {
                    return Ok((span, lines));
                }
                let end = self.start + size;
                return Ok((Span { start: self.start, end, next: end + 1 }, 1));
            }
            counted = span.next - span.start;
            match self.span(counted) {
                Some(Ok(longer)) => (span, lines) = (longer, lines + 1),
                Some(Err(malformed)) if matches!(malformed.why, Why::Io(_)) => return Err(malformed),
                Some(Err(_)) | None => {
                    // Reading may have moved the first line, but it is still next.
                    let end = self.start + size;
                    let next = (end + 1).min(self.end);
                    return Ok((Span { start: self.start, end, next }, 1));
                }
            }
        }
    }

    /// Returns the text up to the first line feed after its first `used` bytes.
    fn span(&mut self, used: usize) -> Option<Result<Span, Malformed>> {
        let mut searched = used;
        loop {
            let rest = &self.buffer[self.start + searched..self.end];
            if let Some(at) = memchr::memchr(self.feed, rest) {
                let end = self.start + searched + at;
                return Some(Ok(Span { start: self.start, end, next: end + 1 }));
            }
            searched = self.end - self.start;
            if self.ended {
                let span = Span { start: self.start, end: self.end, next: self.end };
                return (searched > used).then_some(Ok(span));
            }
            if searched > self.most {
                return Some(Err(self.too_long(used)));
            }
            if let Err(source) = self.fill() {
                return Some(Err(self.failed(source)));
            }
        }
    }

    /// Skips a line that is too long, unless it only continues another.
    fn too_long(&mut self, used: usize) -> Malformed {
        let malformed = Malformed { line: self.number + 1, part: "line", why: Why::TooLong(self.most) };
        if used == 0 {
            self.number += 1;
            if let Err(source) = self.skip() {
                return self.failed(source);
            }
        }
        malformed
    }

    fn failed(&mut self, source: io::Error) -> Malformed {
        self.ended = true;
        self.start = self.end;
        Malformed { line: self.number + 1, part: "file", why: Why::Io(source) }
    }

    /// Skips to the next line feed.
    fn skip(&mut self) -> io::Result<()> {
        loop {
            let rest = &self.buffer[self.start..self.end];
            if let Some(at) = memchr::memchr(self.feed, rest) {
                self.start += at + 1;
                return Ok(());
            }
            self.start = self.end;
            if self.ended {
                return Ok(());
            }
            self.fill()?;
        }
    }

    /// Reads more bytes after those in the buffer.
    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() - self.end < BLOCK {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        let read = read(&mut *self.input, &mut self.buffer[self.end..])?;
        self.ended = read == 0;
        self.end += read;
        Ok(())
    }
}

/// Returns whether all double quotes of a record are around whole fields, or doubled inside of them.
fn is_quoted(record: &[u8]) -> bool {
    let is_edge = |byte: Option<&u8>| {
        byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte < 0x80 && *byte != b'_')
    };
    let (mut at, mut inside) = (0, false);
    while let Some(found) = memchr::memchr(b'"', &record[at..]) {
        let quote = at + found;
        at = quote + 1;
        match (inside, record.get(at)) {
            (true, Some(b'"')) => at += 1,
            (true, next) if is_edge(next) => inside = false,
            (false, _) if is_edge(quote.checked_sub(1).and_then(|before| record.get(before))) => {
                inside = true
            }
            _ => return false,
        }
    }
    !inside
}

/// Reads once, retrying after interrupts by signals.
pub(crate) fn read(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(source) if source.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Returns the first bytes of a stream, as many as [`super::sniff()`] examines, and the stream from its start. A failed
/// read also fails in the returned stream.
pub(crate) fn peek<'a>(mut input: Box<dyn Read + 'a>) -> (Vec<u8>, Box<dyn Read + 'a>) {
    let mut first = Vec::new();
    let failed = (&mut input).take(SNIFFED as u64).read_to_end(&mut first).err();
    let start = io::Cursor::new(first.clone());
    match failed {
        Some(source) => (first, Box::new(start.chain(FailingStream(Some(source))))),
        None => (first, Box::new(start.chain(input))),
    }
}

/// A stream that fails once, and then ends.
struct FailingStream(Option<io::Error>);

impl Read for FailingStream {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(Box::new(text));
        let mut found = Vec::new();
        while let Some(line) = lines.next() {
            found.push(match line {
                Ok((number, line)) => format!("{number}:{}", String::from_utf8_lossy(line)),
                Err(malformed) => malformed.to_string(),
            });
        }
        found
    }

    #[test]
    fn lines_are_numbered_and_the_last_needs_no_end() {
        assert_eq!(all(b"\xef\xbb\xbfa\n\nb\r\nc"), ["1:a", "2:", "3:b\r", "4:c"]);
        assert_eq!(all(b""), [""; 0]);
    }

    #[test]
    fn a_line_without_end_costs_bounded_memory_and_one_message() {
        let mut text = vec![b'x'; 5 * MAX_LINE];
        text.extend_from_slice(b"\ny\n");
        assert_eq!(all(&text), ["line 1: line: longer than 1048576 bytes", "2:y"]);
        let mut lines = Lines::new(Box::new(&text[..]));
        while lines.next().is_some() {}
        assert!(lines.buffer.len() <= 4 * MAX_LINE, "{}", lines.buffer.len());
    }

    #[test]
    fn quoted_lines_join_or_fall_back() {
        let mut lines = Lines::new(Box::new(&b"\"a\nb\"\nc\"\nd\ne"[..]));
        let mut found = Vec::new();
        while let Some(Ok((number, line))) = lines.next_quoted() {
            found.push((number, String::from_utf8_lossy(line).into_owned()));
        }
        let expected = [(1, "\"a\nb\""), (3, "c\""), (4, "d"), (5, "e")];
        assert_eq!(found, expected.map(|(number, line)| (number, line.to_string())));
    }

    #[test]
    fn a_failing_read_ends_the_lines() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let mut lines = Lines::new(Box::new((&b"a\nb"[..]).chain(Fails)));
        assert!(matches!(lines.next(), Some(Ok((1, b"a")))));
        assert_eq!(lines.next().unwrap().unwrap_err().to_string(), "line 2: file: read failed: broken");
        assert!(lines.next().is_none());
    }
}
