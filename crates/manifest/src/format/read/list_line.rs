//! The lines of digest lists of GNU, BSD, POSIX, md5deep, OpenSSL, rhash and xxhsum, which both list formats read.

use super::text::SNIFFED;
use crate::format::malformed::{Bad, Why};
use crate::format::values::naming::{is_hex, is_tag, may_be_digest, number, of_base32, of_base64};
use crate::path::unescape;
use hashmill_digest::of_bits;
use std::cmp::Ordering;

/// One line of a list, with its parts as text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// `digest  name`, `digest *name`; or `digest name` with one space (BSD's `md5 -r`).
    Untagged { digest: &'a [u8], name: &'a [u8] },
    /// `TAG (name) = digest`.
    Tagged { tag: &'a [u8], digest: &'a [u8], name: &'a [u8] },
    /// `      size  digest  name` (md5deep -z).
    Sized { size: u64, digest: &'a [u8], name: &'a [u8] },
    /// `checksum size name` (POSIX cksum).
    Cksum { value: &'a [u8], size: u64, name: &'a [u8] },
}

impl<'a> Line<'a> {
    pub fn name(&self) -> &'a [u8] {
        match self {
            Line::Untagged { name, .. } | Line::Tagged { name, .. } => name,
            Line::Sized { name, .. } | Line::Cksum { name, .. } => name,
        }
    }
}

/// The number of spaces between digest and name. If it is one, a second space is part of the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spacing {
    Unknown,
    One,
    Two,
}

/// Strips the backslash that marks a line with an escaped name, and blanks before it.
pub(crate) fn escape_mark(line: &[u8]) -> (bool, &[u8]) {
    line.trim_ascii_start().strip_prefix(b"\\").map_or((false, line), |rest| (true, rest))
}

/// Returns whether the lines of a list end with a NUL, as written by `sha256sum -z`: the last line is complete, and
/// most start like a line of a list.
pub(crate) fn is_zero(first: &[u8]) -> bool {
    let Some(last) = memchr::memrchr(0, first) else { return false };
    let whole = last + 1 == first.len() || first.len() >= SNIFFED;
    let fits = |line: &[u8]| {
        !hides_line(line)
            && match split(line, &mut Spacing::Unknown, None) {
                Some(Line::Untagged { digest, .. } | Line::Tagged { digest, .. }) => {
                    is_hex(digest.strip_prefix(b"XXH3_").unwrap_or(digest))
                }
                Some(Line::Sized { .. } | Line::Cksum { .. }) => true,
                None => false,
            }
    };
    let (mut all, mut fit) = (0, 0);
    for line in first[..last].split(|byte| *byte == 0) {
        all += 1;
        fit += usize::from(fits(line));
    }
    whole && 2 * fit > all
}

/// Returns the usual spacing of a list's lines, so that a damaged one doesn't decide. In a tie the first one counts.
/// `decimal` is as in [`split`].
pub(crate) fn usual_spacing<'a>(lines: impl Iterator<Item = &'a [u8]>, decimal: Option<bool>) -> Spacing {
    let (mut one, mut two, mut first) = (0, 0, Spacing::Unknown);
    for line in lines {
        let mut spacing = Spacing::Unknown;
        let _ = split(escape_mark(line).1, &mut spacing, decimal);
        if first == Spacing::Unknown {
            first = spacing;
        }
        one += usize::from(spacing == Spacing::One);
        two += usize::from(spacing == Spacing::Two);
    }
    match one.cmp(&two) {
        Ordering::Less => Spacing::Two,
        Ordering::Greater => Spacing::One,
        Ordering::Equal => first,
    }
}

/// Returns whether a line is certainly a digest and a name and not part of another document, because both are more than
/// decimal numbers and blanks.
pub(crate) fn is_sure(line: &[u8]) -> bool {
    match split(escape_mark(line).1, &mut Spacing::Unknown, Some(false)) {
        Some(Line::Untagged { digest, .. }) => {
            is_digest(digest) && has_mark(line, digest) && !line.starts_with(b" ")
        }
        Some(Line::Tagged { digest, .. }) => is_hex(digest),
        _ => false,
    }
}

/// Returns whether a line contains nothing like a digest and a name, not even damaged ones: no run of eight hexadecimal
/// digits, no digest in groups or in base64, no `(name) =`. Programs that read lists skip such lines.
pub(crate) fn is_prose(line: &[u8]) -> bool {
    let runs = line.split(|byte| !byte.is_ascii_hexdigit());
    let digits = runs.map(<[u8]>::len).max().unwrap_or(0);
    let tagged = memchr::memmem::find(line, b") =").is_some() || memchr::memmem::find(line, b")= ").is_some();
    digits < 8 && !tagged && !line.starts_with(b"\\") && !has_groups(line) && !has_base64(line)
}

