//! The formats of the tools' output.

use super::table::Offers;

/// The format of a line of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// The first word: `DIGEST  NAME`.
    First,
    /// The format of xxhsum: `DIGEST  NAME`, but for XXH3 `XXH3 (NAME) = DIGEST` (0.8.1) or `XXH3_DIGEST  NAME`.
    Xxhsum,
    /// The last words, one for each algorithm, in the order of these offers, not of the request: `NAME DIGEST DIGEST`.
    Last(Offers),
    /// The text after the last `= `: `ALGORITHM (NAME) = DIGEST`.
    AfterEquals,
    /// Comma-separated fields after the first one: `SIZE,DIGEST,DIGEST,NAME`. A header may name them: `%%%%
    /// size,ALGORITHM,ALGORITHM,filename`.
    Columns,
    /// Two names and a score: `A matches B (SCORE)`.
    Matches,
    /// Two names and a score as CSV: `A,B,ALGORITHM,SCORE`.
    Pairs,
    /// Two names and a score, separated by tabs: `A B SCORE`.
    Tabbed,
    /// Two names and a score, separated by bars: `A|B|SCORE`.
    Barred,
    /// The whole line.
    Line,
    /// TLSH's digest before a tab, for any version: without `T1`, and without the byte of quartile ratios, which
    /// versions before 4 round differently.
    Tlsh,
    /// A likeness digest before a quoted name: `DIGEST,"NAME"`.
    Likeness,
}

impl OutputFormat {
    /// Returns the sorted items of an output: for each file the digests of these algorithms, separated by blanks, in
    /// this order. Comments and headers are skipped; a line that is not understood is returned unchanged, so that it
    /// does not match.
    pub fn items(self, output: &[u8], algorithms: &[&str]) -> Vec<String> {
        let text = String::from_utf8_lossy(output);
        let places = self.places(&text, algorithms);
        let lines = text.lines().filter(|line| !self.is_header(line));
        let mut items: Vec<String> =
            lines.map(|line| self.item(line, &places).unwrap_or_else(|| line.to_string())).collect();
        items.sort_unstable();
        items
    }

    /// Returns the position of each algorithm's digest among those of a line.
    fn places(self, text: &str, algorithms: &[&str]) -> Vec<usize> {
        let printed: Vec<&str> = match self {
            OutputFormat::Last(offers) => {
                offers.iter().map(|(name, _)| *name).filter(|name| algorithms.contains(name)).collect()
            }
            OutputFormat::Columns => named_columns(text),
            _ => Vec::new(),
        };
        let place = |(at, name): (usize, &&str)| printed.iter().position(|own| own == name).unwrap_or(at);
        algorithms.iter().enumerate().map(place).collect()
    }

    fn is_header(self, line: &str) -> bool {
        let comment = line.starts_with(['%', '#', ';']) || line.trim().is_empty();
        comment
            || self == OutputFormat::Likeness && line.starts_with("ssdeep,")
            || self == OutputFormat::Pairs && line == "a,b,algorithm,score"
    }

    fn item(self, line: &str, places: &[usize]) -> Option<String> {
        match self {
            // coreutils mark an escaped name before the digest.
            OutputFormat::First => {
                Some(line.trim_start_matches('\\').split_whitespace().next()?.to_ascii_lowercase())
            }
            OutputFormat::Xxhsum if line.starts_with("XXH3 (") => {
                OutputFormat::AfterEquals.item(line, places)
            }
            OutputFormat::Xxhsum => {
                Some(OutputFormat::First.item(line, places)?.trim_start_matches("xxh3_").to_string())
            }
            OutputFormat::Last(_) => {
                let words: Vec<&str> = line.split_whitespace().collect();
                picked(&words[words.len().checked_sub(places.len())?..], places)
            }
            OutputFormat::AfterEquals => Some(line.rsplit_once("= ")?.1.trim().to_ascii_lowercase()),
            OutputFormat::Columns => picked(&line.split(',').skip(1).collect::<Vec<_>>(), places),
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
            OutputFormat::Tlsh => {
                let digest = line.split('\t').next()?;
                let digest = digest.strip_prefix("T1").unwrap_or(digest).to_ascii_lowercase();
                // Checksum, length, ratios, body: two digits for each of the first three.
                Some(format!("{}{}", digest.get(..4)?, digest.get(6..)?))
            }
            OutputFormat::Likeness => Some(line.split_once(",\"")?.0.to_string()),
        }
    }
}

