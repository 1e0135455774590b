//! NTFS.
//!
//! Everything is a file with a record in the table of files (MFT), the table itself, too. A record has attributes:
//! names, times, the bytes of the file and of its alternate streams, the names in a directory. Their bytes are in the
//! record or in runs of clusters; if there are too many, a list says in which other records they are.
//!
//! Sources: the layouts are those of the documentation of the Linux-NTFS project, and of B. Carrier, "File System
//! Forensic Analysis", chapters 11 to 13; tags and compression are those of [MS-FSCC] and [MS-XCA].

mod attribute;
mod bitmap;
mod boot;
mod compressed;
mod deleted;
mod entry;
mod file;
mod file_name;
mod fixup;
mod index;
mod list;
mod lznt1;
mod orphans;
mod record;
mod reparse;
mod runlist;
mod scan;
mod standard;
mod stream;
mod table;
mod volume;

use crate::{
    ByteRun, ByteRuns, DeletedEntries, DirectoryListing, FileSystem, FileSystemInfo, Medium, Named, Node,
    Problem,
};
use bitmap::Bitmap;
use deleted::Deleted;
use file::File;
use file_name::FileName;
use record::{Record, Reference};
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use table::RecordTable;

/// An open NTFS.
#[derive(Debug)]
pub(crate) struct Ntfs {
    table: RecordTable,
    info: FileSystemInfo,
    bitmap: OnceLock<Option<Bitmap>>,
    deleted: OnceLock<Deleted>,
}

/// Returns whether a medium begins with the boot sector of NTFS.
pub(crate) fn recognizes(medium: &dyn Medium) -> bool {
    boot::begins(medium)
}

/// Returns whether a medium ends with the copy of the boot sector of NTFS, and what that describes is there. Another file
/// system may have been made in its place since: this one is tried last.
pub(crate) fn recognizes_by_copy(medium: &dyn Medium) -> bool {
    boot::ends(medium)
}

/// Opens NTFS.
///
/// # Errors
/// If there is no boot sector, or the table of files can't be found.
pub(crate) fn open(medium: Arc<dyn Medium>) -> Result<Box<dyn FileSystem>, Problem> {
    let (mut notes, mut doubts) = (Vec::new(), Vec::new());
    let boot = boot::find(&*medium, &mut notes, &mut doubts)
        .ok_or_else(|| Problem::damaged("there is no boot sector"))?;
    let table = RecordTable::open(medium, boot, &mut doubts)?;
    let info = FileSystemInfo { doubts, ..volume::info(&table, notes) };
    Ok(Box::new(Ntfs { table, info, bitmap: OnceLock::new(), deleted: OnceLock::new() }))
}

impl Ntfs {
    fn bitmap(&self) -> Result<&Bitmap, Problem> {
        let read = || {
            let file = File::read(&self.table, self.table.read(table::CLUSTERS).ok()?);
            let content = file.stream(attribute::DATA, b"")?.content.ok()?;
            let boot = &self.table.boot;
            let medium = Arc::clone(&self.table.medium);
            Some(Bitmap::new(medium, content, boot.clusters(), boot.cluster))
        };
        let bitmap = self.bitmap.get_or_init(read).as_ref();
        bitmap.ok_or_else(|| Problem::damaged("which clusters are in use ($Bitmap) can't be read"))
    }

    fn are_free(&self, runs: &ByteRuns, size: u64) -> Result<bool, Problem> {
        self.bitmap()?.are_free(runs, size)
    }

    /// Returns the names in use in a directory, but short ones (8.3) only of files that have no other here.
    fn list_live(&self, file: &File<'_>) -> DirectoryListing {
        let index::Names { found, problems } =
            index::names(file, &*self.table.medium, self.table.boot.cluster);
        let is_long = |(to, name): &(Reference, FileName)| name.is_long().then_some(*to);
        let long: HashSet<Reference> = found.iter().filter_map(is_long).collect();
        let is_own = |to: &Reference| to.number == table::ROOT && file.base.number == table::ROOT;
        let named = |(to, name): (Reference, FileName)| Named {
            number: to.number,
            generation: to.sequence.into(),
            is_directory: Some(name.is_directory()),
            is_deleted: false,
            name: name.name,
        };
        let found =
            found.into_iter().filter(|(to, name)| !(is_own(to) || name.is_short() && long.contains(to)));
        DirectoryListing { names: found.map(named).collect(), problems }
    }

