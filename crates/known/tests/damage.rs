//! Damaged indexes: always an error, never a panic, never a wrong answer that `verify` would accept.

use crate::support::algorithm;
use hashmill_digest::Digest;
use hashmill_known::{
    Annotation, BuildOptions, Builder, Category, Classifier, Detail, Filter, Index, Product, Sets, Why,
};
use hashmill_manifest::Record;
use hashmill_manifest::format::Hint;
use hashmill_testing::index::{HEADER, seal};
use hashmill_testing::{Folder, Random, cases};
use std::path::Path;

/// Creates a small index with all features, and returns some of its digests.
fn small() -> (Vec<u8>, Vec<Digest>) {
    let folder = Folder::new();
    let mut builder = Builder::new(&folder.at("set.hmk"), BuildOptions::default());
    let mut random = Random(42);
    let product = Product { name: "Editor".into(), ..Product::default() };
    let full =
        Detail { product: Some(product), types: vec!["Game".into()], ..Detail::new(Category::Known, "rds") };
    let bad = Detail::new(Category::Bad, "list");
    let mut digests = Vec::new();
    for n in 0..60 {
        let digest = random.digest([16, 20, 32][n % 3]);
        let detail = builder.number(if n % 2 == 0 { &full } else { &bad });
        let annotation = Annotation { detail, size: (n % 4 == 0).then_some(n as u64) };
        builder.add(algorithm(digest.as_bytes().len()), digest.as_bytes(), annotation).unwrap();
        digests.push(digest);
    }
    builder.finish().unwrap();
    (std::fs::read(folder.at("set.hmk")).unwrap(), digests)
}

fn open(bytes: Vec<u8>) -> Result<Index, hashmill_known::Error> {
    Index::from_bytes(Path::new("set.hmk"), bytes)
}

/// Calls all lookups, which only have to end.
fn exercise(index: &Index, digests: &[Digest]) {
    let _ = index.find_all(digests);
    for hit in digests.iter().filter_map(|digest| index.find(digest).ok().flatten()) {
        let _ = index.detail(hit);
        let _ = index.size(hit);
    }
}

/// Returns a record of a file with this digest.
fn record_of(digest: &Digest) -> Record {
    let line = format!("{digest}  file\n");
    let opened = hashmill_manifest::format::open(Box::new(line.as_bytes()), Hint::None).unwrap();
    opened.reader.flatten().next().unwrap()
}

#[test]
fn every_altered_byte_is_found() {
    let (whole, digests) = small();
    open(whole.clone()).unwrap().verify().unwrap();
    for at in 0..whole.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut altered = whole.clone();
            altered[at] ^= flip;
            let Ok(index) = open(altered) else { continue };
            exercise(&index, &digests);
            let error = index.verify().expect_err(&format!("byte {at} ^ {flip} was not noticed"));
            assert!(matches!(error.why, Why::Damaged(_)));
        }
    }
}

/// Creates an index of digests of several lengths, with sizes and details. Returns digests to look up: half of them are
/// in it.
fn middling(seed: u64) -> (Vec<u8>, Vec<Digest>) {
    let folder = Folder::new();
    let mut builder = Builder::new(&folder.at("set.hmk"), BuildOptions::default());
    let mut random = Random(seed);
    let details: Vec<_> =
        (0..7).map(|n| builder.number(&Detail::new(Category::Bad, &format!("list {n}")))).collect();
    let mut asked = Vec::new();
    for n in 0..3000 {
        let digest = random.digest([16, 20, 32][n % 3]);
        let annotation = Annotation { detail: details[n % 7], size: (n % 4 > 0).then_some(n as u64) };
        // Twice, so that buckets are joined.
        for _ in 0..2 {
            builder.add(algorithm(digest.as_bytes().len()), digest.as_bytes(), annotation).unwrap();
        }
        asked.extend([digest, random.digest([16, 20, 32][n % 3])]);
    }
    builder.finish().unwrap();
    (std::fs::read(folder.at("set.hmk")).unwrap(), asked)
}

/// Returns all answers, or the error.
fn answers(
    file: Vec<u8>,
    asked: &[Digest],
) -> Result<Vec<Option<hashmill_known::Answer>>, hashmill_known::Error> {
    Sets::new(vec![open(file)?], Filter::default()).query_all(asked)
}

