//! The dictionary of an index: details in a form that is read in place and on demand.
//!
//! Texts, products and details follow one another, each with a list of offsets before them.

use crate::layout::word;
use crate::{Category, Claim, Detail, Product};
use hashbrown::HashMap;
use std::collections::BTreeSet;

const NONE: u32 = u32::MAX;

#[derive(Default)]
pub(crate) struct Writer {
    texts: Column,
    products: Column,
    details: Column,
}

/// Distinct values, numbered in the order added.
#[derive(Default)]
struct Column {
    numbers: HashMap<Box<[u8]>, u32>,
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

impl Column {
    fn number(&mut self, value: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(value) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(value.into(), number);
        self.push(value);
        number
    }

    fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len() as u32);
    }

    fn fits(&self) -> bool {
        u32::try_from(self.bytes.len()).is_ok()
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.ends.len() as u32).to_le_bytes());
        out.extend(self.ends.iter().flat_map(|end| end.to_le_bytes()));
        out.extend_from_slice(&self.bytes);
    }
}

impl Writer {
    /// Adds a detail; the first gets number 0, and so on.
    #[cfg(test)]
    pub fn push(&mut self, detail: &Detail) {
        let product = detail.product.as_ref().map(|product| self.product(product));
        let (claims, types) = (self.claims(&detail.claims), self.types(&detail.types));
        self.detail(product, &claims, &types);
    }

    /// Adds a detail of parts that were already added.
    pub fn detail(&mut self, product: Option<u32>, claims: &[u32], types: &[u32]) {
        let head = [claims.len() as u32 / 2, product.unwrap_or(NONE)];
        self.details.push(&bytes(&[&head, claims, types].concat()));
    }

    /// Adds the texts of claims. Returns their words in a detail.
    pub fn claims(&mut self, claims: &[Claim]) -> Vec<u32> {
        let texts = claims.iter().flat_map(|claim| [claim.category.word(), &claim.set]);
        texts.map(|text| self.texts.number(text.as_bytes())).collect()
    }

    /// Adds the texts of application types. Returns their words in a detail.
    pub fn types(&mut self, types: &[Box<str>]) -> Vec<u32> {
        types.iter().map(|kind| self.texts.number(kind.as_bytes())).collect()
    }

    /// Adds a product. Returns its number.
    pub fn product(&mut self, product: &Product) -> u32 {
        let words: Vec<u32> = parts(product).iter().map(|text| self.texts.number(text.as_bytes())).collect();
        self.products.number(&bytes(&words))
    }

    /// Returns the dictionary's bytes; `None` if there are more than its offsets can count.
    pub fn finish(&self) -> Option<Vec<u8>> {
        let columns = [&self.texts, &self.products, &self.details];
        let mut out = Vec::new();
        columns.iter().for_each(|column| column.write(&mut out));
        columns.iter().all(|column| column.fits()).then_some(out)
    }
}

fn parts(product: &Product) -> [&str; 6] {
    let Product { name, version, manufacturer, os, os_version, language } = product;
    [name, version, manufacturer, os, os_version, language]
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A reader of a dictionary. Values that violate the format are treated as missing.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    texts: Values<'a>,
    products: Values<'a>,
    details: Values<'a>,
}

#[derive(Clone, Copy)]
struct Values<'a> {
    ends: &'a [u8],
    bytes: &'a [u8],
}

impl<'a> Values<'a> {
    /// Splits the bytes after their first column.
    fn split(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (count, rest) = bytes.split_at_checked(4)?;
        let (ends, rest) = rest.split_at_checked(word(count, 0) as usize * 4)?;
        let length = ends.len().checked_sub(4).map_or(0, |last| word(ends, last));
        let (bytes, rest) = rest.split_at_checked(length as usize)?;
        Some((Values { ends, bytes }, rest))
    }

