//! Types of content: known ones, in any parts, and of hostile streams.

use hashmill_facts::{ContentFacts, ContentType, END_BYTES, Ends, EndsAt, FactSet, is_mismatch};
use hashmill_testing::Random;
use std::sync::Arc;

fn of(bytes: &[u8]) -> Option<Arc<ContentType>> {
    let mut ends = Ends::new(Some(bytes.len() as u64));
    ends.push(bytes);
    ends.content_type()
}

fn mime(bytes: &[u8]) -> String {
    of(bytes).map_or(String::new(), |found| found.mime.to_string())
}

/// Makes an archive of members that are not compressed.
fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let offset = bytes.len() as u32;
        let (size, length) = (content.len() as u32, name.len() as u16);
        let mut common = [20_u16, 0, 0, 0, 0].map(u16::to_le_bytes).concat();
        common.extend([0, size, size].map(u32::to_le_bytes).concat());
        common.extend([length, 0].map(u16::to_le_bytes).concat());
        bytes.extend([b"PK\x03\x04", &common[..], name.as_bytes(), content].concat());
        directory.extend(
            [b"PK\x01\x02\x14\0", &common[..], &[0; 10], &offset.to_le_bytes(), name.as_bytes()].concat(),
        );
    }
    let (start, count) = (bytes.len() as u32, members.len() as u16);
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, count].map(u16::to_le_bytes).concat());
    bytes.extend([directory.len() as u32, start].map(u32::to_le_bytes).concat());
    bytes.extend([0, 0]);
    bytes
}

/// Makes a compound file whose directory is its second sector.
fn compound(class: &[u8], streams: &[&str]) -> Vec<u8> {
    let mut bytes = vec![0; 512 * 4];
    bytes[..8].copy_from_slice(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
    bytes[26] = 3;
    bytes[30] = 9;
    bytes[48] = 1;
    // The first entry below the root, of which the others are neighbours.
    bytes[1024 + 68..1024 + 80].fill(0xff);
    bytes[1024 + 76..1024 + 80].copy_from_slice(&1_u32.to_le_bytes());
    // The table of sectors is the first.
    bytes[512..1024].fill(0xff);
    for (entry, name) in std::iter::once(&"Root Entry").chain(streams).enumerate() {
        let at = 1024 + 128 * entry;
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        bytes[at..at + name.len()].copy_from_slice(&name);
        if entry > 0 {
            bytes[at + 68..at + 80].fill(0xff);
            bytes[at + 72..at + 76].copy_from_slice(&(entry as u32 + 1).to_le_bytes());
        }
    }
    bytes[1024 + 80..1024 + 80 + class.len()].copy_from_slice(class);
    bytes
}

#[test]
fn known_types() {
    for (bytes, expected) in [
        (&b"%PDF-1.7\n%\xe2\xe3"[..], "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "application/gzip"),
        (b"BZh91AY&SY\0", "application/x-bzip2"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0", "application/x-executable"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0", "application/x-sharedlib"),
        (b"\x7fELF\x01\x02\x01\0\0\0\0\0\0\0\0\0\0\x01\0\x3e", "application/x-object"),
        (b"SQLite format 3\0", "application/vnd.sqlite3"),
        (b"<?xml version='1.0'?><svg/>", "image/svg+xml"),
        (b"<?xml version='1.0'?><note/>", "text/xml"),
        (b"<?xml version='1.0'?><!DOCTYPE x><!-- <svg> --><a:note xmlns:a='b'><svg/></a:note>", "text/xml"),
        (b"<map id='x' name='y'/>", "text/plain"),
        (b"<map version='1.9' tiledversion='1.9'/>", "application/x-tmx+xml"),
        (b"<!doctype HTML><p>", "text/html"),
        (b"#!/usr/bin/env -S FOO=1 python3\nprint()\n", "text/x-python"),
        (b"#!/bin/sh\n", "text/x-shellscript"),
        (b"words\n", "text/plain"),
        ("Grüße\r\n".as_bytes(), "text/plain"),
        (b"\xff\xfea\0\n\0", "text/plain"),
        (b"\xfe\xff\0a\0\n", "text/plain"),
    ] {
        assert_eq!(mime(bytes), expected, "{}", bytes.escape_ascii());
    }
}

#[test]
fn nothing_is_guessed() {
    for bytes in [
        &b""[..],
        b"\0\0\0\0",
        b"\xff\xfe",
        b"\xff\xfe\0",
        b"a\x01b",
        b"\xc3",
        b"BZhxxxxxxxxxxx\0",
        &Random(1).bytes(1000),
    ] {
        let found = of(bytes);
        assert!(found.is_none() || bytes == b"\xff\xfe", "{}: {found:?}", bytes.escape_ascii());
    }
}

#[test]
fn texts_are_no_binary_formats() {
    for text in [
        "MZ is no program\n",
        "BZ0 and so on\n",
        "CWS\n",
        "xx-lh0-xx\n",
        "a mdat\n",
        "OggS\n",
        "0707\n",
        "true\n",
    ] {
        assert_eq!(mime(text.as_bytes()), "text/plain", "{text}");
    }
}

#[test]
fn archives_are_what_they_contain() {
    let package = "application/vnd.openxmlformats-officedocument.";
    let types = ("[Content_Types].xml", &b"<Types/>"[..]);
    for (members, expected) in [
        (vec![types, ("word/document.xml", b"")], format!("{package}wordprocessingml.document")),
        (vec![types, ("xl/workbook.xml", b"")], format!("{package}spreadsheetml.sheet")),
        (vec![types, ("ppt/presentation.xml", b"")], format!("{package}presentationml.presentation")),
        (vec![("mimetype", b"application/epub+zip"), ("a", b"")], "application/epub+zip".into()),
        (
            vec![("mimetype", b"application/vnd.oasis.opendocument.text\n"), ("content.xml", b"")],
            "application/vnd.oasis.opendocument.text".into(),
        ),
        (
            vec![("META-INF/MANIFEST.MF", b""), ("AndroidManifest.xml", b"")],
            "application/vnd.android.package-archive".into(),
        ),
        (vec![("META-INF/MANIFEST.MF", b""), ("A.class", b"")], "application/java-archive".into()),
        // Neither names of folders nor unknown types make more of it.
        (vec![("word/notes.txt", b"")], "application/zip".into()),
        (vec![("mimetype", b"application/x-unknown")], "application/zip".into()),
        (vec![("a", b"mimetypeapplication/epub+zip")], "application/zip".into()),
    ] {
        assert_eq!(mime(&zip(&members)), expected, "{members:?}");
    }
}

#[test]
fn a_directory_at_the_end_is_seen_behind_any_number_of_bytes() {
    let large = vec![b'x'; 300_000];
    let members = [("[Content_Types].xml", &b""[..]), ("media/large", &large), ("word/document.xml", b"")];
    assert!(mime(&zip(&members)).ends_with("wordprocessingml.document"));
    // A directory that begins before the last bytes is read from its first whole entry.
    let names: Vec<String> = (0..3000).map(|number| format!("{number:040}")).collect();
    let mut members: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), &b"0123456789"[..])).collect();
    members.push(("META-INF/MANIFEST.MF", b""));
    assert_eq!(mime(&zip(&members)), "application/java-archive");
}

