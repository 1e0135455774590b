//! Objects of git: a loose object is `ab/cdef…`, compressed by zlib, and its name is the SHA-1 (or SHA-256) of its
//! bytes with their header. Packs and their indexes end with the digest of all bytes before.

use crate::name::is_hex;
use crate::{Claim, Coding, ObjectClaim, References, Role, Root};
use hashmill_digest::find;

pub(crate) const ROOTS: &[Root] = &[
    Root { path: ".git/objects", marks: &[], others: &[] },
    Root { path: "objects", marks: &["HEAD"], others: &[] },
    Root { path: "", marks: &["pack", "info"], others: &[".git", "HEAD"] },
];

/// The algorithms, with the number of digits of a name.
const ALGORITHMS: [(usize, &str); 2] = [(40, "sha1"), (64, "sha256")];

/// Endings of files beside a pack that end with a digest.
const WITH_TRAILER: [&[u8]; 5] = [b"pack", b"idx", b"rev", b"bitmap", b"mtimes"];

/// Returns the role of a file below `objects`.
pub(crate) fn role(path: &[u8]) -> Role {
    let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    match parts[..] {
        [folder, rest] if is_hex(folder, 2) => loose(&[folder, rest].concat()),
        // Git makes these again from packs.
        [b"info", ..] | [b"pack", b"multi-pack-index"] => Role::Apart,
        [b"pack", name] => pack(name),
        _ => Role::Stranger,
    }
}

fn loose(name: &[u8]) -> Role {
    let row = ALGORITHMS.iter().find(|(digits, _)| *digits == name.len());
    row.map_or(Role::Stranger, |(_, algorithm)| Role::coded(algorithm, name, Coding::GitZlib))
}

/// Splits the name of a file of a pack: `pack-NAME.ENDING`.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let name = name.strip_prefix(b"pack-")?;
    let dot = name.iter().position(|byte| *byte == b'.')?;
    Some((&name[..dot], &name[dot + 1..]))
}

fn pack(name: &[u8]) -> Role {
    let Some((name, ending)) = split(name) else { return Role::Stranger };
    let row = ALGORITHMS.iter().find(|(digits, _)| is_hex(name, *digits));
    match row {
        Some((digits, algorithm)) if WITH_TRAILER.contains(&ending) => {
            let claim = find(algorithm).ok().map(|algorithm| ObjectClaim {
                algorithm,
                digest: Claim::Trailer,
                coding: Coding::Trailer(digits / 2),
            });
            claim.map_or(Role::Stranger, Role::Object)
        }
        Some(_) if [&b"keep"[..], b"promisor"].contains(&ending) => Role::Apart,
        _ => Role::Stranger,
    }
}

/// Returns the files that must be beside another: a pack and its index need each other.
pub(crate) fn companions(path: &[u8]) -> References {
    let other = match (path.strip_suffix(b".pack"), path.strip_suffix(b".idx")) {
        (Some(stem), _) => Some([stem, b".idx"].concat()),
        (_, Some(stem)) => Some([stem, b".pack"].concat()),
        _ => None,
    };
    let is_of_pack = path.starts_with(b"pack/pack-");
    References {
        objects: other.filter(|_| is_of_pack).map(Into::into).into_iter().collect(),
        ..Default::default()
    }
}

/// Returns the path of the pack of an index.
pub(crate) fn pack_of_index(path: &[u8]) -> Option<Vec<u8>> {
    let stem = path.strip_suffix(b".idx").filter(|stem| stem.starts_with(b"pack/pack-"))?;
    Some([stem, b".pack"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_tell_the_algorithm() {
        let found = |path: String| match role(path.as_bytes()) {
            Role::Object(object) => Some((object.algorithm.name, object.coding)),
            _ => None,
        };
        assert_eq!(found(format!("ab/{}", "c".repeat(38))), Some(("sha1", Coding::GitZlib)));
        assert_eq!(found(format!("ab/{}", "c".repeat(62))), Some(("sha256", Coding::GitZlib)));
        assert_eq!(found(format!("pack/pack-{}.idx", "c".repeat(40))), Some(("sha1", Coding::Trailer(20))));
        assert_eq!(
            found(format!("pack/pack-{}.pack", "c".repeat(64))),
            Some(("sha256", Coding::Trailer(32)))
        );
        assert_eq!(role(b"ab/tmp_obj_x"), Role::Stranger);
        assert_eq!(companions(b"pack/pack-1.idx").objects, vec![b"pack/pack-1.pack".as_slice().into()]);
        assert_eq!(companions(b"ab/c.idx"), References::default());
    }
}
