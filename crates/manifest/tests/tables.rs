//! Parquet and SQLite against common programs, and files with other schemas.

use hashmill_digest::{Algorithm, Digest, find};
use hashmill_facts::{
    Basis, Bits, ChiSquare, Class, ContentFacts, ContentType, Entropy, FactSet, Meta, MetaValue, Pronom,
    PronomFormat, Rule, RuleFacts, RuleMatch, ScanStatus, StringMatches,
};
use hashmill_manifest::format::{Hint, Layout, find_format, open, open_path};
use hashmill_manifest::{FileAttributes, Label, Metadata, Named, Piece, Record, Status, Time};
use hashmill_testing::{had_modules, installed, python};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

fn algorithms() -> Vec<&'static Algorithm> {
    ["md5", "sha3-256"].map(|name| find(name).unwrap()).to_vec()
}

fn layout() -> Layout {
    Layout {
        algorithms: algorithms(),
        pieces: true,
        times: true,
        metadata: true,
        attributes: true,
        bad_blocks: true,
        labels: true,
        stored: true,
        facts: FactSet::all(),
        ..Layout::default()
    }
}

fn record(path: &[u8]) -> Record {
    let md5 = Named {
        algorithm: algorithms()[0],
        digest: Digest::from_hex(MD5.as_bytes()).unwrap(),
        guessed: false,
    };
    Record {
        path: path.into(),
        size: Some(3),
        status: Status::Hashed,
        reason: None,
        version: None,
        piece: None,
        mtime: Some(Time { seconds: 1_792_545_071, nanoseconds: 123_456_789 }),
        metadata: None,
        digests: vec![md5],
        likeness: Vec::new(),
        facts: None,
        leaves: Box::default(),
        bad_blocks: Box::default(),
        label: None,
    }
}

fn metadata(number: u64) -> Metadata {
    let time = |seconds| Some(Time { seconds, nanoseconds: 999_999_999 });
    let (inode, device) = (Some(number), Some(number - 1));
    Metadata {
        ctime: time(-1),
        inode,
        device,
        read: time(1_792_545_072),
        attributes: FileAttributes::new(3),
        ..Metadata::default()
    }
}

/// Returns facts whose numbers need all their digits.
fn facts() -> Option<Box<ContentFacts>> {
    let extensions = ["jpg".into(), "jpeg".into()].into();
    let content = ContentType { mime: "image/jpeg".into(), name: "A, \"B\"".into(), extensions };
    Some(Box::new(ContentFacts {
        content_type: Some(Arc::new(content)),
        mismatch: Some(false),
        pronom: pronom(),
        entropy: Some(Entropy {
            bits: Bits::from_millionths(7_999_999).unwrap(),
            chi_square: ChiSquare::new(255.07),
        }),
        class: Some(Class::Compressed),
        rules: rules(ScanStatus::Scanned),
    }))
}

/// Returns formats of PRONOM whose texts need care.
fn pronom() -> Option<Arc<Pronom>> {
    let format = |puid: &str, name: &str, basis| PronomFormat {
        puid: puid.into(),
        name: name.into(),
        version: "1, \"2\"".into(),
        mime: "".into(),
        basis,
    };
    let formats = [
        format("fmt/1", "", Basis::Container),
        format("fmt/2", "R&B <'gr\u{f6}\u{df}er'>", Basis::Signature),
    ];
    Some(Arc::new(Pronom { signatures: "V7 (0123)".into(), formats: formats.into() }))
}

/// Returns a match of a rule with everything that one may have.
fn rules(status: ScanStatus) -> Option<Arc<RuleFacts>> {
    let meta = |name: &str, value| Meta { name: name.into(), value };
    let rule = Rule {
        name: "a_rule".into(),
        namespace: "dir/gr\u{f6}\u{df}e, \"2\".yar".into(),
        tags: ["one".into(), "two".into()].into(),
        meta: [
            meta("author", MetaValue::Text("<me> & 'you'\n\u{ffff}".into())),
            meta("author", MetaValue::Text("true".into())),
            meta("number", MetaValue::Integer(i64::MIN)),
            meta("truth", MetaValue::Truth(true)),
        ]
        .into(),
    };
    let string = StringMatches { name: "$a".into(), places: [(0, 4), (u64::MAX, 1)].into(), count: 7 };
    let bare = Rule { name: "b".into(), namespace: "".into(), tags: [].into(), meta: [].into() };
    let matches = [
        RuleMatch { rule: Arc::new(rule), strings: [string].into() },
        RuleMatch { rule: Arc::new(bare), strings: [].into() },
    ];
    Some(Arc::new(RuleFacts { status, matches: matches.into() }))
}

