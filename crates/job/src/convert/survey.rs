//! The contents of a manifest, collected in a first pass.

use super::input::Input;
use super::joined::Joined;
use crate::error::Error;
use hashmill_digest::{Algorithm, Style, Text};
use hashmill_engine::Cancel;
use hashmill_facts::FactSet;
use hashmill_manifest::case::Case;
use hashmill_manifest::format::{Format, Layout, Reader};
use hashmill_manifest::{Named, Record, Status};
use hashmill_similar::Similar;
use std::cmp::Ordering;
use std::sync::Arc;

/// The contents of one or several manifests. Numbers count records unless stated otherwise.
#[derive(Default, Clone)]
pub(crate) struct Survey {
    /// All algorithms, in the order of headers and records.
    pub(crate) algorithms: Vec<&'static Algorithm>,
    /// All similarity algorithms, each with its column among all algorithms.
    pub(crate) likeness: Vec<(usize, &'static Similar)>,
    /// All records.
    pub(crate) records: u64,
    /// Records of pieces.
    pub(crate) pieces: u64,
    /// Records of files that were not hashed.
    pub(crate) unhashed: u64,
    /// Records of stored objects that were not read.
    pub(crate) stored: u64,
    /// Records that state why they have no digest.
    pub(crate) explained: u64,
    /// Records with a size that is not part of a digest (as that of `cksum` is).
    pub(crate) sized: u64,
    /// Hashed records without a size.
    pub(crate) unsized_: u64,
    /// Records with a modification time.
    pub(crate) timed: u64,
    /// Records of entries inside of other files.
    pub(crate) inside: u64,
    /// Records with metadata.
    pub(crate) described: u64,
    /// Records with attributes of Windows.
    pub(crate) attributed: u64,
    /// Records with similarity digests.
    pub(crate) alike: u64,
    /// The facts about content that records have, and the number of records with some.
    pub(crate) facts: FactSet,
    pub(crate) factual: u64,
    /// Records with the digests of leaves.
    pub(crate) leafy: u64,
    /// Records of files that were read only in part.
    pub(crate) damaged: u64,
    /// Records with labels.
    pub(crate) labelled: u64,
    /// Records with versions.
    pub(crate) versions: u64,
    /// The number of manifests with case data, which can't be carried into a joint manifest.
    pub(crate) cases: u64,
    /// Hashed records by their number of digests: those with fewer than the others lack some.
    digests: Vec<(usize, u64)>,
    /// The first digest whose algorithm was guessed, and the name of its manifest.
    pub(crate) guess: Option<(Box<[u8]>, Named)>,
    /// Whether the records are sorted by path.
    pub(crate) sorted: bool,
    /// The case data of the manifest.
    pub(crate) case: Case,
    /// The format of the first manifest.
    pub(crate) format: Option<&'static Format>,
}

impl Survey {
    /// Makes a survey of a manifest without records.
    pub(super) fn new(format: &'static Format) -> Survey {
        Survey { sorted: true, format: Some(format), ..Survey::default() }
    }

    /// Reads a manifest to its end.
    ///
    /// # Errors
    /// If it is not a manifest, or can't be read.
    pub(crate) fn read(input: &Input, cancel: &Cancel) -> Result<Survey, Error> {
        let mut records = input.records(None)?;
        let mut survey = Survey::new(records.format);
        let mut last: Option<Record> = None;
        for record in Joined::new(&mut records).take_while(|_| !cancel.is_set()) {
            let record = record?;
            survey.add(&record, &input.name);
            survey.sorted &= last.is_none_or(|last| Survey::order(&last, &record) != Ordering::Greater);
            last = Some(record);
        }
        survey.arrange(&*records.reader);
        Ok(survey)
    }

    /// Takes case data and the order of algorithms from the reader of the manifest, once all records are added. Headers
    /// have their own order, and may name algorithms that no record has.
    pub(super) fn arrange(&mut self, reader: &dyn Reader) {
        self.case = reader.case().clone();
        let header = reader.columns();
        self.algorithms.sort_by_key(|row| header.iter().position(|known| known == row).unwrap_or(usize::MAX));
        for (place, row) in &mut self.likeness {
            let known = reader.likeness().iter().find(|(_, known)| known == row);
            *place = known.map_or(*place + self.algorithms.len(), |(place, _)| *place);
        }
        self.likeness.sort_by_key(|(place, _)| *place);
    }

