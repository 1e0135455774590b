//! A cache of the pages of files in which tables are.

use crate::files::Files;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;

/// The size of a page. A table of the usual clusters of QCOW2 is one page.
const PAGE: u64 = 64 << 10;

/// The number of pages that are kept: 4 MiB.
const MOST_PAGES: usize = 64;

/// Pages that were read, the most recently used last.
#[derive(Debug, Default)]
pub(crate) struct Pages(Mutex<Vec<Page>>);

#[derive(Debug, Clone)]
struct Page {
    file: usize,
    number: u64,
    bytes: Arc<[u8]>,
}

impl Pages {
    /// Fills the buffer from an offset of a file.
    ///
    /// # Errors
    /// If the file can't be read, or ends before the buffer is full.
    pub(crate) fn read(&self, files: &Files, file: usize, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            let at = offset.checked_add(filled as u64).ok_or(io::ErrorKind::UnexpectedEof)?;
            let page = self.page(files, file, at / PAGE)?;
            let found = page.get((at % PAGE) as usize..).filter(|found| !found.is_empty());
            let found = found.ok_or(io::ErrorKind::UnexpectedEof)?;
            let length = found.len().min(rest.len());
            rest[..length].copy_from_slice(&found[..length]);
            filled += length;
        }
        Ok(())
    }

    fn page(&self, files: &Files, file: usize, number: u64) -> io::Result<Arc<[u8]>> {
        let mut pages = self.0.lock();
        if let Some(at) = pages.iter().rposition(|page| page.number == number && page.file == file) {
            if at + 1 < pages.len() {
                let page = pages.remove(at);
                pages.push(page);
            }
            return Ok(pages.last().map_or_else(Arc::default, |page| Arc::clone(&page.bytes)));
        }
        drop(pages);
        let mut bytes = vec![0; PAGE as usize];
        let start = number.checked_mul(PAGE).ok_or(io::ErrorKind::UnexpectedEof)?;
        let read = files.read_at(file, start, &mut bytes)?;
        bytes.truncate(read);
        let bytes: Arc<[u8]> = bytes.into();
        let mut pages = self.0.lock();
        if pages.len() >= MOST_PAGES {
            pages.remove(0);
        }
        pages.push(Page { file, number, bytes: Arc::clone(&bytes) });
        Ok(bytes)
    }
}
