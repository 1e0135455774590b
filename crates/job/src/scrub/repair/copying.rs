//! Reading a copy: its bytes are hashed as they are passed on, and only then known to be the wanted ones.

use super::outcome::Unrepaired;
use hashmill_digest::hashes::Hashes;
use hashmill_digest::{About, Algorithm};
use hashmill_engine::Cancel;
use hashmill_keep::Content;
use hashmill_source::{AlignedBytes, Entry, Meta, Reader, Reading};

/// The number of bytes that are read at once.
const AT_ONCE: usize = 1 << 20;

/// Receives the bytes of a copy with their offsets.
pub(super) type Sink<'a> = dyn FnMut(u64, &[u8]) -> Result<(), Unrepaired> + 'a;

/// The way to read copies.
pub(super) struct Copying<'a> {
    pub(super) reading: Reading,
    pub(super) algorithms: &'a [&'static Algorithm],
    pub(super) cancel: &'a Cancel,
}

/// A copy that has the wanted content.
pub(super) struct Whole {
    pub(super) meta: Meta,
    pub(super) size: u64,
    /// Whether all of it came from the medium.
    pub(super) is_fresh: bool,
}

impl Copying<'_> {
    /// Reads a copy to its end, and passes its bytes on with their offsets: no more than the wanted content has. Succeeds if they
    /// are the wanted content.
    pub(super) fn read(
        &self,
        entry: &Entry,
        wanted: &Content,
        sink: &mut Sink<'_>,
    ) -> Result<Whole, Unrepaired> {
        let mut reader = Reader::open(entry, &self.reading).map_err(|error| Unrepaired::of_copy(&error))?;
        let told = reader.has_size().then_some(reader.meta().size);
        let most = wanted.size.or(told).unwrap_or(u64::MAX);
        if told.is_some_and(|told| told != most) {
            return Err(Unrepaired::Differs);
        }
        let mut hashes = Hashes::new(self.algorithms, &About::sized(wanted.size.or(told)));
        let mut buffer = AlignedBytes::zeroed(AT_ONCE);
        let mut size = 0;
        loop {
            if self.cancel.is_set() {
                return Err(Unrepaired::Cancelled);
            }
            let read = reader.read(&mut buffer).map_err(|error| Unrepaired::of_copy(&error))?;
            if most - size < read as u64 {
                return Err(Unrepaired::Differs);
            }
            hashes.update(&buffer[..read]);
            sink(size, &buffer[..read])?;
            size += read as u64;
            if read < buffer.len() {
                break;
            }
        }
        reader.finish(size).map_err(|error| Unrepaired::of_copy(&error))?;
        let digests: Vec<u8> = hashes.end().iter().flat_map(|digest| digest.as_bytes().to_vec()).collect();
        match *digests == *wanted.digests {
            true => Ok(Whole { meta: *reader.meta(), size, is_fresh: reader.is_fresh() }),
            false => Err(Unrepaired::Differs),
        }
    }
}

/// Returns whether all bytes are zero.
pub(super) fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}
