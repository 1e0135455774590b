//! `vics`: media of Project VIC's data model (VICS) in OData JSON: digests, sizes and categories. A record has the name
//! of the first of its files, if there is one. Only read; categories are ignored, as the user names the set.
//!
//! Source: VICS Data Model 1.3 and 2.0, "Media".

use super::malformed::Bad;
use super::naming::Naming;
use super::objects::{Objects, has_key};
use super::several::Several;
use super::{Hint, Reader};
use crate::Record;
use serde_json::Value;
use std::io::Read;

pub(super) fn sniff(first: &[u8]) -> bool {
    let named = |part: &[u8]| memchr::memmem::find(first, part).is_some();
    let model = named(b"ProjectVic") || named(b"VICS") || has_key(first, "MediaID");
    first.trim_ascii_start().starts_with(b"{") && model && has_key(first, "value") && has_key(first, "MD5")
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"value", read: |media, naming| vec![read(media, naming)] }.reader(input)
}

fn read(media: &Value, naming: &mut Naming) -> Result<Record, Bad> {
    let mut several = Several::default();
    for (key, tag) in [("MD5", "MD5"), ("SHA1", "SHA1"), ("SHA256", "SHA256")] {
        let digest = media.get(key).and_then(Value::as_str).filter(|digest| !digest.is_empty());
        if let Some(digest) = digest {
            several.add(naming.tagged(tag.as_bytes(), digest.as_bytes()))?;
        }
    }
    let size = media.get("MediaSize").and_then(|size| size.as_u64().or_else(|| size.as_str()?.parse().ok()));
    let name = media.get("MediaFiles").and_then(|files| files.get(0)?.get("FileName")?.as_str());
    several.record(name.unwrap_or_default().as_bytes(), size)
}
