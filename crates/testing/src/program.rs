//! Programs for comparison.

use crate::missing::check_setup;
use crate::{not_compared, not_possible};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Returns the path of a program to compare with. Where it is missing, see [`not_compared`].
pub fn installed(program: &str) -> Option<PathBuf> {
    check_setup(program);
    let found = found(program);
    if found.is_none() {
        not_compared(program);
    }
    found
}

/// Returns the path of a program, if it is installed: for a test that does with another one, or without. Programs for
/// administrators are found whoever runs the tests.
pub fn found(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&path()).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Returns the search path, with the folders of programs for administrators.
pub fn path() -> OsString {
    let mut folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    folders.extend(["/usr/sbin", "/sbin"].map(PathBuf::from));
    std::env::join_paths(folders).unwrap()
}

/// Returns whether all these programs are installed. Those that are missing are noted, as by [`installed`].
pub fn all_installed(programs: &[&str]) -> bool {
    programs.iter().filter(|program| installed(program).is_none()).count() == 0
}

/// Returns the path of what `scripts/setup` puts into a place below `target`, `peers/promtool` for example. Where it is
/// missing, see [`not_compared`].
pub fn set_up(place: &str) -> Option<PathBuf> {
    let path = workspace().join("target").join(place);
    let name = path.file_name().unwrap().to_str().unwrap();
    check_setup(name);
    if !path.exists() {
        not_compared(name);
        return None;
    }
    Some(path)
}

/// Returns the path of the Python with the packages that tests compare with: the one that `HASHMILL_PYTHON` names, else
/// that of `scripts/setup`.
pub fn python() -> Option<PathBuf> {
    let named = std::env::var_os("HASHMILL_PYTHON").map(PathBuf::from);
    named.or_else(|| set_up("venv/bin/python"))
}

/// Returns whether a program of Python that ended with these messages had all modules that it needs. One that is missing
/// is noted: see [`not_compared`].
pub fn had_modules(messages: &[u8]) -> bool {
    let messages = String::from_utf8_lossy(messages);
    let missing =
        messages.lines().find_map(|line| line.strip_prefix("ModuleNotFoundError: No module named "));
    if let Some(module) = missing {
        not_compared(&format!("Python's module {module}"));
    }
    missing.is_none()
}

/// Returns the path of a file or folder of the samples in `../shared/vectors`. Where it is missing, see [`not_compared`].
pub fn vectors(place: &str) -> Option<PathBuf> {
    let path = workspace().join("../shared/vectors").join(place);
    if !path.exists() {
        not_compared(&format!("../shared/vectors/{place}"));
        return None;
    }
    Some(path.canonicalize().unwrap())
}

/// Returns the folder of the sources.
pub(crate) fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Runs a program in a folder and returns its output. It must succeed.
pub fn run(folder: &Path, program: &str, arguments: &[&str]) -> Vec<u8> {
    let output =
        Command::new(program).args(arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Returns whether the tests run as the superuser, who ignores permissions.
pub fn is_root() -> bool {
    Command::new("id").arg("-u").output().unwrap().stdout == b"0\n"
}

/// Returns the path of the program that is tested: the one that `HASHMILL_PROGRAM` names, made for another C library or
/// system for example, else the one that cargo built beside the tests.
pub fn tested(built: &'static str) -> &'static str {
    static GIVEN: OnceLock<Option<String>> = OnceLock::new();
    GIVEN.get_or_init(|| std::env::var("HASHMILL_PROGRAM").ok()).as_deref().unwrap_or(built)
}

/// Returns whether the program that is tested is one for Windows, as `HASHMILL_SYSTEM=windows` says.
pub fn is_of_windows() -> bool {
    static IS_WINDOWS: OnceLock<bool> = OnceLock::new();
    *IS_WINDOWS.get_or_init(|| {
        cfg!(windows) || std::env::var_os("HASHMILL_SYSTEM").is_some_and(|name| name == "windows")
    })
}

/// Returns whether the system of the program that is tested has such names: those of Windows are a part of all.
pub fn is_name(name: &[u8]) -> bool {
    !is_of_windows() || (std::str::from_utf8(name).is_ok() && !name.iter().any(is_odd))
}

/// Returns a path with other names in the place of those that the system of the program has not.
pub fn named(path: &[u8]) -> Vec<u8> {
    let letter = |byte: &u8| if is_odd(byte) { b'_' } else { *byte };
    if is_name(path) {
        path.to_vec()
    } else {
        String::from_utf8_lossy(path).bytes().map(|byte| letter(&byte)).collect()
    }
}

/// Returns whether names on Windows are without this byte.
fn is_odd(byte: &u8) -> bool {
    *byte < 32 || b"<>:\"\\|?*".contains(byte)
}

/// Returns whether a program loads no libraries: it doesn't name the system's loader, which stands in its first page.
fn is_static(program: &Path) -> bool {
    let mut first = Vec::new();
    let read = File::open(program).and_then(|file| file.take(4096).read_to_end(&mut first));
    read.is_ok() && !first.windows(8).any(|window| window == b"ld-linux")
}

/// Compiles the library `testdata/NAME.c`, to be preloaded into programs (`LD_PRELOAD`), into a folder; returns `None`,
/// with a note, without a C compiler, and where the program that is tested is static: nothing can be loaded into it.
pub fn preloadable(name: &str, folder: &Path) -> Option<PathBuf> {
    if std::env::var_os("HASHMILL_PROGRAM").is_some_and(|program| is_static(Path::new(&program))) {
        not_possible(&format!("a static program under {name}"));
        return None;
    }
    let source = workspace().join(format!("testdata/{name}.c"));
    let library = folder.join(format!("{name}-{}.so", std::process::id()));
    let mut compiler = Command::new(installed("cc")?);
    compiler.args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]).arg(&library).arg(source);
    let built = compiler.args(["-ldl", "-lpthread", "-lm"]).status().unwrap();
    assert!(built.success(), "cc can't compile {name}.c");
    Some(library)
}

/// Returns a command that runs this test program again, for a test in a process of its own, with the emulator in
/// `HASHMILL_RUNNER` if it is set.
pub fn this_program() -> Command {
    let program = std::env::current_exe().expect("a running test has a file");
    match std::env::var_os("HASHMILL_RUNNER") {
        Some(runner) => {
            let mut command = Command::new(runner);
            command.arg(program);
            command
        }
        None => Command::new(program),
    }
}
