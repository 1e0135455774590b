//! The order of runs: in rounds, so that drift of the machine affects all alike, and in random order in each round.
//! Programs that fail are excluded.

use super::cold::CacheDropper;
use super::runner::{Invocation, Ran, Runner};
use crate::peers::OutputFormat;
use crate::program::Ended;
use crate::{Clock, Draw};
use std::path::PathBuf;
use std::time::Duration;

/// The number of runs of each program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The number of untimed runs of each. Their digests are also verified.
    pub warmup: usize,
    /// The least number of timed runs of each.
    pub runs: usize,
    /// Timed runs continue until a case has taken this long (up to a thousand rounds).
    pub least: Duration,
    /// The time limit of a run.
    pub limit: Duration,
}

/// The most rounds of a case: more would not improve the result.
pub const MAX_ROUNDS: usize = 1000;

/// Work done by several programs.
#[derive(Debug, Clone, Default)]
pub struct Case {
    /// The participants.
    pub entries: Vec<Competitor>,
    /// The algorithms whose digests each must print for a file.
    pub algorithms: Vec<&'static str>,
    /// The expected output of each, in the format of [`OutputFormat::items`]; `None`: the output of the first entry,
    /// which then starts the first round.
    pub expected: Option<Vec<String>>,
    /// The files to read.
    pub files: Vec<PathBuf>,
}

/// A competitor, which may not be installed.
#[derive(Debug, Clone, PartialEq)]
pub struct Competitor {
    /// Its name in results.
    pub tool: String,
    /// Its call, or the reason why it can't take part, for people.
    pub call: Result<Call, String>,
}

/// A command line and its output format.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The program with all arguments.
    pub invocation: Invocation,
    /// The format of its output.
    pub reads: OutputFormat,
    /// The exit code after success.
    pub code: i32,
}

impl Call {
    /// Creates a call with exit code 0 after success.
    pub fn new(invocation: Invocation, reads: OutputFormat) -> Call {
        Call { invocation, reads, code: 0 }
    }
}

/// A timed run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimedRun {
    /// Wall time in seconds.
    pub wall: f64,
    /// User time in seconds.
    pub user: f64,
    /// System time in seconds.
    pub system: f64,
}

/// The outcome of one competitor.
#[derive(Debug, Clone, PartialEq)]
pub struct CompetitorResult {
    /// Its name.
    pub tool: String,
    /// The command line, for people.
    pub command: String,
    /// Its timed runs; none if it is not ranked.
    pub laps: Vec<TimedRun>,
    /// Whether it is ranked.
    pub verdict: Standing,
}

/// Whether an entry's times count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Every run printed the right digests.
    Right,
    /// It is not installed; the package that has it.
    Absent(String),
    /// A run printed wrong digests; a description.
    Wrong(String),
    /// A run failed or was ended; the reason.
    Failed(String),
    /// Everything was ended before its first timed run.
    NotReached,
}

/// Runs cases.
pub struct Track<'a> {
    /// Runs the programs.
    pub runner: &'a mut dyn Runner,
    /// Measures the duration of a case.
    pub clock: &'a dyn Clock,
    /// Determines the order of each round.
    pub draw: Draw,
    /// Removes the files from the cache before each run; `None` if they stay.
    pub cold: Option<&'a mut dyn CacheDropper>,
    /// Returns true if everything should end.
    pub cancelled: &'a dyn Fn() -> bool,
    /// Called before each run.
    pub watch: &'a mut dyn FnMut(Step<'_>),
}

/// The start of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step<'a> {
    /// The program.
    pub tool: &'a str,
    /// The number of its run, from 1.
    pub run: usize,
    /// Whether it is a warm-up.
    pub warmup: bool,
}

/// The purpose of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RoundKind {
    Warmup,
    Measured,
}

impl Track<'_> {
    /// Runs cases, all of them in each round, and returns the outcomes of each. An interrupted one keeps its laps.
    pub fn run(&mut self, cases: &[Case], plan: Plan) -> Vec<Vec<CompetitorResult>> {
        let mut heat = RunningCases::new(cases, plan);
        for round in 1..=plan.warmup {
            self.round(&mut heat, round, RoundKind::Warmup);
        }
        let start = self.clock.now();
        for round in 1..=MAX_ROUNDS.max(plan.runs) {
            let enough = round > plan.runs && self.clock.now() - start >= heat.least;
            if enough || (self.cancelled)() {
                break;
            }
            self.round(&mut heat, round, RoundKind::Measured);
        }
        heat.done()
    }

    fn round(&mut self, heat: &mut RunningCases<'_>, run: usize, kind: RoundKind) {
        let warmup = kind == RoundKind::Warmup;
        for start in heat.order(&mut self.draw) {
            let (case, entry) = heat.starter(start);
            let Ok(call) = &entry.call else { continue };
            if !heat.outcome(start).runs() {
                continue;
            }
            if (self.cancelled)() {
                return;
            }
            (self.watch)(Step { tool: &entry.tool, run, warmup });
            // Before a warm-up this would only take time.
            if !warmup && let Err(why) = self.chill(&case.files) {
                heat.outcome(start).fails(Standing::Failed(format!("cannot empty the page cache: {why}")));
                continue;
            }
            let ran = self.runner.run(&call.invocation, heat.plan.limit);
            heat.judge(start, call, &ran, warmup);
        }
    }

    fn chill(&mut self, files: &[PathBuf]) -> std::io::Result<()> {
        match &mut self.cold {
            Some(cold) => cold.chill(files),
            None => Ok(()),
        }
    }
}

