//! Objects of git that name others: commits and trees.

use hashmill_digest::Digest;

/// An entry of a tree of git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GitTreeEntry<'a> {
    /// The type and whether it may be run, in octal digits.
    pub mode: &'a [u8],
    /// The name of the file or folder.
    pub name: &'a [u8],
    /// The name of the object.
    pub object: &'a [u8],
}

impl GitTreeEntry<'_> {
    /// Returns whether it is a folder.
    pub fn is_tree(&self) -> bool {
        // Some programs have written a zero before it.
        [&b"40000"[..], b"040000"].contains(&self.mode)
    }

    /// Returns whether it is a commit of another repository.
    pub fn is_submodule(&self) -> bool {
        self.mode == b"160000"
    }
}

/// Reads the tree of a commit; `None` if it is no commit.
pub fn git_tree_of(commit: &[u8]) -> Option<Digest> {
    let line = commit.strip_prefix(b"tree ")?.split(|byte| *byte == b'\n').next()?;
    Digest::from_hex(line).ok()
}

/// Reads the entries of a tree whose objects have names of so many bytes; an entry that is none ends them.
pub fn git_tree_entries(tree: &[u8], digest: usize) -> impl Iterator<Item = Option<GitTreeEntry<'_>>> {
    let mut rest = tree;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let entry = entry(rest, digest);
        rest = entry.map_or(&[][..], |(_, rest)| rest);
        Some(entry.map(|(entry, _)| entry))
    })
}

fn entry(bytes: &[u8], digest: usize) -> Option<(GitTreeEntry<'_>, &[u8])> {
    let space = bytes.iter().position(|byte| *byte == b' ')?;
    let (mode, rest) = (&bytes[..space], &bytes[space + 1..]);
    let zero = rest.iter().position(|byte| *byte == 0)?;
    let (object, after) = rest[zero + 1..].split_at_checked(digest)?;
    Some((GitTreeEntry { mode, name: &rest[..zero], object }, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_have_entries_until_one_is_none() {
        let tree = [&b"100644 a\0"[..], &[1; 20], b"40000 d\0", &[2; 20]].concat();
        let entries: Vec<_> = git_tree_entries(&tree, 20).map(Option::unwrap).collect();
        assert_eq!((entries[0].name, entries[1].object), (&b"a"[..], &[2; 20][..]));
        assert!(!entries[0].is_submodule() && entries[1].is_tree() && entries.len() == 2);
        let cut: Vec<_> = git_tree_entries(&tree[..tree.len() - 1], 20).collect();
        assert_eq!((cut.len(), cut[1]), (2, None));
        let commit = format!("tree {}\nauthor x\n", "ab".repeat(20));
        assert_eq!(git_tree_of(commit.as_bytes()).unwrap().as_bytes(), [0xab; 20]);
        assert_eq!(git_tree_of(b"tree zz\n"), None);
    }
}
