//! The result of an acquisition, for people and programs.

use crate::cmd::image::options::Acquire;
use crate::results::json::add_typed;
use crate::results::schema::Schema;
use crate::words::amount::BinaryBytes;
use crate::words::message::{Shown, count};
use hashmill_image::segment_path;
use hashmill_job::account::Account;
use hashmill_job::acquire::{AcquiredImage, Reread};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The most unreadable places that the text lists.
const MAX_PLACES: usize = 10;

/// Returns the text for people.
pub(super) fn text(options: &Acquire, acquired: &AcquiredImage) -> String {
    let AcquiredImage { settings, written, reread, .. } = acquired;
    let verdict = match reread.is_same {
        true => "acquired and verified",
        false => "NOT written: what was read back differs",
    };
    let mut text = format!("{}: {verdict}\n", Shown::path(&options.output));
    let mut line = |name: &str, value: &dyn std::fmt::Display| {
        // Writing to a string can't fail.
        let _ = writeln!(text, "  {name:10} {value}");
    };
    line("source", &Shown::path(&options.path));
    line("media", &format_args!("{} bytes", settings.size));
    let last = segment_path(&options.output, written.segments).filter(|_| written.segments > 1);
    let last = last.map_or_else(String::new, |path| format!(", to {}", Shown::path(&path)));
    line(
        "files",
        &format_args!("{}, {}{last}", count(written.segments, "file", "files"), BinaryBytes(written.bytes)),
    );
    for named in &acquired.digests {
        line(named.algorithm.name, &named.digest);
    }
    for range in acquired.unreadable.iter().take(MAX_PLACES) {
        line(
            "unreadable",
            &format_args!("media bytes {}-{}: zeros were written", range.start, range.end - 1),
        );
    }
    if let Some(more) = acquired.unreadable.len().checked_sub(MAX_PLACES).filter(|more| *more > 0) {
        line("", &format_args!("and {} more", count(more as u64, "place", "places")));
    }
    line("read back", &way(reread));
    text
}

/// Describes how the image was verified.
fn way(reread: &Reread) -> &'static str {
    match (reread.is_same, reread.is_fresh) {
        (true, true) => "from the medium: size, MD5, SHA-1 and SHA-256 are those of the source",
        (true, false) => {
            "from memory, as this file system can't be read past the cache: size, MD5, SHA-1 and SHA-256 are those of the source"
        }
        (false, _) => "NOT the same",
    }
}

/// Returns the document for programs.
pub(super) fn document(options: &Acquire, acquired: &AcquiredImage, account: Account) -> Value {
    let AcquiredImage { settings, written, reread, unreadable, .. } = acquired;
    let digests = acquired
        .digests
        .iter()
        .map(|named| (named.algorithm.name.to_string(), Value::from(named.digest.to_string())));
    let mut document = json!({
        "size": settings.size,
        "files": written.segments,
        "stored": written.bytes,
        "digests": digests.collect::<serde_json::Map<String, Value>>(),
        "bad_blocks": unreadable.iter().map(|bad| [bad.start, bad.end - bad.start]).collect::<Vec<_>>(),
        "unlisted": written.unlisted,
        "verified": reread.is_same,
        "from_medium": reread.is_fresh,
        "account": account.to_json(),
    });
    add_typed(&mut document, "source", &options.path);
    add_typed(&mut document, "image", &options.output);
    Schema::IMAGE_ACQUIRE.mark(&mut document);
    document
}
