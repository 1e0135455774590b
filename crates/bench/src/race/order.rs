//! The order of runs: round after round, so that drift of the machine affects all alike, and in each round drawn by lot.
//! Programs that fail are left out.

use super::cold::CacheDropper;
use super::runner::{Ended, Invocation, Ran, Runner};
use crate::peers::OutputFormat;
use crate::{Clock, Draw};
use std::path::PathBuf;
use std::time::Duration;

/// How often each program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Runs that are not timed, of each. Their digests are verified too.
    pub warmup: usize,
    /// The least number of timed runs, of each.
    pub runs: usize,
    /// Timed runs go on until a case has taken this long (a thousand rounds at most).
    pub least: Duration,
    /// The time limit of a run.
    pub limit: Duration,
}

/// Rounds of one case at most: more would tell nothing new.
pub const MOST: usize = 1000;

/// Work that several programs do.
#[derive(Debug, Clone, Default)]
pub struct Case {
    /// Who takes part.
    pub entries: Vec<Competitor>,
    /// The algorithms whose digests each has to print for a file.
    pub algorithms: Vec<&'static str>,
    /// What each has to print, as [`OutputFormat::items`] gives it; none: what the first entry
    /// prints, which begins the first round then.
    pub expected: Option<Vec<String>>,
    /// The files that are read.
    pub files: Vec<PathBuf>,
}

/// One competitor, installed or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Competitor {
    /// Its name in results.
    pub tool: String,
    /// How it is called; or why it can't take part, for people.
    pub call: Result<Call, String>,
}

/// How a program is called, and its output read.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The program with all arguments.
    pub invocation: Invocation,
    /// Where its digests are.
    pub reads: OutputFormat,
    /// Its exit code when all is well.
    pub code: i32,
}

impl Call {
    /// A call that ends with 0 when all is well.
    pub fn of(invocation: Invocation, reads: OutputFormat) -> Call {
        Call { invocation, reads, code: 0 }
    }
}

/// One timed run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lap {
    /// Seconds from start to end.
    pub wall: f64,
    /// Seconds of processors.
    pub user: f64,
    /// Seconds of the system.
    pub system: f64,
}

/// The outcome of one competitor.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Its name.
    pub tool: String,
    /// What was run, for people.
    pub command: String,
    /// Its timed runs; none if it is not ranked.
    pub laps: Vec<Lap>,
    /// Whether it is.
    pub verdict: Verdict,
}

/// Whether an entry's times count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every run gave the right digests.
    Right,
    /// It is not installed; the package that has it.
    Absent(String),
    /// A run gave wrong digests; which.
    Wrong(String),
    /// The run failed or was ended; why.
    Failed(String),
    /// All was to end before its first timed run.
    NotReached,
}

/// Runs cases.
pub struct Track<'a> {
    /// Runs programs.
    pub runner: &'a mut dyn Runner,
    /// Tells when a case has taken long enough.
    pub clock: &'a dyn Clock,
    /// Draws the order of each round.
    pub draw: Draw,
    /// Takes the files out of memory before each run; none: they stay there.
    pub cold: Option<&'a mut dyn CacheDropper>,
    /// Whether all is to end.
    pub cancelled: &'a dyn Fn() -> bool,
    /// Is told of each run before it begins.
    pub watch: &'a mut dyn FnMut(Step<'_>),
}

/// The start of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step<'a> {
    /// The program.
    pub tool: &'a str,
    /// Its run: counted from 1.
    pub run: usize,
    /// Whether it warms up.
    pub warmup: bool,
}

