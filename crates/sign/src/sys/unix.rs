//! The agent's socket.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// A connection to an agent.
pub(crate) type AgentStream = UnixStream;

/// Connects to the agent that listens at a socket.
pub(crate) fn connect_agent(path: &Path) -> io::Result<AgentStream> {
    UnixStream::connect(path)
}
