//! Environment variables, and files of the home folder: the places of credentials.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::{env, fmt, fs};

/// A set of environment variables.
#[derive(Clone)]
pub struct Environment {
    variables: Arc<OnceLock<HashMap<String, String>>>,
    /// Whether those that say who asks are the settings of a remote.
    is_of_remote: bool,
}

impl Environment {
    /// Returns the variables of this process, read at the first look-up: most runs reach no store.
    pub fn of_process() -> Environment {
        Environment { variables: Arc::default(), is_of_remote: false }
    }

    /// Returns a set with exactly these variables.
    pub fn from_variables<'t>(variables: impl IntoIterator<Item = (&'t str, &'t str)>) -> Environment {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Environment::from_map(variables.into_iter().map(owned).collect(), false)
    }

    fn from_map(variables: HashMap<String, String>, is_of_remote: bool) -> Environment {
        Environment { variables: Arc::new(OnceLock::from(variables)), is_of_remote }
    }

    /// Returns the words for the place where credentials in variables stand.
    pub(crate) fn place(&self) -> &'static str {
        if self.is_of_remote { "the settings of the remote" } else { "the environment" }
    }

    fn all(&self) -> &HashMap<String, String> {
        // No setting is anything but text.
        let text =
            |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        self.variables.get_or_init(|| env::vars_os().filter_map(text).collect())
    }

    /// Returns the same without the variables that a function names, and with these, which a remote has.
    pub(crate) fn replaced(
        &self,
        is_left_out: fn(&str) -> bool,
        with: impl IntoIterator<Item = (impl Into<String>, String)>,
    ) -> Environment {
        let kept = self.all().iter().filter(|(name, _)| !is_left_out(name));
        let kept = kept.map(|(name, value)| (name.clone(), value.clone()));
        let with = with.into_iter().map(|(name, value)| (name.into(), value));
        Environment::from_map(kept.chain(with).collect(), true)
    }

    /// Returns the value of a variable that is not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all().get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the first of these variables that is not empty.
    pub(crate) fn first(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.get(name))
    }

    /// Returns the file that a variable names, else this one of the home folder.
    pub(crate) fn file(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        match self.get(variable) {
            Some(path) => Some(PathBuf::from(path)),
            None => self.home(below_home),
        }
    }

    /// Returns a path in the home folder.
    pub(crate) fn home(&self, below: &str) -> Option<PathBuf> {
        Some(Path::new(self.get("HOME")?).join(below))
    }

    /// Reads such a file. A file that doesn't exist has no text.
    pub(crate) fn text(&self, variable: &str, below_home: &str) -> Option<String> {
        fs::read_to_string(self.file(variable, below_home)?).ok()
    }

    /// Returns all variables whose names have this prefix.
    pub(crate) fn beginning<'e>(&'e self, prefix: &'e str) -> impl Iterator<Item = (&'e str, &'e str)> {
        let all = self.all().iter().map(|(name, value)| (name.as_str(), value.as_str()));
        all.filter(move |(name, value)| name.starts_with(prefix) && !value.is_empty())
    }
}

/// Shows only the names: values may be secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Environment({} variables)", self.all().len())
    }
}
