//! Reads files to their ends and prints the length and the sum of the bytes of each, then the unreadable parts with
//! `--zero`; or the error. Tests run it under the fault library.
//!
//! `readall [--at|--map] [--direct|--buffered] [--zero] [--timeout MS] [--buffer BYTES] FILE…`; `--at` reads at
//! offsets, from the last buffer to the first; `--map` maps files where possible.

use hashmill_os::names;
use hashmill_source::{AlignedBytes, BadBlocks, Entry, Error, Io, Origin, Reader, Reading};
use std::process::ExitCode;
use std::time::Duration;

/// The length of a file and the sum of its bytes.
type Sum = (u64, u64);

fn main() -> ExitCode {
    let mut read: fn(Reader, &mut [u8]) -> Result<String, Error> = in_order;
    let mut length = 64 << 10;
    let mut reading = Reading::default();
    let mut arguments = std::env::args_os().skip(1);
    let mut code = ExitCode::SUCCESS;
    while let Some(argument) = arguments.next() {
        let mut number = |option| {
            let text = arguments.next().and_then(|text| text.to_str()?.parse().ok());
            text.unwrap_or_else(|| panic!("{option} takes a number"))
        };
        match argument.to_str() {
            Some("--at") => read = by_offset,
            Some("--map") => read = mapped,
            Some("--direct") => reading.io = Io::Direct,
            Some("--buffered") => reading.io = Io::Buffered,
            Some("--zero") => reading.bad_blocks = BadBlocks::Zero,
            Some("--timeout") => reading.timeout = Some(Duration::from_millis(number("--timeout"))),
            Some("--buffer") => length = number("--buffer") as usize,
            _ => {
                let path: Box<[u8]> = names::into_path_bytes(argument.into()).into();
                let origin = if *path == *b"-" { Origin::Stdin } else { Origin::Operand };
                let entry = Entry::new(path, origin);
                let opened = Reader::open(&entry, &reading);
                match opened.and_then(|reader| read(reader, &mut AlignedBytes::zeroed(length))) {
                    Ok(line) => println!("{line}"),
                    Err(error) => {
                        println!("{error}");
                        code = ExitCode::from(2);
                    }
                }
            }
        }
    }
    for note in reading.notes.take() {
        println!("not direct: {} files", note.files);
    }
    code
}

fn in_order(mut reader: Reader, buffer: &mut [u8]) -> Result<String, Error> {
    let (mut length, mut sum) = (0, 0);
    loop {
        let read = reader.read(buffer)?;
        sum += added(&buffer[..read]);
        length += read as u64;
        if read < buffer.len() {
            break;
        }
    }
    finished(&reader, (length, sum))
}

fn by_offset(reader: Reader, buffer: &mut [u8]) -> Result<String, Error> {
    let (mut length, mut sum) = (0, 0);
    for number in (0..=reader.meta().size / buffer.len() as u64).rev() {
        let read = reader.read_at(number * buffer.len() as u64, buffer)?;
        sum += added(&buffer[..read]);
        length += read as u64;
    }
    finished(&reader, (length, sum))
}

fn mapped(reader: Reader, buffer: &mut [u8]) -> Result<String, Error> {
    let Some(map) = reader.map() else { return Ok(format!("not mapped: {}", in_order(reader, buffer)?)) };
    let sum = added(&map);
    reader.check_map(&map)?;
    finished(&reader, (map.len() as u64, sum))
}

fn finished(reader: &Reader, (length, sum): Sum) -> Result<String, Error> {
    reader.finish(length)?;
    let bad = reader.bad_blocks(0..u64::MAX);
    let bad = bad.iter().map(|range| format!(" {}+{}", range.start, range.end - range.start));
    Ok(format!("{length} {sum}{}", bad.collect::<String>()))
}

fn added(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| u64::from(byte)).sum()
}
