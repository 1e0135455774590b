//! Statistics of a sample of measurements.

use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A summary of measurements of one quantity, in the unit of the measurements.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// The number of measurements.
    pub count: usize,
    /// The arithmetic mean.
    pub mean: f64,
    /// The standard deviation of the sample, with n - 1; 0 for a single measurement.
    pub stddev: f64,
    /// The median; for an even number the mean of the two in the middle.
    pub median: f64,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
    /// Half of the 95 % confidence interval of the mean (Student's t with n - 1 degrees of freedom); `None` for a
    /// single measurement.
    pub ci95: Option<f64>,
}

impl Statistics {
    /// Returns the summary; `None` if there are no measurements, or one is not finite.
    pub fn from_sample(sample: &[f64]) -> Option<Statistics> {
        if sample.is_empty() || !sample.iter().all(|value| value.is_finite()) {
            return None;
        }
        let (mean, stddev) = mean_and_deviation(sample);
        let sorted = sorted(sample);
        let margin = |degrees| t_quantile(0.975, degrees) * stddev / (sample.len() as f64).sqrt();
        Some(Statistics {
            count: sample.len(),
            mean,
            stddev,
            median: middle(&sorted),
            min: sorted[0],
            max: sorted[sorted.len() - 1],
            ci95: (sample.len() > 1).then(|| margin(sample.len() - 1)),
        })
    }

    /// Returns the mean with half of its interval; `None` for a single measurement.
    pub fn interval(&self) -> Option<Estimate> {
        Some(Estimate { value: self.mean, error: self.ci95? })
    }

    /// Returns the mean with its standard deviation.
    pub fn estimate(&self) -> Estimate {
        Estimate { value: self.mean, error: self.stddev }
    }
}

/// A value and its error: a standard deviation, or half of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// The error.
    pub error: f64,
}

impl Estimate {
    /// Returns `self` divided by `to`. The errors, assumed to be independent, are propagated to first order: relative
    /// errors add up in quadrature.
    pub fn ratio(&self, to: &Estimate) -> Estimate {
        let value = self.value / to.value;
        let relative = (self.error / self.value).hypot(to.error / to.value);
        Estimate { value, error: value.abs() * relative }
    }
}

/// Returns the quantile of Student's t with this many degrees of freedom.
///
/// # Panics
/// If the probability is not between 0 and 1, or there is no degree of freedom.
pub fn t_quantile(probability: f64, degrees: usize) -> f64 {
    assert!(probability > 0.0 && probability < 1.0, "a probability between 0 and 1");
    assert!(degrees > 0, "at least one degree of freedom");
    let (mut low, mut high) = (-PI / 2.0, PI / 2.0);
    for _ in 0..f64::MANTISSA_DIGITS + 3 {
        let middle = f64::midpoint(low, high);
        if central_probability(middle, degrees) < 2.0 * probability - 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high).tan() * (degrees as f64).sqrt()
}

/// Returns the probability that Student's t lies between -t and t, where t is the tangent of `angle` multiplied by the
/// square root of the degrees of freedom; negative for a negative angle.
///
/// Milton Abramowitz and Irene Stegun, "Handbook of Mathematical Functions" (1964), 26.7.3 and 26.7.4.
fn central_probability(angle: f64, degrees: usize) -> f64 {
    let (sin, cos) = angle.sin_cos();
    let odd = degrees % 2;
    let (mut sum, mut term) = (0.0, if odd == 1 { cos } else { 1.0 });
    // The exponents of the cosine in the sum, which end at two less than the degrees of freedom.
    for exponent in (odd..degrees.saturating_sub(1)).step_by(2) {
        sum += term;
        term *= cos * cos * (exponent + 1) as f64 / (exponent + 2) as f64;
    }
    if odd == 1 { (angle + sin * sum) * 2.0 / PI } else { sin * sum }
}

/// The modified z-score from which a measurement is an outlier, by the number of measurements. By simulation, one in a
/// hundred samples of a normal distribution has an outlier. The 3.5 that Iglewicz and Hoaglin recommend finds one in
/// every fifth sample of five, since the median of so few distances is often near zero.
const OUTLIERS: [(usize, f64); 10] = [
    (3, 120.0),
    (4, 17.0),
    (5, 16.5),
    (7, 10.8),
    (9, 8.4),
    (11, 7.1),
    (15, 6.1),
    (20, 5.3),
    (30, 4.8),
    (usize::MAX, 4.5),
];

/// Measurements within this share of the median are nearly equal, and never outliers.
const NEAR: f64 = 0.02;

