//! The reader for formats whose records are elements of an XML document.

use super::{Element, Elements};
use crate::Record;
use crate::format::malformed::{Bad, Malformed};
use crate::format::values::naming::Naming;
use crate::format::{Hint, Reader};
use std::io::Read;

#[derive(Clone, Copy)]
pub(in crate::format) struct ElementList {
    /// The names of the elements for files, at any depth.
    pub elements: &'static [&'static [u8]],
    /// Converts such an element to a record.
    pub read: fn(&Element, &mut Naming) -> Result<Record, Bad>,
}

impl ElementList {
    pub fn reader<'a>(self, input: Box<dyn Read + 'a>) -> Box<dyn Reader + 'a> {
        let elements = Elements::new(input, self.elements);
        Box::new(ListReader { format: self, elements, naming: Naming::new(Hint::None) })
    }
}

struct ListReader<'a> {
    format: ElementList,
    elements: Elements<'a>,
    naming: Naming,
}

impl Iterator for ListReader<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let read =
            |(element, line)| (self.format.read)(&element, &mut self.naming).map_err(|bad| bad.at(line));
        Some(self.elements.next()?.and_then(read))
    }
}

impl Reader for ListReader<'_> {}
