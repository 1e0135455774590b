//! The audit's categories, and the matching of paths.

use hashmill_digest::{Algorithm, find, hash, of_bits};
use hashmill_manifest::audit::{
    Audit, Category, Counts, Incomparable, Known, Learner, LineOutcome, Places, Root, Verdict,
};
use hashmill_manifest::format::{Hint, open};
use hashmill_manifest::{Named, Piece, Record, Status};
use proptest::prelude::*;

fn md5() -> &'static Algorithm {
    find("md5").unwrap()
}

fn sha256() -> &'static Algorithm {
    find("sha256").unwrap()
}

/// Creates a record of a file with this content.
fn file_by(algorithms: &[&'static Algorithm], path: &str, content: &str) -> Record {
    let digest = |algorithm: &&'static Algorithm| Named {
        algorithm,
        digest: hash(algorithm, content.as_bytes()),
        guessed: false,
    };
    Record {
        path: path.as_bytes().into(),
        size: Some(content.len() as u64),
        status: Status::Hashed,
        reason: None,
        version: None,
        piece: None,
        mtime: None,
        metadata: None,
        digests: algorithms.iter().map(digest).collect(),
        likeness: Vec::new(),
        facts: None,
        leaves: Box::default(),
        bad_blocks: Box::default(),
        label: None,
    }
}

fn file(path: &str, content: &str) -> Record {
    file_by(&[md5(), sha256()], path, content)
}

fn piece(path: &str, offset: u64, content: &str) -> Record {
    let length = content.len() as u64;
    Record { piece: Some(Piece { offset, length }), ..file(path, content) }
}

fn unread(path: &str, status: Status) -> Record {
    Record { status, size: None, digests: Vec::new(), ..file(path, "") }
}

fn known(records: &[Record]) -> Known {
    let mut known = Known::new();
    for record in records {
        known.add(record).unwrap();
    }
    known
}

/// Returns `category path known_path` of every verdict, and the counts.
fn audit_at(places: Places, known: Known, observed: &[Record]) -> (Vec<String>, Counts) {
    let mut audit = Audit::new(known, places, &[md5(), sha256()]);
    let mut verdicts: Vec<Verdict> = Vec::new();
    for record in observed {
        verdicts.extend(audit.observe(record).unwrap());
    }
    let mut finish = audit.finish();
    verdicts.extend(&mut finish);
    let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    let line = |verdict: &Verdict| {
        let known = verdict.known_path.as_ref().map_or("-".to_string(), |path| text(path));
        let offset = verdict.piece.map_or(String::new(), |piece| format!("@{}", piece.offset));
        format!("{} {}{offset} {known}", verdict.category.word(), text(&verdict.path))
    };
    let counts = finish.counts();
    let total: u64 = Category::ALL.iter().map(|category| counts.count(*category)).sum();
    assert_eq!(total, verdicts.len() as u64);
    (verdicts.iter().map(line).collect(), counts)
}

fn audit(manifest: &[Record], observed: &[Record]) -> Vec<String> {
    audit_at(Places::default(), known(manifest), observed).0
}

#[test]
fn each_category_is_told() {
    let manifest = [file("a", "1"), file("b", "2"), file("c", "3"), file("d", "4"), file("e", "5")];
    let observed = [
        file("a", "1"),
        file("b", "two"),
        file("b2", "1"),
        file("c2", "3"),
        unread("d", Status::Changed),
        file("new", "?"),
    ];
    let (verdicts, counts) = audit_at(Places::default(), known(&manifest), &observed);
    let expected = [
        "matched a a",
        "changed b b",
        "unreadable d d",
        "new new -",
        "copied b2 a",
        "moved c2 c",
        "missing e e",
    ];
    assert_eq!(verdicts, expected);
    assert!(!counts.passed());
    assert!(audit_at(Places::default(), known(&manifest[..1]), &observed[..1]).1.passed());
}

