//! The mappings of a template, and how its children come by them.
//!
//! Most of the time of a fork goes into copying the page table entries of memory that is this process's own, one by one,
//! and most of the time of its end into giving them back. So what is in use is moved onto huge pages before the first
//! fork, at the addresses where it is:
//!
//! - Code and constants, where a whole huge page of addresses is theirs: one entry instead of 512, and no fault where a
//!   worker finds its code.
//! - The rest, packed: as many entries as before, but all of a few pages, which the kernel copies and gives back by the
//!   dozen.
//!
//! All of it is a matter of speed. What the kernel refuses stays as it is.

mod region;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

use crate::sys::memory::{self, HUGE, PAGE, Piece, Rights, Room};
use region::{Presence, Region};

/// What was moved, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settled {
    /// Code and constants.
    pub(super) constants: usize,
    /// The rest.
    pub(super) data: usize,
    /// What of the rest can be written to, as start and end.
    pub(super) writable: Vec<(usize, usize)>,
}

/// Moves what is in use onto huge pages. `map`, `detail` and `page_map` are this process's memory map, the same with
/// figures, and its page map. The process has to have one thread.
pub(super) fn settle(map: &File, detail: &File, page_map: &File) -> io::Result<Settled> {
    // What this allocates is itself among what it moves. So a first look tells how much room is needed, a second one
    // what there is when all has been allocated, and what has changed since is left out.
    let length = pieces(map, page_map)?.iter().map(Piece::length).sum::<usize>() + SLACK;
    let mut room = Room::new(length, PATIENCE, |start, end| Ok(huge_bytes(&read_all(detail)?, start, end)))?;
    let pieces = pieces(map, page_map)?;
    let mut found = vec![0; pieces.len()];
    // From here on nothing is allocated.
    find(&pieces, &mut found, map)?;
    let mut settled = Settled::default();
    for (piece, _) in pieces.iter().zip(&found).filter(|(piece, found)| piece.parts.len() == **found) {
        if room.take(piece).unwrap_or(false) {
            *(if piece.is_huge() { &mut settled.constants } else { &mut settled.data }) += piece.length();
        }
    }
    let writable = pieces.iter().filter(|piece| piece.rights == Rights::Write);
    settled.writable = writable.map(|piece| (piece.start, piece.end)).collect();
    Ok(settled)
}

/// Takes the pages of the program out of this process's page table, as far as it has not written to them: what is in it
/// afterwards is in use. Changes no contents.
pub(super) fn forget_use(map: &File, page_map: &File) -> io::Result<()> {
    let regions = Region::all(&read_all(map)?);
    let Some(program) = program(&regions) else { return Ok(()) };
    for region in regions.iter().filter(|region| region.file == Some(program)) {
        let is_constant = matches!(region.rights, Some(Rights::Read | Rights::Execute));
        if is_constant && Presence::read(page_map, region.start, region.end)?.own == 0 {
            memory::forget(region.start, region.end);
        }
    }
    Ok(())
}

