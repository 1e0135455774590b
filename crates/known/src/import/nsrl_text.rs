//! NSRL RDS 2.x text: `NSRLFile.txt`, with products, systems and manufacturers in files beside it.

use super::intake::Intake;
use crate::build::{Annotation, DetailNumber};
use crate::error::{Error, Why};
use crate::{Category, Product};
use hashbrown::HashMap;
use hashmill_digest::{Algorithm, Digest, find};
use hashmill_manifest::format::{self, Fields, Lines, Malformed};
use std::fs::File;
use std::io::Read;
use std::path::Path;

const FILE: &str = "NSRLFile.txt";

/// The tables beside it: manufacturers, systems, products.
pub(super) const TABLES: [&str; 3] = ["NSRLMfg.txt", "NSRLOS.txt", "NSRLProd.txt"];

/// The memory that a row of a table takes besides its texts, in bytes.
const OF_ROW: u64 = 128;

/// The most codes whose numbers are cached.
const KEPT: usize = 1 << 20;

/// Returns whether the first line is the header of an `NSRLFile.txt`.
pub(super) fn is_header(first: &[u8]) -> bool {
    let line = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut fields = Fields::default();
    fields.split(line);
    let has = |name: &[u8]| fields.iter().any(|field| field == name);
    (has(b"SHA-1") || has(b"SHA-256")) && has(b"FileName") && has(b"ProductCode")
}

/// A number in the tables, as text.
type Code = Box<[u8]>;

/// A product and its application type.
type Application = (Product, Box<str>);

/// The name and the version of an operating system.
type System = (Box<str>, Box<str>);

/// The tables that `NSRLFile.txt` refers to by code. A missing table is treated as empty.
#[derive(Default)]
pub(super) struct Tables {
    products: HashMap<Code, Vec<Application>>,
    systems: HashMap<Code, System>,
}

impl Tables {
    /// Opens the tables beside a file.
    pub fn beside(file: &Path, intake: &mut Intake<'_>) -> Result<Self, Error> {
        let open = |name: &'static str| {
            let path = file.with_file_name(name);
            path.is_file().then(|| File::open(&path).map_err(Error::io(&path, "open"))).transpose()
        };
        let stream = |file: File| Box::new(file) as Box<dyn Read>;
        let [makers, systems, products] = TABLES;
        let (makers, systems) = (open(makers)?.map(stream), open(systems)?.map(stream));
        let products = open(products)?.map(stream);
        Self::read(makers, systems, products, intake)
    }

    /// Reads the tables from these streams.
    pub fn read(
        makers: Option<Box<dyn Read>>,
        systems: Option<Box<dyn Read>>,
        products: Option<Box<dyn Read>>,
        intake: &mut Intake<'_>,
    ) -> Result<Self, Error> {
        let mut tables = Tables::default();
        let mut names: HashMap<Code, Box<str>> = HashMap::new();
        let mut left = intake.room();
        each(makers, &["MfgCode", "MfgName"], TABLES[0], intake, &mut left, |row| {
            names.insert(row[0].into(), text(row[1]));
        })?;
        let columns = ["OpSystemCode", "OpSystemName", "OpSystemVersion"];
        each(systems, &columns, TABLES[1], intake, &mut left, |row| {
            tables.systems.insert(row[0].into(), (text(row[1]), text(row[2])));
        })?;
        let columns = [
            "ProductCode",
            "ProductName",
            "ProductVersion",
            "OpSystemCode",
            "MfgCode",
            "Language",
            "ApplicationType",
        ];
        each(products, &columns, TABLES[2], intake, &mut left, |row| {
            let (os, os_version) = tables.systems.get(row[3]).cloned().unwrap_or_default();
            let manufacturer = names.get(row[4]).cloned().unwrap_or_default();
            let [name, version, language] = [row[1], row[2], row[5]].map(text);
            let product = Product { name, version, manufacturer, os, os_version, language };
            tables.products.entry(row[0].into()).or_default().push((product, text(row[6])));
        })?;
        Ok(tables)
    }
}

fn text(field: &[u8]) -> Box<str> {
    String::from_utf8_lossy(field).into()
}

/// Passes the fields of these columns for each row of a table.
fn each(
    stream: Option<Box<dyn Read>>,
    columns: &[&str],
    table: &'static str,
    intake: &mut Intake<'_>,
    left: &mut u64,
    mut take: impl FnMut(&[&[u8]]),
) -> Result<(), Error> {
    let Some(stream) = stream else { return Ok(()) };
    rows(stream, columns, table, intake, |row, intake| {
        let bytes = OF_ROW + row.iter().map(|field| field.len() as u64).sum::<u64>();
        *left = match left.checked_sub(bytes) {
            Some(left) => left,
            None => return Err(Error::new(&intake.path, Why::Tables { most: intake.room() })),
        };
        take(row);
        Ok(Ok(()))
    })
}

