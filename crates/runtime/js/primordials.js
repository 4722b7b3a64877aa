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

export const ReflectApply = Reflect.apply;
export const ReflectConstruct = Reflect.construct;
export const ReflectDefineProperty = Reflect.defineProperty;
export const ReflectDeleteProperty = Reflect.deleteProperty;
export const ReflectGetOwnPropertyDescriptor = Reflect.getOwnPropertyDescriptor;
export const ReflectGetPrototypeOf = Reflect.getPrototypeOf;
export const ReflectOwnKeys = Reflect.ownKeys;
export const ReflectGet = Reflect.get;
export const ReflectHas = Reflect.has;

export const ErrorCaptureStackTrace = Error.captureStackTrace;

export const ObjectAssign = Object.assign;
export const ObjectCreate = Object.create;
export const ObjectDefineProperty = Object.defineProperty;
export const ObjectFreeze = Object.freeze;
export const ObjectGetOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;
export const ObjectGetOwnPropertyNames = Object.getOwnPropertyNames;
export const ObjectGetPrototypeOf = Object.getPrototypeOf;
export const ObjectHasOwn = Object.hasOwn;
export const ObjectIs = Object.is;
export const ObjectKeys = Object.keys;
export const ObjectSetPrototypeOf = Object.setPrototypeOf;
export const ObjectPrototype = Object.prototype;
export const ObjectToString = uncurry(Object.prototype.toString);

// The constructors themselves, for call sites that must not read a replaced global.
export const ArrayCtor = Array;
export const ArrayBufferCtor = ArrayBuffer;
export const BigIntCtor = BigInt;
export const BooleanCtor = Boolean;
export const DataViewCtor = DataView;
export const DateCtor = Date;
export const ErrorCtor = Error;
export const EvalErrorCtor = EvalError;
export const MapCtor = Map;
export const NumberCtor = Number;
export const ObjectCtor = Object;
export const PromiseCtor = Promise;
export const RangeErrorCtor = RangeError;
export const ReferenceErrorCtor = ReferenceError;
export const RegExpCtor = RegExp;
export const SetCtor = Set;
export const StringCtor = String;
export const SyntaxErrorCtor = SyntaxError;
export const TypeErrorCtor = TypeError;
export const URIErrorCtor = URIError;
export const Uint8ArrayCtor = Uint8Array;
export const Uint16ArrayCtor = Uint16Array;
export const Uint32ArrayCtor = Uint32Array;
export const WeakMapCtor = WeakMap;
export const WeakRefCtor = WeakRef;
export const WeakSetCtor = WeakSet;

export const SymbolIterator = Symbol.iterator;
export const SymbolAsyncIterator = Symbol.asyncIterator;
export const SymbolToStringTag = Symbol.toStringTag;
export const SymbolSpecies = Symbol.species;
export const SymbolFor = Symbol.for;

export const ArrayIsArray = Array.isArray;
export const ArrayJoin = uncurry(Array.prototype.join);
export const ArrayPush = uncurry(Array.prototype.push);
export const ArrayShift = uncurry(Array.prototype.shift);
export const ArraySlice = uncurry(Array.prototype.slice);
export const ArraySort = uncurry(Array.prototype.sort);
export const ArrayIncludes = uncurry(Array.prototype.includes);
export const ArrayIndexOf = uncurry(Array.prototype.indexOf);
export const ArrayIteratorPrototype = Reflect.getPrototypeOf([][Symbol.iterator]());
export const IteratorPrototype = Reflect.getPrototypeOf(ArrayIteratorPrototype);
export const AsyncIteratorPrototype = Reflect.getPrototypeOf(
  Reflect.getPrototypeOf(async function* () {}).prototype,
);

export const StringCharCodeAt = uncurry(String.prototype.charCodeAt);
export const StringCodePointAt = uncurry(String.prototype.codePointAt);
export const StringEndsWith = uncurry(String.prototype.endsWith);
export const StringFromCharCode = String.fromCharCode;
export const StringFromCodePoint = String.fromCodePoint;
export const StringIncludes = uncurry(String.prototype.includes);
export const StringIndexOf = uncurry(String.prototype.indexOf);
export const StringIsWellFormed = uncurry(String.prototype.isWellFormed);
export const StringLastIndexOf = uncurry(String.prototype.lastIndexOf);
export const StringNormalize = uncurry(String.prototype.normalize);
export const StringPadStart = uncurry(String.prototype.padStart);
export const StringRepeat = uncurry(String.prototype.repeat);
export const StringSlice = uncurry(String.prototype.slice);
export const StringStartsWith = uncurry(String.prototype.startsWith);
export const StringToLowerCase = uncurry(String.prototype.toLowerCase);
export const StringToUpperCase = uncurry(String.prototype.toUpperCase);
export const StringToWellFormed = uncurry(String.prototype.toWellFormed);

