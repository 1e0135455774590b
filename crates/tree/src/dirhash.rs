//! `h1:`: SHA-256 of a list of digests and names, sorted by name, in base64.
//!
//! Source: golang.org/x/mod/sumdb/dirhash, `Hash1`. in-toto's `dirHash` is the same in hexadecimal.

use crate::{Entry, EntryKind, Error, Options};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashmill_digest::{find, hash};

const MARK: &str = "h1:";

pub(crate) fn digest(entries: &[Entry], options: &Options) -> Result<String, Error> {
    let mut lines = entries.iter().filter_map(|entry| line(entry, &options.prefix).transpose());
    let mut lines: Vec<(Vec<u8>, String)> = lines.by_ref().collect::<Result<_, _>>()?;
    lines.sort_unstable();
    if let Some(pair) = lines.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(Error::Twice(pair[0].0.as_slice().into()));
    }
    let mut list = Vec::new();
    for (name, digest) in &lines {
        list.extend_from_slice(digest.as_bytes());
        list.extend_from_slice(b"  ");
        list.extend_from_slice(name);
        list.push(b'\n');
    }
    #[allow(clippy::expect_used, reason = "the registry has SHA-256")]
    let sha256 = find("sha256").expect("SHA-256");
    Ok(format!("{MARK}{}", STANDARD.encode(hash(sha256, &list).as_bytes())))
}

/// Returns the name and digest of an entry as listed; `None` for folders, which are not.
fn line(entry: &Entry, prefix: &str) -> Result<Option<(Vec<u8>, String)>, Error> {
    let digest = match &entry.kind {
        EntryKind::Folder => return Ok(None),
        EntryKind::File { digest, .. } => digest.to_string(),
        EntryKind::Link { .. } => {
            return Err(Error::Kind {
                path: entry.path.clone(),
                what: "a link to something that is not a file",
            });
        }
    };
    if entry.path.contains(&b'\n') {
        return Err(Error::Name {
            path: entry.path.clone(),
            why: "has a line feed, which divides names in the list",
        });
    }
    let mut name = Vec::from(prefix.as_bytes());
    if !prefix.is_empty() {
        name.push(b'/');
    }
    name.extend_from_slice(&entry.path);
    Ok(Some((name, digest)))
}

/// Reads `h1:` and base64, or the same digest in hexadecimal.
pub(crate) fn read(text: &str) -> Option<String> {
    let bytes = match text.strip_prefix(MARK) {
        Some(text) => STANDARD.decode(text).ok()?,
        None => hashmill_digest::Digest::from_hex(text.as_bytes()).ok()?.as_bytes().to_vec(),
    };
    (bytes.len() == 32).then(|| format!("{MARK}{}", STANDARD.encode(bytes)))
}
