//! A worker for hosts whose own executable cannot be one: tests, and programs whose `main` is not theirs.

fn main() -> std::process::ExitCode {
    codemode_executor::run_worker_if_requested();
    eprintln!("codemode-worker is started by an executor and does nothing by itself.");
    std::process::ExitCode::from(2)
}
