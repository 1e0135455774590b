//! Evidence: facts about an object's content, learned without reading it.

use crate::asked::Asked;
use crate::headers;

use hashmill_digest::Algorithm;
use hashmill_manifest::stored::{Checksum, Etag, Strength, even, many_parts, usual_parts};
use hashmill_manifest::{Named, Record};
use hashmill_store::{Location, Object, Scheme};
use std::collections::BTreeSet;

/// The header with the kind of checksums.
pub(crate) const CHECKSUM_TYPE: &str = "x-amz-checksum-type";

/// Evidence: facts about an object's content, learned without reading it.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// The size in bytes.
    pub size: u64,
    /// Digests that the store computed, or checked against the bytes.
    pub digests: Vec<Named>,
    /// Digests that the uploader declared and the store did not check.
    pub declared: Vec<Named>,
    pub(crate) tag: Etag,
    pub(crate) trust: Trust,
    pub(crate) part: PartLength,
    /// The parts after the first that are known to fit "all parts are as long as the first".
    pub(crate) fitting: BTreeSet<u32>,
    pub(crate) asked: Asked,
    /// The number of parts according to a checksum.
    count: Option<u32>,
    /// Whether checksums are of the whole object, as far as the store says so.
    is_whole: Option<bool>,
    /// Algorithms of digests that show nothing where they differ: it is not sure what they are of.
    pub(crate) unsure: Vec<&'static Algorithm>,
    /// Composite digests that wait for the length of the parts.
    waiting: Vec<(&'static Checksum, Box<str>)>,
    /// The store answers more questions than the listing does.
    pub(crate) asks: bool,
}

/// Whether an entity tag is computed from the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Not known: the tag may look like an MD5 although the object is encrypted with a customer's key.
    Unknown,
    /// The tag is computed from the content: Amazon promises that.
    Plain,
    /// The tag looks like a digest, and this server promises nothing: one that agrees is a proof, another says nothing.
    Claimed,
    /// The tag is not computed from the content.
    Sealed,
}

/// The length of the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartLength {
    Unknown,
    /// The first part has this length, which gives the right number of parts.
    Of(u64),
    /// The parts have different lengths.
    Uneven,
}

impl Evidence {
    /// Creates evidence that consists of the size.
    pub fn of_size(size: u64) -> Evidence {
        Evidence {
            size,
            digests: Vec::new(),
            declared: Vec::new(),
            tag: Etag::Opaque,
            trust: Trust::Unknown,
            part: PartLength::Unknown,
            fitting: BTreeSet::new(),
            asked: Asked::default(),
            count: None,
            is_whole: None,
            unsure: Vec::new(),
            waiting: Vec::new(),
            asks: false,
        }
    }

    /// Takes the evidence of a listing or of the answer to HEAD.
    pub fn listed(location: &Location, object: &Object) -> Evidence {
        let mut evidence = Evidence::of_size(object.size);
        evidence.asks = location.scheme() == Scheme::S3;
        if evidence.asks {
            evidence.tag = object.etag.as_deref().map_or(Etag::Opaque, Etag::read);
            // Entity tags of directory buckets are no digests.
            if location.bucket().ends_with("--x-s3") {
                evidence.trust = Trust::Sealed;
            }
        }
        object.stored(CHECKSUM_TYPE).iter().for_each(|kind| evidence.checksum_type(kind));
        object.stored.iter().for_each(|stored| headers::take(&mut evidence, stored.name, &stored.text));
        evidence
    }

    pub(crate) fn computed(&mut self, named: Option<Named>) {
        push(&mut self.digests, named);
    }

    pub(crate) fn declared(&mut self, named: Option<Named>) {
        push(&mut self.declared, named);
    }

    pub(crate) fn trust(&mut self, trust: Trust) {
        if self.trust != Trust::Sealed {
            self.trust = trust;
        }
    }

    /// Takes the kind of the checksums that follow.
    pub(crate) fn checksum_type(&mut self, kind: &str) {
        self.is_whole = Some(kind == "FULL_OBJECT");
    }

    /// Takes an S3 checksum, of the whole object or composite. Some stores leave the number of parts of a composite one
    /// out: then it must be that of the entity tag, and proves nothing where it differs.
    pub(crate) fn checksum(&mut self, row: &'static Checksum, text: &str) {
        let number = self.parts().filter(|number| *number > 1);
        let is_whole = self.is_whole.unwrap_or(number.is_none() || row.parts.is_empty());
        let is_unsure = !is_whole && !text.contains('-');
        let completed = number.filter(|_| is_unsure).map(|number| format!("{text}-{number}"));
        let text = match &completed {
            Some(text) => text,
            None if is_unsure => return,
            None => text,
        };
        self.count = self.count.or(many_parts(text));
        let part = if let PartLength::Of(part) = self.part { Some(part) } else { None };
        match row.read(text, part) {
            Some(named) => {
                self.unsure.extend(is_unsure.then_some(named.algorithm));
                self.computed(Some(named));
            }
            // A waiting one is completed again.
            None if is_unsure => {
                self.waiting.push((row, text.rsplit_once('-').map_or(text, |(sum, _)| sum).into()))
            }
            None => self.waiting.push((row, text.into())),
        }
    }

    /// Takes the length of a part.
    pub(crate) fn length_of(&mut self, number: u32, length: u64) {
        let (Some(parts), PartLength::Of(part)) = (self.parts(), self.part) else {
            if number == 1 && self.part == PartLength::Unknown {
                self.first_part(length);
            }
            return;
        };
        let last = self.size.saturating_sub(part * u64::from(parts - 1));
        let wanted = if number == parts { last } else { part };
        if length == wanted {
            self.fitting.insert(number);
        } else {
            // The number of parts would fit equal lengths, but they differ.
            self.part = PartLength::Uneven;
            self.digests.retain(|named| !is_of_parts(named));
        }
    }

