//! The members of a zip archive.

use super::beginning::beginning;
use super::compressed::{LEAST_UNPACKED, RATIO, decoded};
use super::content::{ImportFormat, recognise};
use super::intake::Intake;
use super::left_out::{LeftOutReason, is_digest};
use super::unpacked::Unpacked;
use super::{json, table};
use crate::error::{Error, Why};
use hashmill_archive::{
    Archive, Directory, DirectoryMember, Limits, MemberBytes, MemberKind, Problem, Seekable,
};
use hashmill_manifest::format;
use hashmill_os::{SharedFile, names};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The members of an archive, except folders.
#[derive(Default)]
pub(super) struct Members {
    pub all: Vec<Member>,
    /// Whether a name is there twice. Only the last member with it is in the list.
    pub has_duplicate_names: bool,
    /// The archives in it that were unpacked, which their members are read from.
    unpacked: Vec<Unpacked>,
}

pub(super) struct Member {
    pub name: PathBuf,
    pub kind: Result<ImportFormat, LeftOutReason>,
    pub size: u64,
    /// Whether its first bytes are text.
    pub is_text: bool,
    /// The folder of the archive in the archive that it lies in.
    pub outer: Option<PathBuf>,
    /// Whether it is compressed once more.
    is_compressed: bool,
    bytes: Arc<dyn MemberBytes>,
}

impl Member {
    pub fn is(&self, content: ImportFormat) -> bool {
        self.kind == Ok(content)
    }

    pub fn file_name(&self) -> Cow<'_, [u8]> {
        names::bytes(self.name.file_name().unwrap_or_default())
    }

    /// Returns a reader of the content. It fails if the archive contradicts itself, if there are too many bytes or too
    /// few, or if the checksum does not match.
    pub fn open(&self, path: &Path) -> Result<Box<dyn Read + Send>, Error> {
        let path = inside(path, &self.name);
        let bytes = self.bytes.open().map_err(|error| bad(&path)(error.into()))?;
        if !self.is_compressed {
            return Ok(bytes);
        }
        let most = self.size.saturating_mul(RATIO).max(LEAST_UNPACKED);
        decoded(bytes, Some(most)).map_err(Error::io(&path, "read"))
    }

    /// Returns whether it lies in this folder, itself or in an archive there.
    pub fn is_in(&self, folder: Option<&Path>) -> bool {
        self.name.parent() == folder || self.outer.as_deref().is_some_and(|outer| Some(outer) == folder)
    }
}

impl Members {
    /// Reads the directory of an archive, and recognises its members. `column` is the column that the user named.
    pub fn read(path: &Path, file: &SharedFile, column: Option<&str>) -> Result<Members, Error> {
        let (mut members, mut places) = (Members::default(), HashMap::new());
        for listed in directory(path, file)?.members() {
            let Some(member) = member(listed.map_err(bad(path))?, path, column)? else { continue };
            match places.insert(member.name.clone(), members.all.len()) {
                None => members.all.push(member),
                Some(place) => {
                    places.insert(member.name.clone(), place);
                    members.all[place] = member;
                    members.has_duplicate_names = true;
                }
            }
        }
        Ok(members)
    }
}

impl Members {
    /// Unpacks the archives among the members, up to this many bytes, and adds what they hold; archives in those are
    /// left out.
    pub fn unfold(&mut self, path: &Path, most: u64, intake: &mut Intake<'_>) -> Result<(), Error> {
        let archives = self.all.extract_if(.., |member| member.is(ImportFormat::Zip));
        let archives: Vec<Member> = archives.collect();
        let bytes = archives.iter().fold(0_u64, |sum, archive| sum.saturating_add(archive.size));
        if bytes > most {
            return Err(Error::new(path, Why::Unpacks { bytes, most }));
        }
        for archive in archives {
            let inner_path = inside(path, &archive.name);
            let unpacked = Unpacked::new(archive.open(path)?, archive.size, intake)?;
            let file = File::open(&unpacked.path).map_err(Error::io(&inner_path, "open"))?;
            let inner = Members::read(&inner_path, &SharedFile::new(file), intake.column.as_deref())?;
            self.has_duplicate_names |= inner.has_duplicate_names;
            self.unpacked.push(unpacked);
            for mut member in inner.all {
                if member.is(ImportFormat::Zip) {
                    member.kind = Err(LeftOutReason::Archive);
                }
                member.outer = Some(archive.name.parent().map(Path::to_path_buf).unwrap_or_default());
                member.name = archive.name.join(&member.name);
                self.all.push(member);
            }
        }
        Ok(())
    }
}

