//! The naming of the files of one image, and the search for files beside the first.
//!
//! `.E01` to `.E99`, then `.EAA` to `.ZZZ` (and `.[AA`, for EnCase goes on in ASCII); `.Ex01` to `.Ex99`, then `.ExAA`
//! to `.EzZZ` and on to `.Faaa`-like pairs; `.001`; `.aa`. The case is that of the first.

use super::opener::Opener;
use hashmill_os::names;
use std::io;
use std::path::{Path, PathBuf};

/// A naming rule, recognised by the first file's extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Series {
    /// `.E01`, `.s01`, `.L01`: the first letter.
    Ewf1(u8),
    /// `.Ex01`, `.Lx01`: the first two letters.
    Ewf2([u8; 2]),
    /// `.001`: the minimum number of digits.
    Digits(usize),
    /// `.aa`: the number of letters.
    Letters(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// The position in the series by name.
    pub(crate) ordinal: u32,
    pub(crate) path: PathBuf,
}

impl Series {
    /// Recognises the rule by the first file's extension.
    pub(crate) fn from_extension(extension: &[u8]) -> Option<Series> {
        let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        match extension {
            [letter, rest @ ..] if b"eslESL".contains(letter) && rest.len() == 2 && digits(rest) => {
                Some(Series::Ewf1(*letter))
            }
            [letter, x, rest @ ..]
                if b"elEL".contains(letter) && b"xX".contains(x) && rest.len() == 2 && digits(rest) =>
            {
                Some(Series::Ewf2([*letter, *x]))
            }
            [rest @ .., b'0' | b'1'] if rest.len() >= 2 && rest.iter().all(|digit| *digit == b'0') => {
                Some(Series::Digits(extension.len()))
            }
            b"aa" | b"aaa" => Some(Series::Letters(extension.len())),
            _ => None,
        }
    }

    /// Whether files with such names must have an Expert Witness signature.
    pub(crate) fn is_ewf(&self) -> bool {
        matches!(self, Series::Ewf1(_) | Series::Ewf2(_))
    }

    /// Returns the extension of the file at this position, if the rule has one.
    fn extension(&self, ordinal: u32) -> Option<Vec<u8>> {
        match self {
            Series::Ewf1(first) if ordinal < 100 => Some([&[*first], digits(ordinal, 2).as_slice()].concat()),
            Series::Ewf1(first) => {
                let (high, low) = ((ordinal - 100) / 676, (ordinal - 100) % 676);
                let zero = b'A' | (first & 0x20);
                Some(
                    [&[first.checked_add(u8::try_from(high).ok()?)?], two_letters(low, zero).as_slice()]
                        .concat(),
                )
            }
            Series::Ewf2(first) if ordinal < 100 => Some([&first[..], &digits(ordinal, 2)].concat()),
            Series::Ewf2([a, b]) => {
                let (high, low) = ((ordinal - 100) / 676, (ordinal - 100) % 676);
                let zero = b'A' | (a & 0x20);
                let [a, b] = match u8::try_from(high).ok()? {
                    high @ 0..3 => [*a, b + high],
                    high => [a.checked_add(1 + (high - 3) / 26)?, (b'A' | (b & 0x20)) + (high - 3) % 26],
                };
                Some([&[a, b], two_letters(low, zero).as_slice()].concat())
            }
            Series::Digits(width) => Some(digits(ordinal, *width)),
            Series::Letters(2) => Some(two_letters(ordinal, b'a').to_vec()),
            Series::Letters(_) => None,
        }
    }

    /// Returns the position of a file with this extension.
    pub(crate) fn ordinal(&self, extension: &[u8]) -> Option<u32> {
        match self {
            Series::Ewf1(first) => ewf1_ordinal(*first, extension),
            Series::Ewf2(first) => ewf2_ordinal(*first, extension),
            Series::Digits(width) => {
                let padded = extension.len() == *width || (extension.len() > *width && extension[0] != b'0');
                number(extension).filter(|_| padded)
            }
            Series::Letters(width) => letters(extension, b'a').filter(|_| extension.len() == *width),
        }
    }
}