/// Returns the indices of outliers, by modified z-scores.
///
/// Boris Iglewicz and David Hoaglin, "How to Detect and Handle Outliers", ASQC Basic References in Quality Control 16
/// (1993), section 3: the distance from the median divided by the median of these distances. Unlike mean and deviation,
/// medians are not affected by the outliers themselves. The threshold depends on the number of measurements, and a
/// measurement that is nearly equal to the median is not an outlier.
pub fn outliers(sample: &[f64]) -> Vec<usize> {
    if sample.is_empty() {
        return Vec::new();
    }
    let median = middle(&sorted(sample));
    let distances: Vec<f64> = sample.iter().map(|value| (value - median).abs()).collect();
    let Some(unit) = scale(&distances) else { return Vec::new() };
    let least =
        OUTLIERS.iter().find(|(most, _)| sample.len() <= *most).map_or(0.0, |(_, score)| score * unit);
    let far = |at: &usize| distances[*at] > least && distances[*at] > NEAR * median.abs();
    (0..sample.len()).filter(far).collect()
}

/// Estimates the standard deviation of normally distributed measurements from their distances from the median. If more
/// than half are equal, the median distance is 0, and the mean distance is used instead.
fn scale(distances: &[f64]) -> Option<f64> {
    // The upper quartile of the normal distribution, and the square root of pi / 2.
    let by_median = middle(&sorted(distances)) / 0.6745;
    let by_mean = distances.iter().sum::<f64>() / distances.len() as f64 * 1.2533;
    [by_median, by_mean].into_iter().find(|unit| *unit > 0.0)
}

/// Returns mean and deviation, in two passes: sums of squares lose small differences from a large mean.
fn mean_and_deviation(sample: &[f64]) -> (f64, f64) {
    let count = sample.len() as f64;
    let rough = sample.iter().sum::<f64>() / count;
    let mean = rough + sample.iter().map(|value| value - rough).sum::<f64>() / count;
    let squares: f64 = sample.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, if sample.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 })
}

