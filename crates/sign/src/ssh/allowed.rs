//! Files of allowed signers (ssh-keygen(1), ALLOWED SIGNERS): the principals, keys, purposes and times of valid
//! signatures.
//!
//! They are read like by ssh-keygen: as lines of bytes, independent of each other. A line that is not understood allows
//! nothing and does not affect the others; it is kept so that the caller can report it.

use super::{KeyData, Moment, key_data, moment, pattern};
use crate::error::{Error, Text};
use std::fmt;

const NO_KEY: &str = "no key: expected 'principals [options] kind base64'";
const OPEN_QUOTE: &str = "a quote is not closed";

/// The lines of a file.
#[derive(Debug, Clone, Default)]
pub struct AllowedSigners {
    lines: Vec<Line>,
    bad: Vec<BadLine>,
}

/// A line that is not understood, and so allows nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1.
    pub number: usize,
    /// The fault of the line.
    pub why: Text,
}

#[derive(Debug, Clone)]
struct Line {
    principals: Vec<u8>,
    key: KeyData,
    options: Options,
}

#[derive(Debug, Clone, Default)]
struct Options {
    authority: bool,
    namespaces: Option<Vec<u8>>,
    after: Option<Moment>,
    before: Option<Moment>,
}

/// The reason why no line allows a key. If there are several, the last one in this order is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotAllowed {
    /// No line has the key.
    Unknown,
    /// The key is listed as an authority for certificates, which are not supported.
    Authority,
    /// A line has the key, but not for this identity.
    Identity,
    /// A line has the key, but not for this namespace.
    Namespace,
    /// A line has the key, but only from a later time on.
    NotYet,
    /// A line has the key, but only up to an earlier time.
    Expired,
}

impl AllowedSigners {
    /// Parses a file. Lines that are not understood are in [`AllowedSigners::bad`].
    ///
    /// # Errors
    /// If no line is understood, unless the file has none.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<AllowedSigners, Error> {
        let mut signers = AllowedSigners::default();
        for (at, line) in text.as_ref().split(|byte| *byte == b'\n').enumerate() {
            let line = behind_blanks(line);
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            match Line::parse(line) {
                Ok(line) => signers.lines.push(line),
                Err(why) => signers.bad.push(BadLine { number: at + 1, why }),
            }
        }
        match signers.bad.first() {
            Some(BadLine { number, why }) if signers.lines.is_empty() => {
                Err(Error::AllowedSigners { line: *number, fault: why.clone() })
            }
            _ => Ok(signers),
        }
    }

    /// Returns whether a signer is allowed for a limited time.
    pub fn has_dates(&self) -> bool {
        self.lines.iter().any(|line| line.options.after.is_some() || line.options.before.is_some())
    }

    /// Returns the lines that are not understood.
    pub fn bad(&self) -> &[BadLine] {
        &self.bad
    }

    /// Returns the principals of the line that allows a key.
    ///
    /// # Errors
    /// If no line does.
    pub fn principals(
        &self,
        key: &KeyData,
        namespace: &str,
        identity: Option<&str>,
        time: Moment,
    ) -> Result<String, NotAllowed> {
        let mut worst = NotAllowed::Unknown;
        for line in self.lines.iter().filter(|line| line.key == *key) {
            match line.permits(namespace, identity, time) {
                Ok(()) => return Ok(String::from_utf8_lossy(&line.principals).into_owned()),
                Err(why) => worst = worst.max(why),
            }
        }
        Err(worst)
    }

    /// Returns the principal lists of all lines that allow a key.
    pub(crate) fn lists<'a>(
        &'a self,
        key: &'a KeyData,
        namespace: &'a str,
        identity: Option<&'a str>,
        time: Moment,
    ) -> impl Iterator<Item = &'a [u8]> {
        let lines = self.lines.iter().filter(move |line| line.key == *key);
        let lines = lines.filter(move |line| line.permits(namespace, identity, time).is_ok());
        lines.map(|line| line.principals.as_slice())
    }

    /// Returns all keys with their principals, ignoring the options.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&KeyData, &[u8])> {
        let own = self.lines.iter().filter(|line| !line.options.authority);
        own.map(|line| (&line.key, line.principals.as_slice()))
    }
}