    /// Adds a record.
    pub(super) fn add(&mut self, record: &Record, name: &[u8]) {
        self.records += 1;
        self.pieces += u64::from(record.piece.is_some());
        self.unhashed += u64::from(!matches!(record.status, Status::Hashed | Status::Stored(_)));
        self.stored += u64::from(record.status.strength().is_some());
        self.explained += u64::from(record.reason.is_some());
        self.timed += u64::from(record.mtime.is_some());
        self.inside += u64::from(record.is_inside());
        self.described += u64::from(record.metadata.is_some() && !record.is_inside());
        self.attributed += u64::from(record.has_attributes());
        self.alike += u64::from(!record.likeness.is_empty());
        let facts = record.facts.as_ref().map(|facts| facts.known());
        self.facts = self.facts.with(facts.unwrap_or_default());
        self.factual += u64::from(facts.is_some());
        self.leafy += u64::from(!record.leaves.is_empty());
        self.damaged += u64::from(!record.bad_blocks.is_empty());
        self.labelled += u64::from(record.label.is_some());
        self.versions += u64::from(record.version.is_some());
        let decimal = record.digests.iter().any(|named| named.algorithm.text == Text::Decimal);
        self.sized += u64::from(record.size.is_some() && !decimal);
        for named in &record.digests {
            if !self.algorithms.contains(&named.algorithm) {
                self.algorithms.push(named.algorithm);
            }
            if named.guessed && self.guess.is_none() {
                self.guess = Some((name.into(), *named));
            }
        }
        for likeness in &record.likeness {
            if self.likeness.iter().all(|(_, row)| *row != likeness.algorithm) {
                self.likeness.push((self.likeness.len(), likeness.algorithm));
            }
        }
        if record.status == Status::Hashed {
            self.unsized_ += u64::from(record.size.is_none());
            match self.digests.iter_mut().find(|(number, _)| *number == record.digests.len()) {
                Some((_, records)) => *records += 1,
                None => self.digests.push((record.digests.len(), 1)),
            }
        }
    }

    /// Adds the contents of another manifest. Case data are not carried over.
    pub(crate) fn join(&mut self, other: Survey) {
        for row in other.algorithms {
            if !self.algorithms.contains(&row) {
                self.algorithms.push(row);
            }
        }
        for (_, row) in other.likeness {
            if self.likeness.iter().all(|(_, known)| *known != row) {
                self.likeness.push((usize::MAX, row));
            }
        }
        self.cases += u64::from(!other.case.is_none());
        self.records += other.records;
        self.pieces += other.pieces;
        self.unhashed += other.unhashed;
        self.stored += other.stored;
        self.explained += other.explained;
        self.sized += other.sized;
        self.unsized_ += other.unsized_;
        self.timed += other.timed;
        self.inside += other.inside;
        self.described += other.described;
        self.attributed += other.attributed;
        self.alike += other.alike;
        self.facts = self.facts.with(other.facts);
        self.factual += other.factual;
        self.leafy += other.leafy;
        self.damaged += other.damaged;
        self.labelled += other.labelled;
        self.versions += other.versions;
        self.digests.extend(other.digests);
        self.guess = self.guess.take().or(other.guess);
        self.format = self.format.or(other.format);
    }

    /// Returns the number of hashed records that lack a digest which others have.
    pub(crate) fn uneven(&self) -> u64 {
        let uneven = self.digests.iter().filter(|(number, _)| *number < self.algorithms.len());
        uneven.map(|(_, records)| records).sum()
    }

    /// Returns the columns that a manifest of this format needs.
    pub(crate) fn layout(&self, format: &Format) -> Layout {
        let carries = format.carries;
        let held = |row: &&&'static Algorithm| format.holds(row.name);
        Layout {
            algorithms: self.algorithms.iter().filter(held).copied().collect(),
            likeness: if carries.likeness { self.likeness.clone() } else { Vec::new() },
            facts: if carries.facts { self.facts } else { FactSet::default() },
            style: Style::Usual,
            leaves: carries.leaves && self.leafy > 0,
            pieces: carries.pieces && self.pieces > 0,
            times: carries.mtime && self.timed > 0,
            metadata: carries.metadata && self.described > 0,
            inside: carries.inside && self.inside > 0,
            attributes: carries.metadata && self.attributed > 0,
            bad_blocks: carries.bad_blocks && self.damaged > 0,
            labels: carries.labels && self.labelled > 0,
            stored: carries.stored && self.stored > 0,
            versions: carries.version && self.versions > 0,
            case: self.case.start.clone().filter(|_| carries.case).map(Arc::new),
        }
    }

    /// Orders records by path; pieces come before their file, by offset.
    pub(crate) fn order(one: &Record, other: &Record) -> Ordering {
        let piece =
            |record: &Record| record.piece.map_or((true, 0, 0), |piece| (false, piece.offset, piece.length));
        one.path.cmp(&other.path).then_with(|| piece(one).cmp(&piece(other)))
    }
}
