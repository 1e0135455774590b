//! Git LFS: `objects/aa/bb/OID`, where OID is the SHA-256 of the file.

use crate::{Role, Root};

pub(crate) const ROOTS: &[Root] = &[
    Root { path: ".git/lfs/objects", marks: &[], others: &[] },
    Root { path: "lfs/objects", marks: &[], others: &[] },
    Root { path: "objects", marks: &[], others: &["HEAD"] },
    Root { path: "", marks: &[], others: &[".git", "HEAD"] },
];

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
