//! Byte patterns of PRONOM's signatures, and the parser of their syntax.
//!
//! Bytes are hexadecimal, or text in quotes. `??` is any byte, `{n}` and `{n-m}` are gaps, `*` is a gap of any length,
//! `(a|b)` alternatives, `[a:b]` a range, `[!a]` anything else of this length, `&` and `~` before a byte are masks of which
//! all bits or any bit must be set.

use memchr::memmem::Finder;

/// The longest sequence in a signature file, in characters.
const MAX_TEXT: usize = 64 << 10;
/// The deepest nesting of alternatives.
const MAX_DEPTH: usize = 16;
/// The most alternatives of one group.
const MAX_CHOICES: usize = 1024;
/// The longest gap. No longer one has a place in the bytes that are looked at.
const MAX_GAP: u32 = 1 << 20;

/// A part of a pattern.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// These bytes.
    Literal(Box<Finder<'static>>),
    /// One byte of a set.
    Set(Box<[bool; 256]>),
    /// As many bytes as both bounds have, between them; or not, if `inverted`.
    Range { low: Box<[u8]>, high: Box<[u8]>, inverted: bool },
    /// Bytes of any value; without `max`, any number of them from `min` on.
    Gap { min: u32, max: Option<u32> },
    /// One of these patterns.
    Choice(Vec<Vec<Item>>),
}

