//! The digests of one file; unsupported ones are ignored if there are others.

use crate::format::malformed::{Bad, Why};
use crate::{Named, Record};

/// Digests that arrive one by one.
#[derive(Default)]
pub(in crate::format) struct Several {
    digests: Vec<Named>,
    /// The error of the first unsupported digest.
    other: Option<Bad>,
}

impl Several {
    /// Adds a digest. Equal duplicates are allowed.
    pub fn add(&mut self, digest: Result<Named, Bad>) -> Result<(), Bad> {
        match digest {
            Ok(named) => match self.digests.iter().find(|known| known.algorithm == named.algorithm) {
                Some(known) if known.digest != named.digest => return Err(Bad::new("digest", Why::Alike)),
                Some(_) => {}
                None => self.digests.push(named),
            },
            Err(bad) if matches!(bad.why, Why::Unsupported { .. } | Why::Unknown(_)) => {
                self.other.get_or_insert(bad);
            }
            Err(bad) => return Err(bad),
        }
        Ok(())
    }

    /// Returns whether no digest was added.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty() && self.other.is_none()
    }

    /// Returns the digests, and the error of the first unsupported one.
    pub fn into_parts(self) -> (Vec<Named>, Option<Bad>) {
        (self.digests, self.other)
    }

    /// Returns the record of a file with these digests; if there are none, one that says so.
    pub fn record_or_bare(self, path: &[u8], size: Option<u64>) -> Result<Record, Bad> {
        if self.is_empty() { Ok(Record { size, ..without_digest(path) }) } else { self.record(path, size) }
    }

    /// Returns the record of a file with these digests.
    pub fn record(self, path: &[u8], size: Option<u64>) -> Result<Record, Bad> {
        match self.other {
            Some(other) if self.digests.is_empty() => Err(other.with_file(path)),
            None if self.digests.is_empty() => Err(Bad::new("digest", Why::Missing)),
            _ => Ok(Record::hashed(path.into(), size, self.digests)),
        }
    }
}

/// Returns the record of a file without a digest in the list.
pub(in crate::format) fn without_digest(path: &[u8]) -> Record {
    Record { reason: Some("unsupported".into()), ..Record::bare(path.into(), crate::Status::Unreadable) }
}
