//! Inventories of stores, and audits against them.

use flate2::Compression;
use flate2::write::GzEncoder;
use hashmill_digest::{Digest, find, hash};
use hashmill_manifest::audit::{Audit, Category, Incomparable, Known, Places, Unjudged};
use hashmill_manifest::format::{Hint, Layout, find_format, open, open_path};
use hashmill_manifest::stored::Strength;
use hashmill_manifest::{Named, Record, Status};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

fn shown(record: &Record) -> String {
    let digests: Vec<String> = record
        .digests
        .iter()
        .map(|named| format!(" {}={}", named.algorithm.name, named.algorithm.format(&named.digest)))
        .collect();
    let strength = record.status.strength().map_or(String::new(), |strength| format!(":{}", strength.word()));
    let reason = record.reason.as_deref().map_or(String::new(), |reason| format!("({reason})"));
    let size = record.size.map_or("-".to_string(), |size| size.to_string());
    let path = String::from_utf8_lossy(&record.path);
    format!("{path} {size} {}{strength}{reason}{}", record.status.word(), digests.concat())
}

fn read(path: &Path) -> Result<Vec<String>, String> {
    let opened = open_path(path, Hint::None).map_err(|why| why.to_string())?;
    Ok(opened
        .reader
        .map(|record| record.map_or_else(|bad| bad.to_string(), |record| shown(&record)))
        .collect())
}

fn seed(format: &str, name: &str) -> Vec<String> {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    read(&corpus.join(format).join(name)).unwrap()
}

/// Creates an inventory of S3 as in a copy of its bucket; returns the manifest's path.
fn inventory(bucket: &Path, schema: &str, rows: &str) -> PathBuf {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(rows.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let (data, run) = (bucket.join("inv/b/data"), bucket.join("inv/b/2026-11-22T01-00Z"));
    fs::create_dir_all(&data).unwrap();
    fs::create_dir_all(&run).unwrap();
    fs::write(data.join("x.csv.gz"), &packed).unwrap();
    let md5 = hash(find("md5").unwrap(), &packed);
    let manifest = run.join("manifest.json");
    let text = format!(
        r#"{{"sourceBucket":"b","destinationBucket":"arn:aws:s3:::d","version":"2016-11-30","fileFormat":"CSV",
        "fileSchema":"{schema}","files":[{{"key":"inv/b/data/x.csv.gz","size":{},"MD5checksum":"{md5}"}}]}}"#,
        packed.len()
    );
    fs::write(&manifest, text).unwrap();
    manifest
}

