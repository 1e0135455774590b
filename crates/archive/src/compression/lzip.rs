//! lzip: members of LZMA data with a checksum.

use super::decode::Decode;
use super::lzma::{Properties, Stream};
use super::packed::Packed;
use super::problems::{trailing, within};
use crate::fields::{u32_at, u64_at};
use crate::{Limits, Problem};
use hashmill_digest::Crc32;

/// The bytes with which a member begins.
const MAGIC: &[u8; 4] = b"LZIP";

/// A decoder of lzip.
pub(super) struct Lzip {
    part: Part,
    limits: Limits,
    member: Member,
}

/// The part of the file that comes next.
enum Part {
    Content(Box<Stream>),
    Header(Packed),
    /// Nothing, as an error came before.
    Lost,
}

/// The facts about a member that its trailer repeats.
struct Member {
    start: u64,
    size: u64,
    crc: Crc32,
    /// Whether its trailer states the size of the member, as it does from version 1 on.
    is_sized: bool,
}

impl Lzip {
    /// Reads the header of the first member.
    pub(super) fn new(packed: Packed, limits: &Limits) -> Result<Lzip, Problem> {
        let (content, member) = begin(packed, limits)?;
        Ok(Lzip { part: Part::Content(content), limits: *limits, member })
    }

    /// Goes on behind a member: checks its trailer, or reads the next header. Returns whether there is one.
    fn advance(&mut self) -> Result<bool, Problem> {
        match std::mem::replace(&mut self.part, Part::Lost) {
            Part::Content(stream) => {
                let mut packed = stream.into_packed();
                self.member.check(&mut packed)?;
                self.part = Part::Header(packed);
                Ok(true)
            }
            Part::Header(packed) => self.next(packed),
            Part::Lost => Err(Problem::damaged("compressed bytes can't be read behind an error")),
        }
    }

    /// Begins the next member. Returns whether there is one: any other bytes may follow the last (lzip manual, "Trailing
    /// data"), unless they look like a header that was damaged or cut off.
    fn next(&mut self, mut packed: Packed) -> Result<bool, Problem> {
        let first = packed.peek(MAGIC.len())?;
        let same = first.iter().zip(MAGIC).filter(|&(byte, magic)| byte == magic).count();
        if same == MAGIC.len() {
            let (content, member) = begin(packed, &self.limits)?;
            (self.part, self.member) = (Part::Content(content), member);
            return Ok(true);
        }
        if same > 0 && same == first.len() {
            return Err(Problem::Truncated);
        }
        if same > 1 {
            return Err(trailing());
        }
        self.part = Part::Header(packed);
        Ok(false)
    }
}

impl Decode for Lzip {
    fn decode(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        loop {
            if let Part::Content(stream) = &mut self.part {
                let count = stream.read(buffer)?;
                if count > 0 {
                    self.member.size = self.member.size.saturating_add(count as u64);
                    self.member.crc.update(buffer.get(..count).unwrap_or_default());
                    return Ok(count);
                }
            }
            if !self.advance()? {
                return Ok(0);
            }
        }
    }
}

impl Member {
    /// Compares the content with the trailer.
    fn check(&self, packed: &mut Packed) -> Result<(), Problem> {
        let trailer: [u8; 12] = packed.array()?;
        if u32_at(&trailer, 0)? != self.crc.sum() {
            return Err(Problem::Checksum("the content"));
        }
        if u64_at(&trailer, 4)? != self.size {
            return Err(Problem::damaged("the size of the content is another than its trailer says"));
        }
        if self.is_sized
            && u64::from_le_bytes(packed.array()?) != packed.position().saturating_sub(self.start)
        {
            return Err(Problem::damaged("the size of the member is another than its trailer says"));
        }
        Ok(())
    }
}

/// Reads the header of a member, and begins its content.
fn begin(mut packed: Packed, limits: &Limits) -> Result<(Box<Stream>, Member), Problem> {
    let start = packed.position();
    let [b'L', b'Z', b'I', b'P', version, coded] = packed.array()? else {
        return Err(Problem::damaged("no member of lzip begins there"));
    };
    if version > 1 {
        return Err(Problem::Unsupported(format!("version {version} of lzip").into()));
    }
    let base = match coded & 0x1F {
        log @ 12..=29 => 1_u32 << log,
        _ => return Err(Problem::damaged("the size of the dictionary of lzip makes no sense")),
    };
    let dictionary = base - base / 16 * u32::from(coded >> 5);
    within(limits, u64::from(dictionary))?;
    let properties = Properties { literal_context: 3, literal_position: 0, position: 2 };
    let stream = Stream::new(packed, None, &properties, dictionary, limits)?;
    Ok((Box::new(stream), Member { start, size: 0, crc: Crc32::new(), is_sized: version == 1 }))
}
