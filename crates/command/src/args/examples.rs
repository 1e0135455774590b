//! Examples of commands, for help and man pages: those of commands whose options have no examples of their own.

use clap::Command;

/// The words of a command, and command lines to type.
const EXAMPLES: [(&str, &[(&str, &str)]); 15] = [
    (
        "hash",
        &[
            ("hashmill hash photos -o photos.manifest", "BLAKE3 of all files below photos"),
            ("hashmill hash -c sha256 -f sums photos > SHA256SUMS", "as sha256sum writes it"),
            ("hashmill hash -c md5,sha256 -f jsonl --times -o m.jsonl a b", "several digests, one read"),
            ("hashmill hash --exclude '*.tmp' --hashignore -o m .", "without some files"),
            ("find . -name '*.iso' -print0 | hashmill hash --files-from - -0", "a list of paths"),
            ("hashmill hash --resume -o m.jsonl -f jsonl /mnt", "go on after an interruption"),
        ],
    ),
    (
        "check",
        &[
            ("hashmill check SHA256SUMS", "each file that the list names"),
            ("hashmill check -q --ignore-missing SHA256SUMS", "only what differs"),
            ("curl -s https://example.org/SHA256SUMS | hashmill check", "a list from elsewhere"),
            ("hashmill check --allowed-signers signers SHA256SUMS", "only if its signature is good"),
            ("hashmill check --store git-lfs repository", "the objects of a store, by their names"),
        ],
    ),
    (
        "similar digest",
        &[("hashmill similar digest -c ssdeep,tlsh -f jsonl -o alike.jsonl docs", "digests of all files")],
    ),
    ("similar compare", &[("hashmill similar compare -c ssdeep old.doc new.doc", "one score")]),
    ("similar pairs", &[("hashmill similar pairs -c tlsh -t 50 docs", "all similar pairs")]),
    (
        "similar search",
        &[("hashmill similar search -c ssdeep --against bad.ssdeep -t 60 /mnt", "files similar to a list")],
    ),
    (
        "known build",
        &[
            ("hashmill known build -o sets.hmk --good RDS.db --bad malware.sha256", "one index of all lists"),
            ("hashmill known build -o mine.hmk --as project project.jsonl", "a category of one's own"),
        ],
    ),
    ("known info", &[("hashmill known info --verify sets.hmk", "contents and integrity")]),
    (
        "known query",
        &[(
            "hashmill known query --known-set sets.hmk d41d8cd98f00b204e9800998ecf8427e",
            "the category of a digest",
        )],
    ),
    (
        "known match",
        &[
            ("hashmill known match --known-set sets.hmk /mnt", "all files that are not known good"),
            ("hashmill known match --known-set sets.hmk --show bad --manifest m.jsonl", "no file is read"),
        ],
    ),
    (
        "triage",
        &[
            ("hashmill triage /mnt -o case", "a table and a page of all files"),
            (
                "hashmill triage photos -o result --known-set sets.hmk --yara rules.yar",
                "with known files and rules",
            ),
        ],
    ),
    (
        "convert",
        &[
            ("hashmill convert photos.manifest photos.csv", "the name says the format"),
            ("hashmill convert m.jsonl - -f sums --lossy | sha256sum -c", "for another program"),
        ],
    ),
    ("merge", &[("hashmill merge monday.jsonl tuesday.jsonl -o both.jsonl", "one manifest of two")]),
    (
        "report",
        &[
            ("hashmill report photos.manifest -o photos.html", "a page of a manifest"),
            (
                "hashmill audit -k m -f json photos > a.json; hashmill report a.json -o a.html",
                "and of an audit",
            ),
        ],
    ),
    ("explain", &[("hashmill explain /mnt -c sha256,md5", "how fast, and why")]),
];

/// Adds the examples to the command and its subcommands; `path` is its words.
pub fn add(command: Command, path: &str) -> Command {
    if command.has_subcommands() {
        let names: Vec<String> =
            command.get_subcommands().map(|below| below.get_name().to_string()).collect();
        return names.iter().fold(command, |command, name| {
            command.mut_subcommand(name, |below| add(below, &format!("{path} {name}")))
        });
    }
    match EXAMPLES.iter().find(|(words, _)| *words == path) {
        Some((_, lines)) if command.get_after_help().is_none() => command.after_help(text(lines)),
        _ => command,
    }
}

/// Returns a line for each example, with its description after it if there is room.
fn text(lines: &[(&str, &str)]) -> String {
    const ROOM: usize = 62;
    let width = lines.iter().map(|(line, _)| line.len()).filter(|width| *width <= ROOM).max().unwrap_or(0);
    let lines = lines.iter().map(|(line, what)| match line.len() <= ROOM {
        true => format!("\n  {line:width$}  {what}"),
        false => format!("\n  {line}\n  {:width$}  {what}", ""),
    });
    format!("Examples:{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::whole;

    #[test]
    fn examples_are_of_commands_and_can_be_typed() {
        for (path, lines) in EXAMPLES {
            for (line, what) in lines {
                assert!(line.contains(&format!("hashmill {path}")) && !what.is_empty(), "{path}: {line}");
                let words = line.split("hashmill ").filter(|part| part.starts_with(path));
                for words in words {
                    // The words before shell syntax.
                    let typed: Vec<&str> =
                        words.split_whitespace().take_while(|word| !matches!(*word, "|" | ">")).collect();
                    let typed = typed.iter().map(|word| word.trim_matches(['\'', ';']));
                    let parsed = whole().try_get_matches_from(std::iter::once("hashmill").chain(typed));
                    assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
                }
            }
        }
    }
}
