//! Recognises the types of which a compound file (OLE) is the container: by the class of its root, and by the names of its streams. The
//! directory may lie anywhere; only what lies in the first and last bytes is looked at.

use super::window::EndsWindow;

/// The length of an entry of the directory.
const ENTRY: usize = 128;

/// The most sectors of the directory that are looked at.
const SECTORS: usize = 64;

/// The MIME type of a compound file of which nothing more is known.
const COMPOUND: &str = "application/x-cfb";

/// The types by the class of the root, as 16 bytes of a file.
const CLASSES: [([u8; 4], &str); 12] = [
    // {000C1084-0000-0000-C000-000000000046} and its like.
    ([0x84, 0x10, 0x0c, 0x00], "application/x-msi"),
    ([0x86, 0x10, 0x0c, 0x00], "application/x-ms-patch"),
    ([0x06, 0x09, 0x02, 0x00], "application/msword"),
    ([0x00, 0x09, 0x02, 0x00], "application/msword"),
    ([0x10, 0x08, 0x02, 0x00], "application/vnd.ms-excel"),
    ([0x20, 0x08, 0x02, 0x00], "application/vnd.ms-excel"),
    ([0x01, 0x12, 0x02, 0x00], "application/vnd.ms-publisher"),
    ([0x13, 0x1a, 0x02, 0x00], "application/vnd.visio"),
    ([0x14, 0x1a, 0x02, 0x00], "application/vnd.visio"),
    ([0x0b, 0x0d, 0x02, 0x00], "application/vnd.ms-outlook"),
    ([0x10, 0x8d, 0x81, 0x64], "application/vnd.ms-powerpoint"),
    ([0x3a, 0x8f, 0xb7, 0x74], "application/vnd.ms-project"),
];

/// The types by the name of a stream. The first row that fits counts.
const STREAMS: [(&str, &str); 18] = [
    ("EncryptedPackage", "application/encrypted"),
    ("WordDocument", "application/msword"),
    ("Workbook", "application/vnd.ms-excel"),
    ("Book", "application/vnd.ms-excel"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("PP40", "application/vnd.ms-powerpoint"),
    ("VisioDocument", "application/vnd.visio"),
    ("__nameid_version1.0", "application/vnd.ms-outlook"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
    ("Quill", "application/vnd.ms-publisher"),
    ("MatOST", "application/vnd.ms-works"),
    ("WksSSWorkBook", "application/vnd.ms-works"),
    ("HwpSummaryInformation", "application/x-hwp"),
    ("StarWriterDocument", "application/vnd.stardivision.writer"),
    ("StarCalcDocument", "application/vnd.stardivision.calc"),
    ("StarDrawDocument3", "application/vnd.stardivision.draw"),
    ("StarMathDocument", "application/vnd.stardivision.math"),
    ("PerfectOffice_MAIN", "application/vnd.wordperfect"),
];

/// Returns the MIME type of a compound file.
pub(super) fn mime(file: &EndsWindow<'_>) -> &'static str {
    let entries = entries(file).unwrap_or_default();
    let class = entries.first().and_then(|root| root.get(80..84));
    let of_class = CLASSES.iter().find(|(start, _)| class == Some(start.as_slice())).map(|(_, mime)| *mime);
    let names: Vec<String> = children(&entries).into_iter().map(name).collect();
    let of_names = || {
        let is = |name: &str| names.iter().any(|own| own.trim_start_matches('\u{5}') == name);
        STREAMS.iter().find(|(name, _)| is(name)).map(|(_, mime)| *mime)
    };
    // Some programs leave the class of the file from which another was made.
    of_names().or(of_class).unwrap_or(COMPOUND)
}

/// Returns the entries of the directory in known sectors, in order.
pub(crate) fn entries<'a>(file: &EndsWindow<'a>) -> Option<Vec<&'a [u8]>> {
    let number = |at| Some(u32::from_le_bytes(file.get(at, 4)?.try_into().ok()?));
    let shift = file.get(30, 1)?[0];
    if !(7..=12).contains(&shift) {
        return None;
    }
    let length = 1_usize << shift;
    let place = |sector: u32| (u64::from(sector) + 1) << shift;
    let mut sector = number(48)?;
    let mut entries = Vec::new();
    for _ in 0..SECTORS {
        let Some(bytes) = file.get(place(sector), length) else { break };
        entries.extend(bytes.chunks_exact(ENTRY));
        // The table's own sectors are listed in the header: 109 of them.
        let in_table = length as u32 / 4;
        let table = sector / in_table;
        if table >= 109 {
            break;
        }
        let Some(table) = number(76 + 4 * u64::from(table)) else { break };
        let Some(next) = number(place(table) + 4 * u64::from(sector % in_table)) else { break };
        sector = next;
    }
    Some(entries)
}

/// Returns the entries directly below the root: what is embedded has such streams, too.
fn children<'a>(entries: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let number = |entry: &[u8], at: usize| {
        let bytes = entry.get(at..at + 4)?;
        usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
    };
    let mut seen = vec![false; entries.len()];
    let mut waiting: Vec<usize> = entries.first().and_then(|root| number(root, 76)).into_iter().collect();
    let mut children = Vec::new();
    while let Some(place) = waiting.pop() {
        let Some(entry) = entries.get(place).filter(|_| !std::mem::replace(&mut seen[place], true)) else {
            continue;
        };
        children.push(*entry);
        // Those before and after it.
        waiting.extend([68, 72].into_iter().filter_map(|at| number(entry, at)));
    }
    children
}

/// Returns the name of an entry.
pub(crate) fn name(entry: &[u8]) -> String {
    let units = entry[..64].as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    String::from_utf16_lossy(&units)
}
