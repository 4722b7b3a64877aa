// MIME Sniffing: parsing and serializing MIME types.
//
// A parsed type is `{ type, subtype, parameters }`, the parameters a list of `[name, value]` in their order.
import { append, newList, StringCharCodeAt, StringFromCharCode, StringIndexOf, StringSlice } from './primordials.js';
import { asciiLowercase, isAlpha, isDigit, isHttpWhitespace, strip } from './infra.js';

/** Whether a code unit may stand in an HTTP token. */
export function isTokenUnit(unit) {
  if (isAlpha(unit) || isDigit(unit)) return true;
  return unit < 0x80 && StringIndexOf("!#$%&'*+-.^_`|~", StringFromCharCode(unit)) !== -1;
}

/** Whether a text is an HTTP token. */
export function isToken(text) {
  if (text === '') return false;
  for (let index = 0; index < text.length; index++) if (!isTokenUnit(StringCharCodeAt(text, index))) return false;
  return true;
}

function isQuotedStringText(text) {
  for (let index = 0; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (unit !== 0x09 && (unit < 0x20 || unit > 0xff || unit === 0x7f)) return false;
  }
  return true;
}

/**
 * Fetch's "collect an HTTP quoted string" from the quote at `at`, its value extracted: `{ value, at }`.
 */
export function collectQuotedString(text, at) {
  let value = '';
  at++;
  for (;;) {
    const start = at;
    while (at < text.length && text[at] !== '"' && text[at] !== '\\') at++;
    value += StringSlice(text, start, at);
    if (at >= text.length) return { __proto__: null, value, at };
    const mark = text[at++];
    if (mark === '"') return { __proto__: null, value, at };
    if (at >= text.length) return { __proto__: null, value: `${value}\\`, at };
    value += text[at++];
  }
}

function stripEnd(text) {
  let end = text.length;
  while (end > 0 && isHttpWhitespace(StringCharCodeAt(text, end - 1))) end--;
  return StringSlice(text, 0, end);
}

/** Parses a MIME type; undefined is failure. */
export function parseMimeType(text) {
  text = strip(text, isHttpWhitespace);
  const slash = StringIndexOf(text, '/');
  if (slash === -1) return undefined;
  const type = StringSlice(text, 0, slash);
  let at = StringIndexOf(text, ';', slash + 1);
  if (at === -1) at = text.length;
  const subtype = stripEnd(StringSlice(text, slash + 1, at));
  if (!isToken(type) || !isToken(subtype)) return undefined;
  const mime = {
    __proto__: null, type: asciiLowercase(type), subtype: asciiLowercase(subtype), parameters: newList(),
  };
  while (at < text.length) {
    at++;
    while (at < text.length && isHttpWhitespace(StringCharCodeAt(text, at))) at++;
    let end = at;
    while (end < text.length && text[end] !== ';' && text[end] !== '=') end++;
    const name = asciiLowercase(StringSlice(text, at, end));
    at = end;
    if (at >= text.length) break;
    if (text[at] === ';') continue;
    at++;
    if (at >= text.length) break;
    let value;
    if (text[at] === '"') {
      const collected = collectQuotedString(text, at);
      ({ value } = collected);
      at = collected.at;
      while (at < text.length && text[at] !== ';') at++;
    } else {
      end = at;
      while (end < text.length && text[end] !== ';') end++;
      value = stripEnd(StringSlice(text, at, end));
      at = end;
      if (value === '') continue;
    }
    if (isToken(name) && isQuotedStringText(value) && mimeParameter(mime, name) === undefined) {
      append(mime.parameters, [name, value]);
    }
  }
  return mime;
}

/** The value of a parameter, or undefined. */
export function mimeParameter(mime, name) {
  const { parameters } = mime;
  for (let index = 0; index < parameters.length; index++) {
    if (parameters[index][0] === name) return parameters[index][1];
  }
  return undefined;
}

/** Type and subtype of a MIME type. */
export function mimeEssence(mime) {
  return `${mime.type}/${mime.subtype}`;
}

/** A MIME type as text. */
export function serializeMimeType(mime) {
  let text = mimeEssence(mime);
  for (let index = 0; index < mime.parameters.length; index++) {
    const value = mime.parameters[index][1];
    text += `;${mime.parameters[index][0]}=${isToken(value) ? value : quote(value)}`;
  }
  return text;
}

function quote(value) {
  let text = '"';
  for (let index = 0; index < value.length; index++) {
    if (value[index] === '"' || value[index] === '\\') text += '\\';
    text += value[index];
  }
  return `${text}"`;
}
