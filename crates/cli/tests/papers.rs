//! The documents: each command in a fence or a table of README.md and docs/, and in the examples of help (which are those
//! of the manual, too), is run in a folder that has the files it names, and what a page shows is compared.
//!
//! A fence `console` has commands after `$ ` and what they print, on standard output and standard error together; `…`
//! stands for any text in its line, and alone in a line for any lines. A fence `sh` has commands alone, and so has a cell
//! of a table, in backticks. A command ends with code 0, or with the one that a remark behind it names: `# exit code 1`.
//!
//! `papers/all.sh` makes the files, `papers/PAGE.sh` adds to them what one page needs: from the beginning, and below a
//! line `#@ COMMAND` directly before the command that begins so. `#@ 1 COMMAND` also says with which code it ends. `#= 3f0a…
//! SHELL` says what a short form in commands stands for, `# needs PROGRAM` in the first line what the page needs.

use crate::case;
use crate::faults::shim;
use crate::stores::gateway::Gateway;
use crate::util::{Place, forget_ours, tested};
use hashmill_testing::{all_installed, installed, path};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Commands that are not run here, by how they begin or by a part of them, with the reason.
const NOT_RUN: &[(&str, &str)] = &[
    ("make ", "docs/testing.md says what runs each target"),
    ("cargo ", "builds programs"),
    ("sudo ", "takes root"),
    ("pip install ", "make wheel tries its wheel in a fresh environment"),
    ("tar xzf hashmill-", "make release packs it, and scripts/test-release unpacks it"),
    ("target/dist/hashmill ", "a measurement"),
    ("find $T ", "a measurement"),
    ("python -m hashmill.spark ", "a form; the tests of Python run its commands"),
    ("venv-pack", "packs Spark; the tests of Python run clusters"),
    ("spark-submit ", "needs a cluster; the tests of Python run its job"),
    ("aws s3 cp s3://bucket/wheels/", "needs machines of EMR"),
    ("--agent", "needs an agent of SSH: sign.rs has one"),
    ("--timestamp", "needs an authority for time stamps: stamp.rs has one"),
    ("https://", "needs a web server: stores/urls.rs has one"),
    ("gs://", "needs a store of Google: stores/others.rs has one"),
    ("az://", "needs a store of Azure: stores/others.rs has one"),
    ("lab:", "needs two stores: stores/remotes.rs has them"),
    (STORE, "needs a store: every_command_about_a_store_is_run"),
    ("s3://inventories", "needs the store's own inventories"),
    ("s3://noaa", "a bucket of others"),
    ("/dev/sdb", "needs a disk"),
    ("duckdb -c", "needs DuckDB: the tests of Python have it"),
    ("--images .", "of a build without images: bare.rs"),
    ("report/manifest.json", "needs a report of S3: the tests of hashmill-manifest have some"),
];

/// Programs of others that pages name; a command of one that is not installed is noted and left out.
const OTHERS: &[&str] = &["aws", "curl", "jq", "openssl", "sqlite3", "ssh-keygen", "xargs"];

/// The bucket of pages, which a server of S3 on this machine has.
const STORE: &str = "s3://bucket";

/// Commands that have others below them.
const GROUPS: &[&str] = &["bag", "bench", "image", "known", "outboard", "proof", "seal", "similar"];

/// A command of a page, with what the page shows of its output, if anything.
struct Shown {
    /// The page, and the number of the line.
    place: String,
    command: String,
    is_console: bool,
    output: Vec<String>,
}

impl Shown {
    /// Returns whether this is the command that a preparation names: one after `$ ` is in a fence `console`.
    fn begins_with(&self, begin: &str) -> bool {
        match begin.strip_prefix("$ ") {
            Some(begin) => self.is_console && self.command.starts_with(begin),
            None => self.command.starts_with(begin),
        }
    }
}

