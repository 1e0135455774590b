//! Malformed parts are reported with line, part and reason, and the rest is still read.

use hashmill_manifest::format::{FORMATS, Hint, MAX_LINE, Unusable, find_format, open, sniff};
use std::fs;
use std::path::PathBuf;

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

/// Returns the path of each record, or the message.
fn read(format: &str, text: &str) -> Vec<String> {
    let reader = (find_format(format).unwrap().reader)(Box::new(text.as_bytes()), Hint::None);
    let tell = |result: Result<hashmill_manifest::Record, _>| match result {
        Ok(record) => String::from_utf8_lossy(&record.path).into_owned(),
        Err(malformed) => hashmill_manifest::format::Malformed::to_string(&malformed),
    };
    reader.map(tell).collect()
}

#[test]
fn hashdeep_tells_what_is_wrong_and_goes_on() {
    let text = format!(
        "%%%% HASHDEEP-1.0\n%%%% size,md5,sha9,filename\n## note\nthree,{MD5},x,a\n3,{},x,b\n3,{MD5}\n\
         3,{MD5},x,\n\\3,{MD5},x,c\\t\n99999999999999999999,{MD5},x,d\n3,{MD5},x,good, with comma\n",
        &MD5[2..]
    );
    let expected = [
        "line 2: columns: unknown algorithm 'sha9'; did you mean 'sha1'?",
        "line 4: size: not a decimal number below 2^64",
        "line 5: digest: md5 has 32 hexadecimal digits, not 30",
        "line 6: digest: missing",
        "line 7: name: missing",
        "line 8: name: an invalid backslash escape",
        "line 9: size: not a decimal number below 2^64",
        "good, with comma",
    ];
    assert_eq!(read("hashdeep", &text)[1..], expected[1..]);
    assert!(read("hashdeep", &text)[0].starts_with("line 2: columns: unknown algorithm 'sha9'"));
    assert_eq!(read("hashdeep", "%%%% HASHDEEP-2.0\n")[0], "line 1: header: not a line of this format");
    assert_eq!(read("hashdeep", "%%%% HASHDEEP-1.0\n3,a,b\n"), ["line 2: columns: missing"]);
}

#[test]
fn lists_tell_what_is_wrong_and_go_on() {
    let text = format!(
        "nonsense\n{MD5}  a\n{}  b\nabc  c\nMD5 (d) = {MD5}00\nSHA9 (e) = {MD5}\n\\{MD5}  f\\g\n{MD5}  h\n",
        &MD5[2..]
    );
    let expected = [
        "line 1: line: left out: not a digest and a name",
        "a",
        "line 3: digest: no algorithm has digests of 30 hexadecimal digits",
        "line 4: digest: a digest can't have 3 hexadecimal digits",
        "line 5: digest: md5 has 32 hexadecimal digits, not 34",
        "line 6: tag: unknown algorithm 'SHA9'; did you mean 'sha1'?",
        "line 7: name: an invalid backslash escape",
        "h",
    ];
    let found = read("sums", &text);
    assert_eq!(found[..5], expected[..5]);
    assert!(found[5].starts_with("line 6: tag: unknown algorithm 'SHA9'"));
    assert_eq!(found[6..], expected[6..]);
}

#[test]
fn jsonl_tells_what_is_wrong_and_goes_on() {
    let text = format!(
        "{{\"path\":\"a\",\"md5\":\"{MD5}\",\"unknown\":[1]}}\n{{\"path\":\"b\"}}\n{{\"path\":1}}\n{{\"md5\":\"{MD5}\"}}\n\
         {{\"path\":\"c\",\"md5\":\"x\"}}\n{{\"path\":\"d\",\"status\":\"odd\"}}\n{{\"path\":\"e\",\"path_b64\":\"/w==\",\"md5\":\"{MD5}\"}}\n\
         {{\"path\":\"f\",\"path\":\"g\",\"md5\":\"{MD5}\"}}\n[1]\n{{\"path\":\"h\",\"offset\":1,\"md5\":\"{MD5}\"}}\n\n{{\"path\":\"i\",\"md5\":\"{MD5}\"}} x\n"
    );
    let expected = [
        "a",
        "line 2: digest: missing",
        "line 3: object: integer `1` in the place of a string at column 9",
        "line 4: path: missing",
        "line 5: md5: character 1 is not a hexadecimal digit",
        "line 6: status: not a status",
        "line 7: path: does not match path_b64",
        "line 8: path: given twice",
        "line 9: object: sequence in the place of an object at column 0",
        "line 10: length: missing",
        "line 12: object: something follows its end at column 56",
    ];
    let found = read("jsonl", &text);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let (text, _) = expected.split_once(" at column").unwrap_or((expected, ""));
        assert!(found.starts_with(text), "{found}");
    }
}

