//! `--stats`: what a run did and where the time went, for people or as a JSON object.

use crate::results::report::Report;
use crate::results::schema::Schema;
use crate::words::amount::BinaryBytes;
use crate::words::facts::Facts;
use crate::words::message;
use crate::words::message::{Shown, count};
use crate::words::status;
use hashmill_engine::{DriveStats, Stats, WayStats};
use hashmill_job::account::Account;
use hashmill_job::similarity::Comparing;
use serde::Serialize;
use serde_json::Value;

/// The numbers in the form for programs: seconds, bytes, counts.
#[derive(Serialize)]
struct Numbers {
    seen: u64,
    hashed: u64,
    /// The number of hashed files that were not read, because an earlier manifest has their digests.
    reused: u64,
    skipped: u64,
    failed: u64,
    /// The number of objects that were compared by the evidence of their stores.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<u64>,
    /// The number of hashed files that were kept from the interrupted run that was resumed.
    kept: u64,
    bytes: u64,
    bytes_reused: u64,
    seconds: f64,
    walking: f64,
    reading: f64,
    hashing: f64,
    writing: f64,
    waiting_for_files: f64,
    waiting_for_memory: f64,
    megabytes_per_second: f64,
    files_per_second: f64,
    lane_occupancy: Option<f64>,
    peak_memory: u64,
    devices: Vec<DeviceNumbers>,
    mapping: Vec<MappingNumbers>,
    /// The account of the run: what was met, by its outcomes.
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<Value>,
    /// None if no store was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    requests: Option<crate::options::stores::Requests>,
}

/// How files of similar sizes that were in memory were read.
#[derive(Serialize)]
struct MappingNumbers {
    /// Whether all threads read each file together, rather than different files side by side.
    alone: bool,
    from: u64,
    below: Option<u64>,
    /// The number of files that were mapped, including trials.
    mapped_files: u64,
    /// `mapped` or `copied`; `by turns` if there were too few bytes to decide.
    way: &'static str,
    /// The rate at which one thread read and hashed copied bytes while both ways were tried.
    copied_bytes_per_second: Option<f64>,
    mapped_bytes_per_second: Option<f64>,
}

/// How one device was read.
#[derive(Serialize)]
struct DeviceNumbers {
    /// The mount point of the device, or its number.
    name: String,
    /// None if it was not needed: all files that were looked at were in memory.
    medium: Option<&'static str>,
    why: Option<&'static str>,
    /// The number of files that were in memory, among those looked at.
    in_memory: u64,
    not_in_memory: u64,
    /// The largest number of threads that only read at a time.
    readers: usize,
}

/// Prints the numbers on standard error, if they are wanted. `kept` records were not hashed by this run.
pub fn print(form: Option<Report>, stats: &Stats, kept: u64) {
    print_numbers(form, || Numbers::new(stats, kept), Numbers::text);
}

/// Prints the numbers of a run with this account.
pub fn print_accounted(form: Option<Report>, stats: &Stats, kept: u64, account: &Account) {
    let numbers = || Numbers { account: Some(account.to_json()), ..Numbers::new(stats, kept) };
    print_numbers(form, numbers, Numbers::text);
}

/// Prints the numbers of a run that compared this many objects by the evidence of their stores.
pub fn print_proved(form: Option<Report>, stats: &Stats, compared: u64) {
    let with =
        |numbers: Numbers| Numbers { seen: numbers.seen + compared, compared: Some(compared), ..numbers };
    print_numbers(form, || with(Numbers::new(stats, 0)), Numbers::text);
}

/// Prints the numbers of a run that compared likeness digests; `stats` are those of the files that were read.
pub fn print_compared(form: Option<Report>, stats: Option<&Stats>, comparing: Comparing) {
    print_numbers(form, || Compared::new(stats, comparing), Compared::text);
}

fn print_numbers<N: Serialize>(form: Option<Report>, numbers: impl FnOnce() -> N, text: fn(&N) -> String) {
    let json = |numbers| {
        // Numbers and field names, which JSON can always hold.
        serde_json::to_string(&Schema::STATS.document(numbers)).unwrap_or_default() + "\n"
    };
    match form {
        None => {}
        Some(Report::Text) => message::write(&text(&numbers())),
        Some(Report::Json) => message::write(&json(numbers())),
    }
}

/// The numbers of a run that also compared.
#[derive(Serialize)]
struct Compared {
    #[serde(flatten)]
    numbers: Option<Numbers>,
    #[serde(flatten)]
    comparing: Option<ComparingNumbers>,
}

/// Comparisons of digests.
#[derive(Serialize)]
struct ComparingNumbers {
    /// The number of pairs of digests that were compared.
    comparisons: u64,
    /// The time in seconds.
    comparing: f64,
    comparisons_per_second: f64,
}

