//! Names of older versions: each does what the new one does, and is shown nowhere.

use crate::case;
use crate::util::{Place, Ran};
use hashmill_testing::installed;
use std::collections::BTreeSet;
use std::path::Path;

/// A row of docs/names.md: the old name, a line with it, the same line with the new one, and the file that both write.
type Line = (&'static str, &'static str, &'static str, Option<&'static str>);

const LINES: &[Line] = &[
    ("seal", "seal m -o out", "seal create m -o out", Some("out")),
    ("verify-seal", "verify-seal m -f json", "seal verify m -f json", None),
    ("redact", "redact m --hide tree/a -o out", "seal redact m --hide tree/a -o out", Some("out")),
    ("prove", "prove m tree/a -o out", "proof create m tree/a -o out", Some("out")),
    ("verify-proof", "verify-proof proof --seal m.seal", "proof verify proof --seal m.seal", None),
    ("audit --known", "audit --known m tree -v", "audit --manifest m tree -v", None),
    (
        "hash --known",
        "hash -c sha256 -f jsonl --known set tree",
        "hash -c sha256 -f jsonl --known-set set tree",
        None,
    ),
    ("known match --known", "known match --known set tree", "known match --known-set set tree", None),
    ("known match -k", "known match -k set tree", "known match --known-set set tree", None),
    ("known query --known", "known query --known set DIGEST", "known query --known-set set DIGEST", None),
    ("known query -k", "known query -k set DIGEST", "known query --known-set set DIGEST", None),
    (
        "similar pairs --known",
        "similar pairs -c ssdeep --known set tree",
        "similar pairs -c ssdeep --known-set set tree",
        None,
    ),
    (
        "similar search --known",
        "similar search -c ssdeep --against list --known set tree",
        "similar search -c ssdeep --against list --known-set set tree",
        None,
    ),
    ("sign -k", "sign -k key m -o out", "sign --key key m -o out", Some("out")),
    (
        "verify -s",
        "verify -s sig m --public-key key.pub",
        "verify --signature sig m --public-key key.pub",
        None,
    ),
];

/// The SHA-256 of `tree/a`.
const DIGEST: &str = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";

/// The rows of docs/names.md, without the name of the program.
fn rows() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/names.md");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("| `hashmill ")?.strip_suffix("` |"));
    let pair =
        |line: &str| line.split_once("` | `hashmill ").map(|(old, now)| (old.to_owned(), now.to_owned()));
    lines.filter_map(pair).collect()
}

/// Makes all that the lines read.
fn filled(t: &Place) {
    let text: String = (0..4000).map(|number| format!("{number} ")).collect();
    t.file("tree/a", "a").file("tree/b", "b").file("tree/c", &text).file("tree/d", format!("{text}more"));
    t.run("hash -c sha256 -f jsonl -o m tree").code(0);
    t.run("seal create m").code(0);
    t.run("proof create m tree/a -o proof").code(0);
    t.run("hash -c sha256 -f sums -o bad tree/a").code(0);
    t.run("hash -c sha256 -f sums -o good tree/b").code(0);
    t.run("known build -o set --bad bad --good good").code(0);
    t.run("similar digest -c ssdeep -o list tree/c").code(0);
}

/// Runs a line in a place of its own; returns what came of it, and what was written.
fn ran(t: &Place, (line, out): (&str, Option<&str>)) -> (Ran, Vec<u8>) {
    if let Some(out) = out.filter(|out| t.has(out)) {
        t.remove(out);
    }
    let ran = t.run(&line.replace("DIGEST", DIGEST));
    let written = out.map_or_else(Vec::new, |out| t.read(out));
    (ran, written)
}