/// Returns whether a line has groups of hexadecimal digits that may be one digest, as gpg prints it. Decimal numbers may be
/// anything.
fn has_groups(line: &[u8]) -> bool {
    let words = line.split(|byte| b" \t:-".contains(byte)).filter(|word| !word.is_empty());
    let (mut length, mut digits, mut has_letter) = (0, 0, false);
    for word in words {
        let is_group = word.len() > 1 && word.iter().all(u8::is_ascii_hexdigit);
        if !is_group || word.len() != length {
            (length, digits, has_letter) = (word.len(), 0, false);
        }
        if is_group {
            digits += word.len();
            has_letter |= word.iter().any(u8::is_ascii_alphabetic);
        }
        if has_letter && digits >= 16 {
            return true;
        }
    }
    false
}

/// Returns whether a word of a line may be a digest in base64 with its padding.
fn has_base64(line: &[u8]) -> bool {
    let mut words = line.split(|byte| byte.is_ascii_whitespace());
    words.any(|word| word.ends_with(b"=") && of_base64(word).is_some())
}

/// Returns a name as it is; an error if there is none.
pub(crate) fn plain_name(name: &[u8]) -> Result<Box<[u8]>, Bad> {
    if name.is_empty() { Err(Bad::new("name", Why::Missing)) } else { Ok(name.into()) }
}

/// Returns the name of a line, unescaped if the line was marked.
pub(crate) fn line_name(name: &[u8], escaped: bool) -> Result<Box<[u8]>, Bad> {
    if name.is_empty() || !escaped {
        return plain_name(name);
    }
    unescape(name).map(Vec::into_boxed_slice).ok_or(Bad::new("name", Why::Escape))
}

/// Splits a line into its parts. `decimal` states whether the digests are decimal, if the caller knows it.
pub(crate) fn split<'a>(line: &'a [u8], spacing: &mut Spacing, decimal: Option<bool>) -> Option<Line<'a>> {
    let cksum = || (decimal != Some(false)).then(|| split_cksum(line)).flatten();
    let others = |spacing: &mut Spacing| {
        split_sized(line).or_else(|| split_untagged(line, spacing)).or_else(|| split_tagged(line))
    };
    cksum().or_else(|| if decimal == Some(true) { split_tagged(line) } else { others(spacing) })
}

/// Splits a text at its first space.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = memchr::memchr(b' ', text)?;
    Some((&text[..space], &text[space + 1..]))
}

fn split_cksum(line: &[u8]) -> Option<Line<'_>> {
    if !line.first()?.is_ascii_digit() {
        return None;
    }
    let (value, rest) = word(line)?;
    let (size, name) = word(rest)?;
    let short = value.len() <= 10 && value.iter().all(u8::is_ascii_digit);
    short.then(|| number(size)).flatten().map(|size| Line::Cksum { value, size, name })
}

/// md5deep pads the size to ten characters, so it never starts a line with eight digits; sixteen digits are an XXH64.
fn split_sized(line: &[u8]) -> Option<Line<'_>> {
    let spaces = line.iter().take_while(|byte| **byte == b' ').count();
    let (size, rest) = word(&line[spaces..])?;
    if spaces + size.len() < 10 || (spaces == 0 && size.len() >= 16) {
        return None;
    }
    let size = number(size)?;
    let (digest, name) = word(rest.strip_prefix(b" ")?)?;
    let name = name.strip_prefix(b" ").or(name.strip_prefix(b"*"))?;
    is_hex(digest).then_some(Line::Sized { size, digest, name })
}

fn split_untagged<'a>(line: &'a [u8], spacing: &mut Spacing) -> Option<Line<'a>> {
    let line = line.trim_ascii_start();
    let end = memchr::memchr2(b' ', b'\t', line)?;
    let (digest, rest) = (&line[..end], &line[end + 1..]);
    let digits = digest.strip_prefix(b"XXH3_").unwrap_or(digest);
    // openssl writes no blank between name and tag, and a tag may look like the start of a digest. Tags contain hyphens
    // (BLAKE3-128) or underscores (CRC64NVME_LE), digests don't.
    let tagged = memchr::memchr3(b'(', b'-', b'_', digits).is_some();
    let plain = may_be_digest(digits) && !tagged;
    let hex = plain || (!digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit));
    let shaped = hex || of_base32(digits).is_some() || of_base64(digits).is_some();
    if !shaped {
        return None;
    }
    let marked = rest.len() > 1 && matches!(rest[0], b' ' | b'*');
    // As in coreutils, a list can't mix the two forms: else a name that starts with a space could look like another.
    if *spacing == Spacing::Two && !marked {
        return None;
    }
    if *spacing == Spacing::Unknown && (is_hex(digits) || !hex) {
        *spacing = if marked { Spacing::Two } else { Spacing::One };
    }
    let name = if marked && *spacing != Spacing::One { &rest[1..] } else { rest };
    Some(Line::Untagged { digest, name })
}