#[test]
fn every_command_of_the_documents_is_run() {
    let left = Mutex::new(pages());
    let failures = Mutex::new(Vec::new());
    let work = || {
        while let Some((name, text)) = { left.lock().unwrap().pop() } {
            let failed = run_page(&Place::new(), None, &name, &commands(&name, &text));
            failures.lock().unwrap().extend(failed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(work);
        }
    });
    none(&failures.into_inner().unwrap());
}

#[test]
#[ignore = "campaign: needs a store with the interface of S3"]
fn every_command_about_a_store_is_run() {
    for (name, text) in pages().iter().filter(|(_, text)| text.contains(STORE)) {
        let place = Place::new();
        let Some(gateway) = Gateway::start(&place) else { return };
        none(&run_page(&place, Some(&gateway), name, &commands(name, text)));
    }
}

#[test]
fn what_is_not_run_is_on_a_page() {
    let commands: Vec<Shown> = pages().iter().flat_map(|(name, text)| commands(name, text)).collect();
    for (part, reason) in NOT_RUN {
        assert!(commands.iter().any(|shown| shown.command.contains(part)), "no page has '{part}': {reason}");
    }
}

#[track_caller]
fn none(failures: &[String]) {
    assert!(failures.is_empty(), "{} commands:\n{}", failures.len(), failures.join("\n"));
}

/// Returns the pages with their names, the examples of help as one of them.
fn pages() -> Vec<(String, String)> {
    let read = |file: &PathBuf| (name(file), fs::read_to_string(file).unwrap());
    let mut pages: Vec<_> = files().iter().map(read).collect();
    pages.push(("help".to_string(), examples()));
    pages
}

/// Returns the name of a page: that of its file without the ending, `docs` for the list of pages.
fn name(file: &Path) -> String {
    let stem = file.file_stem().unwrap().to_str().unwrap();
    if file.ends_with("docs/README.md") { "docs".to_string() } else { stem.to_string() }
}

/// Returns the files of pages, README.md first.
fn files() -> Vec<PathBuf> {
    let root = root();
    let mut files: Vec<_> =
        fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "md"));
    files.sort();
    files.insert(0, root.join("README.md"));
    files
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the examples of all stored helps, as a page with one fence.
fn examples() -> String {
    let mut page = "```sh\n".to_string();
    for (_, help) in helps() {
        let lines = help.lines().skip_while(|line| !line.starts_with("Examples:")).skip(1);
        let lines = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
        let mut goes_on = false;
        for line in lines {
            let text = line.trim_start();
            let is_command = line.starts_with("  ") && !line.starts_with("   ") && begins_command(text);
            if is_command || goes_on {
                let command = text.split("  ").next().unwrap();
                page += &format!("{command}\n");
                goes_on = command.ends_with('\\');
            }
        }
    }
    page + "```\n"
}

/// Returns whether a line begins with a program: what is wrapped behind an example does not.
fn begins_command(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    first == "hashmill" || OTHERS.contains(&first) || first == "find"
}

/// Returns the stored helps: the words of each command, and its text.
fn helps() -> Vec<(Vec<String>, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut helps = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap().to_string();
        let Some(words) = name.strip_prefix("help") else { continue };
        let words = words.split('-').skip(1).map(str::to_string).collect();
        helps.push((words, fs::read_to_string(&file).unwrap()));
    }
    helps.sort();
    helps
}

/// Returns the commands in the fences and tables of a page.
fn commands(page: &str, text: &str) -> Vec<Shown> {
    let mut reading = Reading { page, number: 0, fence: None, pending: String::new(), found: Vec::new() };
    for line in text.lines() {
        reading.number += 1;
        reading.line(line);
    }
    reading.found
}

/// A page that is read line by line.
struct Reading<'a> {
    page: &'a str,
    number: usize,
    /// The name of the fence that the line is in.
    fence: Option<&'a str>,
    /// A command of several lines, as far as it was read.
    pending: String,
    found: Vec<Shown>,
}

