//! The times of one tool for one work, as stored in documents.

use crate::measure::stats::{Estimate, Statistics, outliers};
use crate::race::{CompetitorResult, Standing, TimedRun};
use hashmill_report::{Cell, Column, Table};
use serde::{Deserialize, Serialize};

/// A tool's runs on one work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// The tool, or a way to call it.
    pub tool: String,
    /// The command line; empty if there was none.
    pub command: String,
    /// Whether the times count.
    pub status: Status,
    /// The reason why the times don't count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Wall time in seconds; `None` if not ranked.
    pub seconds: Option<Statistics>,
    /// Mean user time in seconds.
    pub user: Option<f64>,
    /// Mean system time in seconds.
    pub system: Option<f64>,
    /// Wall time of every run in seconds, in the order of runs.
    #[serde(default)]
    pub times: Vec<f64>,
    /// The number of runs that are outliers.
    #[serde(default)]
    pub outliers: usize,
}

/// Whether times count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The times count.
    Ranked,
    /// The tool is not installed, or lacks the algorithm.
    NotInstalled,
    /// It printed a wrong digest.
    WrongDigest,
    /// It failed or was ended.
    Failed,
    /// Everything ended before its turn.
    NotReached,
}

impl Timed {
    /// Converts the outcome of a competitor.
    pub fn from_outcome(outcome: &CompetitorResult) -> Timed {
        let (status, note) = match &outcome.verdict {
            Standing::Right => (Status::Ranked, None),
            Standing::Absent(why) => (Status::NotInstalled, Some(why.clone())),
            Standing::Wrong(why) => (Status::WrongDigest, Some(why.clone())),
            Standing::Failed(why) => (Status::Failed, Some(why.clone())),
            Standing::NotReached => (Status::NotReached, Some("not reached".to_string())),
        };
        let times: Vec<f64> = outcome.laps.iter().map(|lap| lap.wall).collect();
        Timed {
            tool: outcome.tool.clone(),
            command: outcome.command.clone(),
            status,
            note,
            seconds: Statistics::from_sample(&times),
            user: mean(&outcome.laps, |lap| lap.user),
            system: mean(&outcome.laps, |lap| lap.system),
            outliers: outliers(&times).len(),
            times,
        }
    }

    /// Returns the mean in seconds with its standard deviation; `None` if not ranked.
    pub fn estimate(&self) -> Option<Estimate> {
        self.seconds.map(|seconds| seconds.estimate())
    }

    /// Returns the mean in seconds with half of its 95 % interval; `None` if not ranked or of a single run.
    pub fn interval(&self) -> Option<Estimate> {
        self.seconds.and_then(|seconds| seconds.interval())
    }

    /// Returns half of the 95 % interval of the mean in seconds; `None` if not ranked or of a single run.
    pub fn margin(&self) -> Option<f64> {
        self.seconds?.ci95
    }

    /// Returns the mean processor time in seconds, user and system.
    pub fn processor(&self) -> Option<f64> {
        Some(self.user? + self.system?)
    }

    /// Returns the mean in seconds and half of its 95 % confidence interval.
    pub fn mean(&self) -> Option<(f64, f64)> {
        self.seconds.map(|seconds| (seconds.mean, seconds.ci95.unwrap_or(0.0)))
    }

    /// Returns whether it printed a wrong digest.
    pub fn is_wrong(&self) -> bool {
        self.status == Status::WrongDigest
    }

    /// Returns the reason why it is not ranked, or the number of outliers.
    pub fn remark(&self) -> String {
        match (&self.note, self.outliers, self.times.len()) {
            (Some(note), ..) => note.clone(),
            (None, 0, _) => String::new(),
            (None, 1, runs) => format!("1 outlier in {runs} runs"),
            (None, outliers, runs) => format!("{outliers} outliers in {runs} runs"),
        }
    }
}

fn mean(laps: &[TimedRun], of: impl Fn(&TimedRun) -> f64) -> Option<f64> {
    (!laps.is_empty()).then(|| laps.iter().map(of).sum::<f64>() / laps.len() as f64)
}

/// The ranking of one work: the fastest tool, and its lead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The work, for people.
    pub work: String,
    /// The tool with the least mean time.
    pub fastest: String,
    /// The time of each other tool as a multiple of the fastest, in ascending order.
    pub against: Vec<Against>,
}

/// The comparison of one tool with the fastest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Against {
    /// The slower tool.
    pub tool: String,
    /// Its time as a multiple of the fastest.
    pub ratio: f64,
    /// The standard deviation of the ratio, propagated from those of both times.
    pub error: f64,
}

