//! Decompresses Zstandard frames of virtual disks into a buffer of bounded size.

use crate::inflate::Failure;
use crate::le::u32_at;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::Read;

/// The largest window. Frames of blocks have windows of a block or less; a larger one would only take memory.
const MOST_WINDOW: u64 = 8 << 20;

/// Decompresses a frame, ignoring bytes after it. Returns the output's length.
pub(crate) fn unpack(packed: &[u8], plain: &mut [u8]) -> Result<usize, Failure> {
    if window(packed).is_none_or(|window| window > MOST_WINDOW) {
        return Err(Failure::Corrupt);
    }
    let (mut source, mut decoder) = (packed, FrameDecoder::new());
    decoder.reset(&mut source).map_err(|_| Failure::Corrupt)?;
    let mut filled = 0;
    loop {
        // One byte more than there is room for shows that the content is too long.
        let wanted = BlockDecodingStrategy::UptoBytes(plain.len() - filled + 1);
        let done = decoder.decode_blocks(&mut source, wanted).map_err(|_| Failure::Corrupt)?;
        loop {
            let room = plain.get_mut(filled..).unwrap_or_default();
            match decoder.read(room).map_err(|_| Failure::Corrupt)? {
                0 => break,
                read => filled += read,
            }
        }
        match (done, decoder.can_collect()) {
            (_, left) if left > 0 && filled == plain.len() => return Err(Failure::TooLong),
            (true, _) => return Ok(filled),
            (false, _) => {}
        }
    }
}

/// Returns the size of the window that a frame needs (RFC 8878, 3.1.1.1).
fn window(packed: &[u8]) -> Option<u64> {
    const MAGIC: u32 = 0xfd2f_b528;
    if packed.len() < 5 || u32_at(packed, 0) != MAGIC {
        return None;
    }
    let descriptor = packed[4];
    if descriptor & 0x20 == 0 {
        let byte = *packed.get(5)?;
        let base = 1_u64 << (10 + (byte >> 3));
        return Some(base + base / 8 * u64::from(byte & 7));
    }
    // The window is the content, with its size after the number of a dictionary.
    let at = 5 + [0, 1, 2, 4][usize::from(descriptor & 3)];
    let (length, extra) = [(1, 0), (2, 256), (4, 0), (8, 0)][usize::from(descriptor >> 6)];
    let mut bytes = [0; 8];
    bytes[..length].copy_from_slice(packed.get(at..at + length)?);
    u64::from_le_bytes(bytes).checked_add(extra)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `hello` in one raw block.
    const RAW: &[u8] = b"\x28\xb5\x2f\xfd\x20\x05\x29\0\0hello";

    #[test]
    fn a_frame_is_read_and_bytes_after_it_are_not() {
        let mut plain = [0; 5];
        assert_eq!(unpack(&[RAW, &[0xff; 100]].concat(), &mut plain), Ok(5));
        assert_eq!(&plain, b"hello");
        assert_eq!(unpack(RAW, &mut [0; 9]), Ok(5));
        assert_eq!(unpack(RAW, &mut [0; 4]), Err(Failure::TooLong));
        for length in 0..RAW.len() {
            assert_eq!(unpack(&RAW[..length], &mut [0; 5]), Err(Failure::Corrupt), "{length}");
        }
    }

    #[test]
    fn windows_are_bounded() {
        // A window of 2 GiB, and a content of 16 MiB.
        assert_eq!(unpack(b"\x28\xb5\x2f\xfd\0\xa8\x01\0\0", &mut [0; 5]), Err(Failure::Corrupt));
        assert_eq!(unpack(b"\x28\xb5\x2f\xfd\xa0\0\0\0\x01\x01\0\0", &mut [0; 5]), Err(Failure::Corrupt));
        // A block of zeros that repeats one byte 100,000 times.
        let bomb = b"\x28\xb5\x2f\xfd\0\x38\x03\x35\x0c\0";
        assert!(unpack(bomb, &mut [0; 500]).is_err());
    }
}
