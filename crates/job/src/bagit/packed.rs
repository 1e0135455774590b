//! Creation of a bag in an archive: files are hashed while they are written, so that each is read once. The manifests come
//! behind them.

use super::event::{BagEvent, BagObserver, Refusal};
use super::pack::{self, ArchiveForm, Member, Pack};
use super::payload::{Item, Payload};
use super::tags::{Tags, tags};
use super::{Create, Created, tell_notes};
use crate::error::BagError;
use crate::error::Error;
use hashmill_bag::{Declaration, Info, Oxum, check};
use hashmill_content::File as Tried;
use hashmill_content::output::{LocalPath, Output, OutputKind};
use hashmill_content::selection::{Bytes, below};
use hashmill_digest::hashes::Hashes;
use hashmill_digest::{About, Algorithm, Digest, find};
use hashmill_engine::{Cancel, Plan};
use hashmill_lists::made::made;
use hashmill_os::{facts, names::path_bytes};
use hashmill_source::{Filter, OperandDirectory, Problem, WalkItem, WalkOptions, walk};
use std::io::{self, Read};
use std::path::Path;

/// The mode of tag files and of folders.
const MODES: [u32; 2] = [0o644, 0o755];

/// The archive that a bag is written into.
pub(super) struct Packed<'a> {
    pub(super) create: &'a Create,
    pub(super) to: &'a Path,
    pub(super) form: ArchiveForm,
    /// The name of the folder on top.
    pub(super) top: &'a str,
}

/// The reason why a bag ends early.
enum Stop {
    /// A file can't be read as it was found.
    Unread(String, Problem),
    Failed(Error),
    Cancelled,
}

impl Packed<'_> {
    /// Makes the bag.
    pub(super) fn run(
        &self,
        plan: &Plan,
        info: Info,
        observer: &mut BagObserver<'_>,
    ) -> Result<Created, Error> {
        let (mut payload, refused) = self.list(&plan.cancel, observer);
        if plan.cancel.is_set() {
            return Ok(Created::Interrupted);
        }
        if refused > 0 {
            return Ok(Created::Refused(refused));
        }
        tell_notes(&payload, observer);
        observer(BagEvent::Copying(payload.oxum.octets));
        let place = LocalPath::new(self.to, &self.create.resources.files);
        let output = Output::file(&place, OutputKind::Anything)?;
        let packed = self.pack(&output, plan, info, &mut payload);
        observer(BagEvent::AllRead);
        match packed {
            Ok(()) => match output.finish_new() {
                Ok(()) => Ok(Created::Bag(payload.oxum)),
                Err(error) => {
                    output.discard();
                    let is_taken = error.cause().kind() == io::ErrorKind::AlreadyExists;
                    Err(if is_taken { BagError::Exists(self.to.into()).into() } else { error.into() })
                }
            },
            Err(stop) => {
                output.discard();
                match stop {
                    Stop::Cancelled => Ok(Created::Interrupted),
                    Stop::Failed(error) => Err(error),
                    Stop::Unread(path, problem) => {
                        let path = self.create.folder.join(path);
                        observer(BagEvent::Refused(&path_bytes(&path), &Refusal::Unread(&problem)));
                        Ok(Created::Refused(1))
                    }
                }
            }
        }
    }

    /// Returns the files of the folder, sorted, without digests, and the number of entries that a bag can't have.
    fn list(&self, cancel: &Cancel, observer: &mut BagObserver<'_>) -> (Payload, u64) {
        let folder = Bytes::from(path_bytes(&self.create.folder));
        // A minimum of 0 makes the walk look up sizes.
        let filter = Filter::builder().min_size(0).build().unwrap_or_default();
        let mut payload = Payload::default();
        for found in walk([folder.clone()].into_iter(), WalkOptions { filter, ..WalkOptions::default() }) {
            if cancel.is_set() {
                break;
            }
            let (path, taken) = match &found {
                WalkItem::File(entry) => (&entry.path, payload.add(&folder, &entry.path, entry.size)),
                WalkItem::Skipped { path, why } => (path, Err(Refusal::Special(*why))),
                WalkItem::Failed(error) => (&error.path, Err(Refusal::Unread(&error.problem))),
            };
            if let Err(why) = taken {
                observer(BagEvent::Refused(path, &why));
                payload.refused += 1;
            }
        }
        payload.files.sort_by(|one, other| one.path.cmp(&other.path));
        let refused = payload.refused;
        (payload, refused)
    }

    /// Writes the archive, and the digests into the payload.
    fn pack(&self, output: &Output, plan: &Plan, info: Info, payload: &mut Payload) -> Result<(), Stop> {
        let failed = |error| Stop::Failed(output.error(error).into());
        let mtime = made().map_err(failed)?.at.seconds;
        let mut pack = pack::begin(self.form, output.handle().map_err(failed)?);
        let add = |pack: &mut dyn Pack, path: &str, text: &str| {
            let path = &format!("{}/{path}", self.top);
            let mode = MODES[usize::from(path.ends_with('/'))];
            write(pack, &Member { path, size: text.len() as u64, mode, mtime }, &[], &mut text.as_bytes())
        };
        for (path, text) in [("", ""), ("bagit.txt", Declaration::TEXT), ("data/", "")] {
            add(&mut *pack, path, text).map_err(failed)?;
        }
        let opened = OperandDirectory::open(&path_bytes(&self.create.folder));
        let folder =
            opened.map_err(|error| Stop::Failed(Error::at(&self.create.folder, Tried::Open)(error)))?;
        payload.oxum = Oxum::default();
        for item in &mut payload.files {
            self.file(&mut *pack, &folder, item, plan, output)?;
            payload.oxum.add(item.size);
        }
        let tags: Tags = tags(payload, &plan.algorithms, info).map_err(|why| Stop::Failed(why.into()))?;
        for (name, text) in tags.iter().filter(|(name, _)| name != "bagit.txt") {
            add(&mut *pack, name, text).map_err(failed)?;
        }
        pack.finish().map_err(failed)
    }

    /// Writes a file of the payload, and its digests into the item.
    fn file(
        &self,
        pack: &mut dyn Pack,
        folder: &OperandDirectory,
        item: &mut Item,
        plan: &Plan,
        output: &Output,
    ) -> Result<(), Stop> {
        let unread = |problem| Stop::Unread(item.path.clone(), problem);
        let path = self.create.folder.join(&item.path);
        let file = folder.open_file(&path_bytes(&path)).map_err(|error| unread(Problem::Open(error)))?;
        let facts = facts(&file).map_err(|error| unread(Problem::Stat(error)))?;
        if !facts.is_file() {
            return Err(unread(Problem::Replaced { mode: facts.mode }));
        }
        let (size, mode, mtime) = (facts.size, facts.mode & 0o777, facts.mtime.0);
        let name = &format!("{}/data/{}", self.top, item.path);
        let mut content = Content { file: file.take(size), plan, problem: None, read: 0 };
        let written = write(pack, &Member { path: name, size, mode, mtime }, &plan.algorithms, &mut content);
        let Content { file, problem, read, .. } = content;
        if plan.cancel.is_set() {
            return Err(Stop::Cancelled);
        }
        if let Some(source) = problem {
            return Err(unread(Problem::Read { offset: read, source }));
        }
        item.digests = written.map_err(|error| Stop::Failed(output.error(error).into()))?;
        item.size = size;
        let more = file
            .into_inner()
            .read(&mut [0])
            .map_err(|source| unread(Problem::Read { offset: read, source }))?;
        match (read == size, more) {
            (true, 0) => Ok(()),
            (true, _) => Err(unread(Problem::Longer { size })),
            (false, _) => Err(unread(Problem::Short { read, size })),
        }
    }
}

