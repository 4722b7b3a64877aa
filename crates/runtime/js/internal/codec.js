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
export function bindBase64() {
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
export function stringifyForDispatch(value) {
  return stringify(value, encode);
}

// The value of a JSON text, bytes rebuilt as themselves.
export function parseForDispatch(text) {
  return parse(text, decode);
}