/// Returns the columns that the header of hashdeep's format names.
fn named_columns(text: &str) -> Vec<&str> {
    let header = text.lines().find_map(|line| line.strip_prefix("%%%% size,"));
    header.map_or_else(Vec::new, |names| names.split(',').collect())
}

/// Joins the fields at these positions with blanks; `None` if one is missing.
fn picked(fields: &[&str], places: &[usize]) -> Option<String> {
    let fields: Vec<&str> = places.iter().map(|at| fields.get(*at).copied()).collect::<Option<_>>()?;
    Some(fields.join(" ").to_ascii_lowercase())
}

fn separated(line: &str, mark: char) -> Option<String> {
    let (names, score) = line.rsplit_once(mark)?;
    let (a, b) = names.split_once(mark)?;
    Some(pair(a.trim(), b.trim(), score.trim().trim_start_matches('0')))
}

/// Formats a pair independently of its order, with the last parts of the names, since tools print different folders.
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
            (OutputFormat::Last(&[("md5", &[])]), "; comment\nname with blanks 0A\n", vec!["0a"]),
            (OutputFormat::AfterEquals, "MD5(a = b)= 0a\nXXH3 (f) = 0b\n", vec!["0a", "0b"]),
            (OutputFormat::Columns, "%%%% HASHDEEP-1.0\n## # x\n3,0b,/f,g\n3,0a,/f\n", vec!["0a", "0b"]),
            (OutputFormat::Matches, "/t/b matches /t/a (88)\n\n", vec!["a b 88"]),
            (OutputFormat::Pairs, "a,b,algorithm,score\nt/a,t/b,ssdeep,88\n", vec!["a b 88"]),
            (OutputFormat::Tabbed, "t/b\tt/a\t88\n", vec!["a b 88"]),
            (OutputFormat::Barred, "t/b|t/a|088\n", vec!["a b 88"]),
            (OutputFormat::Barred, "t/b | t/a | 088 \n", vec!["a b 88"]),
            (OutputFormat::Tlsh, "T118A1CC0F\tf\n18A1FF0F\tg\n", vec!["18a10f", "18a10f"]),
            (OutputFormat::Line, "sdbf:03:1:f\n", vec!["sdbf:03:1:f"]),
            (
                OutputFormat::Likeness,
                "ssdeep,1.1--blocksize:hash:hash,filename\n3:uG:uG,\"/f\"\n",
                vec!["3:uG:uG"],
            ),
            (OutputFormat::Columns, "not a line\n", vec!["not a line"]),
            (OutputFormat::First, "", vec![]),
        ] {
            assert_eq!(reads.items(output.as_bytes(), &["md5"]), items, "{output:?}");
        }
    }

    #[test]
    fn several_digests_stay_together() {
        let two = ["md5", "sha256"];
        assert_eq!(OutputFormat::Columns.items(b"3,0a,0b,f\n", &two), ["0a 0b"]);
        assert_eq!(OutputFormat::Columns.items(b"3\n", &two), ["3"]);
        assert_eq!(OutputFormat::Last(&[("md5", &[]), ("sha256", &[])]).items(b"0a\n", &two), ["0a"]);
    }

    #[test]
    fn digests_are_those_of_their_algorithms_whatever_the_order_of_a_tool() {
        // rhash 1.4.3 and hashdeep 4.4 on a file with "abc"; truncated digests.
        let rhash: Offers =
            &[("md5", &[]), ("sha1", &[]), ("tiger", &[]), ("whirlpool", &[]), ("sha256", &[])];
        let line = b"f  9001 a999 2aab 4e24 ba78\n";
        let asked = ["md5", "sha1", "sha256", "tiger", "whirlpool"];
        assert_eq!(OutputFormat::Last(rhash).items(line, &asked), ["9001 a999 ba78 2aab 4e24"]);
        let hashdeep = b"%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## \n3,9001,ba78,/f\n";
        assert_eq!(OutputFormat::Columns.items(hashdeep, &["sha256", "md5"]), ["ba78 9001"]);
        assert_eq!(OutputFormat::Columns.items(hashdeep, &["md5", "sha256"]), ["9001 ba78"]);
    }
}
