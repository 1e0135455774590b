//! The names that a file system holds, found by trying.

use hashmill_os::names::{self, path_to_try};
use hashmill_os::{Links, facts_at, open_folder};
use hashmill_output::{RunFiles, Unfinished};
use std::fs::FileTimes;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// The bytes that some file systems refuse in names: Windows's, and those of FAT.
const ODD: &[u8] = b"<>:\"|?*\\\x01";

/// The names that a file system holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NameRules {
    letters: Letters,
    /// Whether a letter is the same as several (ß and ss), where letters of other case are the same.
    expands: bool,
    /// Whether accented letters are the same in one piece (NFC) and in two (NFD).
    composes: bool,
    /// The bytes that no name can have.
    refused: Vec<u8>,
    /// Whether names must be UTF-8.
    only_text: bool,
    /// The ends of names that are refused or cut off.
    ends: Vec<u8>,
}

/// Which names that differ only in upper and lower case are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Letters {
    None,
    /// Those of Latin letters without accents.
    Ascii,
    All,
}

impl NameRules {
    /// Tries names in a folder. The files are removed at once, and the folder keeps its time.
    ///
    /// # Errors
    /// If no file can be made there.
    pub(super) fn probe(folder: &Path, files: &RunFiles) -> io::Result<NameRules> {
        let open = open_folder(folder, Links::Follow)?;
        let time = open.metadata().and_then(|meta| meta.modified());
        let rules = NameRules::tried(folder, files);
        // The folder of another user has its new time.
        let _ = time.and_then(|time| open.set_times(FileTimes::new().set_modified(time)));
        rules
    }

    fn tried(folder: &Path, files: &RunFiles) -> io::Result<NameRules> {
        let holds = |middle: &[u8]| made(folder, middle, files).map(|made| made.is_some());
        let plain = made(folder, b"a", files)?.ok_or(ErrorKind::InvalidFilename)?;
        let accented = made(folder, "\u{e9}".as_bytes(), files)?;
        let is_odd = !holds(ODD)?;
        let refused = ODD.iter().filter(|odd| is_odd && !holds(&[**odd]).unwrap_or(true)).copied().collect();
        let letters = match &accented {
            Some(accented) if is_one(accented, |name| name.to_uppercase()) => Letters::All,
            _ if is_one(&plain, |name| name.to_uppercase()) => Letters::Ascii,
            _ => Letters::None,
        };
        let composes = accented.as_ref().is_some_and(|made| is_one(made, |name| name.nfd().collect()));
        let sharp = made(folder, "\u{df}".as_bytes(), files)?;
        let expands = sharp.as_ref().is_some_and(|made| is_one(made, |name| name.to_uppercase()));
        // Ends that are cut off are those of systems that refuse some of the bytes.
        let ends = match is_odd {
            true => b". ".iter().filter(|end| !ends_with(folder, **end)).copied().collect(),
            false => Vec::new(),
        };
        Ok(NameRules { letters, expands, composes, refused, only_text: !holds(b"\xff")?, ends })
    }

    /// Returns whether the file system holds all names side by side.
    pub(super) fn take_all(&self) -> bool {
        self.letters == Letters::None
            && !self.composes
            && self.refused.is_empty()
            && !self.only_text
            && self.ends.is_empty()
    }

    /// Returns why no file can have a name, if so.
    pub(super) fn refusal(&self, name: &[u8]) -> Option<String> {
        let shown = |byte: u8| match byte {
            b' ' => "a space".to_string(),
            ..b' ' => "a control character".to_string(),
            _ => char::from(byte).to_string(),
        };
        // One control character stands for all.
        let controls = self.refused.contains(&1);
        let is_refused = |byte: &&u8| self.refused.contains(byte) || controls && **byte < b' ';
        if let Some(byte) = name.iter().find(is_refused) {
            return Some(format!("no name there can have {}", shown(*byte)));
        }
        if let Some(end) = name.last().filter(|end| self.ends.contains(end)) {
            return Some(format!("no name there can end with {}", shown(*end)));
        }
        (self.only_text && std::str::from_utf8(name).is_err()).then(|| "names there must be UTF-8".into())
    }

