//! Byte ranges as text: `[[offset,length],…]`, which is JSON.

use super::naming::write_number;
use crate::Piece;
use crate::format::malformed::{Bad, Why};

pub(in crate::format) fn write(ranges: &[Piece], line: &mut Vec<u8>) {
    line.push(b'[');
    for (number, range) in ranges.iter().enumerate() {
        line.extend_from_slice(if number == 0 { b"[" } else { b",[" });
        write_number(range.offset, line);
        line.push(b',');
        write_number(range.length, line);
        line.push(b']');
    }
    line.push(b']');
}

pub(in crate::format) fn read(text: &[u8]) -> Result<Box<[Piece]>, Bad> {
    let pairs: Vec<(u64, u64)> =
        serde_json::from_slice(text).map_err(|_| Bad::new("bad_blocks", Why::Ranges))?;
    checked(pairs)
}

/// Converts pairs of offset and length, which must be sorted, not adjacent and not empty.
pub(in crate::format) fn checked(pairs: Vec<(u64, u64)>) -> Result<Box<[Piece]>, Bad> {
    let mut end = 0;
    for &(offset, length) in &pairs {
        let next = offset.checked_add(length).filter(|_| offset >= end && length > 0);
        end = next.ok_or(Bad::new("bad_blocks", Why::Ranges))?;
    }
    Ok(pairs.into_iter().map(|(offset, length)| Piece { offset, length }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_written() {
        for pairs in [vec![], vec![(0, 512)], vec![(0, 512), (1024, 1), (1 << 60, u64::MAX >> 1)]] {
            let ranges = checked(pairs).unwrap();
            let mut text = Vec::new();
            write(&ranges, &mut text);
            assert_eq!(read(&text).unwrap(), ranges);
        }
        let mut text = Vec::new();
        write(&[Piece { offset: 5, length: 7 }, Piece { offset: 20, length: 1 }], &mut text);
        assert_eq!(text, b"[[5,7],[20,1]]");
    }

    #[test]
    fn what_is_no_list_of_ranges_is_refused() {
        for text in
            ["", "7", "[7]", "[[1]]", "[[1,2,3]]", "[[1,0]]", "[[5,5],[9,1]]", "[[9,1],[5,1]]", "[[-1,5]]"]
        {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read(format!("[[{},1]]", u64::MAX).as_bytes()).is_err(), "it ends beyond 64 bits");
    }
}
