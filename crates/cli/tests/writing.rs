//! Writing that fails: every system call of a command for its outputs fails once, in every way that systems fail. No
//! command crashes, each reports the failure, a name has its old content or the complete new one, and nothing is left
//! behind without a message.

use crate::case;
use crate::util::{Place, Ran, installed, tested};
use hashmill_testing::not_possible;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Calls, and the errors that each is made to give.
const FAULTS: &[(&str, &[&str])] = &[
    ("write", &["ENOSPC", "EDQUOT", "EFBIG"]),
    ("pwrite64", &["EIO"]),
    ("fsync", &["EIO"]),
    ("close", &["EIO"]),
    ("rename", &["EIO"]),
    ("renameat2", &["EIO"]),
    ("unlink", &["EIO"]),
    ("ftruncate", &["EFBIG"]),
    ("flock", &["EINTR", "ENOLCK", "EIO"]),
    ("copy_file_range", &["ENOSPC"]),
    ("fchmod", &["EIO"]),
    ("mkdir", &["EDQUOT"]),
];

/// Commands that make ready, once, the files that lie in the place before each run.
const READY: &[&str] = &[
    "hash -c sha256 -f jsonl -o list tree",
    "hash -c sha256 -f jsonl -o part tree/a",
    "hash -c md5 -f csv -o other.csv tree",
    "hash -c sha256 -f sqlite -o list.db tree",
    "hash -c sha256 -f jsonl -o salted tree",
    "seal create --secret key salted",
    "similar digest -c tlsh -f jsonl -o likeness tree",
];

/// Commands, their outputs, and whether a file with that name existed before, which they are told to replace.
const COMMANDS: &[(&str, &[&str], bool)] = &[
    ("hash -c sha256 -o out tree --force", &["out"], true),
    ("hash -c sha256 -f jsonl --seal -o out tree --force", &["out", "out.seal"], true),
    ("hash -c sha256 -f sqlite --seal -o out tree --force", &["out", "out.seal"], true),
    ("hash -c sha256 -f parquet -o out tree --force", &["out"], true),
    ("hash -c sha256 --sign alice -o out tree", &["out", "out.sig"], false),
    ("convert -f csv list.db out --force", &["out"], true),
    ("convert -f sqlite list out --force", &["out"], true),
    ("merge -o out list other.csv --force", &["out"], true),
    ("seal create list -o out --force", &["out"], true),
    ("outboard create tree/b -o out --force", &["out"], true),
    ("bag create -o out tree", &["out"], false),
    ("bag create folder", &["folder"], false),
    ("known build -o out --good list --force", &["out"], true),
    ("similar index build -c tlsh -o out likeness --force", &["out"], true),
    ("image export --raw -o out tree/b --force", &["out"], true),
    ("image acquire -o out.dd tree/b --force", &["out.dd"], true),
    ("report -o out list --force", &["out"], true),
    ("sign list --key alice", &["list.sig"], false),
    ("seal redact --secret key -o out --keep tree/a salted --force", &["out"], true),
    ("proof create -o out salted tree/a --secret key --force", &["out"], true),
    ("audit -k part --update out tree --force", &["out"], true),
    ("hash -c sha256 tree", &[], false),
    ("check list", &[], false),
    ("algorithms", &[], false),
    ("--version", &[], false),
    ("--help", &[], false),
];

/// Tests that share the commands.
const SHARES: usize = 3;

/// The files of a path, each with its content.
type Content = BTreeMap<String, Vec<u8>>;

fn content(path: &Path) -> Content {
    let mut all = Content::new();
    let mut paths = vec![path.to_path_buf()];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.exists() {
            let content = fs::read(&path).unwrap();
            all.insert(path.to_string_lossy().into_owned(), content);
        }
    }
    all
}

/// hashmill under strace, which says or does this with its calls.
fn traced(t: &Place, args: &str, options: &[&str]) -> Ran {
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-o", "log"]).args(options).arg(tested());
    command.args(args.split_whitespace()).current_dir(t.path("")).env("XDG_CONFIG_HOME", t.path("settings"));
    // Documents that say when they were made are the same then.
    command.env("SOURCE_DATE_EPOCH", "1").env("TMPDIR", t.path("temporary"));
    t.ran(command, &format!("{options:?} {args}"))
}

/// Returns whether calls can be made to fail here. That they can't is noted.
fn has_strace(t: &Place) -> bool {
    if installed("strace").is_none() {
        return false;
    }
    let works = t.shell("strace -o /dev/null -e inject=fsync:error=EIO:when=1 true").exit() == Some(0);
    if !works {
        not_possible("strace");
    }
    works
}

/// Returns the calls that a command makes for files of the place and for standard output: each with its number among
/// those of its thread, and one of each kind.
fn calls(t: &Place, args: &str) -> BTreeSet<(String, u32)> {
    let names: Vec<String> = FAULTS.iter().map(|(name, _)| format!("?{name}")).collect();
    traced(t, args, &["-e", &format!("trace={}", names.join(","))]);
    let log = String::from_utf8_lossy(&t.read("log")).into_owned();
    let place = t.path("").to_string_lossy().trim_end_matches('/').to_string();
    let (mut numbers, mut met, mut found) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    for line in log.lines() {
        let Some((thread, (name, rest))) = line.split_once(' ').and_then(|(thread, call)| {
            call.trim_start().split_once('(').map(|call| (thread.to_string(), call))
        }) else {
            continue;
        };
        let number = numbers.entry((thread, name.to_string())).or_insert(0_u32);
        *number += 1;
        // The names of unfinished files are never the same.
        let kind: String = rest.chars().take(160).filter(|letter| !letter.is_ascii_digit()).collect();
        let kind = kind.split("-partial-").next().unwrap_or_default().to_string();
        let ours = rest.contains(&place) || rest.starts_with("1<") || rest.contains("<pipe:");
        if ours && met.insert((name.to_string(), kind)) {
            found.insert((name.to_string(), *number));
        }
    }
    found
}

