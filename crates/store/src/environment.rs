//! Environment variables, and files of the home folder: the places of credentials.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::{env, fmt, fs};

/// A set of environment variables.
#[derive(Clone)]
pub struct Environment(Arc<OnceLock<HashMap<String, String>>>);

impl Environment {
    /// Returns the variables of this process, read at the first look-up: most runs reach no store.
    pub fn of_process() -> Environment {
        Environment(Arc::default())
    }

    /// Returns a set with exactly these variables.
    pub fn from_variables<'t>(variables: impl IntoIterator<Item = (&'t str, &'t str)>) -> Environment {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Environment(Arc::new(OnceLock::from(variables.into_iter().map(owned).collect::<HashMap<_, _>>())))
    }

    fn all(&self) -> &HashMap<String, String> {
        // Values that are not text can't be used here.
        let text =
            |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        self.0.get_or_init(|| env::vars_os().filter_map(text).collect())
    }

    /// Returns a copy without the variables that a function selects, and with these added.
    pub(crate) fn replaced(
        &self,
        is_left_out: fn(&str) -> bool,
        with: Vec<(&'static str, String)>,
    ) -> Environment {
        let kept = self.all().iter().filter(|(name, _)| !is_left_out(name));
        let kept = kept.map(|(name, value)| (name.clone(), value.clone()));
        let with = with.into_iter().map(|(name, value)| (name.to_owned(), value));
        Environment(Arc::new(OnceLock::from(kept.chain(with).collect::<HashMap<_, _>>())))
    }

    /// Returns the value of a variable, if it is not empty.
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
