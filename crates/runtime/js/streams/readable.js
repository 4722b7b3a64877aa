// Streams: the ReadableStream class and its asynchronous iteration.
import {
  AsyncIteratorPrototype, markHandled, newPromise, ObjectDefineProperty, ObjectSetPrototypeOf, PromiseThen,
  RangeErrorCtor, ReflectApply, SymbolAsyncIterator, SymbolIterator, TypeErrorCtor,
} from '../primordials.js';
import {
  boolean, callback, defineAlias, defineInterface, dictionary, enumeration, illegalInvocation, internal, isObject,
  requireArguments, typeError, unsignedLongLong,
} from '../webidl.js';
import { signalType } from '../abort.js';
import { setUpByteController } from './byte-controller.js';
import { createReadable } from './create.js';
import { closeController, enqueueChunk, setUpDefaultController } from './default-controller.js';
import { pipe } from './pipe.js';
import {
  cancelStream, newReadableRecord, newReader, readFrom, releaseReader, requireUnlocked,
} from './readable-core.js';
import { lendStreamRecord, ReadableStreamBYOBReader, ReadableStreamDefaultReader } from './readers.js';
import {
  callForPromise, highWaterMarkOf, queuingStrategy, rejectedWith, resolvedWith, sizeOf,
} from './support.js';
import { tee } from './tee.js';
import { writableRecord } from './writable.js';

const underlyingSource = dictionary('UnderlyingSource', [
  { __proto__: null, key: 'autoAllocateChunkSize', convert: unsignedLongLong.enforceRange },
  { __proto__: null, key: 'cancel', convert: callback },
  { __proto__: null, key: 'pull', convert: callback },
  { __proto__: null, key: 'start', convert: callback },
  { __proto__: null, key: 'type', convert: enumeration('ReadableStreamType', ['bytes']) },
]);
const getReaderOptions = dictionary('ReadableStreamGetReaderOptions', [
  { __proto__: null, key: 'mode', convert: enumeration('ReadableStreamReaderMode', ['byob']) },
]);
const iteratorOptions = dictionary('ReadableStreamIteratorOptions', [
  { __proto__: null, key: 'preventCancel', convert: boolean, fallback: () => false },
]);
const pipeOptions = dictionary('StreamPipeOptions', [
  { __proto__: null, key: 'preventAbort', convert: boolean, fallback: () => false },
  { __proto__: null, key: 'preventCancel', convert: boolean, fallback: () => false },
  { __proto__: null, key: 'preventClose', convert: boolean, fallback: () => false },
  { __proto__: null, key: 'signal', convert: signalType },
]);
const writablePair = dictionary('ReadableWritablePair', [
  { __proto__: null, key: 'readable', convert: streamType, required: true },
  { __proto__: null, key: 'writable', convert: writableType, required: true },
]);

function streamType(value, context) {
  if (streamOf(value) === undefined) throw typeError(context, "The value is not of type 'ReadableStream'.");
  return value;
}

function writableType(value, context) {
  if (writableRecord(value) === undefined) throw typeError(context, "The value is not of type 'WritableStream'.");
  return value;
}

let streamOf;

export class ReadableStream {
  #stream;

