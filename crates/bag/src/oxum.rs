//! `Payload-Oxum`: the payload's bytes and number of files.

use std::fmt;
use std::str::FromStr;

/// A number of bytes and files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Oxum {
    /// The total size in bytes.
    pub octets: u64,
    /// The number of files.
    pub streams: u64,
}

impl Oxum {
    /// Adds a file.
    pub fn add(&mut self, size: u64) {
        self.octets = self.octets.saturating_add(size);
        self.streams += 1;
    }
}

impl FromStr for Oxum {
    type Err = ();

    fn from_str(text: &str) -> Result<Oxum, ()> {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits).ok_or(())
        };
        let (octets, streams) = text.trim().split_once('.').ok_or(())?;
        Ok(Oxum { octets: number(octets)?, streams: number(streams)? })
    }
}

impl fmt::Display for Oxum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.octets, self.streams)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oxums_are_two_numbers() {
        assert_eq!("279164409832.1198".parse(), Ok(Oxum { octets: 279_164_409_832, streams: 1198 }));
        for text in ["", "1", "1.", ".1", "-1.1", "1.+1", "1.2.3", "1,2", "99999999999999999999.1"] {
            assert_eq!(text.parse::<Oxum>(), Err(()), "{text}");
        }
    }
}
