//! A command that serves tool calls: JSON lines on its standard input and output.
//!
//! The command is started once. A call is one line, `{"id":1,"provider":"store","tool":"listOrders","args":["ada"]}`,
//! and its answer another, `{"id":1,"result":…}` or `{"id":1,"error":"…"}`, in any order. Values pass through as the
//! JSON they are, bytes in their tagged envelope. A line without `result` and `error` answers `undefined`.
//!
//! Standard output of the command is for answers alone. A line that is none, an answer to a call that does not wait,
//! and a line past the payload bound end the command, since nobody could tell any more which calls still get an
//! answer. From the end of the command on, whatever its reason, the calls that wait and all that come fail with a text
//! that names the reason. Standard error of the command is ours.

mod line;
mod pending;
mod process;

use std::sync::Arc;

use codemode_protocol::{BoxFuture, Dispatch, ToolCall, defaults};
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

pub use pending::CommandEnded;
use pending::Pending;

/// Longest line of the command, in bytes: an answer at the payload bound, and what is around it.
const LINE_LIMIT_BYTES: usize = defaults::PAYLOAD_LIMIT_BYTES + 1024;

/// Calls that wait to be written before the next one has to wait itself.
const UNWRITTEN_CALLS: usize = 16;

/// The command could not be started.
#[derive(Debug, Error)]
#[error("cannot start the tool command: {0}")]
pub struct StartError(#[from] std::io::Error);

/// A command that is running.
pub struct ToolCommand {
    calls: Arc<Calls>,
    stop: oneshot::Sender<()>,
    supervisor: JoinHandle<()>,
}

impl ToolCommand {
    /// Starts a command through `sh -c`, in a process group of its own. Has to be called within a tokio runtime.
    ///
    /// # Errors
    /// [`StartError`] when there is no shell. What the shell cannot find is an end of the command.
    pub fn start(command: &str) -> Result<Self, StartError> {
        let process = process::spawn(command)?;
        let (lines, unwritten) = mpsc::channel(UNWRITTEN_CALLS);
        let (stop, stopped) = oneshot::channel();
        let calls = Arc::new(Calls { pending: Pending::default(), lines });
        let supervisor = tokio::spawn(process::supervise(process, Arc::clone(&calls), unwritten, stopped));
        Ok(Self { calls, stop, supervisor })
    }

    /// What serves the calls of a program.
    pub fn dispatch(&self) -> impl Dispatch + use<> {
        CommandDispatch(Arc::clone(&self.calls))
    }

    /// Ends the command and every process in its group: closes its standard input, and kills what does not end by
    /// itself soon.
    pub async fn end(self) {
        // The supervisor that is gone has ended the command already.
        _ = self.stop.send(());
        _ = self.supervisor.await;
    }
}

/// The calls that wait, and the way to the command.
struct Calls {
    pending: Pending,
    lines: mpsc::Sender<String>,
}

struct CommandDispatch(Arc<Calls>);

impl Dispatch for CommandDispatch {
    fn call(&self, call: ToolCall) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async move {
            let Calls { pending, lines } = &*self.0;
            let args = line::args(&call)?;
            let (id, answer) = pending.register().map_err(|ended| ended.to_string())?;
            // When the command has ended, the answer says why.
            _ = lines.send(line::call(id, &call, &args)).await;
            match answer.await.unwrap_or(Err(CommandEnded::Stopped)) {
                Ok(answer) => answer.envelope(&call),
                Err(ended) => Err(ended.to_string()),
            }
        })
    }
}
