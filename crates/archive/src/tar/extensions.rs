//! Headers before the one of a member, which say more of it: extended headers (POSIX.1-2017, pax) and long
//! names (GNU tar manual, "Extensions to the Tar Format").

use super::blocks::{BlockSource, padding};
use super::header::text;
use super::records::{Fault, Records};
use crate::{Limits, Problem};

/// The part of the memory that records may take: those of sparse files take more as numbers than as text.
const SHARE: u64 = 16;

/// A part of the path that GNU tar and bsdtar give to sparse files.
const SPARSE: &[u8] = b"GNUSparseFile";

/// The headers before the one of a member, and those for all members that follow.
#[derive(Debug, Default)]
pub(super) struct Extensions {
    /// The records for this member.
    pub own: Records,
    /// The records for all members from here on.
    pub global: Records,
    /// The long name and the long target of a link.
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    /// The bytes that they take.
    taken: u64,
    /// Whether there was any since the last member.
    pub is_open: bool,
    /// Whether there was an extended header in the archive.
    pub is_pax: bool,
}

impl Extensions {
    /// Reads the content of a header if it is one of these, and returns whether it is.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn take(
        &mut self,
        letter: u8,
        size: u64,
        blocks: &mut BlockSource,
        limits: &Limits,
    ) -> Result<bool, Problem> {
        if !matches!(letter, b'x' | b'X' | b'g' | b'L' | b'K') {
            return Ok(false);
        }
        self.is_open |= letter != b'g';
        self.is_pax |= !matches!(letter, b'L' | b'K');
        self.taken = self.taken.saturating_add(size);
        if self.taken > limits.memory / SHARE {
            self.own.fault(Fault::Memory(self.taken.saturating_mul(SHARE)));
            blocks.skip(size)?;
        } else {
            let content = blocks.bytes(size)?;
            self.add(letter, &content);
        }
        blocks.skip(padding(size))?;
        Ok(true)
    }

    fn add(&mut self, letter: u8, content: &[u8]) {
        match letter {
            b'L' => self.long(content, |own| &mut own.name, "its path"),
            b'K' => self.long(content, |own| &mut own.link, "its link's target"),
            b'g' => {
                // A later one replaces what it repeats; that is no disagreement.
                let mut records = Records::default();
                records.add(content);
                self.replace(records);
            }
            _ => {
                // Some programs add up the records of two extended headers, some take only the last.
                if self.own.divides() {
                    self.own.fault(Fault::Ambiguous("it has two extended headers"));
                }
                self.own.add(content);
            }
        }
    }

    fn long(&mut self, content: &[u8], slot: fn(&mut Extensions) -> &mut Option<Vec<u8>>, of: &'static str) {
        let name = text(content).to_vec();
        match slot(self) {
            Some(before) if *before != name => self.own.fault(Fault::Ambiguous(of)),
            slot => *slot = Some(name),
        }
    }

    fn replace(&mut self, records: Records) {
        let global = &mut self.global;
        global.path = records.path.or(global.path.take());
        global.link = records.link.or(global.link.take());
        global.size = records.size.or(global.size);
        global.times.modified = records.times.modified.or(global.times.modified);
        global.times.accessed = records.times.accessed.or(global.times.accessed);
        global.times.changed = records.times.changed.or(global.times.changed);
        global.times.created = records.times.created.or(global.times.created);
        global.fault = records.fault.or(global.fault);
        self.own.continues |= records.continues;
        if records.sparse.is_used() {
            global.fault(Fault::Ambiguous("an extended header says of all members where their parts are"));
        }
    }

    /// Returns the path of the member.
    pub(super) fn path(&mut self, header: Vec<u8>) -> Vec<u8> {
        let (long, global) = (self.name.take(), self.global.path.as_ref());
        let own = self.own.path.take();
        let is_recorded = own.is_some() || long.is_some();
        let path = settle(own, long, global, header, &mut self.own.fault, "its path");
        // GNU tar gives a sparse file a path that says so, for programs that would take its parts for the
        // whole, and its own one apart.
        let Some(name) = self.own.sparse.name.clone() else { return path };
        // bsdtar 3.6 cuts off the second if it is long and not in ASCII; programs extract such a file under
        // either.
        if is_recorded && path != name && !is_made_up(&path, &name) {
            self.own.fault(Fault::Ambiguous("its path"));
        }
        name
    }

    /// Returns the target of the member, a link.
    pub(super) fn link(&mut self, header: Vec<u8>) -> Vec<u8> {
        let (long, global) = (self.link.take(), self.global.link.as_ref());
        let own = self.own.link.take();
        settle(own, long, global, header, &mut self.own.fault, "its link's target")
    }

    /// Returns the size of the member in the archive.
    pub(super) fn size(&mut self, header: u64) -> u64 {
        if let (None, Some(size)) = (self.own.size, self.global.size) {
            self.own.fault(Fault::Ambiguous("an extended header says the size of all members"));
            return size;
        }
        let size = self.own.size.unwrap_or(header);
        if size != header && !is_placeholder(header, size) {
            self.own.fault(Fault::Ambiguous("its size in the header and in the extended header"));
        }
        size
    }

    /// Passes over the label of a volume, which is between the headers of a member only to mislead: for some
    /// programs they are those of the label.
    pub(super) fn pass_label(&mut self) {
        if self.is_open {
            self.own.fault(Fault::Ambiguous("the label of a volume is among its headers"));
        }
    }

    /// Returns the reason why the records for the member can't be trusted.
    pub(super) fn fault(&self) -> Option<Fault> {
        self.own.fault.or(self.global.fault)
    }

    /// Forgets the headers of one member.
    pub(super) fn close(&mut self) {
        let Extensions { global, is_pax, .. } = std::mem::take(self);
        *self = Extensions { global, is_pax, ..Extensions::default() };
    }
}

/// Returns whether a path is one that stands for that of a sparse file: in its directory, and perhaps cut
/// short.
fn is_made_up(path: &[u8], name: &[u8]) -> bool {
    let directory =
        name.iter().rposition(|&byte| byte == b'/').and_then(|at| name.get(..=at)).unwrap_or_default();
    let is_cut = |rest| SPARSE.starts_with(rest);
    path.windows(SPARSE.len()).any(|part| part == SPARSE)
        || (!directory.is_empty() && directory.starts_with(path))
        || path.strip_prefix(directory).is_some_and(is_cut)
}

/// Returns whether a size in a header only stands there as the true one doesn't fit its eleven octal digits.
fn is_placeholder(header: u64, size: u64) -> bool {
    const MAX_OCTAL: u64 = 0o777_7777_7777;
    size > MAX_OCTAL && (header == 0 || header == MAX_OCTAL)
}

/// Returns the text that a record says, else a long name, else a record for all members, else the header.
fn settle(
    own: Option<Vec<u8>>,
    long: Option<Vec<u8>>,
    global: Option<&Vec<u8>>,
    header: Vec<u8>,
    fault: &mut Option<Fault>,
    of: &'static str,
) -> Vec<u8> {
    if let (Some(own), Some(long)) = (&own, &long)
        && own != long
    {
        fault.get_or_insert(Fault::Ambiguous(of));
    }
    if let Some(own) = own.or(long) {
        return own;
    }
    match global {
        // Some programs take these records for the member, some don't read them.
        Some(global) if *global != header => {
            fault.get_or_insert(Fault::Ambiguous(of));
            global.clone()
        }
        _ => header,
    }
}
