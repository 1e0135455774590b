//! The reader of formats whose records are lines.

use super::lines::{Lines, MAX_LIKENESS_LINE};
use super::malformed::{Bad, Malformed};
use super::reader::Reader;
use crate::Record;
use crate::case::Case;
use crate::case::line::{CaseCollector, Place};
use hashloom_digest::Algorithm;
use std::io::Read;

/// What a line-based format does with one line.
pub(crate) trait Parse {
    /// Where the format has case data.
    const CASE: Place = Place::Nowhere;

    /// The record of the line; `None` where the line holds none (a comment, a header).
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>>;

    /// What is left to be said after the last line, where a record has several lines. Called until there is nothing.
    fn end(&mut self) -> Option<Result<Record, Bad>> {
        None
    }

    /// The algorithms that a header names.
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

    /// A reader of lines that end with a NUL each.
    pub fn zero(input: Box<dyn Read + 'a>, parse: P) -> Self {
        LineReader { lines: Lines::zero(input), parse, gather: CaseCollector::default() }
    }

    /// A reader of lines that may hold likeness digests.
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
