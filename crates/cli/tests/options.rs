//! Every option of every command acts, or is refused: a run with the option differs from one without it, or says why not.

use crate::case;
use crate::util::{Place, Ran, installed};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Command lines that work, one for each command. What they print is the same in every run.
const LINES: &[&str] = &[
    "hash | tree",
    "audit | -k m.jsonl other",
    "check | SHA256SUMS",
    "diff | tree other",
    "dupes | other",
    "convert | m.jsonl new.csv",
    "merge | m.jsonl n.jsonl",
    "report | m.jsonl",
    "known build | -o new.set --bad SHA256SUMS",
    "known info | set",
    "known query | -k set 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    "known match | -k set tree",
    "similar digest | -c ssdeep like",
    "similar compare | -c ssdeep like/one like/other",
    "similar pairs | -c ssdeep like",
    "similar search | -c ssdeep --against list.ssdeep like",
    "similar index build | -c ssdeep -o new.index like",
    "bag create | tree",
    "bag verify | bag",
    "image info | medium.dd",
    "image hash | medium.dd",
    "image export | medium.dd -o new.dd",
    "tree | -c git tree",
    "sign | m.jsonl --key id",
    "verify | SHA256SUMS --public-key id.pub",
    "seal create | n.jsonl",
    "seal verify | m.jsonl",
    "seal redact | m.jsonl --keep tree/a -o new.redacted",
    "proof create | m.jsonl tree/a",
    "proof verify | proof --seal-file m.jsonl.seal",
    "outboard create | medium.dd",
];

/// Options about how a run works and what it prints: they are not tried.
const HOW: &[&str] = &[
    "bwlimit", "force", "help", "io", "isa", "memory", "nice", "prefetch", "progress", "quiet", "stats",
    "threads", "timeout", "verbose",
];

/// Options that act on what a run meets: filters, limits, permissions, and choices that are usual ones here.
const IF_MET: &[&str] = &[
    "algorithms",
    "allow-remote",
    "allow-weak",
    "derive-key",
    "exclude",
    "exclude-from",
    "files-from",
    "follow",
    "gitignore",
    "hard-links",
    "hashignore",
    "ignore-missing",
    "ignore-signature",
    "ignore-timestamp",
    "images",
    "include",
    "info",
    "inside",
    "keyed",
    "key-format",
    "known-set",
    "length",
    "lossy",
    "manifest",
    "max-depth",
    "max-size",
    "max-unpacked",
    "min-size",
    "namespace",
    "newer",
    "no-recursion",
    "no-sparse",
    "one-file-system",
    "public-key",
    "raw",
    "records",
    "require",
    "reuse",
    "seal-file",
    "set",
    "signature",
    "ssdeep-long",
    "strict",
    "threshold",
    "verify",
    "warn",
    "good",
    "bad",
];

/// Returns a value for an option.
fn value(option: &str, command: &str) -> &'static str {
    match option {
        "algorithms" if command.starts_with("similar") => "ssdeep",
        "algorithms" if command == "tree" => "swhid",
        "algorithms" => "sha256",
        "allowed-signers" => "signers",
        "backing" | "exclude-from" | "output" | "signature" | "profile" | "price-list" | "update"
        | "from" | "old" | "secret" | "metrics" => "new.file",
        "bucket" | "region" | "derive-key" | "case" | "examiner" | "evidence" | "set" | "prefix"
        | "identity" => "word",
        "exclude" | "keep" | "hide" | "show" | "exclude-type" | "only-type" => "nothing",
        "files-from" => "/dev/null",
        "format" if command == "convert" || command == "merge" => "csv",
        "format" => "jsonl",
        "endpoint" => "http://127.0.0.1:1",
        "group" | "max-size" | "max-unpacked" | "shard-size" | "max-expanded" => "1G",
        "hash-type" | "name-is" | "column" => "sha256",
        "include" => "*",
        "info" => "Contact-Name=A",
        "inside" => "archives",
        "key" | "sign" => "id",
        "key-format" => "ssh",
        "keyed" => "key",
        "known-set" => "set",
        "length" | "max-depth" | "max-nesting" | "requests" | "records" | "max-ratio" | "max-members" => "16",
        "manifest" => "m.jsonl",
        "min-strength" => "crc",
        "namespace" => "git",
        "newer" => "1971-01-01",
        "order" => "any",
        "bad-blocks" => "zero",
        "origin" => "example.org/lab",
        "public-key" => "id.pub",
        "range" => "0..2",
        "reuse" => "old.jsonl",
        "root" | "old-root" | "expect" => "00",
        "seal-file" => "m.jsonl.seal",
        "sdhash-version" => "3.4",
        "serialization" => "shards",
        "store" => "git",
        "text" => "s3",
        "timestamp" => "foo",
        "to" => "s3-batch-manifest",
        "verify-time" => "20240101",
        "write" => "new=new.list",
        "against" | "base" | "model" => "tree",
        "good" | "bad" => "SHA256SUMS",
        "file" | "outboard" => "tree/a",
        "ignore" => "tree/a",
        _ => "1",
    }
}

