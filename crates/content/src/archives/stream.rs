//! Archives whose members come one after the other: a thread decodes them.

use super::archive_file::ArchiveFile;
use super::budget::Budget;
use super::expansion::{Bomb, Expansion};
use super::held::{Copied, MemberInMemory};
use super::items::{self, MemberPart, Own, fact, failure, file, part_of};
use super::links::Links;
use super::overlaps::Overlaps;
use super::pipe::{PART, pipe};
use super::spooled::{Spooled, copy_at};
use crate::archive_folder::LinkTexts;
use crate::entry::portions::{ListedItem, Portions, failed};
use hashmill_archive::{DecodingPlace, Member, MemberKind, Members, Problem};
use hashmill_source::{InsideFailure, WalkItem};
use std::sync::Arc;

/// The size up to which a member waits in memory. A longer one is handed on while it is decoded.
const SHORT: usize = 1 << 20;

/// The number of members that are passed on together.
const PORTION: usize = 256;

/// The bytes that decoders take from an archive before they need them.
const AHEAD: u64 = 256 << 10;

/// The number of members from which on hashing the archive does not wait for its decoder any more: a run keeps no more
/// than a number of results back until that of the archive is known.
const PACED: u64 = 32 << 10;

/// A function that begins to decode an archive again.
pub(super) type Reopen = Box<dyn FnMut() -> Result<Box<dyn Members>, Problem> + Send>;

/// An archive that is decoded from its start.
pub(super) struct StreamedArchive {
    pub(super) file: Arc<ArchiveFile>,
    pub(super) container: &'static str,
    /// The bytes of the archive that decoders have taken.
    pub(super) taken: Arc<DecodingPlace>,
}

/// The bounds of a listing.
pub(super) struct ListingBounds {
    pub(super) expansion: Arc<Expansion>,
    /// The bytes of members that may wait in memory.
    pub(super) memory: usize,
}

/// A listing of an archive without a directory.
pub(super) struct StreamListing {
    archive: Arc<ArchiveFile>,
    container: &'static str,
    /// The bytes of the archive that decoders have taken.
    taken: Arc<DecodingPlace>,
    expansion: Arc<Expansion>,
    texts: Option<LinkTexts>,
    budget: Arc<Budget>,
    short: usize,
    sender: Portions,
    portion: Vec<ListedItem>,
    last: Option<MemberInMemory>,
    links: Links,
    overlaps: Option<Overlaps>,
    /// The place of the member that is passed on, from 1.
    place: u64,
}

/// The reason why nothing more is listed: nobody wants more, or it was told.
struct Over;

impl StreamListing {
    /// Creates the listing of an archive, with the texts of links or a comparison of paths, as far as these are wanted.
    pub(super) fn new(
        archive: StreamedArchive,
        bounds: ListingBounds,
        texts: Option<LinkTexts>,
        overlaps: Option<Overlaps>,
        sender: Portions,
    ) -> StreamListing {
        let memory = bounds.memory.max(4 * PART);
        StreamListing {
            archive: archive.file,
            container: archive.container,
            taken: archive.taken,
            expansion: bounds.expansion,
            texts,
            budget: Budget::new(memory),
            short: SHORT.min(memory / 4),
            sender,
            portion: Vec::new(),
            last: None,
            links: Links::default(),
            overlaps,
            place: 0,
        }
    }

    /// Lists everything, until nobody wants more.
    pub(super) fn run(mut self, mut reopen: Reopen) {
        let _ = self.all(&mut reopen).and_then(|()| self.send());
    }

    fn all(&mut self, reopen: &mut Reopen) -> Result<(), Over> {
        let mut members = match reopen() {
            Ok(members) => members,
            Err(problem) => return self.end(&problem),
        };
        loop {
            match members.next() {
                Ok(Some(member)) => self.member(member, &mut *members)?,
                Ok(None) => break,
                Err(problem) => {
                    self.end(&problem)?;
                    break;
                }
            }
        }
        drop(members);
        if self.links.again() {
            self.find_targets(reopen);
        }
        if self.links.has_found() {
            self.linked(reopen)?;
        }
        self.links.take_lost().into_iter().try_for_each(|(target, link)| {
            let target = String::from_utf8_lossy(&target);
            let why = format!("{target}, of which it is another name, is not before it in the archive");
            let path = items::path(&self.archive.root, &link);
            self.push(ListedItem { item: failed(&path, "damaged", why), fact: None })
        })
    }

    /// Tells why the rest of the archive can't be read.
    fn end(&mut self, problem: &Problem) -> Result<(), Over> {
        let item = failure(&self.archive.root, problem);
        self.push(ListedItem { item, fact: None })
    }

