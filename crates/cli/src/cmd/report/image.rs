//! What verifying images found, as sections of a page.

use super::audit::{plain, shown};
use super::rows::{Rows, Weight};
use super::source::Source;
use super::told::Told;
use crate::message::count;
use anyhow::Context;
use hashloom_report::{Cell, Column, Extent, Figure, Part, Section, Table, Tone, Verdict, size};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::io::BufReader;

/// Most rows of a table that is shown whole.
const SHORT: usize = 40;

/// What `image verify` prints: a line for each image, or a document for all.
#[derive(Deserialize)]
#[serde(untagged)]
enum Results {
    List(Vec<Image>),
    One(Box<Image>),
}

/// An image of which `image verify` tells.
#[derive(Deserialize)]
struct Image {
    path: String,
    path_b64: Option<String>,
    verdict: String,
    error: Option<String>,
    format: Option<String>,
    media_size: Option<u64>,
    read: Option<u64>,
    #[serde(default)]
    segments: Vec<Segment>,
    #[serde(default)]
    acquisition_errors: Vec<Span>,
    #[serde(default)]
    claims: Vec<Check>,
    #[serde(default)]
    digests: Vec<Computed>,
    #[serde(default)]
    entries: Vec<Entry>,
    #[serde(default)]
    findings: Vec<Map<String, Value>>,
    #[serde(default)]
    omitted_findings: u64,
}

#[derive(Deserialize)]
struct Segment {
    path: Option<String>,
    number: u64,
    size: u64,
}

#[derive(Deserialize)]
struct Span {
    first: u64,
    count: u64,
}

#[derive(Deserialize)]
struct Check {
    claim: Claim,
    outcome: String,
}

#[derive(Deserialize)]
struct Claim {
    algorithm: String,
    digest: String,
    #[serde(default)]
    place: Map<String, Value>,
}

#[derive(Deserialize)]
struct Computed {
    algorithm: String,
    digest: String,
}

#[derive(Deserialize)]
struct Entry {
    path: String,
    algorithm: String,
    stored: String,
    computed: Option<String>,
    outcome: String,
}

/// What became of the images that a file tells of.
///
/// # Errors
/// If it can't be read, or is no result of a verification.
pub fn tell(source: Source, most: usize) -> anyhow::Result<Told> {
    let mut facts = source.facts();
    let (mut input, seal) = source.read()?;
    let mut images: Vec<Image> = Vec::new();
    for told in serde_json::Deserializer::from_reader(BufReader::new(&mut input)).into_iter() {
        match told.context("not the result of a verification")? {
            Results::One(image) => images.push(*image),
            Results::List(list) => images.extend(list),
        }
    }
    facts.push(seal.fact(&mut input).context("cannot read")?);
    let verdict = overall(&images);
    let mut sections = vec![summary(&images, facts)];
    sections.extend(images.into_iter().map(|image| image.section(most)));
    Ok(Told { verdict, sections, malformed: 0 })
}

fn tone(verdict: &str) -> Tone {
    match verdict {
        "verified" => Tone::Good,
        "verified-with-notes" => Tone::Good,
        "no-digest" | "digests-match" => Tone::Doubtful,
        _ => Tone::Bad,
    }
}

fn overall(images: &[Image]) -> Verdict {
    let good = images.iter().filter(|image| tone(&image.verdict) == Tone::Good).count();
    let all = count(images.len() as u64, "image is", "images are");
    match images {
        [image] => Verdict::new(tone(&image.verdict), format!("The image is {}.", words(&image.verdict))),
        _ if good == images.len() => Verdict::new(Tone::Good, format!("{all} verified.")),
        _ => Verdict::new(Tone::Bad, format!("Of {} images {good} are verified.", images.len())),
    }
}

/// The verdict as part of a sentence.
fn words(verdict: &str) -> String {
    match verdict {
        "verified" => "verified: every stored digest matches".into(),
        "verified-with-notes" => "verified, with notes".into(),
        "digests-match" => "not verified: the digests match, but parts of it are damaged".into(),
        "no-digest" => "not verified: no digest is stored in it".into(),
        "mismatch" => "not verified: a stored digest does not match".into(),
        "damaged" => "not verified: damaged".into(),
        "incomplete" => "not verified: parts are missing".into(),
        "unsupported" => "not verified: stored in an unsupported way".into(),
        other => format!("not verified: {}", plain(other)),
    }
}

fn summary(images: &[Image], facts: Vec<(String, String)>) -> Section {
    let bytes: u64 = images.iter().filter_map(|image| image.media_size).fold(0, u64::saturating_add);
    let findings: u64 = images.iter().map(|image| image.findings.len() as u64 + image.omitted_findings).sum();
    let matching: usize = images.iter().map(|image| image.matching(true)).sum();
    let others: usize = images.iter().map(|image| image.matching(false)).sum();
    let some = |number: u64, tone| if number > 0 { tone } else { Tone::Plain };
    let number = |number: u64| Cell::from(number).to_string();
    let figures = vec![
        Figure::new("images", number(images.len() as u64)),
        Figure::new("of media", size(bytes as f64)),
        Figure::new("stored digests that match", number(matching as u64))
            .tone(some(matching as u64, Tone::Good)),
        Figure::new("stored digests that don't", number(others as u64)).tone(some(others as u64, Tone::Bad)),
        Figure::new("findings", number(findings)).tone(some(findings, Tone::Doubtful)),
    ];
    Section::new("Summary").with(Part::Figures(figures)).with(Part::Facts(facts))
}

impl Image {
    /// Stored digests that match, or those that don't.
    fn matching(&self, wanted: bool) -> usize {
        let checks = self.claims.iter().map(|check| &check.outcome);
        let all = checks.chain(self.entries.iter().map(|entry| &entry.outcome));
        all.filter(|outcome| outcome.starts_with("match") == wanted).count()
    }

