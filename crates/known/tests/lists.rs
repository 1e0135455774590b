//! Lists, manifests and tables of all kinds: imported, skipped and reported lines.

use hashmill_digest::Digest;
use hashmill_known::{
    About, BuildOptions, Category, Error, Filter, Index, Input, Notice, Sets, Strictness, Why, build,
};
use hashmill_testing::{Folder, Random, cases};
use std::path::Path;

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn compile(folder: &Folder, inputs: &[Input], lines: Strictness) -> (Result<About, Error>, Vec<String>) {
    let mut notices = Vec::new();
    let mut note = |_: &Path, notice: Notice| match notice {
        Notice::Malformed(malformed) => notices.push(malformed.to_string()),
        Notice::Taken(_) => {}
        other => notices.push(format!("{other:?}")),
    };
    (build(&folder.at("set.hmk"), inputs, &BuildOptions::default(), lines, &mut note), notices)
}

fn digest(hex: &str) -> Digest {
    Digest::from_hex(hex.as_bytes()).unwrap()
}

fn has(folder: &Folder, hex: &str) -> bool {
    Index::open(&folder.at("set.hmk")).unwrap().find(&digest(hex)).unwrap().is_some()
}

/// Imports a single file. Returns the recognised format, and the numbers of records, malformed lines and skipped lines.
fn one(name: &str, content: &[u8]) -> (Folder, String, [u64; 3]) {
    let folder = Folder::new();
    let input = Input::new(&folder.file(name, content), Category::Bad);
    let (built, notices) = compile(&folder, &[input], Strictness::Lenient);
    let source = built.unwrap_or_else(|error| panic!("{error}: {notices:?}")).sources.remove(0);
    assert_eq!(notices.len() as u64, source.malformed);
    (folder, source.format, [source.records, source.malformed, source.skipped])
}

