// URL: the basic URL parser and the URL record it answers.
//
// A record is `{ scheme, username, password, host, port, path, query, fragment }`: `host` is a serialized host or
// null, `port` a number or null, `path` a list of segments or, when opaque, a string.
import {
  append, newList, sealRecord, StringCharCodeAt, StringIndexOf, StringLastIndexOf, StringSlice,
} from './primordials.js';
import {
  asciiLowercase, isAlpha, isDigit, removeUnits, strip,
} from './infra.js';
import { encodeSets, percentEncode } from './url-encoding.js';
import { parseHost } from './url-host.js';

const defaultPorts = { __proto__: null, ftp: 21, file: null, http: 80, https: 443, ws: 80, wss: 443 };

/** Whether a record's scheme is special. */
export function isSpecial(url) {
  return defaultPorts[url.scheme] !== undefined;
}

/** Whether a record's path is opaque. */
export function hasOpaquePath(url) {
  return typeof url.path === 'string';
}

/** Whether a record can have no username, password or port. */
export function cannotHaveCredentials(url) {
  return url.host === null || url.host === '' || url.scheme === 'file';
}

// The parser's states; also what a setter starts from.
export const SCHEME_START = 0;
const SCHEME = 1;
const NO_SCHEME = 2;
const SPECIAL_RELATIVE_OR_AUTHORITY = 3;
const PATH_OR_AUTHORITY = 4;
const RELATIVE = 5;
const RELATIVE_SLASH = 6;
const SPECIAL_AUTHORITY_SLASHES = 7;
const SPECIAL_AUTHORITY_IGNORE_SLASHES = 8;
const AUTHORITY = 9;
export const HOST = 10;
export const HOSTNAME = 11;
export const PORT = 12;
const FILE = 13;
const FILE_SLASH = 14;
const FILE_HOST = 15;
export const PATH_START = 16;
const PATH = 17;
export const OPAQUE_PATH = 18;
export const QUERY = 19;
export const FRAGMENT = 20;
const PATH_END = 21;

const EOF = -1;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const QUESTION = 0x3f;
const HASH = 0x23;
const COLON = 0x3a;

class UrlRecord {
  scheme = '';
  username = '';
  password = '';
  host = null;
  port = null;
  path = newList();
  query = null;
  fragment = null;
}

sealRecord(UrlRecord);

function newRecord() {
  return new UrlRecord();
}

/** A record that equals another and shares nothing with it. */
export function copyRecord(url) {
  const copy = newRecord();
  copy.scheme = url.scheme;
  copyAuthority(copy, url);
  copyPath(copy, url);
  copy.query = url.query;
  copy.fragment = url.fragment;
  return copy;
}

function copyAuthority(url, base) {
  url.username = base.username;
  url.password = base.password;
  url.host = base.host;
  url.port = base.port;
}

function copyPath(url, base) {
  if (hasOpaquePath(base)) {
    url.path = base.path;
    return;
  }
  url.path = newList();
  for (let index = 0; index < base.path.length; index++) append(url.path, base.path[index]);
}

function isControlOrSpace(unit) {
  return unit <= 0x20;
}

function isTabOrNewline(unit) {
  return unit === 0x09 || unit === 0x0a || unit === 0x0d;
}

/** Parses a URL string against an optional base record; undefined is failure. */
export function parseUrl(input, base = undefined) {
  const url = newRecord();
  input = removeUnits(strip(input, isControlOrSpace), isTabOrNewline);
  return runParser(input, base, url, undefined) === FAILURE ? undefined : url;
}

/**
 * Runs the parser over a record from the state a setter names; the answer is whether it succeeded. What was set before
 * a failure stays set.
 */
export function parseInto(url, input, state) {
  return runParser(removeUnits(input, isTabOrNewline), undefined, url, state) !== FAILURE;
}

const FAILURE = 0;
const DONE = 1;

class Parser {
  input;
  base;
  url;
  override;
  state;
  at = 0;
  constructor(input, base, url, override) {
    this.input = input;
    this.base = base;
    this.url = url;
    this.override = override;
    this.state = override ?? SCHEME_START;
  }
}

sealRecord(Parser);

