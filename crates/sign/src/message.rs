//! The message that is signed, which is read in pieces, and its hashes.

use ring::digest;
use std::io::{self, Read, Seek, SeekFrom};

/// The number of bytes read at a time.
const CHUNK: usize = 256 * 1024;

/// The source of a message. It is read from its start for each hash.
pub trait MessageSource: Read + Seek {}
impl<T: Read + Seek> MessageSource for T {}

/// The hashes that signatures and time stamps use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

/// A message and the hashes computed so far.
pub struct Message<'a> {
    source: &'a mut dyn MessageSource,
    known: Vec<(Hash, Vec<u8>)>,
}

impl Hash {
    pub(crate) fn algorithm(self) -> &'static digest::Algorithm {
        match self {
            Hash::Sha256 => &digest::SHA256,
            Hash::Sha384 => &digest::SHA384,
            Hash::Sha512 => &digest::SHA512,
        }
    }

    pub(crate) fn digest(self, bytes: &[u8]) -> Vec<u8> {
        digest::digest(self.algorithm(), bytes).as_ref().to_vec()
    }
}

impl<'a> Message<'a> {
    /// Creates a message of a whole source, from its start.
    pub fn new(source: &'a mut dyn MessageSource) -> Message<'a> {
        Message { source, known: Vec::new() }
    }

    /// Returns a hash of the message, which is read only the first time.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn hash(&mut self, hash: Hash) -> io::Result<Vec<u8>> {
        if let Some((_, known)) = self.known.iter().find(|(known, _)| *known == hash) {
            return Ok(known.clone());
        }
        let mut context = digest::Context::new(hash.algorithm());
        self.read(&mut |bytes| context.update(bytes))?;
        let found = context.finish().as_ref().to_vec();
        self.known.push((hash, found.clone()));
        Ok(found)
    }

    /// Reads the whole message in pieces.
    pub(crate) fn read(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        self.source.seek(SeekFrom::Start(0))?;
        let mut chunk = vec![0; CHUNK];
        loop {
            match self.source.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(length) => take(&chunk[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the whole message.
    pub(crate) fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        self.read(&mut |bytes| all.extend_from_slice(bytes))?;
        Ok(all)
    }

    /// Returns the length of the message in bytes.
    pub(crate) fn length(&mut self) -> io::Result<u64> {
        self.source.seek(SeekFrom::End(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn hashes_of_messages_longer_than_a_chunk() {
        let bytes: Vec<u8> = (0..CHUNK + 1).map(|at| at as u8).collect();
        let mut source = Cursor::new(&bytes);
        let mut message = Message::new(&mut source);
        for hash in [Hash::Sha256, Hash::Sha512, Hash::Sha384, Hash::Sha256] {
            assert_eq!(message.hash(hash).unwrap(), hash.digest(&bytes));
        }
        assert_eq!(message.length().unwrap(), bytes.len() as u64);
    }
}
