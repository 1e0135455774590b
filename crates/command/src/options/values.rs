//! Parsers of single values.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command};
use hashmill_digest::parse_size;
use hashmill_engine::Prefetch;
use hashmill_source::Filter;
use std::ffi::OsStr;
use std::fmt::Display;
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

/// The most threads that `--prefetch` takes: no device gets faster with more.
const MOST_READERS: usize = 1024;

/// A value of an option: its name, its help text, and the value itself.
pub type Choice<T> = (&'static str, &'static str, T);

/// Returns a parser of these values, for types of other crates, which can't implement [`clap::ValueEnum`].
pub fn one_of<T: Copy + Send + Sync + 'static>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    let named = choices.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(named).try_map(|typed| {
        choices.iter().find(|(name, ..)| *name == typed).map(|(.., value)| *value).ok_or("no such value")
    })
}

/// Parses a whole number.
///
/// # Errors
/// A description of the mistake.
pub fn number<T: FromStr>(text: &str) -> Result<T, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().map_err(|_| match is_number {
        true => "the number is too large".to_string(),
        false => "not a whole number".to_string(),
    })
}

/// Returns a parser of whole numbers of a range.
pub fn whole<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + Display + Clone,
{
    move |text| {
        let number = Some(number(text)?).filter(|number| range.contains(number));
        number.ok_or_else(|| format!("not from {} to {}", range.start(), range.end()))
    }
}

/// Parses a whole number from 1 on.
///
/// # Errors
/// A description of the mistake.
pub fn positive(text: &str) -> Result<NonZeroUsize, String> {
    NonZeroUsize::new(number(text)?).ok_or_else(|| "not a whole number from 1 on".to_string())
}

/// Parses a pattern of paths.
///
/// # Errors
/// A description of the mistake.
pub fn glob(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("an empty pattern matches nothing".to_string());
    }
    let parsed = Filter::builder().include(text).build();
    parsed.map(|_| text.to_string()).map_err(|error| error.reason())
}

/// The least memory that commands accept, in bytes.
const LEAST_MEMORY: u64 = 64 << 10;

/// Parses a bound on memory.
///
/// # Errors
/// A description of the mistake.
pub fn memory(text: &str) -> Result<u64, String> {
    let size = parse_size(text).map_err(|error| error.to_string())?;
    if size < LEAST_MEMORY {
        return Err(format!("{size} bytes are too few: at least {}K are needed", LEAST_MEMORY >> 10));
    }
    Ok(size)
}

/// Parses the address of an authority for time stamps.
///
/// # Errors
/// A description of the mistake.
pub fn address(text: &str) -> Result<String, String> {
    let is_web = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
    is_web.then(|| text.to_string()).ok_or_else(|| "not an address: http://… or https://…".to_string())
}

/// Parses the length of a piece.
///
/// # Errors
/// A description of the mistake.
pub fn piece(text: &str) -> Result<NonZeroU64, String> {
    let size = parse_size(text).map_err(|error| error.to_string())?;
    NonZeroU64::new(size).ok_or_else(|| "a piece must have at least one byte".to_string())
}

/// Parses a time limit.
///
/// # Errors
/// A description of the mistake.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let seconds = seconds.ok_or_else(|| "not a number of seconds, like 30 or 0.5".to_string())?;
    if seconds.is_zero() { Err("the limit must be more than zero".to_string()) } else { Ok(seconds) }
}

/// The parser of a flag that only some systems have a use for; on others it is refused with the reason.
#[derive(Clone)]
pub struct OnlyWhere {
    is_there: bool,
    why: &'static str,
}

/// Returns the parser of such a flag.
pub fn only_where(is_there: bool, why: &'static str) -> OnlyWhere {
    OnlyWhere { is_there, why }
}

impl TypedValueParser for OnlyWhere {
    type Value = bool;

    // A flag has no value that a message could name.
    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<bool, clap::Error> {
        match (value == "true", arg) {
            (true, Some(arg)) if !self.is_there => {
                let message = format!("{arg}: {}\n", self.why);
                Err(clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command))
            }
            (given, _) => Ok(given),
        }
    }
}

/// Parses bytes per second.
///
/// # Errors
/// A description of the mistake.
pub fn rate(text: &str) -> Result<NonZeroU64, String> {
    let size = parse_size(text).map_err(|error| error.to_string())?;
    NonZeroU64::new(size).ok_or_else(|| "at least one byte a second must be read".to_string())
}

/// Parses a number of threads.
///
/// # Errors
/// A description of the mistake.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    NonZeroUsize::new(number(text)?).ok_or_else(|| "at least one thread must hash".to_string())
}

/// Parses a number of readers, or `auto`.
///
/// # Errors
/// A description of the mistake.
pub fn prefetch(text: &str) -> Result<Prefetch, String> {
    if text == "auto" {
        return Ok(Prefetch::Auto);
    }
    let number = text.parse().map_err(|_| "neither a number of threads nor auto".to_string())?;
    if number > MOST_READERS {
        Err(format!("more than {MOST_READERS} threads"))
    } else {
        Ok(Prefetch::Fixed(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_described_in_plain_words() {
        let not_a_number = Err("not a whole number".to_string());
        for text in ["", "x", "-1", "1.5", " 1"] {
            assert_eq!(number::<u64>(text), not_a_number, "{text}");
        }
        assert_eq!(number::<u32>("99999999999"), Err("the number is too large".into()));
        assert_eq!(number::<i32>("-5"), Ok(-5));
        assert_eq!(positive("0"), Err("not a whole number from 1 on".into()));
        assert_eq!(glob("a["), Err("unclosed character class; missing ']'".into()));
        assert!(glob("").is_err() && glob("a/**/*.txt").is_ok());
        assert!(memory("0").is_err() && memory("1K").is_err() && memory("1M") == Ok(1 << 20));
        assert!(address("foo").is_err() && address("http://tsa.example.org").is_ok());
    }
}
