//! Files that are not data of a run: outputs, lists that it reads, and files that belong to these.
//!
//! A walk recognises them by device and inode, so another name (a hard link) of such a file in the tree looks the same
//! to it: [`OwnFiles::is_at`] tells the two apart.

use crate::output::{Output, directory};
use hashmill_os::{Links, facts_at, names};
use hashmill_source::{Identity, identity};
use std::path::{Path, PathBuf};

/// The files that are not data of a run.
#[derive(Debug, Clone, Default)]
pub struct OwnFiles {
    identities: Vec<Identity>,
    /// Their paths: absolute, and without links in their folders.
    places: Vec<PathBuf>,
    /// Likewise, those of outputs that have no name yet.
    unfinished: Vec<PathBuf>,
}

impl OwnFiles {
    /// Adds a file, whatever name it was reached by.
    pub fn add(&mut self, file: &Path) {
        self.identities.extend(identity_at(file));
        self.places.extend(place(file));
        self.places.extend(names::canonical(file));
    }

    /// Adds the file that an output is or becomes, and the file that it replaces.
    pub fn add_output(&mut self, output: &Output) {
        self.add_identities(output.identities().into_iter().map(identity));
        self.unfinished.extend(output.place());
    }

    /// Adds files whatever their names.
    pub fn add_identities(&mut self, identities: impl IntoIterator<Item = Identity>) {
        self.identities.extend(identities);
    }

    /// Adds a file only if it has no other name: a file with several names could also be one of the tree.
    pub fn add_alone(&mut self, file: &Path) {
        if facts_at(file, Links::Stay).is_ok_and(|facts| facts.is_file() && facts.links == 1) {
            self.add(file);
        }
    }

    /// Returns device and inode of each file.
    pub fn identities(&self) -> &[Identity] {
        &self.identities
    }

    /// Returns whether an output that has no name yet lies at this path.
    pub fn is_unfinished(&self, path: &[u8]) -> bool {
        place(&names::path_to_try(path)).is_some_and(|place| self.unfinished.contains(&place))
    }

    /// Returns whether one of these files lies at this path, rather than another name of the same file.
    pub fn is_at(&self, path: &[u8]) -> bool {
        place(&names::path_to_try(path)).is_some_and(|place| self.places.contains(&place))
    }
}

/// Returns device and inode of a file.
pub fn identity_at(path: &Path) -> Option<Identity> {
    facts_at(path, Links::Follow).ok().map(|facts| identity(facts.id))
}

/// Returns the path of a file with its folder resolved. If the file is a link, the link itself is not followed.
fn place(file: &Path) -> Option<PathBuf> {
    let folder = names::canonical(directory(file)).ok()?;
    Some(folder.join(file.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    pub(super) fn has(own: &OwnFiles, path: &Path) -> bool {
        own.is_at(&names::path_bytes(path))
    }

    #[test]
    fn another_name_of_the_list_is_not_the_list() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("m"), "anything").unwrap();
        fs::hard_link(at("m"), at("a.jpg")).unwrap();
        fs::create_dir(at("d")).unwrap();
        let mut own = OwnFiles::default();
        own.add(&at("d/../m"));
        assert!(own.identities().contains(&identity_at(&at("a.jpg")).unwrap()));
        assert!(has(&own, &at("m")) && has(&own, &at("d/../m")) && !has(&own, &at("a.jpg")));
    }
}

#[cfg(all(test, unix))]
mod tests_of_links {
    use super::tests::has;
    use super::*;
    use std::fs;

    #[test]
    fn a_list_below_a_link_is_the_list() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("m"), "anything").unwrap();
        fs::hard_link(at("m"), at("a.jpg")).unwrap();
        fs::create_dir(at("d")).unwrap();
        std::os::unix::fs::symlink("..", at("d/up")).unwrap();
        let mut own = OwnFiles::default();
        own.add(&at("d/up/m"));
        assert!(has(&own, &at("m")) && has(&own, &at("d/up/m")) && !has(&own, &at("a.jpg")));
    }
}
