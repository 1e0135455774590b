//! Index files, links and codings of stores from any bytes: no panic, and no path that leaves the store.

use hashmill_digest::find;
use hashmill_objects::pack::{Large, PackIndex, PackObjects, PackReader, Unpacker};
use hashmill_objects::{
    Coding, Decoder, OcflEntry, OcflObject, OstreeFile, References, STORE_KINDS, StoreLayout,
    git_tree_entries, git_tree_of, lfs_pointer, nix_path,
};
use std::io::{self, Read};
use std::sync::atomic::AtomicU64;

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
    let _ = (lfs_pointer(data), git_tree_of(data), git_tree_entries(data, 20).count());
    if let Some(file) = OstreeFile::parse(data) {
        file.header(data);
    }
    ocfl(data);
    for coding in [Coding::GitZlib, Coding::Zlib, Coding::Gzip, Coding::Filez] {
        let mut bytes = Vec::new();
        if let Ok(decoder) = Decoder::new(coding, data, data.len() as u64) {
            let _ = decoder.take(DECODED).read_to_end(&mut bytes);
        }
    }
}

/// Reads the bytes as the inventories of an object of OCFL and as the digests beside them.
fn ocfl(data: &[u8]) {
    let [file, folder] = [OcflEntry::File, OcflEntry::Folder];
    let entries = [
        ("0=ocfl_object_1.1", file),
        ("inventory.json", file),
        ("inventory.json.sha512", file),
        ("v1", folder),
        ("v1/inventory.json", file),
        ("v1/content", folder),
        ("v1/content/a", file),
    ];
    let mut object = OcflObject::new(entries.map(|(path, entry)| (path.as_bytes().to_vec(), entry)).into());
    let texts = object.texts().into_iter().map(|path| (path, data.to_vec())).collect();
    object.inspect(&texts);
    for path in object.files().map(<[u8]>::to_vec).collect::<Vec<_>>() {
        object.file(&path, |_| None);
    }
    object
        .finish()
        .into_values()
        .flat_map(|outcome| outcome.findings)
        .for_each(|found| drop(found.to_string()));
}

fn check(references: &References) {
    let References { objects, indexes, optional, elsewhere, sizes, folders } = references;
    let sized = sizes.iter().map(|(path, _)| path);
    for path in objects.iter().chain(indexes).chain(optional).chain(elsewhere).chain(folders).chain(sized) {
        let is_inside = path.split(|byte| *byte == b'/').all(|part| !matches!(part, b"." | b".."));
        assert!(is_inside && !path.starts_with(b"/"), "{}", path.escape_ascii());
    }
}

/// The bytes of memory that the objects of a pack may take, and those that may be made of it.
const ROOM: u64 = 1 << 16;
const MADE: u64 = 1 << 22;

/// The most bytes of an object that is asked for alone.
const SMALL: u64 = 1 << 10;

/// A pack in memory.
struct Pack<'a>(&'a [u8]);

impl PackReader for Pack<'_> {
    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let end = start.saturating_add(buffer.len());
        buffer.copy_from_slice(self.0.get(start..end).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Reads the bytes as the index of a pack, after its length, and the pack.
///
/// # Panics
/// If an object is told twice.
pub fn pack(data: &[u8]) {
    const DIGEST: usize = 20;
    let Some((length, rest)) = data.split_first_chunk::<4>() else { return };
    let Some((index, pack)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize) else { return };
    let (Ok(index), pack) = (PackIndex::parse(index.to_vec(), DIGEST), Pack(pack)) else { return };
    let Ok(objects) = PackObjects::find(&index, &pack, DIGEST, pack.0.len() as u64) else { return };
    let (left, stop) = (AtomicU64::new(MADE), || false);
    let sha1 = find("sha1").expect("SHA-1 is there");
    let mut unpacker = Unpacker::new(&objects, sha1, ROOM, &left, &stop, Large::IsTold);
    let mut told = vec![false; objects.count()];
    for number in objects.circular() {
        told[number] = true;
    }
    for root in objects.roots() {
        let checked = unpacker.check(root, &mut |number, _| {
            assert!(!std::mem::replace(&mut told[number], true), "object {number} is told twice");
        });
        checked.expect("what is too large is told");
    }
    for number in 0..objects.count().min(64) {
        let content = unpacker.content(number, SMALL);
        assert!(!matches!(content, Ok(Some(content)) if content.len() as u64 > SMALL));
    }
}
