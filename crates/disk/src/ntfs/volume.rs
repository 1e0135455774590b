//! The facts about the volume as a whole ($Volume, $LogFile).

use super::attribute::{DATA, VOLUME_INFORMATION, VOLUME_NAME};
use super::file::File;
use super::table::{LOG, RecordTable, VOLUME, read_all};
use crate::fields::le16;
use crate::name::utf16_le;
use crate::{FileSystemInfo, FileSystemKind};

const IS_DIRTY: u16 = 1;

/// Marks in the log: no program uses it, and what was in it is on the disk.
const NO_CLIENT: u16 = 0xffff;
const IS_CLEAN: u16 = 2;

/// Collects the facts.
pub(super) fn info(table: &RecordTable, mut notes: Vec<String>) -> FileSystemInfo {
    if table.boot.size() > table.medium.size() {
        notes.push("the medium ends before the file system does".into());
    }
    let mut label = None;
    match table.read(VOLUME).map(|record| File::read(table, record)) {
        Ok(file) => {
            label = label_of(&file);
            if flags(&file).is_some_and(|flags| flags & IS_DIRTY != 0) {
                notes.push(
                    "it is marked as dirty: it was not unmounted cleanly, or a check found errors".into(),
                );
            }
        }
        Err(problem) => notes.push(format!("the label can't be read: {problem}")),
    }
    if is_log_in_use(table) {
        notes.push(
            "its journal ($LogFile) has changes that may not be on the disk; it is not replayed".into(),
        );
    }
    FileSystemInfo {
        kind: FileSystemKind::Ntfs,
        label,
        identifier: Some(format!("{:016X}", table.boot.serial)),
        block: u32::try_from(table.boot.cluster).unwrap_or(u32::MAX),
        size: table.boot.size(),
        notes,
        doubts: Vec::new(),
    }
}

fn label_of(file: &File<'_>) -> Option<Vec<u8>> {
    let attribute = file.attributes(VOLUME_NAME).next()?;
    Some(utf16_le(attribute.resident()?)).filter(|label| !label.is_empty())
}

fn flags(file: &File<'_>) -> Option<u16> {
    le16(file.attributes(VOLUME_INFORMATION).next()?.resident()?, 0x0a)
}

/// Returns whether the first page of the log says that a program was using it, and not that all of it is on the disk.
fn is_log_in_use(table: &RecordTable) -> bool {
    let read = || {
        let file = File::read(table, table.read(LOG).ok()?);
        let content = file.stream(DATA, b"")?.content.ok()?;
        let mut page = [0; 4096];
        read_all(&*table.medium, &content, 0, &mut page).ok()?;
        let area = page.starts_with(b"RSTR").then(|| le16(&page, 0x18)).flatten()?;
        let area = page.get(usize::from(area)..)?;
        Some(le16(area, 0x0c)? != NO_CLIENT && le16(area, 0x0e)? & IS_CLEAN == 0)
    };
    read().unwrap_or(false)
}
