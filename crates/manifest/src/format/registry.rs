//! All formats, one row each. Sniffing, options, help and tests iterate over this table.
//!
//! To add a format: its file and `mod` line in this folder, a row here, seeds in `fuzz/corpus/NAME`; then `make
//! regenerate`. Formats that are lists of objects in JSON are an `Objects` ([`super::json::objects`]), those in XML are
//! built on [`super::xml`].

use super::binary::{encase, par};
use super::json::{
    azure_list, croissant, cyclonedx, dvc_dir, ecs, huggingface, in_toto, json_list, jsonl, lsjson, minio,
    npm, s3, spdx, stix,
};
use super::lines::{
    aide, body, bsd, certutil, clamav, crc, debian, dvc, gcloud, gentoo, git, gpg, hashdeep, lfs, md5deep,
    mtree, plain, pooch, powershell, rpm, s3cmd, sevenzip, sfv, spdx_tag, sums, wheel,
};
use super::row::{Base, Body, Carries, Format, Sniff};
use super::tables::{cfv, csv, inventory, known_sets};
#[cfg(feature = "tables")]
use super::tables::{parquet, sqlite};
use super::values::hint::Hint;
use super::xml::{ascmhl, ascmhl_chain, dfxml, fciv, mhl, premis};

const ALL: Carries = Carries {
    size: true,
    pieces: true,
    status: true,
    stored: true,
    reason: true,
    version: true,
    mtime: true,
    metadata: true,
    inside: true,
    algorithm: true,
    likeness: true,
    facts: true,
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
    version: false,
    mtime: false,
    metadata: false,
    inside: false,
    algorithm: false,
    likeness: false,
    facts: false,
    styles: false,
    leaves: false,
    bad_blocks: false,
    labels: false,
    case: false,
};
const KNOWN: Carries = Carries { size: true, algorithm: true, ..LIST };
const TIMED: Carries = Carries { mtime: true, ..KNOWN };
const NAMED: Carries = Carries { algorithm: true, ..LIST };
const STORED: Carries = Carries { status: true, stored: true, reason: true, ..KNOWN };

/// The row that most formats share: a list that is only read. Others state what is different.
const TEXT: Format = Format {
    name: "",
    aliases: &[],
    about: "",
    suffixes: &[],
    versions: "",
    carries: KNOWN,
    only: &[],
    needs: &[],
    full: false,
    loose: false,
    base: Base::Anywhere,
    beside: |_, _| Ok(()),
    limits: "",
    body: Body::Text,
    sniff: Sniff::Line(plain::sniff),
    reader: plain::reader,
    writer: None,
};

