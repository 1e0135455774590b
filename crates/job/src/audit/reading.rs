//! Beginning of an audit: its manifests are read, it is settled where the files lie that they list, and the walk begins.

use super::either::{EitherJudge, EitherList};
use super::manifests::{Manifests, OnNotice};
use super::next::Next;
use super::others::Others;
use super::tally::{Ground, Tally};
use super::{Audit, AuditJob, AuditSummary, Comparison};
use crate::error::Error;
use crate::misfit::Misfit;
use crate::{labels, reuse};
use hashmill_content::entry::facts::EntryFacts;
use hashmill_content::entry::stated::Stated;
use hashmill_content::operands::archive_operand::{is_archive, paths_in};
use hashmill_content::resources::Resources;
use hashmill_content::selection::counting;
use hashmill_content::selection::own::OwnFiles;
use hashmill_content::selection::{Bytes, ListError, Selected, Selection};
use hashmill_content::wanted::Inside;
use hashmill_digest::Algorithm;
use hashmill_engine::flow::Entries;
use hashmill_engine::{Live, Plan};
use hashmill_known::Classifier;
use hashmill_lists::companions;
use hashmill_lists::history::Patterns;
use hashmill_manifest::audit::{Places, Scope};
use std::path::Path;
use std::sync::Arc;

/// The manifests of an audit.
struct Lists {
    list: EitherList,
    /// The given algorithm, if no digest needs it.
    unneeded: Option<&'static Algorithm>,
}

/// The places of the files that the manifests list.
struct Whereabouts {
    places: Places,
    /// The only operand, if the manifests are of its members.
    archive: Option<Bytes>,
    /// The part of the manifests that the operands cover; `None` if they are compared as a whole.
    scope: Option<Scope>,
}

impl AuditJob {
    /// Reads the manifests, and begins the new one.
    ///
    /// # Errors
    /// If options contradict each other, or a manifest can't be used.
    pub fn read(self, told: &mut OnNotice<'_>) -> Result<Audit, Error> {
        let is_streamed = self.is_streamed();
        self.read_as(is_streamed, told)
    }

    /// Reads the manifests into memory, or leaves the only one outside if that is wanted and possible.
    pub(super) fn read_as(mut self, is_streamed: bool, told: &mut OnNotice<'_>) -> Result<Audit, Error> {
        let (archive, has_inside) = (self.archive(), self.inside().is_any());
        let resources = self.resources.beside(has_inside || archive.is_some());
        let plan = Plan { cancel: self.cancel.clone(), ..resources.plan(Vec::new())? };
        if has_inside {
            self.resources.fits_images()?;
        }
        self.resources.give_way()?;
        let own = self.own_files();
        let mut lists = self.lists(is_streamed, told)?;
        let there = self.whereabouts(&mut lists.list, archive)?;
        self.begin(lists, there, plan, own, told)
    }

    /// Takes the manifests: into memory, or as one that stays outside.
    fn lists(&mut self, is_streamed: bool, told: &mut OnNotice<'_>) -> Result<Lists, Error> {
        let is_of_listed = self.selection.is_none();
        let streamed = match is_streamed {
            true => EitherList::streamed(&self.manifests, is_of_listed, self.resources.memory, &self.cancel)?,
            false => None,
        };
        if let Some(list) = streamed {
            return Ok(Lists { list, unneeded: None });
        }
        let manifests = Manifests::new(self.sides).in_place(is_of_listed).keeping(self.update.is_some());
        let manifests = manifests.read(std::mem::take(&mut self.manifests), self.algorithm, told)?;
        let unneeded = self.algorithm.filter(|row| !manifests.may_need(row));
        Ok(Lists { list: EitherList::whole(manifests)?, unneeded })
    }

    /// Settles where the listed files lie among the operands.
    fn whereabouts(&self, list: &mut EitherList, archive: Option<Bytes>) -> Result<Whereabouts, Error> {
        let (operands, stores) = (self.operands(), &self.resources.stores);
        let mut places = list.places(operands, stores)?;
        Misfit::check_roots(&places.roots)?;
        let archive = archive.filter(|archive| {
            let members = || paths_in(archive, &self.resources);
            let inside =
                list.manifests().and_then(|manifests| manifests.places_in(archive, &places, &members()));
            inside.map(|inside| places = inside).is_some()
        });
        let scope = match self.selection {
            None => None,
            Some(_) => list.scope(operands, &places, stores)?,
        };
        Ok(Whereabouts { places, archive, scope })
    }

