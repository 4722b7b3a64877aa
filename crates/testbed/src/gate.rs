//! Gates: how a case makes things happen in an order, without waiting for time to pass.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// The gates of one case by name. All are shut until somebody opens them, and none is shut again.
#[derive(Clone, Debug, Default)]
pub struct Gates(Arc<Mutex<HashMap<String, watch::Sender<bool>>>>);

impl Gates {
    /// Opens a gate.
    pub fn open(&self, name: &str) {
        self.gate(name).send_replace(true);
    }

    /// Waits until a gate is open.
    pub async fn passed(&self, name: &str) {
        let gate = self.gate(name);
        // The sender is held here, so that waiting ends by an open gate alone.
        let _ = gate.subscribe().wait_for(|open| *open).await;
    }

    fn gate(&self, name: &str) -> watch::Sender<bool> {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        gates.entry(name.to_owned()).or_insert_with(|| watch::channel(false).0).clone()
    }
}
