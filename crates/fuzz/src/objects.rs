//! Index files, links and codings of stores from any bytes: no panic, and no path that leaves the store.

use hashloom_objects::{Coding, Decoder, References, STORE_KINDS, StoreLayout, nix_path};
use std::io::Read;

/// Paths of index files, one for each kind that a store has.
const PATHS: [&str; 6] = [
    "index.json",
    "files/md5/ab/cdefabcdefabcdefabcdefabcdefabcd.dir",
    "refs/heads/main",
    "models--a/refs/main",
    "objects/ab/x.commit",
    "objects/ab/x.dirtree",
];

/// The most bytes of an object that are decoded.
const DECODED: u64 = 1 << 20;

/// Reads the bytes as a path, an index, a link and an object of every kind of store.
///
/// # Panics
/// If a path leaves the store.
pub fn objects(data: &[u8]) {
    for kind in STORE_KINDS {
        let layout = StoreLayout::Kind(kind);
        let _ = (layout.role(data), layout.named(data), layout.is_index(data), layout.companions(data));
        layout.link(b"models--a/snapshots/1/f", data).iter().for_each(check);
        for path in PATHS {
            kind.references(path.as_bytes(), data).iter().for_each(check);
        }
    }
    if let Ok(text) = str::from_utf8(data) {
        let _ = nix_path(text, text);
    }
    for coding in [Coding::GitZlib, Coding::Zlib, Coding::Gzip, Coding::Filez] {
        let mut bytes = Vec::new();
        if let Ok(decoder) = Decoder::new(coding, data, data.len() as u64) {
            let _ = decoder.take(DECODED).read_to_end(&mut bytes);
        }
    }
}

fn check(references: &References) {
    let References { objects, indexes, optional, folders } = references;
    for path in objects.iter().chain(indexes).chain(optional).chain(folders) {
        let is_inside = path.split(|byte| *byte == b'/').all(|part| !matches!(part, b"." | b".."));
        assert!(is_inside && !path.starts_with(b"/"), "{}", path.escape_ascii());
    }
}