#[test]
fn every_kind_of_list_is_recognised() {
    let encase = {
        let mut file = vec![0; 1152];
        file[..8].copy_from_slice(b"HASH\x0d\x0a\xff\x00");
        file[16] = 1;
        file.extend_from_slice(digest(MD5).as_bytes());
        file.extend_from_slice(&[0, 0]);
        file
    };
    let hashkeeper = format!(
        "\"file_id\",\"hashset_id\",\"file_name\",\"directory\",\"hash\",\"file_size\",\"date_modified\",\"time_modified\",\"time_zone\",\"comments\",\"date_accessed\",\"time_accessed\"\n1,2,\"a\",\"\\\",\"{MD5}\",3,,,,,,\n"
    );
    let cases: [(&str, Vec<u8>, &str); 12] = [
        ("plain.txt", format!("{MD5}\n").into(), "plain"),
        ("VirusShare_00001.md5", format!("#\n# VirusShare\n#\n{MD5}\n").into(), "plain"),
        ("sums.txt", format!("{MD5}  a b\n").into(), "sums"),
        ("bsd.txt", format!("MD5 (a) = {MD5}\n").into(), "bsd"),
        ("hd.txt", format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n3,{MD5},/a\n").into(), "hashdeep"),
        (
            "own.jsonl",
            format!("{{\"path\":\"a\",\"status\":\"hashed\",\"md5\":\"{MD5}\"}}\n").into(),
            "jsonl",
        ),
        ("own.csv", format!("path,size,status,md5\na,3,hashed,{MD5}\n").into(), "csv"),
        ("other.csv", format!("name,MD5 hash,date\n\"a,b\",{MD5},x\n").into(), "csv"),
        ("misp.csv", format!("uuid,type,value\nx,md5,{MD5}\ny,filename|sha1,a|{SHA1}\n").into(), "csv"),
        ("hk.hsh", hashkeeper.into(), "hashkeeper"),
        ("ilook.hsh", format!("V1Hash,HashType\n{MD5},1\n").into(), "ilook"),
        ("encase.hash", encase, "encase"),
    ];
    for (name, content, format) in cases {
        let (folder, found, counts) = one(name, &content);
        assert_eq!((found.as_str(), counts[1]), (format, 0), "{name}");
        assert!(has(&folder, MD5), "{name}");
    }
}

#[test]
fn lengths_may_be_mixed_and_case_makes_no_difference() {
    let list = format!("{}\r\n{SHA1}\n{SHA256}\n", MD5.to_uppercase());
    let (folder, _, counts) = one("mixed.txt", list.as_bytes());
    assert_eq!(counts, [3, 0, 0]);
    assert!([MD5, SHA1, SHA256].iter().all(|hex| has(&folder, hex)));
}

#[test]
fn bad_lines_are_told_of_with_their_numbers_or_end_the_build() {
    let list = format!("{MD5}\nnonsense\n{SHA1}\n{}\n", &SHA1[..30]);
    let folder = Folder::new();
    let input = Input::new(&folder.file("list.txt", &list), Category::Good);
    let (built, notices) = compile(&folder, std::slice::from_ref(&input), Strictness::Lenient);
    let source = built.unwrap().sources.remove(0);
    assert_eq!((source.records, source.malformed), (2, 2));
    assert!(notices[0].starts_with("line 2: ") && notices[1].starts_with("line 4: "), "{notices:?}");
    let before = std::fs::read(folder.at("set.hmk")).unwrap();
    let error = compile(&folder, &[input], Strictness::Strict).0.unwrap_err();
    assert!(matches!(error.why, Why::Line(_)));
    assert!(error.to_string().contains("list.txt: line 2: "), "{error}");
    assert_eq!(std::fs::read(folder.at("set.hmk")).unwrap(), before);
    assert_eq!(folder.names(), ["list.txt", "set.hmk"]);
}

#[test]
fn a_named_column_is_taken_and_a_missing_one_named() {
    let folder = Folder::new();
    let path = folder.file("feed.csv", format!("id;x,indicator,md5\n1,{SHA256},{MD5}\n2,,\n"));
    let mut input = Input::new(&path, Category::Bad);
    input.column = Some("Indicator".into());
    let about = compile(&folder, &[input.clone()], Strictness::Strict).0.unwrap();
    assert_eq!((about.sources[0].records, about.sources[0].skipped), (1, 1));
    assert!(has(&folder, SHA256) && !has(&folder, MD5));
    input.column = Some("sha512".into());
    let error = compile(&folder, &[input], Strictness::Strict).0.unwrap_err();
    assert!(error.to_string().ends_with("feed.csv: the header has no column sha512"), "{error}");
}

#[test]
fn files_that_can_not_be_looked_up_are_told() {
    let folder = Folder::new();
    let record = |rest: &str| format!("{{\"path\":\"a\",{rest}}}\n");
    let list = [
        record(&format!("\"status\":\"hashed\",\"md5\":\"{MD5}\"")),
        record("\"status\":\"hashed\",\"crc32\":\"352441c2\""),
        record("\"status\":\"unreadable\",\"reason\":\"EIO\""),
        record("\"status\":\"skipped\",\"reason\":\"symlink\""),
    ];
    let input = Input::new(&folder.file("list.jsonl", list.concat()), Category::Bad);
    let (built, notices) = compile(&folder, &[input], Strictness::Strict);
    let about = built.unwrap();
    let source = &about.sources[0];
    assert_eq!((source.records, source.left_out, source.skipped, about.is_complete()), (1, 2, 1, false));
    assert_eq!(notices.len(), 1, "{notices:?}");
    let input = Input::new(&folder.file("short.txt", format!("352441c2  a\n{MD5}  b\n")), Category::Bad);
    let about = compile(&folder, &[input], Strictness::Lenient).0.unwrap();
    assert_eq!((about.sources[0].records, about.sources[0].left_out), (1, 1));
    assert!(has(&folder, MD5));
}

#[test]
fn tables_by_any_sign_give_all_their_digests() {
    let tables = [
        ("tabs.tsv", format!("name\tmd5\tsha1\tsha256\na file\t{MD5}\t{SHA1}\t{SHA256}\n")),
        ("quote.tsv", format!("name\tmd5\tsha1\tsha256\n5\" disk\t{MD5}\t{SHA1}\t{SHA256}\n")),
        ("blanks.txt", format!("MD5 SHA1 SHA256\n{MD5} {SHA1} {SHA256}\n")),
        ("bare.txt", format!("{MD5} {SHA1} {SHA256}\r\n")),
        ("named.txt", format!("# three\n{MD5}  {SHA1}  {SHA256}  a file\n")),
        ("behind.txt", format!("a file {MD5} {SHA1} {SHA256}\n")),
        ("bare.tsv", format!("a file\t{MD5}\t\t{SHA1}\t{SHA256}\n")),
        ("semicolons.csv", format!("\"MD5\";\"SHA-1\";\"SHA-256\"\n\"{MD5}\";\"{SHA1}\";\"{SHA256}\"\n")),
        ("bars.txt", format!("{MD5}|{SHA1}|{SHA256}\n")),
    ];
    for (name, content) in tables {
        let (folder, format, counts) = one(name, content.as_bytes());
        assert_eq!((format.as_str(), counts), ("csv", [1, 0, 0]), "{name}");
        assert!([MD5, SHA1, SHA256].iter().all(|hex| has(&folder, hex)), "{name}");
    }
}

#[test]
fn lines_that_do_not_fit_a_table_are_named() {
    let bare = format!("{MD5} {SHA1} {SHA256}\n");
    // Lines after the first bytes, by which a table is recognised. What a short one has is taken.
    let many = bare.repeat(600);
    let (_, _, counts) = one("late.txt", format!("{many}{MD5}\nx\n{bare}").as_bytes());
    assert_eq!(counts, [602, 1, 0]);
}

#[test]
fn columns_with_digests_that_are_not_taken_are_named() {
    let folder = Folder::new();
    let path = folder.file("feed.csv", format!("id,md5,n\n{SHA256},{MD5},7\n"));
    let mut input = Input::new(&path, Category::Bad);
    let (built, notices) = compile(&folder, &[input.clone()], Strictness::Lenient);
    assert_eq!(built.unwrap().sources[0].left_out, 1);
    assert_eq!(notices, ["Columns([\"id\"])"]);
    input.column = Some("id".into());
    let (built, notices) = compile(&folder, &[input], Strictness::Lenient);
    assert_eq!((built.unwrap().sources[0].left_out, notices.len()), (0, 0));
}

#[test]
fn a_column_is_found_in_tables_of_all_kinds() {
    let folder = Folder::new();
    for (name, content) in [
        ("a.tsv", format!("name\tmd5\tSHA-256\nx\t{MD5}\t{SHA256}\n")),
        ("b.txt", format!("md5 sha256\n{MD5} {SHA256}\n")),
        ("c.csv", format!("x;sha256\n1;{SHA256}\n")),
        ("d.csv", format!("sha256\n{SHA256}\n")),
    ] {
        let mut input = Input::new(&folder.file(name, content), Category::Bad);
        input.column = Some("sha256".into());
        let about = compile(&folder, &[input], Strictness::Strict).0.unwrap();
        assert_eq!((about.sources[0].records, about.tables.len()), (1, 1), "{name}");
        assert!(has(&folder, SHA256), "{name}");
    }
}

/// Imports a file, and returns its digests in order, the numbers of records, malformed lines, skipped ones and columns
/// left out, and what was told that was taken.
fn taken(name: &str, content: &[u8]) -> (Vec<String>, [u64; 4], String) {
    let folder = Folder::new();
    let input = Input::new(&folder.file(name, content), Category::Bad);
    let mut told = String::new();
    let mut note = |_: &Path, notice: Notice| {
        if let Notice::Taken(taken) = notice {
            told = taken.to_string();
        }
    };
    let target = folder.at("set.hmk");
    let built = build(&target, &[input], &BuildOptions::default(), Strictness::Lenient, &mut note);
    let source = built.unwrap_or_else(|error| panic!("{name}: {error}")).sources.remove(0);
    let index = Index::open(&target).unwrap();
    let all = [MD5, SHA1, SHA256].into_iter().filter(|hex| index.find(&digest(hex)).unwrap().is_some());
    let all = all.map(str::to_string).collect();
    (all, [source.records, source.malformed, source.skipped, source.left_out], told)
}

#[test]
fn tables_are_read_as_they_are() {
    let bazaar = "# full dump\n#\n# \"first\",\"sha256_hash\",\"md5_hash\",\"file_name\",\"imphash\"\n";
    for (name, content, expected, counts) in [
        (
            "bazaar.csv",
            format!("{bazaar}\"1\", \"{SHA256}\", \"{MD5}\", \"a, b\", \"{MD5}\"\n# Number of entries: 1\n"),
            "took sha256_hash as sha256: 1 digest; md5_hash as md5: 1 digest; not of a file's content: imphash",
            [1, 0, 0, 0],
        ),
        (
            "absent.csv",
            format!("name,md5,sha1\nx,{MD5},-\ny,n/a,{SHA1}\nz,,NULL\n"),
            "took md5 as md5: 1 digest; sha1 as sha1: 1 digest; 1 without a digest",
            [2, 0, 1, 0],
        ),
        (
            "ragged.csv",
            format!("MD5,SHA1,Name,Comment\n{MD5},{SHA1}\n{MD5},{SHA1},x,y,\n{MD5}z,{SHA1},x,y\n"),
            "took MD5 as md5: 2 digests; SHA1 as sha1: 3 digests",
            [3, 1, 0, 0],
        ),
        ("joined.csv", format!("name,md5\na,{MD5},b,{SHA1}\nc\n"), "took md5 as md5: 1 digest", [1, 2, 0, 1]),
        (
            "otx.csv",
            format!(
                "Indicator type,Indicator\nFileHash-MD5,{MD5}\ndomain,example.org\nFileHash-PEHASH,{SHA1}\n"
            ),
            "took Indicator as md5: 1 digest; 2 without a digest; not of a file's content: FileHash-PEHASH",
            [1, 0, 2, 0],
        ),
        (
            "kinds.csv",
            format!("type,value\nmd5,{MD5}\ncommit,{SHA1}\n"),
            "took value as md5: 1 digest; 1 without a digest",
            [1, 0, 1, 1],
        ),
        (
            "loki.txt",
            format!("# hash;comment\n\n{MD5};a tool, seen\n"),
            "took hash as md5 by their length: 1 digest",
            [1, 0, 0, 0],
        ),
        (
            "pot",
            format!("{MD5}:pass:word\n{SHA1}:x\n"),
            "took column 1 as md5 by their length: 1 digest; column 1 as sha1 by their length: 1 digest",
            [2, 0, 0, 0],
        ),
        (
            "body",
            format!(
                "{MD5}|/a|1|r/r|0|0|5|1|1|1|1\n0|/b|2|d/d|0|0|5|1|1|1|1\n{}|/c|3|r/r|0|0|5|1|1|1|1\n",
                "0".repeat(32)
            ),
            "",
            [1, 0, 1, 0],
        ),
        (
            "set-md5.idx",
            format!("{}|nsrl\n{}1|NSRL\n{MD5}|0000000000000100\n", "0".repeat(41), "0".repeat(40)),
            "took column 1 as md5 by their length: 1 digest; 2 without a digest",
            [1, 0, 2, 0],
        ),
        (
            "hex",
            format!("0x{MD5}\n0X{SHA1}\n"),
            "took column 1 as md5 by their length: 1 digest; column 1 as sha1 by their length: 1 digest",
            [2, 0, 0, 0],
        ),
        (
            "quoted",
            format!("\"{MD5}\",\n'{SHA1}',\n"),
            "took column 1 as md5 by their length: 1 digest; column 1 as sha1 by their length: 1 digest",
            [2, 0, 0, 0],
        ),
        (
            "around",
            format!("  {MD5}  \r\n\t{SHA1}\t\r\n"),
            "took column 1 as md5 by their length: 1 digest; column 1 as sha1 by their length: 1 digest",
            [2, 0, 0, 0],
        ),
        (
            "base32",
            "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\n".into(),
            "took column 1 as sha1 by their length: 1 digest",
            [1, 0, 0, 0],
        ),
        ("xways", format!("MD5\r\n{MD5}\r\n{SHA1}\r\n"), "took MD5 as md5: 1 digest", [1, 1, 0, 0]),
        ("excel.csv", format!("sep=;\nName;MD5\nx;{MD5}\n"), "took MD5 as md5: 1 digest", [1, 0, 0, 0]),
        // Nothing says which is of the file.
        (
            "two",
            format!("{MD5},{MD5},{SHA1}\n"),
            "took column 3 as sha1 by their length: 1 digest",
            [1, 0, 0, 2],
        ),
        // A digest of another algorithm than the header says.
        ("wrong.csv", format!("name,sha1\nx,{SHA1}\ny,{MD5}\n"), "took sha1 as sha1: 1 digest", [1, 1, 0, 0]),
    ] {
        let (found, met, told) = taken(name, content.as_bytes());
        assert_eq!((met, told.as_str()), (counts, expected), "{name}");
        let is_taken =
            |hex: &str, algorithm: &str| !expected.contains(algorithm) || found.contains(&hex.into());
        assert!(
            is_taken(MD5, "as md5") && is_taken(SHA1, "as sha1") && is_taken(SHA256, "as sha256"),
            "{name}"
        );
    }
}

#[test]
fn json_is_read_as_it_is() {
    let media = format!("{{\"MediaID\":1,\"Category\":0,\"SHA1\":\"{SHA1}\",\"MediaSize\":\"3\",");
    let pairs = format!(
        "\"AlternativeHashes\":[{{\"HashName\":\"MD5\",\"HashValue\":\"{MD5}\"}},{{\"HashName\":\"PhotoDNA\",\"HashValue\":\"AAAA\"}}]}}"
    );
    let lookup = format!("{{\"MD5\":\"{MD5}\",\"SHA-1\":\"{SHA1}\"}}");
    for (name, content, expected, counts) in [
        (
            "vics",
            format!(
                "\u{feff}{{\"@odata.context\":\"http://x/DataModels/2.0.xml/US/$metadata#Media\",\"value\":[\r\n{media}{pairs}]}}"
            ),
            "took HashValue as md5: 1 digest; SHA1 as sha1: 1 digest; by the set's own categories (US), which are not used: 0: 1",
            [2, 0, 0, 0],
        ),
        (
            "case",
            format!(
                "{{\"value\":[{{\"CaseID\":\"c\",\"Media\":[{media}\"MediaFiles\":[{{\"FileName\":\"x\"}}]}}]}}]}}"
            ),
            "took SHA1 as sha1: 1 digest; by the set's own categories, which are not used: 0: 1",
            [1, 0, 0, 0],
        ),
        (
            "strings",
            format!("[\"{MD5}\",\n\"{SHA1}\", \"-\", \"x\"]"),
            "took the list as md5 by their length: 1 digest; the list as sha1 by their length: 1 digest; 1 without a digest",
            [2, 1, 1, 0],
        ),
        (
            "warning",
            format!("{{\"name\":\"x\",\"list\":[\"{MD5}\"],\"version\":1}}"),
            "took list as md5 by their length: 1 digest",
            [1, 0, 0, 0],
        ),
        (
            "lines",
            format!("{lookup}\n{{\"MD5\":\n{lookup}\n{{\"MD5\":null}}\n"),
            "took MD5 as md5: 2 digests; SHA-1 as sha1: 2 digests; 1 without a digest",
            [2, 1, 1, 0],
        ),
        (
            "osquery",
            format!(
                "{{\"path\":\"/x\",\"size\":\"5\",\"md5\":\"{MD5}\"}}\n{{\"path\":\"/y\",\"sha1\":\"{SHA1}\",\"offset\":0,\"length\":5}}\n"
            ),
            "took md5 as md5: 1 digest; 1 without a digest; not of a file's content: pieces",
            [1, 0, 1, 0],
        ),
        (
            "keys",
            format!("{{\"{SHA1}\":{{}},\"files\":{{\"md5\":[\"{MD5}\",\"{MD5}\"]}}}}"),
            "took md5 as md5: 2 digests",
            [2, 0, 0, 1],
        ),
        (
            "velociraptor",
            format!("{{\"FullPath\":\"x\",\"Hash\":{lookup}}}\n"),
            "took MD5 as md5: 1 digest; SHA-1 as sha1: 1 digest",
            [1, 0, 0, 0],
        ),
        (
            "misp",
            format!(
                "{{\"Event\":{{\"Attribute\":[{{\"type\":\"filename|md5\",\"value\":\"x|{MD5}\"}},{{\"value\":\"{SHA1}\",\"type\":\"imphash\"}}],\"Object\":[{{\"name\":\"pe-section\",\"Attribute\":[{{\"type\":\"sha1\",\"value\":\"{SHA1}\"}}]}}]}}}}"
            ),
            "took value as md5: 1 digest; not of a file's content: imphash, value",
            [1, 0, 0, 0],
        ),
        (
            "stix",
            format!(
                "{{\"objects\":[{{\"type\":\"indicator\",\"pattern\":\"[file:hashes.MD5 = '{MD5}']\"}},{{\"hashes\":{{\"SHA-1\":\"{SHA1}\"}},\"type\":\"x509-certificate\"}}]}}"
            ),
            "took pattern MD5 as md5: 1 digest; not of a file's content: x509-certificate",
            [1, 0, 0, 0],
        ),
        (
            "otx",
            format!(
                "{{\"indicators\":[{{\"indicator\":\"{MD5}\",\"type\":\"FileHash-MD5\"}},{{\"indicator\":\"x.org\",\"type\":\"domain\"}}]}}"
            ),
            "took indicator as md5: 1 digest",
            [1, 0, 0, 0],
        ),
        (
            "parts",
            format!("[{{\"md5\":\"{MD5}\",\"sections\":[{{\"md5\":\"{MD5}\"}}],\"id\":\"{SHA1}\"}}]"),
            "took md5 as md5: 1 digest; not of a file's content: md5",
            [1, 0, 0, 1],
        ),
        // Readers differ in which of two they take.
        (
            "twice",
            format!("[{{\"MD5\":\"{MD5}\",\"MD5\":\"{MD5}\"}}]"),
            "took MD5 as md5: 2 digests",
            [1, 1, 0, 0],
        ),
        (
            "cut",
            format!("[{lookup},\n{{\"MD5\":"),
            "took MD5 as md5: 1 digest; SHA-1 as sha1: 1 digest",
            [1, 1, 0, 0],
        ),
        (
            "wrong",
            format!("[{{\"SHA-256\":\"{SHA1}\",\"MD5\":\"{MD5}\"}}]"),
            "took MD5 as md5: 1 digest",
            [1, 1, 0, 0],
        ),
    ] {
        let (found, met, told) = taken(name, content.as_bytes());
        assert_eq!((met, told.as_str()), (counts, expected), "{name}");
        let is_taken =
            |hex: &str, algorithm: &str| expected.contains(algorithm) == found.contains(&hex.into());
        assert!(is_taken(MD5, "as md5") && is_taken(SHA1, "as sha1"), "{name}");
    }
}

#[test]
#[cfg(feature = "archives")]
fn compressed_lists_are_read_and_bounded() {
    use std::io::Write;
    let gzip = |content: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    };
    let (found, met, _) = taken("list.txt.gz", &gzip(format!("{MD5}\n{SHA1}\n").as_bytes()));
    assert_eq!((found.len(), met), (2, [2, 0, 0, 0]));
    let folder = Folder::new();
    let input = Input::new(
        &folder.file("list.csv.gz", gzip(format!("{MD5}\n").repeat(1 << 15).as_bytes())),
        Category::Bad,
    );
    let options = BuildOptions { unpacked: Some(1 << 19), ..BuildOptions::default() };
    let target = folder.at("set.hmk");
    let built = build(&target, &[input], &options, Strictness::Lenient, &mut |_, _| {});
    assert!(built.unwrap_err().to_string().contains("unpacks to more than the 524288 bytes"));
}