    fn get(&self, number: u32) -> Option<&'a [u8]> {
        let at = number as usize * 4;
        let end = word(self.ends.get(at..at + 4)?, 0) as usize;
        let start = if number == 0 { 0 } else { word(self.ends, at - 4) as usize };
        self.bytes.get(start..end)
    }
}

impl<'a> Reader<'a> {
    /// Opens the dictionary in these bytes; `None` if they are not one.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let (texts, rest) = Values::split(bytes)?;
        let (products, rest) = Values::split(rest)?;
        let (details, rest) = Values::split(rest)?;
        rest.is_empty().then_some(Reader { texts, products, details })
    }

    /// Returns the number of details.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.details.ends.len() / 4
    }

    /// Returns the detail with a number.
    pub fn detail(&self, number: u32) -> Option<Detail> {
        let words = words(self.details.get(number)?);
        let (head, rest) = words.split_at_checked(2)?;
        let (claims, types) = rest.split_at_checked(2 * head[0] as usize)?;
        Some(Detail {
            claims: claims.chunks_exact(2).map(|pair| self.claim(pair)).collect::<Option<_>>()?,
            product: if head[1] == NONE { None } else { Some(self.product(head[1])?) },
            types: types.iter().map(|number| self.text(*number)).collect::<Option<_>>()?,
        })
    }

    /// Returns all application types.
    pub fn types(&self) -> BTreeSet<Box<str>> {
        let details = (0..).map_while(|number| self.details.get(number)).map(words);
        let types = details.flat_map(|words| {
            let claims = words.first().map_or(0, |claims| 2 * *claims as usize);
            words.into_iter().skip(2 + claims)
        });
        let types: BTreeSet<u32> = types.collect();
        types.into_iter().filter_map(|number| self.text(number)).collect()
    }

    fn claim(&self, pair: &[u32]) -> Option<Claim> {
        Some(Claim { category: Category::of_word(&self.text(pair[0])?), set: self.text(pair[1])? })
    }

    fn product(&self, number: u32) -> Option<Product> {
        let words = words(self.products.get(number)?);
        let texts: Option<Vec<Box<str>>> = words.iter().map(|number| self.text(*number)).collect();
        let [name, version, manufacturer, os, os_version, language] = texts?.try_into().ok()?;
        Some(Product { name, version, manufacturer, os, os_version, language })
    }

    fn text(&self, number: u32) -> Option<Box<str>> {
        str::from_utf8(self.texts.get(number)?).ok().map(Into::into)
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|bytes| word(bytes, 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> [Detail; 3] {
        let product = Product { name: "Editor".into(), os: "Haiku".into(), ..Product::default() };
        let types = vec!["Editor".into(), "Hacker Tool".into()];
        let plain = Detail::new(Category::Bad, "list");
        let full = Detail { product: Some(product), types, ..Detail::new(Category::Known, "rds") };
        let both = plain.union(&full);
        [plain, full, both]
    }

    #[test]
    fn details_read_back() {
        let mut writer = Writer::default();
        some().iter().for_each(|detail| writer.push(detail));
        let bytes = writer.finish().unwrap();
        let reader = Reader::new(&bytes).unwrap();
        assert_eq!(reader.len(), 3);
        for (number, detail) in some().into_iter().enumerate() {
            assert_eq!(reader.detail(number as u32), Some(detail));
        }
        assert_eq!(reader.detail(3), None);
    }

    #[test]
    fn nonsense_is_no_detail_and_no_panic() {
        let mut writer = Writer::default();
        some().iter().for_each(|detail| writer.push(detail));
        let bytes = writer.finish().unwrap();
        for at in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[at] ^= 0x81;
            if let Some(reader) = Reader::new(&altered) {
                (0..4).for_each(|number| drop(reader.detail(number)));
            }
            if let Some(reader) = Reader::new(&bytes[..at]) {
                (0..4).for_each(|number| drop(reader.detail(number)));
            }
        }
    }
}
