//! Ctrl-C in the middle of each command: it ends at once, and leaves nothing behind except files for `--resume`.

use crate::case;
use crate::resume::{signal, until, until_blocked};
use crate::util::{Place, Ran, installed};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Times that a command may be slow because the machine is.
const TRIES: usize = 5;

/// The time that the signal handler waits for work that does not end by itself.
const GRACE: Duration = Duration::from_secs(2);

fn lists(t: &Place) {
    t.file("tree/a", "abc").file("tree/b", "def");
    t.run("hash -c md5 -f sums -o sums tree").code(0);
    t.run("hash -c md5 -f jsonl -o list.jsonl tree").code(0);
    t.run("known build -o set.hmk --bad sums").code(0);
    t.run("seal create list.jsonl").code(0);
    fs::create_dir(t.path("tmp")).unwrap();
}

/// Returns whether a process sleeps, as one does that waits for standard input.
fn sleeps(child: &Child) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'))
}

/// Returns how long a command takes to end that is interrupted while it reads standard input, and its output.
fn interrupt_reading(t: &Place, line: &str, input: &str) -> (Duration, Ran) {
    let mut command = t.command(line);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.env("TMPDIR", t.path("tmp")).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    until("it does not wait", || sleeps(&child));
    let start = Instant::now();
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let took = start.elapsed();
    // Open to the end: the command does not end because its input does.
    drop(stdin);
    (took, Ran::new(line, output))
}

case!(reading_standard_input_ends_at_once, |t| {
    lists(t);
    let record = "900150983cd24fb0d6963f7d28e17f72  tree/a\n";
    for (line, input) in [
        ("hash -c md5 --force -o new -", "abc"),
        ("hash -c md5 --progress always -", "abc"),
        ("hash -c md5 -f jsonl tree - tree", "abc"),
        ("hash -c md5 --bwlimit 1M -", "abc"),
        ("hash -c md5 --force -o new --files-from -", "tree/a\n"),
        ("hash -c md5 -f jsonl --files-from - ", "tree/a\n"),
        ("check -", record),
        ("check --progress always --new -", record),
        ("audit -k - tree", record),
        ("audit -k list.jsonl -", "abc"),
        ("convert - new.csv --force -f csv", record),
        ("merge sums - --force -o new.jsonl -f jsonl", record),
        ("diff - tree", record),
        ("known query --known-set set.hmk", "900150983cd24fb0d6963f7d28e17f72\n"),
        ("known match --known-set set.hmk -", "abc"),
        ("similar digest -c ssdeep -", "abc"),
        ("known build --force -o tmp/new.hmk --bad -", record),
        ("dupes --files-from -", "tree/a\n"),
    ] {
        let before = names(t);
        let slow = (0..TRIES).find(|_| {
            let (took, ran) = interrupt_reading(t, line, input);
            // Without a handler the signal ends the process.
            assert!(matches!(ran.exit(), Some(130) | None), "{line}: {:?}: {}", ran.exit(), ran.stderr());
            assert!(!ran.stderr().contains("read"), "{line}: {}", ran.stderr());
            took < GRACE
        });
        assert!(slow.is_some(), "{line}: it takes its time");
        let left: Vec<_> = names(t).difference(&before).cloned().collect();
        assert!(left.iter().all(|name| name.starts_with(".new.hashmill-")), "{line}: {left:?}");
        for name in &left {
            t.remove(name);
        }
    }
});

/// Everything in a place, and in the folder for temporary files.
fn names(t: &Place) -> BTreeSet<String> {
    fn add(folder: &Path, prefix: &str, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                add(&entry.path(), &format!("{name}/"), names);
            }
            names.insert(name);
        }
    }
    let mut all = BTreeSet::new();
    add(&t.path(""), "", &mut all);
    all
}

/// Hundredths of a second that a process has computed. It may read holes without a call of the system.
fn worked(child: &Child) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    fields.split(' ').nth(11).map_or(0, |time| time.parse().unwrap())
}

/// Interrupts a command in the middle: while it waits for the pipe, or has read a part of a practically endless file.
/// Returns the files that it leaves.
fn interrupt(t: &Place, line: &str) -> (BTreeSet<String>, Ran) {
    interrupt_when(t, line, &|| true)
}

