// Streams: ReadableStreamDefaultReader and ReadableStreamBYOBReader.
import {
  ArrayBufferGetByteLength, ArrayBufferGetDetached, newPromise, RangeErrorCtor, TypedArrayGetLength,
  TypedArrayGetTag, TypeErrorCtor,
} from '../primordials.js';
import {
  ArrayBufferView, defineInterface, dictionary, illegalInvocation, isObject, requireArguments, typeError,
  unsignedLongLong, viewBuffer,
} from '../webidl.js';
import { cancelStream, newReader, readFrom, releaseReader, requireUnlocked } from './readable-core.js';
import { pullInto, viewLength } from './byte-controller.js';
import { rejectedWith } from './support.js';

// What readable.js lends: the record of a ReadableStream object, undefined for anything else.
let streamRecord = () => undefined;

/** Lends this module the way from a ReadableStream object to its record. */
export function lendStreamRecord(lookUp) {
  streamRecord = lookUp;
}

function requireStream(value, count, context) {
  requireArguments(count, 1, context);
  const stream = streamRecord(value);
  if (stream === undefined) throw typeError(context, "parameter 1 is not of type 'ReadableStream'.");
  requireUnlocked(stream, context);
  return stream;
}

function requestFor(deferred) {
  return {
    __proto__: null,
    chunk: (value) => deferred.resolve({ value, done: false }),
    close: (value) => deferred.resolve({ value, done: true }),
    error: deferred.reject,
  };
}

function detached() {
  return new TypeErrorCtor('The reader has been released.');
}

function cancelReader(reader, reason) {
  return reader.stream === undefined ? rejectedWith(detached()) : cancelStream(reader.stream, reason);
}

// Runs an operation that answers a promise: whatever it throws becomes a rejection.
function promising(operation) {
  try {
    return operation();
  } catch (exception) {
    return rejectedWith(exception);
  }
}

export class ReadableStreamDefaultReader {
  #reader;

  constructor(stream) {
    const record = requireStream(stream, arguments.length, "Failed to construct 'ReadableStreamDefaultReader'");
    this.#reader = newReader(record, false);
  }

  static #of(value) {
    return isObject(value) && #reader in value ? value.#reader : illegalInvocation();
  }

  get closed() {
    return promising(() => ReadableStreamDefaultReader.#of(this).closed.promise);
  }

  cancel(reason = undefined) {
    return promising(() => cancelReader(ReadableStreamDefaultReader.#of(this), reason));
  }

  read() {
    return promising(() => {
      const reader = ReadableStreamDefaultReader.#of(this);
      if (reader.stream === undefined) return rejectedWith(detached());
      const deferred = newPromise();
      readFrom(reader, requestFor(deferred));
      return deferred.promise;
    });
  }

  releaseLock() {
    const reader = ReadableStreamDefaultReader.#of(this);
    if (reader.stream !== undefined) releaseReader(reader);
  }
}

defineInterface(ReadableStreamDefaultReader);

const readOptions = dictionary('ReadableStreamBYOBReaderReadOptions', [
  { __proto__: null, key: 'min', convert: unsignedLongLong.enforceRange, fallback: () => 1 },
]);

export class ReadableStreamBYOBReader {
  #reader;

  constructor(stream) {
    const context = "Failed to construct 'ReadableStreamBYOBReader'";
    const record = requireStream(stream, arguments.length, context);
    if (!record.controller.bytes) throw typeError(context, 'the stream is not a byte stream.');
    this.#reader = newReader(record, true);
  }

  static #of(value) {
    return isObject(value) && #reader in value ? value.#reader : illegalInvocation();
  }

  get closed() {
    return promising(() => ReadableStreamBYOBReader.#of(this).closed.promise);
  }

  cancel(reason = undefined) {
    return promising(() => cancelReader(ReadableStreamBYOBReader.#of(this), reason));
  }

  read(view, options = undefined) {
    const count = arguments.length;
    return promising(() => {
      const reader = ReadableStreamBYOBReader.#of(this);
      const context = "Failed to execute 'read' on 'ReadableStreamBYOBReader'";
      requireArguments(count, 1, context);
      ArrayBufferView(view, context);
      const { min } = readOptions(options, context);
      requireReadable(view, min, context);
      if (reader.stream === undefined) return rejectedWith(detached());
      const deferred = newPromise();
      readInto(reader, view, min, requestFor(deferred));
      return deferred.promise;
    });
  }

  releaseLock() {
    const reader = ReadableStreamBYOBReader.#of(this);
    if (reader.stream !== undefined) releaseReader(reader);
  }
}

defineInterface(ReadableStreamBYOBReader);

function requireReadable(view, min, context) {
  const buffer = viewBuffer(view);
  if (viewLength(view) === 0) throw typeError(context, 'the view is empty.');
  if (ArrayBufferGetByteLength(buffer) === 0) throw typeError(context, 'the buffer of the view is empty.');
  if (ArrayBufferGetDetached(buffer)) throw typeError(context, 'the buffer of the view is detached.');
  if (min === 0) throw typeError(context, 'min must not be 0.');
  const length = TypedArrayGetTag(view) === undefined ? viewLength(view) : TypedArrayGetLength(view);
  if (min > length) throw new RangeErrorCtor(`${context}: min is larger than the view.`);
}

/** ReadableStreamBYOBReaderRead. */
export function readInto(reader, view, min, request) {
  const { stream } = reader;
  stream.disturbed = true;
  if (stream.state === 'errored') request.error(stream.storedError);
  else pullInto(stream.controller, view, min, request);
}

export const globals = { __proto__: null, ReadableStreamBYOBReader, ReadableStreamDefaultReader };
