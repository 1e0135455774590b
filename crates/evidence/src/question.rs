//! What can be asked of an object beyond its listing, one request at a time.
//!
//! Source: Amazon S3 API Reference, "HeadObject" (`x-amz-checksum-mode`, `partNumber`), "GetObjectAttributes".

use crate::evidence::{Evidence, Part, Trust};
use crate::judge::is_of_parts;
use crate::{attributes, headers};
use hashloom_manifest::stored::{CHECKSUMS, Etag};
use hashloom_store::{Cause, Error, Kind, Request, Response};
use http::Method;

/// A question about an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// What it is, with its checksums.
    Look,
    /// The same without checksums, which takes fewer permissions.
    Plain,
    /// How long its first part is.
    FirstPart,
    /// How long its last part is.
    LastPart(u32),
    /// All that is kept of its checksums and parts.
    Attributes,
}

impl Question {
    /// The request.
    pub fn request(self, key: &[u8]) -> Request {
        let head = Request::of_object(Kind::Head, Method::HEAD, key);
        match self {
            Question::Look => head.header("x-amz-checksum-mode", "ENABLED"),
            Question::Plain => head,
            Question::FirstPart => head.query("partNumber", "1"),
            Question::LastPart(number) => head.query("partNumber", number.to_string()),
            Question::Attributes => Request::of_object(Kind::Other, Method::GET, key)
                .query("attributes", "")
                .header("x-amz-object-attributes", "Checksum,ObjectParts,ObjectSize"),
        }
    }
}

impl Evidence {
    /// The next question that may tell more; none if all was asked. `doubted`: a copy differs from the entity tag, so it
    /// has to be known whether that is a digest, and of which parts.
    pub fn question(&self, doubted: bool) -> Option<Question> {
        if !self.asks {
            return None;
        }
        let lacks = self.lacks_part() && (doubted || self.by_tag().is_empty());
        let look = !self.asked.look && (self.trust == Trust::Unknown || self.digests.is_empty());
        match self.tag {
            // The length of parts is all that is missing of a strong proof.
            _ if lacks && !self.asked.first_part => Some(Question::FirstPart),
            _ if look => Some(Question::Look),
            _ if self.asked.look && !self.asked.plain && self.trust == Trust::Unknown => {
                Some(Question::Plain)
            }
            _ if self.lacks_part() && !self.asked.first_part => Some(Question::FirstPart),
            _ if self.part == Part::Uneven && !self.asked.attributes => Some(Question::Attributes),
            Etag::Parts(_, number) if doubted && number > 1 && self.knows_part() && !self.asked.last_part => {
                Some(Question::LastPart(number))
            }
            _ => None,
        }
    }

    fn knows_part(&self) -> bool {
        matches!(self.part, Part::Of(_))
    }

    /// Takes what came of a question.
    ///
    /// # Errors
    /// If the object is not there, or the store can't be reached: then nothing can be told. That a question is not
    /// allowed, or not understood, only means that no more is known.
    pub fn answer(&mut self, question: Question, answer: Result<Response, Error>) -> Result<(), Error> {
        self.note(question);
        match answer {
            Ok(answer) => self.take(question, &answer),
            Err(error) if is_no_answer(&error.cause) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn note(&mut self, question: Question) {
        let asked = &mut self.asked;
        match question {
            Question::Look => asked.look = true,
            Question::Plain => (asked.look, asked.plain) = (true, true),
            Question::FirstPart => asked.first_part = true,
            Question::LastPart(_) => asked.last_part = true,
            Question::Attributes => asked.attributes = true,
        }
    }

    fn take(&mut self, question: Question, answer: &Response) {
        let length = answer.header("content-length").and_then(|length| length.parse::<u64>().ok());
        let is_part = answer.status == 206 || answer.header("x-amz-mp-parts-count").is_some();
        match question {
            Question::Look | Question::Plain => {
                self.encryption(answer);
                for row in &CHECKSUMS {
                    if let Some(text) = answer.header(&format!("x-amz-checksum-{}", row.name)) {
                        self.checksum(row, text);
                    }
                }
                for name in ["x-amz-meta-md5chksum", "content-md5"] {
                    if let Some(text) = answer.header(name) {
                        headers::take(self, name, text);
                    }
                }
            }
            Question::FirstPart => {
                self.encryption(answer);
                // A store that knows nothing of parts answers for the whole object.
                if let Some(length) =
                    length.filter(|length| is_part || self.parts() == Some(1) && *length == self.size)
                {
                    self.first_part(length);
                }
            }
            Question::LastPart(number) => {
                let Part::Of(part) = self.part else { return };
                let wanted = self.size - part * u64::from(number - 1);
                self.asked.last_part_fits = is_part && length == Some(wanted);
                if is_part && !self.asked.last_part_fits {
                    // As many parts as if all had the length of the first, but they have not.
                    self.part = Part::Uneven;
                    self.digests.retain(|named| !is_of_parts(named));
                }
            }
            Question::Attributes => attributes::take(self, &answer.body),
        }
    }

    /// Where nothing is said of encryption, there is none, or one whose entity tags are digests.
    fn encryption(&mut self, answer: &Response) {
        let customer = answer.header("x-amz-server-side-encryption-customer-algorithm").is_some();
        let by_key = answer.header("x-amz-server-side-encryption").is_some_and(|word| word != "AES256");
        self.trust(if customer || by_key { Trust::Sealed } else { Trust::Plain });
    }
}

/// Whether a store only did not say what it was asked.
fn is_no_answer(cause: &Cause) -> bool {
    !matches!(
        cause,
        Cause::NotFound
            | Cause::NoBucket
            | Cause::NoCredentials(_)
            | Cause::Expired
            | Cause::Unknown(_)
            | Cause::Clock
            | Cause::Region(_)
            | Cause::Redirect(_)
            | Cause::Tls(_)
            | Cause::Connection(..)
            | Cause::Timeout
            | Cause::Throttled
            | Cause::Failing(_)
            | Cause::GaveUp(_)
            | Cause::NotAStore(_)
    )
}
