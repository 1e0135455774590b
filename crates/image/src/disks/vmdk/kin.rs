//! Finds the descriptor to which a file belongs, by its name.

use super::descriptor::{Descriptor, MOST_TEXT};
use crate::disks::blocks::DiskFile;
use crate::files::name::plain_beside;
use crate::files::opener::{Opener, names_beside};
use hashmill_os::names;
use std::path::{Path, PathBuf};

/// Returns the descriptor of which a file is an extent: `x-flat.vmdk`, `x-s001.vmdk` and `x-f001.vmdk` belong to `x.vmdk`
/// if that lists them.
pub(crate) fn descriptor_of(opener: &dyn Opener, path: &Path) -> Option<PathBuf> {
    let name = names::bytes(path.file_name()?);
    let stem = stem(&name)?;
    let own = [stem, &name[name.len() - EXTENSION..]].concat();
    let first = plain_beside(path, &own)?;
    names_beside(opener, path, &own).ok().filter(|found| found.contains(&own))?;
    let file = DiskFile::open(opener, &first).ok()?;
    let text = file.vec(0, MOST_TEXT).ok().filter(|text| !text.starts_with(b"KDMV"))?;
    let listed = Descriptor::parse(&text).extents.iter().any(|extent| *extent.name == *name);
    listed.then_some(first)
}

/// The length of `.vmdk`.
const EXTENSION: usize = 5;

/// Returns the name without the part that says which extent it is.
fn stem(name: &[u8]) -> Option<&[u8]> {
    let (rest, extension) = name.split_at_checked(name.len().checked_sub(EXTENSION)?)?;
    if !extension.eq_ignore_ascii_case(b".vmdk") {
        return None;
    }
    let dash = rest.iter().rposition(|byte| *byte == b'-').filter(|dash| *dash > 0)?;
    let numbered = |part: &[u8]| match part {
        b"flat" => true,
        [b's' | b'f', digits @ ..] => digits.len() >= 3 && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    numbered(&rest[dash + 1..]).then(|| &rest[..dash])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_extents_are_known() {
        for (name, expected) in [
            ("a-flat.vmdk", Some("a")),
            ("a-b-s001.vmdk", Some("a-b")),
            ("a-f123.VMDK", Some("a")),
            ("a.vmdk", None),
            ("a-s1.vmdk", None),
            ("-flat.vmdk", None),
            ("a-flat.vmd", None),
            ("vmdk", None),
        ] {
            assert_eq!(stem(name.as_bytes()), expected.map(str::as_bytes), "{name}");
        }
    }
}
