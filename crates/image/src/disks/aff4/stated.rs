//! Statements of the metadata about the image: digests, the acquisition, and other facts.

use super::map::Target;
use super::turtle::Value;
use super::{Volume, names, place};
use crate::acquisition::{Acquisition, Date};
use crate::claim::Claim;
use crate::finding::{Findings, ImageLocation, ProblemKind, Span};
use crate::format::Fact;
use hashmill_digest::find;
use std::path::Path;
use std::sync::Arc;

/// The size of the sectors in which errors are counted.
const SECTOR: u64 = 512;

impl Volume {
    /// Returns the digests that it states, and the sectors that could not be read at acquisition. What can't be
    /// understood becomes a finding.
    pub(super) fn stated(&self, path: &Arc<Path>, findings: &mut Findings) -> (Vec<Claim>, Vec<Span>) {
        let (mut claims, mut errors) = (Vec::<Claim>::new(), Vec::<Span>::new());
        let linear: &[(&str, &[&str])] =
            &[(&self.image, &["aff4:hash", "aff4:linearHash"]), (&self.stream, &["aff4:hash"])];
        for (subject, properties) in linear {
            for (name, digest) in self.hashes(subject, properties) {
                let Some(algorithm) = find(name).ok() else { continue };
                match algorithm.parse(digest.as_bytes()) {
                    Ok(digest) => {
                        let place = place(path, b"information.turtle", 0);
                        let claim = Claim { algorithm, digest, place, intact: true };
                        if !claims.contains(&claim) {
                            claims.push(claim);
                        }
                    }
                    Err(_) => findings.add(ProblemKind::BadClaim, place(path, b"information.turtle", 0)),
                }
            }
        }
        let unreadable = names::filling("aff4:UnreadableData");
        for run in &self.layout.runs {
            if matches!(run.target, Target::Filled(filling) if Some(filling) == unreadable) {
                let sectors = Span::between(run.start / SECTOR, run.end.div_ceil(SECTOR));
                match errors.last_mut() {
                    Some(last) if last.end() == sectors.first => last.count += sectors.count,
                    _ => errors.push(sectors),
                }
            }
        }
        for sectors in &errors {
            let kind = ProblemKind::AcquisitionErrors { sectors: *sectors };
            findings.add(kind, ImageLocation::default());
        }
        self.compare_sizes(path, findings);
        (claims, errors)
    }

    /// Returns the digests of all bytes of a thing, with the names of their algorithms.
    pub(super) fn hashes(&self, subject: &str, properties: &[&str]) -> Vec<(&'static str, &str)> {
        let values = self.segments.graph.values(subject, properties);
        let texts = values.filter_map(|value| match value {
            Value::Text(text, kind) if !kind.contains("blockMapHash") => {
                Some((names::algorithm(kind)?, &**text))
            }
            _ => None,
        });
        texts.collect()
    }

    /// Compares the size of the image with that of its stream.
    fn compare_sizes(&self, path: &Arc<Path>, findings: &mut Findings) {
        let graph = &self.segments.graph;
        let size = graph.number(&self.image, &["aff4:size"]).ok().flatten();
        if let Some(size) = size.filter(|size| *size != self.layout.size) {
            findings.add(ProblemKind::GeometryDisagrees, place(path, b"information.turtle", 0));
            findings.add(ProblemKind::SizesDiffer { size }, place(path, b"information.turtle", 0));
        }
    }

    pub(super) fn acquisition(&self) -> Acquisition {
        let all = |properties: &[&str]| {
            let found = properties.iter().flat_map(|property| self.segments.graph.anywhere(property));
            Some(found.collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty())
        };
        let (software, version) = (self.versions("tool"), None);
        Acquisition {
            case_number: all(&["aff4:caseNumber"]),
            evidence_number: all(&["aff4:evidenceNumber"]),
            description: all(&["aff4:caseDescription", "aff4:caseName"]),
            examiner: all(&["aff4:examiner"]),
            notes: all(&["aff4:notes"]),
            acquired: all(&["aff4:startTime", "aff4:StartTime"]).map(Date::Other),
            software,
            software_version: version,
            model: all(&["aff4:diskModel", "aff4:model"]),
            serial: all(&["aff4:diskSerial", "aff4:serial"]),
            ..Acquisition::default()
        }
    }

    /// Returns a value of the segment with versions.
    fn versions(&self, name: &str) -> Option<String> {
        let lines = self.segments.version.split(['\r', '\n']);
        let found = lines.filter_map(|line| line.split_once('=')).find(|(known, _)| known.trim() == name);
        found.map(|(_, value)| value.trim().to_string())
    }

    pub(super) fn facts(&self) -> Vec<Fact> {
        let version = match (self.versions("major"), self.versions("minor")) {
            (Some(major), Some(minor)) => format!("{major}.{minor}"),
            _ => "before 1.0".to_string(),
        };
        let mut facts = vec![
            Fact::new("version", version),
            Fact::new("volume", &self.segments.volume),
            Fact::new("image", &self.image),
        ];
        if self.stream != self.image {
            facts.push(Fact::new("stream", &self.stream));
        }
        for stream in &self.layout.streams {
            facts.push(Fact::new("compression", stream.compression.name));
            facts.push(Fact::new("chunk size of the stream", stream.chunk_size));
        }
        facts
    }
}
