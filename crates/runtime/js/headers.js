// Fetch: Headers and header lists.
//
// A header list is a list of `[name, value, lowercase name]`.
import {
  append, ArraySort, newList, StringCharCodeAt, StringIndexOf, StringSlice, StringStartsWith, SymbolIterator,
  toArray,
} from './primordials.js';
import {
  ByteString, defineInterface, definePairIterable, illegalInvocation, isObject, record, requireArguments, sequence,
  sequenceFrom, typeError,
} from './webidl.js';
import { asciiLowercase, isHttpWhitespace, strip } from './infra.js';
import {
  collectQuotedString, isToken, mimeEssence, mimeParameter, parseMimeType,
} from './mime.js';

// ---- header lists -------------------------------------------------------------------------------------------

/** Appends a header; a name already in the list keeps its first spelling. */
export function appendHeader(list, name, value) {
  const lower = asciiLowercase(name);
  for (let index = 0; index < list.length; index++) {
    if (list[index][2] === lower) {
      name = list[index][0];
      break;
    }
  }
  append(list, [name, value, lower]);
}

/** The combined value of a header, or null. */
export function getHeader(list, name) {
  const lower = asciiLowercase(name);
  let value = null;
  for (let index = 0; index < list.length; index++) {
    if (list[index][2] !== lower) continue;
    value = value === null ? list[index][1] : `${value}, ${list[index][1]}`;
  }
  return value;
}

function deleteHeader(list, name) {
  const lower = asciiLowercase(name);
  let kept = 0;
  for (let index = 0; index < list.length; index++) if (list[index][2] !== lower) list[kept++] = list[index];
  list.length = kept;
}

function setHeader(list, name, value) {
  const lower = asciiLowercase(name);
  let found = false;
  let kept = 0;
  for (let index = 0; index < list.length; index++) {
    const header = list[index];
    if (header[2] === lower) {
      if (found) continue;
      found = true;
      header[1] = value;
    }
    list[kept++] = header;
  }
  list.length = kept;
  if (!found) append(list, [name, value, lower]);
}

/** A copy of a header list. */
export function copyHeaders(list) {
  const copy = newList();
  for (let index = 0; index < list.length; index++) {
    append(copy, [list[index][0], list[index][1], list[index][2]]);
  }
  return copy;
}

// "Sort and combine": lowercase names in order, `set-cookie` values kept apart.
function sortAndCombine(list) {
  const pairs = newList();
  for (let index = 0; index < list.length; index++) {
    const lower = list[index][2];
    if (lower !== 'set-cookie' && hasPair(pairs, lower)) continue;
    append(pairs, [lower, lower === 'set-cookie' ? list[index][1] : getHeader(list, lower)]);
  }
  return ArraySort(pairs, (left, right) => (left[0] < right[0] ? -1 : left[0] > right[0] ? 1 : 0));
}

function hasPair(pairs, name) {
  for (let index = 0; index < pairs.length; index++) if (pairs[index][0] === name) return true;
  return false;
}

/** Fetch's "extract a MIME type" of a header list; undefined is failure. */
export function extractMimeType(list) {
  const combined = getHeader(list, 'content-type');
  if (combined === null) return undefined;
  let charset;
  let essence;
  let mime;
  const values = splitValues(combined);
  for (let index = 0; index < values.length; index++) {
    const parsed = parseMimeType(values[index]);
    if (parsed === undefined || mimeEssence(parsed) === '*/*') continue;
    mime = parsed;
    if (mimeEssence(mime) !== essence) {
      charset = mimeParameter(mime, 'charset');
      essence = mimeEssence(mime);
    } else if (mimeParameter(mime, 'charset') === undefined && charset !== undefined) {
      append(mime.parameters, ['charset', charset]);
    } else charset = mimeParameter(mime, 'charset') ?? charset;
  }
  return mime;
}

// "Get, decode, and split": commas inside quoted strings do not split.
function splitValues(text) {
  const values = newList();
  let start = 0;
  let at = 0;
  while (at < text.length) {
    if (text[at] === '"') ({ at } = collectQuotedString(text, at));
    else if (text[at] === ',') {
      append(values, strip(StringSlice(text, start, at), isTabOrSpace));
      start = ++at;
    } else at++;
  }
  append(values, strip(StringSlice(text, start), isTabOrSpace));
  return values;
}

function isTabOrSpace(unit) {
  return unit === 0x09 || unit === 0x20;
}

