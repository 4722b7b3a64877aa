//! Generators and the gate of the workspace, run as `cargo xtask VERB`.
//!
//! Every generator has two modes: it writes, or with `--check` it says whether what is committed is what it would
//! write. `verify` is what a developer and a continuous build both run.
#![forbid(unsafe_code)]

mod bench;
mod bundle;
mod engine;
mod test262;
mod verify;
mod workspace;
mod wpt;

use std::process::ExitCode;

/// What went wrong, in words for whoever called.
type Outcome<T = ()> = Result<T, String>;

const USAGE: &str = "\
usage: cargo xtask VERB

  bundle [--check]         write crates/runtime/src/bundle.generated.js from crates/runtime/js
  v8 [--check]             compare the engine's files with third_party/v8/SHA256SUMS
  v8 --build WORKDIR       build the engine's archive from source (an hour)
  verify [STEP...]         run the gate, or only the steps named";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Outcome {
    match words {
        ["bundle"] => bundle::write().map(|summary| println!("{summary}")),
        ["bundle", "--check"] => bundle::check(),
        ["v8"] | ["v8", "--check"] => engine::check().map(|summary| println!("{summary}")),
        ["v8", "--build", folder] => engine::build(folder),
        ["verify", steps @ ..] => verify::run(steps),
        ["bench", words @ ..] => bench::run(words),
        ["wpt", words @ ..] => wpt::run(words),
        ["test262", words @ ..] => test262::run(words),
        _ => Err(format!(
            "{USAGE}\n{}\n{}\n{}\n\nsteps of verify: {}",
            bench::USAGE,
            wpt::USAGE,
            test262::USAGE,
            verify::step_names().join(" ")
        )),
    }
}
