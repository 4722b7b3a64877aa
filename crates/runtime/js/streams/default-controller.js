// Streams: ReadableStreamDefaultController.
import { PromiseThen } from '../primordials.js';
import { defineInterface, illegalInvocation, internal, isObject, requireInternal, typeError } from '../webidl.js';
import { closeStream, errorStream, fulfillRequest, pendingReads } from './readable-core.js';
import { resolvedWith, SizedQueue } from './support.js';

let recordOf;

export class ReadableStreamDefaultController {
  #record;

  static {
    recordOf = (value) => (isObject(value) && #record in value ? value.#record : illegalInvocation());
  }

  constructor(token = undefined, record = undefined) {
    requireInternal(token);
    this.#record = record;
  }

  get desiredSize() {
    return desiredSize(recordOf(this));
  }

  close() {
    const controller = recordOf(this);
    if (!canEnqueue(controller)) {
      throw typeError("Failed to execute 'close' on 'ReadableStreamDefaultController'", STATE);
    }
    closeController(controller);
  }

  enqueue(chunk = undefined) {
    const controller = recordOf(this);
    if (!canEnqueue(controller)) {
      throw typeError("Failed to execute 'enqueue' on 'ReadableStreamDefaultController'", STATE);
    }
    enqueueChunk(controller, chunk);
  }

  error(reason = undefined) {
    errorController(recordOf(this), reason);
  }
}

defineInterface(ReadableStreamDefaultController);

const STATE = 'the stream is closed, closing or errored.';

/** SetUpReadableStreamDefaultController. `start` runs now and may throw. */
export function setUpDefaultController(stream, { start, pull, cancel, highWaterMark, size }) {
  const controller = {
    __proto__: null, stream, queue: new SizedQueue(), started: false, closeRequested: false, pullAgain: false,
    pulling: false, size, highWaterMark, pull, cancel, wrapper: undefined, bytes: false,
    cancelSteps: (reason) => cancelSteps(controller, reason),
    pullSteps: (request) => pullSteps(controller, request),
    releaseSteps: () => {},
  };
  controller.wrapper = new ReadableStreamDefaultController(internal, controller);
  stream.controller = controller;
  PromiseThen(resolvedWith(start(controller.wrapper)), () => {
    controller.started = true;
    pullIfNeeded(controller);
  }, (reason) => errorController(controller, reason));
  return controller;
}

function clearAlgorithms(controller) {
  controller.pull = controller.cancel = controller.size = undefined;
}

function cancelSteps(controller, reason) {
  controller.queue.reset();
  const result = controller.cancel(reason);
  clearAlgorithms(controller);
  return result;
}

function pullSteps(controller, request) {
  const { queue, stream } = controller;
  if (queue.length > 0) {
    const chunk = queue.dequeue();
    if (controller.closeRequested && queue.length === 0) {
      clearAlgorithms(controller);
      closeStream(stream);
    } else pullIfNeeded(controller);
    request.chunk(chunk);
  } else {
    stream.reader.requests.push(request);
    pullIfNeeded(controller);
  }
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
  }, (reason) => errorController(controller, reason));
}

function shouldPull(controller) {
  if (!canEnqueue(controller) || !controller.started) return false;
  return pendingReads(controller.stream) > 0 || desiredSize(controller) > 0;
}

function desiredSize(controller) {
  const { state } = controller.stream;
  if (state === 'errored') return null;
  return state === 'closed' ? 0 : controller.highWaterMark - controller.queue.total;
}

/** Whether a stream still takes chunks. */
export function canEnqueue(controller) {
  return !controller.closeRequested && controller.stream.state === 'readable';
}

/** Whether a stream's queue is full enough that its source should pause. */
export function hasBackpressure(controller) {
  return !shouldPull(controller);
}

/** ReadableStreamDefaultControllerClose. */
export function closeController(controller) {
  if (!canEnqueue(controller)) return;
  controller.closeRequested = true;
  if (controller.queue.length === 0) {
    clearAlgorithms(controller);
    closeStream(controller.stream);
  }
}

/** ReadableStreamDefaultControllerEnqueue. Throws what the size algorithm throws. */
export function enqueueChunk(controller, chunk) {
  if (!canEnqueue(controller)) return;
  if (pendingReads(controller.stream) > 0) fulfillRequest(controller.stream, chunk, false);
  else {
    try {
      controller.queue.enqueue(chunk, controller.size(chunk));
    } catch (exception) {
      errorController(controller, exception);
      throw exception;
    }
  }
  pullIfNeeded(controller);
}

/** ReadableStreamDefaultControllerError. */
export function errorController(controller, reason) {
  if (controller.stream.state !== 'readable') return;
  controller.queue.reset();
  clearAlgorithms(controller);
  errorStream(controller.stream, reason);
}

/** The desired size of a controller, null once errored. */
export { desiredSize };

export const globals = { __proto__: null, ReadableStreamDefaultController };
