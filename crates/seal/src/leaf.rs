//! The message of a leaf: all facts of a record in one canonical form.
//!
//! A leaf is `H(0x00 ‖ s ‖ salt ‖ fields)`: `s` is one byte, 0 without a salt, 32 with one of 32 bytes. A field is a
//! tag (one byte), the length of its value (four bytes), and the value; missing facts have no field. Numbers are
//! unsigned and big-endian unless said otherwise. The order is:
//!
//! | tag | field | bytes |
//! |---|---|---|
//! | 1 | path | as they are |
//! | 2 | status | 0 hashed, 1 unreadable, 2 changed while reading, 3 skipped, 4 stored (one byte) |
//! | 3 | size | eight bytes |
//! | 4 | piece | offset, length (eight bytes each) |
//! | 5 | time of last change | seconds since 1970 (eight bytes, signed), nanoseconds (four) |
//! | 6 | digest, in the record's order | length of the algorithm's name (one byte), the name, the digest |
//! | 7 | digest of an algorithm that the manifest does not name | likewise, the likeliest of its length |
//! | 8 | likeness digest, in the record's order | as tag 6, the digest as text |
//! | 9 | likeness digest that is missing, or that is sparse | as tag 6, the word for that |
//! | 10 | bad blocks | offset, length of each |
//! | 11 | category | text |
//! | 12 | set | text |
//! | 13 | reason why it is not hashed | text |
//! | 14 | stored leaves of a digest, in the record's order | as tag 6, the digests of the leaves |
//! | 15 | strength of a stored record | the word |
//! | 16 | version of an object | text |
//! | 17 | time of last change of the inode | as tag 5 |
//! | 18 | inode | eight bytes |
//! | 19 | device | eight bytes |
//! | 20 | time at which the file was read | as tag 5 |
//! | 21 | whether the digests are of an earlier run; if not, no field | none |
//! | 22 | time of last access, of an entry inside of another file | as tag 5 |
//! | 23 | time of creation of such an entry | as tag 5 |
//! | 24 | what such an entry lies in | text |
//! | 25 | what is left of such an entry that was deleted | the word |
//! | 26 | attributes of Windows | four bytes |
//! | 27 | MIME type of the content | text |
//! | 28 | name of that type | text |
//! | 29 | usual extension of that type, in the record's order | text |
//! | 30 | whether the name's extension is that of another type | one byte, 0 or 1 |
//! | 31 | entropy | millionths of a bit (four bytes) |
//! | 32 | chi-square | hundredths (eight bytes) |
//! | 33 | class of content | the word |
//! | 36 | versions of the signature files of PRONOM | text |
//! | 37 | identifier of a format of PRONOM, in the record's order; fields 38 and 39 follow each | text |
//! | 38 | its name, its version and its MIME type: three fields | text |
//! | 39 | the basis of the identification | the word |
//! | 40 | whether rules were judged on all of the content | the word |
//! | 41 | rule that matches, in the record's order | the name; the next fields are of this rule |
//! | 42 | file that has the rule | text |
//! | 43 | tag of the rule | text |
//! | 44 | name of metadata of the rule | text |
//! | 45 | value of it | 0 and text, 1 and a number (eight bytes, signed), or 2 and one byte, 0 or 1 |
//! | 46 | string of the rule | the name |
//! | 47 | places of the string | their number, offset, length of each that is stored (eight bytes each) |

use hashmill_facts::{
    ContentFacts, ContentType, Entropy, Meta, MetaValue, PronomFormat, RuleFacts, RuleMatch,
};
use hashmill_manifest::{Metadata, Record, Status, Time};

/// The length of a salt in bytes.
pub const SALT: usize = 32;

/// Appends a record's leaf message, ready to be hashed.
pub fn message(record: &Record, salt: Option<&[u8; SALT]>, out: &mut Vec<u8>) {
    out.push(0);
    match salt {
        Some(salt) => {
            out.push(SALT as u8);
            out.extend_from_slice(salt);
        }
        None => out.push(0),
    }
    fields(record, out);
}

fn fields(record: &Record, out: &mut Vec<u8>) {
    // All fields are listed, so that a new one can't be forgotten here.
    let Record {
        path,
        size,
        status: word,
        piece,
        mtime,
        digests,
        likeness,
        facts,
        leaves,
        bad_blocks,
        label,
        reason,
        version,
        metadata,
    } = record;
    field(1, &[path], out);
    field(2, &[&[status(*word)]], out);
    if let Some(size) = size {
        field(3, &[&size.to_be_bytes()], out);
    }
    if let Some(piece) = piece {
        field(4, &[&piece.offset.to_be_bytes(), &piece.length.to_be_bytes()], out);
    }
    if let Some(time) = mtime {
        time_field(5, *time, out);
    }
    for named in digests {
        let tag = if named.guessed { 7 } else { 6 };
        let name = named.algorithm.name.as_bytes();
        field(tag, &[&[name.len() as u8], name, named.digest.as_bytes()], out);
    }
    for likeness in likeness {
        let name = likeness.algorithm.name.as_bytes();
        if let Some(text) = likeness.text(path) {
            field(8, &[&[name.len() as u8], name, text.as_bytes()], out);
        }
        if let Some(word) = likeness.status() {
            field(9, &[&[name.len() as u8], name, word.as_bytes()], out);
        }
    }
    if !bad_blocks.is_empty() {
        let numbers = bad_blocks.iter().flat_map(|range| [range.offset, range.length]);
        let bytes: Vec<u8> = numbers.flat_map(u64::to_be_bytes).collect();
        field(10, &[&bytes], out);
    }
    if let Some(label) = label {
        field(11, &[label.category.as_bytes()], out);
        if !label.set.is_empty() {
            field(12, &[label.set.as_bytes()], out);
        }
    }
    if let Some(reason) = reason {
        field(13, &[reason.as_bytes()], out);
    }
    for kept in leaves {
        let name = kept.algorithm.name.as_bytes();
        field(14, &[&[name.len() as u8], name, &kept.digests], out);
    }
    if let Some(strength) = word.strength() {
        field(15, &[strength.word().as_bytes()], out);
    }
    if let Some(version) = version {
        field(16, &[version.as_bytes()], out);
    }
    if let Some(metadata) = metadata {
        metadata_fields(metadata, out);
    }
    if let Some(facts) = facts {
        fact_fields(facts, out);
    }
}

