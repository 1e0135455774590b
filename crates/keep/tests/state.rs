//! States as files: what is written, what is due, and what is refused.

use hashmill_keep::{
    Begun, Content, Finding, Kept, Known, Order, Part, ReadTotals, Reading, Root, Stamp, State, Step,
    Verdict, Why, judge,
};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    (folder, path)
}

fn open(path: &Path) -> State {
    State::open(path, None).unwrap()
}

fn root(name: &str, place: &str) -> Root {
    Root { name: name.as_bytes().into(), place: place.as_bytes().into() }
}

fn why(path: &Path) -> Why {
    State::open(path, None).err().unwrap().why
}

fn content(digest: u8, size: u64) -> Content {
    let stamp = Stamp { device: 1, inode: 2, mtime: (3, 4), ctime: (5, 6) };
    Content { digests: vec![digest; 32].into(), size: Some(size), stamp: Some(stamp) }
}

/// Meets files and reads each: all are new, or as they were.
fn verify(state: &mut State, files: &[(&str, u8, u64)], now: i64) {
    state.begin(now, 0).unwrap();
    state.survey().unwrap();
    files.iter().for_each(|(path, ..)| state.meet(path.as_bytes(), None).unwrap());
    state.add_new().unwrap();
    for (path, digest, size) in files {
        let kept = state.find(path.as_bytes()).unwrap().unwrap();
        let reading = Reading::Whole { content: content(*digest, *size), is_fresh: true };
        let Step::Judged(known) = judge(&kept, &reading, None) else { panic!("{path}") };
        state.keep(&Finding { kept: &kept, known: &known, now }).unwrap();
    }
    state.end(now, ReadTotals { files: files.len() as u64, bytes: 0 }, "{}").unwrap();
    state.close().unwrap();
}

fn find(state: &mut State, path: &str, verdict: Verdict, now: i64) {
    let kept = state.find(path.as_bytes()).unwrap().unwrap();
    let known = Known::bare(verdict);
    state.keep(&Finding { kept: &kept, known: &known, now }).unwrap();
}

#[test]
fn what_is_kept_is_there_again() {
    let (_folder, path) = place();
    let mut state = State::open(&path, Some("sha256,blake3")).unwrap();
    state.belong_to(&[root("tree", "/a/tree")]).unwrap();
    verify(&mut state, &[("a", 1, 10), ("b", 2, 20)], 100);
    let (seal, a) = (state.seal().clone(), state.find(b"a").unwrap().unwrap());
    drop(state);
    let state = open(&path);
    assert_eq!((state.seal(), state.algorithms()), (&seal, "sha256,blake3"));
    assert_eq!(&*state.roots()[0].place, b"/a/tree");
    assert_eq!(state.find(b"a").unwrap().unwrap(), a);
    assert_eq!((a.first, a.last, a.verdict, a.streak, a.run), (100, 100, Some(Verdict::New), 1, 1));
    let totals = state.totals(Some(101)).unwrap();
    assert_eq!((totals.files, totals.bytes, totals.late, totals.oldest), (2, 30, 2, Some(100)));
    let mut paths = Vec::new();
    let mut each = |kept: Kept| {
        paths.push(kept.path);
        Ok(())
    };
    state.each(&mut each).unwrap();
    assert_eq!(paths, [Box::from(&b"a"[..]), Box::from(&b"b"[..])]);
}

#[test]
fn what_was_not_committed_is_gone_and_the_rest_is_sealed() {
    let (_folder, path) = place();
    let mut state = open(&path);
    verify(&mut state, &[("a", 1, 1), ("b", 1, 1)], 100);
    state.begin(200, 0).unwrap();
    find(&mut state, "a", Verdict::Rot, 200);
    state.commit().unwrap();
    find(&mut state, "b", Verdict::Rot, 200);
    drop(state);
    let state = open(&path);
    let verdict = |path: &[u8]| state.find(path).unwrap().unwrap().verdict;
    assert_eq!((verdict(b"a"), verdict(b"b")), (Some(Verdict::Rot), Some(Verdict::New)));
}

