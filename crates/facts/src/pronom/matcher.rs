//! Matches patterns: each item moves a set of positions at once, so that no pattern makes it go back. The time is bounded
//! by the number of items times the length of the bytes.

use super::pattern::Item;

/// The end of a stream at which a sequence starts to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    End,
    /// Neither: anywhere in the bytes.
    Anywhere,
}

/// A pattern with its place.
#[derive(Debug, Clone)]
pub(super) struct Sequence {
    pub(super) anchor: Anchor,
    /// The items in the order of the stream.
    pub(super) items: Vec<Item>,
}

/// The ends of a stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a> {
    pub(super) head: &'a [u8],
    pub(super) tail: &'a [u8],
}

/// Positions as ranges with both ends, in ascending order.
type Positions = Vec<(usize, usize)>;

impl Sequence {
    /// Returns whether it matches.
    pub(super) fn matches(&self, bytes: Bytes<'_>) -> bool {
        let Bytes { head, tail } = bytes;
        match self.anchor {
            Anchor::Start => run(&self.items, vec![(0, 0)], head, false),
            Anchor::End => run(&self.items, vec![(tail.len(), tail.len())], tail, true),
            Anchor::Anywhere => {
                [head, tail].into_iter().any(|part| run(&self.items, vec![(0, part.len())], part, false))
            }
        }
    }

    /// Returns the bytes with which streams must begin; empty if there are none.
    pub(super) fn prefix(&self) -> &[u8] {
        let is_gap = |item: &&Item| matches!(item, Item::Gap { min: 0, max: Some(0) });
        let first = self.items.iter().find(|item| !is_gap(item));
        match first {
            Some(Item::Literal(literal)) if self.anchor == Anchor::Start => literal.needle(),
            _ => &[],
        }
    }
}

/// Returns whether the items match from one of the positions on, or before it.
fn run(items: &[Item], start: Positions, bytes: &[u8], backward: bool) -> bool {
    !walk(items, start, bytes, backward).is_empty()
}

/// Returns the positions after the items, or before them.
fn walk(items: &[Item], mut positions: Positions, bytes: &[u8], backward: bool) -> Positions {
    let mut step = |item: &Item| {
        positions = advance(item, &positions, bytes, backward);
        !positions.is_empty()
    };
    let _ = if backward { items.iter().rev().all(&mut step) } else { items.iter().all(&mut step) };
    positions
}

fn advance(item: &Item, from: &Positions, bytes: &[u8], backward: bool) -> Positions {
    let mut to = Positions::new();
    match item {
        Item::Gap { min, max } => {
            let (min, max) = (*min as usize, max.map_or(bytes.len(), |max| max as usize));
            for (first, last) in from {
                let (first, last) = match backward {
                    true => (first.saturating_sub(max), last.checked_sub(min)),
                    false => (first + min, Some(last.saturating_add(max).min(bytes.len()))),
                };
                last.filter(|last| first <= *last).into_iter().for_each(|last| push(&mut to, (first, last)));
            }
        }
        Item::Choice(all) => {
            all.iter().for_each(|one| to.extend(walk(one, from.clone(), bytes, backward)));
            to.sort_unstable();
            to = to.into_iter().fold(Positions::new(), |mut all, range| {
                push(&mut all, range);
                all
            });
        }
        Item::Literal(finder) => {
            let needle = finder.needle();
            for (first, last) in starts(from, needle.len(), bytes.len(), backward) {
                let mut at = first;
                while let Some(found) = finder.find(&bytes[at..last + needle.len()]) {
                    at += found;
                    push_end(&mut to, at, needle.len(), backward);
                    at += 1;
                }
            }
        }
        Item::Set(all) => {
            for (first, last) in starts(from, 1, bytes.len(), backward) {
                let places = (first..=last).filter(|at| all[usize::from(bytes[*at])]);
                places.for_each(|at| push_end(&mut to, at, 1, backward));
            }
        }
        Item::Range { low, high, inverted } => {
            for (first, last) in starts(from, low.len(), bytes.len(), backward) {
                let is_within = |at: &usize| (&**low..=&**high).contains(&&bytes[*at..at + low.len()]);
                let places = (first..=last).filter(|at| is_within(at) != *inverted);
                places.for_each(|at| push_end(&mut to, at, low.len(), backward));
            }
        }
    }
    to
}

/// Returns where items of a length may start.
fn starts(
    from: &Positions,
    length: usize,
    end: usize,
    backward: bool,
) -> impl Iterator<Item = (usize, usize)> {
    from.iter().filter_map(move |(first, last)| match backward {
        true => Some((first.saturating_sub(length), last.checked_sub(length)?)),
        false => Some((*first, (*last).min(end.checked_sub(length)?))).filter(|(first, last)| first <= last),
    })
}

/// Adds the position after an item at `at`, or before it.
fn push_end(to: &mut Positions, at: usize, length: usize, backward: bool) {
    let position = if backward { at } else { at + length };
    push(to, (position, position));
}

/// Adds a range that begins at or after the last one's start.
fn push(to: &mut Positions, range: (usize, usize)) {
    match to.last_mut().filter(|last| range.0 <= last.1 + 1) {
        Some(last) => last.1 = last.1.max(range.1),
        None => to.push(range),
    }
}
