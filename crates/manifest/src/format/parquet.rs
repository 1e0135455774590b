//! `parquet`: a column for each field, named as in `jsonl`.
//!
//! `path` and digests are text, digests in hexadecimal: so they compare equal with those of any other list in
//! a query, without a function. Sizes are 64-bit integers, `mtime` is a time in UTC to the nanosecond. A name
//! that is not UTF-8 has its bytes in `path_b64`. Case data are in the file's metadata.

mod guarded;
mod read;
mod write;

pub(super) use guarded::guarded;
pub(super) use read::{open, open_file, reader};
pub(super) use write::writer;

/// What a file begins and ends with.
const MAGIC: &[u8] = b"PAR1";

/// The keys of the case data among the metadata of the file.
const START: &str = "hashloom.case_start";
const END: &str = "hashloom.case_end";

pub(super) fn sniff(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}
