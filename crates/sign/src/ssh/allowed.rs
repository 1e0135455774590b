//! Files of allowed signers (ssh-keygen(1), ALLOWED SIGNERS): who may sign with which key, for what, when.

use super::{Moment, key_data, moment, pattern};
use crate::Error;
use ssh_key::public::KeyData;
use std::fmt;

/// The lines of a file.
#[derive(Debug, Clone, Default)]
pub struct AllowedSigners(Vec<Line>);

#[derive(Debug, Clone)]
struct Line {
    principals: String,
    key: KeyData,
    options: Options,
}

#[derive(Debug, Clone, Default)]
struct Options {
    authority: bool,
    namespaces: Option<String>,
    after: Option<Moment>,
    before: Option<Moment>,
}

/// Why no line vouches for a key. Of several reasons, the last in this order is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotAllowed {
    /// No line has the key.
    Unknown,
    /// The key is there as an authority for certificates, which are not supported.
    Authority,
    /// A line has it, but not for this identity.
    Identity,
    /// A line has it, but not for this namespace.
    Namespace,
    /// A line has it, but only from a later time on.
    NotYet,
    /// A line has it, but only up to an earlier time.
    Expired,
}

impl AllowedSigners {
    /// Reads a file.
    ///
    /// # Errors
    /// If a line is not understood: a file of which a part is skipped would not say what it was meant to.
    pub fn parse(text: &str) -> Result<AllowedSigners, Error> {
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let parsed = Line::parse(line);
            lines.push(parsed.map_err(|why| Error::AllowedSigners { line: number + 1, why })?);
        }
        Ok(AllowedSigners(lines))
    }

    /// The principals of the line that vouches for a key.
    ///
    /// # Errors
    /// If none does.
    pub fn principals(
        &self,
        key: &KeyData,
        namespace: &str,
        identity: Option<&str>,
        time: Moment,
    ) -> Result<&str, NotAllowed> {
        let mut worst = NotAllowed::Unknown;
        for line in self.0.iter().filter(|line| line.key == *key) {
            match line.permits(namespace, identity, time) {
                Ok(()) => return Ok(&line.principals),
                Err(why) => worst = worst.max(why),
            }
        }
        Err(worst)
    }
}

impl Line {
    fn parse(line: &str) -> Result<Line, String> {
        let (principals, rest) = word(line)?;
        let principals = principals.trim_matches('"').to_string();
        let (first, behind) = word(rest)?;
        // Options may be missing: then a kind of key stands here, which no option looks like.
        let (options, rest) = match is_kind(first) {
            true => (Options::default(), rest),
            false => (Options::parse(first)?, behind),
        };
        let mut words = rest.split_ascii_whitespace();
        let (Some(kind), Some(text)) = (words.next(), words.next()) else {
            return Err("no key: 'principals [options] kind base64' is wanted".into());
        };
        Ok(Line { principals, key: key_data(kind, text)?, options })
    }

    fn permits(&self, namespace: &str, identity: Option<&str>, time: Moment) -> Result<(), NotAllowed> {
        let options = &self.options;
        if options.authority {
            return Err(NotAllowed::Authority);
        }
        if identity.is_some_and(|identity| !pattern::takes(&self.principals, identity)) {
            return Err(NotAllowed::Identity);
        }
        if options.namespaces.as_ref().is_some_and(|list| !pattern::takes(list, namespace)) {
            return Err(NotAllowed::Namespace);
        }
        if options.after.is_some_and(|after| time < after) {
            return Err(NotAllowed::NotYet);
        }
        if options.before.is_some_and(|before| time > before) {
            return Err(NotAllowed::Expired);
        }
        Ok(())
    }
}

impl Options {
    fn parse(text: &str) -> Result<Options, String> {
        let mut options = Options::default();
        let mut rest = text;
        loop {
            let (option, behind) = option(rest)?;
            options.take(option)?;
            match behind.strip_prefix(',') {
                Some(behind) => rest = behind,
                None => return options.checked(),
            }
        }
    }

    fn take(&mut self, option: &str) -> Result<(), String> {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name.to_ascii_lowercase(), Some(unquoted(value)?)),
            None => (option.to_ascii_lowercase(), None),
        };
        let twice = match (name.as_str(), value) {
            ("cert-authority", None) => std::mem::replace(&mut self.authority, true),
            ("namespaces", Some(list)) => self.namespaces.replace(list).is_some(),
            ("valid-after", Some(time)) => self.after.replace(when(&time)?).is_some(),
            ("valid-before", Some(time)) => self.before.replace(when(&time)?).is_some(),
            _ => return Err(format!("unknown option '{option}'")),
        };
        if twice { Err(format!("the option '{name}' stands there twice")) } else { Ok(()) }
    }

    fn checked(self) -> Result<Options, String> {
        match (self.after, self.before) {
            (Some(after), Some(before)) if before <= after => {
                Err("valid-before is not behind valid-after".into())
            }
            _ => Ok(self),
        }
    }
}

