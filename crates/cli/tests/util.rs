//! A place with files, the command run in it, and checks of the result.

pub use hashmill_testing::{installed, is_name, is_root};

use hashmill_testing::Folder;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Once;

/// Returns the digest of a content as text.
pub fn digest(algorithm: &str, content: impl AsRef<[u8]>) -> String {
    hashmill_digest::hash(hashmill_digest::find(algorithm).unwrap(), content.as_ref()).to_string()
}

/// Returns the path of the program that is tested.
pub fn tested() -> &'static str {
    hashmill_testing::tested(env!("CARGO_BIN_EXE_hashmill"))
}

/// One test: a fresh place is given to it.
#[macro_export]
macro_rules! case {
    ($(#[$attribute:meta])* $name:ident, |$t:ident| $body:block) => {
        #[test]
        $(#[$attribute])*
        fn $name() {
            let $t = &$crate::util::Place::new();
            $body
        }
    };
}

/// A directory of its own, `tree` and others below it are made by the case.
pub struct Place {
    folder: Folder,
}

/// The result of a command.
pub struct Ran {
    what: String,
    output: Output,
}

/// Where SIGINT is ignored, as in a background job of a shell, programs inherit that, and rightly heed it. A signal with
/// a handler is given to programs with its default action.
#[allow(unsafe_code)]
fn heed_interrupts() {
    extern "C" fn nothing(_: libc::c_int) {}
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
        if ignored & 1 << (libc::SIGINT - 1) != 0 {
            let handler = nothing as extern "C" fn(libc::c_int);
            // SAFETY: the handler does nothing.
            unsafe { libc::signal(libc::SIGINT, handler as libc::sighandler_t) };
        }
    });
}

impl Place {
    pub fn new() -> Place {
        heed_interrupts();
        Place { folder: Folder::new() }
    }

    pub fn path(&self, name: impl AsRef<[u8]>) -> PathBuf {
        self.folder.at(name)
    }

    /// Writes a file, and the directories above it.
    pub fn file(&self, name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> &Place {
        self.folder.file(name, content);
        self
    }

    pub fn link(&self, name: &str, target: &str) -> &Place {
        self.folder.link(name, target);
        self
    }

    pub fn fifo(&self, name: &str) -> &Place {
        assert!(Command::new("mkfifo").arg(self.path(name)).status().unwrap().success());
        self
    }

    pub fn rename(&self, from: &str, to: &str) -> &Place {
        fs::rename(self.path(from), self.path(to)).unwrap();
        self
    }

    pub fn remove(&self, name: &str) -> &Place {
        fs::remove_file(self.path(name)).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Returns the hidden files that runs leave at the top of the place.
    pub fn leftovers(&self) -> Vec<String> {
        self.folder.names().into_iter().filter(|name| name.contains("hashmill")).collect()
    }

    /// Names that break careless tools, each with a file of its own content below `tree`.
    pub fn odd_names(&self) -> &Place {
        for name in ODD.iter().filter(|name| is_name(name)) {
            self.file([b"tree/", *name].concat(), name);
        }
        self.file(b"tree/empty", "").file([b"tree/", vec![b'n'; 255].as_slice()].concat(), "long")
    }

    /// Runs hashmill with arguments that are split at spaces.
    pub fn run(&self, args: &str) -> Ran {
        self.ran(self.command(args), args)
    }

    /// Runs hashmill with something on its standard input.
    pub fn feed(&self, args: &str, input: impl AsRef<[u8]>) -> Ran {
        self.file(".input", input);
        let mut command = self.command(args);
        command.stdin(fs::File::open(self.path(".input")).unwrap());
        self.remove(".input").ran(command, args)
    }

    /// Runs another program here; none if it is not installed.
    pub fn other(&self, program: &str, args: &str) -> Option<Ran> {
        let mut command = Command::new(installed(program)?);
        command.args(args.split_whitespace()).current_dir(self.folder.path()).env("LC_ALL", "C");
        Some(self.ran(command, &format!("{program} {args}")))
    }

    /// Runs a line of shell here, with `$hashmill` set.
    pub fn shell(&self, line: &str) -> Ran {
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(line)
            .current_dir(self.folder.path())
            .env("hashmill", tested())
            .env("PATH", hashmill_testing::path())
            .env("XDG_CONFIG_HOME", self.path("settings"));
        forget_ours(&mut command);
        self.ran(command, line)
    }

    /// hashmill with these arguments, not started yet.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(tested());
        command.args(args.split_whitespace()).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env("XDG_CONFIG_HOME", self.path("settings")).env("XDG_STATE_HOME", self.path("settings"));
        forget_ours(&mut command);
        command
    }

    pub fn ran(&self, mut command: Command, what: &str) -> Ran {
        Ran { what: what.to_string(), output: command.output().unwrap() }
    }
}

/// Removes the variables of the tests: hashmill reports variables that it does not know.
pub fn forget_ours(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"HASHMILL_") && name != "HASHMILL_ISA" {
            command.env_remove(name);
        }
    }
}

