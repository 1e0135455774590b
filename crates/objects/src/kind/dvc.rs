//! DVC: `files/md5/ab/cdef…` is a file by its MD5, `files/md5/ab/cdef….dir` a list of the files of a folder. Caches of
//! DVC 2 have no `files/md5`.

use crate::name::is_hex;
use crate::{BadIndex, References, Role, Root};
use serde::Deserialize;

pub(crate) const ROOTS: &[Root] = &[
    Root { path: ".dvc/cache", marks: &[], others: &[] },
    Root { path: "cache", marks: &["config"], others: &[] },
    Root { path: "", marks: &[], others: &[".dvc"] },
];

/// The folder of files in caches of DVC 3.
const FILES: &[u8] = b"files/md5/";

/// A file in the list of a folder.
#[derive(Deserialize)]
struct ListedFile {
    md5: Box<str>,
}

const MD5_DIGITS: usize = 32;

/// Returns the role of a file.
pub(crate) fn role(path: &[u8]) -> Role {
    let parts: Vec<&[u8]> = path.strip_prefix(FILES).unwrap_or(path).split(|byte| *byte == b'/').collect();
    match parts[..] {
        [folder, rest] if folder.len() == 2 => {
            Role::stored("md5", &[folder, rest.strip_suffix(b".dir").unwrap_or(rest)].concat())
        }
        // Results of the stages of a pipeline, by digests of their inputs.
        [b"runs", ..] | [b"CACHEDIR.TAG"] => Role::Apart,
        _ => Role::Stranger,
    }
}

/// Returns whether a file is the list of a folder.
pub(crate) fn is_index(path: &[u8]) -> bool {
    path.ends_with(b".dir") && matches!(role(path), Role::Object(_))
}

/// Reads the list of a folder.
pub(crate) fn references(path: &[u8], bytes: &[u8]) -> Result<References, BadIndex> {
    let bad = BadIndex("is not a list of files in JSON");
    let files: Vec<ListedFile> = serde_json::from_slice(bytes).map_err(|_| bad)?;
    let before = if path.starts_with(FILES) { "files/md5/" } else { "" };
    let mut references = References::default();
    for file in &files {
        let md5 = Some(&*file.md5).filter(|md5| is_hex(md5.as_bytes(), MD5_DIGITS)).ok_or(bad)?;
        references.add(format!("{before}{}/{}", &md5[..2], &md5[2..]));
    }
    Ok(references)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_files_of_their_own_layout() {
        let list = br#"[{"md5": "900150983cd24fb0d6963f7d28e17f72", "relpath": "a"}]"#;
        let named = |path: &str| references(path.as_bytes(), list).unwrap().objects;
        let wanted = |path: &str| vec![path.as_bytes().into()];
        assert_eq!(named("files/md5/ab/c.dir"), wanted("files/md5/90/0150983cd24fb0d6963f7d28e17f72"));
        assert_eq!(named("ab/c.dir"), wanted("90/0150983cd24fb0d6963f7d28e17f72"));
        assert!(references(b"x", br#"[{"md5": "../../etc"}]"#).is_err());
    }
}
