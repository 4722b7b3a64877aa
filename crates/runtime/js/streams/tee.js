// Streams: ReadableStreamTee, for default and byte streams.
import { newPromise, PromiseThen } from '../primordials.js';
import { deserialize, serialize } from '../structured-clone.js';
import { copyBytes } from '../webidl.js';
import {
  byobRequest, closeByteController, enqueueView, errorByteController, respond, respondWithNewView,
} from './byte-controller.js';
import { closeController, enqueueChunk, errorController } from './default-controller.js';
import { cancelStream, newReader, readFrom, releaseReader } from './readable-core.js';
import { createByteReadable, createReadable } from './create.js';
import { readInto } from './readers.js';
import { resolvedWith } from './support.js';

// What both kinds share: two cancellations that make one, with a pair of reasons.
function newBranches(stream) {
  const cancelled = newPromise();
  const state = {
    __proto__: null, first: undefined, second: undefined, firstCancelled: false, secondCancelled: false,
    firstReason: undefined, secondReason: undefined, cancelled,
  };
  const cancelBoth = () => cancelled.resolve(cancelStream(stream, [state.firstReason, state.secondReason]));
  state.cancelFirst = (reason) => {
    state.firstCancelled = true;
    state.firstReason = reason;
    if (state.secondCancelled) cancelBoth();
    return cancelled.promise;
  };
  state.cancelSecond = (reason) => {
    state.secondCancelled = true;
    state.secondReason = reason;
    if (state.firstCancelled) cancelBoth();
    return cancelled.promise;
  };
  return state;
}

function settleCancelled(state) {
  if (!state.firstCancelled || !state.secondCancelled) state.cancelled.resolve(undefined);
}

function afterMicrotask(callback) {
  PromiseThen(resolvedWith(undefined), callback);
}

/** Tees an unlocked stream: the records of the two branches. */
export function tee(stream, cloneForSecond) {
  return stream.controller.bytes ? teeBytes(stream) : teeDefault(stream, cloneForSecond);
}

function teeDefault(stream, cloneForSecond) {
  const reader = newReader(stream, false);
  const state = newBranches(stream);
  let reading = false;
  let readAgain = false;

  const fail = (reason) => {
    errorController(state.first.controller, reason);
    errorController(state.second.controller, reason);
    state.cancelled.resolve(cancelStream(stream, reason));
  };

  const deliver = (chunk) => {
    readAgain = false;
    let second = chunk;
    if (cloneForSecond && !state.secondCancelled) {
      try {
        second = deserialize(serialize(chunk));
      } catch (exception) {
        fail(exception);
        return;
      }
    }
    if (!state.firstCancelled) enqueueChunk(state.first.controller, chunk);
    if (!state.secondCancelled) enqueueChunk(state.second.controller, second);
    reading = false;
    if (readAgain) pull();
  };

  const pull = () => {
    if (reading) {
      readAgain = true;
      return resolvedWith(undefined);
    }
    reading = true;
    readFrom(reader, {
      __proto__: null,
      chunk: (chunk) => afterMicrotask(() => deliver(chunk)),
      close: () => {
        reading = false;
        if (!state.firstCancelled) closeController(state.first.controller);
        if (!state.secondCancelled) closeController(state.second.controller);
        settleCancelled(state);
      },
      error: () => {
        reading = false;
      },
    });
    return resolvedWith(undefined);
  };

  const start = () => undefined;
  state.first = createReadable({ __proto__: null, start, pull, cancel: state.cancelFirst });
  state.second = createReadable({ __proto__: null, start, pull, cancel: state.cancelSecond });
  PromiseThen(reader.closed.promise, undefined, (reason) => {
    errorController(state.first.controller, reason);
    errorController(state.second.controller, reason);
    settleCancelled(state);
  });
  return [state.first, state.second];
}

