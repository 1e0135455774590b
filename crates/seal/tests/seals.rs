//! Seals, proofs and redacted manifests: what is true verifies, and not one bit of them can change unnoticed.

use hashloom_digest::{Digest, find};
use hashloom_manifest::format::{Hint, Layout, find_format, open};
use hashloom_manifest::{Label, Named, Piece, Record, Status, Time};
use hashloom_seal::proof::{Proof, prove};
use hashloom_seal::{Error, How, Seal, Secret, build, diff, leaf, redact, seal};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io::Read;
use std::sync::Arc;

fn named(name: &str, byte: u8) -> Named {
    let algorithm = find(name).unwrap();
    Named { algorithm, digest: Digest::new(&vec![byte; algorithm.bits as usize / 8]), guessed: false }
}

fn record(path: &[u8]) -> Record {
    Record {
        path: path.into(),
        size: Some(path.len() as u64),
        status: Status::Hashed,
        reason: None,
        piece: None,
        mtime: None,
        digests: vec![named("md5", path[0]), named("sha256", path[0])],
        likeness: Vec::new(),
        bad_blocks: Box::default(),
        label: None,
    }
}

fn manifest(format: &str, records: &[Record]) -> Vec<u8> {
    let algorithms = vec![find("md5").unwrap(), find("sha256").unwrap()];
    let layout =
        Layout { algorithms, pieces: true, times: true, bad_blocks: true, labels: true, ..Layout::default() };
    let mut writer = find_format(format).unwrap().writer.unwrap()(layout);
    let mut out = Vec::new();
    writer.begin(&mut out).unwrap();
    records.iter().for_each(|record| writer.record(record, &mut out).unwrap());
    writer.end(&mut out).unwrap();
    out
}

fn input(bytes: &[u8]) -> Box<dyn Read + '_> {
    Box::new(bytes)
}

fn example() -> Vec<u8> {
    let odd = Record {
        mtime: Some(Time { seconds: -5, nanoseconds: 7 }),
        bad_blocks: [Piece { offset: 1, length: 2 }].into(),
        label: Some(Arc::new(Label { category: "bad".into(), set: "list".into() })),
        ..record(b"odd \xff\n")
    };
    let piece = Record { piece: Some(Piece { offset: 0, length: 4 }), ..record(b"piece") };
    let failed = Record { status: Status::Unreadable, digests: Vec::new(), size: None, ..record(b"lost") };
    manifest("jsonl", &[record(b"a"), odd, piece, failed, record(b"b"), record(b"c"), record(b"d")])
}

#[test]
fn a_leaf_s_bytes_are_those_that_are_documented() {
    let mut found = Vec::new();
    leaf::message(&Record { digests: vec![named("md5", 7)], ..record(b"ab") }, None, &mut found);
    let mut wanted = vec![0, 0];
    wanted.extend([1, 0, 0, 0, 2, b'a', b'b']);
    wanted.extend([2, 0, 0, 0, 1, 0]);
    wanted.extend([3, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 2]);
    wanted.extend([6, 0, 0, 0, 20, 3, b'm', b'd', b'5']);
    wanted.extend([7; 16]);
    assert_eq!(found, wanted);
    // The root of one record is its leaf.
    let one = manifest("jsonl", &[Record { digests: vec![named("md5", 7)], ..record(b"ab") }]);
    let root = hashloom_digest::hash(find("sha256").unwrap(), &wanted);
    assert_eq!(seal(input(&one), &How::default()).unwrap().root.0, root);
}

