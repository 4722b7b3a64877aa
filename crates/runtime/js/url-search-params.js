// URL: URLSearchParams.
import { append, ArraySort, newList, StringSlice, SymbolIterator, toArray } from './primordials.js';
import {
  defineInterface, definePairIterable, illegalInvocation, isObject, record, requireArguments, sequence, sequenceFrom,
  typeError, USVString,
} from './webidl.js';
import { parseUrlencoded, serializeUrlencoded } from './url-encoding.js';

const pairSequence = sequence(sequence(USVString));
const stringRecord = record(USVString, USVString);

function initialPairs(init, context) {
  if (isObject(init)) {
    const method = init[SymbolIterator];
    if (method === undefined || method === null) return stringRecord(init, context);
    const pairs = sequenceFrom(init, method, sequence(USVString), context);
    const list = newList();
    for (let index = 0; index < pairs.length; index++) {
      if (pairs[index].length !== 2) throw typeError(context, 'Each pair must be an iterable of two items.');
      append(list, [pairs[index][0], pairs[index][1]]);
    }
    return list;
  }
  const text = USVString(init, context);
  return parseUrlencoded(text[0] === '?' ? StringSlice(text, 1) : text);
}

let isParams;
let pairsOf;
let attach;
let replace;

export class URLSearchParams {
  #pairs;
  #onUpdate = undefined;

  static {
    isParams = (value) => isObject(value) && #pairs in value;
    pairsOf = (params) => (isParams(params) ? params.#pairs : illegalInvocation());
    attach = (params, onUpdate) => {
      params.#onUpdate = onUpdate;
    };
    replace = (params, pairs) => {
      params.#pairs = pairs;
    };
  }

  constructor(init = '') {
    this.#pairs = initialPairs(init, "Failed to construct 'URLSearchParams'");
  }

  get size() { return pairsOf(this).length; }

  append(name, value) {
    const pairs = pairsOf(this);
    const context = "Failed to execute 'append' on 'URLSearchParams'";
    requireArguments(arguments.length, 2, context);
    append(pairs, [USVString(name, context), USVString(value, context)]);
    this.#update();
  }

  delete(name, value = undefined) {
    const pairs = pairsOf(this);
    const context = "Failed to execute 'delete' on 'URLSearchParams'";
    requireArguments(arguments.length, 1, context);
    name = USVString(name, context);
    if (value !== undefined) value = USVString(value, context);
    this.#keep(pairs, (pair) => pair[0] !== name || (value !== undefined && pair[1] !== value));
    this.#update();
  }

  get(name) {
    const pairs = pairsOf(this);
    const context = "Failed to execute 'get' on 'URLSearchParams'";
    requireArguments(arguments.length, 1, context);
    name = USVString(name, context);
    for (let index = 0; index < pairs.length; index++) if (pairs[index][0] === name) return pairs[index][1];
    return null;
  }

  getAll(name) {
    const pairs = pairsOf(this);
    const context = "Failed to execute 'getAll' on 'URLSearchParams'";
    requireArguments(arguments.length, 1, context);
    name = USVString(name, context);
    const values = newList();
    for (let index = 0; index < pairs.length; index++) if (pairs[index][0] === name) append(values, pairs[index][1]);
    return toArray(values);
  }

  has(name, value = undefined) {
    const pairs = pairsOf(this);
    const context = "Failed to execute 'has' on 'URLSearchParams'";
    requireArguments(arguments.length, 1, context);
    name = USVString(name, context);
    if (value !== undefined) value = USVString(value, context);
    for (let index = 0; index < pairs.length; index++) {
      if (pairs[index][0] === name && (value === undefined || pairs[index][1] === value)) return true;
    }
    return false;
  }

  set(name, value) {
    const pairs = pairsOf(this);
    const context = "Failed to execute 'set' on 'URLSearchParams'";
    requireArguments(arguments.length, 2, context);
    name = USVString(name, context);
    value = USVString(value, context);
    let found = false;
    this.#keep(pairs, (pair) => {
      if (pair[0] !== name) return true;
      if (found) return false;
      found = true;
      pair[1] = value;
      return true;
    });
    if (!found) append(pairs, [name, value]);
    this.#update();
  }

  sort() {
    const pairs = pairsOf(this);
    ArraySort(pairs, (left, right) => (left[0] < right[0] ? -1 : left[0] > right[0] ? 1 : 0));
    this.#update();
  }

  toString() {
    return serializeUrlencoded(pairsOf(this));
  }

  #keep(pairs, wanted) {
    let kept = 0;
    for (let index = 0; index < pairs.length; index++) if (wanted(pairs[index])) pairs[kept++] = pairs[index];
    pairs.length = kept;
  }

  #update() {
    if (this.#onUpdate !== undefined) this.#onUpdate(serializeUrlencoded(this.#pairs));
  }
}

defineInterface(URLSearchParams, { __proto__: null, length: 0, is: isParams });
definePairIterable(URLSearchParams, isParams, pairsOf);

/** Whether a value is a URLSearchParams. */
export { isParams as isURLSearchParams };

/** The text of a URLSearchParams. */
export function serializeParams(params) {
  return serializeUrlencoded(pairsOf(params));
}

/** The URLSearchParams of a URL: `onUpdate` receives the new query text after each change. */
export function paramsOfUrl(query, onUpdate) {
  const params = new URLSearchParams();
  attach(params, onUpdate);
  replace(params, parseUrlencoded(query));
  return params;
}

/** Gives the URLSearchParams of a URL the pairs of the URL's new query. */
export function refreshParams(params, query) {
  replace(params, parseUrlencoded(query));
}

export const globals = { __proto__: null, URLSearchParams };
