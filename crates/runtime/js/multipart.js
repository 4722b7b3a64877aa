// HTML: the multipart/form-data encoding algorithm; Fetch: the parser of that format.
import {
  append, newList, slice, StringCharCodeAt, StringIndexOf, StringSlice, subarray, TypedArrayGetLength,
  Uint8ArrayCtor,
} from './primordials.js';
import { asciiLowercase, concatBytes, isAlpha, isDigit, isHttpWhitespace, replaceAll, strip } from './infra.js';
import { utf8DecodeWithoutBom, utf8Encode } from './utf8.js';
import { blobBytes, blobTypeOf, fileData, newFile } from './blob.js';
import { isTokenUnit } from './mime.js';
import { host } from './internal/host.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789AB';

/** A boundary that the content cannot be expected to hold. */
export function newBoundary() {
  const bytes = new Uint8ArrayCtor(24);
  host.randomBytes(bytes);
  let text = '----FormBoundary';
  for (let index = 0; index < 24; index++) text += ALPHABET[bytes[index] & 63];
  return text;
}

function escapeName(text) {
  return replaceAll(replaceAll(replaceAll(text, '\n', '%0A'), '\r', '%0D'), '"', '%22');
}

function crlf(text) {
  return replaceAll(replaceAll(replaceAll(text, '\r\n', '\n'), '\r', '\n'), '\n', '\r\n');
}

/** The bytes of a form's entries. */
export function serializeMultipart(entries, boundary) {
  const chunks = newList();
  for (let index = 0; index < entries.length; index++) {
    const value = entries[index][1];
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(crlf(entries[index][0]))}"`;
    if (typeof value === 'string') {
      append(chunks, utf8Encode(`${head}\r\n\r\n${crlf(value)}\r\n`));
      continue;
    }
    const type = blobTypeOf(value) || 'application/octet-stream';
    const filename = escapeName(fileData(value).name);
    append(chunks, utf8Encode(`${head}; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`));
    append(chunks, blobBytes(value));
    append(chunks, utf8Encode('\r\n'));
  }
  append(chunks, utf8Encode(`--${boundary}--\r\n`));
  return concatBytes(chunks);
}

// ---- parser -------------------------------------------------------------------------------------------------

function indexOfBytes(bytes, pattern, from) {
  const length = TypedArrayGetLength(pattern);
  const last = TypedArrayGetLength(bytes) - length;
  for (let at = from; at <= last; at++) {
    let index = 0;
    while (index < length && bytes[at + index] === pattern[index]) index++;
    if (index === length) return at;
  }
  return -1;
}

function startsWith(bytes, pattern, at) {
  const length = TypedArrayGetLength(pattern);
  for (let index = 0; index < length; index++) if (bytes[at + index] !== pattern[index]) return false;
  return true;
}

const CRLF = utf8Encode('\r\n');

/** The entries of a multipart/form-data body, or undefined where it is malformed. */
export function parseMultipart(bytes, boundary) {
  const delimiter = utf8Encode(`--${boundary}`);
  const separator = utf8Encode(`\r\n--${boundary}`);
  const entries = newList();
  let at = 0;
  while (startsWith(bytes, CRLF, at)) at += 2;
  for (;;) {
    if (!startsWith(bytes, delimiter, at)) return undefined;
    at += TypedArrayGetLength(delimiter);
    if (bytes[at] === 0x2d && bytes[at + 1] === 0x2d) return entries;
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
    if (!startsWith(bytes, CRLF, at)) return undefined;
    at += 2;
    const headers = { __proto__: null, name: undefined, filename: undefined, type: undefined, at };
    if (!parsePartHeaders(bytes, headers)) return undefined;
    at = headers.at;
    let end = indexOfBytes(bytes, separator, at);
    if (end === -1) {
      // An empty part: the blank line is also the line break before the delimiter.
      if (!startsWith(bytes, delimiter, at)) return undefined;
      end = at - 2;
    }
    const body = slice(bytes, at, end < at ? at : end);
    const { name, filename, type } = headers;
    if (filename === undefined) append(entries, [name, utf8DecodeWithoutBom(body)]);
    else append(entries, [name, newFile(body, asciiLowercase(type ?? 'text/plain'), filename)]);
    at = end + 2;
  }
}

// Reads the header lines of a part up to and including the blank line; false is malformed.
function parsePartHeaders(bytes, headers) {
  for (;;) {
    const end = indexOfBytes(bytes, CRLF, headers.at);
    if (end === -1) return false;
    const line = utf8DecodeWithoutBom(subarray(bytes, headers.at, end));
    headers.at = end + 2;
    if (line === '') return headers.name !== undefined;
    const colon = StringIndexOf(line, ':');
    if (colon === -1) return false;
    const name = asciiLowercase(strip(StringSlice(line, 0, colon), isHttpWhitespace));
    for (let index = 0; index < name.length; index++) if (!isTokenUnit(StringCharCodeAt(name, index))) return false;
    const value = strip(StringSlice(line, colon + 1), isHttpWhitespace);
    if (name === 'content-type') headers.type = value;
    else if (name === 'content-disposition' && !parseDisposition(value, headers)) return false;
  }
}

function parseDisposition(value, headers) {
  let at = StringIndexOf(value, ';');
  if (at === -1 || asciiLowercase(strip(StringSlice(value, 0, at), isHttpWhitespace)) !== 'form-data') return false;
  while (at < value.length) {
    at++;
    while (at < value.length && isHttpWhitespace(StringCharCodeAt(value, at))) at++;
    const start = at;
    while (at < value.length && isParameterUnit(StringCharCodeAt(value, at))) at++;
    const name = asciiLowercase(StringSlice(value, start, at));
    if (value[at] !== '=') return at >= value.length;
    at++;
    let text;
    if (value[at] === '"') {
      const end = StringIndexOf(value, '"', at + 1);
      if (end === -1) return false;
      text = unescapeName(StringSlice(value, at + 1, end));
      at = end + 1;
    } else {
      let end = StringIndexOf(value, ';', at);
      if (end === -1) end = value.length;
      text = strip(StringSlice(value, at, end), isHttpWhitespace);
      at = end;
    }
    if (name === 'name') headers.name ??= text;
    else if (name === 'filename') headers.filename ??= text;
    while (at < value.length && value[at] !== ';') at++;
  }
  return true;
}

function isParameterUnit(unit) {
  return isAlpha(unit) || isDigit(unit) || unit === 0x2a;
}

function unescapeName(text) {
  return replaceAll(replaceAll(replaceAll(text, '%0A', '\n'), '%0D', '\r'), '%22', '"');
}
