// The dispatch codec: JSON plus a tagged base64 envelope for bytes. It binds every built-in it uses before a
// program runs, because reading JSON through the global at call time would let a program decide what its run
// reports. The other face of this codec is `codemode_protocol::codec`; both run the same vectors.

const { stringify, parse } = JSON;
const { apply, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const { isView } = ArrayBuffer;
const Bytes = Uint8Array;
const { hasOwn, keys, defineProperty } = Object;
const { isArray } = Array;
const { includes, indexOf, slice } = String.prototype;

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
const QUOTED_TAG = `"${TAG}`;

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

// The bytes of a binary value in their envelope, or undefined for any other value.
function enveloped(value) {
  if (isView(value)) {
    return envelope(apply(viewTag, value, []) === 'Uint8Array' ? 'Uint8Array' : 'ArrayBufferView', viewBytes(value));
  }
  return isArrayBuffer(value) ? envelope('ArrayBuffer', new Bytes(value)) : undefined;
}

// Whether a key is made of the tag and any number of `~`. On writing such a key gets one more, on reading one is
// taken away, so that no object of a program is mistaken for bytes.
function isTagKey(key) {
  if (key.length < TAG.length || apply(slice, key, [0, TAG.length]) !== TAG) return false;
  for (let at = TAG.length; at < key.length; at += 1) if (key[at] !== '~') return false;
  return true;
}

function decode(key, value) {
  if (typeof value !== 'object' || value === null || !hasOwn(value, TAG) || !hasOwn(value, 'data')) return value;
  const kind = value[TAG];
  if (typeof kind !== 'string' || typeof value.data !== 'string' || keys(value).length !== 2) return value;
  const bytes = apply(fromBase64, Bytes, [value.data]);
  return kind === 'ArrayBuffer' ? apply(typedBuffer, bytes, []) : bytes;
}

function unescapeTagKeys(value) {
  const copy = {};
  const names = keys(value);
  for (let index = 0; index < names.length; index += 1) {
    const key = names[index];
    const name = key !== TAG && isTagKey(key) ? apply(slice, key, [0, -1]) : key;
    defineProperty(copy, name, { __proto__: null, value: value[key], configurable: true, enumerable: true, writable: true });
  }
  return copy;
}

function decodeEscaping(key, value) {
  const decoded = decode(key, value);
  if (decoded !== value || typeof value !== 'object' || value === null || isArray(value)) return decoded;
  if (isView(value) || isArrayBuffer(value)) return value;
  return unescapeTagKeys(value);
}

// The text with one more `~` at each tag key that is the program's own. `owners` has a letter for each tag key in the
// order of the text, `p` where it is. A quote within a string is escaped, so what looks like a key here is one.
function escapeTagKeys(text, owners) {
  let escaped = '';
  let copied = 0;
  let count = 0;
  for (let at = apply(indexOf, text, [QUOTED_TAG]); at >= 0; at = apply(indexOf, text, [QUOTED_TAG, at + 1])) {
    let end = at + QUOTED_TAG.length;
    while (text[end] === '~') end += 1;
    if ((text[at - 1] !== '{' && text[at - 1] !== ',') || text[end] !== '"' || text[end + 1] !== ':') continue;
    if (owners[count] === 'p') {
      escaped += `${apply(slice, text, [copied, end])}~`;
      copied = end;
    }
    count += 1;
  }
  return escaped + apply(slice, text, [copied]);
}

const isAbsent = (member) => member === undefined || typeof member === 'function' || typeof member === 'symbol';

// JSON text of a value, bytes in their envelope. The value is read once, as `JSON.stringify` reads it: what a program
// observes through `toJSON` and accessors is the same with and without keys that have to be escaped.
export function stringifyForDispatch(value) {
  let ownEnvelope;
  let owners = '';
  let lookAlike = false;
  const text = stringify(value, function encode(key, member) {
    if (isTagKey(key) && !isAbsent(member)) {
      const isOwn = this === ownEnvelope;
      owners += isOwn ? 'o' : 'p';
      if (!isOwn) lookAlike = true;
    }
    if (typeof member !== 'object' || member === null) return member;
    const bytes = enveloped(member);
    if (bytes === undefined) return member;
    ownEnvelope = bytes;
    return bytes;
  });
  return lookAlike ? escapeTagKeys(text, owners) : text;
}

// The value of a JSON text, bytes rebuilt as themselves.
export function parseForDispatch(text) {
  if (!apply(includes, text, [TAG])) return parse(text);
  return parse(text, apply(includes, text, [`${TAG}~`]) ? decodeEscaping : decode);
}
