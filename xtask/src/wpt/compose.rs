//! From a test file of the suite to the programs that run it, one for each variant.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::Outcome;

const ORIGIN: &str = "http://web-platform.test:8000";

/// How long a program waits before it says what it has. The derivation of keys is slow on a machine that does more.
const LIMIT_MS: u64 = 240_000;

/// What every program is made of, read once.
pub(super) struct Composer {
    suite: PathBuf,
    shim: String,
    harness: String,
}

impl Composer {
    pub(super) fn new(suite: &Path, shim: String) -> Outcome<Self> {
        let harness = read(&suite.join("resources/testharness.js"))?;
        Ok(Self { suite: suite.to_path_buf(), shim, harness })
    }

    /// The programs of the test file at `path`: bodies of asynchronous functions.
    pub(super) fn programs(&self, path: &str) -> Outcome<Vec<String>> {
        let file = substituted(path, read(&self.suite.join(path))?);
        let meta = Meta::of(&file);
        let scripts = meta.scripts.iter().map(|name| self.script(path, name)).collect::<Outcome<Vec<_>>>()?;
        let program = |variant: &String| {
            let settings = json!({
                "url": format!("{ORIGIN}/{path}{variant}"),
                "base": !path.contains("idlharness"),
                "limitMs": LIMIT_MS,
                "harness": self.harness,
                "scripts": scripts,
                "file": file,
            });
            format!("return await ({})({settings});", self.shim.trim_end())
        };
        Ok(meta.variants.iter().map(program).collect())
    }

    fn script(&self, from: &str, name: &str) -> Outcome<String> {
        let path = match name.strip_prefix('/') {
            // The suite's server makes one of the other.
            Some("resources/WebIDLParser.js") => self.suite.join("resources/webidl2/lib/webidl2.js"),
            Some(rest) => self.suite.join(rest),
            None => self.suite.join(from).parent().expect("a file has a folder").join(name),
        };
        Ok(substituted(name, read(&path)?))
    }
}

/// What the comments at the head of a file ask for.
#[derive(Debug, PartialEq, Eq)]
struct Meta {
    scripts: Vec<String>,
    variants: Vec<String>,
}

impl Meta {
    fn of(text: &str) -> Self {
        let mut meta = Self { scripts: Vec::new(), variants: Vec::new() };
        for line in text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with("//")) {
            let Some((key, value)) = line
                .trim_start_matches('/')
                .trim_start()
                .strip_prefix("META:")
                .and_then(|rest| rest.split_once('='))
            else {
                continue;
            };
            match key.trim() {
                "script" => meta.scripts.push(value.trim().to_owned()),
                "variant" => meta.variants.push(value.trim().to_owned()),
                _ => {}
            }
        }
        if meta.variants.is_empty() {
            meta.variants.push(String::new());
        }
        meta
    }
}

/// What the suite's server would write into a file named `.sub.`.
fn substituted(name: &str, text: String) -> String {
    if !name.contains(".sub.") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((key, behind)) = after.split_once("}}") else { break };
        out.push_str(before);
        out.push_str(match key {
            "host" => "web-platform.test",
            key if key.starts_with("ports[https") => "8443",
            key if key.starts_with("ports[") => "8000",
            _ => "www1.web-platform.test",
        });
        rest = behind;
    }
    out.push_str(rest);
    out
}

fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_file_says_what_it_needs() {
        let meta = Meta::of(
            "// META: title=x\n// META: script=/common/gc.js\n//META: variant=?1-10\n\n'use strict';\n// META: script=no",
        );
        assert_eq!(meta.scripts, ["/common/gc.js"]);
        assert_eq!(meta.variants, ["?1-10"]);
        assert_eq!(Meta::of("test()").variants, [""]);
    }

    #[test]
    fn only_files_that_ask_for_it_are_written_into() {
        let text = "a {{host}}:{{ports[http][0]}} {{ports[https][0]}} {{domains[www1]}} {{".to_owned();
        let written = "a web-platform.test:8000 8443 www1.web-platform.test {{";
        assert_eq!(substituted("x.sub.js", text.clone()), written);
        assert_eq!(substituted("x.js", text.clone()), text);
    }
}
