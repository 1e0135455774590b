//! Formats by signatures of PRONOM: each element of their syntax, priorities, extensions and containers.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use hashmill_facts::{Ends, EndsAt, Pronom, Signatures};
use std::io::Write;

/// Makes a signature file of one format for each sequence: `fmt/1`, `fmt/2`, …, with the extension `e1`, `e2`, ….
fn formats(sequences: &[&str], more: &str) -> Signatures {
    let mut xml = String::from(
        "<?xml version=\"1.0\"?>\n<FFSignatureFile Version=\"7\" xmlns=\"x\"><InternalSignatureCollection>",
    );
    for (place, sequence) in (1..).zip(sequences) {
        xml += &format!("<InternalSignature ID=\"{place}\">{sequence}</InternalSignature>\n");
    }
    xml += "</InternalSignatureCollection><FileFormatCollection>\n";
    for place in 1..=sequences.len() {
        xml += &format!(
            "<FileFormat ID=\"{place}\" Name=\"N&amp;{place}\" PUID=\"fmt/{place}\" Version=\"v{place}\" MIMEType=\"a/b\"><InternalSignatureID>{place}</InternalSignatureID></FileFormat>\n"
        );
    }
    xml += more;
    xml += "</FileFormatCollection></FFSignatureFile>";
    let mut signatures = Signatures::default();
    signatures.add(xml.as_bytes()).unwrap();
    signatures
}

/// Makes a sequence of one part at the start of a stream.
fn at_start(text: &str) -> String {
    whole("BOFoffset", &format!("SubSeqMinOffset='0' SubSeqMaxOffset='0'><Sequence>{text}</Sequence>"))
}

fn whole(reference: &str, part: &str) -> String {
    format!(
        "<ByteSequence Reference='{reference}'><SubSequence Position='1' {part}</SubSequence></ByteSequence>"
    )
}

fn identify(signatures: &Signatures, bytes: &[u8], name: &str) -> Pronom {
    let mut ends = Ends::new(None);
    ends.push(bytes);
    let found = ends.pronom(signatures, name.as_bytes());
    // The order in which bytes come changes nothing.
    let mut at = EndsAt::new(bytes.len() as u64);
    for (place, part) in bytes.chunks(7).enumerate().collect::<Vec<_>>().into_iter().rev() {
        at.put(place as u64 * 7, part);
    }
    assert_eq!(at.pronom(signatures, name.as_bytes()), found);
    found
}

fn matches(sequence: &str, bytes: &[u8]) -> bool {
    !identify(&formats(&[sequence], ""), bytes, "x").formats.is_empty()
}

