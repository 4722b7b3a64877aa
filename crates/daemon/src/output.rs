//! Standard output and standard error, written by one thread, so that no reader of either holds up a run.

mod text;

use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::mpsc;
use std::thread;

use codemode_protocol::{ExecuteResult, Fault, LogLevel, LogLine};
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use tokio::sync::oneshot;

use crate::Status;
use crate::interrupt::Interrupt;
use text::{block, unmistakable, visible, visible_json};

/// Takes what is to be written, in order, and never blocks. Console lines are bounded by the capture of their run.
#[derive(Clone)]
pub(crate) struct Output(mpsc::Sender<Piece>);

/// Tells when everything is written.
pub(crate) struct Written(oneshot::Receiver<io::Result<()>>);

enum Piece {
    Out(String),
    Error(String),
    End,
}

/// Starts the thread that writes.
pub(crate) fn start() -> io::Result<(Output, Written)> {
    let (sender, pieces) = mpsc::channel();
    let (done, written) = oneshot::channel();
    // The thread is not waited for: a reader that does not read must not keep an interrupted process.
    thread::Builder::new().name("output".to_owned()).spawn(move || done.send(write(&pieces)))?;
    Ok((Output(sender), Written(written)))
}

/// Writes until the end is announced. A standard error that is gone changes nothing; of standard output the first
/// failure counts.
fn write(pieces: &mpsc::Receiver<Piece>) -> io::Result<()> {
    let mut outcome = Ok(());
    let is_closed = was_closed(io::stdout().as_fd());
    for piece in pieces {
        match piece {
            Piece::Out(_) if is_closed => outcome = Err(io::Error::other("it is closed")),
            Piece::Out(text) => {
                let mut stdout = io::stdout().lock();
                outcome =
                    outcome.and_then(|()| stdout.write_all(text.as_bytes())).and_then(|()| stdout.flush());
            }
            Piece::Error(text) => _ = io::stderr().write_all(text.as_bytes()),
            Piece::End => break,
        }
    }
    outcome
}

/// Whether a standard descriptor was closed when this process began. The start of a Rust program puts `/dev/null` in
/// the place of such a one, open both ways, as no shell opens an output.
fn was_closed(descriptor: BorrowedFd<'_>) -> bool {
    let null = nix::sys::stat::stat("/dev/null").map(|null| null.st_rdev);
    let here = nix::sys::stat::fstat(descriptor).map(|here| here.st_rdev);
    let flags = fcntl(descriptor, FcntlArg::F_GETFL).map(OFlag::from_bits_truncate);
    match (null, here, flags) {
        (Ok(null), Ok(here), Ok(flags)) => null == here && flags & OFlag::O_ACCMODE == OFlag::O_RDWR,
        _ => false,
    }
}

impl Output {
    /// A line of JSON on standard output.
    pub(crate) fn json(&self, json: &str) {
        self.send(Piece::Out(visible_json(json) + "\n"));
    }

    /// Text on standard output, as it is.
    pub(crate) fn text(&self, text: String) {
        self.send(Piece::Out(text));
    }

    /// Text and a line break on standard error.
    pub(crate) fn error_line(&self, text: &str) {
        self.send(Piece::Error(visible(text) + "\n"));
    }

    /// A console line, as soon as it is there.
    pub(crate) fn log(&self, line: &LogLine) {
        match line.level {
            // Further lines of one text are indented, as in every block, so that none of them can pass for a line of ours.
            LogLevel::Log => self.error_line(&block(&unmistakable(&line.text))),
            LogLevel::Warn | LogLevel::Error => {
                self.error_line(&block(&format!("[{}] {}", line.level.as_str(), line.text)));
            }
        }
    }

    /// What a run came to, for people: the value on standard output, or the error on standard error.
    ///
    /// A hint goes below the error. It is ours and no part of the error's text.
    pub(crate) fn outcome(&self, outcome: &ExecuteResult, hint: Option<&str>) {
        if let Some(error) = &outcome.error {
            let kind = outcome.kind.map_or("thrown", |kind| kind.as_str());
            self.error_line(&block(&format!("failed ({kind}): {error}")));
            if let Some(hint) = hint {
                self.error_line(&format!("hint: {hint}"));
            }
        } else if let Some(value) = &outcome.result {
            self.json(&value.to_json_pretty());
        }
    }

    /// A fault, for people.
    pub(crate) fn fault(&self, fault: &Fault) {
        let mut text = format!("fault {}: {}", fault.code, fault.message);
        for cause in &fault.causes {
            text.push_str(&format!("\ncause: {cause}"));
        }
        text.push_str(&match (fault.started, fault.tool_calls_completed) {
            (false, _) => "\nThe program had not begun.".to_owned(),
            (true, calls) => format!("\nThe program had begun; tool calls answered by then: {calls}."),
        });
        if fault.retryable() {
            text.push_str("\nThe same run may succeed when it is tried again.");
        }
        self.error_line(&block(&text));
    }

    fn send(&self, piece: Piece) {
        // The thread ends only after the end was announced, and then nothing is left to say.
        _ = self.0.send(piece);
    }
}

impl Written {
    /// Waits until everything is written, and answers how the command ended then.
    ///
    /// A reader that went away has read what it wanted, so a closed pipe changes nothing. Any other failure to write
    /// is one, since the result is lost.
    pub(crate) async fn wait(self, output: &Output, status: Status) -> Status {
        output.send(Piece::End);
        let written = match Interrupt::listen() {
            Ok(mut interrupt) => tokio::select! {
                written = self.0 => written,
                status = interrupt.wait() => return status,
            },
            Err(_) => self.0.await,
        };
        match written {
            Ok(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => {
                _ = writeln!(io::stderr(), "error: cannot write to standard output: {error}");
                Status::Fault
            }
            _ => status,
        }
    }
}