/// Returns the path of the file at this position, as programs that write images name it.
pub(crate) fn member_path(first: &Path, series: &Series, ordinal: u64) -> Option<PathBuf> {
    let name = names::bytes(first.file_name()?);
    let (stem, _) = split(&name)?;
    let ordinal = u32::try_from(ordinal).ok()?;
    let extension = series.extension(ordinal).filter(|text| series.ordinal(text) == Some(ordinal))?;
    beside(first, &[stem, &extension].concat()).ok()
}

fn number(text: &[u8]) -> Option<u32> {
    let plain = text.iter().all(u8::is_ascii_digit);
    str::from_utf8(text).ok().filter(|_| plain)?.parse().ok()
}

/// Reads a number in base 26 with digits from `zero` on.
fn letters(text: &[u8], zero: u8) -> Option<u32> {
    text.iter().try_fold(0, |value, letter| {
        let digit = letter.checked_sub(zero).filter(|digit| *digit < 26)?;
        Some(value * 26 + u32::from(digit))
    })
}

fn ewf1_ordinal(first: u8, extension: &[u8]) -> Option<u32> {
    let &[a, b, c] = extension else { return None };
    if b.is_ascii_digit() {
        return number(&[b, c]).filter(|number| a == first && *number > 0);
    }
    let zero = b'A' | (first & 0x20);
    // After `Z`, EnCase continues with the next characters of ASCII; six of them keep the case bit.
    let high = a.checked_sub(first).filter(|_| a <= zero + 31)?;
    Some(100 + u32::from(high) * 676 + letters(&[b, c], zero)?)
}

fn ewf2_ordinal(first: [u8; 2], extension: &[u8]) -> Option<u32> {
    let &[a, b, c, d] = extension else { return None };
    if c.is_ascii_digit() {
        return number(&[c, d]).filter(|number| [a, b] == first && *number > 0);
    }
    let low = letters(&[c, d], b'A' | (first[0] & 0x20))?;
    let x = b.checked_sub(first[1]).filter(|_| a == first[0]).map(u32::from);
    let later = || {
        let high = a.checked_sub(first[0] + 1).filter(|high| *high < 26)?;
        Some(3 + u32::from(high) * 26 + letters(&[b], b'A' | (first[1] & 0x20))?)
    };
    let high = x.filter(|x| *x < 3).or_else(later)?;
    Some(100 + high * 676 + low)
}

fn digits(number: u32, width: usize) -> Vec<u8> {
    format!("{number:0width$}").into_bytes()
}

fn two_letters(number: u32, zero: u8) -> [u8; 2] {
    let letter = |digit: u32| zero + (digit % 26) as u8;
    [letter(number / 26), letter(number)]
}

/// Splits a file name into the stem (with its dot) and the extension.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    Some((&name[..=dot], &name[dot + 1..]))
}

/// Returns the path of another file in the same folder. The path is not normalised, since it may be a key of a store.
fn beside(path: &Path, name: &[u8]) -> io::Result<PathBuf> {
    let path = names::path_bytes(path);
    let folder = path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    names::into_path([&path[..folder], name].concat())
}

/// Returns the path of a file with this name in the same folder, if it is a plain name: one that leads nowhere else.
pub(crate) fn plain_beside(path: &Path, name: &[u8]) -> Option<PathBuf> {
    let leads = |byte: &u8| matches!(byte, b'/' | b'\\' | b':' | 0..32);
    if name.is_empty() || name.len() > 255 || name == b"." || name == b".." || name.iter().any(leads) {
        return None;
    }
    beside(path, name).ok()
}

/// Returns the naming rule of this file, if there is one.
pub(crate) fn series(first: &Path) -> Option<Series> {
    Series::from_extension(split(&names::bytes(first.file_name()?))?.1)
}