/// Returns whether a line starts with a word that is too short for a digest, and one blank, like an English article.
pub(crate) fn says_nothing(line: &[u8], parts: &Line<'_>) -> bool {
    matches!(parts, Line::Untagged { digest, .. } if digest.len() < 8 && !has_mark(line, digest))
}

/// Returns whether the digest at the start of a line is followed by a space and a mark, as in GNU's format.
fn has_mark(line: &[u8], digest: &[u8]) -> bool {
    let rest = line.trim_ascii_start().get(digest.len()..).unwrap_or_default();
    rest.starts_with(b"  ") || rest.starts_with(b" *")
}

/// Returns whether the apparent name starts with more digests, all separated by one blank: a table without titles.
/// After two blanks, everything is the name.
pub(crate) fn hides_digests(line: &[u8], parts: &Line<'_>) -> bool {
    let Line::Untagged { digest, name } = parts else { return false };
    if has_mark(line, digest) {
        return false;
    }
    let end = memchr::memchr2(b' ', b'\t', name).unwrap_or(name.len());
    let another = end < name.len() && end != digest.len() && is_digest(&name[..end]);
    let tabs = line.trim_ascii_start().get(digest.len()) == Some(&b'\t') && name.contains(&b'\t');
    another || tabs
}

/// Returns whether a line begins with a digest of this many digits, and has more.
pub(crate) fn begins_with(line: &[u8], digits: usize) -> bool {
    let line = escape_mark(line).1.trim_ascii_start();
    let more = line.get(digits..).filter(|rest| matches!(rest.first(), Some(b' ' | b'\t')));
    more.is_some_and(|rest| !rest.trim_ascii().is_empty()) && is_hex(&line[..digits])
}

/// Returns whether another line of a list follows within a line, after an end of line of another kind.
pub(crate) fn hides_line(line: &[u8]) -> bool {
    memchr::memchr2_iter(b'\r', b'\n', line).any(|end| is_sure(&line[end + 1..]))
}

/// Returns whether a text looks like a digest of some algorithm.
pub(crate) fn is_digest(text: &[u8]) -> bool {
    is_hex(text) && of_bits(4 * text.len() as u32).next().is_some()
}

/// Returns the digests of a line with nothing else: two or more of different lengths, with one kind of separator.
pub(crate) fn digests_alone(line: &[u8]) -> Option<Vec<&[u8]>> {
    let line = line.trim_ascii();
    let mark = *line.iter().find(|byte| matches!(byte, b' ' | b'\t' | b',' | b';' | b'|' | b':'))?;
    let words: Vec<&[u8]> = line.split(|byte| *byte == mark).map(<[u8]>::trim_ascii).collect();
    let apart = |at: usize| words[..at].iter().all(|other| other.len() != words[at].len());
    let all = (0..words.len()).all(|at| is_digest(words[at]) && apart(at));
    (words.len() > 1 && all).then_some(words)
}

/// Splits a tagged line. Neither tags nor digests contain parentheses, so the outermost ones enclose the name; or the tag
/// has a colon behind it (`SHA512: name = digest`, `sha512:digest  name`).
fn split_tagged(line: &[u8]) -> Option<Line<'_>> {
    in_parentheses(line).or_else(|| behind_colon(line)).or_else(|| before_digest(line))
}

/// Splits a line whose digest has the tag in front of it (`sha256:digest  name`).
fn before_digest(line: &[u8]) -> Option<Line<'_>> {
    let (word, rest) = line.split_at(memchr::memchr2(b' ', b'\t', line)?);
    let colon = memchr::memchr(b':', word)?;
    let (tag, digest) = (&word[..colon], &word[colon + 1..]);
    let name = rest.trim_ascii_start();
    let name = name.strip_prefix(b"*").unwrap_or(name);
    let shaped = is_digest(digest) && is_tag(tag) && !name.is_empty();
    shaped.then_some(Line::Tagged { tag, digest, name })
}

