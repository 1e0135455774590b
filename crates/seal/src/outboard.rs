//! Outboards: the BLAKE3 tree of a large file in a separate file, which verifies any range without reading the rest.
//!
//! The file has Bao's outboard format: the length of the content (eight bytes, little-endian), then the pairs of
//! children's hashes in pre-order. Bao stores a pair for every two chunks of 1 KiB, 6 % of the content; groups of 16
//! KiB reduce that to 0.4 %, and the rest of the tree is recomputed. The root is the BLAKE3 digest of the content, as
//! found in any manifest, and pairs that do not lead to it are rejected.

use crate::error::{Error, Text, differs};
use bao_tree::io::outboard::PreOrderOutboard;
use bao_tree::io::sync::{CreateOutboard, ReadAt, WriteAt, encode_ranges_validated};
use bao_tree::io::{EncodeError, round_up_to_chunks};
use bao_tree::{BaoTree, BlockSize, ByteRanges, blake3};
use hashmill_digest::Digest;
use hashmill_os::{Facts, facts};
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// The length of a chunk in bytes.
const CHUNK: u64 = 1024;
/// The default length of a group in bytes, for each of which the outboard has 64 bytes.
pub const GROUP: u64 = 16 << 10;
/// The maximum size of a group: 64 MiB.
const LARGEST: u8 = 16;
/// The length of the outboard's head in bytes.
const HEAD: u64 = 8;

/// A file that is read from its start. Reading fails once a flag is set.
#[derive(Debug, Clone, Copy)]
pub struct CancellableFile<'a> {
    file: &'a File,
    stop: Option<&'a AtomicBool>,
}

impl<'a> CancellableFile<'a> {
    /// Creates content that can be read until the flag is set.
    pub fn until(file: &'a File, stop: &'a AtomicBool) -> CancellableFile<'a> {
        CancellableFile { file, stop: Some(stop) }
    }

    fn check(&self) -> io::Result<()> {
        match self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(io::Error::other("stopped")),
            _ => Ok(()),
        }
    }
}

impl<'a> From<&'a File> for CancellableFile<'a> {
    fn from(file: &'a File) -> CancellableFile<'a> {
        CancellableFile { file, stop: None }
    }
}

impl Read for CancellableFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        self.file.read(buffer)
    }
}

impl ReadAt for CancellableFile<'_> {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        hashmill_os::read_at(self.file, buffer, at)
    }
}

/// Writes the outboard of a file to another one, which must be empty, with a pair of hashes for every two groups of
/// this many bytes. Returns the root.
///
/// # Errors
/// If the group is not 1 KiB times a power of two, the file changes meanwhile, or reading or writing fails.
pub fn create<'a>(
    content: impl Into<CancellableFile<'a>>,
    outboard: &File,
    group: u64,
) -> Result<Digest, Error> {
    let content = content.into();
    let block = block_size(group)?;
    let before = facts(content.file)?;
    let tree = BaoTree::new(before.size, block);
    hashmill_os::write_all_at(outboard, &before.size.to_le_bytes(), 0).map_err(Error::Write)?;
    let root = blake3::Hash::from_bytes([0; 32]);
    let mut pairs = PreOrderOutboard { root, tree, data: AfterLength(outboard) };
    let cut = |source: io::Error| match (source.kind(), source.downcast::<Unwritten>()) {
        (io::ErrorKind::UnexpectedEof, _) => differs("the file became shorter while it was read"),
        (_, Ok(Unwritten(source))) => Error::Write(source),
        (_, Err(source)) => Error::Io(source),
    };
    pairs.init_from(io::BufReader::with_capacity(1 << 20, content)).map_err(cut)?;
    let after = facts(content.file)?;
    let state = |facts: &Facts| (facts.size, facts.mtime, facts.ctime);
    if state(&before) != state(&after) {
        return Err(differs("the file changed while it was read"));
    }
    Ok(Digest::new(pairs.root.as_bytes()))
}

