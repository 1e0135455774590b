//! The table of systems.
//!
//! To add a system: its file, and a row here.

use crate::{Entry, Error, dirhash, git, model};

/// A system that defines one digest of a directory.
pub struct System {
    /// The name in options and messages.
    pub name: &'static str,
    /// The description, one line.
    pub about: &'static str,
    /// The algorithm of the digests of files.
    pub files: &'static str,
    /// The treatment of symbolic links.
    pub links: Links,
    /// The rule for executable files.
    pub executable: Executable,
    /// Names that it leaves out if they are directly in the directory.
    pub leaves_out: &'static [&'static str],
    fold: fn(&[Entry], &Options) -> Result<String, Error>,
    /// Normalises a digest to the form of [`System::digest`]; `None` if it can't be one.
    read: fn(&str) -> Option<String>,
}

/// The treatment of symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Links are entries with targets.
    Kept,
    /// Links to files are read as files. Links to folders are errors.
    Followed,
    /// Links are errors unless the user asks to follow them.
    Refused,
}

/// The rule for executable files, by mode bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Executable {
    /// The owner may execute it.
    Owner,
    /// Anyone may execute it.
    Anyone,
    /// The system does not distinguish executable files.
    NotAsked,
}

/// Further inputs of a digest.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `dirhash`: the prefix of each path, joined by `/`. Go uses `module@version`; empty means none.
    pub prefix: String,
}

/// All systems.
pub static SYSTEMS: &[System] = &[
    System {
        name: "dirhash",
        about: "Go's h1: SHA-256 of the sorted list of SHA-256 digests and names (golang.org/x/mod/sumdb/dirhash)",
        files: "sha256",
        links: Links::Followed,
        executable: Executable::NotAsked,
        leaves_out: &[],
        fold: dirhash::digest,
        read: dirhash::read,
    },
    System {
        name: "git",
        about: "git's tree of SHA-1 objects: what git write-tree prints when everything is added",
        files: "git-blob",
        links: Links::Kept,
        executable: Executable::Owner,
        leaves_out: &[".git"],
        fold: |entries, _| git::digest(entries, &git::GIT).map(|digest| digest.to_string()),
        read: |text| hex(text, 40),
    },
    System {
        name: "git-sha256",
        about: "git's tree of SHA-256 objects (git init --object-format=sha256)",
        files: "git-blob-sha256",
        links: Links::Kept,
        executable: Executable::Owner,
        leaves_out: &[".git"],
        fold: |entries, _| git::digest(entries, &git::GIT_SHA256).map(|digest| digest.to_string()),
        read: |text| hex(text, 64),
    },
    System {
        name: "swhid",
        about: "Software Heritage's identifier of a directory (SWHID 1.2, ISO/IEC 18670): git's tree with empty folders",
        files: "git-blob",
        links: Links::Kept,
        executable: Executable::Anyone,
        leaves_out: &[],
        fold: |entries, _| git::digest(entries, &git::SWHID).map(|digest| format!("swh:1:dir:{digest}")),
        read: |text| {
            let core = text.split(';').next().unwrap_or_default();
            hex(core.strip_prefix("swh:1:dir:").unwrap_or(core), 40)
                .map(|digest| format!("swh:1:dir:{digest}"))
        },
    },
    System {
        name: "model",
        about: "OpenSSF model signing: SHA-256 of the SHA-256 digests of all files, in the order of their paths by parts",
        files: "sha256",
        links: Links::Refused,
        executable: Executable::NotAsked,
        leaves_out: model::LEFT_OUT,
        fold: |entries, _| model::digest(entries),
        read: |text| hex(text.strip_prefix("sha256:").unwrap_or(text), 64),
    },
];

/// Finds a system by name, in any case.
pub fn find_system(name: &str) -> Option<&'static System> {
    SYSTEMS.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

impl System {
    /// Returns the digest of a directory in the system's notation. The order of the entries does not matter.
    ///
    /// # Errors
    /// [`Error`] if the system can't represent an entry.
    pub fn digest(&self, entries: &[Entry], options: &Options) -> Result<String, Error> {
        (self.fold)(entries, options)
    }

    /// Reads a digest that a user wrote, as [`System::digest`] writes it; `None` if it is not a digest of this system.
    pub fn read(&self, text: &str) -> Option<String> {
        (self.read)(text.trim())
    }
}

impl Executable {
    /// Whether a file with these mode bits is executable.
    pub fn is_in(self, mode: u32) -> bool {
        match self {
            Executable::Owner => mode & 0o100 != 0,
            Executable::Anyone => mode & 0o111 != 0,
            Executable::NotAsked => false,
        }
    }
}

impl std::fmt::Debug for System {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Returns the text in lower case if it consists of this many hexadecimal digits.
fn hex(text: &str, digits: usize) -> Option<String> {
    let fits = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    fits.then(|| text.to_ascii_lowercase())
}
