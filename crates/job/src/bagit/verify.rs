//! Verification of bags.

use super::event::{BagEvent, BagObserver};
use super::members::{Meeting, Members};
use super::place::BagPlace;
use crate::account::{Account, Item, Outcome};
use crate::error::BagError;
use crate::error::Error;
use crate::notice::Notice;
use hashmill_bag::{
    Bag, Finding, FindingKind, Judge, Judged, Level, PayloadFolder, Profile, Seen, Severity, Version,
};
use hashmill_content::File as Tried;
use hashmill_content::resources::Resources;
use hashmill_content::selection::counting::count_folder;
use hashmill_engine::{self as engine, Cancel, EntryResult, Live, Plan, Stats, Trouble};
use hashmill_os::names::{self, path_bytes};
use hashmill_os::open_to_read;
use hashmill_source::{self as source, Filter, Skip, WalkItem, WalkOptions};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The settings of a verification.
#[derive(Debug, Clone)]
pub struct BagVerification {
    /// The bag: a folder, an archive of one, or a location in a store.
    pub bag: PathBuf,
    /// The level of the verification.
    pub level: Level,
    /// Whether checksums alone are enough, which anybody can forge.
    pub allows_weak: bool,
    /// A BagIt profile that the bag must have, too.
    pub profile: Option<PathBuf>,
    /// Threads, memory and devices to use.
    pub resources: Resources,
    /// Ends the work soon after it is set.
    pub cancel: Cancel,
}

/// The result of a verification.
#[derive(Debug)]
pub struct Verified {
    /// The level of the verification.
    pub level: Level,
    /// The version of BagIt that the bag declares.
    pub version: Version,
    /// The algorithms of its manifests.
    pub algorithms: Vec<&'static str>,
    /// All findings.
    pub judged: Judged,
    /// The work done and the time it took, if files were read.
    pub stats: Option<Stats>,
}

impl Verified {
    /// Returns the verdict in words.
    pub fn verdict(&self) -> &'static str {
        match (self.judged.worst(), self.level) {
            (Some(Severity::Bad), _) => "not valid",
            (Some(Severity::Unread), _) => "not verified",
            (_, Level::Valid) => "valid",
            (_, Level::Complete) => "complete",
            (_, Level::Oxum) => "as many bytes and files as it says",
        }
    }

    /// Returns the account: of each file of the payload, and of what else was found.
    pub fn account(&self) -> Account {
        let mut worst: BTreeMap<&str, Severity> = BTreeMap::new();
        let mut account = Account::default();
        for finding in self.judged.findings.iter().filter(|finding| finding.kind.severity() > Severity::Note)
        {
            let is_there = !matches!(finding.kind, FindingKind::Missing | FindingKind::ToBeFetched);
            if is_there && finding.path.starts_with("data/") {
                let severity = worst.entry(&finding.path).or_insert(Severity::Note);
                *severity = finding.kind.severity().max(*severity);
            } else {
                account.count(Item::Record, outcome(finding.kind.severity()), 1);
            }
        }
        account.count(Item::Entry, Outcome::Done, self.judged.payload.streams);
        worst.into_values().for_each(|severity| account.turn(Item::Entry, outcome(severity), 1));
        account
    }

    /// Returns the result in machine-readable form.
    pub fn to_json(&self) -> Value {
        let Verified { level, version, algorithms, judged, .. } = self;
        let finding = |finding: &Finding| {
            json!({
                "kind": finding.kind.word(),
                "severity": finding.kind.severity().word(),
                "path": finding.path,
                "detail": finding.detail,
            })
        };
        json!({
            "version": version.to_string(),
            "level": level.word(),
            "verdict": self.verdict(),
            "good": judged.is_good(),
            "algorithms": algorithms,
            "payload": { "octets": judged.payload.octets, "streams": judged.payload.streams },
            "findings": judged.findings.iter().map(finding).collect::<Vec<_>>(),
            "account": self.account().to_json(),
        })
    }
}

