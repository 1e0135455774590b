//! The record, every file format that is a sequence of records, and the audit of one against another.
//!
//! Commands see records only; no command ever parses a line.

mod record;

pub use record::{Named, Piece, Record, Status, Time};
