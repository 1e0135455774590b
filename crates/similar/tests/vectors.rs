//! Every digest and score of the reference programs for the generated files.

use crate::common::digest_by;
use crate::inputs::{Inputs, Row, Table, name, sha256};
use hashmill_similar::{Likeness, LikenessDigest, Named, Refusal, Set, find, sdhash, ssdeep, tlsh};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

/// Returns the digest of a file by a row of the registry.
fn digest(row: &str, inputs: &Inputs, file: &str) -> Result<LikenessDigest, Refusal> {
    digest_by((find(row).unwrap().stream)(), &inputs.read(file))
}

fn text(digest: LikenessDigest, file: &str) -> String {
    let lines = Named { name: name(file), digest }.lines();
    String::from_utf8(lines).unwrap()
}

#[test]
fn ssdeep_digests() {
    let inputs = Inputs::get();
    for row in Table::read("ssdeep_digests.tsv") {
        let file = row.get("name");
        let (Ok(LikenessDigest::Ssdeep(normal)), Ok(LikenessDigest::Ssdeep(long))) =
            (digest("ssdeep", inputs, file), digest("ssdeep-long", inputs, file))
        else {
            panic!("{file} has no digest")
        };
        let text = |digest: ssdeep::SsdeepDigest| String::from_utf8(digest.text()).unwrap();
        assert_eq!(text(normal.clone()), row.get("digest"), "{file}");
        assert_eq!(text(normal.without_runs()), row.get("digest_elimseq"), "{file}");
        assert_eq!(text(long.clone()), row.get("digest_notrunc"), "{file}");
        assert_eq!(text(long.without_runs()), row.get("digest_elimseq_notrunc"), "{file}");
    }
}

#[test]
fn ssdeep_lines() {
    let inputs = Inputs::get();
    let expected = Table::text("ssdeep_output_l.txt");
    let mut lines = format!("{}\n", find("ssdeep").unwrap().header.unwrap());
    for row in Table::read("inputs.tsv").filter(|row| row.get("set") == "core") {
        let file = row.get("name");
        lines.push_str(&text(digest("ssdeep", inputs, file).unwrap(), file));
    }
    assert_eq!(lines, expected);
}

#[test]
fn ssdeep_scores() {
    let digests: HashMap<_, _> = Table::read("ssdeep_digests.tsv")
        .map(|row| (row.get("name").to_string(), row.get("digest").to_string()))
        .collect();
    for row in Table::read("ssdeep_pairs.tsv") {
        let (a, b) = (&digests[row.get("a")], &digests[row.get("b")]);
        let [x, y] = [a, b].map(|text| ssdeep::parse(text.as_bytes()).unwrap().unwrap());
        let compare = find("ssdeep").unwrap().compare;
        let score = compare(&x, &y);
        assert_eq!(score, Some(row.get("score").parse().unwrap()), "{a} {b}");
        assert_eq!(compare(&y, &x), score);
    }
}

#[test]
fn ssdeep_scores_of_made_up_digests() {
    let mut compared = 0;
    for row in Table::read("ssdeep_compare_synthetic.tsv") {
        let (a, b) = (row.get("digest_a"), row.get("digest_b"));
        let expected: i32 = row.get("score").parse().unwrap();
        if let (Ok(Some(a)), Ok(Some(b))) = (ssdeep::parse(a.as_bytes()), ssdeep::parse(b.as_bytes())) {
            assert_eq!((find("ssdeep").unwrap().compare)(&a, &b), Some(expected));
            compared += 1;
        }
    }
    assert!(compared > 0);
}

#[test]
#[ignore = "campaign: takes long"]
fn tlsh_digests() {
    let inputs = Inputs::get();
    for row in Table::read("tlsh_digests.tsv") {
        let file = row.get("name");
        let (new, old) = (digest("tlsh", inputs, file), digest("tlsh-old", inputs, file));
        let status = match new {
            Ok(_) => "ok",
            Err(Refusal::TooSmall { .. }) => "file_too_small",
            Err(_) => "cannot_hash",
        };
        assert_eq!(status, row.get("status"), "{file}");
        let text = |digest| match digest {
            Ok(LikenessDigest::Tlsh(digest)) => String::from_utf8(tlsh::TlshDigest::text(&digest)).unwrap(),
            _ => "-".to_string(),
        };
        assert_eq!(text(new), row.get("tlsh_4.12.1"), "{file}");
        if row.get("status_3.4.4") == "ok" {
            assert_eq!(text(old), row.get("tlsh_3.4.4"), "{file}");
        }
    }
}

