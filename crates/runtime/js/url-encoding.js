// URL: percent-encode sets, percent-decoding, and application/x-www-form-urlencoded.
import {
  append, newList, StringCharCodeAt, StringFromCharCode, StringIndexOf, StringSlice, StringToWellFormed, subarray,
  TypedArrayGetLength, TypedArraySet, Uint8ArrayCtor,
} from './primordials.js';
import { hexValue, isHexDigit, replaceAll, split } from './infra.js';
import { utf8DecodeWithoutBom, utf8Encode } from './utf8.js';

// A percent-encode set is a table of 128 flags; everything above U+007E is in every set.
function encodeSet(base, characters) {
  const set = new Uint8ArrayCtor(128);
  if (base !== undefined) TypedArraySet(set, base);
  for (let index = 0; index < characters.length; index++) set[StringCharCodeAt(characters, index)] = 1;
  return set;
}

const control = encodeSet(undefined, '\x7f');
for (let unit = 0; unit < 0x20; unit++) control[unit] = 1;
const fragment = encodeSet(control, ' "<>`');
const query = encodeSet(control, ' "#<>');
const specialQuery = encodeSet(query, "'");
const path = encodeSet(query, '?^`{}');
const userinfo = encodeSet(path, '/:;=@[\\]|');
const component = encodeSet(userinfo, '$%&+,');
const urlencoded = encodeSet(component, "!'()~");

export const encodeSets = { __proto__: null, control, fragment, query, specialQuery, path, userinfo, component };

const HEX = '0123456789ABCDEF';

/** The UTF-8 percent-encoding of a string by a set. */
export function percentEncode(text, set) {
  let index = 0;
  for (; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (unit > 0x7e || set[unit] === 1) break;
  }
  if (index === text.length) return text;
  let result = StringSlice(text, 0, index);
  const bytes = utf8Encode(StringSlice(text, index));
  const length = TypedArrayGetLength(bytes);
  for (let at = 0; at < length; at++) {
    const byte = bytes[at];
    result += byte > 0x7e || set[byte] === 1 ? `%${HEX[byte >> 4]}${HEX[byte & 15]}` : StringFromCharCode(byte);
  }
  return result;
}

/** The bytes of a string after percent-decoding. */
export function percentDecode(text) {
  const bytes = utf8Encode(text);
  const length = TypedArrayGetLength(bytes);
  let written = 0;
  for (let index = 0; index < length; index++) {
    let byte = bytes[index];
    if (byte === 0x25 && index + 2 < length && isHexDigit(bytes[index + 1]) && isHexDigit(bytes[index + 2])) {
      byte = hexValue(bytes[index + 1]) * 16 + hexValue(bytes[index + 2]);
      index += 2;
    }
    bytes[written++] = byte;
  }
  return subarray(bytes, 0, written);
}

/** The text of a percent-decoded string, read as UTF-8. */
export function percentDecodeToText(text) {
  return StringIndexOf(text, '%') === -1 ? StringToWellFormed(text) : utf8DecodeWithoutBom(percentDecode(text));
}

/** The `[name, value]` pairs of an application/x-www-form-urlencoded text. */
export function parseUrlencoded(text) {
  const pairs = newList();
  const parts = split(text, '&');
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part === '') continue;
    const at = StringIndexOf(part, '=');
    const name = at === -1 ? part : StringSlice(part, 0, at);
    const value = at === -1 ? '' : StringSlice(part, at + 1);
    append(pairs, [decodeField(name), decodeField(value)]);
  }
  return pairs;
}

function decodeField(text) {
  return percentDecodeToText(StringIndexOf(text, '+') === -1 ? text : replaceAll(text, '+', ' '));
}

/** The application/x-www-form-urlencoded text of `[name, value]` pairs. */
export function serializeUrlencoded(pairs) {
  let text = '';
  for (let index = 0; index < pairs.length; index++) {
    text += `${index === 0 ? '' : '&'}${encodeField(pairs[index][0])}=${encodeField(pairs[index][1])}`;
  }
  return text;
}

function encodeField(text) {
  const encoded = percentEncode(text, urlencoded);
  return StringIndexOf(encoded, '%20') === -1 ? encoded : replaceAll(encoded, '%20', '+');
}
