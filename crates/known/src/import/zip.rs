//! Published `.zip` archives.
//!
//! Lists, NSRL 2.x text and deltas are read while they are inflated. A database needs random access, so it is unpacked to
//! a temporary file beside the output. Every member is imported or reported.

use super::compressed::{LEAST_UNPACKED, RATIO};
use super::content::ImportFormat;
use super::input::{Input, Notice};
use super::intake::Intake;
use super::left_out::LeftOutReason;
use super::members::{Member, Members, inside};
use super::{nsrl_text, text};
use crate::error::{Error, Why};
use hashmill_manifest::format::{self, Hint};
use hashmill_os::SharedFile;
use std::collections::HashSet;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

/// The size limit in bytes of a list of checksums of an archive's own members.
const LONGEST_OWN: u64 = 4 << 20;

/// Returns whether an archive has a delta and no database.
pub(super) fn is_delta(path: &Path, file: &SharedFile) -> bool {
    let members = Members::read(path, file, None).unwrap_or_default();
    let has = |content| members.all.iter().any(|member| member.is(content));
    has(ImportFormat::Delta) && !has(ImportFormat::Sqlite)
}

/// Imports the databases, the `NSRLFile.txt` and the lists in an archive; reports all other members.
pub(super) fn import(file: &SharedFile, intake: &mut Intake<'_>, deltas: &[Input]) -> Result<(), Error> {
    let path = intake.path.clone();
    let mut read = Members::read(&path, file, intake.column.as_deref())?;
    let most = most(file, intake)?;
    let archives = sum(read.all.iter().filter(|member| member.is(ImportFormat::Zip)));
    read.unfold(&path, most, intake)?;
    if read.has_duplicate_names {
        intake.leave(Notice::Hidden);
    }
    let members = &mut read.all;
    settle(members, &path)?;
    for member in &*members {
        if let Err(rest) = member.kind {
            intake.leave(Notice::LeftOut { member: member.name.to_string_lossy().into(), why: rest });
        }
    }
    let chosen: Vec<&Member> = members.iter().filter(|member| takes(member)).collect();
    if chosen.is_empty() {
        return Err(Error::new(&path, Why::EmptyZip));
    }
    let wanted = members.iter().filter(|member| takes(member) || member.kind == Err(LeftOutReason::Table));
    let bytes = sum(wanted).saturating_add(archives);
    if bytes > most {
        return Err(Error::new(&path, Why::Unpacks { bytes, most }));
    }
    for member in chosen {
        intake.path = inside(&path, &member.name);
        take_in(member, members, intake, &path, deltas)?;
        intake.path.clone_from(&path);
    }
    Ok(())
}

/// Returns whether a member has its own records. The tables of an `NSRLFile.txt` have none: they are read with it.
fn takes(member: &Member) -> bool {
    matches!(
        member.kind,
        Ok(ImportFormat::Sqlite
            | ImportFormat::NsrlText
            | ImportFormat::Table
            | ImportFormat::Json
            | ImportFormat::List)
    )
}