#[test]
fn no_altered_byte_changes_an_answer() {
    let (whole, asked) = middling(11);
    let right = answers(whole.clone(), &asked).unwrap();
    assert_eq!(right.iter().flatten().count(), asked.len() / 2);
    let mut found = 0;
    for at in (0..whole.len()).step_by(whole.len() / 3000) {
        let mut altered = whole.clone();
        altered[at] ^= 1 << (at % 8);
        match answers(altered, &asked) {
            Ok(answers) => assert!(answers == right, "byte {at}"),
            Err(error) => {
                found += 1;
                let told = matches!(error.why, Why::Damaged(_) | Why::NotAnIndex | Why::Version(_));
                assert!(told, "byte {at}: {error}");
            }
        }
    }
    // These lookups use every part of the index; between the parts are zeros.
    assert!(found > 2900, "{found}");
}

#[test]
fn damage_is_found_by_a_single_look_up_and_by_labels() {
    let (whole, asked) = middling(11);
    let entry = whole.windows(12).position(|part| part == &asked[0].as_bytes()[4..]).unwrap();
    let mut altered = whole;
    altered[entry] ^= 1;
    let error = open(altered.clone()).unwrap().find(&asked[0]).unwrap_err();
    assert_eq!(error.to_string(), "set.hmk: is damaged: a block of the entries (build it again)");
    let sets = |bytes| Sets::new(vec![open(bytes).unwrap()], Filter::default());
    assert!(sets(altered.clone()).query(&asked[0]).is_err());
    assert!(Classifier::new(sets(altered)).label(&mut [&mut record_of(&asked[0])]).is_err());
}

/// Returns the position of a section of this kind for digests of 16 bytes.
fn section(file: &[u8], kind: u8) -> std::ops::Range<usize> {
    let row = (32..).step_by(64).find(|row| file[*row] == kind && file[row + 4] == 16).unwrap();
    let long = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    long(row + 8)..long(row + 8) + long(row + 16)
}

#[test]
fn a_block_at_another_place_or_of_another_index_is_found_even_with_its_checksum() {
    let ((whole, asked), (other, _)) = (middling(11), middling(12));
    let right = answers(whole.clone(), &asked).unwrap();
    let (sizes, checks) = (section(&whole, 5), section(&whole, 6));
    let blocks = sizes.len() / 2 / 128;
    let first_check = checks.end - 4 * (blocks + 1);
    assert_eq!((sizes.len(), &sizes, &checks), (2000, &section(&other, 5), &section(&other, 6)), "alike");
    // Sizes of two bytes, 128 in a block.
    let moves: [(&[u8], usize, usize); 2] = [(&whole, 2, 5), (&other, 3, 3)];
    for (source, from, to) in moves {
        let mut altered = whole.clone();
        let bytes = &source[sizes.start + 256 * from..][..256];
        altered[sizes.start + 256 * to..][..256].copy_from_slice(bytes);
        let check = &source[first_check + 4 * from..][..4];
        altered[first_check + 4 * to..][..4].copy_from_slice(check);
        assert!(altered != whole);
        let error = answers(altered, &asked).map(|answers| answers == right).unwrap_err();
        assert!(error.to_string().contains("a block of the sizes"), "{error}");
    }
}

#[test]
fn every_cut_and_every_addition_is_found_at_opening() {
    let (whole, _) = small();
    for length in 0..whole.len() {
        assert!(open(whole[..length].to_vec()).is_err(), "{length} bytes");
    }
    let mut longer = whole;
    longer.push(0);
    assert!(matches!(open(longer).unwrap_err().why, Why::Damaged(_)));
}

#[test]
#[ignore = "campaign: takes long"]
fn random_damage_under_right_checksums_ends_in_an_error_or_an_answer() {
    // A forger can make the checksums right; the index must still not lead out of bounds.
    let (whole, digests) = small();
    let mut random = Random(8);
    for _ in 0..cases(20_000) {
        let mut forged = whole.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(HEADER - 16) % 700;
            forged[at] = [0, 1, 0x7f, 0xff, random.next() as u8][random.below(5)];
        }
        seal(&mut forged);
        if let Ok(index) = open(forged) {
            exercise(&index, &digests);
            let _ = index.verify();
        }
    }
}

#[test]
fn other_files_and_other_versions_say_what_they_are() {
    assert!(matches!(open(Vec::new()).unwrap_err().why, Why::NotAnIndex));
    assert!(matches!(open(b"SQLite format 3\0".to_vec()).unwrap_err().why, Why::NotAnIndex));
    let (mut future, _) = small();
    future[8] = 9;
    assert!(matches!(open(future).unwrap_err().why, Why::Version(9)));
    let missing = Index::open(Path::new("/nonexistent/set.hmk")).unwrap_err();
    assert!(missing.to_string().starts_with("/nonexistent/set.hmk: cannot open: "), "{missing}");
}

