//! The mappings of a template, and how its children come by them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::sys::memory;

/// The address ranges in the text of a memory map.
pub(super) fn ranges(map: &str) -> impl Iterator<Item = (usize, usize)> {
    map.lines().filter_map(range)
}

/// Moves the code and the constants of the running program, as far as they are in use, onto huge pages, so that its
/// workers neither copy page tables of them at every fork, nor find them again by hundreds of faults, nor give them back
/// page by page at their end. `map`, `detail` and `pages` are this process's memory map, the same with figures, and its
/// page map, without which all of it counts as in use. Answers how many bytes were moved.
///
/// Where the kernel has no huge pages to give, they stay where they are.
pub(super) fn move_program(map: &File, detail: &File, pages: Option<&File>) -> io::Result<usize> {
    let map = read_all(map)?;
    let mut moved = 0;
    for (executable, start, end) in program(&map) {
        for (start, end) in used(pages, start, end)? {
            moved += memory::onto_huge_pages(start, end, executable, |start, end| {
                Ok(huge_bytes(&read_all(detail)?, start, end) == end - start)
            })?;
        }
    }
    Ok(moved)
}

/// The parts of a mapping, in whole huge pages, of which at least a sixteenth is in the page table of this process.
/// Those that follow each other are one part.
fn used(pages: Option<&File>, start: usize, end: usize) -> io::Result<Vec<(usize, usize)>> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for part in (start.next_multiple_of(memory::HUGE)..end).step_by(memory::HUGE) {
        let next = part + memory::HUGE;
        let present = pages.map(|pages| present_pages(pages, part, next)).transpose()?;
        if next > end || present.is_some_and(|pages| pages * memory::PAGE * 16 < memory::HUGE) {
            continue;
        }
        match parts.last_mut() {
            Some((_, last)) if *last == part => *last = next,
            _ => parts.push((part, next)),
        }
    }
    Ok(parts)
}

/// Pages of a range that are in the page table, by `/proc/self/pagemap`: a word for each page, whose highest bit says so.
fn present_pages(pages: &File, start: usize, end: usize) -> io::Result<usize> {
    let mut words = vec![0; (end - start) / memory::PAGE * 8];
    pages.read_exact_at(&mut words, (start / memory::PAGE * 8) as u64)?;
    Ok(words
        .chunks_exact(8)
        .filter(|word| u64::from_ne_bytes((*word).try_into().expect("eight bytes")) >> 63 == 1)
        .count())
}

/// The largest mapping of code from a file and the largest one of constants from the same file, each with whether it is
/// code. Nobody writes to either once the program has started.
fn program(map: &str) -> Vec<(bool, usize, usize)> {
    let largest = |rights: &str, file: Option<&str>| {
        map.lines()
            .filter(|line| is_from_file(line, rights))
            .filter(|line| file.is_none_or(|file| inode(line) == file))
            .filter_map(|line| Some((line, range(line)?)))
            .max_by_key(|(_, (start, end))| end - start)
    };
    let Some((line, code)) = largest("r-xp", None) else { return Vec::new() };
    let constants = largest("r--p", Some(inode(line))).map(|(_, range)| range);
    [(true, Some(code)), (false, constants)]
        .into_iter()
        .filter_map(|(executable, range)| range.map(|(start, end)| (executable, start, end)))
        .collect()
}

fn range(line: &str) -> Option<(usize, usize)> {
    let (start, end) = line.split(' ').next()?.split_once('-')?;
    Some((usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?))
}

/// Whether a line of a memory map is a mapping of a file with these rights.
fn is_from_file(line: &str, rights: &str) -> bool {
    line.split_ascii_whitespace().nth(1) == Some(rights) && inode(line) != "0"
}

/// Names the file behind a line of a memory map. Zero where there is none.
fn inode(line: &str) -> &str {
    line.split_ascii_whitespace().nth(4).unwrap_or("0")
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
    fn the_program_is_told_from_the_rest() {
        let code = (true, 0x55d0_c8b0_0000, 0x55d0_c9b0_0000);
        let constants = (false, 0x55d0_c8a0_0000, 0x55d0_c8b0_0000);
        assert_eq!(program(MAP), [code, constants]);
        assert_eq!(ranges(MAP).count(), 6);
    }

    #[test]
    fn pages_in_use_are_told_by_the_page_map() {
        let pages = File::open("/proc/self/pagemap").unwrap();
        let touched = vec![1_u8; 4 * memory::PAGE];
        let start = (touched.as_ptr() as usize).next_multiple_of(memory::PAGE);
        assert_eq!(present_pages(&pages, start, start + 3 * memory::PAGE).unwrap(), 3);
        // The lowest addresses are nobody's.
        assert_eq!(present_pages(&pages, 0, 4 * memory::PAGE).unwrap(), 0);
    }
}
