// Fetch: bodies, and what Request and Response share of them.
//
// A body is `{ bytes, stream, used, shared, source }`. Most bodies are bytes already, and their stream is made only
// when a program asks for it; `source` says whether the body can be sent again. `signal` is there where aborting a
// signal ends the body.
import {
  append, ArrayBufferGetByteLength, ArrayBufferIsView, JSONParse, markHandled, newList, newPromise,
  ObjectDefineProperty, ObjectGetOwnPropertyDescriptor, ReflectOwnKeys, TypedArrayGetBuffer, TypedArrayGetByteLength,
  TypedArrayGetLength, TypedArrayGetTag, TypeErrorCtor, Uint8ArrayCtor, WeakRefCtor, WeakRefDeref,
} from './primordials.js';
import { copyBytes, isBufferSource, typeError, USVString } from './webidl.js';
import { abortReason, addAbortAlgorithm, isAborted } from './abort.js';
import { blobBytes, blobTypeOf, decodedStream, isBlob, newBlob, streamOfBytes } from './blob.js';
import { formEntries, isFormData, newFormData } from './form-data.js';
import { extractMimeType } from './headers.js';
import { concatBytes } from './infra.js';
import { mimeEssence, mimeParameter, serializeMimeType } from './mime.js';
import { newBoundary, parseMultipart, serializeMultipart } from './multipart.js';
import { parseUrlencoded } from './url-encoding.js';
import { isURLSearchParams, serializeParams } from './url-search-params.js';
import { utf8Decode, utf8DecodeWithoutBom, utf8Encode } from './utf8.js';
import { errorByteController } from './streams/byte-controller.js';
import { cancelStream, closeStream, newReader, readFrom } from './streams/readable-core.js';
import { pipe } from './streams/pipe.js';
import { readableRecord, wrapReadable } from './streams/readable.js';
import { rejectedWith } from './streams/support.js';
import { tee } from './streams/tee.js';
import { createTransform, enqueueTransformed } from './streams/transform.js';

/** A body of bytes. `shared` says that somebody else reads the same memory. */
export function bodyOfBytes(bytes, shared) {
  return { __proto__: null, bytes, stream: undefined, used: false, shared, source: true, signal: undefined };
}

function bodyOfStream(stream) {
  return { __proto__: null, bytes: undefined, stream, used: false, shared: false, source: false, signal: undefined };
}

/** The converter of BodyInit: the value itself where it is one of the known classes, a string otherwise. */
export function bodyInit(value, context) {
  const known =
    readableRecord(value) !== undefined || isBlob(value) || isBufferSource(value) || isFormData(value) ||
    isURLSearchParams(value);
  return known ? value : USVString(value, context);
}

/** Fetch's "extract a body": `{ body, type }`, the type null where the body has none. */
export function extractBody(value, context) {
  const stream = readableRecord(value);
  if (stream !== undefined) {
    if (stream.disturbed || stream.reader !== undefined) throw typeError(context, 'The stream is disturbed or locked.');
    return extracted(bodyOfStream(stream), null);
  }
  if (isBlob(value)) {
    const type = blobTypeOf(value);
    return extracted(bodyOfBytes(blobBytes(value), true), type === '' ? null : type);
  }
  if (isFormData(value)) {
    const boundary = newBoundary();
    const bytes = serializeMultipart(formEntries(value), boundary);
    return extracted(bodyOfBytes(bytes, false), `multipart/form-data; boundary=${boundary}`);
  }
  if (isURLSearchParams(value)) {
    return extracted(
      bodyOfBytes(utf8Encode(serializeParams(value)), false), 'application/x-www-form-urlencoded;charset=UTF-8',
    );
  }
  if (typeof value === 'string') return extracted(bodyOfBytes(utf8Encode(value), false), 'text/plain;charset=UTF-8');
  return extracted(bodyOfBytes(copyBytes(value), false), null);
}

function extracted(body, type) {
  return { __proto__: null, body, type };
}

