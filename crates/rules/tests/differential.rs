//! The same rules match as by the program `yara`: rules and contents that a generator makes.

use crate::util::{Folder, of};
use hashmill_facts::{ContentScanner, RuleFacts};
use hashmill_testing::{Random, cases, installed};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Words that rules look for and contents are made of.
const WORDS: [&str; 8] = ["alpha", "Beta", "gamma99", "de", "x_y", "MZ\\x90", "\\x00\\xff\\x01\\x02", "aaaa"];

/// Returns a string of a rule.
fn string(random: &mut Random) -> String {
    let word = WORDS[random.below(WORDS.len())];
    let modifiers =
        ["", " nocase", " wide", " ascii wide", " fullword", " wide nocase", " xor", " xor(1-20)", " base64"];
    let modifier = modifiers[random.below(modifiers.len())];
    match random.below(4) {
        0 | 1 if modifier.contains("base64") && word.len() < 4 => format!("\"{word}\""),
        0 | 1 => format!("\"{word}\"{modifier}"),
        2 => {
            let hex = [
                "61 6C ?? 68",
                "( 41 | 61 | 4? ) 6C [1-3] 61",
                "00 FF 01 02",
                "6? 6D [0-4] 61 39",
                "61 61 [2] 61",
            ];
            format!("{{ {} }}", hex[random.below(hex.len())])
        }
        _ => {
            let regex = [
                "al(p|q)ha",
                "[Bb]eta?",
                "gam{2}a\\d+",
                "a{3,5}b?",
                "x.y",
                "\\bde\\b",
                "(alpha|Beta).{0,8}de",
                "^alpha",
                "de$",
                "g[a-m]+a",
            ];
            let modifiers = ["", " nocase", " wide", " ascii wide", " fullword"];
            format!("/{}/{}", regex[random.below(regex.len())], modifiers[random.below(modifiers.len())])
        }
    }
}

/// Returns a condition about the strings `$a`, `$b` and `$c`.
fn condition(random: &mut Random, depth: usize) -> String {
    let name = ["a", "b", "c"][random.below(3)];
    let number = random.below(40);
    match random.below(if depth == 0 { 12 } else { 15 }) {
        0 | 1 => format!("${name}"),
        2 => format!("#{name} > {}", number % 4),
        3 => format!("@{name} < {number}"),
        4 => format!("${name} at {number}"),
        5 => format!("${name} in ({number}..{})", number + random.below(100)),
        6 => format!("!{name}[1] >= {}", number % 8),
        7 => format!("filesize {} {}", ["<", ">", "=="][random.below(3)], 10 * number),
        8 => format!("{} of them", ["any", "all", "2", "none"][random.below(4)]),
        9 => format!("uint16({number}) == 0x5A4D or uint8({number}) > 0x60"),
        10 => format!("for any i in (1..#{name}) : (@{name}[i] % 2 == {})", number % 2),
        11 => {
            let sums = [
                "math.entropy(0, filesize) > 3.0",
                "hash.crc32(0, filesize) % 2 == 0",
                "math.mean(0, filesize) < 100.0",
                "hash.sha256(0, 3) != \"\"",
                "math.count(0x61) > 5",
                "pe.is_pe",
                "elf.type == 2 or pe.number_of_sections > 3",
            ];
            sums[random.below(sums.len())].to_string()
        }
        12 => format!("({} and {})", condition(random, depth - 1), condition(random, depth - 1)),
        13 => format!("({} or {})", condition(random, depth - 1), condition(random, depth - 1)),
        _ => format!("not ({})", condition(random, depth - 1)),
    }
}

/// Returns a file of rules, some of them global or private.
fn rules(random: &mut Random, number: usize) -> String {
    let mut text: String =
        ["pe", "elf", "math", "hash"].iter().map(|name| format!("import \"{name}\"\n")).collect();
    for index in 0..number {
        let kind = match random.below(20) {
            0 => "private ",
            _ => "",
        };
        let tags = if random.below(4) == 0 { " : tag other" } else { "" };
        let strings: Vec<String> =
            ["a", "b", "c"].iter().map(|name| format!("    ${name} = {}\n", string(random))).collect();
        // Each string must be used.
        let used = "(any of them or true)";
        let condition = condition(random, 2);
        text += &format!(
            "{kind}rule r{index:04}{tags} {{\n  strings:\n{}  condition:\n    {used} and {condition}\n}}\n",
            strings.concat()
        );
    }
    text
}

