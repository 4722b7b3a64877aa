// A retained execution: the request handler that a run returned, as the host calls it once the run is over.
import { append, ErrorCtor, newList, newPromise, ReflectApply } from '../primordials.js';
import { ByteString } from '../webidl.js';
import { isUnusable, readAll } from '../body.js';
import { flatHeaders } from '../headers.js';
import { newRequest } from '../request.js';
import { isResponse, responseState } from '../response.js';
import { host } from './host.js';

/**
 * What calls the handler that a value is: a function itself, or the method `fetch` of an object. Undefined for any
 * other value.
 *
 * It takes a URL, a method, names and values of headers in turn, and bytes or null. It throws where they are no
 * request and answers a promise for `{ status, statusText, headers, body }` otherwise, rejected with what the handler
 * threw.
 */
export function invokerOf(value) {
  if (typeof value === 'function') return invoker(value, undefined);
  if (value === null || typeof value !== 'object') return undefined;
  const method = value.fetch;
  return typeof method === 'function' ? invoker(method, value) : undefined;
}

function invoker(handler, self) {
  return (url, method, flat, bytes) => {
    const pairs = newList();
    for (let index = 0; index < flat.length; index += 2) {
      append(pairs, [ByteString(flat[index], 'Request'), ByteString(flat[index + 1], 'Request')]);
    }
    const request = newRequest(url, method, pairs, bytes);
    const result = newPromise();
    respond(handler, self, request, result);
    return result.promise;
  };
}

// Settles `result`, which is never the value of another promise: adopting it would call a `then` of the program's.
async function respond(handler, self, request, result) {
  try {
    const response = await ReflectApply(handler, self, [request]);
    if (!isResponse(response)) throw new ErrorCtor(host.notResponse);
    const { type, status, statusText, headers, body } = responseState(response);
    if (type === 'error') throw new ErrorCtor(host.networkError);
    if (isUnusable(body)) throw new ErrorCtor('The body of the Response is used or locked.');
    const flat = flatHeaders(headers);
    const finish = (bytes) => {
      result.resolve({ __proto__: null, status, statusText, headers: flat, body: bytes });
    };
    if (body === null) finish(null);
    else readAll(body, finish, result.reject);
  } catch (exception) {
    result.reject(exception);
  }
}
