//! [`CodeCache`]: compiled code of modules, kept by the host for the workers of later runs.
//!
//! A blob of code is trusted by the engine that takes it, so one comes only from a worker that was given that very source
//! and nothing to run, and serves no other source: `docs/decisions/0009` says why. A source that comes for the second
//! time is compiled behind its run. The engine still compares version and flags, and compiles anew where they differ.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use codemode_pool::ipc::frame::{Module, ModuleBody};
use codemode_protocol::defaults::CODE_CACHE_MODULE_BYTES;
use sha2::{Digest, Sha256};

/// SHA-256 of the engine's name, the kind of the module and its source.
pub(crate) type Key = [u8; 32];

/// Sources that are known at the same time, whether their code is kept or not.
const KNOWN_SOURCES: usize = 4_096;

/// Code by source. Bounded in bytes; what was not used for the longest time goes first.
pub(crate) struct CodeCache {
    limit_bytes: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sources: HashMap<Key, Source>,
    bytes: usize,
    uses: u64,
}

struct Source {
    code: Code,
    last_use: u64,
}

enum Code {
    /// It came once.
    Seen,
    /// A worker compiles it.
    Awaited,
    /// It does not compile, or its code is longer than all that may be kept.
    None,
    /// Here it is.
    Kept(Vec<u8>),
}

impl CodeCache {
    /// A cache of at most `limit_bytes` of code. Zero keeps nothing.
    pub(crate) fn new(limit_bytes: usize) -> Self {
        Self { limit_bytes, state: Mutex::default() }
    }

    /// Bytes of code that are kept.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Gives the modules of a run the code that is there. Answers those that came before and have none yet.
    /// `engine` names the engine and is asked only where a module is worth keeping.
    pub(crate) fn fill(&self, engine: impl FnOnce() -> String, modules: &mut [Module]) -> Vec<(Key, Module)> {
        let mut without = Vec::new();
        if self.limit_bytes == 0 || !modules.iter().any(|module| worth_keeping(&module.body).is_some()) {
            return without;
        }
        let engine = engine();
        for module in modules {
            let Some(key) = key_of(&engine, &module.body) else { continue };
            let mut state = self.lock();
            let now = state.next_use();
            match state.sources.get_mut(&key) {
                Some(source) => {
                    source.last_use = now;
                    match &source.code {
                        Code::Kept(code) => module.code_cache = Some(code.clone()),
                        Code::Seen => without.push((key, module.clone())),
                        Code::Awaited | Code::None => {}
                    }
                }
                None => {
                    state.sources.insert(key, Source { code: Code::Seen, last_use: now });
                    state.evict(self.limit_bytes);
                }
            }
        }
        without
    }

    /// Whether the code of that source is to be made now. Says so once.
    pub(crate) fn begin(&self, key: &Key) -> bool {
        match self.lock().sources.get_mut(key) {
            Some(source) if matches!(source.code, Code::Seen) => {
                source.code = Code::Awaited;
                true
            }
            _ => false,
        }
    }

    /// Keeps the code of a source, or that it has none.
    pub(crate) fn keep(&self, key: &Key, code: Option<Vec<u8>>) {
        let mut state = self.lock();
        let Some(source) = state.sources.get_mut(key) else { return };
        match code {
            Some(code) if code.len() <= self.limit_bytes => {
                let bytes = code.len();
                source.code = Code::Kept(code);
                state.bytes += bytes;
                state.evict(self.limit_bytes);
            }
            _ => source.code = Code::None,
        }
    }