    /// Whether all parts are known to be as long as the first. The size gives the length of one part that was not asked
    /// for.
    pub(crate) fn is_even(&self) -> bool {
        let Some(parts) = self.parts() else { return false };
        let fitting = self.fitting.range(2..=parts).count();
        parts == 1 || matches!(self.part, PartLength::Of(_)) && fitting + 2 >= parts as usize
    }

    fn first_part(&mut self, length: u64) {
        let number = self.parts();
        self.part = match number {
            Some(number) if number == 1 || even(self.size, length, number) => PartLength::Of(length.max(1)),
            _ => PartLength::Uneven,
        };
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().for_each(|(row, text)| self.checksum(row, &text));
    }

    /// Returns the number of uploaded parts, by the entity tag or a checksum.
    pub(crate) fn parts(&self) -> Option<u32> {
        if let Etag::Parts(_, number) = self.tag { Some(number) } else { self.count }
    }

    /// Whether there are composite digests of parts of unknown length.
    pub(crate) fn lacks_part(&self) -> bool {
        let tag = matches!(self.tag, Etag::Parts(..)) && self.trust != Trust::Sealed;
        self.part == PartLength::Unknown && (tag || !self.waiting.is_empty())
    }

    /// Returns the digests that the entity tag may be: several if the part length is unknown.
    pub(crate) fn by_tag(&self) -> Vec<Named> {
        if self.trust == Trust::Sealed {
            return Vec::new();
        }
        match (self.tag, self.part) {
            (Etag::Md5(named), _) => vec![named],
            (Etag::Parts(..), PartLength::Of(part)) => self.tag.with_part(part).into_iter().collect(),
            (Etag::Parts(_, number), PartLength::Unknown) => usual_parts(self.size, number)
                .into_iter()
                .filter_map(|part| self.tag.with_part(part))
                .collect(),
            (Etag::Parts(..), PartLength::Uneven) | (Etag::Opaque, _) => Vec::new(),
        }
    }

    /// Returns the algorithms to hash a copy with: those of the strongest evidence.
    pub fn wanted(&self) -> Vec<&'static Algorithm> {
        let strength = |named: &Named| Strength::from_algorithm(named.algorithm);
        let by_tag = self.by_tag();
        // At equal strength the entity tag comes last, since it may be no digest.
        let best = self.digests.iter().rev().max_by_key(|named| strength(named));
        match (best, by_tag.first()) {
            (Some(best), Some(tag)) if strength(tag) > strength(best) => algorithms(&by_tag),
            (Some(best), _) => vec![best.algorithm],
            (None, Some(_)) => algorithms(&by_tag),
            (None, None) => algorithms(&self.declared[..self.declared.len().min(1)]),
        }
    }

    /// Returns the algorithms of the digests that are not entity tags.
    pub fn checksums(&self) -> Vec<&'static Algorithm> {
        algorithms(&self.digests)
    }

    /// Returns how strong the evidence would be if it matched.
    pub fn strength(&self) -> Strength {
        let by_tag = self.by_tag();
        let best =
            self.digests.iter().chain(&by_tag).map(|named| Strength::from_algorithm(named.algorithm)).max();
        let declared = if self.declared.is_empty() { Strength::Size } else { Strength::Declared };
        best.unwrap_or(declared)
    }

    /// Returns the object's record, with its evidence as digests.
    pub fn record(&self, path: &[u8]) -> Record {
        let mut digests = self.digests.clone();
        let by_tag = self.by_tag();
        if let [named] = by_tag[..]
            && digests.iter().all(|known| known.algorithm != named.algorithm)
        {
            digests.push(named);
        }
        match digests.is_empty() {
            true => Record::declared(path.into(), Some(self.size), self.declared.clone()),
            false => Record::stored(path.into(), Some(self.size), digests),
        }
    }
}

/// Whether a digest is composite: computed from digests of parts.
pub(crate) fn is_of_parts(named: &Named) -> bool {
    named.algorithm.leaves.is_some()
}

fn algorithms(all: &[Named]) -> Vec<&'static Algorithm> {
    all.iter().map(|named| named.algorithm).collect()
}

/// Adds a digest unless there is one by the same algorithm.
fn push(all: &mut Vec<Named>, named: Option<Named>) {
    if let Some(named) = named
        && all.iter().all(|known| known.algorithm != named.algorithm)
    {
        all.push(named);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_manifest::stored::CHECKSUMS;

    #[test]
    fn all_parts_but_one_tell_whether_all_have_one_length() {
        let of_parts = || {
            let mut evidence = Evidence::of_size(28 << 20);
            evidence.checksum(&CHECKSUMS[1], "h0KPxSKAPTEGXnvOPPA/5HUJZjHl4Hu9eg/eYMTPJcc=-4");
            evidence.length_of(1, 8 << 20);
            evidence
        };
        let mut evidence = of_parts();
        assert_eq!((evidence.parts(), evidence.digests.len()), (Some(4), 1));
        evidence.length_of(4, 4 << 20);
        assert!(!evidence.is_even(), "of the second and the third nothing is known");
        evidence.length_of(3, 8 << 20);
        assert!(evidence.is_even());
        for (number, length) in [(2, 9 << 20), (3, 7 << 20), (4, 5 << 20)] {
            let mut uneven = of_parts();
            uneven.length_of(number, length);
            assert_eq!((uneven.part, uneven.digests.len(), uneven.is_even()), (PartLength::Uneven, 0, false));
        }
    }
}
