//! HTML pages as files.

use crate::output::Output;
use hashmill_report::Page;
use std::io::Write;

/// Writes a page and gives it its name.
///
/// # Errors
/// If it cannot be written.
pub fn write(page: &Page, mut output: Output) -> anyhow::Result<()> {
    page.write(&mut output).map_err(|error| output.error(error))?;
    output.flush().map_err(|error| output.error(error))?;
    Ok(output.finish()?)
}
