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
    "allowed-signers",
    "derive-key",
    "exclude",
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
    "key-format",
    "keyed",
    "known-set",
    "length",
    "lossy",
    "manifest",
    "max-depth",
    "max-size",
    "max-unpacked",
    "min-size",
    "namespace",
    "new",
    "newer",
    "no-recursion",
    "no-sparse",
    "older",
    "one-file-system",
    "order",
    "public-key",
    "raw",
    "records",
    "require",
    "reuse",
    "seal-file",
    "set",
    "ssdeep-long",
    "strict",
    "threshold",
    "warn",
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
        "format" if command == "convert" => "bsd",
        "format" if command == "merge" || command == "known match" => "csv",
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
        "older" => "2999-01-01",
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

case!(
    #[ignore = "campaign: takes long"]
    every_option_acts_or_is_refused,
    |t| {
        if installed("ssh-keygen").is_none() {
            return;
        }
        prepare(t);
        let (mut quiet, mut silent) = (BTreeSet::new(), Vec::new());
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
                    if !IF_MET.contains(&&*option) {
                        silent.push(format!("{command} --{option}{value}"));
                    }
                    quiet.insert(option);
                }
            }
        }
        assert!(silent.is_empty(), "these do nothing, and nothing says so: {silent:?}");
        let acting: Vec<_> = IF_MET.iter().filter(|option| !quiet.contains(**option)).collect();
        assert!(acting.is_empty(), "these are not without effect anywhere: {acting:?}");
    }
);

case!(a_name_that_nothing_has_is_told, |t| {
    t.file("tree/a", "hello").file("other/a", "hullo").file("medium.dd", [1; 4096]).file("base.raw", "");
    t.run("hash -c sha256 -o m.jsonl tree").code(0);
    t.run("hash -c sha256 -f sums -o SUMS tree").code(0);
    t.run("known build -o set --bad m.jsonl --as mine SUMS").code(0);
    t.run("hash -c sha256,md5 -o two.jsonl tree").code(0);
    for line in ["convert -c sha256 two.jsonl x.csv", "merge -c sha512 m.jsonl"] {
        t.run(line).code(64).says(": has no effect: the lists name the algorithms of their digests");
    }
    t.run("convert -c sha256 SUMS x.csv").code(0);
    t.run("hash -c sha256 -f bsd -o BSD tree").code(0);
    t.run("check -c sha256 BSD").code(0);
    t.file("key", [7; 32]);
    for (line, code, option) in [
        ("check -c md5 BSD", 2, "-c md5"),
        ("check -c sha512 two.jsonl", 2, "-c sha512"),
        ("check --keyed key BSD", 2, "--keyed"),
        ("audit -c md5 -k BSD tree", 64, "-c md5"),
        ("audit -c sha512 -k two.jsonl", 64, "-c sha512"),
        ("audit --length 16 -k m.jsonl tree", 64, "--length"),
    ] {
        let said = format!("{option}: has no effect: the lists name the algorithms of their digests");
        t.run(line).code(code).says(&said);
    }
    for line in ["check -c sha256 SUMS", "check -c md5 two.jsonl BSD", "audit -c sha256 -k SUMS tree"] {
        t.run(line).code(0);
    }
    for line in
        ["diff --keyed key m.jsonl tree", "diff --length 16 tree m.jsonl", "diff -c sha256 m.jsonl tree"]
    {
        t.run(line).code(64).says("a manifest determines the algorithms");
    }
    t.run("hash --seal -o sealed.jsonl -c sha256 tree").code(0);
    t.run("proof create sealed.jsonl tree/a -o proof").code(0);
    let verify = "proof verify proof --seal-file sealed.jsonl.seal --file tree/a";
    t.run(verify).code(0);
    t.run(&format!("{verify} -c sha512")).code(2).says("-c sha512: has no effect");
    for line in ["hash --older 1990-01-01 tree", "hash --include A --ignore-case tree"] {
        t.run(line).code(0);
    }
    t.run("hash --newer 2020-01-01 --older 2019-01-01 tree").code(64).says("no time is after the one");
    for (options, said) in [
        ("--exclude-type Hacker", "--exclude-type: no product of these sets is of the type 'Hacker'"),
        ("--show baad", "--show: no set has the category 'baad'; did you mean 'bad'?"),
    ] {
        t.run(&format!("known match -k set {options} tree")).code(64).says(said);
    }
    t.run("known match -k set --show mine,unknown tree").code(1);
    t.run("hash --images --backing base.raw medium.dd").code(2).says("no image is a layer over base.raw");
    t.run("diff -c crc32 tree other").code(64).says("choose a cryptographic one");
    t.run("diff -c crc32,sha256 tree other").code(1);
    t.shell("HASHMILL_MAP=foo $hashmill hash tree")
        .code(64)
        .says("HASHMILL_MAP: 'foo' is none of try, always");
    t.shell("HASHMILL_THREADS=64 $hashmill explain tree").code(0);
});

