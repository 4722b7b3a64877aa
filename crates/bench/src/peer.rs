//! The peer: a pool of child processes on isolated-vm, driven by Node with the same programs.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::memory::{Memory, WORKERS};

/// What the peer measured of itself.
#[derive(Clone, Debug, Default)]
pub struct Peer {
    /// Its versions.
    pub versions: String,
    /// Nothing started to the first result, p50.
    pub cold_ms: f64,
    /// Runs with pauses between them: p50 and p99.
    pub paced_ms: [f64; 2],
    /// Runs one after another: p50 and p99.
    pub warm_ms: [f64; 2],
    /// One tool call.
    pub tool_call_ms: f64,
    /// Runs a second at 1, 2, 4 and 8 at a time.
    pub runs_per_second: Vec<f64>,
    /// What its processes take, by how many there are.
    pub memory: BTreeMap<usize, Memory>,
}

impl Peer {
    /// Runs the peer in `folder`, where `cargo xtask bench` has installed it. `program` is what the processes run whose
    /// memory is looked at.
    ///
    /// # Errors
    /// What went wrong, in words.
    pub fn measure(folder: &Path, scale: f64, program: &str) -> Result<Self, String> {
        let output = Command::new("node")
            .arg("pool.mjs")
            .args([scale.to_string().as_str(), program])
            .args(WORKERS.map(|workers| workers.to_string()))
            .current_dir(folder)
            .output()
            .map_err(|error| format!("node: {error}"))?;
        if !output.status.success() {
            return Err(format!("the peer: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let figures: Value =
            serde_json::from_slice(&output.stdout).map_err(|error| format!("the peer's figures: {error}"))?;
        Ok(Self::read(&figures))
    }

    fn read(figures: &Value) -> Self {
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let pair = |value: &Value| [number(&value["p50"]), number(&value["p99"])];
        let numbers = |value: &Value| -> Vec<f64> {
            value.as_array().map(|list| list.iter().map(number).collect()).unwrap_or_default()
        };
        let mean_mib = |value: &Value| {
            let kib = numbers(value);
            kib.iter().sum::<f64>() / kib.len().max(1) as f64 / 1024.0
        };
        let memory = |value: &Value| Memory {
            idle: mean_mib(&value["idleKib"]),
            running: mean_mib(&value["runningKib"]),
            idle_private: mean_mib(&value["idlePrivateKib"]),
            running_private: mean_mib(&value["runningPrivateKib"]),
            template: 0.0,
        };
        let of = |workers: usize| (workers, memory(&figures["memory"][workers.to_string()]));
        let text = |key: &str| figures[key].as_str().unwrap_or("?").to_owned();
        Self {
            versions: format!(
                "Node {}, V8 {}, isolated-vm, {} children",
                text("node"),
                text("engine"),
                figures["children"]
            ),
            cold_ms: number(&figures["coldMs"]),
            paced_ms: pair(&figures["paced"]),
            warm_ms: pair(&figures["warm"]),
            tool_call_ms: number(&figures["toolCallMs"]),
            runs_per_second: numbers(&figures["runsPerSecond"]),
            memory: WORKERS.into_iter().map(of).collect(),
        }
    }
}