#[test]
fn compound_files_are_what_they_contain() {
    for (streams, expected) in [
        (&["WordDocument"][..], "application/msword"),
        (&["Workbook"], "application/vnd.ms-excel"),
        (&["\u{5}SummaryInformation", "PowerPoint Document"], "application/vnd.ms-powerpoint"),
        (&["__nameid_version1.0"], "application/vnd.ms-outlook"),
        (&["EncryptionInfo", "EncryptedPackage"], "application/encrypted"),
        (&["Anything"], "application/x-cfb"),
    ] {
        assert_eq!(mime(&compound(&[0; 16], streams)), expected, "{streams:?}");
    }
    let class = b"\x84\x10\x0c\0\0\0\0\0\xc0\0\0\0\0\0\0\x46";
    assert_eq!(mime(&compound(class, &[])), "application/x-msi");
}

/// An Excel file into which a Word file is embedded has the streams of both.
#[test]
fn embedded_streams_say_nothing() {
    let mut bytes = compound(&[0; 16], &["Workbook", "WordDocument"]);
    assert_eq!(mime(&bytes), "application/msword");
    // Only the first is below the root.
    bytes[1024 + 128 + 72..1024 + 128 + 76].fill(0xff);
    assert_eq!(mime(&bytes), "application/vnd.ms-excel");
}

#[test]
fn a_directory_that_leads_to_itself_ends() {
    let mut bytes = compound(&[0; 16], &["Anything"]);
    // The second sector is followed by itself.
    bytes[512 + 4..512 + 8].copy_from_slice(&1_u32.to_le_bytes());
    bytes[76..80].fill(0);
    assert_eq!(mime(&bytes), "application/x-cfb");
}

#[test]
fn parts_and_threads_change_nothing() {
    let middle = Random(2).bytes(3 * END_BYTES);
    let jar = zip(&[("large", &middle), ("META-INF/MANIFEST.MF", b"")]);
    let text = "größer\n".repeat(40_000).into_bytes();
    for bytes in [&jar[..], &text, &text[..END_BYTES + 1], &jar[..END_BYTES], &jar[jar.len() - 70_000..]] {
        let whole = of(bytes);
        for step in [1000, 4095, END_BYTES - 1, END_BYTES, END_BYTES + 1, bytes.len()] {
            for size in [None, Some(bytes.len() as u64)] {
                let mut ends = Ends::new(size);
                bytes.chunks(step).for_each(|part| ends.push(part));
                assert_eq!(ends.content_type(), whole, "parts of {step}, {size:?}");
            }
            let mut ends = EndsAt::new(bytes.len() as u64);
            let mut parts: Vec<(usize, &[u8])> = (0..).step_by(step).zip(bytes.chunks(step)).collect();
            parts.reverse();
            for (offset, part) in parts {
                let before = ends.clone();
                ends.put(offset as u64, part);
                assert!(ends.takes(offset as u64, part.len()) || ends == before);
            }
            assert_eq!(ends.content_type(), whole, "parts of {step}, backwards");
        }
    }
    assert_eq!(mime(&jar), "application/java-archive");
    assert_eq!(mime(&text), "text/plain");
}

