//! `fciv`: the XML of Microsoft's File Checksum Integrity Verifier: names, and MD5 and SHA-1 in base64. Only read.
//!
//! Source: Microsoft's description of FCIV (KB 841290), and files that FCIV wrote.

use super::element_list::ElementList;
use super::{Element, has_element, path_of};
use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::values::naming::Naming;
use crate::format::values::several::Several;
use crate::format::{Hint, Reader};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashmill_digest::{Digest, MAX_BYTES};
use std::io::Read;

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    first.trim_ascii_start().starts_with(b"<") && has_element(first, b"FCIV")
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    ElementList { elements: &[b"FILE_ENTRY"], read }.reader(input)
}

fn read(entry: &Element, naming: &mut Naming) -> Result<Record, Bad> {
    let name = entry.only(b"name")?.map(|name| path_of(&name.text)).unwrap_or_default();
    if name.is_empty() {
        return Err(Bad::new("name", Why::Missing));
    }
    let mut several = Several::default();
    for tag in [&b"MD5"[..], b"SHA1"] {
        let Some(digest) = entry.child(tag) else { continue };
        let bytes = STANDARD.decode(digest.text.trim_ascii()).ok().filter(|bytes| bytes.len() <= MAX_BYTES);
        let digest = Digest::new(&bytes.ok_or(Bad::new("digest", Why::Base64))?);
        several.add(naming.tagged(tag, digest.to_string().as_bytes()))?;
    }
    several.record(name, None)
}