function teeBytes(stream) {
  let reader = newReader(stream, false);
  const state = newBranches(stream);
  let reading = false;
  let againFirst = false;
  let againSecond = false;

  const errorBoth = (reason) => {
    errorByteController(state.first.controller, reason);
    errorByteController(state.second.controller, reason);
  };

  const forwardError = (thisReader) => {
    PromiseThen(thisReader.closed.promise, undefined, (reason) => {
      if (thisReader !== reader) return;
      errorBoth(reason);
      settleCancelled(state);
    });
  };

  const switchReader = (byob) => {
    if (reader.byob === byob) return;
    releaseReader(reader);
    reader = newReader(stream, byob);
    forwardError(reader);
  };

  const again = () => {
    reading = false;
    if (againFirst) pullFirst();
    else if (againSecond) pullSecond();
  };

  // A copy of a chunk for the other branch; undefined where it cannot be had and both branches were errored.
  const copy = (chunk) => {
    try {
      return copyBytes(chunk);
    } catch (exception) {
      errorBoth(exception);
      state.cancelled.resolve(cancelStream(stream, exception));
      return undefined;
    }
  };

  const pullDefault = () => {
    switchReader(false);
    readFrom(reader, {
      __proto__: null,
      chunk: (chunk) => afterMicrotask(() => {
        againFirst = againSecond = false;
        let second = chunk;
        if (!state.firstCancelled && !state.secondCancelled) {
          second = copy(chunk);
          if (second === undefined) return;
        }
        if (!state.firstCancelled) enqueueView(state.first.controller, chunk);
        if (!state.secondCancelled) enqueueView(state.second.controller, second);
        again();
      }),
      close: () => {
        reading = false;
        if (!state.firstCancelled) closeByteController(state.first.controller);
        if (!state.secondCancelled) closeByteController(state.second.controller);
        if (state.first.controller.pending.length > 0) respond(state.first.controller, 0);
        if (state.second.controller.pending.length > 0) respond(state.second.controller, 0);
        settleCancelled(state);
      },
      error: () => {
        reading = false;
      },
    });
  };

  const pullByob = (view, forSecond) => {
    switchReader(true);
    const ours = forSecond ? state.second : state.first;
    const other = forSecond ? state.first : state.second;
    readInto(reader, view, 1, {
      __proto__: null,
      chunk: (chunk) => afterMicrotask(() => {
        againFirst = againSecond = false;
        const oursCancelled = forSecond ? state.secondCancelled : state.firstCancelled;
        const otherCancelled = forSecond ? state.firstCancelled : state.secondCancelled;
        if (!otherCancelled) {
          const cloned = copy(chunk);
          if (cloned === undefined) return;
          if (!oursCancelled) respondWithNewView(ours.controller, chunk);
          enqueueView(other.controller, cloned);
        } else if (!oursCancelled) respondWithNewView(ours.controller, chunk);
        again();
      }),
      close: (chunk) => {
        reading = false;
        const oursCancelled = forSecond ? state.secondCancelled : state.firstCancelled;
        const otherCancelled = forSecond ? state.firstCancelled : state.secondCancelled;
        if (!oursCancelled) closeByteController(ours.controller);
        if (!otherCancelled) closeByteController(other.controller);
        if (chunk !== undefined) {
          if (!oursCancelled) respondWithNewView(ours.controller, chunk);
          if (!otherCancelled && other.controller.pending.length > 0) respond(other.controller, 0);
        }
        if (!oursCancelled || !otherCancelled) state.cancelled.resolve(undefined);
      },
      error: () => {
        reading = false;
      },
    });
  };

  const pullFirst = () => {
    if (reading) {
      againFirst = true;
      return resolvedWith(undefined);
    }
    reading = true;
    const request = byobRequest(state.first.controller);
    if (request === undefined) pullDefault();
    else pullByob(request.view, false);
    return resolvedWith(undefined);
  };

  const pullSecond = () => {
    if (reading) {
      againSecond = true;
      return resolvedWith(undefined);
    }
    reading = true;
    const request = byobRequest(state.second.controller);
    if (request === undefined) pullDefault();
    else pullByob(request.view, true);
    return resolvedWith(undefined);
  };

  const start = () => undefined;
  state.first = createByteReadable({ __proto__: null, start, pull: pullFirst, cancel: state.cancelFirst });
  state.second = createByteReadable({ __proto__: null, start, pull: pullSecond, cancel: state.cancelSecond });
  forwardError(reader);
  return [state.first, state.second];
}