fn directory(path: &Path, file: &SharedFile) -> Result<Arc<dyn Directory>, Error> {
    let medium = Arc::new(Seekable::new(file.again()).map_err(Error::io(path, "read"))?);
    let damaged = || Problem::Damaged("it has no directory".into());
    let format = hashmill_archive::archive(&*medium).ok_or_else(damaged).map_err(bad(path))?;
    match (format.open)(medium, &Limits::default()).map_err(bad(path))? {
        Archive::Directory(directory) => Ok(directory),
        Archive::Members(_) => Err(bad(path)(damaged())),
    }
}

fn bad(path: &Path) -> impl Fn(Problem) -> Error {
    move |problem| Error::new(path, Why::Zip(problem))
}

/// Returns what a listed member is to an import; none if it is a folder.
fn member(listed: DirectoryMember, path: &Path, column: Option<&str>) -> Result<Option<Member>, Error> {
    let DirectoryMember { member: facts, bytes, .. } = listed;
    let name = names::into_path(facts.path).map_err(Error::io(path, "read a name in"))?;
    let (size, stored) = (facts.size.unwrap_or(0), facts.stored.unwrap_or(0));
    let kind = Err(LeftOutReason::Empty);
    let mut member = Member { name, kind, size, is_text: false, outer: None, is_compressed: false, bytes };
    match (facts.kind, facts.problem) {
        (MemberKind::Directory, _) => return Ok(None),
        (MemberKind::Link(_), _) => member.kind = Err(LeftOutReason::Link),
        (_, Some(Problem::Encrypted)) => member.kind = Err(LeftOutReason::Encrypted),
        (_, Some(Problem::Unsupported(_))) => member.kind = Err(LeftOutReason::Method),
        _ if (size, stored) == (0, 0) => {}
        // All other problems but a name that is there twice come back when it is opened.
        _ => look_into(&mut member, path, column)?,
    }
    Ok(Some(member))
}

/// Recognises a member by its first bytes.
fn look_into(member: &mut Member, path: &Path, column: Option<&str>) -> Result<(), Error> {
    let mut first = first_bytes(member, path)?;
    if recognise(&first, None) == ImportFormat::Compressed {
        member.is_compressed = true;
        let Ok(decoded) = first_bytes(member, path) else {
            member.kind = Err(LeftOutReason::Archive);
            return Ok(());
        };
        first = decoded;
    }
    member.is_text = !first.contains(&0);
    let named = column.filter(|column| json::is_json(&first) || table::has_column(&first, column));
    member.kind = match recognise(&first, named) {
        ImportFormat::Compressed => Err(LeftOutReason::Archive),
        // Without its size, or in a stream, it is not unpacked.
        ImportFormat::Zip | ImportFormat::Sqlite if member.is_compressed => Err(LeftOutReason::Archive),
        ImportFormat::List if format::sniff(&first).is_none() => Err(unrecognised(&first)),
        content => Ok(content),
    };
    Ok(())
}

fn first_bytes(member: &Member, path: &Path) -> Result<Vec<u8>, Error> {
    let content = member.open(path)?;
    let (first, _) = beginning(content).map_err(Error::io(&inside(path, &member.name), "read"))?;
    Ok(first)
}

/// The first bytes of archives and compressed files.
const ARCHIVES: [&[u8]; 8] = [
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf\x27\x1c",
    b"\x28\xb5\x2f\xfd",
    b"Rar!\x1a\x07",
    b"\x04\x22\x4d\x18",
    b"PK\x05\x06",
];

/// Returns why a file with these first bytes is left out, if it is not a list.
fn unrecognised(first: &[u8]) -> LeftOutReason {
    let tar = first.get(257..262) == Some(b"ustar");
    if tar || ARCHIVES.iter().any(|magic| first.starts_with(magic)) {
        return LeftOutReason::Archive;
    }
    let words = first.split(|byte| !byte.is_ascii_alphanumeric());
    if words.into_iter().any(is_digest) { LeftOutReason::Unknown } else { LeftOutReason::NoList }
}

/// Returns the path of a member, for messages.
pub(super) fn inside(path: &Path, name: &Path) -> PathBuf {
    let mut inside = OsString::from(path);
    inside.push("/");
    inside.push(name);
    PathBuf::from(inside)
}