impl<'a> Reading<'a> {
    fn line(&mut self, line: &'a str) {
        if let Some(name) = line.trim_start().strip_prefix("```") {
            assert!(self.pending.is_empty(), "{}:{}: {}", self.page, self.number, self.pending);
            self.fence = if self.fence.is_none() { Some(name) } else { None };
            return;
        }
        match self.fence {
            Some("console") => self.console(line),
            Some("sh") => self.shell(line),
            Some("") => {
                let bare =
                    self.page != "other-tools" && (line.starts_with("$ ") || line.starts_with("hashmill "));
                assert!(!bare, "{}:{}: a command in a fence without a name", self.page, self.number);
            }
            None if line.starts_with('|') => {
                line.split('`')
                    .skip(1)
                    .step_by(2)
                    .filter(|span| is_command(span))
                    .for_each(|span| self.add(span));
            }
            _ => {}
        }
    }

    fn console(&mut self, line: &str) {
        if let Some(command) = line.strip_prefix("$ ") {
            self.add(command);
        } else if !line.starts_with("# ") {
            self.found.last_mut().unwrap().output.push(line.to_string());
        }
    }

    fn shell(&mut self, line: &str) {
        if self.pending.is_empty() && (line.is_empty() || line.starts_with('#')) {
            return;
        }
        self.pending += line;
        if is_whole(&self.pending) {
            let command = std::mem::take(&mut self.pending);
            self.add(&command);
        } else {
            self.pending.push('\n');
        }
    }

    fn add(&mut self, command: &str) {
        self.found.push(Shown {
            place: format!("{}:{}", self.page, self.number),
            command: command.to_string(),
            is_console: self.fence == Some("console"),
            output: Vec::new(),
        });
    }
}

/// Returns whether a text in backticks is a command with operands, and not one that is only spoken of.
fn is_command(span: &str) -> bool {
    let mut words = span.split(' ');
    let is_ours = words.next() == Some("hashmill");
    let words: Vec<&str> = words.filter(|word| !word.starts_with('-')).collect();
    is_ours && !words.is_empty() && words.len() > if GROUPS.contains(&words[0]) { 2 } else { 1 }
}

/// Returns whether a shell would run this, and not wait for more lines.
fn is_whole(text: &str) -> bool {
    let mut shell = Command::new("sh");
    let checked = shell.args(["-n", "-c", text]).stderr(Stdio::null()).status().unwrap();
    checked.success() && !text.ends_with('\\')
}

/// The preparation of a page: shell before its commands, and the codes with which they end.
struct Preparation {
    needs: Vec<String>,
    first: String,
    before: Vec<(String, i32, String)>,
    short: Vec<(String, String)>,
}

impl Preparation {
    fn of(page: &str) -> Preparation {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/papers");
        let own = fs::read_to_string(folder.join(format!("{page}.sh"))).unwrap_or_default();
        let mut parts = own.split("#@ ");
        let all = fs::read_to_string(folder.join("all.sh")).unwrap();
        let first = format!("set -e\n{all}\n{}", parts.next().unwrap());
        let needs = own.lines().find_map(|line| line.strip_prefix("# needs ")).unwrap_or_default();
        let short = own.lines().filter_map(|line| line.strip_prefix("#= ")?.split_once(' '));
        let before = parts.map(|part| {
            let (head, script) = part.split_once('\n').unwrap_or((part, ""));
            let code = head.split(' ').next().and_then(|word| word.parse().ok());
            let command = code.map_or(head, |_: i32| head.split_once(' ').unwrap().1);
            (command.to_string(), code.unwrap_or(0), script.to_string())
        });
        Preparation {
            needs: needs.split_whitespace().map(str::to_string).collect(),
            first,
            before: before.collect(),
            short: short.map(|(short, whole)| (short.to_string(), whole.to_string())).collect(),
        }
    }
}