#[test]
fn all_that_a_record_says_is_in_its_leaf() {
    let base = record(b"a");
    let label =
        |category: &str, set: &str| Some(Arc::new(Label { category: category.into(), set: set.into() }));
    let piece = |offset, length| Some(Piece { offset, length });
    let time = |seconds, nanoseconds| Some(Time { seconds, nanoseconds });
    let variants = [
        base.clone(),
        Record { path: (*b"b").into(), ..base.clone() },
        Record { size: None, ..base.clone() },
        Record { size: Some(2), ..base.clone() },
        Record { status: Status::Changed, ..base.clone() },
        Record { status: Status::Unreadable, ..base.clone() },
        Record { status: Status::Skipped, ..base.clone() },
        Record { piece: piece(0, 1), ..base.clone() },
        Record { piece: piece(1, 0), ..base.clone() },
        Record { mtime: time(0, 0), ..base.clone() },
        Record { mtime: time(-1, 0), ..base.clone() },
        Record { mtime: time(0, 1), ..base.clone() },
        Record { digests: vec![named("md5", 1)], ..base.clone() },
        Record { digests: vec![named("md5", 2)], ..base.clone() },
        Record { digests: vec![Named { guessed: true, ..named("md5", 2) }], ..base.clone() },
        Record { digests: vec![named("sha256", 2)], ..base.clone() },
        Record { digests: vec![named("sha256", 2), named("md5", 2)], ..base.clone() },
        Record { digests: vec![named("md5", 2), named("sha256", 2)], ..base.clone() },
        Record { bad_blocks: [Piece { offset: 0, length: 1 }].into(), ..base.clone() },
        Record { label: label("a", ""), ..base.clone() },
        Record { label: label("a", "b"), ..base.clone() },
        Record { label: label("ab", ""), ..base },
    ];
    let mut leaves: Vec<Vec<u8>> = Vec::new();
    for record in &variants {
        let mut bytes = Vec::new();
        leaf::message(record, None, &mut bytes);
        assert!(!leaves.contains(&bytes), "{record:?}");
        leaves.push(bytes);
    }
}

#[test]
fn no_byte_of_a_seal_or_its_manifest_can_change() {
    for format in ["hashdeep", "sums", "bsd", "jsonl", "csv", "dfxml"] {
        let manifest = manifest(format, &[record(b"a"), record(b"b"), record(b"c")]);
        let right = seal(input(&manifest), &How::default()).unwrap();
        let text = right.to_text().unwrap();
        assert_eq!(Seal::read(&mut &text[..]).unwrap(), right);
        each_flip(&text, |text| {
            let seal = Seal::read(&mut &text[..]).ok();
            assert!(seal.is_none_or(|seal| seal.check(&right).is_err()), "{}", text.escape_ascii());
        });
        each_flip(&manifest, |manifest| {
            let found = seal(input(manifest), &How::default());
            assert!(found.is_err() || right.check(&found.unwrap()).is_err(), "{}", manifest.escape_ascii());
        });
    }
}

/// With each bit changed in turn, and with each byte cut off.
fn each_flip(bytes: &[u8], check: impl Fn(&[u8])) {
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.to_vec();
            changed[at] ^= 1 << bit;
            check(&changed);
        }
        check(&bytes[..at]);
    }
    check(&[bytes, b"\n"].concat());
}

#[test]
fn no_byte_of_a_proof_can_change() {
    let manifest = example();
    let secret = Secret::from_text(&[b'7'; 64]).unwrap();
    for secret in [None, Some(&secret)] {
        let how = How { secret, ..How::default() };
        let mut wants = |record: &Record| [&b"odd \xff\n"[..], b"d", b"lost"].contains(&&*record.path);
        let (seal, proof) = prove(input(&manifest), &how, &mut wants).unwrap();
        assert_eq!(proof.proven.iter().map(|proven| proven.index).collect::<Vec<_>>(), [1, 3, 6]);
        proof.verify().unwrap();
        proof.verify_seal(&seal).unwrap();
        let text = proof.to_text().unwrap();
        assert_eq!(Proof::read(&mut &text[..]).unwrap(), proof);
        let holds = |text: &[u8]| {
            let proof = Proof::read(&mut &text[..]).ok();
            proof.filter(|proof| proof.verify_seal(&seal).and_then(|()| proof.verify()).is_ok())
        };
        each_flip(&text, |text| {
            // Cut behind a whole entry it still proves the others.
            let found = holds(text);
            let fewer = |found: Proof| found.proven.iter().all(|one| proof.proven.contains(one));
            let cut = proof.to_text().unwrap().starts_with(text);
            assert!(found.is_none_or(|found| cut && fewer(found)), "{}", text.escape_ascii());
        });
    }
}

