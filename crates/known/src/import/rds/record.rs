//! Rows as SQLite stores them: a header with the types of values, then the values.

/// The most columns of a table that are read. Tables of an RDS have at most ten.
pub(super) const WIDEST: usize = 24;

/// A value of a row. An RDS has no real numbers or blobs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Integer(i64),
    Text(&'a [u8]),
    Other,
}

impl Value<'_> {
    /// Returns the value as a number, converting text like SQLite.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Value::Integer(value) => Some(*value),
            Value::Text(text) => str::from_utf8(text).ok()?.trim().parse().ok(),
            _ => None,
        }
    }

    /// Returns the value as text, as SQLite compares a column of text or numbers with a literal of the other type.
    pub fn text(&self) -> Option<Box<[u8]>> {
        match self {
            Value::Integer(value) => Some(value.to_string().into_bytes().into()),
            Value::Text(text) => Some((*text).into()),
            Value::Null | Value::Other => None,
        }
    }
}

/// Reads a number with seven bits in each byte. Returns it and its end.
#[inline(always)]
pub(super) fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    // Most have one or two bytes: types of values, and lengths of rows.
    match bytes.get(at..)? {
        [byte @ ..0x80, ..] => Some((u64::from(*byte), at + 1)),
        [high, low @ ..0x80, ..] => Some((u64::from(high & 0x7f) << 7 | u64::from(*low), at + 2)),
        _ => long_varint(bytes, at),
    }
}

fn long_varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for place in at..at + 8 {
        let byte = *bytes.get(place)?;
        value = value << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((value, place + 1));
        }
    }
    let last = *bytes.get(at + 8)?;
    Some((value << 8 | u64::from(last), at + 9))
}

/// Splits a record into values and returns their number. Values after [`WIDEST`] are ignored.
#[inline]
pub(super) fn record<'a>(payload: &'a [u8], values: &mut [Value<'a>; WIDEST]) -> Option<usize> {
    let (header, mut at) = varint(payload, 0)?;
    let header = usize::try_from(header).ok().filter(|header| *header <= payload.len())?;
    let (mut body, mut count) = (header, 0);
    while at < header && count < WIDEST {
        let (kind, next) = varint(payload, at)?;
        let length = length(kind)?;
        let bytes = payload.get(body..body.checked_add(length)?)?;
        values[count] = value(kind, bytes);
        (at, body, count) = (next, body + length, count + 1);
    }
    Some(count)
}

#[inline(always)]
fn length(kind: u64) -> Option<usize> {
    Some(match kind {
        12.. => usize::try_from((kind - 12) / 2).ok()?,
        0 | 8 | 9 => 0,
        1..=4 => kind as usize,
        5 => 6,
        6 | 7 => 8,
        _ => return None,
    })
}

#[inline(always)]
fn value(kind: u64, bytes: &[u8]) -> Value<'_> {
    match kind {
        13.. if kind % 2 == 1 => Value::Text(bytes),
        0 => Value::Null,
        1..=6 => Value::Integer(integer(bytes)),
        8 | 9 => Value::Integer(kind as i64 - 8),
        _ => Value::Other,
    }
}

/// Decodes a two's complement number, most significant byte first.
fn integer(bytes: &[u8]) -> i64 {
    let sign = bytes.first().map_or(0, |first| i64::from(*first as i8) >> 7);
    bytes.iter().fold(sign, |value, byte| value << 8 | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_sqlite_writes_them() {
        assert_eq!(varint(&[0x05], 0), Some((5, 1)));
        assert_eq!(varint(&[0x81, 0x00], 0), Some((128, 2)));
        assert_eq!(varint(&[0x81, 0x80, 0x01], 0), Some((1 << 14 | 1, 3)));
        assert_eq!(varint(&[0xff; 9], 0), Some((u64::MAX, 9)));
        assert_eq!(varint(&[0x80, 0x80], 0), None);
        assert_eq!(varint(&[0x05], 1), None);
        assert_eq!(integer(&[0xff]), -1);
        assert_eq!(integer(&[0x01, 0x00]), 256);
        assert_eq!(integer(&[]), 0);
    }

    #[test]
    fn records_are_taken_apart() {
        let mut values = [Value::Null; WIDEST];
        assert_eq!(record(&[4, 19, 1, 9, b'a', b'b', b'c', 0xfe], &mut values), Some(3));
        assert_eq!(values[..3], [Value::Text(b"abc"), Value::Integer(-2), Value::Integer(1)]);
        assert!(record(&[9, 19], &mut values).is_none());
    }
}
