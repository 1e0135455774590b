//! A folder to run both programs in, their results, and the comparison.

use hashmill_os::names;
use hashmill_testing::{is_root, not_compared};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// All commands.
pub const COMMANDS: [&str; 6] =
    ["hashdeep", "md5deep", "sha1deep", "sha256deep", "tigerdeep", "whirlpooldeep"];

/// The results of a program.
#[derive(Debug, PartialEq, Eq)]
pub struct Gave {
    pub out: Vec<u8>,
    pub err: Vec<u8>,
    /// None if a signal ended it.
    pub code: Option<i32>,
}

/// A folder with a tree in it, and the links under which our program is called.
pub struct Lab {
    folder: TempDir,
    /// Run as another user than root.
    pub user: Option<u32>,
    /// Variables of the programs' environment.
    pub variables: Vec<(&'static str, String)>,
}

/// A run longer than this hangs; on a machine that others use, too, one may well take half a minute.
const PATIENCE: Duration = Duration::from_secs(600);

/// The content of standard input.
pub const STDIN: &[u8] = b"standard input\n";

/// Returns the path of the program that is tested.
pub fn tested() -> &'static str {
    hashmill_testing::tested(env!("CARGO_BIN_EXE_hashmill"))
}

impl Lab {
    pub fn new() -> Lab {
        let folder = tempfile::tempdir().unwrap();
        let lab = Lab { folder, user: None, variables: Vec::new() };
        fs::create_dir(lab.root()).unwrap();
        fs::create_dir(lab.folder.path().join("bin")).unwrap();
        for name in COMMANDS {
            symlink(tested(), lab.folder.path().join("bin").join(name)).unwrap();
        }
        lab
    }

    /// Where the programs run.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.root().join(path)).unwrap()).into_owned()
    }

    pub fn link(&self, target: &str, path: &str) {
        symlink(target, self.root().join(path)).unwrap();
    }

    /// Runs a shell script in the folder.
    pub fn shell(&self, script: &str) {
        let status = Command::new("sh").args(["-ec", script]).current_dir(self.root()).status().unwrap();
        assert!(status.success(), "{script}");
    }

    /// Makes the programs run without root's powers: files that forbid reading can't be read.
    pub fn as_nobody(&mut self) {
        if !is_root() {
            return;
        }
        self.user = Some(65534);
        let bin = self.folder.path().join("bin");
        fs::set_permissions(self.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::copy(tested(), bin.join("hashmill")).unwrap();
        for name in COMMANDS {
            fs::remove_file(bin.join(name)).unwrap();
            symlink("hashmill", bin.join(name)).unwrap();
        }
    }

    /// Our program under a command's name.
    pub fn ours(&self, name: &str, words: &[&str]) -> Gave {
        self.run(self.folder.path().join("bin").join(name), name, words)
    }

    /// Returns the program that ours replaces.
    pub fn theirs(&self, name: &str, words: &[&str]) -> Gave {
        self.run(Path::new("/usr/bin").join(name), name, words)
    }

    fn run(&self, program: PathBuf, name: &str, words: &[&str]) -> Gave {
        let mut command = Command::new(program);
        command.arg0(name).args(words).current_dir(self.root());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(self.variables.iter().cloned());
        if let Some(user) = self.user {
            command.uid(user);
        }
        let mut child = command.spawn().unwrap();
        // Many command lines never read it.
        let _ = child.stdin.take().unwrap().write_all(STDIN);
        let (id, start) = (child.id(), Instant::now());
        let waiting = thread::spawn(move || child.wait_with_output().unwrap());
        while !waiting.is_finished() {
            assert!(start.elapsed() < PATIENCE, "{name} {words:?} ({id}) hangs");
            thread::sleep(Duration::from_millis(1));
        }
        let output = waiting.join().unwrap();
        Gave { out: output.stdout, err: output.stderr, code: output.status.code() }
    }

    /// Runs both; all must be the same, in any order of lines. The threads of 4.4 count what an audit finds without a
    /// lock, so that now and then one is lost: there it gets none.
    pub fn same(&self, name: &str, words: &[&str]) {
        let is_audit = name == "hashdeep" && words.iter().any(|word| word.starts_with("-a"));
        let alone: &[&str] = if is_audit { &["-j0"] } else { &[] };
        let words: &[&str] = &[alone, words].concat();
        let (ours, theirs) = (self.ours(name, words), self.theirs(name, words));
        compare(&format!("{name} {words:?}"), &ours, &theirs);
    }
}

