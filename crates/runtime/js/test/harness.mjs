// Development only: loads the library's modules into a fresh realm of Node with a host made of Node's own parts.
// Needs `node --experimental-vm-modules` of version 24 or newer.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import util from 'node:util';
import vm from 'node:vm';
import zlib from 'node:zlib';
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

// crypto.subtle by way of Node's own. Data in and out is as the host's bridge has it.
async function performSubtle(guest, keys, name, args) {
  const inward = (value) => {
    if (value === undefined || value === null || typeof value !== 'object') return value ?? undefined;
    if (util.types.isUint8Array(value)) return new Uint8Array(value);
    if (Array.isArray(value)) return [...value].map(inward);
    if (value.cryptoKey !== undefined) return keys.get(value.cryptoKey);
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, inward(item)]).filter(([, item]) => item !== undefined),
    );
  };
  const outward = (value) => {
    if (value instanceof CryptoKey) {
      const number = keys.size + 1;
      keys.set(number, value);
      const { type, extractable, algorithm, usages } = value;
      return outward({ key: number, type, extractable, algorithm: { ...algorithm }, usages: [...usages] });
    }
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
      const source = new Uint8Array(value instanceof ArrayBuffer ? value : value.buffer);
      const bytes = guest.bytes(source.length);
      bytes.set(source);
      return value instanceof ArrayBuffer ? bytes.buffer : bytes;
    }
    if (Array.isArray(value)) return guest.array(...value.map(outward));
    if (typeof value !== 'object') return value;
    const record = guest.record('{}');
    for (const key of Object.keys(value)) record[key] = outward(value[key]);
    return record;
  };
  try {
    const given = [...args].map(inward);
    if (name === 'deriveKey') given.splice(2, 2, { ...given[2], ...given[3] });
    if (name === 'deriveBits' && given[2] === undefined) given[2] = null;
    const answer = await crypto.webcrypto.subtle[name](...given);
    return guest.array('returned', outward(answer));
  } catch (error) {
    return guest.array('thrown', error.name, String(error.message));
  }
}

function runWhole({ format, decompress, input }, last) {
  const none = Buffer.alloc(0);
  const [compress, expand] = {
    'deflate-raw': [zlib.deflateRawSync, zlib.inflateRawSync],
    deflate: [zlib.deflateSync, zlib.inflateSync],
    gzip: [zlib.gzipSync, zlib.gunzipSync],
    brotli: [zlib.brotliCompressSync, zlib.brotliDecompressSync],
  }[format];
  if (!decompress) return { bytes: last ? compress(input) : none };
  const { BROTLI_OPERATION_FINISH, BROTLI_OPERATION_FLUSH, Z_FINISH, Z_SYNC_FLUSH } = zlib.constants;
  const ends = format === 'brotli' ? [BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_FINISH] : [Z_SYNC_FLUSH, Z_FINISH];
  try {
    const { buffer, engine } = expand(input, { finishFlush: ends[Number(last)], info: true });
    return { bytes: buffer, error: engine.bytesWritten < input.length ? 'Extra input.' : undefined };
  } catch (error) {
    return { bytes: none, error: error.message };
  }
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
  const keys = new Map();
  const codecs = new Map();
  let lastCodec = 0;
  const answerRequest = sendRequest ?? (async () => guest.array('thrown', 'Outbound requests are disabled.'));
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
    randomBytes: (bytes) => void crypto.randomFillSync(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    now: () => performance.now() - started,
    timeOrigin: () => timeOrigin,
    startTimer: (id, delay) => {
      delay = Math.min(Math.max(0, Math.trunc(delay) || 0), 2 ** 31 - 1);
      handles.set(id, setTimeout(fire, delay, id));
    },
    stopTimer: (id) => clearTimeout(handles.get(id)),
    domainToAscii: toASCII,
    encodeUtf8: (text) => {
      const encoded = Buffer.from(text);
      const bytes = guest.bytes(encoded.length);
      bytes.set(encoded);
      return bytes;
    },
    decodeUtf8: (bytes, fatal) => {
      try {
        return new TextDecoder('utf-8', { fatal, ignoreBOM: true }).decode(bytes);
      } catch {
        return undefined;
      }
    },
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
    openCodec: (format, decompress) => {
      codecs.set(++lastCodec, { format, decompress, input: Buffer.alloc(0), written: 0 });
      return lastCodec;
    },
    // Node's codecs are not incremental in one call, so each chunk is run with all that came before it.
    runCodec: (id, bytes, last) => {
      const codec = codecs.get(id);
      codec.input = Buffer.concat([codec.input, bytes]);
      const output = runWhole(codec, last);
      const fresh = output.bytes.subarray(codec.written);
      codec.written = output.bytes.length;
      const parts = [];
      if (fresh.length > 0) {
        const result = guest.bytes(fresh.length);
        result.set(fresh);
        parts.push(result);
      }
      if (output.error !== undefined) parts.push(output.error);
      return guest.array(...parts);
    },
    closeCodec: (id) => codecs.delete(id),
    performSubtleOperation: (name, args) => performSubtle(guest, keys, name, args),
    sendRequest: (...request) => guest.array(1, answerRequest(...request)),
    cancelRequest: () => {},
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
