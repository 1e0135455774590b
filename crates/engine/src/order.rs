//! Puts results back into the order of the walk.

use crate::task::Message;
use crate::{EngineEvent, EntryResult, Order};
use hashmill_manifest::Record;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Results of one entry that wait for an earlier entry.
#[derive(Default)]
struct WaitingResults {
    pieces: Vec<Record>,
    done: Option<EntryResult>,
}

/// Passes events to a sink in the plan's order.
pub(crate) struct Sequence<'a> {
    order: Order,
    /// The number of the next entry for the sink.
    head: u64,
    /// `held[i]` belongs to entry `head + i`.
    held: VecDeque<WaitingResults>,
    sink: &'a mut dyn FnMut(EngineEvent) -> ControlFlow<()>,
}

impl<'a> Sequence<'a> {
    pub(crate) fn new(order: Order, sink: &'a mut dyn FnMut(EngineEvent) -> ControlFlow<()>) -> Self {
        Sequence { order, head: 0, held: VecDeque::new(), sink }
    }

    /// Returns how many entries the sink has received.
    pub(crate) fn emitted(&self) -> u64 {
        self.head
    }

    /// Takes a message, and passes on everything that is now in order.
    pub(crate) fn take(&mut self, message: Message) -> ControlFlow<()> {
        if self.order == Order::Any {
            return self.pass(message);
        }
        match message {
            Message::Pieces(number, pieces) if number == self.head => self.pieces(pieces),
            Message::Done(number, outcome) if number == self.head => self.advance(outcome),
            Message::Pieces(number, pieces) => {
                self.at(number).pieces.extend(pieces);
                ControlFlow::Continue(())
            }
            Message::Done(number, outcome) => {
                self.at(number).done = Some(outcome);
                ControlFlow::Continue(())
            }
        }
    }

    fn pass(&mut self, message: Message) -> ControlFlow<()> {
        match message {
            Message::Pieces(_, pieces) => self.pieces(pieces),
            Message::Done(_, outcome) => {
                self.head += 1;
                (self.sink)(EngineEvent::Done(outcome))
            }
        }
    }

    fn pieces(&mut self, pieces: Vec<Record>) -> ControlFlow<()> {
        pieces.into_iter().try_for_each(|piece| (self.sink)(EngineEvent::Piece(piece)))
    }

    fn at(&mut self, number: u64) -> &mut WaitingResults {
        let index = (number - self.head) as usize;
        if self.held.len() <= index {
            self.held.resize_with(index + 1, WaitingResults::default);
        }
        &mut self.held[index]
    }

    /// Ends the head's turn and goes on while entries are finished.
    fn advance(&mut self, outcome: EntryResult) -> ControlFlow<()> {
        let mut next = Some(outcome);
        while let Some(outcome) = next {
            (self.sink)(EngineEvent::Done(outcome))?;
            self.head += 1;
            self.held.pop_front();
            next = None;
            if let Some(held) = self.held.front_mut() {
                let pieces = std::mem::take(&mut held.pieces);
                next = held.done.take();
                self.pieces(pieces)?;
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_source::Skip;

    fn done(number: u64) -> Message {
        let path = number.to_string().into_bytes().into();
        Message::Done(number, EntryResult::skipped(path, Skip::Fifo))
    }

    fn emitted(order: Order, numbers: &[u64]) -> Vec<String> {
        let mut seen = Vec::new();
        let mut sink = |event: EngineEvent| {
            let EngineEvent::Done(outcome) = event else { return ControlFlow::Continue(()) };
            seen.push(String::from_utf8_lossy(&outcome.record.path).into_owned());
            ControlFlow::Continue(())
        };
        let mut sequence = Sequence::new(order, &mut sink);
        for number in numbers {
            assert!(sequence.take(done(*number)).is_continue());
        }
        seen
    }

    #[test]
    fn every_permutation_comes_out_in_order() {
        for a in 0..4 {
            for b in (0..4).filter(|b| *b != a) {
                for c in (0..4).filter(|c| *c != a && *c != b) {
                    let d = 6 - a - b - c;
                    assert_eq!(emitted(Order::Walk, &[a, b, c, d]), ["0", "1", "2", "3"]);
                }
            }
        }
    }

    #[test]
    fn nothing_overtakes_a_missing_entry() {
        assert_eq!(emitted(Order::Walk, &[1, 2, 3]), Vec::<String>::new());
        assert_eq!(emitted(Order::Any, &[1, 2, 3]), ["1", "2", "3"]);
    }
}
