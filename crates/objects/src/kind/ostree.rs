//! OSTree: `objects/ab/cdef….KIND` by the SHA-256 of metadata (`commit`, `dirtree`, `dirmeta`), or of a file with its
//! header: in repositories of mode `archive`, `filez` has the header and the compressed content.

use crate::gvariant::{array, between, tuple};
use crate::{BadIndex, Coding, References, Role, Root};

pub(crate) const ROOTS: &[Root] = &[
    Root { path: "", marks: &["objects", "config"], others: &["HEAD"] },
    Root { path: "ostree/repo", marks: &[], others: &[] },
    Root { path: "repo", marks: &["deploy"], others: &[] },
];

const DIGEST_BYTES: usize = 32;

/// Splits the path of an object into its digest and its kind.
fn split(path: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let path = path.strip_prefix(b"objects/")?;
    let (folder, name) = path.split_at_checked(2)?;
    let name = name.strip_prefix(b"/")?;
    let dot = name.iter().position(|byte| *byte == b'.')?;
    Some(([folder, &name[..dot]].concat(), &name[dot + 1..]))
}

/// Returns the role of a file.
pub(crate) fn role(path: &[u8]) -> Role {
    let Some((name, kind)) = split(path) else {
        let first = path.split(|byte| *byte == b'/').next().unwrap_or_default();
        let is_object = first == b"objects";
        return if is_object || !is_own(first) { Role::Stranger } else { Role::Apart };
    };
    match kind {
        b"commit" | b"dirtree" | b"dirmeta" => Role::stored("sha256", &name),
        b"filez" => Role::coded("sha256", &name, Coding::Filez),
        b"file" => Role::Unsupported("only ostree fsck reads files in this mode of repository"),
        b"commitmeta" | b"commitmeta2" | b"tombstone-commit" | b"sig" | b"payload-link" | b"sizes2" => {
            Role::Apart
        }
        _ => Role::Stranger,
    }
}

/// Returns the role of a file in a repository where files lie as they are, and have this coding.
pub(crate) fn role_of_bare(path: &[u8], coding: Coding) -> Role {
    match split(path) {
        Some((name, b"file")) => Role::coded("sha256", &name, coding),
        Some((_, b"filez")) => Role::Stranger,
        _ => role(path),
    }
}

/// Returns whether the repository has a file or folder of this name beside its objects.
fn is_own(name: &[u8]) -> bool {
    let own = [
        &b"config"[..],
        b"refs",
        b"state",
        b"tmp",
        b"extensions",
        b"deltas",
        b"delta-indexes",
        b"uncompressed-objects-cache",
        b".lock",
    ];
    own.contains(&name) || name.starts_with(b"summary")
}

/// Returns whether a file is a reference.
pub(crate) fn is_index(path: &[u8]) -> bool {
    path.starts_with(b"refs/")
}

/// Reads a reference, a commit or a folder of a repository where files lie as they are.
pub(crate) fn references_of_bare(path: &[u8], bytes: &[u8]) -> Result<References, BadIndex> {
    let mut references = references(path, bytes)?;
    for object in &mut references.objects {
        if let Some(stem) = object.strip_suffix(b".filez") {
            *object = [stem, b".file"].concat().into();
        }
    }
    Ok(references)
}

/// Reads a reference, a commit or a folder.
pub(crate) fn references(path: &[u8], bytes: &[u8]) -> Result<References, BadIndex> {
    let mut references = References::default();
    match split(path) {
        None => {
            let text =
                str::from_utf8(bytes).map_err(|_| BadIndex("is not the name of a commit"))?.trim_ascii();
            let path =
                format!("objects/{}/{}.commit", text.get(..2).unwrap_or(""), text.get(2..).unwrap_or(""));
            match role(path.as_bytes()) {
                Role::Object(_) => references.add_index(path),
                _ => return Err(BadIndex("is not the name of a commit")),
            }
        }
        Some((_, b"commit")) => {
            commit(bytes, &mut references).ok_or(BadIndex("is not a commit of OSTree"))?;
        }
        Some((_, b"dirtree")) => {
            folder(bytes, &mut references).ok_or(BadIndex("is not a folder of OSTree"))?;
        }
        Some(_) => return Err(BadIndex("names no objects")),
    }
    Ok(references)
}