/// Runs the commands of a page; returns what was wrong.
fn run_page(place: &Place, store: Option<&Gateway<'_>>, page: &str, commands: &[Shown]) -> Vec<String> {
    let mut preparation = Preparation::of(page);
    for (begin, ..) in &preparation.before {
        assert!(commands.iter().any(|shown| shown.begins_with(begin)), "{page} has no command '{begin}'");
    }
    let is_left = |command: &str| {
        let mut reasons = NOT_RUN.iter().filter(|(part, _)| store.is_none() || *part != STORE);
        reasons.any(|(part, _)| command.contains(part)) || needs_other(command)
    };
    let commands: Vec<&Shown> = commands.iter().filter(|shown| !is_left(&shown.command)).collect();
    let needs: Vec<&str> = preparation.needs.iter().map(String::as_str).collect();
    if commands.is_empty() || !all_installed(&needs) {
        return Vec::new();
    }
    let (code, output) = run(place, store, &preparation.first);
    if code != 0 {
        return vec![format!("papers/{page}.sh: code {code}: {output}")];
    }
    if store.is_some_and(|store| store.fill("upload", "").is_none()) {
        return Vec::new();
    }
    commands.iter().filter_map(|shown| run_command(place, store, shown, &mut preparation)).collect()
}

/// Runs a command with what is to be done before it; returns what was wrong.
fn run_command(
    place: &Place,
    store: Option<&Gateway<'_>>,
    shown: &Shown,
    preparation: &mut Preparation,
) -> Option<String> {
    let at = preparation.before.iter().position(|(begin, ..)| shown.begins_with(begin));
    let (_, mut wanted, script) = at.map(|at| preparation.before.remove(at)).unwrap_or_default();
    if let Some((_, code)) = shown.command.split_once("# exit code ") {
        wanted = code.split(|letter: char| !letter.is_ascii_digit()).next().unwrap().parse().unwrap();
    }
    let mut command = shown.command.clone();
    for (short, whole) in &preparation.short {
        command = command.replace(short, whole);
    }
    let (code, printed) = run(place, store, &format!("set -e\n{script}set +e\n{command}"));
    let lines: Vec<&str> = printed.lines().collect();
    let is_as_shown = shown.output.is_empty() || fits(&shown.output, &lines);
    if code == wanted && is_as_shown {
        return None;
    }
    let Shown { place, command, output, .. } = shown;
    let output = if is_as_shown { String::new() } else { format!("wanted:\n{}\n", output.join("\n")) };
    Some(format!("--- {place}: {command}\ncode {code}, wanted {wanted}; printed:\n{printed}{output}"))
}

/// Returns whether a command is of a program that is not installed.
fn needs_other(command: &str) -> bool {
    let mut words = command.split_whitespace().filter(|word| OTHERS.contains(word));
    words.any(|word| installed(word).is_none())
}

/// Runs shell in a place; returns its exit code, and all that it printed. Folders on top that pages name are in the place.
fn run(place: &Place, store: Option<&Gateway<'_>>, script: &str) -> (i32, String) {
    let here = place.path("").to_str().unwrap().trim_end_matches('/').to_string();
    let mut script = script.to_string();
    if let Some(store) = store {
        script = script.replace("http://127.0.0.1:9000", &store.endpoint());
    }
    for name in TOP {
        for before in [" ", "=", "'", "\""] {
            script = script.replace(&format!("{before}{name}"), &format!("{before}{here}{name}"));
        }
    }
    let mut folders = vec![Path::new(tested()).parent().unwrap().to_path_buf()];
    folders.extend(std::env::split_paths(&path()));
    let search: OsString = std::env::join_paths(folders).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("exec 2>&1\n{script}")]).current_dir(&here).env("PATH", search);
    command
        .env("LC_ALL", "C.UTF-8")
        .env("HOME", &here)
        .env("XDG_CONFIG_HOME", place.path("settings"))
        .env("XDG_STATE_HOME", place.path("settings"));
    command.env("TZ", "UTC").stdin(Stdio::null()).envs(shim().map(|shim| ("SHIM", shim)));
    command.envs(store.into_iter().flat_map(Gateway::environment));
    forget_ours(&mut command);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).replace(&here, "");
    (output.status.code().unwrap_or(-1), text)
}

/// Folders on top of the file system that pages name.
const TOP: &[&str] = &["/mnt", "/srv", "/archive"];

