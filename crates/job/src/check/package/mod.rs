//! Packages that state the digests of what is in them: each claim is checked in one pass over the package, without
//! unpacking it.

mod claims;
mod container;
mod debian;
mod rpm;
mod small;
mod wheel;

use super::{Check, CheckEvent, CheckSummary, ClaimVerdict, sides};
use crate::error::Error;
use crate::misfit::Misfit;
use crate::notice::Notice;
use claims::Claims;
use hashmill_content::archives::{members_of, plain, unpacked};
pub use hashmill_content::operands::archive_operand::is_archive as is_package;
use hashmill_content::selection::Bytes;
use hashmill_content::wanted::cached;
use hashmill_engine::flow::Flow;
use hashmill_engine::{self as engine, EntryResult, Plan, Trouble};
use hashmill_lists::distinct::distinct;
use hashmill_manifest::Record;
use hashmill_source::{Entry, WalkItem};
use parking_lot::Mutex;
use small::SmallMembers;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A kind of package that states digests of what is in it.
struct PackageKind {
    /// How deep archives in it are read.
    nesting: u32,
    /// Returns whether it must state something of a member with this path.
    is_due: fn(&[u8]) -> bool,
    /// Returns what it states; nothing if it is not of this kind.
    claims: fn(&[u8], &SmallMembers, usize) -> Claims,
}

/// All kinds.
const KINDS: &[PackageKind] = &[
    PackageKind { nesting: 1, is_due: |_| true, claims: rpm::claims },
    PackageKind { nesting: 1, is_due: wheel::is_due, claims: wheel::claims },
    PackageKind { nesting: 2, is_due: debian::is_due, claims: debian::claims },
    PackageKind { nesting: 1, is_due: container::is_due, claims: container::claims },
];

/// An archive is no package.
const NO_CLAIMS: &str =
    "states no digests of what is in it: it is no wheel, deb, rpm or image of a container";

