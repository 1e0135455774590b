//! Bags with every kind of damage, in memory. Each damage has its finding, and harmless oddities are only notes.

use hashmill_bag::{Bag, Declaration, FindingKind, Judge, Judged, Level, PayloadFolder, Seen, Severity};
use hashmill_digest::{Algorithm, find, hash};

/// A bag in memory.
struct Case {
    version: &'static str,
    tags: Vec<(&'static str, String)>,
    files: Vec<(Vec<u8>, &'static str)>,
    level: Level,
    /// Whether tag manifests list the payload manifests, too, as they must.
    lists_manifests: bool,
}

fn named(name: &str) -> &'static Algorithm {
    find(name).unwrap()
}

/// Formats the lines of a manifest.
fn lines(algorithm: &str, files: &[(&str, &str)]) -> String {
    let algorithm = named(algorithm);
    let line = |(path, text): &(&str, &str)| format!("{}  {path}\n", hash(algorithm, text.as_bytes()));
    files.iter().map(line).collect()
}

impl Case {
    /// A valid bag of two files.
    fn good() -> Case {
        let payload = [("data/a", "aaa"), ("data/sub/b", "bb")];
        let info = "Source-Organization: X\nPayload-Oxum: 5.2\n";
        Case {
            version: "1.0",
            tags: vec![
                ("manifest-sha256.txt", lines("sha256", &payload)),
                ("manifest-sha512.txt", lines("sha512", &payload)),
                ("bag-info.txt", info.to_string()),
                ("tagmanifest-sha256.txt", lines("sha256", &[("bag-info.txt", info), ("extra/tag", "t")])),
            ],
            files: [("data/a", "aaa"), ("data/sub/b", "bb"), ("bag-info.txt", info), ("extra/tag", "t")]
                .map(|(path, text)| (path.as_bytes().to_vec(), text))
                .to_vec(),
            level: Level::Valid,
            lists_manifests: true,
        }
    }

    fn tag(mut self, name: &'static str, change: impl Fn(&str) -> String) -> Case {
        match self.tags.iter_mut().find(|(known, _)| *known == name) {
            Some((_, text)) => *text = change(text),
            None => self.tags.push((name, change(""))),
        }
        self
    }

    fn without(mut self, path: &str) -> Case {
        self.files.retain(|(known, _)| known != path.as_bytes());
        self
    }

    fn with(mut self, path: impl AsRef<[u8]>, text: &'static str) -> Case {
        self.files.retain(|(known, _)| known != path.as_ref());
        self.files.push((path.as_ref().to_vec(), text));
        self
    }

    fn level(self, level: Level) -> Case {
        Case { level, ..self }
    }

    fn version(self, version: &'static str) -> Case {
        Case { version, ..self }
    }

    fn judge(&self) -> Judged {
        let text = format!("BagIt-Version: {}\nTag-File-Character-Encoding: UTF-8\n", self.version);
        let mut bag = Bag::new(Declaration::parse(text.as_bytes()).unwrap());
        let is_manifest = |name: &str| name.starts_with("manifest-") && self.lists_manifests;
        let tag_files = self.tags.iter().filter(|(name, _)| is_manifest(name));
        let tag_files: Vec<(&str, &str)> = tag_files.map(|(name, text)| (*name, text.as_str())).collect();
        for (name, text) in &self.tags {
            assert!(bag.is_tag_file(name), "{name}");
            let algorithm = name.strip_prefix("tagmanifest-").and_then(|rest| rest.strip_suffix(".txt"));
            let more = algorithm.map_or_else(String::new, |algorithm| lines(algorithm, &tag_files));
            bag.add_tag_file(name, format!("{text}{more}").as_bytes());
        }
        let algorithms = bag.algorithms();
        let mut judge = Judge::new(bag, self.level);
        let files = self.files.iter().map(|(path, text)| (path.as_slice(), *text));
        for (path, text) in files.chain(tag_files.iter().map(|(name, text)| (name.as_bytes(), *text))) {
            let digests = algorithms.iter().map(|row| (*row, hash(row, text.as_bytes()))).collect();
            judge.file(path, &Seen { size: Some(text.len() as u64), digests });
        }
        judge.finish(PayloadFolder::Present)
    }

