//! Repairs in states: what is there after a kill, and what is refused.

use hashmill_keep::{Content, Finding, Kept, Known, Repair, RepairStep, Stamp, State, Verdict, Why};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const STAMP: Stamp = Stamp { device: 1, inode: 2, mtime: (3, 4), ctime: (5, 6) };

/// Returns the name of the file beside.
fn aside(name: &str) -> String {
    format!(".{name}.hashmill-damaged-abcdefghijkl")
}

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    (folder, path)
}

fn open(path: &Path) -> State {
    State::open(path, None).unwrap()
}

fn repair(path: &str, aside: &str) -> Repair {
    Repair {
        id: 0,
        run: 0,
        at: 7,
        path: path.as_bytes().into(),
        aside: aside.as_bytes().into(),
        step: RepairStep::Begun,
        copy: None,
        size: 10,
        damaged: STAMP,
    }
}

/// Begins a run and keeps a file.
fn begin(state: &mut State, paths: &[&str]) {
    state.begin(100, 0).unwrap();
    for path in paths {
        state.learn(&Kept::unread(path.as_bytes().into())).unwrap();
        let kept = state.find(path.as_bytes()).unwrap().unwrap();
        let content = Content { digests: vec![1; 32].into(), size: Some(10), stamp: Some(STAMP) };
        let known = Known { content: Some(content), is_proof: true, ..Known::bare(Verdict::New) };
        state.keep(&Finding { kept: &kept, known: &known, now: 100 }).unwrap();
    }
    state.commit().unwrap();
}

#[test]
fn a_repair_that_was_begun_is_there_after_a_kill() {
    let (_folder, path) = place();
    let mut state = open(&path);
    begin(&mut state, &["tree/a"]);
    let mut begun = state.begin_repair(repair("tree/a", &aside("a"))).unwrap();
    assert_eq!(
        (begun.id, begun.run, &*begun.aside_path()),
        (1, 1, &b"tree/.a.hashmill-damaged-abcdefghijkl"[..])
    );
    drop(state);
    let mut state = open(&path);
    assert_eq!(state.open_repairs(0).unwrap(), [begun.clone()]);
    begun.copy = Some((8, u64::MAX));
    state.note_copy(&begun).unwrap();
    drop(state);
    let mut state = open(&path);
    assert_eq!(state.open_repairs(0).unwrap(), [begun.clone()]);
    (begun.step, begun.damaged.ctime) = (RepairStep::Kept, (9, 10));
    state.note_repair(&begun).unwrap();
    assert_eq!(state.kept_aside().unwrap(), (1, 10));
    state.commit().unwrap();
    drop(state);
    let mut state = open(&path);
    assert_eq!(state.open_repairs(0).unwrap(), [begun.clone()]);
    assert_eq!(state.open_repairs(1).unwrap(), []);
    assert_eq!((state.repair(1).unwrap(), state.repair(2).unwrap()), (Some(begun.clone()), None));
    begun.step = RepairStep::Discarded;
    state.note_repair(&begun).unwrap();
    assert_eq!((state.open_repairs(0).unwrap(), state.kept_aside().unwrap()), (vec![], (0, 0)));
}

#[test]
fn a_repair_that_changed_nothing_leaves_no_trace() {
    let (_folder, path) = place();
    let mut state = open(&path);
    begin(&mut state, &["a"]);
    let seal = state.seal().clone();
    let begun = state.begin_repair(repair("a", &aside("a"))).unwrap();
    assert_ne!(*state.seal(), seal);
    state.forget_repair(&begun).unwrap();
    assert_eq!(*state.seal(), seal);
    state.commit().unwrap();
    drop(state);
    assert_eq!(*open(&path).seal(), seal);
}

#[test]
fn an_altered_repair_is_refused() {
    for change in [
        "UPDATE repair SET aside = CAST('precious' AS BLOB)",
        "UPDATE repair SET path = CAST('b' AS BLOB)",
        "UPDATE repair SET copy_inode = 3",
        "UPDATE repair SET ctime_ns = 7",
        "UPDATE repair SET step = 2",
        "DELETE FROM repair",
    ] {
        let (_folder, path) = place();
        let mut state = open(&path);
        begin(&mut state, &["a"]);
        state.begin_repair(repair("a", &aside("a"))).unwrap();
        drop(state);
        assert_eq!(Connection::open(&path).unwrap().execute(change, []).unwrap(), 1);
        assert!(matches!(State::open(&path, None).err().unwrap().why, Why::Altered), "{change}");
    }
}

#[test]
fn names_beside_are_those_that_are_drawn() {
    for aside in ["", "../x", "x/y", "precious", ".b.hashmill-damaged-abcdefghijkl"] {
        let (_folder, path) = place();
        let mut state = open(&path);
        begin(&mut state, &["a"]);
        state.begin_repair(repair("a", aside)).unwrap();
        assert!(matches!(state.open_repairs(0).err().unwrap().why, Why::Row), "{aside}");
    }
}

#[test]
fn all_names_of_a_file_follow_its_time() {
    let (_folder, path) = place();
    let mut state = open(&path);
    begin(&mut state, &["a", "b/c"]);
    state.follow(Stamp { mtime: (0, 0), ..STAMP }, (1, 1)).unwrap();
    let ctime = |state: &State, path: &str| {
        let kept = state.find(path.as_bytes()).unwrap().unwrap();
        kept.content.unwrap().stamp.unwrap().ctime
    };
    assert_eq!(ctime(&state, "a"), (5, 6));
    let mut beside = state.begin_repair(repair("d", &aside("d"))).unwrap();
    beside.step = RepairStep::Kept;
    state.note_repair(&beside).unwrap();
    state.follow(STAMP, (50, 60)).unwrap();
    assert_eq!(state.repair(beside.id).unwrap().unwrap().damaged.ctime, (50, 60));
    assert_eq!((ctime(&state, "a"), ctime(&state, "b/c")), ((50, 60), (50, 60)));
    state.commit().unwrap();
    drop(state);
    assert_eq!(ctime(&open(&path), "b/c"), (50, 60));
}

#[test]
fn an_edit_is_told_by_size_and_times() {
    let (_folder, path) = place();
    let mut state = open(&path);
    begin(&mut state, &["a"]);
    let kept = state.find(b"a").unwrap().unwrap();
    assert!(!kept.is_edited(10, STAMP) && !kept.is_edited(10, Stamp { inode: 9, ..STAMP }));
    assert!(kept.is_edited(11, STAMP));
    assert!(kept.is_edited(10, Stamp { mtime: (3, 5), ..STAMP }));
    assert!(!kept.is_edited(10, Stamp { ctime: (5, 7), ..STAMP }));
    assert!(Kept::unread(b"b".as_slice().into()).is_edited(10, STAMP));
}