impl Track<'_> {
    /// Runs cases, all of them in each round, and gives the outcomes of each. What is interrupted keeps the laps that
    /// it has.
    pub fn run(&mut self, cases: &[Case], plan: Plan) -> Vec<Vec<Outcome>> {
        let mut heat = Heat::of(cases, plan);
        for round in 1..=plan.warmup {
            self.round(&mut heat, round, true);
        }
        let start = self.clock.now();
        for round in 1..=MOST.max(plan.runs) {
            let enough = round > plan.runs && self.clock.now() - start >= heat.least;
            if enough || (self.cancelled)() {
                break;
            }
            self.round(&mut heat, round, false);
        }
        heat.done()
    }

    fn round(&mut self, heat: &mut Heat<'_>, run: usize, warmup: bool) {
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
            // Before a warm-up it would only take time.
            if !warmup && let Err(why) = self.chill(&case.files) {
                heat.outcome(start).fails(Verdict::Failed(format!("cannot empty the page cache: {why}")));
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

/// Cases that are being run.
struct Heat<'a> {
    cases: &'a [Case],
    plan: Plan,
    /// How long timed rounds go on at least.
    least: Duration,
    expected: Vec<Option<Vec<String>>>,
    outcomes: Vec<Vec<Outcome>>,
}

/// One entry of one case.
#[derive(Debug, Clone, Copy)]
struct Start {
    case: usize,
    entry: usize,
}

impl<'a> Heat<'a> {
    fn of(cases: &'a [Case], plan: Plan) -> Self {
        let expected = cases.iter().map(|case| case.expected.clone()).collect();
        let least = plan.least * u32::try_from(cases.len()).unwrap_or(u32::MAX);
        Heat { cases, plan, least, expected, outcomes: cases.iter().map(outcomes).collect() }
    }

    /// Everybody once. Who tells what is right, where nothing else does, comes first until it has.
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

    fn outcome(&mut self, start: Start) -> &mut Outcome {
        &mut self.outcomes[start.case][start.entry]
    }

    fn judge(&mut self, start: Start, call: &Call, ran: &Ran, warmup: bool) {
        let outcome = &mut self.outcomes[start.case][start.entry];
        match &ran.ended {
            Ended::Code(code) if *code == call.code => {}
            Ended::Interrupted => return,
            _ => return outcome.fails(Verdict::Failed(said(ran))),
        }
        let items = call.reads.items(&ran.stdout, &self.cases[start.case].algorithms);
        match &mut self.expected[start.case] {
            expected @ None => *expected = Some(items),
            Some(expected) => {
                if let Some(wrong) = difference(expected, &items) {
                    return outcome.fails(Verdict::Wrong(wrong));
                }
            }
        }
        if !warmup {
            outcome.laps.push(Lap { wall: ran.wall, user: ran.user, system: ran.system });
        }
    }

    fn done(mut self) -> Vec<Vec<Outcome>> {
        for outcome in self.outcomes.iter_mut().flatten() {
            if outcome.verdict == Verdict::Right && outcome.laps.is_empty() {
                outcome.verdict = Verdict::NotReached;
            }
        }
        self.outcomes
    }
}

impl Outcome {
    fn runs(&self) -> bool {
        self.verdict == Verdict::Right
    }

    /// It is left out from now on; its earlier runs are not ranked.
    fn fails(&mut self, verdict: Verdict) {
        self.verdict = verdict;
        self.laps.clear();
    }
}

fn outcomes(case: &Case) -> Vec<Outcome> {
    let outcome = |entry: &Competitor| {
        let (command, verdict) = match &entry.call {
            Ok(call) => (call.invocation.to_string(), Verdict::Right),
            Err(why) => (String::new(), Verdict::Absent(why.clone())),
        };
        Outcome { tool: entry.tool.clone(), command, laps: Vec::new(), verdict }
    };
    case.entries.iter().map(outcome).collect()
}

/// How it ended, with the first thing that it said of it.
fn said(ran: &Ran) -> String {
    let text = String::from_utf8_lossy(&ran.stderr);
    match text.lines().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("{}: {}", ran.ended, line.trim()),
        None => ran.ended.to_string(),
    }
}

/// The difference between printed and expected digests; both sorted.
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
