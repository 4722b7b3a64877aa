// Fetch: Request.
import { newList, ReflectOwnKeys } from './primordials.js';
import {
  any, boolean, ByteString, defineInterface, dictionary, DOMString, enumeration, illegalInvocation, isObject, nullable,
  requireArguments, typeError, USVString,
} from './webidl.js';
import { dependentSignal, signalType } from './abort.js';
import { bodyInit, bodyOfBytes, cloneBody, extractBody, includeBody, isUnusable, takeBody } from './body.js';
import {
  appendToHeaders, clearHeaders, copyHeaders, fillHeaders, getHeader, guardHeaders, headerList, headersInit,
  isForbiddenMethod, newHeaders,
} from './headers.js';
import { asciiUppercase } from './infra.js';
import { isToken } from './mime.js';
import { parseUrl, serializeOrigin, serializeUrl } from './url-record.js';
import { host } from './internal/host.js';

const requestInit = dictionary('RequestInit', [
  { __proto__: null, key: 'body', convert: nullable(bodyInit) },
  {
    __proto__: null, key: 'cache',
    convert: enumeration('RequestCache', [
      'default', 'no-store', 'reload', 'no-cache', 'force-cache', 'only-if-cached',
    ]),
  },
  {
    __proto__: null, key: 'credentials',
    convert: enumeration('RequestCredentials', ['omit', 'same-origin', 'include']),
  },
  { __proto__: null, key: 'duplex', convert: enumeration('RequestDuplex', ['half']) },
  { __proto__: null, key: 'headers', convert: headersInit },
  { __proto__: null, key: 'integrity', convert: DOMString },
  { __proto__: null, key: 'keepalive', convert: boolean },
  { __proto__: null, key: 'method', convert: ByteString },
  { __proto__: null, key: 'mode', convert: enumeration('RequestMode', ['navigate', 'same-origin', 'no-cors', 'cors']) },
  { __proto__: null, key: 'priority', convert: enumeration('RequestPriority', ['high', 'low', 'auto']) },
  { __proto__: null, key: 'redirect', convert: enumeration('RequestRedirect', ['follow', 'error', 'manual']) },
  { __proto__: null, key: 'referrer', convert: USVString },
  {
    __proto__: null, key: 'referrerPolicy',
    convert: enumeration('ReferrerPolicy', [
      '', 'no-referrer', 'no-referrer-when-downgrade', 'same-origin', 'origin', 'strict-origin',
      'origin-when-cross-origin', 'strict-origin-when-cross-origin', 'unsafe-url',
    ]),
  },
  { __proto__: null, key: 'signal', convert: nullable(signalType) },
  { __proto__: null, key: 'window', convert: any },
]);

/** The base URL of relative requests: none, unless the host names one. */
export function baseUrl() {
  return host.baseUrl === undefined ? undefined : parseUrl(host.baseUrl);
}

const normalized = { __proto__: null, DELETE: true, GET: true, HEAD: true, OPTIONS: true, POST: true, PUT: true };

function requestMethod(method, context) {
  if (!isToken(method)) throw typeError(context, `'${method}' is not an HTTP method.`);
  if (isForbiddenMethod(method)) throw typeError(context, `The method '${method}' is not allowed.`);
  const upper = asciiUppercase(method);
  return normalized[upper] ? upper : method;
}

let isRequest;
let stateOf;

export class Request {
  #state;

