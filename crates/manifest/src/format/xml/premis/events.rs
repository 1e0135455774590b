//! Events of fixity checks, as archives exchange them.

use super::parts::{self, BY_HASHMILL, EventStart, element, named};
use crate::format::made::Made;
use crate::format::xml::readable;
use std::io::{self, Write};

/// The outcome of a check, by the vocabulary of the Library of Congress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixityOutcome {
    /// The content is the expected one.
    Success,
    /// It is another one, or is gone.
    Failure,
    /// It could not be judged, or somebody is to judge it.
    Warning,
}

impl FixityOutcome {
    /// Returns the code and the name in the vocabulary.
    fn term(self) -> [&'static str; 2] {
        match self {
            FixityOutcome::Success => ["suc", "success"],
            FixityOutcome::Failure => ["fai", "failure"],
            FixityOutcome::Warning => ["war", "warning"],
        }
    }
}

/// A check of one object.
#[derive(Debug, Clone, Copy)]
pub struct FixityEvent<'a> {
    /// The path of the object.
    pub path: &'a [u8],
    /// The time of the check, in RFC 3339.
    pub at: &'a str,
    /// The way it was checked.
    pub detail: &'a str,
    /// The outcome, and what was found.
    pub outcome: FixityOutcome,
    /// A note on what was found, possibly empty.
    pub note: &'a str,
}

/// A writer of a PREMIS document with events. The objects that were checked together are one object of the document, and each
/// event has the path of its own.
#[derive(Debug)]
pub struct PremisEvents<W> {
    out: W,
    made: Made,
    /// The number of events so far.
    written: u64,
}

impl<W: Write> PremisEvents<W> {
    /// Begins a document about these sets of objects, of which there should be one at least: the schema needs an object.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn begin<'a>(
        made: Made,
        sets: impl Iterator<Item = &'a [u8]>,
        mut out: W,
    ) -> io::Result<PremisEvents<W>> {
        parts::begin(&mut out)?;
        for set in sets {
            let mut text = Vec::new();
            text.extend_from_slice(
                b"  <object xsi:type=\"representation\">\n    <objectIdentifier><objectIdentifierType>path</objectIdentifierType>",
            );
            element("objectIdentifierValue", &readable(set), &mut text);
            text.extend_from_slice(b"</objectIdentifier>\n  </object>\n");
            out.write_all(&text)?;
        }
        Ok(PremisEvents { out, made, written: 0 })
    }

    /// Writes an event.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn event(&mut self, event: &FixityEvent<'_>) -> io::Result<()> {
        self.written += 1;
        let id = self.made.id_of(self.written);
        let mut text = Vec::new();
        EventStart { id: &id, kind: ["fix", "fixity check"], at: event.at }.write(&mut text);
        text.extend_from_slice(b"    <eventDetailInformation>");
        element("eventDetail", event.detail, &mut text);
        text.extend_from_slice(b"</eventDetailInformation>\n    <eventOutcomeInformation>");
        named("eventOutcome", "eventOutcome", event.outcome.term(), &mut text);
        if !event.note.is_empty() {
            text.extend_from_slice(b"<eventOutcomeDetail>");
            element("eventOutcomeDetailNote", event.note, &mut text);
            text.extend_from_slice(b"</eventOutcomeDetail>");
        }
        text.extend_from_slice(b"</eventOutcomeInformation>\n");
        text.extend_from_slice(BY_HASHMILL.as_bytes());
        text.extend_from_slice(
            b"    <linkingObjectIdentifier><linkingObjectIdentifierType>path</linkingObjectIdentifierType>",
        );
        element("linkingObjectIdentifierValue", &readable(event.path), &mut text);
        text.extend_from_slice(b"</linkingObjectIdentifier>\n  </event>\n");
        self.out.write_all(&text)
    }

    /// Ends the document.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn end(mut self) -> io::Result<W> {
        parts::end(&mut self.out)?;
        Ok(self.out)
    }
}
