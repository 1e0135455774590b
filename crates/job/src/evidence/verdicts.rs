//! The verdicts of a comparison, path by path.

use super::event::{EvidenceEvent, EvidenceObserver};
use super::items::ItemKind;
use super::pair::{End, Pair};
use super::side::Side;
use crate::audit::{AuditSummary, Tally};
use hashmill_content::wanted::Inside;
use hashmill_content::within::{may_be_of_image, of_either_reading, other_reading};
use hashmill_manifest::Status;
use hashmill_manifest::audit::{Category, Incomparable, Sides, Unjudged, Verdict};
use hashmill_manifest::stored::Strength;
use std::collections::{BTreeSet, HashMap};
use std::mem;
use std::ops::ControlFlow;

/// The results of all pairs.
pub(super) struct PairVerdicts {
    pub known: Side,
    pub observed: Side,
    /// Pairs of equal paths, in their order.
    pub same: Vec<Pair>,
    /// Known paths that are missing.
    pub gone: Vec<u32>,
    /// New paths.
    pub new: Vec<u32>,
    /// New paths with the known paths of the same content.
    pub alike: HashMap<u32, Vec<u32>>,
    /// Whether verdicts include the content of both sides.
    pub sides: bool,
}

impl PairVerdicts {
    /// Reports all verdicts and adds them to the summary: equal and new paths in their order, then missing ones.
    pub fn tell(mut self, summary: AuditSummary, observer: &mut EvidenceObserver<'_>) -> AuditSummary {
        let mut tally = Tally::default();
        let mut gone: BTreeSet<u32> = mem::take(&mut self.gone).into_iter().collect();
        let mut tell = |verdict: Result<Verdict, Unjudged>| match &verdict {
            Ok(verdict) => {
                tally.count(verdict);
                observer(EvidenceEvent::Verdict(verdict))
            }
            Err(unjudged) => {
                tally.unjudged(unjudged);
                observer(EvidenceEvent::Unjudged(unjudged))
            }
        };
        let (mut same, mut new) = (self.same.iter().peekable(), self.new.iter().copied().peekable());
        let mut each = || loop {
            // Places are in the order of paths.
            let verdict = match (same.peek(), new.peek()) {
                (Some(pair), place) if place.is_none_or(|place| pair.observed < *place) => {
                    let verdict = self.verdict(pair);
                    same.next();
                    verdict
                }
                (_, Some(place)) => {
                    let known = self.alike.get(place).map_or(&[][..], Vec::as_slice);
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
        let summary = AuditSummary { counted: tally.counted, ..summary };
        if flow.is_break() {
            return AuditSummary { interrupted: true, ..summary };
        }
        let _ = observer(EvidenceEvent::AllJudged(&summary));
        summary
    }

    /// Returns the verdict on a path that the known side lacks; `known` are its files with the same content.
    fn new_path(&self, place: u32, known: &[u32], gone: &mut BTreeSet<u32>) -> Verdict {
        let free = known.iter().copied().find(|known| gone.remove(known));
        let category = match (free, known.first()) {
            (Some(_), _) => Category::Moved,
            (None, Some(_)) => Category::Copied,
            (None, None) => Category::New,
        };
        let from = free.or(known.first().copied());
        self.judged(category, place, from, None)
    }

    fn verdict(&self, pair: &Pair) -> Result<Verdict, Unjudged> {
        let unjudged = |why| Unjudged {
            path: self.observed.items.path(pair.observed()).into(),
            known_path: self.known.items.path(pair.known()).into(),
            why,
            sides: self.sides(Some(pair.known), Some(pair.observed)),
        };
        match pair.end.unwrap_or(End::Open(Strength::None)) {
            End::Is(Category::Changed, _) if let Some(why) = self.other_reading(pair) => Err(unjudged(why)),
            End::Is(category, strength) => {
                Ok(self.judged(category, pair.observed, Some(pair.known), strength))
            }
            End::Open(strength) => Err(unjudged(Incomparable::Unproven(strength))),
        }
    }

    /// Returns why a record can't be compared with what seems changed: that may be an image, and the record of its medium.
    fn other_reading(&self, pair: &Pair) -> Option<Incomparable> {
        let (known, observed) = (pair.known(), pair.observed());
        let sizes = [self.known.items.size(known), self.observed.items.size(observed)];
        let (recorded, place) = match (self.known.items.kind(known), self.observed.items.kind(observed)) {
            (ItemKind::Known, _) => (sizes[0], self.observed.place_of(observed)),
            (_, ItemKind::Known) => (sizes[1], self.known.place_of(known)),
            _ => return None,
        };
        let (path, stores) = place.filter(|_| may_be_of_image(sizes[0], sizes[1]))?;
        match recorded {
            Some(_) => other_reading(&path, recorded, &Inside::default(), &stores),
            None => of_either_reading(&path, &stores),
        }
    }

    /// Returns the verdict on an observed item.
    fn judged(
        &self,
        category: Category,
        observed: u32,
        known: Option<u32>,
        strength: Option<Strength>,
    ) -> Verdict {
        let status = match self.observed.status(observed as usize) {
            Status::Hashed if category == Category::Unreadable => Status::Unreadable,
            status => status,
        };
        let path = self.observed.items.path(observed as usize).into();
        let known_path = known.map(|place| self.known.items.path(place as usize).into());
        let is_told = category != Category::Matched;
        let sides = if is_told { self.sides(known, Some(observed)) } else { None };
        Verdict { category, path, known_path, piece: None, status: Some(status), strength, sides }
    }

    /// Returns the content of both sides, if it was requested.
    fn sides(&self, known: Option<u32>, observed: Option<u32>) -> Option<Box<Sides>> {
        let expected = || known.map(|place| self.known.shown(place as usize));
        let actual = || observed.map(|place| self.observed.shown(place as usize));
        self.sides.then(|| Box::new(Sides { expected: expected(), actual: actual(), reason: None }))
    }

    /// Returns the verdict on a missing path. If it is below a place that could not be listed, it may exist; if it is
    /// below a path that was left out, there is no verdict.
    fn missing(&self, place: u32) -> Option<Verdict> {
        let path = self.known.items.path(place as usize);
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
        let (known_path, piece) = (Some(path.into()), None);
        let sides = self.sides(Some(place), None);
        Some(Verdict { category, path: path.into(), known_path, piece, status: None, strength: None, sides })
    }
}
