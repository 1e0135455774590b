//! Requests to a time stamp authority.

use super::asn1::{hash, sha256};
use crate::{Error, Hash, Message, RequestFault};
use der::asn1::{Int, OctetString};
use der::{Decode, Encode};
use ring::rand::{SecureRandom, SystemRandom};
use x509_tsp::{MessageImprint, TimeStampReq, TspVersion};

const NONCE: usize = 8;

/// A request for a time stamp.
#[derive(Debug, Clone)]
pub struct Request {
    bytes: Vec<u8>,
    pub(super) hash: Hash,
    pub(super) imprint: Vec<u8>,
    pub(super) nonce: Option<Vec<u8>>,
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
        random.map_err(|_| Error::Request(RequestFault::Random))?;
        // A positive number without leading zero bytes.
        nonce[0] = nonce[0] & 0x3f | 0x40;
        Request::encode(&imprint, &nonce).map_err(|error| Error::Request(RequestFault::Der(error)))
    }

    fn encode(imprint: &[u8], nonce: &[u8]) -> der::Result<Request> {
        let request = TimeStampReq {
            version: TspVersion::V1,
            message_imprint: MessageImprint {
                hash_algorithm: sha256(),
                hashed_message: OctetString::new(imprint)?,
            },
            req_policy: None,
            nonce: Some(Int::new(nonce)?),
            cert_req: true,
            extensions: None,
        };
        let (imprint, nonce) = (imprint.to_vec(), Some(nonce.to_vec()));
        Ok(Request { bytes: request.to_der()?, hash: Hash::Sha256, imprint, nonce })
    }

    /// Parses a request that was created earlier.
    ///
    /// # Errors
    /// If it is not one.
    pub fn parse(bytes: &[u8]) -> Result<Request, Error> {
        let request =
            TimeStampReq::from_der(bytes).map_err(|error| Error::Request(RequestFault::Der(error)))?;
        let hash = hash(&request.message_imprint.hash_algorithm);
        Ok(Request {
            bytes: bytes.to_vec(),
            hash: hash.map_err(|error| Error::Request(RequestFault::Hash(error)))?,
            imprint: request.message_imprint.hashed_message.as_bytes().to_vec(),
            nonce: request.nonce.map(|nonce| nonce.as_bytes().to_vec()),
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
        assert_ne!(Request::new(&mut message).unwrap().nonce, request.nonce);
        assert!(Request::parse(b"").is_err());
    }
}
