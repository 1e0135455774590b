//! Published `.zip` archives: their members are read where they are, as far as they can be.
//!
//! Lists, NSRL 2.x text and deltas are read as they are inflated. A database needs access in any order:
//! stored without compression it is read in place, else it is unpacked beside the output for as long as it
//! takes.

use super::intake::Intake;
use super::{Content, Input, beginning, nsrl_text, recognise, text};
#[cfg(feature = "sqlite")]
use super::{Notice, rds};
use crate::error::{Error, Why};
use ::zip::result::ZipError;
use ::zip::{CompressionMethod, ZipArchive};
use std::fs::File;
#[cfg(feature = "sqlite")]
use std::io::Write;
use std::io::{BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

type Archive = ZipArchive<BufReader<File>>;

/// What there is in an archive.
struct Member {
    place: usize,
    name: PathBuf,
    content: Content,
    /// Where its bytes lie in the archive, if they lie there as they are.
    #[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "only databases are read in place"))]
    stored_at: Option<u64>,
    #[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "only databases are read in place"))]
    size: u64,
}

fn open(path: &Path) -> Result<Archive, Error> {
    let file = File::open(path).map_err(Error::io(path, "open"))?;
    ZipArchive::new(BufReader::new(file)).map_err(bad(path))
}

fn bad(path: &Path) -> impl Fn(ZipError) -> Error {
    move |source| Error::new(path, Why::Zip(source))
}

fn members(archive: &mut Archive, path: &Path) -> Result<Vec<Member>, Error> {
    let mut members = Vec::new();
    for place in 0..archive.len() {
        let member = archive.by_index(place).map_err(bad(path))?;
        let name = PathBuf::from(member.name().map_err(bad(path))?.as_ref());
        if !member.is_file() || member.size() == 0 {
            continue;
        }
        let stored = member.compression() == CompressionMethod::Stored;
        let (stored_at, size) = (member.data_start().filter(|_| stored), member.size());
        let (first, _) = beginning(Box::new(member)).map_err(Error::io(path, "read"))?;
        let content = recognise(&first, None);
        members.push(Member { place, name, content, stored_at, size });
    }
    Ok(members)
}

/// Whether an archive holds a delta and no database.
pub(super) fn is_delta(path: &Path) -> bool {
    let members = open(path).and_then(|mut archive| members(&mut archive, path)).unwrap_or_default();
    let has = |content| members.iter().any(|member| member.content == content);
    has(Content::Delta) && !has(Content::Sqlite)
}

/// Imports what there is in the archive: its databases, or its `NSRLFile.txt`, or else all that are lists.
pub(super) fn import(intake: &mut Intake<'_>, deltas: &[Input]) -> Result<(), Error> {
    let path = intake.path.clone();
    let mut archive = open(&path)?;
    let members = members(&mut archive, &path)?;
    let best = [Content::Sqlite, Content::NsrlText, Content::Csv, Content::List];
    let best = best.into_iter().find(|best| members.iter().any(|member| member.content == *best));
    let chosen = members.iter().filter(|member| Some(member.content) == best);
    let chosen: Vec<&Member> = chosen.filter(|member| is_wanted(member)).collect();
    if chosen.is_empty() {
        return Err(Error::new(&path, Why::EmptyZip));
    }
    for member in chosen {
        match member.content {
            Content::Sqlite => database(&mut archive, member, intake, deltas)?,
            content => {
                intake.take_name(&member.name);
                let stream = Box::new(archive.by_index(member.place).map_err(bad(&path))?);
                let tables = (content == Content::NsrlText).then(|| tables(&path, &member.name, intake));
                inflate(content, stream, tables.transpose()?, intake, &member.name)?;
            }
        }
    }
    Ok(())
}

/// Among lists, those of checksums of the archive's own members are none of known files.
fn is_wanted(member: &Member) -> bool {
    let name = member.name.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    member.content != Content::List || !["signatures.txt", "readme.txt"].contains(&name.as_str())
}

fn inflate(
    content: Content,
    stream: Box<dyn Read + '_>,
    tables: Option<nsrl_text::Tables>,
    intake: &mut Intake<'_>,
    name: &Path,
) -> Result<(), Error> {
    match tables {
        Some(tables) => nsrl_text::import(stream, tables, intake),
        None => text(content, stream, intake, Some(name)),
    }
}

/// The tables beside an `NSRLFile.txt` in an archive. They are small, and are held in memory.
fn tables(path: &Path, file: &Path, intake: &mut Intake<'_>) -> Result<nsrl_text::Tables, Error> {
    let mut archive = open(path)?;
    let mut read = |name: &str| {
        let name = file.with_file_name(name);
        let place = archive.index_for_name(&name.to_string_lossy());
        let place = place.map(|place| whole(&mut archive, place, path)).transpose()?;
        Ok(place.map(|bytes| Box::new(Cursor::new(bytes)) as Box<dyn Read>))
    };
    let (makers, systems, products) = (read("NSRLMfg.txt")?, read("NSRLOS.txt")?, read("NSRLProd.txt")?);
    nsrl_text::Tables::read(makers, systems, products, intake)
}

/// No table beside an `NSRLFile.txt` was ever as long as this.
const LONGEST_TABLE: u64 = 1 << 30;

fn whole(archive: &mut Archive, place: usize, path: &Path) -> Result<Vec<u8>, Error> {
    let member = archive.by_index(place).map_err(bad(path))?;
    let mut bytes = Vec::new();
    member.take(LONGEST_TABLE).read_to_end(&mut bytes).map_err(Error::io(path, "read"))?;
    Ok(bytes)
}

#[cfg(not(feature = "sqlite"))]
fn database(_: &mut Archive, _: &Member, intake: &mut Intake<'_>, _: &[Input]) -> Result<(), Error> {
    Err(Error::new(&intake.path, Why::Feature("sqlite")))
}

#[cfg(feature = "sqlite")]
fn database(
    archive: &mut Archive,
    member: &Member,
    intake: &mut Intake<'_>,
    deltas: &[Input],
) -> Result<(), Error> {
    let path = intake.path.clone();
    if let Some(at) = member.stored_at
        && rds::import_inside(&path, (at, member.size), intake, deltas)?
    {
        return Ok(());
    }
    intake.notice(Notice::Unpacking(member.size));
    let stream = archive.by_index(member.place).map_err(bad(&path))?;
    let copy = Unpacked::new(intake.scratch_path(), stream, &path)?;
    rds::import_file(&copy.path, intake, deltas)
}

/// A database that was unpacked. A build that is killed leaves it, locked by nobody, for the next to remove.
#[cfg(feature = "sqlite")]
struct Unpacked {
    path: PathBuf,
    _lock: File,
}

#[cfg(feature = "sqlite")]
impl Unpacked {
    fn new(path: PathBuf, mut stream: impl Read, archive: &Path) -> Result<Self, Error> {
        let file = crate::build::create(&path)?;
        let mut copy = Unpacked { path, _lock: file };
        let mut buffer = vec![0; 1 << 20];
        loop {
            let length = stream.read(&mut buffer).map_err(Error::io(archive, "read"))?;
            if length == 0 {
                return Ok(copy);
            }
            copy._lock.write_all(&buffer[..length]).map_err(Error::io(&copy.path, "write"))?;
        }
    }
}

#[cfg(feature = "sqlite")]
impl Drop for Unpacked {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Takes a script.
#[cfg(feature = "sqlite")]
type TakeScript<'a> = &'a mut dyn FnMut(Box<dyn Read + '_>) -> Result<(), Error>;

/// Calls with each script of a delta: the file itself, or the scripts in the archive.
#[cfg(feature = "sqlite")]
pub(super) fn with_delta(path: &Path, take: TakeScript<'_>) -> Result<(), Error> {
    let file = File::open(path).map_err(Error::io(path, "open"))?;
    let (first, stream) = beginning(Box::new(file)).map_err(Error::io(path, "read"))?;
    if recognise(&first, None) != Content::Zip {
        return take(stream);
    }
    let mut archive = open(path)?;
    for member in members(&mut archive, path)?.iter().filter(|member| member.content == Content::Delta) {
        take(Box::new(archive.by_index(member.place).map_err(bad(path))?))?;
    }
    Ok(())
}