    fn member(&mut self, member: Member, members: &mut dyn Members) -> Result<(), Over> {
        self.count(|expansion| expansion.member())?;
        self.place += 1;
        if self.place == PACED {
            self.archive.shared().into_iter().for_each(|shared| shared.end_pace());
        }
        if is_target(&member) {
            self.links.member(self.place, &member.path);
        }
        if let Some(item) = items::overlap(&mut self.overlaps, &member, &self.archive.root) {
            self.push(ListedItem { item, fact: None })?;
        }
        let path = items::path(&self.archive.root, &member.path);
        match part_of(&member, &path, &self.texts) {
            MemberPart::Nothing => return Ok(()),
            MemberPart::Item(item) => return self.push(ListedItem { item, fact: None }),
            MemberPart::Content => {}
        }
        if member.is_stored() {
            return self.deliver(&[path], &member, members);
        }
        let MemberKind::HardLink(target) = member.kind else { return Ok(()) };
        if self.links.link(target, member.path) {
            return Ok(());
        }
        let item = failure(&path, &Problem::TooMany("hard links"));
        self.push(ListedItem { item, fact: None })
    }

    /// Goes through the archive for the places of the members that links are other names of.
    fn find_targets(&mut self, reopen: &mut Reopen) {
        let Ok(mut members) = reopen() else { return };
        let mut place = 0;
        while let Ok(Some(member)) = members.next() {
            place += 1;
            match member.kind {
                MemberKind::HardLink(ref target) if member.problem.is_none() && !member.is_stored() => {
                    self.links.link(target.clone(), member.path);
                }
                _ if is_target(&member) => self.links.member(place, &member.path),
                _ => {}
            }
        }
    }

    /// Goes through the archive once more for what hard links are other names of: files, but also symbolic links and the like.
    fn linked(&mut self, reopen: &mut Reopen) -> Result<(), Over> {
        let Ok(mut members) = reopen() else { return Ok(()) };
        let mut place = 0;
        while self.links.has_found()
            && let Ok(Some(member)) = members.next()
        {
            place += 1;
            self.place = place;
            let links = self.links.take(place);
            let paths: Vec<Box<[u8]>> =
                links.iter().map(|link| items::path(&self.archive.root, link)).collect();
            if paths.is_empty() {
                continue;
            }
            if member.is_stored() && member.problem.is_none() {
                self.deliver(&paths, &member, &mut *members)?;
                continue;
            }
            for path in &paths {
                if let MemberPart::Item(item) = part_of(&member, path, &self.texts) {
                    self.push(ListedItem { item, fact: None })?;
                }
            }
        }
        Ok(())
    }

    /// Passes a member on under its paths.
    fn deliver(
        &mut self,
        paths: &[Box<[u8]>],
        member: &Member,
        members: &mut dyn Members,
    ) -> Result<(), Over> {
        let from = self.taken.start();
        let start = match self.start(member, members) {
            Ok(start) => start,
            Err(problem) => {
                for path in paths {
                    self.push(ListedItem { item: failure(path, &problem), fact: None })?;
                }
                return Ok(());
            }
        };
        if start.len() <= self.short {
            let bytes = Arc::new(start);
            for path in paths {
                self.count(|expansion| expansion.bytes(bytes.len() as u64))?;
                self.hold(path.clone(), Arc::clone(&bytes), member)?;
            }
            return Ok(());
        }
        match paths {
            [path] => self.hand_on(path.clone(), start, member, from, members),
            paths => self.copies(paths, &start, member, members),
        }
    }

    /// Passes a long member on under several paths, from a copy.
    fn copies(
        &mut self,
        paths: &[Box<[u8]>],
        start: &[u8],
        member: &Member,
        members: &mut dyn Members,
    ) -> Result<(), Over> {
        let read = |at: u64, buffer: &mut [u8]| match copy_at(start, at, buffer) {
            0 => members.read(buffer).map_err(items::error),
            read => Ok(read),
        };
        let spooled = Spooled::copy(read).map_err(|(_, error)| error);
        let content = spooled.and_then(|spooled| {
            let meta = Own::of(member, self.place).meta(&self.archive, spooled.size())?;
            Ok(Copied { spooled, meta })
        });
        for path in paths {
            match &content {
                Ok(copied) => {
                    let size = copied.spooled.size();
                    self.count(|expansion| expansion.bytes(size))?;
                    let content = Arc::new(copied.clone());
                    self.push(file(path.clone(), Some(size), fact(member, self.container), content))?;
                }
                Err(error) => {
                    let item = failed(path, "error", error.to_string());
                    self.push(ListedItem { item, fact: None })?;
                }
            }
        }
        Ok(())
    }

