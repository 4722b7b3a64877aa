// High Resolution Time, Performance Timeline and User Timing: the clock of a run, and the marks and measures a program
// makes on it.
import {
  append, ArrayIncludes, ArraySort, newList, ObjectDefineProperty, ObjectFreeze, ReflectApply, toArray,
} from './primordials.js';
import {
  any, boolean, callback, defineInterface, dictionary, DOMString, double, illegalInvocation, internal, isObject,
  requireArguments, requireInternal, sequence, typeError,
} from './webidl.js';
import { domException } from './dom-exception.js';
import { EventTarget } from './events.js';
import { deserialize, serialize } from './structured-clone.js';
import { setTimeout } from './timers.js';
import { reportException } from './reporting.js';
import { host } from './internal/host.js';

// ---- entries ------------------------------------------------------------------------------------------------

const markOptions = dictionary('PerformanceMarkOptions', [
  { __proto__: null, key: 'detail', convert: any, fallback: () => null },
  { __proto__: null, key: 'startTime', convert: double },
]);

let entryOf;

export class PerformanceEntry {
  // `{ name, entryType, startTime, duration }`
  #entry;

  static {
    entryOf = (value) => (isObject(value) && #entry in value ? value.#entry : undefined);
  }

  constructor(token = undefined, entry = undefined) {
    requireInternal(token);
    this.#entry = entry;
  }

  get name() { return need(this).name; }
  get entryType() { return need(this).entryType; }
  get startTime() { return need(this).startTime; }
  get duration() { return need(this).duration; }

  toJSON() {
    const { name, entryType, startTime, duration } = need(this);
    return { name, entryType, startTime, duration };
  }
}

defineInterface(PerformanceEntry, { __proto__: null, is: (value) => entryOf(value) !== undefined });

function need(value) {
  return entryOf(value) ?? illegalInvocation();
}

function withDetail(shape, detail) {
  const json = { name: shape.name, entryType: shape.entryType, startTime: shape.startTime, duration: shape.duration };
  return ObjectDefineProperty(json, 'detail', {
    __proto__: null, value: detail, writable: true, enumerable: true, configurable: true,
  });
}

function cloned(detail) {
  return detail === null || detail === undefined ? null : deserialize(serialize(detail));
}

export class PerformanceMark extends PerformanceEntry {
  #detail;

  constructor(markName, options = undefined) {
    const context = "Failed to construct 'PerformanceMark'";
    requireArguments(arguments.length, 1, context);
    const name = DOMString(markName, context);
    const { detail, startTime } = markOptions(options, context);
    if (startTime !== undefined && startTime < 0) throw typeError(context, 'The start time must not be negative.');
    const copy = cloned(detail);
    super(internal, { __proto__: null, name, entryType: 'mark', startTime: startTime ?? host.now(), duration: 0 });
    this.#detail = copy;
  }

  get detail() {
    return isObject(this) && #detail in this ? this.#detail : illegalInvocation();
  }

  toJSON() {
    return isObject(this) && #detail in this ? withDetail(need(this), this.#detail) : illegalInvocation();
  }
}

defineInterface(PerformanceMark);

export class PerformanceMeasure extends PerformanceEntry {
  #detail;

  constructor(token = undefined, entry = undefined, detail = undefined) {
    super(token, entry);
    this.#detail = detail;
  }

  get detail() {
    return isObject(this) && #detail in this ? this.#detail : illegalInvocation();
  }

  toJSON() {
    return isObject(this) && #detail in this ? withDetail(need(this), this.#detail) : illegalInvocation();
  }
}

defineInterface(PerformanceMeasure);

// ---- the timeline -------------------------------------------------------------------------------------------

// Entries of one run, in the order they were made. Marks and measures are kept up to a bound, as a browser's buffers.
const LIMIT = 100000;
let timeline = newList();
const observers = newList();
let notificationQueued = false;

function matching(entries, name, type) {
  const found = newList();
  for (let index = 0; index < entries.length; index++) {
    const entry = entryOf(entries[index]);
    if ((name === undefined || entry.name === name) && (type === undefined || entry.entryType === type)) {
      append(found, entries[index]);
    }
  }
  return toArray(ArraySort(found, (left, right) => entryOf(left).startTime - entryOf(right).startTime));
}

function remove(type, name) {
  const kept = newList();
  for (let index = 0; index < timeline.length; index++) {
    const entry = entryOf(timeline[index]);
    if (entry.entryType !== type || (name !== undefined && entry.name !== name)) append(kept, timeline[index]);
  }
  timeline = kept;
}

function record(entry) {
  if (timeline.length < LIMIT) append(timeline, entry);
  const { entryType } = entryOf(entry);
  for (let index = 0; index < observers.length; index++) {
    if (ArrayIncludes(observers[index].types, entryType)) append(observers[index].buffer, entry);
  }
  queueNotification();
}

function queueNotification() {
  if (notificationQueued) return;
  let waiting = false;
  for (let index = 0; index < observers.length; index++) if (observers[index].buffer.length > 0) waiting = true;
  if (!waiting) return;
  notificationQueued = true;
  setTimeout(() => {
    notificationQueued = false;
    const notified = toArray(observers);
    for (let index = 0; index < notified.length; index++) notify(notified[index]);
  }, 0);
}

function notify(observer) {
  if (observer.buffer.length === 0) return;
  const entries = observer.buffer;
  observer.buffer = newList();
  try {
    ReflectApply(observer.callback, observer.object, [
      new PerformanceObserverEntryList(internal, entries), observer.object, { droppedEntriesCount: 0 },
    ]);
  } catch (exception) {
    reportException(exception);
  }
}

// ---- Performance --------------------------------------------------------------------------------------------

const measureOptions = dictionary('PerformanceMeasureOptions', [
  { __proto__: null, key: 'detail', convert: any, fallback: () => null },
  { __proto__: null, key: 'duration', convert: double },
  { __proto__: null, key: 'end', convert: markOrTime },
  { __proto__: null, key: 'start', convert: markOrTime },
]);

function markOrTime(value, context) {
  return typeof value === 'number' ? double(value, context) : DOMString(value, context);
}

let isPerformance;
let origin;

// The host may compute it anew each time, and one run has one origin.
function timeOrigin() {
  origin ??= host.timeOrigin();
  return origin;
}

export class Performance extends EventTarget {
  #brand;

