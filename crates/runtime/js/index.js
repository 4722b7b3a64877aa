// The root of the library: what a realm holds before any program, and the handshake that hands it its host.
import { console as consoleObject } from './console.js';
import { commonJs } from './internal/cjs.js';
import { describe, dispatch, expire, provider, settle } from './internal/entry.js';
import { bindBase64, parseForDispatch, stringifyForDispatch } from './internal/codec.js';
import { adoptHost } from './internal/host.js';
import { notifyRejectionHandled, notifyUnhandledRejection } from './global-scope.js';
import { removeUnlisted } from './internal/allow-list.js';
import { clearInterval, clearTimeout, fireTimer, queueMicrotask, setInterval, setTimeout } from './timers.js';
import { installLibrary } from './library.js';

const { defineProperty } = Reflect;

function publish(name, value, enumerable) {
  defineProperty(globalThis, name, { __proto__: null, value, writable: true, configurable: true, enumerable });
}

installLibrary(globalThis);
publish('console', consoleObject, false);
publish('setTimeout', setTimeout, true);
publish('setInterval', setInterval, true);
publish('clearTimeout', clearTimeout, true);
publish('clearInterval', clearInterval, true);
publish('queueMicrotask', queueMicrotask, true);
removeUnlisted();

// The embedder reads this name once, deletes it, and calls it with the host's functions. The answer is what the
// embedder itself needs of the library; a program never sees either.
defineProperty(globalThis, '__hostBindings', {
  __proto__: null,
  configurable: true,
  value: (natives) => {
    // What a snapshot cannot hold: the host's functions, and the names that the engine adds to a restored realm.
    adoptHost(natives);
    bindBase64();
    removeUnlisted();
    return {
      __proto__: null, commonJs, describe, dispatch, expire, fireTimer, notifyRejectionHandled,
      notifyUnhandledRejection, parseForDispatch, provider, settle, stringifyForDispatch,
    };
  },
});
