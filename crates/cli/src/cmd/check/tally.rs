//! The verdicts of a list, counted, and what they mean.

use super::Verdict;
use super::list::List;
use crate::exit::Exit;
use crate::message::{self, count};
use crate::unsupported::tell_tried;
use hashloom_manifest::Record;
use hashloom_manifest::audit::Learner;
use std::collections::BTreeSet;

/// The verdicts of a list, counted.
#[derive(Default)]
pub struct Tally {
    right: u64,
    wrong: u64,
    missing: u64,
    unreadable: u64,
    unsupported: u64,
    /// Lengths in bits of digests whose algorithm nobody names and that were compared.
    unnamed: BTreeSet<u32>,
}

impl Tally {
    /// Counts a verdict.
    pub fn count(&mut self, claim: &Record, verdict: Verdict) {
        let number = match verdict {
            Verdict::Right => &mut self.right,
            Verdict::Wrong => &mut self.wrong,
            Verdict::Missing => &mut self.missing,
            Verdict::Unreadable => &mut self.unreadable,
            Verdict::Unsupported => &mut self.unsupported,
        };
        *number += 1;
        if matches!(verdict, Verdict::Right | Verdict::Wrong) {
            let unnamed = claim.digests.iter().filter(|named| named.guessed);
            self.unnamed.extend(unnamed.map(|named| named.digest.bits()));
        }
    }

    /// The summary, and the exit code that the verdicts mean.
    pub fn judge(&self, list: &List<'_>, learner: &Learner, args: &super::Options) -> Exit {
        let missing = if args.ignore_missing { 0 } else { self.missing };
        let none = self.right + self.wrong + missing + self.unreadable + self.unsupported == 0;
        if !args.status {
            warn(missing + self.unreadable, "listed file", "could not be read");
            warn(self.wrong, "computed checksum", "did NOT match");
            self.tell_tried(&list.name, learner);
            if none {
                message::say(format_args!("{}: no file was verified", list.name));
            }
        }
        let failed = self.unreadable + self.unsupported > 0;
        Exit::Differs.when(self.wrong + missing > 0 || none).and(Exit::Failed.when(failed))
    }

    /// Where no line matches whose algorithm had to be guessed, it may be one that was not tried.
    fn tell_tried(&self, list: &str, learner: &Learner) {
        for bits in self.unnamed.iter().filter(|bits| learner.learnt(**bits).is_none()) {
            tell_tried(&list, *bits);
        }
    }
}

fn warn(number: u64, what: &str, happened: &str) {
    if number > 0 {
        message::say(format_args!("WARNING: {} {happened}", count(number, what, &format!("{what}s"))));
    }
}