  static {
    isPerformance = (value) => isObject(value) && #brand in value;
  }

  constructor(token = undefined) {
    requireInternal(token);
    super();
  }

  now() {
    return isPerformance(this) ? host.now() : illegalInvocation();
  }

  get timeOrigin() {
    return isPerformance(this) ? timeOrigin() : illegalInvocation();
  }

  toJSON() {
    return isPerformance(this) ? { timeOrigin: timeOrigin() } : illegalInvocation();
  }

  mark(markName, options = undefined) {
    if (!isPerformance(this)) illegalInvocation();
    requireArguments(arguments.length, 1, "Failed to execute 'mark' on 'Performance'");
    const entry = new PerformanceMark(markName, options);
    record(entry);
    return entry;
  }

  clearMarks(markName = undefined) {
    if (!isPerformance(this)) illegalInvocation();
    const context = "Failed to execute 'clearMarks' on 'Performance'";
    remove('mark', markName === undefined ? undefined : DOMString(markName, context));
  }

  measure(measureName, startOrOptions = undefined, endMark = undefined) {
    if (!isPerformance(this)) illegalInvocation();
    const context = "Failed to execute 'measure' on 'Performance'";
    requireArguments(arguments.length, 1, context);
    const name = DOMString(measureName, context);
    if (endMark !== undefined) endMark = DOMString(endMark, context);
    const span = isObject(startOrOptions)
      ? spanOfOptions(measureOptions(startOrOptions, context), endMark, context)
      : spanOfMarks(startOrOptions, endMark, context);
    const { start, end } = span;
    const data = { __proto__: null, name, entryType: 'measure', startTime: start, duration: end - start };
    const entry = new PerformanceMeasure(internal, data, cloned(span.detail));
    record(entry);
    return entry;
  }

  clearMeasures(measureName = undefined) {
    if (!isPerformance(this)) illegalInvocation();
    const context = "Failed to execute 'clearMeasures' on 'Performance'";
    remove('measure', measureName === undefined ? undefined : DOMString(measureName, context));
  }

  getEntries() {
    return isPerformance(this) ? matching(timeline) : illegalInvocation();
  }

  getEntriesByType(type) {
    if (!isPerformance(this)) illegalInvocation();
    const context = "Failed to execute 'getEntriesByType' on 'Performance'";
    requireArguments(arguments.length, 1, context);
    return matching(timeline, undefined, DOMString(type, context));
  }