impl Compared {
    fn new(stats: Option<&Stats>, comparing: Comparing) -> Compared {
        let Comparing { comparisons, time } = comparing;
        let seconds = time.as_secs_f64();
        let rate = if seconds > 0.0 { comparisons as f64 / seconds } else { 0.0 };
        let numbers = ComparingNumbers { comparisons, comparing: seconds, comparisons_per_second: rate };
        Compared {
            numbers: stats.map(|stats| Numbers::new(stats, 0)),
            comparing: (comparisons > 0).then_some(numbers),
        }
    }

    fn text(&self) -> String {
        let mut text = self.numbers.as_ref().map_or_else(String::new, Numbers::text);
        if let Some(ComparingNumbers { comparisons, comparing, comparisons_per_second }) = &self.comparing {
            text += &format!(
                "comparisons {comparisons} in {comparing:.3} s: {comparisons_per_second:.0} comparisons/s\n"
            );
        }
        text
    }
}

impl Numbers {
    fn new(stats: &Stats, kept: u64) -> Numbers {
        let seconds = stats.elapsed.as_secs_f64();
        let rate = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
        let offered = stats.lanes_offered as f64;
        Numbers {
            seen: stats.seen + kept,
            hashed: stats.hashed + kept,
            compared: None,
            reused: stats.reused,
            skipped: stats.skipped,
            failed: stats.failed,
            kept,
            bytes: stats.bytes,
            bytes_reused: stats.bytes_reused,
            seconds,
            walking: stats.walking.as_secs_f64(),
            reading: stats.reading.as_secs_f64(),
            hashing: stats.hashing.as_secs_f64(),
            writing: stats.writing.as_secs_f64(),
            waiting_for_files: stats.waiting_for_files.as_secs_f64(),
            waiting_for_memory: stats.waiting_for_memory.as_secs_f64(),
            megabytes_per_second: rate(stats.bytes as f64 / 1e6),
            files_per_second: rate(stats.hashed as f64),
            lane_occupancy: (offered > 0.0).then(|| stats.lanes_used as f64 / offered),
            peak_memory: hashmill_os::usage().map_or(0, |usage| usage.peak),
            devices: stats.drives.iter().map(DeviceNumbers::new).collect(),
            mapping: stats.ways.iter().map(MappingNumbers::new).collect(),
            account: None,
            requests: crate::options::stores::requests(),
        }
    }

    fn text(&self) -> String {
        let mut facts = Facts::default();
        let Numbers { seen, hashed, skipped, failed, .. } = self;
        let compared = self.compared.map_or(String::new(), |compared| format!(" + compared {compared}"));
        let entries =
            format!("seen {seen} = hashed {hashed}{compared} + skipped {skipped} + failed {failed}");
        facts.add("entries", entries);
        if self.kept > 0 {
            facts.add("kept", format!("{} from the interrupted run", self.kept));
        }
        if self.reused > 0 {
            let reused = count(self.reused, "file", "files");
            facts
                .add("reused", format!("{reused} of the hashed ones, {} bytes, not read", self.bytes_reused));
        }
        facts.add("bytes", format!("{} in {:.3} s", self.bytes, self.seconds));
        let (bytes, files) = (self.megabytes_per_second, self.files_per_second);
        facts.add("rate", format!("{bytes:.1} MB/s, {files:.1} files/s"));
        let longest = self.times().into_iter().map(|(_, seconds, _)| format!("{seconds:.3}").len()).max();
        for (what, seconds, whose) in self.times() {
            let width = longest.unwrap_or(0);
            facts.add(what, format!("{seconds:width$.3} s{whose}"));
        }
        if let Some(occupancy) = self.lane_occupancy {
            facts.add("lane occupancy", format!("{:.1} %", occupancy * 100.0));
        }
        facts.add("peak memory", BinaryBytes(self.peak_memory).to_string());
        self.devices.iter().for_each(|device| facts.add("device", device.text()));
        self.mapping.iter().for_each(|class| facts.add("files in memory", class.text()));
        self.requests.iter().for_each(|requests| facts.add("requests", requests.text()));
        facts.text(status::room())
    }

    /// Returns each time with the threads that it belongs to.
    fn times(&self) -> [(&'static str, f64, &'static str); 6] {
        let all = ", all threads together";
        [
            ("walking", self.walking, ""),
            ("reading", self.reading, all),
            ("hashing", self.hashing, all),
            ("writing", self.writing, ""),
            ("waiting for files", self.waiting_for_files, all),
            ("waiting for memory", self.waiting_for_memory, all),
        ]
    }
}

