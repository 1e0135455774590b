//! Calibrations from any bytes: no panic, and accepted ones are in canonical form.

use hashmill_digest::{Calibration, find, hash};

/// Parses the bytes unchanged, and again with the correct checksum and this machine's processor, without which hardly
/// any mutation would be accepted.
pub fn calibration(data: &[u8]) {
    read(data);
    let Ok(text) = str::from_utf8(data) else { return };
    let here = Calibration::here(Vec::new(), String::new()).processor;
    let mut mended = String::new();
    for line in text.lines().filter(|line| !line.starts_with("crc32 ")) {
        let line =
            if line.starts_with("processor ") { format!("processor {here}") } else { line.to_string() };
        mended += &(line + "\n");
    }
    let sum = hash(find("crc32").expect("an algorithm of the registry"), mended.as_bytes());
    read(format!("{mended}crc32 {sum}\n").as_bytes());
}

fn read(data: &[u8]) {
    if let Ok(calibration) = Calibration::parse(data) {
        assert_eq!(calibration.render().as_bytes(), data);
        assert!(calibration.costs.iter().all(|row| row.portable > 0 && row.hardware > 0));
    }
}
