//! The list of objects for which S3 Batch Operations is to compute checksums: those for which an inventory, or another
//! list of stored objects, gives insufficient evidence.
//!
//! Source: Amazon S3 User Guide, "Creating a manifest" (CSV: bucket, key as in an address).

use super::event::{ConvertObserver, Teller};
use super::input::Input;
use crate::error::Error;
use hashmill_content::output::{Output, To};
use hashmill_engine::Cancel;
use hashmill_lists::kinds;
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::Record;
use hashmill_manifest::stored::Strength;
use std::io::Write;
use std::path::PathBuf;

/// The settings of such a list.
pub struct Batch {
    /// The path of the list of stored objects; `-` is standard input.
    pub from: PathBuf,
    /// The output.
    pub to: To,
    /// The name of the bucket.
    pub bucket: String,
    /// The prefix of the keys before the paths of the list.
    pub prefix: Vec<u8>,
    /// The weakest sufficient evidence; objects with weaker evidence are listed.
    pub least: Strength,
    /// The signatures that the list of stored objects must have.
    pub guard: Guard,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// The result of writing a list.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// Whether the run was cancelled; nothing was written then.
    pub interrupted: bool,
    /// Objects in the new list.
    pub objects: u64,
    /// Parts of the list of stored objects that could not be parsed.
    pub malformed: u64,
}

impl Batch {
    /// Writes the list completely, or not at all.
    ///
    /// # Errors
    /// If the list of stored objects can't be read, or the new list can't be written.
    pub fn run(self, observer: &mut ConvertObserver<'_>) -> Result<Listed, Error> {
        let teller = Teller::new(observer);
        let input = Input::new(&self.from, None, &self.guard, &mut |notice| teller.notice(notice))?;
        let mut records = input.records(Some(&teller))?;
        let malformed = records.malformed.clone();
        let mut output = self.to.open(kinds::BATCH)?;
        let done = self.write(&mut records, &mut output);
        if !matches!(done, Ok(Some(_))) {
            output.discard();
        }
        let Some(objects) = done? else { return Ok(Listed { interrupted: true, ..Listed::default() }) };
        output.finish()?;
        Ok(Listed { interrupted: false, objects, malformed: malformed.number() })
    }

    /// Writes the rows and returns their number; `None` if cancelled.
    fn write(
        &self,
        records: &mut dyn Iterator<Item = Result<Record, Error>>,
        output: &mut Output,
    ) -> Result<Option<u64>, Error> {
        let mut objects = 0;
        for record in records {
            let record = record?;
            if self.cancel.is_set() {
                return Ok(None);
            }
            if record.status.strength().is_some_and(|strength| strength < self.least) {
                output.write_all(&self.row(&record.path)).map_err(|source| output.error(source))?;
                objects += 1;
            }
        }
        Ok(Some(objects))
    }

    fn row(&self, path: &[u8]) -> Vec<u8> {
        let mut row = self.bucket.clone().into_bytes();
        row.push(b',');
        for byte in self.prefix.iter().chain(path) {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => row.push(*byte),
                byte => row.extend_from_slice(format!("%{byte:02X}").as_bytes()),
            }
        }
        row.push(b'\n');
        row
    }
}
