//! Requests for more evidence than a listing has.
//!
//! Source: Amazon S3 API Reference, "HeadObject" (`x-amz-checksum-mode`, `partNumber`), "GetObjectAttributes".

use crate::evidence::{CHECKSUM_TYPE, Evidence, PartLength, Trust};
use crate::{attributes, headers};
use hashmill_manifest::stored::CHECKSUMS;
use hashmill_store::{Cause, Error, Request, RequestKind, Response};
use http::Method;

/// The name of the only server that promises which entity tags are digests: Amazon S3 User Guide, "Checking object
/// integrity". Others (Ceph, lakeFS, OSS) have tags of 32 digits that are none.
const PROMISING: &str = "AmazonS3";

/// A request for evidence of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// HEAD with checksums.
    Look,
    /// HEAD without checksums, which needs fewer permissions.
    Plain,
    /// HEAD of the first part, for its length.
    FirstPart,
    /// HEAD of this part, for its length.
    Part(u32),
    /// GetObjectAttributes: checksums, and the parts after this one.
    Attributes(u32),
}

impl Question {
    /// Builds the request.
    pub fn request(self, key: &[u8]) -> Request {
        let head = Request::of_object(RequestKind::Head, Method::HEAD, key);
        match self {
            Question::Look => head.header("x-amz-checksum-mode", "ENABLED"),
            Question::Plain => head,
            Question::FirstPart => head.query("partNumber", "1"),
            Question::Part(number) => head.query("partNumber", number.to_string()),
            Question::Attributes(behind) => Request::of_object(RequestKind::Other, Method::GET, key)
                .query("attributes", "")
                .header("x-amz-max-parts", "1000")
                .header("x-amz-object-attributes", "Checksum,ObjectParts,ObjectSize")
                .header("x-amz-part-number-marker", behind.to_string()),
        }
    }
}

/// The word of a copy on the entity tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntityTag {
    /// Nothing against it.
    Accepted,
    /// The copy differs, so the caller needs to know whether the tag is a digest, and of which parts.
    Doubted,
}

impl Evidence {
    /// Returns the next requests that may help, to be sent together; none if all were made.
    pub fn questions(&self, tag: EntityTag) -> Vec<Question> {
        let doubted = tag == EntityTag::Doubted;
        match self.question(doubted) {
            Some(question) => vec![question],
            None if self.asks && doubted => self.of_each_part(),
            None => Vec::new(),
        }
    }

    fn question(&self, doubted: bool) -> Option<Question> {
        if !self.asks {
            return None;
        }
        let lacks = self.lacks_part() && (doubted || self.by_tag().is_empty());
        let look = !self.asked.look && (self.trust == Trust::Unknown || self.digests.is_empty());
        match () {
            // Only the part length is missing for strong evidence.
            _ if lacks && !self.asked.first_part => Some(Question::FirstPart),
            _ if look => Some(Question::Look),
            _ if self.asked.look && !self.asked.plain && self.trust == Trust::Unknown => {
                Some(Question::Plain)
            }
            _ if self.lacks_part() && !self.asked.first_part => Some(Question::FirstPart),
            _ if self.part == PartLength::Uneven && !self.asked.attributes => Some(Question::Attributes(0)),
            _ if !doubted || !self.may_be_uneven() => None,
            _ if !self.asked.last_part => self.parts().map(Question::Part),
            _ if !self.asked.attributes => Some(Question::Attributes(1)),
            _ => self.asked.more.map(Question::Attributes),
        }
    }

    /// Whether the first part's length fits the number of parts, but the other lengths are unknown.
    fn may_be_uneven(&self) -> bool {
        matches!(self.part, PartLength::Of(_)) && !self.is_even()
    }

    /// Asks for all unknown part lengths but one, which the size gives.
    fn of_each_part(&self) -> Vec<Question> {
        let parts = self.parts().filter(|_| self.may_be_uneven() && !self.asked.each_part).unwrap_or(0);
        let unknown = (2..parts).filter(|number| !self.fitting.contains(number));
        unknown.skip(usize::from(self.fitting.contains(&parts))).map(Question::Part).collect()
    }

    /// Takes the answer to a request.
    ///
    /// # Errors
    /// If the object does not exist or the store can't be reached. A request that is refused or not understood is no
    /// error; it leaves the evidence as it was.
    pub fn answer(&mut self, question: Question, answer: Result<Response, Error>) -> Result<(), Error> {
        self.note(question);
        match answer {
            Ok(answer) => self.take(question, &answer),
            Err(error) if is_no_answer(&error.cause) => self.asked.each_part |= is_of_part(question),
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
            Question::Part(_) if asked.last_part => asked.each_part = true,
            Question::Part(_) => asked.last_part = true,
            Question::Attributes(_) => (asked.attributes, asked.more) = (true, None),
        }
    }

    fn take(&mut self, question: Question, answer: &Response) {
        let length = answer.header("content-length").and_then(|length| length.parse::<u64>().ok());
        let is_part = answer.status == 206 || answer.header("x-amz-mp-parts-count").is_some();
        match question {
            Question::Look | Question::Plain => {
                self.encryption(answer);
                answer.header(CHECKSUM_TYPE).iter().for_each(|kind| self.checksum_type(kind));
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
                // A store without support for parts answers for the whole object.
                if let Some(length) =
                    length.filter(|length| is_part || self.parts() == Some(1) && *length == self.size)
                {
                    self.length_of(1, length);
                }
            }
            Question::Part(number) => match length.filter(|_| is_part) {
                Some(length) => self.length_of(number, length),
                // It will not answer for other parts either.
                None => self.asked.each_part = true,
            },
            Question::Attributes(behind) => {
                // Stop if the list makes no progress.
                let more = attributes::take(self, &answer.body);
                self.asked.more = more.filter(|more| *more > behind && self.may_be_uneven());
            }
        }
    }

    /// Trusts the entity tag if the server promises that it is a digest, and the answer names no encryption whose tags are
    /// none.
    fn encryption(&mut self, answer: &Response) {
        let customer = answer.header("x-amz-server-side-encryption-customer-algorithm").is_some();
        let by_key = answer.header("x-amz-server-side-encryption").is_some_and(|word| word != "AES256");
        // OSS has 32 digits that are no MD5 for objects that were appended to or uploaded in parts.
        let is_other = answer.header("x-oss-object-type").is_some_and(|kind| kind != "Normal");
        let is_promised = answer.header("server").is_some_and(|server| server.starts_with(PROMISING));
        self.trust(match customer || by_key || is_other {
            true => Trust::Sealed,
            false if is_promised => Trust::Plain,
            false => Trust::Claimed,
        });
    }
}

fn is_of_part(question: Question) -> bool {
    matches!(question, Question::Part(_))
}

/// Whether an error means that the store refused this request only.
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
