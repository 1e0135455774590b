//! A file's bytes mapped from the page cache, without a copy.
//!
//! A file is mapped only if its bytes are cached, since a fault that waits for the disk is slower than a read; only on
//! local file systems, since elsewhere a file can vanish under its map at any time; and only without other settings for
//! reading, such as a time limit.

use super::Reader;
use super::handle::Handle;
use super::open::ByteSource;
use super::residency;
use crate::{Error, sys};
use hashmill_mapped::Mapped;
use hashmill_os::error::{Meaning, make};

/// The number of bytes that are read again after a fault in a map: the largest page of any system.
const PAGE: u64 = 64 << 10;

/// Below this size, copying is faster everywhere: to map and unmap a file costs as much as to copy 64 KiB or more.
pub(crate) const LEAST_SIZE: u64 = 128 << 10;

impl Reader {
    /// Maps the file up to its size at opening. `None` if it should not be mapped (see the module), is smaller than
    /// [`Reader::LEAST_MAPPED`], has holes, or the system can't map it. Then it is read like any other.
    ///
    /// Bytes read from the map are valid only if [`Reader::check_map`] and [`Reader::finish`] succeed.
    pub fn map(&self) -> Option<Mapped> {
        let Handle::Plain(file) = &self.handle else { return None };
        let size = self.meta.size;
        let may = self.kind == ByteSource::File && self.holes.is_none() && size >= LEAST_SIZE;
        if !may || !address_space_is_ample() {
            return None;
        }
        let fits = sys::maps_well(file) && residency::is_resident(file, size);
        if fits { Mapped::new(file, usize::try_from(size).ok()?).ok() } else { None }
    }

    /// Checks that all bytes that were read from a map of this file existed.
    ///
    /// # Errors
    /// If some did not: the file was truncated, or the disk could not read them.
    pub fn check_map(&self, map: &Mapped) -> Result<(), Error> {
        let Some(missing) = map.missing() else { return Ok(()) };
        // The signal does not tell the reason. A plain read does.
        let offset = missing as u64;
        let wanted = self.meta.size.saturating_sub(offset).min(PAGE);
        let mut bytes = vec![0; wanted as usize];
        let read = self.read_at(offset, &mut bytes)?;
        self.finish(offset + read as u64)?;
        // It can be read now, but zeros were hashed.
        Err(self.failed_at(offset, make(Meaning::Damage)))
    }
}

/// Returns whether the address space of the process is large enough to map files. Where it is limited, a large map
/// could leave too little for everything else.
pub fn address_space_is_ample() -> bool {
    cfg!(target_pointer_width = "64") && !sys::has_address_limit()
}