fn records() -> Vec<Record> {
    let sha3 = Named { algorithm: algorithms()[1], digest: Digest::new(&[0xab; 32]), guessed: false };
    let label = Label { category: "bad".into(), set: "a 'set'".into() };
    vec![
        Record { piece: Some(Piece { offset: 0, length: 3 }), ..record(b"dir/a") },
        Record {
            digests: vec![record(b"").digests[0], sha3],
            label: Some(Arc::new(label)),
            ..record(b"dir/a")
        },
        Record {
            facts: Some(Box::new(ContentFacts {
                rules: rules(ScanStatus::TimedOut),
                ..ContentFacts::default()
            })),
            ..record(b"timed out")
        },
        Record {
            facts: Some(Box::new(ContentFacts {
                rules: Some(Arc::new(RuleFacts::unscanned(ScanStatus::Scanned))),
                ..ContentFacts::default()
            })),
            ..record(b"unmatched")
        },
        Record { metadata: Some(Box::new(metadata(u64::MAX))), ..record(b"described") },
        Record { metadata: Some(Box::new(Metadata { reused: true, ..metadata(7) })), ..record(b"reused") },
        Record { size: Some(i64::MAX as u64), mtime: None, ..record(b"latin1-\xf6") },
        Record {
            status: Status::Unreadable,
            reason: Some("EIO".into()),
            size: None,
            digests: Vec::new(),
            ..record("größe\n".as_bytes())
        },
        Record { bad_blocks: [Piece { offset: 1, length: 1 }].into(), facts: facts(), ..record(b"disk") },
    ]
}

/// Writes a manifest to a file.
fn write(format: &str, path: &Path, layout: Layout, records: impl Iterator<Item = Record>) -> usize {
    let mut writer = find_format(format).unwrap().writer.unwrap()(layout);
    writer.place(path);
    writer.memory(4 << 20);
    let (mut bytes, mut most) = (Vec::new(), 0);
    let mut all = Vec::new();
    writer.begin(&mut bytes).unwrap();
    for record in records {
        writer.record(&record, &mut bytes).unwrap();
        most = most.max(bytes.len());
        all.append(&mut bytes);
    }
    writer.end(&mut bytes).unwrap();
    all.append(&mut bytes);
    if format == "parquet" {
        fs::write(path, all).unwrap();
    }
    most
}

fn read(path: &Path) -> Vec<Record> {
    let opened = open_path(path, Hint::None).unwrap();
    opened.reader.map(|record| record.unwrap_or_else(|bad| panic!("{}: {bad}", path.display()))).collect()
}

