//! RDF statements in Turtle (RDF 1.1 Turtle, W3C Recommendation of 2014): the part that writers of AFF4 use. What
//! is not read (blank nodes in brackets, collections, a base) is an error, so that no statement is left out
//! silently.

use super::names::shortened;

/// The most bytes of all names and values together, as a short prefix may stand for a long name.
const MOST_BYTES: usize = 64 << 20;

/// The most statements.
const MOST_STATEMENTS: usize = 1 << 20;

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Statement {
    pub(super) subject: Box<str>,
    pub(super) property: Box<str>,
    pub(super) value: Value,
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    /// The name of a thing.
    Name(Box<str>),
    /// A text, and the name of its type.
    Text(Box<str>, Box<str>),
}

/// Returns the statements of a document; `None` if it can't be understood.
pub(super) fn parse(text: &str) -> Option<Vec<Statement>> {
    let mut parser = Parser { rest: text, prefixes: Vec::new(), statements: Vec::new(), bytes: 0 };
    while !parser.skip().is_empty() {
        parser.sentence()?;
    }
    Some(parser.statements)
}

struct Parser<'a> {
    rest: &'a str,
    prefixes: Vec<(&'a str, Box<str>)>,
    statements: Vec<Statement>,
    bytes: usize,
}

/// Whether a character ends a name with a prefix.
fn ends_name(letter: char) -> bool {
    letter.is_whitespace() || ";,<>\"'()[]#^@{}".contains(letter)
}

impl<'a> Parser<'a> {
    /// Skips white space and comments, and returns the rest.
    fn skip(&mut self) -> &'a str {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix('#') {
                Some(comment) => self.rest = comment.find(['\n', '\r']).map_or("", |end| &comment[end..]),
                None => return self.rest,
            }
        }
    }

    /// Skips a mark if it is next.
    fn take(&mut self, mark: &str) -> bool {
        let found = self.skip().strip_prefix(mark);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn sentence(&mut self) -> Option<()> {
        if self.take("@prefix") {
            self.prefix()?;
            return self.take(".").then_some(());
        }
        let next = self.skip();
        if next.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("prefix"))
            && next.get(6..)?.starts_with(char::is_whitespace)
        {
            self.rest = next.get(6..)?;
            return self.prefix();
        }
        let subject = self.name()?;
        loop {
            let property = self.property()?;
            loop {
                let value = self.value()?;
                self.add(&subject, &property, value)?;
                if !self.take(",") {
                    break;
                }
            }
            let mut more = false;
            while self.take(";") {
                more = true;
            }
            // The last one may be followed by a semicolon, too.
            if self.take(".") {
                return Some(());
            }
            if !more {
                return None;
            }
        }
    }

    fn add(&mut self, subject: &str, property: &str, value: Value) -> Option<()> {
        let length = match &value {
            Value::Name(name) => name.len(),
            Value::Text(text, kind) => text.len() + kind.len(),
        };
        self.bytes += length + subject.len() + property.len();
        if self.bytes > MOST_BYTES || self.statements.len() >= MOST_STATEMENTS {
            return None;
        }
        self.statements.push(Statement { subject: subject.into(), property: property.into(), value });
        Some(())
    }

    /// Reads the definition of a prefix.
    fn prefix(&mut self) -> Option<()> {
        let (name, rest) = self.skip().split_once(':')?;
        if name.contains(ends_name) {
            return None;
        }
        self.rest = rest;
        let meaning = self.bracketed()?;
        self.prefixes.retain(|(known, _)| *known != name);
        self.prefixes.push((name, meaning.into()));
        // A document has some, and looking them up takes time for each name.
        (self.prefixes.len() <= 64).then_some(())
    }

    /// Reads a name in angle brackets.
    fn bracketed(&mut self) -> Option<&'a str> {
        let (name, rest) = self.skip().strip_prefix('<')?.split_once('>')?;
        if name.contains(|letter: char| letter <= ' ' || "<\"{}|^`\\".contains(letter)) {
            return None;
        }
        self.rest = rest;
        Some(name)
    }

    fn property(&mut self) -> Option<Box<str>> {
        let is_type =
            self.skip().strip_prefix('a').filter(|rest| rest.starts_with([' ', '\t', '\r', '\n', '<']));
        if let Some(rest) = is_type {
            self.rest = rest;
            return Some("a".into());
        }
        let name = self.name()?;
        let long = *name == *"http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
        Some(if long { "a".into() } else { name })
    }

    /// Reads a name, in brackets or with a prefix.
    fn name(&mut self) -> Option<Box<str>> {
        if self.skip().starts_with('<') {
            return Some(shortened(self.bracketed()?).into());
        }
        let end = self.rest.find(ends_name).unwrap_or(self.rest.len());
        let word = self.rest.get(..end)?.trim_end_matches('.');
        let (prefix, local) = word.split_once(':')?;
        let start = match prefix {
            "_" => "_:",
            _ => &self.prefixes.iter().find(|(known, _)| *known == prefix)?.1,
        };
        if start.len() + local.len() > MOST_BYTES {
            return None;
        }
        let long = format!("{start}{}", local.replace('\\', ""));
        self.rest = self.rest.get(word.len()..)?;
        Some(shortened(&long).into())
    }

    fn value(&mut self) -> Option<Value> {
        let rest = self.skip();
        let first = rest.chars().next()?;
        if first == '"' || first == '\'' {
            let text = self.quoted(first)?;
            return Some(Value::Text(text.into(), self.kind()?));
        }
        if first.is_ascii_digit() || "+-".contains(first) {
            let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && !"+-.".contains(letter));
            let number = rest.get(..end.unwrap_or(rest.len()))?.trim_end_matches('.');
            self.rest = rest.get(number.len()..)?;
            return Some(Value::Text(number.into(), "number".into()));
        }
        for word in ["true", "false"] {
            let after = rest.strip_prefix(word);
            if let Some(after) =
                after.filter(|after| after.starts_with(|next| ends_name(next) || next == '.'))
            {
                self.rest = after;
                return Some(Value::Text(word.into(), "boolean".into()));
            }
        }
        self.name().map(Value::Name)
    }

    /// Reads the type after a text; a language counts as none.
    fn kind(&mut self) -> Option<Box<str>> {
        if let Some(rest) = self.rest.strip_prefix("^^") {
            self.rest = rest;
            return self.name();
        }
        if let Some(rest) = self.rest.strip_prefix('@') {
            let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')?;
            self.rest = rest.get(end..)?;
        }
        Some("".into())
    }

    /// Reads a text in quotation marks, of which there are one or three.
    fn quoted(&mut self, mark: char) -> Option<String> {
        let three: String = [mark; 3].iter().collect();
        let long = self.rest.starts_with(&three);
        let closing = if long { &three[..] } else { &three[..1] };
        let mut rest = self.rest.get(closing.len()..)?;
        let mut text = String::new();
        loop {
            let end = rest.find(['\\', mark, '\n', '\r'])?;
            text.push_str(rest.get(..end)?);
            rest = rest.get(end..)?;
            if let Some(after) = rest.strip_prefix(closing) {
                self.rest = after;
                return Some(text);
            }
            let next = rest.chars().next()?;
            rest = rest.get(1..)?;
            match next {
                '\\' => text.push(escape(&mut rest)?),
                _ if long => text.push(next),
                _ => return None,
            }
        }
    }
}

