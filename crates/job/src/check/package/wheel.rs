//! Wheels of Python: `RECORD` has the digest of each file (Binary distribution format, "The .dist-info directory").

use super::claims::{Claims, member};
use super::small::SmallMembers;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Returns whether a wheel must list a member: all but the list itself and signatures of it.
pub(super) fn is_due(path: &[u8]) -> bool {
    ![&b".dist-info/RECORD"[..], b".dist-info/RECORD.jws", b".dist-info/RECORD.p7s"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// Returns what a wheel states of its files. The list itself and signatures of it have no digest.
pub(super) fn claims(package: &[u8], small: &SmallMembers, _: usize) -> Claims {
    let mut claims = Claims::default();
    let is_record = |path: &[u8]| path.ends_with(b".dist-info/RECORD");
    for (_, text) in small.texts(is_record).take(1) {
        for line in text.split(|byte| *byte == b'\n') {
            let Some((path, digest, size)) = row(line.strip_suffix(b"\r").unwrap_or(line)) else { continue };
            let Some((algorithm, value)) = digest.split_once('=') else { continue };
            let value = URL_SAFE_NO_PAD.decode(value.trim_end_matches('=')).unwrap_or_default();
            claims.add(member(package, &path), (algorithm, &value), size.parse().ok());
        }
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
