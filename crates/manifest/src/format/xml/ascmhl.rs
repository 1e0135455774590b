//! `ascmhl`: a manifest of the ASC media hash list, version 2.0; paths are relative to the parent of folder `ascmhl`.
//!
//! One manifest is a generation of a history ([`super::history`]). Written without a history it is the first one: every
//! digest is `original`, and folders are left out. A C4 ID is a SHA-512 in another notation.
//! Source: ASC MHL Specification 2.0, and its schema.

use super::history::{FOLDER, GenerationWriter, Next, reader as files};
use super::{ascmhl_chain, mhl};
use crate::format::{Hint, Layout, Reader, Writer};
use std::io::Read;

pub(in crate::format) use super::history::HOLDS;

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    mhl::is_list(first)
        && !ascmhl_chain::sniff(first)
        && memchr::memmem::find(first, b"urn:ASC:MHL").is_some()
}

/// Returns whether a folder of this name holds a history.
pub(in crate::format) fn is_history(folder: &[u8]) -> bool {
    folder == FOLDER.as_bytes()
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    files(input, hint)
}

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    Box::new(GenerationWriter::new(Next::default()))
}
