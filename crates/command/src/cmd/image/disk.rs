//! The partitions and file systems on the media of an image, for people and for programs.

use crate::words::amount::BinaryBytes;
use crate::words::message::Shown;
use hashmill_content::inside::{Disk, DiskPart};
use hashmill_disk::{DiskContent, FileSystemInfo, Partition};
use serde::Serialize;

/// The partitions and file systems on a disk, for programs.
#[derive(Serialize)]
pub(super) struct OnDisk {
    scheme: &'static str,
    sector: u32,
    identifier: Option<String>,
    notes: Vec<String>,
    parts: Vec<Part>,
}

/// A partition, or the whole disk.
#[derive(Serialize)]
struct Part {
    number: u32,
    start: u64,
    size: u64,
    r#type: Option<String>,
    name: Option<String>,
    identifier: Option<String>,
    problem: Option<String>,
    file_system: Option<System>,
}

/// The content of a partition, as far as it is known.
#[derive(Serialize)]
struct System {
    kind: String,
    is_readable: bool,
    is_encrypted: bool,
    #[serde(flatten)]
    facts: Option<Facts>,
}

/// The facts about a file system.
#[derive(Serialize)]
struct Facts {
    label: Option<String>,
    identifier: Option<String>,
    block: u32,
    size: u64,
    notes: Vec<String>,
}

impl OnDisk {
    /// Collects what lies on a disk; none if nothing is known of it.
    pub(super) fn new(disk: &Disk) -> Option<OnDisk> {
        let layout = disk.layout();
        let table = &layout.table;
        let partition =
            |part: &DiskPart| table.partitions.iter().find(|partition| partition.number == part.number);
        let parts: Vec<Part> = layout.parts.iter().map(|part| Part::new(part, partition(part))).collect();
        let is_known = !table.partitions.is_empty() || parts.iter().any(|part| part.file_system.is_some());
        is_known.then(|| OnDisk {
            scheme: table.scheme.word(),
            sector: table.sector,
            identifier: table.identifier.clone(),
            notes: table.remarks(),
            parts,
        })
    }

    /// Returns facts for people: a name and a value for each part, and what is worth telling of it.
    pub(super) fn facts(&self) -> Vec<(String, String)> {
        let table = match self.scheme {
            "none" => "none".into(),
            scheme => format!("{} ({}-byte sectors)", scheme.to_uppercase(), self.sector),
        };
        let mut facts = vec![("partition table".into(), table)];
        facts.extend(self.notes.iter().map(|note| (String::new(), note.clone())));
        for part in &self.parts {
            let name = if part.number > 0 { format!("p{}", part.number) } else { "whole medium".into() };
            facts.push((name, part.place()));
            facts.extend(part.lines().into_iter().map(|line| (String::new(), line)));
        }
        facts
    }
}

impl Part {
    fn new(part: &DiskPart, partition: Option<&Partition>) -> Part {
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        Part {
            number: part.number,
            start: part.start,
            size: partition.map_or_else(|| part.size(), |partition| partition.size),
            r#type: partition.map(|partition| partition.kind.clone()),
            name: partition.and_then(|partition| partition.name.as_ref().map(text)),
            identifier: partition.and_then(|partition| partition.identifier.clone()),
            problem: partition.and_then(|partition| partition.problem.as_ref().map(ToString::to_string)),
            file_system: System::new(part),
        }
    }

    /// Returns where it lies, and its type.
    fn place(&self) -> String {
        let size = BinaryBytes(self.size);
        let kind = self.r#type.as_ref().map_or(String::new(), |kind| format!(", {kind}"));
        let name =
            self.name.as_ref().map_or(String::new(), |name| format!(" \"{}\"", Shown(name.as_bytes())));
        format!("{} bytes at {} ({size}){kind}{name}", self.size, self.start)
    }

    /// Returns what it holds, and what is wrong.
    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.problem.iter().cloned().collect();
        let Some(system) = &self.file_system else {
            lines.push("no file system".into());
            return lines;
        };
        let label = system.facts.as_ref().and_then(|facts| facts.label.as_ref());
        let label = label.map_or(String::new(), |label| format!(" \"{}\"", Shown(label.as_bytes())));
        let state = match (system.is_readable, system.is_encrypted) {
            (true, _) => "",
            (false, true) => " (encrypted)",
            (false, false) => " (can't be read)",
        };
        lines.push(format!("{}{label}{state}", system.kind));
        lines.extend(system.facts.iter().flat_map(|facts| facts.notes.iter().cloned()));
        lines
    }
}

impl System {
    fn new(part: &DiskPart) -> Option<System> {
        Some(match &part.content {
            Ok(DiskContent::FileSystem(system)) => System {
                kind: system.info().kind.word().into(),
                is_readable: true,
                is_encrypted: false,
                facts: Some(Facts::new(system.info())),
            },
            Ok(DiskContent::Foreign { name, is_encrypted }) => {
                System { kind: (*name).into(), is_readable: false, is_encrypted: *is_encrypted, facts: None }
            }
            Ok(DiskContent::Nothing) => return None,
            Err(problem) => {
                System { kind: problem.to_string(), is_readable: false, is_encrypted: false, facts: None }
            }
        })
    }
}

impl Facts {
    fn new(info: &FileSystemInfo) -> Facts {
        Facts {
            label: info.label.as_ref().map(|label| String::from_utf8_lossy(label).into_owned()),
            identifier: info.identifier.clone(),
            block: info.block,
            size: info.size,
            notes: info.remarks(),
        }
    }
}
