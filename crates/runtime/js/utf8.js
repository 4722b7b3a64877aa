// UTF-8 in both directions, as the Encoding Standard's encoder and decoder.
import {
  newList, ReflectApply, StringCharCodeAt, StringFromCharCode, StringToWellFormed, subarray, TypedArrayGetLength,
  Uint8ArrayCtor,
} from './primordials.js';
import { host } from './internal/host.js';

const CHUNK = 4096;

/** The number of UTF-8 bytes of a well-formed string. */
export function utf8Length(text) {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (unit < 0x80) bytes++;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit <= 0xdbff) {
      bytes += 4;
      index++;
    } else bytes += 3;
  }
  return bytes;
}

// From this many units or bytes on the host is asked, which costs a crossing and is then many times as fast.
const LONG = 128;

/** The UTF-8 bytes of a string; lone surrogates become U+FFFD. */
export function utf8Encode(text) {
  text = StringToWellFormed(text);
  if (text.length >= LONG) return host.encodeUtf8(text);
  const length = utf8Length(text);
  const bytes = new Uint8ArrayCtor(length);
  encodeInto(text, bytes, length);
  return bytes;
}

/** Writes a well-formed string into `bytes` as far as whole characters fit; answers units read and bytes written. */
export function utf8EncodeInto(text, bytes) {
  return encodeInto(text, bytes, TypedArrayGetLength(bytes));
}

function encodeInto(text, bytes, capacity) {
  let written = 0;
  let read = 0;
  while (read < text.length) {
    let point = StringCharCodeAt(text, read);
    if (point < 0x80) {
      if (written >= capacity) break;
      bytes[written++] = point;
      read++;
      continue;
    }
    let units = 1;
    if (point >= 0xd800 && point <= 0xdbff) {
      point = 0x10000 + ((point - 0xd800) << 10) + (StringCharCodeAt(text, read + 1) - 0xdc00);
      units = 2;
    }
    const size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (written + size > capacity) break;
    if (size === 2) {
      bytes[written++] = 0xc0 | (point >> 6);
    } else if (size === 3) {
      bytes[written++] = 0xe0 | (point >> 12);
      bytes[written++] = 0x80 | ((point >> 6) & 0x3f);
    } else {
      bytes[written++] = 0xf0 | (point >> 18);
      bytes[written++] = 0x80 | ((point >> 12) & 0x3f);
      bytes[written++] = 0x80 | ((point >> 6) & 0x3f);
    }
    bytes[written++] = 0x80 | (point & 0x3f);
    read += units;
  }
  return { __proto__: null, read, written };
}

/** The state of a UTF-8 decoder between two chunks. */
export function newUtf8State() {
  return { __proto__: null, point: 0, seen: 0, needed: 0, lower: 0x80, upper: 0xbf };
}

/**
 * Decodes a chunk. With `fatal` a malformed sequence answers undefined; otherwise it reads as U+FFFD. `last` ends the
 * input, and the state is then fresh again.
 */
export function utf8DecodeChunk(state, bytes, fatal, last) {
  const length = TypedArrayGetLength(bytes);
  if (length < LONG) return decodeHere(state, bytes, fatal, last);
  // The host decodes what begins and ends with a whole character.
  const head = state.needed === 0 ? 0 : state.needed - state.seen;
  const before = head === 0 ? '' : decodeHere(state, subarray(bytes, 0, head), fatal, false);
  if (before === undefined) return undefined;
  if (state.needed !== 0) return join(before, decodeHere(state, subarray(bytes, head, length), fatal, last));
  const end = last ? length : wholeCharacters(bytes, length);
  const middle = host.decodeUtf8(subarray(bytes, head, end), fatal);
  if (middle === undefined) return undefined;
  return before + join(middle, decodeHere(state, subarray(bytes, end, length), fatal, last));
}

function join(first, second) {
  return second === undefined ? undefined : first + second;
}

// Where the last character that may go on behind `length` begins.
function wholeCharacters(bytes, length) {
  for (let back = 1; back <= 3; back++) {
    const byte = bytes[length - back];
    if (byte >= 0xc0) return byte >= (back === 1 ? 0xc0 : back === 2 ? 0xe0 : 0xf0) ? length - back : length;
    if (byte < 0x80) return length;
  }
  return length;
}

function decodeHere(state, bytes, fatal, last) {
  const length = TypedArrayGetLength(bytes);
  let text = '';
  let units = newList();
  let count = 0;
  let { point, seen, needed, lower, upper } = state;
  for (let index = 0; index < length; index++) {
    const byte = bytes[index];
    if (count >= CHUNK) {
      text += fromUnits(units, count);
      units = newList();
      count = 0;
    }
    if (needed === 0) {
      if (byte < 0x80) units[count++] = byte;
      else if (byte >= 0xc2 && byte <= 0xdf) {
        needed = 1;
        point = byte & 0x1f;
      } else if (byte >= 0xe0 && byte <= 0xef) {
        if (byte === 0xe0) lower = 0xa0;
        if (byte === 0xed) upper = 0x9f;
        needed = 2;
        point = byte & 0xf;
      } else if (byte >= 0xf0 && byte <= 0xf4) {
        if (byte === 0xf0) lower = 0x90;
        if (byte === 0xf4) upper = 0x8f;
        needed = 3;
        point = byte & 7;
      } else if (fatal) return undefined;
      else units[count++] = 0xfffd;
      continue;
    }
    if (byte < lower || byte > upper) {
      if (fatal) return undefined;
      point = needed = seen = 0;
      lower = 0x80;
      upper = 0xbf;
      units[count++] = 0xfffd;
      index--;
      continue;
    }
    lower = 0x80;
    upper = 0xbf;
    point = (point << 6) | (byte & 0x3f);
    if (++seen === needed) {
      if (point > 0xffff) {
        units[count++] = 0xd7c0 + (point >> 10);
        units[count++] = 0xdc00 + (point & 0x3ff);
      } else units[count++] = point;
      point = needed = seen = 0;
    }
  }
  if (last && needed !== 0) {
    if (fatal) return undefined;
    units[count++] = 0xfffd;
    point = needed = seen = 0;
    lower = 0x80;
    upper = 0xbf;
  }
  state.point = point;
  state.seen = seen;
  state.needed = needed;
  state.lower = lower;
  state.upper = upper;
  return text + fromUnits(units, count);
}

function fromUnits(units, count) {
  return count === 0 ? '' : ReflectApply(StringFromCharCode, undefined, units);
}

/** "UTF-8 decode without BOM": every byte counts, malformed sequences read as U+FFFD. */
export function utf8DecodeWithoutBom(bytes) {
  return utf8DecodeChunk(newUtf8State(), bytes, false, true);
}

/** "UTF-8 decode": a leading byte order mark is dropped. */
export function utf8Decode(bytes) {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return utf8DecodeWithoutBom(marked ? subarray(bytes, 3, TypedArrayGetLength(bytes)) : bytes);
}