/** The stream of a body, as a record. */
export function bodyStream(body) {
  if (body.stream === undefined) {
    body.stream = streamOfBytes(body.bytes);
    if (body.used) {
      // Reading the bytes stands for reading a stream to its end, through a reader that keeps its lock.
      body.stream.disturbed = true;
      closeStream(body.stream);
      newReader(body.stream, false);
    } else if (body.signal !== undefined) errorWhenAborted(body.stream, body.signal);
  }
  return body.stream;
}

// The signal outlives most streams, so it does not keep them.
function errorWhenAborted(stream, signal) {
  const reference = new WeakRefCtor(stream);
  const error = () => {
    const alive = WeakRefDeref(reference);
    if (alive !== undefined && alive.state === 'readable') errorByteController(alive.controller, abortReason(signal));
  };
  if (isAborted(signal)) error();
  else addAbortAlgorithm(signal, error);
}

/** Lets a signal end the body of a response, which is one of bytes, or null. An empty one is at its end already. */
export function abortBody(body, signal) {
  if (body !== null && TypedArrayGetLength(body.bytes) > 0) body.signal = signal;
}

/** Fetch's "cancel the body of a request", null or not: its stream has nobody left to read it. */
export function cancelBody(body, reason) {
  if (body !== null && body.stream !== undefined && body.stream.state === 'readable') {
    markHandled(cancelStream(body.stream, reason));
  }
}

/** The `body` attribute of a body or null. */
export function bodyObject(body) {
  return body === null ? null : wrapReadable(bodyStream(body));
}

/** Whether a body or null was read from. */
export function isUsed(body) {
  return body !== null && (body.stream === undefined ? body.used : body.stream.disturbed);
}

/** Whether a body can no longer be read: used, or locked to a reader. */
export function isUnusable(body) {
  return isUsed(body) || (body !== null && body.stream !== undefined && body.stream.reader !== undefined);
}

/** A copy of a body for a clone; the original goes on. */
export function cloneBody(body) {
  if (body.stream === undefined) {
    body.shared = true;
    const copy = bodyOfBytes(body.bytes, true);
    copy.signal = body.signal;
    return copy;
  }
  const branches = tee(body.stream, true);
  body.stream = branches[0];
  const copy = bodyOfStream(branches[1]);
  copy.bytes = body.bytes;
  copy.source = body.source;
  return copy;
}

/** Moves a body into a new one; the old one is used from then on. */
export function takeBody(body) {
  const { bytes, shared, source } = body;
  const taken = { __proto__: null, bytes, stream: undefined, used: false, shared, source, signal: undefined };
  if (body.stream === undefined) body.used = true;
  else {
    const identity = createTransform({
      __proto__: null, transform: (chunk, controller) => enqueueTransformed(controller, chunk), flush: undefined,
      cancel: undefined,
    });
    markHandled(pipe(body.stream, identity.writable, { __proto__: null }));
    taken.stream = identity.readable;
  }
  return taken;
}

/**
 * Reads every byte of a body that is usable, and calls one of the two functions. The body is used from then on. Bytes
 * are never the value of a promise on the way, since resolving one would look for a `then` on `Object.prototype`.
 */
export function readAll(body, onBytes, onError) {
  if (body.stream === undefined) {
    body.used = true;
    onBytes(body.bytes);
    return;
  }
  const reader = newReader(body.stream, false);
  const chunks = newList();
  let running = false;
  let more = false;
  // Chunks that are there already are read in a loop, since one read inside another would nest without end.
  const read = () => {
    more = true;
    if (running) return;
    running = true;
    while (more) {
      more = false;
      readFrom(reader, {
        __proto__: null,
        chunk: (chunk) => {
          if (!ArrayBufferIsView(chunk) || TypedArrayGetTag(chunk) !== 'Uint8Array') {
            onError(new TypeErrorCtor('The stream of a body must hold Uint8Array chunks only.'));
            return;
          }
          append(chunks, copyBytes(chunk));
          read();
        },
        close: () => onBytes(concatBytes(chunks)),
        error: onError,
      });
    }
    running = false;
  };
  read();
}

