//! `hashloom algorithms`: the registry as a table, tab-separated for programs if nobody looks.

use crate::exit::Exit;
use crate::output;
use hashloom_digest::{ALGORITHMS, Algorithm, Class};
use hashloom_similar::{SIMILAR, Similar};
use std::io::{self, IsTerminal, Write};

const HEAD: [&str; 9] = ["name", "bits", "class", "lanes", "kernel", "alone", "aliases", "size", "source"];

type Row = [String; 9];

/// Prints the table.
///
/// # Errors
/// If it cannot be written.
pub fn run() -> anyhow::Result<Exit> {
    let head = std::iter::once(HEAD.map(String::from));
    let rows: Vec<Row> = head.chain(ALGORITHMS.iter().map(row)).chain(SIMILAR.iter().map(likeness)).collect();
    let widths = widths(&rows);
    let mut output = output::stdout()?;
    let aligned = io::stdout().is_terminal();
    for row in &rows {
        let line = if aligned { align(row, &widths) } else { row.join("\t") };
        writeln!(output, "{line}").map_err(|error| output.error(error))?;
    }
    output.finish()?;
    Ok(Exit::Fine)
}

fn row(algorithm: &Algorithm) -> Row {
    let bank = (algorithm.bank)();
    [
        algorithm.name.into(),
        algorithm.digest_bits().to_string(),
        class(algorithm.class).into(),
        bank.lanes().to_string(),
        bank.kernel().into(),
        (algorithm.alone)().kernel().into(),
        algorithm.aliases.join(","),
        algorithm.parameter.map_or("-".into(), |size| size.size()),
        algorithm.source.into(),
    ]
}

/// Most likeness digests are as long as the file makes them.
fn likeness(algorithm: &Similar) -> Row {
    let bits = algorithm.bits.map_or("-".to_string(), |bits| bits.to_string());
    let kernel = hashloom_similar::kernel();
    [algorithm.name, &bits, "similarity", "1", kernel, kernel, "", "-", algorithm.about].map(String::from)
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Cryptographic => "cryptographic",
        Class::Broken => "broken",
        Class::Checksum => "checksum",
    }
}

fn widths(rows: &[Row]) -> [usize; 9] {
    std::array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0))
}

fn align(row: &Row, widths: &[usize; 9]) -> String {
    let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
    cells.join("  ").trim_end().to_string()
}
