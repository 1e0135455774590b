//! Paths below a folder that is written into. They come from archives, images, stores and walks, and none leads out of it.

use hashmill_os::roots::has_drives;
use hashmill_os::{OpenFolder, Spot, names};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

/// The names of devices on Windows, which no file can have there, whatever its extension.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
    "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Returns the names of a path.
///
/// # Errors
/// If it leads out of its folder, or has a name that no file can have.
pub(crate) fn parts(path: &[u8]) -> io::Result<Vec<&[u8]>> {
    if path.starts_with(b"/") {
        return Err(io::Error::other("its path is absolute (it can be written under a name of its own)"));
    }
    let parts: Vec<&[u8]> =
        path.split(|byte| *byte == b'/').filter(|part| !matches!(*part, b"" | b".")).collect();
    match parts.iter().find_map(|part| refusal(part, has_drives())) {
        Some(why) => Err(io::Error::other(why)),
        None => Ok(parts),
    }
}

/// Makes the folders of these names below a folder, as far as they are not there, and returns the last one. No link is followed.
///
/// # Errors
/// If one can't be made, or something else is in its place.
pub(crate) fn make_folders(root: &Arc<OpenFolder>, names: &[&[u8]]) -> io::Result<Spot> {
    let mut place = Spot::below(root, Path::new(""));
    for part in names {
        place = place.join(&*names::path_to_try(part));
        match place.facts() {
            Ok(facts) if facts.is_folder() => {}
            Ok(_) => {
                return Err(io::Error::other("something else than a folder is in the place of one above it"));
            }
            Err(_) => place.create_folder()?,
        }
    }
    Ok(place)
}

/// Returns whether after an error of writing no other file can be written either.
pub(crate) fn ends_all(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem)
}

/// Returns why no file can have a name, if so. `has_drives` says whether the rules of Windows hold.
fn refusal(name: &[u8], has_drives: bool) -> Option<&'static str> {
    if name == b".." {
        return Some("its path leads out of its folder by ..");
    }
    let is_odd = |byte: &u8| *byte < b' ' || b"<>:\"|?*\\".contains(byte);
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default().to_ascii_lowercase();
    let is_device = DEVICES.iter().any(|device| device.as_bytes() == stem);
    let is_refused = name.contains(&0)
        || has_drives
            && (is_device || name.iter().any(is_odd) || name.ends_with(b".") || name.ends_with(b" "));
    is_refused.then_some("no file can have its name on this system")
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn names_that_a_system_can_not_hold_are_refused() {
        for (name, on_unix, on_windows) in [
            ("a.txt", false, false),
            ("..", true, true),
            ("...", false, true),
            ("a\0b", true, true),
            ("a:b", false, true),
            ("Nul.txt", false, true),
            ("null", false, false),
            ("end ", false, true),
            ("a\\b", false, true),
        ] {
            let found = [false, true].map(|has_drives| refusal(name.as_bytes(), has_drives).is_some());
            assert_eq!(found, [on_unix, on_windows], "{name:?}");
        }
    }
}
