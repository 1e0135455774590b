//! Objects of Git LFS that the files of a commit stand for: their pointers are in the objects of git, loose or in packs.

use super::packs::{self, PackFile};
use super::place::{joined, read_small};
use crate::selection::Bytes;
use hashloom_digest::{Digest, find as find_algorithm};
use hashloom_engine::Cancel;
use hashloom_objects::pack::{Large, PackIndex, PackObjects, Unpacker};
use hashloom_objects::{Coding, Decoder, LFS_POINTER_MAX, git_tree_entries, git_tree_of, lfs_pointer};
use hashloom_os::names;
use hashloom_source::OperandDirectory;
use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::atomic::AtomicU64;

/// The most bytes of a commit or a tree, and of the file that is a reference.
const MAX_OBJECT: u64 = 64 << 20;
const MAX_REFERENCE: u64 = 4096;

/// The most bytes of the list of references.
const MAX_REFERENCES: u64 = 256 << 20;

/// The most references that lead to each other.
const MOST_REFERENCES: usize = 5;

/// The most folders on the way to a file.
const DEEPEST: usize = 256;

/// An object of Git LFS, by its path below the store, and the file that stands for it.
pub(super) struct Pointer {
    pub object: Bytes,
    pub file: Bytes,
}

/// Reads the pointers of the commit that is checked out, if the store lies in a repository that was named, or below it.
///
/// # Errors
/// The path of the reference, and the reason why the pointers can't all be read.
pub(super) fn find(
    folder: &[u8],
    root: &[u8],
    memory: u64,
    cancel: &Cancel,
) -> Result<Vec<Pointer>, (Bytes, String)> {
    let mut folders = [".git", ""].into_iter().map(|git| joined(folder, git));
    let Some(git) = folders.find(|git| *joined(git, "lfs/objects") == *root) else { return Ok(Vec::new()) };
    let told = |why| (joined(&git, "HEAD"), format!("cannot read the pointers of Git LFS: {why}"));
    read(&git, memory, cancel).map_err(told)
}

fn read(git: &[u8], memory: u64, cancel: &Cancel) -> Result<Vec<Pointer>, String> {
    let operand = OperandDirectory::open(git).map_err(|error| error.to_string())?;
    let Some(head) = reference(&operand, git, "HEAD", 0)? else { return Ok(Vec::new()) };
    let digest = head.as_bytes().len();
    let algorithm =
        find_algorithm(if digest == 32 { "sha256" } else { "sha1" }).map_err(|error| error.to_string())?;
    let opened = open_packs(&operand, git, digest)?;
    let mut packs = Vec::new();
    for (index, file, length) in &opened {
        packs.push(
            PackObjects::find(index, file, digest, *length).map_err(|fault| format!("a pack {fault}"))?,
        );
    }
    let (left, stop) = (AtomicU64::new(u64::MAX), || cancel.is_set());
    let unpacker = |pack| Unpacker::new(pack, algorithm, memory, &left, &stop, Large::IsTold);
    let objects =
        Objects { operand: &operand, git, packs: packs.iter().map(|pack| (pack, unpacker(pack))).collect() };
    Search { objects, digest, cancel, pointers: Vec::new(), seen: HashSet::new() }.run(head)
}

/// Reads a reference; none if its branch has no commit.
fn reference(
    operand: &OperandDirectory,
    git: &[u8],
    name: &str,
    steps: usize,
) -> Result<Option<Digest>, String> {
    let is_inside = name.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if steps == MOST_REFERENCES || !is_inside {
        return Err("the references lead nowhere".into());
    }
    let text = match read_small(operand, &joined(git, name), MAX_REFERENCE) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return listed_reference(operand, git, name),
        read => read.map_err(|error| format!("{name}: {error}"))?,
    };
    let text = str::from_utf8(&text).map_err(|_| format!("{name} is no reference"))?.trim_end();
    match text.strip_prefix("ref: ") {
        Some(next) => reference(operand, git, next, steps + 1),
        None => Digest::from_hex(text.as_bytes()).map(Some).map_err(|_| format!("{name} is no reference")),
    }
}

/// Finds a reference in the list of those that have no file.
fn listed_reference(operand: &OperandDirectory, git: &[u8], name: &str) -> Result<Option<Digest>, String> {
    let list = match read_small(operand, &joined(git, "packed-refs"), MAX_REFERENCES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|error| format!("packed-refs: {error}"))?,
    };
    let mut lines = list.split(|byte| *byte == b'\n');
    let found = lines.find_map(|line| line.strip_suffix(name.as_bytes())?.strip_suffix(b" "));
    found
        .map(|hex| Digest::from_hex(hex).map_err(|_| "packed-refs has a line that is none".into()))
        .transpose()
}

