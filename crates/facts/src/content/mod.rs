//! Types of content: recognised by signatures, and in containers by the names in their directories.
//!
//! Signatures are those of the crate `file-format`. What it lacks is here: text, and containers, of which only the first
//! and last bytes are looked at.

mod compound;
mod extensions;
mod mismatch;
mod sieve;
mod text;
mod types;
mod window;
mod xml;
mod zip;

pub(crate) use compound::{entries as compound_entries, name as entry_name};
pub use mismatch::is_mismatch;
pub use types::ContentType;
pub(crate) use window::EndsWindow;
pub(crate) use zip::names_and_entries as zip_names;

use file_format::FileFormat;
use std::sync::Arc;
use types::{of_format, of_mime};

/// Returns the type of a stream with these first and last bytes, which overlap in short ones; `None` if it is not known.
pub(crate) fn recognise(head: &[u8], tail: &[u8], size: u64) -> Option<Arc<ContentType>> {
    if head.is_empty() {
        return None;
    }
    let text = text::encoding(head, tail, size);
    let window = EndsWindow::new(head, tail, size);
    let found = FileFormat::from_reader(window.clone()).unwrap_or_default();
    let found = Some(found).filter(|format| sieve::believes(*format, head, text, size));
    match found {
        Some(FileFormat::Zip) => of_mime(zip::mime(head, tail, size)),
        Some(format) if sieve::is_xml(format) => {
            of_mime(xml::mime(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)))
        }
        Some(FileFormat::CompoundFileBinary) => of_mime(compound::mime(&window)),
        Some(format) => sieve::mime_by_header(format, head).map_or_else(|| of_format(format), of_mime),
        None => text.and_then(|encoding| of_mime(text::mime(head, encoding))).or_else(|| by_end(tail)),
    }
}

/// Returns the type that the last bytes alone show.
fn by_end(tail: &[u8]) -> Option<Arc<ContentType>> {
    tail.ends_with(b"TRUEVISION-XFILE.\0").then(|| of_mime("image/x-tga")).flatten()
}