#[test]
fn pieces_are_left_out() {
    let line = format!("{{\"path\":\"a\",\"md5\":\"{SHA1}\"}}\n").replace(SHA1, MD5);
    let piece = line.replace("}", ",\"offset\":0,\"length\":5}").replace(MD5, &"0".repeat(32));
    let (folder, _, counts) = one("pieces.jsonl", format!("{line}{piece}").as_bytes());
    assert_eq!(counts, [1, 0, 1]);
    assert!(!has(&folder, &"0".repeat(32)));
}

#[test]
fn files_that_are_no_lists_say_so() {
    let folder = Folder::new();
    for (name, content) in [("empty.txt", &b""[..]), ("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")] {
        let input = Input::new(&folder.file(name, content), Category::Bad);
        let error = compile(&folder, &[input], Strictness::Lenient).0.unwrap_err();
        assert!(matches!(error.why, Why::List(_)), "{error}");
    }
    let input = Input::new(&folder.at("nothing.txt"), Category::Bad);
    assert!(matches!(compile(&folder, &[input], Strictness::Lenient).0.unwrap_err().why, Why::Io("open", _)));
}

#[test]
fn several_sets_answer_together_and_filters_hold() {
    let folder = Folder::new();
    let open = |name: &str, content: String, category: Category| {
        let target = folder.at(format!("{name}.hmk"));
        let input = Input::new(&folder.file(name, content), category);
        build(&target, &[input], &BuildOptions::default(), Strictness::Strict, &mut |_, _| {}).unwrap();
        target
    };
    let good = open("good.txt", format!("{MD5}\n{SHA1}\n"), Category::Good);
    let bad = open("bad.txt", format!("{MD5}\n{SHA256}\n"), Category::of_word("malware"));
    let sets = Sets::open(&[&good, &bad], Filter::default()).unwrap();
    let asked = [MD5, SHA1, SHA256, &"0".repeat(64)].map(digest);
    let answers = sets.query_all(&asked).unwrap();
    let words: Vec<_> =
        answers.iter().map(|answer| answer.as_ref().map(|a| a.category.word().to_string())).collect();
    let expected =
        [Some("malware"), Some("good"), Some("malware"), None].map(|word| word.map(str::to_string));
    assert_eq!(words, expected);
    for (digest, answer) in asked.iter().zip(&answers) {
        assert_eq!(&sets.query(digest).unwrap(), answer);
    }
    let json = serde_json::to_value(answers[0].as_ref().unwrap()).unwrap();
    assert_eq!(json["category"], "malware");
    assert_eq!(json["set"], "bad");
    assert_eq!(json["claims"][1]["set"], "good");
    let filter = Filter { categories: vec![Category::Good], ..Filter::default() };
    let only_good = Sets::open(&[&good, &bad], filter).unwrap();
    assert_eq!(only_good.query(&asked[0]).unwrap().unwrap().category, Category::Good);
    assert_eq!(only_good.query(&asked[2]).unwrap(), None);
}