    /// Begins the walk and the new manifest.
    fn begin(
        mut self,
        lists: Lists,
        there: Whereabouts,
        plan: Plan,
        mut own: OwnFiles,
        told: &mut OnNotice<'_>,
    ) -> Result<Audit, Error> {
        let Lists { mut list, unneeded } = lists;
        let open = list.learn(&there.places, &plan, told);
        let guessed = list.manifests().map(Manifests::guessed).unwrap_or_default();
        let kept = list.take_kept();
        let plan = list.plan(plan, &self.resources)?;
        self.fits(&plan)?;
        let reusing = self.reuse.take().map(|reuse| reuse.start(&plan)).transpose()?;
        let next = self.next(&list, &plan, reusing.is_some())?;
        next.iter().for_each(|next| own.add_output(&next.output));
        let ignoring = self.ignoring(&list);
        let facts = self.facts(next.is_some());
        let stated =
            self.selection.as_ref().map_or_else(Stated::default, |selection| selection.stated.clone());
        let mut tally = self.tally(&there.places);
        let live = Arc::default();
        let (entries, problem) = self.entries(&list, &there, &own, &live)?;
        let malformed = list.manifests().map_or(0, |manifests| manifests.malformed);
        let others = list.others().map(|known| Others::from_known(known, &there.places));
        let Whereabouts { places, scope, .. } = there;
        let mapped = if tally.counted.is_of_listed { Vec::new() } else { places.roots.clone() };
        let mut judge = list.judge(places, &plan, self.sides);
        confine(&mut judge, scope.as_ref(), &mut tally)?;
        let classifier = self.sets.map(Classifier::new);
        let (prune, with_sides) = (self.prune, self.sides);
        let comparison = Comparison {
            judge,
            open,
            own,
            ignoring,
            stated,
            facts,
            next,
            kept,
            prune,
            classifier,
            others,
            with_sides,
        };
        let summary = AuditSummary { malformed, guessed, mapped, ..AuditSummary::default() };
        Ok(Audit { plan, unneeded, entries, reusing, list: problem, live, comparison, tally, summary })
    }

    /// Checks that sets and an earlier manifest fit the digests that are computed.
    fn fits(&self, plan: &Plan) -> Result<(), Error> {
        if let Some(sets) = &self.sets {
            labels::check(sets, &plan.algorithms)?;
        }
        if self.reuse.is_some() {
            reuse::fits(plan, self.operands(), &self.resources.stores)?;
        }
        Ok(())
    }

    /// Begins the new manifest, if one is wanted.
    fn next(&mut self, list: &EitherList, plan: &Plan, reuses: bool) -> Result<Option<Next>, Error> {
        let (Some(place), Some(manifests)) = (self.update.take(), list.manifests()) else { return Ok(None) };
        let (operands, stores) = (self.operands(), &self.resources.stores);
        let next = Next::begin(place, manifests, plan, reuses, &self.inside(), operands, stores)?;
        next.output.expects(operands);
        Ok(Some(next))
    }

    /// Returns the patterns of files that the manifests leave out.
    fn ignoring(&self, list: &EitherList) -> Vec<Patterns> {
        let selected = self.selection.as_ref().zip(list.manifests());
        selected.map_or_else(Vec::new, |(selection, manifests)| manifests.ignoring(&selection.paths))
    }

    /// Returns the facts about entries, which are kept for a new manifest only.
    fn facts(&mut self, is_kept: bool) -> EntryFacts {
        match &mut self.selection {
            Some(selection) if is_kept => {
                selection.facts = EntryFacts::taken();
                selection.facts.clone()
            }
            _ => EntryFacts::default(),
        }
    }

    /// Makes the tally of the comparison.
    fn tally(&self, places: &Places) -> Tally {
        let stores = &self.resources.stores;
        let mut tally = Tally::new(stores, self.inside());
        tally.counted.is_of_listed = self.selection.is_none();
        let is_remote =
            |operand: &&Bytes| stores.is_location(operand) && stores.folder_here(operand).is_none();
        tally.locations = self.operands().iter().filter(is_remote).cloned().collect();
        if tally.locations.is_empty() {
            tally.ground = Some(Ground { places: places.clone(), folder: Box::default() });
        }
        tally
    }

