//! File systems of the real programs that can't be read here are told by their names.

use crate::tools::done;
use hashmill_disk::{DiskContent, Medium, Seekable, file_system};
use std::fs::File;
use std::sync::Arc;

#[test]
fn what_programs_make_is_known_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let (path, files) = (folder.path().join("image"), folder.path().join("files"));
    std::fs::create_dir(&files).unwrap();
    std::fs::write(files.join("file"), "content").unwrap();
    let path = path.to_str().unwrap();
    for (program, arguments, size, expected) in [
        ("mkswap", &[][..], 1_u64 << 20, "Linux swap"),
        ("mkfs.xfs", &["-q", "-f"], 320 << 20, "XFS"),
        ("mkfs.btrfs", &["-q", "-f"], 128 << 20, "btrfs"),
        ("mkfs.minix", &["-1"], 4 << 20, "Minix"),
        ("mkfs.minix", &["-2"], 4 << 20, "Minix"),
        ("mkfs.minix", &["-3"], 4 << 20, "Minix"),
        ("mkfs.f2fs", &["-q"], 64 << 20, "F2FS"),
        ("mkfs.udf", &[], 8 << 20, "UDF"),
        ("mkfs.bfs", &[], 1 << 20, "SCO BFS"),
        ("mkfs.cramfs", &[files.to_str().unwrap()], 0, "cramfs"),
    ] {
        File::create(path).unwrap().set_len(size).unwrap();
        if done(program, &[arguments, &[path]].concat(), "").is_none() {
            continue;
        }
        let medium: Arc<dyn Medium> = Arc::new(Seekable::new(File::open(path).unwrap()).unwrap());
        match file_system(&medium).unwrap() {
            DiskContent::Foreign { name, is_encrypted: false } => assert_eq!(name, expected),
            other => panic!("{program} {arguments:?}: {other:?}"),
        }
    }
}
