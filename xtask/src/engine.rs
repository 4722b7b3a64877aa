//! The engine's archive and binding in `third_party/v8`.

use crate::{Outcome, workspace};
use sha2::{Digest, Sha256};
use std::fs;
use std::process::Command;

const FOLDER: &str = "third_party/v8";

/// Compares every file that `SHA256SUMS` names with its checksum.
pub(crate) fn check() -> Outcome<String> {
    let sums = workspace::read(&format!("{FOLDER}/SHA256SUMS"))?;
    let entries = parse_sums(&sums)?;
    for (expected, name) in &entries {
        let path = workspace::root().join(FOLDER).join(name);
        let bytes = fs::read(&path).map_err(|error| format!("{FOLDER}/{name}: {error}"))?;
        let actual = hex(&Sha256::digest(&bytes));
        if &actual != expected {
            return Err(format!("{FOLDER}/{name}: SHA-256 is {actual}, SHA256SUMS says {expected}"));
        }
    }
    Ok(format!("{} files of {FOLDER} match SHA256SUMS", entries.len()))
}

/// Runs the recipe that makes the files from source. `folder` takes what it unpacks and builds, about 25 GB.
pub(crate) fn build(folder: &str) -> Outcome {
    let script = workspace::root().join(FOLDER).join("build.sh");
    let status = Command::new(&script)
        .arg(folder)
        // The script sets its own; this process was started with the workspace's.
        .env_remove("RUSTY_V8_MIRROR")
        .env_remove("RUSTY_V8_MIRROR_FALLBACK")
        .status()
        .map_err(|error| format!("{}: {error}", script.display()))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", script.display())) }
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The lines of `sha256sum`: digest, two blanks, file name.
fn parse_sums(text: &str) -> Outcome<Vec<(String, String)>> {
    let entries: Vec<_> = text
        .lines()
        .map(|line| match line.split_once("  ") {
            Some((digest, name)) if digest.len() == 64 => Ok((digest.to_owned(), name.to_owned())),
            _ => Err(format!("{FOLDER}/SHA256SUMS: not a checksum line: {line}")),
        })
        .collect::<Outcome<_>>()?;
    if entries.is_empty() { Err(format!("{FOLDER}/SHA256SUMS names no file")) } else { Ok(entries) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_lines_are_digest_and_name() {
        let digest = "a".repeat(64);
        let parsed = parse_sums(&format!("{digest}  lib.a.gz\n")).unwrap();
        assert_eq!(parsed, [(digest, "lib.a.gz".to_owned())]);
        assert!(parse_sums("").unwrap_err().contains("names no file"));
        assert!(parse_sums("abc  file").unwrap_err().contains("not a checksum line"));
    }
}
