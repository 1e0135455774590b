//! The programs that make images and read them.

use hashmill_disk::{Medium, Seekable};
use hashmill_testing::{cases, path};
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Returns how many elements of a list there are from one that is tried to the next, for the usual number of random cases.
pub fn step(usual: usize) -> usize {
    (usual / cases(1)).max(1)
}

/// Runs a program and returns what it prints.
pub fn run<A: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = A>) -> Vec<u8> {
    // The programs' own words and times must not depend on the user.
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", path()).env("TZ", "UTC").env("LC_ALL", "C");
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {told}");
    output.stdout
}

/// Makes an image of that many MiB, filled with a folder if one is given.
pub fn make(image: &Path, mebibytes: u64, options: &str, folder: Option<&Path>) {
    File::create(image).unwrap().set_len(mebibytes << 20).unwrap();
    let mut arguments: Vec<&OsStr> = ["-q", "-F"].map(OsStr::new).to_vec();
    arguments.extend(options.split_whitespace().map(OsStr::new));
    if let Some(folder) = folder {
        arguments.extend([OsStr::new("-d"), folder.as_os_str()]);
    }
    arguments.push(image.as_os_str());
    run("mke2fs", arguments);
}

/// Changes an image by commands of debugfs.
pub fn change(image: &Path, commands: &str) {
    let file = image.with_extension("commands");
    std::fs::write(&file, commands).unwrap();
    run("debugfs", [OsStr::new("-w"), OsStr::new("-f"), file.as_os_str(), image.as_os_str()]);
    std::fs::remove_file(file).unwrap();
}

/// Opens an image.
pub fn medium(image: &Path) -> Arc<dyn Medium> {
    Arc::new(Seekable::new(File::open(image).unwrap()).unwrap())
}
