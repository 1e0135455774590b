//! Settling of all pairs: questions are asked and files are read in rounds, many at a time.

use super::event::{EvidenceEvent, EvidenceObserver};
use super::items::{ItemDescription, ItemKind};
use super::join::{Joined, join};
use super::means::EvidenceSettings;
use super::pair::{End, Pair, Step, Which, next};
use super::side::{ItemContent, Side};
use super::verdicts::PairVerdicts;
use super::wanted::DigestsToCompute;
use crate::audit::AuditSummary;
use crate::error::Error;
use hashmill_digest::{Algorithm, Digest, find};
use hashmill_evidence::Question;
use hashmill_manifest::audit::Category;
use hashmill_manifest::stored::Strength;
use hashmill_manifest::{Named, Status};
use hashmill_store::{Cause, Request, Store};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Limit of known files with the same size that a new file is compared with, to find out whether it was moved or
/// copied.
const NAMESAKES: usize = 8;

/// Limit of objects for which a store's answers are kept, as they may be compared with others, too: some 500 bytes
/// each.
const KEPT: usize = 1 << 15;

/// Returns the number of pairs that are settled together, for this much memory for file data: each file takes some two
/// hundred bytes while it is read.
fn at_once(memory: usize) -> usize {
    (memory / 4096).clamp(64, 1 << 15)
}

/// All pairs of a comparison.
pub(super) struct Pairs {
    means: EvidenceSettings,
    known: Side,
    observed: Side,
    summary: AuditSummary,
}

/// The result of comparing bytes.
enum Exact {
    End(End),
    /// These digests must be computed first, of one or both sides.
    Read {
        known: bool,
        observed: bool,
        algorithms: Vec<&'static Algorithm>,
    },
}

impl Pairs {
    pub fn new(means: EvidenceSettings, known: Side, observed: Side) -> Pairs {
        let malformed = known.malformed + observed.malformed;
        Pairs { means, known, observed, summary: AuditSummary { malformed, ..AuditSummary::default() } }
    }

    /// Settles all pairs and reports the verdicts.
    ///
    /// # Errors
    /// If a store can't be reached any more, or the memory is too little for the threads.
    pub fn run(mut self, observer: &mut EvidenceObserver<'_>) -> Result<AuditSummary, Error> {
        for side in [&self.known, &self.observed] {
            for error in &side.failed {
                self.summary.failed += 1;
                let _ = observer(EvidenceEvent::Failed(error));
            }
        }
        let full = |why| Error::of_place(*b"the comparison", why);
        let Joined { same, gone, new } = join(&self.known.items, &self.observed.items).map_err(full)?;
        let mut same: Vec<Pair> =
            same.into_iter().map(|(known, observed)| Pair::new(known, observed)).collect();
        for some in same.chunks_mut(at_once(self.means.resources.memory)) {
            self.settle(some, observer)?;
        }
        let alike = self.alike(&gone, &new, observer)?;
        self.summary.compared = self.known.compared() + self.observed.compared();
        if self.means.cancel.is_set() {
            return Ok(AuditSummary { interrupted: true, ..self.summary });
        }
        let Pairs { means: EvidenceSettings { sides, .. }, known, observed, summary } = self;
        Ok(PairVerdicts { known, observed, same, gone, new, alike, sides }.tell(summary, observer))
    }

    /// Takes steps for these pairs until nothing more can be found out.
    fn settle(&mut self, pairs: &mut [Pair], observer: &mut EvidenceObserver<'_>) -> Result<(), Error> {
        loop {
            let mut wanted = [DigestsToCompute::default(), DigestsToCompute::default()];
            let mut questions: [BTreeMap<usize, Vec<Question>>; 2] = Default::default();
            for pair in pairs.iter_mut().filter(|pair| pair.end.is_none()) {
                let (one, other) = (pair.known(), pair.observed());
                let (known, observed) = (self.known.content(one), self.observed.content(other));
                let sizes = [self.known.items.size(one), self.observed.items.size(other)];
                let step = match next(&known, &observed, sizes, self.means.least) {
                    Step::OtherTag if self.means.download => Step::Stuck(Strength::None),
                    step => step,
                };
                match step {
                    Step::Done(category, strength) => pair.end = Some(End::Is(category, strength)),
                    Step::Ask(Which::Known, more) => {
                        questions[0].insert(one, more);
                    }
                    Step::Ask(Which::Observed, more) => {
                        questions[1].insert(other, more);
                    }
                    Step::Hash(algorithms) if matches!(known, ItemContent::File(_)) => {
                        wanted[0].add(one, algorithms);
                    }
                    Step::Hash(algorithms) => wanted[1].add(other, algorithms),
                    Step::Stuck(strength) if self.means.download => match self.exact(pair, strength)? {
                        Exact::End(end) => pair.end = Some(end),
                        Exact::Read { known, observed, algorithms } => {
                            let [files, others] = &mut wanted;
                            known.then(|| files.add(one, algorithms.clone()));
                            observed.then(|| others.add(other, algorithms));
                        }
                    },
                    Step::OtherTag => pair.end = Some(End::Is(Category::Changed, None)),
                    Step::Stuck(strength) => pair.end = Some(End::Open(strength)),
                }
            }
            let idle =
                questions.iter().all(BTreeMap::is_empty) && wanted.iter().all(DigestsToCompute::is_empty);
            if idle || self.means.cancel.is_set() {
                self.known.forget(KEPT);
                self.observed.forget(KEPT);
                return Ok(());
            }
            let [one, other] = questions;
            ask(&mut self.known, one, &mut self.summary, observer)?;
            ask(&mut self.observed, other, &mut self.summary, observer)?;
            let [one, other] = wanted;
            self.hash(Which::Known, one, observer)?;
            self.hash(Which::Observed, other, observer)?;
        }
    }