/// Returns a content, of words of rules in most cases. It is not empty: of nothing, yara and boreal have other numbers.
fn content(random: &mut Random) -> Vec<u8> {
    let mut bytes = vec![b'-'];
    for _ in 0..random.below(30) {
        let word = WORDS[random.below(5)].as_bytes();
        match random.below(8) {
            0 => bytes.extend(word.iter().flat_map(|byte| [*byte, 0])),
            1 => {
                let key = random.below(256) as u8;
                bytes.extend(word.iter().map(|byte| byte ^ key));
            }
            2 => {
                let length = random.below(20);
                bytes.extend(random.bytes(length));
            }
            3 => bytes.extend(b"MZ\x90\0\x00\xff\x01\x02aaaaaaab"),
            4 => bytes.extend(b"YWxwaGE=QmV0YQ== \n"),
            5 => bytes.extend(word.to_ascii_uppercase()),
            _ => {
                bytes.extend(word);
                bytes.extend([b" ", b".", b"\n"][random.below(3)]);
            }
        }
    }
    bytes
}

/// Returns the rules and places that `yara` prints for each file of a folder: `file rule` and `file rule string offset`.
fn by_yara(yara: &Path, rules: &Path, folder: &Path) -> BTreeSet<String> {
    let ran = Command::new(yara).args(["-r", "-s", "-w"]).arg(rules).arg(folder).output().unwrap();
    let problems = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && problems.is_empty(), "{problems}");
    let mut lines = BTreeSet::new();
    let mut last = String::new();
    for line in String::from_utf8_lossy(&ran.stdout).lines() {
        match line.strip_prefix("0x") {
            None => {
                let (rule, path) = line.split_once(' ').unwrap();
                last = format!("{} {rule}", path.rsplit('/').next().unwrap());
                lines.insert(last.clone());
            }
            Some(place) => {
                let mut parts = place.split(':');
                let offset = u64::from_str_radix(parts.next().unwrap(), 16).unwrap();
                lines.insert(format!("{last} {} {offset}", parts.next().unwrap()));
            }
        }
    }
    lines
}

/// Returns the same of a scan.
fn lines(name: &str, facts: &RuleFacts) -> Vec<String> {
    let mut lines = Vec::new();
    for found in &facts.matches {
        lines.push(format!("{name} {}", found.rule.name));
        for string in &found.strings {
            let places = string.places.iter();
            lines.extend(
                places.map(|(offset, _)| format!("{name} {} {} {offset}", found.rule.name, string.name)),
            );
        }
    }
    lines
}

#[test]
fn rules_of_a_generator_match_as_by_yara() {
    let Some(yara) = installed("yara") else { return };
    let mut random = Random(20);
    let mut matches = 0;
    for round in 0..cases(6) {
        let folder = Folder::new(&[("rules.yar", &rules(&mut random, 60))]);
        for file in 0..80 {
            folder.write(&format!("files/{file:03}"), content(&mut random));
        }
        let limits = hashmill_rules::Limits { strings: true, ..Default::default() };
        let compiled = folder.load_with(&["rules.yar"], limits).unwrap();
        let mut found = BTreeSet::new();
        for file in 0..80 {
            let name = format!("{file:03}");
            let content = std::fs::read(folder.path(&format!("files/{name}"))).unwrap();
            let facts = compiled.scan(content.as_slice().into());
            let mut names = of(&facts);
            names.sort();
            assert_eq!(names, of(&facts), "the order is that of the file");
            found.extend(lines(&name, &facts));
        }
        let wanted = by_yara(&yara, &folder.path("rules.yar"), &folder.path("files"));
        let differences: Vec<&String> = found.symmetric_difference(&wanted).take(20).collect();
        if !differences.is_empty() {
            let text = std::fs::read_to_string(folder.path("rules.yar")).unwrap();
            let rule = differences[0].split(' ').nth(1).unwrap();
            let start = text.find(rule).unwrap_or(0);
            panic!("round {round}: {differences:?}\n{}", &text[start..(start + 400).min(text.len())]);
        }
        matches += wanted.len();
    }
    assert!(matches > 1000, "the generator makes too few matches: {matches}");
}
