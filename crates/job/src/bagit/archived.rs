//! A bag in an archive (RFC 8493, 4): one folder on top, or the bag's files themselves.

use super::members::MemberPath;
use crate::error::Error;
use hashmill_content::File as Tried;
use hashmill_content::archive_folder::{ArchiveFolder, LinkTexts, read_whole};
use hashmill_content::operands::archive_operand::open_folder;
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Bytes, path_of};
use hashmill_engine::Cancel;
use hashmill_engine::flow::Entries;
use hashmill_os::names;
use hashmill_source::{Entry, Skip, WalkItem};
use hashmill_terminal::Shown;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The part of the memory that the text of all tag files may take: what they say takes several times as much.
const SHARE: usize = 8;

pub(super) const LONG_TAGS: &str = "its tag files need more memory than is allowed (allow more with -m)";

/// The bytes that each kept text takes beside its own.
const OVERHEAD: usize = 128;

/// A bag in an archive.
pub(super) struct ArchivedBag {
    archive: Box<ArchiveFolder>,
    /// The path of the archive.
    pub(super) path: Bytes,
    /// The folder of the bag in the archive; empty if its files are on top.
    pub(super) top: Bytes,
    /// Whether the bag has a payload folder.
    pub(super) has_payload: bool,
    /// The tag files at the top of the bag, or the reason why one can't be read.
    tags: BTreeMap<String, Result<Vec<u8>, String>>,
    /// The bytes of memory that the run may use.
    pub(super) memory: usize,
}

impl ArchivedBag {
    /// Looks for the bag in an archive; none if the path is not that of one.
    ///
    /// # Errors
    /// If there is no bag in it.
    pub(super) fn open(
        path: &Path,
        resources: &Resources,
        cancel: &Cancel,
    ) -> Result<Option<ArchivedBag>, Error> {
        let bytes: Bytes = names::path_bytes(path).into();
        let Some(archive) = open_folder(&bytes, resources) else { return Ok(None) };
        let memory = resources.memory;
        let mut survey = Survey::new(&bytes, memory);
        for item in archive(Some(LinkTexts::default())) {
            if cancel.is_set() {
                break;
            }
            survey.take(item).map_err(|TooLong| Error::of_place(bytes.clone(), LONG_TAGS))?;
        }
        let (top, failure) = (survey.top(&bytes)?, survey.failure.take());
        let Survey { texts, payloads, .. } = survey;
        let mut tags: BTreeMap<String, Result<Vec<u8>, String>> = BTreeMap::new();
        for (tag_path, text) in texts {
            let (folder, name) = tag_path.rsplit_once('/').unwrap_or(("", &tag_path));
            if folder.as_bytes() == &*top {
                tags.insert(name.to_string(), text);
            }
        }
        // In an archive that can't be read to its end, it may come later.
        if let (false, Some(why)) = (tags.contains_key("bagit.txt"), failure) {
            return Err(Error::file(&bytes, Tried::Read)(io::Error::other(why)));
        }
        let has_payload = payloads[usize::from(!top.is_empty())];
        Ok(Some(ArchivedBag { archive, path: bytes, top, has_payload, tags, memory }))
    }

    /// Returns the path of the bag's folder, as those of files are shown.
    pub(super) fn folder(&self) -> PathBuf {
        path_of(&self.path).join(path_of(&self.top))
    }

    /// Returns the names of the tag files.
    pub(super) fn names(&self) -> Vec<String> {
        self.tags.keys().cloned().collect()
    }

    /// Returns the content of a tag file.
    ///
    /// # Errors
    /// If it could not be read.
    pub(super) fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        match self.tags.get(name) {
            Some(Ok(text)) => Ok(text.clone()),
            Some(Err(why)) => Err(io::Error::other(why.clone())),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Returns all members of the archive, folders among them.
    pub(super) fn entries(&self) -> Entries {
        (self.archive)(Some(LinkTexts::default()))
    }
}

/// The tag files need too much memory.
struct TooLong;

/// The first pass over the archive. It keeps all that may be tag files, as the folder of the bag is known only at the end.
struct Survey<'a> {
    archive: &'a [u8],
    /// The first two different names on top.
    tops: Vec<Bytes>,
    /// Whether there is a folder `data` on top, and one level deeper.
    payloads: [bool; 2],
    /// The texts of files with names of tag files, by their paths in the archive.
    texts: BTreeMap<String, Result<Vec<u8>, String>>,
    /// The bytes of memory that may still be used.
    left: usize,
    /// The reason why the archive could not be read to its end.
    failure: Option<String>,
}