#[test]
fn suspects_come_first_then_what_was_never_read_then_the_oldest() {
    let (_folder, path) = place();
    let mut state = open(&path);
    verify(&mut state, &[("old", 1, 5), ("bad", 1, 5)], 1_000_000);
    verify(&mut state, &[("young", 1, 5)], 9_000_000);
    state.begin(10_000_000, 0).unwrap();
    find(&mut state, "bad", Verdict::Unreadable, 10_000_000);
    state.survey().unwrap();
    ["bad", "never", "old", "young", "z"].iter().for_each(|path| state.meet(path.as_bytes(), None).unwrap());
    assert_eq!(state.add_new().unwrap(), 2);
    let order = Order { now: 10_000_000, max_age: None, seed: 7 };
    let next = |state: &mut State, order: Order| {
        state.plan(order).unwrap();
        let mut all = Vec::new();
        loop {
            let some = state
                .next(
                    Part { files: 2, bytes: 12, longest: 99, resumable: None, is_limited: true },
                    &mut |_| 5,
                )
                .unwrap();
            if some.is_empty() {
                return all;
            }
            all.extend(some.into_iter().map(|kept| String::from_utf8(kept.path.into()).unwrap()));
        }
    };
    assert_eq!(next(&mut state, order), ["bad", "never", "z", "old", "young"]);
    let order = Order { max_age: Some(5_000_000), ..order };
    assert_eq!(next(&mut state, order), ["bad", "never", "z", "old"]);
    state.survey().unwrap();
    state.meet(b"old", None).unwrap();
    let gone = state.unmet(b"").unwrap();
    assert_eq!(gone.iter().map(|kept| kept.path.len()).collect::<Vec<_>>(), [3, 5, 5, 1]);
    assert_eq!(state.unmet(b"never").unwrap().len(), 2);
    state.set_apart(b"a/b").unwrap();
    for (path, wanted) in
        [("a/b", true), ("a/b/c/d", true), ("a", false), ("a/bc", false), ("a/b-c/d", false)]
    {
        assert_eq!(state.is_apart(path.as_bytes()).unwrap(), wanted, "{path}");
    }
}

#[test]
fn a_part_has_at_least_one_file_and_no_more_bytes_than_asked_for() {
    let (_folder, path) = place();
    let mut state = open(&path);
    verify(&mut state, &[("a", 1, 100), ("b", 1, 5), ("c", 1, 5)], 10);
    state.survey().unwrap();
    ["a", "b", "c"].iter().for_each(|path| state.meet(path.as_bytes(), None).unwrap());
    let due = state.plan(Order { now: 90_000, max_age: None, seed: 0 }).unwrap();
    assert_eq!((due.files, due.bytes), (3, 110));
    let sizes = parts_of(&mut state, 100);
    assert!(sizes == [10, 100] || sizes == [5, 5, 100], "{sizes:?}");
    state.plan(Order { now: 90_000, max_age: None, seed: 0 }).unwrap();
    assert_eq!(parts_of(&mut state, 99), [10], "a file that is too long is left");
}

/// Takes all parts, and returns the bytes of each, sorted.
fn parts_of(state: &mut State, longest: u64) -> Vec<u64> {
    let mut sizes = Vec::new();
    loop {
        let part = Part { files: 9, bytes: 10, longest, resumable: Some(1000), is_limited: true };
        let some = state.next(part, &mut |_| 0).unwrap();
        if some.is_empty() {
            break;
        }
        sizes.push(some.iter().map(|kept| kept.content.as_ref().unwrap().size.unwrap()).sum::<u64>());
    }
    sizes.sort_unstable();
    sizes
}

