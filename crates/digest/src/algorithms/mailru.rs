//! The content hash of Mail.ru: up to 20 bytes are the hash themselves, padded with zeros; for more, it is the SHA-1 of
//! `mrCloud`, the bytes, and their number in decimal digits.
//!
//! As implemented by rclone (backend/mailru/mrhash).

use super::sha1::Sha1;
use crate::Digest;
use crate::bank::StreamState;
use crate::field::{Field, LONGEST_MESSAGE};
use crate::stream::Blocks;

/// The maximum length of messages that are their own hash.
const SHORT: usize = 20;

#[derive(Clone)]
pub(crate) struct MailRu {
    sha1: Blocks<Sha1>,
    first: [u8; SHORT],
    bytes: u64,
}

impl StreamState for MailRu {
    fn new() -> Self {
        let mut sha1 = Blocks::<Sha1>::new();
        sha1.update(b"mrCloud");
        MailRu { sha1, first: [0; SHORT], bytes: 0 }
    }

    fn update(&mut self, bytes: &[u8]) {
        let at = self.bytes.min(SHORT as u64) as usize;
        let places = self.first[at..].iter_mut();
        places.zip(bytes).for_each(|(place, byte)| *place = *byte);
        self.bytes += bytes.len() as u64;
        self.sha1.update(bytes);
    }

    fn finish(&mut self) -> Digest {
        if self.bytes <= SHORT as u64 {
            return Digest::new(&self.first);
        }
        self.sha1.update(self.bytes.to_string().as_bytes());
        self.sha1.finish()
    }

    fn save(&self, into: &mut Vec<u8>) -> bool {
        (self.first, self.bytes).put(into);
        self.sha1.save(into)
    }

    fn load(&mut self, from: &mut &[u8]) -> Option<()> {
        (self.first, self.bytes) = Field::take(from)?;
        self.sha1.load(from).filter(|()| self.bytes <= LONGEST_MESSAGE)
    }

    fn kernel() -> &'static str {
        Blocks::<Sha1>::kernel()
    }
}