case!(a_pattern_that_hides_or_shows_nothing_is_refused, |t| {
    t.file("tree/a", "a").file("tree/b", "b").run("hash -o m.jsonl --seal tree").code(0);
    for options in ["--keep none", "--keep tree/a --keep none", "--hide none"] {
        t.run(&format!("seal redact m.jsonl {options} -o red"))
            .code(64)
            .says("no record has a path that matches 'none'");
        assert!(!t.has("red"));
    }
    t.run("seal redact m.jsonl --keep a -o red").code(0);
});

case!(a_time_of_verification_needs_signers_with_dates, |t| {
    if installed("ssh-keygen").is_none() {
        return;
    }
    t.file("m", "")
        .shell(
            "ssh-keygen -q -t ed25519 -N '' -f id && key=$(cat id.pub) && \
        printf 'a@x %s\\n' \"$key\" > plain && printf 'a@x valid-after=\"20200101Z\" %s\\n' \"$key\" > dated",
        )
        .code(0);
    t.run("hash -o m.jsonl --sign id plain").code(0);
    t.run("verify m.jsonl --allowed-signers plain --verify-time 20240101")
        .code(64)
        .says("no signer has dates");
    t.run("verify m.jsonl --allowed-signers dated --verify-time 20240101").code(0);
    t.run("sign plain --key id --timestamp-response none").code(64).says("none");
    t.run("sign plain --key id --timestamp foo").code(64).says("not an address");
    assert!(!t.has("plain.sig"), "nothing is signed before all is known to be there");
});

case!(nonsense_is_refused_in_plain_words, |t| {
    t.file("tree/a", "a");
    for (line, said) in [
        ("hash --min-size 10K --max-size 1K tree", "no file has 10240 bytes or more and 1024 or fewer"),
        ("hash --include= tree", "an empty pattern matches nothing"),
        ("hash --exclude [ tree", "unclosed character class"),
        ("hash --max-depth x tree", "not a whole number"),
        ("hash --require 0 tree", "not a whole number from 1 on"),
        ("hash --length 65 tree", "not from 1 to 64"),
        ("convert -m 0 a b.csv", "at least 64K are needed"),
        ("known build --memory 1 -o s --bad a", "at least 64K are needed"),
        ("scrub tree --state s --budget 90", "a time with its unit"),
    ] {
        let ran = t.run(line).code(64).says(said);
        assert_eq!(ran.stderr().matches(said).count(), 1, "{line}");
        assert!(!ran.stderr().contains("digit found") && !ran.stderr().contains("non-zero"), "{line}");
    }
    t.file("r.json", "{\"verdict\":\"valid\",\"findings\":[]}")
        .run("report r.json")
        .code(64)
        .quiet_about("untagged");
});

case!(a_fifo_in_a_list_of_paths_is_not_waited_for, |t| {
    t.fifo("pipe").file("a", "a");
    t.feed("hash --files-from -", "a\npipe\n")
        .code(2)
        .prints(",a")
        .says("pipe: is neither a regular file nor");
});

case!(the_next_step_is_told, |t| {
    t.file("a", "a").file("doc.txt", "words").run("hash -f sums -c sha256 -o SUMS a").code(0);
    t.run("hash -c SUMS").code(64).says("'hashmill check SUMS'");
    t.run("verify SUMS").code(64).says("'hashmill check LIST'");
    t.run("hash --sha256 a").code(64).says("'hashmill hash -c sha256 a'");
    t.run("bag validate papers").code(64).says("'hashmill bag verify papers'");
    t.run("similar search -c ssdeep --against doc.txt a")
        .code(64)
        .says("hashmill similar digest -c ssdeep -o LIST FILE");
});
