//! Metadata of an image and its acquisition.

use crate::acquisition::{Acquisition, Date};
use crate::bytes::text::{Field, main_fields, xml_fields};
use crate::claim::Claim;
use crate::ewf::draft::{HeaderText, Session};
use crate::ewf::geometry::Geometry;
use crate::finding::{Finding, Span};
use crate::format::{Fact, Format, Segment};
use crate::image::{Image, Layout};
use serde::Serialize;

/// The content of an image's headers.
#[derive(Debug, Clone, Serialize)]
pub struct Info {
    /// The format.
    pub format: Format,
    /// The files.
    pub segments: Vec<Segment>,
    /// Bytes of the media.
    pub media_size: u64,
    /// Bytes of a chunk.
    pub chunk_size: u64,
    /// The number of chunks.
    pub chunk_count: u64,
    /// The volume section, or its equivalent.
    pub geometry: Option<Geometry>,
    /// The acquisition.
    pub acquisition: Acquisition,
    /// Digests of the media.
    pub claims: Vec<Claim>,
    /// Sectors that could not be read at acquisition.
    pub acquisition_errors: Vec<Span>,
    /// Tracks of an optical disc.
    pub sessions: Vec<Session>,
    /// The number of files and folders of a logical image.
    pub entries: u64,
    /// Further facts in the headers of a virtual disk.
    pub facts: Vec<Fact>,
    /// The header texts as stored.
    pub headers: Vec<HeaderText>,
    /// Problems found while opening.
    pub findings: Vec<Finding>,
}

/// The tags of a fact in three kinds of headers: EWF1 texts, EWF-X, EWF2.
struct Tags(&'static [&'static str], &'static [&'static str], &'static [&'static str]);

const CASE: Tags = Tags(&["c"], &["case_number"], &["cn"]);
const EVIDENCE: Tags = Tags(&["n"], &["evidence_number"], &["en"]);
const DESCRIPTION: Tags = Tags(&["a"], &["description"], &["nm"]);
const EXAMINER: Tags = Tags(&["e"], &["examiner_name"], &["ex"]);
const NOTES: Tags = Tags(&["t"], &["notes"], &["nt"]);
const ACQUIRED: Tags = Tags(&["m"], &["acquiry_date"], &["at"]);
const SYSTEM_DATE: Tags = Tags(&["u"], &["system_date"], &["tt"]);
const SYSTEM: Tags = Tags(&["ov"], &["acquiry_operating_system"], &["os"]);
const SOFTWARE: Tags = Tags(&["an"], &["acquiry_software"], &["an"]);
const VERSION: Tags = Tags(&["av"], &["acquiry_software_version"], &["av"]);
const MODEL: Tags = Tags(&["md"], &["model"], &["md"]);
const SERIAL: Tags = Tags(&["sn"], &["serial_number"], &["sn"]);
const LABEL: Tags = Tags(&["l"], &["device_label"], &["lb"]);
const PROCESS: Tags = Tags(&["pid"], &["process_identifier"], &["pid"]);
const PASSWORD: Tags = Tags(&["p"], &["password"], &[]);

/// The fields of all header texts, the most precise section first.
struct Headers<'a>(Vec<(&'a str, Vec<Field>)>);

impl<'a> Headers<'a> {
    fn from_texts(texts: &'a [HeaderText]) -> Self {
        let fields = |text: &'a HeaderText| match text.section {
            "xheader" => (text.section, xml_fields(&text.text)),
            section => (section, main_fields(&text.text)),
        };
        let mut headers: Vec<_> = texts.iter().map(fields).collect();
        // Sections with Unicode and exact times come first; the others repeat them in fewer characters.
        headers.sort_by_key(|(section, _)| {
            ["header2", "xheader", "header"].iter().position(|name| name == section)
        });
        Headers(headers)
    }

    fn get(&self, tags: &Tags) -> Option<String> {
        let found = self.0.iter().find_map(|(section, fields)| {
            let tags = match *section {
                "xheader" => tags.1,
                "header" | "header2" => tags.0,
                _ => tags.2,
            };
            fields.iter().find(|field| tags.contains(&field.tag.as_str()))
        });
        found.map(|field| field.value.trim().to_string())
    }

    fn date(&self, tags: &Tags) -> Option<Date> {
        self.get(tags).map(|text| Date::parse(&text))
    }
}

impl Date {
    fn parse(text: &str) -> Date {
        let words: Vec<u16> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
        match (text.parse(), <[u16; 6]>::try_from(words)) {
            (Ok(seconds), _) => Date::Unix(seconds),
            (Err(_), Ok(parts)) => Date::Local(parts),
            (Err(_), Err(_)) => Date::Other(text.to_string()),
        }
    }
}

impl Image {
    /// Returns the content of the image's headers.
    pub fn info(&self) -> Info {
        Info {
            format: self.format,
            segments: self.segments.clone(),
            media_size: self.media_size,
            chunk_size: self.chunk_size,
            chunk_count: self.chunk_count(),
            geometry: self.geometry.clone(),
            acquisition: self.stated_acquisition(),
            claims: self.claims.clone(),
            acquisition_errors: self.errors.clone(),
            sessions: self.sessions.clone(),
            entries: self.entries.len() as u64,
            facts: self.facts.clone(),
            headers: self.texts.clone(),
            findings: self.findings.list().to_vec(),
        }
    }
}

impl Image {
    /// Reads the texts of Expert Witness images. AFF4 states the same in another way, and virtual disks say nothing of an
    /// acquisition.
    fn stated_acquisition(&self) -> Acquisition {
        match self.layout {
            Layout::Blocks(_) => self.acquisition.clone(),
            _ => acquisition(&self.texts),
        }
    }
}

fn acquisition(texts: &[HeaderText]) -> Acquisition {
    let headers = Headers::from_texts(texts);
    Acquisition {
        case_number: headers.get(&CASE),
        evidence_number: headers.get(&EVIDENCE),
        description: headers.get(&DESCRIPTION),
        examiner: headers.get(&EXAMINER),
        notes: headers.get(&NOTES),
        acquired: headers.date(&ACQUIRED),
        system_date: headers.date(&SYSTEM_DATE),
        operating_system: headers.get(&SYSTEM),
        software: headers.get(&SOFTWARE),
        software_version: headers.get(&VERSION),
        model: headers.get(&MODEL),
        serial: headers.get(&SERIAL),
        label: headers.get(&LABEL),
        process: headers.get(&PROCESS).filter(|process| process != "0"),
        password: headers.get(&PASSWORD).is_some_and(|hash| hash != "0"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_exact_header_wins() {
        let text = |section, tags: &str, values: &str| HeaderText {
            section,
            text: format!("1\nmain\n{tags}\n{values}\n\n"),
        };
        let texts = [
            text("header", "c\tm\te", "x\t2004 11 3 22 56 35\tme"),
            text("header2", "c\tm", "ü\t1099540595"),
        ];
        let acquisition = acquisition(&texts);
        assert_eq!(acquisition.case_number.as_deref(), Some("ü"));
        assert_eq!(acquisition.examiner.as_deref(), Some("me"));
        assert_eq!(acquisition.acquired, Some(Date::Unix(1_099_540_595)));
        assert_eq!(Date::parse("2004 11 3 22 56 35"), Date::Local([2004, 11, 3, 22, 56, 35]));
        assert_eq!(Date::parse("soon"), Date::Other("soon".into()));
    }
}
