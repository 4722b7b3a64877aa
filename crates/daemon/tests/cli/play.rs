//! Runs one case.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::case::{self, Case, Sink};

/// A case that takes longer hangs.
const DEADLINE: Duration = Duration::from_secs(60);

/// What came of a case.
pub(crate) struct Outcome {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    /// The folder in which the binary ran.
    pub(crate) folder: PathBuf,
}

/// Starts the binary and waits for its end.
pub(crate) fn play(table: &str, case: &Case) -> Result<Outcome, String> {
    let folder = folder(table, case);
    let mut child = command(case, &folder).spawn().map_err(|error| error.to_string())?;
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());

    let mut stdin = child.stdin.take().unwrap();
    let input = case.stdin.clone();
    // A binary that does not read its input is no failure of the case.
    thread::spawn(move || stdin.write_all(input.as_bytes()));
    let stdout = if case.stdout_to.is_some() {
        // The reading end of the pipe, where there is one, closes here.
        drop(child.stdout.take());
        None
    } else {
        child.stdout.take()
    };
    let stdout = thread::spawn(move || stdout.map(read_all).unwrap_or_default());
    let (stderr, signal) = (child.stderr.take().unwrap(), case.signal.clone());
    let stderr = thread::spawn(move || read_lines(stderr, pid, signal));

    let status = wait(child, pid)?;
    Ok(Outcome { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap(), folder })
}

/// A folder of the case's own, with its files in it.
fn folder(table: &str, case: &Case) -> PathBuf {
    let name: String = case.name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(table).join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let files = case.files.iter().map(|(name, text)| (name, text.as_bytes()));
    for (name, content) in files.chain(case.bytes.iter().map(|(name, bytes)| (name, &bytes[..]))) {
        fs::write(folder.join(name), content).unwrap();
    }
    folder
}

fn command(case: &Case, folder: &Path) -> Command {
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let binary = env!("CARGO_BIN_EXE_codemode");
    let mut command = match &case.through {
        Some(text) => {
            let mut command = Command::new("sh");
            command.args(["-c", text, binary]);
            command
        }
        None => Command::new(binary),
    };
    let stdout = match case.stdout_to {
        Some(Sink::Full) => File::options().write(true).open("/dev/full").unwrap().into(),
        Some(Sink::Closed) | None => Stdio::piped(),
    };
    command.args(case.args.iter().map(|arg| arg.replace("{repository}", repository)));
    command.current_dir(folder).stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped());
    command
}

/// Waits for the end, and ends what does not.
fn wait(mut child: Child, pid: Pid) -> Result<ExitStatus, String> {
    let (ended, end) = mpsc::channel();
    thread::spawn(move || ended.send(child.wait()));
    match end.recv_timeout(DEADLINE) {
        Ok(status) => status.map_err(|error| error.to_string()),
        Err(_) => {
            _ = kill(pid, Signal::SIGKILL);
            Err(format!("still running after {DEADLINE:?}"))
        }
    }
}

fn read_all(mut source: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).unwrap();
    bytes
}

/// All lines, and the signal once its line has come.
fn read_lines(stderr: ChildStderr, pid: Pid, mut signal: Option<case::Signal>) -> String {
    let mut text = String::new();
    for line in BufReader::new(stderr).lines() {
        let line = line.unwrap();
        if let Some(signal) = signal.take_if(|signal| signal.after == line) {
            kill(pid, format!("SIG{}", signal.name).parse::<Signal>().unwrap()).unwrap();
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}
