//! NSRL sets in all forms, generated, and compared with the generator's data.

use hashmill_digest::Digest;
use hashmill_known::{About, BuildOptions, Category, Error, Index, Input, Notice, Strictness, Why, build};
use hashmill_testing::samples::rds::{self, Schema};
use hashmill_testing::{Folder, Random, cases};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;

const ROWS: u64 = 3000;

fn import(folder: &Folder, inputs: &[&Path]) -> (Result<About, Error>, Vec<String>) {
    let inputs: Vec<_> = inputs.iter().map(|path| Input::new(path, Category::Known)).collect();
    let mut notices = Vec::new();
    let mut note = |_: &Path, notice: Notice| notices.push(format!("{notice:?}"));
    let built =
        build(&folder.at("set.hmk"), &inputs, &BuildOptions::default(), Strictness::Lenient, &mut note);
    (built, notices)
}

fn open(folder: &Folder) -> Index {
    let index = Index::open(&folder.at("set.hmk")).unwrap();
    index.verify().unwrap();
    index
}

type Packages = BTreeMap<u64, BTreeSet<u64>>;

fn packages(rows: impl Iterator<Item = (u64, u64)>) -> Packages {
    let mut all = Packages::new();
    rows.for_each(|(file, package)| {
        all.entry(file).or_default().insert(package);
    });
    all
}

