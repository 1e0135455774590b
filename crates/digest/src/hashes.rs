//! Digests of one stream by several algorithms, outside of the engine.

use crate::{About, Algorithm, Bank, Digest, Slot, StreamPart};
use std::io::{self, Read, Write};

/// The number of bytes read at once.
pub const AT_ONCE: usize = 1 << 18;

/// The streams that get the same bytes.
pub struct Hashes(Vec<(Box<dyn Bank>, Slot)>);

impl Hashes {
    /// Opens a stream for each algorithm. `about` is what digests depend on beside the content.
    pub fn new(algorithms: &[&'static Algorithm], about: &About<'_>) -> Hashes {
        let open = |algorithm: &&'static Algorithm| {
            let mut bank = (algorithm.alone)();
            let slot = bank.open_about(about);
            (bank, slot)
        };
        Hashes(algorithms.iter().map(open).collect())
    }

    /// Hashes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        for (bank, slot) in &mut self.0 {
            bank.update(&[StreamPart { slot: *slot, bytes, last: false }]);
        }
    }

    /// Returns the digests, in the order of the algorithms.
    pub fn end(self) -> Vec<Digest> {
        let close = |(mut bank, slot): (Box<dyn Bank>, Slot)| {
            bank.update(&[StreamPart { slot, bytes: b"", last: true }]);
            bank.close(slot)
        };
        self.0.into_iter().map(close).collect()
    }

    /// Copies what is read to an output, and returns its digests and its length.
    ///
    /// # Errors
    /// If it can't be read or written.
    pub fn copy(mut self, from: &mut dyn Read, to: &mut dyn Write) -> io::Result<(Vec<Digest>, u64)> {
        let (mut buffer, mut length) = (vec![0; AT_ONCE], 0);
        loop {
            let read = match from.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            if read == 0 {
                return Ok((self.end(), length));
            }
            to.write_all(&buffer[..read])?;
            self.update(&buffer[..read]);
            length += read as u64;
        }
    }
}

/// Copies what is read to an output, and returns its digest.
///
/// # Errors
/// If it can't be read or written.
pub fn copy_hashed(
    from: &mut dyn Read,
    to: &mut dyn Write,
    algorithm: &'static Algorithm,
) -> io::Result<Digest> {
    let (digests, _) = Hashes::new(&[algorithm], &About::default()).copy(from, to)?;
    Ok(digests[0])
}
