//! Files of this machine that are named in lists.

use crate::history::{self, Below};
use hashmill_content::Misfit;
use hashmill_content::output::{self, OutputPath};
use hashmill_content::selection::path_of;
use hashmill_content::stores::Stores;
use hashmill_manifest::format::{Base, Format};
use hashmill_os::names;
use hashmill_os::roots::{has_drives, with_slashes};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the paths in a list may lead. A list may come from anybody, and a request to a store reveals its reader and
/// may use the reader's keys.
#[derive(Debug, Clone, Default)]
pub enum Reach {
    /// Only to files: text that looks like a location is the path of a file.
    #[default]
    Files,
    /// To files and to objects in these stores.
    Remote(Stores),
}

impl Reach {
    /// Returns the stores if this path of a list leads to an object in one.
    pub fn stores_for(&self, path: &[u8]) -> Option<&Stores> {
        match self {
            Reach::Remote(stores) if stores.is_location(path) => Some(stores),
            _ => None,
        }
    }
}

/// Returns the folder that the paths of a list are relative to, by the rules of its format; `None` means the user's
/// working folder.
pub fn base(list: &Path, base: Base) -> Option<PathBuf> {
    if list.as_os_str() == "-" {
        return None;
    }
    if history::is_history(list) {
        return Some(history::root_of(list));
    }
    let folder = list.parent().unwrap_or(Path::new(""));
    match base {
        Base::Anywhere | Base::Nowhere => None,
        Base::Folder => Some(folder.to_path_buf()),
        Base::Above(fits) => {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let whole = names::canonical(here).unwrap_or_else(|_| here.to_path_buf());
            whole.file_name().filter(|name| fits(&names::bytes(name))).map(|_| history::root_of(here))
        }
    }
}

/// Returns the folder that the names in a new list start from, if its format states one, for a walk of these operands.
///
/// # Errors
/// If an operand is not below it, or the folder can't be read.
pub fn below_list(
    format: &Format,
    place: &OutputPath,
    operands: &[Box<[u8]>],
    stores: &Stores,
) -> Result<Option<Arc<Below>>, Misfit> {
    // A place that a list of this format can't have is refused where it is opened.
    let is_of_files = output::replaces(place)
        && !history::is_part(&place.path)
        && !operands.iter().any(|path| stores.is_location(path));
    let Some(folder) = base(&place.path, format.base).filter(|_| is_of_files) else { return Ok(None) };
    let (below, elsewhere) = Below::new(&folder, operands)
        .map_err(|why| Misfit::of_place(&*names::path_bytes(&folder), &why.to_string()))?;
    match elsewhere.first() {
        Some(operand) => {
            let why = format!(
                "is not below the folder of the list, and names in the format {} are relative to that (write the list \
                 there, or take another format)",
                format.name
            );
            Err(Misfit::of_place(operand.clone(), &why))
        }
        None => Ok(Some(Arc::new(below))),
    }
}

/// Returns a folder as a prefix of the paths in it. The working folder has an empty prefix.
pub fn prefix(folder: &Path) -> Box<[u8]> {
    match &*names::path_bytes(folder) {
        [] => Box::default(),
        folder @ [.., b'/'] => folder.into(),
        folder => [folder, b"/"].concat().into(),
    }
}

/// Puts the folder of a list in front of a relative path from it.
pub fn below_base(prefix: &[u8], path: Box<[u8]>) -> Box<[u8]> {
    let from_root =
        || names::is_from_root(&path) || (has_drives() && names::is_from_root(&with_slashes(&path)));
    let stays = prefix.is_empty() || path.is_empty() || from_root();
    if stays { path } else { [prefix, &*path].concat().into() }
}

/// Returns whether an entry of this name exists.
pub fn exists(path: &[u8]) -> bool {
    Path::new(&path_of(path)).symlink_metadata().is_ok()
}

/// Returns whether backslashes may be separators: the path has some, and no slash, unless this system has both.
fn may_be_divided(path: &[u8]) -> bool {
    memchr::memchr(b'\\', path).is_some() && (memchr::memchr(b'/', path).is_none() || has_drives())
}

/// The separators of a list's paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separators {
    /// Slashes alone.
    Slashes,
    /// Not known: a path without slashes may have backslashes.
    Unknown,
}

/// Returns the path of a file that a list names below a prefix. If no entry has exactly this name, the other names are
/// tried that a program may have meant: backslashes are separators (unless those of the list are known), as in lists from
/// Windows, and a leading one is the root of a medium; quotes or blanks at both ends are not part of the name, nor is `*`
/// before it; pictures
/// of control characters stand for these, as rclone writes them.
pub fn local<'a>(prefix: &[u8], path: &'a [u8], separators: Separators) -> Cow<'a, [u8]> {
    let divided = separators == Separators::Slashes;
    let (prefix, name) = path.strip_prefix(prefix).map_or((&b""[..], path), |name| (prefix, name));
    let forms = [Some(name.to_vec()), within_marks(name), without_pictures(name)];
    let others = forms.iter().flatten().flat_map(|form| {
        let slashed = (!divided && may_be_divided(form)).then(|| with_slashes(form));
        let below = slashed.as_ref().and_then(|form| form.strip_prefix(b"/")).map(<[u8]>::to_vec);
        // Below a list's folder, a leading one is no root.
        let slashed = slashed.filter(|form| prefix.is_empty() || !form.starts_with(b"/"));
        [Some(form.clone()), slashed, below]
    });
    let mut others = others.flatten().skip(1).map(|other| [prefix, other.as_slice()].concat()).peekable();
    if others.peek().is_none() || exists(path) {
        return Cow::Borrowed(path);
    }
    if let Some(other) = others.find(|other| exists(other)) {
        return Cow::Owned(other);
    }
    // No name has a backslash here: it is missing under the other name.
    let is_divided = !divided && has_drives() && may_be_divided(name);
    if is_divided {
        Cow::Owned([prefix, with_slashes(name).as_slice()].concat())
    } else {
        Cow::Borrowed(path)
    }
}

