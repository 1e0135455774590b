//! Written manifests read back the same, whatever characters a name has.

use hashmill_bag::{
    Bag, Declaration, FindingKind, Info, Judge, Level, ListKind, PayloadFolder, Seen, Version,
};
use hashmill_bag::{decode, encode, file_name, write_line};
use hashmill_digest::{find, hash};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(hashmill_testing::cases(256) as u32))]

    #[test]
    fn paths_round_trip(path in "\\PC*|(%|0|A|D|2|5|\n|\r){0,12}") {
        let text = encode(&path);
        prop_assert!(!text.contains(['\n', '\r']));
        prop_assert_eq!(decode(&text, Version::CURRENT), path);
    }

    #[test]
    fn manifests_round_trip(names in prop::collection::btree_set("(\\PC|%|\n|\r| ){1,12}", 1..8)) {
        let sha512 = find("sha512").unwrap();
        let plain = |name: &String| name.split('/').all(|part| !["", ".", ".."].contains(&part)) && !name.contains('\\');
        // White space and stars before a path belong to the line; below `data` none are in front.
        let paths: Vec<String> = names.iter().filter(|name| plain(name)).map(|name| format!("data/{name}")).collect();
        let text: String = paths.iter().map(|path| write_line(sha512, &hash(sha512, path.as_bytes()), path)).collect();
        let mut bag = Bag::new(Declaration::parse(Declaration::TEXT.as_bytes()).unwrap());
        bag.add_tag_file(&file_name(ListKind::Payload, sha512), text.as_bytes());
        let mut judge = Judge::new(bag, Level::Valid);
        for path in &paths {
            let digests = vec![(sha512, hash(sha512, path.as_bytes()))];
            judge.file(path.as_bytes(), &Seen { size: Some(1), digests });
        }
        let judged = judge.finish(PayloadFolder::Present);
        let others = judged.findings.iter().filter(|finding| finding.kind != FindingKind::CaseTwin);
        prop_assert_eq!(others.count(), 0, "{:?}", judged.findings);
    }

    #[test]
    fn fields_round_trip(fields in prop::collection::vec(("[A-Za-z-]{1,9}", "\\PC*"), 0..6)) {
        let mut info = Info::default();
        for (label, value) in &fields {
            info.add(label, value.trim()).unwrap();
        }
        prop_assert_eq!(Info::parse(&info.text()), (info, Vec::new()));
    }
}
