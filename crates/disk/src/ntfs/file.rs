//! A file: its first record and those that continue it, with the attributes in them.

use super::attribute::{ATTRIBUTE_LIST, Attribute, FILE_NAME};
use super::file_name::FileName;
use super::list::{self, ListEntry};
use super::record::Record;
use super::stream::Stream;
use super::table::{self, RecordTable};
use crate::{Medium, Problem};
use std::collections::{BTreeMap, HashSet};

/// The most records of a list that turn out to be none of the file. So the time that all lists take together is bounded
/// by the number of records, as each can belong to one file.
const MOST_LOST: usize = 16;

/// A file with all its attributes.
#[derive(Debug)]
pub(super) struct File<'a> {
    table: &'a RecordTable,
    /// Its first record.
    pub base: Record,
    others: Vec<Record>,
    /// The attributes in the other records that the list names.
    listed: HashSet<(u64, u32, u16)>,
    /// The attributes that are in no record that can be read, with the reason.
    lost: Vec<(u32, Vec<u8>, String)>,
    /// Why there may be attributes that are not known of.
    broken: Option<String>,
}

impl<'a> File<'a> {
    /// Reads the records that continue a first one.
    pub(super) fn read(table: &'a RecordTable, base: Record) -> File<'a> {
        let broken = base.attributes().find_map(Result::err).map(|problem| reason(&problem));
        let mut file =
            File { table, base, others: Vec::new(), listed: HashSet::new(), lost: Vec::new(), broken };
        if let Err(problem) = file.read_list() {
            file.broken.get_or_insert(reason(&problem));
        }
        file
    }

    fn read_list(&mut self) -> Result<(), Problem> {
        let Some(attribute) = self.base.attribute(ATTRIBUTE_LIST) else { return Ok(()) };
        let stored = Stream::join(&[attribute], &self.table.boot).content?;
        let entries = list::parse(&list::read(&*self.table.medium, &stored)?)?;
        let mut by_record: BTreeMap<_, Vec<ListEntry>> = BTreeMap::new();
        for entry in entries {
            if entry.place.number != self.base.number {
                by_record.entry(entry.place).or_default().push(entry);
            }
        }
        let mut wrong = 0;
        for (place, entries) in by_record {
            match table::referred(self.table, place).and_then(|record| self.check(record)) {
                Ok(record) => {
                    self.note_missing(&record, &entries);
                    self.listed.extend(entries.iter().map(|entry| (place.number, entry.kind, entry.id)));
                    self.others.push(record);
                }
                Err(problem) => {
                    wrong += 1;
                    let lost = |entry: ListEntry| (entry.kind, entry.name, reason(&problem));
                    self.lost.extend(entries.into_iter().map(lost));
                }
            }
            if wrong > MOST_LOST {
                return Err(Problem::damaged("many records in the list of its attributes are not its own"));
            }
        }
        Ok(())
    }

    fn check(&self, record: Record) -> Result<Record, Problem> {
        if record.base() == Some(self.base.reference()) {
            return Ok(record);
        }
        Err(Problem::damaged(format!(
            "record {} in the list of its attributes is not its own",
            record.number
        )))
    }

    /// Notes the attributes that are not in the record that the list names.
    fn note_missing(&mut self, record: &Record, entries: &[ListEntry]) {
        let there: HashSet<_> =
            record.attributes().map_while(Result::ok).map(|found| (found.kind, found.id)).collect();
        for entry in entries.iter().filter(|entry| !there.contains(&(entry.kind, entry.id))) {
            let why = format!("an attribute is not in record {}, as its list states", record.number);
            self.lost.push((entry.kind, entry.name.clone(), why));
        }
    }

    /// Returns the attributes of a kind, in all records.
    pub(super) fn attributes(&self, kind: u32) -> impl Iterator<Item = Attribute<'_>> {
        let own = self.base.attributes().map_while(Result::ok);
        let others = self.others.iter().flat_map(|record| {
            let attributes = record.attributes().map_while(Result::ok);
            attributes.filter(|found| self.listed.contains(&(record.number, found.kind, found.id)))
        });
        own.chain(others).filter(move |attribute| attribute.kind == kind)
    }

    /// Returns the bytes of an attribute; none if there is no such one.
    pub(super) fn stream(&self, kind: u32, name: &[u8]) -> Option<Stream> {
        let parts: Vec<_> = self.attributes(kind).filter(|attribute| attribute.name == name).collect();
        self.join(kind, name, &parts)
    }

    /// Returns the bytes of all attributes of a kind, by name.
    pub(super) fn streams(&self, kind: u32) -> Vec<(Vec<u8>, Stream)> {
        let mut by_name: BTreeMap<Vec<u8>, Vec<Attribute<'_>>> = BTreeMap::new();
        for attribute in self.attributes(kind) {
            by_name.entry(attribute.name.clone()).or_default().push(attribute);
        }
        for (_, name, _) in self.lost.iter().filter(|lost| lost.0 == kind) {
            by_name.entry(name.clone()).or_default();
        }
        let join = |(name, parts): (Vec<u8>, Vec<_>)| {
            let stream = self.join(kind, &name, &parts)?;
            Some((name, stream))
        };
        by_name.into_iter().filter_map(join).collect()
    }

    fn join(&self, kind: u32, name: &[u8], parts: &[Attribute<'_>]) -> Option<Stream> {
        let is_lost = |lost: &&(u32, Vec<u8>, String)| lost.0 == kind && lost.1 == name;
        let why = self.lost.iter().find(is_lost).map(|lost| &lost.2);
        if parts.is_empty() {
            return Some(Stream::lost(Problem::damaged(why?.as_str())));
        }
        let stream = Stream::join(parts, &self.table.boot);
        let is_short = stream.runs.as_ref().is_some_and(|runs| runs.length() < stream.size);
        match why.or(self.broken.as_ref().filter(|_| is_short)) {
            Some(why) => Some(Stream { size: stream.size, ..Stream::lost(Problem::damaged(why.as_str())) }),
            None => Some(stream),
        }
    }

    /// Returns what it is on.
    pub(super) fn medium(&self) -> &dyn Medium {
        &*self.table.medium
    }

    /// Returns why there may be attributes that are not known of.
    pub(super) fn broken(&self) -> Option<Problem> {
        self.broken.as_deref().map(Problem::damaged)
    }

    /// Returns its names, but short ones (8.3) only if it has no others.
    pub(super) fn names(&self) -> Vec<FileName> {
        let resident = |attribute: Attribute<'_>| FileName::parse(attribute.resident()?);
        let mut names: Vec<_> = self.attributes(FILE_NAME).filter_map(resident).collect();
        if names.iter().any(|name| !name.is_short()) {
            names.retain(|name| !name.is_short());
        }
        names
    }
}

/// Returns the reason in words, which can be told for several attributes.
fn reason(problem: &Problem) -> String {
    match problem {
        Problem::Damaged(what) => what.to_string(),
        other => format!("the list of its attributes can't be read: {other}"),
    }
}
