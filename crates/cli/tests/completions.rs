//! Completions in bash, zsh and fish, as a user at a terminal gets them.
//!
//! In the shell `hashmill` is a function that prints its arguments: they show the result of Tab when Enter is pressed.

use crate::case;
use crate::util::{Place, tested};
use hashmill_testing::{all_installed, not_compared};
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

/// Completions of the last word by Tab, where they are unique.
const SAME_IN_ALL: &[(&str, &str)] = &[
    ("ha", "hash"),
    ("known ma", "known match"),
    ("hash tree/un", "hash tree/unique"),
    ("hash tree/", "hash tree/unique"),
    ("hash --format=as", "hash --format=ascmhl"),
    ("hash -f as", "hash -f ascmhl"),
    ("hash -c sha3-51", "hash -c sha3-512"),
    ("hash -c md5,sha3-51", "hash -c md5,sha3-512"),
    ("hash --algorithms=md5,sha3-51", "hash --algorithms=md5,sha3-512"),
    ("hash --exclude-f", "hash --exclude-from"),
    ("tree -c sw", "tree -c swhid"),
    ("completions fi", "completions fish"),
    ("audit -k tree/un", "audit -k tree/unique"),
];

/// These depend on how a shell takes words apart.
const IN_BASH: &[(&str, &str)] = &[
    ("hash -c md5 tree/un", "hash -c md5 tree/unique"),
    ("--isa avx2 known ma", "--isa avx2 known match"),
    ("hash --output=tree/un", "hash --output=tree/unique"),
    ("hash -cmd5,sha3-51", "hash -cmd5,sha3-512"),
    ("similar digest -c ssd", "similar digest -c ssdeep"),
    ("check -c tree/un", "check -c tree/unique"),
    ("help aud", "help audit"),
    ("hash -- --forma", "hash -- --forma"),
];

/// A shell on a terminal.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    seen: Vec<u8>,
}

const READY: &str = "ready>";
const DONE: &str = "<done>";

impl Terminal {
    /// Starts a shell with a script; none if it is not installed.
    fn start(t: &Place, shell: &str, options: &str, script: &str) -> Option<Terminal> {
        if !all_installed(&[shell, "script"]) {
            return None;
        }
        let line = format!("{shell} {options}");
        let mut command = Command::new("script");
        command.args(["-q", "-c", &line, "/dev/null"]).current_dir(t.path("")).env("TERM", "dumb");
        command.env("SHELL", "/bin/sh").env("LC_ALL", "C.UTF-8").env("HOME", t.path("home"));
        command.env("XDG_CONFIG_HOME", t.path("home")).env("XDG_DATA_HOME", t.path("home"));
        command.env("program", tested());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let keys = child.stdin.take().unwrap();
        let mut terminal = Terminal { child, keys, seen: Vec::new() };
        terminal.press(&format!("{script}\n"));
        Some(terminal)
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Reads until the shell has shown this, and returns what came before it.
    fn until(&mut self, mark: &str) -> String {
        let output = self.child.stdout.as_mut().unwrap();
        loop {
            let text = String::from_utf8_lossy(&self.seen).into_owned();
            if let Some(at) = text.find(mark) {
                let rest = text.as_bytes()[at + mark.len()..].to_vec();
                self.seen = rest;
                return text[..at].to_string();
            }
            let mut part = [0; 4096];
            let read = output.read(&mut part).unwrap();
            assert!(read > 0, "the shell ended before {mark:?}: {text}");
            self.seen.extend_from_slice(&part[..read]);
        }
    }

    /// Returns the arguments that a line has after Tab.
    fn completed(&mut self, line: &str) -> String {
        self.until(READY);
        self.press(&format!("hashmill {line}\t\n"));
        self.until("<args:");
        self.until(DONE).trim().to_string()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn try_all(t: &Place, shell: &str, options: &str, script: &str, lines: &[&[(&str, &str)]]) {
    t.file("tree/unique", "x")
        .file("only/alone", "x")
        .file("home/empty", "")
        .file("md5,sha3-519", "no digest");
    let Some(mut terminal) = Terminal::start(t, shell, options, script) else { return };
    for (line, wanted) in lines.iter().copied().flatten() {
        assert_eq!(terminal.completed(line), *wanted, "{shell}: {line}");
    }
    // Where nothing is typed yet, files come and no options.
    terminal.until(READY);
    terminal.press("cd only\n");
    assert_eq!(terminal.completed("hash "), "hash alone", "{shell}");
}

/// Prints the arguments. The mark is made of two parts, so that it is not seen where the line itself is shown.
const FUNCTION: &str = r#"hashmill() { printf '<ar''gs:%s<do''ne>\n' "$*"; }"#;

case!(bash_completes_words_values_and_files, |t| {
    let script = format!("PS1='rea''dy>'; eval \"$($program completions bash)\"; {FUNCTION}; PS1=ready'>'");
    try_all(t, "bash", "--norc --noprofile -i", &script, &[SAME_IN_ALL, IN_BASH]);
});

case!(bash_does_so_beside_bash_completion, |t| {
    let loaded = "/usr/share/bash-completion/bash_completion";
    if !std::path::Path::new(loaded).exists() {
        return not_compared("bash-completion");
    }
    let script = format!(". {loaded}; eval \"$($program completions bash)\"; {FUNCTION}; PS1=ready'>'");
    try_all(t, "bash", "--norc --noprofile -i", &script, &[SAME_IN_ALL, IN_BASH]);
});

case!(
    #[ignore = "campaign: needs zsh"]
    zsh_completes_words_values_and_files,
    |t| {
        t.file("functions/empty", "");
        t.shell("$hashmill completions zsh > functions/_hashmill").code(0);
        let script = format!(
            "fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D; {FUNCTION}; PS1=ready'>'"
        );
        try_all(t, "zsh", "-f -i", &script, &[SAME_IN_ALL]);
    }
);

case!(
    #[ignore = "campaign: needs fish"]
    fish_completes_words_values_and_files,
    |t| {
        t.shell("$hashmill completions fish > hashmill.fish").code(0);
        let script = "source hashmill.fish; function fish_greeting; end; \
                  function hashmill; printf '<ar''gs:%s<do''ne>\\n' \"$argv\"; end; \
                  function fish_prompt; printf 'rea''dy>'; end";
        try_all(t, "fish", "--no-config -i", script, &[SAME_IN_ALL]);
    }
);

case!(packages_put_the_files_where_shells_look, |t| {
    let makefile = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Makefile");
    let folder = std::path::Path::new(makefile).parent().unwrap().display().to_string();
    for (prefix, wanted) in [("/usr", "vendor-completions"), ("/usr/local", "site-functions")] {
        let line = format!("make -s -n -o build -C {folder} install DESTDIR=/x PREFIX={prefix}");
        t.shell(&line).code(0).prints(format!("> /x{prefix}/share/zsh/{wanted}/_hashmill"));
    }
});
