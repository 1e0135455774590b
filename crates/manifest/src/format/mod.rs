//! Every file format that is a sequence of records: one row in [`FORMATS`], one file each, behind the traits [`Reader`]
//! and [`Writer`].
//!
//! Readers never skip what they do not understand: it comes out as [`Malformed`] with its line, and they
//! go on after it. Lines are bounded by [`MAX_LINE`], those of formats that carry likeness digests by
//! [`MAX_LIKENESS_LINE`].

mod aide;
mod ascmhl;
mod ascmhl_chain;
pub(crate) mod base64;
mod bsd;
mod c4;
#[cfg(any(feature = "parquet", feature = "sqlite"))]
mod cells;
mod certutil;
mod clamav;
mod content;
mod croissant;
mod csv;
mod cyclonedx;
mod debian;
mod dfxml;
mod document;
mod documents;
mod draft;
mod dvc;
mod dvc_dir;
mod element_list;
mod elements;
mod encase;
mod fciv;
mod fields;
mod foreign;
mod gentoo;
mod git;
mod hashdeep;
mod hint;
mod in_toto;
mod inventory;
mod json;
mod json_list;
mod jsonl;
mod leaves;
mod line_reader;
pub(crate) mod lines;
mod links;
mod list_line;
mod listing;
mod lsjson;
mod made;
pub(crate) mod malformed;
mod md5deep;
mod mhl;
mod mtree;
mod naming;
mod objects;
mod packages;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod percent;
mod plain;
mod powershell;
mod ranges;
mod rclone;
mod reader;
mod registry;
mod row;
mod rpm;
mod s3;
mod sevenzip;
mod several;
mod sfv;
mod signed;
mod sniff;
mod spdx;
mod spdx_tag;
#[cfg(feature = "sqlite")]
mod sqlite;
mod style;
mod sums;
mod tables;
pub(crate) mod text;
mod titles;
mod unusable;
mod utf16;
mod vics;
mod vis;
mod wheel;
mod whole;
mod writer;
mod xml;

pub use document::Document;
pub use documents::DOCUMENTS;
pub use fields::Fields;
pub use foreign::Foreign;
pub use hint::Hint;
pub use lines::{Lines, MAX_LIKENESS_LINE, MAX_LINE};
pub use made::Made;
pub use malformed::{Cause, Malformed, Signed, Why};
pub use packages::PACKAGES;
pub use reader::Reader;
pub use registry::{FORMATS, find_format, format_of_name};
pub use row::{Body, Carries, Format, NamedFiles, OpenNaming, OpenPath, Sniff};
pub use sniff::{Opened, open, open_path, open_verified, sniff};
pub use text::SNIFFED;
pub use unusable::Unusable;
pub use utf16::utf8;
pub use writer::{Column, Layout, Writer};
