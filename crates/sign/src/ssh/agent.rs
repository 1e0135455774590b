//! Keys in an agent, which signs without revealing the private key.

use crate::error::{AgentTask, Error};
use ssh_agent_client_rs::{Client, Identity};
use ssh_key::public::KeyData;
use ssh_key::{PublicKey, Signature};
use std::path::Path;

/// A connection to an agent.
pub struct Agent(Client);

impl Agent {
    /// Connects to the agent at this socket (`SSH_AUTH_SOCK`).
    ///
    /// # Errors
    /// If there is none.
    pub fn connect(socket: &Path) -> Result<Agent, Error> {
        Client::connect(socket).map(Agent).map_err(|source| Error::Agent { task: AgentTask::Connect, source })
    }

    /// Returns its keys with their comments, without certificates.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn keys(&mut self) -> Result<Vec<(KeyData, String)>, Error> {
        let identities = self.0.list_all_identities();
        let identities = identities.map_err(|source| Error::Agent { task: AgentTask::List, source })?;
        let keys = identities.iter().filter_map(|identity| match identity {
            Identity::PublicKey(key) => Some((key.key_data().clone(), key.comment().to_string())),
            Identity::Certificate(_) => None,
        });
        Ok(keys.collect())
    }

    pub(crate) fn sign(&mut self, key: &KeyData, bytes: &[u8]) -> Result<Signature, Error> {
        let key = PublicKey::from(key.clone());
        self.0.sign(&key, bytes).map_err(|source| Error::Agent { task: AgentTask::Sign, source })
    }
}
