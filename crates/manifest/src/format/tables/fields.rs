//! The fields of one record of comma-separated values.

use crate::format::read::text::without_cr;
use csv_core::{ReadRecordResult, ReaderBuilder, Terminator};

/// The meaning of double quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) enum Quotes {
    /// A field may be enclosed in them.
    Enclose,
    /// They are part of fields.
    Literal,
}

/// The fields of one CSV record.
pub struct Fields {
    core: csv_core::Reader,
    delimiter: u8,
    quotes: Quotes,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
}

impl Default for Fields {
    fn default() -> Self {
        Fields::divided_by(b',')
    }
}

impl Fields {
    /// Creates a parser of fields separated by this byte.
    pub fn divided_by(delimiter: u8) -> Self {
        Fields::with(delimiter, Quotes::Enclose)
    }

    /// Creates a parser of fields separated by this byte, with this meaning of quotes.
    pub(in crate::format) fn with(delimiter: u8, quotes: Quotes) -> Self {
        let core = parser(delimiter, quotes);
        Fields { core, delimiter, quotes, bytes: Vec::new(), ends: Vec::new(), count: 0 }
    }

    /// Splits a record into fields; returns false if its quotes are not paired, so that it is more than one record.
    pub fn split(&mut self, record: &[u8]) -> bool {
        let record = without_cr(record);
        self.bytes.resize(record.len().max(self.bytes.len()), 0);
        self.ends.resize((memchr::memchr_iter(self.delimiter, record).count() + 1).max(self.ends.len()), 0);
        let (_, used, written, ended) = self.core.read_record(record, &mut self.bytes, &mut self.ends);
        let rest = &mut self.bytes[written..];
        let (result, _, _, last) = self.core.read_record(b"\n", rest, &mut self.ends[ended..]);
        self.count = ended + last;
        let whole = used == record.len() && result == ReadRecordResult::Record;
        if !whole {
            self.core = parser(self.delimiter, self.quotes);
        }
        whole
    }

    /// Returns whether a field may be enclosed in quotes, and then contain line feeds.
    pub(in crate::format) fn may_be_quoted(&self) -> bool {
        self.quotes == Quotes::Enclose
    }

    /// Returns the number of fields.
    #[allow(clippy::len_without_is_empty, reason = "a record has a field at least")]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns the fields without their quotes.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> + Clone {
        (0..self.count).map(|field| {
            let start = if field == 0 { 0 } else { self.ends[field - 1] };
            &self.bytes[start..self.ends[field]]
        })
    }
}

/// Creates a parser past its start, where it would drop U+FEFF as a byte order mark, but a name may begin with it.
fn parser(delimiter: u8, quotes: Quotes) -> csv_core::Reader {
    let mut builder = ReaderBuilder::new();
    let mut core = builder
        .delimiter(delimiter)
        .quoting(quotes == Quotes::Enclose)
        .terminator(Terminator::Any(b'\n'))
        .build();
    core.read_record(b"\n", &mut [0; 4], &mut [0; 4]);
    core
}
