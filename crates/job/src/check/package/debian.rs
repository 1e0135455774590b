//! Packages of Debian: `md5sums` in the control archive has the digest of each file in the data archive
//! (deb-md5sums(5)).

use super::claims::{Claims, hex, member};
use super::small::SmallMembers;

/// Returns what a package states of its files.
pub(super) fn claims(package: &[u8], small: &SmallMembers, _: usize) -> Claims {
    let mut claims = Claims::default();
    let control = member(package, b"control.tar");
    let data = small.paths.iter().find(|path| path.starts_with(&member(package, b"data.tar")));
    let is_list = |path: &[u8]| path.starts_with(&control) && path.ends_with(b"!/md5sums");
    let (Some((_, text)), Some(data)) = (small.texts(is_list).next(), data) else { return claims };
    // The data archive is met before its members.
    for line in text.split(|byte| *byte == b'\n') {
        let (Some(digest), Some(path)) = (line.get(..32).and_then(hex), line.get(34..)) else { continue };
        claims.add(member(data, path), ("md5", &digest), None);
    }
    claims
}
