//! Reading of a list of digests, one window of lines at a time, so that a list may have any length. A window holds the
//! claims of its lines, and the files that must be read to judge them.

use super::meant::Meant;
use crate::error::Error;
use hashmill_content::stores::Stores;
use hashmill_content::stores::location::with_slash;
use hashmill_content::within::LogicalImages;
use hashmill_content::within::unread_by_check;
use hashmill_digest::Algorithm;
use hashmill_lists::entries::has_others;
use hashmill_lists::listed::{self, Separators};
use hashmill_lists::listing::{Listing, name_of};
use hashmill_lists::unsupported::Unsupported;
use hashmill_manifest::audit::Learner;
use hashmill_manifest::format::{Hint, Malformed, Reader, Unusable, Why};
use hashmill_manifest::{Named, Record, Status};
use hashmill_os::names;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::mem;
use std::path::{Path, PathBuf};

/// The maximum number of bytes in memory for the lines of a window. It does not depend on `-m`, so that results don't
/// either. It is enough for some 50,000 lines, about as many files as the engine looks ahead.
const WINDOW: usize = 32 << 20;

/// The approximate number of bytes that a line takes in addition to its digests and its path: its record, the place of
/// its file, and the rounding of allocations.
const LINE: usize = 320;

/// A list that is being read.
pub(super) struct List<'a> {
    /// The algorithm that the user named, and whether any digest may be by it.
    forced: Option<&'static Algorithm>,
    is_met: bool,
    /// Whether lines that don't even look like lines of a list count as malformed, too.
    strict: bool,
    /// The maximum number of bytes in memory for a window.
    room: usize,
    reader: Box<dyn Reader + 'a>,
    /// The name of its format.
    format: &'static str,
    /// Whether it can list links, FIFOs and the like.
    pub(super) has_others: bool,
    /// The folder that the paths are relative to, if the format or the caller states one.
    base: Option<PathBuf>,
    /// The base as a prefix of paths; empty for the working folder.
    below: Box<[u8]>,
    /// The base with a slash at its end, if it is a location.
    pub(super) remote: Option<Box<[u8]>>,
    /// Whether a path of the list has a slash.
    has_slashes: bool,
    /// The files that lines with other names were taken for.
    meant: Meant,
    /// Whether all lines were read.
    pub(super) ended: bool,
    /// Whether the last line was of a piece, so that more lines of its file may follow.
    in_pieces: bool,
    /// The file of that piece, kept between two windows.
    open: Option<Lack>,
    /// Lines that could not be parsed.
    pub(super) malformed: u64,
    /// Lines without a digest and a name that don't look like damaged lines.
    notes: u64,
    /// Files without a digest that could be checked.
    pub(super) unchecked: u64,
    /// Files whose whole content is checked, and whose pieces have digests that are not.
    pub(super) in_pieces_too: u64,
    /// Digests that can't be computed here.
    pub(super) unsupported: Unsupported,
    logical: LogicalImages,
}

/// The reason why a file with digests of its pieces alone is not checked.
const PIECES: &str = "the list has digests of its pieces only";

/// Returns the reason why a record has no digests, in a list of this format.
fn lack_of(record: &Record, format: &str) -> &'static str {
    match (record.reason.as_deref(), format) {
        (Some("unsupported"), _) => "the list has no digest of it",
        (Some("folder"), "git") => "a folder; the list has only its tree; git ls-tree -r lists its files",
        (Some("folder"), "dvc") => {
            "a folder, whose files DVC lists in its cache (a file .dir, which hashmill check reads); dvc status tells whether \
             it changed"
        }
        (Some("folder"), _) => "a folder, not a file",
        (Some("submodule"), _) => "a submodule, of which the list has the commit only",
        (Some("unmerged"), _) => "in a merge that is not finished, so git has several versions of it",
        (Some("link"), "git") => {
            "a symbolic link, whose text the list has; git status tells whether it changed"
        }
        (Some("link"), _) => "a link or device, of which the list has no digest",
        _ => "it could not be read when the list was made",
    }
}

/// Receives a line that could not be parsed, and the number of such lines so far.
type OnMalformed<'a> = dyn FnMut(&Malformed, u64) + 'a;