fn tlsh_digest(text: &str) -> Named {
    tlsh::parse(text.as_bytes()).unwrap().unwrap()
}

#[test]
fn tlsh_distances() {
    let digests: HashMap<_, _> = Table::read("tlsh_digests.tsv")
        .filter(|row| row.get("status") == "ok")
        .map(|row| (row.get("name").to_string(), tlsh_digest(row.get("tlsh_4.12.1"))))
        .collect();
    for row in Table::read("tlsh_pairs.tsv") {
        check_distances(&digests[row.get("a")], &digests[row.get("b")], &row);
    }
    for row in Table::read("tlsh_compare_synthetic.tsv") {
        let [a, b] = ["digest_a", "digest_b"].map(|column| tlsh_digest(row.get(column)));
        check_distances(&a, &b, &row);
    }
}

fn check_distances(a: &Named, b: &Named, row: &Row) {
    for (column, name) in [("distance", "tlsh"), ("distance_xlen", "tlsh-xlen")] {
        let (compare, expected) = (find(name).unwrap().compare, row.get(column).parse().unwrap());
        assert_eq!([compare(a, b), compare(b, a)], [Some(expected); 2], "{name}");
    }
}

fn check_sdhash(table: &str, stream: fn() -> sdhash::SdhashStream) {
    let inputs = Inputs::get();
    for row in Table::read(table) {
        let file = row.get("name");
        let digest = digest_by(Box::new(stream()), &inputs.read(file));
        check_line(digest, file, row.get("sha256_of_digest"), row.get("digest"));
    }
}

fn check_line(digest: Result<LikenessDigest, Refusal>, file: &str, sum: &str, line: &str) {
    let got = digest.map(|digest| text(digest, file)).unwrap_or_default();
    let got = got.trim_end_matches('\n');
    if line != "-" {
        assert_eq!(got, line, "{file}");
    }
    assert_eq!(if got.is_empty() { "-".to_string() } else { sha256(got.as_bytes()) }, sum, "{file}");
}

#[test]
fn sdhash_streams() {
    use sdhash::{Mode, SdhashStream, Version};
    check_sdhash("sdhash40_stream.tsv", || SdhashStream::new(Mode::Auto, Version::V4_0));
    check_sdhash("sdhash34_stream.tsv", || SdhashStream::new(Mode::Auto, Version::V3_4));
}

#[test]
#[ignore = "campaign: takes long"]
fn sdhash_blocks() {
    let inputs = Inputs::get();
    for row in Table::read("sdhash_dd.tsv") {
        let (file, kib) = (row.get("name"), row.get("block_kib").parse().unwrap());
        let mode = sdhash::Mode::Blocks { kib, segment: 128 };
        let stream = sdhash::SdhashStream::new(mode, sdhash::Version::V4_0);
        let digest = digest_by(Box::new(stream), &inputs.read(file));
        check_line(digest, file, row.get("sha256_of_digest"), row.get("digest"));
    }
}

/// Cached digests of large files, by version, mode and file.
type Large = HashMap<[String; 3], LikenessDigest>;

/// Returns the digest of a large file, which is computed once.
fn large(version: &str, mode: &str, file: &str) -> LikenessDigest {
    use sdhash::{Mode, SdhashStream, Version};
    static MADE: LazyLock<Mutex<Large>> = LazyLock::new(|| Mutex::new(HashMap::new()));
    let make = || {
        let bytes = Inputs::get().read(file);
        let release = if version == "3.4" { Version::V3_4 } else { Version::V4_0 };
        let mode = match mode {
            "default" => Mode::Auto,
            "b0" => Mode::Whole,
            _ => Mode::Blocks { kib: 16, segment: 1 },
        };
        let mut stream = SdhashStream::new(mode, release);
        stream.expect(bytes.len() as u64);
        digest_by(Box::new(stream), &bytes).unwrap()
    };
    let key = [version, mode, file].map(str::to_string);
    MADE.lock().unwrap().entry(key).or_insert_with(make).clone()
}

#[test]
#[ignore = "campaign: takes long"]
fn sdhash_large_files() {
    for row in Table::read("sdhash_big.tsv") {
        let (printed, sum) = (row.get("name"), row.get("sha256_of_digest"));
        let file = Inputs::get().file_of(printed);
        let lines = text(large(row.get("version"), row.get("mode"), &file), &file);
        let line = lines.lines().find(|line| line.contains(&format!(":{printed}:")));
        assert_eq!(sha256(line.unwrap_or("").as_bytes()), sum, "{printed} {}", row.get("mode"));
    }
}

type Scores = fn(&Named, &Named) -> i32;

