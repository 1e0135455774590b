//! GOST R 34.11-94, RFC 5831, by the crate gost94: with the parameters of the standard's examples, called `gost94` by
//! rhash, and with those of CryptoPro (RFC 4357, 11.2).

use crate::Digest;
use crate::bank::StreamState;
use gost94::Digest as Hash;

/// The hash with the parameters of the standard's examples.
pub(crate) type Gost94 = CryptoHash<gost94::Gost94Test>;
/// The hash with CryptoPro's parameters.
pub(crate) type Gost94CryptoPro = CryptoHash<gost94::Gost94CryptoPro>;

/// One of the crate's hashes.
#[derive(Clone)]
pub(crate) struct CryptoHash<H>(H);

impl<H: Hash + Clone + Send + 'static> StreamState for CryptoHash<H> {
    fn new() -> Self {
        CryptoHash(H::new())
    }
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        let hash = std::mem::replace(&mut self.0, H::new());
        Digest::new(&hash.finalize())
    }
    fn kernel() -> &'static str {
        "portable (gost94)"
    }
}
