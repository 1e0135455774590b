//! The folders of a repository of git. A work tree beside its repository has a file `.git` that says where it is, and
//! several work trees have objects and references in common (gitrepository-layout).

use super::place::{joined, read_small};
use hashmill_content::selection::Bytes;
use hashmill_os::names;
use hashmill_source::OperandDirectory;
use std::io;

/// The most bytes of a file that leads to a folder.
const MAX_LEAD: u64 = 1 << 14;

/// The most bytes of the list of alternates, and the most folders of objects.
const MAX_ALTERNATES: u64 = 1 << 20;
const MOST_FOLDERS: usize = 64;

/// The most lists of alternates that lead to each other: git reads no more.
const MOST_STEPS: usize = 5;

/// A repository of git.
#[derive(Debug)]
pub(super) struct Repository {
    /// The folder with `HEAD`.
    pub head: Bytes,
    /// The folder with objects and references, which is that of `HEAD` unless there are several work trees.
    pub common: Bytes,
}

impl Repository {
    /// Finds the repository that a folder is, or is the work tree of.
    pub fn find(folder: &[u8]) -> Option<Repository> {
        let operand = OperandDirectory::open(folder).ok()?;
        let meta = |path: &str| operand.meta(&joined(folder, path)).ok();
        let head = match meta(".git") {
            Some(git) if git.is_directory() => joined(folder, ".git"),
            Some(git) if git.is_file() => lead(&operand, folder, ".git", b"gitdir:")?,
            _ => {
                let is_folder = |path| meta(path).is_some_and(|meta| meta.is_directory());
                meta("HEAD").filter(|_| is_folder("objects") || meta("commondir").is_some())?;
                folder.into()
            }
        };
        let opened = OperandDirectory::open(&head).ok();
        let common = opened.and_then(|operand| lead(&operand, &head, "commondir", b""));
        Some(Repository { common: common.unwrap_or_else(|| head.clone()), head })
    }

    /// Returns the folders of objects: its own, and the alternates that these name.
    ///
    /// # Errors
    /// If its own can't be opened, or a list of alternates can't be read.
    pub fn object_folders(&self) -> io::Result<Vec<(OperandDirectory, Bytes)>> {
        let own = joined(&self.common, "objects");
        let mut folders = vec![(OperandDirectory::open(&own)?, own)];
        let (mut start, mut step) = (0, 0);
        while start < folders.len() && step < MOST_STEPS {
            let mut more: Vec<Bytes> = Vec::new();
            for (operand, folder) in folders.get(start..).unwrap_or_default() {
                more.extend(alternates(operand, folder)?);
            }
            (start, step) = (folders.len(), step + 1);
            for folder in more {
                let is_known = folders.iter().any(|(_, known)| *known == folder);
                // As with git, one that is not there is passed over: what it had is missed when it is asked for.
                if !is_known
                    && folders.len() < MOST_FOLDERS
                    && let Ok(operand) = OperandDirectory::open(&folder)
                {
                    folders.push((operand, folder));
                }
            }
        }
        Ok(folders)
    }
}

/// Reads a file that leads to a folder, after a word.
fn lead(operand: &OperandDirectory, folder: &[u8], file: &str, word: &[u8]) -> Option<Bytes> {
    let text = read_small(operand, &joined(folder, file), MAX_LEAD).ok()?;
    let path = text.strip_prefix(word)?.trim_ascii();
    (!path.is_empty()).then(|| led(folder, path))
}

/// Reads the folders that a folder of objects names as its alternates.
fn alternates(operand: &OperandDirectory, folder: &[u8]) -> io::Result<Vec<Bytes>> {
    let list = match read_small(operand, &joined(folder, "info/alternates"), MAX_ALTERNATES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    let lines = list.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    Ok(lines.map(|line| led(folder, line)).collect())
}

/// Returns the folder to which a path leads from another. `..` takes away the last folder, where that is no link.
fn led(folder: &[u8], path: &[u8]) -> Bytes {
    if names::is_from_root(path) {
        return path.into();
    }
    let (mut folder, mut path) = (Bytes::from(folder), path);
    while let Some(rest) = path.strip_prefix(b"..").filter(|rest| rest.is_empty() || rest.starts_with(b"/")) {
        let Some(above) = above(&folder) else { break };
        folder = above;
        path = rest.strip_prefix(b"/").unwrap_or(rest);
    }
    joined(&folder, path)
}

/// Returns the folder above another, if its path says it.
fn above(folder: &[u8]) -> Option<Bytes> {
    let slash = folder.iter().rposition(|byte| *byte == b'/').filter(|slash| *slash > 0)?;
    let (above, name) = folder.split_at_checked(slash)?;
    let is_named = !matches!(name, b"/" | b"/." | b"/..");
    let meta =
        OperandDirectory::open(above).and_then(|operand| operand.meta(folder)).ok().filter(|_| is_named)?;
    meta.is_directory().then(|| above.into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use hashmill_testing::Folder;

    #[test]
    fn paths_lead_from_a_folder() {
        let folder = Folder::new();
        let base = names::path_bytes(folder.path()).into_owned();
        folder.file("r/.git/worktrees/w/HEAD", "");
        folder.link("link", "r/.git/worktrees");
        let from = |start: &str, path: &str| {
            let led = led(&[&base, start.as_bytes()].concat(), path.as_bytes());
            led.strip_prefix(&*base).unwrap_or(&led).to_vec()
        };
        assert_eq!(from("/r/.git/worktrees/w", "../.."), b"/r/.git");
        assert_eq!(from("/r/.git/worktrees/w", "../../x/../y"), b"/r/.git/x/../y");
        assert_eq!(from("/r", "..a"), b"/r/..a");
        assert_eq!(from("/r", "/elsewhere"), b"/elsewhere");
        // A link leads elsewhere than its path says, and so may what is not there.
        assert_eq!(from("/link", ".."), b"/link/..");
        assert_eq!(from("/link/w", "../.."), b"/link/..");
        assert_eq!(from("/none", "../a"), b"/none/../a");
        assert_eq!(&*led(b".", b"../a"), b"./../a");
        assert_eq!(&*led(b"r", b"../a"), b"r/../a");
    }
}
