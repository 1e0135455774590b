//! All pairs, on their way to verdicts: questions and files in rounds, many at a time.

use super::Means;
use super::event::{Event, Observer};
use super::pair::{Step, Which, next};
use super::side::{Content, Item, Of, Side};
use super::wanted::Wanted;
use crate::audit::{Summary, Tally};
use crate::error::Error;
use hashloom_digest::{Algorithm, Digest, find};
use hashloom_evidence::Question;
use hashloom_manifest::audit::{Category, Unjudged, Verdict};
use hashloom_manifest::stored::Strength;
use hashloom_manifest::{Named, Status};
use hashloom_store::{Cause, Request, Store};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

/// Known files of the same length that a new one is compared with, to see whether it was moved or copied.
const NAMESAKES: usize = 8;

/// All pairs.
pub(super) struct Pairs {
    means: Means,
    known: Side,
    observed: Side,
    /// What is compared: places on both sides.
    pairs: Vec<Pair>,
    summary: Summary,
}

/// Two that are compared, and what came of it.
#[derive(Clone)]
struct Pair {
    known: usize,
    observed: usize,
    end: Option<End>,
}

/// What came of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Is(Category, Option<Strength>),
    /// It can't be told.
    Open(Strength),
}

/// What bytes say.
enum Exact {
    End(End),
    /// They have to be read, of one or both, for these digests.
    Read {
        known: bool,
        observed: bool,
        algorithms: Vec<&'static Algorithm>,
    },
}

impl Pairs {
    pub fn new(means: Means, known: Side, observed: Side) -> Pairs {
        let malformed = known.malformed + observed.malformed;
        let pairs = join(&known.items, &observed.items);
        Pairs { means, known, observed, pairs, summary: Summary { malformed, ..Summary::default() } }
    }

    /// Settles all pairs and tells the verdicts.
    ///
    /// # Errors
    /// If a store can't be reached any more, or the memory is too little for the threads.
    pub fn run(mut self, observer: &mut Observer<'_>) -> Result<Summary, Error> {
        for side in [&self.known, &self.observed] {
            for error in &side.failed {
                self.summary.failed += 1;
                let _ = observer(Event::Failed(error));
            }
        }
        let same = std::mem::take(&mut self.pairs);
        let same = self.settle(same, observer)?;
        let others = self.namesakes();
        let others = self.settle(others, observer)?;
        self.summary.compared = self.known.compared() + self.observed.compared();
        if self.means.cancel.is_set() {
            return Ok(Summary { interrupted: true, ..self.summary });
        }
        Ok(self.tell(same, others, observer))
    }

    /// Goes on with pairs until nothing more can be found out.
    fn settle(&mut self, mut pairs: Vec<Pair>, observer: &mut Observer<'_>) -> Result<Vec<Pair>, Error> {
        loop {
            let mut wanted = [Wanted::default(), Wanted::default()];
            let mut questions: [BTreeMap<usize, Vec<Question>>; 2] = Default::default();
            for pair in pairs.iter_mut().filter(|pair| pair.end.is_none()) {
                let (known, observed) =
                    (self.known.content(pair.known), self.observed.content(pair.observed));
                let sizes = [self.known.items[pair.known].size, self.observed.items[pair.observed].size];
                match next(&known, &observed, sizes, self.means.least) {
                    Step::Done(category, strength) => pair.end = Some(End::Is(category, strength)),
                    Step::Ask(Which::Known, more) => {
                        questions[0].insert(pair.known, more);
                    }
                    Step::Ask(Which::Observed, more) => {
                        questions[1].insert(pair.observed, more);
                    }
                    Step::Hash(algorithms) if matches!(known, Content::File(_)) => {
                        wanted[0].add(pair.known, algorithms);
                    }
                    Step::Hash(algorithms) => wanted[1].add(pair.observed, algorithms),
                    Step::Stuck(strength) if self.means.download => match self.exact(pair, strength)? {
                        Exact::End(end) => pair.end = Some(end),
                        Exact::Read { known, observed, algorithms } => {
                            let [one, other] = &mut wanted;
                            known.then(|| one.add(pair.known, algorithms.clone()));
                            observed.then(|| other.add(pair.observed, algorithms));
                        }
                    },
                    Step::Stuck(strength) => pair.end = Some(End::Open(strength)),
                }
            }
            let idle = questions.iter().all(BTreeMap::is_empty) && wanted.iter().all(Wanted::is_empty);
            if idle || self.means.cancel.is_set() {
                return Ok(pairs);
            }
            let [one, other] = questions;
            ask(&mut self.known, one, &mut self.summary, observer)?;
            ask(&mut self.observed, other, &mut self.summary, observer)?;
            let [one, other] = wanted;
            self.hash(Which::Known, one, observer)?;
            self.hash(Which::Observed, other, observer)?;
        }
    }

