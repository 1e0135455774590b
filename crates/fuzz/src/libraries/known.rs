//! Indexes, and their inputs, from any bytes: an error or an index, no panic, and no files left behind.

use hashmill_digest::Digest;
use hashmill_known::{Answer, BuildOptions, Category, Error, Filter, Index, Input, Sets, Strictness, build};
use hashmill_testing::Random;
use hashmill_testing::index::seal;
use std::path::{Path, PathBuf};

/// A small database in the NSRL's format.
const DATABASE: &[u8] = include_bytes!("../../../../fuzz/corpus/known_rds/small");

/// A small index.
const INDEX: &[u8] = include_bytes!("../../../../fuzz/corpus/known_index/small");

/// The number of random digests in it.
const KNOWN: usize = 40;

/// Opens these bytes as an index, and again with corrected checksums, as an attacker would make them.
pub fn index(data: &[u8]) {
    ask(data.to_vec());
    let mut sealed = data.to_vec();
    if seal(&mut sealed) {
        ask(sealed);
    }
}

/// Flips up to five bits of an index, each given by its position (two bytes) and number. This few are always detected,
/// so any answer must be right or an error.
pub fn damage(data: &[u8]) {
    let mut altered = INDEX.to_vec();
    for flip in data.chunks_exact(3).take(5) {
        let at = usize::from(u16::from_le_bytes([flip[0], flip[1]])) % altered.len();
        altered[at] ^= 1 << (flip[2] % 8);
    }
    let asked = asked();
    let right = answers(INDEX.to_vec(), &asked).expect("the index is whole");
    assert_eq!(right.iter().flatten().count(), KNOWN + 1);
    if let Ok(answers) = answers(altered, &asked) {
        assert_eq!(answers, right);
    }
}

/// Returns the digests of [`INDEX`], and as many others: the MD5 of "abc", and random ones of 16 and 20 bytes.
fn asked() -> Vec<Digest> {
    let mut random = Random(1);
    let abc = Digest::from_hex(b"900150983cd24fb0d6963f7d28e17f72").expect("a digest");
    let others = (0..2 * KNOWN).map(|number| random.digest([16, 20][number % 2]));
    std::iter::once(abc).chain(others).collect()
}

fn answers(index: Vec<u8>, asked: &[Digest]) -> Result<Vec<Option<Answer>>, Error> {
    let index = Index::from_bytes(Path::new("set.hmk"), index)?;
    Sets::new(vec![index], Filter::default()).query_all(asked)
}

/// Builds from a database, which SQLite reads.
pub fn rds(data: &[u8]) {
    compile(&[("rds.db", data)], 1);
}

/// Builds from an archive.
pub fn zip(data: &[u8]) {
    compile(&[("x.zip", data)], 1);
}

/// Builds from a delta after a database.
pub fn delta(data: &[u8]) {
    compile(&[("rds.db", DATABASE), ("delta.sql", data)], 2);
}

/// Builds from lists and tables of any kind; zeros separate an `NSRLFile.txt` from its tables of products.
pub fn products(data: &[u8]) {
    let names = ["NSRLFile.txt", "NSRLMfg.txt", "NSRLOS.txt", "NSRLProd.txt"];
    let parts = data.splitn(names.len(), |byte| *byte == 0);
    compile(&names.into_iter().zip(parts).collect::<Vec<_>>(), 1);
}

/// Builds an index of the first `inputs` files; the others are in the same folder.
fn compile(files: &[(&str, &[u8])], inputs: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.path().join(name)).collect();
    for (path, (_, content)) in paths.iter().zip(files) {
        std::fs::write(path, content).expect("room for an input");
    }
    let target = folder.path().join("set.hmk");
    let inputs: Vec<Input> = paths.iter().take(inputs).map(|path| Input::new(path, Category::Bad)).collect();
    let options = BuildOptions { memory: 1 << 20, ..BuildOptions::default() };
    let built = build(&target, &inputs, &options, Strictness::Lenient, &mut |_, _| {});
    let left = std::fs::read_dir(folder.path()).expect("the folder").count() - files.len();
    match built {
        Ok(about) => {
            let index = Index::open(&target).expect("what was built");
            index.verify().expect("what was built is whole");
            assert_eq!((index.about(), left), (&about, 1));
        }
        Err(error) => {
            assert_eq!(left, 0, "{error}");
            assert!(!error.to_string().is_empty());
        }
    }
}

/// Makes all kinds of queries to an index.
fn ask(bytes: Vec<u8>) {
    let asked: Vec<Digest> = bytes
        .chunks(16)
        .step_by(3)
        .take(200)
        .flat_map(|part| {
            [8, 16, 20, 32, 64].map(|length| Digest::new(&part.repeat(64 / part.len() + 1)[..length]))
        })
        .collect();
    let Ok(index) = Index::from_bytes(Path::new("set.hmk"), bytes) else { return };
    let _ = (index.verify(), index.identity(), index.about().tables.len());
    for hit in asked.iter().filter_map(|digest| index.find(digest).ok().flatten()) {
        let _ = (index.detail(hit), index.size(hit));
    }
    let _ = index.find_all(&asked);
    let sets = Sets::new(vec![index], Filter::default());
    asked.iter().for_each(|digest| drop(sets.query(digest)));
}
