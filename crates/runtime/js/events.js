// DOM: Event, CustomEvent, EventTarget; HTML: ErrorEvent, PromiseRejectionEvent and event handler attributes.
//
// There is no tree, so the path of an event is its target alone; capturing listeners still run first.
import {
  append, newList, ObjectDefineProperty, ObjectGetOwnPropertyDescriptor, ReflectApply, sealRecord,
} from './primordials.js';
import {
  any, boolean, callback, defineInterface, dictionary, DOMString, eventHandler, illegalInvocation, interfaceType,
  isObject, object, requireArguments, typeError, unsignedLong, USVString,
} from './webidl.js';
import { domException } from './dom-exception.js';
import { host } from './internal/host.js';
import { reportException } from './reporting.js';

const theGlobal = globalThis;

// ---- Event --------------------------------------------------------------------------------------------------

const eventInitMembers = [
  { __proto__: null, key: 'bubbles', convert: boolean, fallback: () => false },
  { __proto__: null, key: 'cancelable', convert: boolean, fallback: () => false },
  { __proto__: null, key: 'composed', convert: boolean, fallback: () => false },
];
const eventInit = dictionary('EventInit', eventInitMembers);

/** The dictionary of an event class: `EventInit` and the members given, which are in lexicographical order. */
export function eventInitWith(name, members) {
  const all = newList();
  for (let index = 0; index < eventInitMembers.length; index++) append(all, eventInitMembers[index]);
  for (let index = 0; index < members.length; index++) append(all, members[index]);
  return dictionary(name, all);
}

let slotsOf;
let isEventObject;

const isTrustedDescriptor = {
  __proto__: null,
  get: ObjectGetOwnPropertyDescriptor({ get isTrusted() { return slots(this).isTrusted; } }, 'isTrusted').get,
  set: undefined,
  enumerable: true,
  configurable: false,
};

class EventSlots {
  type;
  bubbles;
  cancelable;
  composed;
  target = null;
  currentTarget = null;
  eventPhase = 0;
  timeStamp = host.now === undefined ? 0 : host.now();
  isTrusted = false;
  canceled = false;
  stopPropagation = false;
  stopImmediatePropagation = false;
  inPassiveListener = false;
  dispatching = false;
  initialized = true;
  constructor(type, bubbles, cancelable, composed) {
    this.type = type;
    this.bubbles = bubbles;
    this.cancelable = cancelable;
    this.composed = composed;
  }
}

sealRecord(EventSlots);

export class Event {
  #slots;

  static {
    isEventObject = (value) => isObject(value) && #slots in value;
    slotsOf = (event) => event.#slots;
  }

  constructor(type, init = undefined) {
    const context = "Failed to construct 'Event'";
    requireArguments(arguments.length, 1, context);
    type = DOMString(type, context);
    const { bubbles, cancelable, composed } = eventInit(init, context);
    this.#slots = new EventSlots(type, bubbles, cancelable, composed);
    ObjectDefineProperty(this, 'isTrusted', isTrustedDescriptor);
  }

  get type() { return slots(this).type; }
  get target() { return slots(this).target; }
  get srcElement() { return slots(this).target; }
  get currentTarget() { return slots(this).currentTarget; }
  composedPath() {
    const { currentTarget } = slots(this);
    return currentTarget === null ? [] : [currentTarget];
  }
  get eventPhase() { return slots(this).eventPhase; }
  stopPropagation() { slots(this).stopPropagation = true; }
  get cancelBubble() { return slots(this).stopPropagation; }
  set cancelBubble(value) {
    const event = slots(this);
    if (value) event.stopPropagation = true;
  }
  stopImmediatePropagation() {
    const event = slots(this);
    event.stopPropagation = true;
    event.stopImmediatePropagation = true;
  }
  get bubbles() { return slots(this).bubbles; }
  get cancelable() { return slots(this).cancelable; }
  get returnValue() { return !slots(this).canceled; }
  set returnValue(value) {
    const event = slots(this);
    if (!value) cancel(event);
  }
  preventDefault() { cancel(slots(this)); }
  get defaultPrevented() { return slots(this).canceled; }
  get composed() { return slots(this).composed; }
  get timeStamp() { return slots(this).timeStamp; }

