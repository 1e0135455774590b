//! `hashmill similar`, and likeness digests in `hash`.

mod compared;
mod index;
mod known;
mod lists;
mod records;
mod vectors;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

pub use hashmill_testing::Random;

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors/similarity");

/// Returns a file and its variants: bytes in, bytes out, bytes changed, an end off, two joined, one inside another.
pub fn family(numbers: &mut Random, length: usize) -> Vec<Vec<u8>> {
    let (base, other) = (numbers.bytes(length), numbers.bytes(length));
    let at = length / 4 + numbers.below(length / 2);
    let some = numbers.bytes(1 + length / 50);
    let mut replaced = base.clone();
    (0..5).for_each(|_| replaced[numbers.below(length)] ^= 0x55);
    vec![
        [&base[..at], &some, &base[at..]].concat(),
        [&base[..at], &base[at + some.len()..]].concat(),
        base[..at].to_vec(),
        [&base[..], &other].concat(),
        [&other[..at], &base, &other[at..]].concat(),
        replaced,
        base,
    ]
}

/// Families of several sizes below `tree`, and some files that are none.
pub fn families(t: &crate::util::Place) -> Vec<String> {
    let mut numbers = Random(17);
    let mut names = Vec::new();
    for (number, length) in [700, 4_000, 30_000, 150_000].into_iter().enumerate() {
        for (member, bytes) in family(&mut numbers, length).iter().enumerate() {
            names.push(format!("tree/{number}-{member}"));
            t.file(names.last().unwrap(), bytes);
        }
    }
    for (name, bytes) in [("empty", vec![]), ("tiny", vec![b'x'; 20]), ("plain", vec![0; 9000])] {
        names.push(format!("tree/{name}"));
        t.file(names.last().unwrap(), bytes);
    }
    names.sort();
    names
}

/// Returns the folder with the files of the vectors, made once for each run of the tests.
pub fn inputs() -> PathBuf {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("similarity");
        fs::create_dir_all(&folder).unwrap();
        let script = PathBuf::from(VECTORS).join("make_inputs.py");
        let status = Command::new("python3").arg(script).arg(&folder).output().unwrap().status;
        assert!(status.success());
        folder
    };
    MADE.get_or_init(make).clone()
}

/// Returns the rows of a table of the vectors, each as its cells.
pub fn table(name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(PathBuf::from(VECTORS).join(name)).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_string).collect()).collect()
}

/// Returns a stored output.
pub fn stored(name: &str) -> Vec<u8> {
    fs::read(PathBuf::from(VECTORS).join(name)).unwrap()
}
