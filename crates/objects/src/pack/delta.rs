//! Deltas: instructions that make an object of parts of another and of bytes of their own.

/// The sizes that a delta states: that of its base, that of its result, and the bytes of both numbers.
pub(super) fn sizes(delta: &[u8]) -> Option<(u64, u64, usize)> {
    let mut at = 0;
    let base = size(delta, &mut at)?;
    Some((base, size(delta, &mut at)?, at))
}

fn size(delta: &[u8], at: &mut usize) -> Option<u64> {
    let (mut size, mut shift) = (0, 0);
    loop {
        let byte = *delta.get(*at)?;
        *at += 1;
        let bits = u64::from(byte & 0x7f);
        size |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(size);
        }
    }
}

/// Makes an object of its base; `None` if the delta is none of this base. The result is never longer than the delta
/// states, so the caller checks that size before.
pub(super) fn apply(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let (base_size, size, mut at) = sizes(delta)?;
    let size = usize::try_from(size).ok().filter(|_| base_size == base.len() as u64)?;
    let mut result = Vec::with_capacity(size);
    while at < delta.len() {
        let instruction = delta[at];
        at += 1;
        let part = match instruction {
            0 => return None,
            1..=0x7f => {
                let start = at;
                at += usize::from(instruction);
                delta.get(start..at)?
            }
            _ => {
                let offset = number(delta, &mut at, instruction & 0x0f)?;
                let length = match number(delta, &mut at, instruction >> 4 & 7)? {
                    0 => 0x1_0000,
                    length => length,
                };
                base.get(offset..offset.checked_add(length)?)?
            }
        };
        if part.len() > size - result.len() {
            return None;
        }
        result.extend_from_slice(part);
    }
    (result.len() == size).then_some(result)
}

/// Reads a number whose bytes are there as the bits say, the lowest first.
fn number(delta: &[u8], at: &mut usize, bits: u8) -> Option<usize> {
    let mut number = 0;
    for place in (0..8).filter(|place| bits >> place & 1 == 1) {
        number |= usize::from(*delta.get(*at)?) << (8 * place);
        *at += 1;
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_copied_and_added() {
        // 6 bytes of base, 8 of result: 3 from place 1, then "xy", then 3 from place 0.
        let delta = b"\x06\x08\x91\x01\x03\x02xy\x90\x03";
        assert_eq!(apply(b"abcdef", delta).unwrap(), b"bcdxyabc");
        assert_eq!(apply(b"abcde", delta), None);
        for length in 0..delta.len() {
            assert_eq!(apply(b"abcdef", &delta[..length]), None, "{length}");
        }
        for wrong in [
            &b"\x06\x03\x91\x04\x03"[..],
            b"\x06\x02\x91\x01\x03",
            b"\x06\x01\0",
            b"\x06\x05\x05xy",
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01",
        ] {
            assert_eq!(apply(b"abcdef", wrong), None, "{wrong:?}");
        }
    }
}
