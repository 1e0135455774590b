//! Every option of every command acts, or is refused: a run with the option differs from one without it, or says why not.

use crate::case;
use crate::util::{Place, Ran, installed};
use hashmill_testing::{Random, cases};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Command lines that work, one for each way in which a command works. What they print is the same in every run.
const LINES: &[&str] = &[
    "hash | tree",
    "audit | -k m.jsonl tree other",
    "check | SHA256SUMS",
    "copy | tree copied",
    "copy | --manifest bag plain copied",
    "check | --name-is sha256 digests",
    "diff | tree other",
    "diff | m.jsonl n.jsonl",
    "diff | --roots m.jsonl n.jsonl",
    "dupes | tree other",
    "dupes | n.jsonl",
    "scrub | --state state --export new.jsonl",
    "convert | m.jsonl new.csv",
    "convert | --to s3-batch-manifest --bucket b m.jsonl new.csv",
    "merge | m.jsonl n.jsonl",
    "report | m.jsonl",
    "known build | -o new.set --bad SHA256SUMS",
    "known info | set",
    "known query | -k set 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    "known match | -k set tree",
    "known match | -k set --manifest m.jsonl",
    "similar digest | -c ssdeep like",
    "similar compare | -c ssdeep like/one like/other",
    "similar pairs | -c ssdeep like",
    "similar pairs | -c ssdeep --lists list.ssdeep",
    "similar search | -c ssdeep --against list.ssdeep like",
    "similar index build | -c ssdeep -o new.index like",
    "bag create | other",
    "bag update | bag",
    "bag verify | bag",
    "image info | medium.dd",
    "image hash | medium.dd",
    "image export | medium.dd -o new.dd",
    "image acquire | medium.dd -o new.dd",
    "tree | -c git other",
    "tree | -c model other",
    "sign | m.jsonl --key id",
    "verify | SHA256SUMS --public-key id.pub",
    "verify | SHA256SUMS --allowed-signers signers",
    "seal create | n.jsonl",
    "seal verify | m.jsonl",
    "seal redact | m.jsonl --keep tree/a -o new.redacted",
    "proof create | m.jsonl tree/a",
    "proof verify | proof --seal-file m.jsonl.seal",
    "outboard create | medium.dd",
];

/// Options about how a run works and what it prints: they are not tried. The order in which files finish is chance.
const HOW: &[&str] = &[
    "bwlimit", "force", "help", "io", "isa", "memory", "nice", "order", "prefetch", "progress", "quiet",
    "stats", "threads", "timeout", "verbose",
];

/// Permissions, and options about what is not among these files: bad lines, links, images, packed lists, signatures, weak evidence.
const UNMET: &[&str] = &[
    "allow-remote",
    "allow-weak",
    "bad-blocks",
    "hard-links",
    "ignore-missing",
    "ignore-signature",
    "ignore-timestamp",
    "images",
    "lossy",
    "max-unpacked",
    "min-strength",
    "new",
    "no-resume",
    "one-file-system",
    "raw",
    "records",
    "ssdeep-long",
    "strict",
    "verify-source",
    "warn",
];

/// Options with the value that a run has without them, or with one by which the result is the same.
const USUAL: &[&str] = &[
    "algorithms",
    "allowed-signers",
    "derive-key",
    "files-from",
    "follow",
    "format",
    "hash-type",
    "keep",
    "key-format",
    "keyed",
    "known-set",
    "length",
    "manifest",
    "prefix",
    "public-key",
    "reuse",
    "seal-file",
    "serialization",
    "signature",
];