    fn hash(
        &mut self,
        which: Which,
        wanted: DigestsToCompute,
        observer: &mut EvidenceObserver<'_>,
    ) -> Result<(), Error> {
        let side = if which == Which::Known { &mut self.known } else { &mut self.observed };
        let AuditSummary { stats, failed, .. } = &mut self.summary;
        wanted.hash(&self.means, side, stats, &mut |error| {
            *failed += 1;
            let _ = observer(EvidenceEvent::Failed(error));
        })
    }

    /// Compares digests of the bytes of both, where the evidence is not sufficient.
    fn exact(&self, pair: &Pair, strength: Strength) -> Result<Exact, Error> {
        let (one, other) = (self.known.digests(pair.known()), self.observed.digests(pair.observed()));
        let kinds = [self.known.items.kind(pair.known()), self.observed.items.kind(pair.observed())];
        let algorithms = match kinds {
            [ItemKind::Known, _] | [_, ItemKind::Known] => {
                let said = if kinds[0] == ItemKind::Known { &one } else { &other };
                match said.first() {
                    Some(named) => vec![named.algorithm],
                    None => return Ok(Exact::End(End::Open(strength))),
                }
            }
            _ => vec![find("blake3").map_err(Error::Algorithm)?],
        };
        let lacks = |digests: &[Named]| {
            algorithms.iter().any(|algorithm| digests.iter().all(|named| named.algorithm != *algorithm))
        };
        if lacks(&one) || lacks(&other) {
            return Ok(Exact::Read { known: lacks(&one), observed: lacks(&other), algorithms });
        }
        let same = algorithms.iter().all(|algorithm| digest(&one, algorithm) == digest(&other, algorithm));
        Ok(Exact::End(End::Is(if same { Category::Matched } else { Category::Changed }, None)))
    }

    /// Returns new paths with the known paths of the same content. Among these, missing ones come first.
    fn alike(
        &mut self,
        gone: &[u32],
        new: &[u32],
        observer: &mut EvidenceObserver<'_>,
    ) -> Result<HashMap<u32, Vec<u32>>, Error> {
        let namesakes = self.namesakes(gone, new);
        let mut alike: HashMap<u32, Vec<u32>> = HashMap::new();
        for some in new.chunks(at_once(self.means.resources.memory) / NAMESAKES) {
            let mut pairs = Vec::new();
            for place in some {
                let size = self.observed.items.size(*place as usize);
                let known = size.and_then(|size| namesakes.get(&size));
                pairs.extend(known.into_iter().flatten().map(|known| Pair::new(*known, *place)));
            }
            self.settle(&mut pairs, observer)?;
            for pair in pairs {
                if matches!(pair.end, Some(End::Is(Category::Matched, _))) {
                    alike.entry(pair.observed).or_default().push(pair.known);
                }
            }
        }
        Ok(alike)
    }

    /// Returns the known files for each size that a new file has. Missing ones come first.
    fn namesakes(&self, gone: &[u32], new: &[u32]) -> HashMap<u64, Vec<u32>> {
        let sizes = new.iter().filter_map(|place| self.observed.items.size(*place as usize));
        let wanted: HashSet<u64> = sizes.filter(|size| *size > 0).collect();
        let mut namesakes: HashMap<u64, Vec<u32>> = HashMap::new();
        if wanted.is_empty() {
            return namesakes;
        }
        for place in gone.iter().copied().chain(0..self.known.items.len() as u32) {
            let size = self.known.items.size(place as usize).filter(|size| wanted.contains(size));
            let Some(places) = size.map(|size| namesakes.entry(size).or_default()) else { continue };
            if places.len() < NAMESAKES && !places.contains(&place) {
                places.push(place);
            }
        }
        namesakes
    }
}

fn digest(digests: &[Named], algorithm: &Algorithm) -> Option<Digest> {
    digests.iter().find(|named| named.algorithm == algorithm).map(|named| named.digest)
}

/// Asks a store, many questions at a time. An object that is gone or can't be looked up becomes unreadable.
fn ask(
    side: &mut Side,
    questions: BTreeMap<usize, Vec<Question>>,
    summary: &mut AuditSummary,
    observer: &mut EvidenceObserver<'_>,
) -> Result<(), Error> {
    let Some(store) = side.store.clone() else { return Ok(()) };
    for (place, question, answer) in answers(&store, side, questions) {
        let Some(evidence) = side.evidence_mut(place) else { continue };
        let Err(error) = evidence.answer(question, answer) else { continue };
        if !matches!(error.cause, Cause::NotFound | Cause::Timeout | Cause::Failing(_)) {
            return Err(error.into());
        }
        summary.failed += 1;
        let _ = observer(EvidenceEvent::Refused(&error));
        side.items.replace(place, ItemDescription::Unread(Status::Unreadable));
    }
    Ok(())
}

type Answer = (usize, Question, Result<hashmill_store::Response, hashmill_store::Error>);

fn answers(store: &Store, side: &Side, questions: BTreeMap<usize, Vec<Question>>) -> Vec<Answer> {
    let request = |(place, question): (usize, Question)| -> Option<((usize, Question), Request)> {
        let is_object = side.items.kind(place) == ItemKind::Object;
        is_object.then(|| ((place, question), question.request(&side.key(place))))
    };
    let each = |(place, questions): (usize, Vec<Question>)| {
        questions.into_iter().map(move |question| (place, question))
    };
    let requests: Vec<_> = questions.into_iter().flat_map(each).filter_map(request).collect();
    let answers = store.send_all(requests.into_iter());
    answers.map(|((place, question), answer)| (place, question, answer)).collect()
}