/// Makes what the command lines name.
fn prepare(t: &Place) {
    for folder in ["tree", "other"] {
        t.file(format!("{folder}/a"), "hello").file(format!("{folder}/sub/b"), "abc".repeat(3000));
    }
    t.file("other/c", "c").file("other/d", "c").file("key", [7; 32]).file("medium.dd", [1; 40_000]);
    let noise: Vec<u8> = (0..20_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    t.file("like/one", &noise).file("like/other", [&noise[..], b"more"].concat());
    for line in [
        "hash -c sha256,blake3 -o m.jsonl tree",
        "hash -c sha256,blake3 -o n.jsonl other",
        "hash -c sha256,blake3 --metadata -o old.jsonl tree",
        "hash -c sha256 -o SHA256SUMS tree",
        "known build -o set --bad SHA256SUMS",
        "seal create m.jsonl",
        "proof create m.jsonl tree/a -o proof",
        "bag create -o bag tree",
        "similar digest -c ssdeep -o list.ssdeep like",
    ] {
        t.run(line).code(0);
    }
    t.shell("ssh-keygen -q -t ed25519 -N '' -f id && printf 'a@x %s\\n' \"$(cat id.pub)\" > signers").code(0);
    t.run("sign SHA256SUMS --key id").code(0);
}

/// Returns the options of a command, and whether they take a value.
fn options(t: &Place, command: &str) -> Vec<(String, bool)> {
    let help = t.run(&format!("{command} --help")).code(0);
    let text = String::from_utf8(help.stdout().to_vec()).unwrap();
    let lines = text.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let options = lines.filter_map(|line| {
        let rest = &line[line.find("--")? + 2..];
        let end =
            rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').unwrap_or(rest.len());
        Some((rest[..end].to_string(), rest[end..].starts_with(" <")))
    });
    options.collect()
}

/// Runs a command line in a copy of the place, and returns all that it leaves: exit code, outputs and files.
fn traces(t: &Place, line: &str) -> (Option<i32>, Vec<u8>, String, BTreeSet<String>) {
    let copy = Place::new();
    t.shell(&format!("cp -a . {}", copy.path("").display())).code(0);
    let ran: Ran = copy.run(line);
    let mut files = BTreeSet::new();
    add_files(&copy.path(""), &mut files);
    let here = copy.path("").display().to_string();
    (
        ran.exit(),
        ran.stdout().to_vec(),
        ran.stderr().replace(&here, ""),
        files.into_iter().map(|name| name.replace(&here, "")).collect(),
    )
}

fn add_files(folder: &Path, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            add_files(&path, files);
        } else {
            files.insert(path.display().to_string());
        }
    }
}

case!(every_option_acts_or_is_refused, |t| {
    if installed("ssh-keygen").is_none() {
        return;
    }
    prepare(t);
    let mut quiet = BTreeSet::new();
    for line in LINES {
        let (command, operands) = line.split_once(" | ").unwrap();
        let usual = traces(t, &format!("{command} {operands}"));
        assert!(matches!(usual.0, Some(0 | 1)), "{line}: {usual:?}");
        for (option, takes_value) in options(t, command) {
            if HOW.contains(&&*option) {
                continue;
            }
            let value = if takes_value { format!("={}", value(&option, command)) } else { String::new() };
            let found = traces(t, &format!("{command} {operands} --{option}{value}"));
            assert!(found.0.is_some(), "{command} --{option}: {}", found.2);
            if found == usual {
                assert!(
                    IF_MET.contains(&&*option),
                    "{command} --{option}{value} does nothing, and nothing says so"
                );
                quiet.insert(option);
            }
        }
    }
    let acting: Vec<_> = IF_MET.iter().filter(|option| !quiet.contains(**option)).collect();
    assert!(acting.is_empty(), "these are not without effect anywhere: {acting:?}");
});
