// The timer family over the host's clock. Timeouts and intervals share one space of identifiers and one cancel
// set, because the platform lets either function clear either kind.
import { host } from './internal/host.js';
import { reportQuietly } from './reporting.js';

const TypeErrorConstructor = TypeError;
const number = Number;
const { apply } = Reflect;
const then = Promise.prototype.then;
const settled = Promise.resolve();
const MapPrototype = Map.prototype;
const { get, set, delete: remove } = MapPrototype;
const timers = new Map();
const scope = globalThis;
let lastId = 0;

function rejectCallback(name) {
  throw new TypeErrorConstructor(
    `Failed to execute '${name}' on 'ServiceWorkerGlobalScope': parameter 1 is not of type 'function'.`,
  );
}

function start(callback, delay, args, repeat) {
  const id = ++lastId;
  const timer = { __proto__: null, callback, args, repeat, delay: number(delay) || 0 };
  apply(set, timers, [id, timer]);
  host.startTimer(id, timer.delay);
  return id;
}

function cancel(id) {
  id = number(id);
  if (apply(remove, timers, [id])) host.stopTimer(id);
}

// Methods, because what the platform offers here is no constructor.
const timerFunctions = {
  setTimeout(callback, delay = 0, ...args) {
    if (typeof callback !== 'function') rejectCallback('setTimeout');
    return start(callback, delay, args, false);
  },
  setInterval(callback, delay = 0, ...args) {
    if (typeof callback !== 'function') rejectCallback('setInterval');
    return start(callback, delay, args, true);
  },
  clearTimeout(id = 0) {
    cancel(id);
  },
  clearInterval(id = 0) {
    cancel(id);
  },
  queueMicrotask(callback) {
    if (typeof callback !== 'function') rejectCallback('queueMicrotask');
    apply(then, settled, [() => {
      try {
        callback();
      } catch (exception) {
        reportQuietly(exception);
      }
    }]);
  },
};

export const { setTimeout, setInterval, clearTimeout, clearInterval, queueMicrotask } = timerFunctions;

// The host calls this when the timer `id` is due. An interval is scheduled again before its callback runs, so
// that a callback that throws cannot end it.
export function fireTimer(id) {
  const timer = apply(get, timers, [id]);
  if (timer === undefined) return;
  if (timer.repeat) host.startTimer(id, timer.delay);
  else apply(remove, timers, [id]);
  try {
    apply(timer.callback, scope, timer.args);
  } catch (exception) {
    reportQuietly(exception);
  }
}
