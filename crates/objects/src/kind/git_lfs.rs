//! Git LFS: `objects/aa/bb/OID`, where OID is the SHA-256 of the file.

use crate::name::is_hex;
use crate::{Role, Root};

pub(crate) const ROOTS: &[Root] = &[
    Root { path: ".git/lfs/objects", marks: &[], others: &[] },
    Root { path: "lfs/objects", marks: &[], others: &[] },
    Root { path: "objects", marks: &[], others: &["HEAD"] },
    Root { path: "", marks: &[], others: &[".git", "HEAD"] },
];

/// The most bytes of a pointer: `git-lfs` takes longer files for what they are.
pub const LFS_POINTER_MAX: u64 = 1023;

/// The versions of pointers that `git-lfs` reads.
const VERSIONS: [&[u8]; 3] =
    [b"https://git-lfs.github.com/spec/v1", b"https://hawser.github.com/spec/v1", b"http://git-media.io/v/2"];

/// The keys of a pointer, in their order.
const KEYS: [&[u8]; 3] = [b"version", b"oid", b"size"];

/// The SHA-256 of nothing: it has no object.
const EMPTY: &[u8] = b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The object that a file in git stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LfsPointer {
    /// The path of the object below the store.
    pub path: Box<[u8]>,
    /// The number of its bytes.
    pub size: u64,
    /// Whether it is that of an empty file, which need not be there.
    pub is_empty: bool,
}

/// Reads a pointer (docs/spec.md of git-lfs); `None` if the file is none. As `git-lfs` does, this reads pointers that are
/// not as it writes them: with empty lines, other ends of lines and extensions.
pub fn lfs_pointer(text: &[u8]) -> Option<LfsPointer> {
    let (mut values, mut extensions) = (Vec::new(), [None; 10]);
    let lines = text.trim_ascii().split(|byte| *byte == b'\n');
    for line in lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).filter(|line| !line.is_empty()) {
        let space = line.iter().position(|byte| *byte == b' ')?;
        let (key, value) = line.split_at_checked(space)?;
        let value = value.get(1..)?;
        if *KEYS.get(values.len())? == key {
            values.push(value);
            continue;
        }
        let known = extensions.get_mut(extension(key)?)?;
        oid(value)?;
        // Two extensions can't have one place.
        if known.replace(key).is_some_and(|before| before != key) {
            return None;
        }
    }
    let [version, object, size] = values[..] else { return None };
    let (object, size) = (oid(object)?, str::from_utf8(size).ok()?.parse::<i64>().ok()?);
    let path = [object.get(..2)?, b"/", object.get(2..4)?, b"/", object].concat().into();
    let size = u64::try_from(size).ok().filter(|_| VERSIONS.contains(&version))?;
    Some(LfsPointer { path, size, is_empty: object == EMPTY && size == 0 })
}

/// Reads the key of an extension, `ext-N-NAME`: its place.
fn extension(key: &[u8]) -> Option<usize> {
    let (place, name) = key.strip_prefix(b"ext-")?.split_first()?;
    let is_name =
        name.strip_prefix(b"-")?.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    (place.is_ascii_digit() && is_name).then(|| usize::from(place - b'0'))
}

/// Reads the name of an object.
fn oid(value: &[u8]) -> Option<&[u8]> {
    value.strip_prefix(b"sha256:").filter(|oid| is_hex(oid, 64))
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
    #[test]
    fn pointers_are_read_as_git_lfs_does() {
        let oid = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let with = |version: &str, rest: &str| {
            lfs_pointer(format!("version {version}\n{rest}").replace("OID", oid).as_bytes())
        };
        let v1 = |rest: &str| with("https://git-lfs.github.com/spec/v1", rest);
        let whole = v1("oid sha256:OID\nsize 3\n").unwrap();
        assert_eq!((&*whole.path, whole.size), (format!("ba/78/{oid}").as_bytes(), 3));
        for other in [
            "oid sha256:OID\nsize 3",
            "\n\noid sha256:OID\r\n\r\nsize +3\n\n  ",
            "ext-0-a sha256:OID\next-1-b sha256:OID\noid sha256:OID\next-0-a sha256:OID\nsize 3\n",
        ] {
            assert_eq!(v1(other).as_ref(), Some(&whole), "{other:?}");
        }
        for version in ["https://hawser.github.com/spec/v1", "http://git-media.io/v/2"] {
            assert_eq!(with(version, "oid sha256:OID\nsize 3\n").as_ref(), Some(&whole));
        }
        assert_eq!(with("https://git-lfs.github.com/spec/v2", "oid sha256:OID\nsize 3\n"), None);
        for none in [
            "",
            "oid sha256:OID\n",
            "size 3\noid sha256:OID\n",
            "oid sha256:OID\nsize 3\nmore 4\n",
            "oid sha256:OID\nsize 3\next-0-a sha256:OID\n",
            "oid sha1:OID\nsize 3\n",
            "oid sha256:OID0\nsize 3\n",
            "oid sha256:BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD\nsize 3\n",
            "oid sha256:OID\nsize -3\n",
            "oid sha256:OID\nsize 9223372036854775808\n",
            "oid sha256:OID\nsize\n",
            "ext-0-a sha256:OID\next-0-b sha256:OID\noid sha256:OID\nsize 3\n",
            "ext-0-a sha256:0\noid sha256:OID\nsize 3\n",
            "ext-10-a sha256:OID\noid sha256:OID\nsize 3\n",
            "x-0-a sha256:OID\noid sha256:OID\nsize 3\n",
        ] {
            assert_eq!(v1(none), None, "{none:?}");
        }
        assert!(!whole.is_empty);
        let empty = str::from_utf8(EMPTY).unwrap();
        assert!(v1(&format!("oid sha256:{empty}\nsize 0\n")).unwrap().is_empty);
        assert!(!v1(&format!("oid sha256:{empty}\nsize 1\n")).unwrap().is_empty);
        assert_eq!(lfs_pointer(&[0xff; 100]), None);
    }
}