/// Verifies a range of a file against the root, and the length of the file; reads only that range, the last group, and the
/// outboard's pairs that lead to them.
///
/// # Errors
/// Returns [`Error::Differs`] with the place of the first difference, [`Error::Outboard`] if nothing can be compared.
pub fn verify<'a>(
    content: impl Into<CancellableFile<'a>>,
    outboard: &File,
    root: &Digest,
    range: Range<u64>,
) -> Result<(), Error> {
    let content = content.into();
    let root: [u8; 32] = root.as_bytes().try_into().map_err(|_| unusable("the root must have 32 bytes"))?;
    let length = length(outboard)?;
    let found = content.file.metadata()?.len();
    if found != length {
        let how = format!("the file has {found} bytes, but the outboard is of a file of {length} bytes");
        return Err(differs(how));
    }
    if range.end > length || (range.is_empty() && length > 0) {
        let why = format!("the range is empty, or ends after the file's {length} bytes");
        return Err(unusable(why));
    }
    if length == 0 {
        let same = blake3::hash(b"") == blake3::Hash::from_bytes(root);
        let other = || differs("the file is empty, but the root is not that of an empty file");
        return if same { Ok(()) } else { Err(other()) };
    }
    let tree = BaoTree::new(length, found_block(outboard.metadata()?.len(), length)?);
    let pairs = PreOrderOutboard { root: root.into(), tree, data: AfterLength(outboard) };
    // Nothing but the last chunk proves the length, which anybody can change in the outboard.
    let ranges = ByteRanges::from(range) | ByteRanges::from(length - 1..length);
    encode_ranges_validated(content, pairs, &round_up_to_chunks(&ranges), io::sink()).map_err(difference)
}

/// Returns the length of an outboard's content.
///
/// # Errors
/// If it is not an outboard.
pub fn length(outboard: &File) -> Result<u64, Error> {
    let mut head = [0; HEAD as usize];
    hashmill_os::read_exact_at(outboard, &mut head, 0).map_err(|source| match source.kind() {
        io::ErrorKind::UnexpectedEof => unusable("not an outboard: it is too short"),
        _ => Error::Io(source),
    })?;
    Ok(u64::from_le_bytes(head))
}

/// Returns the group size of an outboard with this length. If several sizes are possible, all give the same result.
fn found_block(outboard: u64, content: u64) -> Result<BlockSize, Error> {
    let fits = |block: &BlockSize| {
        let pairs = BaoTree::new(content, *block).outboard_size();
        pairs.checked_add(HEAD) == Some(outboard)
    };
    let found = (0..=LARGEST).map(BlockSize::from_chunk_log).find(fits);
    found.ok_or_else(|| unusable("not an outboard of a file of the stated length, or cut short"))
}

fn block_size(group: u64) -> Result<BlockSize, Error> {
    let chunks = group / CHUNK;
    let fits = group.is_multiple_of(CHUNK) && chunks.is_power_of_two() && chunks <= 1 << LARGEST;
    if !fits {
        return Err(unusable("a group must have 1 KiB times a power of two, at most 64 MiB"));
    }
    Ok(BlockSize::from_chunk_log(chunks.ilog2() as u8))
}

fn unusable(why: impl Into<Text>) -> Error {
    Error::Outboard(why.into())
}

fn difference(error: EncodeError) -> Error {
    let place = |chunks: u64| chunks.saturating_mul(CHUNK);
    match error {
        EncodeError::LeafHashMismatch(chunk) => {
            let at = place(chunk.0);
            differs(format!("the file does not lead to the root, in the group at byte {at}"))
        }
        EncodeError::ParentHashMismatch(node) => {
            let at = place(node.chunk_range().start.0);
            differs(format!("the outboard does not lead to the root, above byte {at}"))
        }
        EncodeError::Io(source) => Error::Io(source),
        other => Error::Io(other.into()),
    }
}

/// The part of an outboard after the head.
struct AfterLength<'a>(&'a File);

impl ReadAt for AfterLength<'_> {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        hashmill_os::read_at(self.0, buffer, at + HEAD)
    }
}

/// An error of the outboard, in contrast to one of its file.
#[derive(Debug)]
struct Unwritten(io::Error);

impl std::fmt::Display for Unwritten {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Unwritten {}

impl WriteAt for AfterLength<'_> {
    fn write_at(&mut self, at: u64, buffer: &[u8]) -> io::Result<usize> {
        hashmill_os::write_at(self.0, buffer, at + HEAD)
            .map_err(|source| io::Error::new(source.kind(), Unwritten(source)))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