#[test]
fn csv_tells_what_is_wrong_and_goes_on() {
    let text = format!(
        "path,size,md5,note\r\na,3,{MD5},x\r\nb,3,{MD5}\r\n\"c\nd\",3,{MD5},\r\ne,x,{MD5},\r\n\"f,3,{MD5},\r\ng,3,{MD5},\r\n"
    );
    let expected = [
        "line 1: columns: left out: \"note\"",
        "a",
        "line 3: fields: found 3, but the header has 4",
        "c\nd",
        "line 6: size: not a decimal number below 2^64",
        "line 7: line: not a line of this format",
        "g",
    ];
    assert_eq!(read("csv", &text), expected);
    assert_eq!(read("csv", "size,md5\r\n1,2\r\n"), ["line 1: path: missing"]);
    assert_eq!(read("csv", "path,md5,md5\r\n1,2\r\n"), ["line 1: md5: given twice"]);
}

#[test]
fn dfxml_and_tables_and_encase_tell_what_is_wrong() {
    let object = |inner: &str| format!("<dfxml><fileobject>{inner}</fileobject></dfxml>");
    assert_eq!(read("dfxml", &object("<filename>a</filename>")), ["line 1: hashdigest: missing"]);
    let bad = "\n<filename>a</filename><filesize>x</filesize><hashdigest type='MD5'>0</hashdigest>";
    let expected = [
        "line 2: filesize: not a decimal number below 2^64",
        "line 2: digest: a digest can't have 1 hexadecimal digits",
    ];
    assert_eq!(read("dfxml", &object(bad)), expected);
    let cut = format!(
        "<dfxml><fileobject><filename>a</filename><hashdigest type='MD5'>{MD5}</hashdigest></fileobject>"
    );
    assert_eq!(read("dfxml", &cut), ["a", "line 1: document: cut short"]);
    assert_eq!(read("dfxml", "<dfxml></x>").len(), 1);
    let nsrl = format!(
        "\"SHA-1\",\"MD5\",\"FileName\",\"FileSize\"\n\"x\",\"{MD5}\",\"a\",3\n\"\",\"{MD5}\",\"b\",3\n\"\"\n"
    );
    let expected = [
        "line 2: digest: character 1 is not a hexadecimal digit",
        "b",
        "line 4: fields: found 1, but the header has 4",
    ];
    assert_eq!(read("nsrl", &nsrl), expected);
    assert_eq!(read("encase", "HASH\r\n"), ["line 1: header: cut short"]);
}

#[test]
fn a_huge_event_or_record_is_bounded() {
    let huge = "x".repeat(3 * MAX_LINE);
    assert_eq!(
        read("dfxml", &format!("<dfxml><!-- {huge} -->")),
        ["line 1: document: longer than 1048576 bytes"]
    );
    let lines = format!("path,size,md5\r\n\"{}\"\r\na,3,{MD5}\r\n", huge.replace("xxxx", "xxx\n"));
    let found = read("csv", &lines);
    assert_eq!(found.last().map(String::as_str), Some("a"));
}

#[test]
fn files_without_a_format_are_unusable() {
    assert!(matches!(open(Box::new(&b""[..]), Hint::None), Err(Unusable::Empty)));
    let text = b"some text\nof no format (at all)\n";
    assert!(matches!(open(Box::new(&text[..]), Hint::None), Err(Unusable::Unrecognised)));
}

/// Each seed is recognised as its folder's format and as no other.
#[test]
fn every_format_s_seeds_are_its_own() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for format in FORMATS {
        for file in fs::read_dir(corpus.join(format.name)).unwrap() {
            let file = file.unwrap().path();
            let found = sniff(&fs::read(&file).unwrap()).map(|format| format.name);
            assert_eq!(found, Some(format.name), "{}", file.display());
        }
    }
}
