//! Formats by signatures of PRONOM: each element of their syntax, priorities, extensions and containers.

use hashmill_facts::{Ends, EndsAt, Pronom, Signatures};

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

#[test]
fn containers_by_their_members() {
    let more = "<FileFormat ID='8' PUID='fmt/8' Name='Book'/><FileFormat ID='9' PUID='fmt/9' Name='Other'/>";
    let mut signatures = formats(&[&at_start("'PK'0304")], more);
    let file = |path: &str, text: &str| {
        format!(
            "<File><Path>{path}</Path><BinarySignatures><InternalSignatureCollection><InternalSignature ID='1'>{}</InternalSignature></InternalSignatureCollection></BinarySignatures></File>",
            at_start(text)
        )
    };
    let xml = format!(
        "<ContainerSignatureMapping signatureVersion='3'><ContainerSignatures>\
         <ContainerSignature Id='1' ContainerType='ZIP'><Files>{}<File><Path>b</Path></File></Files></ContainerSignature>\
         <ContainerSignature Id='2' ContainerType='ZIP'><Files>{}</Files></ContainerSignature></ContainerSignatures>\
         <FileFormatMappings><FileFormatMapping signatureId='1' Puid='fmt/8'/><FileFormatMapping signatureId='2' Puid='fmt/9'/></FileFormatMappings>\
         <TriggerPuids><TriggerPuid ContainerType='ZIP' Puid='fmt/1'/></TriggerPuids></ContainerSignatureMapping>",
        file("a", "'book'"),
        file("a", "'other'")
    );
    signatures.add(xml.as_bytes()).unwrap();
    let puids = |members: &[(&str, &str)]| {
        let found = identify(&signatures, &zip(members), "x.zip");
        assert!(found.signatures.starts_with("V7 container 3 ("));
        found.formats.iter().map(|one| format!("{} {}", one.puid, one.basis.word())).collect::<Vec<_>>()
    };
    assert_eq!(puids(&[("a", "book one"), ("b", "")]), ["fmt/8 container"]);
    assert_eq!(puids(&[("b", "x"), ("a", "other")]), ["fmt/9 container"]);
    assert_eq!(puids(&[("a", "book one")]), ["fmt/1 signature"]);
    assert_eq!(puids(&[("c", "book")]), ["fmt/1 signature"]);
}

/// Makes an archive of stored members.
fn zip(members: &[(&str, &str)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let at = bytes.len() as u32;
        let sizes = [content.len() as u32, content.len() as u32].map(u32::to_le_bytes).concat();
        let names = [(name.len() as u16).to_le_bytes(), [0, 0]].concat();
        bytes.extend(
            [
                b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0",
                &*sizes,
                &*names,
                name.as_bytes(),
                content.as_bytes(),
            ]
            .concat(),
        );
        directory.extend(
            [
                b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\0\0\0\0\0\0",
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