#[test]
fn no_byte_of_a_redacted_manifest_can_change() {
    let manifest = example();
    let secret = Secret::from_text(&[b'7'; 64]).unwrap();
    for secret in [None, Some(&secret)] {
        let seal = seal(input(&manifest), &How { secret, ..How::default() }).unwrap();
        let mut text = Vec::new();
        let mut hides = |record: &Record| [&b"a"[..], b"c", b"lost"].contains(&&*record.path);
        let counts = redact::redact(input(&manifest), (&seal, secret), &mut hides, &mut text).unwrap();
        assert_eq!(counts, redact::Counts { shown: 4, hidden: 3 });
        assert!(text.starts_with(redact::START));
        let mut shown = Vec::new();
        let verified = redact::verify(input(&text), &mut |record| shown.push(record.path)).unwrap();
        verified.verify_seal(&seal).unwrap();
        assert_eq!(shown, [&b"odd \xff\n"[..], b"piece", b"b", b"d"].map(Box::from));
        each_flip(&text, |text| {
            let found = redact::verify(input(text), &mut |_| ()).and_then(|found| found.verify_seal(&seal));
            // The last line needs no end.
            assert!(found.is_err() || text.last() == Some(&b'}'), "{}", text.escape_ascii());
        });
        let other = manifest_of(b"x");
        let refused = redact::redact(input(&other), (&seal, secret), &mut hides, &mut Vec::new());
        assert!(refused.unwrap_err().is_difference());
    }
}

fn manifest_of(path: &[u8]) -> Vec<u8> {
    manifest("jsonl", &[record(path)])
}

#[test]
fn hashes_of_other_lengths_can_t_move_bytes_between_neighbours() {
    let manifest = manifest("jsonl", &[record(b"a"), record(b"b")]);
    let seal = seal(input(&manifest), &How::default()).unwrap();
    let mut text = Vec::new();
    redact::redact(input(&manifest), (&seal, None), &mut |_| true, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (first, second) = text.split_once("\"}\n{\"hidden\":\"").unwrap();
    let moved = format!("{first}{}\"}}\n{{\"hidden\":\"{}", &second[..2], &second[2..]);
    let error = redact::verify(input(moved.as_bytes()), &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("another length"), "{error}");
}

#[test]
fn salts_hide_what_could_be_guessed_and_need_their_secret() {
    let manifest = manifest("jsonl", &[record(b"a"), record(b"b")]);
    let one = Secret::random().unwrap();
    let other = Secret::random().unwrap();
    let root = |secret| seal(input(&manifest), &How { secret, ..How::default() }).unwrap().root;
    assert!(root(None) != root(Some(&one)) && root(Some(&one)) != root(Some(&other)));
    assert_eq!(Secret::from_text(one.to_text().as_bytes()).unwrap(), one);
    let sealed = seal(input(&manifest), &How { secret: Some(&one), ..How::default() }).unwrap();
    assert!(matches!(sealed.how(None), Err(Error::Secret(_))));
    let mut text = Vec::new();
    let hides = &mut |record: &Record| &*record.path == b"a";
    redact::redact(input(&manifest), (&sealed, Some(&one)), hides, &mut text).unwrap();
    let mut guess = Vec::new();
    leaf::message(&record(b"a"), None, &mut guess);
    let guess = hashloom_digest::hash(find("sha256").unwrap(), &guess).to_string();
    assert!(!String::from_utf8(text).unwrap().contains(&guess));
}

#[test]
fn what_can_t_be_read_can_t_be_sealed() {
    let lines = b"900150983cd24fb0d6963f7d28e17f72  a\nbroken\n";
    assert!(matches!(seal(input(lines), &How::default()), Err(Error::Malformed(_))));
    assert!(matches!(seal(input(b""), &How::default()), Err(Error::Unusable(_))));
    assert!(How::by("sha1").is_err() && How::by("crc32").is_err() && How::by("blake2b-256").is_ok());
    struct Fails;
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("broken"))
        }
    }
    assert!(seal(Box::new((&lines[..36]).chain(Fails)), &How::default()).is_err());
}