// Each step consumes what it can from `at` and sets the next state; the answer is FAILURE, DONE or undefined to go on.
function runParser(input, base, url, override) {
  const parser = new Parser(input, base, url, override);
  for (;;) {
    const outcome = steps[parser.state](parser);
    if (outcome !== undefined) return outcome;
  }
}

function unitAt(parser, at) {
  return at < parser.input.length ? StringCharCodeAt(parser.input, at) : EOF;
}

function isSlash(parser, unit) {
  return unit === SLASH || (unit === BACKSLASH && isSpecial(parser.url));
}

// Where a part of the URL ends: the first of the delimiters from `at`, or the end of the input.
function find(parser, at, isEnd) {
  while (at < parser.input.length && !isEnd(parser, StringCharCodeAt(parser.input, at))) at++;
  return at;
}

function endsAuthority(parser, unit) {
  return unit === SLASH || unit === QUESTION || unit === HASH || (unit === BACKSLASH && isSpecial(parser.url));
}

function isQuestionOrHash(parser, unit) {
  return unit === QUESTION || unit === HASH;
}

function isHash(parser, unit) {
  return unit === HASH;
}

function startQuery(parser) {
  parser.url.query = '';
  parser.state = QUERY;
  parser.at++;
}

function startFragment(parser) {
  parser.url.fragment = '';
  parser.state = FRAGMENT;
  parser.at++;
}

function schemeStart(parser) {
  if (isAlpha(unitAt(parser, parser.at))) parser.state = SCHEME;
  else if (parser.override === undefined) parser.state = NO_SCHEME;
  else return FAILURE;
  return undefined;
}

function isSchemeUnit(unit) {
  return isAlpha(unit) || isDigit(unit) || unit === 0x2b || unit === 0x2d || unit === 0x2e;
}

function scheme(parser) {
  const { url, base, override } = parser;
  let end = parser.at;
  while (isSchemeUnit(unitAt(parser, end))) end++;
  if (unitAt(parser, end) !== COLON) {
    if (override !== undefined) return FAILURE;
    parser.state = NO_SCHEME;
    return undefined;
  }
  const name = asciiLowercase(StringSlice(parser.input, parser.at, end));
  if (override !== undefined) return changeScheme(url, name);
  url.scheme = name;
  parser.at = end + 1;
  if (name === 'file') parser.state = FILE;
  else if (isSpecial(url)) {
    const same = base !== undefined && base.scheme === name;
    parser.state = same ? SPECIAL_RELATIVE_OR_AUTHORITY : SPECIAL_AUTHORITY_SLASHES;
  } else if (unitAt(parser, parser.at) === SLASH) {
    parser.state = PATH_OR_AUTHORITY;
    parser.at++;
  } else {
    url.path = '';
    parser.state = OPAQUE_PATH;
  }
  return undefined;
}

function changeScheme(url, name) {
  if (isSpecial(url) !== (defaultPorts[name] !== undefined)) return DONE;
  if (name === 'file' && (url.username !== '' || url.password !== '' || url.port !== null)) return DONE;
  if (url.scheme === 'file' && url.host === '') return DONE;
  url.scheme = name;
  if (url.port === defaultPorts[name]) url.port = null;
  return DONE;
}

function noScheme(parser) {
  const { url, base } = parser;
  parser.at = 0;
  const unit = unitAt(parser, 0);
  if (base === undefined || (hasOpaquePath(base) && unit !== HASH)) return FAILURE;
  if (hasOpaquePath(base)) {
    url.scheme = base.scheme;
    url.path = base.path;
    url.query = base.query;
    startFragment(parser);
  } else parser.state = base.scheme === 'file' ? FILE : RELATIVE;
  return undefined;
}

function specialRelativeOrAuthority(parser) {
  if (unitAt(parser, parser.at) === SLASH && unitAt(parser, parser.at + 1) === SLASH) {
    parser.at += 2;
    parser.state = SPECIAL_AUTHORITY_IGNORE_SLASHES;
  } else parser.state = RELATIVE;
}

function pathOrAuthority(parser) {
  if (unitAt(parser, parser.at) === SLASH) {
    parser.at++;
    parser.state = AUTHORITY;
  } else parser.state = PATH;
}

