//! Packages of Debian: `md5sums` in the control archive has the digest of each file in the data archive
//! (deb-md5sums(5)).

use super::claims::{Claims, hex, on_top};
use super::small::SmallMembers;
use hashmill_content::archives::plain;

/// The parts of a package, with the extensions that dpkg knows (deb(5)).
const CONTROL: Part = Part { name: b"control.tar", extensions: &[b"", b".gz", b".xz", b".zst"] };
const DATA: Part = Part { name: b"data.tar", extensions: &[b"", b".gz", b".xz", b".zst", b".bz2", b".lzma"] };

/// A part of a package: its name, and the extensions that it may have behind that.
struct Part {
    name: &'static [u8],
    extensions: &'static [&'static [u8]],
}

/// Returns whether a package must state something of a member: of all files in its data.
pub(super) fn is_due(path: &[u8]) -> bool {
    path.starts_with(DATA.name) && path.windows(2).any(|two| two == b"!/")
}

/// Returns what a package states of its files.
pub(super) fn claims(package: &[u8], small: &SmallMembers, _: usize) -> Claims {
    let mut claims = Claims::default();
    let (Some(control), Some(data)) =
        (part(package, small, &CONTROL, &mut claims), part(package, small, &DATA, &mut claims))
    else {
        return claims;
    };
    let list = [control, b"!/md5sums".as_slice()].concat();
    for line in small.text(&list).unwrap_or_default().split(|byte| *byte == b'\n') {
        match (line.get(..32).and_then(hex), line.get(34..)) {
            (Some(digest), Some(path)) => {
                let path = [data, b"!/", &plain(path)].concat();
                claims.add(path, "md5", &digest, None);
            }
            _ if line.is_empty() => {}
            _ => claims.doubt(&list, "damaged", "a line of it is not a digest and a path"),
        }
    }
    // Programs leave configuration files out of the list (deb-conffiles(5)).
    let exempt = small.text(&[control, b"!/conffiles".as_slice()].concat()).unwrap_or_default();
    let exempt = exempt.split(|byte| *byte == b'\n').map(|path| [data, b"!/", &plain(path)].concat().into());
    claims.exempt = exempt.collect();
    claims
}

/// Returns the path of a part of a package. Of several, the one that counts depends on the program.
fn part<'s>(package: &[u8], small: &'s SmallMembers, part: &Part, claims: &mut Claims) -> Option<&'s [u8]> {
    let extension = |path: &'s [u8]| on_top(package, path)?.strip_prefix(part.name);
    let parts = small.paths.iter().map(|path| &**path).filter(|path| extension(path).is_some());
    let (known, unknown): (Vec<_>, Vec<_>) =
        parts.partition(|path| extension(path).is_some_and(|extension| part.extensions.contains(&extension)));
    let first = known.first().copied();
    for other in known.into_iter().skip(1).chain(unknown) {
        let why =
            "the package has another archive in its place: which of them is unpacked depends on the program";
        claims.doubt(other, "ambiguous", why);
    }
    first
}
