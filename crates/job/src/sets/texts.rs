//! The lines of a list, in texts of many at a time.

use crate::error::{Error, SetsError};
use hashmill_content::File as Tried;
use hashmill_manifest::format::MAX_LINE;
use memchr::memrchr;
use std::io::Read;

/// Number of bytes that are read at once: some 2,000 digests.
const READ: usize = 64 * 1024;

/// Texts of whole lines, the last of each without its line feed: as much as there is to read at once, so that a program
/// that writes a line into a pipe and waits for the answer gets it.
pub(super) struct Texts {
    /// The list's name in messages.
    name: Box<[u8]>,
    list: Box<dyn Read + Send>,
    /// The beginning of a line whose end is not read yet.
    rest: Vec<u8>,
    is_over: bool,
}

impl Texts {
    pub fn new(name: &[u8], list: Box<dyn Read + Send>) -> Texts {
        Texts { name: name.into(), list, rest: Vec::new(), is_over: false }
    }

    /// Reads until there is a whole line or the end.
    fn read(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let mut text = std::mem::take(&mut self.rest);
        loop {
            let known = text.len();
            text.resize(known + READ, 0);
            let read = self.list.read(&mut text[known..]).map_err(Error::file(&self.name, Tried::Read))?;
            text.truncate(known + read);
            if read == 0 {
                self.is_over = true;
                return Ok((!text.is_empty()).then_some(text));
            }
            if let Some(end) = memrchr(b'\n', &text[known..]).map(|end| known + end) {
                self.rest = text[end + 1..].to_vec();
                text.truncate(end);
                return Ok(Some(text));
            }
            if text.len() > MAX_LINE {
                return Err(SetsError::LongLine { list: self.name.clone(), most: MAX_LINE }.into());
            }
        }
    }
}

impl Iterator for Texts {
    type Item = Result<Vec<u8>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let text = self.read();
        self.is_over |= text.is_err();
        text.transpose()
    }
}
