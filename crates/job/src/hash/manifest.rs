//! The manifest that a job writes: the checks of its options, and its files.

use super::{HashJob, Input};
use crate::case::Case;
use crate::error::Error;
use crate::manifest_writer;
use crate::misfit::Misfit;
use crate::resume::begun::Begun;
use crate::resume::{Beside, Kept, Shape};
use hashmill_content::output::{self, Output, OutputKind, OutputPath, To, WriteError};
use hashmill_content::stores::Stores;
use hashmill_content::{self as content, NotOfImages};
use hashmill_digest::Style;
use hashmill_engine::Order;
use hashmill_lists::companions;
use hashmill_lists::history::Below;
use hashmill_lists::history::next::{GenerationPlace, Next};
use hashmill_lists::kinds;
use hashmill_lists::listed;
use hashmill_lists::sealing;
use hashmill_lists::signatures::Signer;
use hashmill_lists::signatures::staged::Signing;
use hashmill_manifest::case::Start;
use hashmill_manifest::format::{Body, Format, Layout};
use hashmill_os::names;
use hashmill_source::{BadBlocks, HAS_ATTRIBUTES, Identity, identity};
use std::path::Path;
use std::sync::Arc;

/// A manifest to be written.
pub struct Manifest {
    /// The format of the records.
    pub format: &'static Format,
    /// The destination of the manifest.
    pub to: To,
    /// Whether records have the modification time of each file.
    pub times: bool,
    /// The encoding of digests.
    pub style: Style,
    /// Case data for the start and the end of the manifest.
    pub case: Option<Case>,
    /// Whether a seal is written beside the manifest.
    pub seal: bool,
    /// Whether file names are written without their folders.
    pub bare_names: bool,
    /// Whether an interrupted run is resumed.
    pub resume: bool,
    /// The keys that sign the manifest.
    pub signers: Vec<Signer>,
    /// Whether names are relative to the folder of the manifest in every format, not only where a format means them so.
    pub is_relative: bool,
    /// Patterns of files that the run leaves out, for formats that state them.
    pub patterns: Vec<Box<[u8]>>,
}

/// A manifest whose output is open.
pub(super) struct Target {
    pub(super) shape: Shape,
    pub(super) output: Output,
    pub(super) resumable: Option<Resumable>,
    pub(super) signing: Option<Signing>,
    /// The file as it was given.
    pub(super) place: Option<OutputPath>,
    pub(super) seal: bool,
    pub(super) bare_names: bool,
    /// The folder that names are relative to, if the format says so.
    pub(super) below: Option<Arc<Below>>,
    /// The histories of which this is the next generation.
    pub(super) history: Option<Arc<Next>>,
}

/// The files beside an output that allow a later run to resume.
pub(super) struct Resumable {
    pub(super) beside: Beside,
    pub(super) kept: Option<Kept>,
    /// The states of large objects.
    pub(super) begun: Arc<Begun>,
}

impl Manifest {
    /// Makes a manifest of this format, with default settings.
    pub fn new(format: &'static Format, to: To) -> Manifest {
        Manifest {
            format,
            to,
            times: false,
            style: Style::Usual,
            case: None,
            seal: false,
            bare_names: false,
            resume: false,
            is_relative: false,
            signers: Vec::new(),
            patterns: Vec::new(),
        }
    }

    /// Returns the path that was given.
    fn path(&self) -> Option<&Path> {
        self.to.path()
    }

    /// Returns the path of the manifest, if it will be a new file.
    fn file(&self) -> Option<&Path> {
        self.to.file().filter(|place| output::replaces(place)).map(|place| &*place.path)
    }

    /// Checks that the options of the manifest and of the job don't contradict each other.
    pub(super) fn fits(&self, job: &HashJob) -> Result<(), Misfit> {
        let Manifest { format, .. } = *self;
        let refuse = |refused: bool, misfit: Misfit| if refused { Err(misfit) } else { Ok(()) };
        refuse(format.writer.is_none(), Misfit::NoWriter(format))?;
        refuse(job.piece.is_some() && !format.carries.pieces, Misfit::Pieces(format))?;
        if let Some((_, row)) = job.algorithms.likeness.first() {
            refuse(!format.carries.likeness, Misfit::Likeness(format, row.name))?;
        }
        refuse(!job.all_facts().is_empty() && !format.carries.facts, Misfit::Facts(format))?;
        manifest_writer::fits(format, self.to.file())?;
        self.fits_only(job)?;
        Misfit::check_needs(format, &job.algorithms.digests)?;
        let torn = matches!(format.body, Body::Text);
        refuse(self.resume && (!torn || self.place().is_some()), Misfit::ResumeFormat(format))?;
        refuse(job.leaves && !format.carries.leaves, Misfit::Leaves(format))?;
        let mut shapes = job.algorithms.digests.iter().filter_map(|row| row.leaves);
        let kept = shapes.any(|shape| shape.kept_bytes().is_some());
        refuse(job.leaves && !kept, Misfit::NoLeaves)?;
        self.fits_style(job)?;
        refuse(self.times && !format.carries.mtime, Misfit::Times(format))?;
        refuse(job.has_metadata() && !format.carries.metadata, Misfit::Metadata(format))?;
        let zero = job.bad_blocks == BadBlocks::Zero;
        refuse(zero && !format.carries.bad_blocks, Misfit::BadBlocks(format))?;
        self.case.as_ref().map_or(Ok(()), |case| case.fits(format))?;
        refuse(self.seal && self.path().is_none(), Misfit::SealStream)?;
        if !matches!(job.input, Input::Selection(_)) {
            refuse(self.resume, content::Misfit::Images(NotOfImages::Resume).into())?;
        }
        refuse(self.resume && job.order == Order::Any, Misfit::ResumeOrder)?;
        job.labels.as_ref().map_or(Ok(()), |labels| labels.fits(format))
    }