impl Line {
    fn parse(line: &[u8]) -> Result<Line, Text> {
        if line.contains(&0) {
            return Err("it has a zero byte".into());
        }
        let (principals, rest) = principals(line)?;
        let (first, _) = word(rest);
        // Options are optional: without them a kind of key is here, which no option resembles.
        let (options, rest) = match is_kind(first) {
            true => (Options::default(), rest),
            false => {
                let (text, behind) = past_options(rest)?;
                (Options::parse(text)?, behind)
            }
        };
        let (kind, rest) = word(rest);
        let (text, _) = word(rest);
        if kind.is_empty() || text.is_empty() {
            return Err(NO_KEY.into());
        }
        let kind = str::from_utf8(kind).map_err(|_| NO_KEY)?;
        // Other white space, as at the ends of lines, is ignored.
        let text: Vec<u8> = text.iter().copied().filter(|byte| !is_space(*byte)).collect();
        let text = String::from_utf8(text).map_err(|_| NO_KEY)?;
        Ok(Line { principals, key: key_data(kind, &text)?, options })
    }

    fn permits(&self, namespace: &str, identity: Option<&str>, time: Moment) -> Result<(), NotAllowed> {
        let options = &self.options;
        if options.authority {
            return Err(NotAllowed::Authority);
        }
        if identity.is_some_and(|identity| !pattern::takes(&self.principals, identity.as_bytes())) {
            return Err(NotAllowed::Identity);
        }
        if options.namespaces.as_ref().is_some_and(|list| !pattern::takes(list, namespace.as_bytes())) {
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
    fn parse(text: &[u8]) -> Result<Options, Text> {
        let mut options = Options::default();
        let mut rest = text;
        loop {
            rest = options.take(rest)?;
            match rest {
                [] => return options.checked(),
                [b',', behind @ ..] if !behind.is_empty() => rest = behind,
                _ => return Err(unknown(rest)),
            }
        }
    }

    /// Parses one option. Returns the rest.
    fn take<'a>(&mut self, text: &'a [u8]) -> Result<&'a [u8], Text> {
        if let Some(behind) = after(text, "cert-authority") {
            self.authority = true;
            return Ok(behind);
        }
        for name in ["namespaces", "valid-after", "valid-before"] {
            let Some([b'=', value @ ..]) = after(text, name) else { continue };
            let (value, behind) = unquoted(name, value)?;
            let twice = match name {
                "namespaces" => self.namespaces.replace(value).is_some(),
                "valid-after" => self.after.replace(when(&value)?).is_some(),
                _ => self.before.replace(when(&value)?).is_some(),
            };
            return if twice {
                Err(format!("the option '{name}' is given twice").into())
            } else {
                Ok(behind)
            };
        }
        Err(unknown(text))
    }

    fn checked(self) -> Result<Options, Text> {
        match (self.after, self.before) {
            (Some(after), Some(before)) if before <= after => {
                Err("valid-before must be later than valid-after".into())
            }
            _ => Ok(self),
        }
    }
}

/// Returns whether it is white space in base64.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

fn is_kind(word: &[u8]) -> bool {
    ["ssh-", "ecdsa-", "sk-"].iter().any(|start| word.starts_with(start.as_bytes()))
}

fn when(text: &[u8]) -> Result<Moment, Text> {
    // ssh-keygen ignores times up to 1970-01-01 00:00:00.
    let time = str::from_utf8(text).ok().and_then(moment).filter(|time| time.as_second() > 0);
    time.ok_or_else(|| {
        let text = String::from_utf8_lossy(text);
        format!("'{text}' is not a time: expected YYYYMMDD[HHMM[SS]][Z]").into()
    })
}

fn unknown(option: &[u8]) -> Text {
    format!("unknown option '{}'", String::from_utf8_lossy(option)).into()
}

/// Returns the rest of a text after a name, ignoring case.
fn after<'a>(text: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let (start, behind) = text.split_at_checked(name.len())?;
    start.eq_ignore_ascii_case(name.as_bytes()).then_some(behind)
}

/// Splits off the list of principals, up to a blank or the closing quote. A quote may open inside a word; the text
/// after the closing quote is not part of it.
fn principals(line: &[u8]) -> Result<(Vec<u8>, &[u8]), Text> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let at = line.iter().position(|byte| blank(byte) || *byte == b'"');
    let at = at.ok_or("no key: the line has only one word")?;
    let mut list = line[..at].to_vec();
    let mut end = at;
    if line[at] == b'"' {
        let quoted = &line[at + 1..];
        let length = quoted.iter().position(|byte| *byte == b'"').ok_or(OPEN_QUOTE)?;
        list.extend(&quoted[..length]);
        end = at + 1 + length;
    }
    let rest = &line[end + 1..];
    let blanks = rest.iter().take_while(|byte| blank(byte)).count();
    Ok((list, &rest[blanks..]))
}

