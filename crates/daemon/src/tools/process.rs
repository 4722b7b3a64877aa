//! The process behind the command, from its start to its end.

use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::line::Answer;
use super::pending::{CommandEnded, Pending};
use super::{Calls, LINE_LIMIT_BYTES};

/// How long a command that is about to end is given: to exit once its input is closed, and again once it was asked to
/// terminate; and its last answers to arrive once it has exited.
const LINGER: Duration = Duration::from_millis(500);

/// How much of a line that is no answer the reason shows, in characters.
const SHOWN_CHARS: usize = 200;

/// Kills the group it is given once its input ends without a word.
const GUARD: &str = "read -r word || kill -s KILL -- \"-$1\"";

/// A shell that runs the command.
pub(super) struct Process {
    child: Child,
    guard: Child,
    group: Option<Pid>,
    input: ChildStdin,
    output: ChildStdout,
}

/// Starts the command in a process group of its own, so that it ends as a whole and gets no Ctrl-C but through us.
pub(super) fn spawn(command: &str) -> io::Result<Process> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (input, output) = pipes.ok_or_else(|| io::Error::other("the pipes of the command are missing"))?;
    let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
    let guard = guard(group)?;
    Ok(Process { child, guard, group, input, output })
}

/// Starts what ends the group should this process be killed: a process that holds the other end of a pipe of ours.
fn guard(group: Option<Pid>) -> io::Result<Child> {
    let group = group.ok_or_else(|| io::Error::other("the command has no number"))?;
    Command::new("sh")
        .args(["-c", GUARD, "guard", &group.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

/// Tells the guard that the group has ended by itself.
async fn dismiss(mut guard: Child) {
    if let Some(mut input) = guard.stdin.take() {
        // A guard that is gone needs no word.
        _ = input.write_all(b"over\n").await;
    }
    _ = guard.wait().await;
}

/// Serves calls until the command ends or is stopped, and ends it.
pub(super) async fn supervise(
    process: Process,
    calls: Arc<Calls>,
    unwritten: mpsc::Receiver<String>,
    stopped: oneshot::Receiver<()>,
) {
    let Process { mut child, guard, group, input, output } = process;
    let reason = serve(&mut child, input, output, &calls.pending, unwritten, stopped).await;
    // Whoever waits learns the reason before the command is done dying.
    let lingers = reason == CommandEnded::Stopped;
    calls.pending.end(reason);
    end(child, group, lingers).await;
    dismiss(guard).await;
}

/// The reason why the command serves no more calls. Its input is closed on return.
async fn serve(
    child: &mut Child,
    input: ChildStdin,
    output: ChildStdout,
    pending: &Pending,
    unwritten: mpsc::Receiver<String>,
    stopped: oneshot::Receiver<()>,
) -> CommandEnded {
    let reading = read_answers(output, pending);
    tokio::pin!(reading);
    let ended = tokio::select! {
        // What was answered before the end counts, so the answers come first.
        biased;
        ended = &mut reading => ended,
        () = write_calls(input, unwritten) => CommandEnded::ClosedInput,
        status = child.wait() => {
            let ended = exited(status);
            return match timeout(LINGER, &mut reading).await {
                Ok(CommandEnded::ClosedOutput) | Err(_) => ended,
                Ok(breach) => breach,
            };
        }
        _ = stopped => CommandEnded::Stopped,
    };
    if !matches!(ended, CommandEnded::ClosedOutput | CommandEnded::ClosedInput) {
        return ended;
    }
    // Closed pipes are how an exit shows first.
    timeout(LINGER, child.wait()).await.map_or(ended, exited)
}

fn exited(status: io::Result<std::process::ExitStatus>) -> CommandEnded {
    match status {
        Ok(status) => CommandEnded::Exited { how: status.to_string() },
        Err(error) => CommandEnded::Unreadable { detail: error.to_string() },
    }
}

/// Writes calls until the command takes no more.
async fn write_calls(mut input: ChildStdin, mut unwritten: mpsc::Receiver<String>) {
    while let Some(line) = unwritten.recv().await {
        if input.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Hands answers to those who wait until the output ends or is none any more.
async fn read_answers(output: ChildStdout, pending: &Pending) -> CommandEnded {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut bounded = (&mut output).take(LINE_LIMIT_BYTES as u64 + 1);
        match bounded.read_until(b'\n', &mut line).await {
            Ok(0) => return CommandEnded::ClosedOutput,
            Ok(_) if line.len() > LINE_LIMIT_BYTES => return CommandEnded::LineTooLong,
            Ok(_) => {}
            Err(error) => return CommandEnded::Unreadable { detail: error.to_string() },
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answered = match Answer::read(&line) {
            Ok(answer) => pending.answer(answer),
            Err(detail) => Err(CommandEnded::NotAnAnswer { detail, line: shown(&line) }),
        };
        if let Err(breach) = answered {
            return breach;
        }
    }
}

/// The beginning of a line, for people.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line.trim_ascii());
    let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Ends every process of the group.
async fn end(mut child: Child, group: Option<Pid>, lingers: bool) {
    let is_over = lingers && timeout(LINGER, child.wait()).await.is_ok();
    if !is_over {
        signal(group, Signal::SIGTERM);
        // The next step follows either way.
        _ = timeout(LINGER, child.wait()).await;
    }
    // The shell may be gone and what it started still there.
    signal(group, Signal::SIGKILL);
    _ = child.wait().await;
}

fn signal(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        // A group without processes is what is wanted.
        _ = killpg(group, signal);
    }
}