impl BagVerification {
    /// Verifies the bag. Returns `None` if it was cancelled.
    ///
    /// # Errors
    /// If it is not a bag.
    pub fn run(&self, observer: &mut BagObserver<'_>) -> Result<Option<Verified>, Error> {
        let plan = self.resources.plan(Vec::new())?;
        self.resources.give_way()?;
        let profile = self.profile.as_deref().map(read_profile).transpose()?;
        let place = BagPlace::open(&self.bag, &self.resources, &self.cancel)?;
        let folder = match &place {
            BagPlace::Archive(bag) => bag.folder(),
            _ => self.bag.clone(),
        };
        let bag = open(&folder, &place, self.resources.memory, observer)?;
        let plan = Plan { algorithms: bag.algorithms(), cancel: self.cancel.clone(), ..plan };
        let version = bag.declaration.version;
        let algorithms = plan.algorithms.iter().map(|algorithm| algorithm.name).collect();
        let failed = Error::at(&self.bag, Tried::List);
        let has_payload = place.has_payload().map_err(failed)?;
        let mut judge = Judge::new(bag, self.level).allowing_weak(self.allows_weak);
        if let Some(profile) = profile {
            let is_archive = matches!(place, BagPlace::Archive(_));
            let types = is_archive.then(|| media_types(&self.bag)).transpose();
            judge = judge.with_profile(profile, types.map_err(Error::at(&self.bag, Tried::Read))?);
        }
        let mut judging = Judging::new(&place, judge);
        let mut stats = None;
        if self.level == Level::Valid && !plan.algorithms.is_empty() {
            let live = Arc::new(Live::default());
            if self.resources.counts && !matches!(place, BagPlace::Archive(_)) {
                count_folder(&live, &names::path_bytes(&self.bag), &self.resources.stores);
            }
            stats = Some(judging.read(&plan, &live, observer));
        } else {
            judging.look(&plan, observer);
        }
        if plan.cancel.is_set() {
            return Ok(None);
        }
        Ok(Some(Verified {
            level: self.level,
            version,
            algorithms,
            judged: judging.finish(has_payload),
            stats,
        }))
    }
}

/// Returns the outcome of what has findings of this severity.
fn outcome(severity: Severity) -> Outcome {
    if severity == Severity::Unread { Outcome::Failed } else { Outcome::Differs }
}

/// Reads a profile.
fn read_profile(path: &Path) -> Result<Profile, Error> {
    const MOST: u64 = 16 << 20;
    let file = open_to_read(path).map_err(Error::at(path, Tried::Open))?;
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes).map_err(Error::at(path, Tried::Read))?;
    if bytes.len() as u64 == MOST {
        return Err(Error::of_place(
            path_bytes(path),
            format!("is no BagIt profile: it is {MOST} bytes or longer"),
        ));
    }
    Profile::parse(&bytes).map_err(|why| Error::of_place(path_bytes(path), why))
}

/// Returns the media types of an archive, by its first bytes.
fn media_types(archive: &Path) -> io::Result<&'static [&'static str]> {
    let mut first = Vec::new();
    File::open(archive)?.take(512).read_to_end(&mut first)?;
    let has = |magic: &[u8]| first.starts_with(magic);
    Ok(match () {
        () if has(b"PK") => &["application/zip", "application/x-zip-compressed"],
        () if has(b"7z\xbc\xaf\x27\x1c") => &["application/x-7z-compressed"],
        () if has(b"\x1f\x8b") => {
            &["application/gzip", "application/x-gzip", "application/x-gtar", "application/tar+gzip"]
        }
        () if has(b"BZh") => &["application/x-bzip2", "application/bzip2"],
        () if has(b"\xfd7zXZ") => &["application/x-xz"],
        () if has(b"\x28\xb5\x2f\xfd") => &["application/zstd"],
        () if first.get(257..262) == Some(b"ustar") => &["application/tar", "application/x-tar"],
        () => &[],
    })
}

/// Reads the declaration and all other tag files, whose text may take so much memory.
pub(super) fn open(
    path: &Path,
    place: &BagPlace,
    memory: usize,
    observer: &mut BagObserver<'_>,
) -> Result<Bag, Error> {
    const DECLARED: &str = "bagit.txt";
    let failed = |path: &Path, tried| Error::at(path, tried);
    if !place.is_there().map_err(failed(path, Tried::List))? {
        return Err(BagError::NoBag(path.to_path_buf()).into());
    }
    let names = place.names().map_err(failed(path, Tried::List))?;
    if !names.iter().any(|name| name == DECLARED) {
        return Err(Error::of_place(path_bytes(path), "has no bagit.txt, so it is not a bag"));
    }
    let declared = path.join(DECLARED);
    let bytes = place.read(DECLARED, memory).map_err(failed(&declared, Tried::Read))?;
    let mut bag = Bag::parse(&bytes).map_err(|why| Error::of_place(path_bytes(&declared), why))?;
    let mut left = memory;
    for name in names.iter().filter(|name| bag.is_tag_file(name)).collect::<Vec<_>>() {
        match place.read(name, left) {
            Ok(bytes) => {
                left -= bytes.len();
                bag.add_tag_file(name, &bytes);
            }
            Err(error) => {
                observer(BagEvent::UnreadableTags(&path.join(name), &error));
                bag.add_unreadable(name, error.to_string());
            }
        }
    }
    Ok(bag)
}

