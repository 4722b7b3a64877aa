// Fetch: the `fetch` function. data: and blob: URLs are answered here, everything else is one request of the host.
import {
  newList, newPromise, PromiseThen, TypedArrayGetLength, TypeErrorCtor,
} from './primordials.js';
import { requireArguments } from './webidl.js';
import { abortReason, addAbortAlgorithm, isAborted } from './abort.js';
import { blobBytes, blobTypeOf } from './blob.js';
import { typeOfFetched } from './blob-type.js';
import { blobOfUrl } from './blob-urls.js';
import { abortBody, bodyOfBytes, cancelBody, readAll } from './body.js';
import { processDataUrl } from './data-url.js';
import { appendHeader, flatHeaders } from './headers.js';
import { Request, requestState } from './request.js';
import { isNullBodyStatus, isRedirectStatus, newFetchResponse, newOpaqueRedirect, responseState } from './response.js';
import { parseUrl, serializeUrl } from './url-record.js';
import { host } from './internal/host.js';

const CONTEXT = "Failed to execute 'fetch'";
const REDIRECTED = 'The request was redirected, which it does not allow.';

function failed(text) {
  return new TypeErrorCtor(text);
}

// The response to a URL whose content is here already.
function localResponse(state, list, bytes) {
  const body = state.method === 'HEAD' ? null : bodyOfBytes(bytes, true);
  return newFetchResponse({
    __proto__: null, url: state.url, redirected: false, status: 200, statusText: 'OK', list, body,
  });
}

function fetchData(state) {
  const content = processDataUrl(state.url);
  if (content === undefined) throw failed('The data: URL is malformed.');
  const list = newList();
  appendHeader(list, 'Content-Type', content.type);
  return localResponse(state, list, content.bytes);
}

function fetchBlob(state) {
  const blob = blobOfUrl(serializeUrl(state.url, true));
  if (blob === undefined) throw failed('The blob: URL names no Blob.');
  if (state.method !== 'GET') throw failed('A blob: URL can only be fetched with method GET.');
  const bytes = blobBytes(blob);
  const list = newList();
  appendHeader(list, 'Content-Length', `${TypedArrayGetLength(bytes)}`);
  appendHeader(list, 'Content-Type', typeOfFetched(blobTypeOf(blob)));
  return localResponse(state, list, bytes);
}

// Sends a request by way of the host and calls one of the two functions. `call` is the request as far as aborting it
// goes: `over` once nobody waits for it, `id` while the host has it.
function fetchRemote(state, call, onResponse, onError) {
  const { url, headers, body } = state;
  if (url.scheme !== 'http' && url.scheme !== 'https') {
    throw failed(`The scheme of ${serializeUrl(url)} cannot be fetched.`);
  }
  const flat = flatHeaders(headers);
  const send = (bytes) => {
    if (call.over) return;
    const sent = host.sendRequest(serializeUrl(url, true), state.method, flat, bytes, state.redirect);
    call.id = sent[0];
    PromiseThen(sent[1], (frame) => {
      call.id = 0;
      try {
        if (frame[0] !== 'returned') throw failed(`${frame[1]}`);
        onResponse(remoteResponse(frame[1], state));
      } catch (exception) {
        onError(exception);
      }
    }, onError);
  };
  if (body === null) send(null);
  else readAll(body, send, onError);
}

function remoteResponse(answer, state) {
  const list = newList();
  const { status, statusText, headers, body } = answer;
  if (isRedirectStatus(status)) {
    if (state.redirect === 'error') throw failed(REDIRECTED);
    if (state.redirect === 'manual') return newOpaqueRedirect(state.url);
  }
  for (let index = 0; index < headers.length; index++) appendHeader(list, headers[index][0], headers[index][1]);
  const url = (answer.url === undefined ? undefined : parseUrl(answer.url)) ?? state.url;
  const redirected = serializeUrl(url, true) !== serializeUrl(state.url, true);
  if (redirected && state.redirect === 'error') throw failed(REDIRECTED);
  const empty = body === null || body === undefined || state.method === 'HEAD' || isNullBodyStatus(status);
  return newFetchResponse({
    __proto__: null, url, redirected, status, statusText, list, body: empty ? null : bodyOfBytes(body, false),
  });
}

function perform(state, call, onResponse, onError) {
  try {
    const { scheme } = state.url;
    if (scheme === 'data') onResponse(fetchData(state));
    else if (scheme === 'blob') onResponse(fetchBlob(state));
    else fetchRemote(state, call, onResponse, onError);
  } catch (exception) {
    onError(exception);
  }
}

export const operations = {
  __proto__: null,

  fetch(input, init = undefined) {
    const result = newPromise();
    let state;
    try {
      requireArguments(arguments.length, 1, CONTEXT);
      state = requestState(new Request(input, init));
    } catch (exception) {
      result.reject(exception);
      return result.promise;
    }
    const { signal } = state;
    const call = { __proto__: null, over: false, id: 0 };
    const abort = () => {
      const reason = abortReason(signal);
      result.reject(reason);
      call.over = true;
      if (call.id !== 0) host.cancelRequest(call.id);
      cancelBody(state.body, reason);
    };
    if (isAborted(signal)) {
      abort();
      return result.promise;
    }
    const forget = addAbortAlgorithm(signal, abort);
    perform(state, call, (response) => {
      if (call.over) return;
      forget();
      abortBody(responseState(response).body, signal);
      result.resolve(response);
    }, (reason) => {
      forget();
      result.reject(reason);
    });
    return result.promise;
  },
};