/// A set of cases that are being run.
struct RunningCases<'a> {
    cases: &'a [Case],
    plan: Plan,
    /// The least duration of the timed rounds.
    least: Duration,
    expected: Vec<Option<Vec<String>>>,
    outcomes: Vec<Vec<CompetitorResult>>,
}

#[derive(Debug, Clone, Copy)]
struct Start {
    case: usize,
    entry: usize,
}

impl<'a> RunningCases<'a> {
    fn new(cases: &'a [Case], plan: Plan) -> Self {
        let expected = cases.iter().map(|case| case.expected.clone()).collect();
        let least = plan.least * u32::try_from(cases.len()).unwrap_or(u32::MAX);
        RunningCases { cases, plan, least, expected, outcomes: cases.iter().map(outcomes).collect() }
    }

    /// Returns all entries once in random order. Without expected digests, the first tool's digests are the reference,
    /// so it runs first.
    fn order(&self, draw: &mut Draw) -> Vec<Start> {
        let all = self.cases.iter().enumerate();
        let all = all.flat_map(|(case, one)| (0..one.entries.len()).map(move |entry| Start { case, entry }));
        let all: Vec<Start> = all.collect();
        let mut order: Vec<Start> = draw.order(all.len()).into_iter().map(|at| all[at]).collect();
        order.sort_by_key(|start| start.entry > 0 || self.expected[start.case].is_some());
        order
    }

    fn starter(&self, start: Start) -> (&'a Case, &'a Competitor) {
        let case = &self.cases[start.case];
        (case, &case.entries[start.entry])
    }

    fn outcome(&mut self, start: Start) -> &mut CompetitorResult {
        &mut self.outcomes[start.case][start.entry]
    }

    fn judge(&mut self, start: Start, call: &Call, ran: &Ran, warmup: bool) {
        let outcome = &mut self.outcomes[start.case][start.entry];
        match &ran.ended {
            Ended::Code(code) if *code == call.code => {}
            Ended::Interrupted => return,
            _ => return outcome.fails(Standing::Failed(said(ran))),
        }
        let items = call.reads.items(&ran.stdout, &self.cases[start.case].algorithms);
        match &mut self.expected[start.case] {
            expected @ None => *expected = Some(items),
            Some(expected) => {
                if let Some(wrong) = difference(expected, &items) {
                    return outcome.fails(Standing::Wrong(wrong));
                }
            }
        }
        if !warmup {
            outcome.laps.push(TimedRun { wall: ran.wall, user: ran.user, system: ran.system });
        }
    }

    fn done(mut self) -> Vec<Vec<CompetitorResult>> {
        for outcome in self.outcomes.iter_mut().flatten() {
            if outcome.verdict == Standing::Right && outcome.laps.is_empty() {
                outcome.verdict = Standing::NotReached;
            }
        }
        self.outcomes
    }
}

impl CompetitorResult {
    fn runs(&self) -> bool {
        self.verdict == Standing::Right
    }

    /// Excludes it from now on; its earlier runs are not ranked.
    fn fails(&mut self, verdict: Standing) {
        self.verdict = verdict;
        self.laps.clear();
    }
}

fn outcomes(case: &Case) -> Vec<CompetitorResult> {
    let outcome = |entry: &Competitor| {
        let (command, verdict) = match &entry.call {
            Ok(call) => (call.invocation.to_string(), Standing::Right),
            Err(why) => (String::new(), Standing::Absent(why.clone())),
        };
        CompetitorResult { tool: entry.tool.clone(), command, laps: Vec::new(), verdict }
    };
    case.entries.iter().map(outcome).collect()
}

/// Returns how it ended, with the first line of its error output.
fn said(ran: &Ran) -> String {
    let text = String::from_utf8_lossy(&ran.stderr);
    match text.lines().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("{}: {}", ran.ended, line.trim()),
        None => ran.ended.to_string(),
    }
}

/// Describes the difference between expected and printed digests, which are sorted.
fn difference(expected: &[String], items: &[String]) -> Option<String> {
    if expected == items {
        return None;
    }
    if let ([right], [printed]) = (expected, items) {
        return Some(format!("printed {printed}, not {right}"));
    }
    let wrong = items.iter().filter(|item| expected.binary_search(item).is_err()).count();
    let (all, wanted) = (items.len(), expected.len());
    Some(format!("printed {all} results, {wrong} of them wrong, where {wanted} are right"))
}

#[cfg(test)]
mod tests;
