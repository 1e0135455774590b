//! Types of XML documents, by their root element.

/// Types by the local name of the root element, and by a word that its attributes must have.
const ROOTS: [(&str, &str, &str); 35] = [
    ("svg", "", "image/svg+xml"),
    ("html", "", "application/xhtml+xml"),
    ("rss", "", "application/rss+xml"),
    ("RDF", "", "application/rdf+xml"),
    ("feed", "Atom", "application/atom+xml"),
    ("abiword", "template=\"true\"", "application/x-abiword-template"),
    ("abiword", "", "application/x-abiword"),
    ("amf", "", "application/x-amf"),
    ("asx", "", "video/x-ms-asx"),
    ("ASX", "", "video/x-ms-asx"),
    ("COLLADA", "", "model/vnd.collada+xml"),
    ("mxfile", "", "application/vnd.jgraph.mxfile"),
    ("X3D", "", "model/x3d+xml"),
    ("stylesheet", "Transform", "application/xslt+xml"),
    ("transform", "Transform", "application/xslt+xml"),
    ("FictionBook", "", "application/x-fb2+xml"),
    ("FeatureCollection", "gml", "application/gml+xml"),
    ("gpx", "", "application/gpx+xml"),
    ("kml", "", "application/vnd.google-earth.kml+xml"),
    ("math", "", "application/mathml+xml"),
    ("MPD", "", "application/dash+xml"),
    ("score-partwise", "", "application/vnd.recordare.musicxml+xml"),
    ("score-timewise", "", "application/vnd.recordare.musicxml+xml"),
    ("Envelope", "soap", "application/soap+xml"),
    ("map", "tiledversion", "application/x-tmx+xml"),
    ("tileset", "tiledversion", "application/x-tsx+xml"),
    ("tt", "ttml", "application/ttml+xml"),
    ("TrainingCenterDatabase", "", "application/vnd.garmin.tcx+xml"),
    ("UOF", "vnd.uof.presentation", "application/vnd.uof.presentation"),
    ("UOF", "vnd.uof.spreadsheet", "application/vnd.uof.spreadsheet"),
    ("UOF", "vnd.uof.text", "application/vnd.uof.text"),
    ("USFSubtitles", "", "application/x-usf"),
    ("xliff", "", "application/xliff+xml"),
    ("playlist", "xspf", "application/xspf+xml"),
    ("smil", "", "application/smil+xml"),
];

/// Returns the MIME type of a document with this beginning. One of an unknown type is XML only if it says so.
pub(super) fn mime(head: &[u8]) -> &'static str {
    let unknown = if head.starts_with(b"<?xml") { "text/xml" } else { "text/plain" };
    let Some((name, attributes)) = root(head) else { return unknown };
    let has = |word: &str| attributes.windows(word.len().max(1)).any(|window| window == word.as_bytes());
    let fits = |root: &str, word: &str| root.as_bytes() == name && (word.is_empty() || has(word));
    ROOTS.iter().find(|(root, word, _)| fits(root, word)).map_or(unknown, |(_, _, mime)| mime)
}

/// Returns the local name of the root element, and what stands behind it in its tag.
fn root(mut text: &[u8]) -> Option<(&[u8], &[u8])> {
    loop {
        let start = text.iter().position(|byte| *byte == b'<')?;
        text = &text[start + 1..];
        let end: &[u8] = match text {
            [b'!', b'-', b'-', ..] => b"-->",
            [b'?' | b'!', ..] => b">",
            _ => break,
        };
        let at = text.windows(end.len()).position(|window| window == end)?;
        text = &text[at + end.len()..];
    }
    let tag = &text[..text.iter().position(|byte| *byte == b'>').unwrap_or(text.len())];
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'/';
    let (name, attributes) = tag.split_at(tag.iter().position(is_end).unwrap_or(tag.len()));
    let local = name.iter().rposition(|byte| *byte == b':').map_or(name, |colon| &name[colon + 1..]);
    // The word may also be in the prefix: soap:Envelope.
    Some((local, if local.len() < name.len() { tag } else { attributes }))
}
