//! Digests alone, without names. Most downloads have a file beside them with one digest (`x.tar.gz.sha256`, Maven's
//! `.sha1`): the file that it is of is named as the list is, without the ending.

use crate::format::read::content::content;
use crate::format::read::list_line::{Line, Spacing, digests_alone, is_digest, split};
use crate::format::read::text::SNIFFED;
use crate::format::row::Format;
use crate::format::values::hint;
use crate::format::values::naming::{is_hex, is_tag, of_base32, of_base64};

/// The way a list names its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) enum Names {
    /// Each line has a name.
    InLines,
    /// There is one digest, or several of different lengths, and no name.
    InTitle,
    /// There are several lines, all without a name.
    Nowhere,
}

impl Names {
    /// Returns the way a list of this format with these first bytes names its files.
    pub fn find(first: &[u8], format: &Format) -> Names {
        if format.name != "plain" {
            return Names::InLines;
        }
        let is_alone = |line| is_hex(<[u8]>::trim_ascii(line)) || digests_alone(line).is_some();
        match content(first).filter(|line| !is_alone(line)).count() {
            _ if digest(first).is_some() => Names::InTitle,
            0 if first.len() < SNIFFED && content(first).count() == 1 => Names::InTitle,
            0 => Names::Nowhere,
            _ => Names::InLines,
        }
    }
}

/// Returns the only digest of a file, and its algorithm if the file names it.
pub(in crate::format) fn digest(first: &[u8]) -> Option<(Option<&[u8]>, Vec<u8>)> {
    if first.len() >= SNIFFED {
        return None;
    }
    let lines: Vec<&[u8]> = content(first).map(<[u8]>::trim_ascii).collect();
    let only = || if let [line] = lines[..] { one(line) } else { None };
    only().or_else(|| grouped(&lines).map(|digest| (None, digest)))
}

/// Parses a line with a digest and no name, or with OpenSSL's word for standard input in the name's place.
fn one(line: &[u8]) -> Option<(Option<&[u8]>, Vec<u8>)> {
    let shaped = |text: &[u8]| is_digest(text) || of_base32(text).is_some() || of_base64(text).is_some();
    let line = line.strip_prefix(b"(stdin)= ").or(line.strip_suffix(b" *stdin")).unwrap_or(line);
    if shaped(line) {
        return Some((None, line.to_vec()));
    }
    let tagged = match split(line, &mut Spacing::Unknown, Some(false)) {
        Some(Line::Tagged { tag, digest, name: b"stdin" }) => Some((tag, digest)),
        // A name in parentheses is one, whatever else is before the colon: `FS-VERITY (\) = sha256:…`.
        _ => memchr::memchr(b':', line)
            .map(|colon| (&line[..colon], &line[colon + 1..]))
            .filter(|(tag, _)| !tag.iter().any(|byte| b"()=\\".contains(byte))),
    };
    let (tag, digest) = tagged.filter(|(tag, digest)| is_tag(tag) && is_digest(digest))?;
    Some((Some(tag), digest.to_vec()))
}

/// The number of digits of a group, as gpg (`--print-md`) and old versions of certutil write them.
const GROUPS: [usize; 3] = [2, 4, 8];

/// The fewest digits of a digest in groups: MD5's.
pub(in crate::format) const FEWEST_DIGITS: usize = 32;

/// Returns the digits of groups of one length with blanks between them.
pub(in crate::format) fn groups(text: &[u8]) -> Option<Vec<u8>> {
    let mut words = crate::format::read::text::words(text).peekable();
    let length = words.peek()?.len();
    let mut digits = Vec::with_capacity(text.len());
    for word in words {
        if word.len() != length || !word.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        digits.extend_from_slice(word);
    }
    GROUPS.contains(&length).then_some(digits)
}

/// Joins the groups of a digest that may take several lines.
fn grouped(lines: &[&[u8]]) -> Option<Vec<u8>> {
    let digits = groups(&lines.join(&b' '))?;
    (digits.len() >= FEWEST_DIGITS && is_digest(&digits)).then_some(digits)
}

