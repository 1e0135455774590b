//! Objects of Git LFS that the files of a commit stand for: their pointers are in the objects of git.

use super::git_objects::{self, GitObjects};
use super::place::joined;
use super::references;
use super::repository::Repository;
use hashmill_content::selection::Bytes;
use hashmill_content::stores::Stores;
use hashmill_digest::{Digest, find as find_algorithm};
use hashmill_engine::Cancel;
use hashmill_objects::pack::{Large, PackObjects, Unpacker};
use hashmill_objects::{LFS_POINTER_MAX, LfsPointer, git_tree_entries, git_tree_of, lfs_pointer};
use hashmill_source::OperandDirectory;
use std::collections::HashSet;
use std::io;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

/// The most bytes of a commit or a tree.
const MAX_OBJECT: u64 = 64 << 20;

/// The most folders on the way to a file, and the most bytes of its path (`PATH_MAX` of Linux).
const DEEPEST: usize = 256;
const MAX_PATH: usize = 4096;

/// The pointers of the commit that is checked out.
#[derive(Debug)]
pub(super) struct Pointers {
    /// The folder of the objects that they stand for.
    pub root: Bytes,
    /// Whether that folder is there.
    pub has_root: bool,
    /// The path of the reference.
    pub head: Bytes,
    pub pointers: Vec<Pointer>,
    /// The reason why they can't all be read.
    pub fault: Option<String>,
}

/// An object of Git LFS, and the file that stands for it.
#[derive(Debug)]
pub(super) struct Pointer {
    pub object: LfsPointer,
    pub file: Bytes,
}

/// Reads the pointers of the repository that a folder is, or is the work tree of. None if there is no repository, or it
/// has neither objects of Git LFS nor pointers.
pub(super) fn find(folder: &[u8], memory: u64, stores: &Stores, cancel: &Cancel) -> Option<Pointers> {
    let repository = Some(folder).filter(|folder| !stores.is_location(folder)).and_then(Repository::find)?;
    let root = joined(&repository.common, "lfs/objects");
    let opened = OperandDirectory::open(&repository.common);
    let root_meta = opened.and_then(|operand| operand.meta(&root));
    let (pointers, fault) = read(&repository, memory, cancel).unwrap_or_else(|why| (Vec::new(), Some(why)));
    let fault = fault.map(|why| format!("cannot read the pointers of Git LFS: {why}"));
    let mut found =
        Pointers { root, has_root: false, head: joined(&repository.head, "HEAD"), pointers, fault };
    match root_meta {
        Ok(meta) if meta.is_directory() => found.has_root = true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        _ => {
            let root = hashmill_terminal::Shown(&found.root);
            found.fault = Some(format!("{root} is no folder; name the one to which a link leads"));
            found.pointers.clear();
        }
    }
    let is_empty = found.pointers.is_empty() && found.fault.is_none() && !found.has_root;
    (!is_empty).then_some(found)
}

/// Reads the pointers, and the reason why some can't be read.
fn read(
    repository: &Repository,
    memory: u64,
    cancel: &Cancel,
) -> Result<(Vec<Pointer>, Option<String>), String> {
    let Some(head) = references::head(repository)? else { return Ok((Vec::new(), None)) };
    let digest = head.as_bytes().len();
    let name = if digest == 32 { "sha256" } else { "sha1" };
    let algorithm = find_algorithm(name).map_err(|error| error.to_string())?;
    let folders = repository.object_folders().map_err(|error| format!("objects: {error}"))?;
    let mut opened = Vec::new();
    for folder in &folders {
        opened.extend(git_objects::open_packs(folder, digest)?);
    }
    let mut packs = Vec::new();
    for (index, file, length) in &opened {
        let pack = PackObjects::find(index, file, digest, *length);
        packs.push(pack.map_err(|fault| format!("a pack {fault}"))?);
    }
    let (left, stop) = (AtomicU64::new(u64::MAX), || cancel.is_set());
    let unpacker = |pack| Unpacker::new(pack, algorithm, memory, &left, &stop, Large::IsTold);
    let packs = packs.iter().map(|pack| (pack, unpacker(pack))).collect();
    let objects = GitObjects { folders: &folders, packs, algorithm };
    let mut search =
        Search { objects, digest, cancel, pointers: Vec::new(), fault: None, seen: HashSet::new() };
    search.run(head)?;
    Ok((search.pointers, search.fault))
}

