//! `check` and `audit` are one judge: the same list and the same tree give the same verdict in both, for every form of
//! list, whatever is damaged.

use crate::case;
use crate::util::Place;
use hashmill_digest::{find, hash};
use hashmill_testing::{Random, cases};
use std::collections::BTreeMap;

/// Names of files: some are odd, some look like paths of Windows.
const NAMES: [&str; 9] = ["a", "b c", "d\\e", "dir/f", "dir/sub/g", " lead", "*star", "é", "deadbeef"];

/// The name and content that a list says of a file before anything is damaged.
type Listed = (&'static str, Vec<u8>);

fn digest(name: &str, content: &[u8]) -> String {
    hash(find(name).unwrap(), content).to_string()
}

/// Returns the forms of lists, each with its algorithms.
fn list(random: &mut Random, files: &[Listed]) -> (&'static str, String) {
    let sets: [&[&str]; 9] = [
        &["sha256"],
        &["blake3"],
        &["md5"],
        &["crc32c"],
        &["xxh64"],
        &["dropbox"],
        &["md5", "sha256"],
        &["md5", "md4"],
        &["crc32", "md5", "sha1"],
    ];
    let set = *random.pick(&sets);
    let digests = |content: &[u8], by: &str| -> Vec<String> {
        set.iter().map(|name| digest(name, content)).map(|text| text + by).collect()
    };
    let lines = |line: &dyn Fn(&str, &[u8]) -> String| -> String {
        files.iter().map(|(name, content)| line(name, content)).collect()
    };
    let name = ["list", "list.txt", "list.b3", "SHA256SUMS", "x.md5"][random.below(5)];
    let text = match random.below(6) {
        0 => lines(&|name, content| {
            digests(content, "").iter().map(|digest| format!("{digest}  {name}\n")).collect()
        }),
        1 => lines(&|name, content| {
            let tagged = |algorithm: &&str| {
                let tag = find(algorithm).unwrap().tag;
                format!("{tag} ({name}) = {}\n", digest(algorithm, content))
            };
            set.iter().map(tagged).collect()
        }),
        2 => lines(&|name, content| format!("{name}  {}\n", digests(content, "").join("  "))),
        3 => {
            let titles: Vec<String> = (1..=set.len()).map(|number| format!("Hash{number}")).collect();
            let rows = lines(&|name, content| format!("\"{name}\",{}\n", digests(content, "").join(",")));
            format!("Path,{}\n{rows}", titles.join(","))
        }
        4 => {
            let rows = lines(&|name, content| format!("{name},{}\n", digests(content, "").join(",")));
            format!("path,{}\n{rows}", set.join(","))
        }
        _ => lines(&|name, content| {
            let digests: Vec<String> =
                set.iter().map(|name| format!("\"{name}\":\"{}\"", digest(name, content))).collect();
            let name = name.replace('\\', "\\\\");
            format!("{{\"path\":\"{name}\",\"status\":\"hashed\",{}}}\n", digests.join(","))
        }),
    };
    (name, text)
}

/// Damages a file of the tree, or a line of the list.
fn damage(random: &mut Random, t: &Place, files: &[Listed], text: &mut String) {
    let (name, content) = random.pick(files);
    match random.below(7) {
        0 => drop(t.file(name, [content.as_slice(), b"!"].concat())),
        1 => drop(t.file(name, "")),
        2 => drop(std::fs::remove_file(t.path(name))),
        3 => *text = text.replacen(|byte: char| byte.is_ascii_digit(), "7", 1 + random.below(20)),
        4 => text.insert_str(
            0,
            ["D5 (a) = 900150983cd24fb0d6963f7d28e17f72\n", "e3b0c442\n", "x\n"][random.below(3)],
        ),
        5 => {
            // One wrong letter in some line's digest.
            let at = text.len() / 2 + random.below(text.len() / 2);
            if text.is_char_boundary(at) && text[at..].starts_with(|byte: char| byte.is_ascii_digit()) {
                text.replace_range(at..=at, "f");
            }
        }
        _ => {}
    }
}

/// Returns the worst word of each path.
fn worst(words: impl Iterator<Item = (String, String)>) -> BTreeMap<String, String> {
    const RANKS: [&str; 5] = ["matched", "unjudged", "unreadable", "missing", "changed"];
    let rank = |word: &str| RANKS.iter().position(|rank| *rank == word).unwrap_or_else(|| panic!("{word}"));
    let mut worst: BTreeMap<String, String> = BTreeMap::new();
    for (path, word) in words {
        let known = worst.entry(path).or_insert_with(|| word.clone());
        if rank(&word) > rank(known) {
            *known = word;
        }
    }
    worst
}

fn entries(t: &Place, args: &str) -> (i32, Vec<(String, String)>) {
    let ran = t.run(args);
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let code = ran.exit().unwrap();
    if text.is_empty() {
        return (code, Vec::new());
    }
    let json: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    // A run that could not begin has an error, and no entries.
    let entries = json["entries"].as_array().into_iter().flatten().map(|entry| {
        let word = entry["category"].as_str().unwrap();
        let word = match word {
            "unsupported" | "unnamed" | "partly-verified" | "unproven" | "not_compared" => "unjudged",
            word => word,
        };
        (entry["path"].as_str().unwrap().trim_start_matches("./").to_string(), word.to_string())
    });
    (code, entries.collect())
}

case!(
    #[ignore = "campaign: takes long"]
    check_and_audit_say_the_same_of_random_lists,
    |t| {
        let mut random = Random(33);
        for round in 0..cases(250) as u32 {
            let place = Place::new();
            let mut files: Vec<Listed> = Vec::new();
            for name in NAMES {
                if random.one_in(3) {
                    continue;
                }
                let content =
                    if random.one_in(6) { Vec::new() } else { format!("{name}{round}").into_bytes() };
                place.file(name, &content);
                files.push((name, content));
            }
            if files.is_empty() {
                continue;
            }
            let (name, mut text) = list(&mut random, &files);
            let damages = random.below(4);
            for _ in 0..damages {
                damage(&mut random, &place, &files, &mut text);
            }
            place.file(name, &text);
            let (check_code, checked) = entries(&place, &format!("check -f json {name}"));
            let (audit_code, audited) = entries(&place, &format!("audit -f json -k {name}"));
            let told = || format!("round {round}, {name}:\n{text}check {checked:?}\naudit {audited:?}");
            let (check, audit) = (worst(checked.iter().cloned()), worst(audited.iter().cloned()));
            // A file that is not compared has no category: it is named on standard error.
            let judged: BTreeMap<_, _> = check.iter().filter(|(_, word)| *word != "unjudged").collect();
            let others: BTreeMap<_, _> = audit.iter().filter(|(_, word)| *word != "unjudged").collect();
            assert_eq!(judged, others, "{}", told());
            if !judged.is_empty() {
                assert_eq!(check_code, audit_code, "{}", told());
            }
        }
        t.file("done", "");
    }
);
