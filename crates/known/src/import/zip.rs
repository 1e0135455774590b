//! Published `.zip` archives.
//!
//! Lists, NSRL 2.x text and deltas are read while they are inflated. A database needs random access: if it is stored
//! without compression, it is read in place; otherwise it is unpacked to a temporary file beside the output. Every
//! member is imported or reported.

use super::content::ImportFormat;
use super::input::{Input, Notice};
use super::intake::Intake;
use super::left_out::LeftOutReason;
use super::members::{Archive, Member, bad, inside, members, open, stream};
use super::shared_file::SharedFile;
use super::{nsrl_text, text};
use crate::error::{Error, Why};
use hashmill_manifest::format::{self, Hint};
use std::collections::HashSet;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

mod unpacked;

/// The size limit in bytes of a list of checksums of an archive's own members.
const LONGEST_OWN: u64 = 4 << 20;

/// The number of bytes that all members together may always unpack to.
const LEAST_UNPACKED: u64 = 256 << 20;

/// Members may also unpack to this many times the size of their archive. Members of the NSRL unpack to ten times its
/// size.
const RATIO: u64 = 64;

/// Returns whether an archive has a delta and no database.
pub(super) fn is_delta(path: &Path, file: &SharedFile) -> bool {
    let members = open(path, file).and_then(|mut archive| members(&mut archive, path, None));
    let members = members.unwrap_or_default();
    let has = |content| members.iter().any(|member| member.is(content));
    has(ImportFormat::Delta) && !has(ImportFormat::Sqlite)
}

/// Imports the databases, the `NSRLFile.txt` and the lists in an archive; reports all other members.
pub(super) fn import(file: &SharedFile, intake: &mut Intake<'_>, deltas: &[Input]) -> Result<(), Error> {
    let path = intake.path.clone();
    let mut archive = open(&path, file)?;
    let mut members = members(&mut archive, &path, intake.column.as_deref())?;
    settle(&mut members, &mut archive, &path)?;
    if archive.has_duplicate_names() {
        intake.leave(Notice::Hidden);
    }
    for member in &members {
        if let Err(rest) = member.kind {
            intake.leave(Notice::LeftOut { member: member.name.to_string_lossy().into(), why: rest });
        }
    }
    let chosen: Vec<&Member> = members.iter().filter(|member| takes(member)).collect();
    if chosen.is_empty() {
        return Err(Error::new(&path, Why::EmptyZip));
    }
    check_size(&members, file, intake)?;
    for member in chosen {
        intake.path = inside(&path, &member.name);
        take_in(member, (&mut archive, file), intake, (&path, deltas))?;
        intake.path.clone_from(&path);
    }
    Ok(())
}

/// Returns whether a member has its own records. The tables of an `NSRLFile.txt` have none: they are read with it.
fn takes(member: &Member) -> bool {
    matches!(
        member.kind,
        Ok(ImportFormat::Sqlite | ImportFormat::NsrlText | ImportFormat::Csv | ImportFormat::List)
    )
}

/// Finds the members that are left out because of others.
fn settle(members: &mut [Member], archive: &mut Archive, path: &Path) -> Result<(), Error> {
    let texts: Vec<PathBuf> = members
        .iter()
        .filter(|member| member.is(ImportFormat::NsrlText))
        .map(|text| text.name.clone())
        .collect();
    for member in members.iter_mut() {
        let table = nsrl_text::TABLES.iter().any(|table| *member.file_name() == *table.as_bytes());
        if table && texts.iter().any(|text| text.parent() == member.name.parent()) {
            member.kind = Err(LeftOutReason::Table);
        }
        if member.is(ImportFormat::Delta) {
            member.kind = Err(LeftOutReason::Delta);
        }
    }
    let known: HashSet<Vec<u8>> = members
        .iter()
        .filter(|member| {
            takes(member)
                || matches!(member.kind, Err(LeftOutReason::Table | LeftOutReason::Delta))
                || (member.kind == Err(LeftOutReason::NoList) && member.is_text)
        })
        .map(|member| member.file_name().into_owned())
        .collect();
    for member in members.iter_mut().filter(|member| member.is(ImportFormat::List)) {
        if member.size <= LONGEST_OWN && lists_only(member, &known, archive, path)? {
            member.kind = Err(LeftOutReason::OwnChecksums);
        }
    }
    Ok(())
}

/// Returns whether a list has only checksums of other members of its archive.
fn lists_only(
    member: &Member,
    known: &HashSet<Vec<u8>>,
    archive: &mut Archive,
    path: &Path,
) -> Result<bool, Error> {
    let stream = archive.by_index(member.place).map_err(bad(path))?.take(LONGEST_OWN);
    let Ok(opened) = format::open(Box::new(stream), Hint::None) else { return Ok(false) };
    let mut found = false;
    for record in opened.reader {
        let Ok(record) = record else { return Ok(false) };
        let name = record.path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
        if *name == *member.file_name() || !known.contains(name) {
            return Ok(false);
        }
        found = true;
    }
    Ok(found)
}

