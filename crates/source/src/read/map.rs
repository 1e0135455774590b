//! A file's bytes straight from the page cache: mapped, without a copy.
//!
//! Only a file is mapped whose bytes are in memory: a fault that waits for the disk reads worse than a read does. Only on
//! file systems of this machine: elsewhere a file can vanish under its map at any time. And only if nothing else is asked
//! of its reading, such as a time limit.

use super::Reader;
use super::handle::Handle;
use super::open::Kind;
use crate::{Error, file_system, residency, sys};
use hashloom_mapped::Mapped;
use std::io;
use std::os::fd::AsFd;

/// Bytes that are read again where a map had a fault: the largest page of any system.
const PAGE: u64 = 64 << 10;

/// Below this size copying is faster everywhere: to map a file and to unmap it costs as much as to copy 64 KiB or more.
pub(crate) const LEAST: u64 = 128 << 10;

impl Reader {
    /// Maps the file, as far as its size at opening goes. `None` if it is not to be mapped (see above), is smaller than
    /// [`Reader::LEAST_MAPPED`], has holes, or the system can't. Then it is read as any other.
    ///
    /// What was read of the map counts only if [`Reader::check_map`] and [`Reader::finish`] say so.
    pub fn map(&self) -> Option<Mapped> {
        let Handle::Plain(file) = &self.handle else { return None };
        let size = self.meta.size;
        let may = self.kind == Kind::File && self.holes.is_none() && size >= LEAST;
        if !may || !address_space_is_ample() {
            return None;
        }
        let fits = file_system::maps_well(file.as_fd()) && residency::is_resident(file.as_fd(), size);
        if fits { Mapped::of(file, usize::try_from(size).ok()?).ok() } else { None }
    }

    /// Whether all bytes that were read of a map of this file were there.
    ///
    /// # Errors
    /// If some were not: the file was cut short, or the disk could not give them.
    pub fn check_map(&self, map: &Mapped) -> Result<(), Error> {
        let Some(missing) = map.missing() else { return Ok(()) };
        // The signal does not tell why. A plain read does.
        let offset = missing as u64;
        let wanted = self.meta.size.saturating_sub(offset).min(PAGE);
        let mut bytes = vec![0; wanted as usize];
        let read = self.read_at(offset, &mut bytes)?;
        self.finish(offset + read as u64)?;
        // By now it can be read. What was hashed were zeros all the same.
        Err(self.failed_at((offset, io::Error::from_raw_os_error(libc::EIO))))
    }
}

/// Whether files may be mapped as far as the process's address space goes. Where that is limited, a large map could leave
/// too little for everything else.
pub fn address_space_is_ample() -> bool {
    cfg!(target_pointer_width = "64") && !sys::has_address_limit()
}
