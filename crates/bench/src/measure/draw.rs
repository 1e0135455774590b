//! The random order of turns: in a fixed order, each program would always be affected by the same predecessor.

use crate::generated::Noise;

/// Draws orders. The same seed produces the same orders.
#[derive(Debug, Clone)]
pub struct Draw {
    /// The seed of all orders.
    pub seed: u64,
    noise: Noise,
}

impl Draw {
    /// Creates the sequence of orders of this seed.
    pub fn from_seed(seed: u64) -> Draw {
        // Seeds are often small numbers with similar bits, so each bit of a seed must have an effect.
        let mixed = (seed ^ seed >> 32).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Draw { seed, noise: Noise::new(mixed) }
    }

    /// Returns the numbers below `count` in an unbiased random order (Fisher and Yates).
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, self.noise.below(last + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_drawn_about_as_often_and_the_seed_gives_them_again() {
        let mut counts = std::collections::BTreeMap::new();
        let (mut draw, mut again) = (Draw::from_seed(7), Draw::from_seed(7));
        for _ in 0..6000 {
            let order = draw.order(3);
            assert_eq!(order, again.order(3));
            *counts.entry(order).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
        assert_ne!(Draw::from_seed(1).order(20), Draw::from_seed(2).order(20));
        assert!(Draw::from_seed(0).order(0).is_empty());
    }
}
