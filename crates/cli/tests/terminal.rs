//! Names that speak to a terminal: no command lets them.

use crate::case;
use crate::util::{Place, forget_ours, installed, tested};
use hashmill_manifest::format::{Body, FORMATS};
use std::process::{Command, Stdio};

/// Names that would hide, overwrite, reorder or ring.
const EVIL: &[&[u8]] = &[
    b"evil.bin: OK\x1b[8m",
    b"evil-c1-\xc2\x9b8m",
    b"evil-raw-\x9b8m",
    b"evil-bidi-\xe2\x80\xaegnp.exe",
    b"evil-isolate-\xe2\x81\xa6x",
    b"evil-return\rOK",
    b"evil-end\r",
    b"evil-bell\x07",
    b"evil-delete\x7f\x08\x08",
    b"evil-line\nfeed: OK",
    b"evil-cut-\xf0\x9f",
    b"evil-separator-\xe2\x80\xa8x",
];

/// Returns the output of a line of shell on a terminal; none if there can be no terminal.
pub fn on_terminal(t: &Place, line: &str) -> Option<String> {
    let mut command = Command::new(installed("script")?);
    command.args(["-q", "-e", "-c", line, "/dev/null"]).current_dir(t.path("")).env("TERM", "xterm");
    command
        .env("hashmill", tested())
        .env("XDG_CONFIG_HOME", t.path("settings"))
        .env("XDG_STATE_HOME", t.path("settings"));
    command.env("SHELL", "/bin/sh").env("LC_ALL", "C.UTF-8");
    forget_ours(&mut command);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // Open as long as the command runs: at its end the terminal would be told so, which it would show.
    let stdin = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    let text = String::from_utf8(output.stdout);
    // The terminal's driver adds a carriage return to each line feed.
    Some(text.unwrap_or_else(|error| panic!("{line}: {error}")).replace("\r\n", "\n").replace("\r\n", "\n"))
}

/// Returns the text without the colours of the program's own words.
fn uncoloured(text: &str) -> String {
    ["1;31", "33", "32", "0"]
        .iter()
        .fold(text.to_string(), |text, colour| text.replace(&format!("\u{1b}[{colour}m"), ""))
}

/// Returns whether a terminal would obey this letter instead of showing it.
fn obeyed(letter: char) -> bool {
    let marks =
        ['\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202a}', '\u{202b}', '\u{202c}'];
    let more = ['\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}'];
    letter.is_control() && !matches!(letter, '\n' | '\t') || marks.contains(&letter) || more.contains(&letter)
}

fn tree(t: &Place) {
    for name in EVIL {
        t.file([b"tree/", *name].concat(), vec![b'x'; 5000]);
        t.file([b"other/", *name].concat(), *name);
    }
    t.file("tree/plain", "plain").file(b"evil\x1b[8m.dd", vec![7; 4096]);
    t.shell("$hashmill hash -c md5,sha256 -f jsonl -o list.jsonl tree").code(0);
    t.shell("$hashmill hash -c md5 -f sums -o MD5SUMS tree").code(0);
    t.shell("$hashmill hash -c sha256 -f jsonl -o other.jsonl other").code(0);
    t.shell("$hashmill hash -c ssdeep -f jsonl -o alike.jsonl tree").code(0);
    t.shell("$hashmill known build -o set.hmk --bad MD5SUMS").code(0);
    t.shell("cp -r tree bag; rm bag/evil-cut* bag/evil-raw*; $hashmill bag create bag; printf x > bag/data/plain; rm bag/data/evil-bell*")
        .code(0);
    for name in EVIL {
        t.file([b"changed/", *name].concat(), "changed");
    }
    t.shell("$hashmill hashdeep -c md5 -r tree > KNOWN").code(0);
    t.shell("sed s/tree/changed/ MD5SUMS > CHANGED").code(0);
}

/// Each writes names to standard output; so does `hash` in every format of text.
const LINES: &[&str] = &[
    "hash -p 1000 tree",
    "check MD5SUMS",
    "check CHANGED",
    "audit -vv -k MD5SUMS tree",
    "audit -vv -k MD5SUMS changed",
    "audit --format json -k list.jsonl changed",
    "diff -v tree changed",
    "diff -f json tree changed",
    "dupes tree",
    "dupes -f json tree",
    "report list.jsonl",
    "similar digest -c ssdeep tree",
    "similar digest -c ssdeep -f jsonl tree",
    "similar pairs -c ssdeep tree",
    "similar pairs -c ssdeep -f jsonl tree",
    "similar search -c ssdeep --against alike.jsonl tree",
    "known match --known-set set.hmk tree",
    "image info evil*",
    "image info -f json evil*",
    "image list evil*",
    "image verify evil*",
    "image verify -f json evil*",
    "image verify -c md5 evil*",
    "bag verify bag",
    "bag verify -f json bag",
    "convert list.jsonl - -f csv",
    "convert list.jsonl - -f sums --lossy",
    "convert list.jsonl - -f dfxml",
    "merge -f csv list.jsonl other.jsonl",
    "explain tree",
    "explain -f json tree",
    "hashdeep -r tree",
    "hashdeep -r -a -vvv -k KNOWN changed",
    "hashdeep -r -d tree",
    "md5deep -r tree",
    "md5deep -r -m MD5SUMS tree",
    "md5deep -r -e tree",
    "sha256deep -r -z -t tree",
    "similar compare -c ssdeep evil* tree/plain",
];

