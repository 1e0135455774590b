//! The bytes of chains, which are in memory as a whole.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The maximum length of a chain in bytes; a hundred thousand generations take less.
const MAX_CHAIN: u64 = 64 << 20;

/// Reads a whole chain.
///
/// # Errors
/// If it can't be read, or is too long.
pub fn read_chain(chain: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    chain.take(MAX_CHAIN + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_CHAIN { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(text) }
}

/// Reads the chain that is in a file.
///
/// # Errors
/// As [`read_chain`].
pub(crate) fn read_chain_at(path: &Path) -> io::Result<Vec<u8>> {
    read_chain(&mut File::open(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_bounded() {
        assert_eq!(read_chain(&mut io::repeat(b'x').take(3)).unwrap(), b"xxx");
        let endless = read_chain(&mut io::repeat(b'x')).unwrap_err();
        assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge);
    }
}