/// Reads what follows a backslash.
fn escape(rest: &mut &str) -> Option<char> {
    let letter = rest.chars().next()?;
    *rest = rest.get(letter.len_utf8()..)?;
    let digits = match letter {
        't' => return Some('\t'),
        'n' => return Some('\n'),
        'r' => return Some('\r'),
        'b' => return Some('\u{8}'),
        'f' => return Some('\u{c}'),
        '"' | '\'' | '\\' => return Some(letter),
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let code = rest.get(..digits).filter(|code| code.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    *rest = rest.get(digits..)?;
    char::from_u32(u32::from_str_radix(code, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Option<Vec<String>> {
        let line = |one: Statement| match one.value {
            Value::Name(name) => format!("{} {} {name}", one.subject, one.property),
            Value::Text(text, kind) => format!("{} {} '{text}' {kind}", one.subject, one.property),
        };
        parse(text).map(|found| found.into_iter().map(line).collect())
    }

    #[test]
    fn statements_are_read_in_all_their_forms() {
        let text = r##"@prefix : <aff4://v> . # the volume
            PREFIX aff4: <http://aff4.org/Schema#>
            @prefix old: <http://afflib.org/2009/aff4#> .
            <aff4://i> a aff4:Image , aff4:DiskImage ;
                aff4:stored : ; old:size 12; aff4:x "a\"\u00e9\n" ,"""b"'
c"""@en, 'd'^^aff4:MD5 ;; .
            :more aff4:is true."##;
        let expected = [
            "aff4://i a aff4:Image",
            "aff4://i a aff4:DiskImage",
            "aff4://i aff4:stored aff4://v",
            "aff4://i aff4:size '12' number",
            "aff4://i aff4:x 'a\"é\n' ",
            "aff4://i aff4:x 'b\"'\nc' ",
            "aff4://i aff4:x 'd' aff4:MD5",
            "aff4://vmore aff4:is 'true' boolean",
        ];
        assert_eq!(lines(text).unwrap(), expected);
    }

    #[test]
    fn what_is_cut_off_or_unknown_is_an_error() {
        let text = "@prefix a: <b> . <x> a:y \"z\"^^a:t , <w> ; a:q 5 .";
        let whole = lines(text).unwrap().len();
        for end in 0..text.len() {
            assert!(lines(&text[..end]).is_none_or(|found| found.len() < whole), "{end}");
        }
        for bad in
            ["<x> <y> [ <z> 1 ] .", "<x> <y> (1) .", "@base <x> .", "<x> <y> c:z .", "<x> <y> \"a\nb\" ."]
        {
            assert_eq!(lines(bad), None, "{bad}");
        }
    }

    #[test]
    fn prefixes_that_grow_are_refused() {
        let text = format!("@prefix a: <{}> .{}", "x".repeat(1 << 20), "a:1 a:2 a:3 .".repeat(40));
        assert_eq!(lines(&text), None);
    }
}
