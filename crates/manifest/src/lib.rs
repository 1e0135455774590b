//! Records, the manifest formats that store them, and the audit that compares them.
//!
//! This crate knows nothing of threads, options, or how files are hashed; it opens no file but manifests.
//!
//! Commands work on records and never parse a line. [`format::open`] recognises a file and returns a reader of its
//! records; a [`format::Writer`] writes them; [`audit::Audit`] compares observed records with manifests.
//!
//! ```
//! use hashmill_manifest::format::{Hint, open};
//!
//! let list = b"900150983cd24fb0d6963f7d28e17f72  a.txt\n";
//! let opened = open(Box::new(&list[..]), Hint::from_name(b"MD5SUMS")).unwrap();
//! assert_eq!(opened.format.name, "sums");
//! let record = opened.reader.into_iter().next().unwrap().unwrap();
//! assert_eq!(&*record.path, b"a.txt");
//! assert_eq!(record.digests[0].algorithm.name, "md5");
//! ```
#![cfg_attr(not(feature = "tables"), allow(dead_code, reason = "tables alone use some of it"))]

pub mod audit;
pub mod case;
#[cfg(feature = "tables")]
pub mod database;
mod file_attributes;
pub mod format;
mod json_words;
mod likeness;
mod path;
mod record;
pub mod stored;
mod time;

pub use case::line::json_line;
pub use file_attributes::FileAttributes;
pub use json_words::json_fault;
pub use likeness::{Lack, Likeness};
pub use path::unescape;
pub use record::{Allocation, KeptLeaves, Label, Metadata, Named, Piece, Record, Status, Time};