impl DeviceNumbers {
    fn new(drive: &DriveStats) -> DeviceNumbers {
        let device = drive.device.as_deref();
        let mount_point = device.and_then(|device| device.mount_point.as_deref());
        let number = || {
            let point = hashmill_os::mount_point(drive.number);
            point
                .map_or_else(|| hashmill_os::volume_text(drive.number), |path| Shown::path(&path).to_string())
        };
        DeviceNumbers {
            name: mount_point.map_or_else(number, |path| Shown::path(path).to_string()),
            medium: device.map(|device| device.medium.name()),
            why: device.map(|device| device.why()),
            in_memory: drive.warm,
            not_in_memory: drive.cold,
            readers: drive.readers,
        }
    }

    /// Returns "/: virtual, 32 readers (why); of 157 files looked at 0 were in memory".
    fn text(&self) -> String {
        let looked = self.in_memory + self.not_in_memory;
        let mut text = format!("{}: ", self.name);
        text += &match (self.medium, self.why) {
            (Some(medium), Some(why)) if self.readers > 0 => {
                format!("{medium}, {} ({why})", count(self.readers as u64, "reader", "readers"))
            }
            (Some(medium), _) => format!("{medium}, every thread reads what it hashes"),
            _ => "every thread reads what it hashes".to_string(),
        };
        let files = count(looked, "file", "files");
        text + &format!("; of {files} looked at {} were in memory", self.in_memory)
    }
}

impl MappingNumbers {
    fn new(class: &WayStats) -> MappingNumbers {
        MappingNumbers {
            alone: class.alone,
            from: class.from,
            below: class.below,
            mapped_files: class.mapped,
            way: match class.is_mapped {
                Some(true) => "mapped",
                Some(false) => "copied",
                None => "by turns",
            },
            copied_bytes_per_second: class.rates.map(|(copied, _)| copied),
            mapped_bytes_per_second: class.rates.map(|(_, mapped)| mapped),
        }
    }

    /// Returns "512 KiB to 2 MiB: mapped (copied 4.10 GB/s, mapped 5.20 GB/s a thread)".
    fn text(&self) -> String {
        let below = self.below.map(|below| format!(" to {}", BinaryBytes(below))).unwrap_or_default();
        let more = if self.below.is_none() { " and more" } else { "" };
        let together = if self.alone { ", by all threads together" } else { "" };
        let why = match (self.copied_bytes_per_second, self.mapped_bytes_per_second) {
            (Some(copied), Some(mapped)) => {
                format!("copied {:.2} GB/s, mapped {:.2} GB/s a thread", copied / 1e9, mapped / 1e9)
            }
            _ if self.way == "by turns" => "too few bytes to decide".into(),
            _ if self.way == "copied" => "as larger ones".into(),
            _ => "as asked for".into(),
        };
        format!("{}{below}{more}{together}: {} ({why})", BinaryBytes(self.from), self.way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_mapped_is_said_with_the_reason() {
        let class = WayStats {
            alone: false,
            from: 512 << 10,
            below: Some(2 << 20),
            mapped: 9,
            is_mapped: Some(true),
            rates: Some((4.1e9, 5.2e9)),
        };
        let text = |class: &WayStats| MappingNumbers::new(class).text();
        let wanted = "512.00 KiB to 2.00 MiB: mapped (copied 4.10 GB/s, mapped 5.20 GB/s a thread)";
        assert_eq!(text(&class), wanted);
        let open = WayStats { alone: true, below: None, is_mapped: None, rates: None, ..class };
        let wanted = "512.00 KiB and more, by all threads together: by turns (too few bytes to decide)";
        assert_eq!(text(&open), wanted);
    }

    #[test]
    fn comparisons_are_told_with_their_time_and_rate() {
        let comparing = Comparing { comparisons: 3, time: std::time::Duration::from_millis(1500) };
        assert_eq!(Compared::new(None, comparing).text(), "comparisons 3 in 1.500 s: 2 comparisons/s\n");
        let json = serde_json::to_value(Compared::new(None, comparing)).unwrap();
        let wanted = serde_json::json!({"comparisons": 3, "comparing": 1.5, "comparisons_per_second": 2.0});
        assert_eq!(json, wanted);
        let stats = Stats { seen: 6, hashed: 6, ..Stats::default() };
        let json = serde_json::to_value(Compared::new(Some(&stats), comparing)).unwrap();
        assert_eq!((&json["hashed"], &json["comparisons"]), (&6.into(), &3.into()));
        let none = serde_json::to_value(Compared::new(Some(&stats), Comparing::default())).unwrap();
        assert!(none.get("comparisons").is_none() && none["hashed"] == 6);
    }

    #[test]
    fn counts_add_up_with_what_was_kept() {
        let stats = Stats { seen: 6, hashed: 3, skipped: 2, failed: 1, ..Stats::default() };
        let numbers = Numbers::new(&stats, 4);
        assert_eq!(numbers.seen, numbers.hashed + numbers.skipped + numbers.failed);
        let text = numbers.text();
        assert!(
            text.starts_with("entries             seen 10 = hashed 7 + skipped 2 + failed 1\nkept "),
            "{text}"
        );
    }
}
