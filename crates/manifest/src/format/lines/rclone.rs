//! Lines of `rclone hashsum` for files without a digest, which have a word or blanks in its place.

use crate::{Record, Status};
use hashmill_digest::of_bits;

/// Returns the record of a file without a digest. `width` is the length of the digests in earlier lines, if there were
/// any: the padded word or the blanks have the same width.
pub(in crate::format) fn without_digest(line: &[u8], width: Option<usize>) -> Option<Record> {
    let text = line.trim_ascii_start();
    let blanks = line.len() - text.len();
    for (word, reason) in [(&b"UNSUPPORTED"[..], "unsupported"), (b"ERROR", "failed")] {
        let name = text.strip_prefix(word).and_then(|rest| rest.strip_prefix(b"  "));
        let aligned = width.is_none_or(|width| blanks + word.len() == width.max(word.len()));
        if let Some(name) = name.filter(|name| !name.is_empty() && aligned) {
            return Some(record(name, reason));
        }
    }
    let width = width.or_else(|| blanks.checked_sub(2).filter(|width| is_width(*width)))?;
    (!text.is_empty() && blanks >= width + 2).then(|| record(&line[width + 2..], "unsupported"))
}

/// Returns whether this number of blanks can stand for a digest of unknown length, in hexadecimal or in base64.
fn is_width(width: usize) -> bool {
    let is_hex = || width >= 32 && u32::try_from(width * 4).is_ok_and(|bits| of_bits(bits).next().is_some());
    let bytes = width / 4 * 3;
    let mut lengths = bytes.saturating_sub(2)..=bytes;
    let mut is_base64 = || {
        width >= 24
            && width.is_multiple_of(4)
            && lengths.any(|bytes| of_bits(8 * bytes as u32).next().is_some())
    };
    is_hex() || is_base64()
}

fn record(name: &[u8], reason: &str) -> Record {
    Record { reason: Some(reason.into()), ..Record::bare(name.into(), Status::Unreadable) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_digests_are_told_from_titles() {
        let found = |line: &str, width| {
            let record = without_digest(line.as_bytes(), width)?;
            Some(format!("{}: {}", String::from_utf8_lossy(&record.path), record.reason?))
        };
        let padded = |word: &str, width: usize| format!("{word:>width$}  a b");
        let unsupported = Some("a b: unsupported".to_string());
        for width in [8, 32, 64] {
            assert_eq!(found(&padded("UNSUPPORTED", width), None), unsupported);
            assert_eq!(found(&padded("UNSUPPORTED", width), Some(width)), unsupported);
            assert_eq!(found(&padded("ERROR", width), Some(width)).as_deref(), Some("a b: failed"));
            assert_eq!(found(&padded("", width), Some(width)), unsupported);
        }
        assert_eq!(found(&padded("", 32), None), unsupported);
        assert_eq!(found(&padded("", 10), None), None);
        assert_eq!(found(&padded("ERROR", 32), Some(40)), None);
        assert_eq!(found("ERROR: no such file", None), None);
        assert_eq!(found("ERROR  ", None), None);
    }
}