/// Returns the output of a program; `None`, noted, if it lacks a module.
fn ask(program: &Path, arguments: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    if !had_modules(&output.stderr) {
        return None;
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn the_program_sqlite3_reads_what_we_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.sqlite");
    write("sqlite", &path, layout(), records().into_iter());
    assert_eq!(read(&path), records());
    let Some(program) = installed("sqlite3") else { return };
    let ask = |sql: &str| ask(&program, &["m.sqlite", sql], folder.path());
    assert_eq!(ask("PRAGMA integrity_check").unwrap(), "ok\n");
    let sql = "SELECT id, typeof(path), size, status, md5, substr(\"sha3-256\", 1, 4), datetime(mtime), bad_blocks, \
               category, \"set\" FROM records";
    let rows = format!(
        "2|text|3|hashed|{MD5}|abab|2026-10-21 01:11:11||bad|a 'set'\n\
         3|text|3|hashed|{MD5}||2026-10-21 01:11:11|||\n\
         4|text|3|hashed|{MD5}||2026-10-21 01:11:11|||\n\
         5|text|3|hashed|{MD5}||2026-10-21 01:11:11|||\n\
         6|text|3|hashed|{MD5}||2026-10-21 01:11:11|||\n\
         7|blob|9223372036854775807|hashed|{MD5}|||||\n\
         8|text||unreadable|||2026-10-21 01:11:11|||\n\
         9|text|3|hashed|{MD5}||2026-10-21 01:11:11|[[1,1]]||\n"
    );
    assert_eq!(ask(sql).unwrap(), rows);
    assert_eq!(ask("SELECT id, offset, length, md5 FROM pieces").unwrap(), format!("1|0|3|{MD5}\n"));
    let sql = "SELECT type, type_name, type_extensions, mismatch, entropy, typeof(entropy), chi2, class FROM records WHERE type IS NOT NULL";
    let row = "image/jpeg|A, \"B\"|jpg,jpeg|false|7.999999|real|255.07|compressed\n";
    assert_eq!(ask(sql).unwrap(), row);
    assert_eq!(ask("SELECT value FROM header WHERE key = 'manifest'").unwrap(), "1\n");
}

#[test]
#[ignore = "campaign: needs Python's packages"]
fn duckdb_reads_what_we_write_and_we_what_it_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.parquet");
    write("parquet", &path, layout(), records().into_iter());
    assert_eq!(read(&path), records());
    let script = "import duckdb as d\n\
        t = d.sql(\"select * from 'm.parquet'\")\n\
        print(' '.join(t.columns)); print(' '.join(map(str, t.types)))\n\
        print(d.sql(\"select count(*), sum(size) filter (size < 9), count(distinct md5), epoch_ns(max(mtime)) from 'm.parquet'\").fetchall())\n\
        print(d.sql(\"select path_b64 from 'm.parquet' where path_b64 is not null\").fetchall())\n\
        d.sql(\"copy (select path, path_b64, size, status, md5, mtime, 'x' as note from 'm.parquet' where \\\"offset\\\" is null and md5 is not null) to 'theirs.parquet' (format parquet, compression zstd)\")\n\
        d.sql(\"copy (select path, size::uinteger as size, md5 from 'm.parquet' where size = 3) to 'small.parquet' (format parquet, compression snappy)\")\n\
        d.sql(\"copy (select path, unhex(md5) as md5 from 'm.parquet' where size = 3) to 'bytes' (format parquet, compression zstd, per_thread_output true)\")\n";
    let Some(said) = python().and_then(|python| ask(&python, &["-c", script], folder.path())) else { return };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines[0],
        "path path_b64 size status reason strength offset length md5 sha3-256 type type_name type_extensions mismatch entropy chi2 class yara yara_status yara_matches puid puid_formats puid_signatures mtime ctime inode device read reused attributes bad_blocks category set"
    );
    assert!(
        lines[1].starts_with(
            "VARCHAR VARCHAR BIGINT VARCHAR VARCHAR VARCHAR BIGINT BIGINT VARCHAR VARCHAR VARCHAR VARCHAR VARCHAR BOOLEAN DOUBLE DOUBLE VARCHAR VARCHAR VARCHAR VARCHAR VARCHAR VARCHAR VARCHAR TIMESTAMP"
        ),
        "{}",
        lines[1]
    );
    assert!(lines[1].contains("UBIGINT UBIGINT") && lines[1].contains("BOOLEAN"), "{}", lines[1]);
    // DuckDB keeps microseconds.
    let sizes: Vec<u64> = records().iter().filter_map(|record| record.size).collect();
    let sum: u64 = sizes.iter().filter(|size| **size < 9).sum();
    assert_eq!(lines[2], format!("[({}, {sum}, 1, 1792545071123456000)]", records().len()));
    assert_eq!(lines[3], "[('bGF0aW4xLfY=',)]");
    let small = read(&folder.path().join("small.parquet"));
    let of_three = sizes.iter().filter(|size| **size == 3).count();
    assert_eq!(small.len(), of_three);
    assert!(small.iter().all(|record| record.size == Some(3) && record.digests[0].digest.to_string() == MD5));
    let zstd = read(&folder.path().join("theirs.parquet"));
    assert!(zstd.iter().any(|record| *record.path == *b"latin1-\xf6"), "{zstd:?}");
    let all = read(&folder.path().join("bytes"));
    assert_eq!(all.len(), of_three);
    assert!(all.iter().all(|record| record.digests[0].digest.to_string() == MD5));
}

