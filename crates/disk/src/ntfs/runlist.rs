//! The packed list of runs of an attribute: lengths, and distances from the run before.

use crate::{ByteRuns, Problem};

/// Adds the runs in a packed list. Each begins with a byte that has two counts of bytes: those of its length, and those
/// of its signed distance from the start of the run before; without the latter, it is a hole. A zero ends the list.
///
/// # Errors
/// If the list makes no sense, or a run lies beyond the end of the file system, which has `size` bytes.
pub(super) fn decode(mut list: &[u8], cluster: u64, size: u64, runs: &mut ByteRuns) -> Result<(), Problem> {
    let mut place = 0_i64;
    while let Some((&counts, rest)) = list.split_first()
        && counts != 0
    {
        let (length, rest) = number(rest, counts & 15)?;
        let (distance, rest) = number(rest, counts >> 4)?;
        let length = u64::try_from(length).ok().filter(|length| *length > 0);
        let length = length.ok_or_else(|| Problem::damaged("a run has no length"))?;
        let start = if counts >> 4 == 0 {
            None
        } else {
            place = place.checked_add(distance).ok_or(Problem::Beyond)?;
            let start = u64::try_from(place).ok().and_then(|start| start.checked_mul(cluster));
            Some(start.ok_or(Problem::Beyond)?)
        };
        runs.push(start, length.checked_mul(cluster).ok_or(Problem::Beyond)?, size)?;
        list = rest;
    }
    Ok(())
}

/// Splits a signed number of up to eight bytes off, whose least byte comes first.
fn number(bytes: &[u8], count: u8) -> Result<(i64, &[u8]), Problem> {
    let split = bytes.split_at_checked(usize::from(count)).filter(|_| count <= 8);
    let (stored, rest) = split.ok_or_else(|| Problem::damaged("its list of runs is cut off"))?;
    let is_negative = stored.last().is_some_and(|byte| byte & 0x80 != 0);
    let mut whole = [if is_negative { 0xff } else { 0 }; 8];
    whole[..stored.len()].copy_from_slice(stored);
    Ok((i64::from_le_bytes(whole), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ByteRun;

    fn decoded(list: &[u8]) -> Result<Vec<ByteRun>, Problem> {
        let mut runs = ByteRuns::default();
        decode(list, 512, 1 << 20, &mut runs).map(|()| runs.as_slice().to_vec())
    }

    #[test]
    fn distances_go_back_and_holes_have_none() {
        let list = [0x21, 0x18, 0x34, 0x02, 0x01, 0x05, 0x11, 0x08, 0xe0, 0x12, 0x10, 0x00, 0x02, 0x00];
        let expected = [(0, 24, Some(0x234)), (24, 5, None), (29, 8, Some(0x214)), (37, 16, Some(0x216))];
        let run = |(at, length, place): (u64, u64, Option<u64>)| ByteRun {
            at: at * 512,
            length: length * 512,
            place: place.map(|place| place * 512),
        };
        assert_eq!(decoded(&list).unwrap(), expected.map(run));
    }

    #[test]
    fn lists_that_make_no_sense_are_told() {
        for list in [
            &[0x11][..],
            &[0x11, 1],
            &[0x11, 0, 1],
            &[0x11, 0xff, 1],
            &[0x11, 1, 0xff],
            &[0x31, 1, 0, 0, 1],
            &[0x19, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
            &[0x01, 1, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
            &[0x81, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        ] {
            assert!(decoded(list).is_err(), "{list:x?}");
        }
        assert_eq!(decoded(&[]).unwrap(), []);
    }
}