/// Checks that every digest of every file is in the index with its product, types and size, and no other digest is.
fn agrees(index: &Index, all: &Packages, digests: fn(&rds::File) -> Vec<Digest>) {
    let mut count = 0;
    for (number, packages) in all {
        let file = rds::file(*number);
        for digest in digests(&file) {
            count += 1;
            let hit = index
                .find(&digest)
                .unwrap()
                .unwrap_or_else(|| panic!("file {number}: {digest} is not there"));
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
            assert_eq!(index.size(hit).unwrap(), Some(file.size));
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
        let folder = Folder::new();
        rds::sqlite(&folder.at("rds.db"), ROWS, schema);
        let about = import(&folder, &[&folder.at("rds.db")]).0.unwrap();
        assert_eq!(about.sources[0].set, "NSRL RDS 2026.03.1 modern_minimal");
        agrees(&open(&folder), &packages(rds::rows(ROWS)), three);
    }
}

#[test]
fn pages_of_all_sizes_and_long_rows() {
    for page in [512, 1024, 65_536] {
        let folder = Folder::new();
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

/// A table and its index have the same content: the set is the same to the byte with either.
#[test]
fn a_table_and_its_index_say_the_same() {
    let folder = Folder::new();
    let path = folder.at("rds.db");
    rds::sqlite(&path, 20_000, Schema::Minimal);
    let about = import(&folder, &[&path]).0.unwrap();
    let by_index = std::fs::read(folder.at("set.hmk")).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    // An index without an unused column works as well.
    connection.execute_batch("ALTER TABLE FILE ADD COLUMN extra VARCHAR DEFAULT 'x'").unwrap();
    assert_eq!(import(&folder, &[&path]).0.unwrap(), about);
    assert!(by_index == std::fs::read(folder.at("set.hmk")).unwrap());
    let sql = "CREATE TABLE F AS SELECT * FROM FILE ORDER BY file_name; DROP VIEW DISTINCT_HASH;
        DROP TABLE FILE; ALTER TABLE F RENAME TO FILE;";
    connection.execute_batch(sql).unwrap();
    drop(connection);
    let by_table = import(&folder, &[&path]).0.unwrap();
    assert_eq!(by_table, about);
    assert!(by_index == std::fs::read(folder.at("set.hmk")).unwrap());
    agrees(&open(&folder), &packages(rds::rows(20_000)), three);
}

#[test]
fn rows_that_are_malformed_are_named_by_their_numbers() {
    let folder = Folder::new();
    let path = folder.at("rds.db");
    rds::sqlite(&path, ROWS, Schema::Minimal);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("UPDATE FILE SET md5 = 'x' WHERE rowid IN (17, 2000)").unwrap();
    // A file with two sizes has none.
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
    let hit = index.find(&Digest::from_hex(digest.as_bytes()).unwrap()).unwrap().unwrap();
    assert_eq!(index.size(hit).unwrap(), None);
}

#[test]
fn deleted_rows_do_not_come_back() {
    let folder = Folder::new();
    let path = folder.at("rds.db");
    rds::sqlite(&path, ROWS, Schema::Minimal);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("DELETE FROM FILE WHERE package_id <= 5").unwrap();
    drop(connection);
    import(&folder, &[&path]).0.unwrap();
    agrees(&open(&folder), &packages(rds::rows(ROWS).filter(|(_, package)| *package > 5)), three);
}

#[test]
fn a_database_with_a_write_ahead_log_is_refused_until_it_is_merged() {
    let folder = Folder::new();
    let path = folder.at("rds.db");
    for schema in [Schema::Minimal, Schema::Full] {
        rds::sqlite(&path, ROWS, schema);
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE more(x)").unwrap();
        let names = folder.names();
        let why = import(&folder, &[&path]).0.unwrap_err().why;
        assert!(matches!(why, Why::Database(_)), "{why}");
        assert_eq!(folder.names(), names);
        drop(connection);
        // SQLite no longer touches a database in this mode once all changes are merged. Reading it leaves no file
        // beside it.
        import(&folder, &[&path]).0.unwrap();
        assert_eq!(folder.names(), ["rds.db", "set.hmk"]);
        agrees(&open(&folder), &packages(rds::rows(ROWS)), three);
        std::fs::remove_file(folder.at("set.hmk")).unwrap();
        std::fs::remove_file(&path).unwrap();
    }
}

/// Makes an archive with a program that only Unix has: tests that need one are not of Windows.
#[cfg(unix)]
fn zip(folder: &Folder, method: &str, name: &str, files: &[&Path]) -> PathBuf {
    let path = folder.at(name);
    let mut command = std::process::Command::new("zip");
    let status = command.args(["-q", "-j", method]).arg(&path).args(files).status();
    assert!(status.expect("the program zip").success());
    path
}

#[cfg(unix)]
#[test]
fn archives_stored_and_deflated() {
    for (method, schema) in [("-0", Schema::Minimal), ("-6", Schema::Minimal), ("-0", Schema::Full)] {
        let folder = Folder::new();
        let database = folder.at("rds.db");
        rds::sqlite(&database, ROWS, schema);
        let readme = folder.file("readme.txt", "An RDS.\n");
        let archive = zip(&folder, method, "rds.zip", &[&readme, &database]);
        let (built, notices) = import(&folder, &[&archive]);
        built.unwrap();
        assert!(notices.iter().any(|notice| notice.starts_with("Unpacking")), "{notices:?}");
        agrees(&open(&folder), &packages(rds::rows(ROWS)), three);
        assert_eq!(folder.names(), ["rds.db", "rds.zip", "readme.txt", "set.hmk"]);
    }
}

#[cfg(unix)]
#[test]
fn text_with_its_tables_and_in_an_archive() {
    let folder = Folder::new();
    rds::text(folder.path(), ROWS);
    let names = ["NSRLFile.txt", "NSRLProd.txt", "NSRLOS.txt", "NSRLMfg.txt"].map(|name| folder.at(name));
    let archive = zip(&folder, "-6", "rds.zip", &names.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    for path in [&names[0], &archive] {
        import(&folder, &[path]).0.unwrap();
        let index = open(&folder);
        agrees(&index, &packages(rds::rows(ROWS)), |file| vec![file.sha1, file.md5]);
        let category = |file: u64| {
            let hit = index.find(&rds::file(file).md5).unwrap().unwrap();
            index.detail(hit).unwrap().verdict().unwrap().category.clone()
        };
        assert_eq!((category(99), category(98)), (Category::Bad, Category::Known));
    }
}

#[cfg(unix)]
#[test]
fn deltas_insert_update_and_delete() {
    let folder = Folder::new();
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

    // SQLite itself gives the same result: the database after the deltas has the same index.
    let by_deltas = std::fs::read(folder.at("set.hmk")).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    for script in ["delta1.sql", "delta2.sql"] {
        connection.execute_batch(&std::fs::read_to_string(folder.at(script)).unwrap()).unwrap();
    }
    drop(connection);
    import(&folder, &[&path]).0.unwrap();
    let by_sqlite = std::fs::read(folder.at("set.hmk")).unwrap();
    assert_eq!(by_deltas.len(), by_sqlite.len());
    agrees(&open(&folder), &expected, three);
}

#[test]
fn deltas_need_a_database_and_statements_that_are_understood() {
    let folder = Folder::new();
    let delta = folder.file("delta.sql", "BEGIN;\nDELETE FROM FILE WHERE package_id > 3;\n");
    assert!(matches!(import(&folder, &[&delta]).0.unwrap_err().why, Why::LoneDelta));
    rds::sqlite(&folder.at("rds.db"), 100, Schema::Minimal);
    import(&folder, &[&folder.at("rds.db"), &delta]).0.unwrap();
    agrees(&open(&folder), &packages(rds::rows(100).filter(|(_, package)| *package <= 3)), three);
    let delta = folder.file("delta.sql", "BEGIN;\nDELETE FROM FILE WHERE 'x\n");
    let error = import(&folder, &[&folder.at("rds.db"), &delta]).0.unwrap_err();
    assert!(matches!(error.why, Why::Statement(2)), "{error}");
    let delta = folder.file("delta.sql", "BEGIN;\nDELETE FROM NOTES WHERE x = 1;\n");
    let error = import(&folder, &[&folder.at("rds.db"), &delta]).0.unwrap_err();
    assert!(error.to_string().contains("delta.sql: no such table: NOTES"), "{error}");
    assert!(!folder.names().iter().any(|name| name.contains("partial")), "{:?}", folder.names());
}

/// An insertion may have rows that are there already, and a row may be inserted twice.
#[test]
fn deltas_insert_only_what_is_new() {
    let folder = Folder::new();
    let path = folder.at("rds.db");
    rds::sqlite(&path, 100, Schema::Minimal);
    let connection = rusqlite::Connection::open(&path).unwrap();
    let sql =
        "SELECT group_concat(quote(sha256) || ',' || quote(sha1) || ',' || quote(md5) || ',' || quote(crc32)
        || ',' || quote(file_name) || ',' || file_size || ',' || package_id, '),(') FROM FILE";
    let rows: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    connection.execute_batch("DELETE FROM FILE WHERE rowid % 2").unwrap();
    drop(connection);
    let delta = folder.file("delta.sql", format!("BEGIN;\ninsert into FILE VALUES ({rows});\nCOMMIT;\n"));
    import(&folder, &[&path, &delta, &delta]).0.unwrap();
    agrees(&open(&folder), &packages(rds::rows(100)), three);
    // A database in the mode with a log is changed like others, and nothing is left beside the index.
    rusqlite::Connection::open(&path).unwrap().execute_batch("PRAGMA journal_mode = WAL").unwrap();
    import(&folder, &[&path, &delta]).0.unwrap();
    agrees(&open(&folder), &packages(rds::rows(100)), three);
    assert_eq!(folder.names(), ["delta.sql", "rds.db", "set.hmk"]);
}

#[test]
fn other_databases_say_what_they_lack() {
    let folder = Folder::new();
    let make = |name: &str, sql: &str| {
        let path = folder.at(name);
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        path
    };
    let other = make("other.db", "CREATE TABLE photos (id)");
    let error = import(&folder, &[&other]).0.unwrap_err();
    assert!(error.to_string().ends_with("other.db: is not an RDS: it has no table FILE"), "{error}");
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
    assert!(!folder.at("missing.hmk").exists());
}

#[test]
fn published_checksums_are_compared() {
    let folder = Folder::new();
    let path = folder.at("rds.db");
    rds::sqlite(&path, 100, Schema::Minimal);
    let sha1 = hashmill_digest::find("sha1").unwrap();
    let digest = hashmill_digest::hash(sha1, &std::fs::read(&path).unwrap());
    folder.file("rds.db.sha", format!("{digest}  rds.db\n"));
    let (built, notices) = import(&folder, &[&path]);
    built.unwrap();
    assert!(notices[0].starts_with("Verified"), "{notices:?}");
    folder.file("rds.db.sha", format!("{}  rds.db\n", "0".repeat(40)));
    let error = import(&folder, &[&path]).0.unwrap_err();
    assert!(matches!(error.why, Why::Checksum { algorithm: "sha1", .. }), "{error}");
}

#[test]
#[ignore = "campaign: takes long"]
fn mutated_databases_end_in_an_error_or_an_index() {
    let folder = Folder::new();
    let path = folder.at("rds.db");
    rds::sqlite(&path, 300, Schema::Minimal);
    let whole = std::fs::read(&path).unwrap();
    let mut random = Random(4);
    for _ in 0..cases(150) {
        let mut altered = whole.clone();
        for _ in 0..=random.below(20) {
            // Half of the damage is in page headers, where it does the most harm.
            let page = random.below(whole.len() / 4096) * 4096;
            let within = [120, 4096][random.below(2)];
            let at = page + random.below(within);
            altered[at] = random.next() as u8;
        }
        altered.truncate(whole.len() - [0, 0, 1, 5000][random.below(4)]);
        std::fs::write(&path, altered).unwrap();
        let _ = import(&folder, &[&path]);
    }
}

/// Imports a database created by these statements, with some digests in `FILE` unless they create it.
fn hostile(folder: &Folder, sql: &str) -> (Error, u64) {
    let path = folder.at("hostile.db");
    let _ = std::fs::remove_file(&path);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(sql).unwrap();
    drop(connection);
    let input = Input::new(&path, Category::Known);
    let options = BuildOptions { memory: 64 << 20, ..BuildOptions::default() };
    let built = build(&folder.at("set.hmk"), &[input], &options, Strictness::Lenient, &mut |_, _| {});
    let left: u64 = folder.names().iter().filter(|name| name.contains("partial")).count() as u64;
    (built.unwrap_err(), left)
}

const ROW: &str = "CREATE TABLE F (md5, package_id);
    INSERT INTO F VALUES ('900150983CD24FB0D6963F7D28E17F72', 1);";
const FILE: &str = "CREATE TABLE FILE (md5, package_id);
    INSERT INTO FILE VALUES ('900150983CD24FB0D6963F7D28E17F72', 1);";

#[test]
fn views_that_do_more_than_pick_columns_are_refused() {
    let folder = Folder::new();
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
        SELECT x AS package_id, 'name' || x AS name, md5 FROM n, F";
    let big = "SELECT md5, hex(zeroblob(400000000)) AS name, 1 AS package_id FROM F";
    let random = "SELECT md5, randomblob(10) AS name, 1 AS package_id FROM F";
    let vtab = "SELECT md5, value AS name, 1 AS package_id FROM F, json_each('[1,2,3]')";
    let schema = "SELECT md5, name, 1 AS package_id FROM F, pragma_table_info('F')";
    for view in [endless, big, random, vtab, schema] {
        let file = format!("{ROW} CREATE VIEW FILE AS {view}");
        let (error, left) = hostile(&folder, &file);
        assert!(matches!(error.why, Why::Forbidden { .. }), "{error}");
        assert!(error.to_string().contains("hostile.db: the table or view FILE"), "{error}");
        let products = format!("{ROW} CREATE VIEW FILE AS SELECT * FROM F; CREATE VIEW PKG AS {view}");
        let (error, also) = hostile(&folder, &products);
        assert!(matches!(error.why, Why::Forbidden { .. }), "{error}");
        assert_eq!(left + also, 0);
    }
}

/// Each of these is allowed by itself, but exceeds what the size of the database justifies.
#[test]
fn views_that_go_on_for_ever_are_refused() {
    let folder = Folder::new();
    let many = "CREATE TABLE N (x); INSERT INTO N
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 2000) SELECT x FROM n;";
    let rows = format!("{ROW} {many} CREATE VIEW FILE AS SELECT md5, package_id FROM F, N a, N b, N c");
    let none = format!("{rows} WHERE a.x + b.x + c.x < 0");
    for sql in [rows, none] {
        let (error, left) = hostile(&folder, &sql);
        assert!(matches!(error.why, Why::Endless(_)), "{error}");
        assert_eq!(left, 0);
    }
}

#[test]
fn long_rows_and_large_tables_are_refused() {
    let folder = Folder::new();
    let long = "hex(zeroblob(1000000))";
    for sql in [
        format!("CREATE TABLE FILE (md5, name); INSERT INTO FILE VALUES ('x', {long})"),
        format!("{FILE} CREATE TABLE PKG (package_id, name); INSERT INTO PKG VALUES (1, {long})"),
        // The same of a view.
        format!(
            "CREATE TABLE F (md5, name); INSERT INTO F VALUES ('x', {long}); CREATE VIEW FILE AS SELECT * FROM F"
        ),
    ] {
        let (error, _) = hostile(&folder, &sql);
        assert!(matches!(error.why, Why::LongRow { .. }), "{error}");
    }
    let large = "CREATE TABLE PKG (package_id, name); INSERT INTO PKG
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 150)
        SELECT x, printf('%.*c', 900000, 'y') FROM n";
    let (error, _) = hostile(&folder, &format!("{FILE} {large}"));
    assert!(matches!(error.why, Why::Tables { most } if most == 64 << 20), "{error}");
    assert!(error.to_string().ends_with("bytes of memory"), "{error}");
}

#[test]
fn what_no_rds_has_is_refused_by_name() {
    let folder = Folder::new();
    for (sql, kind) in [
        ("CREATE TRIGGER spy AFTER DELETE ON FILE BEGIN DELETE FROM FILE; END", "a trigger, spy"),
        // As text, since the SQLite here has no module that could create one.
        (
            "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema \
             VALUES ('table', 'spy', 'spy', 0, 'CREATE VIRTUAL TABLE spy USING fts5(x)')",
            "a virtual table, spy",
        ),
        (
            "CREATE TABLE spy (a, b AS (a || a)); DROP TABLE FILE; CREATE VIEW FILE AS SELECT a AS md5 FROM spy",
            "a generated column, spy.b",
        ),
        (
            "ALTER TABLE FILE RENAME TO F; CREATE INDEX spy ON F (upper(md5)); CREATE VIEW FILE AS SELECT * FROM F",
            "an index on an expression, spy",
        ),
    ] {
        let (error, _) = hostile(&folder, &format!("{FILE} {sql}"));
        assert!(matches!(error.why, Why::Foreign { .. }), "{error}");
        assert!(error.to_string().contains(&kind[kind.find(' ').unwrap()..]), "{error}");
    }
}

/// The statements of a schema are text that anybody may have overwritten.
#[test]
fn a_schema_can_only_make_its_tables() {
    let folder = Folder::new();
    let victim = folder.at("victim.db");
    for statement in [
        format!("VACUUM INTO '{}'", victim.display()),
        format!("ATTACH '{}' AS other", victim.display()),
        "CREATE TABLE FILE AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x FROM n"
            .into(),
        "CREATE TABLE FILE (md5 CHECK (md5 = hex(randomblob(100000000))))".into(),
        "CREATE TEMP TABLE FILE (md5)".into(),
        "PRAGMA writable_schema = ON".into(),
        "SELECT 1".into(),
    ] {
        let path = folder.at("rds.db");
        let _ = std::fs::remove_file(&path);
        rds::sqlite(&path, 100, Schema::Minimal);
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch("PRAGMA writable_schema = ON").unwrap();
        let sql = "UPDATE sqlite_schema SET sql = ?1 WHERE name = 'FILE'";
        connection.execute(sql, [&statement]).unwrap();
        drop(connection);
        let error = import(&folder, &[&path]).0.expect_err(&statement);
        assert!(!victim.exists(), "{error}");
    }
}

#[test]
fn deltas_change_rows_and_nothing_else() {
    let folder = Folder::new();
    rds::sqlite(&folder.at("rds.db"), 100, Schema::Minimal);
    let victim = folder.at("victim.db");
    for statement in [
        format!("ATTACH '{}' AS other", victim.display()),
        "CREATE TABLE x (y)".into(),
        "CREATE TRIGGER x AFTER INSERT ON PKG BEGIN DELETE FROM PKG; END".into(),
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) INSERT INTO PKG SELECT x, x, 1, 1, 1, 1, 1 FROM n".into(),
        "UPDATE PKG SET name = hex(zeroblob(1000000000))".into(),
        "DELETE FROM sqlite_schema".into(),
    ] {
        let delta = folder.file("delta.sql", format!("BEGIN;\n{statement};\n"));
        // A delta is recognised by its first verb.
        let error = import(&folder, &[&folder.at("rds.db"), &delta]).0.expect_err(&statement);
        assert!(error.to_string().contains("delta.sql: "), "{error}");
        assert!(!victim.exists(), "{error}");
    }
}