    /// Returns the entries that the selection finds, without the audit's own files, or the files that the manifests name.
    fn entries(
        &mut self,
        list: &EitherList,
        there: &Whereabouts,
        own: &OwnFiles,
        live: &Arc<Live>,
    ) -> Result<(Entries, ListError), Error> {
        let selection = self.selection.take();
        let in_archive =
            there.archive.as_ref().and_then(|archive| selection.as_ref()?.members(archive, &self.resources));
        match (in_archive, selection) {
            (Some(members), _) => Ok((members, ListError::default())),
            (None, Some(selection)) => walk(selection, own, &self.resources, live),
            (None, None) => {
                if self.resources.counts {
                    let counted = list.files(&there.places, &self.reach);
                    counting::count(live, move || Some(counted));
                }
                Ok((list.files(&there.places, &self.reach), ListError::default()))
            }
        }
    }

    fn operands(&self) -> &[Bytes] {
        self.selection.as_ref().map_or(&[], |selection| &selection.paths)
    }

    fn inside(&self) -> Inside {
        self.selection.as_ref().map_or_else(Inside::default, |selection| selection.inside)
    }

    /// Returns the files that belong to the manifests read and the manifest written. They are met only by a walk.
    fn own_files(&self) -> OwnFiles {
        let Some(selection) = &self.selection else { return OwnFiles::default() };
        let mut own = selection.own.clone();
        own.add_identities(self.manifests.iter().filter_map(|(_, list)| list.identity()));
        own.add_identities(self.reuse.iter().filter_map(|reuse| reuse.list.identity()));
        let update = self.update.iter().map(|place| place.path.as_path());
        let lists =
            self.manifests.iter().map(|(path, _)| path.as_path()).filter(|path| *path != Path::new("-"));
        lists.chain(update).for_each(|list| companions::add_below(&mut own, list, &selection.paths));
        own
    }

    /// Returns whether the manifest is too long for memory, and may stay outside.
    fn is_streamed(&self) -> bool {
        let mut operands = self.selection.iter().flat_map(|selection| &selection.paths);
        let [(path, _)] = &self.manifests[..] else { return false };
        let is_long =
            path.metadata().is_ok_and(|meta| meta.len() > self.resources.memory as u64 / PART_OF_MEMORY);
        is_long
            && self.algorithm.is_none()
            && self.update.is_none()
            && !operands.any(|operand| self.resources.stores.is_in_bucket(operand))
            && self.archive().is_none()
    }

    /// Returns the only operand if it is an archive that is not entered beside being read: unless the manifests name it,
    /// they may be about its members.
    fn archive(&self) -> Option<Bytes> {
        let selection = self.selection.as_ref()?;
        let [operand] = &selection.paths[..] else { return None };
        let may_be = !selection.inside.is_any() && selection.list.is_none();
        (may_be && is_archive(operand, &self.resources)).then(|| operand.clone())
    }
}

/// Leaves the records out that are not of the files met: those outside of the scope, and those inside of what stays closed.
fn confine(judge: &mut EitherJudge, scope: Option<&Scope>, tally: &mut Tally) -> Result<(), Error> {
    if let Some(scope) = scope {
        tally.counted.left_out.outside = judge.restrict(scope)?;
    }
    tally.counted.left_out.closed = judge.close(&|path| tally.is_closed(path))?;
    Ok(())
}

/// Returns the entries that a selection finds, without the audit's own files.
fn walk(
    mut selection: Selection,
    own: &OwnFiles,
    resources: &Resources,
    live: &Arc<Live>,
) -> Result<(Entries, ListError), Error> {
    selection.own = own.clone();
    if resources.counts {
        selection.count(resources, live);
    }
    selection.is_read_at_once = true;
    let Selected { entries, problem } = selection.open(resources)?;
    Ok((entries, problem))
}

/// The part of the memory that a manifest may take as a file, to be read as a whole. In memory it takes up to four times
/// as much.
const PART_OF_MEMORY: u64 = 8;
