//! Seals, proofs and redacted manifests: valid ones verify, and any changed bit is detected.

use hashmill_digest::{Digest, find};
use hashmill_facts::{
    Basis, Bits, ChiSquare, Class, ContentFacts, ContentType, Entropy, Meta, MetaValue, Pronom, PronomFormat,
    Rule, RuleFacts, RuleMatch, ScanStatus, StringMatches,
};
use hashmill_manifest::case::{End, Start};
use hashmill_manifest::format::{Body, FORMATS, Format, Hint, Layout, find_format, open};
use hashmill_manifest::{Label, Lack, Metadata, Named, Piece, Record, Status, Time};
use hashmill_seal::consistency::{self, Consistency};
use hashmill_seal::proof::{Proof, prove};
use hashmill_seal::{Error, Nonce, Salts, Seal, SealOptions, Secret, build, diff, leaf, redact, seal};
use proptest::collection::vec;
use proptest::prelude::*;
use std::cell::Cell;
use std::io::Read;
use std::path::Path;
use std::process::Command;
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
        version: None,
        piece: None,
        mtime: None,
        metadata: None,
        digests: vec![named("md5", path[0]), named("sha256", path[0])],
        likeness: Vec::new(),
        facts: None,
        leaves: Box::default(),
        bad_blocks: Box::default(),
        label: None,
    }
}

fn manifest(format: &str, records: &[Record]) -> Vec<u8> {
    let algorithms = vec![find("md5").unwrap(), find("sha256").unwrap()];
    let layout = Layout {
        algorithms,
        pieces: true,
        times: true,
        metadata: true,
        bad_blocks: true,
        labels: true,
        stored: true,
        versions: true,
        ..Layout::default()
    };
    let mut writer = find_format(format).unwrap().writer.unwrap()(layout);
    let mut out = Vec::new();
    writer.begin(&mut out).unwrap();
    records.iter().for_each(|record| writer.record(record, &mut out).unwrap());
    writer.end(&mut out).unwrap();
    out
}

/// Writes a manifest like `hash --case`.
fn with_case(format: &str, records: &[Record], examiner: &str) -> Vec<u8> {
    let start = Start {
        case: Some("2026-17".into()),
        examiner: Some(examiner.into()),
        evidence: None,
        started: Time { seconds: 1_792_545_071, nanoseconds: 0 },
        resumed: Vec::new(),
        host: (*b"lab").into(),
        tool: "hashmill".into(),
        version: "0".into(),
        command: vec![(*b"hashmill").into(), (*b"caf\xe9\x1b").into()],
        command_left_out: 0,
        algorithms: Vec::new(),
        sets: Vec::new(),
    };
    let end = End {
        ended: Time { seconds: 1_792_545_072, nanoseconds: 0 },
        seen: 1,
        hashed: 1,
        kept: 0,
        skipped: 0,
        failed: 0,
        bytes: 1,
        errors: Vec::new(),
        errors_left_out: 0,
    };
    let algorithms = vec![find("md5").unwrap(), find("sha256").unwrap()];
    let layout = Layout { algorithms, case: Some(Arc::new(start)), ..Layout::default() };
    let mut writer = find_format(format).unwrap().writer.unwrap()(layout);
    let mut out = Vec::new();
    writer.begin(&mut out).unwrap();
    records.iter().for_each(|record| writer.record(record, &mut out).unwrap());
    writer.conclude(&end, &mut out).unwrap();
    writer.end(&mut out).unwrap();
    out
}

/// Returns options with salts from this secret, if there is one.
fn how(secret: Option<&Secret>) -> SealOptions<'_> {
    SealOptions { salts: secret.map(|secret| secret.salts().unwrap()), ..SealOptions::default() }
}

fn input(bytes: &[u8]) -> Box<dyn Read + '_> {
    Box::new(bytes)
}

