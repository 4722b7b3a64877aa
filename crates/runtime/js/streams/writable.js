// Streams: WritableStream, its writer and its controller.
import {
  markHandled, newPromise, PromiseThen, RangeErrorCtor, ReflectApply, TypeErrorCtor,
} from '../primordials.js';
import {
  callback, defineInterface, dictionary, any, illegalInvocation, internal, isObject, requireArguments, requireInternal,
  typeError,
} from '../webidl.js';
import { newSignal, signalAbort } from '../abort.js';
import {
  callForPromise, handledRejection, highWaterMarkOf, noop, Queue, queuingStrategy, rejectedWith, resolvedWith,
  SizedQueue, sizeOf,
} from './support.js';

const CLOSE = { __proto__: null };

const underlyingSink = dictionary('UnderlyingSink', [
  { __proto__: null, key: 'abort', convert: callback },
  { __proto__: null, key: 'close', convert: callback },
  { __proto__: null, key: 'start', convert: callback },
  { __proto__: null, key: 'type', convert: any },
  { __proto__: null, key: 'write', convert: callback },
]);

let streamOf;
let writerOf;
let isWriter;
let controllerOf;
let isController;

function promising(operation) {
  try {
    return operation();
  } catch (exception) {
    return rejectedWith(exception);
  }
}

export class WritableStream {
  #stream;

  static {
    streamOf = (value) => (isObject(value) && #stream in value ? value.#stream : undefined);
  }

  constructor(sink = undefined, strategy = undefined) {
    if (sink === internal) {
      this.#stream = strategy;
      return;
    }
    const context = "Failed to construct 'WritableStream'";
    if (sink !== undefined && !isObject(sink)) throw typeError(context, 'parameter 1 is not an object.');
    strategy = queuingStrategy(strategy, context);
    const { abort, close, start, type, write } = underlyingSink(sink, context);
    if (type !== undefined) throw new RangeErrorCtor(`${context}: a sink has no type.`);
    const stream = newWritableRecord();
    this.#stream = stream;
    stream.wrapper = this;
    const size = sizeOf(strategy);
    const highWaterMark = highWaterMarkOf(strategy, 1);
    setUpController(stream, {
      __proto__: null, size, highWaterMark,
      start: (controller) => (start === undefined ? undefined : ReflectApply(start, sink, [controller])),
      write: write === undefined
        ? () => resolvedWith(undefined)
        : (chunk, controller) => callForPromise(write, sink, [chunk, controller]),
      close: close === undefined ? () => resolvedWith(undefined) : () => callForPromise(close, sink, []),
      abort: abort === undefined ? () => resolvedWith(undefined) : (reason) => callForPromise(abort, sink, [reason]),
    });
  }

  get locked() {
    return requireStream(this).writer !== undefined;
  }

  abort(reason = undefined) {
    return promising(() => {
      const stream = requireStream(this);
      if (stream.writer !== undefined) return rejectedWith(lockedError());
      return abortWritable(stream, reason);
    });
  }

  close() {
    return promising(() => {
      const stream = requireStream(this);
      if (stream.writer !== undefined) return rejectedWith(lockedError());
      if (isClosing(stream)) return rejectedWith(closingError());
      return closeWritable(stream);
    });
  }

  getWriter() {
    requireStream(this);
    return new WritableStreamDefaultWriter(this);
  }
}

defineInterface(WritableStream, { __proto__: null, length: 0 });

function requireStream(value) {
  return streamOf(value) ?? illegalInvocation();
}

/** The record of a WritableStream object, undefined for anything else. */
export function writableRecord(value) {
  return streamOf(value);
}

function lockedError() {
  return new TypeErrorCtor('The stream is locked to a writer.');
}

function closingError() {
  return new TypeErrorCtor('The stream is closing or closed.');
}

function newWritableRecord() {
  return {
    __proto__: null, state: 'writable', storedError: undefined, writer: undefined, controller: undefined,
    requests: new Queue(), inFlightWrite: undefined, closeRequest: undefined, inFlightClose: undefined,
    pendingAbort: undefined, backpressure: false, wrapper: undefined,
  };
}

/** A WritableStream over algorithms of the library; the answer is its record. */
export function createWritable(algorithms) {
  const stream = newWritableRecord();
  stream.wrapper = new WritableStream(internal, stream);
  setUpController(stream, algorithms);
  return stream;
}

export class WritableStreamDefaultWriter {
  #writer;

