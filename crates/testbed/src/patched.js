// Replaces every method and accessor that a program can reach by one that does the same and notes who called it. An
// expression that answers the list of those that the library called.
//
// Left alone is what a conversion of the program's own values has to call: texts of objects, iteration, JSON,
// the two members of a pair of streams, and the name that the engine puts at the head of a stack.
(() => {
  const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  const { split, includes } = String.prototype;
  const text = String;
  const Failure = Error;
  const has = (line, part) => apply(includes, line, [part]);
  const noted = [];
  const spies = new Map();
  const known = { get: Map.prototype.get, set: Map.prototype.set, has: Map.prototype.has };
  const seen = new Map();
  const conversions = {
    __proto__: null, constructor: true, toString: true, valueOf: true, join: true, next: true, return: true,
    throw: true, toJSON: true, values: true, entries: true, readable: true, writable: true,
    name: true,
  };

  // The nearest caller that has a place: 0 is the message, 1 this function, 2 the spy.
  const note = (name) => {
    const lines = apply(split, new Failure().stack, ['\n']);
    for (let at = 3; at < lines.length; at++) {
      if (has(lines[at], '(<anonymous>)')) continue;
      // Nobody calls what a microtask runs.
      if (has(lines[at], 'at async ')) return;
      if (has(lines[at], 'codemode:library')) noted[noted.length] = name;
      return;
    }
  };

  const spyOn = (original, label) => {
    if (apply(known.has, spies, [original])) return apply(known.get, spies, [original]);
    const spy = { method(...args) {
      note(label);
      return apply(original, this, args);
    } }.method;
    for (const key of ['name', 'length']) defineProperty(spy, key, getOwnPropertyDescriptor(original, key));
    apply(known.set, spies, [original, spy]);
    return spy;
  };

  const constructs = (value) => getOwnPropertyDescriptor(value, 'prototype') !== undefined;

  const patch = (holder, label) => {
    if (apply(known.has, seen, [holder])) return;
    apply(known.set, seen, [holder, true]);
    for (const key of ownKeys(holder)) {
      if (typeof key === 'symbol' ? key !== Symbol.replace && key !== Symbol.match : conversions[key]) continue;
      const name = `${label}.${text(key)}`;
      const descriptor = getOwnPropertyDescriptor(holder, key);
      const { value, get, set } = descriptor;
      if (typeof value === 'function' && !constructs(value)) descriptor.value = spyOn(value, name);
      else if (get !== undefined || set !== undefined) {
        if (get !== undefined) descriptor.get = spyOn(get, name);
        if (set !== undefined) descriptor.set = spyOn(set, name);
      } else continue;
      if (descriptor.configurable) defineProperty(holder, key, descriptor);
    }
  };

  const abstract = [getPrototypeOf(Uint8Array), getPrototypeOf(async () => {}).constructor];
  for (const value of [...ownKeys(globalThis).map((key) => globalThis[key]), ...abstract]) {
    if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) continue;
    if (value === globalThis) continue;
    const label = typeof value === 'function' ? value.name : text(value);
    patch(value, label);
    if (typeof value === 'function' && value.prototype) patch(value.prototype, `${label}.prototype`);
  }
  return noted;
})()