/// Writes a Parquet file, compressed by ZSTD, with the digests of two files as bytes: by MD5 of a fixed length, by
/// SHA3-256 of any length. The second file has another digest of the latter if that is longer.
fn write_bytes(path: &Path, names: [&str; 2], second: &[u8]) {
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::data_type::{ByteArray, ByteArrayType, FixedLenByteArrayType};
    use parquet::file::{properties::WriterProperties, writer::SerializedFileWriter};
    let schema = "message m { required binary path (UTF8); required fixed_len_byte_array(16) md5; required binary sha3-256; }";
    let schema = Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
    let level = Compression::ZSTD(ZstdLevel::default());
    let properties = WriterProperties::builder().set_compression(level).build();
    let mut file =
        SerializedFileWriter::new(fs::File::create(path).unwrap(), schema, properties.into()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let md5 = ByteArray::from(record(b"").digests[0].digest.as_bytes().to_vec());
    let sha3 = [ByteArray::from(vec![0xab; 32]), ByteArray::from(second.to_vec())];
    let columns = [names.map(ByteArray::from), [md5.clone(), md5], sha3];
    for values in columns {
        let mut column = group.next_column().unwrap().unwrap();
        match column.untyped() {
            parquet::column::writer::ColumnWriter::FixedLenByteArrayColumnWriter(_) => {
                let values = values.map(Into::into);
                column.typed::<FixedLenByteArrayType>().write_batch(&values, None, None).unwrap();
            }
            _ => {
                column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
            }
        }
        column.close().unwrap();
    }
    group.close().unwrap();
    file.close().unwrap();
}

#[test]
fn digests_as_bytes_are_read_as_others_write_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.parquet");
    // Text that nothing calls text is in files of old writers.
    write_bytes(&path, ["a", "b"], "ab".repeat(32).as_bytes());
    let digests =
        |record: &Record| record.digests.iter().map(|named| named.digest.to_string()).collect::<Vec<_>>();
    let found = read(&path);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|record| digests(record) == [MD5.to_string(), "ab".repeat(32)]), "{found:?}");
    write_bytes(&path, ["a", "b"], &[7; 31]);
    let opened = open_path(&path, Hint::None).unwrap();
    let bad: Vec<_> = opened.reader.filter_map(Result::err).map(|bad| bad.to_string()).collect();
    assert_eq!(bad.len(), 1, "{bad:?}");
    assert!(bad[0].starts_with("line 2: sha3-256: "), "{bad:?}");
}

#[test]
fn a_folder_of_parquet_files_is_one_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("of=b")).unwrap();
    let sha3 = [0xab; 32];
    write_bytes(&path("part-1.parquet"), ["c", "d"], &sha3);
    write_bytes(&path("part-0.zstd.parquet"), ["a", "b"], &sha3);
    write_bytes(&path("of=b/part-0.pq"), ["y", "z"], &sha3);
    for beside in ["_SUCCESS", ".part-0.parquet.crc"] {
        fs::write(path(beside), "beside").unwrap();
    }
    let paths: Vec<_> = read(folder.path()).into_iter().map(|record| record.path).collect();
    assert_eq!(paths, [&b"y"[..], b"z", b"a", b"b", b"c", b"d"].map(Box::from));
    let told = || open_path(folder.path(), Hint::None).map(|_| ()).unwrap_err().to_string();
    // Delta Lake's own lists say which files count.
    fs::create_dir(path("_delta_log")).unwrap();
    assert!(told().contains("_delta_log is in it, too"), "{}", told());
    fs::remove_dir(path("_delta_log")).unwrap();
    fs::write(path("more.csv"), "path,md5\n").unwrap();
    assert!(told().contains("more.csv is in it, too"), "{}", told());
    fs::remove_file(path("more.csv")).unwrap();
    let other = Layout { algorithms: algorithms()[..1].to_vec(), ..Layout::default() };
    write("parquet", &path("part-2.parquet"), other, std::iter::once(record(b"other")));
    assert!(told().contains("has other digests"), "{}", told());
    let empty = tempfile::tempdir().unwrap();
    let said = open_path(empty.path(), Hint::None).map(|_| ()).unwrap_err().to_string();
    assert_eq!(said, "is a directory, not a manifest or list");
}

#[test]
fn row_groups_are_bounded_and_records_stay_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.parquet");
    let many = || {
        (0..60_000)
            .map(|number| Record { size: Some(number), ..record(format!("dir/{number:09}").as_bytes()) })
    };
    let most = write("parquet", &path, layout(), many());
    assert!(most < 2 << 20, "{most}");
    assert!(read(&path).into_iter().eq(many()));
    let path = folder.path().join("m.sqlite");
    write("sqlite", &path, layout(), many());
    assert!(read(&path).into_iter().eq(many()));
}

