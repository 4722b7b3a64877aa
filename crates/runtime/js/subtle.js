// Web Cryptography: SubtleCrypto and CryptoKey. The keys themselves are with the host; a CryptoKey holds the number of
// one, and every operation is performed over there.
import {
  append, newList, newPromise, ObjectDefineProperty, ObjectHasOwn, PromiseThen, toArray, TypeErrorCtor,
} from './primordials.js';
import {
  boolean, BufferSource, bytesOf, copyBytes, defineInterface, dictionary, DOMString, enumeration, illegalInvocation,
  interfaceType, internal, isBufferSource, isObject, nullable, requireArguments, requireInternal, sequence, typeError,
  unsignedLong,
} from './webidl.js';
import { domException } from './dom-exception.js';
import { registerSerializable } from './structured-clone.js';
import { host } from './internal/host.js';
import { AlgorithmIdentifier, normalize, normalizeEither, useCryptoKey } from './subtle-algorithms.js';

// ---- keys ---------------------------------------------------------------------------------------------------

let isCryptoKey, stateOf;

export class CryptoKey {
  // What the host tells of the key: `key` is its number. The two objects below are what a program sees of it.
  #state;
  #algorithm;
  #usages;

  static {
    isCryptoKey = (value) => isObject(value) && #state in value;
    stateOf = (key) => key.#state;
  }

  constructor(token = undefined, state = undefined) {
    requireInternal(token);
    this.#state = state;
    this.#algorithm = publicAlgorithm(state.algorithm);
    this.#usages = publicList(state.usages);
  }

  get type() {
    return isCryptoKey(this) ? this.#state.type : illegalInvocation();
  }

  get extractable() {
    return isCryptoKey(this) ? this.#state.extractable : illegalInvocation();
  }

  get algorithm() {
    return isCryptoKey(this) ? this.#algorithm : illegalInvocation();
  }

  get usages() {
    return isCryptoKey(this) ? this.#usages : illegalInvocation();
  }
}

defineInterface(CryptoKey, { __proto__: null, length: 0, is: isCryptoKey });

registerSerializable({
  __proto__: null,
  is: isCryptoKey,
  serialize: (key) => stateOf(key),
  deserialize: (state) => new CryptoKey(internal, state),
});

const algorithmMembers = ['name', 'length', 'modulusLength', 'publicExponent', 'namedCurve', 'hash'];

function publicAlgorithm(state) {
  const algorithm = {};
  for (let index = 0; index < algorithmMembers.length; index++) {
    const member = algorithmMembers[index];
    if (!ObjectHasOwn(state, member)) continue;
    let value = state[member];
    if (member === 'hash') value = { name: value.name };
    if (member === 'publicExponent') value = copyBytes(value);
    ObjectDefineProperty(algorithm, member, {
      __proto__: null, value, writable: true, enumerable: true, configurable: true,
    });
  }
  return algorithm;
}

function publicList(items) {
  const list = newList();
  for (let index = 0; index < items.length; index++) append(list, items[index]);
  return toArray(list);
}

function argumentOf(key) {
  return { __proto__: null, cryptoKey: stateOf(key).key };
}

function toKey(state) {
  return new CryptoKey(internal, state);
}

function toKeyOrPair(state) {
  if (ObjectHasOwn(state, 'key')) return toKey(state);
  return { privateKey: toKey(state.privateKey), publicKey: toKey(state.publicKey) };
}

function asIs(value) {
  return value;
}

// ---- arguments ----------------------------------------------------------------------------------------------

const CryptoKeyType = interfaceType('CryptoKey', isCryptoKey);
useCryptoKey(CryptoKeyType);

const KeyFormat = enumeration('KeyFormat', ['raw', 'raw-public', 'raw-secret', 'spki', 'pkcs8', 'jwk']);
const KeyUsages = sequence(enumeration('KeyUsage', [
  'encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey',
]));

