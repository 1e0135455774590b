//! Parts of GVariant, the serialisation that OSTree uses: the ends of the members of a container are numbers at its
//! end, of as many bytes as its length needs.

/// Returns the bytes of each of these numbers in a container of this length.
pub(crate) fn offset_size(length: usize) -> usize {
    match length {
        0 => 0,
        1..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

/// Reads the number that is the last but `place` of a container.
fn offset(container: &[u8], place: usize) -> Option<usize> {
    let size = offset_size(container.len());
    let end = container.len().checked_sub(size.checked_mul(place)?)?;
    let bytes = container.get(end.checked_sub(size)?..end)?;
    let mut number = [0; 8];
    number[..size].copy_from_slice(bytes);
    usize::try_from(u64::from_le_bytes(number)).ok()
}

/// Returns the elements of an array, all of variable length and without alignment; `None` for one that can't be. They
/// are not collected, as a hostile array may have millions that are empty.
pub(crate) fn array(container: &[u8]) -> Option<impl Iterator<Item = Option<&[u8]>>> {
    let size = offset_size(container.len()).max(1);
    let first = if container.is_empty() { 0 } else { offset(container, 0)? };
    let count = container.len().checked_sub(first)? / size;
    let mut start = 0;
    Some((0..count).rev().map(move |place| {
        let end = offset(container, place)?;
        let element = container.get(start..end)?;
        start = end;
        Some(element)
    }))
}

/// Returns the members of a tuple, all of variable length and without alignment.
pub(crate) fn tuple<const N: usize>(container: &[u8]) -> Option<[&[u8]; N]> {
    let last = container.len().checked_sub((N - 1).checked_mul(offset_size(container.len()))?)?;
    let mut members = [&b""[..]; N];
    let mut start = 0;
    for (place, member) in members.iter_mut().enumerate() {
        let end = if place + 1 == N { last } else { offset(container, place)? };
        *member = container.get(start..end)?;
        start = end;
    }
    Some(members)
}

/// Returns the part of a tuple between the end of one variable member and that of another, by their places. A place of
/// `None` is the end of the last member, after `count` numbers.
pub(crate) fn between(
    container: &[u8],
    from: usize,
    to: Option<usize>,
    count: usize,
) -> Option<(usize, usize)> {
    let end = match to {
        Some(place) => offset(container, place)?,
        None => container.len().checked_sub(count.checked_mul(offset_size(container.len()))?)?,
    };
    Some((offset(container, from)?, end))
}

/// Returns a container of these members, which end at these places and at its end.
pub(crate) fn framed(mut members: Vec<u8>, ends: &[usize]) -> Vec<u8> {
    // The numbers are as long as the whole with them needs.
    let fits = |size: &usize| offset_size(members.len() + size * ends.len()) == *size;
    let size = [1, 2, 4].into_iter().find(fits).unwrap_or(8);
    for end in ends {
        members.extend_from_slice(&(*end as u64).to_le_bytes()[..size]);
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_end_where_the_numbers_say() {
        // ("ab", [1, 2]): a string with its zero byte, bytes, and the end of the string.
        assert_eq!(tuple::<2>(b"ab\0\x01\x02\x03").unwrap(), [&b"ab\0"[..], b"\x01\x02"]);
        let elements = |bytes| array(bytes).unwrap().collect::<Option<Vec<&[u8]>>>().unwrap();
        assert_eq!(elements(b"a\0bc\0\x02\x05"), [&b"a\0"[..], b"bc\0"]);
        assert_eq!(elements(b""), Vec::<&[u8]>::new());
        // Numbers that lead out of the container.
        for wrong in [&b"\xff"[..], b"a\x09"] {
            assert!(array(wrong).is_none() && tuple::<3>(wrong).is_none(), "{wrong:?}");
        }
        assert!(tuple::<3>(b"\x05\x01\x02").is_none());
    }
}
