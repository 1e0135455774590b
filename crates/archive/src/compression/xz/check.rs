//! The checks of blocks (section 3.4).

use crate::Problem;
use crate::compression::packed::Packed;
use hashmill_digest::{Crc32, Crc64, MessageHasher};

/// A way to check blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckType {
    None,
    Crc32,
    Crc64,
    Sha256,
}

impl CheckType {
    /// Returns the way of a number in the header of a stream.
    pub(super) fn from_code(code: u8) -> Result<CheckType, Problem> {
        match code {
            0 => Ok(CheckType::None),
            1 => Ok(CheckType::Crc32),
            4 => Ok(CheckType::Crc64),
            10 => Ok(CheckType::Sha256),
            _ => Err(Problem::Unsupported(format!("check {code} of xz").into())),
        }
    }

    /// Returns the number in the header of a stream.
    pub(super) fn code(self) -> u8 {
        match self {
            CheckType::None => 0,
            CheckType::Crc32 => 1,
            CheckType::Crc64 => 4,
            CheckType::Sha256 => 10,
        }
    }
}

/// The check of the content of a block.
pub(super) enum Check {
    None,
    Crc32(Crc32),
    Crc64(Crc64),
    Sha256(MessageHasher),
}

impl Check {
    /// Creates the check of no content.
    pub(super) fn new(check: CheckType) -> Check {
        match check {
            CheckType::None => Check::None,
            CheckType::Crc32 => Check::Crc32(Crc32::new()),
            CheckType::Crc64 => Check::Crc64(Crc64::new()),
            CheckType::Sha256 => Check::Sha256(MessageHasher::sha256()),
        }
    }

    /// Adds content.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        match self {
            Check::None => {}
            Check::Crc32(crc) => crc.update(bytes),
            Check::Crc64(crc) => crc.update(bytes),
            Check::Sha256(hash) => hash.update(bytes),
        }
    }

    /// Compares all content with the check that follows. Returns the bytes that this takes.
    pub(super) fn compare(self, packed: &mut Packed) -> Result<u64, Problem> {
        let (is_same, size) = match self {
            Check::None => (true, 0),
            Check::Crc32(crc) => (packed.array()? == crc.sum().to_le_bytes(), 4),
            Check::Crc64(crc) => (packed.array()? == crc.sum().to_le_bytes(), 8),
            Check::Sha256(hash) => (packed.array::<32>()? == *hash.finish().as_bytes(), 32),
        };
        if is_same { Ok(size) } else { Err(Problem::Checksum("a block of xz")) }
    }
}
