//! Files with many pieces or many streams, a table of files in many pieces, and a volume with many files.

use super::volume::{Shape, Volume};
use crate::seen::{everything, opened};
use crate::tools::Random;
use hashmill_disk::{DeletedEntries, Limits, Walk};
use hashmill_testing::cases;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};

const SMALL: Shape = Shape { sector: 512, cluster: 512, megabytes: 16 };

/// A file whose runs fill several records, one with so many streams, and one with so many names.
#[test]
fn files_with_lists_of_attributes_are_read_whole() {
    let Some(volume) = Volume::new(SMALL) else { return };
    let Some(mounted) = volume.mount() else { return };
    let mut random = Random(1);
    let mut islands = vec![0; 6_000 * 1024];
    let mut file = File::create(mounted.root.join("islands")).unwrap();
    for island in 0..6_000_usize {
        let at = island * 1024 + (random.below(2) * 512) as usize;
        let part = [random.next() as u8; 512];
        islands[at..at + 512].copy_from_slice(&part);
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(&part).unwrap();
    }
    drop(file);
    let streams: Vec<Vec<u8>> = (0..300).map(|at| vec![at as u8; at * 5]).collect();
    for (at, bytes) in streams.iter().enumerate() {
        fs::write(mounted.root.join(format!("many:stream {at}")), bytes).unwrap();
    }
    fs::write(mounted.root.join("name"), b"bytes").unwrap();
    for at in 0..200 {
        fs::hard_link(mounted.root.join("name"), mounted.root.join(format!("name {at}"))).unwrap();
    }
    drop(mounted);
    let seen = everything(&volume.medium(), DeletedEntries::LeftOut);
    let content = |path: &str| seen[path.as_bytes()].bytes.as_ref().unwrap();
    let length = content("islands").len();
    assert!(*content("islands") == islands[..length] && islands[length..].iter().all(|byte| *byte == 0));
    let pieces = seen[&b"islands"[..]].entry.node.as_ref().unwrap().content.as_ref().unwrap();
    assert!(pieces.runs().unwrap().as_slice().len() > 5_000);
    for (at, bytes) in streams.iter().enumerate() {
        assert_eq!(content(&format!("many:stream {at}")), bytes);
    }
    let names: Vec<_> = seen.iter().filter(|(path, _)| path.starts_with(b"name")).collect();
    assert!(names.iter().all(|(_, seen)| seen.bytes.as_ref().unwrap() == b"bytes"));
    assert!(names.iter().all(|(_, seen)| seen.entry.node.as_ref().unwrap().links == 201));
    assert_eq!((names.len(), names.iter().filter(|(_, seen)| seen.entry.is_repeated).count()), (201, 200));
}

/// The table of files grows where clusters are free, between files.
#[test]
fn a_table_in_many_pieces_is_found() {
    let Some(volume) = Volume::new(SMALL) else { return };
    let Some(mounted) = volume.mount() else { return };
    let path = |name: &str, at: u32| mounted.root.join(format!("{name} {at}"));
    let mut filled = 0;
    while fs::write(path("filled", filled), [filled as u8; 1024]).is_ok() {
        filled += 1;
    }
    let _ = fs::remove_file(path("filled", filled));
    (0..filled).step_by(3).for_each(|at| fs::remove_file(path("filled", at)).unwrap());
    let mut small = 0;
    while fs::write(path("small", small), format!("{small}")).is_ok() {
        small += 1;
    }
    drop(fs::remove_file(path("small", small)));
    drop(mounted);
    let seen = everything(&volume.medium(), DeletedEntries::LeftOut);
    let table = seen[&b"$MFT"[..]].entry.node.as_ref().unwrap();
    let pieces = table.content.as_ref().unwrap().runs().unwrap().as_slice().len();
    // A record has room for the runs of about 150.
    assert!(pieces > 200, "{pieces}");
    for at in 0..small {
        let bytes = seen[format!("small {at}").as_bytes()].bytes.as_ref().unwrap();
        assert_eq!(*bytes, format!("{at}").into_bytes());
    }
    for at in (0..filled).filter(|at| at % 3 != 0) {
        assert_eq!(*seen[format!("filled {at}").as_bytes()].bytes.as_ref().unwrap(), [at as u8; 1024]);
    }
}

/// A volume with thousands of files (21,000 with `HASHMILL_CASES=7`) is listed, with those that were deleted.
#[test]
fn many_files_are_listed_fast() {
    let Some(volume) = Volume::new(Shape { sector: 512, cluster: 4096, megabytes: 120 }) else { return };
    let Some(mounted) = volume.mount() else { return };
    let directories = cases(3);
    for directory in 0..directories {
        let root = mounted.root.join(format!("directory {directory}"));
        fs::create_dir(&root).unwrap();
        (0..1000).for_each(|at| fs::write(root.join(format!("file {at}")), []).unwrap());
    }
    (0..1000).for_each(|at| fs::remove_file(mounted.root.join(format!("directory 1/file {at}"))).unwrap());
    drop(mounted);
    let medium = volume.medium();
    for (deleted, more) in [(DeletedEntries::LeftOut, 0), (DeletedEntries::Listed, 1000)] {
        let start = std::time::Instant::now();
        let system = opened(&medium);
        let count =
            Walk::new(&*system, deleted, Limits::default()).filter(|entry| entry.node.is_ok()).count();
        eprintln!("{count} entries in {:?}", start.elapsed());
        let expected = (directories - 1) * 1000 + directories + more;
        assert!((expected..expected + 50).contains(&count), "{count}");
    }
}
