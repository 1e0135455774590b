//! NSRL sets in all their forms, made by the generator, against what the generator knows.

#[path = "support/rds.rs"]
mod rds;
mod support;

use hashloom_digest::Digest;
use hashloom_known::{About, Category, Error, Index, Input, Lines, Means, Notice, Why, build};
use rds::Schema;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use support::Folder;

const ROWS: u64 = 3000;

fn import(folder: &Folder, inputs: &[&Path]) -> (Result<About, Error>, Vec<String>) {
    let inputs: Vec<_> = inputs.iter().map(|path| Input::new(path, Category::Known)).collect();
    let mut notices = Vec::new();
    let mut note = |_: &Path, notice: Notice| notices.push(format!("{notice:?}"));
    let built = build(&folder.at("set.hlk"), &inputs, &Means::default(), Lines::Lenient, &mut note);
    (built, notices)
}

fn open(folder: &Folder) -> Index {
    let index = Index::open(&folder.at("set.hlk")).unwrap();
    index.verify().unwrap();
    index
}

/// The packages of each file.
type Packages = BTreeMap<u64, BTreeSet<u64>>;

fn packages(rows: impl Iterator<Item = (u64, u64)>) -> Packages {
    let mut all = Packages::new();
    rows.for_each(|(file, package)| {
        all.entry(file).or_default().insert(package);
    });
    all
}

/// Every digest of every file is in the index with its product, types and size, and no other digest is.
fn agrees(index: &Index, all: &Packages, digests: fn(&rds::File) -> Vec<Digest>) {
    let mut count = 0;
    for (number, packages) in all {
        let file = rds::file(*number);
        for digest in digests(&file) {
            count += 1;
            let hit = index.find(&digest).unwrap_or_else(|| panic!("file {number}: {digest} is not there"));
            let detail = index.detail(hit).unwrap();
            let product = detail.product.unwrap();
            let first = packages.first().unwrap();
            assert_eq!(*product.name, rds::product(*first));
            assert_eq!(
                (&*product.os, &*product.manufacturer),
                (&*format!("System {}", first % 3 + 1), "Maker")
            );
            let types: BTreeSet<_> = packages.iter().map(|package| rds::application_type(*package)).collect();
            assert_eq!(detail.types.iter().map(|kind| &**kind).collect::<BTreeSet<_>>(), types);
            assert_eq!(index.size(hit), Some(file.size));
        }
    }
    assert_eq!(index.about().tables.iter().map(|table| table.count).sum::<u64>(), count);
}

fn three(file: &rds::File) -> Vec<Digest> {
    vec![file.sha256, file.sha1, file.md5]
}

#[test]
fn minimal_sets_of_all_releases() {
    for schema in [Schema::Minimal, Schema::Older, Schema::Full] {
        let folder = Folder::new(&format!("rds-{schema:?}"));
        rds::sqlite(&folder.at("rds.db"), ROWS, schema);
        let about = import(&folder, &[&folder.at("rds.db")]).0.unwrap();
        assert_eq!(about.sources[0].set, "NSRL RDS 2026.03.1 modern_minimal");
        agrees(&open(&folder), &packages(rds::rows(ROWS)), three);
    }
}

#[test]
fn pages_of_all_sizes_and_long_rows() {
    for page in [512, 1024, 65_536] {
        let folder = Folder::new(&format!("rds-page-{page}"));
        let path = folder.at("rds.db");
        rds::sqlite(&path, ROWS, Schema::Minimal);
        let connection = rusqlite::Connection::open(&path).unwrap();
        let long = "UPDATE FILE SET file_name = file_name || printf('%.*c', 5000, 'y') WHERE rowid % 17 = 0";
        connection.execute_batch(&format!("{long}; PRAGMA page_size = {page}; VACUUM;")).unwrap();
        drop(connection);
        import(&folder, &[&path]).0.unwrap();
        agrees(&open(&folder), &packages(rds::rows(ROWS)), three);
    }
}

