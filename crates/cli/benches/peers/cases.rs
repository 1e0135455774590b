//! The cases that are compared.

use crate::corpus::{Corpus, Files};
use crate::{Case, blocks, tool};

/// All cases, those of the corpus' files.
pub fn cases(corpus: &Corpus) -> Vec<Case> {
    let mut cases = Vec::new();
    for (algorithm, rivals) in single_rivals() {
        cases.push(one_file(corpus, algorithm, rivals));
    }
    for algorithm in ["md5", "sha1", "sha256", "sha512", "blake3", "md5,sha1,sha256"] {
        cases.push(tree("10,000 x 2 KiB", corpus, Files::Small, algorithm));
        cases.push(tree("4,500 mixed", corpus, Files::Mixed, algorithm));
    }
    let file = corpus.path(Files::Large);
    let file = file.display();
    cases.push(Case {
        name: "one file, pieces of 1 MiB, sha256".to_string(),
        files: Files::Large,
        tools: vec![
            tool("hashmill", format!("{OURS} hashdeep -c sha256 -p 1m {file}")),
            tool("hashdeep", format!("hashdeep -c sha256 -p 1m {file}")),
        ],
        limit: Some("sha256".to_string()),
    });
    cases.extend(blocks::cases(corpus));
    cases
}

/// Our program.
pub const OURS: &str = env!("CARGO_BIN_EXE_hashmill");

/// For one file, by algorithm: the tools that know it.
fn single_rivals() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    vec![
        ("md5", vec![("openssl", "openssl dgst -md5"), ("md5sum", "md5sum"), ("rhash", "rhash --md5")]),
        ("sha1", vec![("openssl", "openssl dgst -sha1"), ("sha1sum", "sha1sum"), ("rhash", "rhash --sha1")]),
        (
            "sha256",
            vec![
                ("openssl", "openssl dgst -sha256"),
                ("sha256sum", "sha256sum"),
                ("rhash", "rhash --sha256"),
            ],
        ),
        (
            "sha512",
            vec![
                ("openssl", "openssl dgst -sha512"),
                ("sha512sum", "sha512sum"),
                ("rhash", "rhash --sha512"),
            ],
        ),
        ("sha3-256", vec![("openssl", "openssl dgst -sha3-256"), ("rhash", "rhash --sha3-256")]),
        ("blake2b-512", vec![("b2sum", "b2sum"), ("openssl", "openssl dgst -blake2b512")]),
        ("blake2s-256", vec![("openssl", "openssl dgst -blake2s256"), ("rhash", "rhash --blake2s")]),
        ("blake3", vec![("b3sum", "b3sum")]),
        ("ripemd160", vec![("rhash", "rhash --ripemd160")]),
        ("tiger", vec![("rhash", "rhash --tiger"), ("tigerdeep", "tigerdeep")]),
        ("whirlpool", vec![("rhash", "rhash --whirlpool")]),
        ("sm3", vec![("openssl", "openssl dgst -sm3"), ("cksum", "cksum -a sm3")]),
        ("streebog256", vec![("rhash", "rhash --gost12-256")]),
        ("crc32", vec![("rhash", "rhash --crc32")]),
        ("crc32c", vec![("rhash", "rhash --crc32c")]),
        ("cksum", vec![("cksum", "cksum")]),
        ("xxh32", vec![("xxhsum", "xxhsum -H0")]),
        ("xxh64", vec![("xxhsum", "xxhsum -H1")]),
        ("xxh128", vec![("xxhsum", "xxhsum -H2")]),
        (
            "md5,sha1,sha256",
            vec![("rhash", "rhash --md5 --sha1 --sha256"), ("hashdeep", "hashdeep -c md5,sha1,sha256")],
        ),
    ]
}

fn one_file(corpus: &Corpus, algorithm: &str, rivals: Vec<(&str, &str)>) -> Case {
    let file = corpus.path(Files::Large);
    let file = file.display();
    let mut tools = vec![tool("hashmill", format!("{OURS} hash -f sums -c {algorithm} {file}"))];
    tools.extend(rivals.into_iter().map(|(name, command)| tool(name, format!("{command} {file}"))));
    Case { name: format!("one file, {algorithm}"), files: Files::Large, tools, limit: None }
}

fn tree(name: &str, corpus: &Corpus, files: Files, algorithm: &str) -> Case {
    let at = corpus.path(files);
    let at = at.display();
    let mut tools = vec![tool("hashmill", format!("{OURS} hash -f sums -c {algorithm} {at}"))];
    let xargs = |program: &str| format!("find {at} -type f -print0 | xargs -0 -P2 -n 64 {program}");
    match algorithm {
        "blake3" => {
            tools.push(tool("b3sum", format!("find {at} -type f -print0 | xargs -0 -n 5000 b3sum")));
        }
        "md5,sha1,sha256" => {
            tools.push(tool("rhash", xargs("rhash --md5 --sha1 --sha256")));
            tools.push(tool("hashdeep", format!("hashdeep -r -j2 -c {algorithm} {at}")));
        }
        _ => {
            tools.push(tool(&format!("{algorithm}sum"), xargs(&format!("{algorithm}sum"))));
            tools.push(tool("rhash", xargs(&format!("rhash --{algorithm}"))));
        }
    }
    if ["md5", "sha1", "sha256"].contains(&algorithm) {
        tools.push(tool("hashdeep", format!("hashdeep -r -j2 -c {algorithm} {at}")));
    }
    if algorithm != "md5,sha1,sha256" {
        tools.push(tool("blazehash", format!("blazehash -r -c {algorithm} {at}")));
    }
    Case { name: format!("{name}, {algorithm}"), files, tools, limit: Some(algorithm.to_string()) }
}
