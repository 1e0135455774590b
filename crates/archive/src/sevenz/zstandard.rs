//! Zstandard as a coder. Its window is stated by each frame (RFC 8878, 3.1.1.1).

use super::decode::Stage;
use crate::{Limits, Problem};
use std::io::{self, Cursor, Read};

/// The bytes of the longest header of a frame.
const HEADER: usize = 18;
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Returns a reader of frames.
pub(super) fn reader(mut input: Stage, limits: &Limits) -> io::Result<Stage> {
    let mut first = Vec::new();
    input.by_ref().take(HEADER as u64).read_to_end(&mut first)?;
    if let Some(window) = window(&first).filter(|window| *window > limits.memory) {
        return Err(Problem::Memory(window).into());
    }
    let mut decoder = zstd::stream::read::Decoder::new(Cursor::new(first).chain(input))?;
    // Later frames are held to the limit, too, up to the next power of two.
    decoder.window_log_max(limits.memory.min(1 << 31).next_power_of_two().ilog2().clamp(10, 31))?;
    Ok(Box::new(decoder))
}

/// Returns the bytes of the window that a frame needs.
fn window(frame: &[u8]) -> Option<u64> {
    let [descriptor, next] = *frame.strip_prefix(&MAGIC)?.first_chunk()?;
    if descriptor & 0x20 == 0 {
        let base = 1_u64 << (10 + (next >> 3));
        return Some(base + (base >> 3) * u64::from(next & 7));
    }
    // The whole frame is the window: its size comes after the number of the dictionary.
    let skip = 5 + [0, 1, 2, 4].get(usize::from(descriptor & 3)).copied().unwrap_or(0);
    let size = frame.get(skip..)?;
    let mut bytes = [0; 8];
    let (length, more) = match descriptor >> 6 {
        0 => (1, 0),
        1 => (2, 256),
        2 => (4, 0),
        _ => (8, 0),
    };
    bytes.get_mut(..length)?.copy_from_slice(size.get(..length)?);
    u64::from_le_bytes(bytes).checked_add(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_needs_too_much_memory_is_refused() {
        let frame = |rest: &[u8]| [&MAGIC[..], rest].concat();
        for (rest, expected) in [
            (&[0x00, 0x58][..], Some(2 << 20)),
            (&[0x00, 0x59], Some((2 << 20) + (256 << 10))),
            (&[0x20, 200], Some(200)),
            (&[0x61, 7, 0, 1], Some(512)),
            (&[0xa0, 0, 0, 0, 1], Some(1 << 24)),
            (&[0xe0, 0, 0, 0, 0, 1, 0, 0, 0], Some(1 << 32)),
            (&[0x60, 1], None),
            (&[], None),
        ] {
            assert_eq!(window(&frame(rest)), expected, "{rest:x?}");
        }
        let input: Stage = Box::new(Cursor::new(frame(&[0x00, 0x58])));
        let error = reader(input, &Limits { memory: 1 << 20 }).err().unwrap();
        assert!(matches!(Problem::from(error), Problem::Memory(memory) if memory == 2 << 20));
    }
}