// ---- names and values ---------------------------------------------------------------------------------------

function isHeaderValue(value) {
  for (let index = 0; index < value.length; index++) {
    const unit = StringCharCodeAt(value, index);
    if (unit === 0 || unit === 0x0a || unit === 0x0d) return false;
  }
  return true;
}

const forbidden = { __proto__: null };
const FORBIDDEN = [
  'accept-charset', 'accept-encoding', 'access-control-request-headers', 'access-control-request-method',
  'connection', 'content-length', 'cookie', 'cookie2', 'date', 'dnt', 'expect', 'host', 'keep-alive', 'origin',
  'referer', 'set-cookie', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'via',
];
for (let index = 0; index < FORBIDDEN.length; index++) forbidden[FORBIDDEN[index]] = true;

// A request header that only the host may set.
function isForbiddenRequestHeader(name, value) {
  const lower = asciiLowercase(name);
  if (forbidden[lower] || StringStartsWith(lower, 'proxy-') || StringStartsWith(lower, 'sec-')) return true;
  if (lower !== 'x-http-method' && lower !== 'x-http-method-override' && lower !== 'x-method-override') return false;
  const methods = splitValues(value);
  for (let index = 0; index < methods.length; index++) if (isForbiddenMethod(methods[index])) return true;
  return false;
}

/** Whether a method may not be used by a program. */
export function isForbiddenMethod(method) {
  const lower = asciiLowercase(method);
  return lower === 'connect' || lower === 'trace' || lower === 'track';
}

const safelisted = {
  __proto__: null, accept: true, 'accept-language': true, 'content-language': true, 'content-type': true,
};

function isSafelistedForNoCors(name, value) {
  const lower = asciiLowercase(name);
  if (!safelisted[lower] || value.length > 128) return false;
  for (let index = 0; index < value.length; index++) {
    const unit = StringCharCodeAt(value, index);
    if (lower === 'accept-language' || lower === 'content-language') {
      if (unit > 0x7a || (unit < 0x30 && StringIndexOf(' *,-.;=', value[index]) === -1)) return false;
      if (unit > 0x39 && unit < 0x41 && unit !== 0x3b && unit !== 0x3d) return false;
      if (unit > 0x5a && unit < 0x61) return false;
    } else if ((unit < 0x20 && unit !== 0x09) || StringIndexOf('"():<>?@[\\]{}\x7f', value[index]) !== -1) return false;
  }
  if (lower !== 'content-type') return true;
  const mime = parseMimeType(value);
  if (mime === undefined) return false;
  const essence = mimeEssence(mime);
  return (
    essence === 'application/x-www-form-urlencoded' || essence === 'multipart/form-data' || essence === 'text/plain'
  );
}

// ---- Headers ------------------------------------------------------------------------------------------------

const pairSequence = sequence(ByteString);
const byteRecord = record(ByteString, ByteString);

/** The converter of HeadersInit; the answer is a list of `[name, value]` pairs, or a Headers object. */
export function headersInit(value, context) {
  if (!isObject(value)) throw typeError(context, 'The provided value is not of type HeadersInit.');
  const method = value[SymbolIterator];
  if (method === undefined || method === null) return byteRecord(value, context);
  const pairs = sequenceFrom(value, method, pairSequence, context);
  for (let index = 0; index < pairs.length; index++) {
    if (pairs[index].length !== 2) throw typeError(context, 'A header is a pair of name and value.');
  }
  return pairs;
}

let isHeaders;
let stateOf;

export class Headers {
  // `list` is the header list, `guard` one of none, immutable, request, request-no-cors, response; `combined` is the
  // sorted view that iteration uses, until the next change.
  #state;

