//! Writes HTML and SVG. Texts and values of attributes are always escaped; only strings that are part of the program
//! (`&'static str`) are written as markup.

use std::fmt::{self, Display, Write as _};
use std::io;

/// The characters that have a meaning in texts or in values between double quotes, and what is written for them.
const MEANINGS: [(char, &str); 4] = [('<', "&#60;"), ('>', "&#62;"), ('&', "&#38;"), ('"', "&#34;")];

/// The name of an attribute, and its value.
pub(crate) type Attribute<'a> = (&'static str, &'a dyn Display);

/// Elements, texts and attributes on their way to a file or into memory.
pub(crate) struct Markup<'a> {
    out: &'a mut dyn io::Write,
    /// The first error of `out`; nothing is written after it.
    result: io::Result<()>,
}

impl<'a> Markup<'a> {
    /// Creates a writer to `out`.
    pub fn new(out: &'a mut dyn io::Write) -> Self {
        Self { out, result: Ok(()) }
    }

    /// Returns the first error of the writer.
    pub fn finish(self) -> io::Result<()> {
        self.result
    }

    /// Writes a text.
    pub fn text(&mut self, text: impl Display) {
        self.write(format_args!("{}", Replaced(&text, &MEANINGS)));
    }

    /// Writes markup that the program has in itself.
    pub fn raw(&mut self, markup: &'static str) {
        self.write(format_args!("{markup}"));
    }

    /// Writes JSON, in which `<` is only part of strings, as the content of an element that it can't end.
    pub fn json(&mut self, json: impl Display) {
        self.write(format_args!("{}", Replaced(&json, &[('<', "\\u003c")])));
    }

    /// Opens an element.
    pub fn open(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.tag(name, attributes, ">");
    }

    /// Writes an element of SVG without content.
    pub fn shape(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.tag(name, attributes, "/>\n");
    }

    /// Closes an element.
    pub fn close(&mut self, name: &'static str) {
        self.write(format_args!("</{name}>\n"));
    }

    /// Writes an element with a content.
    pub fn element(
        &mut self,
        name: &'static str,
        attributes: &[Attribute<'_>],
        content: impl FnOnce(&mut Self),
    ) {
        self.open(name, attributes);
        content(self);
        self.close(name);
    }

    /// Writes an element with a text, in one line if the text is one.
    pub fn line(&mut self, name: &'static str, attributes: &[Attribute<'_>], text: impl Display) {
        self.element(name, attributes, |markup| markup.text(text));
    }

    fn tag(&mut self, name: &'static str, attributes: &[Attribute<'_>], end: &'static str) {
        self.write(format_args!("<{name}"));
        for (name, value) in attributes {
            self.write(format_args!(" {name}=\"{}\"", Replaced(value, &MEANINGS)));
        }
        self.raw(end);
    }

    fn write(&mut self, text: fmt::Arguments<'_>) {
        if self.result.is_ok() {
            self.result = self.out.write_fmt(text);
        }
    }
}

/// Returns what is written.
pub(crate) fn in_memory(write: impl FnOnce(&mut Markup<'_>)) -> String {
    let mut bytes = Vec::new();
    write(&mut Markup::new(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A text in which some characters are replaced.
struct Replaced<'a, T>(&'a T, &'static [(char, &'static str)]);

impl<T: Display> Display for Replaced<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Replacing(f, self.1), "{}", self.0)
    }
}

/// Replaces characters on their way to a formatter.
struct Replacing<'a, 'b>(&'a mut fmt::Formatter<'b>, &'static [(char, &'static str)]);

impl fmt::Write for Replacing<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        let replacement = |c: char| self.1.iter().find(|(from, _)| *from == c);
        while let Some(at) = rest.find(|c| replacement(c).is_some()) {
            let found = rest[at..].chars().next().and_then(replacement);
            let Some((from, to)) = found else { break };
            self.0.write_str(&rest[..at])?;
            self.0.write_str(to)?;
            rest = &rest[at + from.len_utf8()..];
        }
        self.0.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_a_text_nor_an_attribute_is_markup() {
        let hostile = "a<b>&\"ü";
        let html = in_memory(|markup| markup.line("p", &[("class", &hostile)], hostile));
        assert_eq!(html, "<p class=\"a&#60;b&#62;&#38;&#34;ü\">a&#60;b&#62;&#38;&#34;ü</p>\n");
        assert_eq!(in_memory(|markup| markup.json("\"</script>\"")), "\"\\u003c/script>\"");
    }

    #[test]
    fn the_first_error_is_kept() {
        let mut full: &mut [u8] = &mut [0; 4];
        let mut markup = Markup::new(&mut full);
        markup.text("longer");
        markup.text("");
        assert!(markup.finish().is_err());
    }
}