    fn hash(&mut self, which: Which, wanted: Wanted, observer: &mut Observer<'_>) -> Result<(), Error> {
        let side = if which == Which::Known { &mut self.known } else { &mut self.observed };
        let Summary { stats, failed, .. } = &mut self.summary;
        wanted.hash(&self.means, side, stats, &mut |error| {
            *failed += 1;
            let _ = observer(Event::Failed(error));
        })
    }

    /// What the bytes of both say, where nothing else tells.
    fn exact(&self, pair: &Pair, strength: Strength) -> Result<Exact, Error> {
        let known = &self.known.items[pair.known].of;
        let algorithms = match (known, &self.observed.items[pair.observed].of) {
            (Of::Known(digests, _), _) | (_, Of::Known(digests, _)) => match digests.first() {
                Some(named) => vec![named.algorithm],
                None => return Ok(Exact::End(End::Open(strength))),
            },
            _ => vec![find("blake3").map_err(Error::Algorithm)?],
        };
        let lacks = |digests: &[Named]| {
            algorithms.iter().any(|algorithm| digests.iter().all(|named| named.algorithm != *algorithm))
        };
        let (one, other) = (self.known.digests(pair.known), self.observed.digests(pair.observed));
        if lacks(one) || lacks(other) {
            return Ok(Exact::Read { known: lacks(one), observed: lacks(other), algorithms });
        }
        let same = algorithms.iter().all(|algorithm| digest(one, algorithm) == digest(other, algorithm));
        Ok(Exact::End(End::Is(if same { Category::Matched } else { Category::Changed }, None)))
    }

    /// New paths, each with known files of the same length, those first that are not there any more.
    fn namesakes(&self) -> Vec<Pair> {
        let (known, observed) = (self.alone(Which::Known), self.alone(Which::Observed));
        let mut sizes: HashMap<u64, Vec<usize>> = HashMap::new();
        let all = known.iter().copied().chain(0..self.known.items.len());
        for place in all {
            let Some(size) = self.known.items[place].size.filter(|size| *size > 0) else { continue };
            let places = sizes.entry(size).or_default();
            if places.len() < NAMESAKES && !places.contains(&place) {
                places.push(place);
            }
        }
        let mut pairs = Vec::new();
        for place in observed {
            let size = self.observed.items[place].size;
            for other in size.and_then(|size| sizes.get(&size)).into_iter().flatten() {
                pairs.push(Pair { known: *other, observed: place, end: None });
            }
        }
        pairs
    }

    /// The places on one side whose paths the other side does not have.
    fn alone(&self, which: Which) -> Vec<usize> {
        let (side, other) = match which {
            Which::Known => (&self.known.items, &self.observed.items),
            Which::Observed => (&self.observed.items, &self.known.items),
        };
        let there = |path: &[u8]| other.binary_search_by(|item| (*item.path).cmp(path)).is_ok();
        (0..side.len()).filter(|place| !there(&side[*place].path)).collect()
    }

    /// Tells all verdicts, in the order of paths: those of equal paths and new ones, then what is missing.
    fn tell(mut self, same: Vec<Pair>, others: Vec<Pair>, observer: &mut Observer<'_>) -> Summary {
        let mut tally = Tally::default();
        let mut gone: BTreeSet<usize> = self.alone(Which::Known).into_iter().collect();
        let mut alike: HashMap<usize, Vec<usize>> = HashMap::new();
        for pair in others.iter().filter(|pair| matches!(pair.end, Some(End::Is(Category::Matched, _)))) {
            alike.entry(pair.observed).or_default().push(pair.known);
        }
        let mut tell = |verdict: Result<Verdict, Unjudged>| match &verdict {
            Ok(verdict) => {
                tally.count(verdict);
                observer(Event::Verdict(verdict))
            }
            Err(unjudged) => {
                tally.unjudged(unjudged);
                observer(Event::Unjudged(unjudged))
            }
        };
        let new = self.alone(Which::Observed);
        let (mut same, mut new) = (same.iter().peekable(), new.into_iter().peekable());
        let mut each = || loop {
            // Places are in the order of paths.
            let verdict = match (same.peek(), new.peek()) {
                (Some(pair), place) if place.is_none_or(|place| pair.observed < *place) => {
                    let verdict = self.verdict(pair);
                    same.next();
                    verdict
                }
                (_, Some(place)) => {
                    let known = alike.get(place).map_or(&[][..], Vec::as_slice);
                    let verdict = self.new_path(*place, known, &mut gone);
                    new.next();
                    Ok(verdict)
                }
                _ => return ControlFlow::Continue(()),
            };
            tell(verdict)?;
        };
        let mut flow = each();
        if flow.is_continue() {
            let mut missing = gone.into_iter().filter_map(|place| self.missing(place));
            flow = missing.try_for_each(|verdict| tell(Ok(verdict)));
        }
        self.summary.counted = tally.counted();
        if flow.is_break() {
            return Summary { interrupted: true, ..self.summary };
        }
        let _ = observer(Event::AllJudged(&self.summary.counted));
        self.summary
    }

