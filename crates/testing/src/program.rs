//! Programs for comparison.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Returns the path of a program to compare with. Where it is missing, see [`not_compared`].
pub fn installed(program: &str) -> Option<PathBuf> {
    let found = found(program);
    if found.is_none() {
        not_compared(program);
    }
    found
}

/// Returns the path of a program, if it is installed: for a test that does with another one, or without.
pub fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
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
        eprintln!("note: the program is static; it is not run under {name}");
        return None;
    }
    let source = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/{}.c"), name);
    let library = folder.join(format!("{name}-{}.so", std::process::id()));
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]).arg(&library).arg(source);
    let built = compiler.args(["-ldl", "-lpthread", "-lm"]).status();
    if !built.is_ok_and(|status| status.success()) {
        eprintln!("note: no C compiler; nothing is run under {name}");
        return None;
    }
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
