// Streams: the part of readable streams that knows neither controllers nor readers by class.
//
// A stream is a record `{ state, reader, storedError, disturbed, controller, wrapper }`; a reader is
// `{ byob, stream, closed, requests }`; a controller is a record with `cancelSteps`, `pullSteps` and `releaseSteps`.
// A request is `{ chunk(value), close(value), error(reason) }`.
import { markHandled, newPromise, PromiseThen, TypeErrorCtor } from '../primordials.js';
import { handledRejection, noop, Queue, rejectedWith, resolvedWith } from './support.js';

/** A readable stream without a controller. */
export function newReadableRecord() {
  return {
    __proto__: null, state: 'readable', reader: undefined, storedError: undefined, disturbed: false,
    controller: undefined, wrapper: undefined,
  };
}

/** How many reads wait for a chunk. */
export function pendingReads(stream) {
  return stream.reader === undefined ? 0 : stream.reader.requests.length;
}

/** Whether reads wait at a reader of the given kind. */
export function hasReader(stream, byob) {
  return stream.reader !== undefined && stream.reader.byob === byob;
}

/** ReadableStreamCancel. */
export function cancelStream(stream, reason) {
  stream.disturbed = true;
  if (stream.state === 'closed') return resolvedWith(undefined);
  if (stream.state === 'errored') return rejectedWith(stream.storedError);
  closeStream(stream);
  if (hasReader(stream, true)) {
    const requests = stream.reader.requests.takeAll();
    for (let index = 0; index < requests.length; index++) requests[index].close(undefined);
  }
  return PromiseThen(stream.controller.cancelSteps(reason), noop);
}

/** ReadableStreamClose. */
export function closeStream(stream) {
  stream.state = 'closed';
  const { reader } = stream;
  if (reader === undefined) return;
  reader.closed.resolve(undefined);
  if (reader.byob) return;
  const requests = reader.requests.takeAll();
  for (let index = 0; index < requests.length; index++) requests[index].close(undefined);
}

/** ReadableStreamError. */
export function errorStream(stream, reason) {
  stream.state = 'errored';
  stream.storedError = reason;
  const { reader } = stream;
  if (reader === undefined) return;
  reader.closed.reject(reason);
  markHandled(reader.closed.promise);
  errorRequests(reader, reason);
}

function errorRequests(reader, reason) {
  const requests = reader.requests.takeAll();
  for (let index = 0; index < requests.length; index++) requests[index].error(reason);
}

/** Hands a chunk to the oldest waiting read, or closes it with what it has. */
export function fulfillRequest(stream, chunk, done) {
  const request = stream.reader.requests.shift();
  if (done) request.close(chunk);
  else request.chunk(chunk);
}

/** Locks a stream to a new reader. The caller has checked that the stream is not locked. */
export function newReader(stream, byob) {
  const reader = { __proto__: null, byob, stream, closed: newPromise(), requests: new Queue() };
  stream.reader = reader;
  if (stream.state === 'closed') reader.closed.resolve(undefined);
  else if (stream.state === 'errored') {
    reader.closed.reject(stream.storedError);
    markHandled(reader.closed.promise);
  }
  return reader;
}

/** Throws where a stream is locked already. */
export function requireUnlocked(stream, context) {
  if (stream.reader !== undefined) throw new TypeErrorCtor(`${context}: the stream is locked to a reader.`);
}

/** Releases a reader's lock; its pending reads reject. */
export function releaseReader(reader) {
  const { stream } = reader;
  if (stream.state === 'readable') {
    reader.closed.reject(released());
    markHandled(reader.closed.promise);
  } else {
    reader.closed = { __proto__: null, promise: handledRejection(released()), resolve: noop, reject: noop };
  }
  stream.controller.releaseSteps();
  stream.reader = undefined;
  reader.stream = undefined;
  errorRequests(reader, released());
}

function released() {
  return new TypeErrorCtor('The reader was released.');
}

/** ReadableStreamDefaultReaderRead. */
export function readFrom(reader, request) {
  const { stream } = reader;
  stream.disturbed = true;
  if (stream.state === 'closed') request.close(undefined);
  else if (stream.state === 'errored') request.error(stream.storedError);
  else stream.controller.pullSteps(request);
}
