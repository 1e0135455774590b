//! The time of a stamp: GeneralizedTime of DER, with optional fractional seconds.

use crate::Broken;
use crate::broken::malformed;
use crate::ssh::Moment;
use der::asn1::Any;
use der::{Tag, Tagged};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Parses `YYYYMMDDhhmmss[.f…]Z`, without zeros at the end of the fraction (RFC 3161, 2.4.2).
pub(super) fn moment(time: &Any) -> Result<Moment, Broken> {
    let wrong = || malformed("its time is not in the form of RFC 3161");
    let text = str::from_utf8(time.value()).map_err(|_| wrong())?;
    let text = text.strip_suffix('Z').filter(|_| time.tag() == Tag::GeneralizedTime).ok_or_else(wrong)?;
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, part)| (whole, Some(part)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let good = fraction.is_none_or(|part| digits(part) && !part.ends_with('0') && part.len() <= 9);
    if whole.len() != 14 || !digits(whole) || !good {
        return Err(wrong());
    }
    let nanos = format!("{:0<9}", fraction.unwrap_or("")).parse().map_err(|_| wrong())?;
    let part = |from: usize| whole[from..from + 2].parse::<i8>().map_err(|_| wrong());
    let year = whole[..4].parse().map_err(|_| wrong())?;
    let civil = DateTime::new(year, part(4)?, part(6)?, part(8)?, part(10)?, part(12)?, nanos);
    let zoned = civil.and_then(|civil| civil.to_zoned(TimeZone::UTC)).map_err(|_| wrong())?;
    Ok(zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_stamps() {
        let read = |text: &str| moment(&Any::new(Tag::GeneralizedTime, text.as_bytes()).unwrap());
        assert_eq!(read("20240229123456Z").unwrap().to_string(), "2024-02-29T12:34:56Z");
        assert_eq!(read("20240229123456.25Z").unwrap().to_string(), "2024-02-29T12:34:56.25Z");
        for bad in [
            "20240229123456",
            "202402291234Z",
            "20240229123456.Z",
            "20240229123456.50Z",
            "20230229123456Z",
            "20240229123456+0100",
            "2024022912345xZ",
            "Z",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        let utc = Any::new(Tag::UtcTime, b"20240229123456Z".as_slice()).unwrap();
        assert!(moment(&utc).is_err());
    }
}
