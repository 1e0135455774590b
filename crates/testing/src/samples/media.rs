//! Media for tests of images.

/// Returns media with zeros, text, noise and a pattern, to exercise every way of storing a chunk.
pub fn mixed(size: usize) -> Vec<u8> {
    const BLOCK: usize = 64 << 10;
    let mut media = Vec::with_capacity(size + BLOCK);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut kind = 0;
    while media.len() < size {
        match kind % 4 {
            0 => media.resize(media.len() + BLOCK, 0),
            1 => (0..BLOCK / 16)
                .for_each(|line| media.extend_from_slice(format!("line {line:9} \n").as_bytes())),
            2 => media.extend((0..BLOCK / 8).flat_map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state.to_le_bytes()
            })),
            _ => media.extend(std::iter::repeat_n(*b"\xaa\x55\x00\xff", BLOCK / 4).flatten()),
        }
        kind += 1;
    }
    media.truncate(size);
    media
}
