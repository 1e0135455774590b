//! Every format, one row each. Sniffing, options, help and tests iterate this table.

use super::hint::Hint;
#[cfg(feature = "parquet")]
use super::parquet;
use super::row::{Body, Carries, Format, Sniff};
#[cfg(feature = "sqlite")]
use super::sqlite;
use super::{
    bsd, csv, dfxml, encase, gentoo, git, hashdeep, inventory, jsonl, plain, s3, sfv, sums, tables, wheel,
};

const ALL: Carries = Carries {
    size: true,
    pieces: true,
    status: true,
    stored: true,
    reason: true,
    mtime: true,
    algorithm: true,
    likeness: true,
    styles: false,
    leaves: true,
    bad_blocks: true,
    labels: true,
    case: true,
};
const LIST: Carries = Carries {
    size: false,
    pieces: false,
    status: false,
    stored: false,
    reason: false,
    mtime: false,
    algorithm: false,
    likeness: false,
    styles: false,
    leaves: false,
    bad_blocks: false,
    labels: false,
    case: false,
};
const KNOWN: Carries = Carries { size: true, algorithm: true, ..LIST };
const STORED: Carries = Carries { status: true, stored: true, reason: true, ..KNOWN };

/// All formats. Where two could take one line, the likelier stands first.
pub static FORMATS: &[Format] = &[
    Format {
        name: "hashdeep",
        aliases: &["hashdeep-1.0"],
        about: "hashdeep's manifest: size, digests and name, comma-separated",
        suffixes: &["hashdeep"],
        carries: Carries { pieces: true, case: true, ..KNOWN },
        only: None,
        full: true,
        loose: false,
        limits: "the size is needed; the header names the algorithms",
        body: Body::Text,
        sniff: Sniff::Start(hashdeep::sniff),
        reader: hashdeep::reader,
        writer: Some(hashdeep::writer),
    },
    Format {
        name: "sums",
        aliases: &["coreutils", "gnu", "b3sum", "cksum"],
        about: "a digest and a name a line, as sha256sum, b3sum and cksum write them",
        suffixes: &[],
        carries: Carries { case: true, styles: true, ..LIST },
        only: None,
        full: false,
        loose: true,
        limits: "the size stands in lines of `cksum` alone, which need it; the algorithm follows from length, name or shape of the line; writing a piece is refused",
        body: Body::Text,
        sniff: Sniff::Line(sums::sniff),
        reader: sums::reader,
        writer: Some(sums::writer),
    },
    Format {
        name: "bsd",
        aliases: &["tag", "openssl"],
        about: "ALGORITHM (name) = digest, as sha256sum --tag, openssl dgst and rhash --bsd write them",
        suffixes: &[],
        carries: Carries { algorithm: true, case: true, styles: true, ..LIST },
        only: None,
        full: false,
        loose: false,
        limits: "the tag names the algorithm; writing a piece is refused",
        body: Body::Text,
        sniff: Sniff::Line(bsd::sniff),
        reader: bsd::reader,
        writer: Some(bsd::writer),
    },
    Format {
        name: "inventory",
        aliases: &["s3-inventory"],
        about: "the manifest.json of an inventory of S3, Google Cloud Storage or Azure, or of a report of S3 Batch Operations; \
                the files that it names are read",
        suffixes: &[],
        carries: STORED,
        only: None,
        full: false,
        loose: false,
        limits: "the files lie beside it or below a folder above it; MD5s and lengths that it names are checked first",
        body: Body::Whole(inventory::open),
        sniff: Sniff::Start(inventory::sniff),
        reader: inventory::reader,
        writer: None,
    },
    Format {
        name: "gcs-inventory",
        aliases: &[],
        about: "an inventory report of Google Cloud Storage in CSV",
        suffixes: &[],
        carries: STORED,
        only: None,
        full: false,
        loose: false,
        limits: "versions that are not the latest are left out",
        body: Body::Text,
        sniff: Sniff::Start(inventory::is_google),
        reader: inventory::headed_reader,
        writer: None,
    },
    Format {
        name: "azure-inventory",
        aliases: &[],
        about: "a blob inventory of Azure Storage in CSV",
        suffixes: &[],
        carries: STORED,
        only: None,
        full: false,
        loose: false,
        limits: "a Content-MD5 is what the client declared; versions that are not the latest, and snapshots, are left out",
        body: Body::Text,
        sniff: Sniff::Start(inventory::is_azure),
        reader: inventory::headed_reader,
        writer: None,
    },
    Format {
        name: "s3-report",
        aliases: &[],
        about: "the checksums that S3 Batch Operations computed, a file of its completion report",
        suffixes: &[],
        carries: STORED,
        only: None,
        full: false,
        loose: false,
        limits: "checksums of whole objects; what is made of parts is left as unreadable",
        body: Body::Text,
        sniff: Sniff::Line(inventory::is_report),
        reader: inventory::report_reader,
        writer: None,
    },
    Format {
        name: "jsonl",
        aliases: &["json", "ndjson"],
        about: "a JSON object a line",
        suffixes: &["jsonl", "ndjson", "json"],
        carries: Carries { styles: true, ..ALL },
        only: None,
        full: false,
        loose: false,
        limits: "the key names the algorithm",
        body: Body::Text,
        sniff: Sniff::Line(jsonl::sniff),
        reader: jsonl::reader,
        writer: Some(jsonl::writer),
    },
    Format {
        name: "csv",
        aliases: &[],
        about: "comma-separated values with a header (RFC 4180)",
        suffixes: &["csv"],
        carries: Carries { case: false, styles: true, leaves: false, ..ALL },
        only: None,
        full: false,
        loose: false,
        limits: "the header names the algorithms",
        body: Body::Text,
        sniff: Sniff::Line(csv::sniff),
        reader: csv::reader,
        writer: Some(csv::writer),
    },
    Format {
        name: "dfxml",
        aliases: &["xml"],
        about: "Digital Forensics XML, valid by its schema; hashdeep -d and fiwalk write it, too",
        suffixes: &["dfxml", "xml"],
        carries: Carries {
            stored: false,
            reason: false,
            likeness: false,
            bad_blocks: false,
            labels: false,
            leaves: false,
            ..ALL
        },
        only: None,
        full: false,
        loose: false,
        limits: "times of whole files alone, years 1 to 9999",
        body: Body::Text,
        sniff: Sniff::Start(dfxml::sniff),
        reader: dfxml::reader,
        writer: Some(dfxml::writer),
    },
    #[cfg(feature = "parquet")]
    Format {
        name: "parquet",
        aliases: &["pq"],
        about: "a Parquet file: a column for each field",
        suffixes: &["parquet", "pq"],
        carries: ALL,
        only: None,
        full: false,
        loose: false,
        limits: "sizes below 2^63; times of the years 1678 to 2261",
        body: Body::Whole(parquet::open),
        sniff: Sniff::Start(parquet::sniff),
        reader: parquet::reader,
        writer: Some(parquet::writer),
    },
    #[cfg(feature = "sqlite")]
    Format {
        name: "sqlite",
        aliases: &["sqlite3", "db"],
        about: "an SQLite database: the tables records and pieces",
        suffixes: &["sqlite", "sqlite3", "db"],
        carries: ALL,
        only: None,
        full: false,
        loose: false,
        limits: "sizes below 2^63",
        body: Body::Database(sqlite::open),
        sniff: Sniff::Start(sqlite::sniff),
        reader: sqlite::reader,
        writer: Some(sqlite::writer),
    },
    Format {
        name: "gentoo",
        aliases: &["manifest"],
        about: "a Manifest of Gentoo (GLEP 74)",
        suffixes: &[],
        carries: KNOWN,
        only: None,
        full: false,
        loose: false,
        limits: "the tag names the algorithm; files of the kind AUX lie in files/",
        body: Body::Text,
        sniff: Sniff::Line(gentoo::sniff),
        reader: gentoo::reader,
        writer: None,
    },
    Format {
        name: "record",
        aliases: &["wheel"],
        about: "the RECORD of a Python package (PEP 376, PEP 427)",
        suffixes: &[],
        carries: KNOWN,
        only: None,
        full: false,
        loose: false,
        limits: "the tag names the algorithm; files without a digest are left out",
        body: Body::Text,
        sniff: Sniff::Line(wheel::sniff),
        reader: wheel::reader,
        writer: None,
    },
    Format {
        name: "sfv",
        aliases: &["rhash", "simple"],
        about: "a name and its digests a line, as SFV files and rhash have them",
        suffixes: &["sfv"],
        carries: Carries { algorithm: true, ..LIST },
        only: Some("crc32"),
        full: false,
        loose: true,
        limits: "CRC-32 alone is written; read, the algorithm follows from the length; writing a piece, or a name that a line cannot hold, is refused",
        body: Body::Text,
        sniff: Sniff::Either(sfv::starts, sfv::sniff),
        reader: sfv::reader,
        writer: Some(sfv::writer),
    },
    Format {
        name: "git",
        aliases: &["ls-tree"],
        about: "what git ls-tree -r lists, also with -l and -z",
        suffixes: &[],
        carries: Carries { status: true, reason: true, ..KNOWN },
        only: None,
        full: false,
        loose: false,
        limits: "git-blob or git-blob-sha256, by the length of the objects",
        body: Body::Text,
        sniff: Sniff::Line(git::sniff),
        reader: git::reader,
        writer: None,
    },
    Format {
        name: "s3",
        aliases: &["aws"],
        about: "the objects of a bucket as aws s3api list-objects-v2 answers, in JSON",
        suffixes: &[],
        carries: Carries { status: true, reason: true, ..KNOWN },
        only: None,
        full: false,
        loose: false,
        limits: "ETags that are MD5 or of parts of a usual length, and checksums beside the key; versions that are not the latest are left out",
        body: Body::Text,
        sniff: Sniff::Start(s3::sniff),
        reader: s3::reader,
        writer: None,
    },
    Format {
        name: "plain",
        aliases: &[],
        about: "a digest a line, perhaps with a name",
        suffixes: &[],
        carries: LIST,
        only: None,
        full: false,
        loose: true,
        limits: "the algorithm follows from the length",
        body: Body::Text,
        sniff: Sniff::Line(plain::sniff),
        reader: plain::reader,
        writer: None,
    },
    Format {
        name: "nsrl",
        aliases: &["rds"],
        about: "NSRL RDS 1.x and 2.x text (NSRLFile.txt)",
        suffixes: &[],
        carries: KNOWN,
        only: None,
        full: false,
        loose: false,
        limits: "the header names the algorithms",
        body: Body::Text,
        sniff: Sniff::Line(tables::is_nsrl),
        reader: tables::reader,
        writer: None,
    },
    Format {
        name: "hashkeeper",
        aliases: &[],
        about: "HashKeeper's hash sets (.hsh)",
        suffixes: &["hsh"],
        carries: KNOWN,
        only: None,
        full: false,
        loose: false,
        limits: "the header names the algorithms",
        body: Body::Text,
        sniff: Sniff::Line(tables::is_hashkeeper),
        reader: tables::reader,
        writer: None,
    },
    Format {
        name: "ilook",
        aliases: &[],
        about: "iLook's hash sets, versions 1, 3 and 4",
        suffixes: &[],
        carries: KNOWN,
        only: None,
        full: false,
        loose: false,
        limits: "the header names the algorithms",
        body: Body::Text,
        sniff: Sniff::Line(tables::is_ilook),
        reader: tables::reader,
        writer: None,
    },
    Format {
        name: "encase",
        aliases: &[],
        about: "EnCase's hash sets (.hash), MD5 only",
        suffixes: &["hash"],
        carries: Carries { algorithm: true, ..LIST },
        only: Some("md5"),
        full: false,
        loose: false,
        limits: "",
        body: Body::Text,
        sniff: Sniff::Start(encase::sniff),
        reader: encase::reader,
        writer: None,
    },
];