/// Returns the message about a database made by these statements.
fn made_by(statements: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let database = rusqlite::Connection::open(&path).unwrap();
    database.execute_batch(statements).unwrap();
    drop(database);
    let opened = open_path(&path, Hint::None);
    match opened {
        Err(error) => error.to_string(),
        Ok(opened) => {
            let all = opened
                .reader
                .map(|record| record.map_or_else(|bad| bad.to_string(), |record| format!("{record:?}")));
            all.collect::<Vec<_>>().join("\n")
        }
    }
}

#[test]
fn databases_of_another_schema_are_told_of() {
    let no = "is an SQLite database, but not a manifest: ";
    assert_eq!(made_by("CREATE TABLE files(path, md5)"), format!("{no}it has no table 'records'"));
    assert_eq!(
        made_by("CREATE TABLE records(name, md5)"),
        format!("{no}its table 'records' has no column 'path'")
    );
    assert_eq!(
        made_by("CREATE TABLE records(path, size)"),
        format!("{no}its table 'records' has no column that is named after an algorithm")
    );
    assert_eq!(
        made_by("CREATE TABLE records(path, md5); CREATE TABLE pieces(x)"),
        format!("{no}its table 'pieces' has no column 'path'")
    );
    // A view could compute endlessly.
    let view = "CREATE VIEW records AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) \
                SELECT x AS path, x AS md5 FROM c";
    assert_eq!(made_by(view), format!("{no}it has no table 'records'"));
    let odd = format!(
        "CREATE TABLE records(path, size, md5, note); INSERT INTO records VALUES ('a', -1, '{MD5}', 1), \
         ('b', 1, 7, 2), ('c', 1.5, '{MD5}', 3), (NULL, 1, '{MD5}', 4), ('e', 1, 'x', 5), ('f', 1, NULL, 6)"
    );
    let said = made_by(&odd);
    let expected = [
        "line 1: size: not a decimal number below 2^64",
        "line 2: md5: a value of the wrong type",
        "line 3: size: a value of the wrong type",
        "line 4: path: missing",
        "line 5: md5: character 1 is not a hexadecimal digit",
        "line 6: digest: missing",
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn parquet_files_of_another_schema_are_told_of() {
    use parquet::data_type::{ByteArrayType, DoubleType};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    let made_by = |schema: &str| {
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
        let mut group = file.next_row_group().unwrap();
        while let Some(mut column) = group.next_column().unwrap() {
            match column.untyped() {
                parquet::column::writer::ColumnWriter::DoubleColumnWriter(_) => {
                    column.typed::<DoubleType>().write_batch(&[1.5], None, None).unwrap()
                }
                _ => column.typed::<ByteArrayType>().write_batch(&["x".into()], None, None).unwrap(),
            };
            column.close().unwrap();
        }
        group.close().unwrap();
        let bytes = file.into_inner().unwrap();
        open(Box::new(&bytes[..]), Hint::None).map(|_| ()).unwrap_err().to_string()
    };
    let no = "is a Parquet file, but not a readable manifest: ";
    assert_eq!(made_by("message m { required binary name (UTF8); }"), format!("{no}it has no column 'path'"));
    assert_eq!(
        made_by("message m { required binary path (UTF8); }"),
        format!("{no}it has no column that is named after an algorithm")
    );
    assert_eq!(
        made_by("message m { required binary path (UTF8); required double size; required binary md5; }"),
        format!("{no}the column 'size' has the type DOUBLE")
    );
}

/// Every file with a missing end or one changed byte is refused, reported, or read: no panic, no endless loop.
#[test]
#[ignore = "campaign: takes long"]
fn damage_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["parquet", "sqlite"] {
        let path = folder.path().join(format);
        write(format, &path, layout(), records().into_iter());
        let whole = fs::read(&path).unwrap();
        let step = whole.len() / 400 + 1;
        for at in (0..whole.len()).step_by(step) {
            let cut = &whole[..at];
            let said =
                open(Box::new(cut), Hint::None).map(|opened| opened.reader.filter(Result::is_err).count());
            assert!(said.is_err() || said.is_ok_and(|bad| bad > 0), "{format} cut at {at}");
            let mut flipped = whole.clone();
            flipped[at] ^= 0x55;
            if let Ok(opened) = open(Box::new(&flipped[..]), Hint::None) {
                assert!(opened.reader.count() < 100);
            }
        }
    }
}
