//! Helpers for tests: samples, verification, images made by other programs.

use hashmill_image::{Image, Options, ProblemKind, Resources, Verification};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub use hashmill_testing::samples::ewf::{Writer, adler};
pub use hashmill_testing::samples::mixed;
use hashmill_testing::vectors;
pub use hashmill_testing::{installed, run};

/// Returns how many bytes of a file the disk stores: 0 on Windows, where that isn't asked for.
#[cfg(unix)]
pub fn stored(file: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(file) * 512
}

#[cfg(windows)]
pub fn stored(_: &fs::Metadata) -> u64 {
    0
}

/// A sample as its list describes it.
pub struct Listed {
    pub name: String,
    pub path: PathBuf,
    pub media: u64,
    /// The start of the stored digest; empty if there is none.
    pub md5: String,
    pub sha1: String,
}

/// Returns the path of a sample; `None`, noted, if it is missing.
pub fn sample(name: &str) -> Option<PathBuf> {
    vectors(&format!("ewf/{name}"))
}

/// Returns all intact samples of the list.
pub fn samples() -> Option<Vec<Listed>> {
    let folder = vectors("ewf")?;
    let list = fs::read_to_string(folder.join("README.md")).unwrap();
    let rows = list.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let name = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?;
        let media = cells.get(4)?.parse().ok()?;
        let digest = |cell: &str| if cell == "N/A" || cell == "-" { String::new() } else { cell.to_string() };
        let path = folder.join(name);
        Some(Listed {
            name: name.into(),
            path,
            media,
            md5: digest(cells.get(7)?),
            sha1: digest(cells.get(8)?),
        })
    });
    Some(rows.filter(|listed| !listed.name.starts_with("bad/")).collect())
}

pub fn options() -> Options {
    Options { means: Resources { threads: 2, memory: 8 << 20 }, ..Options::default() }
}

pub fn verify(image: &Image) -> Verification {
    hashmill_image::verify(image, &options(), &|_| ControlFlow::Continue(())).unwrap()
}

pub fn digest_of(verification: &Verification, name: &str) -> Option<String> {
    let found = verification.digests.iter().find(|computed| computed.algorithm.name == name);
    found.map(|computed| computed.digest.to_string())
}

pub fn has(verification: &Verification, wanted: impl Fn(&ProblemKind) -> bool) -> bool {
    verification.findings.iter().any(|finding| wanted(&finding.kind))
}

/// The usual arguments of `ewfacquire`.
pub const ACQUIRE: &[&str] = &[
    "-u", "-q", "-C", "case1", "-D", "desc", "-e", "examiner", "-E", "ev1", "-N", "notes", "-m", "fixed",
    "-M", "physical",
];

/// Makes an image of a file beside it.
pub fn acquire(folder: &Path, target: &str, options: &[&str], source: &str) {
    let arguments: Vec<&str> = ACQUIRE
        .iter()
        .copied()
        .chain(["-t", target])
        .chain(options.iter().copied())
        .chain([source])
        .collect();
    run(folder, "ewfacquire", &arguments);
}