/// Returns all files of the series beside the first, in the order of their names.
pub(crate) fn members(opener: &dyn Opener, first: &Path, series: &Series) -> io::Result<Vec<Member>> {
    let own = first.file_name().map(names::bytes);
    let stem = own.as_deref().and_then(split).map_or(&b""[..], |(stem, _)| stem);
    let mut members = Vec::new();
    for name in opener.beside(first, stem)? {
        let name = names::into_bytes(name);
        let ordinal = split(&name).filter(|parts| parts.0 == stem).and_then(|parts| series.ordinal(parts.1));
        if let Some(ordinal) = ordinal {
            members.push(Member { ordinal, path: beside(first, &name)? });
        }
    }
    members.sort_by_key(|member| member.ordinal);
    Ok(members)
}

/// Returns the possible first segments of which this file may be a later one, by its name.
pub(crate) fn firsts(path: &Path) -> Vec<PathBuf> {
    let own = path.file_name().map(names::bytes);
    let Some((stem, extension)) = own.as_deref().and_then(split) else { return Vec::new() };
    let lower = extension.first().is_some_and(u8::is_ascii_lowercase);
    let x = extension.get(1).map_or(b'x', |second| if second.is_ascii_uppercase() { b'X' } else { b'x' });
    let rules = b"ESL".iter().map(|letter| letter | (u8::from(lower) << 5)).flat_map(|letter| {
        let second = if extension.get(2).is_some_and(u8::is_ascii_digit) { x } else { b'x' };
        [
            (Series::Ewf1(letter), vec![letter, b'0', b'1']),
            (Series::Ewf2([letter, second]), vec![letter, second, b'0', b'1']),
        ]
    });
    let fitting = rules.filter(|(rule, first)| {
        rule.ordinal(extension).is_some_and(|ordinal| ordinal > 1) && first.as_slice() != extension
    });
    let name = |first: Vec<u8>| beside(path, &[stem, &first].concat());
    fitting.filter_map(|(_, first)| name(first).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(first: &str, others: &[(&str, u32)]) {
        let series = Series::from_extension(first.as_bytes()).unwrap();
        for (extension, ordinal) in others {
            assert_eq!(series.ordinal(extension.as_bytes()), Some(*ordinal), "{first} {extension}");
            assert_eq!(
                series.extension(*ordinal).as_deref(),
                Some(extension.as_bytes()),
                "{first} {ordinal}"
            );
        }
    }

    #[test]
    fn numbers_go_on_with_letters() {
        places("E01", &[("E01", 1), ("E99", 99), ("EAA", 100), ("EAB", 101), ("EZZ", 775), ("FAA", 776)]);
        places("E01", &[("ZZZ", 100 + 22 * 676 - 1), ("[AA", 100 + 22 * 676)]);
        places("s01", &[("s02", 2), ("saa", 100), ("taa", 776)]);
        places("Ex01", &[("Ex99", 99), ("ExAA", 100), ("EyAA", 776), ("EzZZ", 100 + 3 * 676 - 1)]);
        places("001", &[("002", 2), ("999", 999), ("1000", 1000)]);
        places("aa", &[("ab", 1), ("ba", 26)]);
    }

    #[test]
    fn every_place_has_a_name_that_leads_back() {
        for first in ["E01", "s01", "Ex01", "lx01", "001", "aa"] {
            let series = Series::from_extension(first.as_bytes()).unwrap();
            let path = PathBuf::from(format!("dir/case.{first}"));
            for ordinal in (1..3000).step_by(7) {
                if let Some(found) = member_path(&path, &series, ordinal) {
                    let name = found.to_str().unwrap();
                    assert!(name.starts_with("dir/case."), "{name}");
                    assert_eq!(series.ordinal(&name.as_bytes()[9..]), Some(ordinal as u32), "{name}");
                } else {
                    assert!(first == "aa" && ordinal >= 676, "{first} {ordinal}");
                }
            }
        }
    }

    #[test]
    fn other_names_are_not_of_the_series() {
        let series = Series::from_extension(b"E01").unwrap();
        for other in ["e02", "E00", "Eaa", "E1", "txt", "E001", "DAA", "E0A", "EA1"] {
            assert_eq!(series.ordinal(other.as_bytes()), None, "{other}");
        }
        assert_eq!(Series::from_extension(b"001").unwrap().ordinal(b"0002"), None);
        assert_eq!(Series::from_extension(b"txt"), None);
        assert_eq!(Series::from_extension(b"010"), None);
    }
}
