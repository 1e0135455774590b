//! `hashmill image list`: the files in logical images, and those on the disks in others.

use super::disk::OnDisk;
use super::open::open;
use super::options::{List, MEMORY};
use crate::access;
use crate::exit::{self, Carry};
use crate::json::{Frame, Results};
use crate::message::{self, Shown};
use crate::options::report::ListReport;
use crate::output;
use crate::schema::Schema;
use hashmill_digest::Digest;
use hashmill_disk::NodeKind;
use hashmill_image::{Entry, Extent, Image, Times};
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::imaging::{self, Named};
use hashmill_job::inside::{Disk, DiskEntry};
use hashmill_job::output::Output;
use hashmill_manifest::{Allocation, Time};
use serde::Serialize;
use std::path::Path;

/// An entry for programs.
#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    entry: &'a Entry,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    #[serde(flatten)]
    of_disk: Option<OfDisk>,
}

/// Facts about an entry on a disk that one in a logical image lacks.
#[derive(Serialize)]
struct OfDisk {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allocation: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// Runs the command, and returns its account.
///
/// # Errors
/// If the list cannot be written.
pub fn run(options: &List) -> anyhow::Result<Account> {
    options.stores.configure((MEMORY, true), None);
    let opening = options.backing.options()?;
    let output = output::stdout()?;
    // Each image has many entries.
    let frame = if options.format == ListReport::Json { Frame::List } else { Frame::Lines };
    let mut results = Results::new(Schema::IMAGE_LIST, frame, output.clone());
    let mut account = Account::default();
    for path in &options.paths {
        let image = match open(path, &opening) {
            Ok(image) => image,
            Err(refused) => {
                account.add(*refused);
                continue;
            }
        };
        if !image.is_logical() {
            let listed = list_disk(path, image, options, (&mut results, &output));
            account.add(account.carried_by(listed)?);
            continue;
        }
        account.count(Item::Container, Outcome::Done, 1);
        for finding in image.findings() {
            message::say(finding);
            account.add(Account::failed(
                Item::Container,
                u64::from(finding.kind.severity() > hashmill_image::Severity::Note),
            ));
        }
        for entry in image.entries() {
            if options.format == ListReport::Text {
                account.carried_by(output.put(line(entry) + "\n"))?;
            } else {
                let path_b64 = Named::new(&entry.path, ()).path_b64;
                account.carried_by(results.push(Listed { entry, path_b64, of_disk: None }))?;
            }
        }
    }
    exit::end_results(account, &output, results)
}

/// Lists the file systems on the media of an image.
fn list_disk(
    path: &Path,
    image: Image,
    options: &List,
    (results, output): (&mut Results, &Output),
) -> anyhow::Result<Account> {
    let shown = imaging::shown(path);
    let disk = match Disk::new(path, image, &access::stores()) {
        Ok(disk) => disk,
        Err(problem) => {
            message::about_path(&shown, problem);
            return Ok(Account::failed(Item::Container, 1));
        }
    };
    if OnDisk::new(&disk).is_none() {
        message::about_path(&shown, "has no partitions and no file system that is known");
        return Ok(Account::unusable(Item::Container, 1));
    }
    let mut account = Account::default();
    disk.list(options.deleted, &mut |found| -> anyhow::Result<()> {
        let (entry, of_disk) = described(&found);
        if let Some(problem) = &of_disk.problem {
            message::about(&found.path, problem);
            account.add(Account::failed(Item::Container, 1));
        }
        if options.format == ListReport::Text {
            let left = of_disk.allocation.map_or(String::new(), |left| format!(" (deleted, {left})"));
            output.put(format!("{}{left}\n", line(&entry)))?;
        } else {
            let path_b64 = Named::new(&entry.path, ()).path_b64;
            results.push(Listed { entry: &entry, path_b64, of_disk: Some(of_disk) })?;
        }
        Ok(())
    })?;
    Ok(account)
}

/// Returns an entry of a disk as that of a logical image, and what more is known of it.
fn described(found: &DiskEntry) -> (Entry, OfDisk) {
    let path = found.path.as_slice().into();
    let (node, metadata) = match &found.facts {
        Ok(facts) => facts,
        Err(problem) => {
            let problem = Some(problem.to_string());
            let of_disk = OfDisk { kind: None, container: None, allocation: None, problem };
            return (Entry { path, ..Entry::default() }, of_disk);
        }
    };
    let seconds = |time: Option<hashmill_disk::Time>| time.map(|time| time.seconds);
    let runs = node.content.as_ref().ok().and_then(|content| content.runs());
    let stored = runs.into_iter().flat_map(|runs| runs.as_slice());
    let extents = stored.filter_map(|run| Some(Extent { offset: run.place?, size: run.length })).collect();
    let entry = Entry {
        path,
        size: node.size,
        folder: node.kind == NodeKind::Directory && node.stream.is_none(),
        extents,
        times: Times {
            created: seconds(node.times.created),
            accessed: seconds(node.times.accessed),
            written: seconds(node.times.modified),
            changed: seconds(node.times.changed),
            deleted: None,
        },
        id: Some(node.number),
        ..Entry::default()
    };
    let of_disk = OfDisk {
        kind: Some(kind(node.kind)),
        container: metadata.container.clone(),
        allocation: metadata.allocation.map(Allocation::word),
        problem: node.content.as_ref().err().map(ToString::to_string),
    };
    (entry, of_disk)
}

fn kind(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::File => "file",
        NodeKind::Directory => "directory",
        NodeKind::Link => "link",
        NodeKind::Fifo => "fifo",
        NodeKind::Socket => "socket",
        NodeKind::Device => "device",
        NodeKind::Metadata => "metadata",
    }
}

/// Formats size, modification time, MD5, SHA-1 and path, with tabs between them.
fn line(entry: &Entry) -> String {
    let written = entry.times.written.map(|seconds| Time { seconds, nanoseconds: 0 });
    let written = written.and_then(Time::to_rfc3339).unwrap_or_else(|| "-".into());
    let digest = |digest: &Option<Digest>| digest.map_or("-".into(), |digest| digest.to_string());
    let folder = if entry.folder { "/" } else { "" };
    format!(
        "{}\t{written}\t{}\t{}\t{}{folder}",
        entry.size,
        digest(&entry.md5),
        digest(&entry.sha1),
        Shown(&entry.path)
    )
}