fn is_kind(word: &str) -> bool {
    ["ssh-", "ecdsa-", "sk-"].iter().any(|start| word.starts_with(start))
}

fn when(text: &str) -> Result<Moment, String> {
    moment(text).ok_or_else(|| format!("'{text}' is no time: YYYYMMDD[HHMM[SS]][Z] is wanted"))
}

/// A word up to a blank outside of quotes, and what is behind the blanks.
fn word(line: &str) -> Result<(&str, &str), String> {
    let end = outside(line, |byte| byte == b' ' || byte == b'\t')?;
    Ok((&line[..end], line[end..].trim_start()))
}

/// An option up to a comma outside of quotes, and what is behind.
fn option(text: &str) -> Result<(&str, &str), String> {
    let end = outside(text, |byte| byte == b',')?;
    Ok((&text[..end], &text[end..]))
}

/// Where a byte of a kind stands outside of quotes; the end if nowhere.
fn outside(text: &str, wanted: impl Fn(u8) -> bool) -> Result<usize, String> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !escaped => quoted = !quoted,
            _ if !quoted && wanted(byte) => return Ok(at),
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    if quoted { Err("a quote is not closed".into()) } else { Ok(text.len()) }
}

fn unquoted(value: &str) -> Result<String, String> {
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let inner = inner.ok_or_else(|| format!("'{value}' must be in double quotes"))?;
    Ok(inner.replace("\\\"", "\""))
}

impl fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotAllowed::Unknown => "which no allowed-signers file vouches for",
            NotAllowed::Authority => {
                "which is allowed only as an authority for certificates; these are not supported"
            }
            NotAllowed::Identity => "which is allowed for other identities only",
            NotAllowed::Namespace => "which is not allowed for this namespace",
            NotAllowed::NotYet => "which is not allowed yet at the time in question",
            NotAllowed::Expired => "which is not allowed any more at the time in question",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";

    fn judge(line: &str, namespace: &str, identity: Option<&str>) -> Result<String, NotAllowed> {
        let signers = AllowedSigners::parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let (kind, text) = A.split_once(' ').unwrap();
        let time = moment("20240601Z").unwrap();
        signers.principals(&key_data(kind, text).unwrap(), namespace, identity, time).map(str::to_string)
    }

    #[test]
    fn options_decide() {
        let good = |options: &str| judge(&format!("a@x,*@y {options} {A} comment"), "file", None);
        assert_eq!(good(""), Ok("a@x,*@y".into()));
        assert_eq!(good("namespaces=\"file,git\""), Ok("a@x,*@y".into()));
        assert_eq!(good("NAMESPACES=\"git\""), Err(NotAllowed::Namespace));
        assert_eq!(good("namespaces=\"*,!file\""), Err(NotAllowed::Namespace));
        assert_eq!(good("valid-after=\"20240601Z\",valid-before=\"20240602Z\""), Ok("a@x,*@y".into()));
        assert_eq!(good("valid-after=\"20240602Z\""), Err(NotAllowed::NotYet));
        assert_eq!(good("valid-before=\"20240531Z\""), Err(NotAllowed::Expired));
        assert_eq!(good("cert-authority"), Err(NotAllowed::Authority));
    }

    #[test]
    fn identities_are_matched() {
        assert_eq!(judge(&format!("*@x {A}"), "file", Some("a@x")), Ok("*@x".into()));
        assert_eq!(judge(&format!("*@x {A}"), "file", Some("a@y")), Err(NotAllowed::Identity));
        assert_eq!(judge(&format!("\"a b@x\" {A}"), "file", Some("a b@x")), Ok("a b@x".into()));
    }

    #[test]
    fn a_later_line_may_allow_what_an_earlier_one_does_not() {
        let text = format!("# who\n\na@x namespaces=\"git\" {A}\nb@x {A}\n");
        assert_eq!(judge(&text, "file", None), Ok("b@x".into()));
    }

    #[test]
    fn lines_that_are_not_understood_are_named() {
        for bad in [
            "a@x",
            "a@x ssh-ed25519",
            "a@x ssh-ed25519 AAAA",
            &format!("a@x nosuch {A}"),
            &format!("a@x namespaces=file {A}"),
            &format!("a@x namespaces=\"file {A}"),
            &format!("a@x valid-after=\"yesterday\" {A}"),
            &format!("a@x valid-after=\"20240101Z\",valid-before=\"20230101Z\" {A}"),
            &format!("a@x cert-authority,cert-authority {A}"),
            &format!("a@x {}", A.replace("ssh-ed25519", "ssh-rsa")),
        ] {
            let error = AllowedSigners::parse(&format!("# first\n{bad}\n")).unwrap_err();
            assert!(matches!(error, Error::AllowedSigners { line: 2, .. }), "{bad}: {error}");
        }
    }
}
