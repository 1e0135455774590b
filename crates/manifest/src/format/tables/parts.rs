//! Tables with separate columns of names and paths, as X-Ways Forensics exports them: the path is either the file's
//! folder, or the whole path, which ends with the name.
//!
//! The titles don't say which, so the first rows decide. If the path of a row doesn't end with its name, all paths are
//! folders. If the paths of several files with different names all end with these, they are whole paths. A table with
//! only one name is ambiguous (`a\b` and `b` may be `a\b` or `a\b\b`) and is refused, as a wrong guess would falsify
//! all its paths.

use super::fields::Fields;
use super::titles;
use crate::format::read::lines::Lines;
use crate::format::read::text::{SNIFFED, is_comment, without_cr};
use crate::format::values::draft::Key;

/// The meaning of the path column next to a column of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) enum Parts {
    Folder,
    Whole,
    /// Either of the two.
    Unclear,
}

impl Parts {
    /// Decides from the first rows of a file. Without rows, or without a column of names, the result does not matter.
    pub fn find(first: &[u8], mut fields: Fields) -> Parts {
        let mut lines = Lines::bounded(Box::new(first), SNIFFED);
        let mut keys: Option<Vec<Key>> = None;
        // For each row its name, and whether the path ends with it.
        let mut rows: Vec<(Box<[u8]>, bool)> = Vec::new();
        while let Some(next) = if fields.may_be_quoted() { lines.next_quoted() } else { lines.next() } {
            let Ok((_, line)) = next else { break };
            if without_cr(line).is_empty() || keys.is_none() && is_comment(line) || !fields.split(line) {
                continue;
            }
            match &keys {
                None => {
                    let found = titles::keys(fields.iter());
                    if !found.contains(&Key::Name) {
                        return Parts::Folder;
                    }
                    keys = Some(found);
                }
                Some(keys) if keys.len() != fields.len() => {}
                Some(keys) => rows.extend(row(&fields, keys)),
            }
        }
        if first.len() >= SNIFFED {
            // The last row may be truncated.
            rows.pop();
        }
        match rows.first() {
            Some((name, _)) if rows.iter().all(|(_, ends)| *ends) => {
                let several = rows.iter().any(|(other, _)| other != name);
                if several { Parts::Whole } else { Parts::Unclear }
            }
            _ => Parts::Folder,
        }
    }

    /// Returns the path of a file; `None` if it is ambiguous.
    pub fn path(self, path: &[u8], name: &[u8]) -> Option<Box<[u8]>> {
        match self {
            Parts::Folder => Some(join(path, name)),
            Parts::Whole => ends_with(path, name).then(|| path.into()),
            Parts::Unclear => None,
        }
    }
}

/// Returns the name in a row, and whether its path ends with it; `None` without a name.
fn row(fields: &Fields, keys: &[Key]) -> Option<(Box<[u8]>, bool)> {
    let of = |wanted: Key| fields.iter().zip(keys).find(|(_, key)| **key == wanted).map(|(field, _)| field);
    let (name, path) = (of(Key::Name)?, of(Key::Path)?);
    (!name.is_empty()).then(|| (name.into(), ends_with(path, name)))
}

/// Returns whether the last component of a path is this name.
fn ends_with(path: &[u8], name: &[u8]) -> bool {
    let before = path.strip_suffix(name).filter(|_| !name.is_empty());
    before.is_some_and(|before| before.is_empty() || before.ends_with(b"/") || before.ends_with(b"\\"))
}

/// Joins folder and name with the folder's own separator.
fn join(folder: &[u8], name: &[u8]) -> Box<[u8]> {
    let divider: &[u8] = match folder.last() {
        None | Some(b'/' | b'\\') => b"",
        _ if folder.contains(&b'\\') && !folder.contains(&b'/') => b"\\",
        _ => b"/",
    };
    [folder, divider, name].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tables::fields::Quotes;

    fn found(rows: &str) -> Parts {
        let text = format!("Name\tPath\tMD5\n{rows}");
        Parts::find(text.as_bytes(), Fields::with(b'\t', Quotes::Literal))
    }

    #[test]
    fn one_row_that_cannot_be_whole_makes_all_folders() {
        assert_eq!(found("a\t\\x\\a\t\nb\t\\x\\b\t\n"), Parts::Whole);
        assert_eq!(found("a\t\\x\\a\t\nb\t\\x\t\n"), Parts::Folder);
        assert_eq!(found("a\t\\x\\a\\\t\nb\t\\x\\b\t\n"), Parts::Folder);
        assert_eq!(found("a\t\t\nb\tb\t\n"), Parts::Folder);
        assert_eq!(found("b\t\\xb\t\n"), Parts::Folder);
        assert_eq!(found(""), Parts::Folder);
    }

    #[test]
    fn one_name_says_nothing() {
        assert_eq!(found("b\ta\\b\t\n"), Parts::Unclear);
        assert_eq!(found("b\ta\\b\t\nb\tc\\b\t\n"), Parts::Unclear);
        assert_eq!(found("b\tb\t\n"), Parts::Unclear);
    }

    #[test]
    fn a_row_at_the_cut_does_not_vote() {
        let many: String =
            (0..).map(|number| format!("\tn{number}\t\\x\\n{number}\n")).take(10_000).collect();
        let text = format!("MD5\tName\tPath\n{many}");
        for cut in SNIFFED..SNIFFED + 20 {
            // The sample ends at any place of a row.
            let padded = format!("{}{text}", "#".repeat(cut - SNIFFED) + "\n");
            let first = &padded.as_bytes()[..SNIFFED];
            assert_eq!(Parts::find(first, Fields::with(b'\t', Quotes::Literal)), Parts::Whole, "{cut}");
        }
    }

    #[test]
    fn names_are_put_into_folders() {
        let path = |folder: &str, name: &str| {
            String::from_utf8(Parts::Folder.path(folder.as_bytes(), name.as_bytes()).unwrap().into()).unwrap()
        };
        assert_eq!(path("\\Users\\u", "a.txt"), "\\Users\\u\\a.txt");
        assert_eq!(path("\\Users\\u\\", "a.txt"), "\\Users\\u\\a.txt");
        assert_eq!(path("\\", "a.txt"), "\\a.txt");
        assert_eq!(path("/home/u", "a.txt"), "/home/u/a.txt");
        assert_eq!(path("/home/od\\d", "a.txt"), "/home/od\\d/a.txt");
        assert_eq!(path("", "a.txt"), "a.txt");
        assert_eq!(Parts::Whole.path(b"x/a", b"a").as_deref(), Some(&b"x/a"[..]));
        assert_eq!(Parts::Whole.path(b"x/a", b"b"), None);
        assert_eq!(Parts::Whole.path(b"x/a", b""), None);
        assert_eq!(Parts::Unclear.path(b"x/a", b"a"), None);
    }
}