/// Returns a value for an option.
fn value(option: &str, command: &str) -> &'static str {
    match option {
        "algorithms" if command.starts_with("similar") => "ssdeep",
        "algorithms" if command == "tree" => "swhid",
        "algorithms" => "sha256",
        "allowed-signers" => "signers",
        "backing" | "output" | "profile" | "price-list" | "update" | "from" | "old" | "secret"
        | "metrics" => "new.file",
        "bucket" | "region" | "derive-key" | "case" | "examiner" | "evidence" | "set" | "prefix"
        | "identity" | "description" | "notes" => "word",
        "exclude" => "*",
        "exclude-from" => "patterns",
        "hide" | "include" | "show" | "exclude-type" | "only-type" => "nothing",
        "facts" => "type",
        "yara" => "rules.yar",
        "pronom" => "droid.xml",
        "files-from" => "paths",
        "keep" => "tree/a",
        "signature" => "SHA256SUMS.sig",
        "format" if command == "convert" => "bsd",
        "format" if command == "copy" => "json",
        "manifest" if command == "copy" => "sums",
        "to" if command == "copy" => "copied.too",
        "format" if command == "merge" || command == "known match" => "csv",
        "format" => "jsonl",
        "endpoint" => "http://127.0.0.1:1",
        "group" | "min-size" | "max-unpacked" | "shard-size" | "max-expanded" => "1G",
        "hash-type" | "name-is" | "column" => "sha256",
        "info" => "Contact-Name=A",
        "inside" => "archives",
        "key" | "sign" => "id",
        "key-format" => "ssh",
        "keyed" => "key",
        "known-set" => "set",
        "length" | "max-nesting" | "requests" | "records" | "max-ratio" | "max-members" => "16",
        "manifest" => "m.jsonl",
        "max-depth" | "max-size" => "0",
        "min-strength" => "crc",
        "namespace" => "git",
        "newer" => "2999-01-01",
        "older" => "1971-01-01",
        "order" => "any",
        "bad-blocks" => "zero",
        "origin" => "example.org/lab",
        "public-key" => "id.pub",
        "range" => "0..2",
        "require" => "2",
        "reuse" => "old.jsonl",
        "root" | "old-root" | "expect" => "00",
        "seal-file" => "m.jsonl.seal",
        "sdhash-version" => "3.4",
        "serialization" => "shards",
        "store" => "git",
        "text" => "s3",
        "threshold" => "100",
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
    t.file("like/one", &noise)
        .file("like/other", [&noise[..], b"more"].concat())
        .file("like/sub/third", &noise);
    for folder in ["tree", "like"] {
        t.file(format!("{folder}/.hashignore"), "*").file(format!("{folder}/.gitignore"), "*");
        t.shell(&format!("ln -s ../other {folder}/link && tar -C other -cf {folder}/c.tar a")).code(0);
    }
    // A bag holds no links.
    t.file("plain/a", "hello")
        .file("plain/sub/b", "b")
        .file("plain/.hashignore", "*")
        .file("plain/.gitignore", "*");
    let extension = "<FileFormat ID='1' PUID='x-fmt/111'><Extension>txt</Extension></FileFormat>";
    t.file(
        "droid.xml",
        format!("<FFSignatureFile Version='1'><FileFormatCollection>{extension}</FileFormatCollection></FFSignatureFile>"),
    );
    t.file("rules.yar", "rule r { strings: $a = \"hello\" condition: $a }");
    t.file("patterns", "*").file("paths", "key");
    t.file("digests/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", "hello");
    for line in [
        "hash -c sha256,blake3 -o m.jsonl tree",
        "hash -c sha256,blake3 -o n.jsonl other",
        "hash -c sha256,blake3 --metadata -o old.jsonl tree",
        "hash -c sha256 -o SHA256SUMS tree",
        "known build -o set --bad SHA256SUMS",
        "seal create m.jsonl",
        "proof create m.jsonl tree/a -o proof",
        "bag create -o bag other",
        "scrub other --state state",
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

/// All that a run leaves: exit code, outputs, and the contents of files.
#[derive(Debug, PartialEq)]
struct Traces {
    code: Option<i32>,
    output: Vec<u8>,
    error: String,
    files: BTreeMap<String, Vec<u8>>,
}

/// Runs a command line in a copy of the place.
fn traces(t: &Place, line: &str) -> Traces {
    let copy = Place::new();
    t.shell(&format!("cp -a . {}", copy.path("").display())).code(0);
    let mut command = copy.command(line);
    // An index has the time of its making.
    command.env("SOURCE_DATE_EPOCH", "5");
    let ran: Ran = copy.ran(command, line);
    let here = copy.path("").display().to_string();
    let mut files = BTreeMap::new();
    add_files(&copy.path(""), &here, &mut files);
    let (output, error) = (ran.stdout().to_vec(), ran.stderr().replace(&here, ""));
    Traces { code: ran.exit(), output, error, files }
}

fn add_files(folder: &Path, above: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match entry.file_type().unwrap().is_dir() {
            true => add_files(&path, above, files),
            false => {
                files.insert(
                    path.display().to_string().replace(above, ""),
                    fs::read(&path).unwrap_or_default(),
                );
            }
        }
    }
}

impl Traces {
    /// Keeps only the names of files, whose contents differ from run to run.
    fn without_contents(mut self) -> Traces {
        self.files.values_mut().for_each(Vec::clear);
        self
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
            let run = || traces(t, &format!("{command} {operands}"));
            let (usual, again) = (run(), run());
            assert!(matches!(usual.code, Some(0 | 1)), "{line}: {}", usual.error);
            let is_stable = usual == again;
            let told = |traces: Traces| if is_stable { traces } else { traces.without_contents() };
            let usual = told(usual);
            assert_eq!(usual, told(again), "{line}");
            for (option, takes_value) in options(t, command) {
                if HOW.contains(&&*option) {
                    continue;
                }
                let value = if takes_value { format!("={}", value(&option, command)) } else { String::new() };
                let found = told(traces(t, &format!("{command} {operands} --{option}{value}")));
                assert!(found.code.is_some(), "{command} --{option}: {}", found.error);
                if found == usual {
                    if !UNMET.contains(&&*option) && !USUAL.contains(&&*option) {
                        silent.push(format!("{command} {operands} --{option}{value}"));
                    }
                    quiet.insert(option);
                }
            }
        }
        assert!(silent.is_empty(), "these do nothing, and nothing says so: {silent:?}");
        let acting: Vec<_> = UNMET.iter().chain(USUAL).filter(|option| !quiet.contains(**option)).collect();
        assert!(acting.is_empty(), "these are not without effect anywhere: {acting:?}");
    }
);