/// The address ranges in the text of a memory map.
pub(super) fn ranges(map: &str) -> impl Iterator<Item = (usize, usize)> {
    Region::all(map).into_iter().map(|region| (region.start, region.end))
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

/// What is worth moving. Where the kernel has little to give, data comes first: of it a fork copies the most entries.
fn pieces(map: &File, page_map: &File) -> io::Result<Vec<Piece>> {
    let regions = Region::all(&read_all(map)?);
    let windows = windows(&regions, |start, end| Presence::read(page_map, start, end))?;
    let mut rest = Vec::new();
    for region in &regions {
        let mut start = region.start;
        for window in windows.iter().filter(|window| region.meets(window.start, window.end)) {
            rest.extend(data(region, start, window.start, page_map)?);
            start = window.end;
        }
        rest.extend(data(region, start, region.end, page_map)?);
    }
    rest.extend(windows);
    Ok(rest)
}

/// The huge pages of addresses that hold nothing but code, or nothing but constants, of the program or of no file, and
/// are in use, by address.
/// `presence` tells which pages between two addresses are.
fn windows(
    regions: &[Region],
    presence: impl Fn(usize, usize) -> io::Result<Presence>,
) -> io::Result<Vec<Piece>> {
    let Some(program) = program(regions) else { return Ok(Vec::new()) };
    let is_constant = |region: &Region| {
        matches!(region.rights, Some(Rights::Read | Rights::Execute))
            && !region.is_special
            && region.file.is_none_or(|file| file == program)
    };
    let mut windows: Vec<Piece> = Vec::new();
    let mut next = 0;
    for region in regions.iter().filter(|region| is_constant(region)) {
        for start in (next.max(region.start / HUGE * HUGE)..region.end).step_by(HUGE) {
            next = start + HUGE;
            let within = regions.iter().filter(|other| other.meets(start, next));
            // What nobody may touch is room that was set aside. It is empty, and may be read as well.
            let (empty, within): (Vec<&Region>, Vec<&Region>) =
                within.partition(|other| other.rights == Some(Rights::None) && other.file.is_none());
            let Some(rights) = region.rights.filter(|rights| *rights == Rights::Read || empty.is_empty())
            else {
                continue;
            };
            let parts: Vec<_> =
                within.iter().map(|other| (other.start.max(start), other.end.min(next))).collect();
            let (mut pages, mut own) = (0, 0);
            for &(start, end) in &parts {
                let present = presence(start, end)?;
                pages += present.pages;
                own += present.own;
            }
            let is_in_use = own >= LEAST_OWN_OF_HUGE || pages >= LEAST_OF_HUGE;
            let fits = within.iter().all(|other| is_constant(other) && other.rights == Some(rights));
            if fits && is_in_use {
                windows.push(Piece { start, end: next, rights, parts });
            }
        }
    }
    Ok(windows)
}

/// Fewest pages of its own for which a huge page of addresses is moved: a fork copies an entry of each.
const LEAST_OWN_OF_HUGE: usize = 32;
/// Fewest pages for which it is, whoever's they are. Of a file that is eight faults, since each finds sixteen pages.
const LEAST_OF_HUGE: usize = 128;

/// The file of the largest mapping of code.
fn program(regions: &[Region]) -> Option<u64> {
    let code =
        regions.iter().filter(|region| region.rights == Some(Rights::Execute) && region.file.is_some());
    code.max_by_key(|region| region.length())?.file
}

/// Room for what the first look itself adds to the data.
const SLACK: usize = 256 << 10;
/// How long the kernel may take to find huge pages in a fragmented memory. What it has found by then is used.
const PATIENCE: Duration = Duration::from_millis(150);
/// Most bytes of a mapping that is packed.
const LARGEST: usize = 8 << 20;
/// Fewest pages of its own for which a mapping is packed.
const LEAST_OWN_PAGES: usize = 6;
/// Fewest pages of a file for which a mapping is packed, if they are a quarter of it.
const LEAST_FILE_PAGES: usize = 64;

/// A part of a mapping, if it is worth packing: this process has written to it, or it is a file's and much of it in use.
fn data(region: &Region, start: usize, end: usize, page_map: &File) -> io::Result<Option<Piece>> {
    let Some(rights) = region.rights.filter(|rights| *rights != Rights::None) else { return Ok(None) };
    if region.is_special || start >= end || end - start > LARGEST {
        return Ok(None);
    }
    let Presence { pages, own } = Presence::read(page_map, start, end)?;
    let is_used = region.file.is_some() && pages >= LEAST_FILE_PAGES && pages * PAGE * 4 >= end - start;
    let is_worth_it = own >= LEAST_OWN_PAGES || is_used;
    Ok(is_worth_it.then(|| Piece { start, end, rights, parts: vec![(start, end)] }))
}

/// Counts for each of the pieces the parts that are still mapped as it says. Allocates nothing.
fn find(pieces: &[Piece], found: &mut [usize], map: &File) -> io::Result<()> {
    for_each_line(map, |line| {
        let Some(region) = Region::parse(line) else { return };
        for (piece, found) in pieces.iter().zip(&mut *found) {
            let within = |&&(start, end): &&(usize, usize)| region.start <= start && end <= region.end;
            if region.rights == Some(piece.rights) {
                *found += piece.parts.iter().filter(within).count();
            }
        }
    })
}

/// The lines of a file that the kernel gives out in whole lines. Allocates nothing.
fn for_each_line(file: &File, mut see: impl FnMut(&str)) -> io::Result<()> {
    let (mut chunk, mut offset) = ([0; 4 * PAGE], 0);
    loop {
        let length = file.read_at(&mut chunk, offset)?;
        if length == 0 {
            return Ok(());
        }
        offset += length as u64;
        str::from_utf8(&chunk[..length]).unwrap_or_default().lines().for_each(&mut see);
    }
}

/// Bytes on huge pages among the mappings between two addresses.
fn huge_bytes(detail: &str, start: usize, end: usize) -> usize {
    let (mut within, mut kib) = (false, 0);
    for line in detail.lines() {
        if let Some((low, high)) = ranges(line).next() {
            within = start <= low && high <= end;
        } else if let Some(figure) = line.strip_prefix("AnonHugePages:").filter(|_| within) {
            let kilobytes = figure.split_ascii_whitespace().next();
            kib += kilobytes.and_then(|kilobytes| kilobytes.parse::<usize>().ok()).unwrap_or(0);
        }
    }
    kib << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Huge pages of addresses by their number, of one program and its surroundings.
    const MAP: &str = "\
000000200000-000000500000 r--p 00000000 fe:00 7 /usr/bin/host
000000600000-000000a80000 r-xp 00300000 fe:00 7 /usr/bin/host
000000c00000-000000d00000 r-xp 00800000 fe:00 7 /usr/bin/host
000000d00000-000000e00000 rw-p 00900000 fe:00 7 /usr/bin/host
000001000000-000001010000 r--p 00000000 00:00 0
000001010000-000001020000 ---p 00000000 00:00 0
000001020000-000001030000 r--p 00000000 00:00 0
000001200000-000001400000 r--p 00000000 fe:00 8 /usr/lib/another.so
000001400000-000001600000 r--s 00000000 fe:00 7 /usr/bin/host
";

    fn numbers(pages: impl Fn(usize) -> usize, own: impl Fn(usize) -> usize) -> Vec<(usize, Rights, usize)> {
        let presence = |start: usize, end: usize| {
            let all = (end - start) / PAGE;
            Ok(Presence { pages: pages(all), own: own(all) })
        };
        let windows = windows(&Region::all(MAP), presence).unwrap();
        windows.iter().map(|window| (window.start / HUGE, window.rights, window.parts.len())).collect()
    }

    #[test]
    fn a_huge_page_of_addresses_is_moved_that_holds_one_kind_of_constants() {
        // The last one of a mapping goes along where the rest of it is nobody's, not where it is somebody's data; what was
        // set aside between constants is taken in; other files and shared mappings stay.
        let constants = [(1, Rights::Read, 1), (2, Rights::Read, 1)];
        let code = [(3, Rights::Execute, 1), (4, Rights::Execute, 1), (5, Rights::Execute, 1)];
        let of_no_file = [(8, Rights::Read, 2)];
        assert_eq!(numbers(|all| all, |all| all), [&constants[..], &code, &of_no_file].concat());
    }

    #[test]
    fn what_is_hardly_in_use_stays() {
        let none = |_| 0;
        assert_eq!(numbers(|all| all / 5, none), []);
        // Of 512 pages a quarter is enough, where they are a file's.
        let whole = [(1, Rights::Read, 1), (3, Rights::Execute, 1), (4, Rights::Execute, 1)];
        assert_eq!(numbers(|all| all / 4, none), whole);
        // Twice sixteen that are its own are.
        assert_eq!(numbers(|all| all / 5, |all| all * usize::from(all == 16)), [(8, Rights::Read, 2)]);
    }

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
}
