//! The members of a zip archive.

use super::beginning::beginning;
use super::content::{ImportFormat, recognise};
use super::csv;
use super::left_out::{self, LeftOutReason};
use super::shared_file::SharedFile;
use crate::error::{Error, Why};
use ::zip::result::ZipError;
use ::zip::{CompressionMethod, ZipArchive};
use hashmill_manifest::format;
use hashmill_os::names;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

pub(super) type Archive = ZipArchive<BufReader<SharedFile>>;

pub(super) struct Member {
    pub place: usize,
    pub name: PathBuf,
    pub kind: Result<ImportFormat, LeftOutReason>,
    /// The offset of its bytes in the archive, if they are not compressed.
    pub stored_at: Option<u64>,
    pub size: u64,
    /// Whether its first bytes are text.
    pub is_text: bool,
}

impl Member {
    pub fn is(&self, content: ImportFormat) -> bool {
        self.kind == Ok(content)
    }

    pub fn file_name(&self) -> Cow<'_, [u8]> {
        names::bytes(self.name.file_name().unwrap_or_default())
    }
}

pub(super) fn open(path: &Path, file: &SharedFile) -> Result<Archive, Error> {
    let mut archive = ZipArchive::new(BufReader::new(file.again())).map_err(bad(path))?;
    match archive.has_overlapping_files() {
        Ok(false) => Ok(archive),
        // A zip bomb has one deflated text under a thousand names.
        Ok(true) => Err(bad(path)(ZipError::InvalidArchive("its members share bytes".into()))),
        Err(error) => Err(bad(path)(error)),
    }
}

pub(super) fn bad(path: &Path) -> impl Fn(ZipError) -> Error {
    move |source| Error::new(path, Why::Zip(source))
}

/// Returns all members except folders. `column` is the column that the user named.
pub(super) fn members(
    archive: &mut Archive,
    path: &Path,
    column: Option<&str>,
) -> Result<Vec<Member>, Error> {
    let mut members = Vec::new();
    for place in 0..archive.len() {
        let entry = archive.by_index_data(place).map_err(bad(path))?;
        if entry.is_dir() {
            continue;
        }
        let name = entry.name().map_err(bad(path))?;
        let mut member = Member {
            place,
            name: PathBuf::from(name.as_ref()),
            kind: Err(LeftOutReason::Empty),
            stored_at: None,
            size: entry.size(),
            is_text: false,
        };
        let unreadable = match entry.compression() {
            _ if entry.is_symlink() => Some(LeftOutReason::Link),
            _ if entry.encrypted() => Some(LeftOutReason::Encrypted),
            CompressionMethod::Stored | CompressionMethod::Deflated | CompressionMethod::Deflate64 => None,
            _ => Some(LeftOutReason::Method),
        };
        match unreadable {
            Some(rest) => member.kind = Err(rest),
            None if member.size == 0 && entry.compressed_size() == 0 => {}
            None => look_into(&mut member, archive, path, column)?,
        }
        members.push(member);
    }
    Ok(members)
}

/// Recognises a member by its first bytes.
fn look_into(
    member: &mut Member,
    archive: &mut Archive,
    path: &Path,
    column: Option<&str>,
) -> Result<(), Error> {
    let file = archive.by_index(member.place).map_err(bad(path))?;
    let stored = file.compression() == CompressionMethod::Stored;
    member.stored_at = file.data_start().filter(|_| stored);
    let (first, _) = beginning(Box::new(file)).map_err(Error::io(&inside(path, &member.name), "read"))?;
    member.is_text = !first.contains(&0);
    let named = column.filter(|column| csv::has_column(&first, column));
    member.kind = match recognise(&first, named) {
        ImportFormat::Zip => Err(LeftOutReason::Archive),
        ImportFormat::List if format::sniff(&first).is_none() => Err(left_out::unrecognised(&first)),
        content => Ok(content),
    };
    Ok(())
}

/// Returns the path of a member, for messages.
pub(super) fn inside(path: &Path, name: &Path) -> PathBuf {
    let mut inside = OsString::from(path);
    inside.push("/");
    inside.push(name);
    PathBuf::from(inside)
}

/// Returns a reader of a member. It fails if there are too many bytes, or the checksum does not match.
pub(super) fn stream<'a>(
    archive: &'a mut Archive,
    member: &Member,
    path: &Path,
) -> Result<impl Read + 'a, Error> {
    archive.by_index(member.place).map_err(bad(path))
}

pub(super) type TakeScript<'a> = &'a mut dyn FnMut(Box<dyn Read + '_>) -> Result<(), Error>;

/// Passes each script of a delta: the file itself, or the scripts in the archive.
pub(super) fn with_delta(path: &Path, take: TakeScript<'_>) -> Result<(), Error> {
    let file = SharedFile::new(std::fs::File::open(path).map_err(Error::io(path, "open"))?);
    let (first, whole) = beginning(Box::new(file.again())).map_err(Error::io(path, "read"))?;
    if recognise(&first, None) != ImportFormat::Zip {
        return take(whole);
    }
    let mut archive = open(path, &file)?;
    for member in members(&mut archive, path, None)?.iter().filter(|member| member.is(ImportFormat::Delta)) {
        take(Box::new(stream(&mut archive, member, path)?))?;
    }
    Ok(())
}
