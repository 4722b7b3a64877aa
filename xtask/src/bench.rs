//! `cargo xtask bench`: the figures of the executor, beside those of a pool on Node.
//!
//! This crate links no engine: it puts the peer in place and runs the measuring program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, workspace};

pub(crate) const USAGE: &str = "\
  bench [--no-peer] [--no-bounds]
                           the table of figures beside a pool on Node and isolated-vm, then how exactly bounds are kept";

/// The peer's own files. `package.json` says which package at which version it needs.
const PEER: &str = "crates/bench/peer";
const PEER_FILES: [&str; 3] = ["package.json", "pool.mjs", "child.mjs"];

/// Prints the figures.
pub(crate) fn run(words: &[&str]) -> Outcome {
    if let Some(unknown) = words.iter().find(|word| !["--no-peer", "--no-bounds"].contains(word)) {
        return Err(format!("{unknown} is none of\n{USAGE}"));
    }
    let peer = if words.contains(&"--no-peer") { None } else { install_peer().map_err(report_missing).ok() };
    let program = build()?;
    let mut table = Command::new(&program);
    if let Some(folder) = &peer {
        table.arg("--peer").arg(folder);
    }
    check(&mut table, "the table")?;
    if words.contains(&"--no-bounds") {
        return Ok(());
    }
    check(Command::new(&program).arg("bounds"), "the bounds")
}

fn report_missing(problem: String) {
    eprintln!("There is no peer to compare with: {problem}");
}

/// Puts the peer into the build folder, once for each version of its package.
fn install_peer() -> Outcome<PathBuf> {
    let (source, folder) = (workspace::root().join(PEER), workspace::root().join("target/bench-peer"));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for file in PEER_FILES {
        fs::copy(source.join(file), folder.join(file)).map_err(|error| format!("{file}: {error}"))?;
    }
    if !works(&folder) {
        // It is a native module: its own script fetches one for this Node, or compiles it.
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund"]).current_dir(&folder);
        check(&mut install, "npm install")?;
        if !works(&folder) {
            return Err("isolated-vm is installed and does not load in this Node".to_owned());
        }
    }
    Ok(folder)
}

/// Whether Node loads the package in the version that is asked for.
fn works(folder: &Path) -> bool {
    let probe = "
        const wanted = require('./package.json').dependencies['isolated-vm'];
        const found = require('isolated-vm/package.json').version;
        new (require('isolated-vm').Isolate)().dispose();
        process.exit(wanted === found ? 0 : 1);
    ";
    let status = Command::new("node").args(["--no-node-snapshot", "-e", probe]).current_dir(folder).output();
    status.is_ok_and(|output| output.status.success())
}

fn build() -> Outcome<PathBuf> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--quiet", "--package", "codemode-bench", "--bin", "codemode-bench"]);
    check(cargo.current_dir(workspace::root()), "the build")?;
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace::root().join("target"), |folder| workspace::root().join(folder));
    Ok(target.join("release/codemode-bench"))
}

fn check(command: &mut Command, what: &str) -> Outcome {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what}: {status}")),
        Err(error) => Err(format!("{what}: {error}")),
    }
}
