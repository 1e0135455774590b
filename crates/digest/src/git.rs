//! The names of blobs in git: the hash of `blob`, a blank, the length in decimal digits, a zero, and the bytes. With SHA-1
//! it is also the identifier of a content in Software Heritage (SWHID, ISO/IEC 18670).
//!
//! The length comes first. Where it is not known, the bytes are held until the end.

use crate::Digest;
use crate::bank::Stream;
use crate::block::BlockHash;
use crate::stream::Blocks;

/// The name by this hash.
pub(crate) struct GitBlob<A: BlockHash> {
    hash: Blocks<A>,
    /// Bytes of a message whose length is not known.
    held: Option<Vec<u8>>,
}

impl<A: BlockHash> GitBlob<A> {
    fn head(&mut self, size: u64) {
        self.hash.update(format!("blob {size}\0").as_bytes());
    }
}

impl<A: BlockHash> Stream for GitBlob<A> {
    fn new() -> Self {
        GitBlob { hash: Blocks::new(), held: Some(Vec::new()) }
    }

    fn expect(&mut self, size: u64) {
        self.held = None;
        self.head(size);
    }

    fn update(&mut self, bytes: &[u8]) {
        match &mut self.held {
            Some(held) => held.extend_from_slice(bytes),
            None => self.hash.update(bytes),
        }
    }

    fn finish(&mut self) -> Digest {
        if let Some(held) = self.held.take() {
            self.head(held.len() as u64);
            self.hash.update(&held);
        }
        self.hash.finish()
    }

    fn kernel() -> &'static str {
        Blocks::<A>::kernel()
    }
}