    /// Asserts that the findings are exactly these, in any order.
    #[track_caller]
    fn finds(&self, wanted: &[(FindingKind, &str)]) {
        let judged = self.judge();
        let mut found: Vec<_> =
            judged.findings.iter().map(|finding| (finding.kind, finding.path.as_str())).collect();
        let mut wanted = wanted.to_vec();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{:?}", judged.findings);
        let worst = wanted.iter().map(|(kind, _)| kind.severity()).max();
        assert_eq!(judged.worst(), worst);
        assert_eq!(judged.is_good(), worst.is_none_or(|worst| worst == Severity::Note));
    }
}

#[test]
fn a_good_bag_is_good() {
    for level in [Level::Oxum, Level::Complete, Level::Valid] {
        Case::good().level(level).finds(&[]);
    }
    Case::good().version("0.97").finds(&[]);
    Case::good()
        .tag("manifest-sha512.txt", |text| {
            text.to_uppercase().replace("DATA/A", "data/a").replace("DATA/SUB/B", "data/sub/b")
        })
        .finds(&[]);
    Case::good().tag("manifest-sha512.txt", |text| text.replace("  ", "\t").replace('\n', "\r\n")).finds(&[]);
}

#[test]
fn payload_that_is_not_as_listed_is_told() {
    let oxum = (FindingKind::OxumDiffers, "");
    Case::good().without("data/a").finds(&[(FindingKind::Missing, "data/a"), oxum]);
    Case::good().with("data/c", "").finds(&[(FindingKind::Extra, "data/c"), oxum]);
    Case::good().with(b"data/\xff", "").finds(&[(FindingKind::Extra, "data/\u{fffd}"), oxum]);
    Case::good().with("data/a", "aab").finds(&[(FindingKind::Changed, "data/a"); 2]);
    Case::good().with("data/a", "aab").level(Level::Complete).finds(&[]);
    Case::good().without("data/a").level(Level::Complete).finds(&[(FindingKind::Missing, "data/a"), oxum]);
    Case::good().without("data/a").level(Level::Oxum).finds(&[oxum]);
    let one = |text: &str| text.lines().next().unwrap().to_string();
    Case::good().tag("manifest-sha512.txt", one).finds(&[(FindingKind::NotInAll, "data/sub/b")]);
    Case::good().tag("manifest-sha512.txt", one).version("0.97").finds(&[]);
}

#[test]
fn tag_files_that_are_not_as_listed_are_told() {
    Case::good().with("extra/tag", "other").finds(&[(FindingKind::Changed, "extra/tag")]);
    Case::good().without("extra/tag").finds(&[(FindingKind::Missing, "extra/tag")]);
    // It is allowed, and nothing verifies it.
    Case::good().with("extra/more", "new").finds(&[(FindingKind::Unlisted, "extra/more")]);
    let misplaced = |text: &str| text.to_string() + &lines("sha256", &[("data/a", "aaa")]);
    Case::good().tag("tagmanifest-sha256.txt", misplaced).finds(&[(FindingKind::Misplaced, "data/a")]);
}

#[test]
fn sizes_are_compared() {
    let info = |oxum: &'static str| move |_: &str| format!("Payload-Oxum: {oxum}\n");
    let case = |oxum| Case::good().tag("bag-info.txt", info(oxum));
    case("5.2").finds(&[]);
    case("6.2").finds(&[(FindingKind::OxumDiffers, "")]);
    case("5.1").level(Level::Oxum).finds(&[(FindingKind::OxumDiffers, "")]);
    case("five").finds(&[(FindingKind::Malformed, "")]);
    let none = || case("").tag("bag-info.txt", |_| "A: b\n".to_string());
    none().finds(&[]);
    none().level(Level::Oxum).finds(&[(FindingKind::NoOxum, "")]);
}

#[test]
fn lines_that_are_unusual_do_no_harm_and_are_told() {
    let sha = "manifest-sha256.txt";
    Case::good().tag(sha, |text| text.replace("data/a", "*data/a")).finds(&[(FindingKind::Star, "data/a")]);
    Case::good()
        .tag(sha, |text| text.replace("data/a", "./data//a"))
        .finds(&[(FindingKind::Spelling, "data/a")]);
    Case::good().tag(sha, |text| format!("\u{feff}{text}")).finds(&[(FindingKind::Mark, sha)]);
    Case::good().tag(sha, |text| format!("# made by hand\n\n{text}")).finds(&[(FindingKind::Comment, "")]);
}

#[test]
fn lines_that_are_wrong_are_told() {
    let sha = "manifest-sha256.txt";
    for line in
        ["data/c", "zz  data/c", "abcd  data/c", "900150983cd24fb0d6963f7d28e17f72  data/c", &"0".repeat(64)]
    {
        Case::good().tag(sha, |text| format!("{text}{line}\n")).finds(&[(FindingKind::Malformed, "")]);
    }
    let again = |text: &str| text.to_string() + &lines("sha256", &[("data/a", "aaa")]);
    Case::good().tag(sha, again).finds(&[(FindingKind::Repeated, "data/a")]);
    Case::good().tag(sha, again).version("0.97").finds(&[(FindingKind::Spelling, "data/a")]);
    let otherwise = |text: &str| text.to_string() + &lines("sha256", &[("./data/a", "b")]);
    Case::good()
        .tag(sha, otherwise)
        .finds(&[(FindingKind::Conflict, "data/a"), (FindingKind::Spelling, "data/a")]);
    Case::good()
        .tag("manifest-nosuch.txt", |_| String::new())
        .finds(&[(FindingKind::UnknownAlgorithm, "manifest-nosuch.txt")]);
    let none = Case::good().tag(sha, |_| String::new()).tag("manifest-sha512.txt", |_| String::new());
    none.finds(&[(FindingKind::Extra, "data/a"), (FindingKind::Extra, "data/sub/b")]);
}

#[test]
fn paths_that_lead_out_are_never_compared_with_anything() {
    for path in
        ["/etc/passwd", "../x", "data/../../x", "~/x", "~root/.ssh", "C:\\x", "data\\..\\..\\x", "bagit.txt"]
    {
        let line = |text: &str| format!("{text}{}  {path}\n", "0".repeat(64));
        Case::good().tag("manifest-sha256.txt", line).finds(&[(FindingKind::UnsafePath, path)]);
    }
    let line = |text: &str| format!("{text}{}  ../x\n", "0".repeat(64));
    Case::good().tag("tagmanifest-sha256.txt", line).finds(&[(FindingKind::UnsafePath, "../x")]);
    let fetch = |_: &str| "http://x/ 1 ../../x\n".to_string();
    Case::good().tag("fetch.txt", fetch).finds(&[(FindingKind::UnsafePath, "../../x")]);
}

#[test]
fn what_is_elsewhere_is_missing_here() {
    let fetch = |_: &str| "http://x/a - data/a\n".to_string();
    Case::good().tag("fetch.txt", fetch).finds(&[]);
    let gone = Case::good().tag("fetch.txt", fetch).without("data/a");
    gone.finds(&[(FindingKind::ToBeFetched, "data/a"), (FindingKind::OxumDiffers, "")]);
    let unlisted = |_: &str| "http://x/a 3 data/new\n".to_string();
    Case::good().tag("fetch.txt", unlisted).finds(&[(FindingKind::NotInAll, "data/new")]);
    Case::good().tag("fetch.txt", |_| "http://x\n".to_string()).finds(&[(FindingKind::Malformed, "")]);
}

#[test]
fn names_in_other_code_points_are_the_same_letters() {
    let list = |path: &str| (lines("sha256", &[(path, "x")]), lines("sha512", &[(path, "x")]));
    let case = |listed: &str, there: &[&str]| {
        let (small, large) = list(listed);
        let none = Case::good()
            .tag("bag-info.txt", |_| String::new())
            .tag("tagmanifest-sha256.txt", |_| String::new());
        let mut case =
            none.tag("manifest-sha256.txt", |_| small.clone()).tag("manifest-sha512.txt", |_| large.clone());
        case.files.clear();
        there.iter().fold(case, |case, path| case.with(path, "x"))
    };
    let (composed, decomposed) = ("data/\u{e9}", "data/e\u{301}");
    case(composed, &[composed]).finds(&[]);
    case(composed, &[decomposed]).finds(&[(FindingKind::Normalised, decomposed)]);
    case(decomposed, &[composed]).finds(&[(FindingKind::Normalised, composed)]);
    case(composed, &[decomposed, composed])
        .finds(&[(FindingKind::Extra, decomposed), (FindingKind::CaseTwin, composed)]);
    case("data/x%0Ay", &["data/x\ny"]).finds(&[]);
    case("data/a%0Ab%0D%25", &["data/a\nb\r%"]).finds(&[]);
    case("data/100%", &["data/100%"]).finds(&[]);
    case("data/100%25", &["data/100%25"]).finds(&[(FindingKind::RawPercent, "data/100%25")]);
    case("data/100%25", &["data/100%25"]).version("0.97").finds(&[]);
}

#[test]
fn manifests_that_can_be_forged_are_told() {
    let mut case = Case::good();
    case.tags.retain(|(name, _)| !name.starts_with("manifest"));
    case.tags.push(("manifest-md5.txt", lines("md5", &[("data/a", "aaa"), ("data/sub/b", "bb")])));
    case.finds(&[(FindingKind::Weak, "")]);
    case.tags.pop();
    case.finds(&[
        (FindingKind::NoManifest, ""),
        (FindingKind::Extra, "data/a"),
        (FindingKind::Extra, "data/sub/b"),
    ]);
}

#[test]
fn of_two_files_with_one_path_both_must_be_right() {
    let seen = |text: &str| {
        let digest = |name| (named(name), hash(named(name), text.as_bytes()));
        Seen { size: Some(text.len() as u64), digests: vec![digest("sha256")] }
    };
    let judged = |level, path: &[u8], first: &str, again: &str| {
        let declaration = Declaration::parse(Declaration::TEXT.as_bytes()).unwrap();
        let mut bag = Bag::new(declaration);
        bag.add_tag_file("manifest-sha256.txt", lines("sha256", &[("data/a", "aaa")]).as_bytes());
        let mut judge = Judge::new(bag, level);
        judge.file(b"data/a", &seen("aaa"));
        if path != b"data/a" {
            judge.file(path, &seen(first));
        }
        judge.file_again(path, &seen(again));
        judge.finish(PayloadFolder::Present).findings.iter().map(|finding| finding.kind).collect::<Vec<_>>()
    };
    assert_eq!(judged(Level::Valid, b"data/a", "aaa", "aab"), [FindingKind::Changed]);
    assert_eq!(judged(Level::Complete, b"data/a", "aaa", "a"), [FindingKind::Ambiguous]);
    assert_eq!(judged(Level::Valid, b"data/b", "x", "y"), [FindingKind::Extra, FindingKind::Ambiguous]);
    for path in [&b"bagit.txt"[..], b"bag-info.txt", b"manifest-md5.txt"] {
        assert_eq!(judged(Level::Valid, path, "x", "y"), [FindingKind::Ambiguous]);
    }
    assert_eq!(judged(Level::Valid, b"other.txt", "x", "y"), []);
}

#[test]
fn a_declaration_has_its_two_lines_and_no_others() {
    let found = |text: &str| {
        let mut bag = Bag::parse(text.as_bytes()).unwrap();
        bag.add_tag_file("manifest-md5.txt", b"");
        Judge::new(bag, Level::Complete).finish(PayloadFolder::Present).findings
    };
    assert_eq!(found(Declaration::TEXT), []);
    for text in [
        "Tag-File-Character-Encoding: UTF-8\nBagIt-Version: 1.0\n",
        "BagIt-Version : 1.0\nTag-File-Character-Encoding: UTF-8\n",
        "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\nA: b\n",
        "BagIt-Version: 1.0\nBagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n",
    ] {
        let findings = found(text);
        assert!(!findings.is_empty(), "{text}");
        assert!(findings.iter().all(|finding| finding.kind == FindingKind::Declaration), "{findings:?}");
    }
}

#[test]
fn fetched_files_are_payload_from_absolute_addresses() {
    Case::good().tag("fetch.txt", |_| "http://x/a 3 data/a\n".into()).finds(&[]);
    for path in ["bagit.txt", "bag-info.txt", "extra/tag"] {
        let fetch = format!("http://x/a 3 {path}\n");
        Case::good().tag("fetch.txt", |_| fetch.clone()).finds(&[(FindingKind::UnsafePath, path)]);
    }
    Case::good().tag("fetch.txt", |_| "a/b 3 data/a\n".into()).finds(&[(FindingKind::RelativeUrl, "data/a")]);
}

#[test]
fn the_size_of_the_payload_is_stated_once() {
    let twice = |text: &str| format!("{text}payload-oxum: 9.9\n");
    let mut case = Case::good().tag("bag-info.txt", twice);
    case.tags.retain(|(name, _)| !name.starts_with("tagmanifest"));
    case.finds(&[(FindingKind::Repeated, "")]);
}

#[test]
fn a_tag_manifest_lists_every_payload_manifest() {
    let case = Case { lists_manifests: false, ..Case::good() };
    case.finds(&[
        (FindingKind::NotInAll, "manifest-sha256.txt"),
        (FindingKind::NotInAll, "manifest-sha512.txt"),
    ]);
    case.version("0.97").finds(&[]);
}

#[test]
fn tag_files_in_utf_16_are_read() {
    let text = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-16\n";
    let mut bag = Bag::parse(text.as_bytes()).unwrap();
    let list = lines("sha256", &[("data/\u{e9}", "x")]);
    let bytes: Vec<u8> =
        "\u{feff}".chars().chain(list.chars()).flat_map(|c| (c as u16).to_le_bytes()).collect();
    bag.add_tag_file("manifest-sha256.txt", &bytes);
    let mut judge = Judge::new(bag, Level::Valid);
    let digests = vec![(named("sha256"), hash(named("sha256"), b"x"))];
    judge.file("data/\u{e9}".as_bytes(), &Seen { size: Some(1), digests });
    assert_eq!(judge.finish(PayloadFolder::Present).findings, []);
}