#[test]
fn a_gone_path_is_taken_once_and_by_the_first_in_path_order() {
    let manifest = [file("a", "same"), file("b", "same"), file("c", "same")];
    let observed = [file("z", "same"), file("y", "same"), file("b", "same"), file("x", "same")];
    let expected = ["matched b b", "moved x a", "moved y c", "copied z a"];
    assert_eq!(audit(&manifest, &observed), expected);
}

#[test]
fn swapped_and_overwritten_files_are_changed() {
    let manifest = [file("a", "1"), file("b", "2")];
    assert_eq!(audit(&manifest, &[file("a", "2"), file("b", "1")]), ["changed a a", "changed b b"]);
    assert_eq!(audit(&manifest, &[file("b", "1")]), ["changed b b", "missing a a"]);
}

#[test]
fn what_can_not_be_read_is_never_missing_and_never_matched() {
    let manifest = [file("a", "1")];
    assert_eq!(audit(&manifest, &[unread("a", Status::Unreadable)]), ["unreadable a a"]);
    assert_eq!(audit(&manifest, &[unread("b", Status::Unreadable)]), ["unreadable b -", "missing a a"]);
    assert_eq!(audit(&manifest, &[unread("a", Status::Skipped)]), ["missing a a"]);
}

#[test]
fn a_filtered_path_can_be_left_out() {
    let mut audit = Audit::new(known(&[file("./a", "1")]), Places::default(), &[md5()]);
    audit.leave_out(b"a");
    assert_eq!(audit.finish().next(), None);
}

#[test]
fn sizes_count_even_where_digests_agree() {
    let liar = Record { size: Some(9), ..file("a", "1") };
    assert_eq!(audit(&[file("a", "1")], std::slice::from_ref(&liar)), ["changed a a"]);
    let unknown = Record { size: None, ..file("a", "1") };
    assert_eq!(audit(&[unknown], &[file("a", "1")]), ["matched a a"]);
}

#[test]
fn all_digests_in_common_must_agree() {
    let mut forged = file("a", "1");
    forged.digests[1].digest = hash(sha256(), b"other");
    assert_eq!(audit(&[file("a", "1")], std::slice::from_ref(&forged)), ["changed a a"]);
    // The MD5 of known content is not enough for a moved file, either.
    forged.path = b"b".as_slice().into();
    assert_eq!(audit(&[file("a", "1")], &[forged]), ["new b -", "missing a a"]);
}

#[test]
fn manifests_with_other_algorithms_join() {
    let mut known = known(&[file_by(&[md5()], "a", "1"), file_by(&[md5()], "b", "2")]);
    known.next_manifest();
    for record in [file_by(&[sha256()], "./a", "1"), file_by(&[sha256()], "c", "3")] {
        known.add(&record).unwrap();
    }
    assert_eq!(known.algorithms(), [md5(), sha256()]);
    let observed = [file("a", "1"), file("b", "2"), file("c", "changed")];
    let verdicts = audit_at(Places::default(), known, &observed).0;
    assert_eq!(verdicts, ["matched a a", "matched b b", "changed c c"]);
}

#[test]
fn a_path_of_two_manifests_is_missing_or_moved_once() {
    let two = || {
        let mut known = known(&[file_by(&[md5()], "a", "1")]);
        known.next_manifest();
        known.add(&file_by(&[sha256()], "./a", "1")).unwrap();
        known
    };
    assert_eq!(audit_at(Places::default(), two(), &[]).0, ["missing a a"]);
    assert_eq!(audit_at(Places::default(), two(), &[file("b", "1")]).0, ["moved b a"]);
    let paths: Vec<_> = two().local_paths().collect();
    assert_eq!(paths, [b"a"]);
}

#[test]
fn manifests_that_contradict_each_other_match_nothing() {
    let manifest = [file("a", "1"), file("a", "2")];
    assert_eq!(audit(&manifest, &[file("a", "1")]), ["changed a a"]);
    assert_eq!(audit(&manifest, &[file("a", "2")]), ["changed a a"]);
}

