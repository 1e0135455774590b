//! The record after a member of which the header left out checksum and sizes (APPNOTE 6.3.10, 4.3.9).

use super::entry::ZipEntry;
use super::window::Window;
use crate::fields::{u32_at, u64_at};
use crate::{Medium, Problem};
use std::sync::Arc;

/// The signature, which is not always there.
pub(super) const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";

/// The length of its longest form.
pub(super) const MAX_LENGTH: u64 = 24;

/// The numbers of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Descriptor {
    pub crc: u32,
    pub packed: u64,
    pub size: u64,
    /// Its length in bytes.
    pub length: u64,
}

impl Descriptor {
    /// Returns the four ways to read bytes as a descriptor, as far as there are enough of them.
    fn forms(bytes: &[u8]) -> impl Iterator<Item = Descriptor> {
        let signed = bytes.strip_prefix(&DESCRIPTOR).map(|rest| (rest, 4));
        [signed, Some((bytes, 0))].into_iter().flatten().flat_map(|(bytes, skipped)| {
            [Descriptor::narrow(bytes, skipped), Descriptor::wide(bytes, skipped)].into_iter().flatten()
        })
    }

    fn narrow(bytes: &[u8], skipped: u64) -> Option<Descriptor> {
        let [crc, packed, size] = [0, 4, 8].map(|at| u32_at(bytes, at).ok());
        let (packed, size) = (packed?.into(), size?.into());
        Some(Descriptor { crc: crc?, packed, size, length: 12 + skipped })
    }

    fn wide(bytes: &[u8], skipped: u64) -> Option<Descriptor> {
        let [packed, size] = [4, 12].map(|at| u64_at(bytes, at).ok());
        Some(Descriptor { crc: u32_at(bytes, 0).ok()?, packed: packed?, size: size?, length: 20 + skipped })
    }
}

/// Returns the descriptor of a member that ends at `end`, if its numbers are those of the directory.
pub(super) fn of_entry(medium: &dyn Medium, end: u64, entry: &ZipEntry) -> Option<Descriptor> {
    let length = medium.size().saturating_sub(end).min(MAX_LENGTH);
    let mut bytes = vec![0; usize::try_from(length).ok()?];
    medium.read_at(end, &mut bytes).ok()?;
    let narrow = |number: Option<u64>| number.map(|number| number & u64::from(u32::MAX));
    Descriptor::forms(&bytes).find(|form| {
        let is_narrow = form.length <= 16;
        let same = |stated: u64, listed: Option<u64>| {
            Some(stated) == if is_narrow { narrow(listed) } else { listed }
        };
        Some(form.crc) == entry.crc && same(form.packed, entry.packed) && same(form.size, entry.size)
    })
}

/// Returns the descriptor of a member that begins at `start`: the first one with a signature whose packed size is
/// the distance. One in an archive that is itself a member states the distance from another place.
pub(super) fn search(medium: Arc<dyn Medium>, start: u64) -> Result<Option<Descriptor>, Problem> {
    let mut window = Window::new(Arc::clone(&medium));
    let mut at = start;
    while let Some(next) = next_signature(&mut window, at)? {
        let left = medium.size().saturating_sub(next).min(MAX_LENGTH + 2);
        let bytes = window.bytes(next, usize::try_from(left).unwrap_or(0))?;
        let mut forms =
            Descriptor::forms(bytes).filter(|form| form.length % 8 == 0 && form.packed == next - start);
        let is_followed =
            |form: &Descriptor| bytes.get(form.length as usize..).is_some_and(|rest| rest.starts_with(b"PK"));
        // The short form may be the beginning of the long one: only the signature after it tells.
        let first = forms.next();
        let found = first.filter(is_followed).or_else(|| forms.find(is_followed)).or(first);
        if found.is_some() {
            return Ok(found);
        }
        at = next + 1;
    }
    Ok(None)
}

fn next_signature(window: &mut Window, mut at: u64) -> Result<Option<u64>, Problem> {
    loop {
        let bytes = window.rest(at)?;
        if let Some(found) = bytes.windows(4).position(|bytes| bytes == DESCRIPTOR) {
            return Ok(Some(at + found as u64));
        }
        let Some(passed) = bytes.len().checked_sub(3).filter(|passed| *passed > 0) else { return Ok(None) };
        at += passed as u64;
    }
}