/// A judge of what is met at the place of a bag.
struct Judging<'a> {
    place: &'a BagPlace,
    judge: Judge,
    /// The members that were met, if the place is an archive.
    members: Option<Members>,
}

impl<'a> Judging<'a> {
    fn new(place: &'a BagPlace, judge: Judge) -> Judging<'a> {
        let members = match place {
            BagPlace::Archive(bag) => Some(Members::new(bag)),
            _ => None,
        };
        Judging { place, judge, members }
    }

    /// Hashes all files of the bag by the algorithms of all manifests, in one read.
    fn read(&mut self, plan: &Plan, live: &Arc<Live>, observer: &mut BagObserver<'_>) -> Stats {
        observer(BagEvent::Reading(live));
        let entries = self.place.entries(WalkOptions::default());
        let stats = hashmill_engine::run(plan, entries, live, &mut |event| {
            if let engine::EngineEvent::Done(outcome) = event {
                self.take(&outcome, observer);
            }
            ControlFlow::Continue(())
        });
        observer(BagEvent::AllRead);
        let notes = plan.reading.notes.take();
        notes.iter().for_each(|note| observer(BagEvent::Notice(Notice::PageCache(note))));
        stats
    }

    fn take(&mut self, outcome: &EntryResult, observer: &mut BagObserver<'_>) {
        let record = &outcome.record;
        match &outcome.trouble {
            Some(Trouble::Failed(error)) => self.fail(error, observer),
            Some(Trouble::Skipped(why)) => self.skip(&record.path, *why),
            None => {
                let digests = record.digests.iter().map(|named| (named.algorithm, named.digest)).collect();
                self.file(&record.path, &Seen { size: record.size, digests });
            }
        }
    }

    /// Judges the files by their names and sizes only.
    fn look(&mut self, plan: &Plan, observer: &mut BagObserver<'_>) {
        // A minimum of 0 makes the walk look up sizes.
        let filter = Filter::builder().min_size(0).build().unwrap_or_default();
        let options = WalkOptions { filter, ..WalkOptions::default() };
        for found in self.place.entries(options) {
            if plan.cancel.is_set() {
                return;
            }
            match found {
                WalkItem::File(entry) => {
                    self.file(&entry.path, &Seen { size: entry.size, digests: Vec::new() });
                }
                WalkItem::Skipped { path, why } => self.skip(&path, why),
                WalkItem::Failed(error) => self.fail(&error, observer),
            }
        }
    }

    fn file(&mut self, path: &[u8], seen: &Seen) {
        let Some(members) = &mut self.members else { return self.judge.file(self.place.below(path), seen) };
        match members.meet_file(path, seen, &mut self.judge) {
            Meeting::First(path) => self.judge.file(&path, seen),
            Meeting::Otherwise(path) => self.judge.file_again(&path, seen),
            Meeting::Judged => {}
        }
    }

    fn skip(&mut self, path: &[u8], why: Skip) {
        let met;
        let path = match &mut self.members {
            None => self.place.below(path),
            Some(members) => {
                let Meeting::First(path) = members.meet_other(path, why, &mut self.judge) else { return };
                met = path;
                &met
            }
        };
        // An object that stands for a folder in a store is not a file.
        if why == Skip::EmptyFolder {
            return;
        }
        let kind =
            if matches!(why, Skip::Link | Skip::Loop) { FindingKind::Link } else { FindingKind::Special };
        self.judge.other(path, kind, why.reason());
    }

    fn fail(&mut self, error: &source::Error, observer: &mut BagObserver<'_>) {
        let met;
        let path = match &mut self.members {
            None => self.place.below(&error.path),
            Some(members) => {
                let Some(path) = members.meet_failed(&error.path, &mut self.judge) else { return };
                met = path;
                &met
            }
        };
        observer(BagEvent::Failed(error));
        self.judge.unreadable(path, error.problem.to_string());
    }

    fn finish(mut self, has_payload: bool) -> Judged {
        if let Some(members) = self.members {
            members.finish(&mut self.judge);
        }
        self.judge.finish(if has_payload { PayloadFolder::Present } else { PayloadFolder::Absent })
    }
}
