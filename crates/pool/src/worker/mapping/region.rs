//! [`Region`]: a line of a memory map.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::sys::memory::{PAGE, Rights};

/// A mapping of this process, as proc_pid_maps(5) has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) start: usize,
    pub(super) end: usize,
    /// `None` where it is shared, or can be written and executed at once.
    pub(super) rights: Option<Rights>,
    /// The number of the file behind it.
    pub(super) file: Option<u64>,
    /// Whether it is the kernel's own, or the stack.
    pub(super) is_special: bool,
}

impl Region {
    /// The regions in the text of a memory map, by address.
    pub(super) fn all(map: &str) -> Vec<Self> {
        map.lines().filter_map(Self::parse).collect()
    }

    /// A line of a memory map. Allocates nothing.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let (rights, file, name) = (words.next()?, words.nth(2)?.parse().ok()?, words.next());
        Some(Self {
            start: usize::from_str_radix(start, 16).ok()?,
            end: usize::from_str_radix(end, 16).ok()?,
            rights: match rights {
                "---p" => Some(Rights::None),
                "r--p" => Some(Rights::Read),
                "rw-p" => Some(Rights::Write),
                "r-xp" => Some(Rights::Execute),
                _ => None,
            },
            file: Some(file).filter(|file| *file != 0),
            is_special: name.is_some_and(|name| name.starts_with('[')),
        })
    }

    pub(super) fn length(&self) -> usize {
        self.end - self.start
    }

    /// Whether a part of it lies between two addresses.
    pub(super) fn meets(&self, start: usize, end: usize) -> bool {
        self.start < end && start < self.end
    }
}

/// Which pages of a range are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Presence {
    /// Pages in the page table.
    pub(super) pages: usize,
    /// Those among them that are no file's.
    pub(super) own: usize,
}

impl Presence {
    /// Reads `/proc/self/pagemap`: a word for each page, whose highest bit says that it is there and whose bit 61 that
    /// it is a file's.
    pub(super) fn read(page_map: &File, start: usize, end: usize) -> io::Result<Self> {
        let mut words = vec![0; (end - start) / PAGE * 8];
        page_map.read_exact_at(&mut words, (start / PAGE * 8) as u64)?;
        let mut presence = Self::default();
        for word in words.chunks_exact(8) {
            let word = u64::from_ne_bytes(word.try_into().expect("eight bytes"));
            let is_there = word >> 63 == 1;
            presence.pages += usize::from(is_there);
            presence.own += usize::from(is_there && word >> 61 & 1 == 0);
        }
        Ok(presence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_the_kernel_writes_it() {
        let line = "55d0c8b00000-55d0c9b00000 r-xp 00100000 fe:00 1234                       /usr/bin/host";
        let code = Region {
            start: 0x55d0_c8b0_0000,
            end: 0x55d0_c9b0_0000,
            rights: Some(Rights::Execute),
            file: Some(1234),
            is_special: false,
        };
        let rest = "7f0000001000-7f0000002000 r--s 00000000 fe:00 99                         /usr/share/data\n\
                    7ffd00000000-7ffd00001000 rw-p 00000000 00:00 0                          [stack]\n\
                    no map at all";
        let [shared, stack] = Region::all(rest)[..] else { panic!("two lines are regions") };
        assert_eq!(Region::all(line), [code]);
        assert_eq!((shared.rights, shared.file), (None, Some(99)));
        assert_eq!((stack.rights, stack.file, stack.is_special), (Some(Rights::Write), None, true));
        assert!(
            code.meets(0x55d0_c9af_f000, 0x55d0_c9c0_0000) && !code.meets(0x55d0_c9b0_0000, 0x55d0_c9c0_0000)
        );
    }

    #[test]
    fn pages_that_are_there_are_told_by_the_page_map() {
        let page_map = File::open("/proc/self/pagemap").unwrap();
        let touched = vec![1_u8; 4 * PAGE];
        let start = (touched.as_ptr() as usize).next_multiple_of(PAGE);
        let there = Presence::read(&page_map, start, start + 3 * PAGE).unwrap();
        assert_eq!(there, Presence { pages: 3, own: 3 });
        // The lowest addresses are nobody's.
        assert_eq!(Presence::read(&page_map, 0, 4 * PAGE).unwrap(), Presence::default());
    }
}
