// Streams: ReadableByteStreamController and ReadableStreamBYOBRequest.
import {
  append, ArrayBufferCtor, ArrayBufferGetByteLength, ArrayBufferGetDetached, ArrayBufferTransfer, DataViewCtor,
  DataViewGetByteLength, DataViewGetByteOffset, MathMin, newList, PromiseThen, RangeErrorCtor, sliceBuffer,
  TypedArrayConstructors, TypedArrayGetBuffer, TypedArrayGetByteLength, TypedArrayGetByteOffset, TypedArrayGetTag,
  TypedArraySet, TypeErrorCtor, Uint8ArrayCtor,
} from '../primordials.js';
import {
  ArrayBufferView, defineInterface, illegalInvocation, internal, isObject, requireArguments, requireInternal, typeError,
  unsignedLongLong, viewBuffer,
} from '../webidl.js';
import { closeStream, errorStream, fulfillRequest, hasReader, pendingReads } from './readable-core.js';
import { Queue, resolvedWith } from './support.js';

let controllerOf;
let requestOf;

export class ReadableByteStreamController {
  #record;

  static {
    controllerOf = (value) => (isObject(value) && #record in value ? value.#record : illegalInvocation());
  }

  constructor(token = undefined, record = undefined) {
    requireInternal(token);
    this.#record = record;
  }

  get byobRequest() {
    return byobRequest(controllerOf(this))?.wrapper ?? null;
  }

  get desiredSize() {
    return byteDesiredSize(controllerOf(this));
  }

  close() {
    const controller = controllerOf(this);
    requireOpen(controller, "Failed to execute 'close' on 'ReadableByteStreamController'");
    closeByteController(controller);
  }

  enqueue(chunk) {
    const controller = controllerOf(this);
    const context = "Failed to execute 'enqueue' on 'ReadableByteStreamController'";
    requireArguments(arguments.length, 1, context);
    ArrayBufferView(chunk, context);
    if (viewLength(chunk) === 0) throw typeError(context, 'the chunk is empty.');
    if (ArrayBufferGetByteLength(viewBuffer(chunk)) === 0) throw typeError(context, 'the chunk\'s buffer is empty.');
    requireOpen(controller, context);
    enqueueView(controller, chunk);
  }

  error(reason = undefined) {
    errorByteController(controllerOf(this), reason);
  }
}

defineInterface(ReadableByteStreamController);

export class ReadableStreamBYOBRequest {
  #record;

