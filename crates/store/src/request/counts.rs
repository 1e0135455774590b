//! Counters of requests by kind, and of bytes received and sent.

/// Kinds of requests, as providers charge for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestKind {
    /// A page of a listing.
    List,
    /// The metadata of an object, without its bytes.
    Head,
    /// Bytes of an object.
    Get,
    /// Writing an object, or a part of one.
    Put,
    /// Any other request.
    Other,
}

/// The requests and bytes so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests by kind, in the order of [`RequestKind::ALL`], repetitions included.
    pub requests: [u64; RequestKind::ALL.len()],
    /// Requests that were repeated.
    pub retries: u64,
    /// Bytes of bodies received.
    pub received: u64,
    /// Bytes of bodies sent.
    pub sent: u64,
}

impl RequestKind {
    /// All kinds.
    pub const ALL: [RequestKind; 5] =
        [RequestKind::List, RequestKind::Head, RequestKind::Get, RequestKind::Put, RequestKind::Other];

    /// Returns its name, for people and programs.
    pub fn name(self) -> &'static str {
        match self {
            RequestKind::List => "list",
            RequestKind::Head => "head",
            RequestKind::Get => "get",
            RequestKind::Put => "put",
            RequestKind::Other => "other",
        }
    }
}

impl Counts {
    /// Returns the number of requests of one kind.
    pub fn count(&self, kind: RequestKind) -> u64 {
        self.requests[kind as usize]
    }

    /// Returns the number of all requests.
    pub fn all(&self) -> u64 {
        self.requests.iter().sum()
    }

    /// Adds other counts to these.
    pub fn and(self, other: Counts) -> Counts {
        Counts {
            requests: std::array::from_fn(|kind| self.requests[kind] + other.requests[kind]),
            retries: self.retries + other.retries,
            received: self.received + other.received,
            sent: self.sent + other.sent,
        }
    }
}
