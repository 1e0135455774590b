//! Symbolic links that an attacker with write access puts into a tree while it is walked and read.

use crate::common::Folder;
use hashmill_source::{
    Entry, Filter, LookAhead, OperandDirectory, ParentCache, Problem, Reader, Reading, WalkItem, WalkOptions,
    walk,
};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const SECRET: &[u8] = b"a secret of somebody else";

/// Creates `tree/a`, `tree/d/e/file`, `tree/d/file`, and `outside` with the same names.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    for name in ["tree/a", "tree/d/e/file", "tree/d/file"] {
        folder.file(name, "inside");
    }
    folder.file("outside/e/file", SECRET);
    folder.file("outside/file", SECRET);
    folder
}

fn walked(folder: &Folder, options: WalkOptions) -> impl Iterator<Item = WalkItem> {
    let tree: Box<[u8]> = [folder.bytes(), b"/tree"].concat().into();
    walk(std::iter::once(tree), options)
}

/// Moves a file or a directory away and puts a link in its place.
fn swap(path: &Path, target: &Path) {
    fs::rename(path, path.with_extension("away")).unwrap();
    symlink(target, path).unwrap();
}

fn read(entry: &Entry, reading: &Reading) -> Result<Vec<u8>, Problem> {
    let text = || {
        let mut reader = Reader::open(entry, reading)?;
        let mut text = vec![0; 100];
        let read = reader.read(&mut text)?;
        reader.finish(read as u64)?;
        text.truncate(read);
        Ok(text)
    };
    text().map_err(|error: hashmill_source::Error| error.problem)
}

fn ways() -> [WalkOptions; 4] {
    let plain = WalkOptions::default();
    let filter = Filter::builder().min_size(1).build().unwrap();
    [
        plain.clone(),
        WalkOptions { ahead: LookAhead::Always, ..plain.clone() },
        WalkOptions { timeout: Some(Duration::from_secs(60)), ..plain.clone() },
        WalkOptions { filter, ..plain },
    ]
}

#[test]
fn a_link_in_the_place_of_a_listed_file_is_not_read() {
    for reading in
        [Reading::default(), Reading { timeout: Some(Duration::from_secs(60)), ..Reading::default() }]
    {
        for options in ways() {
            let folder = folder("file");
            let entries: Vec<WalkItem> = walked(&folder, options).collect();
            swap(&folder.join("tree/a"), &folder.join("outside/file"));
            swap(&folder.join("tree/d"), &folder.join("outside"));
            for found in &entries {
                let WalkItem::File(entry) = found else { panic!("{found:?}") };
                let problem = read(entry, &reading).unwrap_err();
                assert!(matches!(problem, Problem::Swapped), "{found:?}: {problem}");
                assert_eq!(problem.word(), "swapped");
                assert!(matches!(entry.meta(), Err(Problem::Swapped)), "{found:?}");
                assert!(matches!(ParentCache::default().meta(entry), Err(Problem::Swapped)), "{found:?}");
            }
            assert_eq!(entries.len(), 3);
        }
    }
}