#[test]
fn files_of_equal_checksums_come_from_those_of_their_size() {
    let sized = |path: &str, size| Record { size, ..file(path, "1") };
    // All have one checksum, as files may by a short one. Some sizes are unknown.
    let manifest = [sized("a", Some(5)), sized("b", None), sized("c", Some(7)), sized("d", Some(7))];
    let from = |observed: &[Record]| audit(&manifest, observed);
    // `b` may have any size, and comes before `c`.
    assert_eq!(from(&[sized("x", Some(7))])[0], "moved x b");
    let twice = [sized("b", None), sized("x", Some(7)), sized("y", Some(7)), sized("z", Some(7))];
    assert_eq!(from(&twice)[1..5], ["moved x c", "moved y d", "copied z b", "missing a a"]);
    let all = [sized("a", Some(5)), sized("b", None), sized("c", Some(7)), sized("d", Some(7))];
    let with = |path, size| [&all[..], &[sized(path, size)]].concat();
    assert_eq!(from(&with("x", Some(7)))[4], "copied x b");
    assert_eq!(from(&with("x", Some(9)))[4], "copied x b");
    assert_eq!(from(&with("x", None))[4], "copied x a");
    let gone = [sized("a", Some(5)), sized("b", None), sized("d", Some(7)), sized("x", Some(5))];
    assert_eq!(from(&gone)[3..], ["copied x a", "missing c c"]);
    let unknown = [sized("a", Some(5)), sized("b", None), sized("d", Some(7)), sized("x", None)];
    assert_eq!(from(&unknown)[3..], ["moved x c"]);
}

#[test]
fn what_is_stated_twice_is_kept_once() {
    let unsized_ = Record { size: None, ..file("a", "1") };
    let twice = [file("a", "1"), unsized_.clone(), file("a", "1"), unsized_, file("b", "2")];
    let manifest = known(&twice);
    assert_eq!(manifest.len(), 3);
    // Another manifest has statements of its own.
    let mut two = known(&[file("a", "1")]);
    two.next_manifest();
    two.add(&file("a", "1")).unwrap();
    assert_eq!(two.len(), 2);
    let pieces = [piece("a", 0, "11"), piece("a", 2, "11"), piece("a", 0, "11"), piece("a", 0, "12")];
    assert_eq!(known(&pieces).len(), 3);
    assert_eq!(audit(&twice, &[file("a", "1"), file("c", "2")])[1..], ["moved c b"]);
}

#[test]
fn a_path_of_too_many_statements_is_nobodys_origin() {
    let spelled = |number: usize| file_by(&[md5()], &("./".repeat(number) + "a"), "1");
    let many: Vec<Record> = (0..300).map(spelled).collect();
    assert_eq!(audit(&many, &[file_by(&[md5()], "b", "1")])[0], "new b -");
    assert_eq!(audit(&many[..200], &[file_by(&[md5()], "b", "1")])[0], "moved b a");
}

#[test]
fn nothing_in_common_is_an_error_and_not_missing() {
    let mut audit = Audit::new(known(&[file_by(&[md5()], "a", "1")]), Places::default(), &[sha256()]);
    let error = audit.observe(&file_by(&[sha256()], "a", "1")).unwrap_err();
    assert_eq!(error.to_string(), "a: no algorithm in common with the manifest");
    let mut finish = audit.finish();
    assert_eq!(finish.next(), None);
    assert_eq!(finish.counts(), Counts::default());
}