  static {
    isWriter = (value) => isObject(value) && #writer in value;
    writerOf = (value) => (isWriter(value) ? value.#writer : illegalInvocation());
  }

  constructor(stream) {
    const context = "Failed to construct 'WritableStreamDefaultWriter'";
    requireArguments(arguments.length, 1, context);
    const record = streamOf(stream);
    if (record === undefined) throw typeError(context, "parameter 1 is not of type 'WritableStream'.");
    this.#writer = newWriter(record);
  }

  get closed() {
    return promising(() => writerOf(this).closed.promise);
  }

  get desiredSize() {
    const { stream } = writerOf(this);
    if (stream === undefined) throw releasedError();
    return writerDesiredSize(stream);
  }

  get ready() {
    return promising(() => writerOf(this).ready.promise);
  }

  abort(reason = undefined) {
    return promising(() => {
      const { stream } = writerOf(this);
      return stream === undefined ? rejectedWith(releasedError()) : abortWritable(stream, reason);
    });
  }

  close() {
    return promising(() => {
      const { stream } = writerOf(this);
      if (stream === undefined) return rejectedWith(releasedError());
      if (isClosing(stream)) return rejectedWith(closingError());
      return closeWritable(stream);
    });
  }

  releaseLock() {
    const writer = writerOf(this);
    if (writer.stream !== undefined) releaseWriter(writer);
  }

  write(chunk = undefined) {
    return promising(() => {
      const writer = writerOf(this);
      return writer.stream === undefined ? rejectedWith(releasedError()) : writeTo(writer, chunk);
    });
  }
}

defineInterface(WritableStreamDefaultWriter, { __proto__: null, is: isWriter });

function releasedError() {
  return new TypeErrorCtor('The writer has been released.');
}

export class WritableStreamDefaultController {
  #controller;

