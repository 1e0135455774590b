//! The agent's named pipe.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;

/// A connection to an agent.
pub(crate) type AgentStream = File;

/// SECURITY_IDENTIFICATION: the agent may learn which user connects, and not act as that user.
const IDENTIFICATION: u32 = 0x0001_0000;

/// Connects to the agent that listens at a named pipe (`\\.\pipe\openssh-ssh-agent`).
pub(crate) fn connect_agent(path: &Path) -> io::Result<AgentStream> {
    OpenOptions::new().read(true).write(true).security_qos_flags(IDENTIFICATION).open(path)
}