#[test]
fn pieces_are_compared_by_path_and_offset() {
    let manifest = [piece("a", 0, "1111"), piece("a", 4, "1111"), piece("a", 8, "22"), piece("b", 0, "33")];
    let observed = [piece("a", 0, "1111"), piece("a", 4, "xxxx"), piece("a", 8, "2"), piece("c", 0, "33")];
    let expected = ["matched a@0 a", "changed a@4 a", "changed a@8 a", "moved c@0 b"];
    assert_eq!(audit(&manifest, &observed), expected);
    // Whole files are not judged against a manifest of pieces, nor pieces against one of whole files.
    let expected = ["missing a@0 a", "missing a@4 a", "missing a@8 a", "missing b@0 b"];
    assert_eq!(audit(&manifest, &[file("a", "1111111122")]), expected);
    assert_eq!(audit(&[file("a", "11")], &[file("a", "11"), piece("a", 0, "11")]), ["matched a a"]);
    assert_eq!(known(&manifest).piece_length(), Some(4));
    // Pieces of a file that is listed as a whole are not new; those behind the listed ones are.
    let manifest = [piece("a", 0, "1111"), file("b", "11112")];
    let observed = [
        piece("a", 0, "1111"),
        piece("a", 4, "2"),
        piece("b", 0, "1111"),
        piece("b", 4, "2"),
        file("b", "11112"),
    ];
    assert_eq!(audit(&manifest, &observed), ["matched a@0 a", "new a@4 -", "matched b b"]);
    assert_eq!(known(&manifest).local_paths().collect::<Vec<_>>(), [b"a", b"b"]);
}

#[test]
fn spellings_of_a_path_belong_together() {
    for spelling in ["./d/a", "d//a", "d/./a", "d/a"] {
        assert_eq!(audit(&[file(spelling, "1")], &[file("d/a", "1")]), [format!("matched d/a {spelling}")]);
        assert_eq!(audit(&[file("d/a", "1")], &[file(spelling, "1")]), [format!("matched {spelling} d/a")]);
    }
    assert_eq!(audit(&[file("d/A", "1")], &[file("d/a", "1")]), ["moved d/a d/A"]);
}

#[test]
fn relative_and_absolute_paths_belong_together() {
    let places = || Places { working: Some(b"/home/u".as_slice().into()), ..Places::default() };
    for (there, here) in
        [("/home/u/d/a", "d/a"), ("d/a", "/home/u/d/a"), ("../v/a", "/home/v/a"), ("/home/v/a", "../v/a")]
    {
        let verdicts = audit_at(places(), known(&[file(there, "1")]), &[file(here, "1")]).0;
        assert_eq!(verdicts, [format!("matched {here} {there}")]);
    }
}

#[test]
fn another_root_belongs_to_the_operand() {
    let root = Root { known: b"photos".as_slice().into(), local: b"/backup/photos/".as_slice().into() };
    let places = Places { working: None, roots: vec![root], ..Places::default() };
    let manifest = [file("photos/a", "1"), file("photos/b", "2")];
    let observed = [file("/backup/photos/a", "1"), file("/backup/photos/c", "2")];
    let verdicts = audit_at(places, known(&manifest), &observed).0;
    assert_eq!(verdicts, ["matched /backup/photos/a photos/a", "moved /backup/photos/c photos/b"]);
}

#[test]
fn a_windows_manifest_belongs_to_slashes() {
    let manifest = [file(".\\d\\a", "1"), file("d\\e\\b", "2")];
    let verdicts = audit(&manifest, &[file("d/a", "1"), file("d/e/b", "2")]);
    assert_eq!(verdicts, ["matched d/a .\\d\\a", "matched d/e/b d\\e\\b"]);
    assert_eq!(known(&manifest).local_paths().next().unwrap(), b"./d/a");
    // If any path has a slash, the manifest is not of Windows, and a backslash is part of a name.
    let manifest = [file("d\\a", "1"), file("x/y", "2")];
    let verdicts = audit(&manifest, &[file("d\\a", "1"), file("x/y", "2")]);
    assert_eq!(verdicts, ["matched d\\a d\\a", "matched x/y x/y"]);
    assert_eq!(audit(&manifest, &[file("d/a", "1"), file("x/y", "2")])[1], "moved d/a d\\a");
    // A file with a backslash in its name is found by its exact name.
    assert_eq!(audit(&[file("d\\a", "1")], &[file("d\\a", "1")]), ["matched d\\a d\\a"]);
}