  static {
    isController = (value) => isObject(value) && #controller in value;
    controllerOf = (value) => (isController(value) ? value.#controller : illegalInvocation());
  }

  constructor(token = undefined, controller = undefined) {
    requireInternal(token);
    this.#controller = controller;
  }

  get signal() {
    return controllerOf(this).signal;
  }

  error(reason = undefined) {
    const controller = controllerOf(this);
    if (controller.stream.state === 'writable') errorController(controller, reason);
  }
}

defineInterface(WritableStreamDefaultController, { __proto__: null, is: isController });

// ---- writers ------------------------------------------------------------------------------------------------

// A settled-or-pending slot of a writer: `ready` or `closed`.
function slot(promise) {
  return { __proto__: null, promise, resolve: noop, reject: noop, pending: false };
}

function pendingSlot() {
  const deferred = newPromise();
  deferred.pending = true;
  return deferred;
}

function rejectSlot(writer, name, reason) {
  if (writer[name].pending) {
    writer[name].pending = false;
    writer[name].reject(reason);
    markHandled(writer[name].promise);
  } else writer[name] = slot(handledRejection(reason));
}

function resolveSlot(writer, name) {
  writer[name].pending = false;
  writer[name].resolve(undefined);
}

/** Locks a stream to a new writer. */
export function newWriter(stream) {
  if (stream.writer !== undefined) throw lockedError();
  const writer = { __proto__: null, stream, ready: undefined, closed: undefined };
  stream.writer = writer;
  const { state } = stream;
  if (state === 'writable') {
    writer.ready = !isClosing(stream) && stream.backpressure ? pendingSlot() : slot(resolvedWith(undefined));
    writer.closed = pendingSlot();
  } else if (state === 'erroring') {
    writer.ready = slot(handledRejection(stream.storedError));
    writer.closed = pendingSlot();
  } else if (state === 'closed') {
    writer.ready = slot(resolvedWith(undefined));
    writer.closed = slot(resolvedWith(undefined));
  } else {
    writer.ready = slot(handledRejection(stream.storedError));
    writer.closed = slot(handledRejection(stream.storedError));
  }
  return writer;
}

/** Releases a writer's lock. */
export function releaseWriter(writer) {
  const { stream } = writer;
  const reason = releasedError();
  rejectSlot(writer, 'ready', reason);
  rejectSlot(writer, 'closed', reason);
  stream.writer = undefined;
  writer.stream = undefined;
}

function writerDesiredSize(stream) {
  const { state } = stream;
  if (state === 'errored' || state === 'erroring') return null;
  return state === 'closed' ? 0 : controllerDesiredSize(stream.controller);
}

/** WritableStreamDefaultWriterWrite. */
export function writeTo(writer, chunk) {
  const { stream } = writer;
  const { controller } = stream;
  const size = chunkSize(controller, chunk);
  if (stream !== writer.stream) return rejectedWith(releasedError());
  const { state } = stream;
  if (state === 'errored') return rejectedWith(stream.storedError);
  if (isClosing(stream) || state === 'closed') return rejectedWith(closingError());
  if (state === 'erroring') return rejectedWith(stream.storedError);
  const request = newPromise();
  stream.requests.push(request);
  controllerWrite(controller, chunk, size);
  return request.promise;
}

/** WritableStreamDefaultWriterCloseWithErrorPropagation. */
export function closeWithErrorPropagation(writer) {
  const { stream } = writer;
  const { state } = stream;
  if (isClosing(stream) || state === 'closed') return resolvedWith(undefined);
  if (state === 'errored') return rejectedWith(stream.storedError);
  return closeWritable(stream);
}

// ---- streams ------------------------------------------------------------------------------------------------

/** WritableStreamCloseQueuedOrInFlight. */
export function isClosing(stream) {
  return stream.closeRequest !== undefined || stream.inFlightClose !== undefined;
}

/** WritableStreamAbort. */
export function abortWritable(stream, reason) {
  if (stream.state === 'closed' || stream.state === 'errored') return resolvedWith(undefined);
  signalAbort(stream.controller.signal, reason);
  const { state } = stream;
  if (state === 'closed' || state === 'errored') return resolvedWith(undefined);
  if (stream.pendingAbort !== undefined) return stream.pendingAbort.deferred.promise;
  const wasErroring = state === 'erroring';
  const deferred = newPromise();
  stream.pendingAbort = { __proto__: null, deferred, reason: wasErroring ? undefined : reason, wasErroring };
  if (!wasErroring) startErroring(stream, reason);
  return deferred.promise;
}

/** WritableStreamClose, for a stream that is not closing. */
export function closeWritable(stream) {
  const { state, writer } = stream;
  if (state === 'closed' || state === 'errored') return rejectedWith(closingError());
  const deferred = newPromise();
  stream.closeRequest = deferred;
  if (writer !== undefined && stream.backpressure && state === 'writable') resolveSlot(writer, 'ready');
  controllerClose(stream.controller);
  return deferred.promise;
}

function dealWithRejection(stream, reason) {
  if (stream.state === 'writable') startErroring(stream, reason);
  else finishErroring(stream);
}

function startErroring(stream, reason) {
  const { controller, writer } = stream;
  stream.state = 'erroring';
  stream.storedError = reason;
  if (writer !== undefined) rejectSlot(writer, 'ready', reason);
  if (!hasInFlight(stream) && controller.started) finishErroring(stream);
}

function hasInFlight(stream) {
  return stream.inFlightWrite !== undefined || stream.inFlightClose !== undefined;
}

function finishErroring(stream) {
  stream.state = 'errored';
  errorSteps(stream.controller);
  const reason = stream.storedError;
  const requests = stream.requests.takeAll();
  for (let index = 0; index < requests.length; index++) requests[index].reject(reason);
  const { pendingAbort } = stream;
  if (pendingAbort === undefined) {
    rejectCloseAndClosed(stream);
    return;
  }
  stream.pendingAbort = undefined;
  if (pendingAbort.wasErroring) {
    pendingAbort.deferred.reject(reason);
    rejectCloseAndClosed(stream);
    return;
  }
  PromiseThen(abortSteps(stream.controller, pendingAbort.reason), () => {
    pendingAbort.deferred.resolve(undefined);
    rejectCloseAndClosed(stream);
  }, (failure) => {
    pendingAbort.deferred.reject(failure);
    rejectCloseAndClosed(stream);
  });
}

function rejectCloseAndClosed(stream) {
  if (stream.closeRequest !== undefined) {
    stream.closeRequest.reject(stream.storedError);
    stream.closeRequest = undefined;
  }
  if (stream.writer !== undefined) rejectSlot(stream.writer, 'closed', stream.storedError);
}

function finishInFlightClose(stream) {
  stream.inFlightClose.resolve(undefined);
  stream.inFlightClose = undefined;
  if (stream.state === 'erroring') {
    stream.storedError = undefined;
    if (stream.pendingAbort !== undefined) {
      stream.pendingAbort.deferred.resolve(undefined);
      stream.pendingAbort = undefined;
    }
  }
  stream.state = 'closed';
  if (stream.writer !== undefined) resolveSlot(stream.writer, 'closed');
}

function finishInFlightCloseWithError(stream, reason) {
  stream.inFlightClose.reject(reason);
  stream.inFlightClose = undefined;
  if (stream.pendingAbort !== undefined) {
    stream.pendingAbort.deferred.reject(reason);
    stream.pendingAbort = undefined;
  }
  dealWithRejection(stream, reason);
}

function updateBackpressure(stream, backpressure) {
  const { writer } = stream;
  if (writer !== undefined && backpressure !== stream.backpressure) {
    if (backpressure) writer.ready = pendingSlot();
    else resolveSlot(writer, 'ready');
  }
  stream.backpressure = backpressure;
}

// ---- controllers --------------------------------------------------------------------------------------------

// SetUpWritableStreamDefaultController. `start` runs now and may throw.
function setUpController(stream, { start, write, close, abort, highWaterMark, size }) {
  const controller = {
    __proto__: null, stream, queue: new SizedQueue(), signal: newSignal(), started: false, size, highWaterMark, write,
    close, abort, wrapper: undefined,
  };
  controller.wrapper = new WritableStreamDefaultController(internal, controller);
  stream.controller = controller;
  updateBackpressure(stream, hasBackpressure(controller));
  PromiseThen(resolvedWith(start(controller.wrapper)), () => {
    controller.started = true;
    advanceQueue(controller);
  }, (reason) => {
    controller.started = true;
    dealWithRejection(stream, reason);
  });
}

function clearAlgorithms(controller) {
  controller.write = controller.close = controller.abort = controller.size = undefined;
}

function abortSteps(controller, reason) {
  const result = controller.abort(reason);
  clearAlgorithms(controller);
  return result;
}

function errorSteps(controller) {
  controller.queue.reset();
}

function controllerDesiredSize(controller) {
  return controller.highWaterMark - controller.queue.total;
}

function hasBackpressure(controller) {
  return controllerDesiredSize(controller) <= 0;
}

function chunkSize(controller, chunk) {
  if (controller.size === undefined) return 1;
  try {
    return controller.size(chunk);
  } catch (exception) {
    errorIfNeeded(controller, exception);
    return 1;
  }
}

function errorIfNeeded(controller, reason) {
  if (controller.stream.state === 'writable') errorController(controller, reason);
}

function errorController(controller, reason) {
  clearAlgorithms(controller);
  startErroring(controller.stream, reason);
}

/** Errors a writable stream that is still writable. */
export function errorWritableIfNeeded(stream, reason) {
  errorIfNeeded(stream.controller, reason);
}

function controllerClose(controller) {
  controller.queue.enqueue(CLOSE, 0);
  advanceQueue(controller);
}

function controllerWrite(controller, chunk, size) {
  try {
    controller.queue.enqueue(chunk, size);
  } catch (exception) {
    errorIfNeeded(controller, exception);
    return;
  }
  const { stream } = controller;
  if (!isClosing(stream) && stream.state === 'writable') updateBackpressure(stream, hasBackpressure(controller));
  advanceQueue(controller);
}

function advanceQueue(controller) {
  const { stream, queue } = controller;
  if (!controller.started || stream.inFlightWrite !== undefined) return;
  if (stream.state === 'erroring') {
    finishErroring(stream);
    return;
  }
  if (queue.length === 0) return;
  const value = queue.peek();
  if (value === CLOSE) processClose(controller);
  else processWrite(controller, value);
}

function processClose(controller) {
  const { stream } = controller;
  stream.inFlightClose = stream.closeRequest;
  stream.closeRequest = undefined;
  controller.queue.dequeue();
  const promise = controller.close();
  clearAlgorithms(controller);
  PromiseThen(promise, () => finishInFlightClose(stream), (reason) => finishInFlightCloseWithError(stream, reason));
}

function processWrite(controller, chunk) {
  const { stream } = controller;
  stream.inFlightWrite = stream.requests.shift();
  PromiseThen(controller.write(chunk, controller.wrapper), () => {
    stream.inFlightWrite.resolve(undefined);
    stream.inFlightWrite = undefined;
    controller.queue.dequeue();
    if (!isClosing(stream) && stream.state === 'writable') updateBackpressure(stream, hasBackpressure(controller));
    advanceQueue(controller);
  }, (reason) => {
    if (stream.state === 'writable') clearAlgorithms(controller);
    stream.inFlightWrite.reject(reason);
    stream.inFlightWrite = undefined;
    dealWithRejection(stream, reason);
  });
}

export const globals = {
  __proto__: null, WritableStream, WritableStreamDefaultController, WritableStreamDefaultWriter,
};
