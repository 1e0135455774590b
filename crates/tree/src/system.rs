//! Every system, one row each.

use crate::{Entry, Error, dirhash, git, model};

/// A way to make one digest of a directory.
pub struct System {
    /// The name in options and messages.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The algorithm of the digests of its files.
    pub files: &'static str,
    /// What it does with symbolic links.
    pub links: Links,
    /// Which files may be run.
    pub executable: Executable,
    /// Names that it leaves out, directly in the directory.
    pub leaves_out: &'static [&'static str],
    fold: fn(&[Entry], &Options) -> Result<String, Error>,
    /// Brings a digest that a user wrote into the form that [`System::digest`] gives; `None` if it can't be one.
    read: fn(&str) -> Option<String>,
}

/// What a system does with symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They are entries of their own: it needs their targets.
    Kept,
    /// It reads the files that they lead to. A link to a folder has no place.
    Followed,
    /// They have no place, unless the user says that they are followed.
    Refused,
}

/// When a file may be run, by the bits of its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Executable {
    /// The bit of its owner says so.
    Owner,
    /// Any of the three bits says so.
    Anyone,
    /// The system does not ask.
    NotAsked,
}

/// What else a digest depends on.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `dirhash`: what stands before each path, and a `/` after it. Go has `module@version`; empty: nothing.
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

/// The system of this name, in any case.
pub fn find_system(name: &str) -> Option<&'static System> {
    SYSTEMS.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

impl System {
    /// The digest of a directory, as the system writes it. The order of the entries does not matter.
    ///
    /// # Errors
    /// [`Error`] if the system has no place for an entry.
    pub fn digest(&self, entries: &[Entry], options: &Options) -> Result<String, Error> {
        (self.fold)(entries, options)
    }

    /// A digest that a user wrote, as [`System::digest`] writes it; `None` if it is none of this system.
    pub fn read(&self, text: &str) -> Option<String> {
        (self.read)(text.trim())
    }
}

impl Executable {
    /// Whether a file with these bits may be run.
    pub fn of(self, mode: u32) -> bool {
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

/// A text of this many hexadecimal digits, in small letters.
fn hex(text: &str, digits: usize) -> Option<String> {
    let fits = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    fits.then(|| text.to_ascii_lowercase())
}
