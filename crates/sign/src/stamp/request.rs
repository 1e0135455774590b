//! Requests to a time stamp authority.

use super::asn1::{TimeStampRequest, check_version, hash};
use crate::error::text;
use crate::{Error, Hash, Message};
use der::Decode;
use der::asn1::ObjectIdentifier;
use ring::rand::{SecureRandom, SystemRandom};

const NONCE: usize = 8;

/// A request in DER up to the hash: a sequence of 67 bytes with the version 1 and an imprint by SHA-256.
const START: [u8; 24] = [
    0x30, 67, 0x02, 1, 1, 0x30, 49, 0x30, 13, 0x06, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01,
    0x05, 0, 0x04, 32,
];
/// The tag and the length of the nonce, which follows the hash.
const BEFORE_NONCE: [u8; 2] = [0x02, NONCE as u8];
/// The end: the authority shall include its certificate.
const END: [u8; 3] = [0x01, 1, 0xff];

/// A request for a time stamp.
#[derive(Debug, Clone)]
pub struct Request {
    bytes: Vec<u8>,
    pub(super) hash: Hash,
    pub(super) imprint: Vec<u8>,
    pub(super) nonce: Option<Vec<u8>>,
    /// The policy that was asked for.
    pub(super) policy: Option<ObjectIdentifier>,
}

impl Request {
    /// Creates a request for a stamp of a message, with its SHA-256 and a random nonce, which also asks for the
    /// certificate.
    ///
    /// # Errors
    /// If the message can't be read, or the system returns no random numbers.
    pub fn new(message: &mut Message<'_>) -> Result<Request, Error> {
        let imprint = message.hash(Hash::Sha256).map_err(Error::Read)?;
        let mut nonce = [0; NONCE];
        let random = SystemRandom::new().fill(&mut nonce);
        random.map_err(|_| Error::Request("the system gives no random numbers".into()))?;
        // A positive number without leading zero bytes.
        nonce[0] = nonce[0] & 0x3f | 0x40;
        let bytes = [&START[..], &imprint, &BEFORE_NONCE, &nonce, &END].concat();
        Ok(Request { bytes, hash: Hash::Sha256, imprint, nonce: Some(nonce.to_vec()), policy: None })
    }

    /// Parses a request that was created earlier.
    ///
    /// # Errors
    /// If it is not one.
    pub fn parse(bytes: &[u8]) -> Result<Request, Error> {
        let wrong = |error| Error::Request(text(error));
        let request = TimeStampRequest::from_der(bytes).map_err(wrong)?;
        check_version(request.version).map_err(wrong)?;
        let hash = hash(&request.imprint.algorithm);
        Ok(Request {
            bytes: bytes.to_vec(),
            hash: hash.map_err(|error| Error::Request(text(error)))?,
            imprint: request.imprint.hash.as_bytes().to_vec(),
            nonce: request.nonce.map(|nonce| nonce.as_bytes().to_vec()),
            policy: request.policy,
        })
    }

    /// Returns the request in DER, the form that authorities accept.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns whether it is for this message.
    ///
    /// # Errors
    /// If the message can't be read.
    pub fn is_of(&self, message: &mut Message<'_>) -> std::io::Result<bool> {
        Ok(message.hash(self.hash)? == self.imprint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn a_request_is_read_back() {
        let mut source = Cursor::new(b"abc");
        let mut message = Message::new(&mut source);
        let request = Request::new(&mut message).unwrap();
        let read = Request::parse(request.as_bytes()).unwrap();
        assert_eq!(
            (read.imprint.as_slice(), &read.nonce),
            (Hash::Sha256.digest(b"abc").as_slice(), &request.nonce)
        );
        assert!(read.is_of(&mut message).unwrap());
        assert_eq!(TimeStampRequest::from_der(request.as_bytes()).unwrap().wants_certificate, Some(true));
        assert_ne!(Request::new(&mut message).unwrap().nonce, request.nonce);
        assert!(Request::parse(b"").is_err());
    }
}
