//! The writer of formats that hold whole files with their digests, and nothing else: a beginning, an item for each file,
//! and an end.

use super::made::Made;
use super::writer::{Writer, check_whole};
use crate::{Record, Status};
use std::io::{self, Write};

#[derive(Clone, Copy)]
pub(super) struct FileList {
    /// The only algorithms that it can hold.
    pub holds: &'static [&'static str],
    /// Appends the text before the items.
    pub begin: fn(&Made, &mut Vec<u8>) -> io::Result<()>,
    /// The text between two items.
    pub between: &'static str,
    /// Appends the item of a file. Items are counted from 1.
    pub item: fn(&Record, u64, &mut Vec<u8>) -> io::Result<()>,
    /// Writes the text after this number of items.
    pub end: fn(u64, &mut dyn Write) -> io::Result<()>,
}

impl FileList {
    pub fn writer(self) -> Box<dyn Writer> {
        Box::new(ListWriter { format: self, made: Made::default(), text: Vec::new(), items: 0 })
    }
}

struct ListWriter {
    format: FileList,
    made: Made,
    text: Vec<u8>,
    /// The number of items written.
    items: u64,
}

impl Writer for ListWriter {
    fn made(&mut self) -> Option<&mut Made> {
        Some(&mut self.made)
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        (self.format.begin)(&self.made, &mut self.text)?;
        out.write_all(&self.text)
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed {
            return Ok(());
        }
        check_whole(record, self.format.holds)?;
        self.text.clear();
        if self.items > 0 {
            self.text.extend_from_slice(self.format.between.as_bytes());
        }
        (self.format.item)(record, self.items + 1, &mut self.text)?;
        out.write_all(&self.text)?;
        self.items += 1;
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        (self.format.end)(self.items, out)
    }
}

/// Begins a list whose first item is its first text.
pub(super) fn no_beginning(_: &Made, _: &mut Vec<u8>) -> io::Result<()> {
    Ok(())
}

/// Ends a list after its last item.
pub(super) fn no_end(_: u64, _: &mut dyn Write) -> io::Result<()> {
    Ok(())
}
