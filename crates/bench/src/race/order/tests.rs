//! Tests of the order of runs, with fake programs and a fake clock.

use super::*;
use crate::FakeClock;
use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;

const LIMIT: Duration = Duration::from_secs(9);
const PLAN: Plan = Plan { warmup: 0, runs: 2, least: Duration::ZERO, limit: LIMIT };

/// Returns the result of a fake program's n-th run.
type Does<'a> = Box<dyn FnMut(usize) -> Ran + 'a>;

/// Fake programs by name. Every run advances the clock by its time.
#[derive(Default)]
struct Fake<'a> {
    programs: Vec<(&'static str, usize, Does<'a>)>,
    clock: Option<&'a FakeClock>,
    log: Rc<RefCell<Vec<String>>>,
}

impl<'a> Fake<'a> {
    fn program(mut self, name: &'static str, does: impl FnMut(usize) -> Ran + 'a) -> Self {
        self.programs.push((name, 0, Box::new(does)));
        self
    }
}

impl Runner for Fake<'_> {
    fn run(&mut self, invocation: &Invocation, limit: Duration) -> Ran {
        assert_eq!(limit, LIMIT);
        let name = invocation.program.to_str().unwrap();
        self.log.borrow_mut().push(name.to_string());
        let (_, runs, does) = self.programs.iter_mut().find(|program| program.0 == name).unwrap();
        *runs += 1;
        let ran = does(*runs);
        if let Some(clock) = self.clock {
            clock.advance(Duration::from_secs_f64(ran.wall));
        }
        ran
    }
}

fn ran(wall: f64, stdout: &str) -> Ran {
    let (user, system) = (wall / 2.0, wall / 4.0);
    Ran { ended: Ended::Code(0), wall, user, system, stdout: stdout.into(), stderr: Vec::new() }
}

fn ended(ended: Ended) -> Ran {
    Ran { ended, stderr: b"\nno luck today\nmore\n".to_vec(), ..ran(1.0, "0a  f\n") }
}

fn entry(tool: &'static str) -> Competitor {
    let call = Call::new(Invocation::new(tool, [""; 0]), OutputFormat::First);
    Competitor { tool: tool.to_string(), call: Ok(call) }
}

