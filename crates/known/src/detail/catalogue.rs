//! All details of a build, numbered, so that a digest only stores a number.
//!
//! A detail is stored as the numbers of its parts, so that a union compares only a few words. An RDS needs one union
//! for most of its rows.

use super::dictionary;
use crate::{Claim, Detail, Product};
use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use std::hash::{BuildHasher, Hash};

const NONE: u32 = u32::MAX;

/// Every different [`Detail`] of a build and its number.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    claims: Lists<Claim>,
    products: Pool<Product>,
    types: Lists<Box<str>>,
    details: Pool<Parts>,
}

/// A detail as the numbers of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Parts {
    claims: u32,
    product: u32,
    types: u32,
}

/// Distinct values, each with a number.
#[derive(Debug)]
struct Pool<T> {
    values: Vec<T>,
    /// A copy of each value beside its number: one memory access finds both.
    numbers: HashTable<(T, u32)>,
    hasher: DefaultHashBuilder,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { values: Vec::new(), numbers: HashTable::new(), hasher: DefaultHashBuilder::default() }
    }
}

impl<T: Clone + Eq + Hash> Pool<T> {
    fn number(&mut self, value: &T) -> u32 {
        let Pool { values, numbers, hasher } = self;
        let hash = |(known, _): &(T, u32)| hasher.hash_one(known);
        match numbers.entry(hasher.hash_one(value), |(known, _)| known == value, hash) {
            Entry::Occupied(known) => known.get().1,
            Entry::Vacant(place) => {
                // 2^32 values would exhaust the memory long before the numbers.
                let number = values.len() as u32;
                place.insert((value.clone(), number));
                values.push(value.clone());
                number
            }
        }
    }
}

/// Distinct sorted lists, and a cache of their unions.
#[derive(Debug)]
struct Lists<T> {
    pool: Pool<Vec<T>>,
    unions: HashMap<(u32, u32), u32>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists { pool: Pool::default(), unions: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash + Ord> Lists<T> {
    fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let pair = (a.min(b), a.max(b));
        if let Some(union) = self.unions.get(&pair) {
            return *union;
        }
        let list = |number: u32| &self.pool.values[number as usize][..];
        let both = crate::detail::merged(list(a), list(b));
        let union = self.pool.number(&both);
        self.unions.insert(pair, union);
        union
    }
}

impl Catalogue {
    /// Returns the number of a detail.
    pub fn number(&mut self, detail: &Detail) -> u32 {
        let parts = Parts {
            claims: self.claims.pool.number(&detail.claims),
            product: detail.product.as_ref().map_or(NONE, |product| self.products.number(product)),
            types: self.types.pool.number(&detail.types),
        };
        self.details.number(&parts)
    }

    /// Returns the detail with a number.
    #[cfg(test)]
    pub fn detail(&self, number: u32) -> Detail {
        let parts = self.details.values[number as usize];
        Detail {
            claims: self.claims.pool.values[parts.claims as usize].clone(),
            product: self.products.values.get(parts.product as usize).cloned(),
            types: self.types.pool.values[parts.types as usize].clone(),
        }
    }

    /// Returns the number of details.
    pub fn len(&self) -> usize {
        self.details.values.len()
    }

    /// Returns the number of the union of two details.
    pub fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let [x, y] = [a, b].map(|number| self.details.values[number as usize]);
        let parts = self.joined(x, y);
        match parts {
            _ if parts == x => a,
            _ if parts == y => b,
            _ => self.details.number(&parts),
        }
    }

    /// Returns the number of the union of several details. Intermediate unions get no number.
    pub fn union_all(&mut self, first: u32, others: impl Iterator<Item = u32>) -> u32 {
        let mut parts = self.details.values[first as usize];
        for number in others {
            parts = self.joined(parts, self.details.values[number as usize]);
        }
        self.details.number(&parts)
    }

    fn joined(&mut self, x: Parts, y: Parts) -> Parts {
        Parts {
            claims: self.claims.union(x.claims, y.claims),
            product: self.first(x.product, y.product),
            types: self.types.union(x.types, y.types),
        }
    }

    /// Writes the details with these numbers, in this order.
    pub fn write(&self, numbers: &[u32], writer: &mut dictionary::Writer) {
        let mut products = vec![None; self.products.values.len()];
        let mut claims = vec![None; self.claims.pool.values.len()];
        let mut types = vec![None; self.types.pool.values.len()];
        for number in numbers {
            let parts = self.details.values[*number as usize];
            let product = products.get_mut(parts.product as usize).map(|known| {
                let product = &self.products.values[parts.product as usize];
                *known.get_or_insert_with(|| writer.product(product))
            });
            let at = parts.claims as usize;
            let claims = claims[at].get_or_insert_with(|| writer.claims(&self.claims.pool.values[at]));
            let at = parts.types as usize;
            let types = types[at].get_or_insert_with(|| writer.types(&self.types.pool.values[at]));
            writer.detail(product, claims, types);
        }
    }

    /// Sums counts of details by their claims. Details are given by number.
    pub fn by_claims(&self, counts: impl Iterator<Item = (u32, u64)>) -> Vec<(&[Claim], u64)> {
        let mut sums = vec![0; self.claims.pool.values.len()];
        counts
            .for_each(|(number, count)| sums[self.details.values[number as usize].claims as usize] += count);
        let lists = self.claims.pool.values.iter().map(|list| &list[..]);
        lists.zip(sums).filter(|(_, sum)| *sum > 0).collect()
    }

    fn first(&self, a: u32, b: u32) -> u32 {
        let product = |number: u32| self.products.values.get(number as usize);
        match (product(a), product(b)) {
            (Some(x), Some(y)) if a != b && y < x => b,
            (Some(_), _) => a,
            _ => b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Category;

    #[test]
    fn unions_of_numbers_are_those_of_details() {
        let mut catalogue = Catalogue::default();
        let mut details = Vec::new();
        for (set, word) in [("a", "good"), ("b", "bad"), ("a", "known")] {
            for name in ["", "x", "y"] {
                for kind in ["", "Game", "Tool"] {
                    let mut detail = Detail::new(Category::of_word(word), set);
                    detail.product =
                        (!name.is_empty()).then(|| Product { name: name.into(), ..Product::default() });
                    detail.types.extend((!kind.is_empty()).then(|| kind.into()));
                    details.push(detail);
                }
            }
        }
        for a in &details {
            for b in &details {
                let (x, y) = (catalogue.number(a), catalogue.number(b));
                let union = catalogue.union(x, y);
                assert_eq!(catalogue.detail(union), a.union(b));
                assert_eq!(catalogue.union(y, x), union);
                assert_eq!(catalogue.union_all(x, [y, x, y].into_iter()), union);
            }
        }
    }
}
