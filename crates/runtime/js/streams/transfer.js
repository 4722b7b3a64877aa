// Streams: transferring streams through a message channel.
import { markHandled, newPromise, PromiseThen } from '../primordials.js';
import { closeRecord, enable, newChannel, postTo } from '../message-channel.js';
import { registerTransferable } from '../structured-clone.js';
import { domException } from '../dom-exception.js';
import { createReadable } from './create.js';
import { closeController, enqueueChunk, errorController } from './default-controller.js';
import { pipe } from './pipe.js';
import { readableRecord, wrapReadable } from './readable.js';
import { noop, rejectedWith, resolvedWith } from './support.js';
import { transformRecord, wrapTransform } from './transform.js';
import { createWritable, errorWritableIfNeeded, writableRecord } from './writable.js';

function post(port, type, value) {
  postTo(port, { __proto__: null, type, value }, []);
}

function postError(port, reason) {
  try {
    post(port, 'error', reason);
  } catch {
    post(port, 'error', undefined);
  }
}

// Posts a message; where it cannot be cloned the other side learns that and the exception is thrown on.
function postOrFail(port, type, value) {
  try {
    post(port, type, value);
  } catch (exception) {
    postError(port, exception);
    throw exception;
  }
}

function lost() {
  return domException('A chunk could not be received.', 'DataCloneError');
}

// SetUpCrossRealmTransformReadable.
function crossRealmReadable(port) {
  const stream = createReadable({
    __proto__: null,
    highWaterMark: 0,
    pull: () => {
      post(port, 'pull', undefined);
      return resolvedWith(undefined);
    },
    cancel: (reason) => {
      try {
        postOrFail(port, 'error', reason);
        return resolvedWith(undefined);
      } catch (exception) {
        return rejectedWith(exception);
      } finally {
        closeRecord(port);
      }
    },
  });
  const { controller } = stream;
  port.receive = ({ type, value }) => {
    if (type === 'chunk') enqueueChunk(controller, value);
    else if (type === 'close') {
      closeController(controller);
      closeRecord(port);
    } else if (type === 'error') {
      errorController(controller, value);
      closeRecord(port);
    }
  };
  port.receiveError = () => {
    postError(port, lost());
    errorController(controller, lost());
    closeRecord(port);
  };
  enable(port);
  return stream;
}

// SetUpCrossRealmTransformWritable.
function crossRealmWritable(port) {
  let backpressure = newPromise();
  const stream = createWritable({
    __proto__: null,
    start: noop,
    highWaterMark: 1,
    size: () => 1,
    write: (chunk) => PromiseThen(backpressure.promise, () => {
      backpressure = newPromise();
      try {
        postOrFail(port, 'chunk', chunk);
      } catch (exception) {
        closeRecord(port);
        throw exception;
      }
    }),
    close: () => {
      post(port, 'close', undefined);
      closeRecord(port);
      return resolvedWith(undefined);
    },
    abort: (reason) => {
      try {
        postOrFail(port, 'error', reason);
        return resolvedWith(undefined);
      } catch (exception) {
        return rejectedWith(exception);
      } finally {
        closeRecord(port);
      }
    },
  });
  port.receive = ({ type, value }) => {
    if (type === 'error') errorWritableIfNeeded(stream, value);
    if (type === 'pull' || type === 'error') backpressure.resolve(undefined);
  };
  port.receiveError = () => {
    postError(port, lost());
    errorWritableIfNeeded(stream, lost());
    closeRecord(port);
  };
  enable(port);
  return stream;
}

function requireTransferable(locked) {
  if (locked) throw domException('A locked stream could not be transferred.', 'DataCloneError');
}

function transferReadable(stream) {
  requireTransferable(stream.reader !== undefined);
  const { first, second } = newChannel();
  markHandled(pipe(stream, crossRealmWritable(first), { __proto__: null }));
  return second;
}

function transferWritable(stream) {
  requireTransferable(stream.writer !== undefined);
  const { first, second } = newChannel();
  markHandled(pipe(crossRealmReadable(first), stream, { __proto__: null }));
  return second;
}

/** Makes the three kinds of streams transferable. */
export function registerStreams() {
  registerTransferable({
    __proto__: null,
    is: (value) => readableRecord(value) !== undefined,
    transfer: (value) => transferReadable(readableRecord(value)),
    receive: (port) => wrapReadable(crossRealmReadable(port)),
  });
  registerTransferable({
    __proto__: null,
    is: (value) => writableRecord(value) !== undefined,
    transfer: (value) => transferWritable(writableRecord(value)),
    receive: (port) => crossRealmWritable(port).wrapper,
  });
  registerTransferable({
    __proto__: null,
    is: (value) => transformRecord(value) !== undefined,
    transfer: (value) => {
      const { readable, writable } = transformRecord(value);
      requireTransferable(readable.reader !== undefined || writable.writer !== undefined);
      return { __proto__: null, readable: transferReadable(readable), writable: transferWritable(writable) };
    },
    receive: ({ readable, writable }) => wrapTransform(crossRealmReadable(readable), crossRealmWritable(writable)),
  });
}
