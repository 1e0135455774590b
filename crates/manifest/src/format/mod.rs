//! The file formats that are sequences of records: one row in [`FORMATS`] and one file each, behind the traits
//! [`Reader`] and [`Writer`].
//!
//! Readers never skip a part that they can't parse: they return it as [`Malformed`] with its line, and continue. Lines
//! are bounded by [`MAX_LINE`], or by [`MAX_LIKENESS_LINE`] in formats with likeness digests.

mod binary;
mod lines;
pub(crate) mod read;
mod tables;
pub(crate) mod values;

mod document;
mod file_list;
mod json;
mod made;
pub(crate) mod malformed;
mod reader;
mod registry;
mod row;
mod sniff;
mod unusable;
mod whole;
mod writer;
mod xml;

pub use document::Document;
pub use made::Made;
pub use malformed::{Cause, Malformed, Signed, Why};
pub use read::lines::{Lines, MAX_LIKENESS_LINE, MAX_LINE};
pub use read::text::SNIFFED;
pub use read::utf16::utf8;
pub use reader::Reader;
pub use registry::{FORMATS, find_format, format_of_name};
pub use row::{Base, Body, Carries, Format, NamedFiles, OpenNaming, OpenPath, Sniff};
pub use sniff::documents::{DOCUMENTS, MEDIA_SET};
pub use sniff::packages::PACKAGES;
pub use sniff::{Opened, open, open_path, open_verified, sniff};
pub use tables::facts::FactColumn;
pub use tables::fields::Fields;
pub use unusable::Unusable;
pub use values::foreign::Foreign;
pub use values::hint::Hint;
pub use writer::{Column, Layout, Writer};
pub use xml::history;
pub use xml::premis::events::{FixityEvent, FixityOutcome, PremisEvents};
