// Development only: loads the library's modules into a fresh realm of Node with a host made of Node's own parts.
// Needs `node --experimental-vm-modules` of version 24 or newer.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import util from 'node:util';
import vm from 'node:vm';
import crypto from 'node:crypto';
import { performance } from 'node:perf_hooks';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = new Map();

function source(path) {
  if (!sources.has(path)) sources.set(path, { text: readFileSync(path, 'utf8'), cachedData: undefined });
  return sources.get(path);
}

// tr46 gives the IDNA mapping where it is installed; Node's own function is close to it.
let toASCII;
try {
  const require = createRequire(process.env.TR46_FROM ?? import.meta.url);
  const tr46 = require('tr46');
  toASCII = (domain) => tr46.toASCII(domain, { checkBidi: true, checkJoiners: true }) ?? undefined;
} catch {
  const { domainToASCII } = await import('node:url');
  toASCII = (domain) => domainToASCII(domain) || undefined;
}

async function loadModules(context) {
  const modules = new Map();
  const load = (path) => {
    if (!modules.has(path)) {
      const entry = source(path);
      const module = new vm.SourceTextModule(entry.text, { context, identifier: path, cachedData: entry.cachedData });
      entry.cachedData ??= module.createCachedData();
      modules.set(path, module);
    }
    return modules.get(path);
  };
  const link = (specifier, referrer) => load(resolve(dirname(referrer.identifier), specifier));
  const named = {};
  for (const name of ['library.js', 'timers.js', 'console.js', 'global-scope.js', 'internal/host.js']) {
    const module = load(join(root, name));
    if (module.status === 'unlinked') await module.link(link);
    if (module.status !== 'evaluated') await module.evaluate();
    named[name] = module.namespace;
  }
  return named;
}

/** A realm with the library installed: its global, and the hooks a host has. */
export async function createRealm({ log = () => {}, sendRequest, natives = {} } = {}) {
  const realm = vm.createContext(vm.constants.DONT_CONTEXTIFY, { microtaskMode: undefined });
  for (const name of Object.getOwnPropertyNames(realm)) {
    if (['console', 'WebAssembly', 'Atomics'].includes(name)) delete realm[name];
  }
  const named = await loadModules(realm);
  const { host } = named['internal/host.js'];
  const { setTimeout: set, setInterval: every, clearTimeout: clear, clearInterval: clearEvery } = named['timers.js'];
  const started = performance.now();
  const timeOrigin = Date.now();
  const handles = new Map();
  const decoders = new Map();
  let lastDecoder = 0;
  const fire = (id) => {
    handles.delete(id);
    try {
      named['timers.js'].fireTimer(id);
    } catch (error) {
      named['global-scope.js'].reportUncaught(error);
    }
  };
  const guest = vm.runInContext(
    `({
      array: (...items) => items,
      record: (text) => JSON.parse(text),
      bytes: (length) => new Uint8Array(length),
    })`,
    realm,
  );
  Object.assign(host, {
    console: (level, text) => log(['log', 'warn', 'error'][level], text),
    reportToConsole: (level, text) => log(level, text),
    randomBytes: (bytes) => void crypto.randomFillSync(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    now: () => performance.now() - started,
    timeOrigin: () => timeOrigin,
    startTimer: (id, delay) => {
      delay = Math.min(Math.max(0, Math.trunc(delay) || 0), 2 ** 31 - 1);
      handles.set(id, setTimeout(fire, delay, id));
    },
    stopTimer: (id) => clearTimeout(handles.get(id)),
    domainToAscii: toASCII,
    encodingOfLabel: (label) => {
      try {
        return new TextDecoder(label).encoding;
      } catch {
        return undefined;
      }
    },
    openDecoder: (encoding, fatal) => {
      decoders.set(++lastDecoder, new TextDecoder(encoding, { fatal }));
      return lastDecoder;
    },
    runDecoder: (id, bytes, last) => {
      try {
        const text = decoders.get(id).decode(Buffer.from(bytes), { stream: !last });
        if (last) decoders.delete(id);
        return text;
      } catch {
        decoders.delete(id);
        return undefined;
      }
    },
    classify: (value) => {
      const { types } = util;
      const tests = [
        types.isMap, types.isSet, types.isDate, types.isRegExp, types.isBooleanObject, types.isNumberObject,
        types.isStringObject, types.isBigIntObject, types.isNativeError, types.isArrayBuffer, types.isArrayBufferView,
      ];
      if (types.isProxy(value)) return 13;
      if (Array.isArray(value)) return 1;
      const index = tests.findIndex((is) => is(value));
      if (index !== -1) return index + 2;
      const others = [
        types.isSharedArrayBuffer, types.isPromise, types.isWeakMap, types.isWeakSet, types.isGeneratorObject,
        types.isMapIterator, types.isSetIterator, types.isModuleNamespaceObject, types.isExternal, types.isSymbolObject,
      ];
      return others.some((is) => is(value)) ? 13 : 0;
    },
    describeException: (exception) => {
      let stack = '';
      try {
        stack = `${util.types.isNativeError(exception) ? exception.stack : new Error().stack}`;
      } catch {}
      const frames = [...`${stack}\n${new Error().stack}`.matchAll(/\(?((?:file:|http:|\/|evalmachine)[^\s():]*(?::\d+)?[^\s():]*):(\d+):(\d+)\)?$/gm)]
        .filter((frame) => !frame[1].startsWith(root) && !frame[1].startsWith(`file://${root}`));
      let text;
      try {
        text = util.types.isNativeError(exception) ? `${exception}` : `Uncaught ${String(exception)}`;
      } catch {
        text = 'Uncaught exception';
      }
      const [, filename = '', lineno = 0, colno = 0] = frames[0] ?? [];
      return { message: text, filename, lineno: Number(lineno), colno: Number(colno) };
    },
    sendRequest: sendRequest ?? (async () => guest.array('thrown', 'Outbound requests are disabled.')),
    ...natives,
  });
  named['library.js'].installLibrary(realm);
  for (const [name, value, enumerable] of [
    ['console', named['console.js'].console, false],
    ['setTimeout', set, true],
    ['setInterval', every, true],
    ['clearTimeout', clear, true],
    ['clearInterval', clearEvery, true],
    ['queueMicrotask', named['timers.js'].queueMicrotask, true],
  ]) {
    Object.defineProperty(realm, name, { value, writable: true, configurable: true, enumerable });
  }
  return {
    global: realm,
    host,
    run: (text, filename = 'test.js') => vm.runInContext(text, realm, { filename }),
    reportUncaught: named['global-scope.js'].reportUncaught,
    notifyUnhandledRejection: named['global-scope.js'].notifyUnhandledRejection,
    notifyRejectionHandled: named['global-scope.js'].notifyRejectionHandled,
    dispose: () => handles.forEach((handle) => clearTimeout(handle)),
  };
}