impl Check {
    /// Checks what a package states of its members and of itself.
    ///
    /// # Errors
    /// If it states nothing that can be checked.
    pub fn package(
        &mut self,
        path: &[u8],
        observer: &mut dyn FnMut(CheckEvent<'_>) -> Flow,
    ) -> Result<CheckSummary, Error> {
        if observer(CheckEvent::Long).is_break() {
            return Ok(CheckSummary::interrupted());
        }
        let resources = &self.job.resources;
        let memory = resources.memory;
        let small = SmallMembers::read(path, members_of(path, resources, 2));
        let stated = KINDS.iter().map(|kind| (kind, (kind.claims)(path, &small, memory)));
        let Some((kind, claims)) = stated.into_iter().find(|(_, claims)| !claims.records.is_empty()) else {
            return Err(Misfit::of_place(path, NO_CLAIMS).into());
        };
        let Claims { records, extras, unpacked, exempt, doubts, strays } = claims;
        for path in &strays {
            let _ = observer(CheckEvent::Notice(Notice::Stray { path }));
        }
        let root = [path, b"!/".as_slice()].concat();
        let (paths, unclaimed) = (records.iter().map(|claim| claim.path.clone()).collect(), Arc::default());
        let (is_due, added) = (kind.is_due, Arc::clone(&unclaimed));
        let claimed = Claimed { root, paths, unpacked, is_due, unclaimed: added, exempt, memory };
        let (file, means) = (path.to_vec(), resources.clone());
        let parts = extras.into_iter().filter_map(move |extra| extra.entry(&file, &means));
        let members = members_of(path, resources, kind.nesting).flat_map(move |item| claimed.items(item));
        let parts = self.read_parts(&records, parts.chain(doubts).chain(members), observer);
        let summary = self.judge_parts(&records, &parts, observer);
        // A list may name a part of the files in a folder; a package brings nothing that it does not state.
        self.unclaimed.append(&mut unclaimed.lock());
        Ok(summary)
    }

    /// Hashes the parts that claims are about, and reports how each went.
    fn read_parts(
        &mut self,
        claims: &[Record],
        entries: impl Iterator<Item = WalkItem> + Send + 'static,
        observer: &mut dyn FnMut(CheckEvent<'_>) -> Flow,
    ) -> Parts {
        let mut wanted: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (number, claim) in claims.iter().enumerate() {
            wanted.entry(&claim.path).or_default().push(number);
        }
        // The rest is for what is inside of it.
        let rest = self.plan.memory - cached(self.plan.memory);
        let memory = rest.max(Plan::least_memory(self.plan.threads.get()));
        let algorithms =
            distinct(claims.iter().flat_map(|record| &record.digests).map(|named| named.algorithm));
        let plan = Plan { algorithms, memory, ..self.plan.clone() };
        let results = claims.iter().map(|_| None).collect();
        let mut parts = Parts { results, is_one_lost: false, is_ended: false };
        let mut flow = ControlFlow::Continue(());
        let stats = engine::run(&plan, entries, &self.live, &mut |event| {
            let engine::EngineEvent::Done(outcome) = event else { return flow };
            let claimed = wanted.get(&*outcome.record.path);
            if let Some(Trouble::Failed(error)) = &outcome.trouble {
                parts.is_one_lost |= claimed.is_none();
                flow = observer(CheckEvent::Failed(error));
            }
            for number in claimed.into_iter().flatten() {
                let (claim, known) = (&claims[*number], &mut parts.results[*number]);
                // Of several members with one path, whoever unpacks them keeps the last: all of them must be right.
                if known.as_ref().is_none_or(|known| verdict(claim, known) == ClaimVerdict::Right) {
                    *known = Some(copy(&outcome));
                }
                if flow.is_continue() {
                    flow = observer(CheckEvent::Known(verdict(claim, &outcome)));
                }
            }
            flow
        });
        self.stats.elapsed += stats.elapsed;
        self.stats.add(&stats);
        parts.is_ended = self.plan.cancel.is_set() || flow.is_break();
        parts
    }

    /// Judges each claim by the part that it is about.
    fn judge_parts(
        &self,
        claims: &[Record],
        parts: &Parts,
        observer: &mut dyn FnMut(CheckEvent<'_>) -> Flow,
    ) -> CheckSummary {
        let mut summary = CheckSummary::default();
        (summary.interrupted, summary.torn) = (parts.is_ended, parts.is_one_lost);
        for (claim, result) in claims.iter().zip(&parts.results).take_while(|_| !self.plan.cancel.is_set()) {
            let verdict = match result {
                Some(result) => verdict(claim, result),
                // A part of the package could not be read: it may have been there.
                None if parts.is_one_lost => ClaimVerdict::Unreadable,
                None => ClaimVerdict::Missing,
            };
            summary.count(claim, verdict);
            let differs = self.job.sides && verdict != ClaimVerdict::Right;
            let sides = differs.then(|| sides(claim, result.as_ref().map(|result| &result.record), verdict));
            if observer(CheckEvent::Verdict(claim, verdict, sides.as_ref())).is_break() {
                summary.interrupted = true;
                break;
            }
        }
        summary
    }
}

/// The parts of a package that claims are about, read.
struct Parts {
    /// The result for each claim; `None` if no part has its path.
    results: Vec<Option<EntryResult>>,
    /// Whether something could not be read that may have been any of them.
    is_one_lost: bool,
    /// Whether the reading was cancelled, or the observer wants no more.
    is_ended: bool,
}

/// The members that claims are about.
struct Claimed {
    /// The start of all members' paths.
    root: Vec<u8>,
    paths: HashSet<Bytes>,
    /// Those whose decompressed content has a claim of its own, with its path.
    unpacked: HashMap<Bytes, Bytes>,
    is_due: fn(&[u8]) -> bool,
    /// Members without a claim that should have one.
    unclaimed: Arc<Mutex<Vec<Bytes>>>,
    exempt: HashSet<Bytes>,
    memory: usize,
}

impl Claimed {
    /// Returns the path of a member as claims have it.
    fn plain(&self, path: Bytes) -> Bytes {
        match path.strip_prefix(&*self.root) {
            Some(below) => [&*self.root, &*plain(below)].concat().into(),
            None => path,
        }
    }

    /// Returns the items to read for an item of the package.
    fn items(&self, item: WalkItem) -> Vec<WalkItem> {
        let entry = match item {
            WalkItem::File(entry) => Entry { path: self.plain(entry.path), ..entry },
            failed @ WalkItem::Failed(_) => return vec![failed],
            WalkItem::Skipped { .. } => return Vec::new(),
        };
        let is_wanted = self.paths.contains(&entry.path);
        let needs_none = self.unpacked.contains_key(&entry.path) || self.exempt.contains(&entry.path);
        if !is_wanted && !needs_none && entry.path.strip_prefix(&*self.root).is_some_and(self.is_due) {
            self.unclaimed.lock().push(entry.path.clone());
        }
        let Some(name) = self.unpacked.get(&entry.path) else {
            return is_wanted.then_some(WalkItem::File(entry)).into_iter().collect();
        };
        let (packed, plain) = unpacked(entry, name.clone(), self.memory);
        // A layer that is not compressed is its own content.
        let plain = plain.or_else(|| match &packed {
            WalkItem::File(entry) => Some(WalkItem::File(Entry { path: name.clone(), ..entry.clone() })),
            _ => None,
        });
        Some(packed).filter(|_| is_wanted).into_iter().chain(plain).collect()
    }
}

fn verdict(claim: &Record, outcome: &EntryResult) -> ClaimVerdict {
    if outcome.trouble.is_some() {
        return ClaimVerdict::Unreadable;
    }
    if claim.digests.is_empty() {
        return ClaimVerdict::Unsupported;
    }
    let there = |named: &hashmill_manifest::Named| {
        let mut computed = outcome.record.digests.iter();
        computed.any(|other| other.algorithm.name == named.algorithm.name && other.digest == named.digest)
    };
    let is_right =
        claim.digests.iter().all(there) && claim.size.is_none_or(|size| outcome.record.size == Some(size));
    if is_right { ClaimVerdict::Right } else { ClaimVerdict::Wrong }
}

/// Returns what verdicts need of an outcome.
fn copy(outcome: &EntryResult) -> EntryResult {
    let trouble = outcome.trouble.is_some().then_some(Trouble::Skipped(hashmill_source::Skip::Part));
    EntryResult { record: outcome.record.clone(), meta: None, opened: None, is_fresh: false, trouble }
}
