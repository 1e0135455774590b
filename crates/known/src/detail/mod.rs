//! The claims of sets about a digest (category, set, product, application types), and unions of several.

pub(crate) mod catalogue;
pub(crate) mod dictionary;

use hashmill_manifest::Label;
use serde::Serialize;
use std::fmt;

/// The category of a digest, in order of decreasing weight: if sets contradict each other, the first one here wins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// A file to look for.
    Bad,
    /// A category defined by the user.
    Named(Box<str>),
    /// A file to ignore.
    Good,
    /// A file seen before, without a judgement: this is all that the RDS says.
    Known,
}

/// The error of a name that can't be used for a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidCategory;

impl fmt::Display for InvalidCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("can't be a category's name")
    }
}

impl std::error::Error for InvalidCategory {}

impl Category {
    /// Returns the category with this name.
    pub fn of_word(word: &str) -> Self {
        match word {
            "bad" => Category::Bad,
            "good" => Category::Good,
            "known" => Category::Known,
            name => Category::Named(name.into()),
        }
    }

    /// Returns the category that a user named, if outputs and options can represent the name.
    ///
    /// # Errors
    /// If it is not one word without commas and control characters, or is reserved.
    pub fn named(name: &str) -> Result<Self, InvalidCategory> {
        let plain = |letter: char| letter != ',' && !letter.is_control() && !letter.is_whitespace();
        let taken = [Label::UNKNOWN, "all", "malformed"].contains(&name);
        let fits = !name.is_empty() && name.chars().all(plain) && !taken;
        if fits { Ok(Category::of_word(name)) } else { Err(InvalidCategory) }
    }

    /// Returns the name of the category.
    pub fn word(&self) -> &str {
        match self {
            Category::Bad => "bad",
            Category::Named(name) => name,
            Category::Good => "good",
            Category::Known => "known",
        }
    }

    /// Returns whether both can't be true. `Known` contradicts nothing.
    pub fn contradicts(&self, other: &Category) -> bool {
        self != other && *self != Category::Known && *other != Category::Known
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl Serialize for Category {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// The claim of one set about a digest in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Claim {
    /// The category that the set gives the digest.
    pub category: Category,
    /// The name of the set.
    pub set: Box<str>,
}

/// The software that a file belongs to. Empty texts are unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Product {
    /// The name of the product.
    #[serde(rename = "product")]
    pub name: Box<str>,
    /// The version of the product.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub version: Box<str>,
    /// The manufacturer.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub manufacturer: Box<str>,
    /// The operating system that it runs on.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub os: Box<str>,
    /// The version of the operating system.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub os_version: Box<str>,
    /// The language of its texts.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub language: Box<str>,
}

/// All claims of sets about a digest, except its size.
///
/// A file of the RDS may belong to hundreds of products. Only the first is kept, but the application types of all, so
/// that a filter by type misses none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Detail {
    /// The claims, the weightiest first; never empty in an index.
    pub claims: Vec<Claim>,
    /// The product, or the first of several.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub product: Option<Product>,
    /// The application types of all products, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<Box<str>>,
}

impl Detail {
    /// Creates a detail with one claim only.
    pub fn new(category: Category, set: &str) -> Self {
        Detail { claims: vec![Claim { category, set: set.into() }], product: None, types: Vec::new() }
    }

    /// Returns the claim that wins.
    pub fn verdict(&self) -> Option<&Claim> {
        self.claims.first()
    }

    /// Returns whether two claims contradict each other.
    pub fn is_contradictory(&self) -> bool {
        let differ = |pair: &[Claim]| pair[0].category.contradicts(&pair[1].category);
        self.claims.windows(2).any(differ)
    }

    /// Returns the union of both. The order of several unions does not matter.
    #[must_use]
    pub fn union(&self, other: &Detail) -> Detail {
        Detail {
            claims: merged(&self.claims, &other.claims),
            product: first(self.product.as_ref(), other.product.as_ref()).cloned(),
            types: merged(&self.types, &other.types),
        }
    }
}

/// Merges both lists into one, sorted and without duplicates.
pub(crate) fn merged<T: Ord + Clone>(a: &[T], b: &[T]) -> Vec<T> {
    let mut all = [a, b].concat();
    all.sort();
    all.dedup();
    all
}

fn first<'a>(a: Option<&'a Product>, b: Option<&'a Product>) -> Option<&'a Product> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_wins_and_known_contradicts_nothing() {
        let [good, bad, known] =
            ["good", "bad", "known"].map(|word| Detail::new(Category::of_word(word), word));
        let both = good.union(&bad);
        assert_eq!(both.verdict().unwrap().set.as_ref(), "bad");
        assert!(both.is_contradictory());
        let refined = known.union(&good);
        assert_eq!(refined.verdict().unwrap().category, Category::Good);
        assert!(!refined.is_contradictory());
    }

    #[test]
    fn unions_commute() {
        let with = |name: &str, kind: &str| Detail {
            product: Some(Product { name: name.into(), ..Product::default() }),
            types: vec![kind.into()],
            ..Detail::new(Category::Known, "rds")
        };
        let (a, b, c) = (with("b", "Hacker Tool"), with("a", "Game"), with("c", "Game"));
        assert_eq!(a.union(&b).union(&c), c.union(&a).union(&b));
        assert_eq!(a.union(&b).types.len(), 2);
        assert_eq!(a.union(&a), a);
    }
}
