//! A list of digests, read a window of lines at a time, so that a list may be of any length: what the lines claim, and
//! which files must be read to judge them.

use crate::error::Error;
use crate::listed::{self, local};
use crate::listing::{Listing, name_of};
use crate::location::{is_location, with_slash, without_secrets};
use crate::unsupported::Unsupported;
use hashloom_digest::Algorithm;
use hashloom_manifest::audit::Learner;
use hashloom_manifest::format::{Hint, Malformed, Opened, Reader, Unusable, Why};
use hashloom_manifest::{Named, Record, Status};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What the lines of a window may take of memory. It is the same for any `-m`, so that results are, too. Some 50,000
/// lines: about as many files as the engine looks ahead.
const WINDOW: usize = 32 << 20;

/// What a line takes beside its digests and its path, about: its record, the place of its file, the ends of
/// allocations.
const LINE: usize = 320;

/// A list that is being read.
pub(super) struct List<'a> {
    /// What doesn't even look like a line of a list counts as malformed, too.
    strict: bool,
    /// What a window may take of memory.
    room: usize,
    reader: Box<dyn Reader + 'a>,
    /// The name of its format.
    format: &'static str,
    /// The folder that the paths start in, if the format or the caller says one.
    base: Option<PathBuf>,
    /// The same as what paths begin with; empty for the working folder.
    below: Box<[u8]>,
    /// The location that it is, if it is one, with a slash at its end.
    remote: Option<Box<[u8]>>,
    /// All lines were read.
    ended: bool,
    /// The last line was of a piece: more of its file may follow.
    in_pieces: bool,
    /// That file, between two windows.
    open: Option<Lack>,
    /// Lines that are not understood.
    pub(super) malformed: u64,
    /// Lines that are no digest and name, and don't look like damaged ones.
    notes: u64,
    /// Files without a digest that could be checked.
    pub(super) unchecked: u64,
    /// Digests that can't be computed here.
    pub(super) unsupported: Unsupported,
}

/// Why a file that a list names was not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unchecked {
    /// The list has only digests of its pieces.
    Pieces,
    /// The list has only digests of its likeness.
    Likeness,
    /// Parts of it could not be read when the list was made.
    BadBlocks,
    /// It could not be read when the list was made.
    Unread,
    /// Whoever made the list had no digest of it.
    NoDigest,
    /// It is a folder.
    Folder,
    /// It is a folder: the list has the digest of its tree as git has it.
    Tree,
    /// It is a folder: DVC's cache has the list of its files.
    Cached,
    /// It is a submodule of git: the list has its commit.
    Submodule,
    /// It is in a merge of git that isn't finished: the list has several versions of it.
    Unmerged,
    /// It is a symbolic link: the list has the digest of its text, as git has it.
    LinkText,
    /// It is no regular file: the list has no digest of it.
    Special,
}

impl Unchecked {
    /// Why a record without digests has none, in a list of this format.
    fn of(record: &Record, format: &str) -> Unchecked {
        match (record.reason.as_deref(), format) {
            (Some("unsupported"), _) => Unchecked::NoDigest,
            (Some("folder"), "git") => Unchecked::Tree,
            (Some("folder"), "dvc") => Unchecked::Cached,
            (Some("folder"), _) => Unchecked::Folder,
            (Some("submodule"), _) => Unchecked::Submodule,
            (Some("unmerged"), _) => Unchecked::Unmerged,
            (Some("link"), "git") => Unchecked::LinkText,
            (Some("link"), _) => Unchecked::Special,
            _ => Unchecked::Unread,
        }
    }
}

impl std::fmt::Display for Unchecked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unchecked::Pieces => "the list has digests of its pieces only",
            Unchecked::Likeness => "the list has only digests of its likeness",
            Unchecked::BadBlocks => "parts of it could not be read when the list was made",
            Unchecked::NoDigest => "the list has no digest of it",
            Unchecked::Folder => "a folder, not a file",
            Unchecked::Tree => {
                "a folder, of which the list has the tree only; git ls-tree -r lists its files"
            }
            Unchecked::Cached => {
                "a folder, whose files DVC lists in its cache (a file .dir, which hashloom check reads); dvc status tells whether \
                 it changed"
            }
            Unchecked::Submodule => "a submodule, of which the list has the commit only",
            Unchecked::Unmerged => "in a merge that is not finished, so git has several versions of it",
            Unchecked::LinkText => {
                "a symbolic link, whose text the list has; git status tells whether it changed"
            }
            Unchecked::Special => "a link or device, of which the list has no digest",
            Unchecked::Unread => "it could not be read when the list was made",
        })
    }
}

