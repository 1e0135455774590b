//! `parquet`: a column for each field, named as in `jsonl`.
//!
//! `path` and digests (in hexadecimal) are text, so that queries can compare them with any other list without a
//! function. Sizes are 64-bit integers, those of inodes and devices without a sign, `mtime` is a UTC time in nanoseconds. `path_b64` has the bytes of a name that
//! is not UTF-8. Case data are in the file's metadata.

mod folder;
mod guarded;
mod read;
mod write;

pub(in crate::format) use guarded::guarded;
pub(in crate::format) use read::{open, open_file, reader};
pub(in crate::format) use write::writer;

/// The magic bytes at both ends of a file.
const MAGIC: &[u8] = b"PAR1";

/// The keys of the case data in the file's metadata.
const START: &str = "hashmill.case_start";
const END: &str = "hashmill.case_end";

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}