/// Returns whether lines are as a page shows them.
fn fits(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..]))
        }
        Some((first, rest)) => {
            printed.first().is_some_and(|line| line_fits(first, line)) && fits(rest, &printed[1..])
        }
    }
}

/// Returns whether a line is as a page shows it: each `…` stands for any text.
fn line_fits(shown: &str, printed: &str) -> bool {
    let Some((start, rest)) = shown.split_once('…') else { return shown == printed };
    let Some(tail) = printed.strip_prefix(start) else { return false };
    tail.char_indices().map(|(at, _)| at).chain([tail.len()]).any(|at| line_fits(rest, &tail[at..]))
}

/// Options that pages name of other programs, where nothing else in backticks says so.
const FOREIGN: &[&str] = &[
    "--config",
    "--bt-piece-length",
    "--bt-private",
    "--transfers",
    "--checkers",
    "--tag",
    "--query",
    "--print-mds",
    "--size",
    "--draw",
    "--fast",
    "--large",
    "--index",
    "--run-name",
    "--summary",
    "--report",
    "--price",
    "--conf",
    "--py-files",
    "--archives",
    // Of hashmill on other systems, and what undoes a switch.
    "--hydrate",
    "--streams",
    "--no-follow",
    "--no-deleted",
    "--recursion",
];

#[test]
fn options_of_the_documents_are_those_of_help() {
    let options = options_of_commands();
    let all: BTreeSet<&str> = options.values().flatten().map(String::as_str).collect();
    let mut unknown = Vec::new();
    for (page, text) in pages() {
        for (number, span) in spans(&text) {
            let words: Vec<&str> = span.split_whitespace().skip_while(|word| *word == "hashmill").collect();
            let command = options
                .keys()
                .filter(|path| !path.is_empty() && begins(&words, path))
                .max_by_key(|path| path.len());
            let known: BTreeSet<&str> = match command {
                Some(command) => options
                    .iter()
                    .filter(|(path, _)| path.starts_with(command))
                    .flat_map(|(_, known)| known)
                    .map(String::as_str)
                    .collect(),
                None if span.starts_with("--") => all.clone(),
                None => continue,
            };
            let named = words.iter().filter_map(|word| option(word));
            let wrong = named.filter(|option| !known.contains(option) && !FOREIGN.contains(option));
            unknown.extend(wrong.map(|option| format!("{page}:{number}: {option} in `{span}`")));
        }
    }
    assert!(unknown.is_empty(), "no help has these:\n{}", unknown.join("\n"));
}

/// Returns whether words begin with those of a command.
fn begins(words: &[&str], command: &[String]) -> bool {
    words.len() >= command.len() && words.iter().zip(command).all(|(word, wanted)| word == wanted)
}

/// Returns the options in the help of each command.
fn options_of_commands() -> BTreeMap<Vec<String>, BTreeSet<String>> {
    let of = |help: &str| {
        let words = help.split(|letter: char| letter.is_whitespace() || "[]()|,=.'".contains(letter));
        words.filter_map(option).map(str::to_string).collect()
    };
    helps().into_iter().map(|(words, help)| (words, of(&help))).collect()
}

/// Returns the option that a word begins with: `--name` or a letter.
fn option(word: &str) -> Option<&str> {
    let word = word.trim_end_matches(['.', ',', ';', ':', ')', '…']);
    let end = word.find(['=', '[', '/', '…', '\'', '"']).unwrap_or(word.len());
    let word = &word[..end];
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-').filter(|name| name.len() == 1))?;
    (!name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-'))
        .then_some(word)
}

/// Returns what stands in backticks outside of fences, and the commands of hashmill in fences.
fn spans(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_fence = false;
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        } else if in_fence {
            let parts = line.trim_start_matches("$ ").split(['|', ';', '#', '&']).map(str::trim);
            found.extend(
                parts.filter(|part| part.starts_with("hashmill ")).map(|part| (at + 1, part.to_string())),
            );
        } else {
            found.extend(line.split('`').skip(1).step_by(2).map(|span| (at + 1, span.to_string())));
        }
    }
    found
}

