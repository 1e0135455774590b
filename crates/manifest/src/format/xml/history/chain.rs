//! The chain of a history: the manifest of each generation, and the C4 ID of its bytes.

use super::MAX_GENERATIONS;
use crate::format::malformed::Malformed;
use crate::format::values::c4;
use crate::format::values::naming::number;
use crate::format::xml;
use crate::format::xml::{Element, Elements, escape};
use hashmill_digest::Digest;
use std::fmt;

/// A chain without generations.
const EMPTY: &[u8] =
    b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\">\n\
                       </ascmhldirectory>\n";

/// The generations of a history, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    links: Vec<Link>,
    text: Vec<u8>,
}

/// A generation as listed in the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The number, from 1.
    pub number: u64,
    /// The name of the manifest, in the chain's folder.
    pub name: Box<[u8]>,
    /// The SHA-512 of the manifest.
    pub digest: Digest,
}

/// The reason why a chain can't be used.
#[derive(Debug)]
pub enum BadChain {
    /// It is malformed.
    Malformed(Malformed),
    /// A manifest is not in the chain's folder.
    Elsewhere(Box<[u8]>),
    /// The digest of a manifest is missing.
    NoDigest(Box<[u8]>),
    /// The number of a generation is missing, or not greater than the previous one.
    Order(Box<[u8]>),
    /// It has no generation, or no place to add one.
    NoEnd,
}

impl Default for Chain {
    fn default() -> Chain {
        Chain { links: Vec::new(), text: EMPTY.to_vec() }
    }
}

impl Chain {
    /// Parses a chain.
    ///
    /// # Errors
    /// If a generation has no manifest in the chain's folder, no digest, or a number out of order.
    pub fn parse(text: Vec<u8>) -> Result<Chain, BadChain> {
        let mut links: Vec<Link> = Vec::new();
        let mut elements = Elements::new(Box::new(text.as_slice()), &[b"hashlist"]);
        while let Some(element) = elements.next() {
            let (element, _) = element.map_err(BadChain::Malformed)?;
            let link = link(&element)?;
            if links.last().is_some_and(|last| last.number >= link.number) {
                return Err(BadChain::Order(link.name));
            }
            links.push(link);
        }
        drop(elements);
        if links.is_empty() { Err(BadChain::NoEnd) } else { Ok(Chain { links, text }) }
    }

    /// Returns the generations.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Returns the chain's bytes.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the chain with a generation added. The existing text is kept byte for byte.
    ///
    /// # Errors
    /// If the end of the chain is not found.
    pub fn with(&self, link: Link) -> Result<Chain, BadChain> {
        let end = memchr::memmem::rfind(&self.text, b"</ascmhldirectory").ok_or(BadChain::NoEnd)?;
        let mut text = self.text[..end].to_vec();
        text.extend_from_slice(format!("  <hashlist sequencenr=\"{}\">\n    <path>", link.number).as_bytes());
        escape(&xml::readable(&link.name), &mut text);
        text.extend_from_slice(b"</path>\n    <c4>");
        c4::encode(&link.digest, &mut text);
        text.extend_from_slice(b"</c4>\n  </hashlist>\n");
        text.extend_from_slice(&self.text[end..]);
        let longer = Chain::parse(text)?;
        let is_added = longer.links.split_last() == Some((&link, &self.links));
        if is_added { Ok(longer) } else { Err(BadChain::NoEnd) }
    }
}

fn link(element: &Element) -> Result<Link, BadChain> {
    let name: Box<[u8]> =
        element.child(b"path").map(|path| path.text.trim_ascii().into()).unwrap_or_default();
    if name.is_empty() || matches!(&*name, b"." | b"..") || name.iter().any(|byte| matches!(byte, b'/' | 0)) {
        return Err(BadChain::Elsewhere(name));
    }
    let Some(number) = element
        .attribute(b"sequencenr")
        .and_then(number)
        .filter(|number| (1..=MAX_GENERATIONS).contains(number))
    else {
        return Err(BadChain::Order(name));
    };
    match element.child(b"c4").and_then(|c4| c4::decoded(c4.text.trim_ascii())) {
        Some(digest) => Ok(Link { number, name, digest }),
        None => Err(BadChain::NoDigest(name)),
    }
}

impl fmt::Display for BadChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        match self {
            BadChain::Malformed(why) => why.fmt(f),
            BadChain::Elsewhere(name) => {
                write!(f, "it names {:?}, which is not a file in its folder", shown(name))
            }
            BadChain::NoDigest(name) => write!(f, "it has no C4 of {:?}", shown(name)),
            BadChain::Order(name) => write!(f, "the number of {:?} is out of order", shown(name)),
            BadChain::NoEnd => f.write_str("it has no generation or an unknown form"),
        }
    }
}

impl std::error::Error for BadChain {}

#[cfg(test)]
mod tests {
    use super::*;

    fn generation(number: u64) -> Link {
        let name = format!("{number:04}_a & b.mhl").into_bytes().into();
        Link { number, name, digest: Digest::new(&[number as u8; 64]) }
    }

    #[test]
    fn what_is_added_comes_back_and_nothing_else_changes() {
        let one = Chain::default().with(generation(1)).unwrap();
        let two = one.with(generation(2)).unwrap();
        assert_eq!(Chain::parse(two.text().to_vec()).unwrap(), two);
        assert_eq!(two.links(), [generation(1), generation(2)]);
        let end = memchr::memmem::find(one.text(), b"</ascmhldirectory").unwrap();
        assert!(two.text().starts_with(&one.text()[..end]) && two.text().ends_with(&one.text()[end..]));
        assert!(matches!(two.with(generation(2)), Err(BadChain::Order(_))));
    }

    #[test]
    fn a_chain_that_leads_elsewhere_is_refused() {
        let good = String::from_utf8(Chain::default().with(generation(1)).unwrap().text().to_vec()).unwrap();
        for name in ["../x.mhl", "/etc/passwd", "..", "a/b.mhl", ""] {
            let text = good.replace("0001_a &amp; b.mhl", name);
            assert!(matches!(Chain::parse(text.into_bytes()), Err(BadChain::Elsewhere(_))), "{name}");
        }
        for number in ["", "0", "-1", "x", "1000000000", "18446744073709551615"] {
            let text = good.replace("sequencenr=\"1\"", &format!("sequencenr=\"{number}\""));
            assert!(matches!(Chain::parse(text.into_bytes()), Err(BadChain::Order(_))), "{number}");
        }
        let text = good.replace("<c4>c4", "<c4>x");
        assert!(matches!(Chain::parse(text.into_bytes()), Err(BadChain::NoDigest(_))));
        assert!(matches!(Chain::parse(EMPTY.to_vec()), Err(BadChain::NoEnd)));
        assert!(matches!(Chain::parse(good[..good.len() - 40].into()), Err(BadChain::Malformed(_))));
    }
}
