//! Whole messages that are cut and folded depending on their name and length.

use super::Folding;
use super::bank::Messages;
use crate::bank::{Bank, Pace, Slot, StreamPart};
use crate::{About, Digest};

/// Returns the way to cut and fold a message.
type Make = fn(&About<'_>) -> Folding;

/// Hashes such messages. Those with equally long leaves are hashed side by side.
struct Entries {
    make: Make,
    /// Makes the messages of one leaf length.
    messages: fn(&Folding) -> Messages,
    banks: Vec<Messages>,
    open: Vec<Option<Open>>,
    free: Vec<usize>,
}

enum Open {
    /// In the bank with this index.
    Cut(usize, Slot),
    /// Of unknown length: all bytes are kept in memory until the end. The engine determines such a length first, with a
    /// temporary file.
    Held { name: Box<[u8]>, bytes: Vec<u8> },
}

/// Makes a bank for many messages.
pub(crate) fn bank(make: Make) -> Box<dyn Bank> {
    Box::new(Entries::new(make, |folding| Messages::new(*folding.shape())))
}

/// Makes a bank for one message after another.
pub(crate) fn alone(make: Make) -> Box<dyn Bank> {
    Box::new(Entries::new(make, |folding| Messages::alone(*folding.shape())))
}

impl Entries {
    fn new(make: Make, messages: fn(&Folding) -> Messages) -> Self {
        // The first bank, which names the kernel, is that of the longest leaves, which don't fill lanes alone.
        let banks = vec![messages(&make(&About::sized(Some(u64::MAX))))];
        Entries { make, messages, banks, open: Vec::new(), free: Vec::new() }
    }

    fn cut(&mut self, about: &About<'_>) -> Open {
        let folding = (self.make)(about);
        let leaf = folding.shape().bytes;
        let found = self.banks.iter().position(|bank| bank.shape().bytes == leaf);
        let bank = found.unwrap_or_else(|| {
            self.banks.push((self.messages)(&folding));
            self.banks.len() - 1
        });
        Open::Cut(bank, self.banks[bank].open_with(folding))
    }

    fn take(&mut self, slot: Slot) -> Option<Open> {
        self.free.push(slot.0);
        self.open[slot.0].take()
    }
}

impl Bank for Entries {
    fn open(&mut self) -> Slot {
        self.open_about(&About::default())
    }

    fn open_about(&mut self, about: &About<'_>) -> Slot {
        let open = match about.size {
            Some(_) => self.cut(about),
            None => Open::Held { name: about.name().into(), bytes: Vec::new() },
        };
        let slot = self.free.pop().unwrap_or_else(|| {
            self.open.push(None);
            self.open.len() - 1
        });
        self.open[slot] = Some(open);
        Slot(slot)
    }

    fn update(&mut self, batch: &[StreamPart<'_>]) {
        let mut batches: Vec<Vec<StreamPart<'_>>> = self.banks.iter().map(|_| Vec::new()).collect();
        for part in batch {
            match &mut self.open[part.slot.0] {
                Some(Open::Cut(bank, slot)) => batches[*bank].push(StreamPart { slot: *slot, ..*part }),
                Some(Open::Held { bytes, .. }) => bytes.extend_from_slice(part.bytes),
                None => {}
            }
        }
        let used = self.banks.iter_mut().zip(&batches).filter(|(_, batch)| !batch.is_empty());
        used.for_each(|(bank, batch)| bank.update(batch));
    }

    fn close(&mut self, slot: Slot) -> Digest {
        match self.take(slot) {
            Some(Open::Cut(bank, slot)) => self.banks[bank].close(slot),
            Some(Open::Held { name, bytes }) => {
                let slot = self.open_about(&About { size: Some(bytes.len() as u64), path: &name });
                self.update(&[StreamPart { slot, bytes: &bytes, last: true }]);
                self.close(slot)
            }
            None => (self.make)(&About::default()).finish(0),
        }
    }

    fn abandon(&mut self, slot: Slot) {
        if let Some(Open::Cut(bank, slot)) = self.take(slot) {
            self.banks[bank].abandon(slot);
        }
    }

    fn fork(&self, slot: Slot) -> Box<dyn Bank> {
        let mut copy = Entries::new(self.make, self.messages);
        copy.open.push(match &self.open[slot.0] {
            Some(Open::Cut(bank, slot)) => {
                copy.banks.push(self.banks[*bank].copy(*slot));
                Some(Open::Cut(copy.banks.len() - 1, Slot(0)))
            }
            Some(Open::Held { name, bytes }) => Some(Open::Held { name: name.clone(), bytes: bytes.clone() }),
            None => None,
        });
        Box::new(copy)
    }

    fn lanes(&self) -> usize {
        self.banks[0].lanes()
    }

    fn pace(&self) -> Pace {
        self.banks[0].pace()
    }

    fn occupancy(&self) -> (u64, u64) {
        let all = self.banks.iter().map(Bank::occupancy);
        all.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    fn kernel(&self) -> &'static str {
        self.banks[0].kernel()
    }
}
