//! Output of duplicates: groups on standard output, a summary on standard error.

use crate::output::{Output, WriteError};
use crate::results::json::Entries;
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::words::line;
use crate::words::message;
use crate::words::message::count;
use hashmill_job::account::Account;
use hashmill_job::dupes::{Group, Single};
use hashmill_terminal::add_path;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The output format of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupFormat {
    /// One name per line, and an empty line between groups.
    Lines {
        /// Whether hard links are listed.
        links: bool,
    },
    /// Raw names, each ended by NUL, with one more after each group.
    Null,
    /// JSON: an object, or a line for each group.
    Json(ListReport),
}

/// Totals over all groups.
#[derive(Debug, Default, Clone, Copy)]
struct Sum {
    groups: u64,
    files: u64,
    duplicates: u64,
    wasted: u64,
    /// Whether some sizes are unknown.
    more: bool,
}

/// Prints the groups and their number.
///
/// # Errors
/// If they cannot be written.
pub fn print(
    groups: &[Group],
    failed: u64,
    account: &Account,
    form: GroupFormat,
    output: &Output,
) -> Result<(), WriteError> {
    let sum = Sum::from_groups(groups);
    let mut out = output.clone();
    let done = match form {
        GroupFormat::Lines { links } => groups.iter().enumerate().try_for_each(|(number, group)| {
            let mut text = if number > 0 { b"\n".to_vec() } else { Vec::new() };
            group.files.iter().for_each(|file| push_lines(&mut text, file, links));
            out.write_all(&text)
        }),
        GroupFormat::Null => groups.iter().try_for_each(|group| {
            let names = group.files.iter().flat_map(|file| [&*file.path, b"\0"].concat());
            out.write_all(&names.chain([0]).collect::<Vec<u8>>())
        }),
        GroupFormat::Json(format) => write_json(groups, &sum, failed, account, format, &mut out),
    };
    done.map_err(|error| output.error(error))?;
    output.finish()?;
    message::note(sum.text());
    Ok(())
}

/// Appends the name of a file, and below it its other names.
fn push_lines(text: &mut Vec<u8>, file: &Single, links: bool) {
    push_line(text, b"", &file.path);
    if links {
        file.links.iter().for_each(|link| push_line(text, b"  = ", link));
    }
}

fn push_line(text: &mut Vec<u8>, before: &[u8], name: &[u8]) {
    text.extend_from_slice(before);
    text.extend(line::named(name, b"\n"));
}

fn write_json(
    groups: &[Group],
    sum: &Sum,
    failed: u64,
    account: &Account,
    format: ListReport,
    out: &mut Output,
) -> io::Result<()> {
    let mut entries = Entries::new(format, "groups");
    out.write_all(entries.begin().as_bytes())?;
    groups.iter().try_for_each(|group| out.write_all(entries.next(as_json(group))?.as_bytes()))?;
    let account = account.to_json();
    let end = json!({ "counts": counts(sum, failed), "account": account, "schema": Schema::DUPES.name() });
    out.write_all(entries.end(&end.to_string()).as_bytes())
}

fn counts(sum: &Sum, failed: u64) -> Value {
    let Sum { groups, files, duplicates, wasted, .. } = sum;
    json!({
        "groups": groups, "files": files, "duplicates": duplicates, "wasted": wasted, "unreadable": failed,
    })
}

fn as_json(group: &Group) -> Value {
    let mut object = Map::new();
    object.insert("size".into(), json!(group.size));
    let digest = group.digest.map(|digest| group.algorithm.format(&digest));
    object.insert(group.algorithm.name.into(), json!(digest));
    object.insert("wasted".into(), json!(group.wasted()));
    let files = group.files.iter().map(|file| {
        let mut object = named(&file.path);
        if !file.links.is_empty() {
            object["links"] = file.links.iter().map(|link| named(link)).collect();
        }
        object
    });
    object.insert("files".into(), files.collect());
    Value::Object(object)
}

/// Returns a path, exact even if it is not text.
fn named(path: &[u8]) -> Value {
    let mut object = json!({});
    add_path(&mut object, "path", path);
    object
}

impl Sum {
    fn from_groups(groups: &[Group]) -> Sum {
        groups.iter().fold(Sum::default(), |sum, group| Sum {
            groups: sum.groups + 1,
            files: sum.files + group.files.len() as u64,
            duplicates: sum.duplicates + group.duplicates(),
            wasted: sum.wasted.saturating_add(group.wasted().unwrap_or(0)),
            more: sum.more || group.size.is_none(),
        })
    }

    /// Formats "2 groups of files with the same content; 3 files could be spared, which waste 1234 bytes".
    fn text(&self) -> String {
        if self.groups == 0 {
            return "no two files have the same content".to_string();
        }
        let groups = count(self.groups, "group", "groups");
        let files = count(self.duplicates, "file", "files");
        let least = if self.more { "at least " } else { "" };
        format!(
            "{groups} of files with the same content; {files} could be spared: {least}{} bytes wasted",
            self.wasted
        )
    }
}
