//! Modification times of files: counts by day, month, year or years, whichever gives a readable number of bars.

use super::charts::COUNT;
use hashmill_manifest::Time;
use hashmill_report::{Axis, Chart, Pick, PickedCells, Series};
use std::collections::BTreeMap;

/// The column of times.
const COLUMN: &str = "last change";

/// The most bars.
const BARS: i64 = 120;

/// The number of files by the day of their modification.
#[derive(Debug, Clone, Default)]
pub struct Timeline(BTreeMap<Date, u64>);

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Date {
    year: i64,
    month: i64,
    day: i64,
}

/// The span of time of a bar.
#[derive(Debug, Clone, Copy)]
enum Step {
    Day,
    Month,
    Years(i64),
}

impl Timeline {
    /// Counts a file.
    pub fn add(&mut self, time: Time) {
        if let Some(day) = Date::from_time(time) {
            *self.0.entry(day).or_default() += 1;
        }
    }

    /// Makes the chart of files by time; none if no time is known.
    pub fn chart(&self) -> Option<Chart> {
        let (first, last) = (*self.0.keys().next()?, *self.0.keys().next_back()?);
        let step = Step::shortest(first, last);
        let start = step.place(first);
        let mut counts = vec![0.0; usize::try_from(step.place(last) - start).ok()? + 1];
        for (day, files) in &self.0 {
            counts[usize::try_from(step.place(*day) - start).ok()?] += *files as f64;
        }
        let names = (0..counts.len() as i64).map(|bar| step.name(start + bar));
        let x = Axis::bins(format!("last change, UTC, by {}", step.word()), "", names);
        let y = Axis::linear("files", COUNT);
        let picks = (0..counts.len() as i64)
            .map(|bar| step.times(start + bar))
            .map(|cells| Some(Pick::new(COLUMN, cells?)));
        let picks: Vec<_> = picks.collect();
        Some(
            Chart::bars("Files by the time of their last change", x, y)
                .with(Series::of_values("files", counts))
                .picking(picks),
        )
    }
}

impl Step {
    /// Returns the shortest step with few enough bars.
    fn shortest(first: Date, last: Date) -> Step {
        let years = [1, 10, 100, 1000].map(Step::Years);
        let steps = [Step::Day, Step::Month].into_iter().chain(years);
        let fits = |step: &Step| step.place(last) - step.place(first) < BARS;
        steps.into_iter().find(fits).unwrap_or(Step::Years(1000))
    }

    /// Returns the position of this day on the axis.
    fn place(self, date: Date) -> i64 {
        match self {
            Step::Day => date.days(),
            Step::Month => date.year * 12 + date.month - 1,
            Step::Years(years) => date.year.div_euclid(years),
        }
    }

    fn name(self, place: i64) -> String {
        match self {
            Step::Day => {
                let time = Time { seconds: place * 86_400, nanoseconds: 0 };
                time.to_rfc3339()
                    .map(|text| text.split('T').next().unwrap_or_default().into())
                    .unwrap_or_default()
            }
            Step::Month => format!("{}-{:02}", place.div_euclid(12), place.rem_euclid(12) + 1),
            Step::Years(years) => (place * years).to_string(),
        }
    }

    /// Returns the times of a bar, by the beginnings of their texts; none of years whose texts have another order.
    fn times(self, place: i64) -> Option<PickedCells> {
        let begins = |place: i64| match self {
            Step::Years(years) => format!("{:04}", place * years),
            step => step.name(place),
        };
        let year = match self {
            Step::Day => Date::from_time(Time { seconds: place * 86_400, nanoseconds: 0 })?.year,
            Step::Month => place.div_euclid(12),
            Step::Years(years) => place * years,
        };
        (0..=9000).contains(&year).then(|| PickedCells::Between(begins(place), begins(place + 1)))
    }

    fn word(self) -> String {
        match self {
            Step::Day => "day".into(),
            Step::Month => "month".into(),
            Step::Years(1) => "year".into(),
            Step::Years(years) => format!("{years} years"),
        }
    }
}

impl Date {
    /// Returns the date in UTC.
    fn from_time(time: Time) -> Option<Date> {
        let text = Time { nanoseconds: 0, ..time }.to_rfc3339()?;
        let (sign, text) = text.strip_prefix('-').map_or((1, text.as_str()), |rest| (-1_i64, rest));
        let mut parts = text.split('T').next()?.splitn(3, '-').map(|part| part.parse().ok());
        let (year, month, day): (i64, i64, i64) = (parts.next()??, parts.next()??, parts.next()??);
        Some(Date { year: sign * year, month, day })
    }

    /// Returns the number of days since 1970.
    fn days(self) -> i64 {
        let Date { year, month, day } = self;
        let sign = if year < 0 { "-00" } else { "" };
        let text = format!("{sign}{:04}-{month:02}-{day:02}T00:00:00Z", year.abs());
        Time::from_rfc3339(&text).map_or(0, |time| time.seconds.div_euclid(86_400))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_report::Scale;

    fn bars(times: &[&str]) -> (Vec<String>, Vec<f64>) {
        let mut timeline = Timeline::default();
        for time in times {
            timeline.add(Time::from_rfc3339(time).unwrap());
        }
        let chart = timeline.chart().unwrap();
        let Scale::Bins(names) = chart.x.scale else { panic!() };
        (names, chart.series[0].points.iter().map(|point| point.y).collect())
    }

    #[test]
    fn bars_are_days_months_or_years() {
        let (names, counts) = bars(&["2024-02-28T23:59:59Z", "2024-03-01T00:00:00Z", "2024-03-01T12:00:00Z"]);
        assert_eq!(names, ["2024-02-28", "2024-02-29", "2024-03-01"]);
        assert_eq!(counts, [1.0, 0.0, 2.0]);
        let (names, counts) = bars(&["2023-11-05T00:00:00Z", "2024-05-31T00:00:00Z"]);
        assert_eq!((names.len(), names[0].as_str(), names[6].as_str()), (7, "2023-11", "2024-05"));
        assert_eq!(counts[0] + counts[6], 2.0);
        let (names, _) = bars(&["1980-01-01T00:00:00Z", "2026-12-31T00:00:00Z"]);
        assert_eq!((names.len(), names[0].as_str()), (47, "1980"));
        let (names, counts) = bars(&["-009990-01-01T00:00:00Z", "9999-12-30T00:00:00Z"]);
        assert_eq!((names.len(), names[0].as_str()), (20, "-10000"));
        assert_eq!(counts.iter().sum::<f64>(), 2.0);
    }

    #[test]
    fn bars_stand_for_the_times_in_them() {
        let month = Step::Month.times(2024 * 12 + 11);
        assert_eq!(month, Some(PickedCells::Between("2024-12".into(), "2025-01".into())));
        let day = Step::Day.times(Date { year: 2024, month: 2, day: 29 }.days());
        assert_eq!(day, Some(PickedCells::Between("2024-02-29".into(), "2024-03-01".into())));
        assert_eq!(Step::Years(10).times(0), Some(PickedCells::Between("0000".into(), "0010".into())));
        assert_eq!(Step::Years(1).times(-5), None);
    }

    #[test]
    fn without_times_there_is_no_chart() {
        let mut timeline = Timeline::default();
        timeline.add(Time { seconds: i64::MAX, nanoseconds: 0 });
        assert!(timeline.chart().is_none());
    }
}