export const NumberToString = uncurry(Number.prototype.toString);
export const NumberIsFinite = Number.isFinite;
export const NumberIsInteger = Number.isInteger;
export const NumberIsNaN = Number.isNaN;
export const BigIntAsUintN = BigInt.asUintN;
export const MathAbs = Math.abs;
export const MathCeil = Math.ceil;
export const MathFloor = Math.floor;
export const MathFround = Math.fround;
export const MathMax = Math.max;
export const MathMin = Math.min;
export const MathSign = Math.sign;
export const MathTrunc = Math.trunc;
export const MathRound = Math.round;

export const JSONParse = JSON.parse;
export const JSONStringify = JSON.stringify;
export const DateNow = Date.now;
export const DateGetTime = uncurry(Date.prototype.getTime);
export const BooleanValueOf = uncurry(Boolean.prototype.valueOf);
export const NumberValueOf = uncurry(Number.prototype.valueOf);
export const StringValueOf = uncurry(String.prototype.valueOf);
export const BigIntValueOf = uncurry(BigInt.prototype.valueOf);

export const MapGet = uncurry(Map.prototype.get);
export const MapHas = uncurry(Map.prototype.has);
export const MapSet = uncurry(Map.prototype.set);
export const MapDelete = uncurry(Map.prototype.delete);
export const MapForEach = uncurry(Map.prototype.forEach);
export const MapSize = uncurry(Reflect.getOwnPropertyDescriptor(Map.prototype, 'size').get);
export const MapEntries = uncurry(Map.prototype.entries);
export const MapIteratorNext = uncurry(Reflect.getPrototypeOf(new Map().entries()).next);
export const SetAdd = uncurry(Set.prototype.add);
export const SetHas = uncurry(Set.prototype.has);
export const SetDelete = uncurry(Set.prototype.delete);
export const SetForEach = uncurry(Set.prototype.forEach);
export const SetSize = uncurry(Reflect.getOwnPropertyDescriptor(Set.prototype, 'size').get);
export const WeakMapGet = uncurry(WeakMap.prototype.get);
export const WeakMapHas = uncurry(WeakMap.prototype.has);
export const WeakMapSet = uncurry(WeakMap.prototype.set);
export const WeakMapDelete = uncurry(WeakMap.prototype.delete);
export const WeakRefDeref = uncurry(WeakRef.prototype.deref);

export const RegExpExec = uncurry(RegExp.prototype.exec);
export const RegExpGetSource = uncurry(Reflect.getOwnPropertyDescriptor(RegExp.prototype, 'source').get);
export const RegExpGetFlags = uncurry(Reflect.getOwnPropertyDescriptor(RegExp.prototype, 'flags').get);

export const PromiseResolve = Promise.resolve.bind(Promise);
export const PromiseReject = Promise.reject.bind(Promise);

const TypedArrayPrototype = Reflect.getPrototypeOf(Uint8Array.prototype);
const getter = (prototype, name) => uncurry(Reflect.getOwnPropertyDescriptor(prototype, name).get);
export const TypedArrayGetBuffer = getter(TypedArrayPrototype, 'buffer');
export const TypedArrayGetByteLength = getter(TypedArrayPrototype, 'byteLength');
export const TypedArrayGetByteOffset = getter(TypedArrayPrototype, 'byteOffset');
export const TypedArrayGetLength = getter(TypedArrayPrototype, 'length');
export const TypedArrayGetTag = getter(TypedArrayPrototype, Symbol.toStringTag);
export const TypedArrayKeys = uncurry(TypedArrayPrototype.keys);
export const TypedArraySet = uncurry(TypedArrayPrototype.set);
export const TypedArrayFill = uncurry(TypedArrayPrototype.fill);
export const DataViewGetBuffer = getter(DataView.prototype, 'buffer');
export const DataViewGetByteLength = getter(DataView.prototype, 'byteLength');
export const DataViewGetByteOffset = getter(DataView.prototype, 'byteOffset');
export const ArrayBufferIsView = ArrayBuffer.isView;
export const ArrayBufferGetByteLength = getter(ArrayBuffer.prototype, 'byteLength');
export const ArrayBufferGetDetached = getter(ArrayBuffer.prototype, 'detached');
export const ArrayBufferGetResizable = getter(ArrayBuffer.prototype, 'resizable');
export const ArrayBufferGetMaxByteLength = getter(ArrayBuffer.prototype, 'maxByteLength');
export const ArrayBufferTransfer = uncurry(ArrayBuffer.prototype.transfer);
export const SharedArrayBufferGetByteLength =
  typeof SharedArrayBuffer === 'undefined' ? undefined : getter(SharedArrayBuffer.prototype, 'byteLength');

