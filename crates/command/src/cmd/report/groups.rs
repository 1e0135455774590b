//! Files and bytes by a word, such as the suffix of their names or their type.

use super::charts::COUNT;
use hashmill_report::{Axis, Chart, Pick, PickedCells, Series};
use std::collections::HashMap;

/// The number of words that a chart shows separately.
const SHOWN: usize = 12;
/// The number of words that are counted separately: they may be arbitrary.
const COUNTED: usize = 10_000;
/// The word for all others.
const OTHERS: &str = "others";

/// The number of files and bytes by word.
#[derive(Debug, Clone, Default)]
pub struct Groups(HashMap<String, (u64, u64)>);

/// The title of a chart, its words in a word or two, and the values of its bars.
#[derive(Debug, Clone, Copy)]
pub struct Titled<'a> {
    /// The title.
    pub title: &'a str,
    /// The meaning of the words.
    pub words: &'a str,
    /// The values.
    pub measure: Measure,
}

/// The values of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Numbers of files.
    Files,
    /// Numbers of bytes.
    Bytes,
}

impl Groups {
    /// Counts a file of this size.
    pub fn add(&mut self, word: &str, size: u64) {
        let word = if self.0.len() < COUNTED || self.0.contains_key(word) { word } else { OTHERS };
        if let Some((files, bytes)) = self.0.get_mut(word) {
            *files += 1;
            *bytes = bytes.saturating_add(size);
        } else {
            self.0.insert(word.to_string(), (1, size));
        }
    }

    /// Makes the chart of files or bytes by word, the most first; none if there are none. `cells` says which cells of a
    /// column a word stands for.
    pub fn chart(
        &self,
        Titled { title, words, measure }: Titled<'_>,
        column: &str,
        cells: impl Fn(&str) -> Option<PickedCells>,
    ) -> Option<Chart> {
        let value = |(files, bytes): (u64, u64)| if measure == Measure::Files { files } else { bytes };
        let mut groups: Vec<(&str, u64)> =
            self.0.iter().map(|(word, both)| (word.as_str(), value(*both))).collect();
        groups.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let rest = groups.split_off(groups.len().min(SHOWN));
        let of_rest: u64 = rest.iter().fold(0, |sum, (_, value)| sum.saturating_add(*value));
        groups.first().filter(|(_, value)| *value > 0)?;
        let pick = |word: &str| Some(Pick::new(column, cells(word)?));
        let picks: Vec<_> = groups.iter().map(|(word, _)| pick(word).filter(|_| *word != OTHERS)).collect();
        let others = format!("{} {OTHERS}", rest.len());
        if of_rest > 0 {
            groups.push((&others, of_rest));
        }
        let x = Axis::names(words, groups.iter().map(|(word, _)| *word));
        let (name, unit) = if measure == Measure::Files { ("files", COUNT) } else { ("bytes", "B") };
        let y = Axis::linear(name, unit);
        let values = groups.iter().map(|(_, value)| *value as f64);
        Some(Chart::bars(title, x, y).with(Series::of_values(name, values)).picking(picks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_report::Scale;

    fn titled(measure: Measure) -> Titled<'static> {
        Titled { title: "", words: "words", measure }
    }

    #[test]
    fn the_largest_groups_are_shown_and_stand_for_their_rows() {
        let mut groups = Groups::default();
        for number in 0..20_u64 {
            groups.add(&format!("w{number:02}"), number);
        }
        groups.add("w19", 100);
        let chart =
            groups.chart(titled(Measure::Bytes), "word", |word| Some(PickedCells::Is(word.into()))).unwrap();
        let Scale::Names(names) = &chart.x.scale else { panic!("{:?}", chart.x) };
        assert_eq!((names.len(), names[0].as_str(), names[12].as_str()), (13, "w19", "8 others"));
        assert_eq!(chart.series[0].points[12].y, 28.0);
        let first = Pick::new("word", PickedCells::Is("w19".into()));
        assert_eq!((chart.picks.len(), &chart.picks[0]), (12, &Some(first)));
        let files = groups.chart(titled(Measure::Files), "word", |_| None).unwrap();
        assert_eq!((files.series[0].points[0].y, files.picks[0].is_none()), (2.0, true));
        assert!(Groups::default().chart(titled(Measure::Files), "", |_| None).is_none());
    }

    #[test]
    fn arbitrarily_many_words_are_bounded() {
        let mut groups = Groups::default();
        (0..20_000).for_each(|number| groups.add(&number.to_string(), 1));
        assert_eq!(groups.0.len(), COUNTED + 1);
    }
}