const text = (key) => ({ __proto__: null, key, convert: DOMString });
const RsaOtherPrimesInfo = dictionary('RsaOtherPrimesInfo', [text('d'), text('r'), text('t')]);
const JsonWebKey = dictionary('JsonWebKey', [
  text('alg'), text('crv'), text('d'), text('dp'), text('dq'), text('e'),
  { __proto__: null, key: 'ext', convert: boolean }, text('k'),
  { __proto__: null, key: 'key_ops', convert: sequence(DOMString) }, text('kty'), text('n'),
  { __proto__: null, key: 'oth', convert: sequence(RsaOtherPrimesInfo) },
  text('p'), text('q'), text('qi'), text('use'), text('x'), text('y'),
]);

function KeyData(value, context) {
  if (isBufferSource(value)) return BufferSource(value, context);
  return JsonWebKey(value, context);
}

const Length = nullable(unsignedLong.convert);

// ---- performing ---------------------------------------------------------------------------------------------

// Hands an operation over.
function perform(result, operation, given, convert) {
  PromiseThen(host.performSubtleOperation(operation, given), (frame) => {
    if (frame[0] === 'returned') result.resolve(convert(frame[1]));
    else result.reject(failureOf(frame[1], frame[2]));
  });
}

function failureOf(name, message) {
  return name === 'TypeError' ? new TypeErrorCtor(message) : domException(message, name);
}

// Runs the steps of a method and answers its promise; whatever they throw rejects it.
function method(receiver, name, count, required, steps) {
  const result = newPromise();
  const context = `Failed to execute '${name}' on 'SubtleCrypto'`;
  try {
    if (!isSubtleCrypto(receiver)) illegalInvocation();
    requireArguments(count, required, context);
    steps(result, context);
  } catch (exception) {
    result.reject(exception);
  }
  return result.promise;
}

// encrypt, decrypt and sign
function transform(receiver, operation, count, algorithm, key, data) {
  return method(receiver, operation, count, 3, (result, context) => {
    algorithm = AlgorithmIdentifier(algorithm, context);
    key = CryptoKeyType(key, context);
    data = BufferSource(data, context);
    const normalized = normalize(algorithm, operation, argumentOf, context);
    perform(result, operation, [normalized, argumentOf(key), bytesOf(data)], asIs);
  });
}

// ---- the interface ------------------------------------------------------------------------------------------

let isSubtleCrypto;

export class SubtleCrypto {
  #brand;

  static {
    isSubtleCrypto = (value) => isObject(value) && #brand in value;
  }

  constructor(token = undefined) {
    requireInternal(token);
  }

  encrypt(algorithm, key, data) {
    return transform(this, 'encrypt', arguments.length, algorithm, key, data);
  }

  decrypt(algorithm, key, data) {
    return transform(this, 'decrypt', arguments.length, algorithm, key, data);
  }

  sign(algorithm, key, data) {
    return transform(this, 'sign', arguments.length, algorithm, key, data);
  }

  verify(algorithm, key, signature, data) {
    return method(this, 'verify', arguments.length, 4, (result, context) => {
      algorithm = AlgorithmIdentifier(algorithm, context);
      key = CryptoKeyType(key, context);
      signature = BufferSource(signature, context);
      data = BufferSource(data, context);
      const normalized = normalize(algorithm, 'verify', argumentOf, context);
      perform(result, 'verify', [normalized, argumentOf(key), bytesOf(signature), bytesOf(data)], asIs);
    });
  }

  digest(algorithm, data) {
    return method(this, 'digest', arguments.length, 2, (result, context) => {
      algorithm = AlgorithmIdentifier(algorithm, context);
      data = BufferSource(data, context);
      const normalized = normalize(algorithm, 'digest', argumentOf, context);
      perform(result, 'digest', [normalized, bytesOf(data)], asIs);
    });
  }

  generateKey(algorithm, extractable, keyUsages) {
    return method(this, 'generateKey', arguments.length, 3, (result, context) => {
      algorithm = AlgorithmIdentifier(algorithm, context);
      extractable = boolean(extractable);
      keyUsages = KeyUsages(keyUsages, context);
      const normalized = normalize(algorithm, 'generateKey', argumentOf, context);
      perform(result, 'generateKey', [normalized, extractable, keyUsages], toKeyOrPair);
    });
  }

