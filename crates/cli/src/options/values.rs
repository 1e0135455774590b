//! Parsers of single values.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command};
use hashmill_digest::parse_size;
use hashmill_engine::Prefetch;
use std::ffi::OsStr;
use std::num::{NonZeroU64, NonZeroUsize};
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
    let number: usize = text.parse().map_err(|_| "not a number of threads".to_string())?;
    NonZeroUsize::new(number).ok_or_else(|| "at least one thread must hash".to_string())
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
