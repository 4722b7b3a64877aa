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
  'File', 'FileReader', 'FormData', 'Headers', 'MessageChannel', 'MessageEvent', 'MessagePort', 'Navigator', 'Performance',
  'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure', 'PerformanceObserver', 'PerformanceObserverEntryList',
  'ProgressEvent', 'PromiseRejectionEvent', 'QuotaExceededError', 'ReadableByteStreamController', 'ReadableStream',
  'ReadableStreamBYOBReader', 'ReadableStreamBYOBRequest', 'ReadableStreamDefaultController',
  'ReadableStreamDefaultReader', 'Request', 'Response', 'SubtleCrypto', 'TextDecoder', 'TextDecoderStream',
  'TextEncoder', 'TextEncoderStream', 'TransformStream', 'TransformStreamDefaultController', 'URL', 'URLPattern',
  'URLSearchParams', 'WritableStream', 'WritableStreamDefaultController', 'WritableStreamDefaultWriter', 'atob',
  'btoa', 'caches', 'clearInterval', 'clearTimeout', 'console', 'crypto', 'fetch', 'navigator', 'onerror',
  'onrejectionhandled', 'onunhandledrejection', 'performance', 'queueMicrotask', 'reportError', 'self', 'setInterval',
  'setTimeout', 'structuredClone', 'addEventListener', 'removeEventListener', 'dispatchEvent',
];

// Removes every other name from the global object.
export function removeUnlisted() {
  const allowed = { __proto__: null };
  for (let index = 0; index < language.length; index++) allowed[language[index]] = true;
  for (let index = 0; index < platform.length; index++) allowed[platform[index]] = true;
  const names = ownKeys(globalThis);
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    if (typeof name === 'string' && allowed[name] === undefined) deleteProperty(globalThis, name);
  }
}