/// Rejects an archive that unpacks to too many bytes.
fn check_size(members: &[Member], file: &SharedFile, intake: &Intake<'_>) -> Result<(), Error> {
    let wanted = members.iter().filter(|member| takes(member) || member.kind == Err(LeftOutReason::Table));
    let bytes = wanted.fold(0u64, |sum, member| sum.saturating_add(member.size));
    let length = file.length().map_err(Error::io(&intake.path, "read"))?;
    let most = length.saturating_mul(RATIO).max(LEAST_UNPACKED);
    let most = intake.unpacked().unwrap_or(most);
    if bytes <= most { Ok(()) } else { Err(Error::new(&intake.path, Why::Unpacks { bytes, most })) }
}

fn take_in(
    member: &Member,
    (archive, file): (&mut Archive, &SharedFile),
    intake: &mut Intake<'_>,
    source: (&Path, &[Input]),
) -> Result<(), Error> {
    match member.kind {
        #[cfg(not(feature = "tables"))]
        Ok(ImportFormat::Sqlite) => Err(Error::new(&intake.path, Why::Feature("tables"))),
        #[cfg(feature = "tables")]
        Ok(ImportFormat::Sqlite) => database((archive, file), member, intake, source),
        Ok(content) => {
            intake.take_name(&member.name);
            let tables =
                (content == ImportFormat::NsrlText).then(|| tables((source.0, file), &member.name, intake));
            let tables = tables.transpose()?;
            let stream = Box::new(stream(archive, member, source.0)?);
            match tables {
                Some(tables) => nsrl_text::import(stream, tables, intake),
                None => text::import(content, stream, intake, Some(&member.name)),
            }
        }
        Err(_) => Ok(()),
    }
}

/// Reads the tables beside an `NSRLFile.txt` in an archive. They are small, so they are kept in memory.
fn tables(
    (path, archive): (&Path, &SharedFile),
    file: &Path,
    intake: &mut Intake<'_>,
) -> Result<nsrl_text::Tables, Error> {
    let mut archive = open(path, archive)?;
    let mut left = intake.room() / 2;
    let mut read = |name: &str| {
        let name = file.with_file_name(name);
        let place = archive.index_for_name(&name.to_string_lossy());
        let place = place.map(|place| whole(&mut archive, place, &mut left, &inside(path, &name)));
        let place = place.transpose().map_err(|error| match error.why {
            Why::Tables { .. } => Error::new(&error.path, Why::Tables { most: intake.room() }),
            _ => error,
        })?;
        Ok(place.map(|bytes| Box::new(Cursor::new(bytes)) as Box<dyn Read>))
    };
    let [makers, systems, products] = nsrl_text::TABLES;
    let (makers, systems, products) = (read(makers)?, read(systems)?, read(products)?);
    nsrl_text::Tables::read(makers, systems, products, intake)
}

/// Reads all bytes of a member, at most `left`, which is reduced.
fn whole(archive: &mut Archive, place: usize, left: &mut u64, path: &Path) -> Result<Vec<u8>, Error> {
    let member = archive.by_index(place).map_err(bad(path))?;
    let mut bytes = Vec::new();
    member.take(*left + 1).read_to_end(&mut bytes).map_err(Error::io(path, "read"))?;
    *left = left.checked_sub(bytes.len() as u64).ok_or_else(|| Error::new(path, Why::Tables { most: 0 }))?;
    Ok(bytes)
}

#[cfg(feature = "tables")]
fn database(
    (archive, file): (&mut Archive, &SharedFile),
    member: &Member,
    intake: &mut Intake<'_>,
    (path, deltas): (&Path, &[Input]),
) -> Result<(), Error> {
    if let Some(at) = member.stored_at
        && super::rds::import_inside(file, (at, member.size), intake, deltas)?
    {
        return Ok(());
    }
    let copy = unpacked::Unpacked::new(stream(archive, member, path)?, member.size, intake)?;
    super::rds::import_file(&copy.path, &copy.file, intake, deltas)
}

/// Reports the members of an archive of deltas that are left out.
pub(super) fn report_left_out(path: &Path, file: &SharedFile, intake: &mut Intake<'_>) -> Result<(), Error> {
    let mut archive = open(path, file)?;
    if archive.has_duplicate_names() {
        intake.leave(Notice::Hidden);
    }
    for member in members(&mut archive, path, None)? {
        let why = match member.kind {
            Ok(ImportFormat::Delta) => continue,
            Ok(_) => LeftOutReason::NoDelta,
            Err(rest) => rest,
        };
        intake.leave(Notice::LeftOut { member: member.name.to_string_lossy().into(), why });
    }
    Ok(())
}