    /// Checks that the style has an encoding for every algorithm.
    fn fits_style(&self, job: &HashJob) -> Result<(), Misfit> {
        let usual = self.style == Style::Usual;
        if !usual && !self.format.carries.styles {
            return Err(Misfit::Style(self.format));
        }
        let other = job.algorithms.digests.iter().find(|row| !row.has(self.style)).map(|row| row.name);
        let other = other.or(job.algorithms.likeness.first().map(|(_, row)| row.name).filter(|_| !usual));
        other.map_or(Ok(()), |other| Err(Misfit::OtherStyle(self.style, other)))
    }

    /// Checks that a format for certain algorithms gets no others.
    fn fits_only(&self, job: &HashJob) -> Result<(), Misfit> {
        if self.format.only.is_empty() {
            return Ok(());
        }
        let other = job.algorithms.digests.iter().map(|row| row.name).find(|name| !self.format.holds(name));
        let other = other.or(job.algorithms.likeness.first().map(|(_, row)| row.name));
        other.map_or(Ok(()), |other| Err(Misfit::Only(self.format, other)))
    }

    /// Returns the place of the manifest in a history, if it goes into one.
    fn place(&self) -> Option<GenerationPlace> {
        GenerationPlace::from_output(self.format, self.path()?)
    }

    /// Reads the histories that the manifest continues, if it goes into one.
    pub(super) fn history(&self, job: &HashJob) -> Result<Option<Arc<Next>>, Error> {
        let Some(place) = self.place() else { return Ok(None) };
        let digests = &job.algorithms.digests;
        let (files, operands) = (&job.resources.files, job.input.operands());
        let next = Next::read(place, files, operands, digests, &self.patterns)?;
        Ok(Some(Arc::new(next)))
    }

    /// Opens the output. From then on, the partial output of an earlier run may be replaced.
    pub(super) fn open(mut self, job: &HashJob, history: Option<Arc<Next>>) -> Result<Target, Error> {
        if let Some(next) = &history {
            next.make_folder()?;
            self.to = To::File(next.place());
        }
        let mut shape = self.shape(job);
        let place = self.to.file().cloned();
        let below = match &place {
            Some(place)
                if self.is_relative && job.resources.stores.is_location(&names::path_bytes(&place.path)) =>
            {
                Some(Arc::new(Below::each(job.input.operands())))
            }
            Some(place) if history.is_none() && self.is_relative => {
                let folder = output::directory(&place.path);
                let below = Below::new(folder, job.input.operands());
                let (below, _) = below.map_err(|error| WriteError::new(folder, error))?;
                Some(Arc::new(below))
            }
            Some(place) if history.is_none() && !self.bare_names => {
                listed::below_list(self.format, place, job.input.operands(), &job.resources.stores)?
            }
            _ => None,
        };
        let signers = std::mem::take(&mut self.signers);
        let signing = match self.file() {
            _ if signers.is_empty() => None,
            Some(file) => Some(Signing::prepare(signers, file)?),
            None => return Err(Misfit::SignStream.into()),
        };
        self.check_seal()?;
        let (output, resumable) = match &history {
            Some(next) => (output::create(&next.place(), OutputKind::Anything)?, None),
            None => self.output(job, &shape)?,
        };
        if let Some(kept) = resumable.as_ref().and_then(|resumable| resumable.kept.as_ref()) {
            shape = kept.shape.clone();
        }
        let (seal, bare_names) = (self.seal, self.bare_names);
        Ok(Target { shape, output, resumable, signing, place, seal, bare_names, below, history })
    }