  getEntriesByName(name, type = undefined) {
    if (!isPerformance(this)) illegalInvocation();
    const context = "Failed to execute 'getEntriesByName' on 'Performance'";
    requireArguments(arguments.length, 1, context);
    return matching(timeline, DOMString(name, context), type === undefined ? undefined : DOMString(type, context));
  }
}

defineInterface(Performance);

function timeOf(mark, context) {
  if (typeof mark === 'number') {
    if (mark < 0) throw typeError(context, 'A time must not be negative.');
    return mark;
  }
  for (let index = timeline.length - 1; index >= 0; index--) {
    const entry = entryOf(timeline[index]);
    if (entry.entryType === 'mark' && entry.name === mark) return entry.startTime;
  }
  throw domException(`${context}: there is no mark '${mark}'.`, 'SyntaxError');
}

function spanOfMarks(startMark, endMark, context) {
  const start = startMark === undefined || startMark === null ? 0 : timeOf(DOMString(startMark, context), context);
  const end = endMark === undefined ? host.now() : timeOf(endMark, context);
  return { __proto__: null, start, end, detail: null };
}

function spanOfOptions({ detail, duration, end, start }, endMark, context) {
  const given = start !== undefined || end !== undefined || duration !== undefined;
  if (endMark !== undefined && (given || detail !== null)) {
    throw typeError(context, 'An end mark goes without options.');
  }
  if (!given && endMark === undefined && detail !== null) throw typeError(context, 'start or end is needed.');
  if (start !== undefined && end !== undefined && duration !== undefined) {
    throw typeError(context, 'Only two of start, end and duration can be given.');
  }
  let last;
  if (endMark !== undefined) last = timeOf(endMark, context);
  else if (end !== undefined) last = timeOf(end, context);
  else if (start !== undefined && duration !== undefined) last = timeOf(start, context) + duration;
  else last = host.now();
  let first = 0;
  if (start !== undefined) first = timeOf(start, context);
  else if (duration !== undefined && end !== undefined) first = last - duration;
  return { __proto__: null, start: first, end: last, detail };
}

// ---- observers ----------------------------------------------------------------------------------------------

const observerInit = dictionary('PerformanceObserverInit', [
  { __proto__: null, key: 'buffered', convert: boolean },
  { __proto__: null, key: 'entryTypes', convert: sequence(DOMString) },
  { __proto__: null, key: 'type', convert: DOMString },
]);
const supportedEntryTypes = ObjectFreeze(['mark', 'measure']);

let observerOf;

export class PerformanceObserver {
  #observer;

  static {
    observerOf = (value) => (isObject(value) && #observer in value ? value.#observer : illegalInvocation());
  }

  constructor(observerCallback) {
    const context = "Failed to construct 'PerformanceObserver'";
    requireArguments(arguments.length, 1, context);
    this.#observer = {
      __proto__: null, callback: callback(observerCallback, context), object: this, buffer: newList(),
      types: newList(), mode: undefined,
    };
  }

  static get supportedEntryTypes() {
    return supportedEntryTypes;
  }

  observe(options = undefined) {
    const observer = observerOf(this);
    const context = "Failed to execute 'observe' on 'PerformanceObserver'";
    const { buffered, entryTypes, type } = observerInit(options, context);
    if (entryTypes === undefined && type === undefined) throw typeError(context, 'type or entryTypes is needed.');
    if (entryTypes !== undefined && (type !== undefined || buffered !== undefined)) {
      throw typeError(context, 'entryTypes goes without other options.');
    }
    const mode = type === undefined ? 'multiple' : 'single';
    if (observer.mode !== undefined && observer.mode !== mode) {
      throw domException(`${context}: type and entryTypes cannot be mixed.`, 'InvalidModificationError');
    }
    observer.mode = mode;
    const wanted = newList();
    const asked = mode === 'single' ? [type] : entryTypes;
    for (let index = 0; index < asked.length; index++) {
      if (ArrayIncludes(supportedEntryTypes, asked[index])) append(wanted, asked[index]);
    }
    if (wanted.length === 0) return;
    if (mode === 'multiple') observer.types = wanted;
    else if (!ArrayIncludes(observer.types, type)) append(observer.types, type);
    if (!ArrayIncludes(observers, observer)) append(observers, observer);
    if (!buffered) return;
    for (let index = 0; index < timeline.length; index++) {
      if (entryOf(timeline[index]).entryType === type) append(observer.buffer, timeline[index]);
    }
    queueNotification();
  }

  disconnect() {
    const observer = observerOf(this);
    let kept = 0;
    for (let index = 0; index < observers.length; index++) {
      if (observers[index] !== observer) observers[kept++] = observers[index];
    }
    observers.length = kept;
    observer.buffer = newList();
    observer.types = newList();
    observer.mode = undefined;
  }

  takeRecords() {
    const observer = observerOf(this);
    const entries = toArray(observer.buffer);
    observer.buffer = newList();
    return entries;
  }
}

defineInterface(PerformanceObserver);

let listOf;

export class PerformanceObserverEntryList {
  #entries;

  static {
    listOf = (value) => (isObject(value) && #entries in value ? value.#entries : illegalInvocation());
  }

  constructor(token = undefined, entries = undefined) {
    requireInternal(token);
    this.#entries = entries;
  }

  getEntries() {
    return matching(listOf(this));
  }

  getEntriesByType(type) {
    const entries = listOf(this);
    const context = "Failed to execute 'getEntriesByType' on 'PerformanceObserverEntryList'";
    requireArguments(arguments.length, 1, context);
    return matching(entries, undefined, DOMString(type, context));
  }

  getEntriesByName(name, type = undefined) {
    const entries = listOf(this);
    const context = "Failed to execute 'getEntriesByName' on 'PerformanceObserverEntryList'";
    requireArguments(arguments.length, 1, context);
    return matching(entries, DOMString(name, context), type === undefined ? undefined : DOMString(type, context));
  }
}

defineInterface(PerformanceObserverEntryList);

export const globals = {
  __proto__: null, Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver,
  PerformanceObserverEntryList,
};
export const attributes = { __proto__: null, performance: new Performance(internal) };