    /// The verdict on a path that the known side does not have, but perhaps these files of the same content.
    fn new_path(&self, place: usize, known: &[usize], gone: &mut BTreeSet<usize>) -> Verdict {
        let free = known.iter().copied().find(|known| gone.remove(known));
        let category = match (free, known.first()) {
            (Some(_), _) => Category::Moved,
            (None, Some(_)) => Category::Copied,
            (None, None) => Category::New,
        };
        let from = free.or(known.first().copied());
        let known_path = from.map(|place| self.known.items[place].path.clone());
        self.judged(category, place, known_path, None)
    }

    fn verdict(&self, pair: &Pair) -> Result<Verdict, Unjudged> {
        let (known, observed) = (&self.known.items[pair.known], &self.observed.items[pair.observed]);
        match pair.end.unwrap_or(End::Open(Strength::None)) {
            End::Is(category, strength) => {
                Ok(self.judged(category, pair.observed, Some(known.path.clone()), strength))
            }
            End::Open(strength) => Err(Unjudged {
                path: observed.path.clone(),
                known_path: known.path.clone(),
                unsupported: false,
                strength: Some(strength),
            }),
        }
    }

    /// A verdict on what is at a place.
    fn judged(
        &self,
        category: Category,
        observed: usize,
        known_path: Option<Box<[u8]>>,
        strength: Option<Strength>,
    ) -> Verdict {
        let status = match self.observed.status(observed) {
            Status::Hashed if category == Category::Unreadable => Status::Unreadable,
            status => status,
        };
        let path = self.observed.items[observed].path.clone();
        Verdict { category, path, known_path, piece: None, status: Some(status), strength }
    }

    /// What is missing; what lies below a place that could not be listed may be there, and what was left out is not
    /// looked for.
    fn missing(&self, place: usize) -> Option<Verdict> {
        let path = &self.known.items[place].path;
        let below = |root: &[u8]| {
            root.is_empty()
                || path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        let failed = !self.observed.failed.is_empty();
        let category = match self.observed.apart.iter().any(|root| below(root)) {
            true if failed => Category::Unreadable,
            true => return None,
            false => Category::Missing,
        };
        let (known_path, piece) = (Some(path.clone()), None);
        Some(Verdict { category, path: path.clone(), known_path, piece, status: None, strength: None })
    }
}

fn digest(digests: &[Named], algorithm: &Algorithm) -> Option<Digest> {
    digests.iter().find(|named| named.algorithm == algorithm).map(|named| named.digest)
}

/// The places of equal paths; both sides are in order.
fn join(known: &[Item], observed: &[Item]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut places = known.iter().enumerate().peekable();
    for (observed, item) in observed.iter().enumerate() {
        while places.next_if(|(_, other)| other.path < item.path).is_some() {}
        if let Some((known, other)) = places.peek()
            && other.path == item.path
        {
            pairs.push(Pair { known: *known, observed, end: None });
        }
    }
    pairs
}

/// Asks a store, many questions at a time. An object that is not there any more, or can't be asked for, is unreadable.
fn ask(
    side: &mut Side,
    questions: BTreeMap<usize, Vec<Question>>,
    summary: &mut Summary,
    observer: &mut Observer<'_>,
) -> Result<(), Error> {
    let Some(store) = side.store.clone() else { return Ok(()) };
    for (place, question, answer) in answers(&store, side, questions) {
        let Some(evidence) = side.evidence_mut(place) else { continue };
        let Err(error) = evidence.answer(question, answer) else { continue };
        if !matches!(error.cause, Cause::NotFound | Cause::Timeout | Cause::Failing(_)) {
            return Err(error.into());
        }
        summary.failed += 1;
        let _ = observer(Event::Refused(&error));
        side.items[place].of = Of::Unread(Status::Unreadable);
    }
    Ok(())
}

type Answer = (usize, Question, Result<hashloom_store::Response, hashloom_store::Error>);

fn answers(store: &Store, side: &Side, questions: BTreeMap<usize, Vec<Question>>) -> Vec<Answer> {
    let request = |(place, question): (usize, Question)| -> Option<((usize, Question), Request)> {
        let item = &side.items[place];
        let Of::Object(object) = &item.of else { return None };
        Some(((place, question), question.request(&side.key(item, object))))
    };
    let each = |(place, questions): (usize, Vec<Question>)| {
        questions.into_iter().map(move |question| (place, question))
    };
    let requests: Vec<_> = questions.into_iter().flat_map(each).filter_map(request).collect();
    let answers = store.send_all(requests.into_iter());
    answers.map(|((place, question), answer)| (place, question, answer)).collect()
}
