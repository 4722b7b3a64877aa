// HTML: structured cloning. A value is serialized into a record tree that no program can touch and rebuilt from it, so
// that a MessagePort can keep a message between the two steps.
import {
  append, ArrayBufferCtor, ArrayBufferGetByteLength, ArrayBufferGetDetached, ArrayBufferGetMaxByteLength,
  ArrayBufferGetResizable, ArrayBufferTransfer, BigIntValueOf, BooleanValueOf, DataViewCtor, DataViewGetBuffer,
  DataViewGetByteLength, DataViewGetByteOffset, DateCtor, DateGetTime, ErrorCtor, EvalErrorCtor, MapCtor, MapForEach,
  MapGet, MapHas, MapSet, newList, NumberValueOf, ObjectCtor, ObjectDefineProperty, ObjectGetPrototypeOf,
  ObjectHasOwn, ObjectKeys, ObjectPrototype, ObjectToString, RangeErrorCtor, ReferenceErrorCtor, ReflectApply,
  ReflectGetOwnPropertyDescriptor, ReflectGetPrototypeOf, ReflectOwnKeys, RegExpCtor, RegExpGetSource, sealRecord,
  SetAdd, SetCtor, SetForEach, SetHas, sliceBuffer, StringValueOf, SymbolIterator, SyntaxErrorCtor,
  TypedArrayConstructors, TypedArrayGetBuffer, TypedArrayGetByteLength, TypedArrayGetByteOffset, TypedArrayGetLength,
  TypedArrayGetTag, TypedArrayKeys, TypedArraySet, TypeErrorCtor, Uint8ArrayCtor, URIErrorCtor,
} from './primordials.js';
import {
  dictionary, isArrayBuffer, isObject, isPlatformObject, isSharedArrayBuffer, object, requireArguments, sequence,
} from './webidl.js';
import {
  DOMException, domException, exceptionParts, isDOMException, QuotaExceededError,
} from './dom-exception.js';
import { host } from './internal/host.js';

// ---- platform objects ---------------------------------------------------------------------------------------

const serializable = newList();
const transferable = newList();

/** Makes a class of platform objects serializable: `{ is, serialize(value, forStorage), deserialize(data) }`. */
export function registerSerializable(handler) {
  append(serializable, handler);
}

/**
 * Makes a class of platform objects transferable: `{ is, transfer(value), receive(data) }`, and `detached(value)` where
 * an object can have been transferred before.
 */
export function registerTransferable(handler) {
  append(transferable, handler);
}

function handlerOf(handlers, value) {
  for (let index = 0; index < handlers.length; index++) if (handlers[index].is(value)) return handlers[index];
  return undefined;
}

