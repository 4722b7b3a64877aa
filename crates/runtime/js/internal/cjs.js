// CommonJS over the module map. Each ES import of a CommonJS module has a cache of its own, so a module that two
// such imports both require runs once for each.
import { host } from './host.js';

const { apply, defineProperty } = Reflect;
const MapConstructor = Map;
const { delete: remove, get, set } = MapConstructor.prototype;
const lastIndexOf = String.prototype.lastIndexOf;
const slice = String.prototype.slice;

// Names live in a Map: an object would route `__proto__` and `toString` through its prototype.
function createLoader() {
  const cache = new MapConstructor();

  function load(name) {
    const cached = apply(get, cache, [name]);
    if (cached !== undefined) return cached.exports;
    const factory = host.compileCommonJs(name);
    const module = { id: name, exports: {}, loaded: false };
    // Seeded before the body runs, so that a cycle observes the exports that exist by then.
    apply(set, cache, [name, module]);
    try {
      apply(factory, module.exports, [module.exports, createRequire(name), module, name, folderOf(name)]);
    } catch (error) {
      // Evicted, so that the next require retries and never returns exports that are half built.
      apply(remove, cache, [name]);
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  // A json, text or data module: each require of one loader answers the same value.
  function value(name) {
    const cached = apply(get, cache, [name]);
    if (cached !== undefined) return cached.exports;
    const exports = host.moduleValue(name);
    apply(set, cache, [name, { exports }]);
    return exports;
  }

  function createRequire(importer) {
    const require = (specifier) => {
      const { 0: name, 1: isCommonJs } = host.resolveModule(`${specifier}`, importer);
      return isCommonJs ? load(name) : value(name);
    };
    const resolve = (specifier) => host.resolveModule(`${specifier}`, importer)[0];
    // Defined, not assigned: an assignment would meet a setter that the program put on a prototype.
    defineProperty(require, 'resolve', { __proto__: null, value: resolve, writable: true, enumerable: true, configurable: true });
    return require;
  }

  return load;
}

function folderOf(name) {
  const end = apply(lastIndexOf, name, ['/']);
  return end < 0 ? '' : apply(slice, name, [0, end]);
}

// The exports of the CommonJS module `name`, loaded afresh.
export function commonJs(name) {
  return createLoader()(name);
}