/// The format of this name or alias, in any case.
pub fn find_format(name: &str) -> Option<&'static Format> {
    let wanted = name.to_ascii_lowercase();
    FORMATS.iter().find(|row| row.name == wanted || row.aliases.contains(&wanted.as_str()))
}

/// The format that the name of a file stands for: by its ending, or as a list of digests (`SHA256SUMS`,
/// `x.iso.md5`).
pub fn format_of_name(path: &[u8]) -> Option<&'static Format> {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_ascii_lowercase();
    let ending = name.rsplit(|byte| *byte == b'.').next().filter(|ending| ending.len() < name.len());
    let fits = |row: &&Format| row.suffixes.iter().any(|known| ending == Some(known.as_bytes()));
    let list = || match Hint::from_name(path) {
        // Nothing that is written has digests of an algorithm that is not here.
        Hint::None | Hint::Foreign(_) => None,
        _ => find_format("sums"),
    };
    FORMATS.iter().find(fits).or_else(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        let names: Vec<_> = FORMATS.iter().flat_map(|row| row.aliases.iter().chain([&row.name])).collect();
        for name in &names {
            assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
            assert!(find_format(&name.to_uppercase()).is_some());
        }
        assert!(find_format("nonsense").is_none());
    }

    #[test]
    fn names_of_files_tell_the_format() {
        let cases: [(&[u8], Option<&str>); 11] = [
            (b"a/m.jsonl", Some("jsonl")),
            (b"M.XML", Some("dfxml")),
            (b"m.sfv", Some("sfv")),
            (b"SHA256SUMS", Some("sums")),
            (b"x.iso.md5", Some("sums")),
            (b"x.md5.csv", Some("csv")),
            (b"csv", None),
            (b"x.db/manifest", None),
            (b"manifest.txt", None),
            (b"x.md4", Some("sums")),
            (b"x.md2", None),
        ];
        for (name, wanted) in cases {
            assert_eq!(format_of_name(name).map(|row| row.name), wanted, "{}", name.escape_ascii());
        }
    }
}
