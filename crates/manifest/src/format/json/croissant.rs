//! `croissant`: the files of a data set in Croissant (JSON-LD). The documents that hashmill writes are drafts: the
//! owner must add name, licence and fields of the data set.
//!
//! The `contentUrl` of a `FileObject` is its path, or a URL whose last component is its name. `sha256` and `md5` are
//! digests; a size is read if it is exact (a number, or `123 B`). Source: the Croissant Format Specification 1.0,
//! "FileObject".

use super::objects::{ObjectRecords, Objects, has_keys, text};
use crate::Record;
use crate::format::file_list::FileList;
use crate::format::malformed::Bad;
use crate::format::values::naming::{Naming, number, write_digest};
use crate::format::values::several::Several;
use crate::format::writer::{below, cannot_carry, text_name};
use crate::format::{Hint, Layout, Made, Reader, Writer};
use serde_json::Value;
use std::io::{self, Read, Write};

pub(in crate::format) const HOLDS: &[&str] = &["sha256", "md5"];

/// The context of version 1.0, which every document repeats, and the required properties of a data set.
const HEAD: &str = r#"{"@context":{"@language":"en","@vocab":"https://schema.org/","citeAs":"cr:citeAs","column":"cr:column","conformsTo":"dct:conformsTo","cr":"http://mlcommons.org/croissant/","rai":"http://mlcommons.org/croissant/RAI/","data":{"@id":"cr:data","@type":"@json"},"dataType":{"@id":"cr:dataType","@type":"@vocab"},"dct":"http://purl.org/dc/terms/","equivalentProperty":"cr:equivalentProperty","examples":{"@id":"cr:examples","@type":"@json"},"extract":"cr:extract","field":"cr:field","fileProperty":"cr:fileProperty","fileObject":"cr:fileObject","fileSet":"cr:fileSet","format":"cr:format","includes":"cr:includes","isLiveDataset":"cr:isLiveDataset","jsonPath":"cr:jsonPath","key":"cr:key","md5":"cr:md5","parentField":"cr:parentField","path":"cr:path","recordSet":"cr:recordSet","references":"cr:references","regex":"cr:regex","repeated":"cr:repeated","replace":"cr:replace","samplingRate":"cr:samplingRate","sc":"https://schema.org/","separator":"cr:separator","source":"cr:source","subField":"cr:subField","transform":"cr:transform"},
"@type":"sc:Dataset","name":"files","conformsTo":"http://mlcommons.org/croissant/1.0","distribution":[
"#;

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let has = |part: &[u8]| memchr::memmem::find(first, part).is_some();
    has_keys(first, &["distribution"])
        && (has(b"mlcommons.org/croissant") || has(b"cr:FileObject") || has(b"sc:FileObject"))
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Objects { list: b"distribution", read }.reader(input)
}

fn read(object: &Value, naming: &mut Naming) -> ObjectRecords {
    let kind = object.get("@type").and_then(Value::as_str).unwrap_or_default();
    // A file with `containedIn` is in an archive or a folder, which has the digest.
    let inside = object.get("containedIn").is_some() && object.get("sha256").is_none();
    if kind.rsplit(':').next() != Some("FileObject") || inside {
        return Vec::new();
    }
    vec![file(object, naming)]
}

fn file(object: &Value, naming: &mut Naming) -> Result<Record, Bad> {
    let path = path(text(object, "contentUrl")?);
    let mut several = Several::default();
    for name in ["sha256", "md5"] {
        let digest = object.get(name).and_then(Value::as_str);
        // Some catalogues write a URL or a blank instead of a missing digest.
        if let Some(digest) =
            digest.filter(|digest| digest.bytes().all(|byte| byte.is_ascii_hexdigit()) && !digest.is_empty())
        {
            several.add(naming.tagged(name.as_bytes(), digest.as_bytes()))?;
        }
    }
    let size = object.get("contentSize").and_then(size);
    several.record_or_bare(&path, size)
}

fn size(value: &Value) -> Option<u64> {
    let text =
        || value.as_str()?.strip_suffix('B').map(str::trim_end).and_then(|digits| number(digits.as_bytes()));
    value.as_u64().or_else(text)
}

/// Returns the path of a file: of a URL, the decoded last component.
fn path(url: &str) -> Vec<u8> {
    let Some((_, rest)) = url.split_once("://") else { return url.as_bytes().to_vec() };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let name = rest.rsplit('/').find(|part| !part.is_empty()).unwrap_or(rest);
    crate::format::values::percent::decoded(name.as_bytes())
}

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    FileList { holds: HOLDS, begin, between: ",\n", item, end }.writer()
}

fn begin(_: &Made, text: &mut Vec<u8>) -> io::Result<()> {
    text.extend_from_slice(HEAD.as_bytes());
    Ok(())
}

fn item(record: &Record, number: u64, text: &mut Vec<u8>) -> io::Result<()> {
    let path = text_name(below(&record.path), "Croissant")?;
    if path.contains("://") {
        return Err(cannot_carry("Croissant reads a name with :// as a URL"));
    }
    write!(
        text,
        "{{\"@type\":\"cr:FileObject\",\"@id\":\"file-{number}\",\"contentUrl\":{},",
        Value::from(path)
    )?;
    if let Some(size) = record.size {
        write!(text, "\"contentSize\":\"{size} B\",")?;
    }
    text.extend_from_slice(b"\"encodingFormat\":\"application/octet-stream\"");
    for named in &record.digests {
        write!(text, ",\"{}\":\"", named.algorithm.name)?;
        write_digest(named, text);
        text.push(b'"');
    }
    text.push(b'}');
    Ok(())
}

fn end(items: u64, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(if items > 0 { b"\n]}\n" } else { b"]}\n" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_last_part_of_its_address() {
        for (url, wanted) in [
            ("data/a b.csv", "data/a b.csv"),
            ("https://example.com/x/a%20b.csv?download=1#top", "a b.csv"),
            ("https://example.com/x/", "x"),
        ] {
            assert_eq!(String::from_utf8(path(url)).unwrap(), wanted);
        }
    }
}