type Bad = (&'static str, format::Why);

/// Passes the fields of these columns for each row, and reports rows with too few or too many fields.
fn rows(
    stream: Box<dyn Read + '_>,
    columns: &[&str],
    table: &'static str,
    intake: &mut Intake<'_>,
    mut take: impl FnMut(&[&[u8]], &mut Intake<'_>) -> Result<Result<(), Bad>, Error>,
) -> Result<(), Error> {
    let (mut lines, mut fields) = (Lines::new(stream), Fields::default());
    let mut header: Option<(Vec<usize>, usize)> = None;
    while let Some(line) = lines.next() {
        let (line_number, line) = match line {
            Ok(line) => line,
            Err(malformed) => {
                intake.malformed(malformed)?;
                continue;
            }
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let whole = fields.split(line);
        let all: Vec<&[u8]> = fields.iter().collect();
        let Some((places, width)) = &header else {
            let places = places(&all, columns)
                .map_err(|column| Error::new(&intake.path, Why::Column { table, column: column.into() }))?;
            header = Some((places, all.len()));
            continue;
        };
        let (found, expected) = (all.len(), *width);
        let is_filled = |field: &&[u8]| !field.trim_ascii().is_empty();
        let fits = whole && found >= expected && !all[expected..].iter().any(is_filled);
        let outcome = match fits {
            true => take(&places.iter().map(|place| all[*place]).collect::<Vec<_>>(), intake)?,
            false => Err(("fields", format::Why::Fields { found, expected })),
        };
        if let Err((part, why)) = outcome {
            intake.malformed(Malformed { line: line_number, part, why })?;
        }
    }
    Ok(())
}

/// Returns the positions of these columns, or the first missing one.
fn places<'a>(header: &[&[u8]], columns: &[&'a str]) -> Result<Vec<usize>, &'a str> {
    let place = |column: &&'a str| header.iter().position(|name| *name == column.as_bytes()).ok_or(*column);
    columns.iter().map(place).collect()
}

pub(super) fn import(
    stream: Box<dyn Read + '_>,
    tables: Tables,
    intake: &mut Intake<'_>,
) -> Result<(), Error> {
    intake.format("nsrl-2");
    let columns = ["SHA-1", "MD5", "FileSize", "ProductCode", "OpSystemCode", "SpecialCode"];
    let mut annotations = Annotations { tables, numbers: HashMap::new() };
    let algorithms = [sha1(), md5()];
    rows(stream, &columns, FILE, intake, |row, intake| {
        let (mut digests, mut count) = ([(algorithms[0], Digest::new(&[])); 2], 0);
        for (algorithm, field) in algorithms.into_iter().zip(row).filter(|(_, field)| !field.is_empty()) {
            match algorithm.parse(field) {
                Ok(digest) => digests[count] = (algorithm, digest),
                Err(bad) => return Ok(Err((algorithm.name, format::Why::Digest(bad)))),
            }
            count += 1;
        }
        let size = str::from_utf8(row[2]).ok().and_then(|text| text.trim().parse().ok());
        let detail = annotations.number([row[3], row[4], row[5]], intake);
        let digests = digests[..count].iter().map(|(algorithm, digest)| (*algorithm, digest.as_bytes()));
        intake.record(digests, Annotation { detail, size }).map(Ok)
    })
}

fn sha1() -> &'static Algorithm {
    find("sha1").expect("the registry has sha1")
}

fn md5() -> &'static Algorithm {
    find("md5").expect("the registry has md5")
}

/// The annotations of rows, by their codes.
struct Annotations {
    tables: Tables,
    numbers: HashMap<[Code; 3], DetailNumber>,
}

impl Annotations {
    fn number(&mut self, codes: [&[u8]; 3], intake: &mut Intake<'_>) -> DetailNumber {
        if let Some(number) = self.numbers.get(&Codes(codes)) {
            return *number;
        }
        let number = self.fresh(codes, intake);
        // An RDS has few codes. A file with a new code in each row must not fill the memory.
        if self.numbers.len() >= KEPT {
            self.numbers.clear();
        }
        self.numbers.insert(codes.map(Into::into), number);
        number
    }

    fn fresh(&self, [product, system, special]: [&[u8]; 3], intake: &mut Intake<'_>) -> DetailNumber {
        let mut detail = intake.detail();
        let os = self.tables.systems.get(system);
        for (product, kind) in self.tables.products.get(product).into_iter().flatten() {
            detail.types.extend((!kind.is_empty()).then(|| kind.clone()));
            // One product code may refer to several systems; the row decides.
            let here =
                os.is_some_and(|(name, version)| *name == product.os && *version == product.os_version);
            if here || detail.product.is_none() {
                detail.product = Some(product.clone());
            }
        }
        detail.types.sort();
        detail.types.dedup();
        // The code for malicious files: they are bad, whatever category the user gave the set.
        if special.eq_ignore_ascii_case(b"M") {
            detail.claims[0].category = Category::Bad;
        }
        intake.number(&detail)
    }
}

/// Codes for a lookup without a copy.
#[derive(Hash)]
struct Codes<'a>([&'a [u8]; 3]);

impl hashbrown::Equivalent<[Code; 3]> for Codes<'_> {
    fn equivalent(&self, key: &[Code; 3]) -> bool {
        self.0.iter().zip(key).all(|(a, b)| **a == **b)
    }
}
