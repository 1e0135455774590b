//! Everything that ntfs-3g wrote is read, under the same paths, and The Sleuth Kit sees the same.

use super::volume::{Filled, Shape, Volume};
use crate::seen::{Seen, everything, opened};
use crate::tools::run;
use hashmill_disk::{Allocation, DeletedEntries, FileSystemKind, NodeKind, Recovery};
use hashmill_testing::cases;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const SHAPES: [Shape; 8] = [
    Shape { sector: 512, cluster: 4096, megabytes: 48 },
    Shape { sector: 512, cluster: 512, megabytes: 48 },
    Shape { sector: 512, cluster: 1024, megabytes: 48 },
    Shape { sector: 4096, cluster: 4096, megabytes: 48 },
    Shape { sector: 512, cluster: 65536, megabytes: 200 },
    Shape { sector: 2048, cluster: 2048, megabytes: 48 },
    Shape { sector: 512, cluster: 2 << 20, megabytes: 2000 },
    Shape { sector: 1024, cluster: 16384, megabytes: 100 },
];

/// The largest clusters that The Sleuth Kit 4.11 reads.
const MOST_OF_SLEUTHKIT: u32 = 64 << 10;

#[test]
#[ignore = "campaign: takes long"]
fn files_are_read_as_they_were_written() {
    for case in 0..cases(2) as u64 {
        let shape = SHAPES[case as usize % SHAPES.len()];
        let Some(volume) = Volume::new(shape) else { return };
        let Some(mounted) = volume.mount() else { return };
        let mut filled = Filled::new(&mounted, case);
        filled.change(400);
        filled.remove_many();
        drop(mounted);
        let which = format!("case {case}, {shape:?}");
        compare(&volume, &filled, &which);
        if shape.cluster <= MOST_OF_SLEUTHKIT {
            compare_with_sleuthkit(&volume, &filled, &which);
        }
    }
}

fn compare(volume: &Volume, filled: &Filled, which: &str) {
    let seen = everything(&volume.medium(), DeletedEntries::LeftOut);
    let text = |path: &Vec<u8>| String::from_utf8_lossy(path).into_owned();
    let mut files = BTreeMap::new();
    let mut directories = BTreeSet::new();
    for (path, seen) in &seen {
        let path = text(path);
        let bytes = seen.bytes.as_ref().unwrap_or_else(|problem| panic!("{which}: {path}: {problem}"));
        let node = seen.entry.node.as_ref().unwrap();
        match node.kind {
            NodeKind::Metadata => {}
            NodeKind::Directory => drop(directories.insert(path)),
            _ => drop(files.insert(path, bytes)),
        }
    }
    directories.remove("$Extend");
    let expected = filled.all();
    for (path, bytes) in &expected {
        let found = files.get(path).unwrap_or_else(|| panic!("{which}: {path} is missing"));
        let differs = bytes.iter().zip(found.iter()).position(|(one, other)| one != other);
        assert!(**found == *bytes, "{which}: {path}: {} {} {differs:?}", found.len(), bytes.len());
    }
    assert_eq!(files.len(), expected.len(), "{which}");
    let made: BTreeSet<String> = filled.directories.iter().skip(1).cloned().collect();
    assert_eq!(directories, made, "{which}");
}

/// A line of `fls`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    path: String,
    number: u64,
    /// The kind and the number of the attribute, as `icat` takes them.
    attribute: String,
    is_deleted: bool,
    /// Whether the record is in use by another file now.
    is_reused: bool,
}

impl Line {
    fn is_directory(&self) -> bool {
        self.attribute.starts_with("144-") && !self.path.contains(":$") && !self.path.starts_with("$Extend/")
    }

    fn told(&self) -> (String, u64, bool) {
        (self.path.clone(), self.number, self.is_deleted)
    }
}

/// Runs `fls` and returns its lines; none, noted, if it is not installed.
fn listed(image: &Path) -> Option<Vec<Line>> {
    let (succeeded, output) = run("fls", &["-r", "-p", "-f", "ntfs", image.to_str().unwrap()], "")?;
    assert!(succeeded);
    let line = |line: &str| {
        let (head, path) = line.split_once('\t')?;
        let words: Vec<&str> = head.split(' ').collect();
        let (number, attribute) = words.last()?.trim_end_matches(':').split_once('-')?;
        Some(Line {
            path: path.into(),
            number: number.parse().unwrap(),
            attribute: attribute.trim_end_matches("(realloc)").into(),
            is_reused: attribute.ends_with("(realloc)"),
            is_deleted: words.contains(&"*"),
        })
    };
    Some(String::from_utf8_lossy(&output).lines().filter_map(line).collect())
}

