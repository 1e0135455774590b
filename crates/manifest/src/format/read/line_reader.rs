//! The reader for formats whose records are lines.

use super::lines::{Lines, MAX_LIKENESS_LINE};
use crate::Record;
use crate::case::Case;
use crate::case::line::{CaseCollector, CasePlace};
use crate::format::malformed::{Bad, Malformed};
use crate::format::reader::Reader;
use hashmill_digest::Algorithm;
use std::io::Read;

/// The parser of a line-based format.
pub(crate) trait Parse {
    /// The location of case data in the format.
    const CASE: CasePlace = CasePlace::Nowhere;

    /// Parses a line; returns `None` if it holds no record (a comment, a header).
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>>;

    /// Returns records left after the last line, if a record has several lines. Called until it returns `None`.
    fn end(&mut self) -> Option<Result<Record, Bad>> {
        None
    }

    /// Returns the algorithms that a header names.
    fn columns(&self) -> &[&'static Algorithm] {
        &[]
    }
}

/// The reader of a line-based format.
pub(crate) struct LineReader<'a, P> {
    lines: Lines<'a>,
    parse: P,
    gather: CaseCollector,
}

impl<'a, P: Parse> LineReader<'a, P> {
    pub fn new(input: Box<dyn Read + 'a>, parse: P) -> Self {
        LineReader { lines: Lines::new(input), parse, gather: CaseCollector::default() }
    }

    /// Creates a reader of lines that end with a NUL.
    pub fn zero(input: Box<dyn Read + 'a>, parse: P) -> Self {
        LineReader { lines: Lines::zero(input), parse, gather: CaseCollector::default() }
    }

    /// Creates a reader of lines that may hold likeness digests.
    pub fn long(input: Box<dyn Read + 'a>, parse: P) -> Self {
        LineReader {
            lines: Lines::bounded(input, MAX_LIKENESS_LINE),
            parse,
            gather: CaseCollector::default(),
        }
    }
}

impl<P: Parse> Iterator for LineReader<'_, P> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (number, line) = match self.lines.next() {
                Some(Ok(line)) => line,
                Some(Err(malformed)) => return Some(Err(malformed)),
                None => {
                    let rest = self.parse.end().or_else(|| self.gather.end().err().map(Err));
                    return rest.map(|result| result.map_err(|bad| bad.at(self.lines.number)));
                }
            };
            let result = match self.gather.line(P::CASE, line) {
                Some(taken) => taken.err().map(Err),
                None => self.parse.line(line),
            };
            if let Some(result) = result {
                return Some(result.map_err(|bad| bad.at(number)));
            }
        }
    }
}

impl<P: Parse> Reader for LineReader<'_, P> {
    fn columns(&self) -> &[&'static Algorithm] {
        self.parse.columns()
    }

    fn case(&self) -> &Case {
        self.gather.case()
    }
}
