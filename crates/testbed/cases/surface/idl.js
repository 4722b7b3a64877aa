// What Web IDL says of the properties that stand for interfaces and their members, whatever the interface.

const describe = Object.getOwnPropertyDescriptor;

/** The classes on the global object that are interfaces: their prototype has a tag of their own name. */
export function interfaceNames() {
  return Object.getOwnPropertyNames(globalThis).filter((name) => {
    const value = describe(globalThis, name).value;
    return typeof value === 'function' && value.prototype !== undefined && !isOfLanguage(value)
      && Object.hasOwn(value.prototype, Symbol.toStringTag);
  });
}

// A class of ECMA-262 is native code as far as its text says; so is each of the library's, whose members are not.
function isOfLanguage(value) {
  const language = ['ArrayBuffer', 'AsyncDisposableStack', 'BigInt', 'DataView', 'DisposableStack',
    'FinalizationRegistry', 'Iterator', 'Map', 'Promise', 'Set', 'Symbol', 'WeakMap', 'WeakRef', 'WeakSet'];
  return language.includes(value.name);
}

/** Collects what is not as it has to be. */
export function complaints() {
  const list = [];
  return {
    list,
    same(where, what, actual, expected) {
      if (!Object.is(actual, expected)) list.push(`${where}: ${what} is ${String(actual)}, not ${String(expected)}`);
    },
    flags(where, descriptor, flags) {
      if (descriptor === undefined) {
        list.push(`${where}: absent`);
        return;
      }
      const has = ['writable', 'enumerable', 'configurable'].filter((flag) => descriptor[flag]).join();
      if (has !== flags) list.push(`${where}: ${has || 'no flag'}, not ${flags || 'no flag'}`);
    },
  };
}

const FUNCTION = 'writable,enumerable,configurable';

/** An operation: enumerable, no constructor, its `name` and `length` as properties that can only be configured. */
export function checkOperation(check, where, descriptor, name, length) {
  check.flags(where, descriptor, FUNCTION);
  if (typeof descriptor?.value !== 'function') return;
  checkFunction(check, where, descriptor.value, name, length);
}

export function checkFunction(check, where, value, name, length) {
  check.same(where, 'name', value.name, name);
  if (length !== undefined) check.same(where, 'length', value.length, length);
  check.flags(`${where}.name`, describe(value, 'name'), 'configurable');
  check.flags(`${where}.length`, describe(value, 'length'), 'configurable');
  check.same(where, 'own prototype', Object.hasOwn(value, 'prototype'), false);
  check.same(where, 'constructor', isConstructor(value), false);
}

function isConstructor(value) {
  try {
    Reflect.construct(Object, [], value);
    return true;
  } catch {
    return false;
  }
}

/** An attribute: an enumerable accessor whose functions are called `get x` and `set x`. */
export function checkAttribute(check, where, descriptor, name, settable) {
  check.flags(where, descriptor, 'enumerable,configurable');
  if (descriptor === undefined) return;
  check.same(where, 'getter', typeof descriptor.get, 'function');
  if (descriptor.get !== undefined) checkFunction(check, `get ${where}`, descriptor.get, `get ${name}`, 0);
  const has = descriptor.set !== undefined;
  if (settable !== undefined) check.same(where, 'setter', has, settable);
  if (has) checkFunction(check, `set ${where}`, descriptor.set, `set ${name}`, 1);
}

/** An interface object and its prototype, without its members. */
export function checkInterface(check, name, parent) {
  const descriptor = describe(globalThis, name);
  check.flags(name, descriptor, 'writable,configurable');
  const { value } = descriptor ?? {};
  if (typeof value !== 'function') return;
  check.same(name, 'name', value.name, name);
  check.flags(`${name}.name`, describe(value, 'name'), 'configurable');
  check.flags(`${name}.length`, describe(value, 'length'), 'configurable');
  check.flags(`${name}.prototype`, describe(value, 'prototype'), '');
  const { prototype } = value;
  check.flags(`${name}.prototype.constructor`, describe(prototype, 'constructor'), 'writable,configurable');
  check.same(name, 'constructor of the prototype', prototype.constructor, value);
  check.same(name, 'tag', describe(prototype, Symbol.toStringTag)?.value, name);
  check.flags(`${name}.prototype[tag]`, describe(prototype, Symbol.toStringTag), 'configurable');
  if (parent !== undefined) {
    check.same(name, 'parent', Object.getPrototypeOf(value), parent ?? Function.prototype);
    check.same(name, 'parent of the prototype', Object.getPrototypeOf(prototype), (parent ?? Object).prototype);
  }
  try {
    value();
    check.list.push(`${name}: can be called`);
  } catch (failure) {
    check.same(name, 'failure of a call', failure instanceof TypeError, true);
  }
}