fn sorted(sample: &[f64]) -> Vec<f64> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Returns the median of at least one sorted value.
fn middle(sorted: &[f64]) -> f64 {
    f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(got: f64, wanted: f64, within: f64) {
        assert!((got - wanted).abs() <= within, "{got}, not {wanted}");
    }

    #[test]
    fn quantiles_are_those_of_published_tables() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
        let table = [
            (1, 6.314, 12.706, 63.657),
            (2, 2.920, 4.303, 9.925),
            (3, 2.353, 3.182, 5.841),
            (4, 2.132, 2.776, 4.604),
            (5, 2.015, 2.571, 4.032),
            (9, 1.833, 2.262, 3.250),
            (10, 1.812, 2.228, 3.169),
            (19, 1.729, 2.093, 2.861),
            (29, 1.699, 2.045, 2.756),
            (30, 1.697, 2.042, 2.750),
            (60, 1.671, 2.000, 2.660),
            (99, 1.660, 1.984, 2.626),
        ];
        for (degrees, p95, p975, p995) in table {
            for (probability, wanted) in [(0.95, p95), (0.975, p975), (0.995, p995)] {
                near(t_quantile(probability, degrees), wanted, 0.000_51);
                near(t_quantile(1.0 - probability, degrees), -wanted, 0.000_51);
            }
        }
    }

    #[test]
    fn quantiles_are_exact_where_they_have_a_closed_form() {
        // W. T. Shaw, "Sampling Student's T distribution", Journal of Computational Finance 9 (2006), 4: degrees 1, 2, 4.
        for probability in [0.001, 0.025, 0.3, 0.5, 0.6, 0.975, 0.9995] {
            let product = 4.0 * probability * (1.0 - probability);
            let one = (PI * (probability - 0.5)).tan();
            let two = (2.0 * probability - 1.0) * (2.0 / product).sqrt();
            let arc = (product.sqrt().acos() / 3.0).cos() / product.sqrt();
            let four = (probability - 0.5_f64).signum() * 2.0 * (arc - 1.0).sqrt();
            for (degrees, wanted) in [(1, one), (2, two), (4, four)] {
                near(t_quantile(probability, degrees), wanted, 1e-7 + 1e-11 * wanted.abs());
            }
        }
        // The normal distribution is the limit.
        near(t_quantile(0.975, 100_000), 1.959_987_7, 1e-6);
    }

    #[test]
    fn a_known_sample_has_its_known_interval() {
        // Student, "The Probable Error of a Mean" (1908): hours of sleep gained. R's t.test gives the interval.
        let sleep = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let summary = Statistics::from_sample(&sleep).unwrap();
        near(summary.mean, 1.58, 1e-12);
        near(summary.stddev, 1.229_995, 1e-6);
        near(summary.mean - summary.ci95.unwrap(), 0.700_114_2, 5e-7);
        near(summary.mean + summary.ci95.unwrap(), 2.459_885_8, 5e-7);
        assert_eq!((summary.count, summary.median, summary.min, summary.max), (10, 1.3, 0.0, 4.6));
    }

    #[test]
    fn numbers_far_from_zero_keep_their_deviation() {
        // NIST StRD, univariate: NumAcc1, NumAcc3, NumAcc4.
        let certified = |middle: f64| -> Vec<f64> {
            let pairs = (0..500).flat_map(|_| [middle - 0.1, middle + 0.1]);
            [middle].into_iter().chain(pairs).collect()
        };
        let one = Statistics::from_sample(&[10_000_001.0, 10_000_003.0, 10_000_002.0]).unwrap();
        assert_eq!((one.mean, one.stddev, one.median), (10_000_002.0, 1.0, 10_000_002.0));
        for middle in [1_000_000.2, 10_000_000.2] {
            let summary = Statistics::from_sample(&certified(middle)).unwrap();
            near(summary.mean, middle, 1e-9);
            near(summary.stddev, 0.1, 1e-8);
        }
    }

    #[test]
    fn few_or_strange_measurements_are_no_accident() {
        assert_eq!(Statistics::from_sample(&[]), None);
        assert_eq!(Statistics::from_sample(&[1.0, f64::NAN]), None);
        let one = Statistics::from_sample(&[7.0]).unwrap();
        assert_eq!((one.mean, one.stddev, one.median, one.ci95), (7.0, 0.0, 7.0, None));
        assert_eq!(Statistics::from_sample(&[4.0, 1.0]).unwrap().median, 2.5);
    }

    #[test]
    fn errors_of_ratios_are_propagated() {
        let ten = Estimate { value: 10.0, error: 0.3 };
        let five = Estimate { value: 5.0, error: 0.2 };
        let ratio = ten.ratio(&five);
        // Relative errors of 3 % and 4 % make 5 %.
        near(ratio.value, 2.0, 1e-12);
        near(ratio.error, 0.1, 1e-12);
        near(five.ratio(&five).error, 0.04 * 2_f64.sqrt(), 1e-12);
    }

    #[test]
    fn two_outliers_do_not_hide_each_other() {
        // With mean and deviation, neither of these two would be further off than 1.9 deviations.
        let sample = [2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3];
        assert_eq!(outliers(&sample), [8, 9]);
        assert_eq!(outliers(&[5.0; 9]), [0_usize; 0]);
        assert_eq!(outliers(&[]), [0_usize; 0]);
        let mut mostly_equal = [5.0; 21];
        mostly_equal[20] = 6.0;
        assert_eq!(outliers(&mostly_equal), [20]);
    }

    #[test]
    fn a_measurement_is_an_outlier_from_its_score_on() {
        // Median 0, median distance 1: the score is 0.6745 x, and 10.8 / 0.6745 = 16.01.
        assert_eq!(outliers(&[-1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 16.0]), [0_usize; 0]);
        assert_eq!(outliers(&[-1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 16.1]), [6]);
    }

    #[test]
    fn five_times_that_are_nearly_equal_have_no_outlier() {
        // Three values that are equal to a microsecond make a tiny unit.
        assert_eq!(outliers(&[0.100_000, 0.100_001, 0.100_001, 0.101_500, 0.100_002]), [0_usize; 0]);
        assert_eq!(outliers(&[0.100, 0.101, 0.102, 0.103, 0.110]), [0_usize; 0], "a spread of its own");
        assert_eq!(outliers(&[0.100_000, 0.100_001, 0.100_001, 0.150, 0.100_002]), [3]);
    }

    #[test]
    fn of_quiet_samples_about_one_in_a_hundred_has_an_outlier() {
        let mut noise = crate::generated::Noise::new(1);
        for count in [5, 6, 10, 20] {
            // A spread that is wide compared with nearly equal values.
            let mut quiet = || (0..count).map(|_| 10.0 + noise.normal()).collect::<Vec<f64>>();
            let flagged = (0..4000).filter(|_| !outliers(&quiet()).is_empty()).count();
            assert!(flagged < 90, "{flagged} of 4000 samples of {count}");
        }
    }
}