#[test]
#[ignore = "campaign: takes long"]
fn mutated_lists_end_in_an_error_or_an_index() {
    let seeds = [
        format!("%%%% HASHDEEP-1.0\n%%%% size,md5,sha1,filename\n3,{MD5},{SHA1},/a\n"),
        format!("name,md5,\"sha1\"\n\"a\nb\",{MD5},{SHA1}\n"),
        format!("uuid,type,value\nx,md5,{MD5}\ny,filename|sha1,a|{SHA1}\n"),
        format!(
            "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\r\n\"{SHA1}\",\"{MD5}\",\"352441C2\",\"a\",3,1,\"2\",\"\"\r\n"
        ),
        format!("# x\n{MD5}\n{SHA256} a\n"),
        format!("[{{\"MD5\":\"{MD5}\",\"hashes\":{{\"sha1\":\"{SHA1}\"}}}},\"{SHA256}\"]"),
        format!(
            "{{\"pattern\":\"[file:hashes.MD5 = '{MD5}']\"}}\n{{\"type\":\"sha1\",\"value\":\"{SHA1}\"}}\n"
        ),
        format!("{MD5};x\n\"{SHA1}\";y\n"),
        format!("INSERT INTO FILE VALUES ('{SHA1}');"),
    ];
    let folder = Folder::new();
    let mut random = Random(12);
    for round in 0..cases(600) {
        let mut content = seeds[round % seeds.len()].clone().into_bytes();
        for _ in 0..=random.below(4) {
            let Some(last) = content.len().checked_sub(1) else { break };
            let at = random.below(last + 1);
            match random.below(4) {
                0 => content[at] = b"\",\n\0'|%{}[]:;#"[random.below(14)],
                1 => drop(content.remove(at)),
                2 => content.truncate(at + 1),
                _ => content[at] = random.next() as u8,
            }
        }
        let input = Input::new(&folder.file("list", &content), Category::Bad);
        let lines = [Strictness::Lenient, Strictness::Strict][round % 2];
        if compile(&folder, &[input], lines).0.is_ok() {
            Index::open(&folder.at("set.hmk")).unwrap().verify().unwrap();
        }
    }
}