#[test]
fn links_lead_to_files_and_headings_and_every_page_is_listed() {
    let root = root();
    let mut wrong = Vec::new();
    for file in files().iter().chain([&root.join("ARCHITECTURE.md")]) {
        let text = fs::read_to_string(file).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let place = if path.is_empty() { file.clone() } else { file.parent().unwrap().join(path) };
            let has_heading = || heading.is_empty() || headings(&place).any(|found| found == heading);
            let leads = target.contains("://") || place.exists() && has_heading();
            if !leads {
                wrong.push(format!("{}: {target}", file.display()));
            }
        }
    }
    let list = fs::read_to_string(root.join("docs/README.md")).unwrap();
    let names = files()
        .into_iter()
        .map(|file| name(&file))
        .filter(|name| !["README", "docs"].contains(&name.as_str()));
    wrong.extend(names.filter(|name| !list.contains(&format!("({name}.md)"))));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A newcomer reads these first, so they stay short, and what they say of the sources is there.
#[test]
fn pages_for_newcomers_are_short_and_name_files_that_exist() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let (readme, architecture) = (read("README.md"), read("ARCHITECTURE.md"));
    assert!(readme.len() <= 5 << 10, "README.md has {} bytes", readme.len());
    assert!(architecture.len() <= 9 << 10, "ARCHITECTURE.md has {} bytes", architecture.len());
    let is_path = |span: &str| span.contains("/src/") || span.starts_with("scripts/");
    let missing: Vec<String> = spans(&architecture)
        .into_iter()
        .map(|(_, span)| span)
        .filter(|span| {
            is_path(span) && !root().join(span).exists() && !root().join("crates").join(span).exists()
        })
        .collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names files that are not there: {missing:?}");
}

/// Returns the anchors of a page's headings.
fn headings(page: &Path) -> impl Iterator<Item = String> {
    let text = fs::read_to_string(page).unwrap_or_default();
    let lines: Vec<String> =
        text.lines().filter(|line| line.starts_with('#')).map(str::to_lowercase).collect();
    lines.into_iter().map(|line| {
        let letters = line.trim_start_matches('#').trim().chars();
        let kept = letters.filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    })
}

#[test]
fn commands_with_json_are_in_its_page() {
    let page = fs::read_to_string(root().join("docs/json.md")).unwrap();
    for (words, help) in helps().iter().filter(|(_, help)| help.contains("- json:")) {
        let name = words.join(" ");
        assert!(page.contains(&format!("`{name}`")), "docs/json.md lacks {name}: {help}");
    }
}

/// Every target of make that a page names says in docs/testing.md what runs it.
#[test]
fn targets_of_make_are_in_the_table_of_runs() {
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let phony = makefile.lines().find_map(|line| line.strip_prefix(".PHONY: ")).unwrap();
    let testing = fs::read_to_string(root().join("docs/testing.md")).unwrap();
    for (page, text) in pages() {
        for words in text.split("make ").skip(1) {
            let target =
                words.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').next().unwrap();
            let is_target = phony.split(' ').any(|name| name == target);
            assert!(!is_target || testing.contains(&format!("`{target}`")), "{page}: make {target}");
        }
    }
}

case!(exit_codes_of_the_page_are_those_of_the_manual, |t| {
    let page = fs::read_to_string(root().join("docs/exit-codes.md")).unwrap();
    let first = page.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let codes: Vec<&str> = first.map_while(|line| line.strip_prefix("| ")?.split(' ').next()).collect();
    let manual = String::from_utf8(t.run("man hash").code(0).stdout().to_vec()).unwrap();
    let exits = manual.split(".SH EXIT STATUS").nth(1).unwrap().split("\n.SH").next().unwrap();
    let told: Vec<&str> =
        exits.lines().filter_map(|line| line.strip_prefix("\\fB")?.strip_suffix("\\fR")).collect();
    assert_eq!(codes, told, "{exits}");
});
