//! `dfxml`: Digital Forensics XML, valid by the schema of its working group (1.2.0 and 2.0.0-beta.0).
//!
//! A `fileobject` holds a file: its name, size, time, pieces as `byte_run`s, and digests. A file that is not hashed has
//! an `error` with the status. What the schema can't express is in attributes of our own namespace:
//! `hashmill:algorithm` for a digest of type `OTHER`, `hashmill:status` of a piece that is not hashed, and
//! `hashmill:path_b64` with the bytes of a name that XML can't carry (not UTF-8, or with control characters); then the
//! text of `filename` is only a readable form. Facts about content are elements of that namespace, named as the keys of
//! `jsonl`, and attributes of a piece.
//!
//! Reading ends at the first place that is not well-formed, because nothing after it can be parsed reliably.

mod object;
mod read;
mod write;

use super::{has_element, readable};

pub(in crate::format) use read::reader;
pub(in crate::format) use write::writer;

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let text = first.trim_ascii_start();
    text.starts_with(b"<") && has_element(text, b"dfxml")
}
