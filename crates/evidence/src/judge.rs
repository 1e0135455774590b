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
    /// The entity tag differs, and nothing else tells anything: the content differs, unless the store's tags are no digests.
    OtherTag,
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
                Some(other) if other.digest != named.digest && self.unsure.contains(&named.algorithm) => {
                    doubted = true;
                }
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
            return Judged::OtherTag;
        }
        match same {
            Some(strength) => Judged::Same(strength),
            None if doubted => Judged::Open(Strength::Composite),
            None => match self.by_declaration(digests) {
                // The size says nothing beside a tag that differs, whatever it is.
                Judged::Open(Strength::Size) if !tagged.is_empty() => Judged::Open(Strength::None),
                judged => judged,
            },
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
            Judged::Different | Judged::OtherTag => {
                let even = |named: &Named| other.is_even() || !is_of_parts(named);
                let mut sure: Vec<Named> = other.digests.iter().copied().filter(even).collect();
                sure.extend(by_tag.into_iter().filter(|_| other.is_sure()));
                match self.judge(&sure) {
                    Judged::Open(Strength::Size) => Judged::Open(Strength::None),
                    judged => judged,
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::PartLength;
    use hashmill_digest::{find, hash};
    use hashmill_manifest::stored::CHECKSUMS;

    const MIB: u64 = 1 << 20;

    fn named(name: &str, content: &[u8]) -> Named {
        let algorithm = find(name).unwrap();
        Named { algorithm, digest: hash(algorithm, content), guessed: false }
    }

    /// Returns the evidence of an object with this tag, which is no sealed one.
    fn tagged(tag: &str) -> Evidence {
        let mut evidence = Evidence::of_size(3);
        (evidence.tag, evidence.trust) = (Etag::read(tag), Trust::Plain);
        evidence
    }

    #[test]
    fn what_agrees_with_the_bytes_refutes_a_tag() {
        let mut evidence = tagged("\"00000000000000000000000000000000\"");
        let (md5, crc) = (named("md5", b"abc"), named("crc64nvme", b"abc"));
        assert_eq!(evidence.judge(&[md5]), Judged::OtherTag);
        evidence.computed(Some(crc));
        assert_eq!(evidence.judge(&[md5]), Judged::OtherTag);
        assert_eq!(evidence.judge(&[md5, crc]), Judged::Same(Strength::Crc));
        assert_eq!(evidence.judge(&[md5, named("crc64nvme", b"abd")]), Judged::Different);
    }

    #[test]
    fn a_tag_that_differs_says_nothing_where_nobody_promises_that_it_is_a_digest() {
        let (md5, crc) = (named("md5", b"abc"), named("crc64nvme", b"abc"));
        for trust in [Trust::Claimed, Trust::Unknown] {
            let mut evidence = tagged("\"00000000000000000000000000000000\"");
            evidence.trust = trust;
            assert_eq!(evidence.judge(&[md5]), Judged::Open(Strength::None));
            let other = tagged("\"900150983cd24fb0d6963f7d28e17f72\"");
            assert_eq!(evidence.judge_other(&other), Judged::Open(Strength::None));
            assert_eq!(other.judge_other(&evidence), Judged::Open(Strength::None));
            // One that agrees proves, and so does a checksum.
            assert_eq!(other.judge_other(&other.clone()), Judged::Same(Strength::Content));
            evidence.computed(Some(crc));
            assert_eq!(evidence.judge(&[md5, crc]), Judged::Same(Strength::Crc));
            assert_eq!(evidence.judge(&[md5, named("crc64nvme", b"abd")]), Judged::Different);
            let mut same = tagged("\"900150983cd24fb0d6963f7d28e17f72\"");
            same.trust = trust;
            assert_eq!(same.judge(&[md5]), Judged::Same(Strength::Content));
        }
    }

    #[test]
    fn a_composite_checksum_without_its_number_of_parts_proves_nothing_where_it_differs() {
        let content: Vec<u8> = (0..2 * MIB + 5).map(|at| at as u8).collect();
        let whole = named("sha256", &content);
        let parts = named("s3-sha256:1M", &content);
        let text = parts.algorithm.format(&parts.digest);
        let (sum, number) = text.rsplit_once('-').unwrap();
        for kind in [Some("COMPOSITE"), None] {
            let evidence = |sum: &str| {
                let mut evidence = tagged(&format!("\"00000000000000000000000000000000-{number}\""));
                evidence.trust = Trust::Sealed;
                evidence.size = content.len() as u64;
                kind.iter().for_each(|kind| evidence.checksum_type(kind));
                evidence.checksum(&CHECKSUMS[1], sum);
                evidence.length_of(1, MIB);
                evidence.length_of(3, 5);
                assert!(evidence.is_even() && evidence.part == PartLength::Of(MIB));
                evidence
            };
            assert_eq!(evidence(sum).judge(&[whole, parts]), Judged::Same(Strength::Composite));
            let other = named("s3-sha256:1M", b"other");
            let other = other.algorithm.format(&other.digest);
            let judged = evidence(other.rsplit_once('-').unwrap().0).judge(&[whole, parts]);
            assert_eq!(judged, Judged::Open(Strength::Composite));
        }
        let mut alone = Evidence::of_size(3);
        alone.checksum_type("COMPOSITE");
        alone.checksum(&CHECKSUMS[1], sum);
        assert_eq!(alone.strength(), Strength::Size);
    }
}