#[test]
fn extensions_are_right_wrong_or_say_nothing() {
    let docx = zip(&[("[Content_Types].xml", b""), ("word/document.xml", b"")]);
    let (plain, pdf, archive) = (b"words\n".as_slice(), b"%PDF-1.7\n".as_slice(), zip(&[("a", b"")]));
    let svg = b"<?xml version='1.0'?><svg/>".as_slice();
    let program = &[b"MZ".as_slice(), &[0; 100]].concat()[..];
    for (bytes, name, expected) in [
        (pdf, "a.pdf", Some(false)),
        (pdf, "a.PDF", Some(false)),
        (pdf, "dir.pdf/a.jpg", Some(true)),
        (pdf, "a.txt", Some(true)),
        (pdf, "a.unheard-of", None),
        (pdf, "a", None),
        (pdf, ".pdf", None),
        (pdf, "a.", None),
        (pdf, "dir.pdf/a", None),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a.JPEG", Some(false)),
        (program, "a.jpg", Some(true)),
        (program, "a.txt", Some(true)),
        (plain, "a.txt", Some(false)),
        (plain, "a.rs", None),
        (plain, "a.jpg", Some(true)),
        (plain, "a.docx", Some(true)),
        (plain, "a.pem", None),
        (svg, "a.svg", Some(false)),
        (svg, "a.xml", Some(false)),
        (svg, "a.txt", None),
        (svg, "a.png", Some(true)),
        (&docx, "a.docx", Some(false)),
        (&docx, "a.docm", Some(false)),
        (&docx, "a.xlsx", Some(true)),
        (&docx, "a.zip", Some(false)),
        (&docx, "a.doc", Some(true)),
        (&archive, "a.zip", Some(false)),
        (&archive, "a.docx", None),
        (&archive, "a.doc", Some(true)),
        (b"\x1f\x8b\x08\0\0\0\0\0", "a.tgz", Some(false)),
        (b"\x1f\x8b\x08\0\0\0\0\0", "a.png", Some(true)),
    ] {
        let found = of(bytes).unwrap();
        assert_eq!(is_mismatch(&found, name.as_bytes()), expected, "{name}: {}", found.mime);
        let mut facts = ContentFacts { content_type: Some(found), ..ContentFacts::default() };
        facts.judge(FactSet::default(), name.as_bytes(), 0);
        assert_eq!(facts.mismatch, expected);
    }
}

/// Every stream has an answer, in bounded time, whatever lengths and offsets it states.
#[test]
fn hostile_streams_are_answered() {
    let seeds: [Vec<u8>; 10] = [
        zip(&[("mimetype", b"application/epub+zip"), ("b", &[0; 100])]),
        compound(&[0; 16], &["WordDocument"]),
        b"ID3\x04\0\x40\x7f\x7f\x7f\x7f".repeat(10),
        b"\x1a\x45\xdf\xa3\x01\xff\xff\xff\xff\xff\xff\xff\x42\x82\x88matroska".to_vec(),
        b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom\0\0\0\x01moov\xff\xff\xff\xff\xff\xff\xff\xff".to_vec(),
        b".RMF\0\0\0\x12\0\0\0\0\0\0\xff\xff\xff\xffMDPR\xff\xff\xff\xff".to_vec(),
        [b"MZ".as_slice(), &[0xff; 62]].concat(),
        b"0&\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c".to_vec(),
        b"<?xml version='1.0'?><tt".to_vec(),
        b"\xff\xfea\0b\0".to_vec(),
    ];
    let mut random = Random(11);
    for round in 0..4000_usize {
        let mut bytes = seeds[round % seeds.len()].clone();
        if round % 3 == 0 {
            bytes.extend(random.bytes(round % 700));
        }
        for _ in 0..round % 9 {
            let noise = random.bytes(5);
            let at = usize::from(u16::from_le_bytes([noise[0], noise[1]])) % bytes.len();
            bytes[at] = if noise[2].is_multiple_of(2) { 0xff } else { noise[3] };
        }
        bytes.truncate(bytes.len().max(1));
        // The ends may belong to a stream of any length.
        let mut ends = Ends::new(Some(u64::MAX));
        ends.push(&bytes);
        let _ = (ends.content_type(), of(&bytes));
    }
}