/// Hears of a line that is not understood, and how many there were with it.
type OnMalformed<'a> = dyn FnMut(&Malformed, u64) + 'a;

/// A file that the list names without a digest that could be checked, and the reason.
type Lack = (Box<[u8]>, Unchecked);

/// Some consecutive lines of a list.
#[derive(Default)]
pub(super) struct Window {
    /// What they say, in their order. A claim without digests is one by an algorithm that is not here.
    pub claims: Vec<Record>,
    /// Files without a digest that could be checked, in the order of the list.
    lacking: Vec<Lack>,
    /// The location that paths start at, and how many bytes of each stand for it.
    pub remote: Option<(Box<[u8]>, usize)>,
}

impl<'a> List<'a> {
    /// Opens a list of this name.
    ///
    /// # Errors
    /// If it is no list.
    pub fn open(
        name: &[u8],
        listing: Listing,
        (algorithm, strict): (Option<&'static Algorithm>, bool),
        base: Option<&Path>,
    ) -> Result<List<'a>, Error> {
        let hint = algorithm.map_or_else(|| Hint::from_name(name), Hint::Forced);
        let shown = name_of(OsStr::from_bytes(name));
        let opened = listing.open(hint).and_then(Opened::of_files);
        let opened = opened.map_err(|why| Error::Unusable { path: shown, why })?;
        let base = base
            .map(Path::to_path_buf)
            .or_else(|| listed::base(Path::new(OsStr::from_bytes(name)), opened.format));
        let typed = base.as_deref().map(|base| base.as_os_str().as_bytes());
        let remote = typed.filter(|typed| is_location(typed)).map(with_slash);
        let below = match &remote {
            Some(remote) => without_secrets(remote).into(),
            None => base.as_deref().map(listed::prefix).unwrap_or_default(),
        };
        Ok(List { below, base, remote, format: opened.format.name, ..List::new(opened.reader, strict) })
    }

    fn new(reader: Box<dyn Reader + 'a>, strict: bool) -> List<'a> {
        List {
            strict,
            room: WINDOW,
            reader,
            base: None,
            format: "",
            below: Box::default(),
            remote: None,
            ended: false,
            in_pieces: false,
            open: None,
            malformed: 0,
            notes: 0,
            unchecked: 0,
            unsupported: Unsupported::default(),
        }
    }

    /// The next lines; none after the last.
    ///
    /// # Errors
    /// If the list can't be read on.
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
        let some = !self.ended || window.len() > 0;
        Ok(some.then_some(window))
    }

    /// Whether all lines were read.
    pub fn is_at_end(&self) -> bool {
        self.ended
    }

    /// Returns the path of a line as one from its base down.
    fn path(&self, path: Box<[u8]>) -> Box<[u8]> {
        match self.remote.is_some() && !path.is_empty() {
            true => [&*self.below, &*path].concat().into(),
            false => listed::below_base(&self.below, path),
        }
    }

