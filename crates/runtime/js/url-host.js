// URL: the host parser. A host is kept as its serialization: `example.com`, `127.0.0.1`, `[::1]`, or opaque text.
import {
  MathFloor, NumberToString, StringCharCodeAt, StringSlice, TypedArraySet, Uint8ArrayCtor,
} from './primordials.js';
import { asciiLowercase, hexValue, isDigit, isHexDigit, isAsciiString, split } from './infra.js';
import { encodeSets, percentDecodeToText, percentEncode } from './url-encoding.js';
import { host as natives } from './internal/host.js';

const forbiddenHost = new Uint8ArrayCtor(128);
const forbiddenDomain = new Uint8ArrayCtor(128);
const FORBIDDEN = '\0\t\n\r #/:<>?@[\\]^|';
for (let index = 0; index < FORBIDDEN.length; index++) forbiddenHost[StringCharCodeAt(FORBIDDEN, index)] = 1;
TypedArraySet(forbiddenDomain, forbiddenHost);
for (let unit = 0; unit < 0x20; unit++) forbiddenDomain[unit] = 1;
forbiddenDomain[0x25] = 1;
forbiddenDomain[0x7f] = 1;

function hasForbidden(text, set) {
  for (let index = 0; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (unit < 128 && set[unit] === 1) return true;
  }
  return false;
}

/** Parses a host; undefined is failure. `opaque` is for a URL whose scheme is not special. */
export function parseHost(input, opaque) {
  if (StringCharCodeAt(input, 0) === 0x5b) {
    if (StringCharCodeAt(input, input.length - 1) !== 0x5d) return undefined;
    const pieces = parseIpv6(StringSlice(input, 1, -1));
    return pieces === undefined ? undefined : `[${serializeIpv6(pieces)}]`;
  }
  if (opaque) return hasForbidden(input, forbiddenHost) ? undefined : percentEncode(input, encodeSets.control);
  const domain = domainToAscii(percentDecodeToText(input));
  if (domain === undefined || domain === '' || hasForbidden(domain, forbiddenDomain)) return undefined;
  return endsInNumber(domain) ? parseIpv4(domain) : domain;
}

// "Domain to ASCII" with beStrict false. An ASCII domain is only put in lower case, its A-labels unchecked.
function domainToAscii(domain) {
  return isAsciiString(domain) ? asciiLowercase(domain) : natives.domainToAscii(domain);
}

function endsInNumber(domain) {
  const parts = split(domain, '.');
  let last = parts.length - 1;
  if (parts[last] === '') {
    if (last === 0) return false;
    last--;
  }
  const text = parts[last];
  let digits = text !== '';
  for (let index = 0; index < text.length; index++) if (!isDigit(StringCharCodeAt(text, index))) digits = false;
  return digits || parseIpv4Number(text) !== undefined;
}

function parseIpv4Number(text) {
  if (text === '') return undefined;
  let radix = 10;
  let start = 0;
  if (text.length >= 2 && text[0] === '0') {
    const hex = text[1] === 'x' || text[1] === 'X';
    radix = hex ? 16 : 8;
    start = hex ? 2 : 1;
  }
  let value = 0;
  for (let index = start; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (!isHexDigit(unit)) return undefined;
    const digit = hexValue(unit);
    if (digit >= radix) return undefined;
    value = value * radix + digit;
  }
  return value;
}

function parseIpv4(domain) {
  const parts = split(domain, '.');
  let { length } = parts;
  if (parts[length - 1] === '' && length > 1) length--;
  if (length > 4) return undefined;
  let address = 0;
  for (let index = 0; index < length; index++) {
    const number = parseIpv4Number(parts[index]);
    if (number === undefined) return undefined;
    if (index < length - 1) {
      if (number > 255) return undefined;
      address += number * 256 ** (3 - index);
    } else {
      if (number >= 256 ** (5 - length)) return undefined;
      address += number;
    }
  }
  return `${MathFloor(address / 16777216)}.${MathFloor(address / 65536) % 256}.${MathFloor(address / 256) % 256}.${
    address % 256
  }`;
}

// The eight pieces of an IPv6 address, or undefined.
function parseIpv6(input) {
  const pieces = [0, 0, 0, 0, 0, 0, 0, 0];
  let piece = 0;
  let compress = -1;
  let at = 0;
  const unitAt = (index) => (index < input.length ? StringCharCodeAt(input, index) : -1);
  if (unitAt(at) === 0x3a) {
    if (unitAt(at + 1) !== 0x3a) return undefined;
    at += 2;
    compress = ++piece;
  }
  while (at < input.length) {
    if (piece === 8) return undefined;
    if (unitAt(at) === 0x3a) {
      if (compress !== -1) return undefined;
      at++;
      compress = ++piece;
      continue;
    }
    let value = 0;
    let length = 0;
    while (length < 4 && isHexDigit(unitAt(at))) {
      value = value * 16 + hexValue(unitAt(at));
      at++;
      length++;
    }
    if (unitAt(at) === 0x2e) {
      if (length === 0 || piece > 6 || !parseEmbeddedIpv4(input, at - length, pieces, piece)) return undefined;
      piece += 2;
      break;
    }
    if (unitAt(at) === 0x3a) {
      at++;
      if (at >= input.length) return undefined;
    } else if (at < input.length) return undefined;
    pieces[piece++] = value;
  }
  if (compress !== -1) {
    let swaps = piece - compress;
    piece = 7;
    while (piece !== 0 && swaps > 0) {
      const other = compress + swaps - 1;
      const value = pieces[other];
      pieces[other] = pieces[piece];
      pieces[piece] = value;
      piece--;
      swaps--;
    }
  } else if (piece !== 8) return undefined;
  return pieces;
}

// The dotted tail of an IPv6 address, written into two pieces.
function parseEmbeddedIpv4(input, at, pieces, piece) {
  const numbers = split(StringSlice(input, at), '.');
  if (numbers.length !== 4) return false;
  for (let index = 0; index < 4; index++) {
    const text = numbers[index];
    if (text === '' || text.length > 3 || (text.length > 1 && text[0] === '0')) return false;
    let value = 0;
    for (let digit = 0; digit < text.length; digit++) {
      const unit = StringCharCodeAt(text, digit);
      if (!isDigit(unit)) return false;
      value = value * 10 + unit - 0x30;
    }
    if (value > 255) return false;
    const slot = piece + (index >> 1);
    pieces[slot] = pieces[slot] * 256 + value;
  }
  return true;
}

function serializeIpv6(pieces) {
  let bestStart = -1;
  let bestLength = 1;
  for (let index = 0; index < 8; index++) {
    let end = index;
    while (end < 8 && pieces[end] === 0) end++;
    if (end - index > bestLength) {
      bestStart = index;
      bestLength = end - index;
    }
    if (end > index) index = end;
  }
  let text = '';
  for (let index = 0; index < 8; index++) {
    if (index === bestStart) {
      text += index === 0 ? '::' : ':';
      index += bestLength - 1;
      continue;
    }
    text += NumberToString(pieces[index], 16);
    if (index !== 7) text += ':';
  }
  return text;
}