    /// Checks whether the seal may be written under its name, before hours are spent on the manifest.
    fn check_seal(&self) -> Result<(), WriteError> {
        let To::File(place) = &self.to else { return Ok(()) };
        let path = sealing::beside(&place.path);
        if !self.seal || !path.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
            return Ok(());
        }
        sealing::SEAL.check(&path, place.force).map_err(|source| WriteError::new(&path, source))
    }

    fn shape(&self, job: &HashJob) -> Shape {
        let format = self.format;
        let layout = Layout {
            algorithms: job.algorithms.digests.clone(),
            likeness: job.algorithms.likeness.clone(),
            facts: job.all_facts(),
            style: self.style,
            leaves: job.leaves,
            pieces: job.piece.is_some(),
            times: self.times || job.has_metadata() || format.carries.mtime && job.input.has_inside(),
            metadata: job.has_metadata(),
            inside: format.carries.inside && job.input.has_inside(),
            attributes: format.carries.metadata
                && (job.has_metadata() && HAS_ATTRIBUTES || job.input.has_inside()),
            bad_blocks: job.bad_blocks == BadBlocks::Zero,
            labels: job.labels.is_some() && format.carries.labels,
            stored: false,
            versions: format.carries.version && job.input.has_versions(&job.resources.stores),
            case: self.case.as_ref().map(|case| Arc::new(case_start(case, job))),
        };
        let known = job.labels.as_ref().map(|labels| labels.identity());
        let case = self.case.as_ref().map_or(String::new(), Case::text);
        let rules =
            job.scan.as_ref().map(|scan| format!("{} {:?}", scan.scanner.fingerprint(), scan.longest));
        let pronom = job.pronom.as_ref().map(|signatures| Arc::clone(signatures.label()));
        Shape { format, layout, piecewise: job.piece.map(Into::into), known, rules, pronom, case }
    }

    /// Opens the output, and the files that allow a later run to resume.
    fn output(&self, job: &HashJob, shape: &Shape) -> Result<(Output, Option<Resumable>), Error> {
        let place = match &self.to {
            To::Stream(_) if self.resume => return Err(Misfit::ResumeStream.into()),
            To::Stream(output) => return Ok((output.clone(), None)),
            To::File(place) => place,
        };
        let path = &place.path;
        let name = || names::path_bytes(path).into();
        place.check_no_directory()?;
        // Only records in the order of the walk can be resumed, and bare names don't tell which files are done.
        let torn = matches!(self.format.body, Body::Text) && job.order == Order::Walk && !self.bare_names;
        if job.is_only_judging()
            || !torn
            || !matches!(job.input, Input::Selection(_))
            || !output::replaces(place)
        {
            if self.resume {
                return Err(Misfit::ResumePipe(name()).into());
            }
            return Ok((output::create(place, kinds::MANIFEST)?, None));
        }
        let beside = Beside::from_output(place).map_err(|error| WriteError::new(path, error))?;
        if !self.resume && !place.force {
            beside.check_unfinished()?;
        }
        let mut kept = if self.resume { beside.resume(shape)? } else { None };
        let output = output::create_resumable(place, kinds::MANIFEST)?;
        let resumed = kept.as_mut().and_then(|kept| Some((kept.notes()?, Arc::clone(&kept.begun))));
        let (notes, begun) = match resumed {
            Some(resumed) => resumed,
            // Nothing was begun, so there is nothing to go on with. The error that counts is the first.
            None => beside.start(shape).map(|(notes, begun)| (notes, Arc::new(begun))).inspect_err(|_| {
                output.discard();
                let _ = beside.end();
            })?,
        };
        output.take_notes(notes);
        Ok((output, Some(Resumable { beside, kept, begun })))
    }
}

impl Target {
    /// Returns the files of the run itself, which are not data.
    pub(super) fn own_files(&self) -> Vec<Identity> {
        let beside = self.resumable.iter().flat_map(|resumable| resumable.beside.identities());
        // The old file of the output is not added here: it may be a file of the tree with a second name, which the
        // output itself checks.
        let old = self.place.as_ref().map(|place| companions::beside(&place.path)).unwrap_or_default();
        self.output
            .identities()
            .into_iter()
            .map(identity)
            .chain(beside)
            .chain(old.identities().iter().copied())
            .collect()
    }
}

impl Input {
    /// Returns whether entries inside of images or archives are read.
    pub(super) fn has_inside(&self) -> bool {
        matches!(self, Input::Selection(selection) if selection.inside.files || selection.inside.archives)
    }

    /// Returns the operands of the selection.
    pub(super) fn operands(&self) -> &[Box<[u8]>] {
        match self {
            Input::Selection(selection) => &selection.paths,
            Input::Results(operands, _) => operands,
            Input::Entries(_) | Input::Images(..) => &[],
        }
    }

    /// Returns whether the operands include objects of buckets, which may have versions.
    fn has_versions(&self, stores: &Stores) -> bool {
        matches!(self, Input::Selection(selection) if selection.has_buckets(stores))
    }

    /// Returns whether files themselves are read, and not the contents of images.
    pub(super) fn is_of_files(&self) -> bool {
        matches!(self, Input::Selection(selection) if !selection.inside.is_any())
    }
}

/// Returns the case data that is known at the start of a job.
fn case_start(case: &Case, job: &HashJob) -> Start {
    match &job.labels {
        Some(labels) => case.start_with(&job.algorithms, labels.sets()),
        None => case.start(&job.algorithms),
    }
}