    /// Takes a record; one without a digest of the whole file is lacking.
    fn take(&mut self, mut record: Record, window: &mut Window) {
        self.in_pieces = record.piece.is_some();
        record.path = self.path(record.path);
        let why = if record.path.is_empty() {
            self.malformed += 1;
            return;
        } else if record.piece.is_some() {
            Unchecked::Pieces
        } else if !record.bad_blocks.is_empty() {
            Unchecked::BadBlocks
        } else if !record.digests.is_empty() {
            if self.remote.is_none() {
                record.path = local(&record.path).into();
            }
            // Nothing else of a record is looked at, and a likeness digest may be long.
            record.likeness = Vec::new();
            record.label = None;
            window.claims.push(record);
            return;
        } else if !record.likeness.is_empty() {
            Unchecked::Likeness
        } else if record.status == Status::Skipped {
            return;
        } else {
            Unchecked::of(&record, self.format)
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
                // A claim that no digest here can settle.
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

    /// Returns the patterns of files that the list leaves out, once all was read, and the folder that they start in.
    pub fn patterns(&self) -> (&[Box<[u8]>], Option<&Path>) {
        (self.reader.patterns(), self.base.as_deref())
    }

    /// Tells of the files of a window that were not checked.
    pub fn tell_lacking(&mut self, window: &Window, told: &mut dyn FnMut(&[u8], Unchecked)) {
        for (path, why) in window.unchecked() {
            self.unchecked += 1;
            told(path, *why);
        }
    }
}

impl Window {
    fn len(&self) -> usize {
        self.claims.len() + self.lacking.len()
    }

    /// What the last line takes of memory, about.
    fn last_weight(&self) -> usize {
        let claim = self.claims.last().map_or(0, |claim| {
            // The path is there twice: what is read has it, too.
            2 * claim.path.len() + claim.digests.len() * mem::size_of::<Named>()
        });
        let lacking = self.lacking.last().map_or(0, |(path, _)| path.len());
        LINE + claim.max(lacking)
    }

    /// The files without a digest that could be checked, each once, in the order of the list. Those of pieces may
    /// have another line of the whole file.
    fn unchecked(&self) -> Vec<&Lack> {
        if self.lacking.is_empty() {
            return Vec::new();
        }
        let mut seen: HashSet<&[u8]> = self.claims.iter().map(|claim| &*claim.path).collect();
        self.lacking.iter().filter(|(path, _)| seen.insert(path)).collect()
    }

    /// All paths that it names.
    pub fn paths(&self) -> impl Iterator<Item = &[u8]> {
        let lacking = self.lacking.iter().map(|(path, _)| &**path);
        self.claims.iter().map(|claim| &*claim.path).chain(lacking)
    }

    /// The files to be read.
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
                    files.all.push(Wanted { first: number, last: number, set });
                }
            }
        }
        files
    }
}

/// The files to be read, each once, with the algorithms that are asked of it.
pub(super) struct Files {
    /// In the order of their first claims.
    all: Vec<Wanted>,
    /// For each claim the next one about the same file.
    next: Vec<u32>,
    /// All sets of algorithms.
    sets: Vec<Vec<&'static Algorithm>>,
}

/// A file to be read.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// The first claim about it.
    pub first: u32,
    last: u32,
    set: usize,
}

impl Files {
    const END: u32 = u32::MAX;

    /// Each set of algorithms, with the files that need it: these go through one run.
    pub fn by_algorithms(&self) -> impl Iterator<Item = (&Vec<&'static Algorithm>, Vec<Wanted>)> {
        let files = |set: usize| self.all.iter().filter(move |file| file.set == set).copied().collect();
        self.sets
            .iter()
            .enumerate()
            .map(move |(set, algorithms)| (algorithms, files(set)))
            .filter(|(_, files): &(_, Vec<Wanted>)| !files.is_empty())
    }

    /// The claims about a file, by their numbers.
    pub fn claims(&self, file: Wanted) -> impl Iterator<Item = usize> {
        let next = |claim: &u32| Some(self.next[*claim as usize]).filter(|next| *next != Files::END);
        std::iter::successors(Some(file.first), next).map(|claim| claim as usize)
    }

    /// One more claim about a file.
    fn add(&mut self, place: usize, claim: u32, asked: Vec<&'static Algorithm>) {
        let Wanted { last, set, .. } = self.all[place];
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

    /// Reads a list in windows of one line each; says what each claims, and which files were not checked.
    fn windows(text: &str) -> (Vec<String>, u64) {
        let reader = hashloom_manifest::format::open(Box::new(text.as_bytes()), Hint::None).unwrap().reader;
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
        let reader = hashloom_manifest::format::open(Box::new(text.as_bytes()), Hint::None).unwrap().reader;
        let mut list = List::new(reader, false);
        let window = list.window(&mut |_, _| ()).unwrap().unwrap();
        let paths =
            window.unchecked().into_iter().map(|(path, _)| String::from_utf8_lossy(path).into_owned());
        assert_eq!(paths.collect::<Vec<_>>(), ["z", "x"]);
    }
}
