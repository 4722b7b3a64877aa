// Service Workers: the name `caches`, whose every method explains why there is no cache storage here.
import { ObjectDefineProperty, PromiseReject, SymbolToStringTag, TypeErrorCtor } from './primordials.js';

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

export const attributes = { __proto__: null, caches };
