//! The parts of PREMIS documents that lists of files and of events share.

use super::NAMESPACE;
use crate::format::xml::{escape, readable};
use std::io::{self, Write};

/// The vocabularies of the Library of Congress.
pub(super) const VOCABULARY: &str = "http://id.loc.gov/vocabulary/preservation";

/// The namespace of elements for which the schema has none.
const OWN: &str = "urn:hashmill:premis";

/// Writes the beginning of a document.
pub(super) fn begin(out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<premis xmlns=\"{NAMESPACE}\" xmlns:hashmill=\"{OWN}\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xsi:schemaLocation=\"{NAMESPACE} http://www.loc.gov/standards/premis/v3/premis-v3-0.xsd\" version=\"3.0\">"
    )
}

/// Writes the agent of all events, which is this program, and the end of a document.
pub(super) fn end(out: &mut dyn Write) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    write!(
        out,
        "  <agent>\n    <agentIdentifier><agentIdentifierType>local</agentIdentifierType>\
         <agentIdentifierValue>hashmill</agentIdentifierValue></agentIdentifier>\n    <agentName>hashmill</agentName>\n    \
         <agentType>software</agentType>\n    <agentVersion>{version}</agentVersion>\n  </agent>\n</premis>\n"
    )
}

/// An event without its end.
pub(super) struct EventStart<'a> {
    /// A UUID.
    pub id: &'a str,
    /// The code and the name of its type in the vocabulary.
    pub kind: [&'a str; 2],
    /// The time, in RFC 3339.
    pub at: &'a str,
}

impl EventStart<'_> {
    /// Appends the event up to its time.
    pub fn write(&self, text: &mut Vec<u8>) {
        let EventStart { id, kind: [code, name], at } = self;
        text.extend_from_slice(
            b"  <event>\n    <eventIdentifier><eventIdentifierType>UUID</eventIdentifierType>",
        );
        element("eventIdentifierValue", id, text);
        text.extend_from_slice(b"</eventIdentifier>\n    ");
        named("eventType", "eventType", [code, name], text);
        text.extend_from_slice(b"\n    ");
        element("eventDateTime", at, text);
        text.push(b'\n');
    }
}

/// The link of an event to its agent.
pub(super) const BY_HASHMILL: &str = "    <linkingAgentIdentifier><linkingAgentIdentifierType>local</linkingAgentIdentifierType>\
     <linkingAgentIdentifierValue>hashmill</linkingAgentIdentifierValue></linkingAgentIdentifier>\n";

/// Appends an element whose text is a term of a vocabulary: its code there, and its name.
pub(super) fn named(name: &str, vocabulary: &str, [code, term]: [&str; 2], text: &mut Vec<u8>) {
    let list = format!("{VOCABULARY}/{vocabulary}");
    let start = format!(
        "<{name} authority=\"{vocabulary}\" authorityURI=\"{list}\" valueURI=\"{list}/{code}\">{term}</{name}>"
    );
    text.extend_from_slice(start.as_bytes());
}

/// Appends an element with text; characters that XML can't carry are replaced.
pub(super) fn element(name: &str, value: &str, text: &mut Vec<u8>) {
    text.extend_from_slice(format!("<{name}>").as_bytes());
    escape(&readable(value.as_bytes()), text);
    text.extend_from_slice(format!("</{name}>").as_bytes());
}