fn metadata_fields(metadata: &Metadata, out: &mut Vec<u8>) {
    let Metadata { ctime, inode, device, read, reused, accessed, created, container, allocation, attributes } =
        metadata;
    let times = |tag: u8, time: &Option<Time>, out: &mut Vec<u8>| {
        time.iter().for_each(|time| time_field(tag, *time, out));
    };
    let numbers = |tag: u8, number: &Option<u64>, out: &mut Vec<u8>| {
        number.iter().for_each(|number| field(tag, &[&number.to_be_bytes()], out));
    };
    times(17, ctime, out);
    numbers(18, inode, out);
    numbers(19, device, out);
    times(20, read, out);
    if *reused {
        field(21, &[], out);
    }
    times(22, accessed, out);
    times(23, created, out);
    if let Some(container) = container {
        field(24, &[container.as_bytes()], out);
    }
    if let Some(allocation) = allocation {
        field(25, &[allocation.word().as_bytes()], out);
    }
    if !attributes.is_empty() {
        field(26, &[&attributes.bits().to_be_bytes()], out);
    }
}

fn fact_fields(facts: &ContentFacts, out: &mut Vec<u8>) {
    let ContentFacts { content_type, mismatch, entropy, class, rules, pronom } = facts;
    if let Some(ContentType { mime, name, extensions }) = content_type.as_deref() {
        field(27, &[mime.as_bytes()], out);
        field(28, &[name.as_bytes()], out);
        extensions.iter().for_each(|extension| field(29, &[extension.as_bytes()], out));
    }
    if let Some(is_mismatch) = mismatch {
        field(30, &[&[u8::from(*is_mismatch)]], out);
    }
    if let Some(Entropy { bits, chi_square }) = entropy {
        field(31, &[&bits.millionths().to_be_bytes()], out);
        chi_square.iter().for_each(|chi| field(32, &[&chi.hundredths().to_be_bytes()], out));
    }
    if let Some(class) = class {
        field(33, &[class.word().as_bytes()], out);
    }
    if let Some(pronom) = pronom {
        field(36, &[pronom.signatures.as_bytes()], out);
        for PronomFormat { puid, name, version, mime, basis } in &pronom.formats {
            field(37, &[puid.as_bytes()], out);
            [name, version, mime].into_iter().for_each(|text| field(38, &[text.as_bytes()], out));
            field(39, &[basis.word().as_bytes()], out);
        }
    }
    if let Some(RuleFacts { status, matches }) = rules.as_deref() {
        field(40, &[status.word().as_bytes()], out);
        matches.iter().for_each(|found| rule_fields(found, out));
    }
}

fn rule_fields(found: &RuleMatch, out: &mut Vec<u8>) {
    field(41, &[found.rule.name.as_bytes()], out);
    field(42, &[found.rule.namespace.as_bytes()], out);
    found.rule.tags.iter().for_each(|tag| field(43, &[tag.as_bytes()], out));
    for Meta { name, value } in &found.rule.meta {
        field(44, &[name.as_bytes()], out);
        match value {
            MetaValue::Text(text) => field(45, &[&[0], text.as_bytes()], out),
            MetaValue::Integer(number) => field(45, &[&[1], &number.to_be_bytes()], out),
            MetaValue::Truth(is_so) => field(45, &[&[2, u8::from(*is_so)]], out),
        }
    }
    for string in &found.strings {
        field(46, &[string.name.as_bytes()], out);
        let places = string.places.iter().flat_map(|(offset, length)| [*offset, *length]);
        let numbers: Vec<u8> = [string.count].into_iter().chain(places).flat_map(u64::to_be_bytes).collect();
        field(47, &[&numbers], out);
    }
}

fn time_field(tag: u8, time: Time, out: &mut Vec<u8>) {
    field(tag, &[&time.seconds.to_be_bytes(), &time.nanoseconds.to_be_bytes()], out);
}

/// Appends a field. Lines of manifests are far shorter than 4 GiB, the maximum length.
fn field(tag: u8, parts: &[&[u8]], out: &mut Vec<u8>) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    out.push(tag);
    out.extend_from_slice(&(length as u32).to_be_bytes());
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

fn status(status: Status) -> u8 {
    match status {
        Status::Hashed => 0,
        Status::Unreadable => 1,
        Status::Changed => 2,
        Status::Skipped => 3,
        Status::Stored(_) => 4,
    }
}