#[test]
fn an_edit_counts_when_it_is_accepted_and_what_counted_is_remembered() {
    let (_folder, path) = place();
    let mut state = open(&path);
    verify(&mut state, &[("a", 1, 1), ("gone", 2, 1)], 100);
    state.begin(200, 0).unwrap();
    let kept = state.find(b"a").unwrap().unwrap();
    let known = Known { content: Some(content(9, 3)), ..Known::bare(Verdict::Edited) };
    let kept = state.keep(&Finding { kept: &kept, known: &known, now: 200 }).unwrap();
    assert_eq!((&kept.content, &kept.proposal), (&Some(content(1, 1)), &Some(content(9, 3))));
    assert_eq!(kept.last, 100, "an edit proves nothing");
    let accepted = state.accept(&kept, 300).unwrap().unwrap();
    assert_eq!((accepted.content, accepted.proposal), (Some(content(9, 3)), None));
    find(&mut state, "gone", Verdict::Missing, 200);
    let gone = state.find(b"gone").unwrap().unwrap();
    assert_eq!(state.accept(&gone, 300).unwrap(), None);
    state.end(300, ReadTotals::default(), "").unwrap();
    state.close().unwrap();
    drop(state);
    drop(open(&path));
    let raw = Connection::open(&path).unwrap();
    let history: Vec<(Vec<u8>, Option<Vec<u8>>)> = raw
        .prepare("SELECT path, became FROM history ORDER BY id")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(history, [(b"a".to_vec(), Some(vec![9; 32])), (b"gone".to_vec(), None)]);
}

#[test]
fn what_moved_keeps_its_age() {
    let (_folder, path) = place();
    let mut state = open(&path);
    verify(&mut state, &[("a", 1, 1)], 100);
    verify(&mut state, &[("b", 1, 1)], 200);
    let [gone, found] = [b"a", b"b"].map(|path| state.find(path).unwrap().unwrap());
    let moved = state.move_to(&gone, &found).unwrap();
    assert_eq!((moved.first, moved.last, moved.verdict), (100, 200, Some(Verdict::Moved)));
    assert_eq!(state.find(b"a").unwrap(), None);
    state.commit().unwrap();
    drop(state);
    open(&path);
}

#[test]
fn every_altered_row_shows() {
    let alterations = [
        "UPDATE file SET digests = x'00' WHERE path = x'61'",
        "UPDATE file SET last = last + 1",
        "UPDATE file SET mtime_ns = 9",
        "UPDATE file SET verdict = 1 WHERE path = x'62'",
        "DELETE FROM file WHERE path = x'61'",
        "INSERT INTO file (path, first, last, streak, run) VALUES (x'63', 0, 0, 0, 0)",
        "UPDATE run SET began = 5",
        "UPDATE run SET summary = NULL",
        "DELETE FROM run",
        "UPDATE about SET value = x'6d6435'",
        "INSERT INTO history (run, at, path) VALUES (1, 1, x'61')",
        "UPDATE seal SET sum = zeroblob(2048)",
        "DELETE FROM seal",
        "UPDATE begun SET read = x'00'",
        "DELETE FROM begun",
    ];
    for alteration in alterations {
        let (_folder, path) = place();
        let mut state = open(&path);
        verify(&mut state, &[("a", 1, 1), ("b", 1, 1)], 100);
        let begun = Begun { path: b"a".as_slice().into(), of: content(0, 1), read: [1].into(), first: None };
        state.keep_begun(&begun).unwrap();
        state.commit().unwrap();
        drop(state);
        let raw = Connection::open(&path).unwrap();
        if raw.execute(alteration, []).is_err() {
            continue;
        }
        raw.close().unwrap();
        assert!(State::open(&path, None).is_err(), "{alteration}");
    }
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let (folder, path) = place();
    verify(&mut open(&path), &[("a", 1, 1)], 100);
    let with = |change: &str| {
        let copy = folder.path().join("copy");
        std::fs::copy(&path, &copy).unwrap();
        Connection::open(&copy).unwrap().execute_batch(change).unwrap();
        why(&copy)
    };
    assert!(matches!(with("PRAGMA user_version = 99"), Why::Version(99)));
    assert!(matches!(with("PRAGMA application_id = 1"), Why::NotAState));
    assert!(matches!(with("CREATE TABLE more (a)"), Why::Schema));
    let trigger = "CREATE TRIGGER t AFTER UPDATE ON file BEGIN DELETE FROM file; END";
    assert!(matches!(with(trigger), Why::Schema));
    let text = folder.path().join("text");
    std::fs::write(&text, "not a database, but long enough to be read as the header of one: ".repeat(20))
        .unwrap();
    let before = std::fs::read(&text).unwrap();
    assert!(matches!(why(&text), Why::NotAState));
    assert_eq!(std::fs::read(&text).unwrap(), before);
    let other = State::open(&path, Some("md5")).err().unwrap().why;
    assert!(matches!(other, Why::Algorithms(names) if &*names == "blake3"));
    assert!(matches!(why(folder.path()), Why::Sqlite(_)));
}

