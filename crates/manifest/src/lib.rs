//! The record, every file format that is a sequence of records, and the audit of one against another.
//!
//! Commands see records only; no command ever parses a line.

pub mod audit;
pub mod format;
mod path;
mod record;
mod time;

pub use record::{Named, Piece, Record, Status, Time};
