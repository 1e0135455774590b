//! The records with the greatest value of something, such as the largest files.

use hashmill_manifest::Record;

/// The number of them that a page lists.
pub const MOST: usize = 100;

/// The records with the greatest values; of equal ones the first.
#[derive(Debug)]
pub struct Most<V>(Vec<(V, Record)>);

impl<V> Default for Most<V> {
    fn default() -> Self {
        Most(Vec::new())
    }
}

impl<V: Copy + Ord> Most<V> {
    /// Takes a record with its value, if it is one of the greatest so far.
    pub fn add(&mut self, value: V, record: &Record) {
        let Most(kept) = self;
        if kept.len() == MOST && kept.last().is_some_and(|(least, _)| *least >= value) {
            return;
        }
        let place = kept.partition_point(|(other, _)| *other >= value);
        kept.truncate(MOST - 1);
        kept.insert(place.min(kept.len()), (value, record.clone()));
    }

    /// Returns the records, the greatest first.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.0.iter().map(|(_, record)| record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_manifest::Status;

    #[test]
    fn the_greatest_are_kept_in_order() {
        let mut most = Most::default();
        for number in 0..1000_u64 {
            let record = Record::bare(number.to_string().into_bytes().into(), Status::Hashed);
            most.add(number * 7919 % 1000 / 2, &record);
        }
        let kept: Vec<u64> = most.0.iter().map(|(value, _)| *value).collect();
        assert_eq!((kept.len(), kept[0], kept[1], kept[99]), (MOST, 499, 499, 450));
        assert!(kept.is_sorted_by(|a, b| a >= b));
        let first: Vec<_> = most.records().take(2).map(|record| record.path.clone()).collect();
        let number = |path: &[u8]| str::from_utf8(path).unwrap().parse::<u64>().unwrap();
        assert!(number(&first[0]) < number(&first[1]), "of equal ones the first");
    }
}
