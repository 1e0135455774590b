//! A state of `scrub` as sections of a page: what is wrong, how old proofs are, and what runs did.

use super::rows::{Rows, Weight};
use super::source::ReportInput;
use super::state_charts::charts;
use super::told::{self, Facts, ReportedResult};
use crate::words::amount::span;
use crate::words::message::{Shown, count};
use hashmill_job::scrub::{Coverage, DeviceFiles, FileVerdict, RunLook, StateLook, Verdict};
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::Time;
use hashmill_os::names;
use hashmill_report::{Cell, Column, Extent, Figure, PageVerdict, Section, SectionPart, Table, Tone, size};
use hashmill_terminal::path_b64;
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
    let mut figures = vec![
        Figure::count("files", coverage.files, Tone::Plain),
        Figure::new(format!("{} bytes", Cell::from(coverage.bytes)), size(coverage.bytes as f64)),
        Figure::count("never verified", coverage.unread, Tone::Doubtful),
    ];
    for verdict in
        Verdict::ALL.into_iter().filter(|verdict| matches!(tone(*verdict), Tone::Bad | Tone::Doubtful))
    {
        figures.push(Figure::count(verdict.word(), number(devices, verdict), tone(verdict)));
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
    let facts = told::known([
        ("folders", Some(folders.join("\n"))),
        ("algorithms", Some(state.algorithms().replace(',', ", "))),
        ("first run", first),
        ("last run", last),
        ("oldest proof", oldest),
        ("rate", rate),
        ("seal", Some(state.seal())),
    ]);
    let facts = file.into_iter().chain(facts).collect();
    Section::new("Summary").with(SectionPart::Figures(figures)).with(SectionPart::Facts(facts))
}

fn problems(problems: Rows<Problem>, devices: &[DeviceFiles]) -> Option<Section> {
    let states = Verdict::ALL.map(|verdict| (verdict.word(), tone(verdict)));
    let note = problems.note("files");
    let mut all: Vec<Problem> = problems.parted().0;
    all.sort_by_key(|problem| std::cmp::Reverse(rank(problem.verdict)));
    let table = Table::of(&all)
        .column(Column::code("path"), |problem| Shown(&problem.path).to_string())
        .optional(Column::state("verdict", states), |problem| problem.verdict.word())
        .optional(Column::number("size (bytes)"), |problem| problem.size)
        .optional(Column::number("runs in a row"), |problem| u64::from(problem.streak))
        .optional(Column::time("last verified"), |problem| time(problem.verified))
        .optional(Column::code("path in base64"), |problem| path_b64(&problem.path))
        .captioned("");
    let is_wrong = |verdict: &Verdict| matches!(tone(*verdict), Tone::Bad | Tone::Doubtful);
    let files = Verdict::ALL
        .iter()
        .filter(|verdict| is_wrong(verdict))
        .map(|verdict| number(devices, *verdict))
        .sum();
    let section = Section::new(format!("Problems: {}", count(files, "file", "files"))).warning(note);
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
    let name = |of: &DeviceFiles| {
        let Some(device) = &of.device else { return "not known".to_string() };
        let name = device.source.as_ref().map(|name| Shown(name.as_bytes()).to_string());
        name.unwrap_or_else(|| device.number.to_string())
    };
    let place = |of: &DeviceFiles| {
        let place = of.device.as_ref()?.mount_point.as_ref()?;
        Some(Shown(&names::path_bytes(place)).to_string())
    };
    let system = |of: &DeviceFiles| Some(Shown(of.device.as_ref()?.file_system.as_bytes()).to_string());
    let medium = |of: &DeviceFiles| Some(of.device.as_ref()?.medium.name());
    let problems = |of: &DeviceFiles| -> u64 {
        let wrong = Verdict::ALL.into_iter().filter(|verdict| tone(*verdict) == Tone::Bad);
        wrong.map(|verdict| of.of(verdict)).sum()
    };
    let table = Table::of(devices)
        .column(Column::code("device"), name)
        .optional(Column::code("mounted at"), place)
        .optional(Column::words("file system"), system)
        .optional(Column::words("medium"), medium)
        .optional(Column::number("files"), |of| of.files)
        .optional(Column::words("size"), |of| size(of.bytes as f64))
        .optional(Column::number("never verified"), |of| of.unread)
        .optional(Column::time("oldest proof"), |of| of.oldest.and_then(time))
        .optional(Column::number("problems"), problems)
        .captioned("");
    (!devices.is_empty()).then(|| Section::new("Devices").with(SectionPart::Table(table)))
}

fn runs(runs: &[RunLook]) -> Option<Section> {
    let took = |run: &RunLook| {
        let seconds = run.ended.and_then(|ended| u64::try_from(ended.saturating_sub(run.began)).ok());
        seconds.map_or("did not end".into(), |seconds| span(Duration::from_secs(seconds)))
    };
    let table = Table::of(runs.iter().rev())
        .column(Column::time("began"), |run| time(run.began))
        .optional(Column::words("took"), took)
        .optional(Column::number("files read"), |run| run.files)
        .optional(Column::words("read"), |run| size(run.bytes as f64));
    let verdicts = Verdict::ALL.iter().enumerate();
    let table = verdicts.fold(table, |table, (place, verdict)| {
        let found = |run: &RunLook| Some(run.verdicts[place]).filter(|number| *number > 0);
        table.optional(Column::number(verdict.word()), found)
    });
    let table = table.captioned("");
    let title = format!("Runs: {}", Cell::from(runs.len()));
    (!runs.is_empty()).then(|| Section::new(title).with(SectionPart::Records(table.extent(Extent::Folded))))
}

/// Formats a time; none for never.
fn time(seconds: i64) -> Option<String> {
    (seconds > 0).then(|| Time { seconds, nanoseconds: 0 }.to_rfc3339()).flatten()
}
