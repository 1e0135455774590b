//! The place of a damaged file: its folder, which stays open, and the names in it.

use super::outcome::{Unrepaired, failed};
use crate::scrub::ground::{Ground, stamp_of_file};
use hashmill_keep::{Kept, Repair, Verdict, aside_name};
use hashmill_os::error::is_no_swap;
use hashmill_os::{exchange_in, facts, link_in, random, remove_in, rename_in};
use hashmill_source::{Entry, Meta, OperandDirectory, Origin, meta_in, meta_of};
use std::fs::File;
use std::io;
use std::sync::Arc;

/// Stands behind the name of the file beside while a file system without swaps needs two of them.
const SECOND: &[u8] = b"-old";

/// The folder of a file, and its name.
pub(super) struct Place {
    /// The folder, open for lookups and changes of names.
    pub(super) folder: File,
    name: Box<[u8]>,
    /// The path of the file as it is kept.
    pub(super) path: Box<[u8]>,
    /// The path of the file below the directory.
    below: Box<[u8]>,
    directory: Arc<OperandDirectory>,
}

/// A damaged file that is open.
pub(super) struct Damaged {
    pub(super) file: File,
    pub(super) meta: Meta,
    /// The number of its names.
    pub(super) links: u64,
    pub(super) has_holes: bool,
}

/// Two files that were swapped.
pub(super) struct Swapped {
    pub(super) damaged: Meta,
    pub(super) new: Meta,
}

impl Place {
    pub(super) fn open(ground: &Ground, path: &[u8]) -> io::Result<Place> {
        let (directory, below) = ground.directory(path)?;
        let folder = directory.open_parent(&below)?;
        let name = below.rsplit(|byte| *byte == b'/').next().unwrap_or_default().into();
        Ok(Place { folder, name, path: path.into(), below, directory })
    }

    /// Opens the damaged file, if it is still the one whose content is kept: size and times tell.
    pub(super) fn damaged(&self, kept: &Kept) -> Result<Damaged, Unrepaired> {
        let differs = kept.verdict == Some(Verdict::Differs);
        if kept.proposal.is_some() && !differs {
            return Err(changed("it was edited, and the edit was not accepted (--accept)"));
        }
        let file = self.directory.open_file(&self.below).map_err(failed("cannot open it"))?;
        let meta = meta_of(&file).map_err(failed("cannot examine it"))?;
        let links = facts(&file).map_err(failed("cannot examine it"))?.links;
        if !meta.is_file() {
            return Err(Unrepaired::Failed("it is no regular file".into()));
        }
        // A file that differs for no visible reason is replaced only if it is what was judged.
        let judged = kept.proposal.as_ref().and_then(|judged| judged.stamp);
        if kept.is_edited(meta.size, stamp_of_file(&meta)) || differs && judged != Some(stamp_of_file(&meta))
        {
            return Err(changed("it was changed since it was verified"));
        }
        let has_holes = meta.blocks.saturating_mul(512) < meta.size;
        let damaged = Damaged { file, meta, links, has_holes };
        if self.has(&damaged) { Ok(damaged) } else { Err(changed("it was replaced meanwhile")) }
    }

    /// Draws a name for the file beside.
    pub(super) fn new_name(&self) -> io::Result<Box<[u8]>> {
        let mut drawn = [0; 12];
        random(&mut drawn)?;
        Ok(aside_name(&self.name, drawn))
    }

    /// Returns the entry of another file in the folder, to read it.
    pub(super) fn entry(&self, name: &[u8]) -> Entry {
        let folder = &self.below[..self.below.len() - self.name.len()];
        let entry = Entry::new([folder, name].concat().into(), Origin::Path);
        Entry { operand: Some(Arc::clone(&self.directory)), ..entry }
    }

    /// Opens the damaged file that was put aside, if it has other names, too.
    pub(super) fn open_aside(&self, repair: &Repair) -> Option<File> {
        let file = self.directory.open_file(&self.entry(&repair.aside).path).ok()?;
        let is_it = meta_of(&file).is_ok_and(|meta| is_damaged(repair, &meta));
        (is_it && facts(&file).is_ok_and(|facts| facts.links > 1)).then_some(file)
    }

    /// Returns the metadata of a file in the folder; none if there is no file of this name.
    pub(super) fn meta(&self, name: &[u8]) -> io::Result<Option<Meta>> {
        match meta_in(&self.folder, name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            meta => meta.map(Some),
        }
    }

    /// Swaps the damaged file and the new one: what has the name in the end is the new one, and the damaged one has the name beside.
    pub(super) fn swap(&self, damaged: &Damaged, repair: &Repair) -> Result<Swapped, Unrepaired> {
        if !self.has(damaged) {
            return Err(changed("it was changed meanwhile"));
        }
        match exchange_in(&self.folder, &self.name, &repair.aside) {
            Ok(()) => {}
            Err(error) if is_no_swap(&error) => self.swap_by_link(damaged, repair)?,
            Err(error) => return Err(failed("cannot replace it")(error)),
        }
        let [aside, new] = [&repair.aside, &self.name].map(|name| meta_in(&self.folder, name));
        let (aside, new) =
            (aside.map_err(failed("cannot examine it"))?, new.map_err(failed("cannot examine it"))?);
        if is_moved(&damaged.meta, &aside) {
            return Ok(Swapped { damaged: aside, new });
        }
        // Another file had the name in the last moment, or this one was written to: it gets its name back.
        let back = exchange_in(&self.folder, &self.name, &repair.aside)
            .or_else(|_| rename_in(&self.folder, &repair.aside, &self.name));
        back.map_err(failed(
            "it was changed in the last moment; that file is beside it, and can't be put back",
        ))?;
        Err(changed("it was changed in the last moment"))
    }

