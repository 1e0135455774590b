//! `hashmill check` beside the programs whose lists it reads: the same made-up lists, right ones and damaged ones, with
//! the same verdict for each line, and exit codes of the same class.

use crate::case;
use crate::util::{Place, installed, is_root, tested};
use hashmill_digest::{find, hash};
use hashmill_testing::{Random, cases, not_possible};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// Lists for each program.
const ROUNDS: usize = 5;

/// Names that every one of the programs can read in a list; those of coreutils read any others, too.
const PLAIN: &[&[u8]] =
    &[b"plain", b"with space", b"comma,s", b"(paren) = x", b"sub/file", b"%%%% x", b"x: OK"];
/// Without a name that has a backslash only: in results we mark and escape it as in lists, coreutils does not.
const ODD: &[&[u8]] = &[
    b" leading",
    b"trailing ",
    b"new\nline",
    b"tab\there",
    b"*star",
    b"#hash",
    b"latin1-\xf6",
    b"\xff\xfe",
    b"esc\x1b[31m",
    b"evil: OK\nplain",
];

fn tree(t: &Place, names: &[&[u8]]) {
    for name in names {
        t.file([b"tree/", *name].concat(), [b"content of ", *name].concat());
    }
    t.file("tree/empty", "").file("tree/folder/x", "").file("tree/secret", "secret");
    fs::set_permissions(t.path("tree/secret"), fs::Permissions::from_mode(0o000)).unwrap();
}

fn escaped(name: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for byte in name {
        match byte {
            b'\\' => text.extend_from_slice(b"\\\\"),
            b'\n' => text.extend_from_slice(b"\\n"),
            _ => text.push(*byte),
        }
    }
    text
}

/// One line about a file: mostly right, else wrong in some way.
fn line(t: &Place, chance: &mut Random, names: &[&[u8]], (algorithm, tag): (&str, Option<&str>)) -> Vec<u8> {
    let mut name = [b"tree/", names[chance.below(names.len())]].concat();
    match chance.below(12) {
        0 => name = b"tree/not there".to_vec(),
        1 => name = b"tree/folder".to_vec(),
        2 => name = b"tree/secret".to_vec(),
        3 => name = b"tree/empty".to_vec(),
        _ => {}
    }
    let content = fs::read(t.path(&name)).unwrap_or_default();
    let mut digest = hash(find(algorithm).unwrap(), &content).to_string().into_bytes();
    if chance.one_in(5) {
        let at = chance.below(digest.len());
        digest[at] = if digest[at] == b'0' { b'1' } else { b'0' };
    }
    if tag.is_some() && chance.one_in(6) {
        digest.make_ascii_uppercase();
    }
    if chance.one_in(10) {
        name = t.path(&name).as_os_str().as_encoded_bytes().to_vec();
    }
    let text = escaped(&name);
    let mark: &[u8] = if text == name { b"" } else { b"\\" };
    let mut line = match tag.filter(|_| chance.one_in(4)) {
        Some(tag) => [mark, tag.as_bytes(), b" (", &text, b") = ", &digest].concat(),
        None => {
            [mark, &digest, if tag.is_some() && chance.one_in(3) { b" *" } else { b"  " }, &text].concat()
        }
    };
    if chance.one_in(12) {
        line.truncate(chance.below(30));
        line.push(b'!');
    }
    line.push(b'\n');
    line
}

fn list(t: &Place, chance: &mut Random, names: &[&[u8]], algorithm: (&str, Option<&str>)) -> Vec<u8> {
    let first = hash(find(algorithm.0).unwrap(), b"").to_string();
    let mut text = format!("{first}  tree/empty\n").into_bytes();
    for _ in 0..30 {
        let next = line(t, chance, names, algorithm);
        let times = if chance.one_in(8) { 2 } else { 1 };
        text.extend(next.repeat(times));
        if algorithm.1.is_some() && chance.one_in(9) {
            text.extend_from_slice(b"# a comment\n");
        }
    }
    text
}

/// Runs both as a user without the rights of root; returns the output of each, its code, and our messages.
fn both(t: &Place, peer: &str, ours: &str) -> Option<[(Vec<u8>, i32, String); 2]> {
    let nobody: &[&str] = &["--reuid=65534", "--regid=65534", "--clear-groups"];
    let start = |program: &std::path::Path, args: &str| {
        let mut command = match is_root() {
            true => {
                let mut command = Command::new(installed("setpriv")?);
                command.args(nobody).arg(program);
                command
            }
            false => Command::new(program),
        };
        command.args(args.split_whitespace()).current_dir(t.path("")).env("LC_ALL", "C");
        command.env("XDG_CONFIG_HOME", t.path("settings"));
        Some(command.output().unwrap())
    };
    let (program, args) = peer.split_once(' ').unwrap();
    let theirs = start(&installed(program)?, args)?;
    let own = start(tested().as_ref(), ours)?;
    let result = |output: std::process::Output| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        output.status.code().map(|code| (output.stdout, code, said))
    };
    Some([result(theirs)?, result(own)?])
}