// Reads a body to its end and converts the bytes; what throws becomes a rejection.
function consume(body, convert, context) {
  if (isUnusable(body)) return rejectedWith(typeError(context, 'the body is used or locked.'));
  const result = newPromise();
  const finish = (bytes) => {
    try {
      result.resolve(convert(bytes));
    } catch (exception) {
      result.reject(exception);
    }
  };
  if (body === null) finish(new Uint8ArrayCtor(0));
  else if (body.stream === undefined && body.signal !== undefined && isAborted(body.signal)) {
    body.used = true;
    result.reject(abortReason(body.signal));
  } else readAll(body, finish, result.reject);
  return result.promise;
}

function ownBytes(body, bytes) {
  return body !== null && body.shared ? copyBytes(bytes) : bytes;
}

function formOf(bytes, list, context) {
  const mime = extractMimeType(list);
  const essence = mime === undefined ? '' : mimeEssence(mime);
  if (essence === 'application/x-www-form-urlencoded') return newFormData(parseUrlencoded(utf8DecodeWithoutBom(bytes)));
  if (essence === 'multipart/form-data') {
    const boundary = mimeParameter(mime, 'boundary');
    const entries = boundary === undefined ? undefined : parseMultipart(bytes, boundary);
    if (entries !== undefined) return newFormData(entries);
    throw typeError(context, 'the body is not well-formed multipart/form-data.');
  }
  throw typeError(context, 'the Content-Type is not one of a form.');
}

/**
 * Adds the Body mixin to a class. `stateOf` answers `{ body, list }` of an instance, the list being the headers, and
 * throws for anything else.
 */
export function includeBody(Class, stateOf) {
  const { name } = Class;
  const method = (operation, convert) => {
    const context = `Failed to execute '${operation}' on '${name}'`;
    return (receiver) => {
      try {
        const { body, list } = stateOf(receiver);
        return consume(body, (bytes) => convert(bytes, body, list, context), context);
      } catch (exception) {
        return rejectedWith(exception);
      }
    };
  };
  const arrayBuffer = method('arrayBuffer', (bytes, body) => {
    const own = ownBytes(body, bytes);
    return TypedArrayGetByteLength(own) === ArrayBufferGetByteLength(TypedArrayGetBuffer(own))
      ? TypedArrayGetBuffer(own)
      : TypedArrayGetBuffer(copyBytes(own));
  });
  const blob = method('blob', (bytes, body, list) => {
    const mime = extractMimeType(list);
    return newBlob(ownBytes(body, bytes), mime === undefined ? '' : serializeMimeType(mime));
  });
  const bytesMethod = method('bytes', (bytes, body) => ownBytes(body, bytes));
  const formData = method('formData', (bytes, body, list, context) => formOf(bytes, list, context));
  const json = method('json', (bytes) => JSONParse(utf8Decode(bytes)));
  const text = method('text', (bytes) => utf8Decode(bytes));
  const members = {
    __proto__: null,
    get body() { return bodyObject(stateOf(this).body); },
    get bodyUsed() { return isUsed(stateOf(this).body); },
    arrayBuffer() { return arrayBuffer(this); },
    blob() { return blob(this); },
    bytes() { return bytesMethod(this); },
    formData() { return formData(this); },
    json() { return json(this); },
    text() { return text(this); },
    textStream() {
      const { body } = stateOf(this);
      if (isUnusable(body)) {
        throw typeError(`Failed to execute 'textStream' on '${name}'`, 'the body is used or locked.');
      }
      return wrapReadable(decodedStream(body === null ? streamOfBytes(new Uint8ArrayCtor(0)) : bodyStream(body)));
    },
  };
  const keys = ReflectOwnKeys(members);
  for (let index = 0; index < keys.length; index++) {
    ObjectDefineProperty(Class.prototype, keys[index], ObjectGetOwnPropertyDescriptor(members, keys[index]));
  }
}

