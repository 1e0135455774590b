//! Named services in operands, such as `NAME:BUCKET/KEY`.
//!
//! The set of services is a setting of the job. It is read when the first operand looks like one of them.

use hashmill_os::names;
use hashmill_store::{Access, BadLocation, BadRemote, Location, Remote, rclone};
use hashmill_terminal::Shown;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::OnceLock;

/// The most names that a hint lists.
const FEW: usize = 8;

/// Services by name. A service with invalid settings is kept, too, so that its name is not taken for a path.
pub type RemoteTable = BTreeMap<String, Result<Remote, BadRemote>>;

/// The services of a job.
#[derive(Default)]
pub(crate) struct Remotes {
    /// Reads their settings.
    read: Option<Box<dyn Fn() -> RemoteTable + Send + Sync>>,
    /// The services, once they were needed.
    all: OnceLock<RemoteTable>,
    /// Whether such a path exists, for each beginning of an operand that was met: an operand keeps its first meaning.
    paths: Mutex<HashMap<Box<[u8]>, bool>>,
}

/// A service that an operand names.
pub(crate) struct Named<'r, 't> {
    name: &'r str,
    remote: &'r Result<Remote, BadRemote>,
    /// The bucket and the key.
    pub(crate) rest: &'t [u8],
}

impl Remotes {
    /// Makes services that this function reads once the first operand looks like a location of one.
    pub(crate) fn new(read: impl Fn() -> RemoteTable + Send + Sync + 'static) -> Remotes {
        Remotes { read: Some(Box::new(read)), ..Remotes::default() }
    }

    /// Returns all services; `None` if nothing reads any.
    fn all(&self) -> Option<&RemoteTable> {
        self.read.as_ref().map(|read| self.all.get_or_init(read))
    }

    /// Finds the service that these bytes name. If a file has the name up to the slash behind the colon, the bytes are a
    /// path.
    pub(crate) fn find<'t>(&self, text: &'t [u8]) -> Option<Named<'_, 't>> {
        // The letter of a drive is no service, as with rclone on Windows.
        if names::is_from_root(text) {
            return None;
        }
        let colon =
            text.iter().position(|byte| matches!(byte, b':' | b'/')).filter(|at| text[*at] == b':')?;
        let (name, rest) = (str::from_utf8(&text[..colon]).ok()?, &text[colon + 1..]);
        if name.is_empty() || rest.starts_with(b"//") {
            return None;
        }
        let (name, remote) = self.all()?.get_key_value(name)?;
        let first = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
        (!self.is_path(&text[..=colon + first.len()])).then_some(Named { name, remote, rest })
    }

    /// Returns a hint for what looks like a location of a service (`NAME:BUCKET/KEY`), but names none that is known.
    pub(crate) fn hint(&self, typed: &[u8]) -> Option<String> {
        if names::is_from_root(typed) {
            return None;
        }
        let colon =
            typed.iter().position(|byte| matches!(byte, b':' | b'/')).filter(|at| typed[*at] == b':')?;
        let (name, rest) = (str::from_utf8(&typed[..colon]).ok()?, &typed[colon + 1..]);
        let is_one = rclone::is_name(name) && name.starts_with(char::is_alphabetic);
        // Behind `scheme:` there are two slashes, behind the letter of a drive there is a backslash.
        if !is_one || rest.starts_with(b"//") || rest.starts_with(b"\\") {
            return None;
        }
        let all = self.all().filter(|all| !all.contains_key(name))?;
        let mut names: Vec<&str> = all.keys().take(FEW).map(String::as_str).collect();
        names.extend((all.len() > FEW).then_some("…"));
        let there = if names.is_empty() {
            "there is none".to_owned()
        } else {
            format!("there is {}", names.join(", "))
        };
        Some(format!(
            "no remote is named {name} ({}): define [remotes.{name}] in config.toml, or {name} in rclone's file",
            Shown(there.as_bytes())
        ))
    }

    fn is_path(&self, start: &[u8]) -> bool {
        let is_there = || names::path_to_try(start).symlink_metadata().is_ok();
        *self.paths.lock().entry(start.into()).or_insert_with(is_there)
    }

    /// Returns the settings to reach the service of a location; `other` if it has no name.
    pub(crate) fn access(&self, location: &Location, other: &Access) -> Access {
        let remote = location.remote().and_then(|name| self.all()?.get(name)?.as_ref().ok());
        remote.map_or_else(|| other.clone(), |remote| remote.access(other))
    }
}

impl fmt::Debug for Remotes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.get().into_iter().flat_map(RemoteTable::keys)).finish()
    }
}

impl Named<'_, '_> {
    /// Returns the location.
    ///
    /// # Errors
    /// If the settings of the service are invalid, or the rest does not form a location.
    pub(crate) fn location(&self) -> Result<Location, String> {
        let scheme = match self.remote {
            Ok(remote) => remote.scheme(),
            Err(bad) => return Err(format!("the remote {} can't be used: {bad}", self.name)),
        };
        Location::of_remote(self.name, scheme, self.rest).map_err(|bad: BadLocation| bad.to_string())
    }
}
