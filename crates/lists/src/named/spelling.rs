//! Names that a file system takes for one another: by case, or by the normal form of their characters.

use hashmill_os::{Links, facts_at, names};
use unicode_normalization::UnicodeNormalization;

/// Returns whether a listed path, as it would lie on this machine, is the file that was found under another spelling.
///
/// The file system decides that: it may differ from volume to volume, and each has a table of its own. It is asked only
/// about names that differ in nothing but case and normal form, as two other names may be links to one file.
pub fn is_same_file(listed: &[u8], found: &[u8]) -> bool {
    listed != found && are_alike(listed, found) && is_one(listed, found)
}

fn are_alike(one: &[u8], other: &[u8]) -> bool {
    let (Ok(one), Ok(other)) = (str::from_utf8(one), str::from_utf8(other)) else { return false };
    folded(one).eq(folded(other))
}

/// Returns the characters without differences of case: capital letters have fewer forms than small ones (ς and σ).
fn folded(path: &str) -> impl Iterator<Item = char> {
    path.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfd()
}

fn is_one(listed: &[u8], found: &[u8]) -> bool {
    let id = |path| facts_at(&names::path(path).ok()?, Links::Stay).ok().map(|facts| facts.id);
    id(listed).is_some_and(|listed| Some(listed) == id(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn only_case_and_normal_form_may_differ() {
        assert!(are_alike(b"Photos/A.JPG", b"photos/a.jpg"));
        assert!(are_alike("Ångström/ΣΑΣ".as_bytes(), "a\u{30a}NGSTRÖM/σας".as_bytes()));
        for other in ["photos/b.jpg", "photos", "photos/a.jpg/", "photos\\a.jpg"] {
            assert!(!are_alike(b"photos/a.jpg", other.as_bytes()), "{other}");
        }
        assert!(!are_alike(b"\xff", b"\xff"), "no text");
    }

    /// Links stand in for a file system that takes the names for one another: this one may not.
    #[test]
    fn the_file_system_decides() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let bytes = |path: &Path| names::path_bytes(path).into_owned();
        fs::write(path("a"), "content").unwrap();
        let (listed, found) = (bytes(&path("A")), bytes(&path("a")));
        assert!(!is_same_file(&found, &found), "no other spelling");
        if !path("A").exists() {
            assert!(!is_same_file(&listed, &found));
            fs::hard_link(path("a"), path("A")).unwrap();
        }
        assert!(is_same_file(&listed, &found));
        fs::hard_link(path("a"), path("b")).unwrap();
        assert!(!is_same_file(&bytes(&path("b")), &found), "a link is no spelling");
    }
}
