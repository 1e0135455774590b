//! Sections of a page on verified images.

use super::json::{plain, rest, shown, text};
use super::rows::{Rows, Weight};
use super::source::ReportInput;
use super::told::{self, Facts, ReportedResult};
use crate::words::message::count;
use anyhow::{Context, ensure};
use hashmill_report::{Column, Extent, Figure, PageVerdict, Section, SectionPart, Table, Tone, size};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::io::BufReader;

/// The most rows of a table that is shown without tools.
const SHORT: usize = 40;

/// The JSON of `image verify`: a line for each image, or a document for all.
#[derive(Deserialize)]
#[serde(untagged, expecting = "not a result of image verify -f json")]
enum Results {
    List(Vec<Image>),
    One(Box<Image>),
}

/// A verified image.
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

/// Returns the results of the images in a file, a part for each.
///
/// # Errors
/// If it can't be read, or is not a result of a verification.
pub fn tell(source: ReportInput, most: usize) -> anyhow::Result<Vec<ReportedResult>> {
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
    ensure!(!images.is_empty(), "no image in it");
    Ok(images.into_iter().map(|image| image.tell(&facts, most)).collect())
}

fn tone(verdict: &str) -> Tone {
    match verdict {
        "verified" => Tone::Good,
        "verified-with-notes" => Tone::Good,
        "no-digest" | "digests-match" => Tone::Doubtful,
        _ => Tone::Bad,
    }
}

/// Returns the verdict as part of a sentence.
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

impl Image {
    /// Returns whether each of the stored digests matches.
    fn matches(&self) -> impl Iterator<Item = bool> {
        let checks = self.claims.iter().map(|check| &check.outcome);
        let all = checks.chain(self.entries.iter().map(|entry| &entry.outcome));
        all.map(|outcome| outcome.starts_with("match"))
    }

    fn tell(self, of_file: &Facts, most: usize) -> ReportedResult {
        let title = shown(&self.path, self.path_b64.as_deref());
        let verdict =
            PageVerdict::new(tone(&self.verdict), format!("The image is {}.", words(&self.verdict)));
        let facts = self.facts().into_iter().chain(of_file.iter().cloned()).collect();
        let summary = Section::new("Summary")
            .with(SectionPart::Figures(self.figures()))
            .with(SectionPart::Facts(facts));
        let sections = [summary, self.details(most)];
        let sections = sections.into_iter().filter(|section| !section.parts.is_empty()).collect();
        ReportedResult { kind: "image", title, verdict, about: Facts::new(), sections, malformed: 0 }
    }

    fn figures(&self) -> Vec<Figure> {
        let findings = self.findings.len() as u64 + self.omitted_findings;
        let matching = self.matches().filter(|matches| *matches).count() as u64;
        let others = self.matches().count() as u64 - matching;
        let media = self.media_size.map(|bytes| Figure::new("of media", size(bytes as f64)));
        let counts = [
            Figure::count("stored digests that match", matching, Tone::Good),
            Figure::count("stored digests that don't", others, Tone::Bad),
            Figure::count("findings", findings, Tone::Doubtful),
        ];
        media.into_iter().chain(counts).collect()
    }

    /// Returns the section of comparisons: mismatches before matches.
    fn details(self, most: usize) -> Section {
        let mut entries =
            if self.entries.is_empty() { Entries::default() } else { entries(self.entries, most) };
        let digests = digests(self.claims, &self.digests);
        let found = findings(self.findings, self.omitted_findings);
        let first = entries.note.take().into_iter().chain(found).chain(entries.others.take()).chain(digests);
        let then = spans(&self.acquisition_errors).into_iter().chain(entries.matching.take());
        let parts: Vec<SectionPart> = first.chain(then).chain(segments(&self.segments)).collect();
        Section { title: "Digests and findings".into(), parts }
    }

    fn facts(&self) -> Facts {
        let bytes = |bytes: u64| format!("{} ({})", count(bytes, "byte", "bytes"), size(bytes as f64));
        told::known([
            ("problem", self.error.as_deref().map(plain)),
            ("format", self.format.as_deref().map(plain)),
            ("media", self.media_size.map(bytes)),
            ("found of them", self.read.filter(|read| Some(*read) < self.media_size).map(bytes)),
        ])
    }
}

