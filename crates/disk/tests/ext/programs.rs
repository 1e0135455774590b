//! The programs that make images and read them.

use hashmill_disk::{Medium, Seekable};
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Returns whether all these programs are there; if not, it says so.
pub fn have(programs: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<_> = std::env::split_paths(&path).collect();
    folders.push("/usr/sbin".into());
    folders.push("/sbin".into());
    let missing = programs.iter().find(|name| !folders.iter().any(|folder| folder.join(name).is_file()));
    if let Some(name) = missing {
        eprintln!("left out: {name} is not there");
    }
    missing.is_none()
}

/// Returns whether many more images are wanted than in every run of the tests.
pub fn is_campaign() -> bool {
    std::env::var_os("HASHMILL_CAMPAIGN").is_some()
}

/// Runs a program and returns what it prints.
pub fn run<A: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = A>) -> Vec<u8> {
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    // The programs' own words and times must not depend on the user.
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", path).env("TZ", "UTC").env("LC_ALL", "C");
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