#[test]
fn guesses_are_learnt() {
    let text =
        format!("{}  a\n{}  b\n", hash(find("blake3").unwrap(), b"1"), hash(find("blake3").unwrap(), b"2"));
    let lines: Vec<Record> =
        open(Box::new(text.as_bytes()), Hint::None).unwrap().reader.map(Result::unwrap).collect();
    let mut learner = Learner::default();
    let candidates = learner.candidates(&lines[0]);
    assert!(candidates.len() > 3 && candidates.contains(&sha256()));
    assert_eq!(learner.compare(&lines[0], &file_by(&candidates, "a", "wrong")), LineOutcome::Different);
    learner.learn(&lines[0], &file_by(&candidates, "a", "wrong"));
    assert_eq!(learner.learnt(256, 0), None);
    // A digest that fits some algorithm fits, whatever is learnt later.
    assert_eq!(learner.compare(&lines[0], &file_by(&candidates, "a", "1")), LineOutcome::Same);
    learner.learn(&lines[0], &file_by(&candidates, "a", "1"));
    let blake3 = find("blake3").unwrap();
    assert_eq!(learner.candidates(&lines[1]), [blake3]);
    assert_eq!(learner.compare(&lines[1], &file_by(&[blake3], "b", "2")), LineOutcome::Same);
    assert_eq!(learner.compare(&lines[1], &file_by(&[md5()], "b", "2")), LineOutcome::Apart);

    let mut known = known(&lines);
    assert_eq!(known.algorithms(), candidates);
    known.settle(0, &learner);
    assert_eq!(known.algorithms(), [blake3]);
    let mut audit = Audit::new(known, Places::default(), &[blake3]);
    let verdict = audit.observe(&file_by(&[blake3], "b", "2")).unwrap().unwrap();
    assert_eq!(verdict.category, Category::Matched);
}

/// Creates a record with unnamed digests by these algorithms.
fn unnamed(path: &str, content: &str, names: &[&str]) -> Record {
    let named = |name: &&str| {
        let digest = hash(find(name).unwrap(), content.as_bytes());
        Named { algorithm: of_bits(digest.bits()).next().unwrap(), digest, guessed: true }
    };
    Record { digests: names.iter().map(named).collect(), ..file(path, content) }
}

#[test]
fn every_digest_of_a_line_must_match() {
    let both = [md5(), sha256()];
    let mut forged = unnamed("a", "abc", &["md5", "sha256"]);
    forged.digests[1].digest = hash(sha256(), b"other");
    let mut learner = Learner::default();
    // It is not known yet whether the second is wrong or of another algorithm.
    assert_eq!(learner.compare(&forged, &file_by(&both, "a", "abc")), LineOutcome::Partly);
    let candidates = learner.candidates(&forged);
    learner.learn(&unnamed("b", "b", &["md5", "sha256"]), &file_by(&candidates, "b", "b"));
    assert_eq!(learner.compare(&forged, &file_by(&candidates, "a", "abc")), LineOutcome::Different);
}

#[test]
fn an_algorithm_that_is_not_guessed_makes_a_line_partly_verified() {
    let line = unnamed("a", "abc", &["md5", "md4"]);
    let mut learner = Learner::default();
    let observed = file_by(&learner.candidates(&line), "a", "abc");
    learner.learn(&line, &observed);
    assert_eq!(learner.learnt(128, 1), None);
    assert_eq!(learner.compare(&line, &observed), LineOutcome::Partly);
    let changed = file_by(&learner.candidates(&line), "a", "abd");
    assert_eq!(learner.compare(&line, &changed), LineOutcome::Different);
    let mut known = known(&[line]);
    known.settle(0, &learner);
    let algorithms = known.algorithms();
    let unjudged = Audit::new(known, Places::default(), &algorithms).observe(&observed).unwrap_err();
    assert_eq!(unjudged.why, Incomparable::Partly);
}