/** The constructors of all typed arrays by the name their `Symbol.toStringTag` answers. */
export const TypedArrayConstructors = { __proto__: null };
for (const name of ReflectOwnKeys(globalThis)) {
  const value = ReflectGetOwnPropertyDescriptor(globalThis, name).value;
  if (typeof value === 'function' && ReflectGetPrototypeOf(value) === TypedArrayPrototype.constructor) {
    TypedArrayConstructors[name] = value;
  }
}

const then = uncurry(Promise.prototype.then);
const promiseSpecies = Reflect.getOwnPropertyDescriptor(Promise, Symbol.species).get;
const PromisePrototype = Promise.prototype;

/**
 * Reacts to a promise. `then` asks the promise for its constructor, which a program may have replaced; where it has,
 * the promise answers the default one for the length of the call.
 */
export function PromiseThen(promise, onFulfilled, onRejected) {
  const intact =
    holds(PromisePrototype, 'constructor', 'value', PromiseCtor) &&
    holds(PromiseCtor, SymbolSpecies, 'get', promiseSpecies);
  if (intact) {
    return then(promise, onFulfilled, onRejected);
  }
  const descriptor = { __proto__: null, value: undefined, configurable: true };
  if (!ReflectDefineProperty(promise, 'constructor', descriptor)) return then(promise, onFulfilled, onRejected);
  const derived = then(promise, onFulfilled, onRejected);
  ReflectDeleteProperty(promise, 'constructor');
  return derived;
}

// Whether a property still is what it was, asked without running anything of a program.
function holds(target, key, member, expected) {
  const descriptor = ReflectGetOwnPropertyDescriptor(target, key);
  return descriptor !== undefined && ObjectHasOwn(descriptor, member) && descriptor[member] === expected;
}

/** Bytes `start` to `end` of a Uint8Array, in the same memory. The method of that name asks for a constructor. */
export function subarray(bytes, start, end) {
  return new Uint8ArrayCtor(TypedArrayGetBuffer(bytes), TypedArrayGetByteOffset(bytes) + start, end - start);
}

/** A copy of bytes `start` to `end` of a Uint8Array. */
export function slice(bytes, start, end) {
  return new Uint8ArrayCtor(subarray(bytes, start, end));
}

/** A copy of bytes `start` to `end` of an ArrayBuffer, as an ArrayBuffer of that length. */
export function sliceBuffer(buffer, start, end) {
  return TypedArrayGetBuffer(new Uint8ArrayCtor(new Uint8ArrayCtor(buffer, start, end - start)));
}

// Arrays and records of these classes inherit from an empty object without a prototype, so that no accessor can stand
// behind what they hold. An object literal with a null prototype would do, and is several times as slow.
class List extends Array {}
delete List.prototype.constructor;
ObjectSetPrototypeOf(List.prototype, null);

/** An empty growing list. */
export function newList() {
  return new List();
}

/** Takes everything inherited away from the instances of a class of plain records. */
export function sealRecord(Class) {
  ObjectSetPrototypeOf(Class.prototype, null);
}

/** Appends one item to a list made by `newList`. */
export function append(list, item) {
  list[list.length] = item;
}

/** An ordinary array holding the items of a list, for handing to a program. */
export function toArray(list) {
  return ArraySlice(list);
}

/** Records that a promise's rejection is handled. */
export function markHandled(promise) {
  PromiseThen(promise, undefined, ignore);
}

function ignore() {}

class Deferred {
  promise = undefined;
  resolve = undefined;
  reject = undefined;
  // For a holder that has to know whether it settled the promise.
  pending = false;
}

sealRecord(Deferred);

/** A pending promise with the functions that settle it. */
export function newPromise() {
  const deferred = new Deferred();
  deferred.promise = new PromiseCtor((resolve, reject) => {
    deferred.resolve = resolve;
    deferred.reject = reject;
  });
  return deferred;
}
