//! A block ("Folder"): coders, each with streams of bytes that go in and one that comes out, and how they connect.

use super::input::Input;
use super::method::Method;
use crate::{Limits, Problem};

/// The most coders of a block, and the most streams that go into them.
const CODERS: u64 = 32;
const STREAMS: u64 = 32;

/// A block.
#[derive(Debug)]
pub(super) struct CoderBlock {
    pub(super) coders: Box<[Coder]>,
    /// The source of each stream that goes in: those of the first coder, then those of the second …
    pub(super) sources: Box<[Source]>,
    /// The coder from which the content comes.
    pub(super) last: usize,
    /// The first of its packed streams, and how many there are.
    pub(super) first_pack: usize,
    pub(super) packs: usize,
    /// The number of members in it.
    pub(super) parts: usize,
    /// The checksum of its content.
    pub(super) crc: Option<u32>,
}

/// A coder.
#[derive(Debug)]
pub(super) struct Coder {
    pub(super) method: Method,
    /// The number of streams that go in.
    pub(super) inputs: usize,
    /// The bytes that come out.
    pub(super) size: u64,
}

/// The source of a stream that goes into a coder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The bytes that come out of a coder.
    Coder(usize),
    /// A packed stream, counted from the first of the block.
    Packed(usize),
}

/// About the bytes of memory that a block takes without its coders, and that each of these takes.
pub(super) const MEMORY: usize = 128;
pub(super) const CODER_MEMORY: usize = 128;

impl CoderBlock {
    /// Reads a block, except for the numbers of bytes that come out of its coders.
    pub(super) fn read(input: &mut Input<'_>) -> Result<CoderBlock, Problem> {
        let count = input.number()?;
        if !(1..=CODERS).contains(&count) {
            return Err(Problem::damaged(format!("a block has {count} coders")));
        }
        let coders = (0..count).map(|_| Coder::read(input)).collect::<Result<Box<[Coder]>, Problem>>()?;
        let inputs: usize = coders.iter().map(|coder| coder.inputs).sum();
        let (sources, packs) = CoderBlock::sources(input, coders.len(), inputs)?;
        let last = (0..coders.len()).find(|coder| !sources.contains(&Source::Coder(*coder)));
        let last = last.ok_or_else(|| Problem::damaged("no coder of a block is the last"))?;
        let block = CoderBlock { coders, sources, last, first_pack: 0, packs, parts: 1, crc: None };
        block.order()?;
        Ok(block)
    }

    /// Reads the source of each stream that goes in ("BindPairs" and "PackedStreams"). One coder is that of none.
    fn sources(
        input: &mut Input<'_>,
        coders: usize,
        inputs: usize,
    ) -> Result<(Box<[Source]>, usize), Problem> {
        let bonds = coders.saturating_sub(1);
        let packs = inputs.checked_sub(bonds).filter(|packs| *packs > 0);
        let packs = packs.ok_or_else(|| Problem::damaged("a block has too few streams"))?;
        let mut sources = vec![None; inputs];
        for _ in 0..bonds {
            let to = input.number()?;
            let from = input.number()?;
            let from = usize::try_from(from).ok().filter(|from| *from < coders);
            let from = from.ok_or_else(|| Problem::damaged("a block has a stream from nowhere"))?;
            if sources.contains(&Some(Source::Coder(from))) {
                return Err(Problem::damaged("a stream of a block has two ends"));
            }
            set(&mut sources, to, Source::Coder(from))?;
        }
        for pack in 0..packs {
            let free = sources.iter().position(Option::is_none).unwrap_or_default() as u64;
            let to = if packs == 1 { free } else { input.number()? };
            set(&mut sources, to, Source::Packed(pack))?;
        }
        let sources = sources.into_iter().collect::<Option<Box<[Source]>>>();
        Ok((sources.ok_or_else(|| Problem::damaged("a stream of a block has no source"))?, packs))
    }

    /// Returns the coders in an order in which each comes after those from which it reads.
    pub(super) fn order(&self) -> Result<Vec<usize>, Problem> {
        let mut order: Vec<usize> = Vec::new();
        while order.len() < self.coders.len() {
            let next = (0..self.coders.len()).find(|coder| {
                let is_ready = |source: &Source| match source {
                    Source::Coder(coder) => order.contains(coder),
                    Source::Packed(_) => true,
                };
                !order.contains(coder) && self.sources_of(*coder).iter().all(is_ready)
            });
            order.push(next.ok_or_else(|| Problem::damaged("coders of a block read from each other"))?);
        }
        Ok(order)
    }

    /// Returns the sources of a coder.
    pub(super) fn sources_of(&self, coder: usize) -> &[Source] {
        let before: usize = self.coders.iter().take(coder).map(|coder| coder.inputs).sum();
        let inputs = self.coders.get(coder).map_or(0, |coder| coder.inputs);
        self.sources.get(before..before.saturating_add(inputs)).unwrap_or_default()
    }

