//! Lists from practice: signed, decorated, with columns, of other programs, and documents that only look like lists.
//! Nothing is misread: unreadable parts are reported, or the file is refused by name.

use hashmill_manifest::Record;
use hashmill_manifest::format::{DOCUMENTS, Hint, Opened, SNIFFED, Unusable, open, sniff};

pub const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

pub fn open_text(text: &[u8]) -> Opened<'_> {
    open(Box::new(text), Hint::None).unwrap_or_else(|error| panic!("{error}: {}", text.escape_ascii()))
}

/// Returns the path of each record with its algorithms, and each message; notes are marked.
pub fn told(text: &str) -> Vec<String> {
    let tell = |result: Result<Record, hashmill_manifest::format::Malformed>| match result {
        Ok(record) => {
            let names: Vec<&str> = record.digests.iter().map(|named| named.algorithm.name).collect();
            format!("{}: {}", String::from_utf8_lossy(&record.path), names.join("+"))
        }
        Err(malformed) if malformed.is_note() => format!("note: {malformed}"),
        Err(malformed) => malformed.to_string(),
    };
    open_text(text.as_bytes()).reader.map(tell).collect()
}

fn refused(text: &[u8]) -> String {
    match open(Box::new(text), Hint::None) {
        Ok(opened) => panic!("read as {}: {}", opened.format.name, text.escape_ascii()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_clear_signed_list_is_read_and_its_signature_named() {
    let text = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n# made by hand\n{MD5}  a\n- -x is a line with a dash\n{MD5}  b\n\
         -----BEGIN PGP SIGNATURE-----\nVersion: x\n\niQEzBAEBCAAdFiEE\n=abcd\n-----END PGP SIGNATURE-----\n"
    );
    let expected = [
        "note: line 1: signature: of OpenPGP, not verified here; gpg --verify does that",
        "a: md5",
        "note: line 6: line: left out: not a digest and a name",
        "b: md5",
    ];
    assert_eq!(told(&text), expected);
    assert_eq!(told(&text.replace('\n', "\r\n")), expected);
}

#[test]
fn every_format_of_text_is_read_out_of_a_signature() {
    for body in [
        format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n3,{MD5},a\n"),
        format!("path,md5\na,{MD5}\n"),
        format!("{{\"path\":\"a\",\"md5\":\"{MD5}\"}}\n"),
        format!("MD5 (a) = {MD5}\n"),
        format!(
            "<dfxml><fileobject><filename>a</filename><hashdigest type='md5'>{MD5}</hashdigest></fileobject></dfxml>\n"
        ),
    ] {
        let signed = format!(
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n{body}-----BEGIN PGP SIGNATURE-----\n\nabc=\n-----END PGP SIGNATURE-----\n"
        );
        let found = told(&signed);
        assert_eq!(found[1..], ["a: md5"], "{found:?}");
    }
}

#[test]
fn lines_around_signed_ones_are_not_taken_in() {
    let signed = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{MD5}  a\n-----BEGIN PGP SIGNATURE-----\n\nabc=\n\
         -----END PGP SIGNATURE-----\n"
    );
    let around = format!("{MD5}  before\nDear all,\n{signed}{MD5}  after\n");
    let found = told(&around);
    let expected = [
        "line 1: line: left out: it is outside the signed text",
        "note: line 2: line: left out: not a digest and a name",
        "note: line 3: signature: of OpenPGP, not verified here; gpg --verify does that",
        "a: md5",
        "line 11: line: left out: it is outside the signed text",
    ];
    for line in expected {
        assert!(found.iter().any(|told| told == line), "{line}: {found:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
    // Nothing can hide in a signature or its headers, and a truncated one is reported.
    let inside = signed.replace("abc=\n", &format!("abc=\n{MD5}  hidden\n"));
    assert!(told(&inside).contains(&"line 8: signature: not a line of this format".to_string()));
    let header = signed.replace("Hash: SHA256\n", &format!("Hash: SHA256\n{MD5}  hidden\n"));
    assert!(told(&header).contains(&"line 3: signature: not a line of this format".to_string()));
    let cut = &signed[..signed.len() - 36];
    assert!(told(cut).iter().any(|line| line.ends_with("signature: cut short")), "{:?}", told(cut));
}

#[test]
fn a_list_that_signify_signed_is_read() {
    let text = format!(
        "untrusted comment: verify with openbsd-79-base.pub\nRWRM1dd/v5FPJ9PvE8UBVlMXrXJNGPvsYd3jRQ==\nMD5 (a) = {MD5}\nMD5 (b) = {MD5}\n"
    );
    let expected =
        ["note: line 1: signature: of signify, not verified here; signify -V does that", "a: md5", "b: md5"];
    assert_eq!(told(&text), expected);
}

/// A name with a line feed may contain anything; the manifest's format is known before it.
#[test]
fn a_name_in_a_table_makes_no_signature_and_no_other_document() {
    for name in [
        "\n-----BEGIN PGP SIGNED MESSAGE-----\n",
        "\nSPDXVersion: SPDX-2.3\n",
        "\nDIST a 1 SHA1 x\n",
        "in-toto.io/",
    ] {
        let csv = format!("path,md5\r\n\"{name}\",{MD5}\r\nz,{MD5}\r\n");
        assert_eq!(told(&csv), [format!("{name}: md5"), "z: md5".to_string()]);
        let json = format!("{{\"path\":{:?},\"md5\":\"{MD5}\"}}\n", name.to_string() + "\"payloadType\"");
        assert_eq!(open_text(json.as_bytes()).format.name, "jsonl");
        let zero = format!("{MD5}  {name}\0{MD5}  z\0");
        assert_eq!(told(&zero), [format!("{name}: md5"), "z: md5".to_string()]);
    }
}

#[test]
fn titles_are_notes_and_damaged_lines_are_not() {
    let text = format!(
        "Checksums of release 1.2\n=====\n\n# c\n; d\n{MD5}  a\nSIZE (a) = 3\n{}  b\nMD5 (c) =\n{MD5}  d\n",
        &MD5[..30]
    );
    let found = told(&text);
    let expected = [
        "note: line 1: line: left out: not a digest and a name",
        "note: line 2: line: left out: not a digest and a name",
        "a: md5",
        "note: line 7: line: left out: not a digest and a name",
        "line 8: digest: no algorithm has digests of 30 hexadecimal digits",
    ];
    assert_eq!(found[..5], expected);
    assert!(!found[5].starts_with("note") && found[6] == "d: md5", "{found:?}");
}

#[test]
fn generated_by_does_not_make_sfv_of_digests_before_names() {
    for by in ["hash 1.0", "RHash v1.4.3 on 2026-01-01 at 01:01.01", "hashmill-like"] {
        let sums = format!("; Generated by {by}\n{MD5} *a\n{MD5}  b c\n");
        assert_eq!(told(&sums), ["a: md5", "b c: md5"]);
        let sfv = format!("; Generated by {by}\na 352441C2\nb c 352441C2\n");
        assert_eq!(told(&sfv), ["a: crc32", "b c: crc32"]);
    }
    assert_eq!(sniff(b"; Generated by hashmill\n").unwrap().name, "sfv");
    // Names in our own output may look like lines of other lists.
    let ours = format!("; Generated by hashmill\n{MD5}  a 352441C2\nx {MD5} 352441C2\n");
    assert_eq!(told(&ours), [format!("{MD5}  a: crc32"), format!("x {MD5}: crc32")]);
}

#[test]
fn several_digests_behind_a_name_are_all_taken_in() {
    let upper = [MD5.to_uppercase(), SHA1.to_uppercase()];
    let rhash = format!(
        "; Generated by RHash v1.4.3\n;\na 352441C2 {} {}\nb 12345678 352441C2 {} {}\n",
        upper[0], upper[1], upper[0], upper[1]
    );
    assert_eq!(told(&rhash), ["a: crc32+md5+sha1", "b 12345678: crc32+md5+sha1"]);
    let bare = rhash.lines().filter(|line| !line.starts_with(';')).collect::<Vec<_>>().join("\n");
    assert_eq!(told(&bare), ["a: crc32+md5+sha1", "b 12345678: crc32+md5+sha1"]);
    let simple = format!("a  {MD5}  {SHA1}\nb 12345678  {MD5}  {SHA1}\n");
    assert_eq!(told(&simple), ["a: md5+sha1", "b 12345678: md5+sha1"]);
    // Other programs write one digest per line, as in SFV.
    let sfv = format!("; Generated by cksfv v1.3.15\na {MD5} 352441C2\n");
    assert_eq!(told(&sfv), [format!("a {MD5}: crc32")]);
    let short = format!(
        "a 352441C2 {MD5}\nb 352441C2 {MD5}\n{}c {MD5}\n",
        format!("x 352441C2 {MD5}\n").repeat(2 * SNIFFED / 40)
    );
    assert!(
        told(&short).last().unwrap().ends_with("digests: found 1, but the header has 2"),
        "{:?}",
        told(&short).last()
    );
}

#[test]
fn tables_of_other_programs_are_read_whole() {
    let all = "name: md5+sha1+sha256";
    for text in [
        format!("name\tmd5\tsha1\tsha256\nname\t{MD5}\t{SHA1}\t{SHA256}\n"),
        format!("File Name;MD5 Hash;SHA-1;SHA256\r\nname;{MD5};{SHA1};{SHA256}\r\n"),
        format!("Path,MD5,SHA1,SHA256\n\"name\",{},{SHA1},{SHA256}\n", MD5.to_uppercase()),
    ] {
        assert_eq!(told(&text), [all], "{text}");
    }
    let more = format!("MD5\tFile\tOwner\tMD2\n{MD5}\ta \"b\tme\t{MD5}\n{MD5}\tc\tme\t{MD5}\n");
    assert_eq!(told(&more), ["note: line 1: columns: left out: \"Owner\", \"MD2\"", "a \"b: md5", "c: md5"]);
    let bare = format!("{MD5} {SHA1} {SHA256}\n{MD5} {SHA1} {SHA256}\n");
    assert_eq!(told(&bare), [": md5+sha1+sha256", ": md5+sha1+sha256"]);
    for mark in ["\t", ",", ";", "|", ", "] {
        assert_eq!(told(&bare.replace(' ', mark)), [": md5+sha1+sha256", ": md5+sha1+sha256"], "{mark:?}");
    }
    // Ambiguous words are neither digest nor name.
    for line in
        [format!("{MD5} {SHA1} name\n"), format!("{MD5}\t{SHA1}\tname\n"), format!("{MD5}\tname\tmore\n")]
    {
        assert_eq!(told(&line), ["line 1: digest: two that can't be distinguished"], "{line}");
    }
    assert_eq!(told(&format!("{MD5}\tname\n")), ["name: md5"]);
    // In a GNU line, everything after the two spaces is the name.
    assert_eq!(told(&format!("{MD5}  {SHA1}\n{MD5}  {SHA1} {SHA256}\n"))[0], format!("{SHA1}: md5"));
}

#[test]
fn a_line_with_one_space_is_none_of_a_list_with_two() {
    let found = told(&format!("{MD5}  a\n{MD5} b\n{MD5} *c\n"));
    assert_eq!(found, ["a: md5", "line 2: line: not a line of this format", "c: md5"]);
    assert_eq!(told(&format!("{MD5} a\n{MD5}  b\n")), ["a: md5", " b: md5"]);
}

#[test]
fn a_carriage_return_is_of_the_name_where_lines_do_not_end_in_one() {
    assert_eq!(told(&format!("{MD5}  a\n{MD5}  b\n{MD5}  Icon\r\n"))[2], "Icon\r: md5");
    assert_eq!(told(&format!("{MD5}  a\r\n{MD5}  b\r\n{MD5}  c\n")), ["a: md5", "b: md5", "c: md5"]);
}

/// Documents for every row of [`DOCUMENTS`], or their beginnings.
const SAMPLES: &[(&str, &[u8])] = &[
    #[cfg(not(feature = "tables"))]
    ("Parquet", b"PAR1\x15\x04"),
    #[cfg(not(feature = "tables"))]
    ("SQLite", b"SQLite format 3\0\x10\0"),
    ("answer of Amazon S3", b"{\n    \"AcceptRanges\": \"bytes\",\n    \"LastModified\": \"2026-01-01T00:00:00+00:00\",\n    \"ETag\": \"\\\"900150983cd24fb0d6963f7d28e17f72-2\\\"\"\n}\n"),
    ("zip archive", b"PK\x03\x04\x14\0"),
    ("torrent", b"d8:announce20:http"),
    ("signature of OpenPGP", b"-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----\n"),
    ("message of OpenPGP", b"-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----\n"),
    ("OpenSSH", b"-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n"),
    ("minisign", b"untrusted comment: signature\nRUQf6LRCGA9i53mlYec=\ntrusted comment: timestamp\nQtKMXWyY=\n"),
    ("web page", b"<!DOCTYPE html>\n<html><body>900150983cd24fb0d6963f7d28e17f72  a\n"),
    ("CycloneDX", b"<?xml version=\"1.0\"?>\n<bom xmlns=\"http://cyclonedx.org/schema/bom/1.6\">\n"),
    ("in-toto", b"{\"payloadType\":\"application/vnd.in-toto+json\",\"payload\":\"e30=\",\"signatures\":[]}\n"),
    ("SPDX", b"SPDXID: SPDXRef-DOCUMENT\nspdxVersion: SPDX-2.3\nfiles:\n- fileName: ./a\n"),
    ("SPDX", b"<?xml version=\"1.0\"?>\n<rdf:RDF xmlns:spdx=\"http://spdx.org/rdf/terms#\">\n"),
    ("Metalink", b"<?xml version=\"1.0\"?>\n<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\n"),
    ("certutil", b"MD5-Hash von a.bin:\r\n900150983cd24fb0d6963f7d28e17f72\r\nCertUtil: -hashfile-Befehl wurde erfolgreich ausgef\xc3\xbchrt.\r\n"),
    ("table", b"Name\tFilename\tType\tPath\tSize\tHash\r\na\ta\tfile\t\\\t3\t900150983CD24FB0D6963F7D28E17F72\r\n"),
    ("table", b"Name\tHash1 (MD5)\tHash2 (MD5)\na\t\t900150983CD24FB0D6963F7D28E17F72\n"),
    ("NSRL", b"\"ProductCode\",\"ProductName\",\"ProductVersion\",\"OpSystemCode\",\"MfgCode\",\"Language\",\"ApplicationType\"\n1,\"a\",\"1\",\"x\",\"y\",\"en\",\"z\"\n"),
    ("NSRL", b"BEGIN TRANSACTION;\nINSERT INTO FILE (sha1, file_name) VALUES ('a9993e364706816aba3e25717850c26c9cd0d89d', 'a');\n"),
    ("go.sum", b"example.com/m v1.0.0 h1:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=\n"),
    ("likeness", b"ssdeep,1.1--blocksize:hash:hash,filename\n3:a:b,\"c\"\n"),
    ("sum (", b"00004     1 abc\n12345     1 b c\n"),
    ("sum (", b"294 1 abc\n294 1 new\nline\n"),
    ("digests of bits", b"a9993e364706816aba3e25717850c26c9cd0d89d ^a\na9993e364706816aba3e25717850c26c9cd0d89d ^b\n"),
    ("Project VIC", b"{\"@odata.context\":\"http://x/ProjectVic/DataModels/2.0.xml/US/$metadata#Media\",\"value\":[{\"MediaID\":1,\"MD5\":\"900150983CD24FB0D6963F7D28E17F72\"}]}"),
    ("git lfs ls-files", b"ba7816bf8f * a\n2d711642b7 - c\n"),
    ("pointer of Git LFS", b"version https://git-lfs.github.com/spec/v1\noid sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\nsize 3\n"),
    ("HashTab", b"CRC32: 352441C2\r\nMD5: 900150983CD24FB0D6963F7D28E17F72\r\nSHA-1: A9993E364706816ABA3E25717850C26C9CD0D89D\r\n"),
    ("HashTab", b"Name: abc\nSize: 3 bytes\nSHA256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"),
];

#[test]
fn other_documents_are_refused_by_name() {
    for (name, text) in SAMPLES {
        let message = refused(text);
        let known =
            message.starts_with("is a") || message.starts_with("is the") || message.starts_with("is output");
        assert!(message.contains(name) && known, "{name}: {message}");
        assert!(sniff(text).is_none());
    }
    let named = |row: &str| SAMPLES.iter().any(|(_, text)| refused(text).starts_with(&format!("is {row}, ")));
    for row in DOCUMENTS {
        assert!(named(row.name), "no document for: {}", row.name);
    }
    assert!(matches!(open(Box::new(&b"PK\x03\x04"[..]), Hint::None), Err(Unusable::Document(_))));
}

#[test]
fn manifests_of_gentoo_are_read() {
    let text = format!(
        "TIMESTAMP 2026-01-01T00:00:00Z\nIGNORE distfiles\nDIST a-1.tar.gz 3 MD5 {MD5} SHA256 {SHA256}\n\
         AUX fix.patch 3 SHA256 {SHA256}\nDATA with\\x20space 3 SHA256 {SHA256}\nMANIFEST x/Manifest 3 WHIRLPOOL00 00\n\
         EBUILD a-1.ebuild three SHA256 {SHA256}\nNONSENSE a 3 SHA256 {SHA256}\nDATA a 3\n"
    );
    assert_eq!(sniff(text.as_bytes()).map(|format| format.name), Some("gentoo"));
    let found = told(&text);
    assert_eq!(found[..3], ["a-1.tar.gz: md5+sha256", "files/fix.patch: sha256", "with space: sha256"]);
    assert_eq!(found.len(), 7, "{found:?}");
    assert!(found[3].contains("line 6") && found[4].contains("line 7: size") && found[5].contains("line 8"));
}

#[test]
fn records_of_python_packages_are_read() {
    let base64 = "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";
    let text = format!(
        "a/__init__.py,sha256={base64},3\r\n\"a,b.py\",sha256={base64},3\r\na-1.dist-info/RECORD,,\r\nbad,sha256=ung,3\r\n"
    );
    assert_eq!(sniff(text.as_bytes()).map(|format| format.name), Some("record"));
    let found = told(&text);
    assert_eq!(found[..2], ["a/__init__.py: sha256", "a,b.py: sha256"]);
    assert!(found.len() == 3 && found[2].contains("line 4: digest"), "{found:?}");
    let record = open(Box::new(text.as_bytes()), Hint::None).unwrap().reader.next().unwrap().unwrap();
    assert_eq!((record.digests[0].digest.to_string().as_str(), record.size), (SHA256, Some(3)));
}

/// Lists that contain parts of such a document remain lists.
#[test]
fn lists_are_not_taken_for_other_documents() {
    for (text, format) in [
        (format!("{MD5}  a\nMD5: {MD5}\n"), "sums"),
        ("1219131554 3 a\n3 3 b\n".to_string(), "sums"),
        (format!("{MD5}  SPDXVersion: SPDX-2\n{MD5}  SPDXVersion\n"), "sums"),
        (format!("MD5 (DIST a 1 SHA1 x) = {MD5}\n"), "bsd"),
        (format!("{MD5}\n"), "plain"),
        (format!("{MD5}  <html>\n"), "sums"),
    ] {
        assert_eq!(sniff(text.as_bytes()).map(|format| format.name), Some(format), "{text}");
    }
}

#[test]
fn what_is_read_and_yields_nothing_is_told() {
    let (one, two) = (MD5, "0cc175b9c0f1b6a831c399e269772661");
    let item = |digest: &str, path: &str| format!("- md5: {digest}\n  path: {path}\n");
    let dvc = |rest: &str| format!("outs:\n{}{rest}", item(one, "a"));
    let object = |name: &str, rest: &str| {
        format!("<fileobject>{name}<hashdigest type='md5'>{one}</hashdigest>{rest}</fileobject>")
    };
    let dfxml = |objects: String| format!("<?xml version='1.0'?>\n<dfxml>{objects}</dfxml>\n");
    let shell = |rest: &str| format!("Algorithm : MD5\nHash      : {one}\nPath      : a\n{rest}");
    let bucket = |object: &str| {
        format!(
            "{{\"Contents\":[{{\"Key\":\"a\",\"ETag\":\"{one}\"}},{object}],\"CommonPrefixes\":[{{\"Prefix\":\"x\"}}]}}"
        )
    };
    let mtree = |line: &str| format!("#mtree\n. type=dir\n./a type=file md5={one}\n{line}\n");
    for (text, records, errors) in [
        // A dash on a line of its own, another list, the other keys of a file.
        (format!("outs:\n-\n  md5: {one}\n  path: a\n{}", item(two, "b")), 2, 0),
        (format!("outs:\n  -\n    md5: {one}\n    path: a\n"), 1, 0),
        (format!("md5: {two}\nframe:\n- x: y\n{}meta: x\n", dvc("")), 1, 0),
        (
            format!(
                "stages:\n  x:\n    outs:\n    - path: a\n      md5: {one}\n  y@1:\n    cmd: 'x'\n    outs:\n    - path: b\n      md5: {two}\n"
            ),
            2,
            0,
        ),
        (dvc(&format!("deps:\n{}", item(two, "b"))), 1, 0),
        // Damaged dashes and lists.
        (dvc(&item(two, "b").replace('-', "*")), 1, 1),
        (dvc(&item(two, "b").replace("- ", "-")), 1, 1),
        (dvc(&format!("'outs':\n{}", item(two, "b"))), 1, 1),
        (dvc(&format!("x:\n'outs': [{{md5: {two}, path: b}}]\n")), 1, 1),
        (dvc(&format!("x:\n'outs':\n{}", item(two, "b"))), 2, 0),
        (shell(""), 1, 0),
        (shell("Path      : b\n"), 0, 1),
        (bucket("{\"Key\":\"b\",\"Size\":3}"), 1, 1),
        (bucket(&format!("{{\"ETag\":\"{two}\"}}")), 1, 1),
        (bucket("\"b\""), 1, 1),
        (dfxml(object("<filename>a</filename>", "")), 1, 0),
        (dfxml(object("<filename>a</filename><filename>b</filename>", "")), 1, 1),
        (dfxml(object("<filename>a<filename>b</filename></filename>", "")), 0, 2),
        (dfxml(object("<filename>a</filename>", &object("<filename>b</filename>", ""))), 1, 1),
        (mtree("./d type=dir"), 1, 0),
        (mtree(&format!("./l type=link md5digest={two}")), 1, 1),
        (mtree(&format!("./d type=dir md5={two}")), 1, 1),
        (mtree(&format!("./d type=file type=dir md5={two}")), 1, 1),
        // Ends of lines of other kinds, and what a crash leaves.
        (format!("{one}  a\r{two}  b\r"), 2, 0),
        (format!("{one}  a\n{two}  b\r{one}  c\n"), 1, 1),
        (format!("{one}  a\n{two}  b\n{}", "\0".repeat(512)), 2, 0),
        (format!("{one}  a\n{two}  b\n\0"), 2, 0),
        (format!("{one}  a\n{two}  b\0\0\n"), 1, 1),
        (format!("path,md5\n\"a,{one}\nb,{two}\nc\"d,{one}\ne,{two}\n"), 3, 1),
        (format!("path,md5\n\"a\n\"\"b\"\"\",{one}\n"), 1, 0),
    ] {
        let found = told(&text);
        let told = found.iter().filter(|line| line.starts_with("line ")).count();
        let notes = found.iter().filter(|line| line.starts_with("note: ")).count();
        assert_eq!((found.len() - told - notes, told), (records, errors), "{text}\n{found:#?}");
    }
}

#[test]
fn a_heading_names_the_algorithm_of_the_lines_below() {
    let digest = "ab".repeat(64);
    let text = format!("# BLAKE2B HASH\n{digest}  a\n# SHA512 HASH\n{digest}  a\n# a file\n{digest}  b\n");
    assert_eq!(told(&text), ["a: blake2b-512", "a: sha512", "b: sha512"]);
}

#[test]
fn rclone_has_blanks_for_a_file_without_a_digest() {
    let digest = "kAFQmDzST7DWlj99KOF_cg==";
    let blank = " ".repeat(digest.len());
    for lines in [
        [(digest, "a"), (&blank, "b"), (&blank, "c")],
        [(&blank, "b"), (&blank, "c"), (digest, "a")],
        [(&blank, "b"), (digest, "a"), (&blank, " c")],
    ] {
        let text: String = lines.iter().map(|(digest, name)| format!("{digest}  {name}\n")).collect();
        let found = told(&text);
        assert!(found.contains(&"a: md5".to_string()), "{found:?}");
        assert_eq!(found.iter().filter(|line| line.ends_with(": ")).count(), 2, "{found:?}");
    }
}
