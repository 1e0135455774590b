//! Marks of an axis: round values, few enough that their names fit.

use std::ops::RangeInclusive;

/// Returns about `count` round values that cover `low` to `high`. `base` is 2 for sizes in bytes, else 10.
pub(crate) fn linear(low: f64, high: f64, count: usize, base: Base) -> Vec<f64> {
    let step = base.round_step((high - low) / count.max(1) as f64);
    let (first, last) = ((low / step).floor() as i64, (high / step - 1e-9).ceil() as i64);
    // If a step is lost in rounding, saturated numbers would never end.
    (first..=last).take(4 * count.max(1)).map(|number| number as f64 * step).collect()
}

/// Returns powers of the base (and steps between them if there are few) that cover `low` to `high`, both above 0.
pub(crate) fn log(low: f64, high: f64, count: usize, base: Base) -> Vec<f64> {
    let radix = base.radix();
    let first = (low.ln() / radix.ln() + 1e-9).floor() as i32;
    let last = ((high.ln() / radix.ln() - 1e-9).ceil() as i32).max(first + 1);
    let powers = (last - first) as usize;
    if base != Base::Two && powers * 3 <= count {
        return between(low, high, first..=last);
    }
    let stride = powers.div_ceil(count.max(1)).max(1);
    let stride = if base == Base::Two { round_shift(stride) } else { stride };
    // The last mark may lie beyond the highest value, so that every mark is a whole number of strides away.
    let last = first + (powers.div_ceil(stride) * stride) as i32;
    (first..=last).step_by(stride).map(|exponent| power(radix, exponent)).collect()
}

/// Returns one, two and five times each power of ten with these exponents, from the last at or below `low` to the first at or
/// above `high`.
fn between(low: f64, high: f64, exponents: RangeInclusive<i32>) -> Vec<f64> {
    let powers = exponents.map(|exponent| power(10.0, exponent));
    let steps: Vec<f64> = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|step| step * power)).collect();
    let start = steps.iter().rposition(|step| *step <= low * (1.0 + 1e-9)).unwrap_or(0);
    let end = steps.iter().position(|step| *step >= high * (1.0 - 1e-9)).unwrap_or(steps.len() - 1);
    steps[start..=end.max(start)].to_vec()
}

/// Returns a power. Systems round negative ones differently: some multiply what is already rounded, one tenth.
fn power(radix: f64, exponent: i32) -> f64 {
    let whole = radix.powi(exponent.abs());
    if exponent < 0 { 1.0 / whole } else { whole }
}

/// Rounds a stride of powers of two to one that is familiar from sizes: 1, 2, 5 (32), 10 (1024), 20.
fn round_shift(stride: usize) -> usize {
    [1, 2, 5, 10, 20].into_iter().find(|round| *round >= stride).unwrap_or(stride)
}

/// The base of round values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// Sizes in bytes.
    Two,
    /// Counts, which have no values between whole numbers.
    One,
    Ten,
}

impl Base {
    /// Returns the base for values of this unit.
    pub fn from_unit(unit: &str) -> Self {
        match unit {
            "B" => Base::Two,
            "count" => Base::One,
            _ => Base::Ten,
        }
    }

    fn radix(self) -> f64 {
        match self {
            Base::Two => 2.0,
            Base::One | Base::Ten => 10.0,
        }
    }

    /// Returns the smallest round step of at least `least`.
    fn round_step(self, least: f64) -> f64 {
        match self {
            Base::Two if least >= 1.0 => 2f64.powi(least.log2().ceil() as i32),
            Base::Two => 1.0,
            Base::One if least <= 1.0 => 1.0,
            Base::One | Base::Ten => {
                let power = power(10.0, least.log10().floor() as i32);
                let rounds = [1.0, 2.0, 5.0, 10.0];
                rounds
                    .iter()
                    .map(|round| round * power)
                    .find(|step| *step >= least * 0.999_999)
                    .unwrap_or(power)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_ticks_are_round_and_cover_the_values() {
        assert_eq!(linear(0.0, 97.0, 5, Base::Ten), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(linear(0.0, 100.0, 5, Base::Ten), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(linear(0.0, 3000.0, 4, Base::Two), [0.0, 1024.0, 2048.0, 3072.0]);
        assert_eq!(linear(0.0, 1.0, 6, Base::One), [0.0, 1.0]);
        assert_eq!(linear(0.0, 97.0, 5, Base::One), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(linear(-3.0, 4.0, 4, Base::Ten), [-4.0, -2.0, 0.0, 2.0, 4.0]);
    }

    #[test]
    fn log_ticks_are_powers() {
        assert_eq!(log(0.02, 5.0, 8, Base::Ten), [0.01, 0.1, 1.0, 10.0]);
        let shifts = |of: [i32; 5]| of.map(|shift| 2f64.powi(shift));
        assert_eq!(log(1024.0, 1073741824.0, 4, Base::Two), shifts([10, 15, 20, 25, 30]));
        assert_eq!(log(1024.0, 1073741824.0, 2, Base::Two), [1024.0, 1048576.0, 1073741824.0]);
        assert_eq!(log(7.0, 7.5, 4, Base::Ten), [5.0, 10.0]);
        assert_eq!(log(20.0, 200.0, 6, Base::Ten), [20.0, 50.0, 100.0, 200.0]);
        assert_eq!(log(20.0, 200.0, 4, Base::Ten), [10.0, 100.0, 1000.0]);
    }
}