/// A file that the list names without a digest that could be checked, and the reason.
pub(super) type Lack = (Box<[u8]>, &'static str);

/// Some consecutive lines of a list.
#[derive(Default)]
pub(super) struct Window {
    /// The claims of the lines, in their order. A claim without digests is one by an algorithm that can't be computed
    /// here.
    pub claims: Vec<Record>,
    /// Files without a digest that could be checked, in the order of the list.
    lacking: Vec<Lack>,
    /// The paths of links, FIFOs and the like.
    pub others: Vec<Box<[u8]>>,
    /// The location that paths are relative to, and the length of the part of each path that stands for it.
    pub remote: Option<(Box<[u8]>, usize)>,
}

impl<'a> List<'a> {
    /// Opens the list with this name.
    ///
    /// # Errors
    /// If it is not a list.
    pub fn open(
        name: &[u8],
        listing: Listing,
        algorithm: Option<&'static Algorithm>,
        strict: bool,
        base: Option<&Path>,
        stores: &Stores,
    ) -> Result<List<'a>, Error> {
        let (hint, forced) = (algorithm.map_or_else(|| Hint::from_name(name), Hint::Forced), algorithm);
        let shown = name_of(names::path_to_try(name).as_os_str());
        let opened = listing.open(hint).and_then(|opened| opened.of_files(name));
        let opened = opened.map_err(|why| Error::Unusable { path: shown, why })?;
        let base =
            base.map(Path::to_path_buf).or_else(|| listed::base(&names::path_to_try(name), opened.base));
        let typed = base.as_deref().map(names::path_bytes);
        let remote = typed.filter(|typed| stores.is_location(typed)).map(|typed| with_slash(&typed));
        let below = match &remote {
            Some(remote) => stores.without_secrets(remote).into(),
            None => base.as_deref().map(listed::prefix).unwrap_or_default(),
        };
        let (format, has_others) = (opened.format.name, has_others(opened.format));
        Ok(List { below, base, remote, format, has_others, forced, ..List::new(opened.reader, strict) })
    }

    fn new(reader: Box<dyn Reader + 'a>, strict: bool) -> List<'a> {
        List {
            strict,
            room: WINDOW,
            reader,
            base: None,
            format: "",
            has_others: false,
            below: Box::default(),
            remote: None,
            forced: None,
            is_met: false,
            has_slashes: false,
            meant: Meant::default(),
            ended: false,
            in_pieces: false,
            open: None,
            malformed: 0,
            notes: 0,
            unchecked: 0,
            in_pieces_too: 0,
            unsupported: Unsupported::default(),
            logical: LogicalImages::default(),
        }
    }

    /// Returns the next lines; `None` after the last one.
    ///
    /// # Errors
    /// If the rest of the list can't be read.
    pub fn window(&mut self, told: &mut OnMalformed<'_>) -> Result<Option<Window>, Unusable> {
        let remote = self.remote.clone().map(|remote| (remote, self.below.len()));
        let mut window = Window { remote, ..Window::default() };
        window.lacking.extend(self.open.take());
        let mut room = self.room;
        while room > 0 && !self.ended {
            let before = window.len();
            match self.reader.next() {
                Some(Ok(record)) => self.take(record, &mut window),
                Some(Err(malformed)) => self.malformed(malformed, &mut window, told)?,
                None => self.ended = true,
            }
            if window.len() > before {
                room = room.saturating_sub(window.last_weight());
            }
        }
        if !self.ended && self.in_pieces {
            self.open = window.lacking.pop();
        }
        if self.remote.is_none() {
            // In a list with slashes, backslashes are parts of names.
            let separators = if self.has_slashes { Separators::Slashes } else { Separators::Unknown };
            self.meant.settle(&self.below, separators, &mut window.claims, &mut window.lacking);
        }
        let some = !self.ended || window.len() > 0;
        Ok(some.then_some(window))
    }

    /// Returns the algorithm that the user named, if the whole list was read and no digest of it may be by it.
    pub fn unneeded(&self) -> Option<&'static Algorithm> {
        self.forced.filter(|_| !self.is_met && self.ended && self.malformed == 0 && !self.unsupported.any())
    }

    /// Returns the path of a line, with the base in front of it.
    fn path(&self, path: Box<[u8]>) -> Box<[u8]> {
        match self.remote.is_some() && !path.is_empty() {
            true => [&*self.below, &*path].concat().into(),
            false => listed::below_base(&self.below, path),
        }
    }

    /// Adds a record to a window. A record without a digest of the whole file is added to the lacking files.
    fn take(&mut self, mut record: Record, window: &mut Window) {
        self.in_pieces = record.piece.is_some();
        let may_be = |named: &Named| self.forced.is_some_and(|row| Hint::may_name(row, named.algorithm));
        self.is_met |= record.digests.iter().any(may_be);
        self.has_slashes |= record.path.contains(&b'/');
        record.path = self.path(record.path);
        let why = if record.path.is_empty() {
            self.malformed += 1;
            return;
        } else if record.piece.is_some() {
            PIECES
        } else if !record.bad_blocks.is_empty() {
            "parts of it could not be read when the list was made"
        } else if self.remote.is_none()
            && let Some(why) = unread_by_check(&record.path, &self.logical)
        {
            why
        } else if !record.digests.is_empty() {
            // The other fields of a record are not used, and a similarity digest may be long.
            record.likeness = Vec::new();
            record.label = None;
            window.claims.push(record);
            return;
        } else if !record.likeness.is_empty() {
            "the list has only likeness digests of it"
        } else if record.status == Status::Skipped {
            window.others.push(record.path);
            return;
        } else {
            lack_of(&record, self.format)
        };
        let again = window.lacking.last().is_some_and(|(path, _)| **path == *record.path);
        if !again {
            window.lacking.push((record.path, why));
        }
    }

    fn malformed(
        &mut self,
        malformed: Malformed,
        window: &mut Window,
        told: &mut OnMalformed<'_>,
    ) -> Result<(), Unusable> {
        if let Why::Unsupported { algorithm, path } = malformed.why {
            if !path.is_empty() {
                let path = self.path(path);
                self.unsupported.add(algorithm);
                // This claim can't be settled, because it has no digest that can be computed here.
                window.claims.push(Record::bare(path, Status::Hashed));
                return Ok(());
            }
            let why = Why::Unsupported { algorithm, path };
            self.count(&Malformed { why, ..malformed }, told);
            return Ok(());
        }
        self.count(&malformed, told);
        if let Why::Io(error) = malformed.why {
            return Err(Unusable::Io(error));
        }
        Ok(())
    }

    fn count(&mut self, malformed: &Malformed, told: &mut OnMalformed<'_>) {
        let fails = self.strict || !malformed.is_note();
        *(if fails { &mut self.malformed } else { &mut self.notes }) += 1;
        told(malformed, self.malformed + self.notes);
    }

    /// Returns the patterns of files that the list excludes, and the folder that they are relative to. The patterns are
    /// complete once all lines were read.
    pub fn patterns(&self) -> (&[Box<[u8]>], Option<&Path>) {
        (self.reader.patterns(), self.base.as_deref())
    }

    /// Reports the files of a window that were not checked.
    pub fn tell_lacking(&mut self, window: &Window, told: &mut dyn FnMut(&[u8], &'static str)) {
        let unchecked = window.unchecked();
        let in_pieces =
            |lacks: &mut dyn Iterator<Item = &Lack>| lacks.filter(|lack| lack.1 == PIECES).count();
        let alone = in_pieces(&mut unchecked.iter().copied());
        self.in_pieces_too += (in_pieces(&mut window.lacking.iter()) - alone) as u64;
        for (path, why) in unchecked {
            self.unchecked += 1;
            told(path, why);
        }
    }
}

impl Window {
    fn len(&self) -> usize {
        self.claims.len() + self.lacking.len()
    }

    /// Returns the approximate number of bytes that the last line takes in memory.
    fn last_weight(&self) -> usize {
        let claim = self.claims.last().map_or(0, |claim| {
            // The path is stored twice: the entry to be read has it, too.
            2 * claim.path.len() + claim.digests.len() * mem::size_of::<Named>()
        });
        let lacking = self.lacking.last().map_or(0, |(path, _)| path.len());
        LINE + claim.max(lacking)
    }

    /// Returns the files without a digest that could be checked, each once, in the order of the list. A file whose
    /// pieces are listed may have another line for the whole file.
    fn unchecked(&self) -> Vec<&Lack> {
        if self.lacking.is_empty() {
            return Vec::new();
        }
        let mut seen: HashSet<&[u8]> = self.claims.iter().map(|claim| &*claim.path).collect();
        self.lacking.iter().filter(|(path, _)| seen.insert(path)).collect()
    }

    /// Returns all paths that the window names.
    pub fn paths(&self) -> impl Iterator<Item = &[u8]> {
        let lacking = self.lacking.iter().map(|(path, _)| &**path);
        self.claims.iter().map(|claim| &*claim.path).chain(lacking)
    }

    /// Returns the files to be read.
    pub fn files(&self, learner: &Learner) -> Files {
        let mut files =
            Files { all: Vec::new(), next: vec![Files::END; self.claims.len()], sets: Vec::new() };
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        for (number, claim) in self.claims.iter().enumerate() {
            let asked = learner.candidates(claim);
            if asked.is_empty() {
                continue;
            }
            let number = number as u32;
            match places.entry(&claim.path) {
                Entry::Occupied(place) => files.add(*place.get(), number, asked),
                Entry::Vacant(place) => {
                    place.insert(files.all.len());
                    let set = files.set(asked);
                    files.all.push(FileToCheck { first: number, last: number, set });
                }
            }
        }
        files
    }
}

/// The files to be read, each once, with the algorithms to compute.
pub(super) struct Files {
    /// In the order of their first claims.
    all: Vec<FileToCheck>,
    /// For each claim the next one about the same file.
    next: Vec<u32>,
    /// The different sets of algorithms.
    sets: Vec<Vec<&'static Algorithm>>,
}

/// A file to be read.
#[derive(Clone, Copy)]
pub(super) struct FileToCheck {
    /// The first claim about it.
    pub first: u32,
    last: u32,
    set: usize,
}

impl Files {
    const END: u32 = u32::MAX;

    /// Returns each set of algorithms with the files that need it. These files are hashed in one run.
    pub fn by_algorithms(&self) -> impl Iterator<Item = (&Vec<&'static Algorithm>, Vec<FileToCheck>)> {
        let files = |set: usize| self.all.iter().filter(move |file| file.set == set).copied().collect();
        self.sets
            .iter()
            .enumerate()
            .map(move |(set, algorithms)| (algorithms, files(set)))
            .filter(|(_, files): &(_, Vec<FileToCheck>)| !files.is_empty())
    }

    /// Returns the numbers of the claims about a file.
    pub fn claims(&self, file: FileToCheck) -> impl Iterator<Item = usize> {
        let next = |claim: &u32| Some(self.next[*claim as usize]).filter(|next| *next != Files::END);
        std::iter::successors(Some(file.first), next).map(|claim| claim as usize)
    }

    /// Adds another claim about a file.
    fn add(&mut self, place: usize, claim: u32, asked: Vec<&'static Algorithm>) {
        let FileToCheck { last, set, .. } = self.all[place];
        self.next[last as usize] = claim;
        let mut all = self.sets[set].clone();
        all.extend(asked.into_iter().filter(|algorithm| !self.sets[set].contains(algorithm)));
        let set = self.set(all);
        (self.all[place].last, self.all[place].set) = (claim, set);
    }

    fn set(&mut self, algorithms: Vec<&'static Algorithm>) -> usize {
        let known = self.sets.iter().position(|set| *set == algorithms);
        known.unwrap_or_else(|| {
            self.sets.push(algorithms);
            self.sets.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(path: &str, piece: Option<u64>) -> String {
        let piece = piece.map_or(String::new(), |offset| format!(",\"offset\":{offset},\"length\":1"));
        format!("{{\"path\":\"{path}\",\"size\":1{piece},\"md5\":\"900150983cd24fb0d6963f7d28e17f72\"}}\n")
    }

    /// Reads a list in windows of one line each. Returns the paths that each window names, and the number of files that
    /// were not checked.
    fn windows(text: &str) -> (Vec<String>, u64) {
        let reader = hashmill_manifest::format::open(Box::new(text.as_bytes()), Hint::None).unwrap().reader;
        let mut list = List::new(reader, false);
        list.room = 1;
        let mut found = Vec::new();
        while let Some(window) = list.window(&mut |_, _| ()).unwrap() {
            list.tell_lacking(&window, &mut |_, _| ());
            found.push(window.paths().map(String::from_utf8_lossy).collect::<Vec<_>>().join(","));
        }
        (found, list.unchecked)
    }

    #[test]
    fn pieces_at_the_end_of_a_window_wait_for_their_file() {
        let pieces = |path: &str| (0..3).map(|offset| record(path, Some(offset))).collect::<String>();
        let text = [pieces("a"), record("a", None), record("b", None), pieces("c"), pieces("d")].concat();
        let (found, unchecked) = windows(&text);
        assert_eq!(found.concat().replace(',', ""), "aabcd", "{found:?}");
        assert_eq!(unchecked, 2);
    }

    #[test]
    fn a_window_is_bounded() {
        let text: String = (0..5).map(|number| record(&number.to_string(), None)).collect();
        assert_eq!(windows(&text), (["0", "1", "2", "3", "4"].map(String::from).to_vec(), 0));
    }

    #[test]
    fn what_was_not_checked_is_told_in_the_order_of_the_list() {
        let text = ["z", "y", "x", "z", "y"].map(|path| record(path, Some(0))).concat() + &record("y", None);
        let reader = hashmill_manifest::format::open(Box::new(text.as_bytes()), Hint::None).unwrap().reader;
        let mut list = List::new(reader, false);
        let window = list.window(&mut |_, _| ()).unwrap().unwrap();
        let paths =
            window.unchecked().into_iter().map(|(path, _)| String::from_utf8_lossy(path).into_owned());
        assert_eq!(paths.collect::<Vec<_>>(), ["z", "x"]);
    }
}
