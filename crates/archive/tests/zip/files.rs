//! Archives that others made, compared with Python: those of Python itself, and those below the folders in the
//! environment's `HASHMILL_ARCHIVES`, separated by colons.

use super::{Unpacked, unpack};
use flate2::Crc;
use hashmill_testing::{had_modules, installed};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Prints, for each archive: its path, and name, size and CRC-32 of each member. Names that Unix wrote are UTF-8.
const PYTHON: &str = r#"
import ensurepip, glob, os, sys, zipfile, zlib
folders = [os.path.dirname(ensurepip.__file__)] + [f for f in sys.argv[1].split(":") if f]
paths = {p for f in folders for p in glob.glob(os.path.join(f, "**", "*"), recursive=True, include_hidden=True)}
for path in sorted(p for p in paths if p.endswith((".zip", ".jar", ".whl", ".egg", ".docx", ".xlsx", ".apk"))):
    lines = []
    try:
        with zipfile.ZipFile(path) as file:
            for info in file.infolist():
                name = info.orig_filename.encode("utf-8", "surrogateescape")
                if not info.flag_bits & 0x800 and info.create_system in (3, 19):
                    raw = info.orig_filename.encode("cp437")
                    try: raw.decode(); name = raw
                    except UnicodeDecodeError: pass
                try:
                    is_big = info.file_size >= 1 << 24
                    crc = "big" if is_big else "dir" if info.is_dir() else zlib.crc32(file.read(info))
                except Exception as error:
                    crc = "error"
                lines.append(f" {name.hex()} {info.file_size} {crc}")
    except Exception as error:
        lines = [" failed"]
    if os.path.isfile(path):
        print(path.encode().hex(), *lines, sep="\n")
"#;

#[test]
fn archives_of_others_are_read_as_python_reads_them() {
    let folders = std::env::var("HASHMILL_ARCHIVES").unwrap_or_default();
    let Some(python) = installed("python3") else { return };
    let output = Command::new(python).args(["-c", PYTHON, &folders]).output().unwrap();
    if !had_modules(&output.stderr) {
        return;
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let (mut archives, mut members, mut differences) = (0, 0, Vec::new());
    let mut lines = text.lines().peekable();
    while let Some(path) = lines.next() {
        let path = PathBuf::from(String::from_utf8(bytes(path)).unwrap());
        let expected: Vec<&str> =
            std::iter::from_fn(|| lines.next_if(|line| line.starts_with(' '))).collect();
        let (unpacked, last) = unpack(fs::read(&path).unwrap());
        let found: Vec<String> = unpacked.iter().map(line).collect();
        archives += 1;
        members += found.len();
        let is_failed = expected == [" failed"] && last.is_some();
        if !is_failed && (last.is_some() || found != expected) {
            let other = found.iter().zip(&expected).zip(&unpacked).find(|((found, line), _)| found != *line);
            let problem = other.map(|(_, unpacked)| (&unpacked.path, unpacked.content.as_ref().err()));
            differences.push(format!("{}: {last:?} {problem:?}", path.display()));
        }
    }
    eprintln!("{archives} archives with {members} members");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Returns a member as Python prints it.
fn line(member: &Unpacked) -> String {
    let name = member.path.iter().fold(String::new(), |mut name, byte| {
        write!(name, "{byte:02x}").unwrap();
        name
    });
    let content = match &member.content {
        _ if member.size.unwrap() >= 1 << 24 => "big".into(),
        _ if member.path.ends_with(b"/") => "dir".into(),
        Ok(content) => {
            let mut crc = Crc::new();
            crc.update(content);
            crc.sum().to_string()
        }
        Err(_) => "error".into(),
    };
    format!(" {name} {} {content}", member.size.unwrap())
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}
