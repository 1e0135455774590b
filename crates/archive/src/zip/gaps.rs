//! Bytes between members. A member that the directory does not have may be there.

use super::descriptor;
use super::local::{LENGTH, LOCAL, LocalHeader};
use super::method;
use super::survey::Trouble;
use super::window::Window;
use crate::Medium;
use crate::fields::u16_at;
use std::sync::Arc;

/// The bytes between members that are searched for more of them.
const SEARCHED: u64 = 64 << 20;

/// The bytes of a signature that may be those of the member before.
const OVERLAP: u64 = 3;

/// Returns the place of a member that begins in none of the sorted extents, if there is one.
pub(super) fn hidden(medium: &Arc<dyn Medium>, extents: &[(u64, u64)], directory: u64) -> Option<Trouble> {
    let mut window = Window::new(Arc::clone(medium));
    let (mut searched, mut from, mut last) = (0_u64, 0_u64, None);
    let places = extents.iter().copied().chain([(directory, directory)]);
    for (place, end) in places {
        if place.saturating_sub(from) >= LENGTH {
            from = from.max(last.map_or(0, |(place, end)| whole_end(medium, place, end)));
        }
        let gap = place.saturating_sub(from);
        if gap >= LENGTH {
            searched = searched.saturating_add(gap);
            if searched > SEARCHED {
                return Some(Trouble::TooMany("bytes between members"));
            }
            // Its signature may begin with the last bytes of the member before.
            if let Some(at) = search(&mut window, from.saturating_sub(OVERLAP), place) {
                return Some(Trouble::Hidden(at));
            }
        }
        if end >= from {
            (from, last) = (end, Some((place, end)));
        }
    }
    None
}

/// Returns the end of a member with the extra fields of its header, and what follows it.
fn whole_end(medium: &Arc<dyn Medium>, place: u64, least: u64) -> u64 {
    let Ok(header) = LocalHeader::read(&**medium, place) else { return least };
    let names = header.entry.name.len() as u64;
    let extras = header.data.saturating_sub(place.saturating_add(LENGTH + names));
    let end = least.saturating_add(extras);
    // A header that is hidden in the rest of a longer descriptor has no room there.
    let signature = header.is_deferred().then(|| super::end::read(&**medium, end)).flatten();
    match signature {
        Some(descriptor::DESCRIPTOR) => end.saturating_add(16),
        _ => end,
    }
}

/// Returns the position of a header between two places.
fn search(window: &mut Window, from: u64, until: u64) -> Option<u64> {
    let mut at = from;
    while at.checked_add(LENGTH)? <= until {
        let bytes = window.rest(at).ok()?;
        match bytes.windows(LOCAL.len()).position(|bytes| bytes == LOCAL) {
            Some(passed) => {
                at += passed as u64;
                let left = usize::try_from(until.checked_sub(at)?).unwrap_or(usize::MAX);
                let header = window.bytes(at, left.min(LENGTH as usize)).ok()?;
                if is_likely(header, left) {
                    return Some(at);
                }
                at += 1;
            }
            None => at += bytes.len().checked_sub(3).filter(|passed| *passed > 0)? as u64,
        }
    }
    None
}

/// Returns whether bytes that begin like a header are one. Programs that unpack have the signature, too.
fn is_likely(header: &[u8], left: usize) -> bool {
    let number = |at| u16_at(header, at).unwrap_or(u16::MAX);
    let names = usize::from(number(26)) + usize::from(number(28));
    let is_method = method::is_known(number(8)) || number(8) == 99;
    header.len() == LENGTH as usize && number(4) & 0xff <= 63 && is_method && number(26) > 0 && names <= left
}
