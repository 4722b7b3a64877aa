// Fetch: Response.
import { JSONStringify, newList, RangeErrorCtor, StringCharCodeAt } from './primordials.js';
import {
  ByteString, defineInterface, dictionary, illegalInvocation, isObject, requireArguments, typeError, unsignedShort,
  USVString,
} from './webidl.js';
import { bodyInit, cloneBody, extractBody, includeBody, isUnusable } from './body.js';
import {
  appendToHeaders, copyHeaders, fillHeaders, getHeader, guardHeaders, headerList, headersInit, newHeaders,
} from './headers.js';
import { baseUrl } from './request.js';
import { parseUrl, serializeUrl } from './url-record.js';

const responseInit = dictionary('ResponseInit', [
  { __proto__: null, key: 'headers', convert: headersInit },
  { __proto__: null, key: 'status', convert: unsignedShort.convert, fallback: () => 200 },
  { __proto__: null, key: 'statusText', convert: ByteString, fallback: () => '' },
]);

let isResponse;
let stateOf;
const given = { __proto__: null };

export class Response {
  #state;

  static {
    isResponse = (value) => isObject(value) && #state in value;
    stateOf = (response) => (isResponse(response) ? response.#state : illegalInvocation());
  }

  constructor(body = null, init = undefined) {
    if (init === given) {
      this.#state = body;
      return;
    }
    const context = "Failed to construct 'Response'";
    if (body !== null && body !== undefined) body = bodyInit(body, context);
    init = responseInit(init, context);
    this.#state = freshState();
    const extracted = body === null || body === undefined ? undefined : () => extractBody(body, context);
    initialize(this.#state, init, extracted, context);
  }

  static error() {
    const state = freshState();
    state.type = 'error';
    state.status = 0;
    guardHeaders(state.headers, 'immutable');
    state.guard = 'immutable';
    return new Response(state, given);
  }

  static redirect(url, status = 302) {
    const context = "Failed to execute 'redirect' on 'Response'";
    requireArguments(arguments.length, 1, context);
    url = USVString(url, context);
    status = unsignedShort.convert(status);
    const parsed = parseUrl(url, baseUrl());
    if (parsed === undefined) throw typeError(context, `Invalid URL: ${url}`);
    if (!isRedirectStatus(status)) {
      throw new RangeErrorCtor(`${context}: ${status} is not a redirect status.`);
    }
    const state = freshState();
    state.status = status;
    appendToHeaders(state.headers, 'Location', serializeUrl(parsed));
    guardHeaders(state.headers, 'immutable');
    state.guard = 'immutable';
    return new Response(state, given);
  }

  static json(data, init = undefined) {
    const context = "Failed to execute 'json' on 'Response'";
    requireArguments(arguments.length, 1, context);
    init = responseInit(init, context);
    const text = JSONStringify(data);
    if (text === undefined) throw typeError(context, 'The data is not JSON serializable.');
    const state = freshState();
    const { body } = extractBody(text, context);
    initialize(state, init, () => ({ __proto__: null, body, type: 'application/json' }), context);
    return new Response(state, given);
  }

  get type() { return stateOf(this).type; }
  get url() {
    const { url } = stateOf(this);
    return url === undefined ? '' : serializeUrl(url, true);
  }
  get redirected() { return stateOf(this).redirected; }
  get status() { return stateOf(this).status; }
  get ok() {
    const { status } = stateOf(this);
    return status >= 200 && status <= 299;
  }
  get statusText() { return stateOf(this).statusText; }
  get headers() { return stateOf(this).headers; }

  clone() {
    const state = stateOf(this);
    if (isUnusable(state.body)) {
      throw typeError("Failed to execute 'clone' on 'Response'", 'the body is used or locked.');
    }
    return new Response({
      __proto__: null, type: state.type, url: state.url, redirected: state.redirected, status: state.status,
      statusText: state.statusText, guard: state.guard,
      headers: newHeaders(copyHeaders(headerList(state.headers)), state.guard),
      body: state.body === null ? null : cloneBody(state.body),
    }, given);
  }
}

includeBody(Response, (response) => {
  const { body, headers } = stateOf(response);
  return { __proto__: null, body, list: headerList(headers) };
});
defineInterface(Response, { __proto__: null, length: 0, is: isResponse });

function freshState() {
  return {
    __proto__: null, type: 'default', url: undefined, redirected: false, status: 200, statusText: '',
    headers: newHeaders(newList(), 'response'), guard: 'response', body: null,
  };
}

function isReasonPhrase(text) {
  for (let index = 0; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (unit !== 0x09 && (unit < 0x20 || unit === 0x7f)) return false;
  }
  return true;
}

/** Whether a response of a status can have no body. */
export function isNullBodyStatus(status) {
  return status === 101 || status === 103 || status === 204 || status === 205 || status === 304;
}

/** Whether a status is a redirect status. */
export function isRedirectStatus(status) {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

// "Initialize a response"; `extract` answers the body and its type, undefined for none.
function initialize(state, init, extract, context) {
  const { status, statusText, headers } = init;
  const extracted = extract === undefined ? undefined : extract();
  if (status < 200 || status > 599) throw new RangeErrorCtor(`${context}: the status ${status} is not 200 to 599.`);
  if (!isReasonPhrase(statusText)) throw typeError(context, 'The statusText holds a control character.');
  state.status = status;
  state.statusText = statusText;
  if (headers !== undefined) fillHeaders(state.headers, headers, context);
  if (extracted === undefined) return;
  if (isNullBodyStatus(status)) throw typeError(context, `A response of status ${status} has no body.`);
  state.body = extracted.body;
  if (extracted.type !== null && getHeader(headerList(state.headers), 'content-type') === null) {
    appendToHeaders(state.headers, 'Content-Type', extracted.type);
  }
}

/** The Response of a fetch: `{ url, redirected, status, statusText, list, body }`, with a header list and a body. */
export function newFetchResponse({ url, redirected, status, statusText, list, body }) {
  return new Response({
    __proto__: null, type: 'basic', url, redirected, status, statusText, headers: newHeaders(list, 'immutable'),
    guard: 'immutable', body,
  }, given);
}

/** The opaque-redirect filtered response of a request to `url`: it says that there was a redirect and no more. */
export function newOpaqueRedirect(url) {
  return new Response({
    __proto__: null, type: 'opaqueredirect', url, redirected: false, status: 0, statusText: '',
    headers: newHeaders(newList(), 'immutable'), guard: 'immutable', body: null,
  }, given);
}

/** Whether a value is a Response. */
export { isResponse };

/** What the host needs of a response: `{ status, statusText, headers, body }`. */
export function responseState(response) {
  return stateOf(response);
}

export const globals = { __proto__: null, Response };
