//! The meanings of column titles in tables of other programs: `Name`, `SHA256 Hash`, `file_size`.

use super::fields::Fields;
use crate::format::values::draft::Key;
use hashmill_digest::{ALGORITHMS, Algorithm};

/// Possible separators of columns.
const DELIMITERS: [u8; 3] = *b",\t;";

/// Returns the separator of a header that is clear: one column is the path, or one is the path and one the name, and
/// others are digests. Nothing is guessed: two columns that may both be the path, or two by one algorithm, are not
/// accepted.
pub(in crate::format) fn delimiter(line: &[u8]) -> Option<u8> {
    DELIMITERS.into_iter().find(|delimiter| divided(line, *delimiter).is_some_and(|keys| is_clear(&keys)))
}

/// The maximum number of columns and length of a header.
const MAX_COLUMNS: usize = 512;
const LONGEST_HEADER: usize = 16 << 10;

fn divided(line: &[u8], delimiter: u8) -> Option<Vec<Key>> {
    let dividers = memchr::memchr_iter(delimiter, line).count();
    if !(1..MAX_COLUMNS).contains(&dividers) || line.len() > LONGEST_HEADER {
        return None;
    }
    let mut fields = Fields::divided_by(delimiter);
    fields.split(line).then(|| keys(fields.iter()))
}

/// Returns whether there are a path and a digest, and no duplicates.
pub(in crate::format) fn is_clear(keys: &[Key]) -> bool {
    let plain = |key: &Key| matches!(key, Key::Path | Key::Name | Key::Size | Key::Algorithm | Key::Other);
    let other = |key: &Key| plain(key) || key.is_metadata() || key.is_fact();
    let digests = !keys.iter().all(other);
    keys.contains(&Key::Path) && digests && twice(keys).is_none()
}

/// Returns the meaning of each column. hashmill's own titles must match exactly; others are recognised by their words.
pub(in crate::format) fn keys<'a>(titles: impl Iterator<Item = &'a [u8]> + Clone) -> Vec<Key> {
    let own = titles.clone().any(|title| Key::from_name(title) == Key::Path);
    let any = |fits: fn(&str) -> bool| !own && titles.clone().any(|title| fits(&plain(title)));
    let paths = match (any(is_full_path), any(is_path) && any(is_name)) {
        _ if own => Paths::Own,
        (true, _) => Paths::Full,
        (false, true) => Paths::WithNames,
        (false, false) => Paths::Any,
    };
    let has = |wanted| titles.clone().any(|title| Key::from_name(title) == wanted);
    let (has_size, has_offset) = (own && has(Key::Size), has(Key::Offset));
    let key = |title: &[u8]| match Key::from_name(title) {
        Key::Length if !has_offset && !has_size => Key::Size,
        key if own && key != Key::Other => key,
        key @ (Key::Digest(_) | Key::Likeness(_)) => key,
        _ => match foreign(title, paths) {
            Key::Size if has_size => Key::Other,
            key => key,
        },
    };
    let mut keys: Vec<Key> = titles.clone().map(key).collect();
    pair_algorithm(&mut keys);
    keys
}

/// Keeps a column with the algorithm of each line, if there is exactly one column of digests for it. Otherwise neither
/// is read: the digests could be assigned to any algorithm of their length.
fn pair_algorithm(keys: &mut [Key]) {
    let count = |wanted| keys.iter().filter(|key| **key == wanted).count();
    if count(Key::Algorithm) == 0 || (count(Key::Algorithm), count(Key::Hash)) == (1, 1) {
        return;
    }
    let unclear = keys.iter_mut().filter(|key| matches!(key, Key::Algorithm | Key::Hash));
    unclear.for_each(|key| *key = Key::Other);
}

/// The choice of the path column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paths {
    /// The column with hashmill's own title.
    Own,
    /// The column of whole paths, regardless of others.
    Full,
    /// A column of paths and one of names: see [`super::parts`].
    WithNames,
    /// Any column of paths.
    Any,
}