  initEvent(type, bubbles = false, cancelable = false) {
    const event = slots(this);
    const context = "Failed to execute 'initEvent' on 'Event'";
    requireArguments(arguments.length, 1, context);
    initialize(event, DOMString(type, context), !!bubbles, !!cancelable);
  }
}

defineInterface(Event, {
  __proto__: null,
  is: isEventObject,
  constants: { __proto__: null, NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 },
});

function slots(event) {
  return isEventObject(event) ? slotsOf(event) : illegalInvocation();
}

function cancel(event) {
  if (event.cancelable && !event.inPassiveListener) event.canceled = true;
}

// DOM's "initialize", of the init…Event methods; false while the event is being dispatched.
function initialize(event, type, bubbles, cancelable) {
  if (event.dispatching) return false;
  event.initialized = true;
  event.stopPropagation = false;
  event.stopImmediatePropagation = false;
  event.canceled = false;
  event.isTrusted = false;
  event.target = null;
  event.type = type;
  event.bubbles = bubbles;
  event.cancelable = cancelable;
  return true;
}

/** Initializes an event of a subclass again; false while it is being dispatched. */
export function initializeEvent(event, type, bubbles, cancelable) {
  return initialize(slots(event), type, bubbles, cancelable);
}

const customEventInit = eventInitWith('CustomEventInit', [
  { __proto__: null, key: 'detail', convert: any, fallback: () => null },
]);

export class CustomEvent extends Event {
  #detail;

  constructor(type, init = undefined) {
    const context = "Failed to construct 'CustomEvent'";
    requireArguments(arguments.length, 1, context);
    type = DOMString(type, context);
    init = customEventInit(init, context);
    super(type, init);
    this.#detail = init.detail;
  }

  get detail() {
    return isObject(this) && #detail in this ? this.#detail : illegalInvocation();
  }