fn case(tools: &[&'static str]) -> Case {
    let entries = tools.iter().map(|tool| entry(tool)).collect();
    Case { entries, algorithms: vec!["md5"], expected: Some(vec!["0a".into()]), files: vec!["f".into()] }
}

/// Returns a draw with a seed that produces AB, then BA.
fn draw() -> Draw {
    let seed = (0..).find(|seed| {
        let mut draw = Draw::from_seed(*seed);
        draw.order(2) == [0, 1] && draw.order(2) == [1, 0]
    });
    Draw::from_seed(seed.unwrap())
}

fn race(fake: &mut Fake<'_>, case: &Case, plan: Plan) -> Vec<CompetitorResult> {
    let still = FakeClock::new(Duration::ZERO);
    let clock = fake.clock.unwrap_or(&still);
    let cases = std::slice::from_ref(case);
    Track { runner: fake, clock, draw: draw(), cold: None, cancelled: &|| false, watch: &mut |_| {} }
        .run(cases, plan)
        .remove(0)
}

fn walls(outcome: &CompetitorResult) -> Vec<f64> {
    outcome.laps.iter().map(|lap| lap.wall).collect()
}

#[test]
fn runs_are_interleaved_in_an_order_that_is_drawn_and_warm_ups_are_not_timed() {
    let right = |run: usize| ran(run as f64, "0a  f\n");
    let mut fake = Fake::default().program("a", right).program("b", right);
    let log = fake.log.clone();
    let outcomes = race(&mut fake, &case(&["a", "b"]), Plan { warmup: 2, ..PLAN });
    let log = log.borrow().concat();
    assert!(log.starts_with("abba"), "{log}");
    assert!(
        [&log[4..6], &log[6..]].iter().all(|round| ["ab", "ba"].contains(round)),
        "each once a round: {log}"
    );
    assert_eq!(walls(&outcomes[0]), [3.0, 4.0], "the first two were warm-ups");
    assert_eq!(walls(&outcomes[1]), [3.0, 4.0]);
    assert_eq!(outcomes[0].laps[0], TimedRun { wall: 3.0, user: 1.5, system: 0.75 });
    assert!(outcomes.iter().all(|outcome| outcome.verdict == Standing::Right));
}

#[test]
fn rounds_go_on_until_the_least_time_is_over() {
    let clock = FakeClock::new(Duration::ZERO);
    let mut fake = Fake { clock: Some(&clock), ..Fake::default() }.program("a", |_| ran(0.25, "0a  f\n"));
    let outcomes = race(&mut fake, &case(&["a"]), Plan { least: Duration::from_secs(2), ..PLAN });
    assert_eq!(outcomes[0].laps.len(), 8);
}

#[test]
fn a_wrong_digest_is_flagged_and_its_times_are_dropped() {
    let late = |run: usize| ran(1.0, if run < 2 { "0a  f\n" } else { "0b  f\n" });
    let mut fake = Fake::default().program("late", late).program("b", |_| ran(2.0, "0a  f\n"));
    let log = fake.log.clone();
    let outcomes = race(&mut fake, &case(&["late", "b"]), Plan { runs: 4, ..PLAN });
    assert_eq!(outcomes[0].verdict, Standing::Wrong("printed 0b, not 0a".into()));
    assert!(outcomes[0].laps.is_empty());
    assert_eq!(outcomes[1].laps.len(), 4, "the others go on");
    assert_eq!(log.borrow().concat(), "latebblatebb", "it does not run again");
    let none = race(&mut Fake::default().program("a", |_| ran(1.0, "")), &case(&["a"]), PLAN);
    assert!(matches!(&none[0].verdict, Standing::Wrong(why) if why.starts_with("printed 0 results")));
}

#[test]
fn one_that_fails_or_hangs_is_reported_and_the_others_go_on() {
    let mut fake = Fake::default()
        .program("fails", |_| ended(Ended::Code(3)))
        .program("hangs", |_| Ran { stderr: Vec::new(), ..ended(Ended::Hung(LIMIT)) })
        .program("gone", |_| ended(Ended::NotRun("No such file".into())))
        .program("good", |_| ran(1.0, "0A *f\n"));
    let outcomes = race(&mut fake, &case(&["fails", "hangs", "gone", "good"]), PLAN);
    let verdicts: Vec<_> = outcomes.iter().map(|outcome| outcome.verdict.clone()).collect();
    let failed = |why: &str| Standing::Failed(why.to_string());
    assert_eq!(verdicts[0], failed("ended with exit code 3: no luck today"));
    assert_eq!(verdicts[1], failed("not done after 9 s, ended"));
    assert_eq!(verdicts[2], failed("cannot run: No such file: no luck today"));
    assert_eq!((&verdicts[3], outcomes[3].laps.len()), (&Standing::Right, 2));
}

#[test]
fn a_program_may_end_with_another_code_when_all_is_well() {
    let mut case = case(&["odd"]);
    if let Ok(call) = &mut case.entries[0].call {
        call.code = 1;
    }
    let ends = |code| move |_| Ran { ended: Ended::Code(code), ..ran(1.0, "0a  f\n") };
    let right = race(&mut Fake::default().program("odd", ends(1)), &case, PLAN);
    assert_eq!((&right[0].verdict, right[0].laps.len()), (&Standing::Right, 2));
    let wrong = race(&mut Fake::default().program("odd", ends(0)), &case, PLAN);
    assert!(matches!(wrong[0].verdict, Standing::Failed(_)), "{wrong:?}");
}

#[test]
fn a_missing_tool_is_an_outcome_of_its_own() {
    let mut case = case(&["a"]);
    let why = "not installed (apt install hashdeep)".to_string();
    case.entries.push(Competitor { tool: "hashdeep".into(), call: Err(why.clone()) });
    let outcomes = race(&mut Fake::default().program("a", |_| ran(1.0, "0a  f\n")), &case, PLAN);
    assert_eq!(outcomes[1].verdict, Standing::Absent(why));
    assert!(outcomes[1].laps.is_empty() && outcomes[0].laps.len() == 2);
}

#[test]
fn without_an_expectation_the_first_one_is_the_measure() {
    let mut fake = Fake::default()
        .program("ours", |_| ran(1.0, "0c  f\n"))
        .program("same", |_| ran(1.0, "0c  g\n"))
        .program("other", |_| ran(1.0, "0d  f\n"));
    let log = fake.log.clone();
    let case = Case { expected: None, ..case(&["ours", "same", "other"]) };
    let outcomes = race(&mut fake, &case, PLAN);
    assert_eq!(log.borrow()[0], "ours");
    assert_eq!((&outcomes[0].verdict, &outcomes[1].verdict), (&Standing::Right, &Standing::Right));
    assert_eq!(outcomes[2].verdict, Standing::Wrong("printed 0d, not 0c".into()));
}

#[test]
fn an_interrupt_keeps_what_there_is() {
    let stop = Cell::new(false);
    let mut fake = Fake::default().program("a", |_| ran(1.0, "0a  f\n")).program("b", |run| {
        stop.set(run == 2);
        if run == 2 { ended(Ended::Interrupted) } else { ran(1.0, "0a  f\n") }
    });
    let log = fake.log.clone();
    let still = FakeClock::new(Duration::ZERO);
    let cancelled = || stop.get();
    let mut track = Track {
        runner: &mut fake,
        clock: &still,
        draw: draw(),
        cold: None,
        cancelled: &cancelled,
        watch: &mut |_| {},
    };
    let outcomes = track.run(&[case(&["a", "b"])], Plan { runs: 5, ..PLAN }).remove(0);
    assert_eq!(log.borrow().concat(), "abb");
    assert_eq!((outcomes[0].laps.len(), outcomes[1].laps.len()), (1, 1));
    let next = track.run(&[case(&["a"])], PLAN);
    assert_eq!(next[0][0].verdict, Standing::NotReached);
    assert_eq!(log.borrow().concat(), "abb", "nothing is started any more");
}

#[test]
fn cases_share_rounds_and_each_has_its_own_digests() {
    let mut fake =
        Fake::default().program("a", |_| ran(1.0, "0a  f\n")).program("b", |_| ran(2.0, "0b  f\n"));
    let log = fake.log.clone();
    let still = FakeClock::new(Duration::ZERO);
    let cases = [case(&["a"]), Case { expected: Some(vec!["0b".into()]), ..case(&["b", "a"]) }];
    let mut track = Track {
        runner: &mut fake,
        clock: &still,
        draw: draw(),
        cold: None,
        cancelled: &|| false,
        watch: &mut |_| {},
    };
    let outcomes = track.run(&cases, Plan { warmup: 1, ..PLAN });
    assert_eq!(walls(&outcomes[0][0]), [1.0, 1.0]);
    assert_eq!(walls(&outcomes[1][0]), [2.0, 2.0]);
    assert!(matches!(outcomes[1][1].verdict, Standing::Wrong(_)));
    let mut first: Vec<_> = log.borrow()[..3].to_vec();
    first.sort_unstable();
    assert_eq!(first, ["a", "a", "b"], "a round has all cases");
}

/// Logs each call, and fails after this many.
struct Fridge {
    log: Rc<RefCell<Vec<String>>>,
    good_for: usize,
}

impl CacheDropper for Fridge {
    fn chill(&mut self, files: &[PathBuf]) -> io::Result<()> {
        assert_eq!(files, [PathBuf::from("f")]);
        self.log.borrow_mut().push("-".to_string());
        self.good_for = self.good_for.checked_sub(1).ok_or_else(|| io::Error::other("refused"))?;
        Ok(())
    }
}

#[test]
fn cold_runs_come_after_the_cache_is_emptied() {
    let right = |_| ran(1.0, "0a  f\n");
    let mut fake = Fake::default().program("a", right).program("b", right);
    let log = fake.log.clone();
    let mut fridge = Fridge { log: log.clone(), good_for: 3 };
    let still = FakeClock::new(Duration::ZERO);
    let mut track = Track {
        runner: &mut fake,
        clock: &still,
        draw: draw(),
        cold: Some(&mut fridge),
        cancelled: &|| false,
        watch: &mut |_| {},
    };
    let outcomes = track.run(&[case(&["a", "b"])], Plan { warmup: 1, ..PLAN }).remove(0);
    let log = log.borrow().concat();
    assert!(log.starts_with("ab-b-a-"), "{log}");
    let refused = Standing::Failed("cannot empty the page cache: refused".into());
    let verdicts: Vec<_> = outcomes.iter().map(|outcome| (outcome.laps.len(), &outcome.verdict)).collect();
    assert!(verdicts.contains(&(2, &Standing::Right)) && verdicts.contains(&(0, &refused)), "{verdicts:?}");
}
