//! Description of an index.

use crate::error::Error;
use hashmill_engine::Cancel;
use hashmill_known::{About, DigestCounts, Index};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The description of an index.
#[derive(Debug, Clone)]
pub struct Info {
    /// Path of the index.
    pub path: PathBuf,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Identity of the content: indexes with the same content have the same.
    pub identity: String,
    /// Whether every byte was read and verified.
    pub is_verified: bool,
    /// Its counts, sources and dates.
    pub about: About,
    /// Size of the tables in bytes, by the bits of their digests.
    pub table_bytes: BTreeMap<u32, u64>,
}

/// Reads the description of an index, but none of its entries.
///
/// # Errors
/// If the file is not an index, or is damaged.
pub fn info(path: &Path) -> Result<Info, Error> {
    Ok(Info::from_index(&Index::open(path)?))
}

/// Reads the description like [`info`], and verifies every byte.
///
/// # Errors
/// As [`info`]; [`Why::Cancelled`](hashmill_known::Why::Cancelled) if it was cancelled.
pub fn verify(path: &Path, cancel: &Cancel) -> Result<Info, Error> {
    let index = Index::open(path)?;
    index.verify_until(&|| cancel.is_set())?;
    Ok(Info { is_verified: true, ..Info::from_index(&index) })
}

impl Info {
    fn from_index(index: &Index) -> Info {
        let bytes = |table: &DigestCounts| (table.bits, index.table_bytes(table.bits as usize / 8));
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