#[test]
fn a_second_run_and_a_clock_that_went_back_are_told() {
    let (_folder, path) = place();
    let mut state = open(&path);
    verify(&mut state, &[("a", 1, 1)], 100);
    assert!(matches!(why(&path), Why::Locked));
    let back = state.begin(99, 0).err().unwrap().why;
    assert!(matches!(back, Why::Clock { last: 100, now: 99 }));
    drop(state);
    open(&path);
}

#[test]
fn times_that_are_ahead_are_corrected() {
    let (_folder, path) = place();
    let mut state = open(&path);
    verify(&mut state, &[("a", 1, 1), ("b", 1, 1)], 100);
    verify(&mut state, &[("a", 1, 1), ("c", 1, 1)], 9000);
    assert!(matches!(state.check_clock(200).err().unwrap().why, Why::Clock { last: 9000, now: 200 }));
    state.correct_times(200).unwrap();
    let times = |path: &str| {
        let kept = state.find(path.as_bytes()).unwrap().unwrap();
        (kept.first, kept.last)
    };
    assert_eq!([times("a"), times("b"), times("c")], [(100, 100); 3]);
    assert_eq!(state.begin(200, 0).unwrap().number, 3);
    state.close().unwrap();
    drop(state);
    open(&path);
}

#[test]
fn a_folder_that_was_moved_keeps_its_history() {
    for (from, to) in [("a", "/mnt/new"), ("a", "a/a"), ("a/", "b/"), ("a", "/"), ("/", "a")] {
        let (_folder, path) = place();
        let mut state = open(&path);
        state.belong_to(&[root(from, "/x/a"), root("c", "/x/c")]).unwrap();
        let below = |root: &str, name: &str| format!("{}/{name}", root.trim_end_matches('/'));
        let names = [below(from, "1"), below(from, "b/2"), below(from, "a/1"), "c/3".to_string()];
        let files: Vec<_> = names.iter().map(|name| (name.as_str(), 1, 1)).collect();
        verify(&mut state, &files, 100);
        let aside = format!(".2.hashmill-damaged-{}", "a".repeat(12));
        let damaged = content(1, 1).stamp.unwrap();
        let repair = hashmill_keep::Repair {
            id: 0,
            run: 0,
            at: 7,
            path: names[1].as_bytes().into(),
            aside: aside.as_bytes().into(),
            step: hashmill_keep::RepairStep::Begun,
            copy: None,
            size: 1,
            damaged,
        };
        state.begin_repair(repair).unwrap();
        state.move_root(from.as_bytes(), &root(to, "/y")).unwrap();
        state.close().unwrap();
        drop(state);
        let mut state = open(&path);
        let wanted = [below(to, "1"), below(to, "b/2"), below(to, "a/1"), "c/3".to_string()];
        for name in &wanted {
            assert_eq!(state.find(name.as_bytes()).unwrap().unwrap().last, 100, "{from} {to} {name}");
        }
        assert_eq!(state.files(b"").unwrap().len(), 4);
        assert_eq!(*state.open_repairs(0).unwrap()[0].path, *wanted[1].as_bytes());
        state.belong_to(&[root(to, "/y"), root("c", "/x/c")]).unwrap();
        let why = |error: hashmill_keep::Error| error.why;
        let other = state.move_root(b"other", &root("z", "/z")).map_err(why);
        assert!(matches!(other, Err(Why::NotMoved(name)) if *name == *b"other"));
        let taken = state.move_root(to.as_bytes(), &root("c", "/x/c")).map_err(why);
        assert!(matches!(taken, Err(Why::Occupied(_))));
    }
}

