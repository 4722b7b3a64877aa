// Runs inside the realm after the library: replaces every built-in method, accessor and constructor property by one that
// does the same and records which line of the library used it. What a standard says is read from the object of the
// program itself (dictionary members, iterators, `then`) is recorded too; tamper.mjs knows those places.
{
  const { apply, ownKeys, getOwnPropertyDescriptor, defineProperty } = Reflect;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const includes = uncurry(String.prototype.includes);
  const split = uncurry(String.prototype.split);
  const slice = uncurry(String.prototype.slice);
  const lastIndexOf = uncurry(String.prototype.lastIndexOf);
  const ErrorConstructor = Error;
  const uses = { __proto__: null };
  globalThis.uses = uses;
  let recording = false;
  const isTransparent = (line) =>
    includes(line, 'tamper-recorder.cjs') || includes(line, '<anonymous>') || includes(line, ' at Promise.');
  const record = (name) => {
    if (recording) return;
    recording = true;
    const lines = split(new ErrorConstructor().stack, '\n');
    for (let index = 2; index < lines.length; index++) {
      if (isTransparent(lines[index])) continue;
      if (includes(lines[index], '/crates/runtime/js/') && !includes(lines[index], '/test/')) {
        uses[`${name} in ${slice(lines[index], lastIndexOf(lines[index], '/js/') + 4)}`] = true;
      }
      break;
    }
    recording = false;
  };
  const replace = (owner, key, label) => {
    const old = getOwnPropertyDescriptor(owner, key);
    if (!old.configurable || key === '__proto__') return;
    const descriptor = { __proto__: null, configurable: true, enumerable: old.enumerable };
    if (key === 'constructor') {
      descriptor.get = () => {
        record(label);
        return old.value;
      };
    } else if (typeof old.value === 'function') {
      descriptor.writable = old.writable;
      descriptor.value = { [label](...args) {
        record(label);
        return apply(old.value, this, args);
      } }[label];
    } else if (old.get !== undefined) {
      descriptor.get = function () {
        record(label);
        return apply(old.get, this, []);
      };
    } else return;
    defineProperty(owner, key, descriptor);
  };
  const owners = {
    __proto__: null, Array, ArrayBuffer, BigInt, DataView, Date, JSON, Map, Math, Number, Object, Promise, Reflect, RegExp,
    Set, String, Symbol, TypedArray: Object.getPrototypeOf(Uint8Array), Uint8Array, Uint16Array, WeakMap, WeakRef,
    ArrayIterator: { prototype: Object.getPrototypeOf([][Symbol.iterator]()) },
    MapIterator: { prototype: Object.getPrototypeOf(new Map().entries()) },
  };
  const members = [];
  for (const name of ownKeys(owners)) {
    for (const [label, owner] of [[name, owners[name]], [`${name}.prototype`, owners[name].prototype]]) {
      if (owner === undefined) continue;
      for (const key of ownKeys(owner)) members.push([owner, key, `${label}.${String(key)}`]);
    }
  }
  const names = [
    'bubbles', 'body', 'cancel', 'configurable', 'detail', 'done', 'enumerable', 'get', 'headers', 'is', 'passive', 'pull',
    'set', 'signal', 'size', 'start', 'state', 'stream', 'then', 'transfer', 'type', 'value', 'writable',
  ];
  for (let index = 0; index < members.length; index++) replace(members[index][0], members[index][1], members[index][2]);
  const absent = (owner, key, label) => defineProperty(owner, key, {
    __proto__: null,
    configurable: true,
    get() {
      record(`get ${label}`);
    },
    set(value) {
      record(`set ${label}`);
      defineProperty(this, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    },
  });
  for (let index = 0; index < 16; index++) absent(Array.prototype, `${index}`, `Array.prototype[${index}]`);
  for (let index = 0; index < names.length; index++) absent(Object.prototype, names[index], `Object.prototype.${names[index]}`);
}
