//! Nix: the database states the SHA-256 of each store path in the serialisation of archives (NAR), which has the names,
//! the kinds and the contents of all files below the path.

use crate::name::is_hex;
use crate::{Role, Root};
use hashmill_digest::Digest;

pub(crate) const ROOTS: &[Root] = &[
    Root { path: "nix/store", marks: &[NIX_DATABASE_FROM_ROOT], others: &[] },
    Root { path: "store", marks: &[NIX_DATABASE], others: &[] },
];

/// The path of the database from the folder `nix`.
pub const NIX_DATABASE: &str = "var/nix/db/db.sqlite";

/// The path of the database from the folder above.
const NIX_DATABASE_FROM_ROOT: &str = "nix/var/nix/db/db.sqlite";

/// Returns the role of an entry of the store that the database does not have.
pub(crate) fn role(path: &[u8]) -> Role {
    let is_own = path == b".links" || path.ends_with(b".lock");
    if is_own { Role::Apart } else { Role::Stranger }
}

/// Reads a row of the database: the name of a store path and its digest. `None` if the name is not one below the store,
/// or the digest is not by SHA-256.
pub fn nix_path(path: &str, hash: &str) -> Option<(Box<[u8]>, Digest)> {
    let name = path.rsplit('/').next().filter(|name| !matches!(*name, "" | "." | ".."))?;
    let hex = hash.strip_prefix("sha256:").filter(|hex| is_hex(hex.as_bytes(), 64))?;
    Some((name.as_bytes().into(), Digest::from_hex(hex.as_bytes()).ok()?))
}

/// The serialisation of archives, without the contents of files.
#[derive(Debug, Default)]
pub struct Nar(Vec<u8>);

impl Nar {
    /// Begins an archive.
    pub fn start() -> Nar {
        let mut nar = Nar::default();
        nar.add(b"nix-archive-1");
        nar
    }

    /// Adds the beginning of a file up to its content of this length.
    pub fn begin_file(&mut self, size: u64, is_executable: bool) {
        self.add_all(&[b"(", b"type", b"regular"]);
        if is_executable {
            self.add_all(&[b"executable", b""]);
        }
        self.add(b"contents");
        self.0.extend_from_slice(&size.to_le_bytes());
    }

    /// Adds the end of a file after its content of this length.
    pub fn end_file(&mut self, size: u64) {
        self.pad(size);
        self.add(b")");
    }

    /// Adds a symbolic link.
    pub fn link(&mut self, target: &[u8]) {
        self.add_all(&[b"(", b"type", b"symlink", b"target", target, b")"]);
    }

    /// Adds the beginning of a folder. Its entries follow in the order of their names.
    pub fn begin_folder(&mut self) {
        self.add_all(&[b"(", b"type", b"directory"]);
    }

    /// Adds the beginning of an entry of a folder.
    pub fn begin_entry(&mut self, name: &[u8]) {
        self.add_all(&[b"entry", b"(", b"name", name, b"node"]);
    }

    /// Adds the end of an entry, or of a folder.
    pub fn end(&mut self) {
        self.add(b")");
    }

    /// Takes the bytes since the last content.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }

    fn add_all(&mut self, texts: &[&[u8]]) {
        texts.iter().for_each(|text| self.add(text));
    }

    /// Adds a text: its length, its bytes, and zero bytes up to a multiple of eight.
    fn add(&mut self, text: &[u8]) {
        self.0.extend_from_slice(&(text.len() as u64).to_le_bytes());
        self.0.extend_from_slice(text);
        self.pad(text.len() as u64);
    }

    fn pad(&mut self, length: u64) {
        let zeros = (length.next_multiple_of(8) - length) as usize;
        self.0.extend_from_slice(&[0; 8][..zeros]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_texts_of_whole_words() {
        let mut nar = Nar::start();
        nar.begin_file(3, true);
        let head = nar.take();
        nar.end_file(3);
        assert_eq!(head.len() % 8, 0);
        assert!(head.starts_with(b"\x0d\0\0\0\0\0\0\0nix-archive-1\0\0\0\x01\0\0\0\0\0\0\0(\0"));
        assert_eq!(nar.take(), b"\0\0\0\0\0\x01\0\0\0\0\0\0\0)\0\0\0\0\0\0\0");
    }

    #[test]
    fn a_row_names_an_entry_of_the_store() {
        let hash = format!("sha256:{}", "0".repeat(64));
        assert_eq!(&*nix_path("/nix/store/a-b", &hash).unwrap().0, b"a-b");
        for path in ["", "/nix/store/", "/nix/store/..", "."] {
            assert!(nix_path(path, &hash).is_none(), "{path}");
        }
        assert!(nix_path("/nix/store/a", "md5:0").is_none());
    }
}
