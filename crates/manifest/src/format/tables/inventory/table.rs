//! Rows of comma-separated values as objects.

use super::object::Object;
use super::schema::{Column, Origin, REPORT, of_header};
use crate::Record;
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::read::lines::Lines;
use crate::format::read::text::without_cr;
use crate::format::tables::fields::Fields;
use crate::format::{Hint, Reader};
use std::io::Read;

pub(super) struct InventoryTable<'a> {
    lines: Lines<'a>,
    fields: Fields,
    header: Header,
}

enum Header {
    /// The header is not read yet.
    Ahead,
    Known(Vec<Column>),
    /// The header is unusable, so no records can be read.
    Unusable,
}

/// Creates a reader of a table with a header.
pub(in crate::format) fn headed<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(InventoryTable { lines: Lines::new(input), fields: Fields::default(), header: Header::Ahead })
}

/// Creates a reader of a completion report.
pub(in crate::format) fn report<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(InventoryTable::with_columns(input, REPORT.to_vec()))
}

impl<'a> InventoryTable<'a> {
    /// Creates a table without a header, with these columns.
    pub fn with_columns(input: Box<dyn Read + 'a>, columns: Vec<Column>) -> InventoryTable<'a> {
        InventoryTable { lines: Lines::new(input), fields: Fields::default(), header: Header::Known(columns) }
    }

    /// Returns the record of a line; `None` for the header and for rows that are not current objects.
    fn line(&mut self) -> Result<Option<Record>, Bad> {
        let columns = match &self.header {
            Header::Known(columns) => columns,
            Header::Ahead | Header::Unusable => return self.head().map(|()| None),
        };
        if self.fields.len() != columns.len() {
            return Err(Bad::new(
                "fields",
                Why::Fields { found: self.fields.len(), expected: columns.len() },
            ));
        }
        let mut object = Object::default();
        for (field, column) in self.fields.iter().zip(columns) {
            object.take(*column, field)?;
        }
        object.finish()
    }

    fn head(&mut self) -> Result<(), Bad> {
        let names: Vec<&str> = self.fields.iter().filter_map(|name| str::from_utf8(name).ok()).collect();
        let origin = Origin::from_columns(&names).filter(|_| names.len() == self.fields.len());
        let Some(origin) = origin else {
            self.header = Header::Unusable;
            return Err(Bad::new("header", Why::Unrecognised));
        };
        let columns: Vec<Column> = names.iter().map(|name| origin.column(name)).collect();
        if columns.iter().filter(|column| **column == Column::Key).count() != 1 {
            self.header = Header::Unusable;
            return Err(Bad::new("header", Why::Twice));
        }
        self.header = Header::Known(columns);
        Ok(())
    }
}

impl Iterator for InventoryTable<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        while !matches!(self.header, Header::Unusable) {
            let (number, whole) = match self.lines.next_quoted()? {
                Ok((_, line)) if without_cr(line).is_empty() => continue,
                Ok((number, line)) => (number, self.fields.split(line)),
                Err(malformed) => return Some(Err(malformed)),
            };
            let record = if whole { self.line() } else { Err(Bad::new("line", Why::Unrecognised)) };
            if let Some(record) = record.transpose() {
                return Some(record.map_err(|bad| bad.at(number)));
            }
        }
        None
    }
}

impl Reader for InventoryTable<'_> {}

/// Returns whether a line is the header of an inventory.
pub(super) fn is_header(line: &[u8]) -> bool {
    of_header(line).is_some()
}