#[test]
fn an_empty_file_is_no_index() {
    let folder = Folder::new();
    let path = folder.file("set.hmk", "");
    assert!(matches!(Index::open(&path).unwrap_err().why, Why::NotAnIndex));
}

/// A large index is truncated while it is queried.
// Windows refuses to cut a file that is mapped.
#[cfg(unix)]
#[test]
fn an_index_that_is_cut_short_while_it_is_open_is_told_of() {
    let folder = Folder::new();
    let mut builder = Builder::new(&folder.at("set.hmk"), BuildOptions::default());
    let detail = builder.number(&Detail::new(Category::Bad, "list"));
    let mut random = Random(5);
    let digests: Vec<Digest> = (0..50_000).map(|_| random.digest(32)).collect();
    for digest in &digests {
        builder.add(algorithm(32), digest.as_bytes(), Annotation { detail, size: None }).unwrap();
    }
    builder.finish().unwrap();
    let whole = std::fs::read(folder.at("set.hmk")).unwrap();
    // After the header, in the middle, and within the last page.
    for length in [0, 5000, whole.len() / 2, whole.len() - 10] {
        let path = folder.file("copy.hmk", &whole);
        let sets = Sets::open(&[&path], Filter::default()).unwrap();
        let other = Index::open(&folder.at("set.hmk")).unwrap();
        assert!(sets.query(&digests[0]).unwrap().is_some());
        std::fs::File::options().write(true).open(&path).unwrap().set_len(length as u64).unwrap();
        let error = sets.query_all(&digests).unwrap_err();
        assert!(matches!(error.why, Why::Shrunk), "{error}");
        assert!(error.to_string().ends_with("copy.hmk: was truncated while it was read"), "{error}");
        assert!(matches!(sets.query(&digests[1]).unwrap_err().why, Why::Shrunk));
        assert!(matches!(sets.indexes()[0].verify().unwrap_err().why, Why::Shrunk | Why::Damaged(_)));
        let mut classifier = Classifier::new(sets);
        assert!(matches!(classifier.label(&mut [&mut record_of(&digests[7])]).unwrap_err().why, Why::Shrunk));
        // Other indexes are not affected.
        assert!(other.check().is_ok() && other.find_all(&digests).unwrap().iter().all(Option::is_some));
    }
    // When it is opened again, it is only damaged.
    assert!(matches!(Index::open(&folder.at("copy.hmk")).unwrap_err().why, Why::Damaged(_)));
}

/// Reads a map of another file after its end.
#[cfg(unix)]
#[allow(unsafe_code)]
fn touch_what_is_gone() {
    let folder = Folder::new();
    let path = folder.file("other", [1; 10_000]);
    // SAFETY: the file changes under the map, which is tested: the read below ends this process.
    let map = unsafe { memmap2::Mmap::map(&std::fs::File::open(&path).unwrap()).unwrap() };
    std::fs::File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
    drop(folder);
    println!("{}", std::hint::black_box(map[5000]));
}

/// Other faults go to the previous handler of the signal: here none, so the program is killed.
#[test]
#[cfg(unix)]
fn faults_of_others_are_left_to_them() {
    use std::os::unix::process::ExitStatusExt;
    const CHILD: &str = "HASHMILL_KNOWN_FAULT";
    if std::env::var_os(CHILD).is_some() {
        let folder = Folder::new();
        let path = folder.file("set.hmk", small().0);
        let _index = Index::open(&path).unwrap();
        drop(folder);
        touch_what_is_gone();
        return;
    }
    let mut child = hashmill_testing::this_program();
    child.args(["--exact", "damage::faults_of_others_are_left_to_them"]).env(CHILD, "1");
    assert_eq!(child.output().unwrap().status.signal(), Some(7));
}

#[test]
#[cfg(unix)]
fn a_pipe_is_no_index_and_not_waited_for() {
    let folder = Folder::new();
    assert!(std::process::Command::new("mkfifo").arg(folder.at("set.hmk")).status().unwrap().success());
    assert!(matches!(Index::open(&folder.at("set.hmk")).unwrap_err().why, Why::NotAnIndex));
}