/// Normalises a title: lower case, with one blank between words.
fn plain(title: &[u8]) -> String {
    let title = String::from_utf8_lossy(title).to_lowercase();
    let words = title.split(|letter: char| letter.is_whitespace() || "_-.()".contains(letter));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns whether a title means whole paths: then a column of names is redundant.
fn is_full_path(title: &str) -> bool {
    matches!(
        title,
        "fullpath"
            | "full path"
            | "filepath"
            | "file path"
            | "pathname"
            | "vollständiger pfad"
            | "voller pfad"
            | "dateipfad"
    )
}

/// Returns whether a title means paths, which may be those of folders.
fn is_path(title: &str) -> bool {
    matches!(title, "path" | "pfad" | "relative path" | "relpath")
}

fn is_name(title: &str) -> bool {
    matches!(
        title,
        "name" | "filename" | "filenames" | "file name" | "file" | "files" | "dateiname" | "datei"
    )
}

/// Returns whether a title means digests without naming the algorithm: `Hash`, `Hash1`, `Hashwert`.
fn is_hash(title: &str) -> bool {
    matches!(
        unnumbered(title),
        "hash"
            | "hash value"
            | "hash sum"
            | "hashsum"
            | "hashwert"
            | "hash wert"
            | "file hash"
            | "filehash"
            | "digest"
            | "checksum"
            | "check sum"
            | "file checksum"
            | "prüfsumme"
    )
}

fn is_algorithm(title: &str) -> bool {
    matches!(title, "algorithm" | "algo" | "hash algorithm" | "hash type" | "algorithmus" | "hashtyp")
}

/// Strips the number at the end of a title or word: X-Ways has a first and a second hash.
fn unnumbered(title: &str) -> &str {
    title.trim_end_matches(['1', '2', '¹', '²']).trim_end()
}

fn foreign(title: &[u8], paths: Paths) -> Key {
    if title.len() > 64 {
        return Key::Other;
    }
    let title = plain(title);
    match title.as_str() {
        whole if paths == Paths::Full && is_full_path(whole) => Key::Path,
        name if paths == Paths::WithNames && is_name(name) => Key::Name,
        path if matches!(paths, Paths::WithNames | Paths::Any) && (is_path(path) || is_name(path)) => {
            Key::Path
        }
        "size" | "filesize" | "file size" | "size in bytes" | "size bytes" | "bytes" | "length" | "größe"
        | "dateigröße" => Key::Size,
        hash if is_hash(hash) => Key::Hash,
        algorithm if is_algorithm(algorithm) => Key::Algorithm,
        _ => algorithm(&title).map_or(Key::Other, Key::Digest),
    }
}

/// Returns the algorithm in a title: `md5 hash`, `hash sha1`, `sha 256`.
fn algorithm(title: &str) -> Option<&'static Algorithm> {
    const EXTRA: [&str; 8] = ["hash", "digest", "sum", "checksum", "file", "value", "hashwert", "wert"];
    let extra = |word: &&str| !EXTRA.contains(&unnumbered(word));
    let words: Vec<&str> = title.split(' ').filter(extra).collect();
    let whole = words.concat();
    // `md5sum`, `sha256hash`.
    let stem = || EXTRA.iter().find_map(|end| named(whole.strip_suffix(end)?));
    named(&words.join("-")).or_else(|| named(&whole)).or_else(stem)
}

/// Returns the algorithm with this lowercase name or alias. Unlike `find`, it doesn't search for similar names, which
/// would be slow for the many words that are no algorithm.
pub(in crate::format) fn named(name: &str) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().find(|row| row.name == name || row.aliases.contains(&name))
}

/// Returns a column that occurs twice although it must be unique.
pub(in crate::format) fn twice(keys: &[Key]) -> Option<Key> {
    let single = |key: &&Key| !matches!(key, Key::Hash | Key::Other);
    let twice = |key: &&Key| keys.iter().filter(|other| other == key).count() > 1;
    keys.iter().filter(single).find(twice).copied()
}

/// Returns the titles of ignored columns, for a message.
pub(in crate::format) fn left_out(fields: &Fields, keys: &[Key]) -> Option<Box<str>> {
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
        assert_eq!(names("SHA256SUM,Bytes,FILE"), Some(vec!["sha256", "size", "path"]));
        // PowerShell, in any order.
        assert_eq!(names("Path\tAlgorithm\tHash"), Some(vec!["path", "algorithm", "hash"]));
        assert_eq!(names("\"Hash\";\"Path\""), Some(vec!["hash", "path"]));
        assert_eq!(names("path,checksum"), Some(vec!["path", "hash"]));
        assert_eq!(names("Path,Algorithm,MD5"), Some(vec!["path", "field", "md5"]));
        assert_eq!(names("Name\tSize\tComment\tSHA3-256"), Some(vec!["path", "size", "field", "sha3-256"]));
    }

    #[test]
    fn titles_of_x_ways_are_understood() {
        let all = Some(vec!["name", "path", "size", "md5", "sha1"]);
        assert_eq!(names("Name\tPath\tSize\tHash1 (MD5)\tHash2 (SHA-1)"), all);
        assert_eq!(names("Name\tPfad\tGröße\tHash¹ (MD5)\tHash² (SHA-1)"), all);
        let unnamed = Some(vec!["name", "path", "size", "hash", "hash"]);
        assert_eq!(names("Name\tPath\tSize\tHash1\tHash2"), unnamed);
        assert_eq!(names("Dateiname;Pfad;Größe;Hash 1;Hashwert"), unnamed);
        // Whole paths take precedence over parts of them.
        assert_eq!(names("Name\tPath\tFull path\tHash"), Some(vec!["field", "field", "path", "hash"]));
        assert_eq!(names("Name\tPath\tHash\tSHA-1"), Some(vec!["name", "path", "hash", "sha1"]));
        assert_eq!(names("path,md5,Hash1"), Some(vec!["path", "md5", "hash"]));
        assert_eq!(
            names("Name\tHash set\tHash category\tHash"),
            Some(vec!["path", "field", "field", "hash"])
        );
    }

    #[test]
    fn what_is_not_clear_is_no_header() {
        for line in [
            "Name\tFile\tPath\tMD5",
            "Path\tPfad\tName\tMD5",
            "Path\tAlgorithm\tHash1\tHash2",
            "Path\tAlgorithm",
            "Path\tComment",
            "name\tmd5\tMD5 hash",
            "md5\tsha1",
            "name\tcomment",
            "a md5 name",
            "",
        ] {
            assert_eq!(names(line), None, "{line}");
        }
    }
}