    /// Returns the bytes of its content.
    pub(super) fn size(&self) -> u64 {
        self.coders.get(self.last).map_or(0, |coder| coder.size)
    }

    /// Returns why it can't be decoded, if that is known before.
    pub(super) fn problem(&self, limits: &Limits) -> Option<Problem> {
        // Encryption comes first: another coder matters to nobody without a password.
        let encrypted = self.coders.iter().any(|coder| coder.method == Method::Encrypted);
        if encrypted {
            return Some(Problem::Encrypted);
        }
        let problem = self.coders.iter().find_map(|coder| coder.method.problem(coder.inputs));
        let memory = || self.coders.iter().fold(0_u64, |sum, coder| sum.saturating_add(coder.memory()));
        problem.or_else(|| Some(memory()).filter(|memory| *memory > limits.memory).map(Problem::Memory))
    }
}

/// Sets the source of a stream, which has none yet.
fn set(sources: &mut [Option<Source>], to: u64, source: Source) -> Result<(), Problem> {
    let place = usize::try_from(to).ok().and_then(|to| sources.get_mut(to)).filter(|place| place.is_none());
    *place.ok_or_else(|| Problem::damaged("a stream of a block has two sources, or no place"))? =
        Some(source);
    Ok(())
}

impl Coder {
    /// Reads a coder. Its first byte has the length of the method, and says what follows.
    fn read(input: &mut Input<'_>) -> Result<Coder, Problem> {
        let first = input.byte()?;
        if first & 0xc0 != 0 {
            return Err(Problem::Unsupported("a coder of 7z with alternatives".into()));
        }
        let id = input.bytes(usize::from(first & 0xf))?;
        let (inputs, outputs) = if first & 0x10 != 0 { (input.number()?, input.number()?) } else { (1, 1) };
        if !(1..=STREAMS).contains(&inputs) || outputs != 1 {
            return Err(Problem::Unsupported(
                format!("a coder of 7z with {inputs} and {outputs} streams").into(),
            ));
        }
        let length = if first & 0x20 != 0 { input.number()? } else { 0 };
        let method = Method::new(id, input.sized(length)?);
        Ok(Coder { method, inputs: usize::try_from(inputs).unwrap_or_default(), size: 0 })
    }

    /// Returns the bytes of memory for its dictionary. No dictionary is longer than all that comes out.
    fn memory(&self) -> u64 {
        self.method.dictionary().map_or_else(|| self.method.model(), |bytes| u64::from(bytes).min(self.size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<CoderBlock, Problem> {
        CoderBlock::read(&mut Input::new(bytes, &Limits::default()))
    }

    #[test]
    fn coders_are_connected_as_stated() {
        // The block of `7zz -m0=BCJ2 -m1=Copy -m2=Copy -m3=Copy -mb0s0:1 -mb0s1:2 -mb0s2:3`.
        let bcj2 = [0x14, 3, 3, 1, 0x1b, 4, 1];
        let block =
            read(&[&[4][..], &bcj2, &[1, 0, 1, 0, 1, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 3]].concat()).unwrap();
        let (coder, packed) = (Source::Coder, Source::Packed);
        let expected = [coder(1), coder(2), coder(3), packed(3), packed(0), packed(1), packed(2)];
        assert_eq!((&*block.sources, block.last, block.packs), (&expected[..], 0, 4));
    }

    #[test]
    fn coders_that_are_connected_wrongly_are_damage() {
        for bytes in [
            // No coders, and too many.
            &[0][..],
            &[33],
            // Two coders that have each other as their source, and one with a source that is not there.
            &[2, 1, 0, 1, 0, 1, 1],
            &[2, 1, 0, 1, 0, 2, 0],
            &[2, 1, 0, 1, 0, 0, 2],
            // A coder that goes into two others, and two that go into one.
            &[3, 1, 0, 1, 0, 1, 0, 0, 2, 1, 2],
            &[3, 1, 0, 1, 0, 1, 0, 0, 1, 0, 2],
            // A packed stream that goes nowhere, and two that go into one place.
            &[1, 0x11, 0, 2, 1, 0, 2],
            &[1, 0x11, 0, 2, 1, 1, 1],
            // More bytes of properties than there are.
            &[1, 0x21, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        ] {
            assert!(read(bytes).is_err_and(|problem| problem.word() == "damaged"), "{bytes:?}");
        }
        for bytes in [&[1, 0x41, 0][..], &[1, 0x11, 0, 1, 2], &[1, 0x11, 0, 33, 1]] {
            assert!(read(bytes).is_err_and(|problem| problem.word() == "unsupported-method"), "{bytes:?}");
        }
    }
}
