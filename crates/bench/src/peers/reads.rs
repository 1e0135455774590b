//! Where a tool's output has the digests.

/// How a line of output is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// The first word: `DIGEST  NAME`.
    First,
    /// What xxhsum prints: `DIGEST  NAME`, but of XXH3 `XXH3 (NAME) = DIGEST` (0.8.1) or `XXH3_DIGEST  NAME`.
    Xxhsum,
    /// The last words, one for each algorithm: `NAME DIGEST DIGEST`.
    Last,
    /// What follows the last `= `: `ALGORITHM (NAME) = DIGEST`.
    AfterEquals,
    /// Fields between commas after the first one: `SIZE,DIGEST,DIGEST,NAME`.
    Columns,
    /// Two names and a score: `A matches B (SCORE)`.
    Matches,
    /// Two names and a score as CSV: `A,B,ALGORITHM,SCORE`.
    Pairs,
    /// Two names and a score with tabs between: `A B SCORE`.
    Tabbed,
    /// Two names and a score with bars between: `A|B|SCORE`.
    Barred,
    /// The whole line.
    Line,
    /// A likeness digest before a quoted name: `DIGEST,"NAME"`.
    Likeness,
}

impl OutputFormat {
    /// What was found, sorted: for each file its digests, by blanks. Lines that are comments or headers are left
    /// out; a line that is not understood is taken as it is, so that it can't be right.
    pub fn items(self, output: &[u8], digests: usize) -> Vec<String> {
        let text = String::from_utf8_lossy(output);
        let lines = text.lines().filter(|line| !self.is_header(line));
        let mut items: Vec<String> =
            lines.map(|line| self.item(line, digests).unwrap_or_else(|| line.to_string())).collect();
        items.sort_unstable();
        items
    }

    fn is_header(self, line: &str) -> bool {
        let comment = line.starts_with(['%', '#', ';']) || line.trim().is_empty();
        comment
            || self == OutputFormat::Likeness && line.starts_with("ssdeep,")
            || self == OutputFormat::Pairs && line == "a,b,algorithm,score"
    }

    fn item(self, line: &str, digests: usize) -> Option<String> {
        match self {
            // coreutils' mark of an escaped name comes before the digest.
            OutputFormat::First => {
                Some(line.trim_start_matches('\\').split_whitespace().next()?.to_ascii_lowercase())
            }
            OutputFormat::Xxhsum if line.starts_with("XXH3 (") => {
                OutputFormat::AfterEquals.item(line, digests)
            }
            OutputFormat::Xxhsum => {
                Some(OutputFormat::First.item(line, digests)?.trim_start_matches("xxh3_").to_string())
            }
            OutputFormat::Last => {
                let words: Vec<&str> = line.split_whitespace().collect();
                let first = words.len().checked_sub(digests)?;
                Some(words[first..].join(" ").to_ascii_lowercase())
            }
            OutputFormat::AfterEquals => Some(line.rsplit_once("= ")?.1.trim().to_ascii_lowercase()),
            OutputFormat::Columns => {
                let fields: Vec<&str> = line.split(',').skip(1).take(digests).collect();
                (fields.len() == digests).then(|| fields.join(" ").to_ascii_lowercase())
            }
            OutputFormat::Matches => {
                let (names, score) = line.strip_suffix(')')?.rsplit_once(" (")?;
                let (a, b) = names.split_once(" matches ")?;
                Some(pair(a, b, score))
            }
            OutputFormat::Pairs => {
                let mut fields = line.rsplitn(3, ',');
                let (score, _algorithm) = (fields.next()?, fields.next()?);
                let (a, b) = fields.next()?.split_once(',')?;
                Some(pair(a, b, score))
            }
            OutputFormat::Tabbed => separated(line, '\t'),
            OutputFormat::Barred => separated(line, '|'),
            OutputFormat::Line => Some(line.to_string()),
            OutputFormat::Likeness => Some(line.split_once(",\"")?.0.to_string()),
        }
    }
}

fn separated(line: &str, mark: char) -> Option<String> {
    let (names, score) = line.rsplit_once(mark)?;
    let (a, b) = names.split_once(mark)?;
    Some(pair(a, b, score.trim_start_matches('0')))
}

/// The pair, whichever was named first, by the last parts of the names: tools differ in what stands before.
fn pair(a: &str, b: &str, score: &str) -> String {
    let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_string();
    let (a, b) = (last(a), last(b));
    if a <= b { format!("{a} {b} {score}") } else { format!("{b} {a} {score}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_found_in_every_kind_of_output() {
        for (reads, output, items) in [
            (OutputFormat::First, "0aF  a b\n\\0b  c\\nd\n", vec!["0af", "0b"]),
            (OutputFormat::First, "1219131554 3 f\n", vec!["1219131554"]),
            (OutputFormat::First, "\r      \r0a  f\n", vec!["0a"]),
            (OutputFormat::Xxhsum, "0a  f\nXXH3 (g) = 0b\nXXH3_0c  h\n", vec!["0a", "0b", "0c"]),
            (OutputFormat::Last, "; comment\nname with blanks 0A\n", vec!["0a"]),
            (OutputFormat::AfterEquals, "MD5(a = b)= 0a\nXXH3 (f) = 0b\n", vec!["0a", "0b"]),
            (OutputFormat::Columns, "%%%% HASHDEEP-1.0\n## # x\n3,0b,/f,g\n3,0a,/f\n", vec!["0a", "0b"]),
            (OutputFormat::Matches, "/t/b matches /t/a (88)\n\n", vec!["a b 88"]),
            (OutputFormat::Pairs, "a,b,algorithm,score\nt/a,t/b,ssdeep,88\n", vec!["a b 88"]),
            (OutputFormat::Tabbed, "t/b\tt/a\t88\n", vec!["a b 88"]),
            (OutputFormat::Barred, "t/b|t/a|088\n", vec!["a b 88"]),
            (OutputFormat::Line, "sdbf:03:1:f\n", vec!["sdbf:03:1:f"]),
            (
                OutputFormat::Likeness,
                "ssdeep,1.1--blocksize:hash:hash,filename\n3:uG:uG,\"/f\"\n",
                vec!["3:uG:uG"],
            ),
            (OutputFormat::Columns, "not a line\n", vec!["not a line"]),
            (OutputFormat::First, "", vec![]),
        ] {
            assert_eq!(reads.items(output.as_bytes(), 1), items, "{output:?}");
        }
    }

    #[test]
    fn several_digests_stay_together() {
        assert_eq!(OutputFormat::Last.items(b"f 0a 0b\n", 2), ["0a 0b"]);
        assert_eq!(OutputFormat::Columns.items(b"3,0a,0b,f\n", 2), ["0a 0b"]);
        assert_eq!(OutputFormat::Columns.items(b"3\n", 2), ["3"]);
    }
}