case!(
    #[ignore = "campaign: random pairs of options"]
    every_pair_of_options_ends_as_documented,
    |t| {
        if installed("ssh-keygen").is_none() {
            return;
        }
        prepare(t);
        let mut random = Random(11);
        for line in LINES {
            let (command, operands) = line.split_once(" | ").unwrap();
            let options: Vec<String> = options(t, command)
                .into_iter()
                // A byte a second takes long.
                .filter(|(option, _)| !["help", "bwlimit"].contains(&&**option))
                .map(|(option, takes_value)| match takes_value {
                    true => format!("--{option}={}", value(&option, command)),
                    false => format!("--{option}"),
                })
                .collect();
            for _ in 0..cases(8) {
                let (one, other) = (random.pick(&options), random.pick(&options));
                let found = traces(t, &format!("{command} {operands} {one} {other}"));
                let is_documented = matches!(found.code, Some(0 | 1 | 2 | 64));
                // A run that gives nothing says why.
                let is_told = found.code == Some(0) || !found.error.is_empty() || !found.output.is_empty();
                let is_quiet = [one, other].contains(&&"--quiet".to_string());
                assert!(
                    is_documented && (is_told || is_quiet) && !found.error.contains("panicked"),
                    "{command} {operands} {one} {other}: {:?} {}",
                    found.code,
                    found.error
                );
            }
        }
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
        ("bench cycles --iterations x", "not a whole number"),
        ("bench cycles --iterations 0", "not from 1 to 1000000000000"),
    ] {
        let ran = t.run(line).code(64).says(said);
        assert_eq!(ran.stderr().matches(said).count(), 1, "{line}");
        assert!(!ran.stderr().contains("digit found") && !ran.stderr().contains("non-zero"), "{line}");
    }
    let ran = t.run("hash -o m.jsonl --price-list none tree").code(64).says("cannot read: No such file");
    ran.quiet_about("os error");
    t.run("hash -o m.jsonl tree").code(0);
    t.run("audit -k m.jsonl --update none/next tree").code(2).quiet_about("at path").quiet_about("partial");
    t.file("r.json", "{\"verdict\":\"valid\",\"findings\":[]}")
        .run("report r.json")
        .code(64)
        .quiet_about("untagged");
});

case!(a_fifo_is_waited_for_as_long_as_a_file, |t| {
    t.fifo("pipe").file("a", "a").run("hash -o m.jsonl a").code(0);
    let waits = "$hashmill convert pipe x.csv & $hashmill known build -o s --bad pipe & \
                 $hashmill hash --keyed pipe a & $hashmill diff --roots m.jsonl pipe & wait";
    let ran = t.shell(waits).code(0);
    let told = "it is a FIFO, and no program opened it to write within 5 s";
    assert_eq!(ran.stderr().matches(told).count(), 4, "{}", ran.stderr());
    t.shell("cat m.jsonl > pipe & $hashmill convert pipe - -f sums --lossy").code(0).prints("  a\n");
    t.shell("cat m.jsonl | $hashmill convert /dev/stdin - -f sums --lossy").code(0).prints("  a\n");
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
    t.file("SUMS.asc", "").shell("ssh-keygen -q -t ed25519 -N '' -f id").code(0);
    t.run("verify SUMS --public-key id.pub").code(1).says("signers; gpg --verify checks SUMS.asc");
    t.run("hash --sha256 a").code(64).says("'hashmill hash -c sha256 a'");
    t.run("bag validate papers").code(64).says("'hashmill bag verify papers'");
    t.file("i.csv", format!("indicator_value,kind\n{},x\n", "a".repeat(64)));
    t.run("known build -o set --bad i.csv").code(2).says("--column NAME");
    t.run("known build -o set --bad i.csv --column indicator_value").code(0).quiet_about("--column");
    t.run("similar search -c ssdeep --against doc.txt a")
        .code(64)
        .says("hashmill similar digest -c ssdeep -o LIST FILE");
});

case!(an_empty_value_is_refused_by_the_name_of_its_option, |t| {
    t.file("a", "a");
    for option in ["--case=", "--isa=", "--examiner="] {
        let told = format!("{} an empty value says nothing", option.replace('=', ":"));
        t.run(&format!("hash {option} a")).code(64).says(&told);
    }
    t.run("tree -c dirhash --prefix= .").code(0);
});