  static {
    isRequest = (value) => isObject(value) && #state in value;
    stateOf = (request) => (isRequest(request) ? request.#state : illegalInvocation());
  }

  constructor(input, init = undefined) {
    if (init === given) {
      this.#state = input;
      return;
    }
    const context = "Failed to construct 'Request'";
    requireArguments(arguments.length, 1, context);
    if (!isRequest(input)) input = USVString(input, context);
    this.#state = newState(input, requestInit(init, context), context);
  }

  get method() { return stateOf(this).method; }
  get url() { return serializeUrl(stateOf(this).url); }
  get headers() { return stateOf(this).headers; }
  get destination() {
    stateOf(this);
    return '';
  }
  get referrer() {
    const { referrer } = stateOf(this);
    return referrer === 'client' ? 'about:client' : referrer;
  }
  get referrerPolicy() { return stateOf(this).referrerPolicy; }
  get mode() { return stateOf(this).mode; }
  get credentials() { return stateOf(this).credentials; }
  get cache() { return stateOf(this).cache; }
  get redirect() { return stateOf(this).redirect; }
  get integrity() { return stateOf(this).integrity; }
  get keepalive() { return stateOf(this).keepalive; }
  get isReloadNavigation() {
    stateOf(this);
    return false;
  }
  get isHistoryNavigation() {
    stateOf(this);
    return false;
  }
  get signal() { return stateOf(this).signal; }
  get duplex() {
    stateOf(this);
    return 'half';
  }

  clone() {
    const state = stateOf(this);
    if (isUnusable(state.body)) {
      throw typeError("Failed to execute 'clone' on 'Request'", 'the body is used or locked.');
    }
    const copy = copyState(state);
    copy.body = state.body === null ? null : cloneBody(state.body);
    copy.headers = newHeaders(copyHeaders(headerList(state.headers)), state.guard);
    copy.signal = dependentSignal([state.signal]);
    return new Request(copy, given);
  }
}

const given = { __proto__: null };

includeBody(Request, (request) => {
  const { body, headers } = stateOf(request);
  return { __proto__: null, body, list: headerList(headers) };
});
defineInterface(Request, { __proto__: null, is: isRequest });

function copyState(state) {
  return {
    __proto__: null, method: state.method, url: state.url, headers: undefined, guard: state.guard,
    referrer: state.referrer, referrerPolicy: state.referrerPolicy, mode: state.mode, credentials: state.credentials,
    cache: state.cache, redirect: state.redirect, integrity: state.integrity, keepalive: state.keepalive,
    signal: undefined, body: null,
  };
}

function freshState(url) {
  return {
    __proto__: null, method: 'GET', url, headers: undefined, guard: 'request', referrer: 'client', referrerPolicy: '',
    mode: 'cors', credentials: 'same-origin', cache: 'default', redirect: 'follow', integrity: '', keepalive: false,
    signal: undefined, body: null,
  };
}

function isEmpty(init) {
  const keys = ReflectOwnKeys(init);
  for (let index = 0; index < keys.length; index++) if (init[keys[index]] !== undefined) return false;
  return true;
}

// The Request constructor of the Fetch standard.
function newState(input, init, context) {
  const source = isRequest(input) ? stateOf(input) : undefined;
  const state = source === undefined ? stateOfUrl(input, context) : copyState(source);
  if (init.window !== undefined && init.window !== null) throw typeError(context, 'window can only be null.');
  const empty = isEmpty(init);
  if (!empty) {
    if (state.mode === 'navigate') state.mode = 'same-origin';
    state.referrer = 'client';
    state.referrerPolicy = '';
  }
  if (init.referrer !== undefined) state.referrer = requestReferrer(init.referrer, context);
  if (init.referrerPolicy !== undefined) state.referrerPolicy = init.referrerPolicy;
  if (init.mode === 'navigate') throw typeError(context, "The mode 'navigate' is not allowed.");
  if (init.mode !== undefined) state.mode = init.mode;
  if (init.credentials !== undefined) state.credentials = init.credentials;
  if (init.cache !== undefined) state.cache = init.cache;
  if (state.cache === 'only-if-cached' && state.mode !== 'same-origin') {
    throw typeError(context, "The cache 'only-if-cached' needs the mode 'same-origin'.");
  }
  if (init.redirect !== undefined) state.redirect = init.redirect;
  if (init.integrity !== undefined) state.integrity = init.integrity;
  if (init.keepalive !== undefined) state.keepalive = init.keepalive;
  if (init.method !== undefined) state.method = requestMethod(init.method, context);
  const signal = init.signal === undefined ? source?.signal ?? null : init.signal;
  state.signal = dependentSignal(signal === null ? [] : [signal]);
  setRequestHeaders(state, source, init, empty, context);
  setRequestBody(state, source, init, context);
  return state;
}

function stateOfUrl(input, context) {
  const url = parseUrl(input, baseUrl());
  if (url === undefined) throw typeError(context, `Invalid URL: ${input}`);
  if (url.username !== '' || url.password !== '') throw typeError(context, `The URL holds credentials: ${input}`);
  return freshState(url);
}

function requestReferrer(text, context) {
  if (text === '') return '';
  const base = baseUrl();
  const url = parseUrl(text, base);
  if (url === undefined) throw typeError(context, `Invalid referrer: ${text}`);
  const serialized = serializeUrl(url);
  const sameOrigin = base !== undefined && serializeOrigin(base) === serializeOrigin(url);
  return serialized === 'about:client' || !sameOrigin ? 'client' : serialized;
}

function setRequestHeaders(state, source, init, empty, context) {
  const list = source === undefined ? newList() : copyHeaders(headerList(source.headers));
  if (state.mode === 'no-cors') {
    if (state.method !== 'GET' && state.method !== 'HEAD' && state.method !== 'POST') {
      throw typeError(context, `The method '${state.method}' is not allowed in mode 'no-cors'.`);
    }
    state.guard = 'request-no-cors';
  } else state.guard = 'request';
  state.headers = newHeaders(list, state.guard);
  if (empty) return;
  const pairs = init.headers ?? copyHeaders(list);
  clearHeaders(state.headers);
  fillHeaders(state.headers, pairs, context);
}

function setRequestBody(state, source, init, context) {
  const inputBody = source === undefined ? null : source.body;
  const hasInit = init.body !== undefined && init.body !== null;
  if ((hasInit || inputBody !== null) && (state.method === 'GET' || state.method === 'HEAD')) {
    throw typeError(context, 'A request with method GET or HEAD has no body.');
  }
  if (hasInit) {
    const { body, type } = extractBody(init.body, context);
    if (!body.source && init.duplex === undefined) throw typeError(context, "A stream as body needs duplex: 'half'.");
    requireStreamMode(body, state, context);
    state.body = body;
    if (type !== null && getHeader(headerList(state.headers), 'content-type') === null) {
      appendToHeaders(state.headers, 'Content-Type', type);
    }
    return;
  }
  if (inputBody === null) return;
  requireStreamMode(inputBody, state, context);
  if (isUnusable(inputBody)) throw typeError(context, 'The body of the request is used or locked.');
  state.body = takeBody(inputBody);
}

function requireStreamMode(body, state, context) {
  if (!body.source && state.mode !== 'same-origin' && state.mode !== 'cors') {
    throw typeError(context, `A stream as body is not allowed in mode '${state.mode}'.`);
  }
}

/** What `fetch` sends of a request: `{ method, url, headers, body, redirect, signal, … }`. */
export function requestState(request) {
  return stateOf(request);
}

/**
 * A Request of a URL text, method, header pairs and bytes or null, as the host received it; its headers are immutable.
 * Throws for what is no request.
 */
export function newRequest(url, method, pairs, bytes) {
  const context = 'Request';
  const state = stateOfUrl(url, context);
  state.method = requestMethod(method, context);
  state.headers = newHeaders(newList(), 'none');
  fillHeaders(state.headers, pairs, context);
  guardHeaders(state.headers, 'immutable');
  state.guard = 'immutable';
  if (bytes !== null && (state.method === 'GET' || state.method === 'HEAD')) {
    throw typeError(context, 'A request with method GET or HEAD has no body.');
  }
  state.body = bytes === null ? null : bodyOfBytes(bytes, false);
  state.signal = dependentSignal([]);
  return new Request(state, given);
}

export const globals = { __proto__: null, Request };
