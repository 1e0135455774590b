//! Walks and reads that are the same on every system.

use hashmill_os::names;
use hashmill_source::{OperandDirectory, Reader, Reading, WalkItem, WalkOptions, walk};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Paths of files in order, one of them much longer than 260 units. The content of each is its path.
fn files() -> Vec<String> {
    let long = "a directory with a name of forty letters/".repeat(12) + "file";
    let short =
        ["0", "UPPER", "a b", "a-b/c", "a.b/c.d", "d/file", "d/sub/file", "dot.", "é", "日本/語", "💾"];
    let mut files: Vec<String> = short.map(str::to_string).into_iter().chain([long]).collect();
    files.sort();
    files
}

/// A folder with these files.
struct Tree(PathBuf);

impl Tree {
    fn new(test: &str) -> Tree {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("any-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        // On Windows this form has no reserved names and no longest path.
        let tree = Tree(path.canonicalize().unwrap());
        for file in files() {
            let path = tree.path(&file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &file).unwrap();
        }
        tree
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.join(file.split('/').collect::<PathBuf>())
    }

    fn bytes(&self) -> Box<[u8]> {
        names::path_bytes(&self.0).into()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn every_file_is_met_in_order_and_read_whole() {
    let tree = Tree::new("walk");
    let start = tree.bytes().len() + 1;
    let found = walk([tree.bytes()].into_iter(), WalkOptions { sizes: true, ..WalkOptions::default() });
    let mut met = Vec::new();
    for item in found {
        let WalkItem::File(entry) = item else { panic!("{item:?}") };
        let mut reader = Reader::open(&entry, &Reading::default()).unwrap();
        let mut buffer = [0; 1024];
        let read = reader.read(&mut buffer).unwrap();
        reader.finish(read as u64).unwrap();
        let path = String::from_utf8(entry.path[start..].to_vec()).unwrap();
        assert_eq!(String::from_utf8_lossy(&buffer[..read]), path);
        assert_eq!(reader.meta().size, path.len() as u64);
        met.push(path);
    }
    assert_eq!(met, files());
}

#[test]
fn entries_below_a_directory_have_one_identity_by_any_way() {
    let tree = Tree::new("below");
    let below = OperandDirectory::open(&tree.bytes()).unwrap();
    for file in files() {
        let path = names::into_path_bytes(tree.path(&file));
        let mut text = String::new();
        below.open_file(&path).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, file);
        let meta = below.meta(&path).unwrap();
        let open = hashmill_os::facts(&File::open(tree.path(&file)).unwrap()).unwrap();
        assert_eq!((meta.dev, u128::from(meta.ino), meta.size), (open.id.0, open.id.1, open.size));
    }
    let names = below.names(&names::into_path_bytes(tree.path("d"))).unwrap();
    assert!(names.len() == 2 && names.contains(&"file".into()) && names.contains(&"sub".into()));
    for missing in ["none", "d/none", "none/file", "0/file"] {
        assert!(below.open_file(&names::into_path_bytes(tree.path(missing))).is_err(), "{missing}");
    }
    let up = [&*tree.bytes(), b"/d/../../other"].concat();
    assert!(below.open_file(&up).is_err());
}