case!(no_command_lets_a_name_speak_to_the_terminal, |t| {
    tree(t);
    let mut named = 0;
    let formats =
        FORMATS.iter().filter(|format| format.writer.is_some() && matches!(format.body, Body::Text));
    let formats = formats.map(|format| {
        format!("hash -f {} -c {} tree", format.name, format.only.first().unwrap_or(&"blake3"))
    });
    for line in LINES.iter().map(|line| (*line).to_string()).chain(formats) {
        let line = format!("$hashmill {line} 2>/dev/null");
        let Some(text) = on_terminal(t, &line) else { return };
        let text = uncoloured(&text);
        assert!(!text.contains(obeyed), "{line}:\n{}", text.escape_debug());
        named += usize::from(text.contains("\\u{1b}") || text.contains("u001b"));
    }
    assert!(named > LINES.len() / 2, "{named} commands showed a name");
});

case!(standard_error_lets_no_name_speak_either, |t| {
    tree(t);
    t.shell("for name in changed/*; do rm -f \"$name\"; mkdir \"$name\"; done; ln -s nowhere \"$(printf 'gone\\033[8m')\"").code(0);
    for line in [
        "hash --progress never gone*",
        "hash --progress never nosuch*$(printf '\\033[8m')",
        "hash --progress never -o \"$(printf 'no\\033[8m/where')\" tree",
        "hash --progress never --files-from \"$(printf 'no\\033[8mlist')\"",
        "check \"$(printf 'no\\033[8msums')\"",
        "check CHANGED",
        "audit --progress never -k \"$(printf 'no\\033[8mlist')\" tree",
        "audit --progress never -k CHANGED",
        "diff \"$(printf 'no\\033[8msuch')\" tree",
        "dupes --manifest \"$(printf 'no\\033[8msuch')\"",
        "report \"$(printf 'no\\033[8msuch')\"",
        "similar compare -c ssdeep \"$(printf 'no\\033[8msuch')\" tree/plain",
        "known info \"$(printf 'no\\033[8msuch')\"",
        "known build -o \"$(printf 'no\\033[8m/such')\" --bad MD5SUMS",
        "known query --known-set set.hmk \"$(printf 'no\\033[8msuch')\"",
        "image info \"$(printf 'no\\033[8msuch')\"",
        "image list \"$(printf 'no\\033[8msuch')\"",
        "bag verify \"$(printf 'no\\033[8msuch')\"",
        "bag create \"$(printf 'no\\033[8msuch')\"",
        "convert \"$(printf 'no\\033[8msuch')\" x.csv",
        "convert list.jsonl \"$(printf 'no\\033[8msuch')\"",
        "merge \"$(printf 'no\\033[8msuch')\" -o x.csv",
        "sign --key \"$(printf 'no\\033[8mkey')\" MD5SUMS",
        "verify --allowed-signers \"$(printf 'no\\033[8mkey')\" MD5SUMS",
        "seal create \"$(printf 'no\\033[8msuch')\"",
        "seal verify \"$(printf 'no\\033[8msuch')\"",
        "outboard verify --root 00 \"$(printf 'no\\033[8msuch')\"",
        "--\"$(printf 'no\\033[8msuch')\"",
        "hash --\"$(printf 'no\\302\\233such')\"",
        "hash -c \"$(printf 'no\\033[8msuch')\" tree",
        "\"$(printf 'no\\033[8msuch')\"",
        "hashdeep -r \"$(printf 'no\\033[8msuch')\"",
        "md5deep tree changed/*",
        "md5deep -m \"$(printf 'no\\033[8msuch')\" tree",
    ] {
        let line = format!("$hashmill {line} >/dev/null");
        let Some(text) = on_terminal(t, &line) else { return };
        assert!(!text.contains("\u{1b}[8m"), "{line}:\n{}", text.escape_debug());
        assert!(!text.contains('\u{9b}'), "{line}:\n{}", text.escape_debug());
    }
});

case!(harmless_names_are_shown_as_they_are, |t| {
    for number in 0..900 {
        t.file(format!("tree/größe-😀-{number}-{}", "é".repeat(60)), "");
    }
    let piped = t.run("hash -f sums tree").code(0);
    let Some(shown) = on_terminal(t, "$hashmill hash -f sums tree 2>/dev/null") else { return };
    assert!(piped.stdout().len() > 65536, "more than one write");
    assert_eq!(shown.as_bytes(), piped.stdout());
});

case!(to_a_pipe_bytes_stay_as_they_are, |t| {
    t.file(b"tree/evil.bin: OK\x1b[8m\xc2\x9b\xe2\x80\xae\x9b", "x");
    let name = b"tree/evil.bin: OK\x1b[8m\xc2\x9b\xe2\x80\xae\x9b";
    t.run("hash -f sums -o sums tree").code(0);
    t.run("hash -f sums tree").prints(name);
    t.run("check sums").code(0).is([name, &b": OK\n"[..]].concat());
    t.run("md5deep -r tree").prints(name);
});

case!(bytes_are_not_exported_to_a_terminal, |t| {
    t.file("disk.dd", vec![0x9b; 4096]);
    let Some(text) =
        on_terminal(t, "$hashmill image export --raw disk.dd -o - || $hashmill image export disk.dd -o -")
    else {
        return;
    };
    assert!(!text.contains('\u{9b}'), "{}", text.escape_debug());
});