impl Ran {
    pub fn new(what: &str, output: Output) -> Ran {
        Ran { what: what.to_string(), output }
    }

    #[track_caller]
    pub fn code(self, wanted: i32) -> Ran {
        let code = self.output.status.code();
        assert_eq!(
            code,
            Some(wanted),
            "{} (signal {:?})\n{}",
            self.what,
            self.output.status.signal(),
            self.all()
        );
        self
    }

    /// Standard output holds this.
    #[track_caller]
    pub fn prints(self, wanted: impl AsRef<[u8]>) -> Ran {
        let wanted = wanted.as_ref();
        assert!(
            holds(&self.output.stdout, wanted),
            "no {:?} in: {}",
            String::from_utf8_lossy(wanted),
            self.all()
        );
        self
    }

    /// Standard output is this.
    #[track_caller]
    pub fn is(self, wanted: impl AsRef<[u8]>) -> Ran {
        let wanted = wanted.as_ref();
        assert!(self.output.stdout == wanted, "not {:?}:\n{}", String::from_utf8_lossy(wanted), self.all());
        self
    }

    /// Standard error holds this.
    #[track_caller]
    pub fn says(self, wanted: &str) -> Ran {
        assert!(holds(&self.output.stderr, wanted.as_bytes()), "no {wanted:?} in: {}", self.all());
        self
    }

    /// Standard error does not hold this.
    #[track_caller]
    pub fn quiet_about(self, word: &str) -> Ran {
        assert!(!holds(&self.output.stderr, word.as_bytes()), "{word:?} in: {}", self.all());
        self
    }

    /// Standard error is empty.
    #[track_caller]
    pub fn quiet(self) -> Ran {
        assert!(self.output.stderr.is_empty(), "{}", self.all());
        self
    }

    /// Returns the exit code; none after a signal.
    pub fn exit(&self) -> Option<i32> {
        self.output.status.code()
    }

    pub fn stdout(&self) -> &[u8] {
        &self.output.stdout
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.output.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.all()))
    }

    fn all(&self) -> String {
        let text = String::from_utf8_lossy(&self.output.stdout);
        format!(
            "{}: {}\n--- standard output\n{text}--- standard error\n{}",
            self.what,
            self.output.status,
            self.stderr()
        )
    }
}

/// Compares with a text in `tests/golden`; `make regenerate` stores it.
#[track_caller]
pub fn golden(name: &str, found: &[u8]) {
    stored(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name), found);
}

/// Returns whether stored copies are written instead of compared.
pub fn regenerates() -> bool {
    std::env::var_os("HASHMILL_REGENERATE").is_some()
}

/// Compares with a stored file; `make regenerate` stores it.
#[track_caller]
pub fn stored(path: &Path, found: &[u8]) {
    let wanted = fs::read(path).unwrap_or_default();
    if wanted == found {
        return;
    }
    let shown = path.display();
    assert!(
        regenerates(),
        "{shown} is not up to date: run make regenerate\n{}",
        String::from_utf8_lossy(found)
    );
    fs::write(path, found).unwrap();
}

fn holds(text: &[u8], wanted: &[u8]) -> bool {
    wanted.is_empty() || text.windows(wanted.len()).any(|window| window == wanted)
}

/// Names of files, bytes that some tool or format trips over.
pub const ODD: &[&[u8]] = &[
    b"plain",
    b"with space",
    b" leading",
    b"trailing ",
    b"back\\slash",
    b"back\\nslash",
    b"new\nline",
    b"carriage\rreturn",
    b"tab\there",
    b"quote\"s'",
    b"comma,s",
    b"*star",
    b"#hash",
    b"-dash",
    b"(paren) = ",
    b"gr\xc3\xb6\xc3\x9fe",
    b"latin1-\xf6",
    b"\xff\xfe",
    b"esc\x1b[31m",
    b" offset 0-5",
    b"%%%% x",
];