/// Pages that are used twice, and circular overflow chains, can't give more rows than the size of the database allows.
#[test]
fn pages_that_are_shared_give_no_more_rows() {
    let folder = Folder::new();
    let path = folder.at("rds.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let sql = "PRAGMA page_size = 512; CREATE TABLE FILE (md5, name); INSERT INTO FILE
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 400)
        SELECT 'x', printf('%.*c', 2000, 'y') FROM n";
    connection.execute_batch(sql).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'FILE'";
    let root = connection.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap() as usize;
    drop(connection);
    let whole = std::fs::read(&path).unwrap();
    import(&folder, &[&path]).0.unwrap_err();
    // An interior page has one child twice.
    let mut twice = whole.clone();
    let page = (root - 1) * 512;
    let [first, last] =
        [12, 14].map(|at| usize::from(twice[page + at]) << 8 | usize::from(twice[page + at + 1]));
    twice.copy_within(page + first..page + first + 4, page + last);
    std::fs::write(&path, twice).unwrap();
    let found = |folder: &Folder| import(folder, &[&path]).0.unwrap_err().why;
    assert!(matches!(found(&folder), Why::NoDigests | Why::Sqlite(_)), "{}", found(&folder));
    // Every overflow page is followed by itself.
    let mut circles = whole;
    for number in 1..circles.len() / 512 {
        if ![0x05, 0x0d].contains(&circles[number * 512]) {
            circles[number * 512..][..4].copy_from_slice(&(number as u32 + 1).to_be_bytes());
        }
    }
    std::fs::write(&path, circles).unwrap();
    assert!(matches!(found(&folder), Why::NoDigests | Why::Sqlite(_)), "{}", found(&folder));
}
