//! The state of a digest somewhere in its message, as bytes: another process goes on with it, on any kernel.
//!
//! The format: a version (1), the algorithm's name, the number of bytes so far, and the state: a letter (`s` of a
//! stream, `n` the nodes of a tree, `f` of a fold) and its bytes. Numbers have eight bytes, the least significant
//! first. The name and the last bytes are preceded by their length.
//!
//! A state that is read can't make the code fail. Whether it is that of any message is not checked: that is for the
//! caller who stores it.

use crate::About;
use crate::algorithm::Algorithm;
use crate::bank::{Bank, Slot, StreamPart};
use crate::field::{Field, LONGEST_MESSAGE};
use crate::leaves::Folding;
use crate::part::are_subtrees;
use crate::registry::find::{find, of_name};
use crate::tree::Node;

/// The version of the format, and of what the letters stand for. A state of another version is none.
const VERSION: u8 = 1;

/// The state of one digest after some bytes of its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// The digest's algorithm.
    pub algorithm: &'static Algorithm,
    /// The number of bytes so far.
    pub bytes: u64,
    state: State,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Stream(Vec<u8>),
    Nodes(Vec<Node>),
    Fold(Vec<u8>),
}

impl Algorithm {
    /// Makes a bank for one stream whose state can be had ([`Bank::save`]); `None` if there is none.
    pub fn saving(&self) -> Option<Box<dyn Bank>> {
        let makers = [Some(self.alone), self.own, Some(self.bank)];
        makers.into_iter().flatten().map(|make| make()).find_map(can_save)
    }
}

/// Returns the bank if its streams can be saved.
fn can_save(mut bank: Box<dyn Bank>) -> Option<Box<dyn Bank>> {
    let slot = bank.open_about(&About::sized(Some(1)));
    bank.update(&[StreamPart { slot, bytes: &[0], last: false }]);
    let can = bank.save(slot).is_some();
    bank.abandon(slot);
    can.then_some(bank)
}

impl Saved {
    /// Saves a stream of a bank that was given so many bytes; `None` if its state can't be had.
    pub fn from_stream(
        algorithm: &'static Algorithm,
        bytes: u64,
        bank: &dyn Bank,
        slot: Slot,
    ) -> Option<Saved> {
        Some(Saved { algorithm, bytes, state: State::Stream(bank.save(slot)?) })
    }

    /// Saves the nodes of a tree.
    pub fn from_nodes(algorithm: &'static Algorithm, nodes: &[Node]) -> Saved {
        let bytes = nodes.iter().map(Node::bytes).sum();
        Saved { algorithm, bytes, state: State::Nodes(nodes.to_vec()) }
    }

    /// Saves a fold that took the leaves of so many bytes; `None` if its state can't be had.
    pub fn from_fold(algorithm: &'static Algorithm, bytes: u64, fold: &Folding) -> Option<Saved> {
        let mut state = Vec::new();
        fold.save(&mut state).then_some(Saved { algorithm, bytes, state: State::Fold(state) })
    }

    /// Opens a stream that goes on; `None` if this is no state for the bank.
    pub fn open(&self, bank: &mut dyn Bank) -> Option<Slot> {
        let State::Stream(state) = &self.state else { return None };
        bank.restore(state)
    }

    /// Returns the nodes of a tree; `None` if these are none.
    pub fn nodes(&self) -> Option<&[Node]> {
        let (State::Nodes(nodes), Some(tree)) = (&self.state, self.algorithm.tree) else { return None };
        let total = nodes.iter().try_fold(0_u64, |sum, node| sum.checked_add(node.bytes()));
        (total == Some(self.bytes) && are_subtrees(tree, 0, nodes)).then_some(nodes)
    }

    /// Returns a fold that goes on, from an unused one of the message; `None` if this is no state for it.
    pub fn folding(&self, unused: Folding) -> Option<Folding> {
        let State::Fold(state) = &self.state else { return None };
        let mut from = &state[..];
        let folding = unused.load(&mut from).filter(|_| from.is_empty())?;
        let (leaves, shape) = (folding.leaves(), folding.shape());
        let fits = self.bytes > 0 && shape.begins(self.bytes) && leaves == shape.count(self.bytes);
        fits.then_some(folding)
    }

    /// Encodes the state.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (letter, state) = match &self.state {
            State::Stream(state) => (b's', state.clone()),
            State::Nodes(nodes) => (b'n', nodes.iter().copied().flat_map(Node::to_bytes).collect()),
            State::Fold(state) => (b'f', state.clone()),
        };
        let mut bytes = vec![VERSION];
        self.algorithm.name.as_bytes().to_vec().put(&mut bytes);
        self.bytes.put(&mut bytes);
        letter.put(&mut bytes);
        state.put(&mut bytes);
        bytes
    }

    /// Decodes a state; `None` if the bytes are none, one of another version, or of an algorithm with a key.
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Saved> {
        let from = &mut bytes;
        if u8::take(from)? != VERSION {
            return None;
        }
        let name = Vec::take(from)?;
        let name = str::from_utf8(&name).ok()?;
        let algorithm = of_name(name).or_else(|| find(name).ok())?;
        let (bytes, letter, state) = (u64::take(from)?, u8::take(from)?, Vec::take(from)?);
        let state = match letter {
            b's' => State::Stream(state),
            b'n' if state.len().is_multiple_of(Node::STORED) => {
                State::Nodes(state.as_chunks().0.iter().map(Node::from_bytes).collect())
            }
            b'f' => State::Fold(state),
            _ => return None,
        };
        let fits = from.is_empty() && bytes <= LONGEST_MESSAGE && algorithm.key_mode.is_none();
        fits.then_some(Saved { algorithm, bytes, state })
    }
}
