//! The small tables of an RDS, which describe packages.

use super::database::RdsDatabase;
use crate::build::DetailNumber;
use crate::error::{Error, Why};
use crate::import::intake::Intake;
use crate::{Detail, Product};
use hashbrown::HashMap;
use rusqlite::types::ValueRef;

/// The memory that a row takes besides its texts, in bytes.
const OF_ROW: u64 = 128;

/// The details of the files of each package.
pub(super) struct Packages {
    numbers: HashMap<i64, DetailNumber>,
    /// The detail of files in no known package.
    none: DetailNumber,
}

impl Packages {
    /// Reads the packages of a database, and names the set as the database does.
    pub fn read(database: &RdsDatabase, intake: &mut Intake<'_>) -> Result<Self, Error> {
        let mut tables = Tables { database, left: intake.room() };
        let mut version = (i64::MIN, String::new());
        tables.each("VERSION", &["version", "build_set"], intake, |number, row, _| {
            let name = format!("NSRL RDS {} {}", row[0], row[1]);
            version = std::mem::take(&mut version).max((number, name.trim_end().to_string()));
        })?;
        intake.set(&version.1);
        intake.take_name(&intake.path.clone());
        // Of several rows with one number, the first in alphabetical order counts, as of several products.
        let (mut makers, mut systems) = (HashMap::new(), HashMap::new());
        tables.each("MFG", &["manufacturer_id", "name"], intake, |_, [id, name], _| {
            keep_first(&mut makers, id, name);
        })?;
        let columns = ["operating_system_id", "name", "version"];
        tables.each("OS", &columns, intake, |_, [id, name, version], _| {
            keep_first(&mut systems, id, (name, version));
        })?;
        let columns = [
            "package_id",
            "name",
            "version",
            "operating_system_id",
            "manufacturer_id",
            "language",
            "application_type",
        ];
        let mut details: HashMap<i64, Detail> = HashMap::new();
        tables.each("PKG", &columns, intake, |_, row, intake| {
            let [id, name, version, system, maker, language, kind] = row;
            let Ok(package) = id.parse() else { return };
            let (os, os_version) = systems.get(&system).cloned().unwrap_or_default();
            let manufacturer = makers.get(&maker).cloned().unwrap_or_default();
            let product = Product { name, version, manufacturer, os, os_version, language };
            let types = if kind.is_empty() { Vec::new() } else { vec![kind] };
            let row = Detail { product: Some(product), types, ..intake.detail() };
            let detail = details.entry(package).or_insert_with(|| intake.detail());
            *detail = detail.union(&row);
        })?;
        let none = intake.number(&intake.detail());
        let number = |(package, detail): (i64, Detail)| (package, intake.number(&detail));
        let numbers = details.into_iter().map(number).collect();
        Ok(Packages { numbers, none })
    }

    /// Returns the number of the detail of a file in this package.
    pub fn number(&self, package: Option<i64>) -> DetailNumber {
        package.and_then(|package| self.numbers.get(&package)).copied().unwrap_or(self.none)
    }
}

fn keep_first<V: Ord>(map: &mut HashMap<Box<str>, V>, id: Box<str>, value: V) {
    match map.get_mut(&id) {
        Some(known) if *known <= value => {}
        Some(known) => *known = value,
        None => drop(map.insert(id, value)),
    }
}

/// The tables of a database, which are kept in memory.
struct Tables<'d> {
    database: &'d RdsDatabase,
    /// The memory that they may still take, in bytes.
    left: u64,
}

impl Tables<'_> {
    /// Passes these columns of each row, if there is such a table or view; a column that is missing is empty.
    fn each<'i, const N: usize>(
        &mut self,
        table: &'static str,
        columns: &[&str; N],
        intake: &mut Intake<'i>,
        mut take: impl FnMut(i64, [Box<str>; N], &mut Intake<'i>),
    ) -> Result<(), Error> {
        let Some(mut rows) = self.database.select(table, None, intake)? else { return Ok(()) };
        let names = rows.columns();
        let places = columns.map(|column| names.iter().position(|name| name.eq_ignore_ascii_case(column)));
        self.database.each(&mut rows, intake, |number, values, intake| {
            let row = places.map(|place| place.map_or_else(Box::default, |place| text(values[place])));
            let bytes = OF_ROW + row.iter().map(|text| text.len() as u64).sum::<u64>();
            let most = intake.room();
            self.left = match self.left.checked_sub(bytes) {
                Some(left) => left,
                None => return Err(Error::new(&intake.path, Why::Tables { most })),
            };
            take(number, row, intake);
            Ok(())
        })
    }
}

/// Returns a value as text.
fn text(value: ValueRef<'_>) -> Box<str> {
    match value {
        ValueRef::Integer(value) => value.to_string().into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        _ => Box::default(),
    }
}
