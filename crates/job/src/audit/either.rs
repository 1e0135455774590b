//! The manifests of an audit and their judge, in memory or outside.

use super::manifests::{Kept, Manifests, OnNotice, OpenLists, may_select, meant};
use super::others::KnownOthers;
use super::streamed::{StreamedJudge, StreamedList};
use crate::error::Error;
use hashmill_content::resources::Resources;
use hashmill_content::selection::Bytes;
use hashmill_content::stores::Stores;
use hashmill_digest::Algorithm;
use hashmill_engine::flow::Entries;
use hashmill_engine::{Cancel, Plan};
use hashmill_lists::entries::List;
use hashmill_lists::listed::Reach;
use hashmill_lists::listing::Listing;
use hashmill_lists::paths::Paths;
use hashmill_manifest::Record;
use hashmill_manifest::audit::{Audit, Finish, Learner, Places, Scope, Unjudged, Verdict};
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// The manifests of an audit.
pub(super) enum EitherList {
    Whole(Box<Manifests>),
    /// One that is too long for memory, and the memory for sorting.
    Streamed(Box<StreamedList>, usize),
}

/// The judge of an audit.
pub(super) enum EitherJudge {
    Whole(Box<Audit>),
    Streamed(Box<StreamedJudge>),
}

impl EitherList {
    /// Takes manifests that were read into memory.
    ///
    /// # Errors
    /// If there are too many records.
    pub(super) fn whole(mut manifests: Manifests) -> Result<EitherList, Error> {
        manifests.know_undigested()?;
        Ok(EitherList::Whole(Box::new(manifests)))
    }

    /// Reads the only manifest without holding it in memory. Returns `None` if it has to be read as a whole.
    ///
    /// # Errors
    /// If there is no room for temporary files.
    pub(super) fn streamed(
        manifests: &[(PathBuf, Listing)],
        is_of_listed: bool,
        memory: usize,
        cancel: &Cancel,
    ) -> Result<Option<EitherList>, Error> {
        let [(path, listing)] = manifests else { return Ok(None) };
        let Some(list) = List::new(path, listing) else { return Ok(None) };
        let list = StreamedList::read(path, &list, is_of_listed, memory / 4, cancel)?;
        Ok(list.map(|list| EitherList::Streamed(Box::new(list), memory / 4)))
    }

    /// Maps the manifests' paths to paths below the operands.
    ///
    /// # Errors
    /// If temporary files can't be read back.
    pub(super) fn places(&mut self, operands: &[Bytes], stores: &Stores) -> Result<Places, Error> {
        match self {
            EitherList::Whole(manifests) => Ok(manifests.places(operands, stores)),
            EitherList::Streamed(list, _) => list.places(operands, stores),
        }
    }

    /// Returns the part of the manifests that the operands select; `None` stands for all of them.
    ///
    /// # Errors
    /// If temporary files can't be read back.
    pub(super) fn scope(
        &mut self,
        operands: &[Bytes],
        places: &Places,
        stores: &Stores,
    ) -> Result<Option<Scope>, Error> {
        match self {
            EitherList::Whole(manifests) => Ok(manifests.scope(operands, places, stores)),
            EitherList::Streamed(list, _) if may_select(operands, places, stores) => {
                list.scope(operands, places)
            }
            EitherList::Streamed(..) => Ok(None),
        }
    }

    /// Learns the algorithms of unnamed digests from files that exist. Returns the lists for which none was found.
    pub(super) fn learn(&mut self, places: &Places, plan: &Plan, told: &mut OnNotice<'_>) -> OpenLists {
        let EitherList::Whole(manifests) = self else { return OpenLists::default() };
        manifests.learn(places, plan, told);
        manifests.open()
    }

    /// Takes the records that were kept for the next manifest, with what was learnt about their digests.
    pub(super) fn take_kept(&mut self) -> Vec<(Kept, Learner)> {
        match self {
            EitherList::Whole(manifests) => manifests.take_kept(),
            EitherList::Streamed(..) => Vec::new(),
        }
    }

    /// Returns the plan to hash files so that they can be compared.
    ///
    /// # Errors
    /// If there are no digests, or the key of an algorithm is missing.
    pub(super) fn plan(&self, plan: Plan, resources: &Resources) -> Result<Plan, Error> {
        Ok(match self {
            EitherList::Whole(manifests) => Plan {
                algorithms: manifests.algorithms_to_compute(resources)?,
                piece: manifests.known.piece_length().and_then(NonZeroU64::new),
                whole: manifests.known.has_wholes(),
                ..plan
            },
            EitherList::Streamed(list, _) => {
                Plan { algorithms: list.algorithms_to_compute(resources)?, piece: None, whole: true, ..plan }
            }
        })
    }

    /// Returns the manifests in memory.
    pub(super) fn manifests(&self) -> Option<&Manifests> {
        if let EitherList::Whole(manifests) = self { Some(manifests) } else { None }
    }

    /// Returns the links, FIFOs and the like that the manifests list; `None` if one is in a format that can't.
    pub(super) fn others(&self) -> Option<KnownOthers> {
        match self {
            EitherList::Whole(manifests) => manifests.others().cloned().map(KnownOthers::Whole),
            EitherList::Streamed(list, _) => list.others.clone().map(KnownOthers::Streamed),
        }
    }