fn sdhash_score<S: sdhash::Scoring>(a: &Named, b: &Named) -> i32 {
    let sets = [a, b].map(|named| sdhash::Set::<S>::gather(std::slice::from_ref(named)).unwrap());
    sets[0].score(0, &sets[1], 0)
}

#[test]
#[ignore = "campaign: takes long"]
fn sdhash_scores() {
    use sdhash::{Fast, Mode, Newer, Older, Version};
    let inputs = Inputs::get();
    let digests = |mode, version| -> HashMap<String, Named> {
        let files = Table::read("sdhash40_stream.tsv");
        let digest = |file: &str| {
            digest_by(Box::new(sdhash::SdhashStream::new(mode, version)), &inputs.read(file)).ok()
        };
        let named = |file: &str| Some((file.to_string(), Named { name: name(file), digest: digest(file)? }));
        files.filter_map(|row| named(row.get("name"))).collect()
    };
    let blocks = Mode::Blocks { kib: 16, segment: 128 };
    let (new, old) = (digests(Mode::Auto, Version::V4_0), digests(Mode::Auto, Version::V3_4));
    let blocks = digests(blocks, Version::V4_0);
    let columns: [(&str, &HashMap<_, _>, Scores, bool); 8] = [
        ("v40_ab", &new, sdhash_score::<Newer>, false),
        ("v40_ba", &new, sdhash_score::<Newer>, true),
        ("v40_fast_ab", &new, sdhash_score::<Fast>, false),
        ("v34_ab", &old, sdhash_score::<Older>, false),
        ("v34_ba", &old, sdhash_score::<Older>, true),
        ("dd16_v40_ab", &blocks, sdhash_score::<Newer>, false),
        ("dd16_v40_ba", &blocks, sdhash_score::<Newer>, true),
        ("dd16_v34_ab", &blocks, sdhash_score::<Older>, false),
    ];
    for row in Table::read("sdhash_pairs.tsv") {
        for (column, digests, score, turned) in columns {
            if row.get(column) == "-" {
                continue;
            }
            let (a, b) = (&digests[row.get("a")], &digests[row.get("b")]);
            let got = if turned { score(b, a) } else { score(a, b) };
            let names = (row.get("a"), row.get("b"));
            assert_eq!(got, row.get(column).parse::<i32>().unwrap(), "{column} {names:?}");
        }
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn sdhash_scores_of_large_files() {
    use sdhash::{Newer, Older};
    for row in Table::read("sdhash_big_pairs.tsv") {
        let version = row.get("version");
        let [a, b] = ["a", "b"].map(|column| {
            let file = Inputs::get().file_of(row.get(column));
            let digest = large(version, row.get("mode"), &file);
            let mut segments = Named { name: name(&file), digest }.segments().into_iter();
            segments.find(|named| named.name == row.get(column).as_bytes()).unwrap()
        });
        let score =
            if version == "3.4" { sdhash_score::<Older>(&a, &b) } else { sdhash_score::<Newer>(&a, &b) };
        assert_eq!(score, row.get("score").parse::<i32>().unwrap(), "{} {}", row.get("a"), row.get("b"));
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn mrsh_digests() {
    let inputs = Inputs::get();
    for row in Table::read("mrsh_digests.tsv") {
        let file = row.get("name");
        let regular = digest("mrsh-v2", inputs, file);
        check_line(regular, file, row.get("sha256_of_digest"), row.get("digest"));
        let network = digest("mrsh-v2-network", inputs, file);
        check_line(network, file, row.get("sha256_of_network_digest"), "-");
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn mrsh_scores() {
    let inputs = Inputs::get();
    let digests: HashMap<_, _> = Table::read("mrsh_digests.tsv")
        .filter(|row| !row.get("name").starts_with("big_"))
        .map(|row| {
            let digest = digest("mrsh-v2", inputs, row.get("name")).unwrap();
            (row.get("name").to_string(), Named { name: Vec::new(), digest })
        })
        .collect();
    for row in Table::read("mrsh_pairs.tsv") {
        let (a, b) = (&digests[row.get("a")], &digests[row.get("b")]);
        for (column, a, b, name) in [
            ("score_ab", a, b, "mrsh-v2"),
            ("score_ba", b, a, "mrsh-v2"),
            ("score_f_ab", a, b, "mrsh-v2-whole"),
            ("score_f_ba", b, a, "mrsh-v2-whole"),
        ] {
            let names = (row.get("a"), row.get("b"));
            let score = (find(name).unwrap().compare)(a, b);
            assert_eq!(score, Some(row.get(column).parse().unwrap()), "{names:?}");
        }
    }
}
