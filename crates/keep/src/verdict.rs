//! The verdicts on files.

/// The result of a verification of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// Its content is as it is kept.
    Verified,
    /// It was changed on purpose: its size or the time of its modification differs, too. The new content is a proposal.
    Edited,
    /// Its content differs, and nothing tells whether it was edited or rotted: size and time of modification are as they
    /// were, and only its inode changed (its ctime, as by a link or a change of permissions); or the content is not the
    /// one that a list has, and the list has no times. What was found is a proposal.
    Differs,
    /// Its content differs while size and all times are as they were, and two reads agree.
    Rot,
    /// Two reads of it differ: memory, a cable or a controller is at fault.
    Unstable,
    /// It could not be read.
    Unreadable,
    /// It is as it was kept, after it was found otherwise.
    Restored,
    /// It is where no file was, with the content of a file that is gone.
    Moved,
    /// It is gone.
    Missing,
    /// It was not known. Its content is kept from now on.
    New,
}

impl Verdict {
    /// All verdicts, in the order of reports.
    pub const ALL: [Verdict; 10] = [
        Verdict::Verified,
        Verdict::Restored,
        Verdict::New,
        Verdict::Moved,
        Verdict::Edited,
        Verdict::Differs,
        Verdict::Missing,
        Verdict::Rot,
        Verdict::Unstable,
        Verdict::Unreadable,
    ];

    /// Returns the word used in messages and outputs.
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Edited => "edited",
            Verdict::Differs => "differs",
            Verdict::Rot => "rot",
            Verdict::Unstable => "unstable",
            Verdict::Unreadable => "unreadable",
            Verdict::Restored => "restored",
            Verdict::Moved => "moved",
            Verdict::Missing => "missing",
            Verdict::New => "new",
        }
    }

    /// Returns whether the file is to be read first in the next run: its medium may be failing.
    pub const fn is_suspect(self) -> bool {
        matches!(self, Verdict::Rot | Verdict::Unstable | Verdict::Unreadable | Verdict::Differs)
    }

    /// Returns whether the content of the file was proved to be as it is kept.
    pub const fn is_proof(self) -> bool {
        matches!(self, Verdict::Verified | Verdict::Restored | Verdict::Moved | Verdict::New)
    }

    /// Returns the number that databases have for it.
    pub(crate) const fn number(self) -> i64 {
        match self {
            Verdict::Verified => 1,
            Verdict::Edited => 2,
            Verdict::Rot => 3,
            Verdict::Unstable => 4,
            Verdict::Unreadable => 5,
            Verdict::Restored => 6,
            Verdict::Moved => 7,
            Verdict::Missing => 8,
            Verdict::New => 9,
            Verdict::Differs => 10,
        }
    }

    /// Returns the verdict of a number in a database.
    pub(crate) fn of_number(number: i64) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.number() == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_databases() {
        for (number, word) in "verified edited rot unstable unreadable restored moved missing new differs"
            .split(' ')
            .enumerate()
        {
            assert_eq!(Verdict::of_number(number as i64 + 1).map(Verdict::word), Some(word));
        }
        assert_eq!(Verdict::of_number(0), None);
        assert_eq!(Verdict::of_number(11), None);
    }
}
