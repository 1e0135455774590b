//! Digests equal those of the installed tools, over the same files.

use hashmill_digest::{find, hash};
use hashmill_testing::{Folder, Random, installed};
use std::path::PathBuf;
use std::process::Command;

/// A tool, its arguments before the file, and the row that must agree.
type Tool = (&'static str, &'static [&'static str], &'static str);

const TOOLS: &[Tool] = &[
    ("md5sum", &[], "md5"),
    ("sha1sum", &[], "sha1"),
    ("sha224sum", &[], "sha224"),
    ("sha256sum", &[], "sha256"),
    ("sha384sum", &[], "sha384"),
    ("sha512sum", &[], "sha512"),
    ("b2sum", &[], "blake2b-512"),
    ("b2sum", &["-l", "256"], "blake2b-256"),
    ("cksum", &[], "cksum"),
    ("cksum", &["-a", "sm3", "--untagged"], "sm3"),
    ("b3sum", &[], "blake3"),
    ("openssl", &["dgst", "-r", "-sha512-256"], "sha512-256"),
    ("openssl", &["dgst", "-r", "-sha3-224"], "sha3-224"),
    ("openssl", &["dgst", "-r", "-sha3-256"], "sha3-256"),
    ("openssl", &["dgst", "-r", "-sha3-384"], "sha3-384"),
    ("openssl", &["dgst", "-r", "-sha3-512"], "sha3-512"),
    ("openssl", &["dgst", "-r", "-shake128", "-xoflen", "32"], "shake128"),
    ("openssl", &["dgst", "-r", "-shake256", "-xoflen", "64"], "shake256"),
    ("openssl", &["dgst", "-r", "-blake2s256"], "blake2s-256"),
    ("openssl", &["dgst", "-r", "-rmd160"], "ripemd160"),
    ("openssl", &["dgst", "-r", "-sm3"], "sm3"),
    ("rhash", &["--simple", "--tiger"], "tiger"),
    ("rhash", &["--simple", "--whirlpool"], "whirlpool"),
    ("rhash", &["--simple", "--ripemd160"], "ripemd160"),
    ("rhash", &["--simple", "--gost12-256"], "streebog256"),
    ("rhash", &["--simple", "--gost12-512"], "streebog512"),
    ("rhash", &["--simple", "--crc32"], "crc32"),
    ("rhash", &["--simple", "--crc32c"], "crc32c"),
    ("rhash", &["--simple", "--sha3-256"], "sha3-256"),
    ("rhash", &["--simple", "--md4"], "md4"),
    ("rhash", &["--simple", "--ed2k"], "ed2k"),
    ("rhash", &["--simple", "--aich"], "aich"),
    ("rhash", &["--simple", "--tth"], "tth"),
    ("rhash", &["--simple", "--has160"], "has160"),
    ("rhash", &["--simple", "--edonr256"], "edonr256"),
    ("rhash", &["--simple", "--edonr512"], "edonr512"),
    ("rhash", &["--simple", "--snefru128"], "snefru128"),
    ("rhash", &["--simple", "--snefru256"], "snefru256"),
    ("rhash", &["--simple", "--gost94"], "gost94"),
    ("rhash", &["--simple", "--gost94-cryptopro"], "gost94-cryptopro"),
    ("b2sum", &["-l", "128"], "blake2b:16"),
    ("b2sum", &["-l", "8"], "blake2b:1"),
    ("b3sum", &["-l", "16"], "blake3:16"),
    ("b3sum", &["-l", "64"], "blake3:64"),
    ("git", &["hash-object", "--no-filters"], "git-blob"),
    ("fsverity", &["digest"], "fs-verity"),
    ("fsverity", &["digest", "--hash-alg=sha512"], "fs-verity-sha512"),
    ("tigerdeep", &[], "tiger"),
    ("whirlpooldeep", &[], "whirlpool"),
    ("xxhsum", &["-H32"], "xxh32"),
    ("xxhsum", &["-H64"], "xxh64"),
    ("xxhsum", &["-H128"], "xxh128"),
    ("xxhsum", &["-H3", "--tag"], "xxh3"),
];

/// Makes files with lengths around the buffer sizes of the tools.
fn files(folder: &Folder) -> impl Iterator<Item = (PathBuf, Vec<u8>)> {
    let lengths =
        [0, 1, 55, 64, 119, 128, 241, 1000, 1025, 4096, 8193, 65_536, 300_001, 9_728_000, 29_370_001];
    lengths.into_iter().map(|length| {
        let bytes = Random(length as u64).bytes(length);
        (folder.file(length.to_string(), &bytes), bytes)
    })
}

#[test]
#[ignore = "campaign: takes long"]
fn installed_tools_agree() {
    let folder = Folder::new();
    let files: Vec<_> = files(&folder).collect();
    for (tool, arguments, name) in TOOLS {
        let algorithm = find(name).unwrap();
        let Some(program) = installed(tool) else { continue };
        for (path, bytes) in &files {
            let output = Command::new(&program).args(*arguments).arg(path).output().unwrap();
            let output = String::from_utf8_lossy(&output.stdout);
            let expected = algorithm.format(&hash(algorithm, bytes));
            let found = output.split_whitespace().any(|word| word.eq_ignore_ascii_case(&expected));
            assert!(found, "{tool} {arguments:?} over {} bytes: {output}not {expected}", bytes.len());
        }
    }
}
