// Web IDL: how values cross from a program into the library, and what an interface looks like from outside.
//
// A converter is a function `(value, context) => converted`; `context` names the call for the error text, e.g.
// `Failed to execute 'append' on 'Headers'`. Converters compose: `sequence(DOMString)`, `nullable(ByteString)`.
import {
  append, ArrayBufferGetByteLength, ArrayBufferGetDetached, ArrayBufferGetResizable, ArrayBufferIsView,
  BigIntAsUintN, BigIntCtor, DataViewGetBuffer, DataViewGetByteLength, DataViewGetByteOffset, IteratorPrototype,
  MathAbs, MathFloor, MathFround, MathMax, MathMin, MathRound, MathSign, MathTrunc, newList, NumberCtor,
  NumberIsFinite, ObjectDefineProperty, ObjectGetOwnPropertyDescriptor, ObjectSetPrototypeOf, ReflectApply,
  ReflectGetOwnPropertyDescriptor, ReflectOwnKeys, StringCharCodeAt, StringToWellFormed, SymbolIterator,
  SymbolToStringTag, toArray, TypedArrayGetBuffer, TypedArrayGetByteLength, TypedArrayGetByteOffset,
  TypedArrayGetTag, TypeErrorCtor, Uint8ArrayCtor,
} from './primordials.js';

// ---- errors -------------------------------------------------------------------------------------------------

/** The TypeError of a call that `context` names. */
export function typeError(context, text) {
  return new TypeErrorCtor(context === undefined ? text : `${context}: ${text}`);
}

/** Throws unless a call received at least `required` arguments. */
export function requireArguments(count, required, context) {
  if (count < required) {
    throw typeError(context, `${required} argument${required === 1 ? '' : 's'} required, but only ${count} present.`);
  }
}

/** Throws the error of a method or attribute that met a receiver of another class. */
export function illegalInvocation() {
  throw new TypeErrorCtor('Illegal invocation');
}

/** What a constructor receives to know that the library itself is calling. */
export const internal = { __proto__: null };

/** Throws unless the library itself is constructing. */
export function requireInternal(token) {
  if (token !== internal) throw new TypeErrorCtor('Illegal constructor');
}

// ---- primitive types ----------------------------------------------------------------------------------------

export function any(value) {
  return value;
}

export function boolean(value) {
  return !!value;
}

export function DOMString(value, context) {
  if (typeof value === 'string') return value;
  if (typeof value === 'symbol') throw typeError(context, 'Cannot convert a Symbol value to a string');
  return `${value}`;
}

export function USVString(value, context) {
  return StringToWellFormed(DOMString(value, context));
}

export function ByteString(value, context) {
  const text = DOMString(value, context);
  for (let index = 0; index < text.length; index++) {
    if (StringCharCodeAt(text, index) > 255) {
      throw typeError(context, 'Cannot convert the value to a ByteString: a character is above U+00FF.');
    }
  }
  return text;
}

export function object(value, context) {
  if (!isObject(value)) throw typeError(context, 'The value is not an object.');
  return value;
}

/** Whether a value is of the language's type Object. */
export function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

export function unrestrictedDouble(value) {
  return +value;
}

export function double(value, context) {
  const number = +value;
  if (!NumberIsFinite(number)) throw typeError(context, 'The provided value is not a finite number.');
  return number;
}

export function unrestrictedFloat(value) {
  return MathFround(+value);
}

