//! Numbers in headers and records.

use hashmill_disk::Time;

/// The digits of a second that are kept.
const DIGITS: usize = 9;

/// Returns the number in a field of a header: octal digits (POSIX.1, ustar interchange format), or two's
/// complement in 256s, its highest byte first, if the highest bit is set (GNU). An empty field is zero;
/// `None` if it makes no sense.
pub(super) fn field(bytes: &[u8]) -> Option<i64> {
    match bytes.first() {
        Some(first) if first & 0x80 != 0 => binary(bytes),
        _ => octal(bytes),
    }
}

/// Returns whether a field holds a number at all.
pub(super) fn is_set(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|&first| first != 0) && bytes.iter().any(|byte| !matches!(byte, 0 | b' '))
}

/// Returns a number in octal digits between spaces. A zero byte may stand before it, which some writers left
/// there as the field before was full; after the digits comes a space or zero, if there is room.
fn octal(bytes: &[u8]) -> Option<i64> {
    let bytes = bytes.strip_prefix(&[0]).unwrap_or(bytes).trim_ascii_start();
    let length = bytes.iter().position(|byte| matches!(byte, 0 | b' ')).unwrap_or(bytes.len());
    bytes.get(..length)?.iter().try_fold(0_i64, |number, &digit| match digit {
        b'0'..=b'7' => number.checked_mul(8)?.checked_add(i64::from(digit - b'0')),
        _ => None,
    })
}

/// Returns a number in two's complement. The highest bit says only that it is one, the next is its sign.
fn binary(bytes: &[u8]) -> Option<i64> {
    let (first, rest) = bytes.split_first()?;
    // The sign bit moves to where the mark was.
    let first = i64::from((first << 1).cast_signed() >> 1);
    rest.iter().try_fold(first, |number, &byte| number.checked_mul(256)?.checked_add(i64::from(byte)))
}

/// Returns a number in decimal digits and nothing else, which fits 63 bits as all sizes and positions do.
pub(super) fn decimal(text: &[u8]) -> Option<u64> {
    let digit = |digit: &u8| digit.is_ascii_digit().then(|| i64::from(digit - b'0'));
    let add = |number: i64, byte: &u8| number.checked_mul(10)?.checked_add(digit(byte)?);
    if text.is_empty() { None } else { text.iter().try_fold(0, add).map(i64::cast_unsigned) }
}

/// Returns a time in decimal seconds, with a fraction or not. Digits beyond nanoseconds are cut off, towards
/// the past.
pub(super) fn time(text: &[u8]) -> Option<Time> {
    let (is_negative, text) = match text.strip_prefix(b"-") {
        Some(text) => (true, text),
        None => (false, text),
    };
    let mut parts = text.splitn(2, |&byte| byte == b'.');
    let whole = decimal(parts.next()?)?.cast_signed();
    let fraction = parts.next().unwrap_or_default();
    if !fraction.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (kept, cut) = fraction.split_at_checked(DIGITS).unwrap_or((fraction, &[]));
    let nanoseconds = (0..DIGITS)
        .map(|at| u32::from(kept.get(at).map_or(0, |digit| digit - b'0')))
        .fold(0, |number, digit| number * 10 + digit);
    if !is_negative {
        return Some(Time { seconds: whole, nanoseconds });
    }
    let back = nanoseconds + u32::from(cut.iter().any(|&digit| digit != b'0'));
    Some(match back {
        0 => Time { seconds: -whole, nanoseconds: 0 },
        _ => Time { seconds: (-whole).checked_sub(1)?, nanoseconds: 1_000_000_000 - back },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_octal_or_binary() {
        let cases: [(&[u8], Option<i64>); 13] = [
            (b"00000000017\0", Some(15)),
            (b"     17 \0", Some(15)),
            (b"777777777777", Some(0o777_777_777_777)),
            (b"\x0000000017 ", Some(15)),
            (b"\0\0\0\0\0\0\0\0", Some(0)),
            (b"        ", Some(0)),
            (b"0000018\0", None),
            (b"-000001\0", None),
            (b"\x80\0\0\0\0\0\0\0\0\0\x01\x02", Some(258)),
            (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe", Some(-2)),
            (b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", Some(i64::MAX)),
            (b"\x80\0\0\0\x80\0\0\0\0\0\0\0", None),
            (b"\xff\xff\xff\xff\x80\0\0\0\0\0\0\0", Some(i64::MIN)),
        ];
        for (bytes, number) in cases {
            assert_eq!(field(bytes), number, "{bytes:?}");
        }
    }

    #[test]
    fn times_before_1970_have_their_nanoseconds_after_the_whole_second() {
        let cases: [(&str, Option<(i64, u32)>); 10] = [
            ("12", Some((12, 0))),
            ("12.5", Some((12, 500_000_000))),
            ("12.0000000019", Some((12, 1))),
            ("-1", Some((-1, 0))),
            ("-1.25", Some((-2, 750_000_000))),
            ("-0.0000000001", Some((-1, 999_999_999))),
            ("", None),
            ("1.x", None),
            ("9223372036854775807", Some((i64::MAX, 0))),
            ("9223372036854775808", None),
        ];
        for (text, expected) in cases {
            let found = time(text.as_bytes()).map(|time| (time.seconds, time.nanoseconds));
            assert_eq!(found, expected, "{text}");
        }
    }
}