#[test]
fn what_is_met_is_missing_no_more() {
    let (_folder, path) = place();
    let mut state = open(&path);
    verify(&mut state, &[("a", 1, 1), ("b", 1, 1), ("c", 1, 1)], 100);
    state.begin(200, 0).unwrap();
    find(&mut state, "a", Verdict::Rot, 200);
    ["a", "a", "b", "c"].iter().for_each(|path| find(&mut state, path, Verdict::Missing, 300));
    state.close().unwrap();
    drop(state);
    let mut state = open(&path);
    assert_eq!(state.totals(None).unwrap().files, 0);
    state.survey().unwrap();
    ["a", "b"].iter().for_each(|path| state.meet(path.as_bytes(), None).unwrap());
    state.bring_back().unwrap();
    let verdicts = ["a", "b", "c"].map(|path| state.find(path.as_bytes()).unwrap().unwrap().verdict);
    assert_eq!(verdicts, [Some(Verdict::Rot), Some(Verdict::New), Some(Verdict::Missing)]);
    assert_eq!((state.totals(None).unwrap().files, state.totals(None).unwrap().verdicts.len()), (2, 3));
    // Both are read in this run, however young their last proof is.
    let order = Order { now: 300, max_age: Some(1000), seed: 0 };
    assert_eq!(state.plan(order).unwrap().files, 2);
    state.close().unwrap();
    drop(state);
    open(&path);
}

#[test]
#[cfg(unix)]
fn a_link_to_nothing_is_not_written_through() {
    let (folder, path) = place();
    std::os::unix::fs::symlink("victim", &path).unwrap();
    assert!(matches!(why(&path), Why::Dangling));
    assert!(!folder.path().join("victim").exists());
    std::fs::write(folder.path().join("victim"), "").unwrap();
    open(&path);
}

#[test]
fn folders_stay_those_of_the_first_run() {
    let (_folder, path) = place();
    let mut state = open(&path);
    state.belong_to(&[root("a", "/x/a"), root("b", "/x/b")]).unwrap();
    state.belong_to(&[root("b", "/x/b")]).unwrap();
    let other = state.belong_to(&[root("c", "/x/c")]).err().unwrap().why;
    assert!(matches!(other, Why::OtherTree(roots) if roots.len() == 2));
    let elsewhere = state.belong_to(&[root("a", "/y/a")]).err().unwrap().why;
    assert!(matches!(elsewhere, Why::Elsewhere(..)));
}

#[test]
fn a_list_is_learnt_once() {
    let (_folder, path) = place();
    let mut state = open(&path);
    let listed = Kept::listed(b"a".as_slice().into(), Content { stamp: None, ..content(1, 1) });
    assert!(state.is_new().unwrap());
    assert!(state.learn(&listed).unwrap());
    assert!(!state.learn(&listed).unwrap());
    assert_eq!(state.find(b"a").unwrap().unwrap(), listed);
    state.begin(100, 0).unwrap();
    assert!(!state.is_new().unwrap());
    // Another content is a proposal, until it is accepted.
    let found = Known { content: Some(content(2, 2)), ..Known::bare(Verdict::Differs) };
    let next = state.keep(&Finding { kept: &listed, known: &found, now: 100 }).unwrap();
    assert_eq!((next.content, next.proposal, next.last), (listed.content, Some(content(2, 2)), 0));
    let next = state.find(b"a").unwrap().unwrap();
    assert_eq!(state.accept(&next, 101).unwrap().unwrap().content, Some(content(2, 2)));
}

