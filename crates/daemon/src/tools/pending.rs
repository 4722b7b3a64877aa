//! The calls that wait for an answer, and why none comes any more.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use thiserror::Error;
use tokio::sync::oneshot;

use super::LINE_LIMIT_BYTES;
use super::line::Answer;

/// Why a command serves no more calls.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandEnded {
    /// It exited, or a signal ended it.
    #[error("The tool command ended ({how}) and serves no more calls.")]
    Exited {
        /// The status as the system tells it.
        how: String,
    },
    /// It closed its standard output and goes on.
    #[error("The tool command closed its standard output and serves no more calls.")]
    ClosedOutput,
    /// It closed its standard input and goes on.
    #[error("The tool command closed its standard input and serves no more calls.")]
    ClosedInput,
    /// It wrote something else than an answer.
    #[error(
        "The tool command wrote a line that is no answer and was ended. Its standard output is for answers alone. \
         {detail}: {line}"
    )]
    NotAnAnswer {
        /// What is wrong.
        detail: String,
        /// How the line begins.
        line: String,
    },
    /// It answered a call that does not exist or is answered already.
    #[error("The tool command answered call {id}, which is not waiting for an answer, and was ended.")]
    UnknownCall {
        /// The number it gave.
        id: u64,
    },
    /// It wrote a line that does not end.
    #[error("The tool command wrote a line of more than {LINE_LIMIT_BYTES} bytes and was ended.")]
    LineTooLong,
    /// Its output could not be read.
    #[error("The output of the tool command could not be read: {detail}")]
    Unreadable {
        /// What the system says.
        detail: String,
    },
    /// The run is over.
    #[error("The tool command was ended with its run.")]
    Stopped,
}

/// What a call gets: its answer, or the reason why there is none.
pub(super) type Answered = Result<Answer, CommandEnded>;

/// The calls that wait.
#[derive(Default)]
pub(super) struct Pending(Mutex<State>);

#[derive(Default)]
struct State {
    last_id: u64,
    waiting: HashMap<u64, oneshot::Sender<Answered>>,
    ended: Option<CommandEnded>,
}

impl Pending {
    /// A number for one more call, and its answer.
    ///
    /// # Errors
    /// The reason when the command serves no more calls.
    pub(super) fn register(&self) -> Result<(u64, oneshot::Receiver<Answered>), CommandEnded> {
        let mut state = self.lock();
        if let Some(ended) = &state.ended {
            return Err(ended.clone());
        }
        state.last_id += 1;
        let id = state.last_id;
        let (sender, answer) = oneshot::channel();
        state.waiting.insert(id, sender);
        Ok((id, answer))
    }

    /// Hands an answer to the call that waits for it.
    ///
    /// # Errors
    /// [`CommandEnded::UnknownCall`] when none does.
    pub(super) fn answer(&self, answer: Answer) -> Result<(), CommandEnded> {
        let id = answer.id;
        let waiting = self.lock().waiting.remove(&id).ok_or(CommandEnded::UnknownCall { id })?;
        // A call that was given up wants no answer.
        _ = waiting.send(Ok(answer));
        Ok(())
    }

    /// Fails every call that waits and every call to come. The first reason stays.
    pub(super) fn end(&self, reason: CommandEnded) {
        let mut state = self.lock();
        let reason = state.ended.get_or_insert(reason).clone();
        for (_, waiting) in state.waiting.drain() {
            _ = waiting.send(Err(reason.clone()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
