//! The mappings of a template, and how its children come by them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::sys::memory;

/// The address ranges in the text of a memory map.
pub(super) fn ranges(map: &str) -> impl Iterator<Item = (usize, usize)> {
    map.lines().filter_map(range)
}

/// Moves the code of the running program onto huge pages, so that its workers neither copy a page table of it at
/// every fork, nor find it again by hundreds of faults, nor give it back page by page at their end. `map` and `detail`
/// are this process's memory map and the same with figures. Answers how many bytes were moved.
///
/// Where the kernel has no huge pages to give, the code stays where it is.
pub(super) fn move_code(map: &File, detail: &File) -> io::Result<usize> {
    let map = read_all(map)?;
    let largest =
        map.lines().filter(|line| is_code(line)).filter_map(range).max_by_key(|(start, end)| end - start);
    let Some((start, end)) = largest else { return Ok(0) };
    memory::onto_huge_pages(start, end, |start, end| {
        Ok(huge_bytes(&read_all(detail)?, start, end) == end - start)
    })
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

/// Bytes on huge pages among the mappings between two addresses.
fn huge_bytes(detail: &str, start: usize, end: usize) -> usize {
    let (mut within, mut kib) = (false, 0);
    for line in detail.lines() {
        if let Some((low, high)) = range(line) {
            within = start <= low && high <= end;
        } else if let Some(figure) = line.strip_prefix("AnonHugePages:").filter(|_| within) {
            kib += figure.trim().trim_end_matches("kB").trim().parse::<usize>().unwrap_or(0);
        }
    }
    kib << 10
}

pub(super) fn read_all(file: &File) -> io::Result<String> {
    let (mut text, mut chunk) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        let length = file.read_at(&mut chunk, text.len() as u64)?;
        if length == 0 {
            return Ok(String::from_utf8_lossy(&text).into_owned());
        }
        text.extend_from_slice(&chunk[..length]);
    }
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
    fn huge_pages_are_counted_where_they_are_asked_for() {
        let detail = "\
7f0000000000-7f0000200000 r-xp 00000000 00:00 0
Rss:                2048 kB
AnonHugePages:      2048 kB
7f0000200000-7f0000400000 rw-p 00000000 00:00 0
AnonHugePages:      2048 kB
";
        assert_eq!(huge_bytes(detail, 0x7f00_0000_0000, 0x7f00_0020_0000), 2 << 20);
        assert_eq!(huge_bytes(detail, 0x7f00_0000_0000, 0x7f00_0040_0000), 4 << 20);
        assert_eq!(huge_bytes(detail, 0x7f00_0020_0000, 0x7f00_0030_0000), 0);
    }

    #[test]
    fn code_is_told_from_the_rest() {
        let code: Vec<_> = MAP.lines().filter(|line| is_code(line)).filter_map(range).collect();
        assert_eq!(code, [(0x55d0_c8b0_0000, 0x55d0_c9b0_0000)]);
        assert_eq!(ranges(MAP).count(), 6);
    }
}
