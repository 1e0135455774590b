//! Interoperability: transparency logs in Go read seals as checkpoints, and judge proofs like this crate.

use hashmill_digest::{Digest, find};
use hashmill_seal::tree::{Hasher, MerkleTree, TreeHead, is_extension, root_of_inclusion};
use hashmill_seal::{Nonce, Salts, SealOptions, Secret, seal};
use hashmill_testing::{installed, not_compared};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns the answers of the program in `transparency/`; `None` if it can't be built.
fn go(questions: &[Value]) -> Option<u64> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transparency");
    let compiler = installed("go")?;
    let go = || {
        let mut command = Command::new(&compiler);
        command.current_dir(&place).env("GOFLAGS", "-mod=readonly");
        command
    };
    let built = tempfile::tempdir().unwrap();
    let program = built.path().join("transparency");
    let made = go().args(["build", "-o"]).arg(&program).arg(".").output().unwrap();
    if !made.status.success() {
        let why = String::from_utf8_lossy(&made.stderr);
        // An error of the program itself does not mean missing modules.
        assert!(!why.contains("./main.go"), "{why}");
        not_compared(&format!("Go's modules of transparency logs ({})", why.trim()));
        return None;
    }
    let mut ran = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines: String = questions.iter().map(|question| format!("{question}\n")).collect();
    ran.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = ran.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).unwrap().trim().parse().unwrap())
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn texts(hashes: &[Digest]) -> Vec<String> {
    hashes.iter().map(|hash| base64(hash.as_bytes())).collect()
}

/// Returns a proof unchanged, and damaged in several ways.
fn spoilt(siblings: &[Digest], other: Digest) -> Vec<Vec<Digest>> {
    let mut all = vec![siblings.to_vec(), [siblings, &[other]].concat()];
    for at in 0..siblings.len() {
        let mut changed = siblings.to_vec();
        changed[at] = other;
        all.push(changed);
        let mut swapped = siblings.to_vec();
        swapped.rotate_left(at);
        all.push(swapped);
        all.push([&siblings[..at], &siblings[at + 1..]].concat());
    }
    all
}

#[test]
#[ignore = "campaign: needs go"]
fn transparency_logs_judge_proofs_alike() {
    let sha256 = find("sha256").unwrap();
    let hasher = Hasher::new(sha256);
    let leaves: Vec<Digest> = (0..20_u32).map(|number| hasher.one(&number.to_be_bytes())).collect();
    let mut questions = Vec::new();
    for count in 1..=leaves.len() {
        let mut tree = MerkleTree::new(sha256);
        tree.add_hashes(&leaves[..count], &(0..count).collect::<Vec<_>>());
        let whole = tree.finish();
        let records = count as u64;
        for tracked in &whole.tracked {
            let leaf = leaves[tracked.index as usize];
            for proof in spoilt(&tracked.siblings, leaves[19]) {
                for (index, records) in
                    [(tracked.index, records), (tracked.index, records + 1), (tracked.index / 2, records)]
                {
                    let holds = root_of_inclusion(&hasher, leaf, index, records, &proof) == Some(whole.root);
                    questions.push(json!({
                        "leaf": base64(leaf.as_bytes()), "index": index, "records": records,
                        "root": base64(whole.root.as_bytes()), "proof": texts(&proof), "holds": holds,
                    }));
                }
            }
        }
        for first in 1..=count {
            let mut tree = MerkleTree::since(sha256, Some(first as u64));
            tree.add_hashes(&leaves[..count], &[]);
            let earlier = tree.finish().earlier.unwrap();
            for proof in spoilt(&earlier.siblings, leaves[19]) {
                for (first, records) in [(first, count), (first, count + 1), (first.max(2) - 1, count)] {
                    let old = TreeHead { count: first as u64, root: earlier.root };
                    let new = TreeHead { count: records as u64, root: whole.root };
                    questions.push(json!({
                        "old": base64(earlier.root.as_bytes()), "first": first, "records": records,
                        "root": base64(whole.root.as_bytes()), "proof": texts(&proof),
                        "holds": is_extension(&hasher, old, new, &proof),
                    }));
                }
            }
        }
    }
    let holding = questions.iter().filter(|question| question["holds"] == true).count();
    assert!(holding >= 420 && questions.len() > 10 * holding / 2);
    if let Some(answered) = go(&questions) {
        assert_eq!(answered, questions.len() as u64);
    }
}

#[test]
#[ignore = "campaign: needs go"]
fn transparency_logs_read_seals_as_checkpoints() {
    let list = b"900150983cd24fb0d6963f7d28e17f72  a.txt\n0cc175b9c0f1b6a831c399e269772661  b\n";
    let secret = Secret::random().unwrap();
    let salted = Salts { secret: &secret, nonces: vec![Nonce { from: 0, bytes: [7; 32] }] };
    let mut questions = Vec::new();
    for (origin, salts) in [("hashmill", None), ("example.org/lab/7", Some(salted))] {
        let how = SealOptions { origin: origin.into(), salts, ..SealOptions::default() };
        let seal = seal(Box::new(&list[..]), &how).unwrap();
        questions.push(json!({
            "seal": String::from_utf8(seal.to_text()).unwrap(), "records": seal.records,
            "root": base64(seal.root.as_bytes()),
        }));
    }
    if let Some(answered) = go(&questions) {
        assert_eq!(answered, 2);
    }
}