#[test]
fn a_state_tells_its_runs_and_its_files_by_device() {
    let (_folder, path) = place();
    let mut state = open(&path);
    verify(&mut state, &[("a", 1, 10), ("b", 2, 20)], 100);
    state.begin(200, 0).unwrap();
    find(&mut state, "a", Verdict::Rot, 200);
    find(&mut state, "b", Verdict::Missing, 200);
    state.end(210, ReadTotals { files: 1, bytes: 10 }, "{\"rot\":1}").unwrap();
    let runs = state.runs(5).unwrap();
    assert_eq!((runs.len(), runs[0].began, runs[1].ended, runs[1].bytes), (2, 100, Some(210), 10));
    assert_eq!(&*runs[1].summary, "{\"rot\":1}");
    assert_eq!(state.runs(1).unwrap(), runs[1..]);
    let shares = state.shares().unwrap();
    let found: Vec<_> =
        shares.iter().map(|share| (share.device, share.verdict, share.files, share.oldest)).collect();
    let wanted =
        [(Some(1), Some(Verdict::Rot), 1, Some(100)), (Some(1), Some(Verdict::Missing), 1, Some(100))];
    assert_eq!(found, wanted);
    let mut proofs = Vec::new();
    state.proofs(&mut |last| proofs.push(last)).unwrap();
    assert_eq!(proofs, [100]);
    let wrong: Vec<_> = state.otherwise(b"").unwrap().into_iter().map(|kept| kept.path).collect();
    assert_eq!(wrong, [Box::from(&b"a"[..]), Box::from(&b"b"[..])]);
    assert_eq!(state.otherwise(b"a").unwrap().len(), 1);
}

/// Flips each of many bytes: the state is refused, or is what it was.
#[test]
fn damage_shows_or_changes_nothing() {
    let (folder, path) = place();
    let names: Vec<String> = (0..300).map(|number| format!("folder/{number:03}")).collect();
    let files: Vec<(&str, u8, u64)> = names.iter().map(|name| (name.as_str(), 1, 10)).collect();
    verify(&mut open(&path), &files, 100);
    let all = |state: &State| {
        let mut all = Vec::new();
        let mut each = |kept: Kept| {
            all.push(kept);
            Ok(())
        };
        state.each(&mut each).map(|()| all)
    };
    let wanted = all(&open(&path)).unwrap();
    let (whole, copy) = (std::fs::read(&path).unwrap(), folder.path().join("copy"));
    let mut refused = 0;
    for at in (0..whole.len()).step_by(131) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&copy, damaged).unwrap();
        match State::open(&copy, None) {
            Err(_) => refused += 1,
            Ok(state) => assert_eq!(all(&state).unwrap(), wanted, "byte {at}"),
        }
    }
    assert!(refused > 100, "{refused} of {}", whole.len() / 131);
}

#[test]
fn what_was_begun_ends_with_a_verdict() {
    let (_folder, path) = place();
    let mut state = open(&path);
    verify(&mut state, &[("a", 1, 10), ("b", 2, 20)], 100);
    let begun = |name: &str, first| Begun {
        path: name.as_bytes().into(),
        of: Content { digests: Box::default(), ..content(0, 10) },
        read: Box::from(&b"states"[..]),
        first,
    };
    let (a, b) = (begun("a", None), begun("b", Some((content(3, 20), true))));
    for _ in 0..2 {
        [&a, &b].iter().for_each(|begun| state.keep_begun(begun).unwrap());
    }
    state.commit().unwrap();
    drop(state);
    let mut state = open(&path);
    assert_eq!([b"a", b"b", b"c"].map(|path| state.begun(path).unwrap()), [Some(a), Some(b), None]);
    state.begin(200, 0).unwrap();
    find(&mut state, "a", Verdict::Rot, 200);
    let b = state.find(b"b").unwrap().unwrap();
    state.forget(&b).unwrap();
    state.commit().unwrap();
    drop(state);
    let state = open(&path);
    assert_eq!([b"a", b"b"].map(|path| state.begun(path).unwrap()), [None, None]);
}