/// What the table has is what its index has: read from either, the set is the same to the byte.
#[test]
fn a_table_and_its_index_say_the_same() {
    let folder = Folder::new("rds-index");
    let path = folder.at("rds.db");
    rds::sqlite(&path, 20_000, Schema::Minimal);
    let about = import(&folder, &[&path]).0.unwrap();
    let by_index = std::fs::read(folder.at("set.hlk")).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    // An index that lacks a column which nobody asks for does as well.
    connection.execute_batch("ALTER TABLE FILE ADD COLUMN extra VARCHAR DEFAULT 'x'").unwrap();
    assert_eq!(import(&folder, &[&path]).0.unwrap(), about);
    assert!(by_index == std::fs::read(folder.at("set.hlk")).unwrap());
    let sql = "CREATE TABLE F AS SELECT * FROM FILE ORDER BY file_name; DROP VIEW DISTINCT_HASH;
        DROP TABLE FILE; ALTER TABLE F RENAME TO FILE;";
    connection.execute_batch(sql).unwrap();
    drop(connection);
    let by_table = import(&folder, &[&path]).0.unwrap();
    assert_eq!(by_table, about);
    assert!(by_index == std::fs::read(folder.at("set.hlk")).unwrap());
    agrees(&open(&folder), &packages(rds::rows(20_000)), three);
}

#[test]
fn rows_that_are_malformed_are_named_by_their_numbers() {
    let folder = Folder::new("rds-malformed");
    let path = folder.at("rds.db");
    rds::sqlite(&path, ROWS, Schema::Minimal);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("UPDATE FILE SET md5 = 'x' WHERE rowid IN (17, 2000)").unwrap();
    // A file of two sizes has none.
    let two = "UPDATE FILE SET file_size = file_size + 1 WHERE rowid = (SELECT max(rowid) FROM FILE f
        WHERE (SELECT count(*) FROM FILE g WHERE g.sha256 = f.sha256) > 1) RETURNING sha256";
    let digest: String = connection.query_row(two, [], |row| row.get(0)).unwrap();
    let rows: i64 = connection.query_row("SELECT count(*) FROM FILE", [], |row| row.get(0)).unwrap();
    drop(connection);
    let (built, notices) = import(&folder, &[&path]);
    let about = built.unwrap();
    assert_eq!((about.sources[0].records, about.sources[0].malformed), (rows as u64 - 2, 2));
    for line in [17, 2000] {
        assert!(notices.iter().any(|notice| notice.contains(&format!("line: {line},"))), "{notices:?}");
    }
    let index = open(&folder);
    let hit = index.find(&Digest::from_hex(digest.as_bytes()).unwrap()).unwrap();
    assert_eq!(index.size(hit), None);
}

#[test]
fn deleted_rows_do_not_come_back() {
    let folder = Folder::new("rds-deleted");
    let path = folder.at("rds.db");
    rds::sqlite(&path, ROWS, Schema::Minimal);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("DELETE FROM FILE WHERE package_id <= 5").unwrap();
    drop(connection);
    import(&folder, &[&path]).0.unwrap();
    agrees(&open(&folder), &packages(rds::rows(ROWS).filter(|(_, package)| *package > 5)), three);
}

#[test]
fn a_database_with_a_write_ahead_log_is_read_whole() {
    let folder = Folder::new("rds-wal");
    let path = folder.at("rds.db");
    rds::sqlite(&path, ROWS, Schema::Minimal);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL; DELETE FROM FILE WHERE package_id <= 5").unwrap();
    import(&folder, &[&path]).0.unwrap();
    agrees(&open(&folder), &packages(rds::rows(ROWS).filter(|(_, package)| *package > 5)), three);
}

fn zip(folder: &Folder, method: &str, name: &str, files: &[&Path]) -> PathBuf {
    let path = folder.at(name);
    let mut command = std::process::Command::new("zip");
    let status = command.args(["-q", "-j", method]).arg(&path).args(files).status();
    assert!(status.expect("the program zip").success());
    path
}

