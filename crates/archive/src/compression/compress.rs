//! The `.Z` files of compress: LZW with codes of 9 to 16 bits.

use super::decode::Decode;
use super::packed::Packed;
use crate::Problem;

/// The bits of the first codes.
const FIRST_WIDTH: u32 = 9;
/// The code that empties the table, in block mode.
const CLEAR: usize = 256;

/// A decoder of compress.
pub(super) struct Compress {
    codes: Codes,
    table: Table,
    /// The most bits of a code.
    widest: u32,
    is_block_mode: bool,
    /// The code before, and the first byte that it stood for.
    before: Option<(usize, u8)>,
    /// Content that waits, from `start` on.
    waiting: Vec<u8>,
    start: usize,
    /// The problem behind the content that waits.
    failure: Option<Problem>,
}

impl Compress {
    /// Reads the header.
    pub(super) fn new(mut packed: Packed) -> Result<Compress, Problem> {
        let [0x1F, 0x9D, flags] = packed.array()? else {
            return Err(Problem::damaged("no file of compress begins there"));
        };
        let widest = u32::from(flags & 0x1F);
        if flags & 0x60 != 0 || !(FIRST_WIDTH..=16).contains(&widest) {
            return Err(Problem::Unsupported(format!("flags {flags:#04x} of compress").into()));
        }
        let is_block_mode = flags & 0x80 != 0;
        Ok(Compress {
            codes: Codes { packed, bits: 0, held: 0, width: FIRST_WIDTH, read: 0 },
            table: Table::new(widest, is_block_mode),
            widest,
            is_block_mode,
            before: None,
            waiting: Vec::new(),
            start: 0,
            failure: None,
        })
    }

    /// Decodes some codes. Returns whether there were any.
    fn refill(&mut self) -> Result<bool, Problem> {
        if let Some(problem) = self.failure.take() {
            return Err(problem);
        }
        self.waiting.clear();
        self.start = 0;
        while self.waiting.len() < 32 << 10 {
            // The table outgrew the width.
            if self.table.next >> self.codes.width != 0 && self.codes.width < self.widest {
                self.codes.change_width(self.codes.width + 1)?;
            }
            let Some(code) = self.codes.next()? else { break };
            if let Err(problem) = self.code(code) {
                // Content before the damage comes first.
                self.failure = Some(problem);
                break;
            }
        }
        match self.failure.take() {
            Some(problem) if self.waiting.is_empty() => Err(problem),
            failure => {
                self.failure = failure;
                Ok(!self.waiting.is_empty())
            }
        }
    }

    /// Decodes one code.
    fn code(&mut self, code: usize) -> Result<(), Problem> {
        let Some((before, first)) = self.before else {
            let byte =
                u8::try_from(code).map_err(|_| Problem::damaged("the first code of compress is no byte"))?;
            self.waiting.push(byte);
            self.before = Some((code, byte));
            return Ok(());
        };
        if code == CLEAR && self.is_block_mode {
            self.table.next = CLEAR;
            return self.codes.change_width(FIRST_WIDTH);
        }
        // A code that is not in the table yet stands for what the one before did, and its first byte again.
        let first = if code < self.table.next || code < CLEAR {
            self.table.append(code, &mut self.waiting)
        } else if code == self.table.next && code > CLEAR - usize::from(!self.is_block_mode) {
            self.table.append(before, &mut self.waiting);
            self.waiting.push(first);
            first
        } else {
            return Err(Problem::damaged("a code of compress stands for nothing"));
        };
        self.table.add(before, first);
        self.before = Some((code, first));
        Ok(())
    }
}

impl Decode for Compress {
    fn decode(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        if self.start >= self.waiting.len() && !self.refill()? {
            return Ok(0);
        }
        let waiting = self.waiting.get(self.start..).unwrap_or_default();
        let count = waiting.len().min(buffer.len());
        let (now, _) = buffer.split_at_mut(count);
        now.copy_from_slice(waiting.get(..count).unwrap_or_default());
        self.start += count;
        Ok(count)
    }
}

/// The codes in the packed bytes: their lowest bits come first.
struct Codes {
    packed: Packed,
    bits: u64,
    held: u32,
    width: u32,
    /// The codes that were read in this width, modulo 8.
    read: u32,
}

impl Codes {
    /// Returns the next code; none at the end.
    fn next(&mut self) -> Result<Option<usize>, Problem> {
        while self.held < self.width {
            let waiting = self.packed.fill()?;
            let Some(&byte) = waiting.first() else { return Ok(None) };
            let count = match waiting.first_chunk() {
                Some(four) if self.held <= 32 => {
                    self.bits |= u64::from(u32::from_le_bytes(*four)) << self.held;
                    4
                }
                _ => {
                    self.bits |= u64::from(byte) << self.held;
                    1
                }
            };
            self.held += 8 * count;
            self.packed.consume(count as usize);
        }
        let code = self.bits & ((1 << self.width) - 1);
        self.drop_bits(self.width);
        self.read = (self.read + 1) % 8;
        Ok(Some(code as usize))
    }

    /// Drops bits that are held.
    fn drop_bits(&mut self, count: u32) {
        self.bits >>= count;
        self.held -= count;
    }

    /// Changes the width. Programs write eight codes at once, so that those that are missing to eight are there.
    fn change_width(&mut self, width: u32) -> Result<(), Problem> {
        while self.read != 0 {
            if self.next()?.is_none() {
                // The file ends within them.
                (self.bits, self.held, self.read) = (0, 0, 0);
            }
        }
        self.width = width;
        Ok(())
    }
}

/// The codes that there may be, at most.
const CODES: usize = 1 << 16;

/// The strings that codes stand for: each is another one and a byte.
struct Table {
    /// The code of the other string, and the byte below it.
    links: Box<[u32; CODES]>,
    /// The lengths of the strings.
    lengths: Box<[u32; CODES]>,
    /// The next code to be defined.
    next: usize,
    /// The number of codes in this file.
    size: usize,
}

impl Table {
    /// Creates a table of single bytes.
    fn new(widest: u32, is_block_mode: bool) -> Table {
        let mut links = Box::new([0; CODES]);
        links.iter_mut().zip(0..=u32::from(u8::MAX)).for_each(|(link, byte)| *link = byte);
        let next = if is_block_mode { CLEAR + 1 } else { CLEAR };
        Table { links, lengths: Box::new([1; CODES]), next, size: 1 << widest }
    }

    /// Defines the next code, as long as there is room.
    fn add(&mut self, prefix: usize, byte: u8) {
        if self.next < self.size {
            self.lengths[self.next % CODES] = self.lengths[prefix % CODES].saturating_add(1);
            self.links[self.next % CODES] = (prefix % CODES) as u32 * 256 + u32::from(byte);
            self.next += 1;
        }
    }

    /// Appends the string of a code. Returns its first byte.
    fn append(&self, mut code: usize, to: &mut Vec<u8>) -> u8 {
        let start = to.len();
        to.resize(start.saturating_add(self.lengths[code % CODES] as usize), 0);
        let room = to.get_mut(start..).unwrap_or_default();
        for byte in room.iter_mut().rev() {
            let link = self.links[code % CODES];
            *byte = link as u8;
            code = (link / 256) as usize;
        }
        room.first().copied().unwrap_or_default()
    }
}
