// URL Pattern: the URLPattern class, its components and the constructor string parser.
import {
  append, newList, ObjectDefineProperty, RegExpCtor, RegExpExec, StringCharCodeAt, StringEndsWith, StringIndexOf,
  StringLastIndexOf, StringSlice, TypeErrorCtor,
} from './primordials.js';
import {
  boolean, defineInterface, dictionary, illegalInvocation, isObject, typeError, USVString,
} from './webidl.js';
import { asciiLowercase, isHexDigit } from './infra.js';
import { encodeSets, percentEncode } from './url-encoding.js';
import {
  FRAGMENT, hasOpaquePath, HOSTNAME, OPAQUE_PATH, parseInto, parseUrl, PATH_START, PORT, QUERY, serializePath,
} from './url-record.js';
import {
  escapePattern, parsePattern, patternOfParts, regExpOfParts, tokenize,
} from './url-pattern-syntax.js';

const COMPONENTS = ['protocol', 'username', 'password', 'hostname', 'port', 'pathname', 'search', 'hash'];
const plainOptions = { __proto__: null, delimiter: '', prefix: '', ignoreCase: false };
const hostnameOptions = { __proto__: null, delimiter: '.', prefix: '', ignoreCase: false };

const INIT_KEYS = ['baseURL', 'hash', 'hostname', 'password', 'pathname', 'port', 'protocol', 'search', 'username'];
const initMembers = newList();
for (let index = 0; index < INIT_KEYS.length; index++) {
  append(initMembers, { __proto__: null, key: INIT_KEYS[index], convert: USVString });
}
const patternInit = dictionary('URLPatternInit', initMembers);
const patternOptions = dictionary('URLPatternOptions', [
  { __proto__: null, key: 'ignoreCase', convert: boolean, fallback: () => false },
]);

function isDictionaryLike(value) {
  return value === undefined || value === null || isObject(value);
}

function patternInput(value, context) {
  return isDictionaryLike(value) ? patternInit(value, context) : USVString(value, context);
}

let isPattern;
let stateOf;

export class URLPattern {
  // The compiled components by name: `{ pattern, regexp, names, hasGroups }`.
  #state;

