//! LZNT1, the compression of NTFS: chunks of up to 4 KiB, each on its own.
//!
//! Source: [MS-XCA] 2.5.

use crate::Problem;
use crate::fields::le16;

/// The number of bytes that a chunk stands for.
const CHUNK: usize = 4096;

/// Decompresses chunks until they end or the output is full. A chunk that is short, and what no chunk stands for, is
/// filled with zeros, as NTFS does.
///
/// # Errors
/// If the bytes are not LZNT1.
pub(super) fn decompress(mut input: &[u8], output: &mut [u8]) -> Result<(), Problem> {
    output.fill(0);
    for chunk in output.chunks_mut(CHUNK) {
        let Some(header) = le16(input, 0).filter(|header| *header != 0) else { return Ok(()) };
        let length = usize::from(header & 0xfff) + 1;
        let stored = input.get(2..2 + length).ok_or_else(damaged)?;
        if header & 0x8000 == 0 {
            chunk.get_mut(..length).ok_or_else(damaged)?.copy_from_slice(stored);
        } else {
            decompress_chunk(stored, chunk)?;
        }
        input = input.get(2 + length..).unwrap_or_default();
    }
    Ok(())
}

/// Decompresses one chunk: bytes of flags, each before eight bytes or references to what came before.
fn decompress_chunk(mut input: &[u8], output: &mut [u8]) -> Result<(), Problem> {
    let mut filled = 0;
    while let Some((&flags, rest)) = input.split_first() {
        input = rest;
        for bit in 0..8 {
            if input.is_empty() {
                break;
            }
            if flags >> bit & 1 == 0 {
                *output.get_mut(filled).ok_or_else(damaged)? = input[0];
                filled += 1;
                input = &input[1..];
            } else {
                let pair = le16(input, 0).ok_or_else(damaged)?;
                filled = repeat(pair, filled, output)?;
                input = &input[2..];
            }
        }
    }
    Ok(())
}

/// Repeats earlier bytes: the upper bits are the distance, as many as it takes to reach the start, but at least four; the
/// others are the length. Returns the number of bytes that are filled then.
fn repeat(pair: u16, filled: usize, output: &mut [u8]) -> Result<usize, Problem> {
    let distance_bits = filled.next_power_of_two().trailing_zeros().clamp(4, 12);
    let length_bits = 16 - distance_bits;
    let distance = usize::from(pair >> length_bits) + 1;
    let length = usize::from(pair & ((1 << length_bits) - 1)) + 3;
    if distance > filled || filled + length > output.len() {
        return Err(damaged());
    }
    // The source may reach into what is being filled.
    for at in filled..filled + length {
        output[at] = output[at - distance];
    }
    Ok(filled + length)
}

fn damaged() -> Problem {
    Problem::damaged("its compressed bytes make no sense")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of [MS-XCA] 3.3.
    #[test]
    fn the_standards_example() {
        let stored = [
            0x38, 0xb0, 0x88, 0x46, 0x23, 0x20, 0x00, 0x20, 0x47, 0x20, 0x41, 0x00, 0x10, 0xa2, 0x47, 0x01,
            0xa0, 0x45, 0x20, 0x44, 0x00, 0x08, 0x45, 0x01, 0x50, 0x79, 0x00, 0xc0, 0x45, 0x20, 0x05, 0x24,
            0x13, 0x88, 0x05, 0xb4, 0x02, 0x4a, 0x44, 0xef, 0x03, 0x58, 0x02, 0x8c, 0x09, 0x16, 0x01, 0x48,
            0x45, 0x00, 0xbe, 0x00, 0x9e, 0x00, 0x04, 0x01, 0x18, 0x90, 0x00,
        ];
        let expected = b"F# F# G A A G F# E D D E F# F# E E F# F# G A A G F# E D D E F# E D D E E F# D E \
            F# G F# D E F# G F# E D E A F# F# G A A G F# E D D E F# E D D\0";
        let mut output = vec![9; expected.len()];
        decompress(&stored, &mut output).unwrap();
        assert_eq!(output, expected);
    }

    #[test]
    fn stored_chunks_short_chunks_and_the_end() {
        let mut stored = vec![0xff, 0x3f];
        stored.extend([7; CHUNK]);
        stored.extend([0x02, 0xb0, 0x02, b'a', 0xff, 0, 0, 0, 1]);
        // A repetition that is longer than the output does not fit.
        assert!(decompress(&stored, &mut [0; CHUNK + 100]).is_err());
        stored.splice(CHUNK + 2.., [0x03, 0xb0, 0x02, b'a', 0x02, 0x00, 0, 0]);
        let mut output = vec![9; 3 * CHUNK];
        decompress(&stored, &mut output).unwrap();
        assert_eq!(output[..CHUNK], [7; CHUNK]);
        assert_eq!(output[CHUNK..CHUNK + 7], *b"aaaaaa\0");
        assert!(output[CHUNK + 6..].iter().all(|byte| *byte == 0));
    }

    #[test]
    fn bytes_that_are_none_are_told() {
        for stored in [&[0x05, 0xb0, 0][..], &[0x02, 0xb0, 1, 0, 0], &[0x01, 0xb0, 1, 0], &[0x03, 0x30, 1]] {
            assert!(decompress(stored, &mut [0; 64]).is_err(), "{stored:x?}");
        }
    }
}
