//! Generates sets in the formats of the NSRL: RDS 3 (SQLite, minimal and full) and RDS 2 (text), of any size and
//! reproducible. Schemas follow the `schema.sql` of the releases.

use crate::Random;
use hashmill_digest::Digest;
use rusqlite::{Connection, params};
use std::io::{BufWriter, Write};
use std::path::Path;

/// The number of rows for each different file, as in the modern RDS with 442 million rows of 74 million files.
const ROWS_PER_FILE: u64 = 6;

/// The number of rows for each package.
const ROWS_PER_PACKAGE: u64 = 200;

const TYPES: [&str; 5] = ["Operating System", "Hacker Tool", "Game", "Office Suite", "Steganography"];

/// A file of the set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its SHA-256.
    pub sha256: Digest,
    /// Its SHA-1.
    pub sha1: Digest,
    /// Its MD5.
    pub md5: Digest,
    /// Its CRC-32.
    pub crc32: u32,
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
}

/// Returns the file with this number.
pub fn file(number: u64) -> File {
    let mut random = Random(number.wrapping_mul(0x1234_5678_9abc_def1));
    let (sha256, sha1, md5) = (random.digest(32), random.digest(20), random.digest(16));
    let (crc32, size) = (random.next() as u32, random.below_u64(1 << 24));
    let name = match random.below(50) {
        0 => format!("l'été \"{number}\", {}.dll", "x".repeat(random.below(60))),
        _ => format!("file{number}.dll"),
    };
    File { sha256, sha1, md5, crc32, name, size }
}

/// Returns the rows of a set with `count` rows: number of the file, number of the package.
pub fn rows(count: u64) -> impl Iterator<Item = (u64, u64)> {
    let files = (count / ROWS_PER_FILE).max(1);
    (0..count).map(move |row| (Random(row).below_u64(files), row / ROWS_PER_PACKAGE + 1))
}

/// Returns the type of a package's application.
pub fn application_type(package: u64) -> &'static str {
    TYPES[(package % TYPES.len() as u64) as usize]
}

/// Returns the name of a package.
pub fn product(package: u64) -> String {
    format!("Product {package:06}")
}

/// The schema of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// Minimal, with CRC-32 in the key (2026).
    Minimal,
    /// Minimal, without CRC-32 (2022).
    Older,
    /// Full: `FILE`, `PKG`, `OS` and `MFG` are views.
    Full,
}

const MINIMAL: &str = "
    CREATE TABLE FILE (sha256 VARCHAR NOT NULL, sha1 VARCHAR NOT NULL, md5 VARCHAR NOT NULL,
        crc32 VARCHAR NOT NULL, file_name VARCHAR NOT NULL, file_size INTEGER NOT NULL,
        package_id INTEGER NOT NULL, CONSTRAINT PK_FILE__FILE
        PRIMARY KEY (sha256, sha1, md5, crc32, file_name, file_size, package_id));
    CREATE TABLE MFG (manufacturer_id INTEGER NOT NULL, name VARCHAR NOT NULL,
        CONSTRAINT PK_MFG__MFG_ID PRIMARY KEY (manufacturer_id, name));
    CREATE TABLE OS (operating_system_id INTEGER NOT NULL, name VARCHAR NOT NULL,
        version VARCHAR NOT NULL, manufacturer_id INTEGER NOT NULL,
        CONSTRAINT PK_OS__OS_ID PRIMARY KEY (operating_system_id, name, version, manufacturer_id));
    CREATE TABLE PKG (package_id INTEGER NOT NULL, name VARCHAR NOT NULL, version VARCHAR NOT NULL,
        operating_system_id INTEGER NOT NULL, manufacturer_id INTEGER NOT NULL,
        language VARCHAR NOT NULL, application_type VARCHAR NOT NULL, CONSTRAINT PK_PKG__PKG_ID
        PRIMARY KEY (package_id, name, version, operating_system_id, manufacturer_id, language,
        application_type));
    CREATE TABLE VERSION (version VARCHAR UNIQUE NOT NULL, build_set VARCHAR NOT NULL,
        build_date TIMESTAMP NOT NULL, release_date TIMESTAMP NOT NULL, description VARCHAR NOT NULL,
        CONSTRAINT PK_VERSION__VERSION PRIMARY KEY (version, build_set, build_date, release_date));
    CREATE VIEW DISTINCT_HASH AS SELECT DISTINCT sha256, sha1, md5, crc32 FROM FILE;";

/// Writes an RDS 3 with `count` rows.
pub fn sqlite(path: &Path, count: u64, schema: Schema) {
    let mut connection = Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;").unwrap();
    connection.execute_batch(&schema_sql(schema)).unwrap();
    let transaction = connection.transaction().unwrap();
    fill(&transaction, count, schema);
    transaction.commit().unwrap();
    if schema == Schema::Full {
        connection.execute_batch(FULL).unwrap();
    }
}