/// Endings of a list's name that name no algorithm.
const ENDINGS: [&str; 9] =
    ["digest", "digests", "hash", "hashes", "sum", "sums", "checksum", "checksums", "sha"];
/// Endings of a list's name behind those, of its own form.
const FORMS: [&str; 5] = ["txt", "gz", "xz", "bz2", "zst"];

/// Returns the name of the file that a digest alone is of: the list's own without its ending, such as `.sha256`,
/// `_sha256.txt` or `-md5`. `None` if nothing remains, or the ending does not stand for a digest.
pub(in crate::format) fn title(list: &[u8]) -> Option<&[u8]> {
    let name = list.rsplit(|byte| matches!(byte, b'/' | b'\\')).next()?;
    let without = |name, words: &[&str]| before_ending(name, |word| words.contains(&word));
    let mut rest = name;
    while let Some(before) = without(rest, &FORMS) {
        rest = before;
    }
    let whole = rest;
    while let Some(before) = without(rest, &ENDINGS) {
        rest = before;
    }
    // Only one: the digest of a list's own file (`x.md5.sha256`) is of that.
    before_ending(rest, hint::is_algorithm).or((rest.len() < whole.len()).then_some(rest))
}

/// Returns the part of a name before its longest ending of a kind, which is tested in lower case.
fn before_ending(name: &[u8], is_kind: impl Fn(&str) -> bool) -> Option<&[u8]> {
    let mut marks = memchr::memchr3_iter(b'.', b'-', b'_', name).filter(|at| *at > 0);
    let at = marks.find(|at| is_kind(&String::from_utf8_lossy(&name[at + 1..]).to_ascii_lowercase()))?;
    Some(&name[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_list_tells_its_file() {
        for (list, file) in [
            ("d/x-1.0.tar.gz.sha256", Some("x-1.0.tar.gz")),
            ("x.jar.SHA1", Some("x.jar")),
            ("x.sha256sum.txt", Some("x")),
            ("x_sha256.txt", Some("x")),
            ("x-sha256", Some("x")),
            ("x.iso.sha-256", Some("x.iso")),
            ("x.iso.sha3-256", Some("x.iso")),
            ("x.tar.gz.digest", Some("x.tar.gz")),
            ("x.tar.gz.sha256.sum", Some("x.tar.gz")),
            ("x.iso.md5.gz", Some("x.iso")),
            ("x.md5.sha256", Some("x.md5")),
            ("App 2.1.exe.sha256", Some("App 2.1.exe")),
            ("SHA256SUMS", None),
            ("sha256.txt", None),
            (".sha256", None),
            ("notes.txt", None),
            ("x.tar.gz", None),
        ] {
            assert_eq!(title(list.as_bytes()), file.map(str::as_bytes), "{list}");
        }
    }

    #[test]
    fn one_digest_is_told_from_lists() {
        let md5 = "900150983cd24fb0d6963f7d28e17f72";
        let pairs: Vec<&str> = (0..16).map(|at| &md5[2 * at..][..2]).collect();
        let (half, rest) = pairs.split_at(8);
        for text in [
            md5.to_string(),
            format!("{}\r\n", md5.to_uppercase()),
            format!("{md5}{}\n", " ".repeat(40)),
            format!("MD5:{md5}"),
            format!("(stdin)= {md5}\n"),
            format!("MD5(stdin)= {md5}\n"),
            format!("{md5} *stdin\n"),
            "kAFQmDzST7DWlj99KOF/cg==\n".into(),
            format!("{}  {}\n", half.join(" "), rest.join(" ")),
            format!("{}\n {}\n", half.join(" "), rest.join(" ")),
        ] {
            assert!(digest(text.as_bytes()).is_some(), "{text}");
        }
        let escaped = format!("\\FS-VERITY (\\\\) = sha256:{}", "0".repeat(64));
        for text in
            [escaped, format!("{md5}\n{md5}\n"), format!("{md5}  a"), format!("x: {md5}"), "ab cd".into()]
        {
            assert!(digest(text.as_bytes()).is_none(), "{text}");
        }
    }
}
