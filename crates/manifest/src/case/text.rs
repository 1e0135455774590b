//! Times and bytes in the JSON of case data.
//!
//! Bytes are a string if they are UTF-8, else `{"text":…,"b64":…}`: a readable form and the exact bytes.

use crate::Time;
use crate::format::values::base64;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Text<'a> {
    Plain(Cow<'a, str>),
    Coded { text: Cow<'a, str>, b64: Cow<'a, str> },
}

impl<'a> Text<'a> {
    fn new(bytes: &'a [u8]) -> Text<'a> {
        let text = String::from_utf8_lossy(bytes);
        match base64::for_name(bytes) {
            Some(b64) => Text::Coded { text, b64: b64.into() },
            None => Text::Plain(text),
        }
    }

    /// Returns the bytes; `None` if text and base64 do not agree.
    fn bytes(&self) -> Option<Box<[u8]>> {
        match self {
            Text::Plain(text) => Some(text.as_bytes().into()),
            Text::Coded { text, b64 } => base64::name(text.as_bytes(), b64.as_bytes()).ok(),
        }
    }
}

const DISAGREES: &str = "b64 does not match text";
const NO_TIME: &str = "not an RFC 3339 time";

pub mod bytes {
    use super::*;

    pub fn serialize<S: Serializer>(bytes: &[u8], out: S) -> Result<S::Ok, S::Error> {
        Text::new(bytes).serialize(out)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Box<[u8]>, D::Error> {
        Text::deserialize(input)?.bytes().ok_or_else(|| D::Error::custom(DISAGREES))
    }
}

pub mod list {
    use super::*;

    pub fn serialize<S: Serializer>(list: &[Box<[u8]>], out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(list.iter().map(|bytes| Text::new(bytes)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Box<[u8]>>, D::Error> {
        let texts = Vec::<Text<'de>>::deserialize(input)?;
        let bytes: Option<_> = texts.iter().map(Text::bytes).collect();
        bytes.ok_or_else(|| D::Error::custom(DISAGREES))
    }
}

pub mod time {
    use super::*;

    pub fn serialize<S: Serializer>(time: &Time, out: S) -> Result<S::Ok, S::Error> {
        time.to_rfc3339().ok_or_else(|| S::Error::custom(NO_TIME))?.serialize(out)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Time, D::Error> {
        let text = Cow::<'de, str>::deserialize(input)?;
        Time::from_rfc3339(&text).ok_or_else(|| D::Error::custom(NO_TIME))
    }
}

pub mod times {
    use super::*;

    pub fn serialize<S: Serializer>(times: &[Time], out: S) -> Result<S::Ok, S::Error> {
        let texts: Option<Vec<_>> = times.iter().map(|time| time.to_rfc3339()).collect();
        texts.ok_or_else(|| S::Error::custom(NO_TIME))?.serialize(out)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Time>, D::Error> {
        let texts = Vec::<Cow<'de, str>>::deserialize(input)?;
        let times: Option<_> = texts.iter().map(|text| Time::from_rfc3339(text)).collect();
        times.ok_or_else(|| D::Error::custom(NO_TIME))
    }
}