fn schema_sql(schema: Schema) -> String {
    match schema {
        Schema::Minimal => MINIMAL.to_string(),
        Schema::Older => {
            let all = MINIMAL.replace("crc32 VARCHAR NOT NULL,", "").replace(" crc32,", "");
            all.replace("md5, crc32 FROM", "md5 FROM")
        }
        // Views replace tables, which get other names.
        Schema::Full => {
            let renamed =
                MINIMAL.replace("TABLE FILE", "TABLE METADATA").replace("FROM FILE", "FROM METADATA");
            ["MFG", "OS", "PKG"].iter().fold(renamed, |sql, name| {
                sql.replace(&format!("TABLE {name} "), &format!("TABLE {name}_BASE "))
            })
        }
    }
}

const FULL: &str = "
    ALTER TABLE METADATA ADD COLUMN extension VARCHAR;
    CREATE VIEW FILE AS SELECT upper(sha256) AS sha256, upper(sha1) AS sha1, upper(md5) AS md5,
        file_name, file_size, package_id FROM METADATA;
    CREATE VIEW MFG AS SELECT * FROM MFG_BASE;
    CREATE VIEW OS AS SELECT * FROM OS_BASE;
    CREATE VIEW PKG AS SELECT * FROM PKG_BASE;";

fn fill(transaction: &Connection, count: u64, schema: Schema) {
    let (file_table, suffix) = if schema == Schema::Full { ("METADATA", "_BASE") } else { ("FILE", "") };
    let marks = if schema == Schema::Older { "?1, ?2, ?3, ?5, ?6, ?7" } else { "?1, ?2, ?3, ?4, ?5, ?6, ?7" };
    let sql = format!("INSERT OR IGNORE INTO {file_table} VALUES ({marks})");
    let mut insert = transaction.prepare(&sql).unwrap();
    for (number, package) in rows(count) {
        let File { sha256, sha1, md5, crc32, name, size } = file(number);
        let hex = |digest: Digest| digest.to_string().to_uppercase();
        let crc32 = format!("{crc32:08X}");
        insert
            .execute(params![hex(sha256), hex(sha1), hex(md5), crc32, name, size as i64, package as i64])
            .unwrap();
    }
    let run = |sql: String| {
        transaction.execute(&sql, []).unwrap();
    };
    for package in 1..=count / ROWS_PER_PACKAGE + 1 {
        let (name, kind) = (product(package), application_type(package));
        let os = package % 3 + 1;
        run(format!(
            "INSERT INTO PKG{suffix} VALUES ({package}, '{name}', '1.{package}', {os}, 7, 'English', '{kind}')"
        ));
    }
    for os in 1..=3 {
        run(format!("INSERT INTO OS{suffix} VALUES ({os}, 'System {os}', '{os}.0', 7)"));
    }
    run(format!("INSERT INTO MFG{suffix} VALUES (7, 'Maker')"));
    run("INSERT INTO VERSION VALUES ('2026.03.1', 'modern_minimal', '2026-03-01', '2026-03-10', 'x')".into());
}

/// Writes an RDS 2 (`NSRLFile.txt` and its tables) with `count` rows.
pub fn text(folder: &Path, count: u64) {
    let create = |name: &str| BufWriter::new(std::fs::File::create(folder.join(name)).unwrap());
    let mut out = create("NSRLFile.txt");
    let header = r#""SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode""#;
    write!(out, "{header}\r\n").unwrap();
    for (number, package) in rows(count) {
        let File { sha1, md5, crc32, name, size, .. } = file(number);
        let hex = |digest: Digest| digest.to_string().to_uppercase();
        let name = name.replace('"', "\"\"");
        let special = if number % 100 == 99 { "M" } else { "" };
        let (sha1, md5, os) = (hex(sha1), hex(md5), package % 3 + 1);
        let line = format!(r#""{sha1}","{md5}","{crc32:08X}","{name}",{size},{package},"{os}","{special}""#);
        write!(out, "{line}\r\n").unwrap();
    }
    out.flush().unwrap();
    let mut out = create("NSRLProd.txt");
    let header = r#""ProductCode","ProductName","ProductVersion","OpSystemCode","MfgCode","Language","ApplicationType""#;
    write!(out, "{header}\r\n").unwrap();
    for package in 1..=count / ROWS_PER_PACKAGE + 1 {
        let (name, kind, os) = (product(package), application_type(package), package % 3 + 1);
        write!(out, "{package},\"{name}\",\"1.{package}\",\"{os}\",\"7\",\"English\",\"{kind}\"\r\n")
            .unwrap();
    }
    out.flush().unwrap();
    let systems = "\"OpSystemCode\",\"OpSystemName\",\"OpSystemVersion\",\"MfgCode\"\r\n\"1\",\"System 1\",\"1.0\",\"7\"\r\n\"2\",\"System 2\",\"2.0\",\"7\"\r\n\"3\",\"System 3\",\"3.0\",\"7\"\r\n";
    std::fs::write(folder.join("NSRLOS.txt"), systems).unwrap();
    std::fs::write(folder.join("NSRLMfg.txt"), "\"MfgCode\",\"MfgName\"\r\n\"7\",\"Maker\"\r\n").unwrap();
}
