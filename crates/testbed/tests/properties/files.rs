//! [`Folder`]: files that Node loads.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that goes with this value. Each has a name of its own, because Node loads a file once.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Folder(std::env::temp_dir().join(format!("codemode-properties-{}-{count}", std::process::id())))
    }

    /// Writes files into a folder of this number and answers the path of one of them.
    pub(crate) fn write(
        &self,
        index: usize,
        files: &[(String, String)],
        driver: &str,
    ) -> std::io::Result<PathBuf> {
        let root = self.0.join(format!("g{index}"));
        for (path, source) in files {
            let file = root.join(path);
            std::fs::create_dir_all(file.parent().unwrap_or(&root))?;
            std::fs::write(file, source)?;
        }
        Ok(root.join(driver))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
