(function () {
'use strict';
// internal/host.js
const m_internal_host_js = (function () {

// The functions that the host lends to the library. They arrive after the snapshot is restored, so a module
// reads a member when it needs it and never when it is loaded. Nothing here is reachable from a program.
const host = { __proto__: null };

// Fills `host` from the record that the embedder hands over, once per realm.
function adoptHost(natives) {
  for (const name in natives) host[name] = natives[name];
}

return { __proto__: null, host: host, adoptHost: adoptHost };
})();
// console.js
const m_console_js = (function () {
const { host } = m_internal_host_js;
// The console: three methods that write a line, and the rest of the Console Standard that exists and writes none.


const text = String;
let full = false;

function write(level, args) {
  if (full) return;
  let line = '';
  for (let index = 0; index < args.length; index++) line += (index === 0 ? '' : ' ') + text(args[index]);
  if (host.console(level, line) === false) full = true;
}

// Writes one line on behalf of the library.
function report(level, line) {
  write(level, [line]);
}

const silent = [
  'assert', 'clear', 'count', 'countReset', 'debug', 'dir', 'dirxml', 'group', 'groupCollapsed', 'groupEnd', 'info',
  'profile', 'profileEnd', 'table', 'time', 'timeEnd', 'timeLog', 'timeStamp', 'trace',
];

function createConsole() {
  const methods = {
    log(...args) { write(0, args); },
    warn(...args) { write(1, args); },
    error(...args) { write(2, args); },
  };
  for (let index = 0; index < silent.length; index++) {
    const name = silent[index];
    methods[name] = { [name]() {} }[name];
  }
  return methods;
}

const consoleObject = createConsole();


return { __proto__: null, report: report, console: consoleObject };
})();
// internal/cjs.js
const m_internal_cjs_js = (function () {
const { host } = m_internal_host_js;
// CommonJS over the module map. Each ES import of a CommonJS module has a cache of its own, so a module that two
// such imports both require runs once for each.


const { apply } = Reflect;
const MapConstructor = Map;
const { delete: remove, get, set } = MapConstructor.prototype;
const lastIndexOf = String.prototype.lastIndexOf;
const slice = String.prototype.slice;

// Names live in a Map: an object would route `__proto__` and `toString` through its prototype.
function createLoader() {
  const cache = new MapConstructor();

  function load(name) {
    const cached = apply(get, cache, [name]);
    if (cached !== undefined) return cached.exports;
    const factory = host.compileCommonJs(name);
    const module = { id: name, exports: {}, loaded: false };
    // Seeded before the body runs, so that a cycle observes the exports that exist by then.
    apply(set, cache, [name, module]);
    try {
      apply(factory, module.exports, [module.exports, createRequire(name), module, name, folderOf(name)]);
    } catch (error) {
      // Evicted, so that the next require retries and never returns exports that are half built.
      apply(remove, cache, [name]);
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  function createRequire(importer) {
    const require = (specifier) => {
      const { 0: name, 1: isCommonJs } = host.resolveModule(`${specifier}`, importer);
      return isCommonJs ? load(name) : host.moduleValue(name);
    };
    require.resolve = (specifier) => host.resolveModule(`${specifier}`, importer)[0];
    return require;
  }

  return load;
}

function folderOf(name) {
  const end = apply(lastIndexOf, name, ['/']);
  return end < 0 ? '' : apply(slice, name, [0, end]);
}

// The exports of the CommonJS module `name`, loaded afresh.
function commonJs(name) {
  return createLoader()(name);
}

return { __proto__: null, commonJs: commonJs };
})();
// internal/codec.js
const m_internal_codec_js = (function () {

// The dispatch codec: JSON plus a tagged base64 envelope for bytes. It binds every built-in it uses before a
// program runs, because reading JSON through the global at call time would let a program decide what its run
// reports. The other face of this codec is `codemode_protocol::codec`; both run the same vectors.

const { stringify, parse } = JSON;
const { apply, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const { isView } = ArrayBuffer;
const Bytes = Uint8Array;
const hasOwn = Object.hasOwn;

const typedArrayPrototype = getPrototypeOf(Bytes.prototype);
const getter = (prototype, name) => getOwnPropertyDescriptor(prototype, name).get;
const viewTag = getter(typedArrayPrototype, Symbol.toStringTag);
const typedBuffer = getter(typedArrayPrototype, 'buffer');
const typedByteOffset = getter(typedArrayPrototype, 'byteOffset');
const typedByteLength = getter(typedArrayPrototype, 'byteLength');
const dataViewBuffer = getter(DataView.prototype, 'buffer');
const dataViewByteOffset = getter(DataView.prototype, 'byteOffset');
const dataViewByteLength = getter(DataView.prototype, 'byteLength');
const bufferByteLength = getter(ArrayBuffer.prototype, 'byteLength');

const TAG = '__codemode_binary_v1__';

let fromBase64;
let toBase64;

// The engine adds these two to a realm after the snapshot is restored, so they are bound in the second step.
function bindBase64() {
  fromBase64 = Bytes.fromBase64;
  toBase64 = Bytes.prototype.toBase64;
}

function isArrayBuffer(value) {
  try {
    apply(bufferByteLength, value, []);
    return true;
  } catch {
    return false;
  }
}

function viewBytes(view) {
  if (apply(viewTag, view, []) === undefined) {
    return new Bytes(apply(dataViewBuffer, view, []), apply(dataViewByteOffset, view, []), apply(dataViewByteLength, view, []));
  }
  return new Bytes(apply(typedBuffer, view, []), apply(typedByteOffset, view, []), apply(typedByteLength, view, []));
}

function envelope(kind, bytes) {
  return { __proto__: null, [TAG]: kind, data: apply(toBase64, bytes, []) };
}

function encode(key, value) {
  if (typeof value !== 'object' || value === null) return value;
  if (isView(value)) {
    return envelope(apply(viewTag, value, []) === 'Uint8Array' ? 'Uint8Array' : 'ArrayBufferView', viewBytes(value));
  }
  return isArrayBuffer(value) ? envelope('ArrayBuffer', new Bytes(value)) : value;
}

function decode(key, value) {
  if (typeof value !== 'object' || value === null || !hasOwn(value, TAG) || typeof value.data !== 'string') return value;
  const bytes = apply(fromBase64, Bytes, [value.data]);
  return value[TAG] === 'ArrayBuffer' ? apply(typedBuffer, bytes, []) : bytes;
}

// JSON text of a value, bytes in their envelope.
function stringifyForDispatch(value) {
  return stringify(value, encode);
}

// The value of a JSON text, bytes rebuilt as themselves.
function parseForDispatch(text) {
  return parse(text, decode);
}

return { __proto__: null, bindBase64: bindBase64, stringifyForDispatch: stringifyForDispatch, parseForDispatch: parseForDispatch };
})();
// internal/entry.js
const m_internal_entry_js = (function () {
const { host } = m_internal_host_js;
const { parseForDispatch, stringifyForDispatch } = m_internal_codec_js;
// What the generated entry module of a run is made of: the tool call bridge, the provider proxies, and the race
// of the program against its clock.



const ErrorConstructor = Error;
const ProxyConstructor = Proxy;
const text = String;
const { apply } = Reflect;
const hasOwn = Object.hasOwn;
const isErrorInstance = Function.prototype[Symbol.hasInstance];
const PromiseConstructor = Promise;
const then = PromiseConstructor.prototype.then;

// Rejects when the counted time of the run is spent. The host expires it; a timer of the isolate could not know
// what counts. The handler keeps an expiry that nobody awaits from being an unhandled rejection.
const { promise: expired, reject: rejectExpired } = PromiseConstructor.withResolvers();
apply(then, expired, [undefined, () => {}]);

function expire(message) {
  rejectExpired(new ErrorConstructor(message));
}

// One tool call: three strings out, the envelope JSON back.
function dispatch(provider, tool, argsJson) {
  return host.dispatch(text(provider), text(tool), text(argsJson));
}

async function callTool(provider, tool, argsJson) {
  const resultJson = await dispatch(provider, tool, argsJson);
  let data;
  try {
    data = parseForDispatch(resultJson);
  } catch {
    data = null;
  }
  if (data === null || typeof data !== 'object') throw new ErrorConstructor(host.outsideEnvelope);
  if (data.error) throw new ErrorConstructor(data.error);
  return data.result;
}

// The proxy of one provider. A property written onto it is returned before any tool; symbols and `then` never
// name a tool, so that inspection and `await` leave the provider alone.
function provider(name, positional) {
  return new ProxyConstructor({}, {
    get: (target, toolName) => {
      if (hasOwn(target, toolName)) return target[toolName];
      if (typeof toolName === 'symbol' || toolName === 'then') return undefined;
      return async (...args) =>
        callTool(name, toolName, stringifyForDispatch(positional ? args : args[0] === undefined ? {} : args[0]));
    },
  });
}

// The text of a thrown value, as a run reports it.
function describe(error) {
  return text(apply(isErrorInstance, ErrorConstructor, [error]) ? error.message : error);
}

// Runs the program, reports its outcome to the host and answers the envelope. `start` is an async function, so that
// a throw before the first yield is a rejection like any other. The report comes first; the entry's assignment to
// the completion name is then a later one, which cannot displace it.
async function settle(start) {
  try {
    const result = await new PromiseConstructor((resolve, reject) => {
      apply(then, start(), [resolve, reject]);
      apply(then, expired, [undefined, reject]);
    });
    const envelope = stringifyForDispatch({ result });
    host.reportResult(envelope);
    return envelope;
  } catch (error) {
    const message = describe(error);
    host.reportError(message);
    return stringifyForDispatch({ error: message });
  }
}

return { __proto__: null, expire: expire, dispatch: dispatch, provider: provider, describe: describe, settle: settle };
})();
// internal/allow-list.js
const m_internal_allow_list_js = (function () {

// Every name a program may find on the global object. The engine starts with its own set, and what is not listed
// here is removed before the snapshot is made, so that a new engine cannot add a name unnoticed.

const ownKeys = Reflect.ownKeys;
const deleteProperty = Reflect.deleteProperty;

// ECMA-262 and ECMA-402. Left out: SharedArrayBuffer (shared memory, and with it every blocking wait of Atomics)
// and WebAssembly.
const language = [
  'AggregateError', 'Array', 'ArrayBuffer', 'AsyncDisposableStack', 'Atomics', 'BigInt', 'BigInt64Array', 'BigUint64Array',
  'Boolean', 'DataView', 'Date', 'DisposableStack', 'Error', 'EvalError', 'FinalizationRegistry', 'Float16Array',
  'Float32Array', 'Float64Array', 'Function', 'Infinity', 'Int16Array', 'Int32Array', 'Int8Array', 'Intl', 'Iterator',
  'JSON', 'Map', 'Math', 'NaN', 'Number', 'Object', 'Promise', 'Proxy', 'RangeError', 'ReferenceError', 'Reflect',
  'RegExp', 'Set', 'String', 'SuppressedError', 'Symbol', 'SyntaxError', 'Temporal', 'TypeError', 'URIError',
  'Uint16Array', 'Uint32Array', 'Uint8Array', 'Uint8ClampedArray', 'WeakMap', 'WeakRef', 'WeakSet', 'decodeURI',
  'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape', 'eval', 'globalThis', 'isFinite', 'isNaN',
  'parseFloat', 'parseInt', 'undefined', 'unescape',
];

// The minimum common web API and what runs on it.
const platform = [
  'AbortController', 'AbortSignal', 'Blob', 'ByteLengthQueuingStrategy', 'CompressionStream', 'CountQueuingStrategy',
  'Crypto', 'CryptoKey', 'CustomEvent', 'DOMException', 'DecompressionStream', 'ErrorEvent', 'Event', 'EventTarget',
  'File', 'FormData', 'Headers', 'MessageChannel', 'MessageEvent', 'MessagePort', 'Navigator', 'Performance',
  'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure', 'PerformanceObserver', 'PerformanceObserverEntryList',
  'PromiseRejectionEvent', 'QuotaExceededError', 'ReadableByteStreamController', 'ReadableStream',
  'ReadableStreamBYOBReader', 'ReadableStreamBYOBRequest', 'ReadableStreamDefaultController',
  'ReadableStreamDefaultReader', 'Request', 'Response', 'SubtleCrypto', 'TextDecoder', 'TextDecoderStream',
  'TextEncoder', 'TextEncoderStream', 'TransformStream', 'TransformStreamDefaultController', 'URL', 'URLPattern',
  'URLSearchParams', 'WritableStream', 'WritableStreamDefaultController', 'WritableStreamDefaultWriter', 'atob',
  'btoa', 'caches', 'clearInterval', 'clearTimeout', 'console', 'crypto', 'fetch', 'navigator', 'onerror',
  'onrejectionhandled', 'onunhandledrejection', 'performance', 'queueMicrotask', 'reportError', 'self', 'setInterval',
  'setTimeout', 'structuredClone', 'addEventListener', 'removeEventListener', 'dispatchEvent',
];

// Removes every other name from the global object.
function removeUnlisted() {
  const allowed = { __proto__: null };
  for (let index = 0; index < language.length; index++) allowed[language[index]] = true;
  for (let index = 0; index < platform.length; index++) allowed[platform[index]] = true;
  const names = ownKeys(globalThis);
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    if (typeof name === 'string' && allowed[name] === undefined) deleteProperty(globalThis, name);
  }
}

return { __proto__: null, removeUnlisted: removeUnlisted };
})();
// timers.js
const m_timers_js = (function () {
const { host } = m_internal_host_js;
// The timer family over the host's clock. Timeouts and intervals share one space of identifiers and one cancel
// set, because the platform lets either function clear either kind.


const TypeErrorConstructor = TypeError;
const number = Number;
const { apply } = Reflect;
const then = Promise.prototype.then;
const settled = Promise.resolve();
const MapPrototype = Map.prototype;
const { get, set, delete: remove } = MapPrototype;
const timers = new Map();
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

function setTimeout(callback, delay = 0, ...args) {
  if (typeof callback !== 'function') rejectCallback('setTimeout');
  return start(callback, delay, args, false);
}

function setInterval(callback, delay = 0, ...args) {
  if (typeof callback !== 'function') rejectCallback('setInterval');
  return start(callback, delay, args, true);
}

function clearTimeout(id = 0) {
  cancel(id);
}

function clearInterval(id = 0) {
  cancel(id);
}

function queueMicrotask(callback) {
  if (typeof callback !== 'function') rejectCallback('queueMicrotask');
  apply(then, settled, [() => { callback(); }]);
}

// The host calls this when the timer `id` is due. An interval is scheduled again before its callback runs, so
// that a callback that throws cannot end it.
function fireTimer(id) {
  const timer = apply(get, timers, [id]);
  if (timer === undefined) return;
  if (timer.repeat) host.startTimer(id, timer.delay);
  else apply(remove, timers, [id]);
  apply(timer.callback, undefined, timer.args);
}

return { __proto__: null, setTimeout: setTimeout, setInterval: setInterval, clearTimeout: clearTimeout, clearInterval: clearInterval, queueMicrotask: queueMicrotask, fireTimer: fireTimer };
})();
// primordials.js
const m_primordials_js = (function () {

// The engine's built-ins, captured before any program runs.
//
// Everything the library calls later goes through a binding of this module, so a program that replaces a
// method or a well-known symbol changes its own view of the language and nothing the library does. Methods
// are uncurried: `StringSlice(text, 1)` stands for `text.slice(1)`.
//
// Two habits complete the guarantee elsewhere in the library: objects that carry state name every member when
// they are made (a later assignment then never meets a setter on `Object.prototype`), and growing arrays are
// made by `newList`, which have no prototype at all.

const { bind, call } = Function.prototype;
const uncurry = bind.bind(call);

const ReflectApply = Reflect.apply;
const ReflectConstruct = Reflect.construct;
const ReflectDefineProperty = Reflect.defineProperty;
const ReflectGetOwnPropertyDescriptor = Reflect.getOwnPropertyDescriptor;
const ReflectGetPrototypeOf = Reflect.getPrototypeOf;
const ReflectOwnKeys = Reflect.ownKeys;
const ReflectGet = Reflect.get;
const ReflectHas = Reflect.has;

const ErrorCaptureStackTrace = Error.captureStackTrace;
const ErrorIsError = Error.isError;

const ObjectAssign = Object.assign;
const ObjectCreate = Object.create;
const ObjectDefineProperty = Object.defineProperty;
const ObjectFreeze = Object.freeze;
const ObjectGetOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;
const ObjectGetOwnPropertyNames = Object.getOwnPropertyNames;
const ObjectGetPrototypeOf = Object.getPrototypeOf;
const ObjectHasOwn = Object.hasOwn;
const ObjectIs = Object.is;
const ObjectKeys = Object.keys;
const ObjectSetPrototypeOf = Object.setPrototypeOf;
const ObjectPrototype = Object.prototype;
const ObjectToString = uncurry(Object.prototype.toString);

// The constructors themselves, for call sites that must not read a replaced global.
const ArrayCtor = Array;
const ArrayBufferCtor = ArrayBuffer;
const BigIntCtor = BigInt;
const BooleanCtor = Boolean;
const DataViewCtor = DataView;
const DateCtor = Date;
const ErrorCtor = Error;
const EvalErrorCtor = EvalError;
const MapCtor = Map;
const NumberCtor = Number;
const ObjectCtor = Object;
const PromiseCtor = Promise;
const RangeErrorCtor = RangeError;
const ReferenceErrorCtor = ReferenceError;
const RegExpCtor = RegExp;
const SetCtor = Set;
const StringCtor = String;
const SyntaxErrorCtor = SyntaxError;
const TypeErrorCtor = TypeError;
const URIErrorCtor = URIError;
const Uint8ArrayCtor = Uint8Array;
const Uint16ArrayCtor = Uint16Array;
const Uint32ArrayCtor = Uint32Array;
const WeakMapCtor = WeakMap;
const WeakRefCtor = WeakRef;
const WeakSetCtor = WeakSet;

const SymbolIterator = Symbol.iterator;
const SymbolAsyncIterator = Symbol.asyncIterator;
const SymbolToStringTag = Symbol.toStringTag;
const SymbolSpecies = Symbol.species;
const SymbolFor = Symbol.for;

const ArrayIsArray = Array.isArray;
const ArrayJoin = uncurry(Array.prototype.join);
const ArrayPush = uncurry(Array.prototype.push);
const ArrayShift = uncurry(Array.prototype.shift);
const ArraySlice = uncurry(Array.prototype.slice);
const ArraySort = uncurry(Array.prototype.sort);
const ArraySplice = uncurry(Array.prototype.splice);
const ArrayIncludes = uncurry(Array.prototype.includes);
const ArrayIndexOf = uncurry(Array.prototype.indexOf);
const ArrayIteratorPrototype = Reflect.getPrototypeOf([][Symbol.iterator]());
const IteratorPrototype = Reflect.getPrototypeOf(ArrayIteratorPrototype);
const AsyncIteratorPrototype = Reflect.getPrototypeOf(
  Reflect.getPrototypeOf(async function* () {}).prototype,
);

const StringCharCodeAt = uncurry(String.prototype.charCodeAt);
const StringCodePointAt = uncurry(String.prototype.codePointAt);
const StringEndsWith = uncurry(String.prototype.endsWith);
const StringFromCharCode = String.fromCharCode;
const StringFromCodePoint = String.fromCodePoint;
const StringIncludes = uncurry(String.prototype.includes);
const StringIndexOf = uncurry(String.prototype.indexOf);
const StringIsWellFormed = uncurry(String.prototype.isWellFormed);
const StringLastIndexOf = uncurry(String.prototype.lastIndexOf);
const StringNormalize = uncurry(String.prototype.normalize);
const StringPadStart = uncurry(String.prototype.padStart);
const StringRepeat = uncurry(String.prototype.repeat);
const StringSlice = uncurry(String.prototype.slice);
const StringStartsWith = uncurry(String.prototype.startsWith);
const StringToLowerCase = uncurry(String.prototype.toLowerCase);
const StringToUpperCase = uncurry(String.prototype.toUpperCase);
const StringToWellFormed = uncurry(String.prototype.toWellFormed);

const NumberToString = uncurry(Number.prototype.toString);
const NumberIsFinite = Number.isFinite;
const NumberIsInteger = Number.isInteger;
const NumberIsNaN = Number.isNaN;
const BigIntAsUintN = BigInt.asUintN;
const MathAbs = Math.abs;
const MathCeil = Math.ceil;
const MathFloor = Math.floor;
const MathFround = Math.fround;
const MathMax = Math.max;
const MathMin = Math.min;
const MathSign = Math.sign;
const MathTrunc = Math.trunc;
const MathRound = Math.round;

const JSONParse = JSON.parse;
const JSONStringify = JSON.stringify;
const DateNow = Date.now;
const DateGetTime = uncurry(Date.prototype.getTime);

const MapGet = uncurry(Map.prototype.get);
const MapHas = uncurry(Map.prototype.has);
const MapSet = uncurry(Map.prototype.set);
const MapDelete = uncurry(Map.prototype.delete);
const MapForEach = uncurry(Map.prototype.forEach);
const MapSize = uncurry(Reflect.getOwnPropertyDescriptor(Map.prototype, 'size').get);
const MapEntries = uncurry(Map.prototype.entries);
const MapIteratorNext = uncurry(Reflect.getPrototypeOf(new Map().entries()).next);
const SetAdd = uncurry(Set.prototype.add);
const SetHas = uncurry(Set.prototype.has);
const SetDelete = uncurry(Set.prototype.delete);
const SetForEach = uncurry(Set.prototype.forEach);
const SetSize = uncurry(Reflect.getOwnPropertyDescriptor(Set.prototype, 'size').get);
const WeakMapGet = uncurry(WeakMap.prototype.get);
const WeakMapHas = uncurry(WeakMap.prototype.has);
const WeakMapSet = uncurry(WeakMap.prototype.set);
const WeakMapDelete = uncurry(WeakMap.prototype.delete);
const WeakRefDeref = uncurry(WeakRef.prototype.deref);

const RegExpExec = uncurry(RegExp.prototype.exec);
const RegExpGetSource = uncurry(Reflect.getOwnPropertyDescriptor(RegExp.prototype, 'source').get);
const RegExpGetFlags = uncurry(Reflect.getOwnPropertyDescriptor(RegExp.prototype, 'flags').get);

const PromiseThen = uncurry(Promise.prototype.then);
const PromiseResolve = Promise.resolve.bind(Promise);
const PromiseReject = Promise.reject.bind(Promise);

const TypedArrayPrototype = Reflect.getPrototypeOf(Uint8Array.prototype);
const getter = (prototype, name) => uncurry(Reflect.getOwnPropertyDescriptor(prototype, name).get);
const TypedArrayGetBuffer = getter(TypedArrayPrototype, 'buffer');
const TypedArrayGetByteLength = getter(TypedArrayPrototype, 'byteLength');
const TypedArrayGetByteOffset = getter(TypedArrayPrototype, 'byteOffset');
const TypedArrayGetLength = getter(TypedArrayPrototype, 'length');
const TypedArrayGetTag = getter(TypedArrayPrototype, Symbol.toStringTag);
const TypedArraySet = uncurry(TypedArrayPrototype.set);
const TypedArrayFill = uncurry(TypedArrayPrototype.fill);
const TypedArraySubarray = uncurry(TypedArrayPrototype.subarray);
const TypedArraySlice = uncurry(TypedArrayPrototype.slice);
const DataViewGetBuffer = getter(DataView.prototype, 'buffer');
const DataViewGetByteLength = getter(DataView.prototype, 'byteLength');
const DataViewGetByteOffset = getter(DataView.prototype, 'byteOffset');
const ArrayBufferIsView = ArrayBuffer.isView;
const ArrayBufferSlice = uncurry(ArrayBuffer.prototype.slice);
const ArrayBufferGetByteLength = getter(ArrayBuffer.prototype, 'byteLength');
const ArrayBufferGetDetached = getter(ArrayBuffer.prototype, 'detached');
const ArrayBufferGetResizable = getter(ArrayBuffer.prototype, 'resizable');
const ArrayBufferGetMaxByteLength = getter(ArrayBuffer.prototype, 'maxByteLength');
const ArrayBufferTransfer = uncurry(ArrayBuffer.prototype.transfer);
const SharedArrayBufferGetByteLength =
  typeof SharedArrayBuffer === 'undefined' ? undefined : getter(SharedArrayBuffer.prototype, 'byteLength');

/** The constructors of all typed arrays by the name their `Symbol.toStringTag` answers. */
const TypedArrayConstructors = { __proto__: null };
for (const name of ReflectOwnKeys(globalThis)) {
  const value = ReflectGetOwnPropertyDescriptor(globalThis, name).value;
  if (typeof value === 'function' && ReflectGetPrototypeOf(value) === TypedArrayPrototype.constructor) {
    TypedArrayConstructors[name] = value;
  }
}

/** An empty growing list: an array without a prototype, so that no accessor can stand behind its indices. */
function newList() {
  return ObjectSetPrototypeOf([], null);
}

/** Appends one item to a list made by `newList`. */
function append(list, item) {
  list[list.length] = item;
}

/** An ordinary array holding the items of a list, for handing to a program. */
function toArray(list) {
  return ArraySlice(list);
}

/** Records that a promise's rejection is handled. */
function markHandled(promise) {
  PromiseThen(promise, undefined, ignore);
}

function ignore() {}

/** A pending promise with the functions that settle it. */
function newPromise() {
  let resolve, reject;
  const promise = new PromiseCtor((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { __proto__: null, promise, resolve, reject };
}

return { __proto__: null, ReflectApply: ReflectApply, ReflectConstruct: ReflectConstruct, ReflectDefineProperty: ReflectDefineProperty, ReflectGetOwnPropertyDescriptor: ReflectGetOwnPropertyDescriptor, ReflectGetPrototypeOf: ReflectGetPrototypeOf, ReflectOwnKeys: ReflectOwnKeys, ReflectGet: ReflectGet, ReflectHas: ReflectHas, ErrorCaptureStackTrace: ErrorCaptureStackTrace, ErrorIsError: ErrorIsError, ObjectAssign: ObjectAssign, ObjectCreate: ObjectCreate, ObjectDefineProperty: ObjectDefineProperty, ObjectFreeze: ObjectFreeze, ObjectGetOwnPropertyDescriptor: ObjectGetOwnPropertyDescriptor, ObjectGetOwnPropertyNames: ObjectGetOwnPropertyNames, ObjectGetPrototypeOf: ObjectGetPrototypeOf, ObjectHasOwn: ObjectHasOwn, ObjectIs: ObjectIs, ObjectKeys: ObjectKeys, ObjectSetPrototypeOf: ObjectSetPrototypeOf, ObjectPrototype: ObjectPrototype, ObjectToString: ObjectToString, ArrayCtor: ArrayCtor, ArrayBufferCtor: ArrayBufferCtor, BigIntCtor: BigIntCtor, BooleanCtor: BooleanCtor, DataViewCtor: DataViewCtor, DateCtor: DateCtor, ErrorCtor: ErrorCtor, EvalErrorCtor: EvalErrorCtor, MapCtor: MapCtor, NumberCtor: NumberCtor, ObjectCtor: ObjectCtor, PromiseCtor: PromiseCtor, RangeErrorCtor: RangeErrorCtor, ReferenceErrorCtor: ReferenceErrorCtor, RegExpCtor: RegExpCtor, SetCtor: SetCtor, StringCtor: StringCtor, SyntaxErrorCtor: SyntaxErrorCtor, TypeErrorCtor: TypeErrorCtor, URIErrorCtor: URIErrorCtor, Uint8ArrayCtor: Uint8ArrayCtor, Uint16ArrayCtor: Uint16ArrayCtor, Uint32ArrayCtor: Uint32ArrayCtor, WeakMapCtor: WeakMapCtor, WeakRefCtor: WeakRefCtor, WeakSetCtor: WeakSetCtor, SymbolIterator: SymbolIterator, SymbolAsyncIterator: SymbolAsyncIterator, SymbolToStringTag: SymbolToStringTag, SymbolSpecies: SymbolSpecies, SymbolFor: SymbolFor, ArrayIsArray: ArrayIsArray, ArrayJoin: ArrayJoin, ArrayPush: ArrayPush, ArrayShift: ArrayShift, ArraySlice: ArraySlice, ArraySort: ArraySort, ArraySplice: ArraySplice, ArrayIncludes: ArrayIncludes, ArrayIndexOf: ArrayIndexOf, ArrayIteratorPrototype: ArrayIteratorPrototype, IteratorPrototype: IteratorPrototype, AsyncIteratorPrototype: AsyncIteratorPrototype, StringCharCodeAt: StringCharCodeAt, StringCodePointAt: StringCodePointAt, StringEndsWith: StringEndsWith, StringFromCharCode: StringFromCharCode, StringFromCodePoint: StringFromCodePoint, StringIncludes: StringIncludes, StringIndexOf: StringIndexOf, StringIsWellFormed: StringIsWellFormed, StringLastIndexOf: StringLastIndexOf, StringNormalize: StringNormalize, StringPadStart: StringPadStart, StringRepeat: StringRepeat, StringSlice: StringSlice, StringStartsWith: StringStartsWith, StringToLowerCase: StringToLowerCase, StringToUpperCase: StringToUpperCase, StringToWellFormed: StringToWellFormed, NumberToString: NumberToString, NumberIsFinite: NumberIsFinite, NumberIsInteger: NumberIsInteger, NumberIsNaN: NumberIsNaN, BigIntAsUintN: BigIntAsUintN, MathAbs: MathAbs, MathCeil: MathCeil, MathFloor: MathFloor, MathFround: MathFround, MathMax: MathMax, MathMin: MathMin, MathSign: MathSign, MathTrunc: MathTrunc, MathRound: MathRound, JSONParse: JSONParse, JSONStringify: JSONStringify, DateNow: DateNow, DateGetTime: DateGetTime, MapGet: MapGet, MapHas: MapHas, MapSet: MapSet, MapDelete: MapDelete, MapForEach: MapForEach, MapSize: MapSize, MapEntries: MapEntries, MapIteratorNext: MapIteratorNext, SetAdd: SetAdd, SetHas: SetHas, SetDelete: SetDelete, SetForEach: SetForEach, SetSize: SetSize, WeakMapGet: WeakMapGet, WeakMapHas: WeakMapHas, WeakMapSet: WeakMapSet, WeakMapDelete: WeakMapDelete, WeakRefDeref: WeakRefDeref, RegExpExec: RegExpExec, RegExpGetSource: RegExpGetSource, RegExpGetFlags: RegExpGetFlags, PromiseThen: PromiseThen, PromiseResolve: PromiseResolve, PromiseReject: PromiseReject, TypedArrayGetBuffer: TypedArrayGetBuffer, TypedArrayGetByteLength: TypedArrayGetByteLength, TypedArrayGetByteOffset: TypedArrayGetByteOffset, TypedArrayGetLength: TypedArrayGetLength, TypedArrayGetTag: TypedArrayGetTag, TypedArraySet: TypedArraySet, TypedArrayFill: TypedArrayFill, TypedArraySubarray: TypedArraySubarray, TypedArraySlice: TypedArraySlice, DataViewGetBuffer: DataViewGetBuffer, DataViewGetByteLength: DataViewGetByteLength, DataViewGetByteOffset: DataViewGetByteOffset, ArrayBufferIsView: ArrayBufferIsView, ArrayBufferSlice: ArrayBufferSlice, ArrayBufferGetByteLength: ArrayBufferGetByteLength, ArrayBufferGetDetached: ArrayBufferGetDetached, ArrayBufferGetResizable: ArrayBufferGetResizable, ArrayBufferGetMaxByteLength: ArrayBufferGetMaxByteLength, ArrayBufferTransfer: ArrayBufferTransfer, SharedArrayBufferGetByteLength: SharedArrayBufferGetByteLength, TypedArrayConstructors: TypedArrayConstructors, newList: newList, append: append, toArray: toArray, markHandled: markHandled, newPromise: newPromise };
})();
// webidl.js
const m_webidl_js = (function () {
const {
  append, ArrayBufferGetByteLength, ArrayBufferGetDetached, ArrayBufferGetResizable, ArrayBufferIsView,
  BigIntAsUintN, BigIntCtor, DataViewGetBuffer, DataViewGetByteLength, DataViewGetByteOffset, IteratorPrototype,
  MathAbs, MathFloor, MathFround, MathMax, MathMin, MathRound, MathSign, MathTrunc, newList, NumberCtor,
  NumberIsFinite, ObjectDefineProperty, ObjectGetOwnPropertyDescriptor, ObjectSetPrototypeOf, ReflectApply,
  ReflectGetOwnPropertyDescriptor, ReflectOwnKeys, StringCharCodeAt, StringToWellFormed, SymbolIterator,
  SymbolToStringTag, toArray, TypedArrayGetBuffer, TypedArrayGetByteLength, TypedArrayGetByteOffset,
  TypedArrayGetTag, TypeErrorCtor, Uint8ArrayCtor,
} = m_primordials_js;
// Web IDL: how values cross from a program into the library, and what an interface looks like from outside.
//
// A converter is a function `(value, context) => converted`; `context` names the call for the error text, e.g.
// `Failed to execute 'append' on 'Headers'`. Converters compose: `sequence(DOMString)`, `nullable(ByteString)`.


// ---- errors -------------------------------------------------------------------------------------------------

/** The TypeError of a call that `context` names. */
function typeError(context, text) {
  return new TypeErrorCtor(context === undefined ? text : `${context}: ${text}`);
}

/** Throws unless a call received at least `required` arguments. */
function requireArguments(count, required, context) {
  if (count < required) {
    throw typeError(context, `${required} argument${required === 1 ? '' : 's'} required, but only ${count} present.`);
  }
}

/** Throws the error of a method or attribute that met a receiver of another class. */
function illegalInvocation() {
  throw new TypeErrorCtor('Illegal invocation');
}

/** What a constructor receives to know that the library itself is calling. */
const internal = { __proto__: null };

/** Throws unless the library itself is constructing. */
function requireInternal(token) {
  if (token !== internal) throw new TypeErrorCtor('Illegal constructor');
}

// ---- primitive types ----------------------------------------------------------------------------------------

function any(value) {
  return value;
}

function boolean(value) {
  return !!value;
}

function DOMString(value, context) {
  if (typeof value === 'string') return value;
  if (typeof value === 'symbol') throw typeError(context, 'Cannot convert a Symbol value to a string');
  return `${value}`;
}

function USVString(value, context) {
  return StringToWellFormed(DOMString(value, context));
}

function ByteString(value, context) {
  const text = DOMString(value, context);
  for (let index = 0; index < text.length; index++) {
    if (StringCharCodeAt(text, index) > 255) {
      throw typeError(context, 'Cannot convert the value to a ByteString: a character is above U+00FF.');
    }
  }
  return text;
}

function object(value, context) {
  if (!isObject(value)) throw typeError(context, 'The value is not an object.');
  return value;
}

/** Whether a value is of the language's type Object. */
function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function unrestrictedDouble(value) {
  return +value;
}

function double(value, context) {
  const number = +value;
  if (!NumberIsFinite(number)) throw typeError(context, 'The provided value is not a finite number.');
  return number;
}

function unrestrictedFloat(value) {
  return MathFround(+value);
}

function float(value, context) {
  const number = MathFround(+value);
  if (!NumberIsFinite(number)) throw typeError(context, 'The provided value is not a finite float.');
  return number;
}

function integerPart(number) {
  return number === 0 ? 0 : MathTrunc(number) + 0;
}

// The three conversions of an integer type: modulo by default, [EnforceRange] and [Clamp].
function integer(bits, signed) {
  const size = 2 ** bits;
  const max = bits === 64 ? NumberCtor.MAX_SAFE_INTEGER : (signed ? 2 ** (bits - 1) : size) - 1;
  const min = !signed ? 0 : bits === 64 ? NumberCtor.MIN_SAFE_INTEGER : -(2 ** (bits - 1));
  const convert = (value) => {
    let number = +value;
    if (!NumberIsFinite(number)) return 0;
    number = integerPart(number);
    if (number >= min && number <= max) return number;
    if (bits === 64) {
      const wrapped = NumberCtor(BigIntAsUintN(64, BigIntCtor(number)));
      return signed && wrapped >= 2 ** 63 ? wrapped - size : wrapped;
    }
    number %= size;
    if (number < 0) number += size;
    return signed && number > max ? number - size : number;
  };
  const enforceRange = (value, context) => {
    const number = +value;
    const truncated = NumberIsFinite(number) ? integerPart(number) : number;
    if (!(truncated >= min && truncated <= max)) {
      throw typeError(context, `The provided value is outside the range of ${min} to ${max}.`);
    }
    return truncated;
  };
  const clamp = (value) => {
    const number = MathMin(MathMax(+value, min), max);
    if (number !== number) return 0;
    const floor = MathFloor(MathAbs(number));
    const fraction = MathAbs(number) - floor;
    const rounded = fraction === 0.5 ? floor + (floor % 2) : MathRound(MathAbs(number));
    return rounded === 0 ? 0 : MathSign(number) * rounded;
  };
  return { __proto__: null, convert, enforceRange, clamp };
}

const octet = integer(8, false);
const short = integer(16, true);
const unsignedShort = integer(16, false);
const long = integer(32, true);
const unsignedLong = integer(32, false);
const longLong = integer(64, true);
const unsignedLongLong = integer(64, false);

// ---- composed types -----------------------------------------------------------------------------------------

/** `T?` */
function nullable(convert) {
  return (value, context) => (value === null || value === undefined ? null : convert(value, context));
}

/** An IDL enumeration of the given strings. */
function enumeration(name, values) {
  const known = { __proto__: null };
  for (let index = 0; index < values.length; index++) known[values[index]] = true;
  return (value, context) => {
    const text = DOMString(value, context);
    if (known[text] !== true) {
      throw typeError(context, `The provided value '${text}' is not a valid enum value of type ${name}.`);
    }
    return text;
  };
}

/** A callback function type. */
function callback(value, context) {
  if (typeof value !== 'function') throw typeError(context, 'The provided value is not of type \'Function\'.');
  return value;
}

/** An event handler attribute's type: a callable object, anything else reads as null. */
function eventHandler(value) {
  return isObject(value) ? value : null;
}

/** An interface type, by the function that tells its instances. */
function interfaceType(name, is) {
  return (value, context) => {
    if (!is(value)) throw typeError(context, `The provided value is not of type '${name}'.`);
    return value;
  };
}

/** `sequence<T>`; the answer is an ordinary array that no program has seen. */
function sequence(convert) {
  return (value, context) => {
    if (!isObject(value)) throw typeError(context, 'The provided value cannot be converted to a sequence.');
    const method = value[SymbolIterator];
    if (method === undefined || method === null) {
      throw typeError(context, 'The object must have a callable @@iterator property.');
    }
    return sequenceFrom(value, method, convert, context);
  };
}

/** Makes a sequence from an iterable and its already looked-up iterator method. */
function sequenceFrom(iterable, method, convert, context) {
  if (typeof method !== 'function') throw typeError(context, 'The object must have a callable @@iterator property.');
  const iterator = ReflectApply(method, iterable, []);
  if (!isObject(iterator)) throw typeError(context, 'The iterator is not an object.');
  const { next } = iterator;
  if (typeof next !== 'function') throw typeError(context, 'The iterator has no callable next method.');
  const items = newList();
  for (;;) {
    const result = ReflectApply(next, iterator, []);
    if (!isObject(result)) throw typeError(context, 'The iterator result is not an object.');
    if (result.done) return toArray(items);
    append(items, convert(result.value, context));
  }
}

/** `record<K, V>`; the answer is a list of `[key, value]` pairs. */
function record(convertKey, convertValue) {
  return (value, context) => {
    if (!isObject(value)) throw typeError(context, 'The provided value cannot be converted to a record.');
    const pairs = newList();
    const positions = { __proto__: null };
    const keys = ReflectOwnKeys(value);
    for (let index = 0; index < keys.length; index++) {
      const descriptor = ReflectGetOwnPropertyDescriptor(value, keys[index]);
      if (descriptor === undefined || !descriptor.enumerable) continue;
      const key = convertKey(keys[index], context);
      const converted = convertValue(value[keys[index]], context);
      if (positions[key] === undefined) {
        positions[key] = pairs.length;
        append(pairs, [key, converted]);
      } else {
        pairs[positions[key]][1] = converted;
      }
    }
    return pairs;
  };
}

/**
 * A dictionary type. `members` are `{ key, convert, required?, fallback? }`, inherited ones first and each group
 * in lexicographical order; `fallback` makes the default value. The answer has no prototype and names every member.
 */
function dictionary(name, members) {
  return (value, context) => {
    if (value !== undefined && value !== null && !isObject(value)) {
      throw typeError(context, `The provided value is not of type '${name}'.`);
    }
    const absent = value === undefined || value === null;
    const result = { __proto__: null };
    for (let index = 0; index < members.length; index++) {
      const member = members[index];
      const given = absent ? undefined : value[member.key];
      if (given !== undefined) {
        result[member.key] = member.convert(given, context);
      } else if (member.required) {
        throw typeError(context, `Required member '${member.key}' of ${name} is undefined.`);
      } else {
        result[member.key] = member.fallback === undefined ? undefined : member.fallback();
      }
    }
    return result;
  };
}

// ---- buffers ------------------------------------------------------------------------------------------------

/** Whether a value is an ArrayBuffer (not a shared one). */
function isArrayBuffer(value) {
  if (typeof value !== 'object' || value === null) return false;
  try {
    ArrayBufferGetByteLength(value);
    return true;
  } catch {
    return false;
  }
}

/** The buffer behind a view. */
function viewBuffer(view) {
  return TypedArrayGetTag(view) === undefined ? DataViewGetBuffer(view) : TypedArrayGetBuffer(view);
}

/** A Uint8Array over the same memory as a buffer or view; a detached one reads as empty. */
function bytesOf(source) {
  if (!ArrayBufferIsView(source)) {
    return isArrayBuffer(source) && ArrayBufferGetDetached(source) ? new Uint8ArrayCtor(0) : new Uint8ArrayCtor(source);
  }
  if (TypedArrayGetTag(source) === undefined) {
    let length;
    try {
      length = DataViewGetByteLength(source);
    } catch {
      return new Uint8ArrayCtor(0);
    }
    return new Uint8ArrayCtor(DataViewGetBuffer(source), DataViewGetByteOffset(source), length);
  }
  const length = TypedArrayGetByteLength(source);
  if (length === 0) return new Uint8ArrayCtor(0);
  return new Uint8ArrayCtor(TypedArrayGetBuffer(source), TypedArrayGetByteOffset(source), length);
}

/** A copy of the bytes of a buffer or view, in memory of its own. */
function copyBytes(source) {
  return new Uint8ArrayCtor(bytesOf(source));
}

function rejectUnusable(buffer, options, context) {
  if (!isArrayBuffer(buffer)) {
    if (!options.shared) throw typeError(context, 'The provided buffer must not be shared.');
  } else if (!options.resizable && ArrayBufferGetResizable(buffer)) {
    throw typeError(context, 'The provided buffer must not be resizable.');
  }
}

function bufferType(name, options) {
  return (value, context) => {
    if (options.view && ArrayBufferIsView(value)) {
      if (options.tag !== undefined && TypedArrayGetTag(value) !== options.tag) {
        throw typeError(context, `The provided value is not of type '${name}'.`);
      }
      rejectUnusable(viewBuffer(value), options, context);
      return value;
    }
    if (options.buffer && isArrayBuffer(value)) {
      rejectUnusable(value, options, context);
      return value;
    }
    if (options.buffer && options.shared && isSharedArrayBuffer(value)) return value;
    throw typeError(context, `The provided value is not of type '${name}'.`);
  };
}

const sharedByteLength = typeof SharedArrayBuffer === 'undefined'
  ? undefined
  : ReflectGetOwnPropertyDescriptor(SharedArrayBuffer.prototype, 'byteLength').get;

/** Whether a value is a SharedArrayBuffer. */
function isSharedArrayBuffer(value) {
  if (sharedByteLength === undefined || typeof value !== 'object' || value === null) return false;
  try {
    ReflectApply(sharedByteLength, value, []);
    return true;
  } catch {
    return false;
  }
}

const ArrayBufferView = bufferType('ArrayBufferView', { __proto__: null, view: true });
const BufferSource = bufferType('BufferSource', { __proto__: null, view: true, buffer: true });
const AllowSharedBufferSource = bufferType('BufferSource', {
  __proto__: null, view: true, buffer: true, shared: true, resizable: false,
});
const AllowSharedUint8Array = bufferType('Uint8Array', {
  __proto__: null, view: true, tag: 'Uint8Array', shared: true, resizable: false,
});

/** Whether a value is a buffer or a view of one. */
function isBufferSource(value) {
  return ArrayBufferIsView(value) || isArrayBuffer(value);
}

// ---- the look of an interface -------------------------------------------------------------------------------

function setEnumerable(target, key) {
  const descriptor = ObjectGetOwnPropertyDescriptor(target, key);
  descriptor.enumerable = true;
  ObjectDefineProperty(target, key, descriptor);
}

/**
 * Gives a class the property attributes of an IDL interface: enumerable members, `Symbol.toStringTag`, constants,
 * and the number of arguments its constructor requires (`options.length`) where the class text says otherwise.
 */
function defineInterface(Class, options = { __proto__: null }) {
  const { prototype } = Class;
  const keys = ReflectOwnKeys(prototype);
  for (let index = 0; index < keys.length; index++) {
    if (keys[index] !== 'constructor' && typeof keys[index] === 'string') setEnumerable(prototype, keys[index]);
  }
  const statics = ReflectOwnKeys(Class);
  for (let index = 0; index < statics.length; index++) {
    const key = statics[index];
    if (key !== 'length' && key !== 'name' && key !== 'prototype' && typeof key === 'string') setEnumerable(Class, key);
  }
  if (options.length !== undefined) {
    ObjectDefineProperty(Class, 'length', { __proto__: null, value: options.length, configurable: true });
  }
  ObjectDefineProperty(prototype, SymbolToStringTag, {
    __proto__: null, value: options.name ?? Class.name, configurable: true,
  });
  if (options.constants !== undefined) {
    const names = ReflectOwnKeys(options.constants);
    for (let index = 0; index < names.length; index++) {
      const constant = { __proto__: null, value: options.constants[names[index]], enumerable: true };
      ObjectDefineProperty(Class, names[index], constant);
      ObjectDefineProperty(prototype, names[index], constant);
    }
  }
}

/** Defines one member of a class under a symbol that aliases another member, as iterables do. */
function defineAlias(prototype, symbol, name) {
  ObjectDefineProperty(prototype, symbol, {
    __proto__: null, value: prototype[name], writable: true, configurable: true,
  });
}

/**
 * Makes a class a pair iterable. `is` tells its instances and `pairsOf` answers the list of `[key, value]` pairs as
 * it stands now; iteration follows changes made while it is under way, as the standard says.
 */
function definePairIterable(Class, is, pairsOf) {
  const { name } = Class;
  class PairIterator {
    #target;
    #kind;
    #index = 0;
    constructor(target, kind) {
      this.#target = target;
      this.#kind = kind;
    }
    next() {
      if (!isObject(this) || !(#kind in this)) illegalInvocation();
      const pairs = pairsOf(this.#target);
      if (this.#index >= pairs.length) return { value: undefined, done: true };
      const pair = pairs[this.#index++];
      const kind = this.#kind;
      return { value: kind === 'keys' ? pair[0] : kind === 'values' ? pair[1] : [pair[0], pair[1]], done: false };
    }
  }
  delete PairIterator.prototype.constructor;
  ObjectSetPrototypeOf(PairIterator.prototype, IteratorPrototype);
  defineInterface(PairIterator, { __proto__: null, name: `${name} Iterator` });
  const create = (target, kind) => {
    if (!isObject(target) || !is(target)) illegalInvocation();
    return new PairIterator(target, kind);
  };
  const methods = {
    entries() { return create(this, 'entries'); },
    keys() { return create(this, 'keys'); },
    values() { return create(this, 'values'); },
    forEach(callbackFunction, thisArgument = undefined) {
      if (!isObject(this) || !is(this)) illegalInvocation();
      const context = `Failed to execute 'forEach' on '${name}'`;
      requireArguments(arguments.length, 1, context);
      callback(callbackFunction, context);
      let pairs = pairsOf(this);
      for (let index = 0; index < pairs.length; index++) {
        ReflectApply(callbackFunction, thisArgument, [pairs[index][1], pairs[index][0], this]);
        pairs = pairsOf(this);
      }
    },
  };
  const names = ['entries', 'forEach', 'keys', 'values'];
  for (let index = 0; index < names.length; index++) {
    ObjectDefineProperty(Class.prototype, names[index], {
      __proto__: null, value: methods[names[index]], writable: true, enumerable: true, configurable: true,
    });
  }
  defineAlias(Class.prototype, SymbolIterator, 'entries');
}

return { __proto__: null, typeError: typeError, requireArguments: requireArguments, illegalInvocation: illegalInvocation, internal: internal, requireInternal: requireInternal, any: any, boolean: boolean, DOMString: DOMString, USVString: USVString, ByteString: ByteString, object: object, isObject: isObject, unrestrictedDouble: unrestrictedDouble, double: double, unrestrictedFloat: unrestrictedFloat, float: float, octet: octet, short: short, unsignedShort: unsignedShort, long: long, unsignedLong: unsignedLong, longLong: longLong, unsignedLongLong: unsignedLongLong, nullable: nullable, enumeration: enumeration, callback: callback, eventHandler: eventHandler, interfaceType: interfaceType, sequence: sequence, sequenceFrom: sequenceFrom, record: record, dictionary: dictionary, isArrayBuffer: isArrayBuffer, viewBuffer: viewBuffer, bytesOf: bytesOf, copyBytes: copyBytes, isSharedArrayBuffer: isSharedArrayBuffer, ArrayBufferView: ArrayBufferView, BufferSource: BufferSource, AllowSharedBufferSource: AllowSharedBufferSource, AllowSharedUint8Array: AllowSharedUint8Array, isBufferSource: isBufferSource, defineInterface: defineInterface, defineAlias: defineAlias, definePairIterable: definePairIterable };
})();
// dom-exception.js
const m_dom_exception_js = (function () {
const { ErrorCaptureStackTrace, ErrorCtor, ObjectSetPrototypeOf, RangeErrorCtor } = m_primordials_js;
const { defineInterface, dictionary, DOMString, double, illegalInvocation, isObject } = m_webidl_js;
// Web IDL: DOMException and QuotaExceededError.
//
// An instance is a real Error object, so that `stack` and `Error.isError` hold; the class is not a subclass of Error,
// because the interface object's prototype is Function.prototype.



const legacyCodes = {
  __proto__: null,
  INDEX_SIZE_ERR: 1, DOMSTRING_SIZE_ERR: 2, HIERARCHY_REQUEST_ERR: 3, WRONG_DOCUMENT_ERR: 4,
  INVALID_CHARACTER_ERR: 5, NO_DATA_ALLOWED_ERR: 6, NO_MODIFICATION_ALLOWED_ERR: 7, NOT_FOUND_ERR: 8,
  NOT_SUPPORTED_ERR: 9, INUSE_ATTRIBUTE_ERR: 10, INVALID_STATE_ERR: 11, SYNTAX_ERR: 12,
  INVALID_MODIFICATION_ERR: 13, NAMESPACE_ERR: 14, INVALID_ACCESS_ERR: 15, VALIDATION_ERR: 16,
  TYPE_MISMATCH_ERR: 17, SECURITY_ERR: 18, NETWORK_ERR: 19, ABORT_ERR: 20, URL_MISMATCH_ERR: 21,
  QUOTA_EXCEEDED_ERR: 22, TIMEOUT_ERR: 23, INVALID_NODE_TYPE_ERR: 24, DATA_CLONE_ERR: 25,
};

const codeByName = {
  __proto__: null,
  IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
  NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10,
  InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14,
  InvalidAccessError: 15, TypeMismatchError: 17, SecurityError: 18, NetworkError: 19, AbortError: 20,
  URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23, InvalidNodeTypeError: 24, DataCloneError: 25,
};

// A class whose constructor answers another object stamps its private fields on that object.
class Returned {
  constructor(target) {
    return target;
  }
}

class Slots extends Returned {
  #name;
  #message;
  constructor(target, message, name) {
    super(target);
    this.#message = message;
    this.#name = name;
  }
  static has(value) {
    return isObject(value) && #name in value;
  }
  static name(value) {
    return #name in value ? value.#name : illegalInvocation();
  }
  static message(value) {
    return #message in value ? value.#message : illegalInvocation();
  }
}

class QuotaSlots extends Returned {
  #quota;
  #requested;
  constructor(target, quota, requested) {
    super(target);
    this.#quota = quota;
    this.#requested = requested;
  }
  static has(value) {
    return isObject(value) && #quota in value;
  }
  static quota(value) {
    return #quota in value ? value.#quota : illegalInvocation();
  }
  static requested(value) {
    return #requested in value ? value.#requested : illegalInvocation();
  }
}

const { has: isDOMException, name: nameOf, message: messageOf } = Slots;
const { has: isQuotaExceededError, quota: quotaOf, requested: requestedOf } = QuotaSlots;


function create(prototype, message, name, above) {
  const exception = new ErrorCtor();
  ObjectSetPrototypeOf(exception, prototype);
  new Slots(exception, message, name);
  ErrorCaptureStackTrace(exception, above);
  return exception;
}

class DOMException {
  constructor(message = '', name = 'Error') {
    const context = "Failed to construct 'DOMException'";
    message = DOMString(message, context);
    name = DOMString(name, context);
    return create(new.target.prototype, message, name, new.target);
  }

  get name() {
    return nameOf(this);
  }

  get message() {
    return messageOf(this);
  }

  get code() {
    return codeByName[nameOf(this)] ?? 0;
  }
}

defineInterface(DOMException, { __proto__: null, length: 0, constants: legacyCodes });
ObjectSetPrototypeOf(DOMException.prototype, ErrorCtor.prototype);

const quotaOptions = dictionary('QuotaExceededErrorOptions', [
  { __proto__: null, key: 'quota', convert: double },
  { __proto__: null, key: 'requested', convert: double },
]);

class QuotaExceededError {
  constructor(message = '', options = undefined) {
    const context = "Failed to construct 'QuotaExceededError'";
    message = DOMString(message, context);
    const { quota, requested } = quotaOptions(options, context);
    if (quota < 0 || requested < 0) throw new RangeErrorCtor(`${context}: quota and requested must not be negative.`);
    if (quota > requested) throw new RangeErrorCtor(`${context}: requested must be at least quota.`);
    const exception = create(new.target.prototype, message, 'QuotaExceededError', new.target);
    new QuotaSlots(exception, quota ?? null, requested ?? null);
    return exception;
  }

  get quota() {
    return quotaOf(this);
  }

  get requested() {
    return requestedOf(this);
  }
}

defineInterface(QuotaExceededError, { __proto__: null, length: 0 });
ObjectSetPrototypeOf(QuotaExceededError, DOMException);
ObjectSetPrototypeOf(QuotaExceededError.prototype, DOMException.prototype);

/** A DOMException of a name that the Web IDL standard lists. */
function domException(message, name) {
  return new DOMException(message, name);
}

const globals = { __proto__: null, DOMException, QuotaExceededError };

return { __proto__: null, DOMException: DOMException, QuotaExceededError: QuotaExceededError, domException: domException, globals: globals, isDOMException: isDOMException, isQuotaExceededError: isQuotaExceededError };
})();
// reporting.js
const m_reporting_js = (function () {

// Where an exception goes that nobody can catch: the `error` event of the global object, then the console. The global
// scope installs the reporter; modules that run a program's callbacks only know this one.

let reporter = () => {};

/** Sets the function that takes reported exceptions. */
function setReporter(report) {
  reporter = report;
}

/** Reports an exception, as HTML's "report an exception". Never throws. */
function reportException(exception) {
  reporter(exception);
}

return { __proto__: null, setReporter: setReporter, reportException: reportException };
})();
// events.js
const m_events_js = (function () {
const {
  append, newList, ObjectDefineProperty, ObjectGetOwnPropertyDescriptor, ReflectApply,
} = m_primordials_js;
const {
  any, boolean, callback, defineInterface, dictionary, DOMString, eventHandler, illegalInvocation, interfaceType,
  isObject, object, requireArguments, typeError, unsignedLong, USVString,
} = m_webidl_js;
const { domException } = m_dom_exception_js;
const { host } = m_internal_host_js;
const { reportException } = m_reporting_js;
// DOM: Event, CustomEvent, EventTarget; HTML: ErrorEvent, PromiseRejectionEvent and event handler attributes.
//
// There is no tree, so the path of an event is its target alone; capturing listeners still run first.






const theGlobal = globalThis;

// ---- Event --------------------------------------------------------------------------------------------------

const eventInitMembers = [
  { __proto__: null, key: 'bubbles', convert: boolean, fallback: () => false },
  { __proto__: null, key: 'cancelable', convert: boolean, fallback: () => false },
  { __proto__: null, key: 'composed', convert: boolean, fallback: () => false },
];
const eventInit = dictionary('EventInit', eventInitMembers);

/** The dictionary of an event class: `EventInit` and the members given, which are in lexicographical order. */
function eventInitWith(name, members) {
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

class Event {
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
    this.#slots = {
      __proto__: null,
      type, bubbles, cancelable, composed,
      target: null,
      currentTarget: null,
      eventPhase: 0,
      timeStamp: host.now === undefined ? 0 : host.now(),
      isTrusted: false,
      canceled: false,
      stopPropagation: false,
      stopImmediatePropagation: false,
      inPassiveListener: false,
      dispatching: false,
      initialized: true,
    };
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
function initializeEvent(event, type, bubbles, cancelable) {
  return initialize(slots(event), type, bubbles, cancelable);
}

const customEventInit = eventInitWith('CustomEventInit', [
  { __proto__: null, key: 'detail', convert: any, fallback: () => null },
]);

class CustomEvent extends Event {
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

class ErrorEvent extends Event {
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

class PromiseRejectionEvent extends Event {
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
function lendSignals(operations) {
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

class EventTarget {
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

defineInterface(EventTarget);

/** Whether a value is an EventTarget of this realm. */
function isEventTarget(value) {
  try {
    stateOf(value);
    return true;
  } catch {
    return false;
  }
}

/** Whether anybody listens to events of a type at a target. */
function hasListener(target, type) {
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
function fireTrusted(target, event) {
  slotsOf(event).isTrusted = true;
  return dispatch(target, event);
}

// ---- event handler attributes -------------------------------------------------------------------------------

/** The value of an event handler attribute such as `onabort`. */
function getHandler(target, type) {
  return stateOf(target).handlers?.[type]?.value ?? null;
}

/** Sets an event handler attribute. Its listener keeps the place it got when the handler was first set. */
function setHandler(target, type, value) {
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

const globals = {
  __proto__: null, Event, EventTarget, CustomEvent, ErrorEvent, PromiseRejectionEvent,
};

return { __proto__: null, eventInitWith: eventInitWith, Event: Event, initializeEvent: initializeEvent, CustomEvent: CustomEvent, ErrorEvent: ErrorEvent, PromiseRejectionEvent: PromiseRejectionEvent, lendSignals: lendSignals, EventTarget: EventTarget, isEventTarget: isEventTarget, hasListener: hasListener, fireTrusted: fireTrusted, getHandler: getHandler, setHandler: setHandler, globals: globals };
})();
// abort.js
const m_abort_js = (function () {
const { append, newList } = m_primordials_js;
const {
  defineInterface, illegalInvocation, interfaceType, internal, isObject, requireArguments, requireInternal, sequence,
  unsignedLongLong,
} = m_webidl_js;
const { domException } = m_dom_exception_js;
const { Event, EventTarget, fireTrusted, getHandler, lendSignals, setHandler } = m_events_js;
const { setTimeout } = m_timers_js;
// DOM: AbortController and AbortSignal.






let stateOf;
let isSignal;

class AbortSignal extends EventTarget {
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
const signalType = interfaceType('AbortSignal', (value) => isSignal(value));
const signalSequence = sequence(signalType);

/** A signal that nothing has aborted. */
function newSignal() {
  return new AbortSignal(internal);
}

function abortError() {
  return domException('signal is aborted without reason', 'AbortError');
}

/** Whether a signal is aborted. */
function isAborted(signal) {
  return stateOf(signal).aborted;
}

/** Why a signal was aborted. */
function abortReason(signal) {
  return stateOf(signal).reason;
}

/** Runs `algorithm` when a signal is aborted; the answer takes the algorithm back. Nothing when it already is. */
function addAbortAlgorithm(signal, algorithm) {
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
function signalAbort(signal, reason) {
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
function dependentSignal(signals) {
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

class AbortController {
  #signal = newSignal();

  get signal() {
    return isObject(this) && #signal in this ? this.#signal : illegalInvocation();
  }

  abort(reason = undefined) {
    if (!isObject(this) || !(#signal in this)) illegalInvocation();
    signalAbort(this.#signal, reason);
  }
}

defineInterface(AbortController);

const globals = { __proto__: null, AbortController, AbortSignal };

return { __proto__: null, AbortSignal: AbortSignal, signalType: signalType, newSignal: newSignal, isAborted: isAborted, abortReason: abortReason, addAbortAlgorithm: addAbortAlgorithm, signalAbort: signalAbort, dependentSignal: dependentSignal, AbortController: AbortController, globals: globals };
})();
// infra.js
const m_infra_js = (function () {
const {
  append, MathMin, newList, ReflectApply, StringCharCodeAt, StringFromCharCode, StringIndexOf, StringSlice,
  StringToLowerCase, StringToUpperCase, TypedArrayGetByteLength, TypedArrayGetLength, TypedArraySet, Uint8ArrayCtor,
} = m_primordials_js;
// Infra: the small text and byte operations that several standards share. None of them reads a mutable built-in.


/** Whether a code unit is an ASCII digit. */
function isDigit(unit) {
  return unit >= 0x30 && unit <= 0x39;
}

/** Whether a code unit is an ASCII letter. */
function isAlpha(unit) {
  return (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

/** Whether a code unit is an ASCII hexadecimal digit. */
function isHexDigit(unit) {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66);
}

/** The value of an ASCII hexadecimal digit. */
function hexValue(unit) {
  return unit <= 0x39 ? unit - 0x30 : (unit | 0x20) - 0x57;
}

/** A string with its ASCII capitals in lower case. */
function asciiLowercase(text) {
  return mapAscii(text, 0x41, 0x5a, StringToLowerCase);
}

/** A string with its small ASCII letters in upper case. */
function asciiUppercase(text) {
  return mapAscii(text, 0x61, 0x7a, StringToUpperCase);
}

function mapAscii(text, first, last, convert) {
  let affected = false;
  let ascii = true;
  for (let index = 0; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (unit >= first && unit <= last) affected = true;
    else if (unit > 0x7f) ascii = false;
  }
  if (!affected) return text;
  if (ascii) return convert(text);
  let result = '';
  for (let index = 0; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    result += unit >= first && unit <= last ? convert(text[index]) : text[index];
  }
  return result;
}

/** Whether a code unit is ASCII whitespace: tab, newline, form feed, carriage return or space. */
function isAsciiWhitespace(unit) {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0c || unit === 0x0d;
}

/** Whether a code unit is HTTP whitespace: tab, newline, carriage return or space. */
function isHttpWhitespace(unit) {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}

/** A string without the leading and trailing code units for which `isBlank` holds. */
function strip(text, isBlank) {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(StringCharCodeAt(text, start))) start++;
  while (end > start && isBlank(StringCharCodeAt(text, end - 1))) end--;
  return StringSlice(text, start, end);
}

/** A string without any code unit for which `isUnwanted` holds. */
function removeUnits(text, isUnwanted) {
  let result = '';
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (!isUnwanted(StringCharCodeAt(text, index))) continue;
    result += StringSlice(text, start, index);
    start = index + 1;
  }
  return start === 0 ? text : result + StringSlice(text, start);
}

/** The parts of a string between occurrences of a separator, as a list. */
function split(text, separator) {
  const parts = newList();
  let start = 0;
  for (;;) {
    const at = StringIndexOf(text, separator, start);
    if (at === -1) {
      append(parts, StringSlice(text, start));
      return parts;
    }
    append(parts, StringSlice(text, start, at));
    start = at + separator.length;
  }
}

/** A string with every occurrence of one text replaced by another. */
function replaceAll(text, search, replacement) {
  const parts = split(text, search);
  let result = parts[0];
  for (let index = 1; index < parts.length; index++) result += replacement + parts[index];
  return result;
}

/** Whether every code unit is below U+0080. */
function isAsciiString(text) {
  for (let index = 0; index < text.length; index++) if (StringCharCodeAt(text, index) > 0x7f) return false;
  return true;
}

/** The bytes of a string whose code units are all below U+0100. */
function isomorphicEncode(text) {
  const bytes = new Uint8ArrayCtor(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = StringCharCodeAt(text, index);
  return bytes;
}

/** The string whose code units are the bytes. */
function isomorphicDecode(bytes) {
  const length = TypedArrayGetLength(bytes);
  let text = '';
  for (let start = 0; start < length; start += 4096) {
    const units = newList();
    const end = MathMin(start + 4096, length);
    for (let index = start; index < end; index++) units[index - start] = bytes[index];
    text += ReflectApply(StringFromCharCode, undefined, units);
  }
  return text;
}

/** One Uint8Array holding the bytes of a list of them. */
function concatBytes(chunks) {
  if (chunks.length === 1) return chunks[0];
  let length = 0;
  for (let index = 0; index < chunks.length; index++) length += TypedArrayGetByteLength(chunks[index]);
  const bytes = new Uint8ArrayCtor(length);
  let offset = 0;
  for (let index = 0; index < chunks.length; index++) {
    TypedArraySet(bytes, chunks[index], offset);
    offset += TypedArrayGetByteLength(chunks[index]);
  }
  return bytes;
}

return { __proto__: null, isDigit: isDigit, isAlpha: isAlpha, isHexDigit: isHexDigit, hexValue: hexValue, asciiLowercase: asciiLowercase, asciiUppercase: asciiUppercase, isAsciiWhitespace: isAsciiWhitespace, isHttpWhitespace: isHttpWhitespace, strip: strip, removeUnits: removeUnits, split: split, replaceAll: replaceAll, isAsciiString: isAsciiString, isomorphicEncode: isomorphicEncode, isomorphicDecode: isomorphicDecode, concatBytes: concatBytes };
})();
// base64.js
const m_base64_js = (function () {
const {
  MathFloor, newList, ReflectApply, StringCharCodeAt, StringFromCharCode, TypedArrayGetLength, Uint8ArrayCtor,
} = m_primordials_js;
const { DOMString, requireArguments } = m_webidl_js;
const { domException } = m_dom_exception_js;
const { isAsciiWhitespace, isomorphicDecode, isomorphicEncode, removeUnits } = m_infra_js;
// HTML: atob and btoa; Infra: forgiving base64.





const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Uint8ArrayCtor(128);
for (let unit = 0; unit < 128; unit++) values[unit] = 64;
for (let value = 0; value < 64; value++) values[StringCharCodeAt(ALPHABET, value)] = value;

/** The base64 text of bytes, with padding. */
function base64Encode(bytes) {
  const length = TypedArrayGetLength(bytes);
  let text = '';
  let units = newList();
  let count = 0;
  for (let index = 0; index < length; index += 3) {
    const second = index + 1 < length ? bytes[index + 1] : 0;
    const third = index + 2 < length ? bytes[index + 2] : 0;
    const group = (bytes[index] << 16) | (second << 8) | third;
    units[count++] = StringCharCodeAt(ALPHABET, group >> 18);
    units[count++] = StringCharCodeAt(ALPHABET, (group >> 12) & 63);
    units[count++] = index + 1 < length ? StringCharCodeAt(ALPHABET, (group >> 6) & 63) : 0x3d;
    units[count++] = index + 2 < length ? StringCharCodeAt(ALPHABET, group & 63) : 0x3d;
    if (count >= 4096) {
      text += ReflectApply(StringFromCharCode, undefined, units);
      units = newList();
      count = 0;
    }
  }
  return count === 0 ? text : text + ReflectApply(StringFromCharCode, undefined, units);
}

/** Infra's "forgiving-base64 decode": the bytes, or undefined where the text is not base64. */
function forgivingBase64Decode(text) {
  text = removeUnits(text, isAsciiWhitespace);
  let { length } = text;
  if (length % 4 === 0 && length > 0) {
    if (StringCharCodeAt(text, length - 1) === 0x3d) length--;
    if (StringCharCodeAt(text, length - 1) === 0x3d) length--;
  }
  if (length % 4 === 1) return undefined;
  const bytes = new Uint8ArrayCtor(MathFloor((length * 3) / 4));
  let written = 0;
  let buffer = 0;
  let bits = 0;
  for (let index = 0; index < length; index++) {
    const unit = StringCharCodeAt(text, index);
    const value = unit < 128 ? values[unit] : 64;
    if (value === 64) return undefined;
    buffer = ((buffer << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[written++] = (buffer >> bits) & 0xff;
    }
  }
  return bytes;
}

const operations = {
  __proto__: null,

  atob(data) {
    const context = "Failed to execute 'atob'";
    requireArguments(arguments.length, 1, context);
    const bytes = forgivingBase64Decode(DOMString(data, context));
    if (bytes === undefined) {
      throw domException(`${context}: the string to be decoded is not correctly encoded.`, 'InvalidCharacterError');
    }
    return isomorphicDecode(bytes);
  },

  btoa(data) {
    const context = "Failed to execute 'btoa'";
    requireArguments(arguments.length, 1, context);
    data = DOMString(data, context);
    for (let index = 0; index < data.length; index++) {
      if (StringCharCodeAt(data, index) > 255) {
        throw domException(`${context}: the string holds a character above U+00FF.`, 'InvalidCharacterError');
      }
    }
    return base64Encode(isomorphicEncode(data));
  },
};

return { __proto__: null, base64Encode: base64Encode, forgivingBase64Decode: forgivingBase64Decode, operations: operations };
})();
// caches.js
const m_caches_js = (function () {
const { ObjectDefineProperty, PromiseReject, SymbolToStringTag, TypeErrorCtor } = m_primordials_js;
// Service Workers: the name `caches`, whose every method explains why there is no cache storage here.


const ABSENCE =
  'Cache storage is absent from this runtime because nothing survives an execution. Return what should persist in ' +
  'the result and take it back as an input on the next call.';

function absent() {
  return PromiseReject(new TypeErrorCtor(ABSENCE));
}

const caches = {
  match(request) { return absent(); },
  has(cacheName) { return absent(); },
  open(cacheName) { return absent(); },
  delete(cacheName) { return absent(); },
  keys() { return absent(); },
};
ObjectDefineProperty(caches, SymbolToStringTag, { __proto__: null, value: 'CacheStorage', configurable: true });

const attributes = { __proto__: null, caches };

return { __proto__: null, attributes: attributes };
})();
// crypto.js
const m_crypto_js = (function () {
const {
  NumberToString, StringPadStart, TypedArrayGetByteLength, TypedArrayGetTag, Uint8ArrayCtor,
} = m_primordials_js;
const {
  ArrayBufferView, bytesOf, defineInterface, illegalInvocation, internal, isObject, requireArguments, requireInternal,
} = m_webidl_js;
const { domException, QuotaExceededError } = m_dom_exception_js;
const { host } = m_internal_host_js;
// Web Cryptography: Crypto and its two sources of random values.





const QUOTA = 65536;
const integerArrays = {
  __proto__: null, Int8Array: true, Uint8Array: true, Uint8ClampedArray: true, Int16Array: true, Uint16Array: true,
  Int32Array: true, Uint32Array: true, BigInt64Array: true, BigUint64Array: true,
};

let isCrypto;

class Crypto {
  #brand;

  static {
    isCrypto = (value) => isObject(value) && #brand in value;
  }

  constructor(token = undefined) {
    requireInternal(token);
  }

  getRandomValues(array) {
    if (!isCrypto(this)) illegalInvocation();
    const context = "Failed to execute 'getRandomValues' on 'Crypto'";
    requireArguments(arguments.length, 1, context);
    ArrayBufferView(array, context);
    const tag = TypedArrayGetTag(array);
    if (tag === undefined || integerArrays[tag] !== true) {
      throw domException(`${context}: the view is not an integer array.`, 'TypeMismatchError');
    }
    const length = TypedArrayGetByteLength(array);
    if (length > QUOTA) {
      throw new QuotaExceededError(`${context}: ${length} bytes were requested, ${QUOTA} are the most.`, {
        __proto__: null, quota: QUOTA, requested: length,
      });
    }
    if (length > 0) host.randomBytes(bytesOf(array));
    return array;
  }

  randomUUID() {
    if (!isCrypto(this)) illegalInvocation();
    const bytes = new Uint8ArrayCtor(16);
    host.randomBytes(bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let text = '';
    for (let index = 0; index < 16; index++) {
      if (index === 4 || index === 6 || index === 8 || index === 10) text += '-';
      text += StringPadStart(NumberToString(bytes[index], 16), 2, '0');
    }
    return text;
  }
}

defineInterface(Crypto);

const globals = { __proto__: null, Crypto };
const attributes = { __proto__: null, crypto: new Crypto(internal) };

return { __proto__: null, Crypto: Crypto, globals: globals, attributes: attributes };
})();
// encodings.js
const m_encodings_js = (function () {
const { asciiLowercase, isAsciiWhitespace, strip } = m_infra_js;
const { host } = m_internal_host_js;
// Encoding: the labels of the encodings this library decodes itself. Every other label is the host's to know.



const ownLabels = { __proto__: null };

function label(name, labels) {
  for (let index = 0; index < labels.length; index++) ownLabels[labels[index]] = name;
}

label('utf-8', ['unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'utf-8', 'utf8', 'x-unicode20utf8']);
label('utf-16be', ['unicodefffe', 'utf-16be']);
label('utf-16le', [
  'csunicode', 'iso-10646-ucs-2', 'ucs-2', 'unicode', 'unicodefeff', 'utf-16', 'utf-16le',
]);

/** The name of the encoding of a label in lower case, or undefined. `replacement` is an encoding too. */
function encodingOfLabel(text) {
  const key = asciiLowercase(strip(text, isAsciiWhitespace));
  return ownLabels[key] ?? host.encodingOfLabel(key);
}

return { __proto__: null, encodingOfLabel: encodingOfLabel };
})();
// utf8.js
const m_utf8_js = (function () {
const {
  newList, ReflectApply, StringCharCodeAt, StringFromCharCode, StringToWellFormed, TypedArrayGetLength,
  TypedArraySubarray, Uint8ArrayCtor,
} = m_primordials_js;
// UTF-8 in both directions, as the Encoding Standard's encoder and decoder.


const CHUNK = 4096;

/** The number of UTF-8 bytes of a well-formed string. */
function utf8Length(text) {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (unit < 0x80) bytes++;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit <= 0xdbff) {
      bytes += 4;
      index++;
    } else bytes += 3;
  }
  return bytes;
}

/** The UTF-8 bytes of a string; lone surrogates become U+FFFD. */
function utf8Encode(text) {
  text = StringToWellFormed(text);
  const bytes = new Uint8ArrayCtor(utf8Length(text));
  encodeInto(text, bytes, bytes.length);
  return bytes;
}

/** Writes a well-formed string into `bytes` as far as whole characters fit; answers units read and bytes written. */
function utf8EncodeInto(text, bytes) {
  return encodeInto(text, bytes, TypedArrayGetLength(bytes));
}

function encodeInto(text, bytes, capacity) {
  let written = 0;
  let read = 0;
  while (read < text.length) {
    let point = StringCharCodeAt(text, read);
    if (point < 0x80) {
      if (written >= capacity) break;
      bytes[written++] = point;
      read++;
      continue;
    }
    let units = 1;
    if (point >= 0xd800 && point <= 0xdbff) {
      point = 0x10000 + ((point - 0xd800) << 10) + (StringCharCodeAt(text, read + 1) - 0xdc00);
      units = 2;
    }
    const size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (written + size > capacity) break;
    if (size === 2) {
      bytes[written++] = 0xc0 | (point >> 6);
    } else if (size === 3) {
      bytes[written++] = 0xe0 | (point >> 12);
      bytes[written++] = 0x80 | ((point >> 6) & 0x3f);
    } else {
      bytes[written++] = 0xf0 | (point >> 18);
      bytes[written++] = 0x80 | ((point >> 12) & 0x3f);
      bytes[written++] = 0x80 | ((point >> 6) & 0x3f);
    }
    bytes[written++] = 0x80 | (point & 0x3f);
    read += units;
  }
  return { __proto__: null, read, written };
}

/** The state of a UTF-8 decoder between two chunks. */
function newUtf8State() {
  return { __proto__: null, point: 0, seen: 0, needed: 0, lower: 0x80, upper: 0xbf };
}

/**
 * Decodes a chunk. With `fatal` a malformed sequence answers undefined; otherwise it reads as U+FFFD. `last` ends the
 * input, and the state is then fresh again.
 */
function utf8DecodeChunk(state, bytes, fatal, last) {
  const length = TypedArrayGetLength(bytes);
  let text = '';
  let units = newList();
  let count = 0;
  let { point, seen, needed, lower, upper } = state;
  for (let index = 0; index < length; index++) {
    const byte = bytes[index];
    if (count >= CHUNK) {
      text += fromUnits(units, count);
      units = newList();
      count = 0;
    }
    if (needed === 0) {
      if (byte < 0x80) units[count++] = byte;
      else if (byte >= 0xc2 && byte <= 0xdf) {
        needed = 1;
        point = byte & 0x1f;
      } else if (byte >= 0xe0 && byte <= 0xef) {
        if (byte === 0xe0) lower = 0xa0;
        if (byte === 0xed) upper = 0x9f;
        needed = 2;
        point = byte & 0xf;
      } else if (byte >= 0xf0 && byte <= 0xf4) {
        if (byte === 0xf0) lower = 0x90;
        if (byte === 0xf4) upper = 0x8f;
        needed = 3;
        point = byte & 7;
      } else if (fatal) return undefined;
      else units[count++] = 0xfffd;
      continue;
    }
    if (byte < lower || byte > upper) {
      if (fatal) return undefined;
      point = needed = seen = 0;
      lower = 0x80;
      upper = 0xbf;
      units[count++] = 0xfffd;
      index--;
      continue;
    }
    lower = 0x80;
    upper = 0xbf;
    point = (point << 6) | (byte & 0x3f);
    if (++seen === needed) {
      if (point > 0xffff) {
        units[count++] = 0xd7c0 + (point >> 10);
        units[count++] = 0xdc00 + (point & 0x3ff);
      } else units[count++] = point;
      point = needed = seen = 0;
    }
  }
  if (last && needed !== 0) {
    if (fatal) return undefined;
    units[count++] = 0xfffd;
    point = needed = seen = 0;
    lower = 0x80;
    upper = 0xbf;
  }
  state.point = point;
  state.seen = seen;
  state.needed = needed;
  state.lower = lower;
  state.upper = upper;
  return text + fromUnits(units, count);
}

function fromUnits(units, count) {
  return count === 0 ? '' : ReflectApply(StringFromCharCode, undefined, units);
}

/** "UTF-8 decode without BOM": every byte counts, malformed sequences read as U+FFFD. */
function utf8DecodeWithoutBom(bytes) {
  return utf8DecodeChunk(newUtf8State(), bytes, false, true);
}

/** "UTF-8 decode": a leading byte order mark is dropped. */
function utf8Decode(bytes) {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return utf8DecodeWithoutBom(marked ? TypedArraySubarray(bytes, 3) : bytes);
}

return { __proto__: null, utf8Length: utf8Length, utf8Encode: utf8Encode, utf8EncodeInto: utf8EncodeInto, newUtf8State: newUtf8State, utf8DecodeChunk: utf8DecodeChunk, utf8DecodeWithoutBom: utf8DecodeWithoutBom, utf8Decode: utf8Decode };
})();
// encoding.js
const m_encoding_js = (function () {
const {
  append, newList, RangeErrorCtor, ReflectApply, StringCharCodeAt, StringFromCharCode, StringIsWellFormed,
  StringSlice, StringToWellFormed, Uint8ArrayCtor,
} = m_primordials_js;
const {
  AllowSharedBufferSource, AllowSharedUint8Array, boolean, bytesOf, defineInterface, dictionary, DOMString,
  illegalInvocation, isObject, requireArguments, typeError, USVString,
} = m_webidl_js;
const { encodingOfLabel } = m_encodings_js;
const { newUtf8State, utf8DecodeChunk, utf8Encode, utf8EncodeInto } = m_utf8_js;
const { host } = m_internal_host_js;
// Encoding: TextEncoder and TextDecoder. UTF-8 and UTF-16 are decoded here, the legacy encodings by the host.






class TextEncoder {
  #brand;

  get encoding() {
    if (!isObject(this) || !(#brand in this)) illegalInvocation();
    return 'utf-8';
  }

  encode(input = '') {
    if (!isObject(this) || !(#brand in this)) illegalInvocation();
    return utf8Encode(DOMString(input, "Failed to execute 'encode' on 'TextEncoder'"));
  }

  encodeInto(source, destination) {
    if (!isObject(this) || !(#brand in this)) illegalInvocation();
    const context = "Failed to execute 'encodeInto' on 'TextEncoder'";
    requireArguments(arguments.length, 2, context);
    source = USVString(source, context);
    const { read, written } = utf8EncodeInto(source, AllowSharedUint8Array(destination, context));
    return { read, written };
  }
}

defineInterface(TextEncoder, { __proto__: null, length: 0 });

// ---- decoders -----------------------------------------------------------------------------------------------

// A decoder answers the text of a chunk, or undefined where the input is malformed and `fatal`. After `last` it is
// as new.
function newDecoder(encoding, fatal, ignoreBom) {
  if (encoding === 'utf-8') return utf8Decoder(fatal, ignoreBom);
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return utf16Decoder(encoding === 'utf-16be', fatal, ignoreBom);
  return hostDecoder(encoding, fatal);
}

function utf8Decoder(fatal, ignoreBom) {
  const state = newUtf8State();
  return withoutBom(ignoreBom, (bytes, last) => utf8DecodeChunk(state, bytes, fatal, last));
}

// Drops a byte order mark at the start of each input.
function withoutBom(ignoreBom, decode) {
  let atStart = true;
  return (bytes, last) => {
    let text = decode(bytes, last);
    if (text === undefined) {
      atStart = true;
      return text;
    }
    if (atStart && text !== '') {
      atStart = false;
      if (!ignoreBom && StringCharCodeAt(text, 0) === 0xfeff) text = StringSlice(text, 1);
    }
    if (last) atStart = true;
    return text;
  };
}

function utf16Decoder(bigEndian, fatal, ignoreBom) {
  let leadByte = -1;
  let leadSurrogate = '';
  return withoutBom(ignoreBom, (bytes, last) => {
    let text = leadSurrogate;
    leadSurrogate = '';
    const { length } = bytes;
    const units = newList();
    for (let index = 0; index < length; index++) {
      if (leadByte === -1) {
        leadByte = bytes[index];
        continue;
      }
      append(units, bigEndian ? (leadByte << 8) | bytes[index] : (bytes[index] << 8) | leadByte);
      leadByte = -1;
      if (units.length === 4096) {
        text += ReflectApply(StringFromCharCode, undefined, units);
        units.length = 0;
      }
    }
    if (units.length > 0) text += ReflectApply(StringFromCharCode, undefined, units);
    let malformed = false;
    if (last) {
      malformed = leadByte !== -1;
      leadByte = -1;
    } else if (text.length > 0) {
      const unit = StringCharCodeAt(text, text.length - 1);
      if (unit >= 0xd800 && unit <= 0xdbff) {
        leadSurrogate = text[text.length - 1];
        text = StringSlice(text, 0, -1);
      }
    }
    if (fatal && (malformed || !StringIsWellFormed(text))) {
      leadSurrogate = '';
      leadByte = -1;
      return undefined;
    }
    return StringToWellFormed(text) + (malformed ? '\ufffd' : '');
  });
}

function hostDecoder(encoding, fatal) {
  let id;
  return (bytes, last) => {
    id ??= host.openDecoder(encoding, fatal);
    const text = host.runDecoder(id, bytes, last);
    if (last || text === undefined) id = undefined;
    return text;
  };
}

const decoderOptions = dictionary('TextDecoderOptions', [
  { __proto__: null, key: 'fatal', convert: boolean, fallback: () => false },
  { __proto__: null, key: 'ignoreBOM', convert: boolean, fallback: () => false },
]);
const decodeOptions = dictionary('TextDecodeOptions', [
  { __proto__: null, key: 'stream', convert: boolean, fallback: () => false },
]);

/** What TextDecoder and TextDecoderStream are made from: encoding, flags and the decoder. */
function newDecoderState(label, options, context) {
  label = DOMString(label, context);
  const { fatal, ignoreBOM } = decoderOptions(options, context);
  const encoding = encodingOfLabel(label);
  if (encoding === undefined || encoding === 'replacement') {
    throw new RangeErrorCtor(`${context}: The encoding label provided ('${label}') is invalid.`);
  }
  return { __proto__: null, encoding, fatal, ignoreBOM, decode: newDecoder(encoding, fatal, ignoreBOM) };
}

/** Decodes one chunk, throwing where a fatal decoder meets malformed input. */
function decodeChunk(state, bytes, last, context) {
  const text = state.decode(bytes, last);
  if (text === undefined) {
    state.decode = newDecoder(state.encoding, state.fatal, state.ignoreBOM);
    throw typeError(context, 'The encoded data was not valid.');
  }
  return text;
}

const empty = new Uint8ArrayCtor(0);

class TextDecoder {
  #state;

  constructor(label = 'utf-8', options = undefined) {
    this.#state = newDecoderState(label, options, "Failed to construct 'TextDecoder'");
  }

  static #stateOf(decoder) {
    return isObject(decoder) && #state in decoder ? decoder.#state : illegalInvocation();
  }

  get encoding() { return TextDecoder.#stateOf(this).encoding; }
  get fatal() { return TextDecoder.#stateOf(this).fatal; }
  get ignoreBOM() { return TextDecoder.#stateOf(this).ignoreBOM; }

  decode(input = undefined, options = undefined) {
    const state = TextDecoder.#stateOf(this);
    const context = "Failed to execute 'decode' on 'TextDecoder'";
    if (input !== undefined) input = AllowSharedBufferSource(input, context);
    const { stream } = decodeOptions(options, context);
    return decodeChunk(state, input === undefined ? empty : bytesOf(input), !stream, context);
  }
}

defineInterface(TextDecoder, { __proto__: null, length: 0 });

const globals = { __proto__: null, TextEncoder, TextDecoder };

return { __proto__: null, TextEncoder: TextEncoder, newDecoderState: newDecoderState, decodeChunk: decodeChunk, TextDecoder: TextDecoder, globals: globals };
})();
// global-scope.js
const m_global_scope_js = (function () {
const {
  ErrorIsError, ObjectDefineProperty, ObjectGetOwnPropertyDescriptor, ObjectSetPrototypeOf,
} = m_primordials_js;
const {
  defineInterface, illegalInvocation, internal, isObject, requireArguments, requireInternal,
} = m_webidl_js;
const {
  ErrorEvent, EventTarget, fireTrusted, getHandler, PromiseRejectionEvent, setHandler,
} = m_events_js;
const { setReporter } = m_reporting_js;
const { host } = m_internal_host_js;
// HTML: what the global object itself is and does. It is an EventTarget, it reports exceptions and rejections, and it
// carries `self`, `navigator` and `reportError`.






const theGlobal = globalThis;

/** The class of the global object. It has no name on the global object, as no standard gives it one. */
class GlobalScope extends EventTarget {
  constructor(token = undefined) {
    requireInternal(token);
    super();
  }
}

defineInterface(GlobalScope);

// ---- reported exceptions and rejections ---------------------------------------------------------------------

let reporting = false;

/**
 * HTML's "report an exception": an `error` event at the global object, then the console unless a listener cancelled
 * it. An exception of an `error` listener goes to the console at once.
 */
function reportUncaught(exception) {
  const where = host.describeException === undefined ? undefined : host.describeException(exception);
  const message = where === undefined ? describe(exception) : where.message;
  let unhandled = true;
  if (!reporting) {
    reporting = true;
    try {
      unhandled = fireTrusted(theGlobal, new ErrorEvent('error', {
        __proto__: null, cancelable: true, message, error: exception, filename: where?.filename ?? '',
        lineno: where?.lineno ?? 0, colno: where?.colno ?? 0,
      }));
    } finally {
      reporting = false;
    }
  }
  if (unhandled) host.reportToConsole('error', message);
}

setReporter(reportUncaught);

function describe(value) {
  try {
    return ErrorIsError(value) && typeof value.stack === 'string' ? value.stack : `${value}`;
  } catch {
    return 'An exception that cannot be described was thrown.';
  }
}

/** Fires `unhandledrejection`; the answer is whether a listener cancelled it. */
function notifyUnhandledRejection(promise, reason) {
  return !fireTrusted(theGlobal, new PromiseRejectionEvent('unhandledrejection', {
    __proto__: null, cancelable: true, promise, reason,
  }));
}

/** Fires `rejectionhandled`, for a promise whose `unhandledrejection` was fired before. */
function notifyRejectionHandled(promise, reason) {
  fireTrusted(theGlobal, new PromiseRejectionEvent('rejectionhandled', { __proto__: null, promise, reason }));
}

// ---- navigator ----------------------------------------------------------------------------------------------

const USER_AGENT = 'Codemode';

class Navigator {
  #brand;

  constructor(token = undefined) {
    requireInternal(token);
  }

  get userAgent() {
    return isObject(this) && #brand in this ? USER_AGENT : illegalInvocation();
  }
}

defineInterface(Navigator);

// ---- installation -------------------------------------------------------------------------------------------

const globals = { __proto__: null, Navigator };

const attributes = { __proto__: null, navigator: new Navigator(internal), self: theGlobal };

const operations = {
  __proto__: null,

  reportError(exception) {
    requireArguments(arguments.length, 1, "Failed to execute 'reportError'");
    reportUncaught(exception);
  },
};

const handlerNames = ['error', 'unhandledrejection', 'rejectionhandled'];

/** Puts the global object on the prototype chain of EventTarget and defines its event handler attributes. */
function becomeEventTarget() {
  ObjectSetPrototypeOf(theGlobal, GlobalScope.prototype);
  for (let index = 0; index < handlerNames.length; index++) {
    const type = handlerNames[index];
    const name = `on${type}`;
    const accessors = {
      get [name]() { return getHandler(theGlobal, type); },
      set [name](value) { setHandler(theGlobal, type, value); },
    };
    const descriptor = ObjectGetOwnPropertyDescriptor(accessors, name);
    ObjectDefineProperty(theGlobal, name, descriptor);
  }
}

return { __proto__: null, reportUncaught: reportUncaught, notifyUnhandledRejection: notifyUnhandledRejection, notifyRejectionHandled: notifyRejectionHandled, Navigator: Navigator, globals: globals, attributes: attributes, operations: operations, becomeEventTarget: becomeEventTarget };
})();
// performance.js
const m_performance_js = (function () {
const { defineInterface, illegalInvocation, internal, isObject, requireInternal } = m_webidl_js;
const { EventTarget } = m_events_js;
const { host } = m_internal_host_js;
// High Resolution Time: Performance.




let isPerformance;

class Performance extends EventTarget {
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
    return isPerformance(this) ? host.timeOrigin() : illegalInvocation();
  }

  toJSON() {
    return isPerformance(this) ? { timeOrigin: host.timeOrigin() } : illegalInvocation();
  }
}

defineInterface(Performance);

const globals = { __proto__: null, Performance };
const attributes = { __proto__: null, performance: new Performance(internal) };

return { __proto__: null, Performance: Performance, globals: globals, attributes: attributes };
})();
// structured-clone.js
const m_structured_clone_js = (function () {
const {
  append, ArrayBufferCtor, ArrayBufferGetByteLength, ArrayBufferGetDetached, ArrayBufferGetMaxByteLength,
  ArrayBufferGetResizable, ArrayBufferIsView, ArrayBufferSlice, ArrayBufferTransfer, ArrayIsArray, BigIntCtor,
  BooleanCtor, DataViewGetBuffer, DataViewGetByteLength, DataViewGetByteOffset, DateCtor, ErrorCtor, ErrorIsError,
  EvalErrorCtor, MapCtor, MapForEach, MapGet, MapHas, MapSet, MapSize, newList, NumberCtor, ObjectCtor,
  ObjectDefineProperty, ObjectHasOwn, ObjectKeys, ObjectToString, RangeErrorCtor, ReferenceErrorCtor, ReflectApply,
  ReflectGetOwnPropertyDescriptor, RegExpCtor, RegExpGetSource, SetAdd, SetCtor, SetForEach, SetSize, StringCtor,
  SyntaxErrorCtor, TypedArrayConstructors, TypedArrayGetBuffer, TypedArrayGetByteLength, TypedArrayGetByteOffset,
  TypedArrayGetLength, TypedArrayGetTag, TypedArraySet, TypeErrorCtor, Uint8ArrayCtor, URIErrorCtor,
} = m_primordials_js;
const {
  dictionary, isArrayBuffer, isObject, isSharedArrayBuffer, object, requireArguments, sequence,
} = m_webidl_js;
const { DOMException, domException, isDOMException, isQuotaExceededError, QuotaExceededError } = m_dom_exception_js;
const { host } = m_internal_host_js;
// HTML: structured cloning. A value is serialized into a record tree that no program can touch and rebuilt from it, so
// that a MessagePort can keep a message between the two steps.





// ---- platform objects ---------------------------------------------------------------------------------------

const serializable = newList();
const transferable = newList();

/** Makes a class of platform objects serializable: `{ is, serialize(value, forStorage), deserialize(data) }`. */
function registerSerializable(handler) {
  append(serializable, handler);
}

/** Makes a class of platform objects transferable: `{ is, transfer(value), receive(data) }`. */
function registerTransferable(handler) {
  append(transferable, handler);
}

function handlerOf(handlers, value) {
  for (let index = 0; index < handlers.length; index++) if (handlers[index].is(value)) return handlers[index];
  return undefined;
}

registerSerializable({
  __proto__: null,
  is: isDOMException,
  serialize: (value) => ({
    __proto__: null,
    name: value.name,
    message: value.message,
    stack: value.stack,
    quota: isQuotaExceededError(value) ? [value.quota, value.requested] : undefined,
  }),
  deserialize: ({ name, message, stack, quota }) => {
    const exception = quota === undefined ? new DOMException(message, name) : new QuotaExceededError(message, {
      __proto__: null, quota: quota[0] ?? undefined, requested: quota[1] ?? undefined,
    });
    if (typeof stack === 'string') {
      ObjectDefineProperty(exception, 'stack', { __proto__: null, value: stack, writable: true, configurable: true });
    }
    return exception;
  },
});

function cloneError(text) {
  return domException(text, 'DataCloneError');
}

// ---- serialize ----------------------------------------------------------------------------------------------

const boxes = newList();
for (const [name, prototype] of [
  ['Boolean', BooleanCtor.prototype], ['Number', NumberCtor.prototype], ['String', StringCtor.prototype],
  ['BigInt', BigIntCtor.prototype], ['Date', DateCtor.prototype],
]) {
  const valueOf = ReflectGetOwnPropertyDescriptor(prototype, name === 'Date' ? 'getTime' : 'valueOf').value;
  append(boxes, { __proto__: null, name, read: (value) => ReflectApply(valueOf, value, []) });
}

function succeeds(operation, value) {
  try {
    operation(value);
    return true;
  } catch {
    return false;
  }
}

const errorNames = {
  __proto__: null, EvalError: EvalErrorCtor, RangeError: RangeErrorCtor, ReferenceError: ReferenceErrorCtor,
  SyntaxError: SyntaxErrorCtor, TypeError: TypeErrorCtor, URIError: URIErrorCtor, Error: ErrorCtor,
};

/** StructuredSerialize. `memory` maps objects already met (and objects being transferred) to their records. */
function serialize(value, memory = new MapCtor()) {
  if (!isObject(value)) {
    if (typeof value === 'symbol') throw cloneError('A Symbol could not be cloned.');
    return { __proto__: null, kind: 'primitive', value };
  }
  const known = MapGet(memory, value);
  if (known !== undefined) return known;
  const record = { __proto__: null, kind: '', data: undefined, entries: undefined };
  const descend = fill(record, value, memory);
  MapSet(memory, value, record);
  if (descend !== undefined) descend();
  return record;
}

// Fills a record; the answer, if any, serializes what the object holds, after the object itself is in memory.
function fill(record, value, memory) {
  if (typeof value === 'function') throw cloneError('A function could not be cloned.');
  const platform = handlerOf(serializable, value);
  if (platform !== undefined) {
    record.kind = 'platform';
    record.data = { __proto__: null, platform, data: platform.serialize(value, (inner) => serialize(inner, memory)) };
    return undefined;
  }
  if (handlerOf(transferable, value) !== undefined) throw cloneError('The object must be transferred to be cloned.');
  if (ArrayIsArray(value) && !host.isUncloneable(value)) {
    record.kind = 'array';
    record.data = value.length;
    return () => serializeProperties(record, value, memory);
  }
  if (ArrayBufferIsView(value)) return fillView(record, value, memory);
  if (isArrayBuffer(value)) return fillBuffer(record, value);
  if (isSharedArrayBuffer(value)) throw cloneError('A SharedArrayBuffer could not be cloned.');
  if (succeeds(MapSize, value)) return fillMap(record, value, memory);
  if (succeeds(SetSize, value)) return fillSet(record, value, memory);
  if (ErrorIsError(value)) return fillError(record, value, memory);
  for (let index = 0; index < boxes.length; index++) {
    const box = boxes[index];
    if (!succeeds(box.read, value)) continue;
    record.kind = box.name;
    record.data = box.read(value);
    return undefined;
  }
  if (isRegExp(value)) {
    record.kind = 'RegExp';
    record.data = { __proto__: null, source: RegExpGetSource(value), flags: regExpFlags(value) };
    return undefined;
  }
  if (host.isUncloneable(value)) throw cloneError(`${describeClass(value)} could not be cloned.`);
  record.kind = 'object';
  return () => serializeProperties(record, value, memory);
}

function describeClass(value) {
  try {
    return ObjectToString(value);
  } catch {
    return 'The object';
  }
}

// `source` answers '(?:)' for the prototype itself, which is no RegExp; `flags` is generic, so the flags are read one
// by one from the internal slots.
const flagReaders = newList();
for (const [letter, name] of [
  ['d', 'hasIndices'], ['g', 'global'], ['i', 'ignoreCase'], ['m', 'multiline'], ['s', 'dotAll'], ['u', 'unicode'],
  ['v', 'unicodeSets'], ['y', 'sticky'],
]) {
  const { get } = ReflectGetOwnPropertyDescriptor(RegExpCtor.prototype, name);
  append(flagReaders, { __proto__: null, letter, get });
}

function isRegExp(value) {
  return value !== RegExpCtor.prototype && succeeds(RegExpGetSource, value);
}

function regExpFlags(value) {
  let flags = '';
  for (let index = 0; index < flagReaders.length; index++) {
    if (ReflectApply(flagReaders[index].get, value, [])) flags += flagReaders[index].letter;
  }
  return flags;
}

function fillBuffer(record, value) {
  if (ArrayBufferGetDetached(value)) throw cloneError('A detached ArrayBuffer could not be cloned.');
  record.kind = 'buffer';
  record.data = copyBuffer(value);
  return undefined;
}

function copyBuffer(buffer) {
  if (!ArrayBufferGetResizable(buffer)) return ArrayBufferSlice(buffer, 0);
  const copy = new ArrayBufferCtor(ArrayBufferGetByteLength(buffer), {
    __proto__: null, maxByteLength: ArrayBufferGetMaxByteLength(buffer),
  });
  TypedArraySet(new Uint8ArrayCtor(copy), new Uint8ArrayCtor(buffer));
  return copy;
}

function fillView(record, value, memory) {
  const tag = TypedArrayGetTag(value);
  let length, offset, buffer;
  try {
    buffer = tag === undefined ? DataViewGetBuffer(value) : TypedArrayGetBuffer(value);
    offset = tag === undefined ? DataViewGetByteOffset(value) : TypedArrayGetByteOffset(value);
    length = tag === undefined ? DataViewGetByteLength(value) : TypedArrayGetLength(value);
  } catch {
    throw cloneError('A view that is out of bounds could not be cloned.');
  }
  const tracking = isArrayBuffer(buffer) && ArrayBufferGetResizable(buffer) && isLengthTracking(value, buffer);
  if (isArrayBuffer(buffer) && ArrayBufferGetDetached(buffer)) {
    throw cloneError('A view of a detached ArrayBuffer could not be cloned.');
  }
  record.kind = 'view';
  record.data = {
    __proto__: null, tag, offset, length: tracking ? undefined : length, buffer: serialize(buffer, memory),
  };
  return undefined;
}

// A view without a fixed length ends where its buffer ends. One that was made with just that length looks the same,
// and cloning it as length-tracking keeps its bytes.
function isLengthTracking(view, buffer) {
  const { length, offset } = TypedArrayGetTag(view) === undefined
    ? { __proto__: null, length: DataViewGetByteLength(view), offset: DataViewGetByteOffset(view) }
    : { __proto__: null, length: TypedArrayGetByteLength(view), offset: TypedArrayGetByteOffset(view) };
  return offset + length === ArrayBufferGetByteLength(buffer);
}

function fillMap(record, value, memory) {
  record.kind = 'map';
  const pairs = newList();
  MapForEach(value, (item, key) => append(pairs, [key, item]));
  return () => {
    record.entries = newList();
    for (let index = 0; index < pairs.length; index++) {
      append(record.entries, [serialize(pairs[index][0], memory), serialize(pairs[index][1], memory)]);
    }
  };
}

function fillSet(record, value, memory) {
  record.kind = 'set';
  const items = newList();
  SetForEach(value, (item) => append(items, item));
  return () => {
    record.entries = newList();
    for (let index = 0; index < items.length; index++) append(record.entries, serialize(items[index], memory));
  };
}

function fillError(record, value, memory) {
  record.kind = 'error';
  const { name } = value;
  const nameText = name === undefined ? 'Error' : `${name}`;
  const message = ReflectGetOwnPropertyDescriptor(value, 'message');
  const hasMessage = message !== undefined && 'value' in message;
  const cause = ReflectGetOwnPropertyDescriptor(value, 'cause');
  const hasCause = cause !== undefined && 'value' in cause;
  record.data = {
    __proto__: null,
    name: errorNames[nameText] === undefined ? 'Error' : nameText,
    message: hasMessage ? `${message.value}` : undefined,
    stack: typeof value.stack === 'string' ? value.stack : undefined,
    cause: undefined,
  };
  return hasCause ? () => {
    record.data.cause = serialize(cause.value, memory);
  } : undefined;
}

function serializeProperties(record, value, memory) {
  record.entries = newList();
  const keys = ObjectKeys(value);
  for (let index = 0; index < keys.length; index++) {
    if (!ObjectHasOwn(value, keys[index])) continue;
    append(record.entries, [keys[index], serialize(value[keys[index]], memory)]);
  }
}

// ---- deserialize --------------------------------------------------------------------------------------------

/** StructuredDeserialize. `memory` maps records already rebuilt to their values. */
function deserialize(record, memory = new MapCtor()) {
  if (record.kind === 'primitive') return record.value;
  if (MapHas(memory, record)) return MapGet(memory, record);
  const value = rebuild(record, memory);
  MapSet(memory, record, value);
  fillValue(record, value, memory);
  return value;
}

function rebuild(record, memory) {
  const { kind, data } = record;
  switch (kind) {
    case 'platform':
      return data.platform.deserialize(data.data, (inner) => deserialize(inner, memory));
    case 'array': {
      const array = [];
      array.length = data;
      return array;
    }
    case 'object':
      return {};
    case 'map':
      return new MapCtor();
    case 'set':
      return new SetCtor();
    case 'buffer':
      return copyBuffer(data);
    case 'view': {
      const buffer = deserialize(data.buffer, memory);
      const View = data.tag === undefined ? DataViewCtor : TypedArrayConstructors[data.tag];
      return data.length === undefined ? new View(buffer, data.offset) : new View(buffer, data.offset, data.length);
    }
    case 'error':
      return rebuildError(data);
    case 'Date':
      return new DateCtor(data);
    case 'RegExp':
      return new RegExpCtor(data.source, data.flags);
    default:
      return ObjectCtor(data);
  }
}

function rebuildError({ name, message, stack }) {
  const error = message === undefined ? new errorNames[name]() : new errorNames[name](message);
  if (stack !== undefined) {
    ObjectDefineProperty(error, 'stack', { __proto__: null, value: stack, writable: true, configurable: true });
  }
  return error;
}

function fillValue(record, value, memory) {
  const { kind, entries } = record;
  if (kind === 'error' && record.data.cause !== undefined) {
    define(value, 'cause', deserialize(record.data.cause, memory), false);
  }
  if (entries === undefined) return;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    if (kind === 'map') MapSet(value, deserialize(entry[0], memory), deserialize(entry[1], memory));
    else if (kind === 'set') SetAdd(value, deserialize(entry, memory));
    else define(value, entry[0], deserialize(entry[1], memory), true);
  }
}

function define(target, key, value, enumerable) {
  ObjectDefineProperty(target, key, { __proto__: null, value, writable: true, configurable: true, enumerable });
}

// ---- transfer -----------------------------------------------------------------------------------------------

/** StructuredSerializeWithTransfer: `{ value, transfers }` for `deserializeWithTransfer`. */
function serializeWithTransfer(value, transferList) {
  const memory = new MapCtor();
  const records = newList();
  for (let index = 0; index < transferList.length; index++) {
    const item = transferList[index];
    const handler = handlerOf(transferable, item);
    if (handler === undefined && !isArrayBuffer(item)) throw cloneError('A value could not be transferred.');
    if (MapHas(memory, item)) throw cloneError('A value appears twice in the transfer list.');
    const record = { __proto__: null, kind: 'transferred', data: undefined, entries: undefined, item, handler };
    MapSet(memory, item, record);
    append(records, record);
  }
  const root = serialize(value, memory);
  for (let index = 0; index < records.length; index++) {
    const record = records[index];
    const { item, handler } = record;
    if (handler !== undefined) {
      record.data = handler.transfer(item);
    } else {
      if (ArrayBufferGetDetached(item)) throw cloneError('A detached ArrayBuffer could not be transferred.');
      try {
        record.data = ArrayBufferTransfer(item);
      } catch {
        throw cloneError('The ArrayBuffer could not be detached.');
      }
    }
    record.item = undefined;
  }
  return { __proto__: null, root, records };
}

/** StructuredDeserializeWithTransfer: the value, and the list of what was transferred. */
function deserializeWithTransfer({ root, records }) {
  const memory = new MapCtor();
  const transferred = newList();
  for (let index = 0; index < records.length; index++) {
    const { data, handler } = records[index];
    const value = handler === undefined ? data : handler.receive(data);
    MapSet(memory, records[index], value);
    append(transferred, value);
  }
  return { __proto__: null, value: deserialize(root, memory), transferred };
}

/** The options of `structuredClone` and `postMessage`. */
const serializeOptions = dictionary('StructuredSerializeOptions', [
  { __proto__: null, key: 'transfer', convert: sequence(object), fallback: () => [] },
]);

const operations = {
  __proto__: null,

  structuredClone(value, options = undefined) {
    const context = "Failed to execute 'structuredClone'";
    requireArguments(arguments.length, 1, context);
    const { transfer } = serializeOptions(options, context);
    return deserializeWithTransfer(serializeWithTransfer(value, transfer)).value;
  },
};

return { __proto__: null, registerSerializable: registerSerializable, registerTransferable: registerTransferable, serialize: serialize, deserialize: deserialize, serializeWithTransfer: serializeWithTransfer, deserializeWithTransfer: deserializeWithTransfer, serializeOptions: serializeOptions, operations: operations };
})();
// url-encoding.js
const m_url_encoding_js = (function () {
const {
  append, newList, StringCharCodeAt, StringFromCharCode, StringIndexOf, StringSlice, StringToWellFormed,
  TypedArraySet, TypedArraySubarray, Uint8ArrayCtor,
} = m_primordials_js;
const { hexValue, isHexDigit, replaceAll, split } = m_infra_js;
const { utf8DecodeWithoutBom, utf8Encode } = m_utf8_js;
// URL: percent-encode sets, percent-decoding, and application/x-www-form-urlencoded.




// A percent-encode set is a table of 128 flags; everything above U+007E is in every set.
function encodeSet(base, characters) {
  const set = new Uint8ArrayCtor(128);
  if (base !== undefined) TypedArraySet(set, base);
  for (let index = 0; index < characters.length; index++) set[StringCharCodeAt(characters, index)] = 1;
  return set;
}

const control = encodeSet(undefined, '\x7f');
for (let unit = 0; unit < 0x20; unit++) control[unit] = 1;
const fragment = encodeSet(control, ' "<>`');
const query = encodeSet(control, ' "#<>');
const specialQuery = encodeSet(query, "'");
const path = encodeSet(query, '?^`{}');
const userinfo = encodeSet(path, '/:;=@[\\]|');
const component = encodeSet(userinfo, '$%&+,');
const urlencoded = encodeSet(component, "!'()~");

const encodeSets = { __proto__: null, control, fragment, query, specialQuery, path, userinfo, component };

const HEX = '0123456789ABCDEF';

/** The UTF-8 percent-encoding of a string by a set. */
function percentEncode(text, set) {
  let index = 0;
  for (; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (unit > 0x7e || set[unit] === 1) break;
  }
  if (index === text.length) return text;
  let result = StringSlice(text, 0, index);
  const bytes = utf8Encode(StringSlice(text, index));
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    result += byte > 0x7e || set[byte] === 1 ? `%${HEX[byte >> 4]}${HEX[byte & 15]}` : StringFromCharCode(byte);
  }
  return result;
}

/** The bytes of a string after percent-decoding. */
function percentDecode(text) {
  const bytes = utf8Encode(text);
  const { length } = bytes;
  let written = 0;
  for (let index = 0; index < length; index++) {
    let byte = bytes[index];
    if (byte === 0x25 && index + 2 < length && isHexDigit(bytes[index + 1]) && isHexDigit(bytes[index + 2])) {
      byte = hexValue(bytes[index + 1]) * 16 + hexValue(bytes[index + 2]);
      index += 2;
    }
    bytes[written++] = byte;
  }
  return TypedArraySubarray(bytes, 0, written);
}

/** The text of a percent-decoded string, read as UTF-8. */
function percentDecodeToText(text) {
  return StringIndexOf(text, '%') === -1 ? StringToWellFormed(text) : utf8DecodeWithoutBom(percentDecode(text));
}

/** The `[name, value]` pairs of an application/x-www-form-urlencoded text. */
function parseUrlencoded(text) {
  const pairs = newList();
  const parts = split(text, '&');
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part === '') continue;
    const at = StringIndexOf(part, '=');
    const name = at === -1 ? part : StringSlice(part, 0, at);
    const value = at === -1 ? '' : StringSlice(part, at + 1);
    append(pairs, [decodeField(name), decodeField(value)]);
  }
  return pairs;
}

function decodeField(text) {
  return percentDecodeToText(StringIndexOf(text, '+') === -1 ? text : replaceAll(text, '+', ' '));
}

/** The application/x-www-form-urlencoded text of `[name, value]` pairs. */
function serializeUrlencoded(pairs) {
  let text = '';
  for (let index = 0; index < pairs.length; index++) {
    text += `${index === 0 ? '' : '&'}${encodeField(pairs[index][0])}=${encodeField(pairs[index][1])}`;
  }
  return text;
}

function encodeField(text) {
  const encoded = percentEncode(text, urlencoded);
  return StringIndexOf(encoded, '%20') === -1 ? encoded : replaceAll(encoded, '%20', '+');
}

return { __proto__: null, encodeSets: encodeSets, percentEncode: percentEncode, percentDecode: percentDecode, percentDecodeToText: percentDecodeToText, parseUrlencoded: parseUrlencoded, serializeUrlencoded: serializeUrlencoded };
})();
// url-host.js
const m_url_host_js = (function () {
const {
  MathFloor, NumberToString, StringCharCodeAt, StringIndexOf, StringSlice, TypedArraySet, Uint8ArrayCtor,
} = m_primordials_js;
const { asciiLowercase, hexValue, isDigit, isHexDigit, isAsciiString, split } = m_infra_js;
const { encodeSets, percentDecodeToText, percentEncode } = m_url_encoding_js;
const { host : natives } = m_internal_host_js;
// URL: the host parser. A host is kept as its serialization: `example.com`, `127.0.0.1`, `[::1]`, or opaque text.





const forbiddenHost = new Uint8ArrayCtor(128);
const forbiddenDomain = new Uint8ArrayCtor(128);
const FORBIDDEN = '\0\t\n\r #/:<>?@[\\]^|';
for (let index = 0; index < FORBIDDEN.length; index++) forbiddenHost[StringCharCodeAt(FORBIDDEN, index)] = 1;
TypedArraySet(forbiddenDomain, forbiddenHost);
for (let unit = 0; unit < 0x20; unit++) forbiddenDomain[unit] = 1;
forbiddenDomain[0x25] = 1;
forbiddenDomain[0x7f] = 1;

function hasForbidden(text, set) {
  for (let index = 0; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (unit < 128 && set[unit] === 1) return true;
  }
  return false;
}

/** Parses a host; undefined is failure. `opaque` is for a URL whose scheme is not special. */
function parseHost(input, opaque) {
  if (StringCharCodeAt(input, 0) === 0x5b) {
    if (StringCharCodeAt(input, input.length - 1) !== 0x5d) return undefined;
    const pieces = parseIpv6(StringSlice(input, 1, -1));
    return pieces === undefined ? undefined : `[${serializeIpv6(pieces)}]`;
  }
  if (opaque) return hasForbidden(input, forbiddenHost) ? undefined : percentEncode(input, encodeSets.control);
  const domain = domainToAscii(percentDecodeToText(input));
  if (domain === undefined || domain === '' || hasForbidden(domain, forbiddenDomain)) return undefined;
  return endsInNumber(domain) ? parseIpv4(domain) : domain;
}

// "Domain to ASCII" with beStrict false. A plain ASCII domain without an A-label needs no mapping table.
function domainToAscii(domain) {
  if (isAsciiString(domain)) {
    const lower = asciiLowercase(domain);
    if (StringIndexOf(lower, 'xn--') === -1) return lower;
  }
  return natives.domainToAscii(domain);
}

function endsInNumber(domain) {
  const parts = split(domain, '.');
  let last = parts.length - 1;
  if (parts[last] === '') {
    if (last === 0) return false;
    last--;
  }
  const text = parts[last];
  let digits = text !== '';
  for (let index = 0; index < text.length; index++) if (!isDigit(StringCharCodeAt(text, index))) digits = false;
  return digits || parseIpv4Number(text) !== undefined;
}

function parseIpv4Number(text) {
  if (text === '') return undefined;
  let radix = 10;
  let start = 0;
  if (text.length >= 2 && text[0] === '0') {
    const hex = text[1] === 'x' || text[1] === 'X';
    radix = hex ? 16 : 8;
    start = hex ? 2 : 1;
  }
  let value = 0;
  for (let index = start; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (!isHexDigit(unit)) return undefined;
    const digit = hexValue(unit);
    if (digit >= radix) return undefined;
    value = value * radix + digit;
  }
  return value;
}

function parseIpv4(domain) {
  const parts = split(domain, '.');
  let { length } = parts;
  if (parts[length - 1] === '' && length > 1) length--;
  if (length > 4) return undefined;
  let address = 0;
  for (let index = 0; index < length; index++) {
    const number = parseIpv4Number(parts[index]);
    if (number === undefined) return undefined;
    if (index < length - 1) {
      if (number > 255) return undefined;
      address += number * 256 ** (3 - index);
    } else {
      if (number >= 256 ** (5 - length)) return undefined;
      address += number;
    }
  }
  return `${MathFloor(address / 16777216)}.${MathFloor(address / 65536) % 256}.${MathFloor(address / 256) % 256}.${
    address % 256
  }`;
}

// The eight pieces of an IPv6 address, or undefined.
function parseIpv6(input) {
  const pieces = [0, 0, 0, 0, 0, 0, 0, 0];
  let piece = 0;
  let compress = -1;
  let at = 0;
  const unitAt = (index) => (index < input.length ? StringCharCodeAt(input, index) : -1);
  if (unitAt(at) === 0x3a) {
    if (unitAt(at + 1) !== 0x3a) return undefined;
    at += 2;
    compress = ++piece;
  }
  while (at < input.length) {
    if (piece === 8) return undefined;
    if (unitAt(at) === 0x3a) {
      if (compress !== -1) return undefined;
      at++;
      compress = ++piece;
      continue;
    }
    let value = 0;
    let length = 0;
    while (length < 4 && isHexDigit(unitAt(at))) {
      value = value * 16 + hexValue(unitAt(at));
      at++;
      length++;
    }
    if (unitAt(at) === 0x2e) {
      if (length === 0 || piece > 6 || !parseEmbeddedIpv4(input, at - length, pieces, piece)) return undefined;
      piece += 2;
      break;
    }
    if (unitAt(at) === 0x3a) {
      at++;
      if (at >= input.length) return undefined;
    } else if (at < input.length) return undefined;
    pieces[piece++] = value;
  }
  if (compress !== -1) {
    let swaps = piece - compress;
    piece = 7;
    while (piece !== 0 && swaps > 0) {
      const other = compress + swaps - 1;
      const value = pieces[other];
      pieces[other] = pieces[piece];
      pieces[piece] = value;
      piece--;
      swaps--;
    }
  } else if (piece !== 8) return undefined;
  return pieces;
}

// The dotted tail of an IPv6 address, written into two pieces.
function parseEmbeddedIpv4(input, at, pieces, piece) {
  const numbers = split(StringSlice(input, at), '.');
  if (numbers.length !== 4) return false;
  for (let index = 0; index < 4; index++) {
    const text = numbers[index];
    if (text === '' || text.length > 3 || (text.length > 1 && text[0] === '0')) return false;
    let value = 0;
    for (let digit = 0; digit < text.length; digit++) {
      const unit = StringCharCodeAt(text, digit);
      if (!isDigit(unit)) return false;
      value = value * 10 + unit - 0x30;
    }
    if (value > 255) return false;
    const slot = piece + (index >> 1);
    pieces[slot] = pieces[slot] * 256 + value;
  }
  return true;
}

function serializeIpv6(pieces) {
  let bestStart = -1;
  let bestLength = 1;
  for (let index = 0; index < 8; index++) {
    let end = index;
    while (end < 8 && pieces[end] === 0) end++;
    if (end - index > bestLength) {
      bestStart = index;
      bestLength = end - index;
    }
    if (end > index) index = end;
  }
  let text = '';
  for (let index = 0; index < 8; index++) {
    if (index === bestStart) {
      text += index === 0 ? '::' : ':';
      index += bestLength - 1;
      continue;
    }
    text += NumberToString(pieces[index], 16);
    if (index !== 7) text += ':';
  }
  return text;
}

return { __proto__: null, parseHost: parseHost };
})();
// url-record.js
const m_url_record_js = (function () {
const { append, newList, StringCharCodeAt, StringIndexOf, StringLastIndexOf, StringSlice } = m_primordials_js;
const {
  asciiLowercase, isAlpha, isDigit, removeUnits, strip,
} = m_infra_js;
const { encodeSets, percentEncode } = m_url_encoding_js;
const { parseHost } = m_url_host_js;
// URL: the basic URL parser and the URL record it answers.
//
// A record is `{ scheme, username, password, host, port, path, query, fragment }`: `host` is a serialized host or
// null, `port` a number or null, `path` a list of segments or, when opaque, a string.





const defaultPorts = { __proto__: null, ftp: 21, file: null, http: 80, https: 443, ws: 80, wss: 443 };

/** Whether a record's scheme is special. */
function isSpecial(url) {
  return defaultPorts[url.scheme] !== undefined;
}

/** Whether a record's path is opaque. */
function hasOpaquePath(url) {
  return typeof url.path === 'string';
}

/** Whether a record can have no username, password or port. */
function cannotHaveCredentials(url) {
  return url.host === null || url.host === '' || url.scheme === 'file';
}

// The parser's states; also what a setter starts from.
const SCHEME_START = 0;
const SCHEME = 1;
const NO_SCHEME = 2;
const SPECIAL_RELATIVE_OR_AUTHORITY = 3;
const PATH_OR_AUTHORITY = 4;
const RELATIVE = 5;
const RELATIVE_SLASH = 6;
const SPECIAL_AUTHORITY_SLASHES = 7;
const SPECIAL_AUTHORITY_IGNORE_SLASHES = 8;
const AUTHORITY = 9;
const HOST = 10;
const HOSTNAME = 11;
const PORT = 12;
const FILE = 13;
const FILE_SLASH = 14;
const FILE_HOST = 15;
const PATH_START = 16;
const PATH = 17;
const OPAQUE_PATH = 18;
const QUERY = 19;
const FRAGMENT = 20;
const PATH_END = 21;

const EOF = -1;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const QUESTION = 0x3f;
const HASH = 0x23;
const COLON = 0x3a;

function newRecord() {
  return {
    __proto__: null, scheme: '', username: '', password: '', host: null, port: null, path: newList(), query: null,
    fragment: null,
  };
}

/** A record that equals another and shares nothing with it. */
function copyRecord(url) {
  const copy = newRecord();
  copy.scheme = url.scheme;
  copyAuthority(copy, url);
  copyPath(copy, url);
  copy.query = url.query;
  copy.fragment = url.fragment;
  return copy;
}

function copyAuthority(url, base) {
  url.username = base.username;
  url.password = base.password;
  url.host = base.host;
  url.port = base.port;
}

function copyPath(url, base) {
  if (hasOpaquePath(base)) {
    url.path = base.path;
    return;
  }
  url.path = newList();
  for (let index = 0; index < base.path.length; index++) append(url.path, base.path[index]);
}

function isControlOrSpace(unit) {
  return unit <= 0x20;
}

function isTabOrNewline(unit) {
  return unit === 0x09 || unit === 0x0a || unit === 0x0d;
}

/** Parses a URL string against an optional base record; undefined is failure. */
function parseUrl(input, base = undefined) {
  const url = newRecord();
  input = removeUnits(strip(input, isControlOrSpace), isTabOrNewline);
  return runParser(input, base, url, undefined) === FAILURE ? undefined : url;
}

/** Runs the parser over a record from the state a setter names. What was set before a failure stays set. */
function parseInto(url, input, state) {
  runParser(removeUnits(input, isTabOrNewline), undefined, url, state);
}

const FAILURE = 0;
const DONE = 1;

// Each step consumes what it can from `at` and sets the next state; the answer is FAILURE, DONE or undefined to go on.
function runParser(input, base, url, override) {
  const parser = {
    __proto__: null, input, base, url, override, state: override ?? SCHEME_START, at: 0,
  };
  for (;;) {
    const outcome = steps[parser.state](parser);
    if (outcome !== undefined) return outcome;
  }
}

function unitAt(parser, at) {
  return at < parser.input.length ? StringCharCodeAt(parser.input, at) : EOF;
}

function isSlash(parser, unit) {
  return unit === SLASH || (unit === BACKSLASH && isSpecial(parser.url));
}

// Where a part of the URL ends: the first of the delimiters from `at`, or the end of the input.
function find(parser, at, isEnd) {
  while (at < parser.input.length && !isEnd(parser, StringCharCodeAt(parser.input, at))) at++;
  return at;
}

function endsAuthority(parser, unit) {
  return unit === SLASH || unit === QUESTION || unit === HASH || (unit === BACKSLASH && isSpecial(parser.url));
}

function isQuestionOrHash(parser, unit) {
  return unit === QUESTION || unit === HASH;
}

function isHash(parser, unit) {
  return unit === HASH;
}

function startQuery(parser) {
  parser.url.query = '';
  parser.state = QUERY;
  parser.at++;
}

function startFragment(parser) {
  parser.url.fragment = '';
  parser.state = FRAGMENT;
  parser.at++;
}

function schemeStart(parser) {
  if (isAlpha(unitAt(parser, parser.at))) parser.state = SCHEME;
  else if (parser.override === undefined) parser.state = NO_SCHEME;
  else return FAILURE;
  return undefined;
}

function isSchemeUnit(unit) {
  return isAlpha(unit) || isDigit(unit) || unit === 0x2b || unit === 0x2d || unit === 0x2e;
}

function scheme(parser) {
  const { url, base, override } = parser;
  let end = parser.at;
  while (isSchemeUnit(unitAt(parser, end))) end++;
  if (unitAt(parser, end) !== COLON) {
    if (override !== undefined) return FAILURE;
    parser.state = NO_SCHEME;
    return undefined;
  }
  const name = asciiLowercase(StringSlice(parser.input, parser.at, end));
  if (override !== undefined) return changeScheme(url, name);
  url.scheme = name;
  parser.at = end + 1;
  if (name === 'file') parser.state = FILE;
  else if (isSpecial(url)) {
    const same = base !== undefined && base.scheme === name;
    parser.state = same ? SPECIAL_RELATIVE_OR_AUTHORITY : SPECIAL_AUTHORITY_SLASHES;
  } else if (unitAt(parser, parser.at) === SLASH) {
    parser.state = PATH_OR_AUTHORITY;
    parser.at++;
  } else {
    url.path = '';
    parser.state = OPAQUE_PATH;
  }
  return undefined;
}

function changeScheme(url, name) {
  if (isSpecial(url) !== (defaultPorts[name] !== undefined)) return DONE;
  if (name === 'file' && (url.username !== '' || url.password !== '' || url.port !== null)) return DONE;
  if (url.scheme === 'file' && url.host === '') return DONE;
  url.scheme = name;
  if (url.port === defaultPorts[name]) url.port = null;
  return DONE;
}

function noScheme(parser) {
  const { url, base } = parser;
  parser.at = 0;
  const unit = unitAt(parser, 0);
  if (base === undefined || (hasOpaquePath(base) && unit !== HASH)) return FAILURE;
  if (hasOpaquePath(base)) {
    url.scheme = base.scheme;
    url.path = base.path;
    url.query = base.query;
    startFragment(parser);
  } else parser.state = base.scheme === 'file' ? FILE : RELATIVE;
  return undefined;
}

function specialRelativeOrAuthority(parser) {
  if (unitAt(parser, parser.at) === SLASH && unitAt(parser, parser.at + 1) === SLASH) {
    parser.at += 2;
    parser.state = SPECIAL_AUTHORITY_IGNORE_SLASHES;
  } else parser.state = RELATIVE;
}

function pathOrAuthority(parser) {
  if (unitAt(parser, parser.at) === SLASH) {
    parser.at++;
    parser.state = AUTHORITY;
  } else parser.state = PATH;
}

function relative(parser) {
  const { url, base } = parser;
  url.scheme = base.scheme;
  const unit = unitAt(parser, parser.at);
  if (isSlash(parser, unit)) {
    parser.at++;
    parser.state = RELATIVE_SLASH;
    return;
  }
  copyAuthority(url, base);
  relativePath(parser);
}

// What follows the authority of a relative reference, after base's path was taken over.
function relativePath(parser) {
  const { url, base } = parser;
  copyPath(url, base);
  url.query = base.query;
  const unit = unitAt(parser, parser.at);
  if (unit === QUESTION) startQuery(parser);
  else if (unit === HASH) startFragment(parser);
  else if (unit === EOF) parser.state = PATH_END;
  else {
    url.query = null;
    shortenPath(url);
    parser.state = PATH;
  }
}

function relativeSlash(parser) {
  const unit = unitAt(parser, parser.at);
  if (isSpecial(parser.url) && (unit === SLASH || unit === BACKSLASH)) {
    parser.at++;
    parser.state = SPECIAL_AUTHORITY_IGNORE_SLASHES;
  } else if (unit === SLASH) {
    parser.at++;
    parser.state = AUTHORITY;
  } else {
    copyAuthority(parser.url, parser.base);
    parser.state = PATH;
  }
}

function specialAuthoritySlashes(parser) {
  if (unitAt(parser, parser.at) === SLASH && unitAt(parser, parser.at + 1) === SLASH) parser.at += 2;
  parser.state = SPECIAL_AUTHORITY_IGNORE_SLASHES;
}

function specialAuthorityIgnoreSlashes(parser) {
  let unit = unitAt(parser, parser.at);
  while (unit === SLASH || unit === BACKSLASH) unit = unitAt(parser, ++parser.at);
  parser.state = AUTHORITY;
}

function authority(parser) {
  const { url } = parser;
  const end = find(parser, parser.at, endsAuthority);
  const text = StringSlice(parser.input, parser.at, end);
  const sign = StringLastIndexOf(text, '@');
  if (sign !== -1) {
    if (sign === text.length - 1) return FAILURE;
    const credentials = StringSlice(text, 0, sign);
    const colon = StringIndexOf(credentials, ':');
    const username = colon === -1 ? credentials : StringSlice(credentials, 0, colon);
    url.username = percentEncode(username, encodeSets.userinfo);
    if (colon !== -1) url.password = percentEncode(StringSlice(credentials, colon + 1), encodeSets.userinfo);
    parser.at += sign + 1;
  }
  parser.state = HOST;
  return undefined;
}

function hostState(parser) {
  const { url, override } = parser;
  if (override !== undefined && url.scheme === 'file') {
    parser.state = FILE_HOST;
    return undefined;
  }
  const { at } = parser;
  let end = at;
  let inBrackets = false;
  for (;; end++) {
    const unit = unitAt(parser, end);
    if (unit === EOF || endsAuthority(parser, unit) || (unit === COLON && !inBrackets)) break;
    if (unit === 0x5b) inBrackets = true;
    if (unit === 0x5d) inBrackets = false;
  }
  const text = StringSlice(parser.input, at, end);
  const colon = unitAt(parser, end) === COLON;
  if (colon) {
    if (text === '' || override === HOSTNAME) return FAILURE;
  } else {
    if (text === '' && isSpecial(url)) return FAILURE;
    if (override !== undefined && text === '' && (url.username !== '' || url.password !== '' || url.port !== null)) {
      return FAILURE;
    }
  }
  const host = parseHost(text, !isSpecial(url));
  if (host === undefined) return FAILURE;
  url.host = host;
  parser.at = colon ? end + 1 : end;
  parser.state = colon ? PORT : PATH_START;
  return !colon && override !== undefined ? DONE : undefined;
}

function portState(parser) {
  const { url, override } = parser;
  let end = parser.at;
  let port = 0;
  for (let unit = unitAt(parser, end); isDigit(unit); unit = unitAt(parser, ++end)) {
    if (port <= 65535) port = port * 10 + unit - 0x30;
  }
  const unit = unitAt(parser, end);
  if (unit !== EOF && !endsAuthority(parser, unit) && override === undefined) return FAILURE;
  if (end > parser.at) {
    if (port > 65535) return FAILURE;
    url.port = port === defaultPorts[url.scheme] ? null : port;
    if (override !== undefined) return DONE;
  }
  if (override !== undefined) return FAILURE;
  parser.at = end;
  parser.state = PATH_START;
  return undefined;
}

function file(parser) {
  const { url, base } = parser;
  url.scheme = 'file';
  url.host = '';
  const unit = unitAt(parser, parser.at);
  if (unit === SLASH || unit === BACKSLASH) {
    parser.at++;
    parser.state = FILE_SLASH;
    return;
  }
  if (base === undefined || base.scheme !== 'file') {
    parser.state = PATH;
    return;
  }
  url.host = base.host;
  if (unit !== QUESTION && unit !== HASH && unit !== EOF && startsWithDriveLetter(parser.input, parser.at)) {
    url.path = newList();
    parser.state = PATH;
    return;
  }
  relativePath(parser);
}

function fileSlash(parser) {
  const { url, base } = parser;
  const unit = unitAt(parser, parser.at);
  if (unit === SLASH || unit === BACKSLASH) {
    parser.at++;
    parser.state = FILE_HOST;
    return;
  }
  if (base !== undefined && base.scheme === 'file') {
    url.host = base.host;
    const first = base.path.length > 0 ? base.path[0] : '';
    if (!startsWithDriveLetter(parser.input, parser.at) && isNormalizedDriveLetter(first)) append(url.path, first);
  }
  parser.state = PATH;
}

function endsFileHost(parser, unit) {
  return unit === SLASH || unit === BACKSLASH || unit === QUESTION || unit === HASH;
}

function fileHost(parser) {
  const { url, override } = parser;
  const end = find(parser, parser.at, endsFileHost);
  const text = StringSlice(parser.input, parser.at, end);
  if (override === undefined && isDriveLetter(text)) {
    parser.state = PATH;
    return undefined;
  }
  if (text === '') url.host = '';
  else {
    const host = parseHost(text, !isSpecial(url));
    if (host === undefined) return FAILURE;
    url.host = host === 'localhost' ? '' : host;
  }
  parser.at = end;
  parser.state = PATH_START;
  return override === undefined ? undefined : DONE;
}

function pathStart(parser) {
  const { url, override } = parser;
  const unit = unitAt(parser, parser.at);
  if (isSpecial(url)) {
    parser.state = PATH;
    if (unit === SLASH || unit === BACKSLASH) parser.at++;
  } else if (override === undefined && unit === QUESTION) startQuery(parser);
  else if (override === undefined && unit === HASH) startFragment(parser);
  else if (unit !== EOF) {
    parser.state = PATH;
    if (unit === SLASH) parser.at++;
  } else {
    if (override !== undefined && url.host === null) append(url.path, '');
    parser.state = PATH_END;
  }
}

function path(parser) {
  const { url, override } = parser;
  for (;;) {
    let end = parser.at;
    let unit = unitAt(parser, end);
    while (unit !== EOF && !isSlash(parser, unit) && (override !== undefined || !isQuestionOrHash(parser, unit))) {
      unit = unitAt(parser, ++end);
    }
    let segment = percentEncode(StringSlice(parser.input, parser.at, end), encodeSets.path);
    const slash = isSlash(parser, unit);
    if (isDoubleDot(segment)) {
      shortenPath(url);
      if (!slash) append(url.path, '');
    } else if (isSingleDot(segment)) {
      if (!slash) append(url.path, '');
    } else {
      if (url.scheme === 'file' && url.path.length === 0 && isDriveLetter(segment)) segment = `${segment[0]}:`;
      append(url.path, segment);
    }
    parser.at = end;
    if (slash) {
      parser.at++;
      continue;
    }
    if (unit === QUESTION) startQuery(parser);
    else if (unit === HASH) startFragment(parser);
    else parser.state = PATH_END;
    return;
  }
}

function opaquePath(parser) {
  const end = find(parser, parser.at, isQuestionOrHash);
  let text = StringSlice(parser.input, parser.at, end);
  if (end < parser.input.length && text[text.length - 1] === ' ') text = `${StringSlice(text, 0, -1)}%20`;
  parser.url.path = percentEncode(text, encodeSets.control);
  parser.at = end;
  const unit = unitAt(parser, end);
  if (unit === QUESTION) startQuery(parser);
  else if (unit === HASH) startFragment(parser);
  else parser.state = PATH_END;
}

function query(parser) {
  const { url, override } = parser;
  const end = override === undefined ? find(parser, parser.at, isHash) : parser.input.length;
  const set = isSpecial(url) ? encodeSets.specialQuery : encodeSets.query;
  url.query += percentEncode(StringSlice(parser.input, parser.at, end), set);
  parser.at = end;
  if (unitAt(parser, end) === HASH) startFragment(parser);
  else parser.state = PATH_END;
}

function fragmentState(parser) {
  parser.url.fragment += percentEncode(StringSlice(parser.input, parser.at), encodeSets.fragment);
  return DONE;
}

function done() {
  return DONE;
}

const steps = [
  schemeStart, scheme, noScheme, specialRelativeOrAuthority, pathOrAuthority, relative, relativeSlash,
  specialAuthoritySlashes, specialAuthorityIgnoreSlashes, authority, hostState, hostState, portState, file, fileSlash,
  fileHost, pathStart, path, opaquePath, query, fragmentState, done,
];

function isDriveLetter(text) {
  return text.length === 2 && isAlpha(StringCharCodeAt(text, 0)) && (text[1] === ':' || text[1] === '|');
}

function isNormalizedDriveLetter(text) {
  return text.length === 2 && isAlpha(StringCharCodeAt(text, 0)) && text[1] === ':';
}

function startsWithDriveLetter(text, at) {
  if (!isDriveLetter(StringSlice(text, at, at + 2))) return false;
  if (text.length === at + 2) return true;
  const unit = StringCharCodeAt(text, at + 2);
  return unit === SLASH || unit === BACKSLASH || unit === QUESTION || unit === HASH;
}

function isSingleDot(segment) {
  return segment === '.' || (segment.length === 3 && asciiLowercase(segment) === '%2e');
}

function isDoubleDot(segment) {
  if (segment === '..') return true;
  if (segment.length !== 4 && segment.length !== 6) return false;
  const lower = asciiLowercase(segment);
  return lower === '.%2e' || lower === '%2e.' || lower === '%2e%2e';
}

function shortenPath(url) {
  const { path: segments } = url;
  if (url.scheme === 'file' && segments.length === 1 && isNormalizedDriveLetter(segments[0])) return;
  if (segments.length > 0) segments.length--;
}

/** A record's path as text. */
function serializePath(url) {
  if (hasOpaquePath(url)) return url.path;
  let text = '';
  for (let index = 0; index < url.path.length; index++) text += `/${url.path[index]}`;
  return text;
}

/** A record as text. */
function serializeUrl(url, withoutFragment = false) {
  let text = `${url.scheme}:`;
  if (url.host !== null) {
    text += '//';
    if (url.username !== '' || url.password !== '') {
      text += url.username;
      if (url.password !== '') text += `:${url.password}`;
      text += '@';
    }
    text += url.host;
    if (url.port !== null) text += `:${url.port}`;
  } else if (!hasOpaquePath(url) && url.path.length > 1 && url.path[0] === '') text += '/.';
  text += serializePath(url);
  if (url.query !== null) text += `?${url.query}`;
  if (!withoutFragment && url.fragment !== null) text += `#${url.fragment}`;
  return text;
}

/** The serialized origin of a record. */
function serializeOrigin(url) {
  if (url.scheme === 'blob') {
    const inner = parseUrl(serializePath(url));
    const web = inner !== undefined && (inner.scheme === 'http' || inner.scheme === 'https');
    return web ? serializeOrigin(inner) : 'null';
  }
  if (!isSpecial(url) || url.scheme === 'file') return 'null';
  return `${url.scheme}://${url.host}${url.port === null ? '' : `:${url.port}`}`;
}

return { __proto__: null, isSpecial: isSpecial, hasOpaquePath: hasOpaquePath, cannotHaveCredentials: cannotHaveCredentials, SCHEME_START: SCHEME_START, HOST: HOST, HOSTNAME: HOSTNAME, PORT: PORT, PATH_START: PATH_START, QUERY: QUERY, FRAGMENT: FRAGMENT, copyRecord: copyRecord, parseUrl: parseUrl, parseInto: parseInto, serializePath: serializePath, serializeUrl: serializeUrl, serializeOrigin: serializeOrigin };
})();
// url-search-params.js
const m_url_search_params_js = (function () {
const { append, ArraySort, newList, StringSlice, SymbolIterator, toArray } = m_primordials_js;
const {
  defineInterface, definePairIterable, illegalInvocation, isObject, record, requireArguments, sequence, sequenceFrom,
  typeError, USVString,
} = m_webidl_js;
const { parseUrlencoded, serializeUrlencoded } = m_url_encoding_js;
// URL: URLSearchParams.




const pairSequence = sequence(sequence(USVString));
const stringRecord = record(USVString, USVString);

function initialPairs(init, context) {
  if (isObject(init)) {
    const method = init[SymbolIterator];
    if (method === undefined || method === null) return stringRecord(init, context);
    const pairs = sequenceFrom(init, method, sequence(USVString), context);
    const list = newList();
    for (let index = 0; index < pairs.length; index++) {
      if (pairs[index].length !== 2) throw typeError(context, 'Each pair must be an iterable of two items.');
      append(list, [pairs[index][0], pairs[index][1]]);
    }
    return list;
  }
  const text = USVString(init, context);
  return parseUrlencoded(text[0] === '?' ? StringSlice(text, 1) : text);
}

let isParams;
let pairsOf;
let attach;
let replace;

class URLSearchParams {
  #pairs;
  #onUpdate = undefined;

  static {
    isParams = (value) => isObject(value) && #pairs in value;
    pairsOf = (params) => (isParams(params) ? params.#pairs : illegalInvocation());
    attach = (params, onUpdate) => {
      params.#onUpdate = onUpdate;
    };
    replace = (params, pairs) => {
      params.#pairs = pairs;
    };
  }

  constructor(init = '') {
    this.#pairs = initialPairs(init, "Failed to construct 'URLSearchParams'");
  }

  get size() { return pairsOf(this).length; }

  append(name, value) {
    const pairs = pairsOf(this);
    const context = "Failed to execute 'append' on 'URLSearchParams'";
    requireArguments(arguments.length, 2, context);
    append(pairs, [USVString(name, context), USVString(value, context)]);
    this.#update();
  }

  delete(name, value = undefined) {
    const pairs = pairsOf(this);
    const context = "Failed to execute 'delete' on 'URLSearchParams'";
    requireArguments(arguments.length, 1, context);
    name = USVString(name, context);
    if (value !== undefined) value = USVString(value, context);
    this.#keep(pairs, (pair) => pair[0] !== name || (value !== undefined && pair[1] !== value));
    this.#update();
  }

  get(name) {
    const pairs = pairsOf(this);
    const context = "Failed to execute 'get' on 'URLSearchParams'";
    requireArguments(arguments.length, 1, context);
    name = USVString(name, context);
    for (let index = 0; index < pairs.length; index++) if (pairs[index][0] === name) return pairs[index][1];
    return null;
  }

  getAll(name) {
    const pairs = pairsOf(this);
    const context = "Failed to execute 'getAll' on 'URLSearchParams'";
    requireArguments(arguments.length, 1, context);
    name = USVString(name, context);
    const values = newList();
    for (let index = 0; index < pairs.length; index++) if (pairs[index][0] === name) append(values, pairs[index][1]);
    return toArray(values);
  }

  has(name, value = undefined) {
    const pairs = pairsOf(this);
    const context = "Failed to execute 'has' on 'URLSearchParams'";
    requireArguments(arguments.length, 1, context);
    name = USVString(name, context);
    if (value !== undefined) value = USVString(value, context);
    for (let index = 0; index < pairs.length; index++) {
      if (pairs[index][0] === name && (value === undefined || pairs[index][1] === value)) return true;
    }
    return false;
  }

  set(name, value) {
    const pairs = pairsOf(this);
    const context = "Failed to execute 'set' on 'URLSearchParams'";
    requireArguments(arguments.length, 2, context);
    name = USVString(name, context);
    value = USVString(value, context);
    let found = false;
    this.#keep(pairs, (pair) => {
      if (pair[0] !== name) return true;
      if (found) return false;
      found = true;
      pair[1] = value;
      return true;
    });
    if (!found) append(pairs, [name, value]);
    this.#update();
  }

  sort() {
    const pairs = pairsOf(this);
    ArraySort(pairs, (left, right) => (left[0] < right[0] ? -1 : left[0] > right[0] ? 1 : 0));
    this.#update();
  }

  toString() {
    return serializeUrlencoded(pairsOf(this));
  }

  #keep(pairs, wanted) {
    let kept = 0;
    for (let index = 0; index < pairs.length; index++) if (wanted(pairs[index])) pairs[kept++] = pairs[index];
    pairs.length = kept;
  }

  #update() {
    if (this.#onUpdate !== undefined) this.#onUpdate(serializeUrlencoded(this.#pairs));
  }
}

defineInterface(URLSearchParams, { __proto__: null, length: 0 });
definePairIterable(URLSearchParams, isParams, pairsOf);

/** Whether a value is a URLSearchParams. */


/** The text of a URLSearchParams. */
function serializeParams(params) {
  return serializeUrlencoded(pairsOf(params));
}

/** The URLSearchParams of a URL: `onUpdate` receives the new query text after each change. */
function paramsOfUrl(query, onUpdate) {
  const params = new URLSearchParams();
  attach(params, onUpdate);
  replace(params, parseUrlencoded(query));
  return params;
}

/** Gives the URLSearchParams of a URL the pairs of the URL's new query. */
function refreshParams(params, query) {
  replace(params, parseUrlencoded(query));
}

const globals = { __proto__: null, URLSearchParams };

return { __proto__: null, URLSearchParams: URLSearchParams, serializeParams: serializeParams, paramsOfUrl: paramsOfUrl, refreshParams: refreshParams, globals: globals, isURLSearchParams: isParams };
})();
// url.js
const m_url_js = (function () {
const { newList, StringSlice } = m_primordials_js;
const { defineInterface, illegalInvocation, isObject, requireArguments, typeError, USVString } = m_webidl_js;
const {
  cannotHaveCredentials, FRAGMENT, hasOpaquePath, HOST, HOSTNAME, parseInto, parseUrl, PATH_START, PORT,
  QUERY, SCHEME_START, serializeOrigin, serializePath, serializeUrl,
} = m_url_record_js;
const { encodeSets, percentEncode } = m_url_encoding_js;
const { paramsOfUrl, refreshParams } = m_url_search_params_js;
// URL: the URL class.






let isUrl;
let recordOf;

function parseWithBase(url, base) {
  if (base === undefined) return parseUrl(url);
  const baseRecord = parseUrl(base);
  return baseRecord === undefined ? undefined : parseUrl(url, baseRecord);
}

function parseArguments(url, base, count, context) {
  requireArguments(count, 1, context);
  url = USVString(url, context);
  if (base !== undefined) base = USVString(base, context);
  return parseWithBase(url, base);
}

const given = { __proto__: null };

class URL {
  #record;
  #params = undefined;

  static {
    isUrl = (value) => isObject(value) && #record in value;
    recordOf = (url) => (isUrl(url) ? url.#record : illegalInvocation());
  }

  constructor(url, base = undefined) {
    if (base === given) {
      this.#record = url;
      return;
    }
    const context = "Failed to construct 'URL'";
    const record = parseArguments(url, base, arguments.length, context);
    if (record === undefined) throw typeError(context, 'Invalid URL');
    this.#record = record;
  }

  static parse(url, base = undefined) {
    const record = parseArguments(url, base, arguments.length, "Failed to execute 'parse' on 'URL'");
    return record === undefined ? null : new URL(record, given);
  }

  static canParse(url, base = undefined) {
    return parseArguments(url, base, arguments.length, "Failed to execute 'canParse' on 'URL'") !== undefined;
  }

  get href() { return serializeUrl(recordOf(this)); }
  set href(value) {
    recordOf(this);
    const context = "Failed to set the 'href' property on 'URL'";
    const record = parseUrl(USVString(value, context));
    if (record === undefined) throw typeError(context, 'Invalid URL');
    this.#record = record;
    this.#refresh();
  }

  toJSON() { return serializeUrl(recordOf(this)); }
  toString() { return serializeUrl(recordOf(this)); }

  get origin() { return serializeOrigin(recordOf(this)); }

  get protocol() { return `${recordOf(this).scheme}:`; }
  set protocol(value) {
    const record = recordOf(this);
    parseInto(record, `${USVString(value, "Failed to set the 'protocol' property on 'URL'")}:`, SCHEME_START);
  }

  get username() { return recordOf(this).username; }
  set username(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'username' property on 'URL'");
    if (!cannotHaveCredentials(record)) record.username = percentEncode(value, encodeSets.userinfo);
  }

  get password() { return recordOf(this).password; }
  set password(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'password' property on 'URL'");
    if (!cannotHaveCredentials(record)) record.password = percentEncode(value, encodeSets.userinfo);
  }

  get host() {
    const { host, port } = recordOf(this);
    if (host === null) return '';
    return port === null ? host : `${host}:${port}`;
  }
  set host(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'host' property on 'URL'");
    if (!hasOpaquePath(record)) parseInto(record, value, HOST);
  }

  get hostname() { return recordOf(this).host ?? ''; }
  set hostname(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'hostname' property on 'URL'");
    if (!hasOpaquePath(record)) parseInto(record, value, HOSTNAME);
  }

  get port() {
    const { port } = recordOf(this);
    return port === null ? '' : `${port}`;
  }
  set port(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'port' property on 'URL'");
    if (cannotHaveCredentials(record)) return;
    if (value === '') record.port = null;
    else parseInto(record, value, PORT);
  }

  get pathname() { return serializePath(recordOf(this)); }
  set pathname(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'pathname' property on 'URL'");
    if (hasOpaquePath(record)) return;
    record.path = newList();
    parseInto(record, value, PATH_START);
  }

  get search() {
    const { query } = recordOf(this);
    return query === null || query === '' ? '' : `?${query}`;
  }
  set search(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'search' property on 'URL'");
    if (value === '') record.query = null;
    else {
      record.query = '';
      parseInto(record, value[0] === '?' ? StringSlice(value, 1) : value, QUERY);
    }
    this.#refresh();
  }

  get searchParams() {
    const { query } = recordOf(this);
    this.#params ??= paramsOfUrl(query ?? '', (text) => {
      this.#record.query = text === '' ? null : text;
    });
    return this.#params;
  }

  get hash() {
    const { fragment } = recordOf(this);
    return fragment === null || fragment === '' ? '' : `#${fragment}`;
  }
  set hash(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'hash' property on 'URL'");
    if (value === '') record.fragment = null;
    else {
      record.fragment = '';
      parseInto(record, value[0] === '#' ? StringSlice(value, 1) : value, FRAGMENT);
    }
  }

  #refresh() {
    if (this.#params !== undefined) refreshParams(this.#params, this.#record.query ?? '');
  }
}

defineInterface(URL);

/** Whether a value is a URL. */


const globals = { __proto__: null, URL };

return { __proto__: null, URL: URL, globals: globals, isURL: isUrl };
})();
// library.js
const m_library_js = (function () {
const { ObjectDefineProperty, ReflectOwnKeys } = m_primordials_js;
const { globals : abort } = m_abort_js;
const { operations : base64 } = m_base64_js;
const { attributes : caches } = m_caches_js;
const { attributes : cryptoAttributes, globals : crypto } = m_crypto_js;
const { globals : domException } = m_dom_exception_js;
const { globals : encoding } = m_encoding_js;
const { globals : events } = m_events_js;
const {
  attributes : scopeAttributes, becomeEventTarget, globals : scope, operations : scopeOperations,
} = m_global_scope_js;
const { attributes : performanceAttributes, globals : performance } = m_performance_js;
const { operations : structuredClone } = m_structured_clone_js;
const { globals : url } = m_url_js;
const { globals : urlSearchParams } = m_url_search_params_js;
// The list of what the library puts on the global object, and the one place that puts it there.














// Interfaces are not enumerable; operations are. Attributes are kept as data properties, writable like the
// minimum common web API allows, so that a program can put its own object in their place.
const interfaces = [abort, crypto, domException, encoding, events, performance, scope, url, urlSearchParams];
const operations = [base64, scopeOperations, structuredClone];
const attributes = [caches, cryptoAttributes, performanceAttributes, scopeAttributes];

function install(target, records, enumerable) {
  for (let index = 0; index < records.length; index++) {
    const names = ReflectOwnKeys(records[index]);
    for (let at = 0; at < names.length; at++) {
      ObjectDefineProperty(target, names[at], {
        __proto__: null, value: records[index][names[at]], writable: true, configurable: true, enumerable,
      });
    }
  }
}

/** Installs the library on the global object. */
function installLibrary(target) {
  install(target, interfaces, false);
  install(target, operations, true);
  install(target, attributes, true);
  becomeEventTarget();
}

return { __proto__: null, installLibrary: installLibrary };
})();
// index.js
const m_index_js = (function () {
const { console : consoleObject } = m_console_js;
const { commonJs } = m_internal_cjs_js;
const { describe, dispatch, expire, provider, settle } = m_internal_entry_js;
const { bindBase64, parseForDispatch, stringifyForDispatch } = m_internal_codec_js;
const { adoptHost } = m_internal_host_js;
const { removeUnlisted } = m_internal_allow_list_js;
const { clearInterval, clearTimeout, fireTimer, queueMicrotask, setInterval, setTimeout } = m_timers_js;
const { installLibrary } = m_library_js;
// The root of the library: what a realm holds before any program, and the handshake that hands it its host.









const { defineProperty } = Reflect;

function publish(name, value, enumerable) {
  defineProperty(globalThis, name, { __proto__: null, value, writable: true, configurable: true, enumerable });
}

installLibrary(globalThis);
publish('console', consoleObject, false);
publish('setTimeout', setTimeout, true);
publish('setInterval', setInterval, true);
publish('clearTimeout', clearTimeout, true);
publish('clearInterval', clearInterval, true);
publish('queueMicrotask', queueMicrotask, true);
removeUnlisted();

// The embedder reads this name once, deletes it, and calls it with the host's functions. The answer is what the
// embedder itself needs of the library; a program never sees either.
defineProperty(globalThis, '__hostBindings', {
  __proto__: null,
  configurable: true,
  value: (natives) => {
    adoptHost(natives);
    bindBase64();
    return {
      __proto__: null, commonJs, describe, dispatch, expire, fireTimer, parseForDispatch, provider, settle,
      stringifyForDispatch,
    };
  },
});

return { __proto__: null,  };
})();
})();
