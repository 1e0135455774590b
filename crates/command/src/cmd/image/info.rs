//! `hashmill image info`: everything that the headers of images contain.

use super::disk::OnDisk;
use super::open::{open, weight};
use super::options::{Info as Options, MEMORY};
use crate::access;
use crate::exit::{self, Carry};
use crate::output;
use crate::results::json::{Frame, Results};
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::words::amount::BinaryBytes;
use crate::words::message::{Shown, count};
use hashmill_content::imaging;
use hashmill_content::imaging::Named;
use hashmill_content::inside::Disk;
use hashmill_image::{
    Acquisition, Date, Finding, Format, Geometry, Image, Info, Media, Severity, WriteBlocker,
};
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_manifest::Time;
use hashmill_os::names;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the result cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let named = true;
    options.stores.configure(MEMORY, named, None);
    let opening = options.opening.options()?;
    let output = output::stdout()?;
    let mut results =
        Results::new(Schema::IMAGE_INFO, Frame::new(options.format, options.paths.len()), output.clone());
    let mut account = Account::default();
    for (index, path) in options.paths.iter().enumerate() {
        let (info, (disk, is_doubted)) = match open(path, &opening) {
            Ok(image) => (image.info(), disk(path, image)),
            Err(refused) => {
                account.add(*refused);
                continue;
            }
        };
        let path = &imaging::shown(path);
        let missing = |finding: &Finding| finding.kind.severity() == Severity::Missing;
        let lacks = is_doubted || info.findings.iter().any(missing);
        let outcome = if lacks { Outcome::Incomplete } else { Outcome::Done };
        let own = Account::new(Item::Container, outcome, 1);
        account.add(own);
        if options.format == ListReport::Text {
            let told = format!("{}{}", if index > 0 { "\n" } else { "" }, text(path, &info, disk.as_ref()));
            account.carried_by(output.put(told))?;
        } else {
            let described = Described { info: &info, disk, account: own.to_json() };
            account.carried_by(results.push(Named::new(&names::path_bytes(path), described)))?;
        }
    }
    exit::end_results(account, &output, results)
}

/// Facts for people, one per line.
struct Facts(String);

impl Facts {
    fn title(&mut self, title: &str) {
        self.0 += &format!("\n{title}\n");
    }

    /// Adds a fact. Values come from the image, so control characters are escaped.
    fn fact(&mut self, name: &str, value: impl ToString) {
        let value = value.to_string();
        // Notes may have several lines.
        let lines: Vec<String> = value.lines().map(|line| Shown(line.as_bytes()).to_string()).collect();
        let value = lines.join(&format!("\n  {:24} ", ""));
        let line = format!("  {name:24} {value}");
        self.0 += line.trim_end();
        self.0.push('\n');
    }

    fn known(&mut self, name: &str, value: Option<impl ToString>) {
        if let Some(value) = value.map(|value| value.to_string()).filter(|value| !value.is_empty()) {
            self.fact(name, value);
        }
    }
}

/// The statements of headers, and the partitions and file systems on the media.
#[derive(Serialize)]
struct Described<'a> {
    #[serde(flatten)]
    info: &'a Info,
    #[serde(skip_serializing_if = "Option::is_none")]
    disk: Option<OnDisk>,
    account: Value,
}

/// Returns what lies on the media of an image of a disk, and whether files may be missing there.
fn disk(path: &Path, image: Image) -> (Option<OnDisk>, bool) {
    if image.is_logical() {
        return (None, false);
    }
    let disk = Disk::new(path, image, &access::stores());
    disk.as_ref().map_or((None, true), |disk| (OnDisk::new(disk), !disk.doubts().is_empty()))
}

fn text(path: &Path, info: &Info, disk: Option<&OnDisk>) -> String {
    let mut facts = Facts(format!("{}: {}\n", Shown::path(path), kind(info.format)));
    acquisition(&mut facts, &info.acquisition);
    media(&mut facts, info);
    if let Some(geometry) = &info.geometry {
        geometry_facts(&mut facts, geometry);
    }
    stored(&mut facts, info);
    if let Some(disk) = disk {
        facts.title("disk");
        disk.facts().iter().for_each(|(name, value)| facts.fact(name, value));
    }
    facts.title("segments");
    for segment in &info.segments {
        let path = segment.path.as_ref().map_or("missing".into(), |path| path.display().to_string());
        facts.fact(&segment.number.to_string(), format!("{path} ({} bytes)", segment.size));
    }
    if !info.findings.is_empty() {
        facts.title("findings");
        info.findings.iter().for_each(|finding| facts.fact(weight(finding), finding));
    }
    facts.0
}

fn kind(format: Format) -> &'static str {
    match format {
        Format::Ewf1 => "Expert Witness image (E01, S01)",
        Format::Ewf1Logical => "Expert Witness logical image (L01)",
        Format::Ewf2 => "Expert Witness image, version 2 (Ex01)",
        Format::Ewf2Logical => "Expert Witness logical image, version 2 (Lx01)",
        Format::Raw => "raw media",
        Format::Qcow2 => "QCOW2 virtual disk (QEMU)",
        Format::Vmdk => "VMDK virtual disk (VMware)",
        Format::Vhd => "VHD virtual disk (Virtual PC, Hyper-V)",
        Format::Vhdx => "VHDX virtual disk (Hyper-V)",
        Format::Vdi => "VDI virtual disk (VirtualBox)",
        Format::Aff4 => "AFF4 image",
    }
}