  deriveKey(algorithm, baseKey, derivedKeyType, extractable, keyUsages) {
    return method(this, 'deriveKey', arguments.length, 5, (result, context) => {
      algorithm = AlgorithmIdentifier(algorithm, context);
      baseKey = CryptoKeyType(baseKey, context);
      derivedKeyType = AlgorithmIdentifier(derivedKeyType, context);
      extractable = boolean(extractable);
      keyUsages = KeyUsages(keyUsages, context);
      const normalized = normalize(algorithm, 'deriveBits', argumentOf, context);
      const imported = normalize(derivedKeyType, 'importKey', argumentOf, context);
      const length = normalize(derivedKeyType, 'get key length', argumentOf, context);
      const given = [normalized, argumentOf(baseKey), imported, length, extractable, keyUsages];
      perform(result, 'deriveKey', given, toKey);
    });
  }

  deriveBits(algorithm, baseKey, length = null) {
    return method(this, 'deriveBits', arguments.length, 2, (result, context) => {
      algorithm = AlgorithmIdentifier(algorithm, context);
      baseKey = CryptoKeyType(baseKey, context);
      length = Length(length, context);
      const normalized = normalize(algorithm, 'deriveBits', argumentOf, context);
      perform(result, 'deriveBits', [normalized, argumentOf(baseKey), length], asIs);
    });
  }

  importKey(format, keyData, algorithm, extractable, keyUsages) {
    return method(this, 'importKey', arguments.length, 5, (result, context) => {
      format = KeyFormat(format, context);
      keyData = KeyData(keyData, context);
      algorithm = AlgorithmIdentifier(algorithm, context);
      extractable = boolean(extractable);
      keyUsages = KeyUsages(keyUsages, context);
      const normalized = normalize(algorithm, 'importKey', argumentOf, context);
      if ((format === 'jwk') === isBufferSource(keyData)) {
        throw typeError(context, 'The key data is not of the type that its format has.');
      }
      const data = format === 'jwk' ? keyData : bytesOf(keyData);
      perform(result, 'importKey', [format, data, normalized, extractable, keyUsages], toKey);
    });
  }

  exportKey(format, key) {
    return method(this, 'exportKey', arguments.length, 2, (result, context) => {
      format = KeyFormat(format, context);
      key = CryptoKeyType(key, context);
      perform(result, 'exportKey', [format, argumentOf(key)], asIs);
    });
  }

  wrapKey(format, key, wrappingKey, wrapAlgorithm) {
    return method(this, 'wrapKey', arguments.length, 4, (result, context) => {
      format = KeyFormat(format, context);
      key = CryptoKeyType(key, context);
      wrappingKey = CryptoKeyType(wrappingKey, context);
      wrapAlgorithm = AlgorithmIdentifier(wrapAlgorithm, context);
      const normalized = normalizeEither(wrapAlgorithm, 'wrapKey', 'encrypt', argumentOf, context);
      perform(result, 'wrapKey', [format, argumentOf(key), argumentOf(wrappingKey), normalized], asIs);
    });
  }

  unwrapKey(format, wrappedKey, unwrappingKey, unwrapAlgorithm, unwrappedKeyAlgorithm, extractable, keyUsages) {
    return method(this, 'unwrapKey', arguments.length, 7, (result, context) => {
      format = KeyFormat(format, context);
      wrappedKey = BufferSource(wrappedKey, context);
      unwrappingKey = CryptoKeyType(unwrappingKey, context);
      unwrapAlgorithm = AlgorithmIdentifier(unwrapAlgorithm, context);
      unwrappedKeyAlgorithm = AlgorithmIdentifier(unwrappedKeyAlgorithm, context);
      extractable = boolean(extractable);
      keyUsages = KeyUsages(keyUsages, context);
      const normalized = normalizeEither(unwrapAlgorithm, 'unwrapKey', 'decrypt', argumentOf, context);
      const imported = normalize(unwrappedKeyAlgorithm, 'importKey', argumentOf, context);
      const given = [
        format, bytesOf(wrappedKey), argumentOf(unwrappingKey), normalized, imported, extractable, keyUsages,
      ];
      perform(result, 'unwrapKey', given, toKey);
    });
  }
}

defineInterface(SubtleCrypto, { __proto__: null, is: isSubtleCrypto });

/** The one instance of a realm, for `crypto.subtle`. */
export const subtle = new SubtleCrypto(internal);

export const globals = { __proto__: null, CryptoKey, SubtleCrypto };
