//! The armour of `sshsig`: base64 between two lines. It is parsed strictly, so that every changed bit is detected:
//! nothing before, between or after, all lines of the same width, canonical base64.

use crate::Broken;
use crate::broken::{NOT_TEXT, malformed};
use crate::error::text;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";
/// The width of a line that ssh-keygen writes.
const WIDTH: usize = 70;

pub(crate) fn encode_armour(bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    let mut armour = format!("{BEGIN}\n");
    for line in text.as_bytes().chunks(WIDTH) {
        armour.extend(line.iter().map(|byte| char::from(*byte)));
        armour.push('\n');
    }
    armour + END + "\n"
}

pub(crate) fn decode_armour(bytes: &[u8]) -> Result<Vec<u8>, Broken> {
    let armour = str::from_utf8(bytes).map_err(|_| malformed(NOT_TEXT))?;
    if armour.contains('\r') {
        return Err(malformed(
            "its lines end with CR LF, which ssh-keygen refuses; make them end with LF alone",
        ));
    }
    let armour = armour.strip_suffix('\n').unwrap_or(armour);
    let mut lines: Vec<&str> = armour.split('\n').collect();
    if lines.first() != Some(&BEGIN) {
        return Err(malformed(format!("it does not begin with '{BEGIN}'")));
    }
    if lines.len() < 3 || lines.pop() != Some(END) {
        return Err(malformed(format!("it does not end with '{END}'")));
    }
    let body = &lines[1..];
    let width = body[0].len();
    let (last, full) = body.split_last().unwrap_or((&"", &[]));
    if full.iter().any(|line| line.len() != width) || last.is_empty() || last.len() > width {
        return Err(malformed("its lines differ in width"));
    }
    STANDARD.decode(body.concat()).map_err(|source| malformed(text(source)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_on_comes_off() {
        for length in [1, 51, 52, 53, 104, 105, 106, 300] {
            let bytes: Vec<u8> = (0..length).map(|at| at as u8).collect();
            assert_eq!(decode_armour(encode_armour(&bytes).as_bytes()).unwrap(), bytes);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let good = encode_armour(&[7; 100]);
        for bad in [
            format!(" {good}"),
            format!("{good}\n"),
            format!("{good}x"),
            good.replace("\nBw", "\n\nBw"),
            good.replace("BwcH", "Bw cH"),
            good.replace('\n', "\r\n"),
            good.replacen('\n', "\r\n", 1),
            good.replace(END, ""),
            String::new(),
            format!("{BEGIN}\n{END}\n"),
            BEGIN.to_string(),
        ] {
            assert!(decode_armour(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