impl Ranking {
    /// Ranks the rows with times; `None` if there are none.
    pub fn from_rows<'a>(work: String, rows: impl IntoIterator<Item = &'a Timed>) -> Option<Ranking> {
        let ranked = rows.into_iter().filter_map(|row| Some((row.tool.clone(), row.estimate()?)));
        Ranking::among(work, ranked.collect())
    }

    /// Ranks these by their times; `None` if there are none.
    pub fn among(work: String, mut ranked: Vec<(String, Estimate)>) -> Option<Ranking> {
        ranked.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
        let ((fastest, time), others) = ranked.split_first()?;
        let against = others.iter().map(|(tool, other)| {
            let ratio = other.ratio(time);
            Against { tool: tool.clone(), ratio: ratio.value, error: ratio.error }
        });
        Some(Ranking { work, fastest: fastest.clone(), against: against.collect() })
    }

    /// Returns a sentence: "sha256, 1 MiB: hashmill ran 1.64 ± 0.33 times faster than openssl, ...".
    pub fn sentence(&self) -> String {
        let times = self
            .against
            .iter()
            .map(|other| format!("{:.2} ± {:.2} times faster than {}", other.ratio, other.error, other.tool));
        match &times.collect::<Vec<_>>()[..] {
            [] => format!("{}: {} ran alone", self.work, self.fastest),
            times => format!("{}: {} ran {}", self.work, self.fastest, times.join(", ")),
        }
    }
}

/// Returns the command line of each tool for its first work.
pub fn commands<'a>(rows: impl IntoIterator<Item = &'a Timed>) -> Table {
    let mut first: Vec<&Timed> = Vec::new();
    for row in rows.into_iter().filter(|row| !row.command.is_empty()) {
        if first.iter().all(|shown| shown.tool != row.tool) {
            first.push(row);
        }
    }
    Table::of(first)
        .column(Column::words("tool"), |row| row.tool.as_str())
        .column(Column::words("command"), |row| row.command.as_str())
        .captioned("Commands, of the first work of each")
}

/// Formats bytes in powers of 1024: "1 KiB", "1.5 GiB".
pub fn shown_bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = (0..UNITS.len()).rev().find(|unit| bytes >> (10 * unit) > 0).unwrap_or(0);
    let value = bytes as f64 / (1_u64 << (10 * unit)) as f64;
    let text = if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") };
    format!("{text} {}", UNITS[unit])
}

/// Formats a number in milliseconds as a cell; empty if there is none.
pub fn milliseconds(seconds: Option<f64>) -> Cell {
    Cell::number(seconds.map(|seconds| seconds * 1e3), 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(tool: &str, walls: &[f64], verdict: Standing) -> CompetitorResult {
        let laps = walls.iter().map(|wall| TimedRun { wall: *wall, user: wall / 2.0, system: 0.5 }).collect();
        CompetitorResult { tool: tool.to_string(), command: format!("{tool} f"), laps, verdict }
    }

    #[test]
    fn runs_become_figures() {
        let timed = Timed::from_outcome(&outcome("a", &[1.0, 3.0], Standing::Right));
        let seconds = timed.seconds.unwrap();
        assert_eq!((seconds.mean, seconds.median, seconds.min, seconds.max), (2.0, 2.0, 1.0, 3.0));
        assert_eq!((timed.user, timed.system, timed.status), (Some(1.0), Some(0.5), Status::Ranked));
        // t for one degree of freedom is 12.706; the deviation of 1 and 3 over the root of 2 is 1.
        assert!((timed.mean().unwrap().1 - 12.706).abs() < 1e-3, "{:?}", timed.mean());
        let odd = [1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 9.0];
        assert_eq!(Timed::from_outcome(&outcome("a", &odd, Standing::Right)).remark(), "1 outlier in 7 runs");
    }

    #[test]
    fn what_is_not_ranked_has_no_figures_but_a_reason() {
        for (verdict, status) in [
            (Standing::Absent("not installed (apt install a)".into()), Status::NotInstalled),
            (Standing::Wrong("printed 0b, not 0a".into()), Status::WrongDigest),
            (Standing::Failed("ended with exit code 1".into()), Status::Failed),
            (Standing::NotReached, Status::NotReached),
        ] {
            let timed = Timed::from_outcome(&outcome("a", &[], verdict));
            assert_eq!((timed.status, timed.seconds, timed.estimate()), (status, None, None));
            assert!(!timed.remark().is_empty());
        }
    }

    #[test]
    fn the_ranking_tells_how_much_faster_with_the_error_of_the_ratio() {
        let rows = [
            outcome("slow", &[4.0, 6.0], Standing::Right),
            outcome("fast", &[2.0, 2.0], Standing::Right),
            outcome("wrong", &[], Standing::Wrong(String::new())),
        ]
        .map(|outcome| Timed::from_outcome(&outcome));
        let ranking = Ranking::from_rows("md5, 1 KiB".to_string(), &rows).unwrap();
        // The deviation of 4 and 6 is the root of 2; over 2 it is 0.71.
        assert_eq!(ranking.sentence(), "md5, 1 KiB: fast ran 2.50 ± 0.71 times faster than slow");
        let alone = Ranking::from_rows("x".to_string(), &rows[1..]).unwrap();
        assert_eq!(alone.sentence(), "x: fast ran alone");
        assert_eq!(Ranking::from_rows("x".to_string(), &rows[2..]), None);
    }

    #[test]
    fn quantities_have_units_that_suit_them() {
        let bytes = [0, 1, 1023, 1024, 1536, 1 << 20, 1 << 30, 1 << 40];
        let shown = ["0 B", "1 B", "1023 B", "1 KiB", "1.5 KiB", "1 MiB", "1 GiB", "1 TiB"];
        assert_eq!(bytes.map(shown_bytes), shown);
    }
}
