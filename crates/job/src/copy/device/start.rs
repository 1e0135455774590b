//! The start of a device as a content of its own: the bytes that a file has there.

use crate::media::uncached::Uncached;
use hashmill_source::{Bytes, EntryContent, Meta};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The first bytes of a device, read past the page cache.
#[derive(Debug)]
pub(super) struct DeviceStart {
    pub(super) path: PathBuf,
    pub(super) length: u64,
    /// Becomes false if bytes came from the page cache.
    pub(super) is_fresh: Arc<AtomicBool>,
}

impl EntryContent for DeviceStart {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        let device = Uncached::open(&self.path, &self.is_fresh)?;
        Ok(Box::new(OpenStart { device, length: self.length }))
    }
}

/// The start of an open device.
#[derive(Debug)]
struct OpenStart {
    device: Uncached,
    length: u64,
}

impl Bytes for OpenStart {
    // The times of a device say nothing about its content.
    fn meta(&self) -> io::Result<Meta> {
        Ok(Meta { size: self.length, mtime: (0, 0), ctime: (0, 0), ..*self.device.meta() })
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(offset)).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        self.device.read_at(offset, &mut buffer[..length])
    }
}
