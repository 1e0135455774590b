//! Mapping from values to positions along an axis, and the choice of marks.

use super::model::{Axis, Scale};
use super::number::Unit;
use super::ticks::{self, Base};

/// The limit of drawable values: arithmetic on larger ones would overflow.
const MAX_VALUE: f64 = 1e300;
/// The minimum difference of distinct values.
const LEAST_DIFFERENCE: f64 = 1e-290;

/// The drawn part of an axis with its marks.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    low: f64,
    high: f64,
    form: Form,
    marks: Vec<(f64, String)>,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Linear,
    Log,
    /// The first value is at the end, for groups that are read from the top.
    Backwards,
}

/// The ends of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// At the next round value; linear axes of positive values start at zero.
    Round,
    /// At the lowest and highest value.
    Tight,
}

impl Span {
    /// Creates an axis for these values, with about `count` marks.
    pub fn of_values(axis: &Axis, values: impl Iterator<Item = f64>, count: usize, ends: Ends) -> Self {
        let log = axis.scale == Scale::Log;
        let (low, high) = bounds(values.filter(|value| drawable(axis, *value)), log);
        let low = if ends == Ends::Round && !log { low.min(0.0) } else { low };
        let (low, high) = opened(low, high, log);
        let base = Base::from_unit(&axis.unit);
        let values =
            if log { ticks::log(low, high, count, base) } else { ticks::linear(low, high, count, base) };
        let (low, high) = match ends {
            Ends::Round => {
                (values.first().map_or(low, |v| v.min(low)), values.last().map_or(high, |v| v.max(high)))
            }
            Ends::Tight => padded(low, high, log),
        };
        let inside: Vec<f64> = values.into_iter().filter(|value| (low..=high).contains(value)).collect();
        let unit = Unit::fitting(telling(&inside, log, base).unwrap_or(high), &axis.unit);
        let marks = inside.into_iter().map(|value| (value, unit.mark(value))).collect();
        Self { low, high, form: if log { Form::Log } else { Form::Linear }, marks, unit }
    }

    /// Creates an axis of groups, with the name of every `stride`th; `unit` is that of the names.
    pub fn of_groups(names: &[String], stride: usize, unit: &str) -> Self {
        let named = names.iter().enumerate().step_by(stride.max(1));
        let marks = named.map(|(group, name)| (group as f64, name.clone())).collect();
        let unit = Unit::fitting(1.0, unit);
        Self { low: -0.5, high: names.len().max(1) as f64 - 0.5, form: Form::Linear, marks, unit }
    }

    /// Reverses the direction of the axis.
    pub fn backwards(self) -> Self {
        Self { form: Form::Backwards, ..self }
    }

    /// Returns the start of bars: zero, or the lower end if zero is not on the axis.
    pub fn floor(&self) -> f64 {
        0f64.clamp(self.low, self.high)
    }

    /// Returns the texts of the marks.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.marks.iter().map(|(_, name)| name.as_str())
    }

    /// Returns the unit of the marks.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// Returns the difference between both ends.
    pub fn length(&self) -> f64 {
        self.high - self.low
    }

    /// Returns whether the axis is logarithmic.
    pub fn is_log(&self) -> bool {
        self.form == Form::Log
    }

    /// Returns the values of the marks, with their texts.
    pub fn marks(&self) -> &[(f64, String)] {
        &self.marks
    }

    /// Returns the pixel of `value` on an axis from the pixel `first` to `last`.
    pub fn pixel(&self, value: f64, first: i32, last: i32) -> i32 {
        first + (f64::from(last - first) * self.share(value)).round() as i32
    }

    /// Returns the relative position of `value`, 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        match self.form {
            Form::Linear => (value - self.low) / (self.high - self.low),
            Form::Log => (value / self.low).ln() / (self.high / self.low).ln(),
            Form::Backwards => 1.0 - (value - self.low) / (self.high - self.low),
        }
    }
}

/// Returns the mark that determines the unit: on a linear axis the last one; on a logarithmic axis the middle one, but
/// for sizes the first, because fractions of powers of two are long.
fn telling(marks: &[f64], log: bool, base: Base) -> Option<f64> {
    match (log, base) {
        (false, _) => marks.last().copied(),
        (true, Base::Two) => marks.first().copied(),
        (true, _) => marks.get(marks.len() / 2).copied(),
    }
}

/// Returns whether a value has a position on this axis.
pub(crate) fn drawable(axis: &Axis, value: f64) -> bool {
    value.abs() < MAX_VALUE && (axis.scale != Scale::Log || value > 1.0 / MAX_VALUE)
}

fn bounds(values: impl Iterator<Item = f64>, log: bool) -> (f64, f64) {
    let nothing = if log { (1.0, 10.0) } else { (0.0, 1.0) };
    values
        .fold(None, |bounds, value| match bounds {
            None => Some((value, value)),
            Some((low, high)) => Some((value.min(low), value.max(high))),
        })
        .unwrap_or(nothing)
}

/// Returns bounds with a minimum distance.
fn opened(low: f64, high: f64, log: bool) -> (f64, f64) {
    let least = (low.abs().max(high.abs()) * 1e-9).max(LEAST_DIFFERENCE);
    if high - low > least {
        return (low, high);
    }
    if log { (low / 1.5, high * 1.5) } else { (low, high + (high.abs() * 0.1).max(1.0)) }
}

/// Returns bounds with space for the markers at the ends.
fn padded(low: f64, high: f64, log: bool) -> (f64, f64) {
    if log {
        let room = (high / low).powf(0.025);
        (low / room, high * room)
    } else {
        let room = (high - low) * 0.025;
        (low - room, high + room)
    }
}