case!(every_old_name_does_the_same_as_the_new_one, |t| {
    filled(t);
    let has_keys = installed("ssh-keygen").is_some();
    if has_keys {
        t.shell("ssh-keygen -q -t ed25519 -N '' -f key").code(0);
        t.run("sign --key key m -o sig").code(0);
    }
    for (name, old, new, out) in LINES {
        if !has_keys && matches!(*name, "sign -k" | "verify -s") {
            continue;
        }
        let ((was, written), (is, wanted)) = (ran(t, (old, *out)), ran(t, (new, *out)));
        assert!(matches!(is.exit(), Some(0 | 1)), "{new}: {}", is.stderr());
        assert_eq!((was.exit(), was.stderr()), (is.exit(), is.stderr()), "{old}");
        assert_eq!(String::from_utf8_lossy(was.stdout()), String::from_utf8_lossy(is.stdout()), "{old}");
        assert!(written == wanted, "{old}: what was written");
    }
    let tried: BTreeSet<&str> = LINES.iter().map(|(name, ..)| *name).collect();
    let listed: Vec<(String, String)> = rows();
    assert_eq!(tried, listed.iter().map(|(old, _)| old.as_str()).collect(), "the table of docs/names.md");
});

case!(only_new_names_are_shown, |t| {
    let commands = t.run("--help").code(0);
    let commands = String::from_utf8(commands.stdout().to_vec()).unwrap();
    for (old, now) in rows() {
        let words: Vec<&str> = old.split(' ').collect();
        let Some(option) = words.last().filter(|word| word.starts_with('-')) else {
            let is_noun = now.starts_with(&old);
            assert!(is_noun || !commands.contains(&format!("\n  {old} ")), "{old}");
            // It is known all the same.
            let help = t.run(&format!("{now} --help")).code(0);
            if !is_noun {
                t.run(&format!("{old} --help")).code(0).is(help.stdout());
                t.run(&format!("help {old}")).code(0).prints(&now);
                t.run(&format!("man {old}")).code(0).prints(now.replace(' ', "\\-"));
            }
            continue;
        };
        let command = words[..words.len() - 1].join(" ");
        let help = t.run(&format!("{command} --help")).code(0).prints(now.rsplit(' ').next().unwrap());
        let help = String::from_utf8(help.stdout().to_vec()).unwrap();
        let is_shown = |line: &str| line.split([' ', ',', '=']).any(|word| word == *option);
        assert!(!help.lines().any(is_shown), "{old} is in its help");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = t.run(&format!("completions {shell}")).code(0);
        let script = String::from_utf8(script.stdout().to_vec()).unwrap();
        assert!(script.contains("known-set") && !script.contains("verify-seal"), "{shell}");
    }
    t.run("man --all man").code(0);
    assert!(t.has("man/hashmill-seal-verify.1") && !t.has("man/hashmill-verify-seal.1"));
});

case!(settings_have_old_names_too, |t| {
    filled(t);
    let is_json = |line: &str, yes: bool| {
        let ran = t.shell(line).code(0).quiet();
        assert_eq!(ran.stdout().starts_with(b"{"), yes, "{line}");
    };
    for line in ["$hashmill seal verify m", "$hashmill verify-seal m"] {
        is_json(line, false);
        is_json(&format!("HASHMILL_VERIFY_SEAL_FORMAT=json {line}"), true);
        is_json(&format!("HASHMILL_SEAL_VERIFY_FORMAT=json {line}"), true);
        is_json(&format!("HASHMILL_SEAL_FORMAT=json {line}"), false);
        for (text, yes) in [
            ("[verify-seal]\nformat = 'json'", true),
            ("[seal.verify]\nformat = 'json'", true),
            ("[seal]\nformat = 'json'", false),
        ] {
            t.file("settings/hashmill/config.toml", text);
            is_json(line, yes);
        }
        t.file("settings/hashmill/config.toml", "");
    }
    is_json("HASHMILL_SEAL_FORMAT=json $hashmill seal m --force 2>/dev/null", true);
    let labelled = |line: &str| t.shell(line).code(0).quiet().prints("\"category\":\"bad\"");
    labelled("HASHMILL_HASH_KNOWN=set $hashmill hash -c sha256 -f jsonl tree");
    labelled("HASHMILL_KNOWN=set $hashmill hash -c sha256 -f jsonl tree");
    labelled("HASHMILL_HASH_KNOWN_SET=set $hashmill hash -c sha256 -f jsonl tree");
    t.file("settings/hashmill/config.toml", "known = 'set'\n");
    labelled("$hashmill hash -c sha256 -f jsonl tree");
    // It never was the manifest of an audit.
    t.run("audit tree").code(64).says("--manifest");
});
