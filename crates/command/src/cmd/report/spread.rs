//! The distribution of sizes: files by powers of two, and bytes by suffix.

use super::charts::COUNT;
use hashmill_report::{Axis, Chart, Series, size};
use std::collections::HashMap;

/// The number of suffixes that a chart shows separately.
const KINDS: usize = 12;
/// The number of suffixes that are counted separately: names may be arbitrary.
const MAX_SUFFIXES: usize = 10_000;
/// The longest suffix; a longer one does not count as a type.
const LONGEST_SUFFIX: usize = 12;

/// Counts of files.
#[derive(Debug, Clone)]
pub struct Spread {
    /// The number of files of 0 bytes, of 1, of 2 and 3, of 4 to 7, and so on.
    powers: [u64; 65],
    /// The number of files and bytes by suffix.
    kinds: HashMap<String, (u64, u64)>,
}

impl Default for Spread {
    fn default() -> Self {
        Spread { powers: [0; 65], kinds: HashMap::new() }
    }
}

impl Spread {
    /// Counts a file.
    pub fn add(&mut self, path: &[u8], size: u64) {
        self.powers[(u64::BITS - size.leading_zeros()) as usize] += 1;
        let kind = kind(path).unwrap_or_else(|| "no ending".into());
        let kind = if self.kinds.len() < MAX_SUFFIXES || self.kinds.contains_key(&kind) {
            kind
        } else {
            "others".into()
        };
        let (files, bytes) = self.kinds.entry(kind).or_default();
        *files += 1;
        *bytes = bytes.saturating_add(size);
    }

    /// Makes the chart of files by size; none if there are no files.
    pub fn sizes(&self) -> Option<Chart> {
        let first = self.powers.iter().position(|files| *files > 0)?;
        let last = self.powers.iter().rposition(|files| *files > 0)?;
        let names = (first..=last).map(|power| match power {
            0 => "0 B".to_string(),
            power => size(2f64.powi(power as i32 - 1)),
        });
        let x = Axis::bins("size, from the mark below a bar to twice as much", "", names);
        let counts = self.powers[first..=last].iter().map(|files| *files as f64);
        Some(
            Chart::bars("Files by size", x, Axis::linear("files", COUNT))
                .with(Series::of_values("files", counts)),
        )
    }

    /// Makes the chart of bytes by suffix, the largest first; none if there are no bytes.
    pub fn kinds(&self) -> Option<Chart> {
        let mut kinds: Vec<(&str, u64)> =
            self.kinds.iter().map(|(kind, (_, bytes))| (kind.as_str(), *bytes)).collect();
        kinds.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let rest = kinds.split_off(kinds.len().min(KINDS));
        let rest_bytes: u64 = rest.iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes));
        let others = format!("{} others", rest.len());
        if rest_bytes > 0 {
            kinds.push((&others, rest_bytes));
        }
        kinds.first().filter(|(_, bytes)| *bytes > 0)?;
        let x = Axis::names("names that end in", kinds.iter().map(|(kind, _)| *kind));
        let values = kinds.iter().map(|(_, bytes)| *bytes as f64);
        Some(
            Chart::bars("Bytes by kind of file", x, Axis::linear("bytes", "B"))
                .with(Series::of_values("bytes", values)),
        )
    }
}

/// Returns the suffix of the name in lower case, if it looks like a type.
fn kind(path: &[u8]) -> Option<String> {
    let name = path.rsplit(|byte| *byte == b'/').next()?;
    let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0)?;
    let end = &name[dot..];
    let plain =
        end.len() > 1 && end.len() <= LONGEST_SUFFIX && end[1..].iter().all(u8::is_ascii_alphanumeric);
    plain.then(|| String::from_utf8_lossy(end).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_report::Scale;

    #[test]
    fn kinds_are_ends_of_names() {
        let kinds: [(&[u8], Option<&str>); 6] = [
            (b"a/b.JPG", Some(".jpg")),
            (b"a.b/c", None),
            (b".profile", None),
            (b"archive.tar.gz", Some(".gz")),
            (b"odd.\xff", None),
            (b"end.", None),
        ];
        for (path, wanted) in kinds {
            assert_eq!(kind(path).as_deref(), wanted);
        }
    }

    #[test]
    fn sizes_fall_between_powers_of_two() {
        let mut spread = Spread::default();
        for size in [4, 7, 8, 1023, 1024] {
            spread.add(b"a", size);
        }
        let chart = spread.sizes().unwrap();
        let Scale::Bins(names) = &chart.x.scale else { panic!("{:?}", chart.x) };
        assert_eq!(names.first().map(String::as_str), Some("4 B"));
        assert_eq!(names.last().map(String::as_str), Some("1 KiB"));
        let values: Vec<f64> = chart.series[0].points.iter().map(|point| point.y).collect();
        assert_eq!(values, [2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
        assert!(Spread::default().sizes().is_none() && Spread::default().kinds().is_none());
        spread.add(b"empty", 0);
        spread.add(b"huge", u64::MAX);
        assert!(spread.sizes().is_some() && spread.kinds().is_some());
    }
}
