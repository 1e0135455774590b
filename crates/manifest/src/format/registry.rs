//! Every format, one row each. Sniffing, options, help and tests iterate this table.

use super::{Carries, Format, Sniff, bsd, csv, dfxml, encase, hashdeep, jsonl, plain, sfv, sums, tables};

const ALL: Carries = Carries {
    size: true,
    pieces: true,
    status: true,
    mtime: true,
    algorithm: true,
    likeness: true,
    bad_blocks: true,
    labels: true,
    case: true,
};
const LIST: Carries = Carries {
    size: false,
    pieces: false,
    status: false,
    mtime: false,
    algorithm: false,
    likeness: false,
    bad_blocks: false,
    labels: false,
    case: false,
};
const KNOWN: Carries = Carries { size: true, algorithm: true, ..LIST };

/// All formats. Where two could take one line, the likelier stands first.
pub static FORMATS: &[Format] = &[
    Format {
        name: "hashdeep",
        aliases: &["hashdeep-1.0"],
        about: "hashdeep's manifest: size, digests and name, comma-separated",
        carries: Carries { pieces: true, case: true, ..KNOWN },
        sniff: Sniff::Start(hashdeep::sniff),
        reader: hashdeep::reader,
        writer: Some(hashdeep::writer),
    },
    Format {
        name: "sums",
        aliases: &["coreutils", "gnu", "b3sum", "cksum"],
        about: "a digest and a name a line, as sha256sum, b3sum and cksum write them",
        carries: Carries { case: true, ..LIST },
        sniff: Sniff::Line(sums::sniff),
        reader: sums::reader,
        writer: Some(sums::writer),
    },
    Format {
        name: "bsd",
        aliases: &["tag", "openssl"],
        about: "ALGORITHM (name) = digest, as sha256sum --tag, openssl dgst and rhash --bsd write them",
        carries: Carries { algorithm: true, case: true, ..LIST },
        sniff: Sniff::Line(bsd::sniff),
        reader: bsd::reader,
        writer: Some(bsd::writer),
    },
    Format {
        name: "jsonl",
        aliases: &["json", "ndjson"],
        about: "a JSON object a line",
        carries: ALL,
        sniff: Sniff::Line(jsonl::sniff),
        reader: jsonl::reader,
        writer: Some(jsonl::writer),
    },
    Format {
        name: "csv",
        aliases: &[],
        about: "comma-separated values with a header (RFC 4180)",
        carries: Carries { case: false, ..ALL },
        sniff: Sniff::Line(csv::sniff),
        reader: csv::reader,
        writer: Some(csv::writer),
    },
    Format {
        name: "dfxml",
        aliases: &["xml"],
        about: "Digital Forensics XML, as hashdeep -d writes it",
        carries: Carries { likeness: false, bad_blocks: false, labels: false, case: false, ..ALL },
        sniff: Sniff::Start(dfxml::sniff),
        reader: dfxml::reader,
        writer: Some(dfxml::writer),
    },
    Format {
        name: "sfv",
        aliases: &["rhash", "simple"],
        about: "a name and its digests a line, as SFV files and rhash have them",
        carries: LIST,
        sniff: Sniff::Line(sfv::sniff),
        reader: sfv::reader,
        writer: None,
    },
    Format {
        name: "plain",
        aliases: &[],
        about: "a digest a line, perhaps with a name",
        carries: LIST,
        sniff: Sniff::Line(plain::sniff),
        reader: plain::reader,
        writer: None,
    },
    Format {
        name: "nsrl",
        aliases: &["rds"],
        about: "NSRL RDS 1.x and 2.x text (NSRLFile.txt)",
        carries: KNOWN,
        sniff: Sniff::Line(tables::is_nsrl),
        reader: tables::reader,
        writer: None,
    },
    Format {
        name: "hashkeeper",
        aliases: &[],
        about: "HashKeeper's hash sets (.hsh)",
        carries: KNOWN,
        sniff: Sniff::Line(tables::is_hashkeeper),
        reader: tables::reader,
        writer: None,
    },
    Format {
        name: "ilook",
        aliases: &[],
        about: "iLook's hash sets, versions 1, 3 and 4",
        carries: KNOWN,
        sniff: Sniff::Line(tables::is_ilook),
        reader: tables::reader,
        writer: None,
    },
    Format {
        name: "encase",
        aliases: &[],
        about: "EnCase's hash sets (.hash), MD5 only",
        carries: Carries { algorithm: true, ..LIST },
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

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
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
}