    /// Returns the deleted names in a directory.
    fn list_deleted(&self, directory: Reference) -> Vec<Named> {
        let deleted = self.deleted.get_or_init(|| Deleted::find(&self.table));
        let records = deleted.within(directory).filter_map(|number| self.table.read(number).ok());
        let mut names = Vec::new();
        for record in records {
            let file = File::read(&self.table, record);
            let (record, own) = (&file.base, file.names());
            let here = own.into_iter().filter(|name| name.parent == directory);
            names.extend(here.map(|name| Named {
                number: record.number,
                generation: record.sequence().into(),
                is_directory: Some(record.is_directory()),
                is_deleted: true,
                name: name.name,
            }));
        }
        names
    }
}

impl FileSystem for Ntfs {
    fn info(&self) -> &FileSystemInfo {
        &self.info
    }

    fn doubts(&mut self) -> &mut Vec<Problem> {
        &mut self.info.doubts
    }

    fn root(&self) -> Result<Node, Problem> {
        let file = File::read(&self.table, self.table.read(table::ROOT)?);
        entry::nodes(self, &file).into_iter().next().ok_or_else(|| Problem::damaged("there is no root"))
    }

    fn list(&self, directory: &Node, deleted: DeletedEntries) -> DirectoryListing {
        let record = match self.table.read(directory.number) {
            Ok(record) => record,
            Err(problem) => return DirectoryListing { names: Vec::new(), problems: vec![problem] },
        };
        let (reference, is_in_use) = (record.reference(), record.is_in_use());
        let mut listing = DirectoryListing::default();
        if is_in_use {
            listing = self.list_live(&File::read(&self.table, record));
        }
        if deleted == DeletedEntries::Listed {
            listing.names.extend(self.list_deleted(reference));
        }
        listing
    }

    fn nodes(&self, name: &Named) -> Result<Vec<Node>, Problem> {
        let record = self.table.read(name.number)?;
        check(&record, name)?;
        Ok(entry::nodes(self, &File::read(&self.table, record)))
    }

    fn has_unnamed(&self, is_met: &dyn Fn(u64) -> bool) -> bool {
        orphans::are_left(self, is_met)
    }

    fn orphans(&self) -> Box<dyn Iterator<Item = Result<Named, Problem>> + Send + '_> {
        Box::new(orphans::find(self))
    }

    fn free(&self) -> Box<dyn Iterator<Item = Result<ByteRun, Problem>> + Send + '_> {
        match self.bitmap() {
            Ok(bitmap) => Box::new(bitmap.free()),
            Err(problem) => Box::new(std::iter::once(Err(problem))),
        }
    }
}

/// Checks that a name means this record, and not an earlier use of its number.
fn check(record: &Record, name: &Named) -> Result<(), Problem> {
    let number = name.number;
    // A use that is 0 stands for any, as all systems take it.
    if ![0, u32::from(record.sequence())].contains(&name.generation) {
        let (named, found) = (name.generation, record.sequence());
        return Err(Problem::damaged(format!(
            "it names record {number} of the MFT in its use {named}, but that is in use {found}"
        )));
    }
    if record.is_in_use() == name.is_deleted {
        let state = if name.is_deleted { "in use" } else { "not in use" };
        return Err(Problem::damaged(format!("it names record {number} of the MFT, which is {state}")));
    }
    match record.base() {
        Some(_) => {
            Err(Problem::damaged(format!("it names record {number} of the MFT, a part of another file")))
        }
        None => Ok(()),
    }
}
