//! The distribution of sizes: files by powers of two, and bytes by suffix.

use super::charts::COUNT;
use super::groups::{Groups, Measure, Titled};
use hashmill_report::{Axis, Chart, Pick, PickedCells, Series, size};

/// The longest suffix; a longer one does not count as a type.
const LONGEST_SUFFIX: usize = 12;

/// The word for names without one.
const NO_ENDING: &str = "no ending";

/// The column of sizes.
const SIZE: &str = "size (bytes)";

/// Counts of files.
#[derive(Debug, Clone)]
pub struct Spread {
    /// The number of files of 0 bytes, of 1, of 2 and 3, of 4 to 7, and so on.
    powers: [u64; 65],
    /// Files and bytes by suffix.
    kinds: Groups,
}

impl Default for Spread {
    fn default() -> Self {
        Spread { powers: [0; 65], kinds: Groups::default() }
    }
}

impl Spread {
    /// Counts a file.
    pub fn add(&mut self, path: &[u8], size: u64) {
        self.powers[(u64::BITS - size.leading_zeros()) as usize] += 1;
        self.kinds.add(kind(path).as_deref().unwrap_or(NO_ENDING), size);
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
        let picks = (first..=last).map(|power| Some(Pick::new(SIZE, sizes_of(power))));
        Some(
            Chart::bars("Files by size", x, Axis::linear("files", COUNT))
                .with(Series::of_values("files", counts))
                .picking(picks),
        )
    }

    /// Makes the chart of bytes by suffix, the largest first; none if there are no bytes.
    pub fn kinds(&self) -> Option<Chart> {
        let ends = |kind: &str| (kind != NO_ENDING).then(|| PickedCells::Ends(kind.into()));
        let measure = Measure::Bytes;
        let titled = Titled { title: "Bytes by kind of file", words: "names that end in", measure };
        self.kinds.chart(titled, "path", ends)
    }
}

/// Returns the sizes of a bar: from a power of two to below the next.
fn sizes_of(power: usize) -> PickedCells {
    let at = |power: usize| 1_u128.checked_shl(power as u32).unwrap_or(0).to_string();
    match power {
        0 => PickedCells::Between("0".into(), "1".into()),
        power => PickedCells::Between(at(power - 1), at(power)),
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
