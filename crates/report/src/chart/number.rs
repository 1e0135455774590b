//! Number formatting for charts: short, with a prefix that fits the unit.

const BINARY: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const LARGE: [(f64, &str); 5] = [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")];
const SMALL: [(f64, &str); 5] = [(1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p")];

/// The common unit of an axis' numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unit {
    /// The name, for example `ms` on an axis in `s`.
    pub name: String,
    /// Its size in the unit of the values.
    size: f64,
}

impl Unit {
    /// Returns the unit with the largest prefix that makes this value at least one, if possible.
    pub fn fitting(value: f64, unit: &str) -> Self {
        let fits = |(size, _): &(f64, String)| value.abs() >= size * 0.999_999;
        let mut prefixed: Vec<(f64, String)> = match unit {
            "B" => {
                (0..BINARY.len()).map(|step| (1024f64.powi(step as i32), BINARY[step].to_string())).collect()
            }
            "s" => SMALL.iter().rev().map(|(size, prefix)| (*size, format!("{prefix}s"))).collect(),
            unit => return Unit { name: unit.to_string(), size: 1.0 },
        };
        // Zero has no fitting prefix, so the plain unit is used.
        let found = if value == 0.0 { None } else { prefixed.iter().rposition(fits).or(Some(0)) };
        let plain = if unit == "B" { 0 } else { prefixed.len() - 1 };
        let (size, name) = prefixed.swap_remove(found.unwrap_or(plain));
        Unit { name, size }
    }

    /// Formats a mark of the axis in this unit, without the unit's name.
    pub fn mark(&self, value: f64) -> String {
        plain(value / self.size, 4)
    }

    /// Formats a measured value with three significant digits. A size has its own unit, as one axis may have bytes and
    /// terabytes.
    pub fn value(&self, value: f64) -> String {
        if BINARY.contains(&self.name.as_str()) { sized(value, 3) } else { plain(value / self.size, 3) }
    }
}

/// Formats a size in bytes with a binary prefix, such as `1.5 KiB`.
pub fn bytes(value: f64) -> String {
    sized(value, 4)
}

fn sized(value: f64, digits: i32) -> String {
    let (mut value, mut step) = (value, 0);
    while value.abs() >= 1024.0 && step + 1 < BINARY.len() {
        value /= 1024.0;
        step += 1;
    }
    format!("{} {}", trimmed(value, digits), BINARY[step])
}

/// Formats a number, with a decimal prefix from a million on.
fn plain(value: f64, digits: i32) -> String {
    match LARGE.iter().find(|(size, _)| value.abs() >= size * 0.999_999) {
        Some((size, prefix)) => format!("{} {prefix}", trimmed(value / size, digits)),
        None => trimmed(value, digits),
    }
}

/// Formats at most `digits` significant digits, without trailing zeros, and with thin spaces between thousands.
fn trimmed(value: f64, digits: i32) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let whole = value.abs().log10().floor() as i32 + 1;
    let places = (digits - whole).clamp(0, 12) as usize;
    let text = format!("{value:.places$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    match text.split_once('.') {
        Some((before, after)) => format!("{}.{after}", grouped(before)),
        None => grouped(text),
    }
}

/// Groups digits by three, if there are at least five.
pub(crate) fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    if digits.len() < 5 {
        return format!("{sign}{digits}");
    }
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    format!("{sign}{}", groups.join("\u{2009}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_of_an_axis_are_in_one_unit_that_fits() {
        for (fit, unit, name, value, text) in [
            (0.0, "B", "B", 0.0, "0"),
            (1536.0, "B", "KiB", 1536.0, "1.5"),
            (1024.0, "B", "KiB", 1048576.0, "1024"),
            (1099511627776.0, "B", "TiB", 549755813888.0, "0.5"),
            (0.00002, "s", "µs", 0.00002, "20"),
            (1e-3, "s", "ms", 2.0, "2000"),
            (1e-15, "s", "ps", 1e-12, "1"),
            (90.0, "s", "s", 90.0, "90"),
            (0.0, "s", "s", 0.0, "0"),
            (12_345.0, "", "", 12_345.0, "12\u{2009}345"),
            (2_500_000.0, "hash/s", "hash/s", 2_500_000.0, "2.5 M"),
            (0.25, "x", "x", 0.25, "0.25"),
            (1.0, "x", "x", -1200.0, "-1200"),
            (1e6, "", "", 1e6, "1 M"),
        ] {
            let unit = Unit::fitting(fit, unit);
            assert_eq!((unit.name.as_str(), unit.mark(value).as_str()), (name, text));
        }
        assert_eq!(bytes(1536.0), "1.5 KiB");
        let values = [0.254_71, 25.471, 4999.0, 123_456.0].map(|value| Unit::fitting(1.0, "").value(value));
        let sizes = [802.0, 1536.0, 19_713_000.0].map(|value| Unit::fitting(25_165_824.0, "B").value(value));
        assert_eq!(sizes, ["802 B", "1.5 KiB", "18.8 MiB"]);
        assert_eq!(values, ["0.255", "25.5", "4999", "123\u{2009}456"]);
    }
}
