//! Names and values in two columns, within the width of a terminal.

/// The width of the column of names.
const NAMES: usize = 18;
/// The least width of the column of values, however narrow the terminal is.
const LEAST_WIDTH: usize = 16;

/// Names and values, line by line.
#[derive(Debug, Default)]
pub struct Facts(Vec<(String, String)>);

impl Facts {
    /// Adds a name with its value.
    pub fn add(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }

    /// Returns the lines. A value that exceeds the width continues in its column.
    pub fn text(&self, width: usize) -> String {
        let names = self.0.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(NAMES) + 2;
        let lines = self.0.iter().flat_map(|(name, value)| {
            let parts = wrapped(value, width.saturating_sub(names).max(LEAST_WIDTH));
            let heads = std::iter::once(name.as_str()).chain(std::iter::repeat(""));
            heads.zip(parts).map(|(head, part)| format!("{head:names$}{part}\n")).collect::<Vec<_>>()
        });
        lines.collect()
    }
}

/// Wraps words at a width; a longer word has a line of its own. Leading blanks, which align numbers, stay.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let words = text.trim_start_matches(' ');
    let mut lines = Vec::new();
    let mut line = " ".repeat(text.len() - words.len());
    for (number, word) in words.split(' ').enumerate() {
        if number > 0 && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        } else if number > 0 {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_on_below_themselves() {
        let mut facts = Facts::default();
        facts.add("a", "one two three four five");
        facts.add("bcd", "x");
        let wanted =
            "a                   one two three\n                    four five\nbcd                 x\n";
        assert_eq!(facts.text(36), wanted);
        assert_eq!(facts.text(0).lines().count(), 3, "never narrower than words can be");
    }

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrapped("abcdefgh ij k", 4), ["abcdefgh", "ij k"]);
        assert_eq!(wrapped("  12.5 s", 20), ["  12.5 s"]);
        assert_eq!(wrapped("", 20), [""]);
    }
}