function relative(parser) {
  const { url, base } = parser;
  url.scheme = base.scheme;
  const unit = unitAt(parser, parser.at);
  if (isSlash(parser, unit)) {
    parser.at++;
    parser.state = RELATIVE_SLASH;
    return;
  }
  copyAuthority(url, base);
  relativePath(parser);
}

// What follows the authority of a relative reference, after base's path was taken over.
function relativePath(parser) {
  const { url, base } = parser;
  copyPath(url, base);
  url.query = base.query;
  const unit = unitAt(parser, parser.at);
  if (unit === QUESTION) startQuery(parser);
  else if (unit === HASH) startFragment(parser);
  else if (unit === EOF) parser.state = PATH_END;
  else {
    url.query = null;
    shortenPath(url);
    parser.state = PATH;
  }
}

function relativeSlash(parser) {
  const unit = unitAt(parser, parser.at);
  if (isSpecial(parser.url) && (unit === SLASH || unit === BACKSLASH)) {
    parser.at++;
    parser.state = SPECIAL_AUTHORITY_IGNORE_SLASHES;
  } else if (unit === SLASH) {
    parser.at++;
    parser.state = AUTHORITY;
  } else {
    copyAuthority(parser.url, parser.base);
    parser.state = PATH;
  }
}

function specialAuthoritySlashes(parser) {
  if (unitAt(parser, parser.at) === SLASH && unitAt(parser, parser.at + 1) === SLASH) parser.at += 2;
  parser.state = SPECIAL_AUTHORITY_IGNORE_SLASHES;
}

function specialAuthorityIgnoreSlashes(parser) {
  let unit = unitAt(parser, parser.at);
  while (unit === SLASH || unit === BACKSLASH) unit = unitAt(parser, ++parser.at);
  parser.state = AUTHORITY;
}

function authority(parser) {
  const { url } = parser;
  const end = find(parser, parser.at, endsAuthority);
  const text = StringSlice(parser.input, parser.at, end);
  const sign = StringLastIndexOf(text, '@');
  if (sign !== -1) {
    if (sign === text.length - 1) return FAILURE;
    const credentials = StringSlice(text, 0, sign);
    const colon = StringIndexOf(credentials, ':');
    const username = colon === -1 ? credentials : StringSlice(credentials, 0, colon);
    url.username = percentEncode(username, encodeSets.userinfo);
    if (colon !== -1) url.password = percentEncode(StringSlice(credentials, colon + 1), encodeSets.userinfo);
    parser.at += sign + 1;
  }
  parser.state = HOST;
  return undefined;
}

function hostState(parser) {
  const { url, override } = parser;
  if (override !== undefined && url.scheme === 'file') {
    parser.state = FILE_HOST;
    return undefined;
  }
  const { at } = parser;
  let end = at;
  let inBrackets = false;
  for (;; end++) {
    const unit = unitAt(parser, end);
    if (unit === EOF || endsAuthority(parser, unit) || (unit === COLON && !inBrackets)) break;
    if (unit === 0x5b) inBrackets = true;
    if (unit === 0x5d) inBrackets = false;
  }
  const text = StringSlice(parser.input, at, end);
  const colon = unitAt(parser, end) === COLON;
  if (colon) {
    if (text === '' || override === HOSTNAME) return FAILURE;
  } else {
    if (text === '' && isSpecial(url)) return FAILURE;
    if (override !== undefined && text === '' && (url.username !== '' || url.password !== '' || url.port !== null)) {
      return FAILURE;
    }
  }
  const host = parseHost(text, !isSpecial(url));
  if (host === undefined) return FAILURE;
  url.host = host;
  parser.at = colon ? end + 1 : end;
  parser.state = colon ? PORT : PATH_START;
  return !colon && override !== undefined ? DONE : undefined;
}

