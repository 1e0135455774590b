//! Short parts, which are decoded together.

use crate::compression::parted::FilePart;

/// The most parts that are decoded together.
const MAX_PARTS: usize = 1024;

/// Parts, of which short ones that follow each other are one.
pub(super) struct Groups<I: Iterator> {
    parts: I,
    next: Option<I::Item>,
    /// The compressed bytes at which a part is long enough.
    enough: u64,
}

impl<S: PartialEq, I: Iterator<Item = FilePart<S>>> Groups<I> {
    /// Creates groups of parts.
    pub(super) fn new(parts: I, enough: u64) -> Groups<I> {
        Groups { parts, next: None, enough }
    }
}

impl<S: PartialEq, I: Iterator<Item = FilePart<S>>> Iterator for Groups<I> {
    type Item = FilePart<S>;

    fn next(&mut self) -> Option<FilePart<S>> {
        let mut group = self.next.take().or_else(|| self.parts.next())?;
        for _ in 1..MAX_PARTS {
            if group.end.saturating_sub(group.start) >= self.enough {
                break;
            }
            let Some(part) = self.parts.next() else { break };
            if part.start != group.end || part.setting != group.setting {
                self.next = Some(part);
                break;
            }
            group.end = part.end;
            group.memory = group.memory.max(part.memory);
        }
        Some(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined_that_are_short_and_follow_each_other() {
        let part = |start, end, setting| FilePart { start, end, memory: end, setting };
        let parts = [part(0, 5, 1), part(5, 7, 1), part(7, 30, 1), part(31, 33, 1), part(33, 34, 2)];
        let found: Vec<_> = Groups::new(parts.into_iter(), 7).collect();
        assert_eq!(found, [part(0, 7, 1), part(7, 30, 1), part(31, 33, 1), part(33, 34, 2)]);
        let many = (0..3000).map(|at| part(at, at + 1, 1));
        assert_eq!(Groups::new(many, u64::MAX).count(), 3);
    }
}