    /// Reads a member up to just beyond the size of a short one.
    fn start(&self, member: &Member, members: &mut dyn Members) -> Result<Vec<u8>, Problem> {
        let most = self.short + 1;
        let size = member.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(PART);
        let mut bytes = vec![0; size.saturating_add(1).clamp(1, most)];
        let mut filled = 0;
        loop {
            if filled == bytes.len() {
                if filled == most {
                    return Ok(bytes);
                }
                bytes.resize(most.min(2 * filled), 0);
            }
            match members.read(&mut bytes[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        bytes.truncate(filled);
        // The size that it states may be too much.
        if bytes.capacity() > filled + 1 {
            bytes.shrink_to_fit();
        }
        Ok(bytes)
    }

    /// Passes a short member on.
    fn hold(&mut self, path: Box<[u8]>, bytes: Arc<Vec<u8>>, member: &Member) -> Result<(), Over> {
        let loan = match self.budget.try_borrow(bytes.len()) {
            Some(loan) => loan,
            None => {
                self.send()?;
                self.budget.borrow(bytes.len())
            }
        };
        let size = bytes.len() as u64;
        let held = MemberInMemory::new(Arc::clone(&self.archive), bytes, Own::of(member, self.place), loan);
        self.last = Some(held.clone());
        self.push(file(path, Some(size), fact(member, self.container), Arc::new(held)))
    }

    /// Passes a long member on while it is decoded.
    fn hand_on(
        &mut self,
        path: Box<[u8]>,
        start: Vec<u8>,
        member: &Member,
        from: u64,
        members: &mut dyn Members,
    ) -> Result<(), Over> {
        let (parts, piped) = pipe(Arc::clone(&self.archive), member.size, Own::of(member, self.place));
        self.push(file(path, member.size, fact(member, self.container), Arc::new(piped)))?;
        // It holds the walk itself.
        self.last = None;
        self.send()?;
        let mut part = start;
        let mut size = 0;
        loop {
            size += part.len() as u64;
            let stored = self.stored(member, from);
            let within = self.expansion.ratio(size, stored);
            let may_pass = within.is_err();
            let fits = within.and_then(|()| self.expansion.bytes(part.len() as u64));
            if let Err(Bomb(why)) = fits {
                let _ = parts.send(Err(InsideFailure { word: "bomb", why: why.clone().into() }.into()));
                // Where its end is known and near, the archive is read on behind it.
                let rest = member.size.filter(|_| may_pass).map(|all| all.saturating_sub(size));
                let passes = rest.is_some_and(|rest| self.expansion.passes(rest));
                return if passes { Ok(()) } else { self.stop(why) };
            }
            let is_last = part.is_empty();
            if parts.send(Ok(part)).is_err() || is_last {
                // It ended, or nobody reads it. Then its bytes count all the same.
                let rest = member.size.map_or(0, |all| all.saturating_sub(size));
                return self.count(|expansion| expansion.bytes(rest));
            }
            part = vec![0; PART];
            match members.read(&mut part) {
                Ok(read) => part.truncate(read),
                Err(problem) => {
                    let _ = parts.send(Err(items::error(problem)));
                    return Ok(());
                }
            }
        }
    }

    /// Returns the bytes that a member took in the archive so far, or more. Holes count as stored: to state them is honest,
    /// and how many there may be is bounded with all other bytes.
    fn stored(&self, member: &Member, from: u64) -> u64 {
        let stored = member.stored.unwrap_or(u64::MAX);
        let taken = stored.min(match self.taken.end() {
            // Decoders that read at any position are not counted.
            0 => hashmill_archive::Medium::size(&*self.archive),
            // Where the whole archive is compressed, what it states of a member is no measure.
            taken => taken.saturating_sub(from).saturating_add(AHEAD),
        });
        taken.saturating_add(member.holes)
    }

    /// Counts what is passed on; if it is too much, tells so.
    fn count(&mut self, add: impl FnOnce(&Expansion) -> Result<(), Bomb>) -> Result<(), Over> {
        match add(&self.expansion) {
            Ok(()) => Ok(()),
            Err(Bomb(why)) => self.stop(why),
        }
    }

    /// Ends the listing because of a bomb: to pass over its bytes takes as long as to read them.
    fn stop(&mut self, why: String) -> Result<(), Over> {
        let item: WalkItem = failed(&self.archive.root, "bomb", format!("the rest of it is not read: {why}"));
        self.portion.push(ListedItem { item, fact: None });
        self.send()?;
        Err(Over)
    }

    fn push(&mut self, listed: ListedItem) -> Result<(), Over> {
        self.portion.push(listed);
        if self.portion.len() < PORTION { Ok(()) } else { self.send() }
    }

    /// Passes on what was listed. The walk may then wait for the decoder, and the decoder for what was passed on.
    fn send(&mut self) -> Result<(), Over> {
        if let Some(last) = self.last.take() {
            last.ends_portion();
        }
        if self.portion.is_empty() {
            return Ok(());
        }
        self.sender.send(std::mem::take(&mut self.portion)).map_err(|_| Over)
    }
}

/// Returns whether hard links may be other names of a member.
fn is_target(member: &Member) -> bool {
    member.is_stored() || !matches!(member.kind, MemberKind::Directory | MemberKind::HardLink(_))
}
