//! The trait of iterators whose records are written.

use crate::error::Error;
use hashmill_manifest::Record;

/// Records to write.
pub(crate) trait RecordSource: Iterator<Item = Result<Record, Error>> {
    /// Takes back a record that was written, and may free its memory on another thread.
    fn give_back(&mut self, _record: Record) {}
}
