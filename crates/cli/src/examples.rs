//! Examples of commands, for help and man pages: those of commands whose options have no examples of their own.

use clap::Command;

/// The words of a command, and command lines to type.
const EXAMPLES: [(&str, &[(&str, &str)]); 14] = [
    (
        "hash",
        &[
            ("hashloom hash photos -o photos.manifest", "BLAKE3 of all files below photos"),
            ("hashloom hash -c sha256 -f sums photos > SHA256SUMS", "as sha256sum writes it"),
            ("hashloom hash -c md5,sha256 -f jsonl --times -o m.jsonl a b", "several digests, one read"),
            ("hashloom hash --exclude '*.tmp' --hashignore -o m .", "without some files"),
            ("find . -name '*.iso' -print0 | hashloom hash --files-from - -0", "a list of paths"),
            ("hashloom hash --resume -o m.jsonl -f jsonl /mnt", "go on after an interruption"),
        ],
    ),
    (
        "check",
        &[
            ("hashloom check SHA256SUMS", "each file that the list names"),
            ("hashloom check -q --ignore-missing SHA256SUMS", "only what differs"),
            ("curl -s https://example.org/SHA256SUMS | hashloom check", "a list from elsewhere"),
            ("hashloom check --allowed-signers signers SHA256SUMS", "only if its signature is good"),
            ("hashloom check --store git-lfs repository", "the objects of a store, by their names"),
        ],
    ),
    (
        "similar digest",
        &[("hashloom similar digest -c ssdeep,tlsh -f jsonl -o alike.jsonl docs", "digests of all files")],
    ),
    ("similar compare", &[("hashloom similar compare -c ssdeep old.doc new.doc", "one score")]),
    ("similar pairs", &[("hashloom similar pairs -c tlsh -t 50 docs", "all similar pairs")]),
    (
        "similar search",
        &[("hashloom similar search -c ssdeep --against bad.ssdeep -t 60 /mnt", "files similar to a list")],
    ),
    (
        "known build",
        &[
            ("hashloom known build -o sets.hlk --good RDS.db --bad malware.sha256", "one index of all lists"),
            ("hashloom known build -o mine.hlk --as project project.jsonl", "a category of one's own"),
        ],
    ),
    ("known info", &[("hashloom known info --verify sets.hlk", "contents and integrity")]),
    (
        "known query",
        &[(
            "hashloom known query --known-set sets.hlk d41d8cd98f00b204e9800998ecf8427e",
            "the category of a digest",
        )],
    ),
    (
        "known match",
        &[
            ("hashloom known match --known-set sets.hlk /mnt", "all files that are not known good"),
            ("hashloom known match --known-set sets.hlk --show bad --manifest m.jsonl", "no file is read"),
        ],
    ),
    (
        "convert",
        &[
            ("hashloom convert photos.manifest photos.csv", "the name says the format"),
            ("hashloom convert m.jsonl - -f sums --lossy | sha256sum -c", "for another program"),
        ],
    ),
    ("merge", &[("hashloom merge monday.jsonl tuesday.jsonl -o both.jsonl", "one manifest of two")]),
    (
        "report",
        &[
            ("hashloom report photos.manifest -o photos.html", "a page of a manifest"),
            (
                "hashloom audit -k m -f json photos > a.json; hashloom report a.json -o a.html",
                "and of an audit",
            ),
        ],
    ),
    ("explain", &[("hashloom explain /mnt -c sha256,md5", "how fast, and why")]),
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
                assert!(line.contains(&format!("hashloom {path}")) && !what.is_empty(), "{path}: {line}");
                let words = line.split("hashloom ").filter(|part| part.starts_with(path));
                for words in words {
                    // The words before shell syntax.
                    let typed: Vec<&str> =
                        words.split_whitespace().take_while(|word| !matches!(*word, "|" | ">")).collect();
                    let typed = typed.iter().map(|word| word.trim_matches(['\'', ';']));
                    let parsed = whole().try_get_matches_from(std::iter::once("hashloom").chain(typed));
                    assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
                }
            }
        }
    }
}
