//! `dfxml`: Digital Forensics XML as `hashdeep -d` writes it, made well-formed for any name.
//!
//! A `fileobject` holds a file: its name, size, time, digests, and its pieces as `byte_run`s. A file that is
//! not hashed has an `error` with the status. XML can't carry every byte: where a name is not UTF-8 or has
//! control characters, `filename` is readable text and `hashloom:path_b64` has the bytes.
//!
//! XML can't be understood behind the first place that is not well-formed, so there the reader ends.

mod read;
mod write;

pub(super) use read::reader;
pub(super) use write::writer;

pub(super) fn sniff(first: &[u8]) -> bool {
    let text = first.trim_ascii_start();
    let xml = text.starts_with(b"<?xml") || text.starts_with(b"<dfxml");
    xml && memchr::memmem::find(text, b"<dfxml").is_some()
}

/// A name as XML 1.0 can carry it: what it can't is replaced.
fn readable(name: &[u8]) -> String {
    let allowed = |letter: char| matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    let text = String::from_utf8_lossy(name);
    text.chars().map(|letter| if allowed(letter) { letter } else { char::REPLACEMENT_CHARACTER }).collect()
}
