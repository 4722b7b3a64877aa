//! The mappings of a template, and how its children come by them.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;

use nix::fcntl::OFlag;
use nix::sys::prctl;

use super::template::open_in;
use crate::sys::memory;

/// The address ranges in the text of a memory map.
pub(super) fn ranges(map: &str) -> impl Iterator<Item = (usize, usize)> {
    map.lines().filter_map(range)
}

/// The memory of this process as a file, where the kernel offers it.
pub(super) struct Image(Option<File>);

impl Image {
    /// Opens it, which must happen before the process gives up its file system.
    pub(super) fn open(proc_folder: &OwnedFd) -> Self {
        // A process that changed its user is not dumpable, and then not even it may open its memory.
        let dumpable = prctl::get_dumpable().unwrap_or(false);
        let lent = !dumpable && prctl::set_dumpable(true).is_ok();
        let memory = open_in(proc_folder, "self/mem", OFlag::O_RDWR).ok();
        if lent && prctl::set_dumpable(false).is_err() {
            return Self(None);
        }
        Self(memory)
    }

    /// Makes children inherit the pages of code that a run needs, instead of finding each again by a fault: that
    /// would be half of all faults of a short run.
    ///
    /// A fork copies no page table of a mapping that only shows a file. It copies those of a mapping that has one
    /// private page, so each mapping of code gets one: its first byte is written as it is. What the start alone
    /// needed is let go first, and `rehearse` brings back what a run needs, since copying costs too. Where the
    /// kernel refuses, children find their pages by themselves.
    pub(super) fn hand_down<T>(&self, map: &str, rehearse: impl FnOnce() -> T) -> T {
        let code: Vec<_> = map.lines().filter(|line| is_code(line)).filter_map(range).collect();
        memory::let_go(code.iter().copied());
        let rehearsed = rehearse();
        let Some(memory) = &self.0 else { return rehearsed };
        for (start, _) in code {
            let (at, mut byte) = (start as u64, [0]);
            if memory.read_exact_at(&mut byte, at).is_ok() {
                // A refusal leaves the mapping as it is.
                let _ = memory.write_all_at(&byte, at);
            }
        }
        rehearsed
    }
}

fn range(line: &str) -> Option<(usize, usize)> {
    let (start, end) = line.split(' ').next()?.split_once('-')?;
    Some((usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?))
}

/// Whether a line of a memory map is a private mapping of code in a file. Such a mapping holds what the file holds:
/// nothing relocates code.
fn is_code(line: &str) -> bool {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let (rights, inode) = (fields.next().unwrap_or_default(), fields.nth(2).unwrap_or("0"));
    rights == "r-xp" && inode != "0"
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "\
55d0c8a00000-55d0c8b00000 r--p 00000000 fe:00 1234                       /usr/bin/host
55d0c8b00000-55d0c9b00000 r-xp 00100000 fe:00 1234                       /usr/bin/host
55d0c9b00000-55d0c9c00000 rw-p 01100000 fe:00 1234                       /usr/bin/host
7f0000000000-7f0000001000 r--p 00000000 00:00 0
7f0000001000-7f0000002000 r--s 00000000 fe:00 99                         /usr/share/data
7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0                          [vdso]
";

    #[test]
    fn the_code_is_handed_down_and_nothing_else() {
        let code: Vec<_> = MAP.lines().filter(|line| is_code(line)).filter_map(range).collect();
        assert_eq!(code, [(0x55d0_c8b0_0000, 0x55d0_c9b0_0000)]);
        assert_eq!(ranges(MAP).count(), 6);
    }
}