#[test]
fn a_link_in_the_place_of_a_directory_is_not_entered() {
    for options in ways() {
        let folder = folder("directory");
        let ahead = options.ahead;
        let mut found = walked(&folder, options);
        // The operand is listed now, and nothing below it.
        assert!(matches!(found.next(), Some(WalkItem::File(_))));
        swap(&folder.join("tree/d"), &folder.join("outside"));
        match found.next() {
            Some(WalkItem::Failed(error)) => assert!(matches!(error.problem, Problem::Swapped), "{error}"),
            // Threads that list ahead may have been there before.
            Some(WalkItem::File(entry)) if ahead == LookAhead::Always => {
                assert!(matches!(read(&entry, &Reading::default()), Err(Problem::Swapped)));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_link_above_a_directory_that_is_listed_later_is_not_followed() {
    for options in ways().into_iter().filter(|options| options.ahead != LookAhead::Always) {
        let folder = folder("above");
        folder.file("tree/d/a", "inside");
        let mut found = walked(&folder, options);
        assert!(found.by_ref().take(2).all(|found| matches!(found, WalkItem::File(_))));
        // `tree/d` is listed, `tree/d/e` is not; all further entries are below the link.
        swap(&folder.join("tree/d"), &folder.join("outside"));
        let rest: Vec<WalkItem> = found.collect();
        assert_eq!(rest.len(), 2, "{rest:?}");
        for found in rest {
            match found {
                WalkItem::Failed(error) => assert!(matches!(error.problem, Problem::Swapped), "{error}"),
                WalkItem::File(entry) => {
                    assert!(matches!(read(&entry, &Reading::default()), Err(Problem::Swapped)));
                }
                WalkItem::Skipped { .. } => panic!("{found:?}"),
            }
        }
    }
}

#[test]
fn rules_are_not_read_through_a_link() {
    let folder = folder("rules");
    folder.file("tree/d/a", "inside");
    folder.file("outside/e/.ignore", "*\n");
    let options = WalkOptions { ignore_files: vec![Box::from(&b".ignore"[..])], ..WalkOptions::default() };
    let mut found = walked(&folder, options);
    assert!(found.by_ref().take(2).all(|found| matches!(found, WalkItem::File(_))));
    swap(&folder.join("tree/d"), &folder.join("outside"));
    assert!(found.all(|found| !matches!(found, WalkItem::Skipped { .. })));
}

#[test]
fn links_that_were_named_or_are_followed_are_read() {
    let folder = folder("named");
    folder.link("link", "tree");
    let link: Box<[u8]> = [folder.bytes(), b"/link"].concat().into();
    let entries: Vec<WalkItem> = walk(std::iter::once(link), WalkOptions::default()).collect();
    assert_eq!(entries.len(), 3);
    for found in &entries {
        let WalkItem::File(entry) = found else { panic!("{found:?}") };
        assert_eq!(read(entry, &Reading::default()).unwrap(), b"inside");
    }
    let options = WalkOptions { follow: true, ..WalkOptions::default() };
    let followed: Vec<WalkItem> = walked(&folder, options).collect();
    swap(&folder.join("tree/a"), &folder.join("outside/file"));
    let WalkItem::File(entry) = &followed[0] else { panic!("{followed:?}") };
    assert_eq!(read(entry, &Reading::default()).unwrap(), SECRET);
}

#[test]
fn more_operands_than_are_kept_open_are_read() {
    let folder = Folder::new("many");
    let operands: Vec<Box<[u8]>> = (0..200)
        .map(|number| {
            folder.file(format!("{number}/file"), "inside");
            [folder.bytes(), format!("/{number}").as_bytes()].concat().into()
        })
        .collect();
    let entries: Vec<WalkItem> = walk(operands.into_iter(), WalkOptions::default()).collect();
    for found in &entries {
        let WalkItem::File(entry) = found else { panic!("{found:?}") };
        assert_eq!(read(entry, &Reading::default()).unwrap(), b"inside");
    }
    swap(&folder.join("150"), &folder.join("0"));
    let WalkItem::File(entry) = &entries.iter().find(|found| shown(found).ends_with(b"150/file")).unwrap()
    else {
        panic!("it is a file")
    };
    let result = read(entry, &Reading::default());
    assert!(matches!(result, Err(Problem::Swapped)), "{result:?}");
}

fn shown(found: &WalkItem) -> &[u8] {
    match found {
        WalkItem::File(entry) => &entry.path,
        WalkItem::Skipped { path, .. } => path,
        WalkItem::Failed(error) => &error.path,
    }
}

/// Exchanges a name and a link repeatedly, so that one of them always exists, until `over` is set.
fn attack(folder: &Folder, name: &str, target: &str, over: &AtomicBool) {
    let (path, other) = (folder.join(name), folder.join("other"));
    symlink(folder.join(target), &other).unwrap();
    while !over.load(Ordering::Relaxed) {
        exchange(&path, &other).unwrap();
    }
    if path.is_symlink() {
        exchange(&path, &other).unwrap();
    }
    fs::remove_file(&other).unwrap();
}

#[allow(unsafe_code)]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    let [one, other] = [one, other].map(|path| crate::common::c_string(path.as_os_str().as_bytes()));
    let (at, exchange) = (libc::AT_FDCWD, libc::RENAME_EXCHANGE);
    // SAFETY: both are C strings that outlive the call.
    match unsafe { libc::renameat2(at, one.as_ptr(), at, other.as_ptr(), exchange) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[test]
fn no_round_of_an_attack_reads_what_lies_elsewhere() {
    let folder = folder("attack");
    for (name, target) in [("tree/a", "outside/file"), ("tree/d", "outside"), ("tree/d/e", "outside/e")] {
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| attack(&folder, name, target, &over));
            for round in 0..hashmill_testing::cases(500) {
                let [plain, ahead, ..] = ways();
                let options = if round % 50 == 0 { ahead } else { plain };
                for found in walked(&folder, options) {
                    if let WalkItem::File(entry) = found
                        && let Ok(text) = read(&entry, &Reading::default())
                    {
                        assert_ne!(text, SECRET, "{name}: {entry:?}");
                    }
                }
            }
            over.store(true, Ordering::Relaxed);
        });
        // At the end, the tree is as it was.
        assert_eq!(walked(&folder, WalkOptions::default()).count(), 3);
    }
}

#[test]
fn a_directory_that_was_named_lists_and_reads_what_is_below_it() {
    let folder = folder("operand");
    let tree = OperandDirectory::open(&[folder.bytes(), b"/tree//"].concat()).unwrap();
    let below = |name: &str| [folder.bytes(), b"/tree/", name.as_bytes()].concat();
    let mut names = tree.names(&below("d")).unwrap();
    names.sort();
    assert_eq!(names, ["e", "file"]);
    assert_eq!(io::read_to_string(tree.open_file(&below("d/file")).unwrap()).unwrap(), "inside");
    assert!(tree.open_file(&below("nothing")).is_err());
}
