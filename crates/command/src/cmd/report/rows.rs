//! Rows of a page: all of them up to a limit, beyond it only those that matter.

/// A collector of rows.
#[derive(Debug)]
pub struct Rows<T> {
    kept: Vec<(T, Weight)>,
    most: usize,
    seen: u64,
    /// The number of rows that matter and had no room.
    lost: u64,
    full: bool,
}

/// Whether a row must be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// A row without a problem.
    Fine,
    /// A row that a reader must see.
    Matters,
}

impl<T> Rows<T> {
    /// Makes room for `most` rows.
    pub fn new(most: usize) -> Rows<T> {
        Rows { kept: Vec::new(), most, seen: 0, lost: 0, full: false }
    }

    /// Takes a row, or leaves it out.
    pub fn push(&mut self, row: T, weight: Weight) {
        self.seen += 1;
        if !self.full && self.kept.len() == self.most {
            self.full = true;
            self.kept.retain(|(_, weight)| *weight == Weight::Matters);
        }
        match (self.full, weight) {
            (true, Weight::Fine) => {}
            (true, Weight::Matters) if self.kept.len() >= self.most => self.lost += 1,
            _ => self.kept.push((row, weight)),
        }
    }

    /// Returns the note on rows that were left out.
    pub fn note(&self, what: &str) -> Option<String> {
        if !self.full {
            return None;
        }
        let (kept, seen, most) = (self.kept.len(), self.seen, self.most);
        let lost = match self.lost {
            0 => String::new(),
            lost => format!(" {lost} more of those had no room, either."),
        };
        Some(format!(
            "Of {seen} {what}, more than the {most} that this page takes, it lists the {kept} that are problems, and not \
             all others.{lost} The summary and the charts count all of them."
        ))
    }

    /// Returns the rows that a reader must see, and the others.
    pub fn parted(self) -> (Vec<T>, Vec<T>) {
        let (matter, fine): (Vec<_>, Vec<_>) =
            self.kept.into_iter().partition(|(_, weight)| *weight == Weight::Matters);
        let rows = |part: Vec<(T, Weight)>| part.into_iter().map(|(row, _)| row).collect();
        (rows(matter), rows(fine))
    }

    /// Returns the rows that a reader must see.
    pub fn matter(&self) -> impl Iterator<Item = &T> + Clone {
        self.kept.iter().filter(|(_, weight)| *weight == Weight::Matters).map(|(row, _)| row)
    }

    /// Returns whether rows without problems were left out: then there are only rows that matter.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Returns an iterator over the rows.
    pub fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.kept.iter().map(|(row, _)| row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_limit_only_what_matters_stays() {
        let mut rows = Rows::new(4);
        for row in 0..4 {
            rows.push(row, if row == 2 { Weight::Matters } else { Weight::Fine });
        }
        assert_eq!(rows.note("records"), None);
        assert_eq!(rows.iter().count(), 4);
        for row in 4..10 {
            rows.push(row, if row % 2 == 0 { Weight::Matters } else { Weight::Fine });
        }
        let note = rows.note("records").unwrap();
        assert!(note.starts_with("Of 10 records, more than the 4"), "{note}");
        assert_eq!(rows.matter().copied().collect::<Vec<_>>(), [2, 4, 6, 8]);
        assert_eq!(rows.parted(), (vec![2, 4, 6, 8], vec![]));
        let mut rows = Rows::new(1);
        (0..3).for_each(|row| rows.push(row, Weight::Matters));
        assert!(rows.note("records").unwrap().contains("2 more"));
    }
}