  initCustomEvent(type, bubbles = false, cancelable = false, detail = null) {
    if (!isObject(this) || !(#detail in this)) illegalInvocation();
    const context = "Failed to execute 'initCustomEvent' on 'CustomEvent'";
    requireArguments(arguments.length, 1, context);
    if (initializeEvent(this, DOMString(type, context), !!bubbles, !!cancelable)) this.#detail = detail;
  }
}

defineInterface(CustomEvent);

const errorEventInit = eventInitWith('ErrorEventInit', [
  { __proto__: null, key: 'colno', convert: unsignedLong.convert, fallback: () => 0 },
  { __proto__: null, key: 'error', convert: any },
  { __proto__: null, key: 'filename', convert: USVString, fallback: () => '' },
  { __proto__: null, key: 'lineno', convert: unsignedLong.convert, fallback: () => 0 },
  { __proto__: null, key: 'message', convert: DOMString, fallback: () => '' },
]);

let errorSlotsOf;

export class ErrorEvent extends Event {
  #slots;

  static {
    errorSlotsOf = (event) => (isObject(event) && #slots in event ? event.#slots : illegalInvocation());
  }

  constructor(type, init = undefined) {
    const context = "Failed to construct 'ErrorEvent'";
    requireArguments(arguments.length, 1, context);
    type = DOMString(type, context);
    init = errorEventInit(init, context);
    super(type, init);
    this.#slots = init;
  }

  get message() { return errorSlotsOf(this).message; }
  get filename() { return errorSlotsOf(this).filename; }
  get lineno() { return errorSlotsOf(this).lineno; }
  get colno() { return errorSlotsOf(this).colno; }
  get error() { return errorSlotsOf(this).error; }
}

defineInterface(ErrorEvent);

const promiseRejectionEventInit = eventInitWith('PromiseRejectionEventInit', [
  { __proto__: null, key: 'promise', convert: object, required: true },
  { __proto__: null, key: 'reason', convert: any },
]);

export class PromiseRejectionEvent extends Event {
  #promise;
  #reason;

  constructor(type, init) {
    const context = "Failed to construct 'PromiseRejectionEvent'";
    requireArguments(arguments.length, 2, context);
    type = DOMString(type, context);
    init = promiseRejectionEventInit(init, context);
    super(type, init);
    this.#promise = init.promise;
    this.#reason = init.reason;
  }

  get promise() {
    return isObject(this) && #promise in this ? this.#promise : illegalInvocation();
  }

  get reason() {
    return isObject(this) && #reason in this ? this.#reason : illegalInvocation();
  }
}

defineInterface(PromiseRejectionEvent);

// ---- EventTarget --------------------------------------------------------------------------------------------

// What abort.js lends: whether a value is an AbortSignal, whether it is aborted, and how to add an algorithm to it.
let signals = { __proto__: null, is: () => false, aborted: undefined, add: undefined };

/** Lends this module the AbortSignal operations that the `signal` option of a listener needs. */
export function lendSignals(operations) {
  signals = operations;
}

const signalType = interfaceType('AbortSignal', (value) => signals.is(value));
const addOptions = dictionary('AddEventListenerOptions', [
  { __proto__: null, key: 'capture', convert: boolean, fallback: () => false },
  { __proto__: null, key: 'once', convert: boolean, fallback: () => false },
  { __proto__: null, key: 'passive', convert: boolean },
  { __proto__: null, key: 'signal', convert: signalType },
]);
const captureOption = dictionary('EventListenerOptions', [
  { __proto__: null, key: 'capture', convert: boolean, fallback: () => false },
]);

function isDictionaryLike(options) {
  return options === undefined || options === null || isObject(options);
}

function listenerCallback(value, context) {
  if (value === null || value === undefined) return null;
  if (!isObject(value)) throw typeError(context, "parameter 2 is not of type 'EventListener'.");
  return value;
}

// The listeners of the global object stay outside it, so that nothing of it has to survive a snapshot.
const globalState = newTargetState();
let stateOf;

function newTargetState() {
  return { __proto__: null, listeners: newList(), handlers: undefined, onListenersChanged: undefined };
}

export class EventTarget {
  #state = newTargetState();

  static {
    stateOf = (target) => {
      if (target === theGlobal) return globalState;
      return isObject(target) && #state in target ? target.#state : illegalInvocation();
    };
  }

  addEventListener(type, listener, options = undefined) {
    const target = this ?? theGlobal;
    const state = stateOf(target);
    const context = "Failed to execute 'addEventListener' on 'EventTarget'";
    requireArguments(arguments.length, 2, context);
    type = DOMString(type, context);
    listener = listenerCallback(listener, context);
    const flat = isDictionaryLike(options)
      ? addOptions(options, context)
      : { __proto__: null, capture: !!options, once: false, passive: undefined, signal: undefined };
    const { capture, once, passive, signal } = flat;
    if (signal !== undefined && signals.aborted(signal)) return;
    if (listener === null || find(state.listeners, type, listener, capture) !== undefined) return;
    const entry = addListener(state, type, listener, capture, once, passive === true);
    if (signal !== undefined) signals.add(signal, () => removeListener(state, entry));
  }

  removeEventListener(type, listener, options = undefined) {
    const state = stateOf(this ?? theGlobal);
    const context = "Failed to execute 'removeEventListener' on 'EventTarget'";
    requireArguments(arguments.length, 2, context);
    type = DOMString(type, context);
    listener = listenerCallback(listener, context);
    const capture = isDictionaryLike(options) ? captureOption(options, context).capture : !!options;
    const entry = find(state.listeners, type, listener, capture);
    if (entry !== undefined) removeListener(state, entry);
  }

  dispatchEvent(event) {
    const target = this ?? theGlobal;
    stateOf(target);
    const context = "Failed to execute 'dispatchEvent' on 'EventTarget'";
    requireArguments(arguments.length, 1, context);
    if (!isEventObject(event)) throw typeError(context, "parameter 1 is not of type 'Event'.");
    const record = slotsOf(event);
    if (record.dispatching || !record.initialized) {
      throw domException('The event is already being dispatched.', 'InvalidStateError');
    }
    record.isTrusted = false;
    return dispatch(target, event);
  }
}

defineInterface(EventTarget, { __proto__: null, is: isEventTarget });

/** Whether a value is an EventTarget of this realm. */
export function isEventTarget(value) {
  try {
    stateOf(value);
    return true;
  } catch {
    return false;
  }
}

/** Whether anybody listens to events of a type at a target. */
export function hasListener(target, type) {
  const { listeners } = stateOf(target);
  for (let index = 0; index < listeners.length; index++) {
    if (listeners[index].type === type && !listeners[index].removed) return true;
  }
  return false;
}

function find(listeners, type, listener, capture) {
  for (let index = 0; index < listeners.length; index++) {
    const entry = listeners[index];
    if (entry.type === type && entry.callback === listener && entry.capture === capture) return entry;
  }
  return undefined;
}

function addListener(state, type, listener, capture, once, passive) {
  if (state === globalState && (type === 'unhandledrejection' || type === 'rejectionhandled')) host.hearRejections?.();
  const entry = { __proto__: null, type, callback: listener, capture, once, passive, removed: false };
  append(state.listeners, entry);
  return entry;
}

function removeListener(state, entry) {
  if (entry.removed) return;
  entry.removed = true;
  const kept = newList();
  const { listeners } = state;
  for (let index = 0; index < listeners.length; index++) {
    if (listeners[index] !== entry) append(kept, listeners[index]);
  }
  state.listeners = kept;
}

// DOM's "dispatch", for a path of one target.
function dispatch(target, event) {
  const record = slotsOf(event);
  const state = stateOf(target);
  record.dispatching = true;
  record.target = target;
  if (state.listeners.length > 0) {
    invoke(state, target, event, record, true);
    invoke(state, target, event, record, false);
  }
  record.eventPhase = 0;
  record.currentTarget = null;
  record.dispatching = false;
  record.stopPropagation = false;
  record.stopImmediatePropagation = false;
  return !record.canceled;
}

function invoke(state, target, event, record, capture) {
  if (record.stopPropagation) return;
  record.eventPhase = 2;
  record.currentTarget = target;
  const seen = state.listeners;
  const count = seen.length;
  for (let index = 0; index < count; index++) {
    const entry = seen[index];
    if (entry.removed || entry.type !== record.type || entry.capture !== capture) continue;
    if (entry.once) removeListener(state, entry);
    record.inPassiveListener = entry.passive;
    try {
      callListener(entry.callback, target, event);
    } catch (exception) {
      reportException(exception);
    }
    record.inPassiveListener = false;
    if (record.stopImmediatePropagation) return;
  }
}

function callListener(listener, target, event) {
  if (typeof listener === 'function') {
    ReflectApply(listener, target, [event]);
    return;
  }
  const { handleEvent } = listener;
  callback(handleEvent, 'EventListener.handleEvent');
  ReflectApply(handleEvent, listener, [event]);
}

/** Fires a trusted event that the library made. The answer is false when a listener cancelled it. */
export function fireTrusted(target, event) {
  slotsOf(event).isTrusted = true;
  return dispatch(target, event);
}

// ---- event handler attributes -------------------------------------------------------------------------------

/** The value of an event handler attribute such as `onabort`. */
export function getHandler(target, type) {
  return stateOf(target).handlers?.[type]?.value ?? null;
}

/** Sets an event handler attribute. Its listener keeps the place it got when the handler was first set. */
export function setHandler(target, type, value) {
  const state = stateOf(target);
  value = eventHandler(value);
  state.handlers ??= { __proto__: null };
  const handler = (state.handlers[type] ??= { __proto__: null, value: null, entry: undefined });
  handler.value = value;
  if (value === null) {
    if (handler.entry !== undefined) removeListener(state, handler.entry);
    handler.entry = undefined;
  } else if (handler.entry === undefined) {
    const listener = (event) => runHandler(handler.value, target, event);
    handler.entry = addListener(state, type, listener, false, false, false);
  }
}

// HTML's "event handler processing algorithm". `onerror` of the global object takes five arguments and cancels by
// answering true; every other handler cancels by answering false.
function runHandler(handler, target, event) {
  if (typeof handler !== 'function') return;
  const record = slotsOf(event);
  if (record.type === 'error' && target === theGlobal && isErrorEvent(event)) {
    const { message, filename, lineno, colno, error } = errorSlotsOf(event);
    if (ReflectApply(handler, target, [message, filename, lineno, colno, error]) === true) cancel(record);
  } else if (ReflectApply(handler, target, [event]) === false) {
    cancel(record);
  }
}

function isErrorEvent(event) {
  try {
    errorSlotsOf(event);
    return true;
  } catch {
    return false;
  }
}

export const globals = {
  __proto__: null, Event, EventTarget, CustomEvent, ErrorEvent, PromiseRejectionEvent,
};
