//! A state of `scrub` as sections of a page: what is wrong, how old proofs are, and what runs did.

use super::rows::{Rows, Weight};
use super::source::ReportInput;
use super::state_charts::charts;
use super::told::{Facts, ReportedResult};
use crate::amount::span;
use crate::message::{Shown, count};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashmill_job::scrub::{Coverage, DeviceFiles, FileVerdict, RunLook, StateLook, Verdict};
use hashmill_job::signatures::guard::Guard;
use hashmill_manifest::Time;
use hashmill_os::names;
use hashmill_report::{Cell, Column, Extent, Figure, PageVerdict, Section, SectionPart, Table, Tone, size};
use std::time::Duration;

/// A file that is not as it counts.
struct Problem {
    path: Box<[u8]>,
    verdict: Verdict,
    size: Option<u64>,
    verified: i64,
    streak: u32,
}

/// Returns the page of a state.
///
/// # Errors
/// If it can't be read, or was altered.
pub fn tell(source: &ReportInput, guard: &Guard, most: usize) -> anyhow::Result<ReportedResult> {
    let state = StateLook::open(&source.path, guard)?;
    let (coverage, devices) = (state.coverage()?, state.devices()?);
    let mut problems = Rows::new(most);
    state.otherwise(&mut |found| problems.push(Problem::of(found), Weight::Matters))?;
    let sections = [
        Some(summary(&state, &coverage, &devices, source.facts())),
        self::problems(problems, &devices),
        charts(&state)?,
        self::devices(&devices),
        runs(state.runs()),
    ];
    let sections = sections.into_iter().flatten().collect();
    let verdict = verdict(&coverage, &devices);
    let about = Facts::new();
    Ok(ReportedResult { kind: "state", title: source.name(), verdict, about, sections, malformed: 0 })
}

impl Problem {
    fn of(found: &FileVerdict<'_>) -> Problem {
        let FileVerdict { path, verdict, size, last, streak, .. } = *found;
        Problem { path: path.into(), verdict, size, verified: last, streak }
    }
}

/// Returns the meaning of a verdict.
pub(super) fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Verified | Verdict::Restored => Tone::Good,
        Verdict::Rot | Verdict::Unstable | Verdict::Unreadable | Verdict::Missing => Tone::Bad,
        Verdict::Edited | Verdict::Differs => Tone::Doubtful,
        Verdict::New | Verdict::Moved => Tone::Plain,
    }
}

/// Returns the files of all devices with this verdict.
fn number(devices: &[DeviceFiles], verdict: Verdict) -> u64 {
    devices.iter().map(|of| of.of(verdict)).sum()
}

fn verdict(coverage: &Coverage, devices: &[DeviceFiles]) -> PageVerdict {
    let named = |wanted: Tone| {
        let words = Verdict::ALL.into_iter().filter(|verdict| tone(*verdict) == wanted);
        let words = words.map(|verdict| (verdict.word(), number(devices, verdict)));
        let words = words.filter(|(_, number)| *number > 0);
        words.map(|(word, number)| format!("{} {word}", Cell::from(number))).collect::<Vec<_>>().join(", ")
    };
    let (bad, doubtful) = (named(Tone::Bad), named(Tone::Doubtful));
    let unread = match coverage.unread {
        0 => String::new(),
        unread => format!(" {} never verified.", count(unread, "file was", "files were")),
    };
    let all =
        [&bad, &doubtful].into_iter().filter(|one| !one.is_empty()).cloned().collect::<Vec<_>>().join(", ");
    let files = count(coverage.files, "file", "files");
    match (bad.is_empty(), all.is_empty(), coverage.oldest) {
        (false, ..) => PageVerdict::new(Tone::Bad, format!("Not as it was: {all}.{unread}")),
        (_, false, _) => {
            PageVerdict::new(Tone::Doubtful, format!("To be accepted or restored: {all}.{unread}"))
        }
        _ if coverage.unread > 0 => {
            PageVerdict::new(Tone::Doubtful, format!("{files}, nothing is wrong.{unread}"))
        }
        (_, _, Some(oldest)) => {
            let within = span(Duration::from_secs(oldest.max(1)));
            PageVerdict::new(Tone::Good, format!("{files}, all verified within {within}; nothing is wrong."))
        }
        _ => PageVerdict::new(Tone::Plain, "No files."),
    }
}

fn summary(state: &StateLook, coverage: &Coverage, devices: &[DeviceFiles], file: Facts) -> Section {
    let figure = |label: &str, number: u64, tone: Tone| {
        let tone = if number > 0 { tone } else { Tone::Plain };
        Figure::new(label, Cell::from(number).to_string()).tone(tone)
    };
    let mut figures = vec![
        figure("files", coverage.files, Tone::Plain),
        Figure::new(format!("{} bytes", Cell::from(coverage.bytes)), size(coverage.bytes as f64)),
        figure("never verified", coverage.unread, Tone::Doubtful),
    ];
    for verdict in
        Verdict::ALL.into_iter().filter(|verdict| matches!(tone(*verdict), Tone::Bad | Tone::Doubtful))
    {
        figures.push(figure(verdict.word(), number(devices, verdict), tone(verdict)));
    }
    let folders: Vec<String> = state.folders().map(|folder| Shown(folder).to_string()).collect();
    let rate = coverage.rate.filter(|rate| *rate > 0.0).map(|rate| {
        let days = coverage.days.filter(|days| *days >= 1.0);
        let days = days.map_or(String::new(), |days| format!("; all files take {days:.0} days"));
        format!("{} a day, in the last month{days}", size(rate.round()))
    });
    let oldest = coverage
        .oldest
        .map(|oldest| format!("{} before the last run ended", span(Duration::from_secs(oldest))));
    let [first, last] =
        [state.runs().first(), state.runs().last()].map(|run| run.and_then(|run| time(run.began)));
    let facts = [
        ("folders", Some(folders.join("\n"))),
        ("algorithms", Some(state.algorithms().replace(',', ", "))),
        ("first run", first),
        ("last run", last),
        ("oldest proof", oldest),
        ("rate", rate),
        ("seal", Some(state.seal())),
    ];
    let facts = facts.into_iter().filter_map(|(name, value)| Some((name.to_string(), value?)));
    let facts = file.into_iter().chain(facts).collect();
    Section::new("Summary").with(SectionPart::Figures(figures)).with(SectionPart::Facts(facts))
}