function portState(parser) {
  const { url, override } = parser;
  let end = parser.at;
  let port = 0;
  for (let unit = unitAt(parser, end); isDigit(unit); unit = unitAt(parser, ++end)) {
    if (port <= 65535) port = port * 10 + unit - 0x30;
  }
  const unit = unitAt(parser, end);
  if (unit !== EOF && !endsAuthority(parser, unit) && override === undefined) return FAILURE;
  if (end > parser.at) {
    if (port > 65535) return FAILURE;
    url.port = port === defaultPorts[url.scheme] ? null : port;
    if (override !== undefined) return DONE;
  }
  if (override !== undefined) return FAILURE;
  parser.at = end;
  parser.state = PATH_START;
  return undefined;
}

function file(parser) {
  const { url, base } = parser;
  url.scheme = 'file';
  url.host = '';
  const unit = unitAt(parser, parser.at);
  if (unit === SLASH || unit === BACKSLASH) {
    parser.at++;
    parser.state = FILE_SLASH;
    return;
  }
  if (base === undefined || base.scheme !== 'file') {
    parser.state = PATH;
    return;
  }
  url.host = base.host;
  if (unit !== QUESTION && unit !== HASH && unit !== EOF && startsWithDriveLetter(parser.input, parser.at)) {
    url.path = newList();
    parser.state = PATH;
    return;
  }
  relativePath(parser);
}

function fileSlash(parser) {
  const { url, base } = parser;
  const unit = unitAt(parser, parser.at);
  if (unit === SLASH || unit === BACKSLASH) {
    parser.at++;
    parser.state = FILE_HOST;
    return;
  }
  if (base !== undefined && base.scheme === 'file') {
    url.host = base.host;
    const first = base.path.length > 0 ? base.path[0] : '';
    if (!startsWithDriveLetter(parser.input, parser.at) && isNormalizedDriveLetter(first)) append(url.path, first);
  }
  parser.state = PATH;
}

function endsFileHost(parser, unit) {
  return unit === SLASH || unit === BACKSLASH || unit === QUESTION || unit === HASH;
}

function fileHost(parser) {
  const { url, override } = parser;
  const end = find(parser, parser.at, endsFileHost);
  const text = StringSlice(parser.input, parser.at, end);
  if (override === undefined && isDriveLetter(text)) {
    parser.state = PATH;
    return undefined;
  }
  if (text === '') url.host = '';
  else {
    const host = parseHost(text, !isSpecial(url));
    if (host === undefined) return FAILURE;
    url.host = host === 'localhost' ? '' : host;
  }
  parser.at = end;
  parser.state = PATH_START;
  return override === undefined ? undefined : DONE;
}

function pathStart(parser) {
  const { url, override } = parser;
  const unit = unitAt(parser, parser.at);
  if (isSpecial(url)) {
    parser.state = PATH;
    if (unit === SLASH || unit === BACKSLASH) parser.at++;
  } else if (override === undefined && unit === QUESTION) startQuery(parser);
  else if (override === undefined && unit === HASH) startFragment(parser);
  else if (unit !== EOF) {
    parser.state = PATH;
    if (unit === SLASH) parser.at++;
  } else {
    if (override !== undefined && url.host === null) append(url.path, '');
    parser.state = PATH_END;
  }
}

function path(parser) {
  const { url, override } = parser;
  for (;;) {
    let end = parser.at;
    let unit = unitAt(parser, end);
    while (unit !== EOF && !isSlash(parser, unit) && (override !== undefined || !isQuestionOrHash(parser, unit))) {
      unit = unitAt(parser, ++end);
    }
    let segment = percentEncode(StringSlice(parser.input, parser.at, end), encodeSets.path);
    const slash = isSlash(parser, unit);
    if (isDoubleDot(segment)) {
      shortenPath(url);
      if (!slash) append(url.path, '');
    } else if (isSingleDot(segment)) {
      if (!slash) append(url.path, '');
    } else {
      if (url.scheme === 'file' && url.path.length === 0 && isDriveLetter(segment)) segment = `${segment[0]}:`;
      append(url.path, segment);
    }
    parser.at = end;
    if (slash) {
      parser.at++;
      continue;
    }
    if (unit === QUESTION) startQuery(parser);
    else if (unit === HASH) startFragment(parser);
    else parser.state = PATH_END;
    return;
  }
}

