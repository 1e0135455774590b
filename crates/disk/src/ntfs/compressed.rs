//! The content of compressed files: units of clusters, each compressed on its own.

use super::lznt1;
use crate::{ByteRuns, Coded, Medium, Problem};
use std::sync::{Arc, Mutex, PoisonError};

/// The largest unit that is decompressed. Windows makes units of 64 KiB.
const LARGEST: u64 = 64 << 20;

/// The content of a compressed file. It keeps the unit that was decompressed last, as reads may be small.
#[derive(Debug)]
pub(super) struct Compressed {
    runs: Arc<ByteRuns>,
    unit: u64,
    size: u64,
    valid: u64,
    last: Mutex<Option<(u64, Arc<[u8]>)>>,
}

/// How a unit is stored.
enum Unit {
    /// It is nothing but zeros.
    Hole,
    /// It is stored as it is.
    Plain,
    /// It is compressed: these places, in order.
    Packed(Vec<(u64, u64)>),
}

impl Compressed {
    /// Creates the content of a file in units of a number of bytes.
    ///
    /// # Errors
    /// If units are too large.
    pub(super) fn new(runs: Arc<ByteRuns>, unit: u64, size: u64, valid: u64) -> Result<Compressed, Problem> {
        if unit == 0 || unit > LARGEST {
            return Err(Problem::Unsupported("compression in units of more than 64 MiB".into()));
        }
        Ok(Compressed { runs, unit, size, valid, last: Mutex::default() })
    }

    /// Finds out how the unit that begins at an offset is stored: one with fewer clusters than it stands for is
    /// compressed.
    fn unit_at(&self, start: u64) -> Result<Unit, Problem> {
        let end = start.saturating_add(self.unit);
        let (mut at, mut places) = (start, Vec::new());
        let mut stored = 0;
        while at < end
            && let Some(run) = self.runs.run_at(at)
        {
            let length = run.end().min(end) - at;
            if let Some(place) = run.place {
                places.push((place.saturating_add(at - run.at), length));
                stored += length;
            }
            at += length;
        }
        match stored {
            0 if at < end.min(self.size) => Err(Problem::Short),
            0 => Ok(Unit::Hole),
            stored if stored == self.unit => Ok(Unit::Plain),
            _ => Ok(Unit::Packed(places)),
        }
    }

    /// Returns the bytes of a compressed unit.
    fn unpacked(&self, medium: &dyn Medium, start: u64, places: &[(u64, u64)]) -> Result<Arc<[u8]>, Problem> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((held, bytes)) = &*last
            && *held == start
        {
            return Ok(Arc::clone(bytes));
        }
        let mut stored = Vec::new();
        for (place, length) in places {
            let filled = stored.len();
            stored.resize(filled + *length as usize, 0);
            medium.read_at(*place, &mut stored[filled..])?;
        }
        let mut bytes = vec![0; self.unit as usize];
        lznt1::decompress(&stored, &mut bytes)?;
        let bytes: Arc<[u8]> = bytes.into();
        *last = Some((start, Arc::clone(&bytes)));
        Ok(bytes)
    }

    /// Reads what is stored as it is.
    fn read_plain(&self, medium: &dyn Medium, offset: u64, buffer: &mut [u8]) -> Result<usize, Problem> {
        let run = self.runs.run_at(offset).ok_or(Problem::Short)?;
        let length = usize::try_from(run.end() - offset).unwrap_or(usize::MAX).min(buffer.len());
        let place = run.place.ok_or(Problem::Short)?.saturating_add(offset - run.at);
        medium.read_at(place, &mut buffer[..length])?;
        Ok(length)
    }
}

impl Coded for Compressed {
    fn size(&self) -> u64 {
        self.size
    }

    fn runs(&self) -> &ByteRuns {
        &self.runs
    }

    fn read_at(&self, medium: &dyn Medium, offset: u64, buffer: &mut [u8]) -> Result<usize, Problem> {
        if offset >= self.valid {
            buffer.fill(0);
            return Ok(buffer.len());
        }
        let start = offset - offset % self.unit;
        let end = start.saturating_add(self.unit).min(self.valid);
        let length = usize::try_from(end - offset).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = &mut buffer[..length];
        match self.unit_at(start)? {
            Unit::Hole => buffer.fill(0),
            Unit::Plain => return self.read_plain(medium, offset, buffer),
            Unit::Packed(places) => {
                let bytes = self.unpacked(medium, start, &places)?;
                let from = (offset - start) as usize;
                buffer.copy_from_slice(bytes.get(from..from + length).ok_or(Problem::Short)?);
            }
        }
        Ok(length)
    }
}