fn open_packs(
    operand: &OperandDirectory,
    git: &[u8],
    digest: usize,
) -> Result<Vec<(PackIndex, PackFile, u64)>, String> {
    let folder = joined(git, "objects/pack");
    let found = match operand.names(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        names => names.map_err(|error| format!("objects/pack: {error}"))?,
    };
    let mut packs = Vec::new();
    for name in found {
        let name = names::bytes(&name);
        let Some(stem) = name.strip_suffix(b".idx") else { continue };
        let shown =
            |why: &dyn std::fmt::Display| format!("objects/pack/{}: {why}", crate::shown::Shown(&name));
        let bytes = read_small(operand, &joined(&folder, &*name), packs::MAX_PACK_INDEX);
        let index =
            PackIndex::parse(bytes.map_err(|error| shown(&error))?, digest).map_err(|fault| shown(&fault))?;
        let pack = packs::open(operand, &joined(&folder, [stem, b".pack"].concat()));
        let (file, length) = pack.map_err(|error| shown(&error))?;
        packs.push((index, file, length));
    }
    Ok(packs)
}

/// The objects of a repository of git.
struct Objects<'a> {
    operand: &'a OperandDirectory,
    git: &'a [u8],
    packs: Vec<(&'a PackObjects<'a>, Unpacker<'a>)>,
}

impl Objects<'_> {
    /// Returns the content of an object; none if it has more bytes than `most`.
    fn get(&mut self, name: &[u8], most: u64) -> Result<Option<Vec<u8>>, String> {
        let hex = Digest::new(name).to_string();
        for (pack, unpacker) in &mut self.packs {
            if let Some(number) = pack.find_name(name) {
                return unpacker.content(number, most).map_err(|fault| format!("the object {hex} {fault}"));
            }
        }
        let path = joined(self.git, format!("objects/{}/{}", &hex[..2], &hex[2..]));
        self.loose(&path, most).map_err(|error| format!("cannot read the object {hex}: {error}"))
    }

    fn loose(&self, path: &[u8], most: u64) -> io::Result<Option<Vec<u8>>> {
        let meta = self.operand.meta(path)?;
        if !meta.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        let decoder = Decoder::new(Coding::GitZlib, self.operand.open_file(path)?, meta.size)?;
        // The header is short.
        if decoder.size().is_none_or(|size| size > most.saturating_add(32)) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        decoder.take(most.saturating_add(33)).read_to_end(&mut bytes)?;
        let start = bytes.iter().position(|byte| *byte == 0).map_or(0, |zero| zero + 1);
        Ok(Some(bytes.split_off(start)))
    }
}

/// A search for pointers below the tree of a commit.
struct Search<'a> {
    objects: Objects<'a>,
    /// The bytes of the name of an object.
    digest: usize,
    cancel: &'a Cancel,
    pointers: Vec<Pointer>,
    /// Trees and files that were read: the same ones lie in many places.
    seen: HashSet<Digest>,
}

impl Search<'_> {
    fn run(mut self, head: Digest) -> Result<Vec<Pointer>, String> {
        let commit = self.large(head.as_bytes())?;
        let tree = git_tree_of(&commit).ok_or("HEAD leads to no commit")?;
        let mut queue: Vec<(Digest, Bytes, usize)> = vec![(tree, Bytes::default(), 0)];
        while let Some((tree, path, depth)) = queue.pop().filter(|_| !self.cancel.is_set()) {
            let bytes = self.large(tree.as_bytes())?;
            for entry in git_tree_entries(&bytes, self.digest) {
                let entry = entry.ok_or_else(|| format!("the object {tree} is no tree"))?;
                let (object, path) = (Digest::new(entry.object), joined_name(&path, entry.name));
                if !entry.is_tree() && !entry.is_file() || !self.seen.insert(object) {
                    continue;
                }
                if entry.is_file() {
                    self.file(entry.object, path)?;
                } else if depth < DEEPEST {
                    queue.push((object, path, depth + 1));
                } else {
                    return Err(format!("the tree has more than {DEEPEST} folders in each other"));
                }
            }
        }
        Ok(self.pointers)
    }

    /// Returns a commit or a tree.
    fn large(&mut self, name: &[u8]) -> Result<Vec<u8>, String> {
        let read = self.objects.get(name, MAX_OBJECT)?;
        read.ok_or_else(|| format!("the object {} is larger than {MAX_OBJECT} bytes", Digest::new(name)))
    }

    fn file(&mut self, name: &[u8], file: Bytes) -> Result<(), String> {
        let pointer = self.objects.get(name, LFS_POINTER_MAX)?.and_then(|text| lfs_pointer(&text));
        self.pointers.extend(pointer.map(|object| Pointer { object: object.into_bytes().into(), file }));
        Ok(())
    }
}

fn joined_name(path: &[u8], name: &[u8]) -> Bytes {
    if path.is_empty() { name.into() } else { [path, b"/", name].concat().into() }
}
