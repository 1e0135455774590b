//! Wheels of Python: `RECORD` has the digest of each file (Binary distribution format, "The .dist-info directory").

use super::claims::{Claims, member};
use super::small::SmallMembers;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Returns whether a wheel must list a member: all but its own list. A file with the name of a signature of that
/// (`RECORD.jws`) may be anything, and programs install it.
pub(super) fn is_due(path: &[u8]) -> bool {
    !is_own(path, b"RECORD")
}

/// Returns whether a path is that of a file with this name in a folder of metadata on top of a wheel.
fn is_own(path: &[u8], name: &[u8]) -> bool {
    let folder = path.strip_suffix(name).and_then(|rest| rest.strip_suffix(b".dist-info/"));
    folder.is_some_and(|folder| !folder.contains(&b'/'))
}

/// Returns what a wheel states of its files. The list itself has no digest.
pub(super) fn claims(package: &[u8], small: &SmallMembers, _: usize) -> Claims {
    let mut claims = Claims::default();
    let root = member(package, b"");
    let mut lists = small.texts(|path| path.strip_prefix(&*root).is_some_and(|path| is_own(path, b"RECORD")));
    let Some((list, text)) = lists.next() else { return claims };
    for (other, _) in lists {
        claims.doubt(
            other,
            "ambiguous",
            "the wheel has another list: which of them counts depends on the program",
        );
    }
    for line in text.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some((path, digest, size)) = row(line) else {
            if !line.is_empty() {
                claims.doubt(list, "damaged", "a line of it is not a path, a digest and a size");
            }
            continue;
        };
        let Some((algorithm, value)) = digest.split_once('=') else { continue };
        let value = URL_SAFE_NO_PAD.decode(value.trim_end_matches('=')).unwrap_or_default();
        claims.add(member(package, &path), algorithm, &value, size.parse().ok());
    }
    claims
}

/// Splits a line of CSV: the path, which may be quoted, the digest and the size.
fn row(line: &[u8]) -> Option<(Vec<u8>, &str, &str)> {
    let (path, rest) = match line.strip_prefix(b"\"") {
        None => {
            let at = line.iter().position(|byte| *byte == b',')?;
            (line[..at].to_vec(), &line[at + 1..])
        }
        Some(quoted) => {
            let mut path = Vec::new();
            let mut at = 0;
            loop {
                match (quoted.get(at)?, quoted.get(at + 1)) {
                    (b'"', Some(b'"')) => {
                        path.push(b'"');
                        at += 2;
                    }
                    (b'"', Some(b',')) => break (path, &quoted[at + 2..]),
                    (b'"', _) => return None,
                    (byte, _) => {
                        path.push(*byte);
                        at += 1;
                    }
                }
            }
        }
    };
    let (digest, size) = std::str::from_utf8(rest).ok()?.split_once(',')?;
    Some((path, digest, size))
}

#[cfg(test)]
mod tests {
    use super::row;

    #[test]
    fn lines_of_a_record_are_split() {
        assert_eq!(row(b"a/b.py,sha256=x,5"), Some((b"a/b.py".to_vec(), "sha256=x", "5")));
        assert_eq!(row(b"\"a,\"\"b\"\"\",sha256=x,5"), Some((b"a,\"b\"".to_vec(), "sha256=x", "5")));
        assert_eq!(row(b"p/RECORD,,"), Some((b"p/RECORD".to_vec(), "", "")));
        assert!(row(b"\"open").is_none() && row(b"a").is_none());
    }
}
