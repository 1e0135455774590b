//! `hashmill image list`: the files in logical images, and those on the disks in others.

use super::disk::OnDisk;
use super::open::{account_of, cause, tell_refused};
use super::options::{EntryFormat, List, MEMORY};
use crate::access;
use crate::exit::{self, Carry};
use crate::output::{self, WriteError};
use crate::results::json::{Frame, Results};
use crate::results::schema::Schema;
use crate::words::message;
use crate::words::message::Shown;
use hashmill_content::imaging;
use hashmill_content::imaging::Named;
use hashmill_content::inside::{Disk, DiskEntry};
use hashmill_content::operands::inner::InnerPath;
use hashmill_content::output::Output;
use hashmill_digest::Digest;
use hashmill_disk::{DeletedEntries, NodeKind};
use hashmill_image::{Entry, Extent, Image, Times};
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_manifest::{Allocation, Time};
use hashmill_os::names;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Display;
use std::mem;
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
    account: Value,
}

/// Facts about an entry on a disk that one in a logical image lacks.
#[derive(Serialize)]
struct OfDisk {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// The number by which its file system finds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    inode: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allocation: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// The list, as it is written.
struct ListWriter {
    format: EntryFormat,
    results: Results,
    output: Output,
    account: Account,
    is_titled: bool,
}

/// Runs the command, and returns its account.
///
/// # Errors
/// If the list cannot be written.
pub fn run(options: &List) -> anyhow::Result<Account> {
    let named = true;
    options.stores.configure(MEMORY, named, None);
    let opening = options.backing.options()?;
    let output = output::stdout()?;
    // Each image has many entries.
    let frame = if options.format == EntryFormat::Json { Frame::List } else { Frame::Lines };
    let results = Results::new(Schema::IMAGE_LIST, frame, output.clone());
    let account = Account::default();
    let mut list = ListWriter { format: options.format, results, output, account, is_titled: false };
    for path in &options.paths {
        let inner = InnerPath::new(path).unwrap_or_else(|| InnerPath::whole(path));
        let shown = imaging::shown(inner.outer());
        match imaging::open(inner.outer(), &opening) {
            Ok(image) if image.is_logical() => list.logical(&inner, &image)?,
            Ok(image) => list.disk(&inner, image, options.deleted)?,
            Err(error) => {
                tell_refused(&error, &shown);
                list.lack(&shown, &cause(&error, &shown), account_of(&error))?;
            }
        }
    }
    exit::end_results(list.account, &list.output, list.results)
}

impl ListWriter {
    /// Lists the entries of a logical image.
    fn logical(&mut self, inner: &InnerPath, image: &Image) -> anyhow::Result<()> {
        self.account.count(Item::Container, Outcome::Done, 1);
        for finding in image.findings() {
            message::say(finding);
            if finding.kind.severity() > hashmill_image::Severity::Note {
                let shown = imaging::shown(inner.outer());
                self.lack(&shown, finding, Account::failed(Item::Container, 1))?;
            }
        }
        let place = inner.place_from(b"");
        let mut is_met = inner.is_whole();
        for entry in image.entries().iter().filter(|entry| place.below(&entry.path).is_some()) {
            is_met = true;
            self.entry(entry, None)?;
        }
        self.met(inner, is_met)
    }

    /// Lists the file systems on the media of an image.
    fn disk(&mut self, inner: &InnerPath, image: Image, deleted: bool) -> anyhow::Result<()> {
        let shown = imaging::shown(inner.outer());
        let disk = match Disk::new(inner.outer(), image, &access::stores()) {
            Ok(disk) => disk,
            Err(problem) => {
                message::about_path(&shown, &problem);
                return self.lack(&shown, &problem, Account::failed(Item::Container, 1));
            }
        };
        if OnDisk::new(&disk).is_none() {
            let problem = "has no partitions and no file system that is known";
            message::about_path(&shown, problem);
            return self.lack(&shown, &problem, Account::unusable(Item::Container, 1));
        }
        let place = inner.place_from(&[&names::path_bytes(&shown), b"!".as_slice()].concat());
        let mut is_met = inner.is_whole();
        let deleted = if deleted { DeletedEntries::Listed } else { DeletedEntries::LeftOut };
        disk.list(deleted, &mut |found| -> anyhow::Result<()> {
            let is_below = inner.is_whole() || place.below(&found.path).is_some();
            // A failure may hide what is looked for.
            if !is_below && (found.facts.is_ok() || !place.is_within(&found.path)) {
                return Ok(());
            }
            is_met = true;
            let (entry, of_disk) = described(&found);
            if let Some(problem) = &of_disk.problem {
                message::about(&found.path, problem);
            }
            self.entry(&entry, Some(of_disk))
        })?;
        self.met(inner, is_met)
    }

    /// Tells that nothing was met at a path, if that is so.
    fn met(&mut self, inner: &InnerPath, is_met: bool) -> anyhow::Result<()> {
        if is_met {
            return Ok(());
        }
        let problem = "there is no such file in the image";
        message::about_path(&inner.path(), problem);
        self.lack(&inner.path(), &problem, Account::unusable(Item::Container, 1))
    }

