// Streams: what all stream classes share. Promises of callbacks, queues with sizes, and queuing strategies.
import {
  append, markHandled, newList, newPromise, ObjectSetPrototypeOf, PromiseCtor, PromiseThen, RangeErrorCtor,
  ReflectApply, sealRecord,
} from '../primordials.js';
import {
  callback, defineInterface, dictionary, illegalInvocation, isObject, requireArguments, unrestrictedDouble,
} from '../webidl.js';

// ---- promises -----------------------------------------------------------------------------------------------

/** A promise resolved with a value, always a new one. */
export function resolvedWith(value) {
  return new PromiseCtor((resolve) => resolve(value));
}

/** A promise rejected with a reason. */
export function rejectedWith(reason) {
  return new PromiseCtor((resolve, reject) => reject(reason));
}

/** A rejected promise that nobody has to handle. */
export function handledRejection(reason) {
  const promise = rejectedWith(reason);
  markHandled(promise);
  return promise;
}

/** Calls a function of a program that answers a promise; a throw becomes a rejection. */
export function callForPromise(method, receiver, args) {
  try {
    return resolvedWith(ReflectApply(method, receiver, args));
  } catch (exception) {
    return rejectedWith(exception);
  }
}

/** A promise for when all have fulfilled, or the first rejection. */
export function waitForAll(promises) {
  const { promise, resolve, reject } = newPromise();
  let remaining = promises.length;
  if (remaining === 0) resolve(undefined);
  for (let index = 0; index < promises.length; index++) {
    PromiseThen(promises[index], () => {
      if (--remaining === 0) resolve(undefined);
    }, reject);
  }
  return promise;
}

export function noop() {}

// ---- queues -------------------------------------------------------------------------------------------------

/** A first-in, first-out queue. */
export class Queue {
  #items = newList();
  #head = 0;

  get length() {
    return this.#items.length - this.#head;
  }

  push(item) {
    append(this.#items, item);
  }

  peek() {
    return this.#items[this.#head];
  }

  shift() {
    const items = this.#items;
    const item = items[this.#head];
    items[this.#head++] = undefined;
    if (this.#head === items.length) {
      items.length = 0;
      this.#head = 0;
    } else if (this.#head === 1024) {
      const rest = newList();
      for (let index = this.#head; index < items.length; index++) append(rest, items[index]);
      this.#items = rest;
      this.#head = 0;
    }
    return item;
  }

  /** Takes everything out at once, as a list. */
  takeAll() {
    const all = newList();
    while (this.length > 0) append(all, this.shift());
    return all;
  }
}

class Sized {
  value;
  size;
  constructor(value, size) {
    this.value = value;
    this.size = size;
  }
}

sealRecord(Sized);

/** A queue that knows the total size of what it holds. */
export class SizedQueue {
  #queue = new Queue();
  total = 0;

  get length() {
    return this.#queue.length;
  }

  enqueue(value, size) {
    if (!(size >= 0) || size === 1 / 0) {
      throw new RangeErrorCtor('The size of a chunk must be a non-negative, finite number.');
    }
    this.#queue.push(new Sized(value, size));
    this.total += size;
  }

  dequeue() {
    const { value, size } = this.#queue.shift();
    this.total -= size;
    if (this.total < 0) this.total = 0;
    return value;
  }

  peek() {
    return this.#queue.peek().value;
  }

  reset() {
    this.#queue = new Queue();
    this.total = 0;
  }
}

ObjectSetPrototypeOf(Queue.prototype, null);
ObjectSetPrototypeOf(SizedQueue.prototype, null);

// ---- strategies ---------------------------------------------------------------------------------------------

/** The converter of a strategy argument. */
export const queuingStrategy = dictionary('QueuingStrategy', [
  { __proto__: null, key: 'highWaterMark', convert: unrestrictedDouble },
  { __proto__: null, key: 'size', convert: callback },
]);

/** The high water mark of a strategy, checked. */
export function highWaterMarkOf(strategy, fallback) {
  const { highWaterMark } = strategy;
  if (highWaterMark === undefined) return fallback;
  if (!(highWaterMark >= 0)) throw new RangeErrorCtor('The high water mark must not be negative or NaN.');
  return highWaterMark;
}

/** The size algorithm of a strategy. */
export function sizeOf(strategy) {
  const { size } = strategy;
  return size === undefined ? () => 1 : (chunk) => unrestrictedDouble(ReflectApply(size, undefined, [chunk]));
}

const strategyInit = dictionary('QueuingStrategyInit', [
  { __proto__: null, key: 'highWaterMark', convert: unrestrictedDouble, required: true },
]);

const { size: countSize } = { size() { return 1; } };
const { size: byteLengthSize } = { size(chunk) { return chunk.byteLength; } };

export class CountQueuingStrategy {
  #highWaterMark;

  constructor(init) {
    const context = "Failed to construct 'CountQueuingStrategy'";
    requireArguments(arguments.length, 1, context);
    this.#highWaterMark = strategyInit(init, context).highWaterMark;
  }

  get highWaterMark() {
    return isObject(this) && #highWaterMark in this ? this.#highWaterMark : illegalInvocation();
  }

  get size() {
    return isObject(this) && #highWaterMark in this ? countSize : illegalInvocation();
  }
}

export class ByteLengthQueuingStrategy {
  #highWaterMark;

  constructor(init) {
    const context = "Failed to construct 'ByteLengthQueuingStrategy'";
    requireArguments(arguments.length, 1, context);
    this.#highWaterMark = strategyInit(init, context).highWaterMark;
  }

  get highWaterMark() {
    return isObject(this) && #highWaterMark in this ? this.#highWaterMark : illegalInvocation();
  }

  get size() {
    return isObject(this) && #highWaterMark in this ? byteLengthSize : illegalInvocation();
  }
}

defineInterface(CountQueuingStrategy);
defineInterface(ByteLengthQueuingStrategy);

export const globals = { __proto__: null, ByteLengthQueuingStrategy, CountQueuingStrategy };
