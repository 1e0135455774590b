//! BLAKE3 with other digest lengths: up to 32 bytes the usual digest is cut, beyond that the output continues (paper,
//! section 2.6).

use super::hasher::extend;
use super::{Blake3Tree, Hasher, lanes};
use crate::Digest;
use crate::algorithm::Algorithm;
use crate::algorithm::parameter::kept;
use crate::bank::after::{After, after, cut};
use crate::bank::{StreamState, serial, serial_by};

/// Makes the algorithm with this many bytes of digest, up to 64.
pub(crate) fn of_length(base: &'static Algorithm, bytes: u64) -> Algorithm {
    let (bits, bytes) = (8 * bytes as u32, bytes as usize);
    let base = &Algorithm { extendable: false, ..*base };
    if bytes > 32 {
        let bank = kept(move || serial_by(move || Extended { bytes, ..Extended::new() }));
        return Algorithm { bits, bank, alone: bank, tree: None, lanes: None, ..*base };
    }
    Algorithm {
        bits,
        bank: kept(move || after(lanes(), cut(bytes))),
        alone: kept(move || after(serial::<Hasher>(), cut(bytes))),
        tree: Some(Box::leak(Box::new(After { inner: Blake3Tree, step: cut(bytes) }))),
        lanes: None,
        ..*base
    }
}

/// A stream with an extended digest, by the authors' crate.
#[derive(Clone)]
pub(super) struct Extended {
    hasher: blake3::Hasher,
    bytes: usize,
}

impl Extended {
    /// Creates a stream in the mode of an unused hasher.
    pub(super) fn starting(hasher: blake3::Hasher, bytes: usize) -> Extended {
        Extended { hasher, bytes }
    }
}

impl StreamState for Extended {
    fn new() -> Self {
        Extended { hasher: blake3::Hasher::new(), bytes: crate::MAX_BYTES }
    }
    fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        let mut digest = [0; crate::MAX_BYTES];
        extend(&self.hasher, 0, &mut digest[..self.bytes]);
        Digest::new(&digest[..self.bytes])
    }
    fn extend(&self, from: u64, output: &mut [u8]) -> bool {
        extend(&self.hasher, from, output);
        true
    }
    fn kernel() -> &'static str {
        Hasher::kernel()
    }
}
