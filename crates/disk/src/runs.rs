//! Where the bytes of a file lie.

use crate::Problem;

/// The most runs that a file may have: 4 Mi, which take 96 MiB.
const LIMIT: usize = 4 << 20;

/// Bytes of a file that lie in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteRun {
    /// The offset in the file.
    pub at: u64,
    /// The number of bytes.
    pub length: u64,
    /// The position in the file system; `None` for zeros that are stored nowhere.
    pub place: Option<u64>,
}

impl ByteRun {
    /// Returns the offset of the first byte behind the run.
    pub fn end(&self) -> u64 {
        self.at.saturating_add(self.length)
    }
}

/// The runs of a file, in the order of its bytes, without gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByteRuns {
    runs: Vec<ByteRun>,
}

impl ByteRuns {
    /// Adds the next bytes of the file. Runs that continue each other become one.
    ///
    /// # Errors
    /// If a run lies beyond the end of the file system, which has `size` bytes, or there are too many.
    pub fn push(&mut self, place: Option<u64>, length: u64, size: u64) -> Result<(), Problem> {
        let at = self.length();
        let ends = at.checked_add(length).ok_or(Problem::Beyond)?;
        if let Some(place) = place
            && place.checked_add(length).is_none_or(|end| end > size)
        {
            return Err(Problem::Beyond);
        }
        if length == 0 {
            return Ok(());
        }
        if let Some(last) = self.runs.last_mut()
            && last.place.map(|start| start + last.length) == place
            && (place.is_some() || last.place.is_none())
        {
            last.length = ends - last.at;
            return Ok(());
        }
        if self.runs.len() >= LIMIT {
            return Err(Problem::TooMany("pieces of the file"));
        }
        // Most files lie in one place.
        self.runs.reserve_exact(usize::from(self.runs.is_empty()));
        self.runs.push(ByteRun { at, length, place });
        Ok(())
    }

    /// Returns the number of bytes in all runs.
    pub fn length(&self) -> u64 {
        self.runs.last().map_or(0, ByteRun::end)
    }

    /// Returns the run that has the byte at an offset.
    pub fn run_at(&self, offset: u64) -> Option<&ByteRun> {
        let after = self.runs.partition_point(|run| run.at <= offset);
        self.runs.get(after.checked_sub(1)?).filter(|run| offset < run.end())
    }

    /// Returns the runs.
    pub fn as_slice(&self) -> &[ByteRun] {
        &self.runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_continue_each_other_become_one() {
        let mut runs = ByteRuns::default();
        for (place, length) in
            [(Some(0), 10), (Some(10), 5), (None, 7), (None, 1), (Some(40), 0), (Some(15), 5)]
        {
            runs.push(place, length, 100).unwrap();
        }
        let expected = [(0, 15, Some(0)), (15, 8, None), (23, 5, Some(15))];
        assert_eq!(runs.as_slice(), expected.map(|(at, length, place)| ByteRun { at, length, place }));
        assert_eq!(runs.length(), 28);
        let found = [0, 14, 15, 22, 23, 27, 28].map(|offset| runs.run_at(offset).map(|run| run.at));
        assert_eq!(found, [Some(0), Some(0), Some(15), Some(15), Some(23), Some(23), None]);
    }

    #[test]
    fn no_run_lies_beyond_the_end() {
        let mut runs = ByteRuns::default();
        runs.push(Some(90), 10, 100).unwrap();
        for (place, length) in [(91, 10), (u64::MAX, 1), (u64::MAX, u64::MAX), (101, 1)] {
            assert!(matches!(runs.push(Some(place), length, 100), Err(Problem::Beyond)), "{place}");
        }
        assert!(matches!(runs.push(None, u64::MAX, 100), Err(Problem::Beyond)));
    }
}
