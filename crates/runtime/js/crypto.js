// Web Cryptography: Crypto, its two sources of random values and its `subtle`.
import {
  NumberToString, StringPadStart, TypedArrayGetByteLength, TypedArrayGetTag, Uint8ArrayCtor,
} from './primordials.js';
import {
  ArrayBufferView, bytesOf, defineInterface, illegalInvocation, internal, isObject, requireArguments, requireInternal,
} from './webidl.js';
import { domException, QuotaExceededError } from './dom-exception.js';
import { subtle } from './subtle.js';
import { host } from './internal/host.js';

const QUOTA = 65536;
const integerArrays = {
  __proto__: null, Int8Array: true, Uint8Array: true, Uint8ClampedArray: true, Int16Array: true, Uint16Array: true,
  Int32Array: true, Uint32Array: true, BigInt64Array: true, BigUint64Array: true,
};

let isCrypto;

export class Crypto {
  #brand;

  static {
    isCrypto = (value) => isObject(value) && #brand in value;
  }

  constructor(token = undefined) {
    requireInternal(token);
  }

  get subtle() {
    return isCrypto(this) ? subtle : illegalInvocation();
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
      throw new QuotaExceededError(`${context}: ${length} bytes were requested, ${QUOTA} are the most.`);
    }
    if (length > 0) host.randomBytes(bytesOf(array));
    return array;
  }

  randomUUID() {
    return isCrypto(this) ? newUuid() : illegalInvocation();
  }
}

defineInterface(Crypto, { __proto__: null, is: isCrypto });

/** A random UUID of version 4. */
export function newUuid() {
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

export const globals = { __proto__: null, Crypto };
export const attributes = { __proto__: null, crypto: new Crypto(internal) };
