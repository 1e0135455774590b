//! The cache of Hugging Face: `models--OWNER--NAME/blobs/NAME` is a file by its SHA-256, or by git's SHA-1 for a small
//! one. `refs/REF` has the name of a folder `snapshots/REVISION`, whose entries are links to blobs.

use crate::name::is_hex;
use crate::{BadIndex, References, Role, Root};

pub(crate) const ROOTS: &[Root] = &[
    Root { path: "", marks: &["blobs"], others: &[] },
    Root { path: "hub", marks: &[], others: &[] },
    Root { path: "", marks: &[], others: &[] },
];

/// The beginnings of the names of folders of repositories.
const PREFIXES: [&[u8]; 4] = [b"models--", b"datasets--", b"spaces--", b"kernels--"];

/// The number of hexadecimal digits of a SHA-1.
const SHA1_DIGITS: usize = 40;

/// Splits a path into the folder of its repository (empty, or with a slash at its end) and the path in it.
fn split(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let slash = path.iter().position(|byte| *byte == b'/').unwrap_or(path.len());
    let is_repository = PREFIXES.iter().any(|prefix| path.starts_with(prefix));
    let is_in_repository = [&b"blobs"[..], b"refs", b"snapshots", b".no_exist"].contains(&&path[..slash]);
    match (is_repository, is_in_repository) {
        (true, _) => path.split_at_checked(slash + 1),
        (_, true) => Some((b"", path)),
        _ => None,
    }
}

/// Returns the role of a file.
pub(crate) fn role(path: &[u8]) -> Role {
    let Some((_, inside)) = split(path) else {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let is_own = path.starts_with(b".locks/") || [&b"version.txt"[..], b"CACHEDIR.TAG"].contains(&name);
        return if is_own { Role::Apart } else { Role::Stranger };
    };
    let parts: Vec<&[u8]> = inside.split(|byte| *byte == b'/').collect();
    match parts[..] {
        // It is being downloaded, or its download was interrupted.
        [b"blobs", name] if name.ends_with(b".incomplete") || name.ends_with(b".lock") => Role::Apart,
        [b"blobs", name] if name.len() == SHA1_DIGITS => Role::stored("git-blob", name),
        [b"blobs", name] => Role::stored("sha256", name),
        [b"refs" | b".no_exist", ..] => Role::Apart,
        [b"snapshots", _, _, ..] => {
            Role::Unsupported("is a file and no link to a blob, so nothing says its digest")
        }
        _ => Role::Stranger,
    }
}

/// Returns whether a file is a reference.
pub(crate) fn is_index(path: &[u8]) -> bool {
    split(path).is_some_and(|(_, inside)| inside.starts_with(b"refs/"))
}

/// Reads a reference: the name of a snapshot.
pub(crate) fn references(path: &[u8], bytes: &[u8]) -> Result<References, BadIndex> {
    let revision = bytes.trim_ascii();
    if !is_hex(revision, SHA1_DIGITS) {
        return Err(BadIndex("is not the name of a revision"));
    }
    let (folder, _) = split(path).ok_or(BadIndex("is not in a repository"))?;
    let folders = vec![[folder, b"snapshots/", revision].concat().into()];
    Ok(References { folders, ..References::default() })
}

/// Reads a link of a snapshot, which leads to a blob of the same repository.
pub(crate) fn link(path: &[u8], text: &[u8]) -> Option<References> {
    let (folder, inside) = split(path)?;
    // Each folder above the link takes one `..`.
    let depth = inside.iter().filter(|byte| **byte == b'/').count();
    let up = b"../".repeat(depth);
    let name = text.strip_prefix(&*up)?.strip_prefix(b"blobs/")?;
    let is_file = !matches!(name, b"" | b"." | b"..") && !name.contains(&b'/');
    let is_name = inside.starts_with(b"snapshots/") && is_file;
    let blob = [folder, b"blobs/", name].concat();
    is_name.then(|| References { objects: vec![blob.into()], ..References::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_a_blob_beside_its_snapshot() {
        let read = |path: &str, text: &str| link(path.as_bytes(), text.as_bytes()).map(|read| read.objects);
        let wanted = |blob: &str| Some(vec![blob.as_bytes().into()]);
        assert_eq!(read("models--a--b/snapshots/1/f", "../../blobs/x"), wanted("models--a--b/blobs/x"));
        assert_eq!(read("models--a--b/snapshots/1/d/f", "../../../blobs/x"), wanted("models--a--b/blobs/x"));
        assert_eq!(read("snapshots/1/f", "../../blobs/x"), wanted("blobs/x"));
        for text in [
            "../../../blobs/x",
            "../../blobs/../x",
            "../../blobs/..",
            "../../blobs/",
            "/etc/passwd",
            "../blobs/x",
        ] {
            assert_eq!(read("models--a--b/snapshots/1/f", text), None, "{text}");
        }
    }

    #[test]
    fn names_say_their_algorithm() {
        let name = |role: Role| match role {
            Role::Object(object) => object.algorithm.name,
            _ => "",
        };
        assert_eq!(name(role(format!("datasets--a/blobs/{}", "0".repeat(40)).as_bytes())), "git-blob");
        assert_eq!(name(role(format!("blobs/{}", "0".repeat(64)).as_bytes())), "sha256");
        assert_eq!(role(b"models--a/blobs/0.incomplete"), Role::Apart);
        assert_eq!(role(b"models--a/blobs/0"), Role::Stranger);
    }
}