/// A file or folder of a commit. Folders have their paths in common, as a hostile tree may have many long ones.
#[derive(Debug, Clone)]
struct TreePath {
    above: Option<Rc<TreePath>>,
    name: Bytes,
    /// The bytes of the whole path, and the number of folders on it.
    length: usize,
    depth: usize,
}

impl TreePath {
    /// Returns the path of an entry of a folder; none if it is too long.
    fn below(above: Option<&Rc<TreePath>>, name: &[u8]) -> Option<TreePath> {
        let (length, depth) = above.map_or((0, 0), |above| (above.length + 1, above.depth + 1));
        let length = length.saturating_add(name.len());
        let fits = length <= MAX_PATH && depth <= DEEPEST;
        fits.then(|| TreePath { above: above.cloned(), name: name.into(), length, depth })
    }

    /// Returns the whole path.
    fn whole(&self) -> Bytes {
        let mut names = vec![&*self.name];
        let mut above = self.above.as_deref();
        while let Some(folder) = above {
            names.push(&folder.name);
            above = folder.above.as_deref();
        }
        names.reverse();
        names.join(&b'/').into()
    }
}

/// A search for pointers below the tree of a commit.
struct Search<'a> {
    objects: GitObjects<'a>,
    /// The bytes of the name of an object.
    digest: usize,
    cancel: &'a Cancel,
    pointers: Vec<Pointer>,
    /// The first fault; what can be read beside it is.
    fault: Option<String>,
    /// Trees and files that were read: the same ones lie in many places.
    seen: HashSet<Digest>,
}

impl Search<'_> {
    fn run(&mut self, head: Digest) -> Result<(), String> {
        let commit = self.large(head.as_bytes(), "commit")?;
        let tree = git_tree_of(&commit).ok_or("HEAD leads to no commit")?;
        let mut queue = vec![(tree, None)];
        while let Some((tree, folder)) = queue.pop().filter(|_| !self.cancel.is_set()) {
            if let Err(why) = self.tree(tree, folder.as_ref(), &mut queue) {
                self.fault.get_or_insert(why);
            }
        }
        Ok(())
    }

    /// Reads a folder: the pointers in it, and the folders in it, which are put into the queue.
    fn tree(
        &mut self,
        tree: Digest,
        folder: Option<&Rc<TreePath>>,
        queue: &mut Vec<(Digest, Option<Rc<TreePath>>)>,
    ) -> Result<(), String> {
        let bytes = self.large(tree.as_bytes(), "tree")?;
        for entry in git_tree_entries(&bytes, self.digest) {
            let entry = entry.ok_or_else(|| format!("the object {tree} is no tree"))?;
            let object = Digest::new(entry.object);
            if entry.is_submodule() || !self.seen.insert(object) {
                continue;
            }
            let path = TreePath::below(folder, entry.name)
                .ok_or_else(|| format!("the object {tree} has a path that is too long"))?;
            if entry.is_tree() {
                queue.push((object, Some(Rc::new(path))));
            } else if let Err(why) = self.file(entry.object, &path) {
                self.fault.get_or_insert(why);
            }
        }
        Ok(())
    }

    /// Returns a commit or a tree.
    fn large(&mut self, name: &[u8], word: &str) -> Result<Vec<u8>, String> {
        let read = self.objects.get(name, word, MAX_OBJECT)?;
        read.ok_or_else(|| format!("the object {} is larger than {MAX_OBJECT} bytes", Digest::new(name)))
    }

    fn file(&mut self, name: &[u8], path: &TreePath) -> Result<(), String> {
        let text = self.objects.get(name, "blob", LFS_POINTER_MAX)?;
        let pointer = text.and_then(|text| lfs_pointer(&text));
        self.pointers.extend(pointer.map(|object| Pointer { object, file: path.whole() }));
        Ok(())
    }
}
