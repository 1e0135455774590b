//! Recognition of programs for Windows: `-o e`.

/// The number of bytes at the start of a file that suffice.
pub const ENOUGH: usize = 8192;

/// The usual extensions of programs.
const ENDINGS: &[&str] = &["exe", "dll", "com", "sys", "cpl", "hxs", "hxi", "olb", "rll", "mui", "tlb"];

/// Returns whether a path has a usual extension of programs.
pub fn has_usual_ending(path: &[u8]) -> bool {
    let Some(dot) = path.iter().rposition(|byte| *byte == b'.') else { return false };
    ENDINGS.iter().any(|ending| path[dot + 1..].eq_ignore_ascii_case(ending.as_bytes()))
}

/// Returns whether the start of a file is that of a program: an MS-DOS header with a pointer to a PE header. As in
/// hashdeep, only the low 16 bits of the pointer are used.
pub fn is_program(start: &[u8]) -> bool {
    const POINTER: usize = 0x3c;
    if start.len() < 0x40 || !start.starts_with(b"MZ") {
        return false;
    }
    let at = usize::from(u16::from_le_bytes([start[POINTER], start[POINTER + 1]]));
    start.get(at..at + 4) == Some(b"PE\0\0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_both_headers() {
        let mut start = vec![0; 0x100];
        assert!(!is_program(&start));
        start[..2].copy_from_slice(b"MZ");
        start[0x3c] = 0x80;
        assert!(!is_program(&start));
        start[0x80..0x84].copy_from_slice(b"PE\0\0");
        assert!(is_program(&start));
        assert!(!is_program(&start[..0x83]));
    }

    #[test]
    fn endings_are_known_in_any_case() {
        assert!(has_usual_ending(b"/a/b.DLL"));
        assert!(!has_usual_ending(b"/a.exe/b.txt"));
        assert!(!has_usual_ending(b"exe"));
    }
}
