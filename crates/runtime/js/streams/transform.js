// Streams: TransformStream and its controller.
import { newPromise, PromiseThen, RangeErrorCtor, ReflectApply, TypeErrorCtor } from '../primordials.js';
import {
  any, callback, defineInterface, dictionary, illegalInvocation, internal, isObject, requireInternal, typeError,
} from '../webidl.js';
import { createReadable } from './create.js';
import {
  canEnqueue, closeController, desiredSize, enqueueChunk, errorController, hasBackpressure,
} from './default-controller.js';
import { wrapReadable } from './readable.js';
import {
  callForPromise, highWaterMarkOf, queuingStrategy, rejectedWith, resolvedWith, sizeOf,
} from './support.js';
import { createWritable, errorWritableIfNeeded } from './writable.js';

const transformer = dictionary('Transformer', [
  { __proto__: null, key: 'cancel', convert: callback },
  { __proto__: null, key: 'flush', convert: callback },
  { __proto__: null, key: 'readableType', convert: any },
  { __proto__: null, key: 'start', convert: callback },
  { __proto__: null, key: 'transform', convert: callback },
  { __proto__: null, key: 'writableType', convert: any },
]);

let streamOf;
let controllerOf;

export class TransformStream {
  #stream;

  static {
    streamOf = (value) => (isObject(value) && #stream in value ? value.#stream : undefined);
  }

  constructor(definition = undefined, writableStrategy = undefined, readableStrategy = undefined) {
    if (definition === internal) {
      this.#stream = writableStrategy;
      return;
    }
    const context = "Failed to construct 'TransformStream'";
    if (definition !== undefined && !isObject(definition)) throw typeError(context, 'parameter 1 is not an object.');
    writableStrategy = queuingStrategy(writableStrategy, context);
    readableStrategy = queuingStrategy(readableStrategy, context);
    const { cancel, flush, readableType, start, transform, writableType } = transformer(definition, context);
    if (readableType !== undefined) throw new RangeErrorCtor(`${context}: readableType must not be given.`);
    if (writableType !== undefined) throw new RangeErrorCtor(`${context}: writableType must not be given.`);
    const readableHighWaterMark = highWaterMarkOf(readableStrategy, 0);
    const readableSize = sizeOf(readableStrategy);
    const writableHighWaterMark = highWaterMarkOf(writableStrategy, 1);
    const writableSize = sizeOf(writableStrategy);
    const started = newPromise();
    const stream = newTransform(started.promise, {
      __proto__: null, readableHighWaterMark, readableSize, writableHighWaterMark, writableSize,
    });
    this.#stream = stream;
    const controller = setUpController(stream, {
      __proto__: null,
      transform: transform === undefined
        ? undefined
        : (chunk, wrapper) => callForPromise(transform, definition, [chunk, wrapper]),
      flush: flush === undefined ? undefined : (wrapper) => callForPromise(flush, definition, [wrapper]),
      cancel: cancel === undefined ? undefined : (reason) => callForPromise(cancel, definition, [reason]),
    });
    started.resolve(start === undefined ? undefined : ReflectApply(start, definition, [controller.wrapper]));
  }

  get readable() {
    return wrapReadable(requireStream(this).readable);
  }

  get writable() {
    return requireStream(this).writable.wrapper;
  }
}

defineInterface(TransformStream, { __proto__: null, length: 0 });

function requireStream(value) {
  return streamOf(value) ?? illegalInvocation();
}

/** The record of a TransformStream object, undefined for anything else. */
export function transformRecord(value) {
  return streamOf(value);
}

/** A TransformStream object over the two sides given. */
export function wrapTransform(readable, writable) {
  return new TransformStream(internal, { __proto__: null, readable, writable });
}

export class TransformStreamDefaultController {
  #controller;