fn example() -> Vec<u8> {
    let odd = Record {
        mtime: Some(Time { seconds: -5, nanoseconds: 7 }),
        metadata: Some(Box::new(Metadata { inode: Some(7), reused: true, ..Metadata::default() })),
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
    // The root of a single record is its leaf.
    let one = manifest("jsonl", &[Record { digests: vec![named("md5", 7)], ..record(b"ab") }]);
    let root = hashmill_digest::hash(find("sha256").unwrap(), &wanted);
    assert_eq!(seal(input(&one), &SealOptions::default()).unwrap().root, root);
}

#[test]
fn all_that_a_record_says_is_in_its_leaf() {
    let base = record(b"a");
    let label =
        |category: &str, set: &str| Some(Arc::new(Label { category: category.into(), set: set.into() }));
    let piece = |offset, length| Some(Piece { offset, length });
    let time = |seconds, nanoseconds| Some(Time { seconds, nanoseconds });
    let metadata = |set: fn(&mut Metadata)| {
        let mut all = Metadata::default();
        set(&mut all);
        Some(Box::new(all))
    };
    let facts = |set: fn(&mut ContentFacts)| {
        let mut all = ContentFacts::default();
        set(&mut all);
        Some(Box::new(all))
    };
    let of_type = |mime: &str, name: &str, extensions: &[&str]| {
        let extensions = extensions.iter().map(|one| (*one).into()).collect();
        let content = ContentType { mime: mime.into(), name: name.into(), extensions };
        Some(Box::new(ContentFacts { content_type: Some(Arc::new(content)), ..ContentFacts::default() }))
    };
    let entropy = |bits, chi_square: Option<u64>| {
        let chi_square = chi_square.map(ChiSquare::from_hundredths);
        let entropy = Entropy { bits: Bits::from_millionths(bits).unwrap(), chi_square };
        Some(Box::new(ContentFacts { entropy: Some(entropy), ..ContentFacts::default() }))
    };
    let rules =
        |status, name: &str, tags: &[&str], meta: &[(&str, MetaValue)], places: Option<&[(u64, u64)]>| {
            let meta = meta.iter().map(|(name, value)| Meta { name: (*name).into(), value: value.clone() });
            let tags = tags.iter().map(|tag| (*tag).into()).collect();
            let rule = Rule { name: name.into(), namespace: "n".into(), tags, meta: meta.collect() };
            let strings = places.iter().map(|places| StringMatches {
                name: "$s".into(),
                places: (*places).into(),
                count: 9,
            });
            let found = RuleMatch { rule: Arc::new(rule), strings: strings.collect() };
            let rules = Some(Arc::new(RuleFacts { status, matches: [found].into() }));
            Some(Box::new(ContentFacts { rules, ..ContentFacts::default() }))
        };
    let pronom = |signatures: &str, formats: &[[&str; 4]], basis| {
        let formats = formats.iter().map(|[puid, name, version, mime]| PronomFormat {
            puid: (*puid).into(),
            name: (*name).into(),
            version: (*version).into(),
            mime: (*mime).into(),
            basis,
        });
        let found = Pronom { signatures: signatures.into(), formats: formats.collect() };
        Some(Box::new(ContentFacts { pronom: Some(Arc::new(found)), ..ContentFacts::default() }))
    };
    let unmatched = Some(Arc::new(RuleFacts::unscanned(ScanStatus::Scanned)));
    let scanned = ScanStatus::Scanned;
    let variants = [
        base.clone(),
        Record {
            facts: Some(Box::new(ContentFacts { rules: unmatched, ..ContentFacts::default() })),
            ..base.clone()
        },
        Record { facts: rules(scanned, "r", &[], &[], None), ..base.clone() },
        Record { facts: rules(ScanStatus::TimedOut, "r", &[], &[], None), ..base.clone() },
        Record { facts: rules(scanned, "rs", &[], &[], None), ..base.clone() },
        Record { facts: rules(scanned, "r", &["s"], &[], None), ..base.clone() },
        Record { facts: rules(scanned, "r", &[], &[("s", MetaValue::Truth(true))], None), ..base.clone() },
        Record { facts: rules(scanned, "r", &[], &[("s", MetaValue::Integer(1))], None), ..base.clone() },
        Record {
            facts: rules(scanned, "r", &[], &[("s", MetaValue::Text("\u{1}".into()))], None),
            ..base.clone()
        },
        Record { facts: rules(scanned, "r", &[], &[], Some(&[])), ..base.clone() },
        Record { facts: rules(scanned, "r", &[], &[], Some(&[(1, 2)])), ..base.clone() },
        Record { facts: pronom("V1", &[], Basis::Signature), ..base.clone() },
        Record { facts: pronom("V2", &[], Basis::Signature), ..base.clone() },
        Record { facts: pronom("V1", &[["a", "", "", ""]], Basis::Signature), ..base.clone() },
        Record { facts: pronom("V1", &[["a", "", "", ""]], Basis::Extension), ..base.clone() },
        Record { facts: pronom("V1", &[["a", "b", "", ""]], Basis::Signature), ..base.clone() },
        Record { facts: pronom("V1", &[["a", "", "b", ""]], Basis::Signature), ..base.clone() },
        Record { facts: pronom("V1", &[["a", "", "", "b"]], Basis::Signature), ..base.clone() },
        Record {
            facts: pronom("V1", &[["a", "", "", ""], ["b", "", "", ""]], Basis::Signature),
            ..base.clone()
        },
        Record { facts: of_type("a/b", "", &[]), ..base.clone() },
        Record { facts: of_type("a/b", "c", &[]), ..base.clone() },
        Record { facts: of_type("a/bc", "", &[]), ..base.clone() },
        Record { facts: of_type("a/b", "", &["c"]), ..base.clone() },
        Record { facts: of_type("a/b", "", &["c", "d"]), ..base.clone() },
        Record { facts: facts(|all| all.mismatch = Some(false)), ..base.clone() },
        Record { facts: facts(|all| all.mismatch = Some(true)), ..base.clone() },
        Record { facts: facts(|all| all.class = Some(Class::Text)), ..base.clone() },
        Record { facts: facts(|all| all.class = Some(Class::Random)), ..base.clone() },
        Record { facts: entropy(0, None), ..base.clone() },
        Record { facts: entropy(1, None), ..base.clone() },
        Record { facts: entropy(1, Some(0)), ..base.clone() },
        Record { facts: entropy(1, Some(1)), ..base.clone() },
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
        Record { label: label("ab", ""), ..base.clone() },
        Record { reason: Some("EIO".into()), ..base.clone() },
        Record { reason: Some("EACCES".into()), ..base.clone() },
        Record {
            metadata: metadata(|all| all.ctime = Some(Time { seconds: 0, nanoseconds: 0 })),
            ..base.clone()
        },
        Record {
            metadata: metadata(|all| all.read = Some(Time { seconds: 0, nanoseconds: 0 })),
            ..base.clone()
        },
        Record { metadata: metadata(|all| all.inode = Some(1)), ..base.clone() },
        Record { metadata: metadata(|all| all.inode = Some(2)), ..base.clone() },
        Record { metadata: metadata(|all| all.device = Some(1)), ..base.clone() },
        Record { metadata: metadata(|all| all.reused = true), ..base.clone() },
        Record { version: Some("EACCES".into()), ..base.clone() },
        Record { version: Some("v2".into()), ..base },
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
#[ignore = "campaign: takes long"]
fn no_byte_of_a_seal_or_its_manifest_can_change() {
    for format in ["hashdeep", "sums", "bsd", "jsonl", "csv", "dfxml"] {
        let manifest = manifest(format, &[record(b"a"), record(b"b"), record(b"c")]);
        let right = seal(input(&manifest), &SealOptions::default()).unwrap();
        assert_no_flip_fits(&right);
        each_flip(&manifest, |manifest| {
            let found = seal(input(manifest), &SealOptions::default());
            assert!(found.is_err() || right.check(&found.unwrap()).is_err(), "{}", manifest.escape_ascii());
        });
    }
}

/// Checks that a seal with one changed bit is invalid or has another root.
fn assert_no_flip_fits(right: &Seal) {
    let text = right.to_text();
    assert_eq!(Seal::read(&mut &text[..]).unwrap(), *right);
    let digest = right.digest();
    each_flip(&text, |text| {
        if let Ok(seal) = Seal::read(&mut &text[..]) {
            assert!(seal.check_same(right).is_err() && seal.check_digest(&digest).is_err());
            // Fields taken from the seal itself can only be checked by comparing seals.
            let own = Seal { origin: seal.origin.clone(), nonces: seal.nonces.clone(), ..right.clone() };
            assert!(seal == own || seal.check(&own).is_err(), "{}", text.escape_ascii());
        }
    });
}

/// Calls `check` with each bit changed in turn, and with each truncation.
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
#[ignore = "campaign: takes long"]
fn no_byte_of_a_proof_can_change() {
    let manifest = example();
    let secret = Secret::from_text(&[b'7'; 64]).unwrap();
    for secret in [None, Some(&secret)] {
        let how = how(secret);
        let mut wants = |record: &Record| [&b"odd \xff\n"[..], b"d", b"lost"].contains(&&*record.path);
        let proof = prove(input(&manifest), &how, &mut wants).unwrap();
        let (seal, digest) = (seal(input(&manifest), &how).unwrap(), proof.seal.digest());
        assert_eq!(proof.proven.iter().map(|proven| proven.index).collect::<Vec<_>>(), [1, 3, 6]);
        proof.verify().unwrap();
        proof.seal.check_same(&seal).unwrap();
        assert_no_flip_fits(&seal);
        let text = proof.to_text().unwrap();
        assert_eq!(Proof::read(&mut &text[..]).unwrap(), proof);
        let holds = |text: &[u8]| {
            let proof = Proof::read(&mut &text[..]).ok();
            proof.filter(|proof| proof.seal.check_digest(&digest).and_then(|()| proof.verify()).is_ok())
        };
        each_flip(&text, |text| {
            // Truncated after a whole entry, it still proves the others.
            let found = holds(text);
            let fewer = |found: Proof| found.proven.iter().all(|one| proof.proven.contains(one));
            let cut = proof.to_text().unwrap().starts_with(text);
            assert!(found.is_none_or(|found| cut && fewer(found)), "{}", text.escape_ascii());
        });
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn no_byte_of_a_redacted_manifest_can_change() {
    let manifest = example();
    let secret = Secret::from_text(&[b'7'; 64]).unwrap();
    for secret in [None, Some(&secret)] {
        let seal = seal(input(&manifest), &how(secret)).unwrap();
        let mut text = Vec::new();
        let mut hides = |record: &Record| [&b"a"[..], b"c", b"lost"].contains(&&*record.path);
        let counts = redact::redact(input(&manifest), &seal, secret, &mut hides, &mut text).unwrap();
        assert_eq!(counts, redact::Counts { shown: 4, hidden: 3 });
        assert!(text.starts_with(redact::START));
        let mut shown = Vec::new();
        let verified = redact::verify(input(&text), &mut |record| shown.push(record.path)).unwrap();
        verified.seal.check_same(&seal).unwrap();
        assert_eq!(shown, [&b"odd \xff\n"[..], b"piece", b"b", b"d"].map(Box::from));
        let digest = seal.digest();
        each_flip(&text, |text| {
            let found = redact::verify(input(text), &mut |_| ());
            let found = found.and_then(|found| found.seal.check_digest(&digest));
            // The end of the last line is optional.
            assert!(found.is_err() || text.last() == Some(&b'}'), "{}", text.escape_ascii());
        });
        let other = manifest_of(b"x");
        let refused = redact::redact(input(&other), &seal, secret, &mut hides, &mut Vec::new());
        assert!(refused.unwrap_err().is_difference());
        // A manifest with other content besides its records is refused, too.
        let spaced = [&manifest[..], b"\n"].concat();
        let refused = redact::redact(input(&spaced), &seal, secret, &mut hides, &mut Vec::new());
        assert!(refused.unwrap_err().is_difference());
    }
}

#[test]
fn no_byte_of_a_consistency_proof_can_change() {
    let records: Vec<Record> = [b"a", b"b", b"c", b"d", b"e"].map(|path| record(path)).to_vec();
    let (short, long) = (manifest("jsonl", &records[..3]), manifest("jsonl", &records));
    let secret = Secret::from_text(&[b'7'; 64]).unwrap();
    for secret in [None, Some(&secret)] {
        let old = seal(input(&short), &how(secret)).unwrap();
        let built = build(input(&long), &old.successor(secret).unwrap(), &mut |_, _| false).unwrap();
        old.check_beginning(built.earlier.as_ref()).unwrap();
        let new = built.seal;
        let proof = consistency::prove(input(&long), &new.options(secret).unwrap(), &old).unwrap();
        assert_eq!(proof.seal, new);
        let text = proof.to_text().unwrap();
        assert!(text.starts_with(consistency::START));
        assert_eq!(Consistency::read(&mut &text[..]).unwrap(), proof);
        let digests = (old.digest(), new.digest());
        each_flip(&text, |text| {
            let found = Consistency::read(&mut &text[..]);
            let found = found.and_then(|found| {
                found.old.check_digest(&digests.0)?;
                found.seal.check_digest(&digests.1)?;
                found.verify()
            });
            assert!(found.is_err(), "{}", text.escape_ascii());
        });
    }
}

#[test]
fn a_manifest_that_does_not_begin_with_the_older_one_can_t_be_proven_to() {
    let records: Vec<Record> = [b"a", b"b", b"c", b"d", b"e"].map(|path| record(path)).to_vec();
    let old = seal(input(&manifest("jsonl", &records[..3])), &SealOptions::default()).unwrap();
    let try_it = |records: &[Record]| {
        let manifest = manifest("jsonl", records);
        consistency::prove(input(&manifest), &SealOptions::default(), &old).map(|_| ())
    };
    try_it(&records).unwrap();
    try_it(&records[..3]).unwrap();
    let error = try_it(&records[..2]).unwrap_err();
    assert!(error.is_difference() && error.to_string().contains("fewer than the 3 records"), "{error}");
    let mut changed = records.clone();
    changed[1] = record(b"x");
    let error = try_it(&changed).unwrap_err();
    assert!(error.is_difference() && error.to_string().contains("first 3 records"), "{error}");
    let mut elsewhere = records.clone();
    elsewhere.swap(0, 4);
    try_it(&elsewhere).unwrap_err();
    // Another sealer has another origin, and another tree another root.
    let long = manifest("jsonl", &records);
    let other = SealOptions { origin: "example.org/other".into(), ..SealOptions::default() };
    let error = consistency::prove(input(&long), &other, &old).unwrap_err();
    assert!(error.to_string().contains("different origins"), "{error}");
    consistency::prove(input(&long), &SealOptions::by("blake3").unwrap(), &old).unwrap_err();
}

fn manifest_of(path: &[u8]) -> Vec<u8> {
    manifest("jsonl", &[record(path)])
}

#[test]
fn hashes_of_other_lengths_can_t_move_bytes_between_neighbours() {
    let manifest = manifest("jsonl", &[record(b"a"), record(b"b")]);
    let seal = seal(input(&manifest), &SealOptions::default()).unwrap();
    let mut text = Vec::new();
    redact::redact(input(&manifest), &seal, None, &mut |_| true, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (first, second) = text.rsplit_once("\"}\n{\"hidden\":\"").unwrap();
    let moved = format!("{first}{}\"}}\n{{\"hidden\":\"{}", &second[..2], &second[2..]);
    let error = redact::verify(input(moved.as_bytes()), &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("wrong length"), "{error}");
}

#[test]
fn what_is_pinned_binds_the_number_of_records() {
    let manifest = manifest("jsonl", &[record(b"a"), record(b"b"), record(b"c")]);
    let seal = seal(input(&manifest), &SealOptions::default()).unwrap();
    let pinned = seal.digest();
    // The same root with two leaves, one of which is a node: number 3 of 3 becomes 2 of 2.
    let fewer = Seal { records: 2, ..seal.clone() };
    let text = prove(input(&manifest), &SealOptions::default(), &mut |record| &*record.path == b"c").unwrap();
    let text = String::from_utf8(text.to_text().unwrap()).unwrap();
    let text = text.replace("hashmill\\n3\\n", "hashmill\\n2\\n").replace("\"index\":2", "\"index\":1");
    let forged = Proof::read(&mut text.as_bytes()).unwrap();
    assert_eq!(forged.seal, fewer);
    forged.verify().unwrap();
    assert!(forged.seal.check_digest(&pinned).unwrap_err().is_difference());
    assert!(forged.seal.check_same(&seal).unwrap_err().is_difference());
    // The root of the tree alone is not accepted as a trusted digest.
    let error = seal.check_digest(&seal.root).unwrap_err();
    assert!(error.to_string().contains("how many records"), "{error}");
    // The same attack with a redacted manifest that hides two records behind their parent node.
    let mut text = Vec::new();
    let mut all = |_: &Record| true;
    redact::redact(input(&manifest), &seal, None, &mut all, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let hashes: Vec<_> = text.lines().skip(1).map(|line| &line[11..75]).collect();
    let hash = |text: &str| Digest::from_hex(text.as_bytes()).unwrap();
    let node = [&[1], hash(hashes[0]).as_bytes(), hash(hashes[1]).as_bytes()].concat();
    let node = hashmill_digest::hash(find("sha256").unwrap(), &node);
    let head = text.lines().next().unwrap();
    let rest = format!("{{\"hidden\":\"{node}\"}}\n{{\"hidden\":\"{}\"}}\n", hashes[2]);
    let hiding = format!("{head}\n{rest}");
    let error = redact::verify(input(hiding.as_bytes()), &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("2 records and hashes, but 3 were sealed"), "{error}");
    let hiding = format!("{}\n{rest}", head.replace("hashmill\\n3\\n", "hashmill\\n2\\n"));
    let verified = redact::verify(input(hiding.as_bytes()), &mut |_| ()).unwrap();
    assert!(verified.seal.check_digest(&pinned).unwrap_err().is_difference());
}

#[test]
fn case_data_that_change_or_go_are_told() {
    let secret = Secret::random().unwrap();
    for format in ["hashdeep", "sums", "bsd", "jsonl", "dfxml"] {
        for secret in [None, Some(&secret)] {
            let records = [record(b"a")];
            let sealed = seal(input(&with_case(format, &records, "A. Lovelace")), &how(secret)).unwrap();
            let again = |manifest: &[u8]| {
                let found = seal(input(manifest), &sealed.options(secret).unwrap()).unwrap();
                assert_eq!((found.root, found.records), (sealed.root, sealed.records));
                sealed.check(&found).unwrap_err().to_string()
            };
            let found = again(&with_case(format, &records, "A. Nobody"));
            assert!(found.contains("but the case data are not"), "{format}: {found}");
            let found = again(&manifest(format, &records));
            assert!(found.contains("but the case data were removed"), "{format}: {found}");
        }
    }
    let records = [record(b"a")];
    let plain = seal(input(&manifest("jsonl", &records)), &SealOptions::default()).unwrap();
    let added = seal(input(&with_case("jsonl", &records, "A. Lovelace")), &SealOptions::default()).unwrap();
    let found = plain.check(&added).unwrap_err().to_string();
    assert!(found.contains("but the case data were added"), "{found}");
    let other = seal(input(&manifest("csv", &records)), &SealOptions::default()).unwrap();
    assert_eq!(plain.root, other.root);
    assert!(plain.check(&other).unwrap_err().to_string().contains("other bytes of the file"));
}

#[test]
fn bytes_behind_the_last_record_are_sealed_too() {
    let streams = |format: &&Format| format.writer.is_some() && !matches!(format.body, Body::Database(_));
    for format in FORMATS.iter().filter(streams).filter(|format| format.only.is_empty()) {
        let plain = manifest(format.name, &[record(b"a"), record(b"b")]);
        let right = seal(input(&plain), &SealOptions::default()).unwrap();
        for more in [&b"\n"[..], b" ", b"\0", b"\n# more\n", &[b'\n'; 300_000]] {
            let found = seal(input(&[&plain[..], more].concat()), &SealOptions::default());
            assert!(found.is_err() || right.check(&found.unwrap()).is_err(), "{}", format.name);
        }
    }
}

#[test]
fn files_of_other_versions_and_programs_are_refused_by_name() {
    let old = br#"{"hashmill_seal":1,"algorithm":"sha256","root":"00","records":5}"#;
    let says = |error: Error, what: &str| assert!(error.to_string().contains(what), "{error}");
    assert!(Seal::is_start(old));
    says(Seal::from_text(old).unwrap_err(), "version 1 is not supported");
    let head = b"{\"hashmill_proof\":1,\"algorithm\":\"sha256\",\"root\":\"00\",\"records\":5}\n";
    says(Proof::read(&mut &head[..]).unwrap_err(), "version 1");
    let head = b"{\"hashmill_redacted\":3}\n";
    says(redact::verify(input(head), &mut |_| ()).unwrap_err(), "version 3");
    let head = b"{\"hashmill_consistency\":0}\n";
    says(Consistency::read(&mut &head[..]).unwrap_err(), "version 0");
    // The example in C2SP's specification.
    let other = b"example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
    says(Seal::from_text(other).unwrap_err(), "checkpoint of another program");
    let seal = seal(input(&manifest_of(b"a")), &SealOptions::default()).unwrap();
    let note = [&seal.to_text()[..], "\n\u{2014} example.org AAAA\n".as_bytes()].concat();
    says(Seal::from_text(&note).unwrap_err(), "a seal ends before this line");
}

#[test]
fn origins_are_plain() {
    let manifest = manifest_of(b"a");
    let mut origins = vec!["", "a b", "a+b", "a\nb", "a\u{202e}b", "caf\u{e9}", "a\x1b[8m"];
    let long = "x".repeat(256);
    origins.push(&long);
    for origin in origins {
        assert!(hashmill_seal::check_origin(origin).is_err(), "{origin:?}");
        let odd =
            seal(input(&manifest), &SealOptions { origin: origin.into(), ..SealOptions::default() }).unwrap();
        assert!(Seal::from_text(&odd.to_text()).is_err(), "{origin:?}");
    }
    let how = SealOptions { origin: "example.org/lab/7".into(), ..SealOptions::default() };
    let sealed = seal(input(&manifest), &how).unwrap();
    assert!(Seal::from_text(&sealed.to_text()).unwrap() == sealed);
    assert!(sealed.check_digest(&seal(input(&manifest), &SealOptions::default()).unwrap().digest()).is_err());
}

#[test]
fn no_two_seals_by_one_secret_share_a_salt() {
    let secret = Secret::from_text(&[b'7'; 64]).unwrap();
    let salts = |text: &[u8]| -> Vec<String> {
        let text = String::from_utf8(text.to_vec()).unwrap();
        text.split("\"salt\":\"").skip(1).map(|rest| rest[..64].to_string()).collect()
    };
    let all = |manifest: &[u8], how: &SealOptions<'_>| {
        salts(&prove(input(manifest), how, &mut |_| true).unwrap().to_text().unwrap())
    };
    let records: Vec<Record> = [b"a", b"b", b"c", b"d"].map(|path| record(path)).to_vec();
    let (a, b) = (manifest("jsonl", &records), manifest("jsonl", &[record(b"x"), record(b"y")]));
    // The attack: salts disclosed in a proof from A would confirm a hidden record of B.
    let (from_a, from_b) = (all(&a, &how(Some(&secret))), all(&b, &how(Some(&secret))));
    assert!(from_a.iter().all(|salt| !from_b.contains(salt)));
    assert_ne!(from_a, all(&a, &how(Some(&secret))));
    // Two manifests that continue the same one share the salts of the common records only.
    let old = seal(input(&manifest("jsonl", &records[..2])), &how(Some(&secret))).unwrap();
    let one = all(&a, &old.successor(Some(&secret)).unwrap());
    let other = manifest("jsonl", &[&records[..2], &[record(b"x"), record(b"y")]].concat());
    let other = all(&other, &old.successor(Some(&secret)).unwrap());
    assert_eq!(one[..2], other[..2]);
    assert!(one[2..].iter().all(|salt| !other.contains(salt)));
    // The number of continuations is limited, so that a seal stays readable.
    let mut last = old;
    while let Ok(next) = last.successor(Some(&secret)) {
        last = seal(input(&a), &next).unwrap();
        assert_eq!(Seal::read(&mut &last.to_text()[..]).unwrap(), last);
    }
    assert_eq!(last.nonces.len(), 512);
    let nothing = Salts { secret: &secret, nonces: Vec::new() };
    assert!(seal(input(&a), &SealOptions { salts: Some(nothing), ..SealOptions::default() }).is_err());
    let distinct: std::collections::HashSet<_> = one.iter().chain(&other[2..]).collect();
    assert_eq!(distinct.len(), 6);
}

#[test]
fn neither_the_file_s_digest_nor_its_case_data_give_a_salted_record_away() {
    let secret = Secret::random().unwrap();
    let manifest = with_case("jsonl", &[record(b"a")], "A. Lovelace");
    let (salted, plain) =
        (seal(input(&manifest), &how(Some(&secret))), seal(input(&manifest), &SealOptions::default()));
    let (salted, plain) = (salted.unwrap(), plain.unwrap());
    assert_eq!(plain.manifest, hashmill_digest::hash(find("sha256").unwrap(), &manifest));
    assert_ne!(salted.manifest, plain.manifest);
    assert_ne!(salted.case.unwrap(), plain.case.unwrap());
    assert_ne!(salted.manifest, salted.case.unwrap());
    // It also differs in the next seal.
    assert_ne!(salted.manifest, seal(input(&manifest), &how(Some(&secret))).unwrap().manifest);
}

#[test]
fn salts_hide_what_could_be_guessed_and_need_their_secret() {
    let manifest = manifest("jsonl", &[record(b"a"), record(b"b")]);
    let one = Secret::random().unwrap();
    let other = Secret::random().unwrap();
    let root = |secret| seal(input(&manifest), &how(secret)).unwrap().root;
    assert!(root(None) != root(Some(&one)) && root(Some(&one)) != root(Some(&other)));
    assert_eq!(Secret::from_text(one.to_text().as_bytes()).unwrap(), one);
    let sealed = seal(input(&manifest), &how(Some(&one))).unwrap();
    assert!(matches!(sealed.options(None), Err(Error::SecretMissing)));
    let found = seal(input(&manifest), &sealed.options(Some(&other)).unwrap()).unwrap();
    assert!(sealed.check(&found).unwrap_err().is_difference());
    let mut text = Vec::new();
    let hides = &mut |record: &Record| &*record.path == b"a";
    redact::redact(input(&manifest), &sealed, Some(&one), hides, &mut text).unwrap();
    let mut guess = Vec::new();
    leaf::message(&record(b"a"), None, &mut guess);
    let guess = hashmill_digest::hash(find("sha256").unwrap(), &guess).to_string();
    assert!(!String::from_utf8(text).unwrap().contains(&guess));
}

#[test]
fn what_can_t_be_read_can_t_be_sealed() {
    let lines = b"900150983cd24fb0d6963f7d28e17f72  a\nbroken\n";
    assert!(matches!(seal(input(lines), &SealOptions::default()), Err(Error::Malformed(_))));
    assert!(matches!(seal(input(b""), &SealOptions::default()), Err(Error::Unusable(_))));
    assert!(
        SealOptions::by("sha1").is_err()
            && SealOptions::by("crc32").is_err()
            && SealOptions::by("blake2b-256").is_ok()
    );
    struct Fails;
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("broken"))
        }
    }
    assert!(seal(Box::new((&lines[..36]).chain(Fails)), &SealOptions::default()).is_err());
}

#[test]
fn many_records_cross_every_batch() {
    for count in [1023, 1024, 1025, 2500] {
        let records: Vec<Record> = (0..count).map(|number| record(format!("{number}").as_bytes())).collect();
        let manifest = manifest("hashdeep", &records);
        let built =
            build(input(&manifest), &SealOptions::default(), &mut |index, _| index % 100 == 99).unwrap();
        assert_eq!(built.seal.records, count);
        assert_eq!(built.tracked.len() as u64, count / 100);
        let proof =
            prove(input(&manifest), &SealOptions::default(), &mut |record| record.path.ends_with(b"77"))
                .unwrap();
        assert_eq!(proof.seal, built.seal);
        proof.verify().unwrap();
        let secret = Secret::random().unwrap();
        let salted = seal(input(&manifest), &how(Some(&secret))).unwrap();
        let again = seal(input(&manifest), &salted.options(Some(&secret)).unwrap()).unwrap();
        salted.check(&again).unwrap();
        let mut text = Vec::new();
        let mut hides = |record: &Record| record.path.ends_with(b"7");
        redact::redact(input(&manifest), &salted, Some(&secret), &mut hides, &mut text).unwrap();
        let verified = redact::verify(input(&text), &mut |_| ()).unwrap();
        verified.seal.check_same(&salted).unwrap();
    }
}

#[test]
fn a_manifest_that_changes_between_two_readings_is_told() {
    let records = |paths: &[&[u8]]| paths.iter().map(|path| record(path)).collect::<Vec<_>>();
    let first = manifest("jsonl", &records(&[b"a", b"b"]));
    let second = manifest("jsonl", &records(&[b"a", b"c"]));
    let later = [manifest("jsonl", &records(&[b"a", b"x"])), manifest("jsonl", &records(&[b"a"]))];
    for later in later {
        for changes in [1, 2] {
            let readings = Cell::new(0);
            let opens = |bytes: &[u8]| -> Result<Box<dyn Read>, Error> {
                Ok(Box::new(std::io::Cursor::new(bytes.to_vec())))
            };
            let one = || {
                readings.set(readings.get() + 1);
                opens(if readings.get() > changes { &later } else { &first })
            };
            let told = diff::records(&one, &|| opens(&second), &SealOptions::default(), &mut |_, _| Ok(()));
            let error = told.unwrap_err().to_string();
            assert!(error.contains("changed while it was read"), "{error}");
        }
    }
}

type Counted = std::collections::BTreeMap<Vec<u8>, usize>;

proptest! {
    #![proptest_config(ProptestConfig { cases: hashmill_testing::cases(200) as u32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn differences_are_those_of_multisets(one in vec(0..12_u8, 1..20), two in vec(0..12_u8, 1..20)) {
        let records = |numbers: &[u8]| numbers.iter().map(|number| record(&[b'a' + number])).collect::<Vec<_>>();
        let (first, second) = (manifest("jsonl", &records(&one)), manifest("jsonl", &records(&two)));
        let mut found: [Counted; 2] = Default::default();
        let again = |bytes: &[u8]| -> Result<Box<dyn Read>, Error> { Ok(Box::new(std::io::Cursor::new(bytes.to_vec()))) };
        let number = diff::records(&|| again(&first), &|| again(&second), &SealOptions::default(), &mut |side, record| {
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
            let proof = prove(input(&manifest), &SealOptions::default(), &mut |_| true).unwrap();
            let again = Proof::read(&mut &proof.to_text().unwrap()[..]).unwrap();
            again.verify().unwrap();
            prop_assert!(again.proven.iter().map(|proven| &proven.record).eq(&read));
        }
    }
}

/// Reads a file made by seal_format.py, an independent implementation of docs/seal-format.md.
fn stored(name: &str) -> Vec<u8> {
    let path = format!("{}/../../fuzz/corpus/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Runs that implementation; returns `None` if there is no Python.
fn python(args: &[&Path]) -> Option<bool> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/seal_format.py");
    let ran = Command::new(hashmill_testing::installed("python3")?).arg(script).args(args).output();
    Some(ran.unwrap().status.success())
}

#[test]
fn another_implementation_still_makes_what_is_stored() {
    let place = tempfile::tempdir().unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let examples = ["jsonl/five", "jsonl/seven"].map(|name| corpus.join(name));
    let Some(made) = python(&[Path::new("make"), &examples[0], &examples[1], place.path()]) else { return };
    assert!(made);
    for kind in ["seal", "proof", "redacted", "consistency"] {
        for name in ["plain", "salted"] {
            let made = std::fs::read(place.path().join(kind).join(name)).unwrap();
            assert_eq!(text(&made), text(&stored(&format!("{kind}/{name}"))));
        }
    }
}

#[test]
fn another_implementation_verifies_what_this_one_makes_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = place.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let records: Vec<Record> = (0..45_u32).map(|number| record(format!("{number}").as_bytes())).collect();
    let secret = Secret::random().unwrap();
    let secret_file = file("secret", secret.to_text().as_bytes());
    for (secret, first) in [(None, 32), (Some(&secret), 29)] {
        let (short, long) =
            (manifest("jsonl", &records[..first]), with_case("jsonl", &records, "A. Lovelace"));
        let old = seal(input(&short), &how(secret)).unwrap();
        let new = seal(input(&long), &old.successor(secret).unwrap()).unwrap();
        let how = new.options(secret).unwrap();
        let (old_file, new_file) = (file("old", &old.to_text()), file("new", &new.to_text()));
        let manifest_file = file("manifest", &long);
        let mut args = vec![Path::new("seal"), &manifest_file, &new_file];
        args.extend(secret.map(|_| &*secret_file));
        let Some(same) = python(&args) else { return };
        assert!(same);
        let proof = prove(input(&long), &how, &mut |record| record.path.ends_with(b"4")).unwrap();
        let proof = proof.to_text().unwrap();
        let mut redacted = Vec::new();
        let mut odd = |record: &Record| record.path.ends_with(b"3");
        redact::redact(input(&long), &new, secret, &mut odd, &mut redacted).unwrap();
        let grown = consistency::prove(input(&long), &how, &old).unwrap().to_text().unwrap();
        for (command, seals, bytes) in [
            ("proof", vec![&new_file], proof),
            ("redacted", vec![&new_file], redacted),
            ("consistency", vec![&old_file, &new_file], grown),
        ] {
            let verify = |bytes: &[u8]| {
                let made = file("made", bytes);
                let mut args = vec![Path::new(command)];
                args.extend(seals.iter().map(|path| path.as_path()));
                args.push(&made);
                python(&args).unwrap()
            };
            assert!(verify(&bytes), "{command}");
            for part in [1, 4, 6, 8] {
                let mut changed = bytes.clone();
                changed[bytes.len() * part / 9] ^= 1;
                assert!(!verify(&changed), "{command}: {}", changed.escape_ascii());
            }
        }
    }
}

#[test]
fn the_description_has_every_name_and_word() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/seal-format.md")).unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for row in hashmill_digest::ALGORITHMS {
        assert!(text.contains(&format!("`{}` {}", row.name, row.bits)), "{}", row.name);
        if row.text == hashmill_digest::Text::Hex {
            let first = hashmill_digest::of_bits(row.bits).next().unwrap().name;
            let listed = [format!(" {} `{first}`", row.bits), format!(" {} bits `{first}`", row.bits)];
            assert!(listed.iter().any(|listed| text.contains(listed)), "{listed:?}");
        }
    }
    for row in hashmill_similar::SIMILAR {
        assert!(text.contains(&format!("`{}`", row.name)), "{}", row.name);
    }
    for status in [Status::Hashed, Status::Unreadable, Status::Changed, Status::Skipped] {
        assert!(text.contains(&format!("`{}`", status.word())), "{status:?}");
    }
    for lack in [Lack::TooSmall, Lack::TooLarge, Lack::TooPlain] {
        assert!(text.contains(&format!("`{}`", lack.word())), "{lack:?}");
    }
}

#[test]
fn another_implementation_makes_the_same_bytes() {
    let (manifest, longer) = (stored("jsonl/five"), stored("jsonl/seven"));
    let secret: String = (0..32_u8).map(|byte| format!("{byte:02x}")).collect();
    let secret = Secret::from_text(secret.as_bytes()).unwrap();
    for (kind, secret) in [("plain", None), ("salted", Some(&secret))] {
        let nonces = vec![Nonce { from: 0, bytes: [0xa5; 32] }];
        let salts = secret.map(|secret| Salts { secret, nonces });
        let how = SealOptions { origin: "example.org/lab".into(), salts, ..SealOptions::default() };
        let mut wants = |record: &Record| [&b"b/c"[..], b"last"].contains(&&*record.path);
        let proof = prove(input(&manifest), &how, &mut wants).unwrap();
        assert_eq!(text(&proof.seal.to_text()), text(&stored(&format!("seal/{kind}"))));
        assert_eq!(text(&proof.to_text().unwrap()), text(&stored(&format!("proof/{kind}"))));
        let (mut redacted, mut index) = (Vec::new(), 0);
        let mut odd = |_: &Record| {
            index += 1;
            index % 2 == 0
        };
        redact::redact(input(&manifest), &proof.seal, secret, &mut odd, &mut redacted).unwrap();
        assert_eq!(text(&redacted), text(&stored(&format!("redacted/{kind}"))));
        let mut next = proof.seal.successor(secret).unwrap();
        if let Some(salts) = &mut next.salts {
            salts.nonces[1].bytes = [0x5a; 32];
        }
        let new = seal(input(&longer), &next).unwrap();
        assert_eq!(text(&new.to_text()), text(&stored(&format!("seal/{kind}-next"))));
        let grown = consistency::prove(input(&longer), &new.options(secret).unwrap(), &proof.seal).unwrap();
        assert_eq!(text(&grown.to_text().unwrap()), text(&stored(&format!("consistency/{kind}"))));
    }
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}
