//! Reads files to their ends and prints the length and the sum of the bytes of each, or what went wrong.
//! Tests run it under the fault library.
//!
//! `readall [--at] [--buffer BYTES] FILE…`; `--at` reads at offsets, from the last buffer to the first.

use hashloom_source::{Entry, Error, Origin, Reader};
use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).peekable();
    let at = arguments.next_if(|argument| argument == "--at").is_some();
    let mut buffer = vec![0; 64 << 10];
    if arguments.next_if(|argument| argument == "--buffer").is_some() {
        let bytes = arguments.next().and_then(|bytes| bytes.to_str()?.parse().ok());
        buffer.resize(bytes.expect("--buffer takes a number"), 0);
    }
    let mut code = ExitCode::SUCCESS;
    for path in arguments {
        let path = path.into_vec().into_boxed_slice();
        let origin = if *path == *b"-" { Origin::Stdin } else { Origin::Operand };
        let entry = Entry::new(path, origin);
        match Reader::open(&entry).and_then(|reader| {
            if at { by_offset(reader, &mut buffer) } else { in_order(reader, &mut buffer) }
        }) {
            Ok((length, sum)) => println!("{length} {sum}"),
            Err(error) => {
                println!("{error}");
                code = ExitCode::from(2);
            }
        }
    }
    code
}

fn in_order(mut reader: Reader, buffer: &mut [u8]) -> Result<(u64, u64), Error> {
    let (mut length, mut sum) = (0, 0);
    loop {
        let read = reader.read(buffer)?;
        sum += added(&buffer[..read]);
        length += read as u64;
        if read < buffer.len() {
            break;
        }
    }
    reader.finish(length)?;
    Ok((length, sum))
}

fn by_offset(reader: Reader, buffer: &mut [u8]) -> Result<(u64, u64), Error> {
    let (mut length, mut sum) = (0, 0);
    for number in (0..=reader.meta().size / buffer.len() as u64).rev() {
        let read = reader.read_at(number * buffer.len() as u64, buffer)?;
        sum += added(&buffer[..read]);
        length += read as u64;
    }
    reader.finish(length)?;
    Ok((length, sum))
}

fn added(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| u64::from(byte)).sum()
}
