//! What titles of columns mean in tables of other programs: `Name`, `SHA256 Hash`, `file_size`.

use super::draft::Key;
use super::fields::Fields;
use hashloom_digest::{ALGORITHMS, Algorithm};

/// What can stand between columns.
const DELIMITERS: [u8; 3] = *b",\t;";

/// The separator of a header that is understood: one column is the path, others are digests. Nothing is guessed: of two
/// columns that may be the path, or of two by one algorithm, none is right.
pub(super) fn delimiter(line: &[u8]) -> Option<u8> {
    DELIMITERS.into_iter().find(|delimiter| divided(line, *delimiter).is_some_and(|keys| is_clear(&keys)))
}

/// More columns than that, and longer lines, no header has.
const MOST: usize = 512;
const LONGEST: usize = 16 << 10;

fn divided(line: &[u8], delimiter: u8) -> Option<Vec<Key>> {
    let dividers = memchr::memchr_iter(delimiter, line).count();
    if !(1..MOST).contains(&dividers) || line.len() > LONGEST {
        return None;
    }
    let mut fields = Fields::divided_by(delimiter);
    fields.split(line).then(|| keys(&fields))
}

fn is_clear(keys: &[Key]) -> bool {
    let digests = keys.iter().any(|key| !matches!(key, Key::Path | Key::Size | Key::Other));
    keys.contains(&Key::Path) && digests && !has_twice(keys)
}

/// What each column holds. Titles of ours count as they are written; all others by their words.
pub(super) fn keys(fields: &Fields) -> Vec<Key> {
    let own = fields.iter().any(|title| Key::of(title) == Key::Path);
    let full = !own && fields.iter().any(|title| is_full_path(&plain(title)));
    let key = |title: &[u8]| match Key::of(title) {
        key if own && key != Key::Other => key,
        key @ (Key::Digest(_) | Key::Likeness(_)) => key,
        _ => foreign(title, own, full),
    };
    fields.iter().map(key).collect()
}

/// A title in small letters, with blanks between its words.
fn plain(title: &[u8]) -> String {
    String::from_utf8_lossy(title).trim().to_lowercase().replace(['_', '-', '.'], " ")
}

/// Whether a title says that it is of whole paths: then another column with names has only a part of each.
fn is_full_path(title: &str) -> bool {
    matches!(title, "fullpath" | "full path" | "filepath" | "file path" | "pathname")
}

fn foreign(title: &[u8], own: bool, full: bool) -> Key {
    if title.len() > 64 {
        return Key::Other;
    }
    let title = plain(title);
    match title.as_str() {
        whole if full && is_full_path(whole) => Key::Path,
        "path" | "name" | "filename" | "filenames" | "file name" | "file" if !own && !full => Key::Path,
        "size" | "filesize" | "file size" | "size in bytes" if !own => Key::Size,
        _ => algorithm(&title).map_or(Key::Other, Key::Digest),
    }
}

/// The algorithm that a title means: `md5 hash`, `hash sha1`, `sha 256`.
fn algorithm(title: &str) -> Option<&'static Algorithm> {
    let extra = |word: &&str| !matches!(*word, "hash" | "digest" | "sum" | "checksum" | "file" | "value");
    let words: Vec<&str> = title.split(' ').filter(extra).collect();
    named(&words.join("-")).or_else(|| named(&words.concat()))
}

/// The algorithm of this name or alias, in small letters. Unlike `find` it has no thoughts on what else a name might
/// mean, which take long for the many words that are no algorithm.
pub(super) fn named(name: &str) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().find(|row| row.name == name || row.aliases.contains(&name))
}

fn has_twice(keys: &[Key]) -> bool {
    let known = |key: &&Key| **key != Key::Other;
    keys.iter().filter(known).any(|key| keys.iter().filter(|other| *other == key).count() > 1)
}

/// The titles of columns that are left out, for a message.
pub(super) fn left_out(fields: &Fields, keys: &[Key]) -> Option<Box<str>> {
    const SHOWN: usize = 200;
    let left = fields.iter().zip(keys).filter(|(title, key)| **key == Key::Other && !title.is_empty());
    let names: Vec<String> = left.map(|(title, _)| format!("{:?}", String::from_utf8_lossy(title))).collect();
    let text = names.join(", ");
    let shown = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    (!shown.is_empty()).then(|| shown.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str) -> Option<Vec<&'static str>> {
        let keys = divided(line.as_bytes(), delimiter(line.as_bytes())?)?;
        Some(keys.iter().map(|key| key.name()).collect())
    }

    #[test]
    fn titles_of_other_programs_are_understood() {
        let all = Some(vec!["path", "md5", "sha1", "sha256"]);
        assert_eq!(names("name\tmd5\tsha1\tsha256"), all);
        assert_eq!(names("File Name;MD5 Hash;hash_sha1;SHA-256"), all);
        // HashMyFiles, FTK Imager.
        assert_eq!(
            names("Filename,MD5,SHA1,SHA-256,Full Path"),
            Some(vec!["field", "md5", "sha1", "sha256", "path"])
        );
        assert_eq!(names("MD5,SHA1,FileNames"), Some(vec!["md5", "sha1", "path"]));
        assert_eq!(names("\"Path\",\"MD5\",\"SHA1\",\"sha256 hash\""), all);
        assert_eq!(names("Name\tSize\tComment\tSHA3-256"), Some(vec!["path", "size", "field", "sha3-256"]));
    }

    #[test]
    fn what_is_not_clear_is_no_header() {
        for line in ["Name\tPath\tMD5", "name\tmd5\tMD5 hash", "md5\tsha1", "name\tcomment", "a md5 name", ""]
        {
            assert_eq!(names(line), None, "{line}");
        }
    }
}