/// Returns a table, if it has rows; a short one needs no tools.
fn part(table: Table) -> Option<SectionPart> {
    match table.rows.len() {
        0 => None,
        rows if rows <= SHORT => Some(SectionPart::Table(table)),
        _ => Some(SectionPart::Records(table)),
    }
}

fn outcomes() -> Column {
    let good = ["match", "matched", "match-with-tail", "matched-with-tail"].map(|word| (word, Tone::Good));
    let bad = ["mismatch", "changed"].map(|word| (word, Tone::Bad));
    let unknown = ["not-computed", "not_compared"].map(|word| (word, Tone::Doubtful));
    let tones = good.into_iter().chain(bad).chain(unknown);
    Column::state("outcome", tones)
}

fn digests(mut claims: Vec<Check>, computed: &[Computed]) -> Option<SectionPart> {
    claims.sort_by_key(|check| check.outcome.starts_with("match"));
    let claims = claims.iter().map(|Check { claim, outcome }| {
        (&claim.algorithm, &claim.digest, Some(&claim.place), Some(outcome.as_str()))
    });
    let computed = computed.iter().map(|Computed { algorithm, digest }| (algorithm, digest, None, None));
    let place = |place: Option<&Map<String, Value>>| match place {
        Some(place) => format!("stored: {}", rest(place)),
        None => "computed from the media".to_string(),
    };
    part(
        Table::of(claims.chain(computed))
            .column(Column::words("algorithm"), |(algorithm, ..)| plain(algorithm))
            .column(Column::code("digest"), |(_, digest, ..)| plain(digest))
            .column(Column::words("where from"), |(_, _, from, _)| place(from))
            .column(outcomes(), |(.., outcome)| outcome.map(plain))
            .captioned("Digests of the media"),
    )
}

fn findings(findings: Vec<Map<String, Value>>, omitted: u64) -> Option<SectionPart> {
    let parted = findings.into_iter().map(|mut finding| {
        let name = finding.remove("finding").map(|name| text(&name)).unwrap_or_default();
        (name.replace('-', " "), rest(&finding))
    });
    let findings: Vec<(String, String)> = parted.collect();
    let mut table = Table::of(&findings)
        .column(Column::words("finding"), |(name, _)| name.as_str())
        .column(Column::words("where and what"), |(_, rest)| rest.as_str())
        .captioned("What was found");
    if omitted > 0 {
        table.push_remark(format!("and {}", count(omitted, "more finding", "more findings")));
    }
    part(table)
}

/// Files with stored digests.
#[derive(Default)]
struct Entries {
    note: Option<SectionPart>,
    others: Option<SectionPart>,
    matching: Option<SectionPart>,
}

fn entries(entries: Vec<Entry>, most: usize) -> Entries {
    let mut rows = Rows::new(most);
    for entry in entries {
        let weight = if entry.outcome.starts_with("match") { Weight::Fine } else { Weight::Matters };
        rows.push(entry, weight);
    }
    let note = rows.note("files with stored digests").map(SectionPart::Warning);
    let (others, matching) = rows.parted();
    let part = |caption, entries: Vec<Entry>, extent| {
        (!entries.is_empty()).then(|| SectionPart::Records(listed(caption, &entries).extent(extent)))
    };
    let others = part("Files whose stored digests do not match", others, Extent::Every);
    let matching = part("Files whose stored digests match", matching, Extent::Folded);
    Entries { note, others, matching }
}

fn listed(caption: &str, entries: &[Entry]) -> Table {
    Table::of(entries)
        .column(Column::code("path"), |entry| plain(&entry.path))
        .column(outcomes(), |entry| plain(&entry.outcome))
        .column(Column::words("algorithm"), |entry| plain(&entry.algorithm))
        .column(Column::code("stored"), |entry| plain(&entry.stored))
        .column(Column::code("computed"), |entry| entry.computed.as_deref().map(plain))
        .captioned(caption)
}

fn spans(spans: &[Span]) -> Option<SectionPart> {
    part(
        Table::of(spans)
            .column(Column::number("first sector"), |span| span.first)
            .column(Column::number("sectors"), |span| span.count)
            .captioned("What could not be read when the image was made"),
    )
}

fn segments(segments: &[Segment]) -> Option<SectionPart> {
    part(
        Table::of(segments)
            .column(Column::number("number"), |segment| segment.number)
            .column(Column::code("file"), |segment| segment.path.as_deref().map(plain))
            .column(Column::number("size (bytes)"), |segment| segment.size)
            .captioned("Segments"),
    )
}
