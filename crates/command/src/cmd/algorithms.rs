//! `hashmill algorithms`: the registry as a table; tab-separated for programs if standard output is not a terminal.

use crate::options::algorithms::{Name, algorithm};
use crate::output::{self, Output};
use crate::results::json::{Frame, Results};
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::words::{message, status};
use clap::Args;
use hashmill_digest::{ALGORITHMS, Algorithm};
use hashmill_job::account::Account;
use hashmill_similar::{SIMILAR, Similar};
use serde_json::{Map, Value};
use std::io::{self, IsTerminal};

const COLUMNS: usize = 9;

const HEAD: [&str; COLUMNS] =
    ["name", "bits", "class", "lanes", "kernel", "alone", "aliases", "size", "source"];

/// The columns that are left out on a narrow terminal, the first ones first.
const SPARED: [usize; 6] = [8, 5, 7, 6, 3, 4];

type AlgorithmRow = [String; COLUMNS];

/// hashmill algorithms
#[derive(Debug, Args)]
pub struct Options {
    /// Only these algorithms, also with a size, like blake3:16 [default: all]
    #[arg(value_name = "ALG", value_parser = algorithm)]
    names: Vec<Name>,
    /// How the table is written: for people, or with tabs where standard output is no terminal; or as JSON
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    format: ListReport,
}

/// Prints the table.
///
/// # Errors
/// If it cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let rows: Vec<AlgorithmRow> = match &options.names[..] {
        [] => ALGORITHMS.iter().map(row).chain(SIMILAR.iter().map(likeness)).collect(),
        names => names.iter().map(|name| row(name.0)).collect(),
    };
    let output = output::stdout()?;
    match options.format {
        ListReport::Text => print(rows, output.clone())?,
        ListReport::Json => objects(&rows, Results::new(Schema::ALGORITHMS, Frame::List, output.clone()))?,
        ListReport::Jsonl => objects(&rows, Results::new(Schema::ALGORITHMS, Frame::Lines, output.clone()))?,
    }
    output.finish()?;
    Ok(Account::default())
}

fn objects(rows: &[AlgorithmRow], mut results: Results) -> anyhow::Result<()> {
    rows.iter().try_for_each(|row| results.push(object(row)))?;
    results.end()
}

/// Makes an object of a row: numbers are numbers, aliases a list, and missing values null.
fn object(row: &AlgorithmRow) -> Map<String, Value> {
    let value = |name: &str, cell: &str| match name {
        "aliases" => cell.split(',').filter(|alias| !alias.is_empty()).collect(),
        _ if cell == "-" => Value::Null,
        "bits" | "lanes" => cell.parse().map_or(Value::Null, |number: u64| number.into()),
        _ => cell.into(),
    };
    HEAD.iter().zip(row).map(|(name, cell)| ((*name).to_string(), value(name, cell))).collect()
}

fn print(rows: Vec<AlgorithmRow>, output: Output) -> anyhow::Result<()> {
    let rows: Vec<AlgorithmRow> = std::iter::once(HEAD.map(String::from)).chain(rows).collect();
    let widths = widths(&rows);
    let aligned = io::stdout().is_terminal();
    let shown = fitting(&widths, status::columns().unwrap_or(usize::MAX));
    for row in &rows {
        let line = if aligned { align(row, &widths, &shown) } else { row.join("\t") };
        output.put(line + "\n")?;
    }
    let spared: Vec<&str> =
        (0..COLUMNS).filter(|column| !shown.contains(column)).map(|column| HEAD[column]).collect();
    if aligned && !spared.is_empty() {
        message::note(format_args!(
            "no room for: {}; -f jsonl and a wider terminal have them",
            spared.join(", ")
        ));
    }
    Ok(())
}

fn row(algorithm: &Algorithm) -> AlgorithmRow {
    let bank = (algorithm.bank)();
    [
        algorithm.name.into(),
        algorithm.digest_bits().to_string(),
        algorithm.class.word().into(),
        bank.lanes().to_string(),
        bank.kernel().into(),
        (algorithm.alone)().kernel().into(),
        algorithm.aliases.join(","),
        algorithm.parameter.map_or("-".into(), |size| size.size()),
        algorithm.source.into(),
    ]
}

/// Makes the row of a likeness algorithm. Most of their digests have a length that depends on the file.
fn likeness(algorithm: &Similar) -> AlgorithmRow {
    let bits = algorithm.bits.map_or("-".to_string(), |bits| bits.to_string());
    let kernel = hashmill_similar::kernel();
    [algorithm.name, &bits, "similarity", "1", kernel, kernel, "", "-", algorithm.about].map(String::from)
}

fn widths(rows: &[AlgorithmRow]) -> [usize; COLUMNS] {
    std::array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0))
}

/// Returns the columns that fit side by side.
fn fitting(widths: &[usize; COLUMNS], room: usize) -> Vec<usize> {
    let without = |spared: usize| (0..COLUMNS).filter(move |column| !SPARED[..spared].contains(column));
    let width = |spared: usize| without(spared).map(|column| widths[column] + 2).sum::<usize>() - 2;
    let spared = (0..=SPARED.len()).find(|spared| width(*spared) <= room).unwrap_or(SPARED.len());
    without(spared).collect()
}

fn align(row: &AlgorithmRow, widths: &[usize; COLUMNS], shown: &[usize]) -> String {
    let cells: Vec<String> =
        shown.iter().map(|column| format!("{:1$}", row[*column], widths[*column])).collect();
    cells.join("  ").trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_does_without_the_columns_that_matter_least() {
        let widths = [16, 4, 13, 5, 10, 10, 12, 4, 40];
        assert_eq!(fitting(&widths, usize::MAX).len(), COLUMNS);
        for room in [40, 60, 80, 100] {
            let shown = fitting(&widths, room);
            let width: usize = shown.iter().map(|column| widths[*column] + 2).sum();
            assert!(width - 2 <= room && shown.starts_with(&[0, 1, 2]), "{room}: {shown:?}");
        }
        assert_eq!(fitting(&widths, 10), [0, 1, 2], "a name, its bits and class are always there");
    }
}
