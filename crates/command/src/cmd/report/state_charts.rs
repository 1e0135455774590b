//! Charts of a state: how old proofs are, how much runs read, and what they found.

use super::charts::COUNT;
use super::state::tone;
use hashmill_job::scrub::{RunLook, StateLook, Verdict};
use hashmill_report::{Axis, Chart, Point, Section, SectionPart, Series, Tone};

/// The seconds of a day.
const DAY: u64 = 86_400;

/// The upper bounds of ages in days, and their names.
const AGES: [(u64, &str); 8] = [
    (1, "a day"),
    (7, "a week"),
    (30, "30 days"),
    (90, "90 days"),
    (180, "180 days"),
    (365, "a year"),
    (730, "2 years"),
    (u64::MAX, "longer"),
];

/// Returns the section of charts, if there are any.
///
/// # Errors
/// If the state can't be read.
pub fn charts(state: &StateLook) -> anyhow::Result<Option<Section>> {
    let charts = [ages(state)?, bytes(state.runs()), found(state.runs())];
    let parts: Vec<SectionPart> = charts.into_iter().flatten().map(SectionPart::Chart).collect();
    Ok((!parts.is_empty()).then(|| Section { title: "Charts".into(), parts }))
}

/// Makes the chart of files by the age of their last proof.
fn ages(state: &StateLook) -> anyhow::Result<Option<Chart>> {
    let mut ages = Ages::default();
    state.ages(&mut |age| ages.add(age))?;
    Ok(ages.chart())
}

/// The files by the age of their last proof; those that were never verified at the end.
#[derive(Debug, Default)]
struct Ages([u64; AGES.len() + 1]);

impl Ages {
    fn add(&mut self, age: Option<u64>) {
        let within = |age: u64| AGES.iter().position(|(days, _)| age / DAY < *days).unwrap_or(AGES.len() - 1);
        self.0[age.map_or(AGES.len(), within)] += 1;
    }

    fn chart(&self) -> Option<Chart> {
        let last = self.0.iter().rposition(|files| *files > 0)?;
        let names = AGES.iter().map(|(_, name)| *name).chain(["never"]);
        let (names, files): (Vec<&str>, Vec<f64>) =
            names.zip(self.0).take(last + 1).map(|(name, files)| (name, files as f64)).unzip();
        let x = Axis::names("up to", names);
        let chart = Chart::bars("Files by the age of their verification", x, Axis::linear("files", COUNT));
        Some(chart.with(Series::of_values("files", files)))
    }
}

/// Makes the chart of the bytes that runs read; none before the second run.
fn bytes(runs: &[RunLook]) -> Option<Chart> {
    let points = points(runs, |run| run.bytes)?;
    let chart = Chart::lines("Bytes that each run read", days(), Axis::linear("read", "B"));
    Some(chart.with(Series::new("read", points)))
}

/// Makes the chart of what runs found wrong; none before the second run.
fn found(runs: &[RunLook]) -> Option<Chart> {
    let chart = Chart::lines("What each run found", days(), Axis::linear("files", COUNT));
    let is_wrong = |verdict: &Verdict| matches!(tone(*verdict), Tone::Bad | Tone::Doubtful);
    let is_any = |place: usize| runs.iter().any(|run| run.verdicts[place] > 0);
    let verdicts =
        Verdict::ALL.iter().enumerate().filter(|(place, verdict)| is_wrong(verdict) && is_any(*place));
    let series = verdicts.filter_map(|(place, verdict)| {
        Some(Series::new(verdict.word(), points(runs, |run| run.verdicts[place])?))
    });
    let chart = series.fold(chart, Chart::with);
    (!chart.series.is_empty()).then_some(chart)
}

fn days() -> Axis {
    Axis::linear("days since the first run", "")
}

/// Returns a point for each run that ended.
fn points(runs: &[RunLook], value: impl Fn(&RunLook) -> u64) -> Option<Vec<Point>> {
    let first = runs.first()?.began;
    let day = |run: &RunLook| run.began.saturating_sub(first) as f64 / DAY as f64;
    let ended = runs.iter().filter(|run| run.ended.is_some());
    let points: Vec<Point> = ended.map(|run| Point::new(day(run), value(run) as f64)).collect();
    (points.len() > 1).then_some(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_end_with_the_oldest() {
        let mut ages = Ages::default();
        assert!(ages.chart().is_none());
        for age in [0, DAY - 1, DAY, 8 * DAY] {
            ages.add(Some(age));
        }
        let values = |ages: &Ages| -> Vec<f64> {
            ages.chart().unwrap().series[0].points.iter().map(|point| point.y).collect()
        };
        assert_eq!(values(&ages), [2.0, 1.0, 1.0]);
        ages.add(None);
        ages.add(Some(u64::MAX));
        assert_eq!(values(&ages), [2.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn runs_that_did_not_end_have_no_point() {
        let run = |began: i64, ended: Option<i64>, rot: u64| {
            let verdicts = Verdict::ALL.map(|verdict| if verdict == Verdict::Rot { rot } else { 0 });
            RunLook { began, ended, files: 1, bytes: 10, verdicts }
        };
        let day = DAY as i64;
        assert!(bytes(&[run(0, Some(1), 0)]).is_none());
        let runs = [run(day, Some(day), 0), run(2 * day, None, 9), run(3 * day, Some(3 * day), 4)];
        let chart = found(&runs).unwrap();
        let points: Vec<(f64, f64)> = chart.series[0].points.iter().map(|point| (point.x, point.y)).collect();
        assert_eq!((chart.series.len(), points), (1, vec![(0.0, 0.0), (2.0, 4.0)]));
        assert_eq!(bytes(&runs).unwrap().series[0].points.len(), 2);
    }
}