fn behind_colon(line: &[u8]) -> Option<Line<'_>> {
    let colon = memchr::memmem::find(line, b": ")?;
    let mark = memchr::memmem::rfind(line, b" = ").filter(|mark| *mark > colon + 2)?;
    let (tag, digest) = (&line[..colon], line[mark + 3..].trim_ascii());
    let shaped = is_digest(digest) && is_tag(tag);
    shaped.then(|| Line::Tagged { tag, digest, name: &line[colon + 2..mark] })
}

fn in_parentheses(line: &[u8]) -> Option<Line<'_>> {
    let open = memchr::memchr(b'(', line)?;
    let close = memchr::memrchr(b')', line)?;
    let tag = line[..open].trim_ascii();
    let digest = line[close + 1..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii();
    let shaped = open < close && !tag.is_empty() && !tag.contains(&b' ');
    shaped.then(|| Line::Tagged { tag, digest, name: &line[open + 1..close] })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &[u8] = b"900150983cd24fb0d6963f7d28e17f72";

    fn parse(line: &str) -> Option<Line<'_>> {
        split(line.as_bytes(), &mut Spacing::Unknown, None)
    }

    #[test]
    fn a_digest_in_groups_or_in_base64_is_no_prose() {
        for line in [
            "a: 9001 5098 3CD2 4FB0 D696 3F7D 28E1 7F72",
            "a: 90 01 50 98 3C D2 4F B0  D6 96 3F 7D 28 E1 7F 72",
            "90:01:50:98:3c:d2:4f:b0:d6:96:3f:7d:28:e1:7f:72 a",
            "a kAFQmDzST7DWlj99KOF/cg==",
            "a 900150983",
        ] {
            assert!(!is_prose(line.as_bytes()), "{line}");
        }
        for line in [
            "Checked 2026-11-30 14:25:40 on 00:1a:2b:3c:4d:5e",
            "10 20 30 40 50 60 70 80 90 10 files each",
            "add a bad cafe face to be fed",
            "title = none",
            "",
        ] {
            assert!(is_prose(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn every_tool_s_line_is_told_from_the_others() {
        let md5 = "900150983cd24fb0d6963f7d28e17f72";
        for line in [format!("{md5}  a b"), format!("{md5} *a b"), format!("{md5} a b")] {
            assert_eq!(parse(&line), Some(Line::Untagged { digest: MD5, name: b"a b" }), "{line}");
        }
        for line in [format!("MD5 (a) = {md5}"), format!("MD5(a)= {md5}"), format!("MD5   (a) = {md5}")] {
            assert_eq!(parse(&line), Some(Line::Tagged { tag: b"MD5", digest: MD5, name: b"a" }), "{line}");
        }
        for line in [format!("md5:{md5}  a"), format!("MD5:{md5} *a")] {
            let tag = &line.as_bytes()[..3];
            assert_eq!(parse(&line), Some(Line::Tagged { tag, digest: MD5, name: b"a" }), "{line}");
        }
        assert_eq!(parse(&format!("url:{md5}  a")), None);
        let line = format!("        16  {md5}  a");
        assert_eq!(parse(&line), Some(Line::Sized { size: 16, digest: MD5, name: b"a" }));
        let line = format!("BLAKE3-128 (a) = {md5}");
        assert_eq!(parse(&line), Some(Line::Tagged { tag: b"BLAKE3-128", digest: MD5, name: b"a" }));
        let cksum = Line::Cksum { value: b"1219131554", size: 3, name: b"a b" };
        assert_eq!(parse("1219131554 3 a b"), Some(cksum));
    }

    #[test]
    fn names_may_look_like_other_lines() {
        let line = "MD5 (a) = (b) = 900150983cd24fb0d6963f7d28e17f72";
        assert_eq!(parse(line), Some(Line::Tagged { tag: b"MD5", digest: MD5, name: b"a) = (b" }));
        assert_eq!(parse("12345678  3 a"), Some(Line::Untagged { digest: b"12345678", name: b"3 a" }));
        let nested = "12345678  900150983cd24fb0d6963f7d28e17f72  a";
        assert!(matches!(parse(nested), Some(Line::Untagged { digest: b"12345678", .. })));
    }

    #[test]
    fn a_reversed_list_keeps_leading_spaces_of_names() {
        let mut spacing = Spacing::Unknown;
        split(b"900150983cd24fb0d6963f7d28e17f72 a", &mut spacing, None);
        let line = split(b"900150983cd24fb0d6963f7d28e17f72  b", &mut spacing, None);
        assert_eq!(line, Some(Line::Untagged { digest: MD5, name: b" b" }));
    }
}
