//! What an index says of itself.

use crate::error::Error;
use hashloom_engine::Cancel;
use hashloom_known::{About, Digests, Index};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What an index says of itself.
#[derive(Debug, Clone)]
pub struct Info {
    /// Where it lies.
    pub path: PathBuf,
    /// Bytes of the file.
    pub bytes: u64,
    /// Indexes with the same identity hold the same.
    pub identity: String,
    /// Whether every byte was read and checked.
    pub is_verified: bool,
    /// Its counts, sources and dates.
    pub about: About,
    /// Bytes of the tables by bits of a digest.
    pub table_bytes: BTreeMap<u32, u64>,
}

/// What an index says of itself. Of its entries none is read.
///
/// # Errors
/// If it is none, or damaged.
pub fn info(path: &Path) -> Result<Info, Error> {
    Ok(Info::of(&Index::open(path)?))
}

/// As [`info`], but every byte is read and checked.
///
/// # Errors
/// As [`info`]; [`Why::Cancelled`](hashloom_known::Why::Cancelled) if it was cancelled.
pub fn verify(path: &Path, cancel: &Cancel) -> Result<Info, Error> {
    let index = Index::open(path)?;
    index.verify_until(&|| cancel.is_set())?;
    Ok(Info { is_verified: true, ..Info::of(&index) })
}

impl Info {
    fn of(index: &Index) -> Info {
        let bytes = |table: &Digests| (table.bits, index.table_bytes(table.bits as usize / 8));
        Info {
            path: index.path().to_path_buf(),
            bytes: index.file_bytes(),
            identity: index.identity(),
            is_verified: false,
            about: index.about().clone(),
            table_bytes: index.about().tables.iter().map(bytes).collect(),
        }
    }
}
