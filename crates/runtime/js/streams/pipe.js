// Streams: ReadableStreamPipeTo.
import { append, markHandled, newList, newPromise, PromiseThen, TypeErrorCtor } from '../primordials.js';
import { abortReason, addAbortAlgorithm, isAborted } from '../abort.js';
import { cancelStream, newReader, readFrom, releaseReader } from './readable-core.js';
import { noop, resolvedWith, waitForAll } from './support.js';
import {
  abortWritable, closeWithErrorPropagation, isClosing, newWriter, releaseWriter, writeTo,
} from './writable.js';

/** Pipes a readable stream into a writable one; neither may be locked. */
export function pipe(source, dest, { preventClose, preventAbort, preventCancel, signal }) {
  const reader = newReader(source, false);
  const writer = newWriter(dest);
  source.disturbed = true;
  const outcome = newPromise();
  let shuttingDown = false;
  let currentWrite = resolvedWith(undefined);
  let removeAbort = noop;

  const waitForWrites = () => {
    const old = currentWrite;
    return PromiseThen(currentWrite, () => (old === currentWrite ? undefined : waitForWrites()));
  };

  const finalize = (failed, reason) => {
    releaseWriter(writer);
    releaseReader(reader);
    removeAbort();
    if (failed) outcome.reject(reason);
    else outcome.resolve(undefined);
  };

  // Once the chunks that were read are written, runs an action and ends the pipe as it says.
  const shutDown = (action, failed, reason) => {
    if (shuttingDown) return;
    shuttingDown = true;
    const rest = () => {
      if (action === undefined) finalize(failed, reason);
      else PromiseThen(action(), () => finalize(failed, reason), (failure) => finalize(true, failure));
    };
    if (dest.state === 'writable' && !isClosing(dest)) PromiseThen(waitForWrites(), rest);
    else rest();
  };

  if (signal !== undefined) {
    const abort = () => {
      const reason = abortReason(signal);
      const actions = newList();
      if (!preventAbort) {
        append(actions, () => (dest.state === 'writable' ? abortWritable(dest, reason) : resolvedWith(undefined)));
      }
      if (!preventCancel) {
        append(actions, () => (source.state === 'readable' ? cancelStream(source, reason) : resolvedWith(undefined)));
      }
      shutDown(() => {
        const promises = newList();
        for (let index = 0; index < actions.length; index++) append(promises, actions[index]());
        return waitForAll(promises);
      }, true, reason);
    };
    if (isAborted(signal)) {
      abort();
      return outcome.promise;
    }
    removeAbort = addAbortAlgorithm(signal, abort);
  }

  const step = () => {
    if (shuttingDown) return resolvedWith(true);
    return PromiseThen(writer.ready.promise, () => {
      const read = newPromise();
      readFrom(reader, {
        __proto__: null,
        chunk: (chunk) => {
          // A chunk must not reach the sink from within the source's enqueue.
          PromiseThen(resolvedWith(undefined), () => {
            currentWrite = PromiseThen(writeTo(writer, chunk), undefined, noop);
            read.resolve(false);
          });
        },
        close: () => read.resolve(true),
        error: read.reject,
      });
      return read.promise;
    });
  };
  const loop = newPromise();
  const next = (done) => {
    if (done) loop.resolve(undefined);
    else PromiseThen(step(), next, loop.reject);
  };

  const whenErrored = (stream, closed, action) => {
    if (stream.state === 'errored') action(stream.storedError);
    else PromiseThen(closed, undefined, action);
  };
  const whenClosed = (stream, closed, action) => {
    if (stream.state === 'closed') action();
    else PromiseThen(closed, action, noop);
  };
  whenErrored(source, reader.closed.promise, (reason) => {
    shutDown(preventAbort ? undefined : () => abortWritable(dest, reason), true, reason);
  });
  whenErrored(dest, writer.closed.promise, (reason) => {
    shutDown(preventCancel ? undefined : () => cancelStream(source, reason), true, reason);
  });
  whenClosed(source, reader.closed.promise, () => {
    shutDown(preventClose ? undefined : () => closeWithErrorPropagation(writer), false, undefined);
  });
  if (isClosing(dest) || dest.state === 'closed') {
    const reason = new TypeErrorCtor('The destination of the pipe is closing or closed.');
    shutDown(preventCancel ? undefined : () => cancelStream(source, reason), true, reason);
  }
  next(false);
  markHandled(loop.promise);
  return outcome.promise;
}
