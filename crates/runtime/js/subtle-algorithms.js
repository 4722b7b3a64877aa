// Web Cryptography: normalizing an algorithm. What a program passes is converted to a record that no program can
// touch, by the dictionary that the algorithm registers for the operation.
import { ObjectKeys, TypedArrayGetTag } from './primordials.js';
import {
  BufferSource, copyBytes, dictionary, DOMString, interfaceType, isObject, octet, unsignedLong, unsignedShort,
} from './webidl.js';
import { asciiUppercase } from './infra.js';
import { domException } from './dom-exception.js';

/** `AlgorithmIdentifier` and `HashAlgorithmIdentifier` */
export function AlgorithmIdentifier(value, context) {
  return isObject(value) ? value : DOMString(value, context);
}

const BigInteger = interfaceType('Uint8Array', (value) => isObject(value) && TypedArrayGetTag(value) === 'Uint8Array');

const required = (key, convert) => ({ __proto__: null, key, convert, required: true });
const optional = (key, convert) => ({ __proto__: null, key, convert });
const name = required('name', DOMString);
const hash = required('hash', AlgorithmIdentifier);
const iv = required('iv', BufferSource);
const salt = required('salt', BufferSource);
const namedCurve = required('namedCurve', DOMString);

/**
 * The dictionaries. Their members come in the order of conversion: inherited ones first, each group by name.
 * The member `public` needs the class CryptoKey, which `useCryptoKey` tells.
 */
const algorithm = dictionary('Algorithm', [name]);
const aesCbc = dictionary('AesCbcParams', [name, iv]);
const aesCtr = dictionary('AesCtrParams', [
  name, required('counter', BufferSource), required('length', octet.enforceRange),
]);
const aesGcm = dictionary('AesGcmParams', [
  name, optional('additionalData', BufferSource), iv, optional('tagLength', octet.enforceRange),
]);
const aesKeyGen = dictionary('AesKeyGenParams', [name, required('length', unsignedShort.enforceRange)]);
const aesDerivedKey = dictionary('AesDerivedKeyParams', [name, required('length', unsignedShort.enforceRange)]);
const hmacKeyGen = dictionary('HmacKeyGenParams', [name, hash, optional('length', unsignedLong.enforceRange)]);
const hmacImport = dictionary('HmacImportParams', [name, hash, optional('length', unsignedLong.enforceRange)]);
const hkdf = dictionary('HkdfParams', [name, hash, required('info', BufferSource), salt]);
const pbkdf2 = dictionary('Pbkdf2Params', [name, hash, required('iterations', unsignedLong.enforceRange), salt]);
const rsaHashedKeyGen = dictionary('RsaHashedKeyGenParams', [
  name, required('modulusLength', unsignedLong.enforceRange), required('publicExponent', BigInteger), hash,
]);
const rsaHashedImport = dictionary('RsaHashedImportParams', [name, hash]);
const rsaOaep = dictionary('RsaOaepParams', [name, optional('label', BufferSource)]);
const rsaPss = dictionary('RsaPssParams', [name, required('saltLength', unsignedLong.enforceRange)]);
const ecdsa = dictionary('EcdsaParams', [name, hash]);
const ecKeyGen = dictionary('EcKeyGenParams', [name, namedCurve]);
const ecKeyImport = dictionary('EcKeyImportParams', [name, namedCurve]);
const ecdhMembers = [name, required('public', undefined)];
const ecdhKeyDerive = dictionary('EcdhKeyDeriveParams', ecdhMembers);

/** Tells this module the converter of `CryptoKey`. */
export function useCryptoKey(convert) {
  ecdhMembers[1].convert = convert;
}

const cipher = (parameters) => ({
  __proto__: null, encrypt: parameters, decrypt: parameters, generateKey: aesKeyGen, importKey: algorithm,
  'get key length': aesDerivedKey,
});
const rsaSigner = (parameters) => ({
  __proto__: null, sign: parameters, verify: parameters, generateKey: rsaHashedKeyGen, importKey: rsaHashedImport,
});
const derivation = (parameters) => ({
  __proto__: null, deriveBits: parameters, importKey: algorithm, 'get key length': algorithm,
});
const digest = { __proto__: null, digest: algorithm };

/** Every registered algorithm, with the dictionary of each operation it offers. */
const registered = {
  __proto__: null,
  'AES-CBC': cipher(aesCbc),
  'AES-CTR': cipher(aesCtr),
  'AES-GCM': cipher(aesGcm),
  'AES-KW': {
    __proto__: null, wrapKey: algorithm, unwrapKey: algorithm, generateKey: aesKeyGen, importKey: algorithm,
    'get key length': aesDerivedKey,
  },
  HMAC: {
    __proto__: null, sign: algorithm, verify: algorithm, generateKey: hmacKeyGen, importKey: hmacImport,
    'get key length': hmacImport,
  },
  HKDF: derivation(hkdf),
  PBKDF2: derivation(pbkdf2),
  'RSA-OAEP': {
    __proto__: null, encrypt: rsaOaep, decrypt: rsaOaep, generateKey: rsaHashedKeyGen, importKey: rsaHashedImport,
  },
  'RSA-PSS': rsaSigner(rsaPss),
  'RSASSA-PKCS1-v1_5': rsaSigner(algorithm),
  ECDSA: { __proto__: null, sign: ecdsa, verify: ecdsa, generateKey: ecKeyGen, importKey: ecKeyImport },
  ECDH: { __proto__: null, deriveBits: ecdhKeyDerive, generateKey: ecKeyGen, importKey: ecKeyImport },
  Ed25519: { __proto__: null, sign: algorithm, verify: algorithm, generateKey: algorithm, importKey: algorithm },
  X25519: { __proto__: null, deriveBits: ecdhKeyDerive, generateKey: algorithm, importKey: algorithm },
  'SHA-1': digest,
  'SHA-256': digest,
  'SHA-384': digest,
  'SHA-512': digest,
};

/** The spelling of each name by its capitals. */
const spelling = { __proto__: null };
const names = ObjectKeys(registered);
for (let index = 0; index < names.length; index++) spelling[asciiUppercase(names[index])] = names[index];

/** Whether an algorithm of this spelling offers an operation. */
function offers(spelled, operation) {
  return spelled !== undefined && registered[spelled][operation] !== undefined;
}

/**
 * The record of an algorithm for an operation, with every buffer copied and the hash function by its name. `toArgument`
 * tells what stands for a CryptoKey.
 */
export function normalize(given, operation, toArgument, context) {
  const source = typeof given === 'string' ? { __proto__: null, name: given } : given;
  const spelled = spelling[asciiUppercase(algorithm(source, context).name)];
  if (!offers(spelled, operation)) {
    throw domException(`${context}: the algorithm is unknown, or does not offer this operation.`, 'NotSupportedError');
  }
  const result = registered[spelled][operation](source, context);
  result.name = spelled;
  const members = ObjectKeys(result);
  for (let index = 0; index < members.length; index++) {
    const member = members[index];
    if (result[member] === undefined) continue;
    if (member === 'hash') result.hash = normalize(result.hash, 'digest', toArgument, context).name;
    else if (member === 'public') result.public = toArgument(result.public);
    else if (isObject(result[member])) result[member] = copyBytes(result[member]);
  }
  return result;
}

/** As `normalize`, for the first operation where it succeeds and else for the second. */
export function normalizeEither(given, first, second, toArgument, context) {
  try {
    return normalize(given, first, toArgument, context);
  } catch {
    return normalize(given, second, toArgument, context);
  }
}
