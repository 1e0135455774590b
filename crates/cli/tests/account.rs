//! The account over the commands: what has bytes is hashed or told, wherever it lies and whatever it is called, and exit
//! code 0 means that nothing was passed over.
//!
//! Each case makes a tree with payloads in files, in archives under every mode, and below odd names, and knows all of
//! them. Whatever a command says of the tree is compared with that.

use crate::util::{ODD, Place, Ran, digest};
use hashmill_testing::samples::zip::{Member, archive, member};
use hashmill_testing::{Random, cases, is_name};
use serde_json::Value;
use std::collections::BTreeSet;

/// Modes that the header of a member can claim; each comes with stored bytes.
const MODES: [u32; 8] =
    [0o100_644, 0o120_777, 0o010_644, 0o020_644, 0o060_644, 0o140_644, 0o000_644, 0o150_644];

/// A tree below `tree`, and the SHA-256 of all that has bytes in it.
struct OddTree {
    payloads: BTreeSet<String>,
    /// The paths of files that hold payloads themselves.
    files: Vec<String>,
    random: Random,
}

impl OddTree {
    fn new(t: &Place, seed: u64) -> OddTree {
        let mut tree = OddTree { payloads: BTreeSet::new(), files: Vec::new(), random: Random(seed) };
        for number in 0..3 + tree.random.below(8) {
            let name = tree.name(number);
            match tree.random.below(8) {
                0 => drop(t.fifo(&format!("tree/fifo{number}"))),
                1 => drop(t.link(&format!("tree/link{number}"), "nowhere")),
                2 => tree.zip(t, &format!("tree/{number}.zip")),
                3 => tree.tar(t, &format!("tree/{number}.tar")),
                _ => tree.file(t, &name),
            }
        }
        tree.file(t, "tree/plain.bin");
        tree.zip(t, "tree/plain.zip");
        tree
    }

    /// Returns a path for a file, some in folders and some odd.
    fn name(&mut self, number: usize) -> String {
        let odd: Vec<&str> =
            ODD.iter().filter(|name| is_name(name)).filter_map(|name| str::from_utf8(name).ok()).collect();
        let folder = if self.random.one_in(3) { format!("tree/f{number}/.hidden") } else { "tree".into() };
        format!("{folder}/{number}{}", self.random.pick(&odd))
    }

    fn payload(&mut self) -> Vec<u8> {
        let length = 1 + self.random.below(3000);
        let content = self.random.bytes(length);
        self.payloads.insert(digest("sha256", &content));
        content
    }

    fn file(&mut self, t: &Place, path: &str) {
        let content = self.payload();
        t.file(path, content);
        self.files.push(path.into());
    }

    fn zip(&mut self, t: &Place, path: &str) {
        let members: Vec<Member> = (0..1 + self.random.below(4))
            .map(|number| {
                let (content, mode) = (self.payload(), *self.random.pick(&MODES));
                Member { mode, deflated: self.random.one_in(2), ..member(&format!("m{number}"), content) }
            })
            .collect();
        self.held(t, path, archive(&members));
    }

    fn tar(&mut self, t: &Place, path: &str) {
        let mut bytes = Vec::new();
        for number in 0..1 + self.random.below(4) {
            let content = self.payload();
            bytes.extend(header(&format!("m{number}"), content.len()));
            bytes.extend(&content);
            bytes.resize(bytes.len().next_multiple_of(512), 0);
        }
        bytes.resize(bytes.len() + 1024, 0);
        self.held(t, path, bytes);
    }

    /// Writes an archive, which is a payload itself.
    fn held(&mut self, t: &Place, path: &str, bytes: Vec<u8>) {
        self.payloads.insert(digest("sha256", &bytes));
        t.file(path, bytes);
    }
}

/// Returns the header of a file in a tar (POSIX.1-1988, ustar).
fn header(name: &str, size: usize) -> [u8; 512] {
    let mut block = [0; 512];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[100..108].copy_from_slice(b"0000644\0");
    block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    block[148..156].copy_from_slice(b"        ");
    block[156] = b'0';
    block[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// Returns the digests of records whose status is `hashed`.
fn hashed(ran: &Ran) -> BTreeSet<String> {
    let lines = str::from_utf8(ran.stdout()).unwrap().lines();
    let records = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter_map(|record| record["sha256"].as_str().map(String::from)).collect()
}

fn each_tree(test: impl Fn(&Place, &mut OddTree)) {
    for seed in 0..cases(6) as u64 {
        let t = Place::new();
        let mut tree = OddTree::new(&t, seed);
        test(&t, &mut tree);
    }
}

#[test]
fn what_has_bytes_is_hashed_or_told() {
    each_tree(|t, tree| {
        let ran = t.run("hash -c sha256 --inside archives -f jsonl --stats=json tree");
        let found = hashed(&ran);
        let lost: Vec<_> = tree.payloads.difference(&found).collect();
        assert!(lost.is_empty() || ran.exit() == Some(2), "{lost:?}\n{}", ran.stderr());
        assert!(lost.is_empty(), "{lost:?} {}", ran.stderr());
    });
}

#[test]
fn a_known_bad_payload_is_found_wherever_it_lies() {
    each_tree(|t, tree| {
        let payloads: Vec<String> = tree.payloads.iter().cloned().collect();
        let bad = tree.random.pick(&payloads).clone();
        t.file("bad", format!("{bad}\n"));
        t.run("known build -o set.hmk --bad bad").code(0);
        let ran = t.run("known match -k set.hmk --inside archives --show bad tree");
        assert_eq!(ran.exit(), Some(1), "{bad}: {}", ran.stderr());
    });
}

#[test]
fn each_change_of_content_is_a_difference() {
    each_tree(|t, tree| {
        t.run("hash -c sha256 --inside archives -f jsonl -o m.jsonl tree").code(0);
        t.run("hash -c sha256 -f sums -o sums tree").code(0);
        t.shell("cp -a tree before").code(0);
        t.run("audit -k m.jsonl --inside archives tree").code(0);
        t.run("diff --inside archives before tree").code(0);
        t.run("check sums").code(0);
        let files = tree.files.clone();
        let path = tree.random.pick(&files).clone();
        let before = t.read(&path);
        let mut changed = before.clone();
        let at = tree.random.below(changed.len());
        changed[at] ^= 1;
        t.file(&path, changed);
        t.run("audit -k m.jsonl --inside archives tree").code(1);
        t.run("diff --inside archives before tree").code(1);
        t.run("check sums").code(1);
        t.file(&path, before).file("tree/added", "added");
        t.run("audit -k m.jsonl --inside archives tree").code(1).prints("added");
        t.remove("tree/added").remove(&path);
        t.run("audit -k m.jsonl --inside archives tree").code(1).prints("missing");
        t.run("check sums").code(1);
    });
}

#[test]
#[cfg(target_os = "linux")]
fn an_output_that_is_not_written_is_told() {
    each_tree(|t, _| {
        t.run("hash -c sha256 -f jsonl -o m.jsonl tree").code(0);
        for line in [
            "hash tree",
            "audit -vv -k m.jsonl tree",
            "check m.jsonl",
            "diff -v m.jsonl tree",
            "convert m.jsonl -f csv -",
        ] {
            let full = t.shell(&format!("$hashmill {line} > /dev/full"));
            assert!(full.exit().is_some_and(|code| code != 0), "{line}: {}", full.stderr());
        }
    });
}
