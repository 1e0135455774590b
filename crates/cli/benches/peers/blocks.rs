//! Digests made of blocks, of one file, and of trees: each beside the serial tools that people have for the same bytes.

use crate::cases::OURS;
use crate::corpus::{Corpus, Files};
use crate::{Case, tool};

/// Each by the tools that it is an answer to. Digests that no tool here has stand beside the hash that they are made of.
const FILES: &[(&str, &[&str])] = &[
    ("s3-etag", &["md5sum", "openssl dgst -md5"]),
    ("dropbox", &["sha256sum", "openssl dgst -sha256"]),
    ("glacier", &["sha256sum", "openssl dgst -sha256"]),
    ("bittorrent-v2", &["sha256sum", "openssl dgst -sha256"]),
    ("fs-verity", &["sha256sum", "openssl dgst -sha256", "fsverity digest"]),
    ("sha256tree", &["sha256sum", "openssl dgst -sha256"]),
    ("cid", &["sha256sum", "openssl dgst -sha256"]),
    ("hidrive", &["sha1sum", "openssl dgst -sha1"]),
    ("tth", &["rhash --tth"]),
    ("ed2k", &["rhash --ed2k"]),
    ("aich", &["rhash --aich"]),
    ("quickxor", &[]),
    ("crc64nvme", &[]),
];

pub fn cases(corpus: &Corpus) -> Vec<Case> {
    let file = corpus.path(Files::Large);
    let file = file.display();
    let mut cases: Vec<Case> =
        FILES.iter().map(|(algorithm, rivals)| blocks(corpus, algorithm, rivals)).collect();
    for (algorithm, size) in [("md5", "8M"), ("sha256", "8M"), ("sha256", "1M")] {
        cases.push(Case {
            name: format!("blocks, {algorithm} and its pieces of {size}"),
            files: Files::Large,
            tools: vec![
                tool("both", format!("{OURS} hash -f jsonl -c {algorithm} -p {size} {file}")),
                tool("whole alone", format!("{OURS} hash -f jsonl -c {algorithm} {file}")),
                tool(
                    "pieces alone",
                    format!("{OURS} hashdeep -c {algorithm} -p {} {file}", size.to_lowercase()),
                ),
            ],
            limit: None,
        });
    }
    let tree = corpus.path(Files::Sources);
    let tree = tree.display();
    cases.push(Case {
        name: "blocks, 50,000 files, git tree".to_string(),
        files: Files::Sources,
        tools: vec![
            tool("hashmill", format!("{OURS} tree -c git {tree}")),
            tool("git", format!("find {tree} -type f | git hash-object --stdin-paths")),
        ],
        limit: Some("git-blob".to_string()),
    });
    cases.push(Case {
        name: "blocks, 50,000 files, swhid".to_string(),
        files: Files::Sources,
        tools: vec![
            tool("hashmill", format!("{OURS} tree -c swhid {tree}")),
            tool("swh.model", format!("swh identify {tree}")),
        ],
        limit: Some("git-blob".to_string()),
    });
    cases
}

fn blocks(corpus: &Corpus, algorithm: &str, rivals: &[&str]) -> Case {
    let file = corpus.path(Files::Large);
    let file = file.display();
    let mut tools = vec![tool("hashmill", format!("{OURS} hash -f jsonl -c {algorithm} {file}"))];
    let rivals = rivals.iter().map(|command| tool(command, format!("{command} {file}")));
    tools.extend(rivals);
    Case {
        name: format!("blocks, {algorithm}"),
        files: Files::Large,
        tools,
        limit: Some(algorithm.to_string()),
    }
}
