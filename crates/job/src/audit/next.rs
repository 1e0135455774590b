//! The next manifest: records of an audit become the list that the next audit compares with.

use super::Teller;
use super::manifests::{Kept, Manifests, here};
use crate::convert::check_name;
use crate::error::Error;
use crate::manifest_writer::{self, ManifestWriter};
use crate::misfit::Misfit;
use crate::notice::Notice;
use hashmill_content::output::{Output, OutputPath, create};
use hashmill_content::selection::Bytes;
use hashmill_content::stores::Stores;
use hashmill_content::wanted::Inside;
use hashmill_engine::Plan;
use hashmill_lists::{kinds, listed};
use hashmill_manifest::audit::{Finish, Learner};
use hashmill_manifest::format::{Format, Layout};
use hashmill_source::HAS_ATTRIBUTES;
use std::path::PathBuf;

/// The manifest that is being written.
pub(super) struct Next {
    pub(super) path: PathBuf,
    pub(super) writer: ManifestWriter,
    pub(super) output: Output,
}

impl Next {
    /// Begins it, in the format of the first manifest.
    ///
    /// # Errors
    /// If that format is not written, or the output can't be.
    pub(super) fn begin(
        place: OutputPath,
        manifests: &Manifests,
        plan: &Plan,
        reuses: bool,
        inside: &Inside,
        operands: &[Bytes],
        stores: &Stores,
    ) -> Result<Next, Error> {
        let inside = inside.is_any();
        place.check_no_directory()?;
        let writes = |format: &&Format| format.writer.is_some();
        let format = manifests.format.filter(writes).ok_or(Misfit::NoNext)?;
        Misfit::check_needs(format, &plan.algorithms)?;
        check_name(&plan.algorithms, format, Some(&place.path))?;
        let metadata = (reuses || manifests.metadata) && format.carries.metadata;
        let layout = Layout {
            algorithms: plan.algorithms.clone(),
            facts: if format.carries.facts { manifests.facts } else { Default::default() },
            pieces: plan.piece.is_some(),
            times: metadata || (manifests.times || inside) && format.carries.mtime,
            metadata,
            inside: inside && format.carries.inside,
            attributes: metadata && HAS_ATTRIBUTES || inside && format.carries.metadata,
            versions: manifests.versions && format.carries.version,
            ..Layout::default()
        };
        manifest_writer::fits(format, Some(&place))?;
        let below = listed::below_list(format, &place, operands, stores)?;
        let output = create(&place, kinds::MANIFEST)?;
        let mut writer = ManifestWriter::begin(format, layout, output.clone())?;
        writer.write_below(below);
        Ok(Next { path: place.path, writer, output })
    }

    /// Takes over the records that were not compared, or counts them if they are to be pruned.
    pub(super) fn carry(
        &mut self,
        kept: Vec<(Kept, Learner)>,
        finish: &Finish,
        prune: bool,
        teller: &mut Teller<'_>,
    ) -> Result<(), Error> {
        for (kept, learner) in kept {
            for record in kept.records(&learner)? {
                let mut record = record?;
                if !finish.is_set_aside(&record) {
                    continue;
                }
                if prune {
                    teller.tally.counted.pruned += 1;
                    continue;
                }
                teller.tally.counted.carried += 1;
                if let Some(ground) = &teller.tally.ground {
                    record.path = here(&finish.known().local_of(&record.path), &ground.places);
                }
                self.writer.carry(record, &mut |refusal| teller.notice(Notice::Refused(refusal)))?;
            }
        }
        Ok(())
    }
}