  static {
    streamOf = (value) => (isObject(value) && #stream in value ? value.#stream : undefined);
  }

  constructor(source = undefined, strategy = undefined) {
    if (source === internal) {
      this.#stream = strategy;
      return;
    }
    const context = "Failed to construct 'ReadableStream'";
    if (source !== undefined && !isObject(source)) throw typeError(context, 'parameter 1 is not an object.');
    strategy = queuingStrategy(strategy, context);
    const { autoAllocateChunkSize, cancel, pull, start, type } = underlyingSource(source, context);
    const stream = newReadableRecord();
    this.#stream = stream;
    stream.wrapper = this;
    const algorithms = {
      __proto__: null,
      start: (controller) => (start === undefined ? undefined : ReflectApply(start, source, [controller])),
      pull: () => (pull === undefined
        ? resolvedWith(undefined)
        : callForPromise(pull, source, [stream.controller.wrapper])),
      cancel: (reason) => (cancel === undefined ? resolvedWith(undefined) : callForPromise(cancel, source, [reason])),
      highWaterMark: undefined, size: undefined, autoAllocateChunkSize,
    };
    if (type === 'bytes') {
      if (strategy.size !== undefined) throw new RangeErrorCtor(`${context}: a byte stream has no size function.`);
      algorithms.highWaterMark = highWaterMarkOf(strategy, 0);
      if (autoAllocateChunkSize === 0) throw typeError(context, 'autoAllocateChunkSize must not be 0.');
      setUpByteController(stream, algorithms);
    } else {
      algorithms.size = sizeOf(strategy);
      algorithms.highWaterMark = highWaterMarkOf(strategy, 1);
      setUpDefaultController(stream, algorithms);
    }
  }

  static from(asyncIterable) {
    const context = "Failed to execute 'from' on 'ReadableStream'";
    requireArguments(arguments.length, 1, context);
    return wrapReadable(streamFromIterable(asyncIterable, context));
  }

  get locked() {
    return requireStream(this).reader !== undefined;
  }

  cancel(reason = undefined) {
    const stream = streamOf(this);
    if (stream === undefined) return rejectedWith(new TypeErrorCtor('Illegal invocation'));
    if (stream.reader !== undefined) return rejectedWith(new TypeErrorCtor('The stream is locked to a reader.'));
    return cancelStream(stream, reason);
  }

  getReader(options = undefined) {
    requireStream(this);
    const { mode } = getReaderOptions(options, "Failed to execute 'getReader' on 'ReadableStream'");
    return mode === 'byob' ? new ReadableStreamBYOBReader(this) : new ReadableStreamDefaultReader(this);
  }

  pipeThrough(transform, options = undefined) {
    const stream = requireStream(this);
    const context = "Failed to execute 'pipeThrough' on 'ReadableStream'";
    requireArguments(arguments.length, 1, context);
    const { readable, writable } = writablePair(transform, context);
    options = pipeOptions(options, context);
    requireUnlocked(stream, context);
    const dest = writableRecord(writable);
    if (dest.writer !== undefined) throw typeError(context, 'the writable side is locked.');
    markHandled(pipe(stream, dest, options));
    return readable;
  }

  pipeTo(destination, options = undefined) {
    const count = arguments.length;
    try {
      const stream = requireStream(this);
      const context = "Failed to execute 'pipeTo' on 'ReadableStream'";
      requireArguments(count, 1, context);
      const dest = writableRecord(writableType(destination, context));
      options = pipeOptions(options, context);
      requireUnlocked(stream, context);
      if (dest.writer !== undefined) throw typeError(context, 'the destination is locked.');
      return pipe(stream, dest, options);
    } catch (exception) {
      return rejectedWith(exception);
    }
  }

  tee() {
    const stream = requireStream(this);
    requireUnlocked(stream, "Failed to execute 'tee' on 'ReadableStream'");
    const branches = tee(stream, false);
    return [wrapReadable(branches[0]), wrapReadable(branches[1])];
  }

  values(options = undefined) {
    const stream = requireStream(this);
    const context = "Failed to execute 'values' on 'ReadableStream'";
    const { preventCancel } = iteratorOptions(options, context);
    requireUnlocked(stream, context);
    return new StreamIterator(newReader(stream, false), preventCancel);
  }
}

defineInterface(ReadableStream, { __proto__: null, length: 0 });
defineAlias(ReadableStream.prototype, SymbolAsyncIterator, 'values');
lendStreamRecord((value) => streamOf(value));

function requireStream(value) {
  return streamOf(value) ?? illegalInvocation();
}

/** The record of a ReadableStream object, undefined for anything else. */
export function readableRecord(value) {
  return streamOf(value);
}

/** The ReadableStream object of a record. */
export function wrapReadable(stream) {
  stream.wrapper ??= new ReadableStream(internal, stream);
  return stream.wrapper;
}

// ---- asynchronous iteration ---------------------------------------------------------------------------------

// Web IDL's asynchronous iterator: calls run one after another, each waiting for the one before.
class StreamIterator {
  #reader;
  #preventCancel;
  #ongoing = undefined;
  #finished = false;

