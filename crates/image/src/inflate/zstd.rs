//! Decompresses Zstandard frames of virtual disks into a buffer of bounded size.

use crate::inflate::Failure;
use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, ResetDirective};

/// The logarithm of the largest window. Frames of blocks have windows of a block or less; a larger one would only take
/// memory.
const MOST_WINDOW: u32 = 23;

/// The bytes that a frame begins with; what else the library reads is no frame.
const MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";

/// Decompresses a frame, ignoring bytes after it. Returns the output's length. The decoder is made with the first frame.
pub(crate) fn unpack(
    decoder: &mut Option<DCtx<'static>>,
    packed: &[u8],
    plain: &mut [u8],
) -> Result<usize, Failure> {
    if !packed.starts_with(MAGIC) {
        return Err(Failure::Corrupt);
    }
    let decoder = begin(decoder).ok_or(Failure::Corrupt)?;
    let (mut input, mut filled) = (InBuffer::around(packed), 0);
    loop {
        // With a full buffer, one byte more of room shows whether the content ends there.
        let mut over = [0];
        let is_full = filled == plain.len();
        let room = if is_full { &mut over[..] } else { &mut plain[filled..] };
        let (mut output, before) = (OutBuffer::around(room), input.pos());
        let left = decoder.decompress_stream(&mut output, &mut input).map_err(|_| Failure::Corrupt)?;
        let written = output.pos();
        if is_full && written > 0 {
            return Err(Failure::TooLong);
        }
        filled += written;
        match left {
            0 => return Ok(filled),
            _ if written == 0 && input.pos() == before => return Err(Failure::Corrupt),
            _ => {}
        }
    }
}

/// Returns a decoder before its next frame; none without memory.
fn begin<'a>(decoder: &'a mut Option<DCtx<'static>>) -> Option<&'a mut DCtx<'static>> {
    if decoder.is_none() {
        let mut made = DCtx::try_create()?;
        made.set_parameter(DParameter::WindowLogMax(MOST_WINDOW)).ok()?;
        *decoder = Some(made);
    }
    let decoder = decoder.as_mut()?;
    decoder.reset(ResetDirective::SessionOnly).ok()?;
    Some(decoder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(packed: &[u8], plain: &mut [u8]) -> Result<usize, Failure> {
        unpack(&mut None, packed, plain)
    }

    /// `hello` in one raw block.
    const RAW: &[u8] = b"\x28\xb5\x2f\xfd\x20\x05\x29\0\0hello";

    #[test]
    fn a_frame_is_read_and_bytes_after_it_are_not() {
        let mut plain = [0; 5];
        assert_eq!(unpacked(&[RAW, &[0xff; 100]].concat(), &mut plain), Ok(5));
        assert_eq!(&plain, b"hello");
        assert_eq!(unpacked(RAW, &mut [0; 9]), Ok(5));
        assert_eq!(unpacked(RAW, &mut [0; 4]), Err(Failure::TooLong));
        for length in 0..RAW.len() {
            assert_eq!(unpacked(&RAW[..length], &mut [0; 5]), Err(Failure::Corrupt), "{length}");
        }
    }

    #[test]
    fn windows_are_bounded() {
        // A window of 2 GiB, and a content of 16 MiB.
        assert_eq!(unpacked(b"\x28\xb5\x2f\xfd\0\xa8\x01\0\0", &mut [0; 5]), Err(Failure::Corrupt));
        assert_eq!(unpacked(b"\x28\xb5\x2f\xfd\xa0\0\0\0\x01\x01\0\0", &mut [0; 5]), Err(Failure::Corrupt));
        // A block of zeros that repeats one byte 100,000 times.
        let bomb = b"\x28\xb5\x2f\xfd\0\x38\x03\x35\x0c\0";
        assert!(unpacked(bomb, &mut [0; 500]).is_err());
    }
}
