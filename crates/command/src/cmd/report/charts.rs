//! Charts that several kinds of reports share.

use hashmill_report::{Axis, Chart, Pick, PickedCells, Series};

/// The unit of counts.
pub const COUNT: &str = "count";

/// Makes a chart of counts of `things` by word; none if there are fewer than two words. `groups` says what the words are, and
/// is the title of the column that has them.
pub fn counted<'a>(
    title: &str,
    things: &str,
    groups: &str,
    counts: impl IntoIterator<Item = (&'a str, u64)>,
) -> Option<Chart> {
    let (words, counts): (Vec<&str>, Vec<f64>) =
        counts.into_iter().filter(|(_, count)| *count > 0).map(|(word, count)| (word, count as f64)).unzip();
    if words.len() < 2 {
        return None;
    }
    let pick = |word: &&str| Some(Pick::new(groups, PickedCells::Is((*word).into())));
    let picks: Vec<_> = words.iter().map(pick).collect();
    let chart = Chart::bars(title, Axis::names(groups, words), Axis::linear(things, COUNT)).picking(picks);
    Some(chart.with(Series::of_values(things, counts)))
}
