//! A time stamp: the answer of an authority, as stored in a file (`.tsr`).

use super::asn1::{ContentInfo, Extension, SIGNED_DATA, TimeStampResponse, TstInfo, check_version, hash};
use super::certificate::Certificate;
use super::chain::{self, Roots};
use super::names::{self, GeneralName};
use super::signed::{self, Signed};
use super::{MAX_FILE, Request, time};
use crate::broken::{NO_CONTENT, malformed, unsupported};
use crate::ssh::Moment;
use crate::{Broken, Hash, Message};
use der::asn1::ObjectIdentifier;
use der::{Decode, Encode, Tag};
use jiff::SignedDuration;
use std::io;

/// How far the authority's clock may be ahead of the local one.
const SKEW: SignedDuration = SignedDuration::from_mins(5);

/// The status of an answer by its number (RFC 3161, 2.4.2; RFC 4210, 5.2.3).
const STATUSES: [&str; 7] = [
    "Accepted",
    "GrantedWithMods",
    "Rejection",
    "Waiting",
    "RevocationWarning",
    "RevocationNotification",
    "KeyUpdateWarning",
];
/// The number of statuses, the first ones, that grant the request.
const GRANTED: usize = 2;

/// A time stamp with a valid signature of any signer; [`Stamp::by`] verifies the signer.
#[derive(Debug, Clone)]
pub struct Stamp {
    signed: Signed,
    hash: Hash,
    imprint: Vec<u8>,
    nonce: Option<Vec<u8>>,
    policy: ObjectIdentifier,
    time: Moment,
}

/// The statement of a time stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StampStatement {
    /// The time at which the bytes existed, according to the authority.
    pub time: Moment,
    /// The authority: the subject of its certificate.
    pub authority: String,
    /// The end of its certificate's validity.
    pub until: Moment,
}

impl Stamp {
    /// Parses an answer, or a token alone, and verifies its own signature.
    ///
    /// # Errors
    /// If it is not a time stamp, a refusal, or altered.
    pub fn parse(bytes: &[u8]) -> Result<Stamp, Broken> {
        if bytes.len() as u64 > MAX_FILE {
            return Err(malformed("it is too long for a time stamp"));
        }
        let token = match ContentInfo::from_der(bytes) {
            Ok(token) => token,
            Err(_) => granted(bytes)?,
        };
        if token.kind != SIGNED_DATA {
            return Err(malformed("it is not signed"));
        }
        let content = token.content.ok_or_else(|| malformed(NO_CONTENT))?.to_der()?;
        let signed = signed::verify(&content)?;
        let info = TstInfo::from_der(&signed.content)?;
        check_version(info.version)?;
        let stranger = |tsa: &GeneralName| !is_named(signed.certificate(), tsa);
        if info.tsa.as_ref().is_some_and(stranger) {
            let why = "does not belong to the authority that the time stamp names (tsa)";
            return Err(signed.certificate().unfit(why));
        }
        let is_critical = |extension: &Extension| extension.critical == Some(true);
        if info.extensions.iter().flatten().any(is_critical) {
            return Err(unsupported("critical extensions in a time stamp"));
        }
        Ok(Stamp {
            hash: hash(&info.imprint.algorithm)?,
            imprint: info.imprint.hash.as_bytes().to_vec(),
            nonce: info.nonce.map(|nonce| nonce.as_bytes().to_vec()),
            policy: info.policy,
            time: time::moment(&info.time)?,
            signed,
        })
    }

    /// Returns the time at which the bytes existed, according to the authority.
    pub fn time(&self) -> Moment {
        self.time
    }

    /// Checks that it is for this message, and answers this request if one is given. The signer is not checked.
    ///
    /// # Errors
    /// If the message can't be read.
    pub fn check_message(
        &self,
        message: &mut Message<'_>,
        request: Option<&Request>,
    ) -> io::Result<Result<(), Broken>> {
        if message.hash(self.hash)? != self.imprint {
            return Ok(Err(Broken::Imprint));
        }
        let other = |request: &Request| request.nonce != self.nonce || request.imprint != self.imprint;
        let has_other_policy = |request: &Request| request.policy.is_some_and(|policy| policy != self.policy);
        Ok(match request {
            Some(request) if other(request) => Err(Broken::Nonce),
            Some(request) if has_other_policy(request) => Err(Broken::Policy),
            _ => Ok(()),
        })
    }

    /// Verifies the signer: its certificate must be valid for time stamps at the stamp's time, with a chain to one of
    /// the roots. That time must not be in the future.
    ///
    /// # Errors
    /// If there is no such chain, or the time is later than now.
    pub fn by(&self, roots: &Roots, now: Moment) -> Result<StampStatement, Broken> {
        let latest = now.checked_add(SKEW).unwrap_or(Moment::MAX);
        if self.time > latest {
            return Err(Broken::Future(self.time));
        }
        chain::verify(&self.signed, self.time, roots)?;
        Ok(self.says())
    }

    /// Returns its statement, which [`Stamp::by`] verifies.
    pub fn says(&self) -> StampStatement {
        let certificate = self.signed.certificate();
        StampStatement {
            time: self.time,
            authority: certificate.subject.to_string(),
            until: certificate.until,
        }
    }
}

fn is_named(certificate: &Certificate, name: &GeneralName) -> bool {
    let subject = GeneralName::Directory(certificate.subject.clone());
    certificate.names.iter().chain([&subject]).any(|own| names::equal(own, name))
}

/// Returns the token of an answer that grants one, with or without modifications.
fn granted(bytes: &[u8]) -> Result<ContentInfo, Broken> {
    let answer = TimeStampResponse::from_der(bytes)?;
    let number = usize::from(answer.status.status);
    let status = STATUSES.get(number).ok_or_else(|| der::Error::from(Tag::Integer.value_error()))?;
    if number >= GRANTED || answer.status.failure.is_some() {
        let text = answer.status.texts.unwrap_or_default().join(" ");
        let why = format!("the authority refused it: {status} {text}");
        return Err(malformed(why.trim_end().to_string()));
    }
    answer.token.ok_or_else(|| malformed("the answer has no time stamp"))
}