/// Reads a commit, `(a{sv}aya(say)sstayay)`: its last members are the digests of a folder and of its metadata.
fn commit(bytes: &[u8], references: &mut References) -> Option<()> {
    const VARIABLE: usize = 6;
    let (texts, tree) = between(bytes, 4, Some(5), VARIABLE)?;
    // The time is between: eight bytes, at a multiple of eight.
    let start = texts.checked_next_multiple_of(8)?.checked_add(8)?;
    add(bytes.get(start..tree)?, "dirtree", references)?;
    let (start, end) = between(bytes, 5, None, VARIABLE)?;
    add(bytes.get(start..end)?, "dirmeta", references)?;
    // The commit before it need not be there.
    let (start, end) = between(bytes, 0, Some(1), VARIABLE)?;
    match bytes.get(start..end)? {
        b"" => {}
        parent => references.optional.push(path_of(parent, "commit")?.into_bytes().into()),
    }
    Some(())
}

/// Returns the commit of which objects may be absent, if a file with this content says so. `f` is the mark of a commit
/// of which `ostree fsck` found that objects are missing.
pub(crate) fn partial(path: &[u8], content: &[u8]) -> Option<Vec<u8>> {
    let name = path.strip_prefix(b"state/")?.strip_suffix(b".commitpartial")?;
    let (folder, rest) = name.split_at_checked(2).filter(|_| !content.starts_with(b"f"))?;
    Some([b"objects/", folder, b"/", rest, b".commit"].concat())
}

/// Reads a folder, `(a(say)a(sayay))`: its files, and its folders with their metadata.
fn folder(bytes: &[u8], references: &mut References) -> Option<()> {
    let [files, folders] = tuple(bytes)?;
    for file in array(files)? {
        let [_, digest] = tuple(file?)?;
        add(digest, "filez", references)?;
    }
    for folder in array(folders)? {
        let [_, tree, meta] = tuple(folder?)?;
        add(tree, "dirtree", references)?;
        add(meta, "dirmeta", references)?;
    }
    Some(())
}

/// Returns the path of an object of a kind; `None` if it is no digest.
fn path_of(digest: &[u8], kind: &str) -> Option<String> {
    let name = (digest.len() == DIGEST_BYTES).then(|| hashmill_digest::Digest::new(digest).to_string())?;
    Some(format!("objects/{}/{}.{kind}", &name[..2], &name[2..]))
}

/// Adds an object of a kind; `None` if it is no digest.
fn add(digest: &[u8], kind: &str, references: &mut References) -> Option<()> {
    let path = path_of(digest, kind)?;
    if kind == "dirtree" {
        references.add_index(path)
    } else {
        references.add(path)
    }
    Some(())
}

/// Returns the path by which references name an object: a file of any mode is one of mode `archive`.
pub(crate) fn named(path: &[u8]) -> Vec<u8> {
    let suffix: &[u8] = if path.starts_with(b"objects/") && path.ends_with(b".file") { b"z" } else { b"" };
    [path, suffix].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_files_and_folders() {
        let (file, tree, meta) = ([1; 32], [2; 32], [3; 32]);
        let files = [&b"f\0"[..], &file, b"\x02", b"\x23"].concat();
        let folders = [&b"d\0"[..], &tree, &meta, b"\x22\x02", b"\x44"].concat();
        let bytes = [&files[..], &folders, &[files.len() as u8]].concat();
        let read = references(format!("objects/ab/{}.dirtree", "c".repeat(62)).as_bytes(), &bytes).unwrap();
        assert_eq!((read.objects.len(), read.indexes.len()), (3, 1));
        assert!(read.objects[0].ends_with(b"01.filez") && read.objects[1].ends_with(b"02.dirtree"));
        assert!(references(b"objects/ab/x.dirtree", &bytes[1..]).is_err());
        assert!(references(b"refs/heads/main", "ab\n".as_bytes()).is_err());
    }
}