/// Returns a name without the quotes or the blanks at both of its ends, or without the mark of binary files behind two
/// blanks.
fn within_marks(name: &[u8]) -> Option<Vec<u8>> {
    let inner = match name {
        [b'"', inner @ .., b'"'] => inner,
        [b'*', inner @ ..] => inner,
        [first, .., last] if first.is_ascii_whitespace() && last.is_ascii_whitespace() => name.trim_ascii(),
        _ => return None,
    };
    (!inner.is_empty()).then(|| inner.to_vec())
}

/// The character that rclone puts in front of a picture that is meant as it is, and of the digits of a byte that is not UTF-8.
const QUOTE: char = '\u{201b}';

/// Returns a name with control characters and bytes in the place of what rclone writes for them.
fn without_pictures(name: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(name).ok()?;
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let next = rest.chars().next().filter(|next| letter == QUOTE && control(*next).is_some());
        let byte =
            rest.get(..2).filter(|_| letter == QUOTE).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(byte) = byte.filter(|byte| !byte.is_ascii()) {
            plain.push(byte);
            rest = &rest[2..];
        } else if let Some(picture) = next {
            plain.extend_from_slice(picture.encode_utf8(&mut [0; 4]).as_bytes());
            rest = &rest[picture.len_utf8()..];
        } else {
            let letter = control(letter).unwrap_or(letter);
            plain.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    (plain != name).then_some(plain)
}

/// Returns the control character of a picture.
fn control(picture: char) -> Option<char> {
    match picture {
        '\u{2401}'..='\u{241f}' => char::from_u32(u32::from(picture) - 0x2400),
        '\u{2421}' => Some('\x7f'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_windows_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = [&*names::path_bytes(folder.path()), b"/"].concat();
        let windows: Vec<u8> = at.iter().map(|byte| if *byte == b'/' { b'\\' } else { *byte }).collect();
        assert_eq!(*local(b"", &windows, Separators::Unknown), *at);
    }

    #[test]
    fn names_are_tried_as_they_may_have_been_meant() {
        let folder = tempfile::tempdir().unwrap();
        let prefix = prefix(folder.path());
        let below = |name: &[u8]| [&*prefix, name].concat();
        std::fs::create_dir(folder.path().join("d")).unwrap();
        std::fs::write(folder.path().join("d/a b"), "").unwrap();
        for name in
            [&b"\"d/a b\""[..], b" d/a b ", b"\n  d/a b\n", b"d\\a b", b"\\d\\a b", b"\"d\\a b\"", b"*d/a b"]
        {
            assert_eq!(
                *local(&prefix, &below(name), Separators::Unknown),
                *below(b"d/a b"),
                "{}",
                name.escape_ascii()
            );
        }
        for name in [&b"d/a b "[..], b"\"d/a b", b"d/A b"] {
            assert_eq!(
                *local(&prefix, &below(name), Separators::Unknown),
                *below(name),
                "{}",
                name.escape_ascii()
            );
        }
        assert_eq!(*local(&prefix, &below(b"d\\a b"), Separators::Slashes), *below(b"d\\a b"));
    }

    #[test]
    fn pictures_of_control_characters_are_undone() {
        let undone =
            |name: &str| without_pictures(name.as_bytes()).map(|name| String::from_utf8(name).unwrap());
        assert_eq!(undone("a\u{240a}b\u{2409}c").as_deref(), Some("a\nb\tc"));
        assert_eq!(undone("\u{201b}\u{240a}\u{2421}").as_deref(), Some("\u{240a}\x7f"));
        assert_eq!(undone("a\u{2400}\u{201b}b"), None);
        assert_eq!(without_pictures("x\u{201b}FF".as_bytes()).as_deref(), Some(&b"x\xff"[..]));
    }

    #[test]
    fn paths_from_a_root_stay() {
        let root = names::into_path_bytes(std::env::temp_dir());
        assert_eq!(*below_base(b"list/", root.clone().into()), *root);
        assert_eq!(&*below_base(b"list/", b"a/b".as_slice().into()), b"list/a/b");
        let drive: &[u8] = if has_drives() { b"C:\\a" } else { b"list/C:\\a" };
        assert_eq!(&*below_base(b"list/", b"C:\\a".as_slice().into()), drive);
    }
}

#[cfg(all(test, unix))]
mod tests_of_backslashes {
    use super::*;
    use std::fs;

    #[test]
    fn a_name_with_a_backslash_comes_before_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| [&*names::path_bytes(folder.path()), b"/", name.as_bytes()].concat();
        fs::write(folder.path().join("a\\b"), "").unwrap();
        // With a slash before it, only a name is possible.
        assert_eq!(*local(b"", &at("a\\b"), Separators::Unknown), *at("a\\b"));
        assert_eq!(*local(b"", b"no\\such\\file", Separators::Unknown), *b"no\\such\\file");
    }
}