/// All formats. Of two that could match the same line, the likelier comes first.
pub static FORMATS: &[Format] = &[
    Format {
        name: "hashdeep",
        aliases: &["hashdeep-1.0"],
        about: "hashdeep's manifest: size, digests and name, comma-separated",
        suffixes: &["hashdeep"],
        versions: "1.0",
        carries: Carries { pieces: true, case: true, ..KNOWN },
        full: true,
        limits: "the size is needed; the header names the algorithms",
        sniff: Sniff::Start(hashdeep::sniff),
        reader: hashdeep::reader,
        writer: Some(hashdeep::writer),
        ..TEXT
    },
    Format {
        name: "7zip",
        aliases: &["7z", "7zz"],
        about: "the table of digests that 7z h prints",
        limits: "without titles (-ba), the algorithm follows from the length; folders are left out",
        sniff: Sniff::Either(sevenzip::starts, sevenzip::sniff),
        reader: sevenzip::reader,
        ..TEXT
    },
    Format {
        name: "md5deep",
        about: "a digest and a name per line, as written by md5deep -c, -t, -z, -0 and -p",
        carries: Carries { size: true, pieces: true, ..LIST },
        limits: "the algorithm follows from the length; times are left out; names that end in offset FIRST-LAST are of pieces if one file has two",
        sniff: Sniff::Either(md5deep::starts, md5deep::sniff),
        reader: md5deep::reader,
        ..TEXT
    },
    Format {
        name: "sums",
        aliases: &["coreutils", "gnu", "b3sum", "cksum"],
        about: "a digest and a name per line, as written by sha256sum, b3sum and cksum",
        carries: Carries { case: true, styles: true, ..LIST },
        loose: true,
        limits: "only lines of `cksum` have and need the size; the algorithm follows from length, name or shape of the line; writing a piece is refused",
        sniff: Sniff::Line(sums::sniff),
        reader: sums::reader,
        writer: Some(sums::writer),
        ..TEXT
    },
    Format {
        name: "bsd",
        aliases: &["tag", "openssl"],
        about: "ALGORITHM (name) = digest, as sha256sum --tag, openssl dgst and rhash --bsd write them",
        carries: Carries { algorithm: true, case: true, styles: true, ..LIST },
        limits: "the tag names the algorithm; writing a piece is refused",
        sniff: Sniff::Line(bsd::sniff),
        reader: bsd::reader,
        writer: Some(bsd::writer),
        ..TEXT
    },
    Format {
        name: "inventory",
        aliases: &["s3-inventory"],
        about: "the manifest.json of an inventory of S3, Google Cloud Storage or Azure, or of a report of S3 Batch Operations; \
                the files that it names are read",
        carries: STORED,
        limits: "its files are searched for below its folder and the folder's parents; their MD5s and lengths are checked first",
        body: Body::Naming(inventory::open),
        sniff: Sniff::Start(inventory::sniff),
        reader: inventory::reader,
        ..TEXT
    },
    Format {
        name: "gcs-inventory",
        about: "an inventory report of Google Cloud Storage in CSV",
        carries: STORED,
        limits: "versions that are not the latest are left out",
        sniff: Sniff::Start(inventory::is_google),
        reader: inventory::headed_reader,
        ..TEXT
    },
    Format {
        name: "azure-inventory",
        about: "a blob inventory of Azure Storage in CSV",
        carries: STORED,
        limits: "a Content-MD5 is only declared by the client; versions that are not the latest, and snapshots, are left out",
        sniff: Sniff::Start(inventory::is_azure),
        reader: inventory::headed_reader,
        ..TEXT
    },
    Format {
        name: "s3-report",
        about: "the checksums that S3 Batch Operations computed, a file of its completion report",
        carries: STORED,
        limits: "checksums of whole objects; composite ones are unreadable",
        sniff: Sniff::Line(inventory::is_report),
        reader: inventory::report_reader,
        ..TEXT
    },
    Format {
        name: "stix",
        about: "the files of a bundle of STIX 2.1",
        suffixes: &["stix.json", "stix"],
        versions: "2.1",
        carries: TIMED,
        only: stix::HOLDS,
        limits: "names in UTF-8 only; other objects than files and their folders are left out",
        sniff: Sniff::Start(stix::sniff),
        reader: stix::reader,
        writer: Some(stix::writer),
        ..TEXT
    },
    Format {
        name: "ecs",
        about: "documents of the Elastic Common Schema about files, one JSON object per line",
        suffixes: &["ecs.ndjson"],
        versions: "8.17",
        carries: Carries { case: false, ..ALL },
        limits: "file.hash.* are digests of whole files; a record with more than the schema has is also the field `hashmill`",
        sniff: Sniff::Line(ecs::sniff),
        reader: ecs::reader,
        writer: Some(ecs::writer),
        ..TEXT
    },
    Format {
        name: "jsonl",
        aliases: &["json", "ndjson"],
        about: "one JSON object per line",
        suffixes: &["jsonl", "ndjson", "json"],
        carries: Carries { styles: true, ..ALL },
        limits: "the key names the algorithm",
        sniff: Sniff::Line(jsonl::sniff),
        reader: jsonl::reader,
        writer: Some(jsonl::writer),
        ..TEXT
    },
    Format {
        name: "csv",
        about: "comma-separated values with a header (RFC 4180)",
        suffixes: &["csv"],
        carries: Carries { case: false, styles: true, leaves: false, ..ALL },
        limits: "the header names the algorithms",
        sniff: Sniff::Start(csv::sniff),
        reader: csv::reader,
        writer: Some(csv::writer),
        ..TEXT
    },
    Format {
        name: "dfxml",
        aliases: &["xml"],
        about: "Digital Forensics XML, valid by its schema; hashdeep -d and fiwalk write it, too",
        suffixes: &["dfxml", "xml"],
        versions: "all are read; written, 1.2.0",
        carries: Carries {
            metadata: false,
            stored: false,
            reason: false,
            version: false,
            likeness: false,
            bad_blocks: false,
            labels: false,
            leaves: false,
            ..ALL
        },
        limits: "times of whole files alone, years 1 to 9999",
        sniff: Sniff::Start(dfxml::sniff),
        reader: dfxml::reader,
        writer: Some(dfxml::writer),
        ..TEXT
    },
    #[cfg(feature = "tables")]
    Format {
        name: "parquet",
        aliases: &["pq"],
        about: "a Parquet file: a column for each field",
        suffixes: &["parquet", "pq"],
        carries: ALL,
        limits: "sizes below 2^63; times of the years 1678 to 2261",
        body: Body::Whole(parquet::open),
        sniff: Sniff::Start(parquet::sniff),
        reader: parquet::reader,
        writer: Some(parquet::writer),
        ..TEXT
    },
    #[cfg(feature = "tables")]
    Format {
        name: "kdb",
        aliases: &["autopsy"],
        about: "a hash database of Autopsy and The Sleuth Kit",
        suffixes: &["kdb"],
        carries: NAMED,
        limits: "digests without names: a set for known build",
        base: Base::Nowhere,
        body: Body::Whole(sqlite::open_kdb),
        sniff: Sniff::Start(sqlite::is_kdb),
        reader: sqlite::kdb_reader,
        ..TEXT
    },
    #[cfg(feature = "tables")]
    Format {
        name: "sqlite",
        aliases: &["sqlite3", "db"],
        about: "an SQLite database: the tables records and pieces",
        suffixes: &["sqlite", "sqlite3", "db"],
        carries: ALL,
        limits: "sizes below 2^63",
        body: Body::Database(sqlite::open),
        sniff: Sniff::Start(sqlite::sniff),
        reader: sqlite::reader,
        writer: Some(sqlite::writer),
        ..TEXT
    },
    Format {
        name: "gentoo",
        aliases: &["manifest"],
        about: "a Manifest of Gentoo (GLEP 74)",
        only: gentoo::HOLDS,
        full: true,
        base: Base::Folder,
        limits: "the size is needed; files of the kind AUX are in files/; names in UTF-8",
        sniff: Sniff::Line(gentoo::sniff),
        reader: gentoo::reader,
        writer: Some(gentoo::writer),
        ..TEXT
    },
    Format {
        name: "record",
        aliases: &["wheel"],
        about: "the RECORD of a Python package (PEP 376, PEP 427)",
        only: &["sha256"],
        base: Base::Above(wheel::is_info),
        limits: "SHA-256 alone is written; read, the tag names the algorithm, and files without a digest are left out; writing a name with a line feed is refused",
        sniff: Sniff::Line(wheel::sniff),
        reader: wheel::reader,
        writer: Some(wheel::writer),
        ..TEXT
    },
    Format {
        name: "mtree",
        about: "a specification of mtree, as BSD, libarchive and Debian write it",
        suffixes: &["mtree"],
        carries: TIMED,
        only: mtree::HOLDS,
        limits: "digests of files alone",
        sniff: Sniff::Either(mtree::starts, mtree::sniff),
        reader: mtree::reader,
        writer: Some(mtree::writer),
        ..TEXT
    },
    Format {
        name: "rclone",
        aliases: &["lsjson"],
        about: "the files of a remote, as rclone lsjson --hash lists them",
        carries: TIMED,
        only: lsjson::HOLDS,
        limits: "names in UTF-8",
        sniff: Sniff::Start(lsjson::sniff),
        reader: lsjson::reader,
        writer: Some(lsjson::writer),
        ..TEXT
    },
    Format {
        name: "cyclonedx",
        aliases: &["bom"],
        about: "the files of a CycloneDX document, in JSON",
        suffixes: &["cdx"],
        versions: "1.2 and later; written, 1.6",
        carries: NAMED,
        only: cyclonedx::HOLDS,
        limits: "components of the type file; names in UTF-8",
        sniff: Sniff::Start(cyclonedx::sniff),
        reader: cyclonedx::reader,
        writer: Some(cyclonedx::writer),
        ..TEXT
    },
    Format {
        name: "spdx",
        aliases: &["spdx2"],
        about: "the files of an SPDX 2 document, in JSON",
        versions: "2.2 and 2.3; written, 2.3",
        carries: NAMED,
        only: spdx::HOLDS,
        needs: spdx::NEEDS,
        limits: "written as version 2.3, which needs the SHA-1 of each file (-c sha1,sha256); names in UTF-8, below a folder",
        sniff: Sniff::Start(spdx::sniff),
        reader: spdx::reader,
        writer: Some(spdx::writer),
        ..TEXT
    },
    Format {
        name: "spdx-tag",
        about: "the files of an SPDX 2 document, in tags and values",
        suffixes: &["spdx"],
        versions: "2; written, 2.3",
        carries: NAMED,
        only: spdx::HOLDS,
        needs: spdx::NEEDS,
        limits: "written as version 2.3, as spdx; names without line feeds",
        sniff: Sniff::Line(spdx_tag::sniff),
        reader: spdx_tag::reader,
        writer: Some(spdx_tag::writer),
        ..TEXT
    },
    Format {
        name: "spdx3",
        about: "the files of an SPDX 3 document, in JSON-LD",
        versions: "3.0",
        carries: NAMED,
        sniff: Sniff::Start(spdx::sniff3),
        reader: spdx::reader3,
        ..TEXT
    },
    Format {
        name: "in-toto",
        aliases: &["intoto"],
        about: "the subjects of an in-toto Statement, in JSON",
        suffixes: &["intoto"],
        versions: "v0.1 and v1; written, v1",
        carries: NAMED,
        only: in_toto::HOLDS,
        limits: "without the envelope that signs it; names in UTF-8",
        sniff: Sniff::Start(in_toto::sniff),
        reader: in_toto::reader,
        writer: Some(in_toto::writer),
        ..TEXT
    },
    Format {
        name: "croissant",
        about: "the files of a data set as Croissant describes them, in JSON-LD",
        versions: "all are read; written, 1.0",
        only: croissant::HOLDS,
        limits: "read, a URL's last component is the path; written, names in UTF-8, and the owner must describe the data set",
        sniff: Sniff::Start(croissant::sniff),
        reader: croissant::reader,
        writer: Some(croissant::writer),
        ..TEXT
    },
    Format {
        name: "dvc",
        aliases: &["dvc.lock"],
        about: "the outputs in a .dvc file or a dvc.lock of DVC",
        suffixes: &["dvc"],
        only: dvc::HOLDS,
        base: Base::Folder,
        beside: dvc::check_folders,
        limits: "folders are reported as not checked; a dvc.lock is refused if stages in dvc.yaml have a wdir; names in UTF-8",
        sniff: Sniff::Start(dvc::sniff),
        reader: dvc::reader,
        writer: Some(dvc::writer),
        ..TEXT
    },
    Format {
        name: "dvc-dir",
        about: "a folder of DVC, as a .dir file in its cache lists it",
        suffixes: &["dir"],
        carries: NAMED,
        only: dvc_dir::HOLDS,
        limits: "names in UTF-8",
        sniff: Sniff::Start(dvc_dir::sniff),
        reader: dvc_dir::reader,
        writer: Some(dvc_dir::writer),
        ..TEXT
    },
    Format {
        name: "npm",
        aliases: &["package-lock"],
        about: "a lock file of npm: the packed packages that it names",
        versions: "1 to 3",
        carries: NAMED,
        base: Base::Folder,
        limits: "packages have the names of npm pack, or the last part of their address; up to 64 MiB",
        sniff: Sniff::Start(npm::sniff),
        reader: npm::reader,
        ..TEXT
    },
    Format {
        name: "premis",
        about: "the files of a PREMIS document with their fixity and formats, also inside of METS",
        suffixes: &["premis.xml", "premis"],
        versions: "1 to 3; written, 3.0",
        carries: Carries { facts: true, ..TIMED },
        only: premis::HOLDS,
        limits: "of several levels of composition the file as it is stored; written, names are those that XML can hold",
        sniff: Sniff::Start(premis::sniff),
        reader: premis::reader,
        writer: Some(premis::writer),
        ..TEXT
    },
    Format {
        name: "mhl",
        about: "a media hash list, MHL 1.1",
        suffixes: &["mhl"],
        versions: "all before ASC-MHL; written, 1.1",
        carries: TIMED,
        only: mhl::HOLDS,
        full: true,
        base: Base::Folder,
        limits: "read, digests that failed are left out; written, the size is needed, and names are those that XML can hold",
        sniff: Sniff::Start(mhl::sniff),
        reader: mhl::reader,
        writer: Some(mhl::writer),
        ..TEXT
    },
    Format {
        name: "ascmhl",
        aliases: &["asc-mhl"],
        about: "a manifest of the ASC media hash list, ASC-MHL 2.0",
        versions: "2.0",
        carries: TIMED,
        only: ascmhl::HOLDS,
        base: Base::Above(ascmhl::is_history),
        limits: "in a folder ascmhl, written as the next generation of its history, with the digests of folders; read, digests that failed are left out; names are those that XML can hold",
        sniff: Sniff::Start(ascmhl::sniff),
        reader: ascmhl::reader,
        writer: Some(ascmhl::writer),
        ..TEXT
    },
    Format {
        name: "ascmhl-chain",
        about: "the chain of a history of ASC-MHL 2.0 (ascmhl_chain.xml)",
        versions: "2.0",
        carries: NAMED,
        base: Base::Folder,
        limits: "lists the manifests of the generations, which are in its folder",
        sniff: Sniff::Start(ascmhl_chain::sniff),
        reader: ascmhl_chain::reader,
        ..TEXT
    },
    Format {
        name: "fciv",
        about: "the XML of Microsoft's FCIV",
        carries: NAMED,
        limits: "MD5 and SHA-1",
        sniff: Sniff::Start(fciv::sniff),
        reader: fciv::reader,
        ..TEXT
    },
    Format {
        name: "powershell",
        aliases: &["get-filehash"],
        about: "what PowerShell's Get-FileHash writes: a table or a list",
        carries: NAMED,
        limits: "paths that are cut are malformed",
        sniff: Sniff::Either(powershell::starts, powershell::sniff),
        reader: powershell::reader,
        ..TEXT
    },
    Format {
        name: "certutil",
        about: "what certutil -hashfile of Windows writes",
        carries: NAMED,
        limits: "in English",
        sniff: Sniff::Line(certutil::sniff),
        reader: certutil::reader,
        ..TEXT
    },
    Format {
        name: "gpg",
        aliases: &["print-md", "print-mds"],
        about: "what gpg --print-md and --print-mds write: a name and a digest in groups of digits",
        carries: NAMED,
        limits: "without its name, the algorithm follows from the list's name or from the length",
        sniff: Sniff::Start(gpg::starts),
        reader: gpg::reader,
        ..TEXT
    },
    Format {
        name: "clamav",
        aliases: &["hdb", "hsb"],
        about: "ClamAV's signatures of whole files",
        suffixes: &["hdb", "hsb", "hdu", "hsu", "fp", "sfp"],
        limits: "the algorithm follows from the length; the name is that of the malware",
        sniff: Sniff::Line(clamav::sniff),
        reader: clamav::reader,
        ..TEXT
    },
    Format {
        name: "aide",
        about: "a database of AIDE",
        limits: "only digests that other programs have, too: not AIDE's CRC-32, Tiger, Haval, GOST",
        sniff: Sniff::Line(aide::sniff),
        reader: aide::reader,
        ..TEXT
    },
    Format {
        name: "sfv",
        aliases: &["rhash", "simple"],
        about: "a name and its digests per line, as in SFV files and by rhash",
        suffixes: &["sfv"],
        carries: Carries { algorithm: true, ..LIST },
        only: &["crc32"],
        loose: true,
        limits: "CRC-32 alone is written; read, the algorithm follows from the length; writing a piece, or a name that a line cannot hold, is refused",
        sniff: Sniff::Either(sfv::starts, sfv::sniff),
        reader: sfv::reader,
        writer: Some(sfv::writer),
        ..TEXT
    },
    Format {
        name: "body",
        aliases: &["bodyfile", "mactime"],
        about: "the bodyfile of the Sleuth Kit 3 and later, for mactime",
        suffixes: &["body"],
        carries: Carries { inside: true, ..TIMED },
        only: body::HOLDS,
        full: true,
        limits: "times in seconds; names without bars and line feeds; the name of a deleted file ends in (deleted); folders are left out; inodes and other times are written and not read",
        sniff: Sniff::Line(body::sniff),
        reader: body::reader,
        writer: Some(body::writer),
        ..TEXT
    },
    Format {
        name: "rpm",
        aliases: &["rpm-dump"],
        about: "the files of packages as rpm -q --dump lists them",
        carries: Carries { status: true, reason: true, ..TIMED },
        limits: "folders are left out",
        sniff: Sniff::Line(rpm::sniff),
        reader: rpm::reader,
        ..TEXT
    },
    Format {
        name: "debian",
        aliases: &["deb822", "dsc", "changes", "buildinfo"],
        about: "Packages, Sources and Release of a Debian archive, .dsc, .changes, .buildinfo",
        suffixes: &["dsc", "changes", "buildinfo"],
        limits: "paths are relative to the archive, or to the file's own folder",
        sniff: Sniff::Start(debian::sniff),
        reader: debian::reader,
        ..TEXT
    },
    Format {
        name: "git",
        aliases: &["ls-tree", "ls-files"],
        about: "what git ls-tree -r and git ls-files -s list, also with -l and -z",
        carries: Carries { status: true, reason: true, ..KNOWN },
        limits: "git-blob or git-blob-sha256, by the length of the objects",
        sniff: Sniff::Line(git::sniff),
        reader: git::reader,
        ..TEXT
    },
    Format {
        name: "s3",
        aliases: &["aws"],
        about: "the objects of a bucket as aws s3api list-objects-v2 answers, in JSON",
        carries: Carries { status: true, reason: true, ..KNOWN },
        limits: "ETags that are MD5 or of parts of a usual length, and checksums beside the key; versions that are not the latest are left out",
        sniff: Sniff::Start(s3::sniff),
        reader: s3::reader,
        ..TEXT
    },
    Format {
        name: "s3cmd",
        about: "the objects that s3cmd ls --list-md5 lists",
        carries: Carries { status: true, reason: true, ..KNOWN },
        limits: "as s3; folders are left out",
        sniff: Sniff::Start(s3cmd::starts),
        reader: s3cmd::reader,
        ..TEXT
    },
    Format {
        name: "mc",
        aliases: &["minio", "s5cmd"],
        about: "the objects that mc ls --json and s5cmd ls --json list",
        carries: Carries { status: true, reason: true, ..KNOWN },
        limits: "as s3; folders are left out",
        sniff: Sniff::Either(minio::starts, minio::sniff),
        reader: minio::reader,
        ..TEXT
    },
    Format {
        name: "gcloud",
        aliases: &["gsutil"],
        about: "what gcloud storage hash and objects list, gsutil hash, stat and ls -L write",
        carries: Carries { status: true, reason: true, ..KNOWN },
        limits: "of a location, the object's name is the path",
        sniff: Sniff::Start(gcloud::starts),
        reader: gcloud::reader,
        ..TEXT
    },
    Format {
        name: "azure",
        aliases: &["az"],
        about: "the blobs that az storage blob list lists, in JSON",
        carries: Carries { status: true, reason: true, ..KNOWN },
        limits: "a Content-MD5 is only declared by the client; versions that are not the latest, and snapshots, are left out",
        sniff: Sniff::Start(azure_list::sniff),
        reader: azure_list::reader,
        ..TEXT
    },
    Format {
        name: "huggingface",
        aliases: &["hf"],
        about: "the files of a repository of Hugging Face, as its interface lists a tree, in JSON",
        limits: "SHA-256 of files in Git LFS, git-blob of all others; folders are left out",
        sniff: Sniff::Start(huggingface::sniff),
        reader: huggingface::reader,
        ..TEXT
    },
    Format {
        name: "git-lfs",
        aliases: &["lfs"],
        about: "the files that git lfs ls-files --long lists",
        carries: LIST,
        limits: "SHA-256 of the files, also of those of which only the pointer is there",
        sniff: Sniff::Start(lfs::starts),
        reader: lfs::reader,
        ..TEXT
    },
    Format {
        name: "pooch",
        about: "a registry of pooch: name, digest with or without an algorithm, and URL",
        limits: "without an algorithm, SHA-256",
        sniff: Sniff::Start(pooch::starts),
        reader: pooch::reader,
        ..TEXT
    },
    Format {
        name: "par2",
        aliases: &["par"],
        about: "the files that a volume of PAR 1 or PAR 2 can repair, with MD5",
        suffixes: &["par2"],
        base: Base::Folder,
        limits: "data for recovery are neither read nor used",
        sniff: Sniff::Start(par::sniff),
        reader: par::reader,
        ..TEXT
    },
    Format {
        name: "cfv",
        aliases: &["csv4"],
        about: "a table of cfv without titles: name, size, CRC-32 and folder",
        limits: "files without a CRC-32 are reported as not checked",
        sniff: Sniff::Start(cfv::starts),
        reader: cfv::reader,
        ..TEXT
    },
    Format {
        name: "crc",
        about: "a table of CRC-32 with titles and a line of dashes, as cfv and programs for pictures write it",
        limits: "names in UTF-8",
        sniff: Sniff::Start(crc::starts),
        reader: crc::reader,
        ..TEXT
    },
    Format {
        name: "json-list",
        aliases: &["convertto-json"],
        about: "a JSON list of objects with a path and digests, as scripts and ConvertTo-Json write them",
        limits: "the algorithm is a key, or the value of one, or follows from the length",
        sniff: Sniff::Start(json_list::sniff),
        reader: json_list::reader,
        ..TEXT
    },
    Format {
        name: "plain",
        about: "a digest per line, optionally with a name; or one alone, of the file beside it (x.iso.sha256)",
        carries: LIST,
        loose: true,
        limits: "the algorithm follows from the length; a digest alone is of the file whose name the list's own has before its ending",
        sniff: Sniff::Either(plain::starts, plain::sniff),
        reader: plain::reader,
        ..TEXT
    },
    Format {
        name: "nsrl",
        aliases: &["rds"],
        about: "NSRL RDS 1.x and 2.x text (NSRLFile.txt)",
        versions: "1 and 2",
        base: Base::Nowhere,
        limits: "the header names the algorithms",
        sniff: Sniff::Line(known_sets::is_nsrl),
        reader: known_sets::reader,
        ..TEXT
    },
    Format {
        name: "hashkeeper",
        about: "HashKeeper's hash sets (.hsh)",
        suffixes: &["hsh"],
        limits: "the header names the algorithms",
        sniff: Sniff::Line(known_sets::is_hashkeeper),
        reader: known_sets::reader,
        ..TEXT
    },
    Format {
        name: "ilook",
        about: "iLook's hash sets, versions 1, 3 and 4",
        versions: "1, 3 and 4",
        limits: "the header names the algorithms",
        sniff: Sniff::Line(known_sets::is_ilook),
        reader: known_sets::reader,
        ..TEXT
    },
    Format {
        name: "encase",
        about: "EnCase's hash sets (.hash), MD5 only",
        suffixes: &["hash"],
        carries: Carries { algorithm: true, ..LIST },
        only: &["md5"],
        base: Base::Nowhere,
        sniff: Sniff::Start(encase::sniff),
        reader: encase::reader,
        ..TEXT
    },
];

/// Finds a format by name or alias, ignoring case.
pub fn find_format(name: &str) -> Option<&'static Format> {
    let wanted = name.to_ascii_lowercase();
    FORMATS.iter().find(|row| row.name == wanted || row.aliases.contains(&wanted.as_str()))
}

/// Finds a format by a file's name: its extension, or the name of a digest list (`SHA256SUMS`, `x.iso.md5`).
pub fn format_of_name(path: &[u8]) -> Option<&'static Format> {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_ascii_lowercase();
    let ends = |known: &&&str| name.strip_suffix(known.as_bytes()).is_some_and(|stem| stem.ends_with(b"."));
    let longest = |row: &&Format| row.suffixes.iter().filter(ends).map(|known| known.len()).max();
    let list = || match Hint::from_name(path) {
        // Digests of unsupported algorithms are never written.
        Hint::None | Hint::Foreign(_) => None,
        _ => find_format("sums"),
    };
    // Of equal endings the first.
    FORMATS.iter().rev().filter(|row| longest(row).is_some()).max_by_key(longest).or_else(list)
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