/// Compares paths, those of deleted files among them, and the bytes of deleted files and of metadata. Differences are:
/// * names in the unused parts of directories whose records are in use by others now (`realloc`), which are not read
///   here;
/// * indexes, which `fls` shows as streams (`$Secure:$SDH`) in place of files that have nothing else (`$Secure`);
/// * empty streams in records, whose names `fls` leaves out;
/// * orphans that `fls` shows twice: in the deleted directory that they were in, and on their own.
fn compare_with_sleuthkit(volume: &Volume, filled: &Filled, which: &str) {
    let Some(lines) = listed(&volume.image()) else { return };
    let seen = everything(&volume.medium(), DeletedEntries::Listed);
    let (mut ours, mut removed) = (BTreeSet::new(), 0);
    for (path, Seen { entry, bytes }) in &seen {
        let node = entry.node.as_ref().unwrap();
        let path = String::from_utf8_lossy(path).into_owned();
        let is_deleted = node.allocation != Allocation::Live;
        if node.size == 0 && (node.kind == NodeKind::Metadata || node.stream.is_some()) {
            continue;
        }
        ours.insert((path.clone(), node.number, is_deleted));
        if let (true, Some(expected)) = (is_deleted, filled.removed.get(&path)) {
            assert_eq!(node.allocation, Allocation::Deleted(Recovery::Intact), "{which}: {path}");
            // A place may have been in use by others meanwhile, and be free again: `icat` finds the same bytes below.
            removed += usize::from(bytes.as_ref().unwrap() == expected);
        }
    }
    assert!(removed > 5, "{which}: {removed}");
    let is_data =
        |line: &&Line| !line.is_reused && (line.attribute.starts_with("128-") || line.is_directory());
    let theirs: BTreeSet<_> = lines.iter().filter(is_data).map(Line::told).collect();
    let is_empty = |(path, ..): &&(String, u64, bool)| {
        seen.get(path.as_bytes()).is_some_and(|seen| seen.bytes.as_ref().is_ok_and(Vec::is_empty))
    };
    let more: Vec<_> = ours.difference(&theirs).collect();
    let numbers: BTreeSet<u64> = ours.iter().map(|line| line.1).collect();
    let is_again =
        |line: &&(String, u64, bool)| line.0.starts_with("$OrphanFiles/") && numbers.contains(&line.1);
    let less = theirs.difference(&ours).filter(|line| !is_empty(line) && !is_again(line));
    let less: Vec<_> = less.collect();
    assert!(more.is_empty() && less.is_empty(), "{which}: more {more:#?}, less {less:#?}");
    let is_compared = |line: &&Line| line.attribute.starts_with("128-") && !line.is_reused;
    // An empty stream has a line with the path of its file, behind that.
    let mut met = BTreeSet::new();
    let mut is_first = |line: &&Line| met.insert((line.path.clone(), line.number));
    for line in lines.iter().filter(is_compared).filter(|line| is_first(line)) {
        let is_told = line.is_deleted || line.path.starts_with('$');
        if is_told && ours.contains(&line.told()) {
            compare_bytes(volume, &seen, line, which);
        }
    }
}

fn compare_bytes(volume: &Volume, seen: &BTreeMap<Vec<u8>, Seen>, line: &Line, which: &str) {
    let Some(Seen { bytes: Ok(bytes), .. }) = seen.get(line.path.as_bytes()) else {
        panic!("{which}: {line:?} is not read");
    };
    // It stands for the whole volume, and has no bytes.
    if line.path == "$BadClus:$Bad" {
        return;
    }
    let address = format!("{}-{}", line.number, line.attribute);
    let image = volume.image();
    let Some((_, theirs)) = run("icat", &["-f", "ntfs", image.to_str().unwrap(), &address], "") else {
        return;
    };
    assert!(*bytes == theirs, "{which}: {line:?}: {} {}", bytes.len(), theirs.len());
}

#[test]
fn the_facts_of_the_volume_are_those_of_other_programs() {
    for shape in SHAPES {
        let Some(volume) = Volume::new(shape) else { return };
        let medium = volume.medium();
        let system = opened(&medium);
        let info = system.info();
        assert_eq!(info.label.as_deref(), Some("T\u{e4}st \u{1f600}".as_bytes()));
        assert_eq!((info.block, info.remarks().len()), (shape.cluster, 0), "{:?}", info.remarks());
        assert_eq!(info.kind, FileSystemKind::Ntfs);
        let image = volume.image();
        let image = image.to_str().unwrap();
        if shape.cluster <= MOST_OF_SLEUTHKIT
            && let Some((_, facts)) = run("fsstat", &["-f", "ntfs", image], "")
        {
            let serial = format!("Volume Serial Number: {}\n", info.identifier.as_ref().unwrap());
            assert!(String::from_utf8_lossy(&facts).contains(&serial), "{serial}");
        }
        if let Some((_, facts)) = run("ntfsinfo", &["-f", "-m", image], "") {
            let free: u64 = system.free().map(|run| run.unwrap().length).sum();
            let clusters = format!("Free Clusters: {} ", free / u64::from(shape.cluster));
            assert!(String::from_utf8_lossy(&facts).contains(&clusters), "{clusters}");
        }
    }
}
