// DOM: AbortController and AbortSignal.
import { append, newList } from './primordials.js';
import {
  defineInterface, illegalInvocation, interfaceType, internal, isObject, requireArguments, requireInternal, sequence,
  unsignedLongLong,
} from './webidl.js';
import { domException } from './dom-exception.js';
import { Event, EventTarget, fireTrusted, getHandler, lendSignals, setHandler } from './events.js';
import { setTimeout } from './timers.js';

let stateOf;
let isSignal;

export class AbortSignal extends EventTarget {
  #state = {
    __proto__: null, aborted: false, reason: undefined, algorithms: newList(), dependent: false, sources: newList(),
    dependents: newList(),
  };

  static {
    isSignal = (value) => isObject(value) && #state in value;
    stateOf = (signal) => (isSignal(signal) ? signal.#state : illegalInvocation());
  }

  constructor(token = undefined) {
    requireInternal(token);
    super();
  }

  static abort(reason = undefined) {
    const signal = newSignal();
    const state = stateOf(signal);
    state.aborted = true;
    state.reason = reason === undefined ? abortError() : reason;
    return signal;
  }

  static timeout(milliseconds) {
    const context = "Failed to execute 'timeout' on 'AbortSignal'";
    requireArguments(arguments.length, 1, context);
    milliseconds = unsignedLongLong.enforceRange(milliseconds, context);
    const signal = newSignal();
    setTimeout(() => signalAbort(signal, domException('signal timed out', 'TimeoutError')), milliseconds);
    return signal;
  }

  static any(list) {
    const context = "Failed to execute 'any' on 'AbortSignal'";
    requireArguments(arguments.length, 1, context);
    return dependentSignal(signalSequence(list, context));
  }

  get aborted() { return stateOf(this).aborted; }
  get reason() { return stateOf(this).reason; }
  throwIfAborted() {
    const { aborted, reason } = stateOf(this);
    if (aborted) throw reason;
  }
  get onabort() {
    stateOf(this);
    return getHandler(this, 'abort');
  }
  set onabort(value) {
    stateOf(this);
    setHandler(this, 'abort', value);
  }
}

defineInterface(AbortSignal);

/** The converter of the interface type. */
export const signalType = interfaceType('AbortSignal', (value) => isSignal(value));
const signalSequence = sequence(signalType);

/** A signal that nothing has aborted. */
export function newSignal() {
  return new AbortSignal(internal);
}

function abortError() {
  return domException('signal is aborted without reason', 'AbortError');
}

/** Whether a signal is aborted. */
export function isAborted(signal) {
  return stateOf(signal).aborted;
}

/** Why a signal was aborted. */
export function abortReason(signal) {
  return stateOf(signal).reason;
}

/** Runs `algorithm` when a signal is aborted; the answer takes the algorithm back. Nothing when it already is. */
export function addAbortAlgorithm(signal, algorithm) {
  const state = stateOf(signal);
  if (state.aborted) return () => {};
  const entry = { __proto__: null, run: algorithm };
  append(state.algorithms, entry);
  return () => {
    const kept = newList();
    for (let index = 0; index < state.algorithms.length; index++) {
      if (state.algorithms[index] !== entry) append(kept, state.algorithms[index]);
    }
    state.algorithms = kept;
  };
}

/** DOM's "signal abort". */
export function signalAbort(signal, reason) {
  const state = stateOf(signal);
  if (state.aborted) return;
  state.aborted = true;
  state.reason = reason === undefined ? abortError() : reason;
  const toAbort = newList();
  for (let index = 0; index < state.dependents.length; index++) {
    const dependent = state.dependents[index];
    const dependentState = stateOf(dependent);
    if (dependentState.aborted) continue;
    dependentState.aborted = true;
    dependentState.reason = state.reason;
    append(toAbort, dependent);
  }
  runAbortSteps(signal, state);
  for (let index = 0; index < toAbort.length; index++) runAbortSteps(toAbort[index], stateOf(toAbort[index]));
}

function runAbortSteps(signal, state) {
  const { algorithms } = state;
  state.algorithms = newList();
  for (let index = 0; index < algorithms.length; index++) algorithms[index].run();
  fireTrusted(signal, new Event('abort'));
}

/** DOM's "create a dependent abort signal". */
export function dependentSignal(signals) {
  const result = newSignal();
  const state = stateOf(result);
  for (let index = 0; index < signals.length; index++) {
    const source = stateOf(signals[index]);
    if (source.aborted) {
      state.aborted = true;
      state.reason = source.reason;
      return result;
    }
  }
  state.dependent = true;
  for (let index = 0; index < signals.length; index++) {
    const source = stateOf(signals[index]);
    if (!source.dependent) {
      linkSignals(signals[index], result);
    } else {
      for (let inner = 0; inner < source.sources.length; inner++) linkSignals(source.sources[inner], result);
    }
  }
  return result;
}

function linkSignals(source, dependent) {
  const { sources } = stateOf(dependent);
  for (let index = 0; index < sources.length; index++) if (sources[index] === source) return;
  append(sources, source);
  append(stateOf(source).dependents, dependent);
}

lendSignals({ __proto__: null, is: isSignal, aborted: isAborted, add: addAbortAlgorithm });

let isController;

export class AbortController {
  #signal = newSignal();

  static {
    isController = (value) => isObject(value) && #signal in value;
  }

  get signal() {
    return isController(this) ? this.#signal : illegalInvocation();
  }

  abort(reason = undefined) {
    if (!isController(this)) illegalInvocation();
    signalAbort(this.#signal, reason);
  }
}

defineInterface(AbortController, { __proto__: null, is: (value) => isController(value) });

export const globals = { __proto__: null, AbortController, AbortSignal };