#[test]
fn checksums_are_never_guessed() {
    for name in ["crc32", "crc32c", "xxh64", "adler32"] {
        let line = unnamed("a", "abc", &[name]);
        let learner = Learner::default();
        assert!(learner.candidates(&line).is_empty());
        let observed = file_by(&[find(name).unwrap()], "a", "abc");
        assert_eq!(learner.compare(&line, &observed), LineOutcome::Unnamed);
        let known = known(&[line]);
        let unjudged = Audit::new(known, Places::default(), &[]).observe(&observed).unwrap_err();
        assert_eq!(unjudged.why, Incomparable::Unnamed);
    }
    // Digests that are easy to forge never match an unnamed one.
    for name in ["xxh128", "md4", "hidrive", "s3-etag", "dropbox", "quickxor", "sha256tree"] {
        let content = "x".repeat(100_000);
        let line = unnamed("a", &content, &[name]);
        let mut learner = Learner::default();
        let mut all = learner.candidates(&line);
        all.push(find(name).unwrap());
        let observed = file_by(&all, "a", &content);
        learner.learn(&line, &observed);
        assert_eq!(learner.compare(&line, &observed), LineOutcome::Different, "{name}");
    }
}

#[test]
fn empty_files_teach_nothing_and_match_by_any_algorithm() {
    let mut learner = Learner::default();
    for name in ["sha256", "blake3", "dropbox"] {
        let line = unnamed("empty", "", &[name]);
        let observed = file_by(&learner.candidates(&line), "empty", "");
        learner.learn(&line, &observed);
        assert_eq!(learner.learnt(256, 0), None);
        assert_eq!(learner.compare(&line, &observed), LineOutcome::Same, "{name}");
    }
    let line = unnamed("a", "abc", &["blake3"]);
    learner.learn(&line, &file_by(&learner.candidates(&line), "a", "abc"));
    let observed = file_by(&[find("blake3").unwrap()], "empty", "");
    assert_eq!(learner.compare(&unnamed("empty", "", &["sha256"]), &observed), LineOutcome::Same);
    assert_eq!(learner.compare(&unnamed("empty", "abc", &["sha256"]), &observed), LineOutcome::Different);
}

#[test]
fn each_manifest_is_learnt_by_itself() {
    let mut known = Known::new();
    for name in ["sha256", "blake3"] {
        known.next_manifest();
        known.add(&unnamed(name, "abc", &[name])).unwrap();
    }
    for (number, name) in ["sha256", "blake3"].into_iter().enumerate() {
        let line = unnamed(name, "abc", &[name]);
        let mut learner = Learner::default();
        learner.learn(&line, &file_by(&learner.candidates(&line), name, "abc"));
        known.settle(number, &learner);
    }
    let algorithms = known.algorithms();
    assert_eq!(algorithms.len(), 2);
    let mut audit = Audit::new(known, Places::default(), &algorithms);
    for name in ["sha256", "blake3"] {
        let verdict = audit.observe(&file_by(&algorithms, name, "abc")).unwrap().unwrap();
        assert_eq!(verdict.category, Category::Matched, "{name}");
    }
}