    /// Returns a text that is the same for names that are one there.
    pub(super) fn key(&self, path: &[u8]) -> Vec<u8> {
        let Ok(text) = std::str::from_utf8(path) else { return path.to_vec() };
        let text = if self.composes { text.nfc().collect() } else { text.to_string() };
        match self.letters {
            Letters::None => text,
            Letters::Ascii => text.to_ascii_lowercase(),
            // Twice, as some letters become others only then.
            Letters::All if self.expands => text.to_uppercase().to_lowercase(),
            Letters::All => {
                let upper = text.chars().map(|letter| only(letter.to_uppercase(), letter));
                upper.map(|letter| only(letter.to_lowercase(), letter)).collect()
            }
        }
        .into_bytes()
    }
}

/// Returns the letter of other case, or the same one if several letters would stand for it.
fn only(mut other: impl Iterator<Item = char>, letter: char) -> char {
    other.next().filter(|_| other.next().is_none()).unwrap_or(letter)
}

/// Makes a file whose name has these bytes, for the time that the result lives. `None` if no name can have them.
fn made(folder: &Path, middle: &[u8], files: &RunFiles) -> io::Result<Option<Unfinished>> {
    match Unfinished::one_of_many(&(&*folder.join(&*path_to_try(middle))).into(), files) {
        Ok((_, unfinished)) => Ok(Some(unfinished)),
        Err(error) if ends_all(&error) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Returns whether an error is none of the name.
fn ends_all(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded
    )
}

/// Returns whether a file is found by another spelling of its name, too. The letters at its end are random, so no other file has
/// that name.
fn is_one(made: &Unfinished, spelled: impl Fn(&str) -> String) -> bool {
    let name = made.place().file_name().map(|name| names::bytes(name).to_vec());
    let Some(Ok(name)) = name.map(String::from_utf8) else { return false };
    let other = spelled(&name);
    let place: PathBuf = made.place().with_file_name(&other);
    other != name && facts_at(&place, Links::Stay).is_ok()
}

/// Returns whether a name can end with this byte.
fn ends_with(folder: &Path, end: u8) -> bool {
    let suffix = char::from(end).to_string();
    let made =
        tempfile::Builder::new().prefix(".names.hashmill-partial-").suffix(&suffix).tempfile_in(folder);
    let Ok(made) = made else { return false };
    let name = made.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let cut = made.path().with_file_name(name.trim_end_matches(char::from(end)));
    facts_at(&cut, Links::Stay).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows() -> NameRules {
        let (refused, ends) = (ODD.to_vec(), b". ".to_vec());
        NameRules { letters: Letters::All, expands: false, composes: true, refused, only_text: true, ends }
    }

    #[test]
    fn a_folder_of_linux_holds_all_names() {
        let folder = tempfile::tempdir().unwrap();
        let time = || folder.path().metadata().unwrap().modified().unwrap();
        let before = time();
        let rules = NameRules::probe(folder.path(), &RunFiles::default()).unwrap();
        assert!(rules.take_all() || !cfg!(target_os = "linux"), "{rules:?}");
        assert_eq!(hashmill_os::all_names_in(folder.path()).unwrap().len(), 0);
        assert_eq!(time(), before);
        assert!(NameRules::probe(&folder.path().join("none"), &RunFiles::default()).is_err());
    }

    #[test]
    fn names_that_are_refused_have_a_reason() {
        for (name, why) in [
            (&b"a:b"[..], Some("no name there can have :")),
            (b"a\x1fb", Some("no name there can have a control character")),
            (b"end.", Some("no name there can end with .")),
            (b"end ", Some("no name there can end with a space")),
            (b"\xff", Some("names there must be UTF-8")),
            ("\u{e9}.txt".as_bytes(), None),
        ] {
            assert_eq!(windows().refusal(name).as_deref(), why);
        }
    }

    #[test]
    fn names_that_are_one_have_one_key() {
        let rules = windows();
        let ascii = NameRules { letters: Letters::Ascii, composes: false, ..windows() };
        let expanding = NameRules { expands: true, ..windows() };
        for (one, other, wanted) in [
            ("Case/a", "case/A", [true, true, true]),
            ("\u{c9}", "\u{e9}", [true, false, true]),
            ("\u{e9}", "e\u{301}", [true, false, true]),
            ("stra\u{df}e", "STRASSE", [false, false, true]),
            ("\u{3c3}", "\u{3c2}", [true, false, true]),
            ("a", "b", [false, false, false]),
        ] {
            let same = |rules: &NameRules| rules.key(one.as_bytes()) == rules.key(other.as_bytes());
            assert_eq!([&rules, &ascii, &expanding].map(same), wanted, "{one} {other}");
        }
    }
}