/// The content of a file; an error of reading it is kept, apart from those of writing.
struct Content<'a> {
    file: io::Take<std::fs::File>,
    plan: &'a Plan,
    problem: Option<io::Error>,
    read: u64,
}

impl Read for Content<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.plan.cancel.is_set() {
            return Err(io::Error::other("cancelled"));
        }
        match self.file.read(buffer) {
            Ok(read) => {
                self.read += read as u64;
                Ok(read)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.problem = Some(error);
                Err(io::Error::other("it can't be read"))
            }
        }
    }
}

/// Writes a member with this content, and returns its digests.
fn write(
    pack: &mut dyn Pack,
    member: &Member<'_>,
    algorithms: &[&'static Algorithm],
    content: &mut dyn Read,
) -> io::Result<Vec<Digest>> {
    let crc = find("crc32").map_err(io::Error::other)?;
    let all: Vec<_> = algorithms.iter().copied().chain([crc]).collect();
    pack.begin(member)?;
    let about = About::file(member.path.as_bytes(), Some(member.size));
    let (mut digests, _) = Hashes::new(&all, &about).copy(content, pack.content())?;
    let crc = digests.pop().and_then(|crc| <[u8; 4]>::try_from(crc.as_bytes()).ok());
    pack.end(crc.map_or(0, u32::from_be_bytes))?;
    Ok(digests)
}

impl Payload {
    /// Adds a file without digests.
    fn add(&mut self, folder: &[u8], path: &[u8], size: Option<u64>) -> Result<(), Refusal<'static>> {
        let path = str::from_utf8(below(path, folder)).map_err(|_| Refusal::NotUtf8)?;
        check(path).map_err(Refusal::Name)?;
        let size = size.unwrap_or(0);
        self.oxum.add(size);
        self.files.push(Item { path: path.into(), size, digests: Vec::new() });
        Ok(())
    }
}

/// Checks the name of the folder on top.
///
/// # Errors
/// If a bag can't have it.
pub(super) fn check_top(top: &str, to: &Path) -> Result<(), Error> {
    if check(top).is_err() || matches!(top, "." | "..") {
        return Err(Error::of_place(
            path_bytes(to),
            "its name without its end is no name for the folder of a bag",
        ));
    }
    Ok(())
}

/// Makes the error of a path that is named like an archive that is not written.
pub(super) fn unwritten(to: &Path) -> Error {
    Error::of_place(path_bytes(to), "bags are not written as such archives (.zip, .tar and .tar.gz are)")
}
