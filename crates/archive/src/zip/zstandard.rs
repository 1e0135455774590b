//! Zstandard within a limit of memory (RFC 8878).

use super::part::Part;
use crate::fields::{u16_at, u32_at, u64_at};
use crate::{Limits, Problem};
use std::io::{BufRead, BufReader, Read};

/// The largest window of frames that fit into memory, as a power of two, and the bounds of it.
const LEAST: u32 = 10;
const MOST: u32 = 31;

/// Opens frames whose windows are within the limit.
pub(super) fn decoder(mut part: BufReader<Part>, limits: &Limits) -> Result<Box<dyn Read + Send>, Problem> {
    if let Some(window) = part.fill_buf().ok().and_then(window)
        && window > limits.memory
    {
        return Err(Problem::Memory(window));
    }
    let mut decoder = zstd::stream::read::Decoder::with_buffer(part)?;
    decoder.window_log_max(limits.memory.max(1).ilog2().clamp(LEAST, MOST))?;
    Ok(Box::new(decoder))
}

/// Returns the window of a frame that begins so (3.1.1.1); none if it is no frame or its header is not there.
fn window(frame: &[u8]) -> Option<u64> {
    if u32_at(frame, 0).ok()? != 0xfd2f_b528 {
        return None;
    }
    let descriptor = *frame.get(4)?;
    if descriptor & 0x20 == 0 {
        let window = *frame.get(5)?;
        let base = 1_u64 << (LEAST + u32::from(window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // In a single segment the window is the content, whose size follows the number of a dictionary.
    let at = 5 + [0, 1, 2, 4][usize::from(descriptor & 3)];
    match descriptor >> 6 {
        0 => frame.get(at).copied().map(u64::from),
        1 => u16_at(frame, at).ok().map(|size| u64::from(size) + 256),
        2 => u32_at(frame, at).ok().map(u64::from),
        _ => u64_at(frame, at).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_known_before_memory_is_taken() {
        let magic = 0xfd2f_b528_u32.to_le_bytes();
        let frame = |rest: &[u8]| window(&[&magic, rest].concat());
        assert_eq!(frame(&[0x00, 0x00]), Some(1024));
        assert_eq!(frame(&[0x00, 0xff]), Some((1 << 41) + (1 << 38) * 7));
        assert_eq!(frame(&[0x20, 9]), Some(9));
        assert_eq!(frame(&[0x61, 0, 1, 0]), Some(257));
        assert_eq!(frame(&[0xe0, 0, 0, 0, 0, 1, 0, 0, 0]), Some(1 << 32));
        assert_eq!(frame(&[0x20]), None);
        assert_eq!(window(b"no frame"), None);
    }
}
