// HTML: atob and btoa; Infra: forgiving base64.
import {
  MathFloor, newList, ReflectApply, StringCharCodeAt, StringFromCharCode, TypedArrayGetLength, Uint8ArrayCtor,
} from './primordials.js';
import { DOMString, requireArguments } from './webidl.js';
import { domException } from './dom-exception.js';
import { isAsciiWhitespace, isomorphicDecode, isomorphicEncode, removeUnits } from './infra.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Uint8ArrayCtor(128);
for (let unit = 0; unit < 128; unit++) values[unit] = 64;
for (let value = 0; value < 64; value++) values[StringCharCodeAt(ALPHABET, value)] = value;

/** The base64 text of bytes, with padding. */
export function base64Encode(bytes) {
  const length = TypedArrayGetLength(bytes);
  let text = '';
  let units = newList();
  let count = 0;
  for (let index = 0; index < length; index += 3) {
    const second = index + 1 < length ? bytes[index + 1] : 0;
    const third = index + 2 < length ? bytes[index + 2] : 0;
    const group = (bytes[index] << 16) | (second << 8) | third;
    units[count++] = StringCharCodeAt(ALPHABET, group >> 18);
    units[count++] = StringCharCodeAt(ALPHABET, (group >> 12) & 63);
    units[count++] = index + 1 < length ? StringCharCodeAt(ALPHABET, (group >> 6) & 63) : 0x3d;
    units[count++] = index + 2 < length ? StringCharCodeAt(ALPHABET, group & 63) : 0x3d;
    if (count >= 4096) {
      text += ReflectApply(StringFromCharCode, undefined, units);
      units = newList();
      count = 0;
    }
  }
  return count === 0 ? text : text + ReflectApply(StringFromCharCode, undefined, units);
}

/** Infra's "forgiving-base64 decode": the bytes, or undefined where the text is not base64. */
export function forgivingBase64Decode(text) {
  text = removeUnits(text, isAsciiWhitespace);
  let { length } = text;
  if (length % 4 === 0 && length > 0) {
    if (StringCharCodeAt(text, length - 1) === 0x3d) length--;
    if (StringCharCodeAt(text, length - 1) === 0x3d) length--;
  }
  if (length % 4 === 1) return undefined;
  const bytes = new Uint8ArrayCtor(MathFloor((length * 3) / 4));
  let written = 0;
  let buffer = 0;
  let bits = 0;
  for (let index = 0; index < length; index++) {
    const unit = StringCharCodeAt(text, index);
    const value = unit < 128 ? values[unit] : 64;
    if (value === 64) return undefined;
    buffer = ((buffer << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[written++] = (buffer >> bits) & 0xff;
    }
  }
  return bytes;
}

export const operations = {
  __proto__: null,

  atob(data) {
    const context = "Failed to execute 'atob'";
    requireArguments(arguments.length, 1, context);
    const bytes = forgivingBase64Decode(DOMString(data, context));
    if (bytes === undefined) {
      throw domException(`${context}: the string to be decoded is not correctly encoded.`, 'InvalidCharacterError');
    }
    return isomorphicDecode(bytes);
  },

  btoa(data) {
    const context = "Failed to execute 'btoa'";
    requireArguments(arguments.length, 1, context);
    data = DOMString(data, context);
    for (let index = 0; index < data.length; index++) {
      if (StringCharCodeAt(data, index) > 255) {
        throw domException(`${context}: the string holds a character above U+00FF.`, 'InvalidCharacterError');
      }
    }
    return base64Encode(isomorphicEncode(data));
  },
};