    fn section(self, most: usize) -> Section {
        let verdict = format!("The image is {}.", words(&self.verdict));
        let section = Section::new(shown(&self.path, self.path_b64.as_deref()))
            .with(Part::Verdict(Verdict::new(tone(&self.verdict), verdict)))
            .with(Part::Facts(self.facts()));
        let entries = (!self.entries.is_empty()).then(|| entries(self.entries, most)).into_iter().flatten();
        [digests(self.claims, self.digests), findings(self.findings, self.omitted_findings)]
            .into_iter()
            .flatten()
            .chain(entries)
            .chain(spans(&self.acquisition_errors))
            .chain(segments(self.segments))
            .fold(section, Section::with)
    }

    fn facts(&self) -> Vec<(String, String)> {
        let bytes = |bytes: u64| format!("{} ({})", count(bytes, "byte", "bytes"), size(bytes as f64));
        [
            ("problem", self.error.as_deref().map(plain)),
            ("format", self.format.as_deref().map(plain)),
            ("media", self.media_size.map(bytes)),
            ("found of them", self.read.filter(|read| Some(*read) < self.media_size).map(bytes)),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_string(), value?)))
        .collect()
    }
}

/// A table, if it has rows; a short one needs no tools.
fn part(table: Table) -> Option<Part> {
    match table.rows.len() {
        0 => None,
        rows if rows <= SHORT => Some(Part::Table(table)),
        _ => Some(Part::Records(table)),
    }
}

fn outcomes() -> Column {
    let tones = [
        ("matched", Tone::Good),
        ("matched-with-tail", Tone::Good),
        ("changed", Tone::Bad),
        ("not_compared", Tone::Doubtful),
        // Words of versions before 0.2.
        ("match", Tone::Good),
        ("match-with-tail", Tone::Good),
        ("mismatch", Tone::Bad),
        ("not-computed", Tone::Doubtful),
    ];
    Column::state("outcome", tones)
}

fn digests(claims: Vec<Check>, computed: Vec<Computed>) -> Option<Part> {
    let columns =
        [Column::words("algorithm"), Column::code("digest"), Column::words("where from"), outcomes()];
    let mut table = Table::new("Digests of the media", columns);
    for Check { claim, outcome } in claims {
        let place = format!("stored: {}", rest(&claim.place));
        table.push([
            plain(&claim.algorithm).into(),
            plain(&claim.digest).into(),
            place.into(),
            plain(&outcome).into(),
        ]);
    }
    for Computed { algorithm, digest } in computed {
        let place = "computed from the media";
        table.push([plain(&algorithm).into(), plain(&digest).into(), place.into(), Cell::Empty]);
    }
    part(table)
}

fn findings(findings: Vec<Map<String, Value>>, omitted: u64) -> Option<Part> {
    let mut table = Table::new("What was found", [Column::words("finding"), Column::words("where and what")]);
    for mut finding in findings {
        let name = finding.remove("finding").map(|name| text(&name)).unwrap_or_default();
        table.push([name.replace('-', " ").into(), rest(&finding).into()]);
    }
    if omitted > 0 {
        table.push_remark(format!("and {}", count(omitted, "more finding", "more findings")));
    }
    part(table)
}

/// What does not match, then what does.
fn entries(entries: Vec<Entry>, most: usize) -> Vec<Part> {
    let mut rows = Rows::new(most);
    for entry in entries {
        let weight = if entry.outcome.starts_with("match") { Weight::Fine } else { Weight::Matters };
        rows.push(entry, weight);
    }
    let note = rows.note("files with stored digests").map(Part::Warning);
    let (others, matching) = rows.parted();
    let others = (!others.is_empty()).then(|| {
        let table = listed("Files whose stored digests do not match", others);
        Part::Records(table.extent(Extent::Every))
    });
    let matching = (!matching.is_empty()).then(|| {
        let table = listed("Files whose stored digests match", matching);
        Part::Records(table.extent(Extent::Folded))
    });
    note.into_iter().chain(others).chain(matching).collect()
}

fn listed(caption: &str, entries: Vec<Entry>) -> Table {
    let columns = [
        Column::code("path"),
        outcomes(),
        Column::words("algorithm"),
        Column::code("stored"),
        Column::code("computed"),
    ];
    let mut table = Table::new(caption, columns);
    for entry in entries {
        let computed = entry.computed.as_deref().map(plain);
        let (path, outcome) = (plain(&entry.path), plain(&entry.outcome));
        table.push([
            path.into(),
            outcome.into(),
            plain(&entry.algorithm).into(),
            plain(&entry.stored).into(),
            computed.into(),
        ]);
    }
    table
}

fn spans(spans: &[Span]) -> Option<Part> {
    let columns = [Column::number("first sector"), Column::number("sectors")];
    let mut table = Table::new("What could not be read when the image was made", columns);
    for span in spans {
        table.push([span.first.into(), span.count.into()]);
    }
    part(table)
}

fn segments(segments: Vec<Segment>) -> Option<Part> {
    let columns = [Column::number("number"), Column::code("file"), Column::number("size (bytes)")];
    let mut table = Table::new("Segments", columns);
    for segment in segments {
        table.push([segment.number.into(), segment.path.as_deref().map(plain).into(), segment.size.into()]);
    }
    part(table)
}

/// All that a JSON object says, on a line.
fn rest(object: &Map<String, Value>) -> String {
    let pairs: Vec<String> = object
        .iter()
        .map(|(key, value)| format!("{} {}", plain(key).replace('_', " "), text(value)))
        .collect();
    pairs.join(", ")
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => plain(text),
        Value::Object(object) => format!("({})", rest(object)),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}
