//! Names in lines of standard output: any bytes, but always one line.

/// Appends the name. One with a line feed, a carriage return or a backslash is escaped.
pub fn push_name(line: &mut Vec<u8>, name: &[u8]) {
    for byte in name {
        match byte {
            b'\\' => line.extend_from_slice(b"\\\\"),
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\r' => line.extend_from_slice(b"\\r"),
            _ => line.push(*byte),
        }
    }
}

/// Returns whether [`push_name`] changes the name: then the line starts with a backslash, as in coreutils.
pub fn is_escaped(name: &[u8]) -> bool {
    name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r'))
}

/// Formats a name, escaped and marked as in coreutils, and what comes after it.
pub fn named(name: &[u8], after: &[u8]) -> Vec<u8> {
    let mut line = Vec::with_capacity(name.len() + after.len() + 1);
    if is_escaped(name) {
        line.push(b'\\');
    }
    push_name(&mut line, name);
    line.extend_from_slice(after);
    line
}

/// Formats `name: words` as a line, escaped and marked as in coreutils.
pub fn about(name: &[u8], words: &str) -> Vec<u8> {
    named(name, format!(": {words}\n").as_bytes())
}
