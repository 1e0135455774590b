//! The head of an object in a pack: its type, its size and its base.

/// The type of an object in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind<'a> {
    /// A whole object, with the word of its type.
    Whole(&'static str),
    /// A delta of the object that begins so many bytes before.
    Before(u64),
    /// A delta of the object of this name.
    Named(&'a [u8]),
}

/// The head of an object in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryHead<'a> {
    pub kind: EntryKind<'a>,
    /// The decompressed bytes.
    pub size: u64,
    /// The bytes of the head.
    pub length: usize,
}

/// The most bytes of a head: the size, and an offset or a name.
pub(super) const LONGEST_HEAD: usize = 10 + 32;

/// Reads the head of an object; `None` if it is none.
pub(super) fn parse(bytes: &[u8], digest: usize) -> Option<EntryHead<'_>> {
    let first = *bytes.first()?;
    let (mut size, mut shift, mut at, mut byte) = (u64::from(first & 0x0f), 4, 1, first);
    while byte & 0x80 != 0 {
        byte = *bytes.get(at)?;
        let bits = u64::from(byte & 0x7f);
        size |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
        (shift, at) = (shift + 7, at + 1);
    }
    let kind = match first >> 4 & 7 {
        1 => EntryKind::Whole("commit"),
        2 => EntryKind::Whole("tree"),
        3 => EntryKind::Whole("blob"),
        4 => EntryKind::Whole("tag"),
        6 => EntryKind::Before(distance(bytes, &mut at)?),
        7 => {
            at += digest;
            EntryKind::Named(bytes.get(at - digest..at)?)
        }
        _ => return None,
    };
    Some(EntryHead { kind, size, length: at })
}

/// Reads a distance: seven bits a byte, and one is added at each further one.
fn distance(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut byte = *bytes.get(*at)?;
    let mut distance = u64::from(byte & 0x7f);
    *at += 1;
    while byte & 0x80 != 0 {
        byte = *bytes.get(*at)?;
        *at += 1;
        distance = distance.checked_add(1)?.checked_mul(0x80)? | u64::from(byte & 0x7f);
    }
    Some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_have_sizes_and_bases() {
        let read = |bytes| parse(bytes, 20);
        assert_eq!(read(b"\x35"), Some(EntryHead { kind: EntryKind::Whole("blob"), size: 5, length: 1 }));
        let long = EntryHead { kind: EntryKind::Whole("commit"), size: 5 + 16 * 2, length: 2 };
        assert_eq!(read(b"\x95\x02"), Some(long));
        assert_eq!(read(b"\x60\x80\x01").unwrap().kind, EntryKind::Before(129));
        let named = [&b"\x71"[..], &[7; 20]].concat();
        assert_eq!(read(&named).unwrap().kind, EntryKind::Named(&[7; 20]));
        for wrong in [&b""[..], b"\x05", b"\x55", b"\x95", b"\x60", b"\x60\x80", b"\x71abc", &[0xff; 20]] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }
}