/// Restores the state before a command ran.
fn restore(t: &Place, keep: &Content, outputs: &[&str], old: bool) {
    for path in content(&t.path("")).into_keys().filter(|path| !keep.contains_key(path)) {
        fs::remove_file(path).unwrap();
    }
    for output in outputs.iter().filter(|output| t.path(output).is_dir()) {
        fs::remove_dir_all(t.path(output)).unwrap();
    }
    for (path, content) in keep.iter().filter(|(path, content)| fs::read(path).ok().as_ref() != Some(content))
    {
        fs::create_dir_all(Path::new(path).parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    for output in outputs.iter().filter(|_| old) {
        t.file(output, "old");
    }
    fs::create_dir_all(t.path("temporary")).unwrap();
}

/// Returns the faults in a command's reaction to a failing call; none if it is correct.
fn judge(t: &Place, ran: &Ran, outputs: &[&str], states: [&[Content]; 2], fine: &Ran) -> Vec<String> {
    let (said, mut wrong) = (ran.stderr(), Vec::new());
    // A message that can't be written is told by the exit code alone.
    let is_whole = outputs.iter().zip(states[1]).all(|(output, whole)| content(&t.path(output)) == *whole);
    let is_message_lost = is_whole && ran.exit() == Some(2) && !fine.stderr().is_empty();
    let fine = fine.exit();
    // The system's own loader has a close that fails.
    if ran.exit() == Some(127) && said.contains("shared libraries") {
        return wrong;
    }
    if !matches!(ran.exit(), Some(0..=2)) || said.contains("panicked") {
        wrong.push(format!("it ends with {:?}", ran.exit()));
    }
    if ran.exit() != fine && said.is_empty() && !is_message_lost {
        wrong.push(format!("it ends with {:?} without a word", ran.exit()));
    }
    for (number, output) in outputs.iter().enumerate() {
        let found = content(&t.path(output));
        let whole = found == states[1][number];
        if !whole && (ran.exit() == fine || found != states[0][number]) {
            wrong.push(format!("{output} is neither old nor whole"));
        }
    }
    let left: BTreeSet<String> = content(&t.path(""))
        .into_keys()
        .filter_map(|path| path.split('/').find(|part| part.contains("hashmill-")).map(str::to_string))
        .collect();
    let told = |name: &str| said.contains(name) || said.contains("--resume continues");
    wrong.extend(
        left.iter().filter(|name| !told(name)).map(|name| format!("{name} is left, and nobody is told")),
    );
    wrong
}

/// Makes every call fail, in every n-th command from this one on. Several tests share the work.
fn fail_everything(t: &Place, from: usize) {
    if !has_strace(t) || installed("ssh-keygen").is_none() {
        return;
    }
    t.file("tree/a", "abc")
        .file("tree/b", vec![b'x'; 70_000])
        .file("tree/deep/c", (0..=255).collect::<Vec<u8>>());
    t.file("folder/a", "abc").file("folder/deep/b", "xyz");
    t.shell("ssh-keygen -q -t ed25519 -N '' -C alice -f alice").code(0);
    READY.iter().for_each(|line| drop(t.run(line).code(0)));
    let keep = content(&t.path(""));
    let (mut wrong, mut faults) = (Vec::new(), 0);
    for (args, outputs, old) in COMMANDS.iter().skip(from).step_by(SHARES) {
        let states = || outputs.iter().map(|output| content(&t.path(output))).collect::<Vec<_>>();
        restore(t, &keep, outputs, *old);
        let before = states();
        let fine = traced(t, args, &["-e", "trace=none"]);
        assert!(matches!(fine.exit(), Some(0 | 1)), "{args}: {}", fine.stderr());
        let after = states();
        restore(t, &keep, outputs, *old);
        for (name, number) in calls(t, args) {
            let errors = FAULTS.iter().find(|(call, _)| *call == name).map_or(&[][..], |(_, errors)| errors);
            let errors = errors.iter().map(|error| format!("error={error}"));
            // Nothing of it was written, and no error.
            let nothing = (name == "write").then(|| "retval=0".to_string());
            for fault in errors.chain(nothing) {
                restore(t, &keep, outputs, *old);
                faults += 1;
                let inject = format!("inject={name}:{fault}:when={number}");
                // Other calls run as without strace.
                let only = ["--seccomp-bpf", "-e", &format!("trace={name}"), "-e", &inject];
                let ran = traced(t, args, &only);
                let found = judge(t, &ran, outputs, [&before, &after], &fine);
                wrong.extend(
                    found.iter().map(|found| format!("{args} ({inject}): {found}: {}", ran.stderr())),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {faults} faults:\n{}", wrong.len(), wrong.join("\n"));
    assert!(faults > 50, "only {faults} faults");
}

case!(
    #[ignore = "campaign: takes long"]
    whatever_fails_as_something_is_written_is_told_and_leaves_no_half_1,
    |t| {
        fail_everything(t, 0);
    }
);

case!(
    #[ignore = "campaign: takes long"]
    whatever_fails_as_something_is_written_is_told_and_leaves_no_half_2,
    |t| {
        fail_everything(t, 1);
    }
);

case!(
    #[ignore = "campaign: takes long"]
    whatever_fails_as_something_is_written_is_told_and_leaves_no_half_3,
    |t| {
        fail_everything(t, 2);
    }
);