  static {
    controllerOf = (value) => (isObject(value) && #controller in value ? value.#controller : illegalInvocation());
  }

  constructor(token = undefined, controller = undefined) {
    requireInternal(token);
    this.#controller = controller;
  }

  get desiredSize() {
    return desiredSize(controllerOf(this).stream.readable.controller);
  }

  enqueue(chunk = undefined) {
    enqueueTransformed(controllerOf(this), chunk);
  }

  error(reason = undefined) {
    errorTransform(controllerOf(this).stream, reason);
  }

  terminate() {
    terminateTransform(controllerOf(this));
  }
}

defineInterface(TransformStreamDefaultController);

// ---- the stream ---------------------------------------------------------------------------------------------

/**
 * A TransformStream of the library: `transform(chunk, controller)` and `flush(controller)` may throw or answer a
 * promise, and use `enqueueTransformed`. The answer is the record, with `readable` and `writable` records inside.
 */
export function createTransform({ transform, flush, cancel }) {
  const stream = newTransform(resolvedWith(undefined), {
    __proto__: null, readableHighWaterMark: 0, readableSize: () => 1, writableHighWaterMark: 1, writableSize: () => 1,
  });
  const guarded = (operation) => operation === undefined ? undefined : (first, second) => {
    try {
      return resolvedWith(operation(first, second));
    } catch (exception) {
      return rejectedWith(exception);
    }
  };
  const controller = setUpController(stream, {
    __proto__: null, transform: undefined, flush: undefined, cancel: guarded(cancel),
  });
  controller.transform = guarded((chunk) => transform(chunk, controller));
  controller.flush = guarded(() => flush?.(controller));
  return stream;
}

function newTransform(started, sizes) {
  const stream = {
    __proto__: null, readable: undefined, writable: undefined, controller: undefined, backpressure: undefined,
    backpressureChange: undefined,
  };
  stream.writable = createWritable({
    __proto__: null,
    start: () => started,
    write: (chunk) => sinkWrite(stream, chunk),
    abort: (reason) => sinkAbort(stream, reason),
    close: () => sinkClose(stream),
    highWaterMark: sizes.writableHighWaterMark,
    size: sizes.writableSize,
  });
  stream.readable = createReadable({
    __proto__: null,
    start: () => started,
    pull: () => sourcePull(stream),
    cancel: (reason) => sourceCancel(stream, reason),
    highWaterMark: sizes.readableHighWaterMark,
    size: sizes.readableSize,
  });
  setBackpressure(stream, true);
  return stream;
}

function setUpController(stream, { transform, flush, cancel }) {
  const controller = {
    __proto__: null, stream, transform, flush, cancel, finish: undefined, wrapper: undefined,
  };
  controller.transform ??= (chunk) => {
    try {
      enqueueTransformed(controller, chunk);
      return resolvedWith(undefined);
    } catch (exception) {
      return rejectedWith(exception);
    }
  };
  controller.flush ??= () => resolvedWith(undefined);
  controller.cancel ??= () => resolvedWith(undefined);
  controller.wrapper = new TransformStreamDefaultController(internal, controller);
  stream.controller = controller;
  return controller;
}

function clearAlgorithms(controller) {
  controller.transform = controller.flush = controller.cancel = undefined;
}

function setBackpressure(stream, backpressure) {
  stream.backpressureChange?.resolve(undefined);
  stream.backpressureChange = newPromise();
  stream.backpressure = backpressure;
}

/** TransformStreamError. */
export function errorTransform(stream, reason) {
  errorController(stream.readable.controller, reason);
  errorWritableAndUnblock(stream, reason);
}

function errorWritableAndUnblock(stream, reason) {
  clearAlgorithms(stream.controller);
  errorWritableIfNeeded(stream.writable, reason);
  if (stream.backpressure) setBackpressure(stream, false);
}

/** TransformStreamDefaultControllerEnqueue. */
export function enqueueTransformed(controller, chunk) {
  const { stream } = controller;
  const { controller: readable } = stream.readable;
  if (!canEnqueue(readable)) throw new TypeErrorCtor('The readable side is closed, closing or errored.');
  try {
    enqueueChunk(readable, chunk);
  } catch (exception) {
    errorWritableAndUnblock(stream, exception);
    throw stream.readable.storedError;
  }
  if (hasBackpressure(readable) !== stream.backpressure) setBackpressure(stream, true);
}

/** TransformStreamDefaultControllerTerminate. */
export function terminateTransform({ stream }) {
  closeController(stream.readable.controller);
  errorWritableAndUnblock(stream, new TypeErrorCtor('The transform stream was terminated.'));
}

function performTransform(controller, chunk) {
  return PromiseThen(controller.transform(chunk, controller.wrapper), undefined, (reason) => {
    errorTransform(controller.stream, reason);
    throw reason;
  });
}

function sinkWrite(stream, chunk) {
  const { controller } = stream;
  if (!stream.backpressure) return performTransform(controller, chunk);
  return PromiseThen(stream.backpressureChange.promise, () => {
    if (stream.writable.state === 'erroring') throw stream.writable.storedError;
    return performTransform(controller, chunk);
  });
}

function sinkAbort(stream, reason) {
  const { controller, readable } = stream;
  if (controller.finish !== undefined) return controller.finish.promise;
  controller.finish = newPromise();
  const { finish } = controller;
  const cancelled = controller.cancel(reason);
  clearAlgorithms(controller);
  PromiseThen(cancelled, () => {
    if (readable.state === 'errored') finish.reject(readable.storedError);
    else {
      errorController(readable.controller, reason);
      finish.resolve(undefined);
    }
  }, (failure) => {
    errorController(readable.controller, failure);
    finish.reject(failure);
  });
  return finish.promise;
}

function sinkClose(stream) {
  const { controller, readable } = stream;
  if (controller.finish !== undefined) return controller.finish.promise;
  controller.finish = newPromise();
  const { finish } = controller;
  const flushed = controller.flush(controller.wrapper);
  clearAlgorithms(controller);
  PromiseThen(flushed, () => {
    if (readable.state === 'errored') finish.reject(readable.storedError);
    else {
      closeController(readable.controller);
      finish.resolve(undefined);
    }
  }, (failure) => {
    errorController(readable.controller, failure);
    finish.reject(failure);
  });
  return finish.promise;
}

function sourcePull(stream) {
  setBackpressure(stream, false);
  return stream.backpressureChange.promise;
}

function sourceCancel(stream, reason) {
  const { controller, writable } = stream;
  if (controller.finish !== undefined) return controller.finish.promise;
  controller.finish = newPromise();
  const { finish } = controller;
  const cancelled = controller.cancel(reason);
  clearAlgorithms(controller);
  const unblock = () => {
    if (stream.backpressure) setBackpressure(stream, false);
  };
  PromiseThen(cancelled, () => {
    if (writable.state === 'errored') finish.reject(writable.storedError);
    else {
      errorWritableIfNeeded(writable, reason);
      unblock();
      finish.resolve(undefined);
    }
  }, (failure) => {
    errorWritableIfNeeded(writable, failure);
    unblock();
    finish.reject(failure);
  });
  return finish.promise;
}

export const globals = { __proto__: null, TransformStream, TransformStreamDefaultController };