/// Returns whether 4.4 is here.
pub fn installed() -> bool {
    let version = Command::new("/usr/bin/hashdeep").arg("-V").output();
    let here = version.is_ok_and(|output| output.stdout == b"4.4\n");
    if !here {
        not_compared("hashdeep 4.4 as /usr/bin/hashdeep");
    }
    here
}

pub fn compare(what: &str, ours: &Gave, theirs: &Gave) {
    let difference = |ours: &[u8], theirs: &[u8]| -> String {
        let (ours, theirs) = (sorted(ours), sorted(theirs));
        let only = |these: &[Vec<u8>], those: &[Vec<u8>], mark: &str| -> String {
            let only = these.iter().filter(|line| !those.contains(line));
            only.map(|line| format!("{mark} {}\n", text(line))).collect()
        };
        only(&ours, &theirs, "+") + &only(&theirs, &ours, "-")
    };
    let (out, err) = (difference(&ours.out, &theirs.out), difference(&bare(&ours.err), &bare(&theirs.err)));
    assert!(sorted(&ours.out) == sorted(&theirs.out), "standard output of {what}\n{out}\n{err}");
    assert!(told(&ours.err) == told(&theirs.err), "standard error of {what}\n{err}");
    assert_eq!(ours.code, theirs.code, "exit code of {what}\n{out}\n{err}");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the lines, or the elements of a document, in a fixed order.
fn sorted(bytes: &[u8]) -> Vec<Vec<u8>> {
    if bytes.starts_with(b"<?xml") {
        return elements(bytes);
    }
    let lines = bytes.split(|byte| b"\n\r\0".contains(byte));
    let mut lines: Vec<_> = lines.map(<[u8]>::to_vec).collect();
    lines.sort();
    lines
}

/// Returns the lines on standard error without the progress of `-e`.
fn told(bytes: &[u8]) -> Vec<Vec<u8>> {
    sorted(&bare(bytes))
}

/// Leaves out the progress of `-e`, of exactly its form: both programs show it only when a second has begun since
/// they last did, which is a matter of luck. The line that is wiped after each file stays: it is always there.
fn bare(bytes: &[u8]) -> Vec<u8> {
    let mut parts = bytes.split_inclusive(|byte| b"\n\r".contains(byte)).peekable();
    let mut rest: Vec<&[u8]> = Vec::new();
    while let Some(part) = parts.next() {
        let ends = part.ends_with(b"\r") && parts.peek() == Some(&&b"\r"[..]);
        let Some(name) = progress(&part[..part.len() - 1]).filter(|_| ends) else {
            rest.push(part);
            continue;
        };
        parts.next();
        // Names of the tree that end a line in their midst.
        let broken = |last: &&&[u8]| match &name[..] {
            "" => last.ends_with(b"return\r"),
            "feed" => last.ends_with(b"line\n"),
            _ => false,
        };
        if rest.last().filter(broken).is_some() {
            rest.pop();
        }
    }
    rest.concat()
}

/// Returns the name in `NAME 1MB of 3MB done, 00:00:02 left`, or `NAME 1MB done. Unable to estimate remaining time.`
fn progress(line: &[u8]) -> Option<String> {
    let line = text(line);
    let words: Vec<&str> = line.split(' ').collect();
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let megabytes = |word: &str| word.strip_suffix("MB").is_some_and(number);
    let time = |word: &str| {
        let parts: Vec<&str> = word.split(':').collect();
        parts.len() == 3 && parts.iter().all(|part| part.len() >= 2 && number(part))
    };
    match &words[..] {
        [name @ .., done, "done.", "Unable", "to", "estimate", "remaining", "time."] => {
            megabytes(done).then(|| name.join(" "))
        }
        [name @ .., done, "of", all, "done,", left, "left"] => {
            (megabytes(done) && megabytes(all) && time(left)).then(|| name.join(" "))
        }
        _ => None,
    }
}

#[test]
fn progress_is_compared_by_its_form() {
    let wiped = b"\r          \r";
    let shown: [&[u8]; 2] =
        [b"a b 1MB done. Unable to estimate remaining time.\r\r", b"a 1MB of 3MB done, 00:00:02 left\r\r"];
    for one in shown {
        assert_eq!(told(&[one, wiped].concat()), told(wiped), "{}", text(one));
        assert_eq!(told(&[&wiped[..], one, one, wiped].concat()), told(&[&wiped[..], wiped].concat()));
    }
    for name in ["odd/return\r", "feeds/line\nfeed"] {
        let one = format!("{name} 1MB done. Unable to estimate remaining time.\r\r");
        assert_eq!(told(&[&wiped[..], one.as_bytes(), wiped].concat()), told(&[&wiped[..], wiped].concat()));
    }
    // Anything else is reported: an extra word, a missing number, a missing end, a line that was not wiped.
    let others: [&[u8]; 4] = [
        b"a 1MB done. Unable to estimate remaining time\r\r",
        b"a xMB of 3MB done, 00:00:02 left\r\r",
        b"a 1MB of 3MB done, 00:00:02 left\r",
        b"a 1MB of 3MB done, 0:00:02 left\r\r",
    ];
    for other in others {
        assert_ne!(told(&[other, wiped].concat()), told(wiped), "{}", text(other));
    }
    assert_ne!(told(&[&wiped[..], wiped].concat()), told(wiped));
}

/// Returns a document without the parts that depend on time; each file is one piece.
fn elements(bytes: &[u8]) -> Vec<Vec<u8>> {
    const CHANGING: [&str; 12] = [
        "utime",
        "stime",
        "maxrss",
        "minflt",
        "majflt",
        "nswap",
        "inblock",
        "oublock",
        "clocktime",
        "start_time",
        "uid",
        "atime",
    ];
    let changes = |line: &&[u8]| {
        let line = line.trim_ascii_start();
        CHANGING.iter().any(|tag| line.starts_with(format!("<{tag}>").as_bytes()))
    };
    let mut elements: Vec<Vec<u8>> = vec![Vec::new()];
    for line in bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| !changes(line)) {
        if line.starts_with(b"  <") || !line.starts_with(b" ") {
            elements.push(Vec::new());
        }
        elements.last_mut().unwrap().extend(without_worker(line));
    }
    elements.sort();
    elements
}

