//! The `codemode` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Workers are this executable started again. Nothing may come before this line.
    codemode_executor::run_worker_if_requested();
    codemode_daemon::main(std::env::args_os())
}