function opaquePath(parser) {
  const end = find(parser, parser.at, isQuestionOrHash);
  let text = StringSlice(parser.input, parser.at, end);
  if (end < parser.input.length && text[text.length - 1] === ' ') text = `${StringSlice(text, 0, -1)}%20`;
  parser.url.path = percentEncode(text, encodeSets.control);
  parser.at = end;
  const unit = unitAt(parser, end);
  if (unit === QUESTION) startQuery(parser);
  else if (unit === HASH) startFragment(parser);
  else parser.state = PATH_END;
}

function query(parser) {
  const { url, override } = parser;
  const end = override === undefined ? find(parser, parser.at, isHash) : parser.input.length;
  const set = isSpecial(url) ? encodeSets.specialQuery : encodeSets.query;
  url.query += percentEncode(StringSlice(parser.input, parser.at, end), set);
  parser.at = end;
  if (unitAt(parser, end) === HASH) startFragment(parser);
  else parser.state = PATH_END;
}

function fragmentState(parser) {
  parser.url.fragment += percentEncode(StringSlice(parser.input, parser.at), encodeSets.fragment);
  return DONE;
}

function done() {
  return DONE;
}

const steps = [
  schemeStart, scheme, noScheme, specialRelativeOrAuthority, pathOrAuthority, relative, relativeSlash,
  specialAuthoritySlashes, specialAuthorityIgnoreSlashes, authority, hostState, hostState, portState, file, fileSlash,
  fileHost, pathStart, path, opaquePath, query, fragmentState, done,
];

function isDriveLetter(text) {
  return text.length === 2 && isAlpha(StringCharCodeAt(text, 0)) && (text[1] === ':' || text[1] === '|');
}

function isNormalizedDriveLetter(text) {
  return text.length === 2 && isAlpha(StringCharCodeAt(text, 0)) && text[1] === ':';
}

function startsWithDriveLetter(text, at) {
  if (!isDriveLetter(StringSlice(text, at, at + 2))) return false;
  if (text.length === at + 2) return true;
  const unit = StringCharCodeAt(text, at + 2);
  return unit === SLASH || unit === BACKSLASH || unit === QUESTION || unit === HASH;
}

function isSingleDot(segment) {
  return segment === '.' || (segment.length === 3 && asciiLowercase(segment) === '%2e');
}

function isDoubleDot(segment) {
  if (segment === '..') return true;
  if (segment.length !== 4 && segment.length !== 6) return false;
  const lower = asciiLowercase(segment);
  return lower === '.%2e' || lower === '%2e.' || lower === '%2e%2e';
}

function shortenPath(url) {
  const { path: segments } = url;
  if (url.scheme === 'file' && segments.length === 1 && isNormalizedDriveLetter(segments[0])) return;
  if (segments.length > 0) segments.length--;
}

/** A record's path as text. */
export function serializePath(url) {
  if (hasOpaquePath(url)) return url.path;
  let text = '';
  for (let index = 0; index < url.path.length; index++) text += `/${url.path[index]}`;
  return text;
}

/** A record as text. */
export function serializeUrl(url, withoutFragment = false) {
  let text = `${url.scheme}:`;
  if (url.host !== null) {
    text += '//';
    if (url.username !== '' || url.password !== '') {
      text += url.username;
      if (url.password !== '') text += `:${url.password}`;
      text += '@';
    }
    text += url.host;
    if (url.port !== null) text += `:${url.port}`;
  } else if (!hasOpaquePath(url) && url.path.length > 1 && url.path[0] === '') text += '/.';
  text += serializePath(url);
  if (url.query !== null) text += `?${url.query}`;
  if (!withoutFragment && url.fragment !== null) text += `#${url.fragment}`;
  return text;
}

/** The serialized origin of a record. */
export function serializeOrigin(url) {
  if (url.scheme === 'blob') {
    const inner = parseUrl(serializePath(url));
    const web = inner !== undefined && (inner.scheme === 'http' || inner.scheme === 'https');
    return web ? serializeOrigin(inner) : 'null';
  }
  if (!isSpecial(url) || url.scheme === 'file') return 'null';
  return `${url.scheme}://${url.host}${url.port === null ? '' : `:${url.port}`}`;
}