/// Returns a line without the number of the thread that hashed the file, which is a matter of luck.
fn without_worker(line: &[u8]) -> Vec<u8> {
    const START: &[u8] = b"<fileobject workerid='";
    let Some(at) = line.windows(START.len()).position(|window| window == START) else { return line.to_vec() };
    let number = &line[at + START.len()..];
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
    [&line[..at + START.len()], &number[digits..]].concat()
}

/// A tree with every kind of name and link that both programs can walk.
pub fn odd_tree(lab: &Lab) {
    for (number, name) in ODD_NAMES.iter().enumerate() {
        lab.write(Path::new("odd").join(names::name(name).unwrap()), format!("odd {number}"));
    }
    lab.write(format!("odd/{}", "n".repeat(255)), "a long name");
    lab.write("feeds/line\nfeed", "broken");
    plain_tree(lab);
}

/// Names that have ended programs.
const ODD_NAMES: &[&[u8]] = &[
    b"back\\slash",
    b"quote'd",
    b"double\"quote",
    b"comma,s,",
    b" blank before",
    b"blank after ",
    b"tab\there",
    "gr\u{fc}\u{df}e".as_bytes(),
    "\u{65e5}\u{672c}".as_bytes(),
    "\u{1f600}".as_bytes(),
    b"not\xffutf8",
    b"\x01control",
    b"return\r",
    b"-r",
    b"*",
    b"a&b<c>",
    b"%s%n",
];

/// A tree with plain names, files of many sizes, and links.
pub fn plain_tree(lab: &Lab) {
    for size in [0, 1, 2, 511, 512, 513, 1024, 8191, 8192, 8193, 100_000] {
        let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
        lab.write(format!("tree/sizes/{size}"), bytes);
    }
    lab.write("tree/a", "same");
    lab.write("tree/b/copy", "same");
    lab.write("tree/b/c/d/deep", "deep");
    lab.write("tree/b.txt", "b");
    lab.write("tree/B/upper", "upper");
    fs::create_dir(lab.root().join("tree/empty")).unwrap();
    lab.link("a", "tree/link");
    lab.link("../tree/b", "tree/folder-link");
    lab.link("..", "tree/b/up");
    lab.link("self", "tree/self");
    lab.link("nowhere", "tree/dangling");
    lab.write("program.exe", program());
    lab.write("program", program());
    lab.write("-r", "a flag");
    lab.write("-", "a dash");
    lab.write("list", "tree/a\r\n\ntree/b/../a\ntree\n./tree//b.txt\n");
}

/// Returns the least that counts as a program for Windows.
fn program() -> Vec<u8> {
    let mut program = vec![0; 0x200];
    program[..2].copy_from_slice(b"MZ");
    program[0x3c] = 0x80;
    program[0x80..0x84].copy_from_slice(b"PE\0\0");
    program
}