/// Interrupts a command that is blocked, once something is so.
fn interrupt_when(t: &Place, line: &str, is_time: &dyn Fn() -> bool) -> (BTreeSet<String>, Ran) {
    let pipe = t.path("pipe");
    let mut hold = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    hold.write_all(b"900150983cd24fb0d6963f7d28e17f72  tree/a\n").unwrap();
    let before = names(t);
    let mut command = t.command(line);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).env("TMPDIR", t.path("tmp"));
    let mut child = command.spawn().unwrap();
    if line.contains("pipe") {
        until_blocked(t, &child);
    } else {
        until(line, || worked(&child) > 10 || child_is_gone(&mut child));
    }
    until(line, || is_time() || child_is_gone(&mut child));
    if child_is_gone(&mut child) {
        let output = child.wait_with_output().unwrap();
        panic!("{line}: it ended: {}", String::from_utf8_lossy(&output.stderr));
    }
    signal(&child, "INT");
    let ran = Ran::new(line, child.wait_with_output().unwrap());
    drop(hold);
    // A signal without a handler ends the process, too: then there is nothing to leave yet.
    let killed = ran.exit().is_none();
    assert!(killed || ran.exit() == Some(130), "{line}: {:?}: {}", ran.exit(), ran.stderr());
    (names(t).difference(&before).cloned().collect(), ran)
}

fn child_is_gone(child: &mut Child) -> bool {
    child.try_wait().unwrap().is_some_and(|status| status.signal().is_none())
}

// Each writes something, and is in the middle of it or about to begin.
case!(
    #[ignore = "campaign: takes long"]
    an_interrupted_command_leaves_nothing_behind,
    |t| {
        lists(t);
        t.fifo("pipe").file("endless/disk.dd", "").file("seal", "");
        // It takes minutes to read.
        fs::File::options().write(true).open(t.path("endless/disk.dd")).unwrap().set_len(1 << 38).unwrap();
        let key = installed("ssh-keygen").is_some();
        if key {
            t.shell("ssh-keygen -q -t ed25519 -N '' -C me -f key").code(0);
        }
        for line in [
            "hash -c md5 -f sqlite -o new.sqlite tree pipe tree",
            "hash -c md5 -f parquet -o new.parquet tree pipe tree",
            "hash -c md5 -f jsonl --order any -o new.jsonl tree pipe tree",
            "hash -c md5 --seal -f sqlite -o new.sqlite endless",
            "audit -k list.jsonl --update next.jsonl tree pipe",
            "audit -k pipe --update next.jsonl tree",
            "known build -o new.hmk --bad pipe",
            "known match --known-set set.hmk -f jsonl -o new.jsonl tree pipe",
            "convert pipe new.csv -f csv",
            "merge list.jsonl pipe -o new.jsonl",
            "report pipe -o new.html",
            "seal create pipe",
            "seal redact pipe --seal-file list.jsonl.seal --keep tree/a -o new.jsonl",
            "proof create pipe --seal-file list.jsonl.seal tree/a -o new.proof",
            "outboard create endless/disk.dd",
            "outboard create endless/disk.dd -o new.obao",
            "bag create endless",
            "bag create endless -o bag",
            "image export --force endless/disk.dd -o new.dd",
            "image hash -c md5 endless/disk.dd -f jsonl -o new.jsonl",
            "sign --key key endless/disk.dd",
            "tree -c git endless",
            "check pipe",
        ] {
            if line.starts_with("sign") && !key {
                continue;
            }
            let (left, ran) = interrupt(t, line);
            assert!(left.is_empty(), "{line}: {left:?}: {}", ran.stderr());
        }
    }
);

case!(what_resume_goes_on_with_is_named, |t| {
    lists(t);
    t.fifo("pipe");
    for line in ["hash -c md5 -f jsonl -o new.jsonl tree pipe", "hash -c md5 -f jsonl -o tmp/new tree pipe"] {
        let partial =
            if line.contains("tmp/") { "tmp/.new.hashmill-partial" } else { ".new.jsonl.hashmill-partial" };
        // One without a record is removed.
        let has_records = || fs::metadata(t.path(partial)).is_ok_and(|partial| partial.len() > 0);
        let (left, ran) = interrupt_when(t, line, &has_records);
        assert!(left.contains(partial), "{line}: {left:?}");
        assert!(left.iter().all(|name| name.contains("new") && name.contains(".hashmill-")), "{left:?}");
        let wanted = format!(
            "interrupted; what was finished is in {partial}: the same command with --resume continues"
        );
        ran.code(130).says(&wanted);
    }
});