/// A sequence, streams that it matches, and others.
type Case = (&'static str, &'static [&'static [u8]], &'static [&'static [u8]]);

#[test]
fn each_element_of_a_sequence() {
    let cases: [Case; 17] = [
        ("41 42", &[b"AB", b"ABC"], &[b"A", b"BA", b" AB", b""]),
        ("'AB'43", &[b"ABC"], &[b"ABD"]),
        ("\"A'\"43", &[b"A'C"], &[b"AC"]),
        ("41??43", &[b"AxC"], &[b"AC", b"AxxC"]),
        ("41{2}43", &[b"AxxC"], &[b"AxC", b"AxxxC"]),
        ("41{1-3}43", &[b"AxC", b"AxxxC"], &[b"AC", b"AxxxxC"]),
        ("41{2-*}43", &[b"AxxC", b"AxxxxxxxC"], &[b"AxC"]),
        ("41*43*44", &[b"ACD", b"AxCxxD"], &[b"ADC"]),
        ("(41|4243|(44|45)46)47", &[b"AG", b"BCG", b"EFG"], &[b"BG", b"DG"]),
        ("(41|4142)42", &[b"AB", b"ABB"], &[b"ACB"]),
        ("[41:43]44", &[b"AD", b"CD"], &[b"DD"]),
        ("['a'-'c']44", &[b"bD"], &[b"dD"]),
        ("[4100:4200]44", &[b"A\x05D", b"B\0D"], &[b"B\x01D"]),
        ("[!00]44", &[b"AD"], &[b"\0D", b"D"]),
        ("[!4142]44", &[b"ACD"], &[b"ABD"]),
        ("[&amp;03]44", &[b"\x07D"], &[b"\x05D"]),
        ("~0344", &[b"\x05D"], &[b"\x04D"]),
    ];
    for (text, good, bad) in cases {
        let sequence = at_start(text);
        good.iter().for_each(|bytes| assert!(matches(&sequence, bytes), "{text} {}", bytes.escape_ascii()));
        bad.iter().for_each(|bytes| assert!(!matches(&sequence, bytes), "{text} {}", bytes.escape_ascii()));
    }
}

#[test]
fn places_of_sequences() {
    let offset = whole("BOFoffset", "SubSeqMinOffset='2' SubSeqMaxOffset='4'><Sequence>41</Sequence>");
    assert!([&b"xxA"[..], b"xxxxA"].iter().all(|bytes| matches(&offset, bytes)));
    assert!([&b"xA"[..], b"xxxxxA"].iter().all(|bytes| !matches(&offset, bytes)));
    let end = whole("EOFoffset", "SubSeqMinOffset='1' SubSeqMaxOffset='2'><Sequence>41{1-2}4243</Sequence>");
    assert!([&b"AxBCx"[..], b"AxxBCxx"].iter().all(|bytes| matches(&end, bytes)));
    assert!([&b"AxBC"[..], b"AxBCxxx", b"ABCx"].iter().all(|bytes| !matches(&end, bytes)));
    let anywhere = whole("Variable", "><Sequence>4142</Sequence>");
    assert!(matches(&anywhere, b"xxABx") && !matches(&anywhere, b"AxB"));
    // Only both ends are looked at.
    let long = |at: usize| {
        let mut bytes = vec![b'x'; 300_000];
        bytes[at..at + 2].copy_from_slice(b"AB");
        bytes
    };
    assert_eq!(
        [65_534, 65_535, 234_463, 234_464].map(|at| matches(&anywhere, &long(at))),
        [true, false, false, true]
    );
}

#[test]
fn subsequences_and_fragments() {
    let part = |position: u32, offsets: &str, text: &str| {
        format!("<SubSequence Position='{position}' {offsets}><Sequence>{text}</Sequence></SubSequence>")
    };
    let fixed = "SubSeqMinOffset='0' SubSeqMaxOffset='0'";
    let start = format!(
        "<ByteSequence Reference='BOFoffset'>{}{}</ByteSequence>",
        part(1, fixed, "41"),
        part(2, "SubSeqMinOffset='1'", "42")
    );
    assert!(matches(&start, b"AxxB") && !matches(&start, b"AB") && !matches(&start, b"xAxB"));
    // From the end, the first is the last in the file.
    let end = format!(
        "<ByteSequence Reference='EOFoffset'>{}{}</ByteSequence>",
        part(1, fixed, "41"),
        part(2, "SubSeqMinOffset='1' SubSeqMaxOffset='2'", "42")
    );
    assert!(
        matches(&end, b"BxA") && matches(&end, b"BxxA") && !matches(&end, b"BA") && !matches(&end, b"BxAx")
    );
    let fragments = whole(
        "BOFoffset",
        "SubSeqMinOffset='1' SubSeqMaxOffset='1'><Sequence>'MAIN'</Sequence>\
         <LeftFragment Position='1' MinOffset='1' MaxOffset='2'>'L'</LeftFragment>\
         <LeftFragment Position='2' MinOffset='0' MaxOffset='0'>'K'</LeftFragment>\
         <RightFragment Position='1' MinOffset='0' MaxOffset='1'>'R'</RightFragment>\
         <RightFragment Position='1' MinOffset='2' MaxOffset='2'>'S'</RightFragment>\
         <RightFragment Position='2' MinOffset='0'>'T'</RightFragment>",
    );
    for good in ["_KL.MAINRT", "_KL..MAIN.R...T", "_KL.MAIN..ST"] {
        assert!(matches(&fragments, good.as_bytes()), "{good}");
    }
    for bad in ["KL.MAINRT", "_KLMAINRT", "_LK.MAINRT", "_KL.MAIN..RT", "_KL.MAIN.ST", "_KL.MAINR"] {
        assert!(!matches(&fragments, bad.as_bytes()), "{bad}");
    }
    // Each sequence of a signature must match.
    let both = at_start("41")
        + &whole("EOFoffset", "SubSeqMinOffset='0' SubSeqMaxOffset='0'><Sequence>42</Sequence>");
    assert!(matches(&both, b"AB") && !matches(&both, b"A") && !matches(&both, b"B"));
}

#[test]
fn priorities_names_and_extensions() {
    let more = "<FileFormat ID='9' PUID='x-fmt/9' Name='Nine'><Extension>TXT</Extension><Extension>e</Extension></FileFormat>\
        <FileFormat ID='10' PUID='x-fmt/10' Name='Ten'><Extension>txt</Extension></FileFormat>\
        <FileFormat ID='11' PUID='fmt/11'><InternalSignatureID>2</InternalSignatureID>\
        <HasPriorityOverFileFormatID>1</HasPriorityOverFileFormatID><Extension>txt</Extension></FileFormat>";
    let signatures = formats(&[&at_start("41"), &at_start("4142")], more);
    let puids = |bytes: &[u8], name: &str| {
        let found = identify(&signatures, bytes, name);
        assert!(found.signatures.starts_with("V7 ("));
        found.formats.iter().map(|one| format!("{} {}", one.puid, one.basis.word())).collect::<Vec<_>>()
    };
    assert_eq!(puids(b"A", "a.txt"), ["fmt/1 signature"]);
    assert_eq!(puids(b"AB", "a.txt"), ["fmt/11 signature", "fmt/2 signature"]);
    assert_eq!(puids(b"x", "d.e/a.TxT"), ["x-fmt/10 extension", "x-fmt/9 extension"]);
    assert_eq!(puids(b"x", "d.e/a"), [""; 0]);
    let first = identify(&signatures, b"A", "").formats[0].clone();
    assert_eq!((&*first.name, &*first.version, &*first.mime), ("N&1", "v1", "a/b"));
}

#[test]
fn broken_files_are_refused_with_their_line() {
    let long = "(".repeat(40) + "41" + &")".repeat(40);
    let deep = "<a>\n".repeat(100);
    let cases = [
        (at_start("4"), "line 2: a byte needs two hexadecimal digits"),
        (at_start("41{4-2}42"), "line 2: the gap {4-2} ends before it begins"),
        (at_start("41{9999999}42"), "line 2: a gap has a length from 0 to 1048576"),
        (at_start("41%"), "line 2: '%' at character 3 has no meaning"),
        (at_start("??"), "line 2: the sequence has no bytes"),
        (at_start("(41|)"), "line 2: an alternative is empty"),
        (at_start("[42:41]"), "line 2: a range ends before it begins"),
        (at_start("'A"), "line 2: the quote at the end of a text is missing"),
        (at_start(&long), "line 2: alternatives are nested more than 16 deep"),
        (whole("Middle", "><Sequence>41</Sequence>"), "line 2: no Reference is named 'Middle'"),
        (String::new(), "line 2: the signature has no ByteSequence"),
        (deep, "elements are nested more than 32 deep"),
        ("<!DOCTYPE a>".into(), "a document type is not read"),
        ("</b>".into(), "line 2: not XML"),
    ];
    for (inside, wanted) in cases {
        let xml = format!(
            "<FFSignatureFile Version='7'><InternalSignatureCollection>\n<InternalSignature ID='1'>{inside}</InternalSignature>\n</InternalSignatureCollection></FFSignatureFile>"
        );
        let error = Signatures::default().add(xml.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
    for (xml, wanted) in
        [("<html/>", "it is no signature file of DROID"), ("", "no element"), ("<a>", "inside of an element")]
    {
        let error = Signatures::default().add(xml.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

/// A signature that would make a matcher that goes back take longer than anyone lives.
#[test]
fn patterns_with_many_ways_take_no_longer() {
    let sequence = at_start(&("(41|4141)".repeat(2000) + "*42*43*" + &"(41*|*4141)".repeat(12) + "44"));
    assert!(!matches(&sequence, &[b'A'; 60_000]));
}

/// Returns signatures of containers that have a member `a` with `book` at its start and a member `b`, or an `a` with
/// `other` at its end.
fn containers(kind: &str, first_bytes: &str) -> Signatures {
    let more = "<FileFormat ID='8' PUID='fmt/8' Name='Book'/><FileFormat ID='9' PUID='fmt/9' Name='Other'/>";
    let mut signatures = formats(&[&at_start(first_bytes)], more);
    let file = |path: &str, sequence: &str| {
        format!(
            "<File><Path>{path}</Path><BinarySignatures><InternalSignatureCollection><InternalSignature ID='1'>{sequence}</InternalSignature></InternalSignatureCollection></BinarySignatures></File>"
        )
    };
    let at_end = whole("EOFoffset", "SubSeqMinOffset='0' SubSeqMaxOffset='0'><Sequence>'other'</Sequence>");
    let xml = format!(
        "<ContainerSignatureMapping signatureVersion='3'><ContainerSignatures>\
         <ContainerSignature Id='1' ContainerType='{kind}'><Files>{}<File><Path>b</Path></File></Files></ContainerSignature>\
         <ContainerSignature Id='2' ContainerType='{kind}'><Files>{}</Files></ContainerSignature></ContainerSignatures>\
         <FileFormatMappings><FileFormatMapping signatureId='1' Puid='fmt/8'/><FileFormatMapping signatureId='2' Puid='fmt/9'/></FileFormatMappings>\
         <TriggerPuids><TriggerPuid ContainerType='{kind}' Puid='fmt/1'/></TriggerPuids></ContainerSignatureMapping>",
        file("a", &at_start("'book'")),
        file("a", &at_end)
    );
    signatures.add(xml.as_bytes()).unwrap();
    signatures
}

fn puids(signatures: &Signatures, bytes: &[u8]) -> Vec<String> {
    let found = identify(signatures, bytes, "x.zip");
    assert!(found.signatures.starts_with("V7 container 3 ("));
    found.formats.iter().map(|one| format!("{} {}", one.puid, one.basis.word())).collect()
}

#[test]
fn containers_by_their_members() {
    let signatures = containers("ZIP", "'PK'0304");
    for pack in [stored, deflated] {
        let puids = |members: &[(&str, &str)]| puids(&signatures, &zip(members, pack));
        assert_eq!(puids(&[("a", "book one"), ("b", "")]), ["fmt/8 container"]);
        assert_eq!(puids(&[("b", "x"), ("a", "an other")]), ["fmt/9 container"]);
        assert_eq!(puids(&[("a", "book one")]), ["fmt/1 signature"]);
        assert_eq!(puids(&[("c", "book")]), ["fmt/1 signature"]);
        // The end of a long member is not looked at.
        let long = "book ".repeat(20_000) + "other";
        assert_eq!(puids(&[("a", &long)]), ["fmt/1 signature"]);
        assert_eq!(puids(&[("a", &long), ("b", "")]), ["fmt/8 container"]);
    }
}

#[test]
fn compound_files_by_their_streams() {
    let signatures = containers("OLE2", "D0CF11E0A1B11AE1");
    for padding in ["", &" ".repeat(63), &" ".repeat(500), &" ".repeat(5000), &" ".repeat(9000)] {
        let book = format!("book{padding}");
        let other = format!("{padding}other");
        let puids = |streams: &[(&str, &str)]| puids(&signatures, &compound(streams));
        assert_eq!(puids(&[("a", &book), ("b", "")]), ["fmt/8 container"]);
        assert_eq!(puids(&[("x", &book), ("b", "b"), ("\u{1}a", &other)]), ["fmt/9 container"]);
        assert_eq!(puids(&[("a", &book)]), ["fmt/1 signature"]);
        assert_eq!(puids(&[("c", &other)]), ["fmt/1 signature"]);
    }
}

/// Makes a compound file whose streams lie in sectors from the last to the first.
fn compound(streams: &[(&str, &str)]) -> Vec<u8> {
    const END: u32 = 0xffff_fffe;
    // The first sectors are the table, the directory, the table of small sectors, and the root's stream.
    let (mut table, mut small_table) = (vec![0xffff_fffd, END, END, END], Vec::new());
    let (mut root, mut sectors) = (Vec::new(), Vec::new());
    let mut directory =
        entry("Root Entry", 5, if streams.is_empty() { u32::MAX } else { 1 }, u32::MAX, (3, 0));
    for (place, (name, content)) in streams.iter().enumerate() {
        let next = if place + 1 < streams.len() { place as u32 + 2 } else { u32::MAX };
        let is_small = content.len() < 4096;
        let (unit, table, data) = match is_small {
            true => (64, &mut small_table, &mut root),
            false => (512, &mut table, &mut sectors),
        };
        let count = content.len().div_ceil(unit);
        let first = table.len() as u32;
        // The last part of the content comes first.
        for part in content.as_bytes().chunks(unit).rev() {
            let mut part = part.to_vec();
            part.resize(unit, 0);
            data.extend(part);
        }
        table.extend((0..count as u32).map(|place| if place == 0 { END } else { first + place - 1 }));
        let start = if count == 0 { END } else { first + count as u32 - 1 };
        directory.extend(entry(name, 2, u32::MAX, next, (start, content.len() as u32)));
    }
    // The root's stream goes on behind the streams of whole sectors.
    let length = root.len() as u32;
    directory[120..124].copy_from_slice(&length.to_le_bytes());
    root.resize(root.len().next_multiple_of(512).max(512), 0);
    let (first_part, rest) = root.split_at(512);
    let behind = rest.len() as u32 / 512;
    if behind > 0 {
        let at = table.len() as u32;
        table[3] = at;
        table.extend((1..=behind).map(|place| if place < behind { at + place } else { END }));
    }
    let to_sector = |numbers: &[u32]| {
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        bytes.resize(512, 0xff);
        bytes
    };
    directory.resize(512, 0);
    let mut header = vec![0; 512];
    header[..8].copy_from_slice(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
    (header[26], header[30], header[32], header[44], header[48], header[57], header[60], header[64]) =
        (3, 9, 6, 1, 1, 16, 2, 1);
    header[76..].fill(0xff);
    header[76..80].fill(0);
    [
        header,
        to_sector(&table),
        directory,
        to_sector(&small_table),
        first_part.to_vec(),
        sectors,
        rest.to_vec(),
    ]
    .concat()
}

/// Makes an entry of the directory of a compound file.
fn entry(name: &str, kind: u8, child: u32, right: u32, (start, size): (u32, u32)) -> Vec<u8> {
    let mut entry = vec![0; 128];
    let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    entry[..name.len()].copy_from_slice(&name);
    (entry[64], entry[66]) = (name.len() as u8 + 2, kind);
    for (at, number) in [(68, u32::MAX), (72, right), (76, child), (116, start), (120, size)] {
        entry[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    entry
}

/// The method of a member, and its bytes by that.
type Packed = (u8, Vec<u8>);

fn stored(content: &str) -> Packed {
    (0, content.into())
}

fn deflated(content: &str) -> Packed {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    packed.write_all(content.as_bytes()).unwrap();
    (8, packed.finish().unwrap())
}

/// Makes an archive.
fn zip(members: &[(&str, &str)], pack: fn(&str) -> Packed) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let at = bytes.len() as u32;
        let (method, packed) = pack(content);
        let sizes = [packed.len() as u32, content.len() as u32].map(u32::to_le_bytes).concat();
        let names = [(name.len() as u16).to_le_bytes(), [0, 0]].concat();
        bytes.extend(
            [
                b"PK\x03\x04\x14\0\0\0".as_slice(),
                &[method, 0],
                &[0; 8],
                &*sizes,
                &*names,
                name.as_bytes(),
                &packed,
            ]
            .concat(),
        );
        directory.extend(
            [
                b"PK\x01\x02\x14\0\x14\0\0\0".as_slice(),
                &[method, 0],
                &[0; 8],
                &*sizes,
                &*names,
                &[0; 10],
                &at.to_le_bytes(),
                name.as_bytes(),
            ]
            .concat(),
        );
    }
    let count = (members.len() as u16).to_le_bytes();
    let place = [directory.len() as u32, bytes.len() as u32].map(u32::to_le_bytes).concat();
    let end = [b"PK\x05\x06\0\0\0\0", &count[..], &count, &place, &[0, 0]].concat();
    [bytes, directory, end].concat()
}