    /// Returns the files that the manifests name.
    pub(super) fn files(&self, places: &Places, reach: &Reach) -> Entries {
        match self {
            EitherList::Whole(manifests) => {
                let known = manifests.known.local_paths();
                Box::new(Paths::new(known.map(|path| meant(&path, places)), reach.clone()))
            }
            EitherList::Streamed(list, _) => Box::new(list.files(places, reach)),
        }
    }

    /// Returns the judge.
    pub(super) fn judge(self, places: Places, plan: &Plan, with_sides: bool) -> EitherJudge {
        match self {
            EitherList::Whole(manifests) => {
                let audit = Audit::new(manifests.known, places, &plan.algorithms);
                EitherJudge::Whole(Box::new(audit.with_sides(with_sides)))
            }
            EitherList::Streamed(list, memory) => {
                let judge = StreamedJudge::new(*list, places, memory, with_sides);
                EitherJudge::Streamed(Box::new(judge))
            }
        }
    }
}

/// A judgement, or the error of a temporary file.
type Judged = Result<Result<Option<Verdict>, Unjudged>, Error>;

impl EitherJudge {
    /// Takes an observed record, as [`Audit::observe`] does.
    pub(super) fn observe(&mut self, record: &Record) -> Judged {
        match self {
            EitherJudge::Whole(audit) => Ok(audit.observe(record)),
            EitherJudge::Streamed(judge) => judge.observe(record),
        }
    }

    /// Takes an object that only represents a folder, as [`Audit::observe_folder`] does.
    pub(super) fn observe_folder(&mut self, path: &[u8]) -> Judged {
        match self {
            EitherJudge::Whole(audit) => Ok(audit.observe_folder(path)),
            EitherJudge::Streamed(judge) => judge.observe_folder(path),
        }
    }

    /// Returns whether a path is known.
    pub(super) fn knows(&mut self, path: &[u8]) -> Result<bool, Error> {
        match self {
            EitherJudge::Whole(audit) => Ok(audit.knows(path)),
            EitherJudge::Streamed(judge) => judge.knows(path),
        }
    }

    /// Returns the size that the manifests state of a path.
    pub(super) fn known_size(&mut self, path: &[u8]) -> Option<u64> {
        match self {
            EitherJudge::Whole(audit) => audit.known_size(path),
            EitherJudge::Streamed(judge) => judge.known_size(path),
        }
    }

    /// Returns the algorithms by which files matched unnamed digests, as [`Audit::revealed`] does.
    pub(super) fn revealed(&self) -> Vec<(usize, &'static Algorithm)> {
        match self {
            EitherJudge::Whole(audit) => audit.revealed().to_vec(),
            EitherJudge::Streamed(_) => Vec::new(),
        }
    }

    /// Returns whether the known records of the path of a file have this content, as [`Audit::has`] does.
    pub(super) fn has(&mut self, record: &Record) -> bool {
        match self {
            EitherJudge::Whole(audit) => audit.has(record),
            EitherJudge::Streamed(judge) => judge.has(record),
        }
    }

    /// Marks a known path as present without judging it. Returns whether it is known.
    pub(super) fn leave_out(&mut self, path: &[u8]) -> Result<bool, Error> {
        match self {
            EitherJudge::Whole(audit) => Ok(audit.leave_out(path)),
            EitherJudge::Streamed(judge) => judge.leave_out(path),
        }
    }

    /// Excludes known paths outside this scope. Returns their number.
    pub(super) fn restrict(&mut self, scope: &Scope) -> Result<u64, Error> {
        match self {
            EitherJudge::Whole(audit) => Ok(audit.restrict(scope)),
            EitherJudge::Streamed(judge) => judge.restrict(scope),
        }
    }

    /// Excludes known paths that can't be met, as [`Audit::close`] does. Returns their number.
    pub(super) fn close(&mut self, is_closed: &dyn Fn(&[u8]) -> bool) -> Result<u64, Error> {
        match self {
            EitherJudge::Whole(audit) => Ok(audit.close(is_closed)),
            EitherJudge::Streamed(judge) => judge.close(is_closed),
        }
    }

    /// Notes that the known records of a path can't be compared. Returns whether there are any, in memory.
    pub(super) fn set_aside(&mut self, path: &[u8]) -> bool {
        match self {
            EitherJudge::Whole(audit) => audit.set_aside(path),
            EitherJudge::Streamed(_) => false,
        }
    }

    /// Tells the verdicts that need all files, until no more are wanted. `tell` returns whether the record was compared.
    /// Returns what knows which records were not, if they are in memory.
    pub(super) fn finish(
        self,
        tell: &mut dyn FnMut(Verdict) -> ControlFlow<(), bool>,
    ) -> Result<Option<Finish>, Error> {
        match self {
            EitherJudge::Whole(audit) => {
                let mut finish = audit.finish();
                while let Some(verdict) = finish.next() {
                    match tell(verdict) {
                        ControlFlow::Continue(true) => {}
                        ControlFlow::Continue(false) => finish.set_aside_last(),
                        ControlFlow::Break(()) => break,
                    }
                }
                Ok(Some(finish))
            }
            EitherJudge::Streamed(judge) => {
                judge.finish(&mut |verdict| tell(verdict).map_continue(drop)).map(|()| None)
            }
        }
    }
}