  static {
    isHeaders = (value) => isObject(value) && #state in value;
    stateOf = (headers) => (isHeaders(headers) ? headers.#state : illegalInvocation());
  }

  constructor(init = undefined) {
    this.#state = { __proto__: null, list: newList(), guard: 'none', combined: undefined };
    const context = "Failed to construct 'Headers'";
    if (init !== undefined) fill(this.#state, headersInit(init, context), context);
  }

  append(name, value) {
    const state = stateOf(this);
    const context = "Failed to execute 'append' on 'Headers'";
    requireArguments(arguments.length, 2, context);
    appendGuarded(state, ByteString(name, context), ByteString(value, context), context);
  }

  delete(name) {
    const state = stateOf(this);
    const context = "Failed to execute 'delete' on 'Headers'";
    requireArguments(arguments.length, 1, context);
    name = ByteString(name, context);
    if (!mayChange(state, name, '', context)) return;
    const lower = asciiLowercase(name);
    if (state.guard === 'request-no-cors' && !safelisted[lower] && lower !== 'range') return;
    deleteHeader(state.list, name);
    if (state.guard === 'request-no-cors') deleteHeader(state.list, 'range');
    state.combined = undefined;
  }

  get(name) {
    const state = stateOf(this);
    return getHeader(state.list, headerName(name, arguments.length, "Failed to execute 'get' on 'Headers'"));
  }

  getSetCookie() {
    const { list } = stateOf(this);
    const values = newList();
    for (let index = 0; index < list.length; index++) {
      if (list[index][2] === 'set-cookie') append(values, list[index][1]);
    }
    return toArray(values);
  }

  has(name) {
    const state = stateOf(this);
    return getHeader(state.list, headerName(name, arguments.length, "Failed to execute 'has' on 'Headers'")) !== null;
  }

  set(name, value) {
    const state = stateOf(this);
    const context = "Failed to execute 'set' on 'Headers'";
    requireArguments(arguments.length, 2, context);
    name = ByteString(name, context);
    value = strip(ByteString(value, context), isHttpWhitespace);
    if (!mayChange(state, name, value, context)) return;
    if (state.guard === 'request-no-cors' && !isSafelistedForNoCors(name, value)) return;
    setHeader(state.list, name, value);
    if (state.guard === 'request-no-cors') deleteHeader(state.list, 'range');
    state.combined = undefined;
  }
}

defineInterface(Headers, { __proto__: null, length: 0, is: isHeaders });
definePairIterable(Headers, isHeaders, (headers) => {
  const state = stateOf(headers);
  state.combined ??= sortAndCombine(state.list);
  return state.combined;
});

function headerName(name, count, context) {
  requireArguments(count, 1, context);
  name = ByteString(name, context);
  if (!isToken(name)) throw typeError(context, `'${name}' is not a header name.`);
  return name;
}

// Fetch's "validate" of a name and value for a Headers object; false is a change that has no effect.
function mayChange(state, name, value, context) {
  if (!isToken(name)) throw typeError(context, `'${name}' is not a header name.`);
  if (!isHeaderValue(value)) throw typeError(context, `The value of '${name}' is not a header value.`);
  if (state.guard === 'immutable') throw typeError(context, 'The headers are immutable.');
  return state.guard !== 'request' || !isForbiddenRequestHeader(name, value);
}

function appendGuarded(state, name, value, context) {
  value = strip(value, isHttpWhitespace);
  if (!mayChange(state, name, value, context)) return;
  if (state.guard === 'request-no-cors') {
    const present = getHeader(state.list, name);
    if (!isSafelistedForNoCors(name, present === null ? value : `${present}, ${value}`)) return;
  }
  appendHeader(state.list, name, value);
  if (state.guard === 'request-no-cors') deleteHeader(state.list, 'range');
  state.combined = undefined;
}

function fill(state, pairs, context) {
  for (let index = 0; index < pairs.length; index++) appendGuarded(state, pairs[index][0], pairs[index][1], context);
}

/** A Headers object over a header list. */
export function newHeaders(list, guard) {
  const headers = new Headers();
  const state = stateOf(headers);
  state.list = list;
  state.guard = guard;
  return headers;
}

/** Adds the pairs of a HeadersInit to a Headers object under its guard. */
export function fillHeaders(headers, pairs, context) {
  fill(stateOf(headers), pairs, context);
}

/** The header list of a Headers object. */
export function headerList(headers) {
  return stateOf(headers).list;
}

/** Names and values of a Headers object in turn, as they cross to the host. */
export function flatHeaders(headers) {
  const { list } = stateOf(headers);
  const flat = newList();
  for (let index = 0; index < list.length; index++) {
    append(flat, list[index][0]);
    append(flat, list[index][1]);
  }
  return toArray(flat);
}

/** Empties a Headers object. */
export function clearHeaders(headers) {
  const state = stateOf(headers);
  state.list.length = 0;
  state.combined = undefined;
}

/** Changes the guard of a Headers object. */
export function guardHeaders(headers, guard) {
  stateOf(headers).guard = guard;
}

/** Appends a header under the guard of a Headers object. */
export function appendToHeaders(headers, name, value) {
  appendGuarded(stateOf(headers), name, value, undefined);
}

export const globals = { __proto__: null, Headers };
