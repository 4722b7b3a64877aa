// Infra: the small text and byte operations that several standards share. None of them reads a mutable built-in.
import {
  append, MathMin, newList, ReflectApply, StringCharCodeAt, StringFromCharCode, StringIndexOf, StringSlice,
  StringToLowerCase, StringToUpperCase, TypedArrayGetByteLength, TypedArrayGetLength, TypedArraySet, Uint8ArrayCtor,
} from './primordials.js';

/** Whether a code unit is an ASCII digit. */
export function isDigit(unit) {
  return unit >= 0x30 && unit <= 0x39;
}

/** Whether a code unit is an ASCII letter. */
export function isAlpha(unit) {
  return (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

/** Whether a code unit is an ASCII hexadecimal digit. */
export function isHexDigit(unit) {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66);
}

/** The value of an ASCII hexadecimal digit. */
export function hexValue(unit) {
  return unit <= 0x39 ? unit - 0x30 : (unit | 0x20) - 0x57;
}

/** A string with its ASCII capitals in lower case. */
export function asciiLowercase(text) {
  return mapAscii(text, 0x41, 0x5a, StringToLowerCase);
}

/** A string with its small ASCII letters in upper case. */
export function asciiUppercase(text) {
  return mapAscii(text, 0x61, 0x7a, StringToUpperCase);
}

function mapAscii(text, first, last, convert) {
  let affected = false;
  let ascii = true;
  for (let index = 0; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (unit >= first && unit <= last) affected = true;
    else if (unit > 0x7f) ascii = false;
  }
  if (!affected) return text;
  if (ascii) return convert(text);
  let result = '';
  for (let index = 0; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    result += unit >= first && unit <= last ? convert(text[index]) : text[index];
  }
  return result;
}

/** Whether a code unit is ASCII whitespace: tab, newline, form feed, carriage return or space. */
export function isAsciiWhitespace(unit) {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0c || unit === 0x0d;
}

/** Whether a code unit is HTTP whitespace: tab, newline, carriage return or space. */
export function isHttpWhitespace(unit) {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}

/** A string without the leading and trailing code units for which `isBlank` holds. */
export function strip(text, isBlank) {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(StringCharCodeAt(text, start))) start++;
  while (end > start && isBlank(StringCharCodeAt(text, end - 1))) end--;
  return StringSlice(text, start, end);
}

/** A string without any code unit for which `isUnwanted` holds. */
export function removeUnits(text, isUnwanted) {
  let result = '';
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (!isUnwanted(StringCharCodeAt(text, index))) continue;
    result += StringSlice(text, start, index);
    start = index + 1;
  }
  return start === 0 ? text : result + StringSlice(text, start);
}

/** The parts of a string between occurrences of a separator, as a list. */
export function split(text, separator) {
  const parts = newList();
  let start = 0;
  for (;;) {
    const at = StringIndexOf(text, separator, start);
    if (at === -1) {
      append(parts, StringSlice(text, start));
      return parts;
    }
    append(parts, StringSlice(text, start, at));
    start = at + separator.length;
  }
}

/** A string with every occurrence of one text replaced by another. */
export function replaceAll(text, search, replacement) {
  const parts = split(text, search);
  let result = parts[0];
  for (let index = 1; index < parts.length; index++) result += replacement + parts[index];
  return result;
}

/** Whether every code unit is below U+0080. */
export function isAsciiString(text) {
  for (let index = 0; index < text.length; index++) if (StringCharCodeAt(text, index) > 0x7f) return false;
  return true;
}

/** The bytes of a string whose code units are all below U+0100. */
export function isomorphicEncode(text) {
  const bytes = new Uint8ArrayCtor(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = StringCharCodeAt(text, index);
  return bytes;
}

/** The string whose code units are the bytes. */
export function isomorphicDecode(bytes) {
  const length = TypedArrayGetLength(bytes);
  let text = '';
  for (let start = 0; start < length; start += 4096) {
    const units = newList();
    const end = MathMin(start + 4096, length);
    for (let index = start; index < end; index++) units[index - start] = bytes[index];
    text += ReflectApply(StringFromCharCode, undefined, units);
  }
  return text;
}

/** One Uint8Array holding the bytes of a list of them. */
export function concatBytes(chunks) {
  if (chunks.length === 1) return chunks[0];
  let length = 0;
  for (let index = 0; index < chunks.length; index++) length += TypedArrayGetByteLength(chunks[index]);
  const bytes = new Uint8ArrayCtor(length);
  let offset = 0;
  for (let index = 0; index < chunks.length; index++) {
    TypedArraySet(bytes, chunks[index], offset);
    offset += TypedArrayGetByteLength(chunks[index]);
  }
  return bytes;
}