fn acquisition(facts: &mut Facts, acquisition: &Acquisition) {
    facts.title("acquisition");
    let Acquisition { case_number, evidence_number, description, examiner, notes, .. } = acquisition;
    facts.known("case number", case_number.as_ref());
    facts.known("evidence number", evidence_number.as_ref());
    facts.known("description", description.as_ref());
    facts.known("examiner", examiner.as_ref());
    facts.known("notes", notes.as_ref());
    facts.known("acquired", acquisition.acquired.as_ref().map(date));
    facts.known("system date", acquisition.system_date.as_ref().map(date));
    facts.known("operating system", acquisition.operating_system.as_ref());
    facts.known("software", acquisition.software.as_ref());
    facts.known("software version", acquisition.software_version.as_ref());
    facts.known("model", acquisition.model.as_ref());
    facts.known("serial number", acquisition.serial.as_ref());
    facts.known("label", acquisition.label.as_ref());
    facts.known("process", acquisition.process.as_ref());
    if acquisition.password {
        facts.fact("password", "set (the content is not encrypted by it)");
    }
}

fn date(date: &Date) -> String {
    match date {
        Date::Unix(seconds) => {
            let time = Time { seconds: *seconds, nanoseconds: 0 };
            time.to_rfc3339().unwrap_or_else(|| format!("{seconds} seconds since 1970"))
        }
        Date::Local([year, month, day, hour, minute, second]) => {
            format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02} (time zone not stated)")
        }
        Date::Other(text) => text.clone(),
    }
}

fn media(facts: &mut Facts, info: &Info) {
    facts.title("media");
    facts.fact("size", format!("{} bytes ({})", info.media_size, BinaryBytes(info.media_size)));
    if info.format != Format::Raw {
        facts.fact("chunk size", format!("{} bytes", info.chunk_size));
        facts.fact("chunks", info.chunk_count);
    }
    if matches!(info.format, Format::Ewf1Logical | Format::Ewf2Logical) {
        facts.fact("files and folders", info.entries);
    }
    info.facts.iter().for_each(|fact| facts.fact(fact.name, &fact.value));
    for session in &info.sessions {
        let what = if session.audio { "audio" } else { "data" };
        facts.fact("session", format!("{what} from sector {}", session.first_sector));
    }
    for sectors in &info.acquisition_errors {
        facts.fact("acquisition error", format!("sectors {sectors} ({})", sectors.count));
    }
}

fn geometry_facts(facts: &mut Facts, geometry: &Geometry) {
    facts.fact("kind", medium(geometry.media));
    facts.fact("physical device", if geometry.physical { "yes" } else { "no" });
    facts.fact("sectors", geometry.sectors);
    facts.fact("bytes per sector", geometry.bytes_per_sector);
    facts.fact("sectors per chunk", geometry.sectors_per_chunk);
    facts.known("error granularity", geometry.error_granularity.map(|sectors| format!("{sectors} sectors")));
    facts.known("compression (stated)", geometry.level.map(level));
    facts.known(
        "write blocker",
        geometry.write_blocker.map(|blocker| match blocker {
            WriteBlocker::FastBloc => "FastBloc",
            WriteBlocker::Tableau => "Tableau",
        }),
    );
    if geometry.set != [0; 16] {
        let set = geometry.set.iter().fold(String::new(), |mut text, byte| {
            // Writing to a string can't fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        facts.fact("set identifier", set);
    }
}

fn medium(media: Media) -> String {
    match media {
        Media::Removable => "removable disk".into(),
        Media::Fixed => "fixed disk".into(),
        Media::Optical => "optical disc".into(),
        Media::Logical => "single files".into(),
        Media::Memory => "memory".into(),
        Media::Handheld => "handheld".into(),
        Media::Unknown(number) => format!("unknown ({number})"),
    }
}

fn level(level: u8) -> String {
    match level {
        0 => "none".into(),
        1 => "good".into(),
        2 => "best".into(),
        other => format!("unknown ({other})"),
    }
}

fn stored(facts: &mut Facts, info: &Info) {
    if info.claims.is_empty() {
        let what = if info.entries > 0 { "none of the media; see hashmill image list" } else { "none" };
        facts.fact("stored digests", what);
    }
    for claim in &info.claims {
        let section = claim.place.section.as_ref().map_or("", |section| &section.name);
        let damaged = if claim.intact { "" } else { ", which is damaged" };
        facts.fact(claim.algorithm.name, format!("{} (section {section}{damaged})", claim.digest));
    }
    let sections: Vec<&str> = info.headers.iter().map(|header| header.section).collect();
    if !sections.is_empty() {
        let texts = count(sections.len() as u64, "text", "texts");
        facts.fact("headers", format!("{texts} ({}); whole in --format json", sections.join(", ")));
    }
}
