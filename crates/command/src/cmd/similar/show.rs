//! The output of pairs and groups.

use super::options::PairFormat;
use crate::output::{Output, WriteError};
use hashmill_engine::flow::Flow;
use hashmill_job::similarity::{Cluster, Match, SimilaritySummary};
use hashmill_manifest::json_line;
use hashmill_similar::Similar;
use hashmill_terminal::path_b64;
use serde::Serialize;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// A writer of pairs.
pub struct Show {
    format: PairFormat,
    row: &'static Similar,
    output: Output,
    line: Vec<u8>,
}

/// A display of pairs or groups, which stops when writing fails.
pub struct Shown {
    show: Show,
    /// Whether output was begun, so that the header is never missing.
    begun: bool,
    done: Result<(), WriteError>,
}

impl Shown {
    /// Makes a display; nothing is written yet.
    pub fn new(show: Show) -> Shown {
        Shown { show, begun: false, done: Ok(()) }
    }

    /// Writes a pair.
    pub fn pair(&mut self, pair: &Match<'_>) -> Flow {
        if self.done.is_ok() {
            self.done = self.begin().and_then(|()| self.show.pair(pair));
        }
        if self.done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn begin(&mut self) -> Result<(), WriteError> {
        let begun = std::mem::replace(&mut self.begun, true);
        if begun { Ok(()) } else { self.show.header(b"a,b,algorithm,score\n") }
    }

    /// Writes groups. For ssdeep, files without a group are listed, too.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn groups(&mut self, cluster: &Cluster) -> Result<(), WriteError> {
        self.begun = true;
        self.show.groups(cluster)
    }

    /// Finishes the output; writes the header alone if nothing is similar.
    ///
    /// # Errors
    /// If something could not be written.
    pub fn end(mut self, summary: &SimilaritySummary) -> Result<(), WriteError> {
        let begun = self.begun || summary.interrupted;
        self.done?;
        if begun { Ok(()) } else { self.show.header(b"a,b,algorithm,score\n") }
    }
}

impl Show {
    /// Makes a writer for pairs of this algorithm, in this format.
    pub fn new(format: PairFormat, row: &'static Similar, output: Output) -> Show {
        Show { format, row, output, line: Vec::new() }
    }

    /// Writes the header.
    fn header(&mut self, header: &[u8]) -> Result<(), WriteError> {
        if self.format != PairFormat::Csv {
            return Ok(());
        }
        self.line.extend_from_slice(header);
        self.write()
    }

    fn pair(&mut self, Match { a, b, score }: &Match<'_>) -> Result<(), WriteError> {
        match self.format {
            PairFormat::Csv => {
                self.field(a.name);
                self.line.push(b',');
                self.field(b.name);
                self.line.extend_from_slice(format!(",{},{score}\n", self.row.name).as_bytes());
            }
            PairFormat::Jsonl => {
                let (algorithm, sparse) = (self.row.name, a.sparse || b.sparse);
                let (a, b) = (Name::new(a.name), Name::new(b.name));
                let (a_b64, b_b64) = (a.base64, b.base64);
                self.json(&PairLine { a: a.text, a_b64, b: b.text, b_b64, algorithm, score: *score, sparse });
            }
            PairFormat::Ssdeep => {
                self.line.extend_from_slice(b.name);
                self.line.extend_from_slice(b" matches ");
                self.line.extend_from_slice(a.name);
                self.line.extend_from_slice(format!(" ({score})\n").as_bytes());
            }
            PairFormat::Sdhash => {
                self.line.extend_from_slice(a.name);
                self.line.push(b'|');
                self.line.extend_from_slice(b.name);
                let number = if *score < 0 { score.to_string() } else { format!("{score:03}") };
                self.line.extend_from_slice(format!("|{number}\n").as_bytes());
            }
        }
        self.write()
    }

    fn json(&mut self, object: &impl Serialize) {
        // Text and numbers, which JSON can always hold.
        self.line.extend(json_line(object).unwrap_or_default().into_bytes());
        self.line.push(b'\n');
    }

    /// Appends a field of RFC 4180, in quotes where it needs them; the bytes of names are unchanged.
    fn field(&mut self, text: &[u8]) {
        if !text.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
            return self.line.extend_from_slice(text);
        }
        self.line.push(b'"');
        for byte in text {
            let twice: &[u8] = if *byte == b'"' { b"\"\"" } else { std::slice::from_ref(byte) };
            self.line.extend_from_slice(twice);
        }
        self.line.push(b'"');
    }

    fn write(&mut self) -> Result<(), WriteError> {
        let done = self.output.put(&self.line);
        self.line.clear();
        done
    }

    fn groups(&mut self, Cluster { members, groups }: &Cluster) -> Result<(), WriteError> {
        self.header(b"group,path\n")?;
        let mut alone = vec![true; members.len()];
        for (number, group) in groups.iter().enumerate() {
            let names: Vec<&[u8]> = group.iter().map(|member| &*members[*member].name).collect();
            self.group(number + 1, &names)?;
            group.iter().for_each(|member| alone[*member] = false);
        }
        let lists_alone = self.format == PairFormat::Ssdeep;
        let singles = members.iter().zip(alone).filter(|(_, alone)| *alone && lists_alone);
        for (number, (single, _)) in singles.enumerate() {
            self.group(groups.len() + number + 1, &[&single.name])?;
        }
        Ok(())
    }

    fn group(&mut self, number: usize, names: &[&[u8]]) -> Result<(), WriteError> {
        if self.format == PairFormat::Ssdeep {
            self.line.extend_from_slice(format!("** Cluster size {}\n", names.len()).as_bytes());
        }
        for path in names {
            match self.format {
                PairFormat::Jsonl => {
                    let Name { text: path, base64: path_b64 } = Name::new(path);
                    self.json(&MemberLine { group: number, path, path_b64 });
                }
                PairFormat::Csv => {
                    self.line.extend_from_slice(format!("{number},").as_bytes());
                    self.field(path);
                    self.line.push(b'\n');
                }
                PairFormat::Ssdeep | PairFormat::Sdhash => {
                    self.line.extend_from_slice(path);
                    self.line.push(b'\n');
                }
            }
        }
        if self.format == PairFormat::Ssdeep {
            self.line.push(b'\n');
        }
        self.write()
    }
}

/// A name as text, with its bytes if it is not UTF-8.
struct Name<'a> {
    text: Cow<'a, str>,
    base64: Option<String>,
}

impl<'a> Name<'a> {
    fn new(name: &'a [u8]) -> Self {
        Name { text: String::from_utf8_lossy(name), base64: path_b64(name) }
    }
}

#[derive(Serialize)]
struct PairLine<'a> {
    a: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    a_b64: Option<String>,
    b: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b_b64: Option<String>,
    algorithm: &'a str,
    score: i32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    sparse: bool,
}

#[derive(Serialize)]
struct MemberLine<'a> {
    group: usize,
    path: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
}
