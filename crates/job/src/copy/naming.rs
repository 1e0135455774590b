//! The names of copies below a destination.

use crate::misfit::Misfit;
use hashmill_os::names;
use std::path::{Path, PathBuf};

/// The sources of a run, and what each is called below a destination.
#[derive(Debug, Clone)]
pub(super) struct Naming {
    roots: Vec<Root>,
}

/// A source.
#[derive(Debug, Clone)]
struct Root {
    /// Its path as it was typed.
    path: Box<[u8]>,
    /// The name that stands for it; empty where its content is meant.
    name: Box<[u8]>,
}

/// The name of a copy.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Name {
    /// Its path below a destination; empty of a file that is the source itself, if that has no name.
    pub(super) below: Vec<u8>,
    /// Whether the entry is a source itself, so that a destination may name the copy.
    pub(super) is_source: bool,
}

/// A destination as it was typed.
#[derive(Debug, Clone)]
pub(super) struct CopyTarget {
    /// The folder that copies are written into.
    pub(super) folder: PathBuf,
    /// The folder and the name of the copy, if the source turns out to be one file.
    pub(super) single: Option<(PathBuf, Box<[u8]>)>,
    /// The folder whose content the only source means, of which the destination becomes a copy.
    pub(super) like: Option<PathBuf>,
}

impl Naming {
    /// Names these sources.
    ///
    /// # Errors
    /// If two of them have one name or lie in each other.
    pub(super) fn new(sources: &[Box<[u8]>]) -> Result<Naming, Misfit> {
        let mut roots: Vec<Root> = Vec::with_capacity(sources.len());
        for source in sources {
            let name = name_of(source);
            for Root { path: other, name: taken } in &roots {
                let why = match () {
                    () if is_below(source, other) || is_below(other, source) => "lies in another source",
                    () if *taken == name && !name.is_empty() => "has the name of another source",
                    () => continue,
                };
                return Err(Misfit::of_place(source.clone(), why));
            }
            roots.push(Root { path: source.clone(), name });
        }
        Ok(Naming { roots })
    }

    /// Returns the name of an entry's copy. `None` if the entry belongs to no source.
    pub(super) fn name(&self, path: &[u8]) -> Option<Name> {
        let roots = self.roots.iter().filter(|root| is_below(path, &root.path));
        let Root { path: root, name } = roots.max_by_key(|root| root.path.len())?;
        let rest = path[root.len()..].strip_prefix(b"/").unwrap_or(&path[root.len()..]);
        let below = match (name.is_empty(), rest.is_empty()) {
            (true, _) => rest.to_vec(),
            (false, true) => name.to_vec(),
            (false, false) => [name, &b"/"[..], rest].concat(),
        };
        Some(Name { below, is_source: rest.is_empty() })
    }

    /// Returns whether the only source is known to be a folder.
    fn is_folder(&self) -> bool {
        self.roots.first().is_some_and(|root| names::path_to_try(&root.path).is_dir())
    }

    /// Returns whether a destination may be the name of the copy: the only source is not known to be a folder.
    pub(super) fn may_be_single(&self) -> bool {
        self.roots.len() == 1 && !self.is_folder()
    }

    /// Returns the place of a destination. One that is no folder so far is the name of the copy, if the only source is a file.
    pub(super) fn target(&self, typed: &Path) -> CopyTarget {
        let folder = typed.to_path_buf();
        let is_folder = typed.is_dir() || names::path_bytes(typed).ends_with(b"/");
        let single = match typed.file_name() {
            Some(name) if self.may_be_single() && !is_folder => {
                let above = hashmill_output::directory(typed).to_path_buf();
                Some((above, names::bytes(name).into()))
            }
            _ => None,
        };
        CopyTarget { folder, single, like: self.content() }
    }

    /// Returns the folder whose content is meant, if that is the only source.
    fn content(&self) -> Option<PathBuf> {
        let [Root { path, name }] = &*self.roots else { return None };
        let folder = names::path_to_try(path).into_owned();
        (name.is_empty() && folder.is_dir()).then_some(folder)
    }
}

/// Returns whether a path is this one or lies below it.
fn is_below(path: &[u8], root: &[u8]) -> bool {
    let rest = path.strip_prefix(root);
    rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/' || root.ends_with(b"/"))
}

/// Returns the last name of a source; empty where its content is meant: with a slash at its end, and of a path without a name.
fn name_of(source: &[u8]) -> Box<[u8]> {
    let last = source.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    match last {
        b"." | b".." | b"-" => Box::default(),
        name => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(sources: &[&str]) -> Result<Naming, Misfit> {
        Naming::new(&sources.iter().map(|source| source.as_bytes().into()).collect::<Vec<_>>())
    }

    #[test]
    fn a_slash_at_the_end_means_the_content() {
        let cases = [
            (&["a"][..], "a/x/y", "a/x/y"),
            (&["a/"], "a/x/y", "x/y"),
            (&["p/a"], "p/a/x", "a/x"),
            (&["."], "./x", "x"),
            (&["/"], "/etc/x", "etc/x"),
            (&["p/f.bin"], "p/f.bin", "f.bin"),
            (&["p/d.E01!/p1"], "p/d.E01!/p1/x", "p1/x"),
            (&["p/a.zip!/"], "p/a.zip!/x/y", "x/y"),
            (&["a", "b/"], "b/x", "x"),
            (&["s3://b/k/"], "s3://b/k/x", "x"),
        ];
        for (sources, path, below) in cases {
            let found = naming(sources).unwrap().name(path.as_bytes()).unwrap().below;
            assert_eq!(String::from_utf8(found).unwrap(), below, "{path}");
        }
    }

    #[test]
    fn sources_that_would_become_one_are_refused() {
        for sources in [["a", "p/a"], ["a", "a/b"], ["a/b", "a"], ["a/", "a/"]] {
            assert!(naming(&sources).is_err(), "{sources:?}");
        }
        for sources in [["a", "ab"], ["a/", "b/"]] {
            assert!(naming(&sources).is_ok(), "{sources:?}");
        }
    }
}