registerSerializable({
  __proto__: null,
  is: isDOMException,
  serialize: (value) => ({ __proto__: null, ...exceptionParts(value), stack: value.stack }),
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

// What the host's `classify` answers for an object: the internal slots it has, whatever its prototype is.
const ORDINARY = 0;
const ARRAY = 1;
const MAP = 2;
const SET = 3;
const DATE = 4;
const REGEXP = 5;
const BOOLEAN = 6;
const NUMBER = 7;
const STRING = 8;
const BIGINT = 9;
const ERROR = 10;
const BUFFER = 11;
const VIEW = 12;

const primitiveReaders = {
  __proto__: null, [DATE]: DateGetTime, [BOOLEAN]: BooleanValueOf, [NUMBER]: NumberValueOf, [STRING]: StringValueOf,
  [BIGINT]: BigIntValueOf,
};

const errorNames = {
  __proto__: null, EvalError: EvalErrorCtor, RangeError: RangeErrorCtor, ReferenceError: ReferenceErrorCtor,
  SyntaxError: SyntaxErrorCtor, TypeError: TypeErrorCtor, URIError: URIErrorCtor, Error: ErrorCtor,
};

// What an object or primitive is serialized to: `entries` lists what it holds.
class CloneRecord {
  kind;
  data;
  entries = undefined;
  constructor(kind, data) {
    this.kind = kind;
    this.data = data;
  }
}

sealRecord(CloneRecord);

/** StructuredSerialize. `memory` maps objects already met (and objects being transferred) to their records. */
export function serialize(value, memory = new MapCtor()) {
  if (!isObject(value)) {
    if (typeof value === 'symbol') throw cloneError('A Symbol could not be cloned.');
    return new CloneRecord('primitive', value);
  }
  const known = MapGet(memory, value);
  if (known !== undefined) return known;
  const record = new CloneRecord('', undefined);
  const descend = fill(record, value, memory);
  MapSet(memory, value, record);
  if (descend !== undefined) descend();
  return record;
}

// Fills a record; the answer, if any, serializes what the object holds, after the object itself is in memory.
function fill(record, value, memory) {
  if (typeof value === 'function') throw cloneError('A function could not be cloned.');
  const kind = host.classify(value);
  if (kind === ORDINARY || kind === ERROR) {
    const prototype = ObjectGetPrototypeOf(value);
    const plain = prototype === null || prototype === ObjectPrototype;
    if (!plain && fillPlatform(record, value, prototype, memory)) return undefined;
  }
  switch (kind) {
    case ORDINARY:
      record.kind = 'object';
      return () => serializeProperties(record, value, memory);
    case ARRAY:
      record.kind = 'array';
      record.data = value.length;
      return () => serializeProperties(record, value, memory);
    case MAP:
      return fillMap(record, value, memory);
    case SET:
      return fillSet(record, value, memory);
    case REGEXP:
      record.kind = 'RegExp';
      record.data = { __proto__: null, source: RegExpGetSource(value), flags: regExpFlags(value) };
      return undefined;
    case ERROR:
      return fillError(record, value, memory);
    case BUFFER:
      return fillBuffer(record, value);
    case VIEW:
      return fillView(record, value, memory);
    case DATE:
    case BOOLEAN:
    case NUMBER:
    case STRING:
    case BIGINT:
      record.kind = kind === DATE ? 'Date' : 'box';
      record.data = primitiveReaders[kind](value);
      return undefined;
    default:
      throw cloneError('The object could not be cloned.');
  }
}

// Fills the record of a serializable platform object; false where the value is none. Any other platform object throws.
function fillPlatform(record, value, prototype, memory) {
  const platform = handlerOf(serializable, value);
  if (platform !== undefined) {
    record.kind = 'platform';
    record.data = { __proto__: null, platform, data: platform.serialize(value, (inner) => serialize(inner, memory)) };
    return true;
  }
  if (handlerOf(transferable, value) !== undefined || isPlatformObject(value) || inheritsUncloneable(prototype)) {
    throw cloneError(`${describeClass(value)} could not be cloned.`);
  }
  return false;
}

// The prototypes of the language's objects that have slots of their own and that the host does not tell apart. An
// object is taken for one of them when it inherits from it.
const uncloneable = new SetCtor();

// A name may be absent while the snapshot is made, where the engine adds it to a restored realm only.
function collect(namespace, names) {
  for (let index = 0; index < names.length; index++) {
    const value = ReflectGetOwnPropertyDescriptor(namespace, names[index])?.value;
    if (typeof value === 'function' && isObject(value.prototype)) SetAdd(uncloneable, value.prototype);
  }
}

collect(Intl, ReflectOwnKeys(Intl));
if (typeof Temporal !== 'undefined') collect(Temporal, ReflectOwnKeys(Temporal));
collect(globalThis, ['AsyncDisposableStack', 'DisposableStack', 'FinalizationRegistry', 'WeakRef']);
const iterators = [
  [].values(), ''[SymbolIterator](), 'a'.matchAll(/a/g), Iterator.from({ next() {} }), [].values().map(() => 0),
];
for (let index = 0; index < iterators.length; index++) SetAdd(uncloneable, ReflectGetPrototypeOf(iterators[index]));
SetAdd(uncloneable, ReflectGetPrototypeOf(ReflectGetPrototypeOf((async function* () {})())));

function inheritsUncloneable(prototype) {
  for (let at = prototype; at !== null; at = ObjectGetPrototypeOf(at)) if (SetHas(uncloneable, at)) return true;
  return false;
}

function describeClass(value) {
  try {
    return ObjectToString(value);
  } catch {
    return 'The object';
  }
}

// `flags` is generic and would read replaced getters, so the flags are read one by one from the internal slots.
const flagReaders = newList();
for (const [letter, name] of [
  ['d', 'hasIndices'], ['g', 'global'], ['i', 'ignoreCase'], ['m', 'multiline'], ['s', 'dotAll'], ['u', 'unicode'],
  ['v', 'unicodeSets'], ['y', 'sticky'],
]) {
  const { get } = ReflectGetOwnPropertyDescriptor(RegExpCtor.prototype, name);
  append(flagReaders, { __proto__: null, letter, get });
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
  if (!ArrayBufferGetResizable(buffer)) return sliceBuffer(buffer, 0, ArrayBufferGetByteLength(buffer));
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
    // The iterator is what throws for a typed array that is out of bounds; the other getters answer 0.
    if (tag !== undefined) TypedArrayKeys(value);
    offset = tag === undefined ? DataViewGetByteOffset(value) : TypedArrayGetByteOffset(value);
    length = tag === undefined ? DataViewGetByteLength(value) : TypedArrayGetLength(value);
  } catch {
    throw cloneError('A view that is out of bounds or detached could not be cloned.');
  }
  const tracking = isArrayBuffer(buffer) && ArrayBufferGetResizable(buffer) && isLengthTracking(value, buffer);
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
export function deserialize(record, memory = new MapCtor()) {
  if (record.kind === 'primitive') return record.data;
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
export function serializeWithTransfer(value, transferList) {
  const memory = new MapCtor();
  const records = newList();
  for (let index = 0; index < transferList.length; index++) {
    const item = transferList[index];
    const handler = handlerOf(transferable, item);
    if (handler?.detached?.(item)) throw cloneError('A detached object could not be transferred.');
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
export function deserializeWithTransfer({ root, records }) {
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
export const serializeOptions = dictionary('StructuredSerializeOptions', [
  { __proto__: null, key: 'transfer', convert: sequence(object), fallback: () => [] },
]);

export const operations = {
  __proto__: null,

  structuredClone(value, options = undefined) {
    const context = "Failed to execute 'structuredClone'";
    requireArguments(arguments.length, 1, context);
    const { transfer } = serializeOptions(options, context);
    return deserializeWithTransfer(serializeWithTransfer(value, transfer)).value;
  },
};