  constructor(reader, preventCancel) {
    this.#reader = reader;
    this.#preventCancel = preventCancel;
  }

  next() {
    if (!isObject(this) || !(#reader in this)) return rejectedWith(new TypeErrorCtor('Illegal invocation'));
    this.#ongoing = this.#after(() => this.#next());
    return this.#ongoing;
  }

  return(value = undefined) {
    if (!isObject(this) || !(#reader in this)) return rejectedWith(new TypeErrorCtor('Illegal invocation'));
    this.#ongoing = this.#after(() => this.#return(value));
    return PromiseThen(this.#ongoing, () => ({ value, done: true }));
  }

  #after(step) {
    return this.#ongoing === undefined ? step() : PromiseThen(this.#ongoing, step, step);
  }

  #next() {
    if (this.#finished) return resolvedWith({ value: undefined, done: true });
    const reader = this.#reader;
    const deferred = newPromise();
    readFrom(reader, {
      __proto__: null,
      chunk: (value) => deferred.resolve({ __proto__: null, value, done: false }),
      close: () => {
        releaseReader(reader);
        deferred.resolve({ __proto__: null, value: undefined, done: true });
      },
      error: (reason) => {
        releaseReader(reader);
        deferred.reject(reason);
      },
    });
    return PromiseThen(deferred.promise, ({ value, done }) => {
      this.#ongoing = undefined;
      if (done) this.#finished = true;
      return { value, done };
    }, (reason) => {
      this.#ongoing = undefined;
      this.#finished = true;
      throw reason;
    });
  }

  #return(value) {
    if (this.#finished) return resolvedWith({ value, done: true });
    this.#finished = true;
    const reader = this.#reader;
    if (this.#preventCancel) {
      releaseReader(reader);
      return resolvedWith(undefined);
    }
    const result = cancelStream(reader.stream, value);
    releaseReader(reader);
    return result;
  }
}

delete StreamIterator.prototype.constructor;
ObjectSetPrototypeOf(StreamIterator.prototype, AsyncIteratorPrototype);
defineInterface(StreamIterator, { __proto__: null, name: 'ReadableStream AsyncIterator' });
ObjectDefineProperty(StreamIterator.prototype.return, 'length', { __proto__: null, value: 1, configurable: true });

// ---- ReadableStream.from ------------------------------------------------------------------------------------

function streamFromIterable(iterable, context) {
  if (!isObject(iterable)) throw typeError(context, 'parameter 1 is not an object.');
  const { iterator, next, sync } = openIterator(iterable, context);
  let stream;
  const pull = () => {
    const result = callForPromise(next, iterator, []);
    return PromiseThen(result, (step) => {
      if (!isObject(step)) throw new TypeErrorCtor('The iterator result is not an object.');
      if (step.done) {
        closeController(stream.controller);
        return undefined;
      }
      const { value } = step;
      if (!sync) return enqueueChunk(stream.controller, value);
      return PromiseThen(resolvedWith(value), (item) => enqueueChunk(stream.controller, item));
    });
  };
  const cancel = (reason) => {
    let method;
    try {
      method = iterator.return;
    } catch (exception) {
      return rejectedWith(exception);
    }
    if (method === undefined || method === null) return resolvedWith(undefined);
    return PromiseThen(callForPromise(method, iterator, [reason]), (result) => {
      if (!isObject(result)) throw new TypeErrorCtor('The iterator result is not an object.');
    });
  };
  stream = createReadable({ __proto__: null, pull, cancel, highWaterMark: 0 });
  return stream;
}

function openIterator(iterable, context) {
  let method = iterable[SymbolAsyncIterator];
  let sync = false;
  if (method === undefined || method === null) {
    method = iterable[SymbolIterator];
    sync = true;
  }
  if (typeof method !== 'function') throw typeError(context, 'parameter 1 is not iterable.');
  const iterator = ReflectApply(method, iterable, []);
  if (!isObject(iterator)) throw typeError(context, 'the iterator is not an object.');
  return { __proto__: null, iterator, next: iterator.next, sync };
}

export const globals = { __proto__: null, ReadableStream };
