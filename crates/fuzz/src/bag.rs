//! Tag files of bags from any bytes: no panic, no path outside the bag, and parsed data survive a round trip.

use hashmill_bag::{
    Bag, Declaration, Info, Judge, Level, PayloadFolder, Seen, Version, check, decode, encode,
};
use hashmill_digest::{find, hash};

/// Parses the bytes as every kind of tag file, and checks some files against them.
pub fn bag(data: &[u8]) {
    let _ = Bag::parse(data);
    if let Ok(text) = str::from_utf8(data) {
        let _ = check(&decode(text, Version::CURRENT));
        assert_eq!(decode(&encode(text), Version::CURRENT), text);
        let (info, _) = Info::parse(text);
        let mut again = Info::default();
        let fits = info.fields.iter().all(|(label, value)| again.add(label, value).is_ok());
        assert!(!fits || Info::parse(&again.text()) == (again, Vec::new()));
    }
    for version in ["0.93", "0.97", "1.0"] {
        for (name, encoding) in [
            ("manifest-md5.txt", "ISO-8859-1"),
            ("tagmanifest-sha512.txt", "ISO-8859-1"),
            ("fetch.txt", "ISO-8859-1"),
            ("bag-info.txt", "UTF-16"),
            ("manifest-x.txt", "UTF-16LE"),
        ] {
            let text = format!("BagIt-Version: {version}\nTag-File-Character-Encoding: {encoding}\n");
            let mut bag = Bag::new(Declaration::parse(text.as_bytes()).expect("a declaration"));
            bag.add_tag_file(name, data);
            assert!(bag.fetch.iter().all(|fetch| check(&fetch.path).is_ok()));
            judge(bag);
        }
    }
}

fn judge(bag: Bag) {
    let md5 = find("md5").expect("an algorithm of the registry");
    let mut judge = Judge::new(bag, Level::Valid);
    for path in [&b"data/a"[..], b"data/b%25", b"bagit.txt", b"data/\xff"] {
        judge.file(path, &Seen { size: Some(1), digests: vec![(md5, hash(md5, b"a"))] });
    }
    judge.finish(PayloadFolder::Present).findings.iter().for_each(|finding| drop(finding.to_string()));
}