export function float(value, context) {
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

export const octet = integer(8, false);
export const short = integer(16, true);
export const unsignedShort = integer(16, false);
export const long = integer(32, true);
export const unsignedLong = integer(32, false);
export const longLong = integer(64, true);
export const unsignedLongLong = integer(64, false);

// ---- composed types -----------------------------------------------------------------------------------------

/** `T?` */
export function nullable(convert) {
  return (value, context) => (value === null || value === undefined ? null : convert(value, context));
}

/** An IDL enumeration of the given strings. */
export function enumeration(name, values) {
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
export function callback(value, context) {
  if (typeof value !== 'function') throw typeError(context, 'The provided value is not of type \'Function\'.');
  return value;
}

/** An event handler attribute's type: a callable object, anything else reads as null. */
export function eventHandler(value) {
  return isObject(value) ? value : null;
}

/** An interface type, by the function that tells its instances. */
export function interfaceType(name, is) {
  return (value, context) => {
    if (!is(value)) throw typeError(context, `The provided value is not of type '${name}'.`);
    return value;
  };
}

/** `sequence<T>`; the answer is an ordinary array that no program has seen. */
export function sequence(convert) {
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
export function sequenceFrom(iterable, method, convert, context) {
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
export function record(convertKey, convertValue) {
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
export function dictionary(name, members) {
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
export function isArrayBuffer(value) {
  if (typeof value !== 'object' || value === null) return false;
  try {
    ArrayBufferGetByteLength(value);
    return true;
  } catch {
    return false;
  }
}

/** The buffer behind a view. */
export function viewBuffer(view) {
  return TypedArrayGetTag(view) === undefined ? DataViewGetBuffer(view) : TypedArrayGetBuffer(view);
}

/** A Uint8Array over the same memory as a buffer or view; a detached one reads as empty. */
export function bytesOf(source) {
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
export function copyBytes(source) {
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
export function isSharedArrayBuffer(value) {
  if (sharedByteLength === undefined || typeof value !== 'object' || value === null) return false;
  try {
    ReflectApply(sharedByteLength, value, []);
    return true;
  } catch {
    return false;
  }
}

export const ArrayBufferView = bufferType('ArrayBufferView', { __proto__: null, view: true });
export const BufferSource = bufferType('BufferSource', { __proto__: null, view: true, buffer: true });
export const AllowSharedBufferSource = bufferType('BufferSource', {
  __proto__: null, view: true, buffer: true, shared: true, resizable: false,
});
export const AllowSharedUint8Array = bufferType('Uint8Array', {
  __proto__: null, view: true, tag: 'Uint8Array', shared: true, resizable: false,
});

/** Whether a value is a buffer or a view of one. */
export function isBufferSource(value) {
  return ArrayBufferIsView(value) || isArrayBuffer(value);
}

// ---- the look of an interface -------------------------------------------------------------------------------

const platformClasses = newList();

/** Whether a value is an object of an interface whose definition said how to tell. */
export function isPlatformObject(value) {
  for (let index = 0; index < platformClasses.length; index++) if (platformClasses[index](value)) return true;
  return false;
}

function setEnumerable(target, key) {
  const descriptor = ObjectGetOwnPropertyDescriptor(target, key);
  descriptor.enumerable = true;
  ObjectDefineProperty(target, key, descriptor);
}

/**
 * Gives a class the property attributes of an IDL interface: enumerable members, `Symbol.toStringTag`, constants,
 * and the number of arguments its constructor requires (`options.length`) where the class text says otherwise.
 * `options.is` tells the instances; structured cloning refuses what it tells and no other rule clones.
 */
export function defineInterface(Class, options = { __proto__: null }) {
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
  if (options.is !== undefined) append(platformClasses, options.is);
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
export function defineAlias(prototype, symbol, name) {
  ObjectDefineProperty(prototype, symbol, {
    __proto__: null, value: prototype[name], writable: true, configurable: true,
  });
}

/**
 * Makes a class a pair iterable. `is` tells its instances and `pairsOf` answers the list of `[key, value]` pairs as
 * it stands now; iteration follows changes made while it is under way, as the standard says.
 */
export function definePairIterable(Class, is, pairsOf) {
  const { name } = Class;
  class PairIterator {
    #target;
    #kind;
    #index = 0;
    static is = (value) => isObject(value) && #kind in value;
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
  defineInterface(PairIterator, { __proto__: null, name: `${name} Iterator`, is: PairIterator.is });
  delete PairIterator.is;
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