/// A simple reference for whole files of one manifest: lists of (path, content) with unique paths.
fn reference(manifest: &[(String, String)], observed: &[(String, String)]) -> Vec<String> {
    let content = |list: &[(String, String)], path: &str| {
        list.iter().find(|(known, _)| known == path).map(|(_, content)| content.clone())
    };
    let mut verdicts = Vec::new();
    let mut gone: Vec<&(String, String)> =
        manifest.iter().filter(|(path, _)| content(observed, path).is_none()).collect();
    let mut ordered: Vec<&(String, String)> = observed.iter().collect();
    ordered.sort();
    for (path, found) in ordered {
        let source = manifest.iter().find(|(_, known)| known == found);
        verdicts.push(match (content(manifest, path), source) {
            (Some(known), _) if known == *found => format!("matched {path} {path}"),
            (Some(_), _) => format!("changed {path} {path}"),
            (None, None) => format!("new {path} -"),
            (None, Some((source, _))) => match gone.iter().position(|(_, known)| known == found) {
                Some(at) => format!("moved {path} {}", gone.remove(at).0),
                None => format!("copied {path} {source}"),
            },
        });
    }
    verdicts.extend(gone.iter().map(|(path, _)| format!("missing {path} {path}")));
    verdicts.sort();
    verdicts
}

