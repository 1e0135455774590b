//! `ascmhl-chain`: the chain of an ASC-MHL history (`ascmhl_chain.xml`): the manifest of each generation, in the same
//! folder, and the C4 ID of its bytes. Only read: `ascmhl` makes the chain.
//!
//! Its elements have the same name as a whole manifest, `hashlist`, so the root element distinguishes the two.
//! Source: ASC MHL Specification 2.0, and output of the reference implementation.

use super::element_list::ElementList;
use super::mhl;
use crate::format::{Hint, Reader};
use std::io::Read;

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let text = first.trim_ascii_start();
    text.starts_with(b"<") && memchr::memmem::find(text, b"<ascmhldirectory").is_some()
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    ElementList { elements: &[b"hashlist"], read: mhl::read }.reader(input)
}