#[test]
fn many_records_cross_every_batch() {
    for count in [1023, 1024, 1025, 2500] {
        let records: Vec<Record> = (0..count).map(|number| record(format!("{number}").as_bytes())).collect();
        let manifest = manifest("hashdeep", &records);
        let built = build(input(&manifest), &How::default(), &mut |index, _| index % 100 == 99).unwrap();
        assert_eq!(built.seal.records, count);
        assert_eq!(built.tracked.len() as u64, count / 100);
        let (seal, proof) =
            prove(input(&manifest), &How::default(), &mut |record| record.path.ends_with(b"77")).unwrap();
        assert_eq!(seal, built.seal);
        proof.verify().unwrap();
    }
}

type Counted = std::collections::BTreeMap<Vec<u8>, usize>;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn differences_are_those_of_multisets(one in vec(0..12_u8, 1..20), two in vec(0..12_u8, 1..20)) {
        let records = |numbers: &[u8]| numbers.iter().map(|number| record(&[b'a' + number])).collect::<Vec<_>>();
        let (first, second) = (manifest("jsonl", &records(&one)), manifest("jsonl", &records(&two)));
        let mut found: [Counted; 2] = Default::default();
        let again = |bytes: &[u8]| -> Result<Box<dyn Read>, Error> { Ok(Box::new(std::io::Cursor::new(bytes.to_vec()))) };
        let number = diff::records(&|| again(&first), &|| again(&second), &How::default(), &mut |side, record| {
            *found[usize::from(side == diff::Side::Second)].entry(record.path.to_vec()).or_default() += 1;
            Ok(())
        }).unwrap();
        let count = |numbers: &[u8], path: &[u8]| numbers.iter().filter(|number| [b'a' + **number] == path).count();
        for letter in b'a'..b'a' + 12 {
            let (a, b) = (count(&one, &[letter]), count(&two, &[letter]));
            let told = |side: usize| found[side].get(&[letter][..]).copied().unwrap_or(0);
            if one == two {
                prop_assert_eq!(told(0) + told(1), 0);
            } else {
                prop_assert_eq!((told(0), told(1)), (a.saturating_sub(b), b.saturating_sub(a)));
            }
        }
        prop_assert_eq!(number, found.iter().flat_map(|side| side.values()).sum::<usize>() as u64);
    }

    #[test]
    fn a_record_in_a_proof_is_the_record_of_the_manifest(paths in vec(vec(1..=255_u8, 1..20), 1..10)) {
        let records: Vec<Record> = paths.iter().map(|path| record(path)).collect();
        for format in ["hashdeep", "sums", "jsonl", "csv"] {
            let manifest = manifest(format, &records);
            let read = open(input(&manifest), Hint::None).unwrap().reader;
            let read: Vec<Record> = read.map(Result::unwrap).collect();
            let (_, proof) = prove(input(&manifest), &How::default(), &mut |_| true).unwrap();
            let again = Proof::read(&mut &proof.to_text().unwrap()[..]).unwrap();
            again.verify().unwrap();
            prop_assert!(again.proven.iter().map(|proven| &proven.record).eq(&read));
        }
    }
}

/// What another implementation, written from docs/seal-format.md alone, made of five records.
fn stored(name: &str) -> Vec<u8> {
    let path = format!("{}/../../fuzz/corpus/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn another_implementation_makes_the_same_bytes() {
    let manifest = stored("jsonl/five");
    let secret: String = (0..32_u8).map(|byte| format!("{byte:02x}")).collect();
    let secret = Secret::from_text(secret.as_bytes()).unwrap();
    for (kind, secret) in [("plain", None), ("salted", Some(&secret))] {
        let how = How { secret, ..How::default() };
        let mut wants = |record: &Record| [&b"b/c"[..], b"last"].contains(&&*record.path);
        let (sealed, proof) = prove(input(&manifest), &how, &mut wants).unwrap();
        assert_eq!(sealed.to_text().unwrap(), stored(&format!("seal/{kind}")));
        assert_eq!(proof.to_text().unwrap(), stored(&format!("proof/{kind}")));
        let (mut text, mut index) = (Vec::new(), 0);
        let mut odd = |_: &Record| {
            index += 1;
            index % 2 == 0
        };
        redact::redact(input(&manifest), (&sealed, secret), &mut odd, &mut text).unwrap();
        assert_eq!(text, stored(&format!("redacted/{kind}")));
    }
}