fn tree() -> impl Strategy<Value = Vec<(String, String)>> {
    let entry = ("[a-h]", "[0-3]");
    proptest::collection::vec(entry, 0..10).prop_map(|mut entries| {
        entries.sort();
        entries.dedup_by(|a, b| a.0 == b.0);
        entries
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: hashmill_testing::cases(2000) as u32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn verdicts_are_those_of_the_plain_reference((manifest, observed) in (tree(), tree())) {
        let records = |tree: &[(String, String)]| -> Vec<Record> {
            tree.iter().map(|(path, content)| file_by(&[md5()], path, content)).collect()
        };
        let mut verdicts = audit(&records(&manifest), &records(&observed));
        verdicts.sort();
        prop_assert_eq!(verdicts, reference(&manifest, &observed));
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn a_million_copies_of_one_content_take_no_square() {
    let mut known = Known::new();
    let copy = |path: String| file_by(&[md5()], &path, "");
    let mut record = copy(String::new());
    let many = 200_000;
    for index in 0..many {
        record.path = format!("old/{index}").into_bytes().into();
        known.add(&record).unwrap();
    }
    let mut audit = Audit::new(known, Places::default(), &[md5()]);
    for index in 0..many {
        record.path = format!("new/{index}").into_bytes().into();
        assert_eq!(audit.observe(&record).unwrap(), None);
    }
    let mut finish = audit.finish();
    assert_eq!((&mut finish).count(), many);
    assert_eq!(finish.counts().count(Category::Moved), many as u64);
}

#[test]
fn a_huge_file_in_pieces_takes_no_square() {
    let mut known = Known::new();
    let mut record = piece("image", 0, "x");
    for offset in 0..100_000 {
        record.piece = Some(Piece { offset, length: 1 });
        known.add(&record).unwrap();
    }
    assert_eq!(known.local_paths().count(), 1);
    let audit = Audit::new(known, Places::default(), &[md5(), sha256()]);
    assert_eq!(audit.finish().count(), 100_000);
}

#[test]
fn what_is_known_comes_out_again_each_path_once() {
    let mut all = Known::new();
    for manifest in
        [vec![file_by(&[md5()], "t/a", "1"), file("t/b", "2")], vec![file_by(&[sha256()], "./t/a", "1")]]
    {
        all.next_manifest();
        manifest.iter().for_each(|record| assert_eq!(all.add(record), Ok(true)));
    }
    all.add(&piece("t/b", 0, "x")).unwrap();
    let records: Vec<Record> = all.records().collect();
    let names = |record: &Record| {
        let algorithms: Vec<&str> = record.digests.iter().map(|named| named.algorithm.name).collect();
        (String::from_utf8_lossy(&record.path).into_owned(), record.piece.is_some(), algorithms.join(","))
    };
    let found: Vec<_> = records.iter().map(names).collect();
    assert_eq!((&*found[0].0, found[0].1, &*found[0].2), ("t/a", false, "md5,sha256"));
    assert_eq!(
        found[1..].iter().map(|(path, piece, _)| (&**path, *piece)).collect::<Vec<_>>(),
        [("t/b", false), ("t/b", true)]
    );
    assert_eq!(records[0].digest(md5()), Some(&hash(md5(), b"1")));
    assert!(all.names(b"t/b") && all.names(b"t//a") && !all.names(b"t"));
    // Judged separately, all of it matches.
    let mut audit = Audit::new(all, Places::default(), &[md5(), sha256()]);
    for record in &records {
        assert_eq!(audit.observe(record).unwrap().unwrap().category, Category::Matched);
    }
    assert_eq!(audit.finish().count(), 0);
}

#[test]
fn an_observed_record_that_contradicts_itself_is_changed() {
    let one = file_by(&[md5()], "a", "1");
    let mut both = one.clone();
    both.digests.extend(file_by(&[md5()], "a", "2").digests);
    assert!(audit(std::slice::from_ref(&one), std::slice::from_ref(&one))[0].contains("matched"));
    assert!(audit(&[one], &[both])[0].contains("changed"));
}

/// hashdeep lists a piece of an empty file; hashmill has none.
#[test]
fn the_piece_of_an_empty_file_is_compared_with_the_file() {
    let bare = |path: &str, content: &str| Record { digests: Vec::new(), ..file(path, content) };
    let pieces = [piece("a", 0, "1111"), piece("empty", 0, "")];
    assert_eq!(
        audit(&pieces, &[piece("a", 0, "1111"), bare("a", "1111"), bare("empty", "")]),
        ["matched a@0 a", "matched empty@0 empty"]
    );
    assert_eq!(
        audit(&pieces, &[piece("a", 0, "1111"), piece("empty", 0, "x")]),
        ["matched a@0 a", "changed empty@0 empty"]
    );
    assert_eq!(
        audit(&pieces, &[bare("a", ""), bare("empty", "")]),
        ["changed a@0 a", "matched empty@0 empty"]
    );
    assert_eq!(audit(&pieces[..1], &[piece("a", 0, "1111"), bare("b", "")]), ["matched a@0 a", "new b@0 -"]);
    // If the file itself is known, too, there is one verdict, and a wrong digest of the empty input counts.
    let both = [piece("empty", 0, ""), file("empty", "")];
    assert_eq!(audit(&both, &[file("empty", "")]), ["matched empty empty"]);
    let mut wrong = both.clone();
    wrong[0].digests[0].digest = hash(md5(), b"x");
    assert_eq!(audit(&wrong, &[file("empty", "")]), ["changed empty empty"]);
    assert_eq!(
        audit(&[file("empty", ""), piece("a", 0, "1")], &[file("empty", ""), piece("a", 0, "1")]),
        ["matched empty empty", "matched a@0 a"]
    );
}

/// Two digests of one length in a line are by two algorithms, each learnt by its position.
#[test]
fn digests_of_one_length_are_learnt_by_their_places() {
    let line = |content: &[u8]| {
        let digest = |name: &str| Named {
            algorithm: sha256(),
            digest: hash(find(name).unwrap(), content),
            guessed: true,
        };
        Record { digests: vec![digest("sha3-256"), digest("sha256")], ..file("a", "abc") }
    };
    let all = Learner::default().candidates(&line(b"abc"));
    let observed = file_by(&all, "a", "abc");
    let mut learner = Learner::default();
    learner.learn(&line(b"abc"), &observed);
    assert_eq!(learner.compare(&line(b"abc"), &observed), LineOutcome::Same);
    let candidates: Vec<&str> = learner.candidates(&line(b"abc")).iter().map(|row| row.name).collect();
    assert_eq!(candidates, ["sha3-256", "sha256"]);
    assert_eq!(learner.compare(&line(b"abd"), &observed), LineOutcome::Different);
    let mut swapped = line(b"abc");
    swapped.digests.reverse();
    assert_eq!(learner.compare(&swapped, &observed), LineOutcome::Different);
}
