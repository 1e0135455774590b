//! The next step to settle a pair.

use super::side::ItemContent;
use hashmill_digest::Algorithm;
use hashmill_evidence::{EntityTag, Evidence, Judged, Question};
use hashmill_manifest::Named;
use hashmill_manifest::audit::Category;
use hashmill_manifest::stored::{Strength, may_be_of_others};

/// A pair of items to compare, by their places, and its result.
pub(super) struct Pair {
    pub known: u32,
    pub observed: u32,
    pub end: Option<End>,
}

/// The result of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Is(Category, Option<Strength>),
    /// The evidence is not sufficient; this is its strength.
    Open(Strength),
}

impl Pair {
    pub fn new(known: u32, observed: u32) -> Pair {
        Pair { known, observed, end: None }
    }

    pub fn known(&self) -> usize {
        self.known as usize
    }

    pub fn observed(&self) -> usize {
        self.observed as usize
    }
}

/// The next step for a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// The pair is settled. If evidence of a store showed a match, this is its strength.
    Done(Category, Option<Strength>),
    /// These questions must be put to the store of this side.
    Ask(Which, Vec<Question>),
    /// These digests of the file must be computed.
    Hash(Vec<&'static Algorithm>),
    /// Only the entity tag differs. Reading the object could show that the tag is no digest.
    OtherTag,
    /// Only reading the object could show more; this is the strength of the evidence so far.
    Stuck(Strength),
}

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Known,
    Observed,
}

/// Returns the next step for a pair, given the sizes of both.
pub(super) fn next(
    known: &ItemContent<'_>,
    observed: &ItemContent<'_>,
    sizes: [Option<u64>; 2],
    least: Strength,
) -> Step {
    let unread = |content: &ItemContent<'_>| matches!(content, ItemContent::Unread(_));
    if unread(known) || unread(observed) {
        return Step::Done(Category::Unreadable, None);
    }
    if let [Some(one), Some(other)] = sizes
        && one != other
    {
        return Step::Done(Category::Changed, None);
    }
    let step = match (known, observed) {
        (ItemContent::Object(one), ItemContent::Object(other)) => objects(one, other, least),
        (ItemContent::Object(object), copy) => with_copy(Which::Known, object, copy, least),
        (copy, ItemContent::Object(object)) => with_copy(Which::Observed, object, copy, least),
        // Neither is in a store.
        _ => Step::Stuck(Strength::None),
    };
    match step {
        // The sizes were compared above only if both sides have one.
        Step::Stuck(Strength::Size) if sizes.contains(&None) => Step::Stuck(Strength::None),
        Step::Stuck(found) if found == Strength::Size && found >= least => {
            Step::Done(Category::Matched, Some(found))
        }
        step => step,
    }
}

fn with_copy(which: Which, evidence: &Evidence, copy: &ItemContent<'_>, least: Strength) -> Step {
    match copy {
        ItemContent::File(digests) => with_file(which, evidence, digests, least),
        ItemContent::Known(digests, side) => with_known(which, evidence, digests, *side, least),
        ItemContent::Object(_) | ItemContent::Unread(_) => Step::Stuck(Strength::None),
    }
}

fn with_file(which: Which, evidence: &Evidence, digests: &[Named], least: Strength) -> Step {
    let found = match evidence.judge(digests) {
        Judged::Same(strength) if strength >= least => return Step::Done(Category::Matched, Some(strength)),
        Judged::Different => return Step::Done(Category::Changed, None),
        // A digest that agrees with the bytes refutes a tag that may be none of them, and one that differs confirms it.
        judged @ (Judged::OtherTag | Judged::Open(Strength::None)) => {
            let lacks = |algorithm: &&Algorithm| digests.iter().all(|named| named.algorithm != *algorithm);
            let lacking: Vec<_> = evidence.checksums().into_iter().filter(lacks).collect();
            match judged {
                _ if !lacking.is_empty() => return Step::Hash(lacking),
                Judged::OtherTag => return Step::OtherTag,
                _ => Strength::None,
            }
        }
        Judged::Same(strength) | Judged::Open(strength) => strength,
    };
    let has = |algorithm: &&Algorithm| digests.iter().any(|named| named.algorithm == *algorithm);
    let (computed, wanted): (Vec<_>, Vec<_>) = evidence.wanted().into_iter().partition(has);
    if evidence.strength() >= least && evidence.strength() > Strength::Size && !wanted.is_empty() {
        return Step::Hash(wanted);
    }
    // Digests that were not worth computing: how strong the evidence would be if it matched.
    let found = if digests.is_empty() { found.max(evidence.strength()) } else { found };
    let tag = if computed.is_empty() { EntityTag::Accepted } else { EntityTag::Doubted };
    ask(which, evidence, tag).unwrap_or(Step::Stuck(found))
}

fn with_known(
    which: Which,
    evidence: &Evidence,
    digests: &[Named],
    side: Option<Strength>,
    least: Strength,
) -> Step {
    let cap = |strength: Strength| side.map_or(strength, |side| strength.min(side));
    let found = match evidence.judge(digests) {
        Judged::Same(strength) if cap(strength) >= least => {
            return Step::Done(Category::Matched, Some(cap(strength)));
        }
        // The declaration may be wrong, not the content.
        Judged::Different | Judged::OtherTag if side == Some(Strength::Declared) => Strength::Declared,
        Judged::OtherTag if side.is_none() || is_sure(evidence, digests) => return Step::OtherTag,
        Judged::Different if side.is_none() || is_sure(evidence, digests) => {
            return Step::Done(Category::Changed, None);
        }
        Judged::Different | Judged::OtherTag => Strength::Composite,
        Judged::Same(strength) | Judged::Open(strength) => cap(strength),
    };
    let doubted =
        digests.iter().any(|named| named.algorithm.leaves.is_some() || named.algorithm.name == "md5");
    let tag = if doubted { EntityTag::Doubted } else { EntityTag::Accepted };
    ask(which, evidence, tag).unwrap_or(Step::Stuck(found))
}

/// Returns whether digests other than composite ones differ, too: a composite digest that a manifest has from a store
/// may belong to parts of another size than it states.
fn is_sure(evidence: &Evidence, digests: &[Named]) -> bool {
    let whole = |named: &&Named| !may_be_of_others(named.algorithm, named.digest.as_bytes());
    let whole: Vec<Named> = digests.iter().filter(whole).copied().collect();
    matches!(evidence.judge(&whole), Judged::Different | Judged::OtherTag)
}

/// Returns the questions that may give more evidence, as a step.
fn ask(which: Which, evidence: &Evidence, tag: EntityTag) -> Option<Step> {
    let questions = evidence.questions(tag);
    (!questions.is_empty()).then_some(Step::Ask(which, questions))
}

fn objects(known: &Evidence, observed: &Evidence, least: Strength) -> Step {
    let found = match known.judge_other(observed) {
        Judged::Same(strength) if strength >= least => return Step::Done(Category::Matched, Some(strength)),
        Judged::Different => return Step::Done(Category::Changed, None),
        Judged::OtherTag => return Step::OtherTag,
        Judged::Same(strength) | Judged::Open(strength) => strength,
    };
    let asked = ask(Which::Known, known, EntityTag::Doubted)
        .or_else(|| ask(Which::Observed, observed, EntityTag::Doubted));
    asked.unwrap_or(Step::Stuck(found))
}