#[test]
fn archives_stored_and_deflated() {
    for (method, schema, unpacked) in
        [("-0", Schema::Minimal, false), ("-6", Schema::Minimal, true), ("-0", Schema::Full, true)]
    {
        let folder = Folder::new(&format!("rds-zip{method}-{schema:?}"));
        let database = folder.at("rds.db");
        rds::sqlite(&database, ROWS, schema);
        let readme = folder.file("readme.txt", "An RDS.\n");
        let archive = zip(&folder, method, "rds.zip", &[&readme, &database]);
        let (built, notices) = import(&folder, &[&archive]);
        built.unwrap();
        assert_eq!(notices.iter().any(|notice| notice.starts_with("Unpacking")), unpacked);
        agrees(&open(&folder), &packages(rds::rows(ROWS)), three);
        assert_eq!(folder.names(), ["rds.db", "rds.zip", "readme.txt", "set.hlk"]);
    }
}

#[test]
fn text_with_its_tables_and_in_an_archive() {
    let folder = Folder::new("rds-text");
    rds::text(folder.path(), ROWS);
    let names = ["NSRLFile.txt", "NSRLProd.txt", "NSRLOS.txt", "NSRLMfg.txt"].map(|name| folder.at(name));
    let archive = zip(&folder, "-6", "rds.zip", &names.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    for path in [&names[0], &archive] {
        import(&folder, &[path]).0.unwrap();
        let index = open(&folder);
        agrees(&index, &packages(rds::rows(ROWS)), |file| vec![file.sha1, file.md5]);
        let category = |file: u64| {
            let hit = index.find(&rds::file(file).md5).unwrap();
            index.detail(hit).unwrap().verdict().unwrap().category.clone()
        };
        assert_eq!((category(99), category(98)), (Category::Bad, Category::Known));
    }
}

#[test]
fn deltas_insert_update_and_delete() {
    let folder = Folder::new("rds-delta");
    let path = folder.at("rds.db");
    rds::sqlite(&path, ROWS, Schema::Minimal);
    let hex = |digest: Digest| digest.to_string().to_uppercase();
    let all = |number: u64, package: u64| {
        let file = rds::file(number);
        let name = file.name.replace('\'', "''");
        let (sha256, sha1, md5) = (hex(file.sha256), hex(file.sha1), hex(file.md5));
        (
            format!(
                "'{sha256}', '{sha1}', '{md5}', '{:08X}', '{name}', {}, {package}",
                file.crc32, file.size
            ),
            sha256,
        )
    };
    let first = rds::rows(ROWS).next().unwrap();
    let mut script = "BEGIN TRANSACTION;\n".to_string();
    script += &format!("INSERT INTO FILE VALUES ({});\n", all(1_000_001, 2).0);
    script += &format!("INSERT INTO FILE VALUES ({});\n", all(1_000_002, 2).0);
    script += &format!("DELETE FROM FILE WHERE sha256 = '{}';\n", all(first.0, 1).1);
    script += &format!("UPDATE FILE SET package_id = 4 WHERE sha256 = '{}';\n", all(1_000_001, 2).1);
    script += "INSERT INTO PKG VALUES (5000, 'Product 005000', '1', 3, 7, 'English', 'Operating System');\nCOMMIT;\n";
    let one = folder.file("delta1.sql", &script);
    let mut script =
        format!("-- second\nDELETE FROM FILE WHERE sha256='{}' AND package_id=2;\n", all(1_000_002, 2).1);
    script += &format!("INSERT INTO FILE VALUES ({});\n", all(1_000_003, 5000).0);
    let two = folder.file("delta2.sql", &script);
    let two = zip(&folder, "-6", "delta2.zip", &[&two]);

    import(&folder, &[&path, &one, &two]).0.unwrap();
    let rows = rds::rows(ROWS).filter(|(file, _)| *file != first.0);
    let expected = packages(rows.chain([(1_000_001, 4), (1_000_003, 5000)]));
    agrees(&open(&folder), &expected, three);

    // The same by SQLite itself: the database after the deltas gives the same index.
    let by_pages = std::fs::read(folder.at("set.hlk")).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    for script in ["delta1.sql", "delta2.sql"] {
        connection.execute_batch(&std::fs::read_to_string(folder.at(script)).unwrap()).unwrap();
    }
    drop(connection);
    import(&folder, &[&path]).0.unwrap();
    let by_sqlite = std::fs::read(folder.at("set.hlk")).unwrap();
    assert_eq!(by_pages.len(), by_sqlite.len());
    agrees(&open(&folder), &expected, three);
}

#[test]
fn deltas_need_a_database_and_statements_that_are_understood() {
    let folder = Folder::new("rds-lone");
    let delta = folder.file("delta.sql", "BEGIN;\nDELETE FROM FILE WHERE package_id > 3;\n");
    assert!(matches!(import(&folder, &[&delta]).0.unwrap_err().why, Why::LoneDelta));
    rds::sqlite(&folder.at("rds.db"), 100, Schema::Minimal);
    let error = import(&folder, &[&folder.at("rds.db"), &delta]).0.unwrap_err();
    assert!(matches!(error.why, Why::Statement(2)), "{error}");
}

#[test]
fn other_databases_say_what_they_lack() {
    let folder = Folder::new("rds-other");
    let make = |name: &str, sql: &str| {
        let path = folder.at(name);
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        path
    };
    let other = make("other.db", "CREATE TABLE photos (id)");
    let error = import(&folder, &[&other]).0.unwrap_err();
    assert!(error.to_string().ends_with("other.db: is no RDS: there is no table FILE"), "{error}");
    let bare = make("bare.db", "CREATE TABLE FILE (name, size)");
    let error = import(&folder, &[&bare]).0.unwrap_err();
    assert!(error.to_string().ends_with("bare.db: FILE has no column sha256"), "{error}");
    let alone = make(
        "alone.db",
        "CREATE TABLE FILE (md5); INSERT INTO FILE VALUES ('900150983CD24FB0D6963F7D28E17F72'), ('x')",
    );
    let (built, notices) = import(&folder, &[&alone]);
    let about = built.unwrap();
    assert_eq!((about.sources[0].records, about.sources[0].malformed), (1, 1));
    assert!(notices[0].contains("line: 2"), "{notices:?}");
    assert!(!folder.at("missing.hlk").exists());
}

#[test]
fn published_checksums_are_compared() {
    let folder = Folder::new("rds-sums");
    let path = folder.at("rds.db");
    rds::sqlite(&path, 100, Schema::Minimal);
    let sha1 = hashloom_digest::find("sha1").unwrap();
    let digest = hashloom_digest::hash(sha1, &std::fs::read(&path).unwrap());
    folder.file("rds.db.sha", format!("{digest}  rds.db\n"));
    let (built, notices) = import(&folder, &[&path]);
    built.unwrap();
    assert!(notices[0].starts_with("Verified"), "{notices:?}");
    folder.file("rds.db.sha", format!("{}  rds.db\n", "0".repeat(40)));
    let error = import(&folder, &[&path]).0.unwrap_err();
    assert!(matches!(error.why, Why::Checksum { algorithm: "sha1", .. }), "{error}");
}

#[test]
fn mutated_databases_end_in_an_error_or_an_index() {
    let folder = Folder::new("rds-mutated");
    let path = folder.at("rds.db");
    rds::sqlite(&path, 300, Schema::Minimal);
    let whole = std::fs::read(&path).unwrap();
    let mut random = support::Random(4);
    for _ in 0..150 {
        let mut altered = whole.clone();
        for _ in 0..=random.below(20) {
            // Half of the damage in page headers, where it hurts.
            let page = random.below(whole.len() as u64 / 4096) as usize * 4096;
            let within = [120, 4096][random.below(2) as usize];
            let at = page + random.below(within) as usize;
            altered[at] = random.next() as u8;
        }
        altered.truncate(whole.len() - [0, 0, 1, 5000][random.below(4) as usize]);
        std::fs::write(&path, altered).unwrap();
        let _ = import(&folder, &[&path]);
    }
}