    /// Writes an entry.
    fn entry(&mut self, entry: &Entry, of_disk: Option<OfDisk>) -> anyhow::Result<()> {
        let problem = of_disk.as_ref().and_then(|of_disk| of_disk.problem.as_ref());
        let account = problem.map_or(Account::done(Item::Entry, 1), |_| Account::failed(Item::Container, 1));
        self.account.add(account);
        let written = match self.format {
            EntryFormat::Text => {
                let left = of_disk.and_then(|of_disk| of_disk.allocation);
                let left = left.map_or(String::new(), |left| format!(" (deleted, {left})"));
                let titles = if mem::replace(&mut self.is_titled, true) { "" } else { HEADER };
                self.output.put(format!("{titles}{}{left}\n", line(entry))).map_err(Into::into)
            }
            EntryFormat::Body => self.body(entry, of_disk.as_ref()),
            EntryFormat::Json | EntryFormat::Jsonl => self.push(entry, of_disk, account),
        };
        self.account.carried_by(written)
    }

    /// Writes a line of a bodyfile. A failure is no entry.
    fn body(&mut self, entry: &Entry, of_disk: Option<&OfDisk>) -> anyhow::Result<()> {
        let kind = match of_disk {
            Some(of_disk) => of_disk.kind.map(letter),
            None => Some(if entry.folder { 'd' } else { 'r' }),
        };
        let is_deleted = of_disk.is_some_and(|of_disk| of_disk.allocation.is_some());
        if let Some(kind) = kind {
            self.account.add(put_body(entry, kind, is_deleted, &self.output)?);
        }
        Ok(())
    }

    /// Counts an image that could not be listed, or not as a whole; programs get an entry that says so.
    fn lack(&mut self, image: &Path, problem: &dyn Display, account: Account) -> anyhow::Result<()> {
        self.account.add(account);
        if matches!(self.format, EntryFormat::Text | EntryFormat::Body) {
            return Ok(());
        }
        let entry = Entry { path: names::path_bytes(image).into(), ..Entry::default() };
        let written = self.push(&entry, Some(OfDisk::lacking(problem.to_string())), account);
        self.account.carried_by(written)
    }

    fn push(&mut self, entry: &Entry, of_disk: Option<OfDisk>, account: Account) -> anyhow::Result<()> {
        let path_b64 = Named::new(&entry.path, ()).path_b64;
        self.results.push(Listed { entry, path_b64, of_disk, account: account.to_json() })
    }
}

impl OfDisk {
    /// Makes the facts of something that can't be read.
    fn lacking(problem: String) -> OfDisk {
        OfDisk { kind: None, inode: None, container: None, allocation: None, problem: Some(problem) }
    }
}

/// Returns an entry of a disk as that of a logical image, and what more is known of it.
fn described(found: &DiskEntry) -> (Entry, OfDisk) {
    let path = found.path.as_slice().into();
    let (node, metadata) = match &found.facts {
        Ok(facts) => facts,
        Err(problem) => {
            let of_disk = OfDisk::lacking(problem.to_string());
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
        inode: Some(node.number),
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

/// Returns the letter of a kind in bodyfiles.
fn letter(kind: &str) -> char {
    match kind {
        "directory" => 'd',
        "link" => 'l',
        "fifo" => 'p',
        "socket" => 'h',
        "device" => 'c',
        _ => 'r',
    }
}

/// Writes a line of a bodyfile, as mactime of the Sleuth Kit 3 reads it: 0 stands for what is not known.
fn put_body(entry: &Entry, kind: char, is_deleted: bool, output: &Output) -> Result<Account, WriteError> {
    if entry.path.iter().any(|byte| matches!(byte, b'|' | b'\n')) {
        message::about(&entry.path, "is left out: a bodyfile can't have | or a line feed in a name");
        return Ok(Account::failed(Item::Entry, 1));
    }
    let Entry { md5, path, size, times, id, .. } = entry;
    let md5 = md5.map_or("0".into(), |digest| digest.to_string());
    let deleted = if is_deleted { " (deleted)" } else { "" };
    let seconds = [times.accessed, times.written, times.changed, times.created].map(|time| time.unwrap_or(0));
    let [accessed, written, changed, created] = seconds;
    let id = id.unwrap_or(0);
    let rest = format!(
        "{deleted}|{id}|{kind}/{kind}---------|0|0|{size}|{accessed}|{written}|{changed}|{created}\n"
    );
    output.put([md5.as_bytes(), b"|", path, rest.as_bytes()].concat())?;
    Ok(Account::default())
}

/// The titles of the columns of [`line`].
const HEADER: &str = "size\tmodified\tmd5\tsha1\tinode\tpath\n";

/// Formats size, modification time, MD5, SHA-1, the number of the inode or MFT entry and path, with tabs between them.
fn line(entry: &Entry) -> String {
    let written = entry.times.written.map(|seconds| Time { seconds, nanoseconds: 0 });
    let written = written.and_then(Time::to_rfc3339).unwrap_or_else(|| "-".into());
    let digest = |digest: &Option<Digest>| digest.map_or("-".into(), |digest| digest.to_string());
    let folder = if entry.folder { "/" } else { "" };
    let inode = entry.id.map_or("-".into(), |id| id.to_string());
    format!(
        "{}\t{written}\t{}\t{}\t{inode}\t{}{folder}",
        entry.size,
        digest(&entry.md5),
        digest(&entry.sha1),
        Shown(&entry.path)
    )
}
