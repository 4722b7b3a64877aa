//! Values that keep their form and lose length, the largest parts first.

use super::MARKER;
use super::json::{grouped, length, prefix, splits_pair, string_length};
use serde_json::{Map, Value};
use std::cmp::Reverse;

/// A part that would get less room than this goes, in favour of those beside it.
const MIN_ROOM: usize = 128;
/// JavaScript writes half a surrogate pair as an escape of six units, where U+FFFD takes one.
const HALF_PAIR_ESCAPE: usize = 5;

/// What of `value` fits into `room`. A scalar is never cut, and an empty container takes two, whatever the room.
pub(super) fn shrink(value: &Value, room: usize) -> Value {
    if length(value) <= room {
        return value.clone();
    }
    match value {
        Value::String(text) => Value::String(shrink_string(text, room)),
        Value::Array(items) => Value::Array(shrink_array(items, room)),
        Value::Object(members) => Value::Object(shrink_object(members, room)),
        scalar => scalar.clone(),
    }
}

fn shrink_string(text: &str, room: usize) -> String {
    let units = text.encode_utf16().count();
    let suffix = format!(" {MARKER} {} chars", grouped(units));
    // May be more than the text has: what the escapes took beyond their share is taken off here, not off the text.
    let mut keep = room.saturating_sub(suffix.len() + 2);
    loop {
        let cut = prefix(text, keep) + &suffix;
        let half = if splits_pair(text, keep) { HALF_PAIR_ESCAPE } else { 0 };
        let excess = (string_length(&cut) + half).saturating_sub(room);
        if excess == 0 {
            return cut;
        }
        if keep == 0 {
            return prefix(MARKER, room.saturating_sub(2));
        }
        keep = keep.saturating_sub(excess);
    }
}

/// The least room that `value` is worth keeping at, in a container with `room`.
fn floor(value: &Value, room: usize) -> usize {
    match value {
        Value::String(_) | Value::Array(_) | Value::Object(_) => floor_of_length(length(value), room),
        scalar => length(scalar),
    }
}

/// Never more than half of what the container has, so that a small one keeps something.
fn floor_of_length(length: usize, room: usize) -> usize {
    length.min(MIN_ROOM).min((room / 2).max(2))
}

/// Shares `room`: from the smallest value up, each takes what it needs or an equal part of what is left.
fn share(values: &[&Value], room: usize) -> Vec<usize> {
    let lengths: Vec<usize> = values.iter().map(|value| length(value)).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|index| lengths[*index]);
    let mut shares = vec![0; values.len()];
    let mut left = room;
    for (taken, index) in order.into_iter().enumerate() {
        shares[index] = lengths[index].min(left / (values.len() - taken));
        left -= shares[index];
    }
    shares
}

/// What brackets or braces and commas take.
fn frame(members: usize) -> usize {
    2 + members.saturating_sub(1)
}

fn shrink_array(items: &[Value], room: usize) -> Vec<Value> {
    let marker = |dropped: usize| Value::String(format!("{MARKER} {} more items", grouped(dropped)));
    let keep = items_to_keep(items, room, length(&marker(items.len())));
    let dropped = items.len() - keep;
    let tail = if dropped == 0 { 0 } else { length(&marker(dropped)) + usize::from(keep > 0) };
    let kept: Vec<&Value> = items[..keep].iter().collect();
    let shares = share(&kept, room.saturating_sub(frame(keep) + tail));
    let mut out: Vec<Value> = kept.iter().zip(shares).map(|(item, share)| shrink(item, share)).collect();
    if dropped > 0 {
        out.push(marker(dropped));
        if frame(out.len()) + out.iter().map(length).sum::<usize>() > room {
            out.pop();
        }
    }
    out
}

/// All, where every one gets its floor; else as many from the front as leave room for the marker.
fn items_to_keep(items: &[Value], room: usize, marker: usize) -> usize {
    let floors: Vec<usize> = items.iter().map(|item| floor(item, room)).collect();
    if floors.iter().sum::<usize>() + frame(items.len()) <= room {
        return items.len();
    }
    let mut used = frame(0) + marker + 1;
    floors
        .iter()
        .take_while(|floor| {
            used += **floor + 1;
            used <= room
        })
        .count()
}

fn shrink_object(members: &Map<String, Value>, room: usize) -> Map<String, Value> {
    let mut marker = MARKER.to_owned();
    while members.contains_key(&marker) {
        marker.push(' ');
    }
    let (omitted, cost) = members_to_omit(members, room, key_cost(&marker));
    let names: Vec<&str> = members
        .keys()
        .enumerate()
        .filter(|(index, _)| omitted.contains(index))
        .map(|(_, key)| key.as_str())
        .collect();
    let note = Value::String(format!("{} keys omitted: {}", grouped(names.len()), names.join(", ")));
    if cost > room {
        // Not even the keys that are left have room: the note alone, or nothing.
        return match room.checked_sub(2 + key_cost(&marker)) {
            Some(room) if room >= 2 => Map::from_iter([(marker, shrink(&note, room))]),
            _ => Map::new(),
        };
    }
    let mut all: Vec<(&String, &Value)> = members
        .iter()
        .enumerate()
        .filter(|(index, _)| !omitted.contains(index))
        .map(|(_, member)| member)
        .collect();
    if !omitted.is_empty() {
        all.push((&marker, &note));
    }
    let fixed = frame(all.len()) + all.iter().map(|(key, _)| key_cost(key)).sum::<usize>();
    let values: Vec<&Value> = all.iter().map(|(_, value)| *value).collect();
    let shares = share(&values, room.saturating_sub(fixed));
    all.iter().zip(shares).map(|((key, value), share)| ((*key).clone(), shrink(value, share))).collect()
}

/// The members, from the largest value down, that must go for the others to get their floors; and what is then
/// needed at least.
fn members_to_omit(members: &Map<String, Value>, room: usize, marker: usize) -> (Vec<usize>, usize) {
    let lengths: Vec<usize> = members.values().map(length).collect();
    let floors: Vec<usize> = members.iter().map(|(key, value)| key_cost(key) + floor(value, room)).collect();
    let names: Vec<usize> = members.keys().map(|key| string_length(key) - 2).collect();
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by_key(|index| Reverse(lengths[*index]));
    let mut kept: usize = floors.iter().sum();
    let mut named = 0;
    let mut omitted = Vec::new();
    let mut order = order.into_iter();
    loop {
        let note = match omitted.len() {
            0 => 0,
            count => {
                let text = format!("{} keys omitted: ", grouped(count)).len() + named + 2 * (count - 1);
                marker + floor_of_length(text + 2, room)
            }
        };
        let present = members.len() - omitted.len() + usize::from(!omitted.is_empty());
        let cost = frame(present) + kept + note;
        let next = if cost > room { order.next() } else { None };
        let Some(index) = next else { return (omitted, cost) };
        kept -= floors[index];
        named += names[index];
        omitted.push(index);
    }
}

/// What a key and its colon take.
fn key_cost(key: &str) -> usize {
    string_length(key) + 1
}