    /// Swaps where the file system has no call for that: the damaged file gets a second name before it loses its own.
    fn swap_by_link(&self, damaged: &Damaged, repair: &Repair) -> Result<(), Unrepaired> {
        let second = second_name(&repair.aside);
        link_in(&self.folder, &self.name, &self.folder, &second)
            .map_err(failed("cannot replace it: the file system can neither swap files nor link them"))?;
        let is_it =
            |name: &[u8]| meta_in(&self.folder, name).is_ok_and(|meta| is_moved(&damaged.meta, &meta));
        if !is_it(&second) || !is_it(&self.name) {
            remove_in(&self.folder, &second).map_err(failed("cannot remove a second name of it"))?;
            return Err(changed("it was changed in the last moment"));
        }
        if let Err(error) = rename_in(&self.folder, &repair.aside, &self.name) {
            // If this fails as well, the next run finds it.
            let _ = remove_in(&self.folder, &second);
            let ctime = self.ctime_of(damaged).unwrap_or(damaged.meta.ctime);
            return Err(Unrepaired::Touched(format!("cannot replace it: {error}").into(), ctime));
        }
        rename_in(&self.folder, &second, &repair.aside).map_err(failed("cannot put the damaged file aside"))
    }

    /// Returns the time of metadata of the damaged file under its name; none if another file has it, or it was changed.
    fn ctime_of(&self, damaged: &Damaged) -> Option<(i64, u32)> {
        let meta = meta_in(&self.folder, &self.name).ok()?;
        is_moved(&damaged.meta, &meta).then_some(meta.ctime)
    }

    /// Returns whether the damaged file has the second name of a swap by links.
    pub(super) fn has_second(&self, repair: &Repair) -> bool {
        let second = self.meta(&second_name(&repair.aside));
        second.is_ok_and(|meta| meta.is_some_and(|meta| is_damaged(repair, &meta)))
    }

    /// Removes the new file of a repair; returns whether it was there.
    pub(super) fn remove_copy(&self, repair: &Repair) -> bool {
        let is_it =
            self.meta(&repair.aside).is_ok_and(|meta| meta.is_some_and(|meta| is_copy(repair, &meta)));
        is_it && remove_in(&self.folder, &repair.aside).is_ok()
    }

    /// Finishes, or undoes, a swap by links that was killed. Returns the time of metadata of a damaged file that still has its name:
    /// its second name changed that.
    pub(super) fn finish_swap(&self, repair: &Repair) -> io::Result<Option<(i64, u32)>> {
        let second = second_name(&repair.aside);
        let Some(old) = self.meta(&second)?.filter(|meta| is_damaged(repair, meta)) else { return Ok(None) };
        match self.meta(&self.name)? {
            Some(meta) if meta.ino == old.ino => {
                remove_in(&self.folder, &second)?;
                Ok(self.meta(&self.name)?.map(|meta| meta.ctime))
            }
            _ => {
                self.remove_copy(repair);
                if self.meta(&repair.aside)?.is_none() {
                    rename_in(&self.folder, &second, &repair.aside)?;
                }
                Ok(None)
            }
        }
    }

    /// Returns whether there is anything of the file's name.
    pub(super) fn has_file(&self) -> bool {
        meta_in(&self.folder, &self.name).is_ok()
    }

    /// Returns whether this file still has the name, and was not changed.
    fn has(&self, damaged: &Damaged) -> bool {
        meta_in(&self.folder, &self.name).is_ok_and(|now| {
            (now.dev, now.ino) == (damaged.meta.dev, damaged.meta.ino) && damaged.meta.same_content(&now)
        })
    }
}

/// Returns whether a file is that one under another name: a rename changes the time of its metadata.
fn is_moved(was: &Meta, is: &Meta) -> bool {
    (was.dev, was.ino, was.size, was.mtime) == (is.dev, is.ino, is.size, is.mtime)
}

/// Returns whether a file is the new copy of a repair. Devices may have other numbers after a restart.
pub(super) fn is_copy(repair: &Repair, meta: &Meta) -> bool {
    meta.is_file() && repair.copy.is_some_and(|(_, inode)| inode == meta.ino)
}

/// Returns whether a file is the damaged one of a repair.
pub(super) fn is_damaged(repair: &Repair, meta: &Meta) -> bool {
    let was = (repair.damaged.inode, repair.size, repair.damaged.mtime);
    meta.is_file() && was == (meta.ino, meta.size, meta.mtime)
}

fn changed(why: &str) -> Unrepaired {
    Unrepaired::Changed(why.into())
}

/// Returns the second name of a damaged file during a swap by links, from the first.
pub(super) fn second_name(aside: &[u8]) -> Vec<u8> {
    [aside, SECOND].concat()
}
