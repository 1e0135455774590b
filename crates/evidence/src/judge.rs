//! Compares a store's evidence with a copy or another object.

use crate::evidence::{Evidence, Trust, is_of_parts};
use hashmill_manifest::Named;
use hashmill_manifest::stored::{Etag, Strength};

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// The content is the same, with evidence of this strength.
    Same(Strength),
    /// The content differs.
    Different,
    /// Undecided. The strength is that of evidence that could not be used.
    Open(Strength),
}

impl Evidence {
    /// Compares with the digests of a copy of the same size.
    pub fn judge(&self, digests: &[Named]) -> Judged {
        let of = |named: &Named| digests.iter().find(|other| other.algorithm == named.algorithm);
        let mut same: Option<Strength> = None;
        let mut doubted = false;
        for named in &self.digests {
            match of(named) {
                // The parts may be of other lengths than assumed.
                Some(other) if other.digest != named.digest && is_of_parts(named) && !self.is_even() => {
                    doubted = true;
                }
                Some(other) if other.digest != named.digest => return Judged::Different,
                Some(_) => same = same.max(Some(Strength::from_algorithm(named.algorithm))),
                None => {}
            }
        }
        let by_tag = self.by_tag();
        let tagged: Vec<(&Named, &Named)> =
            by_tag.iter().filter_map(|named| Some((named, of(named)?))).collect();
        if let Some((named, _)) = tagged.iter().find(|(named, other)| named.digest == other.digest) {
            same = same.max(Some(Strength::from_algorithm(named.algorithm)));
        } else if !tagged.is_empty() && same.is_none() && self.is_sure() {
            return Judged::Different;
        }
        match same {
            Some(strength) => Judged::Same(strength),
            None if doubted => Judged::Open(Strength::Composite),
            None => self.by_declaration(digests),
        }
    }

    /// Compares with another object of the same size.
    pub fn judge_other(&self, other: &Evidence) -> Judged {
        let sealed = |evidence: &Evidence| evidence.trust == Trust::Sealed;
        // Whatever the part length: the same digest of equally many digests means the same bytes.
        if let (Etag::Parts(one, n), Etag::Parts(two, m)) = (self.tag, other.tag)
            && (one, n) == (two, m)
            && !sealed(self)
            && !sealed(other)
        {
            return Judged::Same(Strength::Composite);
        }
        let fresh = |named: &Named| other.digests.iter().all(|known| known.algorithm != named.algorithm);
        let by_tag: Vec<Named> = other.by_tag().into_iter().filter(fresh).collect();
        match self.judge(&[&other.digests[..], &by_tag].concat()) {
            // The other's tag may be no digest, and its parts may be of other lengths than assumed.
            Judged::Different => {
                let even = |named: &Named| other.is_even() || !is_of_parts(named);
                let mut sure: Vec<Named> = other.digests.iter().copied().filter(even).collect();
                sure.extend(by_tag.into_iter().filter(|_| other.is_sure()));
                self.judge(&sure)
            }
            judged => judged,
        }
    }

    fn by_declaration(&self, digests: &[Named]) -> Judged {
        let mut found = Strength::Size;
        for named in &self.declared {
            match digests.iter().find(|other| other.algorithm == named.algorithm) {
                // The declaration may be wrong.
                Some(other) if other.digest != named.digest => return Judged::Open(Strength::Declared),
                Some(_) => found = Strength::Declared,
                None => {}
            }
        }
        if found == Strength::Declared { Judged::Same(found) } else { Judged::Open(found) }
    }

    /// Whether a different entity tag means different content.
    fn is_sure(&self) -> bool {
        let parts = match self.tag {
            Etag::Md5(_) => true,
            Etag::Parts(..) => self.is_even(),
            Etag::Opaque => false,
        };
        parts && self.trust == Trust::Plain
    }
}
