//! Shared by the tests: a temporary folder, a walk into a list, and programs under the fault library.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(unsafe_code)]

use hashmill_source::{Entry, Origin, Skip, WalkItem, WalkOptions, walk};
use hashmill_testing::{not_possible, preloadable};
use std::ffi::{CString, OsStr};
use std::fs::{self, File};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

pub struct Folder(PathBuf);

impl Folder {
    pub fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}", std::process::id()));
        // `rm` handles paths and depths that the standard library does not.
        remove(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn join(&self, name: impl AsRef<[u8]>) -> PathBuf {
        self.0.join(OsStr::from_bytes(name.as_ref()))
    }

    /// Writes a file, and creates its directories.
    pub fn file(&self, name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn link(&self, name: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.join(name)).unwrap();
    }

    pub fn fifo(&self, name: &str) -> PathBuf {
        let path = self.join(name);
        // SAFETY: the path is a C string.
        assert_eq!(unsafe { libc::mkfifo(c_string(path.as_os_str().as_bytes()).as_ptr(), 0o600) }, 0);
        path
    }

    pub fn bytes(&self) -> &[u8] {
        self.0.as_os_str().as_bytes()
    }

    /// Strips the folder from a path.
    pub fn strip<'a>(&self, path: &'a [u8]) -> &'a [u8] {
        path.strip_prefix(self.bytes()).map_or(path, |rest| rest.strip_prefix(b"/").unwrap_or(rest))
    }

    /// Creates nested directories of any depth, and a file `end` in the last.
    pub fn deep(&self, name: &[u8], depth: usize) {
        let mut at = File::open(&self.0).unwrap();
        let name = c_string(name);
        for _ in 0..depth {
            // SAFETY: the name is a C string and the descriptor is open.
            let fd = unsafe {
                assert_eq!(libc::mkdirat(at.as_raw_fd(), name.as_ptr(), 0o700), 0);
                libc::openat(at.as_raw_fd(), name.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC)
            };
            assert!(fd >= 0);
            // SAFETY: the descriptor is new and has no other owner.
            at = unsafe { File::from_raw_fd(fd) };
        }
        let flags = libc::O_CREAT | libc::O_WRONLY | libc::O_CLOEXEC;
        // SAFETY: as above.
        let mut end =
            unsafe { File::from_raw_fd(libc::openat(at.as_raw_fd(), c"end".as_ptr(), flags, 0o600)) };
        std::io::Write::write_all(&mut end, b"deep").unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

fn remove(path: &Path) {
    let _ = Command::new("rm").arg("-rf").arg(path).status();
}

pub fn c_string(bytes: &[u8]) -> CString {
    CString::new(bytes).unwrap()
}

pub fn walked(operands: &[&[u8]], options: WalkOptions) -> Vec<WalkItem> {
    let operands: Vec<Box<[u8]>> = operands.iter().map(|&operand| operand.into()).collect();
    walk(operands.into_iter(), options).collect()
}

/// Returns the paths of a walk's files; panics on anything else.
pub fn files(found: Vec<WalkItem>) -> Vec<Box<[u8]>> {
    let path = |found| match found {
        WalkItem::File(entry) => entry.path,
        other => panic!("{other:?}"),
    };
    found.into_iter().map(path).collect()
}

/// Returns a line for each result: `file PATH`, `skipped PATH: why`, `failed PATH: problem`, the paths without the
/// folder.
pub fn lines(folder: &Folder, found: Vec<WalkItem>) -> Vec<String> {
    let text = |path: &[u8]| String::from_utf8_lossy(folder.strip(path)).into_owned();
    let line = |found| match found {
        WalkItem::File(entry) => format!("file {}", text(&entry.path)),
        WalkItem::Skipped { path, why } => format!("skipped {}: {}", text(&path), word(why)),
        WalkItem::Failed(error) => format!("failed {}: {}", text(&error.path), error.problem),
    };
    found.into_iter().map(line).collect()
}

fn word(why: Skip) -> String {
    format!("{why:?}").to_lowercase()
}

pub fn entry(path: &Path, origin: Origin) -> Entry {
    Entry::new(path.as_os_str().as_bytes().into(), origin)
}

/// Runs an example of this crate under the fault library.
pub fn under_faults(example: &str, faults: &[(&str, &str)], arguments: &[&OsStr]) -> Output {
    let mut command = Command::new(built(example));
    command.env("LD_PRELOAD", fault_library()).envs(faults.iter().copied()).args(arguments);
    command.output().unwrap()
}

/// Returns the path of an example; examples are beside the folder of the tests.
pub fn built(example: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples").join(example)
}

fn fault_library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| preloaded("fault"))
}

/// Builds a library of `testdata` for preloading.
pub fn preloaded(name: &str) -> PathBuf {
    preloadable(name, Path::new(env!("CARGO_TARGET_TMPDIR"))).expect("a C compiler, as Rust needs one")
}

/// Splits the output of a tool into records that end in NUL.
pub fn records(output: Vec<u8>) -> Vec<Vec<u8>> {
    let mut records: Vec<Vec<u8>> = output.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
    assert_eq!(records.pop(), Some(Vec::new()));
    records
}

/// Runs work on its own thread without the superuser's rights: only that thread changes its user. `None`, with a note,
/// if the user can't be changed.
pub fn as_nobody<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    // SAFETY: neither call touches memory.
    if unsafe { libc::geteuid() } != 0 {
        return Some(work());
    }
    let thread = std::thread::spawn(|| {
        // SAFETY: the C library's own function would change all threads.
        let result = unsafe { libc::syscall(libc::SYS_setresuid, -1, 65534, -1) };
        (result == 0).then(work)
    });
    let result = thread.join().unwrap();
    if result.is_none() {
        not_possible("giving up the rights of the superuser");
    }
    result
}

pub fn os(path: &[u8]) -> std::ffi::OsString {
    std::ffi::OsString::from_vec(path.to_vec())
}