  static {
    isPattern = (value) => isObject(value) && #state in value;
    stateOf = (value) => (isPattern(value) ? value.#state : illegalInvocation());
  }

  constructor(input = undefined, baseURL = undefined, options = undefined) {
    const context = "Failed to construct 'URLPattern'";
    let base;
    if (arguments.length > 2 || !isDictionaryLike(baseURL)) {
      input = patternInput(input, context);
      base = USVString(baseURL, context);
    } else {
      input = patternInput(input, context);
      options = baseURL;
    }
    this.#state = compilePattern(input, base, patternOptions(options, context), context);
  }

  test(input = undefined, baseURL = undefined) {
    const state = stateOf(this);
    return match(state, input, baseURL, "Failed to execute 'test' on 'URLPattern'") !== null;
  }

  exec(input = undefined, baseURL = undefined) {
    const state = stateOf(this);
    return match(state, input, baseURL, "Failed to execute 'exec' on 'URLPattern'");
  }

  get protocol() { return stateOf(this).protocol.pattern; }
  get username() { return stateOf(this).username.pattern; }
  get password() { return stateOf(this).password.pattern; }
  get hostname() { return stateOf(this).hostname.pattern; }
  get port() { return stateOf(this).port.pattern; }
  get pathname() { return stateOf(this).pathname.pattern; }
  get search() { return stateOf(this).search.pattern; }
  get hash() { return stateOf(this).hash.pattern; }

  get hasRegExpGroups() {
    const state = stateOf(this);
    for (let index = 0; index < COMPONENTS.length; index++) if (state[COMPONENTS[index]].hasGroups) return true;
    return false;
  }
}

defineInterface(URLPattern, { __proto__: null, is: isPattern });

// ---- components ---------------------------------------------------------------------------------------------

function compileComponent(input, encode, options) {
  const parts = parsePattern(input, encode, options);
  const { source, names } = regExpOfParts(parts, options);
  let regexp;
  try {
    regexp = new RegExpCtor(source, options.ignoreCase ? 'vi' : 'v');
  } catch {
    throw new TypeErrorCtor(`The pattern '${input}' holds a malformed regular expression.`);
  }
  let hasGroups = false;
  for (let index = 0; index < parts.length; index++) if (parts[index].type === 'regexp') hasGroups = true;
  return { __proto__: null, pattern: patternOfParts(parts, options), regexp, names, hasGroups };
}

const specialPorts = { __proto__: null, ftp: '21', file: '', http: '80', https: '443', ws: '80', wss: '443' };
const SPECIAL_SCHEMES = ['ftp', 'file', 'http', 'https', 'ws', 'wss'];

function matchesSpecialScheme(component) {
  for (let index = 0; index < SPECIAL_SCHEMES.length; index++) {
    if (RegExpExec(component.regexp, SPECIAL_SCHEMES[index]) !== null) return true;
  }
  return false;
}

function compilePattern(input, base, { ignoreCase }, context) {
  let init = input;
  if (typeof input === 'string') {
    init = parseConstructorString(input);
    if (base === undefined && init.protocol === undefined) {
      throw typeError(context, 'A relative pattern needs a base URL.');
    }
    init.baseURL = base;
  } else if (base !== undefined) throw typeError(context, 'A base URL goes with a pattern string only.');
  const processed = processInit(init, true, undefined);
  for (let index = 0; index < COMPONENTS.length; index++) processed[COMPONENTS[index]] ??= '*';
  const { protocol } = processed;
  if (specialPorts[protocol] !== undefined && processed.port === specialPorts[protocol]) processed.port = '';
  const caseOptions = { __proto__: null, delimiter: '', prefix: '', ignoreCase };
  const state = { __proto__: null };
  state.protocol = compileComponent(protocol, canonicalProtocol, plainOptions);
  state.username = compileComponent(processed.username, canonicalUserinfo, plainOptions);
  state.password = compileComponent(processed.password, canonicalUserinfo, plainOptions);
  const ipv6 = isIpv6Pattern(processed.hostname);
  state.hostname = compileComponent(processed.hostname, ipv6 ? canonicalIpv6 : canonicalHostname, hostnameOptions);
  state.port = compileComponent(processed.port, canonicalPort, plainOptions);
  const pathOptions = { __proto__: null, delimiter: '/', prefix: '/', ignoreCase };
  state.pathname = matchesSpecialScheme(state.protocol)
    ? compileComponent(processed.pathname, canonicalPathname, pathOptions)
    : compileComponent(processed.pathname, canonicalOpaquePathname, caseOptions);
  state.search = compileComponent(processed.search, canonicalSearch, caseOptions);
  state.hash = compileComponent(processed.hash, canonicalHash, caseOptions);
  return state;
}

function isIpv6Pattern(text) {
  if (text.length < 2) return false;
  return text[0] === '[' || ((text[0] === '{' || text[0] === '\\') && text[1] === '[');
}

// ---- matching -----------------------------------------------------------------------------------------------

function match(state, input, baseURL, context) {
  input = patternInput(input, context);
  if (baseURL !== undefined) baseURL = USVString(baseURL, context);
  const values = matchInput(input, baseURL, context);
  if (values === undefined) return null;
  const results = { __proto__: null };
  for (let index = 0; index < COMPONENTS.length; index++) {
    const name = COMPONENTS[index];
    const found = RegExpExec(state[name].regexp, values[name]);
    if (found === null) return null;
    results[name] = { groups: groupsOf(state[name].names, found), input: values[name] };
  }
  const { hash, hostname, password, pathname, port, protocol, search, username } = results;
  const shown = typeof input === 'string' ? input : presentMembers(input);
  const inputs = baseURL === undefined ? [shown] : [shown, baseURL];
  return { hash, hostname, inputs, password, pathname, port, protocol, search, username };
}

function groupsOf(names, found) {
  const groups = {};
  for (let index = 0; index < names.length; index++) define(groups, names[index], found[index + 1]);
  return groups;
}

function define(target, key, value) {
  ObjectDefineProperty(target, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}

function presentMembers(init) {
  const members = {};
  for (let index = 0; index < INIT_KEYS.length; index++) {
    const key = INIT_KEYS[index];
    if (init[key] !== undefined) define(members, key, init[key]);
  }
  return members;
}

// The component values of what is matched, or undefined where it is no URL.
function matchInput(input, baseURL, context) {
  if (typeof input !== 'string') {
    if (baseURL !== undefined) throw typeError(context, 'A base URL goes with a URL string only.');
    try {
      return processInit(input, false, '');
    } catch {
      return undefined;
    }
  }
  const base = baseURL === undefined ? undefined : parseUrl(baseURL);
  if (baseURL !== undefined && base === undefined) return undefined;
  const url = parseUrl(input, base);
  if (url === undefined) return undefined;
  return {
    __proto__: null, protocol: url.scheme, username: url.username, password: url.password, hostname: url.host ?? '',
    port: url.port === null ? '' : `${url.port}`, pathname: serializePath(url), search: url.query ?? '',
    hash: url.fragment ?? '',
  };
}

// ---- URLPatternInit -----------------------------------------------------------------------------------------

// "Process a URLPatternInit": every member of the answer is `initial` where neither init nor its base gives one.
function processInit(init, isPatternInit, initial) {
  const result = {
    __proto__: null, protocol: initial, username: initial, password: initial, hostname: initial, port: initial,
    pathname: initial, search: initial, hash: initial,
  };
  let base;
  if (init.baseURL !== undefined) {
    base = parseUrl(init.baseURL);
    if (base === undefined) throw new TypeErrorCtor(`Invalid base URL: ${init.baseURL}`);
    inherit(result, init, base, isPatternInit);
  }
  if (init.protocol !== undefined) result.protocol = initProtocol(init.protocol, isPatternInit);
  if (init.username !== undefined) result.username = isPatternInit ? init.username : canonicalUserinfo(init.username);
  if (init.password !== undefined) result.password = isPatternInit ? init.password : canonicalUserinfo(init.password);
  if (init.hostname !== undefined) result.hostname = isPatternInit ? init.hostname : canonicalHostname(init.hostname);
  if (init.port !== undefined) result.port = isPatternInit ? init.port : canonicalPort(init.port, result.protocol);
  if (init.pathname !== undefined) result.pathname = initPathname(init.pathname, result.protocol, base, isPatternInit);
  if (init.search !== undefined) {
    const search = init.search[0] === '?' ? StringSlice(init.search, 1) : init.search;
    result.search = isPatternInit ? search : canonicalSearch(search);
  }
  if (init.hash !== undefined) {
    const hash = init.hash[0] === '#' ? StringSlice(init.hash, 1) : init.hash;
    result.hash = isPatternInit ? hash : canonicalHash(hash);
  }
  return result;
}

// A component comes from the base URL only where no component before it was given.
function inherit(result, init, base, isPatternInit) {
  const text = (value) => (isPatternInit ? escapePattern(value) : value);
  const noHost = init.protocol === undefined && init.hostname === undefined;
  const noPort = noHost && init.port === undefined;
  if (init.protocol === undefined) result.protocol = text(base.scheme);
  if (!isPatternInit && noPort && init.username === undefined) {
    result.username = base.username;
    if (init.password === undefined) result.password = base.password;
  }
  if (noHost) result.hostname = text(base.host ?? '');
  if (!noPort) return;
  result.port = base.port === null ? '' : `${base.port}`;
  if (init.pathname !== undefined) return;
  result.pathname = text(serializePath(base));
  if (init.search !== undefined) return;
  result.search = text(base.query ?? '');
  if (init.hash === undefined) result.hash = text(base.fragment ?? '');
}

function initProtocol(value, isPatternInit) {
  const text = StringEndsWith(value, ':') ? StringSlice(value, 0, -1) : value;
  return isPatternInit ? text : canonicalProtocol(text);
}

function initPathname(value, protocol, base, isPatternInit) {
  let text = value;
  if (base !== undefined && !hasOpaquePath(base) && !isAbsolutePathname(text, isPatternInit)) {
    const path = isPatternInit ? escapePattern(serializePath(base)) : serializePath(base);
    const slash = StringLastIndexOf(path, '/');
    if (slash !== -1) text = StringSlice(path, 0, slash + 1) + text;
  }
  if (isPatternInit) return text;
  const special = protocol === undefined || protocol === '' || specialPorts[protocol] !== undefined;
  return special ? canonicalPathname(text) : canonicalOpaquePathname(text);
}

function isAbsolutePathname(text, isPatternInit) {
  if (text[0] === '/') return true;
  return isPatternInit && text.length > 1 && (text[0] === '\\' || text[0] === '{') && text[1] === '/';
}

// ---- canonicalization ---------------------------------------------------------------------------------------

function dummyUrl() {
  return parseUrl('https://dummy.invalid/');
}

function invalid(value, what) {
  return new TypeErrorCtor(`'${value}' is not a ${what}.`);
}

function canonicalProtocol(value) {
  if (value === '') return '';
  const url = parseUrl(`${value}://dummy.invalid/`);
  if (url === undefined) throw invalid(value, 'protocol');
  return url.scheme;
}

function canonicalUserinfo(value) {
  return percentEncode(value, encodeSets.userinfo);
}

function canonicalHostname(value) {
  if (value === '') return '';
  const url = dummyUrl();
  if (!parseInto(url, value, HOSTNAME)) throw invalid(value, 'hostname');
  return url.host;
}

function canonicalIpv6(value) {
  for (let index = 0; index < value.length; index++) {
    if (!isHexDigit(StringCharCodeAt(value, index)) && StringIndexOf('[]:', value[index]) === -1) {
      throw invalid(value, 'hostname');
    }
  }
  return asciiLowercase(value);
}

// Only where the protocol is known can a port be its default one.
function canonicalPort(value, protocol = '') {
  if (value === '') return '';
  const url = dummyUrl();
  url.scheme = protocol;
  if (!parseInto(url, value, PORT)) throw invalid(value, 'port');
  return url.port === null ? '' : `${url.port}`;
}

function canonicalPathname(value) {
  if (value === '') return '';
  const absolute = value[0] === '/';
  const url = dummyUrl();
  url.path = newList();
  parseInto(url, absolute ? value : `/-${value}`, PATH_START);
  const path = serializePath(url);
  return absolute ? path : StringSlice(path, 2);
}

function canonicalOpaquePathname(value) {
  if (value === '') return '';
  const url = dummyUrl();
  url.path = '';
  parseInto(url, value, OPAQUE_PATH);
  return url.path;
}

function canonicalSearch(value) {
  if (value === '') return '';
  const url = dummyUrl();
  url.query = '';
  parseInto(url, value, QUERY);
  return url.query;
}

function canonicalHash(value) {
  if (value === '') return '';
  const url = dummyUrl();
  url.fragment = '';
  parseInto(url, value, FRAGMENT);
  return url.fragment;
}

// ---- constructor strings ------------------------------------------------------------------------------------

const rank = {
  __proto__: null, init: 0, protocol: 1, authority: 2, username: 3, password: 4, hostname: 5, port: 6, pathname: 7,
  search: 8, hash: 9, done: 10,
};

// The URLPatternInit of a pattern string.
function parseConstructorString(input) {
  const tokens = tokenize(input, true);
  const result = patternInit(undefined, undefined);
  let state = 'init';
  let start = 0;
  let at = 0;
  let step = 1;
  let depth = 0;
  let brackets = 0;
  let special = false;

  const tokenAt = (index) => (index < tokens.length ? tokens[index] : tokens[tokens.length - 1]);
  const isPlain = (index, value) => {
    const token = tokenAt(index);
    return token.value === value &&
      (token.type === 'char' || token.type === 'escaped-char' || token.type === 'invalid-char');
  };
  const component = () => StringSlice(input, tokenAt(start).index, tokens[at].index);
  const isSearchPrefix = () => {
    if (isPlain(at, '?')) return true;
    if (tokens[at].value !== '?') return false;
    if (at === 0) return true;
    const { type } = tokenAt(at - 1);
    return type !== 'name' && type !== 'regexp' && type !== 'close' && type !== 'asterisk';
  };
  const isHashPrefix = () => isPlain(at, '#');
  const change = (next, skip) => {
    if (state !== 'init' && state !== 'authority' && state !== 'done') result[state] = component();
    if (state !== 'init' && next !== 'done') {
      if (rank[state] < rank.hostname && rank[next] > rank.hostname) result.hostname ??= '';
      if (rank[state] < rank.pathname && rank[next] > rank.pathname) result.pathname ??= special ? '/' : '';
      if (rank[state] < rank.search && rank[next] > rank.search) result.search ??= '';
    }
    state = next;
    at += skip;
    start = at;
    step = 0;
  };
  const rewind = (next) => {
    at = start;
    step = 0;
    state = next;
  };
  // The components that may follow a hostname, port or pathname.
  const later = (fromPathname) => {
    if (!fromPathname && isPlain(at, '/')) change('pathname', 0);
    else if (isSearchPrefix()) change('search', 1);
    else if (isHashPrefix()) change('hash', 1);
  };

  for (; at < tokens.length; at += step) {
    step = 1;
    const token = tokens[at];
    if (token.type === 'end') {
      if (state === 'init') {
        rewind('init');
        if (isHashPrefix()) change('hash', 1);
        else if (isSearchPrefix()) change('search', 1);
        else change('pathname', 0);
        continue;
      }
      if (state === 'authority') {
        rewind('hostname');
        continue;
      }
      change('done', 0);
      break;
    }
    if (token.type === 'open') {
      depth++;
      continue;
    }
    if (depth > 0) {
      if (token.type !== 'close') continue;
      depth--;
    }
    switch (state) {
      case 'init':
        if (isPlain(at, ':')) rewind('protocol');
        break;
      case 'protocol':
        if (isPlain(at, ':')) {
          special = matchesSpecialScheme(compileComponent(component(), canonicalProtocol, plainOptions));
          const slashes = isPlain(at + 1, '/') && isPlain(at + 2, '/');
          change(slashes || special ? 'authority' : 'pathname', slashes ? 3 : 1);
        }
        break;
      case 'authority':
        if (isPlain(at, '@')) rewind('username');
        else if (isPlain(at, '/') || isSearchPrefix() || isHashPrefix()) rewind('hostname');
        break;
      case 'username':
        if (isPlain(at, ':')) change('password', 1);
        else if (isPlain(at, '@')) change('hostname', 1);
        break;
      case 'password':
        if (isPlain(at, '@')) change('hostname', 1);
        break;
      case 'hostname':
        if (isPlain(at, '[')) brackets++;
        else if (isPlain(at, ']')) brackets--;
        else if (isPlain(at, ':') && brackets === 0) change('port', 1);
        else later(false);
        break;
      case 'port':
        later(false);
        break;
      case 'pathname':
        later(true);
        break;
      case 'search':
        if (isHashPrefix()) change('hash', 1);
        break;
      default:
    }
  }
  if (result.hostname !== undefined) result.port ??= '';
  return result;
}

export const globals = { __proto__: null, URLPattern };
