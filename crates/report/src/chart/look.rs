//! The distinction of series: each has a colour and a mark, and the leading one shares neither with others.

use super::model::{Chart, Series};

/// The numbers of colours and marks.
const COLORS: usize = 8;
pub(crate) const SHAPES: usize = 5;

/// The colour and mark of a series, as indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub color: usize,
    pub shape: usize,
}

/// The series of a legend without duplicates, in order of appearance.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roster {
    names: Vec<(String, bool)>,
}

impl Roster {
    /// Collects the series of these charts.
    pub fn from_charts<'a>(charts: impl IntoIterator<Item = &'a Chart>) -> Self {
        let mut roster = Roster::default();
        charts.into_iter().flat_map(|chart| &chart.series).for_each(|series| roster.add(series));
        roster
    }

    fn add(&mut self, series: &Series) {
        match self.names.iter_mut().find(|(name, _)| *name == series.name) {
            Some((_, leads)) => *leads |= series.leads,
            None => self.names.push((series.name.clone(), series.leads)),
        }
    }

    /// Returns all names with their looks.
    pub fn all(&self) -> impl Iterator<Item = (&str, Look)> {
        self.names.iter().enumerate().map(|(place, (name, _))| (name.as_str(), self.at(place)))
    }

    /// Returns the look of the series with this name.
    pub fn look(&self, name: &str) -> Look {
        self.at(self.names.iter().position(|(known, _)| known == name).unwrap_or(0))
    }

    /// Returns the look at a position. Colours and marks repeat, but their combination does not for a long time. A
    /// leading series has the first colour and the first mark for itself.
    fn at(&self, place: usize) -> Look {
        let leads = |(_, leads): &&(String, bool)| *leads;
        if !self.names.iter().any(|(_, leads)| *leads) {
            return Look { color: place % COLORS, shape: place % SHAPES };
        }
        if self.names.get(place).as_ref().is_some_and(leads) {
            return Look { color: 0, shape: 0 };
        }
        let before = self.names.iter().take(place).filter(leads).count();
        let place = place - before;
        Look { color: 1 + place % (COLORS - 1), shape: 1 + place % (SHAPES - 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;
    use std::collections::HashSet;

    fn roster(leading: Option<usize>) -> Roster {
        let chart = Chart::lines("", Axis::log("", ""), Axis::log("", ""));
        let names =
            (0..20).map(|number| Series::new(format!("{number}"), []).leading(leading == Some(number)));
        Roster::from_charts([&names.fold(chart, Chart::with)])
    }

    #[test]
    fn all_look_different_and_the_one_that_leads_shares_neither_colour_nor_mark() {
        for leading in [None, Some(0), Some(7)] {
            let roster = roster(leading);
            let looks: HashSet<_> = roster.all().map(|(_, look)| (look.color, look.shape)).collect();
            assert_eq!(looks.len(), 20, "{leading:?}");
            if let Some(leader) = leading {
                let own = roster.look(&leader.to_string());
                assert_eq!((own.color, own.shape), (0, 0));
                let alike = roster.all().filter(|(_, look)| look.color == 0 || look.shape == 0).count();
                assert_eq!(alike, 1);
            }
        }
    }

    #[test]
    fn a_series_of_several_charts_looks_the_same_in_all() {
        let chart = |names: &[&str]| {
            let chart = Chart::lines("", Axis::log("", ""), Axis::log("", ""));
            names.iter().map(|name| Series::new(*name, [])).fold(chart, Chart::with)
        };
        let roster = Roster::from_charts([&chart(&["a", "b"]), &chart(&["c", "b"])]);
        let names: Vec<&str> = roster.all().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_ne!(roster.look("c"), roster.look("b"));
    }
}