fn problems(problems: Rows<Problem>, devices: &[DeviceFiles]) -> Option<Section> {
    let states = Verdict::ALL.map(|verdict| (verdict.word(), tone(verdict)));
    let mut table = Table::new(
        "",
        [
            Column::code("path"),
            Column::state("verdict", states),
            Column::number("size (bytes)"),
            Column::number("runs in a row"),
            Column::time("last verified"),
            Column::code("path in base64"),
        ],
    );
    let note = problems.note("files");
    let mut all: Vec<Problem> = problems.parted().0;
    all.sort_by_key(|problem| std::cmp::Reverse(rank(problem.verdict)));
    for Problem { path, verdict, size, verified, streak } in all {
        let exact = str::from_utf8(&path).is_err().then(|| STANDARD.encode(&path));
        let path = Shown(&path).to_string();
        let streak = Cell::from(u64::from(streak));
        table.push([
            path.into(),
            verdict.word().into(),
            size.into(),
            streak,
            time(verified).into(),
            exact.into(),
        ]);
    }
    table.drop_empty_columns();
    let is_wrong = |verdict: &Verdict| matches!(tone(*verdict), Tone::Bad | Tone::Doubtful);
    let files = Verdict::ALL
        .iter()
        .filter(|verdict| is_wrong(verdict))
        .map(|verdict| number(devices, *verdict))
        .sum();
    let section = Section::new(format!("Problems: {}", count(files, "file", "files")));
    let section = note.into_iter().fold(section, |section, note| section.with(SectionPart::Warning(note)));
    (files > 0).then(|| section.with(SectionPart::Records(table.extent(Extent::Every))))
}

/// Returns the rank of a verdict: what is surely bad comes first.
fn rank(verdict: Verdict) -> usize {
    let words = [
        Verdict::Edited,
        Verdict::Differs,
        Verdict::Missing,
        Verdict::Unstable,
        Verdict::Unreadable,
        Verdict::Rot,
    ];
    words.iter().position(|other| *other == verdict).unwrap_or(0)
}

fn devices(devices: &[DeviceFiles]) -> Option<Section> {
    let mut table = Table::new(
        "",
        [
            Column::code("device"),
            Column::code("mounted at"),
            Column::words("file system"),
            Column::words("medium"),
            Column::number("files"),
            Column::words("size"),
            Column::number("never verified"),
            Column::time("oldest proof"),
            Column::number("problems"),
        ],
    );
    for of in devices {
        let device = of.device.as_deref();
        let name =
            device.and_then(|device| device.source.as_ref()).map(|name| Shown(name.as_bytes()).to_string());
        let place = device.and_then(|device| device.mount_point.as_ref());
        let system = device.map(|device| Shown(device.file_system.as_bytes()).to_string());
        let wrong = Verdict::ALL.into_iter().filter(|verdict| tone(*verdict) == Tone::Bad);
        let unknown = || device.map_or("not known".to_string(), |device| device.number.to_string());
        table.push([
            name.unwrap_or_else(unknown).into(),
            place.map(|place| Shown(&names::path_bytes(place)).to_string()).into(),
            system.into(),
            device.map(|device| device.medium.name().to_string()).into(),
            of.files.into(),
            size(of.bytes as f64).into(),
            of.unread.into(),
            of.oldest.and_then(time).into(),
            wrong.map(|verdict| of.of(verdict)).sum::<u64>().into(),
        ]);
    }
    table.drop_empty_columns();
    (!devices.is_empty()).then(|| Section::new("Devices").with(SectionPart::Table(table)))
}

fn runs(runs: &[RunLook]) -> Option<Section> {
    let columns =
        [Column::time("began"), Column::words("took"), Column::number("files read"), Column::words("read")];
    let verdicts = Verdict::ALL.map(|verdict| Column::number(verdict.word()));
    let mut table = Table::new("", columns.into_iter().chain(verdicts));
    for run in runs.iter().rev() {
        let took = match run.ended.and_then(|ended| u64::try_from(ended.saturating_sub(run.began)).ok()) {
            Some(seconds) => span(Duration::from_secs(seconds)),
            None => "did not end".into(),
        };
        let cells = [time(run.began).into(), took.into(), run.files.into(), size(run.bytes as f64).into()];
        let verdicts = run.verdicts.map(|number| Cell::from(Some(number).filter(|number| *number > 0)));
        table.push(cells.into_iter().chain(verdicts));
    }
    table.drop_empty_columns();
    let title = format!("Runs: {}", Cell::from(runs.len()));
    (!runs.is_empty()).then(|| Section::new(title).with(SectionPart::Records(table.extent(Extent::Folded))))
}

/// Formats a time; none for never.
fn time(seconds: i64) -> Option<String> {
    (seconds > 0).then(|| Time { seconds, nanoseconds: 0 }.to_rfc3339()).flatten()
}
