//! The decoders of a block, connected as it states.

use super::bcj2::Bcj2;
use super::block::{Coder, CoderBlock, Source};
use super::method::Method;
use super::streams::Pack;
use crate::compression::decoder;
use crate::member::part::{Faults, Part};
use crate::{Compression, Limits, Medium, Problem};
use bzip2::read::MultiBzDecoder;
use deflate64::Deflate64Decoder;
use flate2::read::DeflateDecoder;
use lzma_rust2::filter::delta::DeltaReader;
use lzma_rust2::{Lzma2Reader, LzmaReader};
use ppmd_rust::Ppmd7Decoder;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

/// A stream of bytes between two coders.
pub(super) type Stage = Box<dyn Read + Send>;

/// The bytes that are read at once for decoders that read single bytes.
const BUFFER: usize = 8 << 10;

/// The packed bytes that are read at once.
const PACK: u64 = 32 << 10;

/// The content of a block.
pub(super) struct Decoded {
    /// A reader of the content, which may end early or late.
    pub(super) reader: Stage,
    /// The reason why the packed bytes could not be read.
    faults: Faults,
}

impl Decoded {
    /// Returns why a decoder failed: packed bytes could not be read, or they make no sense.
    pub(super) fn explain(&self, error: io::Error) -> Problem {
        explain(&self.faults, error)
    }
}

fn explain(faults: &Faults, error: io::Error) -> Problem {
    let problem = || match Problem::from(error) {
        Problem::Truncated => Problem::damaged("a block can't be decoded: it ends too early"),
        Problem::Io(error) => Problem::damaged(format!("a block can't be decoded: {error}")),
        problem => problem,
    };
    faults.take().unwrap_or_else(problem)
}

/// Returns a reader of a block that has no problem that was known before.
pub(super) fn decode(
    medium: &Arc<dyn Medium>,
    base: u64,
    block: &CoderBlock,
    packs: &[Pack],
    limits: &Limits,
) -> Result<Decoded, Problem> {
    let faults = Faults::default();
    let pack = |pack: &Pack| {
        let part = Part::new(Arc::clone(medium), base.saturating_add(pack.offset), pack.size, &faults);
        BufReader::with_capacity(pack.size.min(PACK) as usize, part)
    };
    let mut packed: Vec<Option<Stage>> =
        packs.iter().map(|place| Some(Box::new(pack(place)) as Stage)).collect();
    let mut decoded: Vec<Option<Stage>> = block.coders.iter().map(|_| None).collect();
    for coder in block.order()? {
        let mut inputs = Vec::new();
        for source in block.sources_of(coder) {
            let stage = match *source {
                Source::Coder(coder) => decoded.get_mut(coder).and_then(Option::take),
                Source::Packed(pack) => packed.get_mut(pack).and_then(Option::take),
            };
            inputs.push(stage.ok_or_else(|| Problem::damaged("a stream of a block has no source"))?);
        }
        if let (Some(coder), Some(to)) = (block.coders.get(coder), decoded.get_mut(coder)) {
            let stage = stage(coder, inputs, limits).map_err(|error| explain(&faults, error))?;
            *to = Some(Box::new(stage.take(coder.size)));
        }
    }
    let reader = decoded.get_mut(block.last).and_then(Option::take);
    let reader = reader.ok_or_else(|| Problem::damaged("no coder of a block is the last"))?;
    Ok(Decoded { reader, faults })
}

/// Returns the reader of what comes out of a coder.
fn stage(coder: &Coder, inputs: Vec<Stage>, limits: &Limits) -> io::Result<Stage> {
    if coder.method == Method::Bcj2 {
        return Bcj2::new(inputs).map(|reader| Box::new(reader) as Stage);
    }
    let input = inputs.into_iter().next().ok_or_else(|| Problem::damaged("a coder has no stream"))?;
    // No dictionary needs to be longer than what comes out.
    let window = |bytes: u32| u32::try_from(u64::from(bytes).min(coder.size)).unwrap_or(bytes);
    Ok(match coder.method {
        Method::Copy => input,
        Method::Lzma(first, dictionary) => {
            Box::new(LzmaReader::new_with_props(input, coder.size, first, window(dictionary), None)?)
        }
        Method::Lzma2(dictionary) => {
            let window = window(dictionary).clamp(lzma_rust2::DICT_SIZE_MIN, lzma_rust2::DICT_SIZE_MAX);
            Box::new(Lzma2Reader::new(BufReader::with_capacity(BUFFER, input), window, None))
        }
        Method::Ppmd(order, memory) => {
            let decoder = Ppmd7Decoder::new(BufReader::with_capacity(BUFFER, input), order, memory);
            Box::new(decoder.map_err(|error| Problem::damaged(format!("PPMd: {error}")))?)
        }
        Method::Bzip2 => Box::new(MultiBzDecoder::new(input)),
        Method::Deflate => Box::new(DeflateDecoder::new(input)),
        Method::Deflate64 => Box::new(Deflate64Decoder::new(input)),
        Method::Zstandard => decoder(Compression::Zstandard, input, limits)?,
        Method::Delta(distance) => Box::new(DeltaReader::new(input, distance)),
        Method::Branches(processor, position) => Box::new(processor.reader(input, position as usize)),
        Method::Swap(bytes) => Box::new(super::swap::Swap::new(input, bytes)),
        Method::Bcj2 | Method::Encrypted | Method::Unknown(_) | Method::Damaged(_) => {
            return Err(Problem::Unsupported("a coder of 7z".into()).into());
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decoder_fails_for_its_own_reason_or_that_of_the_medium() {
        let word = |error: io::Error| explain(&Faults::default(), error).word();
        assert_eq!(word(io::Error::other("x")), "damaged");
        assert_eq!(word(Problem::Memory(1).into()), "needs-memory");
        let faults = Faults::default();
        let medium: Arc<dyn Medium> = Arc::new(Vec::new());
        let error = Part::new(medium, 0, 1, &faults).read(&mut [0]).unwrap_err();
        assert_eq!(explain(&faults, error).word(), "truncated");
    }
}