#[test]
fn an_inventory_of_s3_is_read_through_its_manifest() {
    let bucket = tempfile::tempdir().unwrap();
    let rows = [
        format!(r#""b","a+b/%C3%A9","true","false","3","{MD5}","SSE-S3""#),
        format!(r#""b","kms","true","false","3","{MD5}","SSE-KMS""#),
        format!(r#""b","parts","true","false","20971520","{MD5}-3","NOT-SSE""#),
        format!(r#""b","unclear","true","false","9437184","{MD5}-2","SSE-S3""#),
        format!(r#""b","one","true","false","20971520","{MD5}-1","SSE-S3""#),
        format!(r#""b","old","false","false","3","{MD5}","SSE-S3""#),
        r#""b","gone","true","true","","","""#.to_string(),
        format!(r#""b","folder/","true","false","0","{MD5}","SSE-S3""#),
        format!(r#""b","bad%zz","true","false","3","{MD5}","SSE-S3""#),
    ];
    let schema = "Bucket, Key, IsLatest, IsDeleteMarker, Size, ETag, EncryptionStatus";
    let manifest = inventory(bucket.path(), schema, &(rows.join("\n") + "\n"));
    let wanted = [
        format!("a b/\u{e9} 3 stored:content md5={MD5}"),
        "kms 3 stored:size".into(),
        format!("parts 20971520 stored:composite s3-etag:8M={MD5}-3"),
        "unclear 9437184 stored:size".into(),
        format!("one 20971520 stored:composite s3-etag:32M={MD5}-1"),
        "folder/ - skipped(folder)".into(),
        "line 9: Key: not URL-encoded".into(),
    ];
    assert_eq!(read(&manifest).unwrap(), wanted);
    // It is also found next to the manifest.
    fs::rename(bucket.path().join("inv/b/data/x.csv.gz"), manifest.with_file_name("x.csv.gz")).unwrap();
    assert_eq!(read(&manifest).unwrap(), wanted);
}

#[test]
fn an_inventory_is_used_whole_or_not_at_all() {
    let bucket = tempfile::tempdir().unwrap();
    let manifest = inventory(bucket.path(), "Bucket, Key, Size, ETag", "\"b\",\"k\",\"3\",\"x\"\n");
    let file = bucket.path().join("inv/b/data/x.csv.gz");
    assert_eq!(read(&manifest).unwrap(), ["k 3 stored:size"]);
    let bytes = fs::read(&file).unwrap();
    let mut damaged = bytes.clone();
    damaged[12] ^= 1;
    fs::write(&file, damaged).unwrap();
    assert!(read(&manifest).unwrap_err().contains("has the MD5"));
    fs::write(&file, &bytes[1..]).unwrap();
    assert!(read(&manifest).unwrap_err().contains("bytes, but the manifest says"));
    fs::remove_file(&file).unwrap();
    assert!(read(&manifest).unwrap_err().contains("inv/b/data/x.csv.gz: not found below"));
    // In a pipe, no other files can be found.
    let text = fs::read(&manifest).unwrap();
    assert!(open(Box::new(&text[..]), Hint::None).is_err());
    fs::write(&manifest, String::from_utf8(text).unwrap().replace("Bucket, Key", "Bucket, Name")).unwrap();
    assert!(read(&manifest).unwrap_err().contains("no column Key"));
    let orc = fs::read_to_string(&manifest).unwrap().replace("\"CSV\"", "\"ORC\"");
    fs::write(&manifest, orc).unwrap();
    assert!(read(&manifest).unwrap_err().contains("hashmill only reads CSV and Parquet"));
}

#[test]
fn reports_of_google_azure_and_batch_operations_are_read() {
    assert_eq!(
        seed("gcs-inventory", "report"),
        [
            format!("a b/\u{e9} 3 stored:content crc32c=364b2722 md5={MD5}"),
            "composed 6 stored:crc crc32c=364b2722".into(),
            "folder/ - skipped(folder)".into(),
        ]
    );
    assert_eq!(seed("gcs-inventory", "quoted")[0], format!("a,\"b\"\nc - stored:content md5={MD5}"));
    assert_eq!(seed("gcs-inventory", "quoted")[1], "line 4: md5Hash: not base64");
    assert_eq!(
        seed("azure-inventory", "report"),
        [
            format!("c/a 3 stored:declared md5={MD5}"),
            "c/none 9 stored:size".into(),
            "c/crc 9 stored:crc crc64nvme=ae8b14860a799888".into(),
        ]
    );
    assert_eq!(
        seed("s3-report", "report"),
        [
            format!("a b/\u{e9} - stored:content md5={MD5}"),
            "hex - stored:crc crc32=352441c2".into(),
            "parts - unreadable(composite)".into(),
            "gone - unreadable(failed)".into(),
        ]
    );
}

#[cfg(feature = "tables")]
#[test]
fn inventories_in_parquet_are_told_by_their_columns() {
    assert_eq!(
        seed("parquet", "s3-inventory"),
        [
            format!("a b/\u{e9}  3 stored:content md5={MD5}"),
            "kms 3 stored:size".into(),
            format!("parts 20971520 stored:composite s3-etag:8M={MD5}-3"),
        ]
    );
    assert_eq!(seed("parquet", "gcs-inventory"), [format!("a 3 stored:content md5={MD5} crc32c=364b2722")]);
    assert_eq!(
        seed("parquet", "azure-inventory"),
        [format!("c/a 3 stored:declared md5={MD5}"), "c/d - skipped(folder)".into()]
    );
}

#[test]
fn what_is_stored_goes_where_there_is_a_place_for_it() {
    let algorithm = find("md5").unwrap();
    let digest = Digest::from_hex(MD5.as_bytes()).unwrap();
    let digests = vec![Named { algorithm, digest, guessed: false }];
    let record = Record::declared(b"a".as_slice().into(), Some(3), digests);
    assert_eq!(record.status, Status::Stored(Strength::Declared));
    let write = |format: &str, stored: bool| {
        let layout = Layout { algorithms: vec![algorithm], stored, ..Layout::default() };
        let mut writer = find_format(format).unwrap().writer.unwrap()(layout);
        let mut out = Vec::new();
        writer.begin(&mut out)?;
        writer.record(&record, &mut out)?;
        writer.end(&mut out)?;
        Ok::<_, std::io::Error>(String::from_utf8(out).unwrap())
    };
    let line = format!(r#"{{"path":"a","size":3,"status":"stored","strength":"declared","md5":"{MD5}"}}"#);
    assert_eq!(write("jsonl", true).unwrap(), line + "\n");
    assert_eq!(
        write("csv", true).unwrap(),
        format!("path,path_b64,size,status,reason,strength,md5\r\na,,3,stored,,declared,{MD5}\r\n")
    );
    assert!(write("csv", false).is_err() && write("dfxml", true).is_err());
    // Other formats would let it pass as a file that was read.
    assert_eq!(write("sums", true).unwrap(), "");
    for bad in ["\"status\":\"stored\"", "\"status\":\"stored\",\"strength\":\"strong\""] {
        let text = format!("{{\"path\":\"a\",{bad},\"md5\":\"{MD5}\"}}\n");
        let mut opened = open(Box::new(text.as_bytes()), Hint::None).unwrap();
        assert!(opened.reader.next().unwrap().is_err(), "{bad}");
    }
}

/// Returns the verdict on a file of these bytes against a stored record.
fn judged(
    stored: &Record,
    content: &[u8],
    least: Strength,
) -> Result<(Category, Option<Strength>), Option<Strength>> {
    let mut known = Known::new();
    assert_eq!(known.add(stored), Ok(true));
    let algorithms = known.algorithms();
    let mut audit = Audit::new(known, Places::default(), &algorithms).at_least(least);
    let digests = algorithms.iter().map(|algorithm| named(algorithm, content)).collect();
    let record = Record::hashed(stored.path.clone(), Some(content.len() as u64), digests);
    match audit.observe(&record) {
        Ok(verdict) => verdict.map(|verdict| (verdict.category, verdict.strength)).ok_or(None),
        Err(Unjudged { why: Incomparable::Unproven(strength), .. }) => Err(Some(strength)),
        Err(_) => Err(None),
    }
}

fn named(algorithm: &'static hashmill_digest::Algorithm, content: &[u8]) -> Named {
    Named { algorithm, digest: hash(algorithm, content), guessed: false }
}

#[test]
fn what_can_t_be_told_is_never_matched() {
    let digests = |names: &[&str]| names.iter().map(|name| named(find(name).unwrap(), b"abc")).collect();
    let stored = |names: &[&str]| Record::stored(b"a".as_slice().into(), Some(3), digests(names));
    let declared = |names: &[&str]| Record::declared(b"a".as_slice().into(), Some(3), digests(names));
    let matched = |strength| Ok((Category::Matched, Some(strength)));
    let changed = Ok((Category::Changed, None));
    let crc = Strength::Crc;
    assert_eq!(judged(&stored(&["md5"]), b"abc", crc), matched(Strength::Content));
    assert_eq!(judged(&stored(&["s3-etag:5M"]), b"abc", crc), matched(Strength::Composite));
    // Parts may have other lengths than assumed, unless there is only one.
    let doubted = Err(Some(Strength::Composite));
    let parts = |number: u32| {
        let name = find("s3-etag:5M").unwrap();
        let digest = Digest::new(&[&[7; 16], &number.to_be_bytes()[..]].concat());
        let named = Named { algorithm: name, digest, guessed: false };
        Record::stored(b"a".as_slice().into(), Some(3), vec![named])
    };
    assert_eq!(judged(&parts(2), b"abc", crc), doubted);
    assert_eq!(judged(&parts(2), b"abc", Strength::Size), doubted);
    assert_eq!(judged(&parts(1), b"abc", crc), changed);
    let both = |content: &[u8]| {
        let mut record = parts(2);
        record.digests.push(named(find("crc32c").unwrap(), content));
        record
    };
    assert_eq!(judged(&both(b"abc"), b"abc", crc), matched(Strength::Crc));
    assert_eq!(judged(&both(b"abd"), b"abc", crc), changed);
    assert_eq!(judged(&stored(&["crc32c"]), b"abc", crc), matched(Strength::Crc));
    assert_eq!(judged(&stored(&["crc32c", "md5"]), b"abc", crc), matched(Strength::Content));
    assert_eq!(judged(&stored(&["crc32c"]), b"abc", Strength::Composite), Err(Some(Strength::Crc)));
    assert_eq!(judged(&stored(&["crc32c"]), b"abd", crc), changed);
    assert_eq!(judged(&stored(&["md5"]), b"abcd", crc), changed);
    // A declaration may be wrong; a length can't.
    assert_eq!(judged(&declared(&["md5"]), b"abc", crc), Err(Some(Strength::Declared)));
    assert_eq!(judged(&declared(&["md5"]), b"abd", crc), Err(Some(Strength::Declared)));
    assert_eq!(judged(&declared(&["md5"]), b"abc", Strength::Declared), matched(Strength::Declared));
    assert_eq!(judged(&declared(&["md5"]), b"abcd", crc), changed);
    assert_eq!(judged(&stored(&[]), b"abc", crc), Err(Some(Strength::Size)));
    assert_eq!(judged(&stored(&[]), b"abc", Strength::Size), matched(Strength::Size));
    assert_eq!(judged(&stored(&[]), b"abcd", crc), changed);
    let nothing = Record { size: None, ..stored(&[]) };
    assert_eq!(judged(&nothing, b"abc", Strength::Size), Err(Some(Strength::None)));
}
