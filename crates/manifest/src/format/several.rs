//! The digests of one file, where some may be of algorithms that are not here: then the others tell.

use super::malformed::{Bad, Why};
use crate::{Named, Record};

/// Digests that come in one by one.
#[derive(Default)]
pub(super) struct Several {
    digests: Vec<Named>,
    /// The first that can't be computed here.
    other: Option<Bad>,
}

impl Several {
    /// Takes a digest. One that is there already may come again.
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

    /// Whether no digest came in.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty() && self.other.is_none()
    }

    /// Returns the digests, and the first that can't be computed here.
    pub fn into_parts(self) -> (Vec<Named>, Option<Bad>) {
        (self.digests, self.other)
    }

    /// The record of a file with these digests.
    pub fn record(self, path: &[u8], size: Option<u64>) -> Result<Record, Bad> {
        match self.other {
            Some(other) if self.digests.is_empty() => Err(other.of(path)),
            None if self.digests.is_empty() => Err(Bad::new("digest", Why::Missing)),
            _ => Ok(Record::hashed(path.into(), size, self.digests)),
        }
    }
}

/// The record of a file of which a list has no digest.
pub(super) fn without_digest(path: &[u8]) -> Record {
    Record { reason: Some("unsupported".into()), ..Record::bare(path.into(), crate::Status::Unreadable) }
}
