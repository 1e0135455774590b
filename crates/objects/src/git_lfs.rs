//! Git LFS: `objects/aa/bb/OID`, where OID is the SHA-256 of the file.

use crate::name::is_hex;
use crate::{Role, Root};

pub(crate) const ROOTS: &[Root] = &[
    Root { path: ".git/lfs/objects", marks: &[], others: &[] },
    Root { path: "lfs/objects", marks: &[], others: &[] },
    Root { path: "objects", marks: &[], others: &["HEAD"] },
    Root { path: "", marks: &[], others: &[".git", "HEAD"] },
];

/// The most bytes of a pointer.
pub const LFS_POINTER_MAX: u64 = 1024;

/// The first lines of pointers.
const VERSIONS: [&str; 2] =
    ["version https://git-lfs.github.com/spec/v1", "version https://hawser.github.com/spec/v1"];

/// Returns the path below the store of the object that a file in git stands for; `None` if the file is no pointer.
pub fn lfs_pointer(text: &[u8]) -> Option<String> {
    let mut lines = str::from_utf8(text).ok()?.lines();
    lines.next().filter(|line| VERSIONS.contains(line))?;
    let oid = lines.find_map(|line| line.strip_prefix("oid sha256:"))?;
    is_hex(oid.as_bytes(), 64).then(|| format!("{}/{}/{oid}", &oid[..2], &oid[2..4]))
}

/// Returns the role of a file below `objects`.
pub(crate) fn role(path: &[u8]) -> Role {
    let mut parts = path.split(|byte| *byte == b'/');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(first), Some(second), Some(oid), None) if oid.starts_with(&[first, second].concat()) => {
            let fits = first.len() == 2 && second.len() == 2;
            if fits { Role::stored("sha256", oid) } else { Role::Stranger }
        }
        _ => Role::Stranger,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_lies_where_its_name_says() {
        let oid = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(matches!(role(format!("ba/78/{oid}").as_bytes()), Role::Object(_)));
        for path in [format!("ba/79/{oid}"), format!("b/a7/{oid}"), oid.into(), format!("ba/78/{oid}/x")] {
            assert_eq!(role(path.as_bytes()), Role::Stranger, "{path}");
        }
    }
}
