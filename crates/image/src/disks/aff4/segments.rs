//! The segments of a volume by their full names, and what its metadata say.

use super::graph::Graph;
use super::names;
use super::turtle;
use super::zip::{content, directory};
use crate::disks::blocks::Source;
use crate::error::Problem;
use crate::finding::ProblemKind;
use hashmill_archive::ZipSegment;
use std::collections::BTreeMap;

/// The largest metadata. Those of images of disks have some kilobytes.
const MOST_TURTLE: u64 = 16 << 20;

/// The largest segment with a name or a version.
const MOST_LINE: u64 = 64 << 10;

/// A volume.
#[derive(Debug)]
pub(super) struct Segments {
    /// The name of the volume.
    pub(super) volume: String,
    pub(super) graph: Graph,
    pub(super) entries: Vec<ZipSegment>,
    names: BTreeMap<Vec<u8>, usize>,
    /// The version of the format and the tool, as stated.
    pub(super) version: String,
    /// The name in `container.description` and the comment of the zip file differ.
    pub(super) differs: bool,
}

impl Segments {
    /// Reads the directory and the metadata of a volume.
    pub(super) fn read(source: &Source<'_>, file_size: u64) -> Result<Segments, Problem> {
        let directory = directory(source, file_size)?;
        let named = |name: &[u8]| directory.segments.iter().find(|entry| *entry.name == *name);
        let line = |name: &[u8], most: u64| match named(name).map(|entry| content(entry, source, most)) {
            None => Ok(None),
            Some(Ok(content)) => Ok(Some(String::from_utf8_lossy(&content).into_owned())),
            Some(Err(_)) => Err(Problem::Header("its metadata are damaged")),
        };
        let comment = String::from_utf8_lossy(&directory.comment);
        let comment = comment.trim_matches(['\0', ' ', '\r', '\n']);
        let described = line(b"container.description", MOST_LINE)?;
        let volume = described.as_deref().map_or(comment, str::trim).trim_end_matches('/').to_string();
        let differs = comment.starts_with("aff4://") && comment.trim_end_matches('/') != volume;
        let text = line(b"information.turtle", MOST_TURTLE)?;
        let text = text.ok_or(Problem::Header("it has no metadata (information.turtle)"))?;
        let statements = turtle::parse(&text);
        let statements =
            statements.ok_or(Problem::Header("its metadata (information.turtle) can't be read"))?;
        let version = line(b"version.txt", MOST_LINE)?.unwrap_or_default();
        let mut names = BTreeMap::new();
        for (index, entry) in directory.segments.iter().enumerate() {
            if names.insert(names::of_segment(&volume, &entry.name), index).is_some() {
                return Err(Problem::Header("two of its segments have one name"));
            }
        }
        let graph = Graph::new(statements);
        Ok(Segments { volume, graph, entries: directory.segments, names, version, differs })
    }

    pub(super) fn entry(&self, segment: usize) -> Option<&ZipSegment> {
        self.entries.get(segment)
    }

    /// Returns the number of bytes of a segment.
    pub(super) fn size(&self, segment: usize) -> u64 {
        self.entry(segment).map_or(0, |entry| entry.size)
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.names.get(name.as_bytes()).copied()
    }

    /// Returns the segments below a name, with the rest of their names.
    pub(super) fn below(&self, name: &str) -> impl Iterator<Item = (&[u8], usize)> {
        let start = [name.as_bytes(), b"/"].concat();
        let found = self.names.range(start.clone()..);
        found.map_while(move |(name, segment)| Some((name.strip_prefix(&start[..])?, *segment)))
    }

    /// Returns the content of a segment, up to `most` bytes.
    pub(super) fn content(
        &self,
        source: &Source<'_>,
        segment: usize,
        most: u64,
    ) -> Result<Vec<u8>, ProblemKind> {
        content(self.entry(segment).ok_or(ProblemKind::ChunkMissing)?, source, most)
    }
}