/// Parses a sequence.
pub(super) fn parse(text: &str) -> Result<Vec<Item>, String> {
    if text.len() > MAX_TEXT {
        return Err(format!("the sequence is longer than {MAX_TEXT} characters"));
    }
    let mut parser = Parser { text: text.as_bytes(), at: 0 };
    let items = parser.items(0)?;
    match parser.peek() {
        None if items.iter().all(|item| matches!(item, Item::Gap { .. })) => {
            Err("the sequence has no bytes".to_string())
        }
        None => Ok(items),
        Some(byte) => Err(parser.unexpected(byte)),
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    /// Returns the next byte after white space.
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn accept(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.accept(byte) { Ok(()) } else { Err(format!("'{}' is missing", char::from(byte))) }
    }

    fn unexpected(&self, byte: u8) -> String {
        format!("'{}' at character {} has no meaning in a sequence", byte.escape_ascii(), self.at + 1)
    }

    /// Parses items up to the end of the text or of a group.
    fn items(&mut self, depth: usize) -> Result<Vec<Item>, String> {
        if depth > MAX_DEPTH {
            return Err(format!("alternatives are nested more than {MAX_DEPTH} deep"));
        }
        let mut items = Vec::new();
        let mut literal = Vec::new();
        while let Some(byte) = self.peek().filter(|byte| !b")|".contains(byte)) {
            if byte.is_ascii_hexdigit() || b"'\"".contains(&byte) {
                self.bytes(&mut literal)?;
                continue;
            }
            flush(&mut literal, &mut items);
            let before = self.at;
            self.at += 1;
            items.push(match byte {
                b'?' => {
                    self.expect(b'?')?;
                    Item::Gap { min: 1, max: Some(1) }
                }
                b'*' => Item::Gap { min: 0, max: None },
                b'{' => self.gap()?,
                b'(' => self.choice(depth)?,
                b'[' => self.class()?,
                b'&' | b'~' => self.mask(byte)?,
                other => {
                    self.at = before;
                    return Err(self.unexpected(other));
                }
            });
        }
        flush(&mut literal, &mut items);
        Ok(items)
    }

    /// Appends one byte, or the text in quotes.
    fn bytes(&mut self, literal: &mut Vec<u8>) -> Result<(), String> {
        match self.peek() {
            Some(quote @ (b'\'' | b'"')) => {
                let text = &self.text[self.at + 1..];
                let end = memchr::memchr(quote, text).ok_or("the quote at the end of a text is missing")?;
                literal.extend_from_slice(&text[..end]);
                self.at += end + 2;
            }
            _ => literal.push(self.byte()?),
        }
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, String> {
        let digits = self.text.get(self.at..self.at + 2).and_then(|digits| str::from_utf8(digits).ok());
        let byte = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let byte = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        self.at += 2;
        byte.ok_or_else(|| "a byte needs two hexadecimal digits".to_string())
    }

    fn number(&mut self) -> Result<u32, String> {
        self.peek();
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = str::from_utf8(&self.text[self.at..self.at + digits]).unwrap_or_default().parse();
        self.at += digits;
        number
            .ok()
            .filter(|number| *number <= MAX_GAP)
            .ok_or_else(|| format!("a gap has a length from 0 to {MAX_GAP}"))
    }

    fn gap(&mut self) -> Result<Item, String> {
        let min = self.number()?;
        let max = match self.accept(b'-') {
            false => Some(min),
            true if self.accept(b'*') => None,
            true => Some(self.number()?),
        };
        self.expect(b'}')?;
        if max.is_some_and(|max| max < min) {
            return Err(format!("the gap {{{min}-{}}} ends before it begins", max.unwrap_or_default()));
        }
        Ok(Item::Gap { min, max })
    }

    fn choice(&mut self, depth: usize) -> Result<Item, String> {
        let mut all = Vec::new();
        loop {
            let one = self.items(depth + 1)?;
            if one.is_empty() {
                return Err("an alternative is empty".to_string());
            }
            all.push(one);
            if all.len() > MAX_CHOICES {
                return Err(format!("a group has more than {MAX_CHOICES} alternatives"));
            }
            if !self.accept(b'|') {
                self.expect(b')')?;
                return Ok(Item::Choice(all));
            }
        }
    }

    /// Parses a byte mask.
    fn mask(&mut self, kind: u8) -> Result<Item, String> {
        self.peek();
        let mask = self.byte()?;
        Ok(set(|byte| if kind == b'&' { byte & mask == mask } else { byte & mask != 0 }))
    }

    /// Parses the inside of square brackets.
    fn class(&mut self) -> Result<Item, String> {
        let inverted = self.accept(b'!');
        if let Some(kind @ (b'&' | b'~')) = self.peek() {
            self.at += 1;
            let Item::Set(all) = self.mask(kind)? else { unreachable!("a mask is a set") };
            self.expect(b']')?;
            return Ok(set(|byte| all[usize::from(byte)] != inverted));
        }
        let low = self.bound()?;
        let high = if self.accept(b':') || self.accept(b'-') { self.bound()? } else { low.clone() };
        self.expect(b']')?;
        if low.len() != high.len() {
            return Err("both ends of a range need the same length".to_string());
        }
        if low > high {
            return Err("a range ends before it begins".to_string());
        }
        match (&*low, &*high) {
            ([first], [last]) => Ok(set(|byte| (*first..=*last).contains(&byte) != inverted)),
            _ => Ok(Item::Range { low, high, inverted }),
        }
    }

    fn bound(&mut self) -> Result<Box<[u8]>, String> {
        let mut bytes = Vec::new();
        while self.peek().is_some_and(|byte| byte.is_ascii_hexdigit() || b"'\"".contains(&byte)) {
            self.bytes(&mut bytes)?;
        }
        if bytes.is_empty() { Err("square brackets hold no bytes".to_string()) } else { Ok(bytes.into()) }
    }
}

fn set(has: impl Fn(u8) -> bool) -> Item {
    let mut all = Box::new([false; 256]);
    (0..=u8::MAX).for_each(|byte| all[usize::from(byte)] = has(byte));
    Item::Set(all)
}

/// Ends a literal.
fn flush(literal: &mut Vec<u8>, items: &mut Vec<Item>) {
    if !literal.is_empty() {
        items.push(Item::Literal(Box::new(Finder::new(literal).into_owned())));
        literal.clear();
    }
}