impl<'a> Survey<'a> {
    fn new(archive: &'a [u8], memory: usize) -> Survey<'a> {
        let (tops, texts, left) = (Vec::new(), BTreeMap::new(), memory / SHARE);
        Survey { archive, tops, payloads: [false; 2], texts, left, failure: None }
    }

    fn take(&mut self, item: WalkItem) -> Result<(), TooLong> {
        let (path, is_folder) = match &item {
            WalkItem::File(entry) => (&entry.path, false),
            WalkItem::Skipped { path, why } => (path, *why == Skip::EmptyFolder),
            WalkItem::Failed(error) => (&error.path, false),
        };
        let path = match MemberPath::new(path, self.archive) {
            MemberPath::Root => {
                if let WalkItem::Failed(error) = &item {
                    self.failure = Some(error.problem.to_string());
                }
                return Ok(());
            }
            // It is reported when the bag is read.
            MemberPath::Unsafe(..) => return Ok(()),
            MemberPath::Inside(path) => path,
        };
        self.note_place(&path, is_folder);
        let Some(path) = tag_file(&path) else { return Ok(()) };
        let text = match item {
            WalkItem::File(Entry { content: Some(content), .. }) => {
                let read = content.open().and_then(|bytes| read_whole(&*bytes, self.left));
                read.transpose().ok_or(TooLong)?.map_err(|error| error.to_string())
            }
            WalkItem::Failed(error) => Err(error.problem.to_string()),
            _ => return Ok(()),
        };
        self.keep(path, text)
    }

    fn keep(&mut self, path: String, text: Result<Vec<u8>, String>) -> Result<(), TooLong> {
        let length = path.len() + text.as_ref().map_or_else(String::len, Vec::len) + OVERHEAD;
        self.left = self.left.checked_sub(length).ok_or(TooLong)?;
        let text = match self.texts.get(&path) {
            Some(other) if *other != text => {
                Err("the archive has several files with this path, and they differ".into())
            }
            _ => text,
        };
        self.texts.insert(path, text);
        Ok(())
    }

    fn note_place(&mut self, path: &[u8], is_folder: bool) {
        let mut names = path.split(|byte| *byte == b'/');
        let (first, second, third) = (names.next(), names.next(), names.next());
        let Some(first) = first else { return };
        if self.tops.len() < 2 && !self.tops.iter().any(|top| **top == *first) {
            self.tops.push(first.into());
        }
        self.payloads[0] |= first == b"data" && (is_folder || second.is_some());
        self.payloads[1] |= second == Some(b"data") && (is_folder || third.is_some());
    }

    /// Returns the folder of the bag.
    fn top(&self, path: &[u8]) -> Result<Bytes, Error> {
        if self.texts.contains_key("bagit.txt") {
            return Ok(Bytes::default());
        }
        match &*self.tops {
            [] => Ok(Bytes::default()),
            [top] => Ok(top.clone()),
            [one, other, ..] => {
                let added = [one, other].into_iter().find(|name| is_of_macos(name)).map(|name| Shown(name));
                let (one, other) = (Shown(one), Shown(other));
                let mut why =
                    format!("has {one} and {other} on top, so it is not a bag, which is one folder");
                if let Some(added) = added {
                    why += &format!(" ({added} is what macOS adds to archives: take it out)");
                }
                Err(Error::of_place(path, why))
            }
        }
    }
}

/// Whether macOS adds files with this name beside what is archived.
fn is_of_macos(name: &[u8]) -> bool {
    matches!(name, b"__MACOSX" | b".DS_Store") || name.starts_with(b"._")
}

/// Returns the path of a member as text if it may be a tag file: one on top, or in a folder on top.
fn tag_file(path: &[u8]) -> Option<String> {
    const NAMES: [&str; 4] = ["bagit.txt", "bag-info.txt", "package-info.txt", "fetch.txt"];
    let path = str::from_utf8(path).ok()?;
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_list = || name.starts_with("manifest-") || name.starts_with("tagmanifest-");
    (!folder.contains('/') && (NAMES.contains(&name) || is_list())).then(|| path.to_string())
}

/// Returns a path below the folder of the bag.
pub(super) fn below_top<'p>(path: &'p [u8], top: &[u8]) -> Option<&'p [u8]> {
    match top {
        [] => Some(path),
        _ if path == top => Some(b""),
        _ => path.strip_prefix(top)?.strip_prefix(b"/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_files_are_near_the_top() {
        for path in ["bagit.txt", "b/bagit.txt", "b/manifest-md5.txt", "tagmanifest-x.txt"] {
            assert_eq!(tag_file(path.as_bytes()).as_deref(), Some(path));
        }
        for path in ["a/b/bagit.txt", "b/x.txt", "manifest", "data/a"] {
            assert_eq!(tag_file(path.as_bytes()), None, "{path}");
        }
    }

    #[test]
    fn paths_are_relative_to_the_folder_on_top() {
        assert_eq!(below_top(b"b/data/a", b"b"), Some(&b"data/a"[..]));
        assert_eq!(below_top(b"data/a", b""), Some(&b"data/a"[..]));
        assert_eq!(below_top(b"b", b"b"), Some(&b""[..]));
        assert_eq!(below_top(b"bb/x", b"b"), None);
    }
}