  static {
    requestOf = (value) => (isObject(value) && #record in value ? value.#record : illegalInvocation());
  }

  constructor(token = undefined, record = undefined) {
    requireInternal(token);
    this.#record = record;
  }

  get view() {
    return requestOf(this).view;
  }

  respond(bytesWritten) {
    const request = requestOf(this);
    const context = "Failed to execute 'respond' on 'ReadableStreamBYOBRequest'";
    requireArguments(arguments.length, 1, context);
    bytesWritten = unsignedLongLong.enforceRange(bytesWritten, context);
    requireCurrent(request, context);
    if (ArrayBufferGetDetached(TypedArrayGetBuffer(request.view))) {
      throw typeError(context, 'the buffer of the view is detached.');
    }
    respond(request.controller, bytesWritten);
  }

  respondWithNewView(view) {
    const request = requestOf(this);
    const context = "Failed to execute 'respondWithNewView' on 'ReadableStreamBYOBRequest'";
    requireArguments(arguments.length, 1, context);
    ArrayBufferView(view, context);
    requireCurrent(request, context);
    if (ArrayBufferGetDetached(viewBuffer(view))) throw typeError(context, 'the buffer of the view is detached.');
    respondWithNewView(request.controller, view);
  }
}

defineInterface(ReadableStreamBYOBRequest);

function requireCurrent(request, context) {
  if (request.controller === undefined) throw typeError(context, 'the request has been answered already.');
}

function requireOpen(controller, context) {
  if (controller.closeRequested || controller.stream.state !== 'readable') {
    throw typeError(context, 'the stream is closed, closing or errored.');
  }
}

// ---- views --------------------------------------------------------------------------------------------------

function isDataView(view) {
  return TypedArrayGetTag(view) === undefined;
}

/** The byte length of any view. */
export function viewLength(view) {
  return isDataView(view) ? DataViewGetByteLength(view) : TypedArrayGetByteLength(view);
}

function viewOffset(view) {
  return isDataView(view) ? DataViewGetByteOffset(view) : TypedArrayGetByteOffset(view);
}

function copyInto(target, targetOffset, source, sourceOffset, length) {
  TypedArraySet(new Uint8ArrayCtor(target), new Uint8ArrayCtor(source, sourceOffset, length), targetOffset);
}

// ---- the controller -----------------------------------------------------------------------------------------

/** SetUpReadableByteStreamController. `start` runs now and may throw. */
export function setUpByteController(stream, { start, pull, cancel, highWaterMark, autoAllocateChunkSize }) {
  const controller = {
    __proto__: null, stream, queue: new Queue(), total: 0, started: false, closeRequested: false, pullAgain: false,
    pulling: false, highWaterMark, pull, cancel, autoAllocateChunkSize, pending: new Queue(), request: undefined,
    wrapper: undefined, bytes: true,
    cancelSteps: (reason) => cancelSteps(controller, reason),
    pullSteps: (request) => pullSteps(controller, request),
    releaseSteps: () => releaseSteps(controller),
  };
  controller.wrapper = new ReadableByteStreamController(internal, controller);
  stream.controller = controller;
  PromiseThen(resolvedWith(start(controller.wrapper)), () => {
    controller.started = true;
    pullIfNeeded(controller);
  }, (reason) => errorByteController(controller, reason));
  return controller;
}

function clearAlgorithms(controller) {
  controller.pull = controller.cancel = undefined;
}

function resetQueue(controller) {
  controller.queue = new Queue();
  controller.total = 0;
}

function clearPending(controller) {
  invalidateRequest(controller);
  controller.pending = new Queue();
}

function invalidateRequest(controller) {
  const { request } = controller;
  if (request === undefined) return;
  request.controller = undefined;
  request.view = null;
  controller.request = undefined;
}

/** ReadableByteStreamControllerGetBYOBRequest, as its record `{ controller, view, wrapper }`. */
export function byobRequest(controller) {
  if (controller.request === undefined && controller.pending.length > 0) {
    const first = controller.pending.peek();
    const view = new Uint8ArrayCtor(first.buffer, first.byteOffset + first.filled, first.byteLength - first.filled);
    const record = { __proto__: null, controller, view, wrapper: undefined };
    record.wrapper = new ReadableStreamBYOBRequest(internal, record);
    controller.request = record;
  }
  return controller.request;
}

function cancelSteps(controller, reason) {
  clearPending(controller);
  resetQueue(controller);
  const result = controller.cancel(reason);
  clearAlgorithms(controller);
  return result;
}

function pullSteps(controller, request) {
  const { stream } = controller;
  if (controller.total > 0) {
    fillRequestFromQueue(controller, request);
    return;
  }
  const size = controller.autoAllocateChunkSize;
  if (size !== undefined) {
    let buffer;
    try {
      buffer = new ArrayBufferCtor(size);
    } catch (exception) {
      request.error(exception);
      return;
    }
    controller.pending.push(newDescriptor(buffer, 0, size, 1, 1, Uint8ArrayCtor, 'default'));
  }
  stream.reader.requests.push(request);
  pullIfNeeded(controller);
}

function releaseSteps(controller) {
  if (controller.pending.length === 0) return;
  const first = controller.pending.peek();
  first.readerType = 'none';
  controller.pending = new Queue();
  controller.pending.push(first);
}

function newDescriptor(buffer, byteOffset, byteLength, minimum, elementSize, View, readerType) {
  return {
    __proto__: null, buffer, bufferLength: ArrayBufferGetByteLength(buffer), byteOffset, byteLength, filled: 0, minimum,
    elementSize, View, readerType,
  };
}

/** ReadableByteStreamControllerPullInto. `minimum` counts elements of the view. */
export function pullInto(controller, view, minimum, request) {
  const { stream } = controller;
  const dataView = isDataView(view);
  const View = dataView ? DataViewCtor : TypedArrayConstructors[TypedArrayGetTag(view)];
  const elementSize = dataView ? 1 : View.BYTES_PER_ELEMENT;
  const byteOffset = viewOffset(view);
  const byteLength = viewLength(view);
  let buffer;
  try {
    buffer = ArrayBufferTransfer(viewBuffer(view));
  } catch (exception) {
    request.error(exception);
    return;
  }
  const descriptor = newDescriptor(buffer, byteOffset, byteLength, minimum * elementSize, elementSize, View, 'byob');
  if (controller.pending.length > 0) {
    controller.pending.push(descriptor);
    stream.reader.requests.push(request);
    return;
  }
  if (stream.state === 'closed') {
    request.close(new View(buffer, byteOffset, 0));
    return;
  }
  if (controller.total > 0) {
    if (fillDescriptorFromQueue(controller, descriptor)) {
      const filled = convertDescriptor(descriptor);
      drained(controller);
      request.chunk(filled);
      return;
    }
    if (controller.closeRequested) {
      const exception = new TypeErrorCtor('The stream is closing with a chunk that does not fill the view.');
      errorByteController(controller, exception);
      request.error(exception);
      return;
    }
  }
  controller.pending.push(descriptor);
  stream.reader.requests.push(request);
  pullIfNeeded(controller);
}

function pullIfNeeded(controller) {
  if (!shouldPull(controller)) return;
  if (controller.pulling) {
    controller.pullAgain = true;
    return;
  }
  controller.pulling = true;
  PromiseThen(controller.pull(), () => {
    controller.pulling = false;
    if (controller.pullAgain) {
      controller.pullAgain = false;
      pullIfNeeded(controller);
    }
  }, (reason) => errorByteController(controller, reason));
}

function shouldPull(controller) {
  const { stream } = controller;
  if (stream.state !== 'readable' || controller.closeRequested || !controller.started) return false;
  return pendingReads(stream) > 0 || byteDesiredSize(controller) > 0;
}

/** The desired size of a byte controller, null once errored. */
export function byteDesiredSize(controller) {
  const { state } = controller.stream;
  if (state === 'errored') return null;
  return state === 'closed' ? 0 : controller.highWaterMark - controller.total;
}

// After bytes left the queue: close where that was asked for and nothing is left, pull otherwise.
function drained(controller) {
  if (controller.total === 0 && controller.closeRequested) {
    clearAlgorithms(controller);
    closeStream(controller.stream);
  } else pullIfNeeded(controller);
}

/** ReadableByteStreamControllerClose. */
export function closeByteController(controller) {
  const { stream } = controller;
  if (controller.closeRequested || stream.state !== 'readable') return;
  if (controller.total > 0) {
    controller.closeRequested = true;
    return;
  }
  if (controller.pending.length > 0) {
    const first = controller.pending.peek();
    if (first.filled % first.elementSize !== 0) {
      const exception = new TypeErrorCtor('The stream was closed with a partly filled element.');
      errorByteController(controller, exception);
      throw exception;
    }
  }
  clearAlgorithms(controller);
  closeStream(stream);
}

/** ReadableByteStreamControllerEnqueue, for a view that is not empty. */
export function enqueueView(controller, view) {
  const { stream } = controller;
  if (controller.closeRequested || stream.state !== 'readable') return;
  const buffer = viewBuffer(view);
  const byteOffset = viewOffset(view);
  const byteLength = viewLength(view);
  if (ArrayBufferGetDetached(buffer)) throw new TypeErrorCtor('The buffer of the chunk is detached.');
  const transferred = ArrayBufferTransfer(buffer);
  if (controller.pending.length > 0) {
    const first = controller.pending.peek();
    if (ArrayBufferGetDetached(first.buffer)) throw new TypeErrorCtor('The buffer of the pending read is detached.');
    invalidateRequest(controller);
    first.buffer = ArrayBufferTransfer(first.buffer);
    if (first.readerType === 'none') moveDescriptorToQueue(controller, first);
  }
  if (hasReader(stream, false)) {
    fillRequestsFromQueue(controller);
    if (pendingReads(stream) === 0) enqueueBytes(controller, transferred, byteOffset, byteLength);
    else {
      if (controller.pending.length > 0) controller.pending.shift();
      fulfillRequest(stream, new Uint8ArrayCtor(transferred, byteOffset, byteLength), false);
    }
  } else if (hasReader(stream, true)) {
    enqueueBytes(controller, transferred, byteOffset, byteLength);
    const filled = fillPendingFromQueue(controller);
    for (let index = 0; index < filled.length; index++) commitDescriptor(stream, filled[index]);
  } else enqueueBytes(controller, transferred, byteOffset, byteLength);
  pullIfNeeded(controller);
}

function enqueueBytes(controller, buffer, byteOffset, byteLength) {
  controller.queue.push({ __proto__: null, buffer, byteOffset, byteLength });
  controller.total += byteLength;
}

function enqueueCopy(controller, buffer, byteOffset, byteLength) {
  let copy;
  try {
    copy = sliceBuffer(buffer, byteOffset, byteOffset + byteLength);
  } catch (exception) {
    errorByteController(controller, exception);
    throw exception;
  }
  enqueueBytes(controller, copy, 0, byteLength);
}

function moveDescriptorToQueue(controller, descriptor) {
  if (descriptor.filled > 0) {
    enqueueCopy(controller, descriptor.buffer, descriptor.byteOffset, descriptor.filled);
  }
  controller.pending.shift();
}

/** ReadableByteStreamControllerError. */
export function errorByteController(controller, reason) {
  if (controller.stream.state !== 'readable') return;
  clearPending(controller);
  resetQueue(controller);
  clearAlgorithms(controller);
  errorStream(controller.stream, reason);
}

function fillRequestFromQueue(controller, request) {
  const { buffer, byteOffset, byteLength } = controller.queue.shift();
  controller.total -= byteLength;
  drained(controller);
  request.chunk(new Uint8ArrayCtor(buffer, byteOffset, byteLength));
}

function fillRequestsFromQueue(controller) {
  const { reader } = controller.stream;
  while (reader.requests.length > 0 && controller.total > 0) {
    fillRequestFromQueue(controller, reader.requests.shift());
  }
}

// Copies queued bytes into a pending read; true once it holds as much as it must.
function fillDescriptorFromQueue(controller, descriptor) {
  const { queue } = controller;
  const most = MathMin(controller.total, descriptor.byteLength - descriptor.filled);
  const after = descriptor.filled + most;
  let remaining = most;
  let ready = false;
  const aligned = after - (after % descriptor.elementSize);
  if (aligned >= descriptor.minimum) {
    remaining = aligned - descriptor.filled;
    ready = true;
  }
  while (remaining > 0) {
    const head = queue.peek();
    const count = MathMin(remaining, head.byteLength);
    copyInto(descriptor.buffer, descriptor.byteOffset + descriptor.filled, head.buffer, head.byteOffset, count);
    if (head.byteLength === count) queue.shift();
    else {
      head.byteOffset += count;
      head.byteLength -= count;
    }
    controller.total -= count;
    descriptor.filled += count;
    remaining -= count;
  }
  return ready;
}

// The pending reads that queued bytes could fill, taken off the list.
function fillPendingFromQueue(controller) {
  const filled = newList();
  while (controller.pending.length > 0 && controller.total > 0) {
    if (!fillDescriptorFromQueue(controller, controller.pending.peek())) break;
    append(filled, controller.pending.shift());
  }
  return filled;
}

function convertDescriptor({ buffer, byteOffset, filled, elementSize, View }) {
  return new View(ArrayBufferTransfer(buffer), byteOffset, filled / elementSize);
}

function commitDescriptor(stream, descriptor) {
  const done = stream.state === 'closed';
  fulfillRequest(stream, convertDescriptor(descriptor), done);
}

function respond(controller, bytesWritten) {
  const first = controller.pending.peek();
  if (controller.stream.state === 'closed') {
    if (bytesWritten !== 0) throw new TypeErrorCtor('A closed stream takes an answer of 0 bytes only.');
  } else {
    if (bytesWritten === 0) throw new TypeErrorCtor('An answer of 0 bytes needs a closed stream.');
    if (first.filled + bytesWritten > first.byteLength) throw new RangeErrorCtor('More bytes than the view holds.');
  }
  first.buffer = ArrayBufferTransfer(first.buffer);
  finishRespond(controller, bytesWritten);
}

function respondWithNewView(controller, view) {
  const first = controller.pending.peek();
  const length = viewLength(view);
  if (controller.stream.state === 'closed') {
    if (length !== 0) throw new TypeErrorCtor('A closed stream takes an empty view only.');
  } else if (length === 0) throw new TypeErrorCtor('An empty view needs a closed stream.');
  if (first.byteOffset + first.filled !== viewOffset(view)) throw new RangeErrorCtor('The view starts elsewhere.');
  if (first.bufferLength !== ArrayBufferGetByteLength(viewBuffer(view))) {
    throw new RangeErrorCtor('The view is of a buffer of another length.');
  }
  if (first.filled + length > first.byteLength) throw new RangeErrorCtor('The view is longer than the request.');
  first.buffer = ArrayBufferTransfer(viewBuffer(view));
  finishRespond(controller, length);
}

function finishRespond(controller, bytesWritten) {
  const { stream } = controller;
  const first = controller.pending.peek();
  invalidateRequest(controller);
  if (stream.state === 'closed') respondClosed(controller, first);
  else respondReadable(controller, bytesWritten, first);
  pullIfNeeded(controller);
}

function respondClosed(controller, first) {
  const { stream } = controller;
  if (first.readerType === 'none') controller.pending.shift();
  if (!hasReader(stream, true)) return;
  const filled = newList();
  while (filled.length < pendingReads(stream)) append(filled, controller.pending.shift());
  for (let index = 0; index < filled.length; index++) commitDescriptor(stream, filled[index]);
}

function respondReadable(controller, bytesWritten, descriptor) {
  const { stream } = controller;
  descriptor.filled += bytesWritten;
  if (descriptor.readerType === 'none') {
    moveDescriptorToQueue(controller, descriptor);
    const filled = fillPendingFromQueue(controller);
    for (let index = 0; index < filled.length; index++) commitDescriptor(stream, filled[index]);
    return;
  }
  if (descriptor.filled < descriptor.minimum) return;
  controller.pending.shift();
  const rest = descriptor.filled % descriptor.elementSize;
  if (rest > 0) {
    const end = descriptor.byteOffset + descriptor.filled;
    enqueueCopy(controller, descriptor.buffer, end - rest, rest);
    descriptor.filled -= rest;
  }
  const filled = fillPendingFromQueue(controller);
  commitDescriptor(stream, descriptor);
  for (let index = 0; index < filled.length; index++) commitDescriptor(stream, filled[index]);
}

/** Answers the pending BYOB request of a stream the library reads for itself. */
export { respond, respondWithNewView };

export const globals = { __proto__: null, ReadableByteStreamController, ReadableStreamBYOBRequest };
