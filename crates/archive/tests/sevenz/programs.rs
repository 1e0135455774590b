//! The programs that write 7z archives.

use super::random_trees::Random;
use hashmill_testing::{had_modules, installed, python};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a program in a folder; none, noted, if it is not installed.
pub fn run(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    run_at(&installed(program)?, arguments, folder)
}

/// Runs the program at a path in a folder; none, noted, if it lacks a module.
fn run_at(program: &Path, arguments: &[&str], folder: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .env("TZ", "UTC")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    if !had_modules(&output.stderr) {
        return None;
    }
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{program:?} {arguments:?}: {error}{}",
        String::from_utf8_lossy(&output.stdout)
    );
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Calls 7zz with a command, options and an archive.
pub fn seven(command: &str, options: &[String], path: &Path, rest: &[&str], root: &Path) -> Option<String> {
    let mut arguments = vec![command, "-bso0", "-bsp0", "-y"];
    arguments.extend(options.iter().map(String::as_str));
    arguments.push(path.to_str().unwrap());
    arguments.extend(rest);
    run("7zz", &arguments, root)
}

/// Returns what 7zz lists: the fields of each member by its path.
pub fn listed(archive: &Path) -> Option<BTreeMap<String, BTreeMap<String, String>>> {
    let text = run("7zz", &["l", "-slt", "-sccUTF-8", archive.to_str().unwrap()], Path::new("/"))?;
    let list = text.split_once("----------\n").map_or("", |(_, list)| list);
    let fields = |block: &str| -> BTreeMap<String, String> {
        let lines = block.lines().filter_map(|line| line.split_once(" = "));
        lines.map(|(name, value)| (name.to_string(), value.to_string())).collect()
    };
    let members =
        list.split("\n\n").map(fields).filter_map(|fields| Some((fields.get("Path")?.clone(), fields)));
    Some(members.collect())
}

/// Makes an archive with bsdtar; returns how.
pub fn bsdtar(random: &mut Random, path: &Path, root: &Path) -> Option<String> {
    let method = random.pick(&["store", "deflate", "bzip2", "lzma1", "lzma2", "ppmd"]);
    let option = format!("compression={method},compression-level={}", 1 + random.below(9));
    let arguments = ["--format", "7zip", "--options", &option, "-cf", path.to_str().unwrap(), "."];
    run("bsdtar", &arguments, root).map(|_| format!("bsdtar {option}"))
}

/// Makes an archive with py7zr; returns how.
pub fn py7zr(random: &mut Random, path: &Path, root: &Path) -> Option<String> {
    let filters = [
        "COPY",
        "LZMA",
        "LZMA2",
        "BZIP2",
        "DEFLATE",
        "PPMD",
        "ZSTD",
        "X86 LZMA2",
        "ARM LZMA",
        "ARMTHUMB BZIP2",
        "POWERPC DEFLATE",
        "SPARC ZSTD",
        "DELTA LZMA2",
        "IA64 LZMA2",
        "DELTA X86 LZMA",
    ];
    const SCRIPT: &str = "
import pathlib, sys, py7zr
more = {'PPMD': {'order': 6, 'mem': 24}, 'ZSTD': {'level': 3}, 'DELTA': {'dist': 1}}
filters = [{'id': getattr(py7zr, 'FILTER_' + name), **more.get(name, {})} for name in sys.argv[2].split()]
with py7zr.SevenZipFile(sys.argv[1], 'w', filters=filters) as archive:
    archive.set_encoded_header_mode(sys.argv[3] == '1')
    for path in sorted(pathlib.Path('.').rglob('*')):
        # It fails for links that lead nowhere.
        if not path.is_symlink():
            archive.write(path, str(path))
";
    let (filters, mode) = (random.pick(&filters), random.pick(&["0", "1"]));
    let arguments = ["-c", SCRIPT, path.to_str().unwrap(), filters, mode];
    run_at(&python()?, &arguments, root).map(|_| format!("py7zr {filters}"))
}
