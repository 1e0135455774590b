//! Escaping of file names in text lines, as coreutils does it.
//!
//! A line with an escaped name starts with a backslash; in the name, a backslash, a line feed and a carriage return are
//! written `\\`, `\n` and `\r`. All other bytes stand for themselves.

use hashmill_digest::Algorithm;

/// Returns whether a name must be escaped. A backslash alone would not need it, but coreutils escapes it too, so that a
/// written name is never ambiguous.
pub(crate) fn needs_escape(name: &[u8]) -> bool {
    memchr::memchr3(b'\\', b'\n', b'\r', name).is_some()
}

/// Returns whether a name is escaped in a line of this algorithm. xxhsum before 0.8.3 knows no escapes and writes
/// backslashes unchanged; all its versions read that, as does every program that unescapes marked lines only.
pub(crate) fn escapes(name: &[u8], algorithm: &Algorithm) -> bool {
    let xxhsum = algorithm.name.starts_with("xxh");
    if xxhsum { memchr::memchr2(b'\n', b'\r', name).is_some() } else { needs_escape(name) }
}

/// Appends the escaped name.
pub(crate) fn escape(name: &[u8], line: &mut Vec<u8>) {
    for &byte in name {
        match byte {
            b'\\' => line.extend_from_slice(b"\\\\"),
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\r' => line.extend_from_slice(b"\\r"),
            _ => line.push(byte),
        }
    }
}

/// Unescapes a name; returns `None` if a backslash stands before anything but `\`, `n`, `r` or a space.
///
/// Only hashmill writes `\ ` (in the hashdeep format, where the end of a name could look like a piece).
pub fn unescape(text: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        let plain = match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                b' ' => b' ',
                _ => return None,
            },
            _ => byte,
        };
        name.push(plain);
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaping_round_trips() {
        let name = b"a\\b\nc\rd \xff";
        let mut line = Vec::new();
        escape(name, &mut line);
        assert_eq!(line, b"a\\\\b\\nc\\rd \xff");
        assert_eq!(unescape(&line).as_deref(), Some(&name[..]));
    }

    #[test]
    fn unknown_escapes_are_refused() {
        assert_eq!(unescape(b"a\\t"), None);
        assert_eq!(unescape(b"a\\"), None);
    }
}