/// Finds the members that are left out because of others.
fn settle(members: &mut [Member], path: &Path) -> Result<(), Error> {
    let texts = members.iter().filter(|member| member.is(ImportFormat::NsrlText));
    let folders = |text: &Member| [text.name.parent().map(Path::to_path_buf), text.outer.clone()];
    let folders: Vec<PathBuf> = texts.flat_map(folders).flatten().collect();
    for member in members.iter_mut() {
        let table = nsrl_text::TABLES.iter().any(|table| *member.file_name() == *table.as_bytes());
        if table && folders.iter().any(|folder| Some(&**folder) == member.name.parent()) {
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
        if member.size <= LONGEST_OWN && lists_only(member, &known, path)? {
            member.kind = Err(LeftOutReason::OwnChecksums);
        }
    }
    Ok(())
}

/// Returns whether a list has only checksums of other members of its archive.
fn lists_only(member: &Member, known: &HashSet<Vec<u8>>, path: &Path) -> Result<bool, Error> {
    let stream = member.open(path)?.take(LONGEST_OWN);
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

/// Returns the most bytes that an archive may unpack to.
fn most(file: &SharedFile, intake: &Intake<'_>) -> Result<u64, Error> {
    let length = file.length().map_err(Error::io(&intake.path, "read"))?;
    Ok(intake.unpacked().unwrap_or(length.saturating_mul(RATIO).max(LEAST_UNPACKED)))
}

fn sum<'m>(members: impl Iterator<Item = &'m Member>) -> u64 {
    members.fold(0, |sum, member| sum.saturating_add(member.size))
}

fn take_in(
    member: &Member,
    members: &[Member],
    intake: &mut Intake<'_>,
    path: &Path,
    deltas: &[Input],
) -> Result<(), Error> {
    match member.kind {
        Ok(ImportFormat::Sqlite) => database(member, intake, path, deltas),
        Ok(content) => {
            intake.take_name(&member.name);
            let tables = (content == ImportFormat::NsrlText).then(|| tables(members, member, intake, path));
            let tables = tables.transpose()?;
            let stream = member.open(path)?;
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
    members: &[Member],
    text: &Member,
    intake: &mut Intake<'_>,
    path: &Path,
) -> Result<nsrl_text::Tables, Error> {
    let mut left = intake.room() / 2;
    let mut read = |name: &str| {
        let is_beside =
            |member: &&Member| *member.file_name() == *name.as_bytes() && text.is_in(member.name.parent());
        let member = members.iter().find(is_beside);
        let table = member.map(|member| whole(member, &mut left, path));
        let table = table.transpose().map_err(|error| match error.why {
            Why::Tables { .. } => Error::new(&error.path, Why::Tables { most: intake.room() }),
            _ => error,
        })?;
        Ok(table.map(|bytes| Box::new(Cursor::new(bytes)) as Box<dyn Read>))
    };
    let [makers, systems, products] = nsrl_text::TABLES;
    let (makers, systems, products) = (read(makers)?, read(systems)?, read(products)?);
    nsrl_text::Tables::read(makers, systems, products, intake)
}

/// Reads all bytes of a member, at most `left`, which is reduced.
fn whole(member: &Member, left: &mut u64, path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = member.open(path)?.take(*left + 1).read_to_end(&mut bytes);
    let path = inside(path, &member.name);
    read.map_err(Error::io(&path, "read"))?;
    *left = left.checked_sub(bytes.len() as u64).ok_or_else(|| Error::new(&path, Why::Tables { most: 0 }))?;
    Ok(bytes)
}

/// Fails: this build reads no databases.
#[cfg(not(feature = "tables"))]
fn database(_: &Member, intake: &mut Intake<'_>, _: &Path, _: &[Input]) -> Result<(), Error> {
    Err(Error::new(&intake.path, Why::Feature("tables")))
}

#[cfg(feature = "tables")]
fn database(member: &Member, intake: &mut Intake<'_>, path: &Path, deltas: &[Input]) -> Result<(), Error> {
    super::rds::import_stream(member.open(path)?, member.size, intake, deltas)
}

/// Reports the members of an archive of deltas that are left out.
pub(super) fn report_left_out(path: &Path, file: &SharedFile, intake: &mut Intake<'_>) -> Result<(), Error> {
    let members = Members::read(path, file, None)?;
    if members.has_duplicate_names {
        intake.leave(Notice::Hidden);
    }
    for member in members.all {
        let why = match member.kind {
            Ok(ImportFormat::Delta) => continue,
            Ok(ImportFormat::Zip) => LeftOutReason::Archive,
            Ok(_) => LeftOutReason::NoDelta,
            Err(rest) => rest,
        };
        intake.leave(Notice::LeftOut { member: member.name.to_string_lossy().into(), why });
    }
    Ok(())
}