    /// The code of a source was not made: it may be tried again.
    pub(crate) fn give_up(&self, key: &Key) {
        if let Some(source) = self.lock().sources.get_mut(key) {
            source.code = Code::Seen;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is complete before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    /// Forgets sources until what is left is within the bounds.
    fn evict(&mut self, limit_bytes: usize) {
        while self.bytes > limit_bytes || self.sources.len() > KNOWN_SOURCES {
            let oldest = self.sources.iter().min_by_key(|(_, source)| source.last_use).map(|(key, _)| *key);
            let Some(source) = oldest.and_then(|key| self.sources.remove(&key)) else { return };
            if let Code::Kept(code) = source.code {
                self.bytes -= code.len();
            }
        }
    }
}

/// Kind and source of a module whose code is worth keeping.
fn worth_keeping(body: &ModuleBody) -> Option<(&'static str, &str)> {
    let (kind, source) = match body {
        ModuleBody::Js(source) => ("js", source),
        ModuleBody::Cjs(source) => ("cjs", source),
        _ => return None,
    };
    (source.len() >= CODE_CACHE_MODULE_BYTES).then_some((kind, source))
}

/// The key of a module that is worth keeping.
fn key_of(engine: &str, body: &ModuleBody) -> Option<Key> {
    let (kind, source) = worth_keeping(body)?;
    let mut hash = Sha256::new();
    for part in [engine, kind] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.update(source);
    Some(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Module {
        let body = ModuleBody::Js(text.repeat(CODE_CACHE_MODULE_BYTES));
        Module { name: "m".to_owned(), body, code_cache: None }
    }

    /// What a run with that module meets: its code, and whether it is to be compiled.
    fn meet(cache: &CodeCache, text: &str) -> (Option<Vec<u8>>, Option<Key>) {
        let mut modules = [module(text)];
        let without = cache.fill(|| "engine".to_owned(), &mut modules);
        (modules[0].code_cache.clone(), without.first().map(|(key, _)| *key))
    }

    #[test]
    fn code_is_made_at_the_second_sight_once_and_served_from_then_on() {
        let cache = CodeCache::new(100);
        assert_eq!(meet(&cache, "a"), (None, None));
        let key = meet(&cache, "a").1.unwrap();
        assert!(cache.begin(&key) && !cache.begin(&key));
        assert_eq!(meet(&cache, "a"), (None, None), "it is being made");
        cache.keep(&key, Some(vec![7; 10]));
        assert_eq!(meet(&cache, "a"), (Some(vec![7; 10]), None));
        assert_eq!(cache.bytes(), 10);
    }

    #[test]
    fn another_source_kind_or_engine_gets_nothing_of_it() {
        let keys = [
            key_of("engine", &module("a").body),
            key_of("engine", &module("b").body),
            key_of("other", &module("a").body),
            key_of("engine", &ModuleBody::Cjs("a".repeat(CODE_CACHE_MODULE_BYTES))),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(key.is_some() && !keys[index + 1..].contains(key));
        }
        assert_eq!(key_of("engine", &ModuleBody::Js("short".to_owned())), None);
        assert_eq!(key_of("engine", &ModuleBody::Json("1".repeat(CODE_CACHE_MODULE_BYTES))), None);
    }

    #[test]
    fn a_source_that_does_not_compile_is_not_tried_again_and_a_lost_worker_is() {
        let cache = CodeCache::new(100);
        for text in ["a", "a"] {
            meet(&cache, text);
        }
        let key = meet(&cache, "a").1.unwrap();
        assert!(cache.begin(&key));
        cache.give_up(&key);
        assert!(cache.begin(&key));
        cache.keep(&key, None);
        assert_eq!(meet(&cache, "a"), (None, None));
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let cache = CodeCache::new(25);
        for text in ["a", "b", "c"] {
            meet(&cache, text);
            let key = meet(&cache, text).1.unwrap();
            assert!(cache.begin(&key));
            cache.keep(&key, Some(vec![1; 10]));
            if text == "b" {
                meet(&cache, "a");
            }
        }
        assert_eq!(cache.bytes(), 20);
        assert!(meet(&cache, "a").0.is_some() && meet(&cache, "c").0.is_some());
        assert_eq!(meet(&cache, "b"), (None, None), "forgotten, and seen for the first time again");
        let none = CodeCache::new(0);
        assert_eq!([meet(&none, "a"), meet(&none, "a")], [(None, None), (None, None)]);
    }
}