/// Returns whether the two exit codes mean the same: theirs has one for all that is wrong, and none for lines that are
/// not understood.
fn agree(theirs: i32, ours: i32, said: &str, verdicts: &[u8]) -> bool {
    let failed = verdicts.windows(8).any(|window| window == b": FAILED");
    match ours {
        0 => theirs == 0,
        1 => theirs != 0,
        2 => (theirs != 0) == failed || said.contains("improperly formatted"),
        _ => false,
    }
}

/// Returns whether others may look into the place, and run our program. That they may not is noted.
fn opened(t: &Place) -> bool {
    fs::set_permissions(t.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    if !is_root() {
        return true;
    }
    let Some(setpriv) = installed("setpriv") else { return false };
    let mut command = Command::new(setpriv);
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", tested(), "--version"]);
    let succeeded = command.output().unwrap().status.success();
    if !succeeded {
        not_possible("running as another user");
    }
    succeeded
}

case!(verdicts_of_coreutils_over_made_up_lists, |t| {
    let names = [PLAIN, ODD].concat();
    tree(t, &names);
    if !opened(t) {
        return;
    }
    for (tool, algorithm, tag) in [
        ("md5sum", "md5", "MD5"),
        ("sha1sum", "sha1", "SHA1"),
        ("sha224sum", "sha224", "SHA224"),
        ("sha256sum", "sha256", "SHA256"),
        ("sha384sum", "sha384", "SHA384"),
        ("sha512sum", "sha512", "SHA512"),
        ("b2sum", "blake2b-512", "BLAKE2b"),
    ] {
        for round in 0..cases(ROUNDS) as u64 {
            let mut chance = Random(round + 1000 * tool.len() as u64);
            t.file("list", list(t, &mut chance, &names, (algorithm, Some(tag))));
            let options = ["", "--quiet", "--ignore-missing", "--status", "-w"][chance.below(5)];
            let [theirs, ours] = match both(
                t,
                &format!("{tool} -c {options} list"),
                &format!("check -c {algorithm} {options} list"),
            ) {
                Some(both) => both,
                None => break,
            };
            let what = format!("{tool} {options} {round}\n{}\n--- ours\n{}", theirs.2, ours.2);
            assert_eq!(String::from_utf8_lossy(&theirs.0), String::from_utf8_lossy(&ours.0), "{what}");
            let silent = options == "--status";
            assert!(silent || agree(theirs.1, ours.1, &ours.2, &ours.0), "{what}: {} {}", theirs.1, ours.1);
            assert_eq!(silent && theirs.1 == 0, silent && ours.1 == 0, "{what}");
        }
    }
});

/// Returns the names that a program says are right, in order.
fn right(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    let lines = text.lines().filter_map(|line| line.trim_end().strip_suffix("OK"));
    lines.map(|name| name.trim_end().trim_end_matches(':').to_string()).collect()
}

case!(verdicts_of_other_programs_over_made_up_lists, |t| {
    tree(t, PLAIN);
    if !opened(t) {
        return;
    }
    for (tool, algorithm) in [
        ("xxhsum -c list", "xxh64"),
        ("b3sum -c list", "blake3"),
        ("rhash --sha256 -c list", "sha256"),
        ("rhash --sha3-256 -c list", "sha3-256"),
    ] {
        for round in 0..cases(ROUNDS) as u64 {
            let mut chance = Random(round + 77 * algorithm.len() as u64);
            // A line that is not understood ends a run of b3sum, a folder one of xxhsum.
            let text = list(t, &mut chance, PLAIN, (algorithm, None));
            let usual = |line: &&[u8]| !line.ends_with(b"!\n") && !line.ends_with(b"tree/folder\n");
            let lines = text.split_inclusive(|byte| *byte == b'\n').filter(usual);
            let text: Vec<u8> = lines.flatten().copied().collect();
            t.file("list", text);
            let Some([theirs, ours]) = both(t, tool, &format!("check -c {algorithm} list")) else { break };
            let what = format!("{tool} {round}\n{}\n--- ours\n{}", theirs.2, ours.2);
            assert_eq!(right(&theirs.0), right(&ours.0), "{what}");
            assert_eq!(theirs.1 == 0, ours.1 == 0, "{what}: {} {}", theirs.1, ours.1);
        }
    }
});

case!(lists_with_nothing_in_them, |t| {
    t.file("empty", "").file("noise", "nothing\n").file("comment", "# nothing\n");
    for name in ["empty", "noise", "comment"] {
        t.run(&format!("check {name}")).code(64);
        t.other("sha256sum", &format!("-c {name}")).map(|ran| ran.code(1));
    }
    t.file("a", "1").run("hash -c sha256 -f sums -o list a").code(0);
    let text = String::from_utf8(t.read("list")).unwrap();
    t.file("dos", text.replace('\n', "\r\n")).run("check dos").code(0).is("a: OK\n");
});