/// Splits off a word up to a blank, and skips the blanks after it.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| is_blank(*byte)).unwrap_or(text.len());
    (&text[..end], behind_blanks(&text[end..]))
}

fn behind_blanks(text: &[u8]) -> &[u8] {
    &text[text.iter().take_while(|byte| is_blank(**byte)).count()..]
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Splits off the options, up to a blank outside quotes.
fn past_options(text: &[u8]) -> Result<(&[u8], &[u8]), Text> {
    let (mut at, mut quoted) = (0, false);
    while at < text.len() && (quoted || !is_blank(text[at])) {
        match &text[at..] {
            [b'\\', b'"', ..] => at += 1,
            [b'"', ..] => quoted = !quoted,
            _ => {}
        }
        at += 1;
    }
    if quoted && at >= text.len() {
        return Err(OPEN_QUOTE.into());
    }
    Ok((&text[..at], behind_blanks(&text[at..])))
}

/// Splits off a value in double quotes.
fn unquoted<'a>(name: &'static str, text: &'a [u8]) -> Result<(Vec<u8>, &'a [u8]), Text> {
    let mut rest =
        text.strip_prefix(b"\"").ok_or_else(|| format!("the value of '{name}' must be in double quotes"))?;
    let mut value = Vec::new();
    loop {
        rest = match rest {
            [] => return Err(OPEN_QUOTE.into()),
            [b'"', behind @ ..] => return Ok((value, behind)),
            [b'\\', b'"', behind @ ..] => {
                value.push(b'"');
                behind
            }
            [byte, behind @ ..] => {
                value.push(*byte);
                behind
            }
        };
    }
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
        signers.principals(&key_data(kind, text).unwrap(), namespace, identity, time)
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
    fn lines_that_are_not_understood_are_named_and_hide_no_other() {
        for bad in [
            "a@x",
            "a@x ssh-ed25519",
            "a@x ssh-ed25519 AAAA",
            &format!("a@x nosuch {A}"),
            &format!("\"a@x {A}"),
            &format!("a@x namespaces=file {A}"),
            &format!("a@x namespaces=\"file {A}"),
            &format!("a@x namespaces=\"file\",{A}"),
            &format!("a@x namespaces=\"file\"x {A}"),
            &format!("a@x valid-after=\"yesterday\" {A}"),
            &format!("a@x valid-after=\"19600101Z\" {A}"),
            &format!("a@x valid-after=\"20240101Z\",valid-before=\"20230101Z\" {A}"),
            &format!("a@x namespaces=\"a\",namespaces=\"file\" {A}"),
            &format!("a@x {}", A.replace("ssh-ed25519", "ssh-rsa")),
            &format!("a@x {A}\0"),
        ] {
            let error = AllowedSigners::parse(format!("# first\n{bad}\n")).unwrap_err();
            assert!(matches!(error, Error::AllowedSigners { line: 2, .. }), "{bad}: {error}");
            let text = format!("# first\n{bad}\nb@x {A}\n");
            let signers = AllowedSigners::parse(&text).unwrap();
            assert_eq!(signers.bad().iter().map(|line| line.number).collect::<Vec<_>>(), [2], "{bad}");
            assert_eq!(judge(&text, "file", None), Ok("b@x".into()), "{bad}");
        }
    }

    #[test]
    fn quotes_and_blanks_are_those_of_openssh() {
        for (line, who) in [
            (format!("a@x\t{A}"), "a@x"),
            (format!(" \ta@x {A}\r"), "a@x"),
            (format!("a\"b c\"{A}"), "ab c"),
            (format!("\"a b\" \t {A}"), "a b"),
            (format!("a@x cert-authority {A}\nb@x {A}"), "b@x"),
            (format!("a@x namespaces=\"\\\"file,file\" {A}"), "a@x"),
        ] {
            assert_eq!(judge(&line, "file", None), Ok(who.into()), "{line}");
        }
        let text = [b"\xff\xfe@x ".as_slice(), A.as_bytes(), b" \xff\n"].concat();
        assert!(AllowedSigners::parse(text).unwrap().bad().is_empty());
    }
}