#[test]
#[cfg(not(feature = "archives"))]
fn a_build_that_reads_no_archives_says_so() {
    let folder = Folder::new();
    let input = Input::new(&folder.file("x.zip", b"PK\x03\x04"), Category::Bad);
    let (built, _) = compile(&folder, &[input], Strictness::Lenient);
    assert!(matches!(built.unwrap_err().why, Why::Feature("archives")));
    assert_eq!(folder.names(), ["x.zip"]);
}

#[test]
fn no_row_stands_for_several() {
    let (md5, other, third) = (MD5, "0cc175b9c0f1b6a831c399e269772661", "92eb5ffee6ae2fec3ad71c777531578f");
    let nsrl = "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"";
    let row = |digest: &str, end: &str| format!("\"{SHA1}\",\"{digest}\",\"0\",\"a\",3,1,\"x\",\"\"{end}");
    let keeper = "\"file_id\",\"hashset_id\",\"file_name\",\"directory\",\"hash\",\"file_size\"";
    for (text, records, malformed) in [
        (format!("{md5}  a\r{other}  b\r{third}  c\r"), 3, 0),
        (format!("{md5}\r{other}\r{third}\r"), 3, 0),
        (format!("name,md5\ra,{md5}\rb,{other}\r"), 2, 0),
        (format!("{md5}  a\n{other}  b\r{third}  c\n"), 1, 1),
        (format!("{md5}  a\n{other}  b\n\0"), 2, 1),
        // A stray quote in a name, and another one lines below.
        (format!("name,md5\n\"a,{md5}\nb,{other}\nc\"d,{third}\n"), 2, 1),
        (format!("{nsrl}\n{}\n{}\n", row(md5, ""), row(other, ",,")), 2, 0),
        (format!("{nsrl}\n{}\n{}\n", row(md5, &format!(",{other}")), row(third, "")), 1, 1),
        (format!("{nsrl}\r{}\r{}\r", row(md5, ""), row(other, "")), 2, 0),
        (
            format!(
                "{keeper}\n1,1,\"a\",\"d\",\"{md5}\",3,2,1,\"b\",\"d\",\"{other}\"\n1,1,\"c\",\"d\",\"{third}\",3\n"
            ),
            1,
            1,
        ),
    ] {
        let (_, format, counts) = one("set", text.as_bytes());
        assert_eq!(counts[..2], [records, malformed], "{format}: {text}");
    }
}
