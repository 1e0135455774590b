//! Object stores of Software Heritage (`pathslicer`): a file is named by the SHA-1 or SHA-256 of its content, in
//! folders named by parts of that name (`0:2/0:5`). The content may be compressed, which no name says.

use crate::name::is_hex;
use crate::{Coding, Role, Root};

pub(crate) const ROOTS: &[Root] = &[Root { path: "", marks: &[], others: &[".git", ".git/objects"] }];

/// The compressions that the stored content may have.
pub(crate) const CODINGS: &[Coding] = &[Coding::Stored, Coding::Gzip, Coding::Zlib];

/// Returns the role of a file.
pub(crate) fn role(path: &[u8]) -> Role {
    let mut parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    let name = parts.pop().unwrap_or_default();
    let algorithm = match name.len() {
        40 => "sha1",
        64 => "sha256",
        _ => return Role::Stranger,
    };
    // A file that lies in folders of another name is not found there.
    let is_part = |folder: &&[u8]| {
        is_hex(folder, folder.len()) && name.windows(folder.len().max(1)).any(|part| part == *folder)
    };
    if parts.iter().all(is_part) { Role::stored(algorithm, name) } else { Role::Stranger }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_parts_of_the_name() {
        let name = "34973274ccef6ab4dfaaf86599792fa9c3fe4689";
        for folders in ["", "34/", "34/34973/", "34/97/32/"] {
            assert!(matches!(role(format!("{folders}{name}").as_bytes()), Role::Object(_)), "{folders}");
        }
        assert_eq!(role(format!("35/{name}").as_bytes()), Role::Stranger);
        assert_eq!(role(b"34//x"), Role::Stranger);
    }
}
