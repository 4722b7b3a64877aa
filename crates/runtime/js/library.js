// The list of what the library puts on the global object, and the one place that puts it there.
import { ObjectDefineProperty, ObjectGetOwnPropertyDescriptor, ReflectOwnKeys } from './primordials.js';
import { illegalInvocation } from './webidl.js';
import { globals as abort } from './abort.js';
import { operations as base64 } from './base64.js';
import { globals as blob } from './blob.js';
import { attributes as caches } from './caches.js';
import { globals as compression } from './compression.js';
import { attributes as cryptoAttributes, globals as crypto } from './crypto.js';
import { globals as domException } from './dom-exception.js';
import { globals as encoding } from './encoding.js';
import { globals as encodingStreams } from './encoding-streams.js';
import { globals as events } from './events.js';
import { operations as fetch } from './fetch.js';
import { globals as fileReader } from './file-reader.js';
import { globals as formData } from './form-data.js';
import {
  attributes as scopeAttributes, becomeEventTarget, globals as scope, operations as scopeOperations,
} from './global-scope.js';
import { globals as headers } from './headers.js';
import { globals as messageChannel } from './message-channel.js';
import { attributes as performanceAttributes, globals as performance } from './performance.js';
import { globals as request } from './request.js';
import { globals as response } from './response.js';
import { operations as structuredClone } from './structured-clone.js';
import { globals as byteController } from './streams/byte-controller.js';
import { globals as defaultController } from './streams/default-controller.js';
import { globals as readable } from './streams/readable.js';
import { globals as readers } from './streams/readers.js';
import { globals as strategies } from './streams/support.js';
import { registerStreams } from './streams/transfer.js';
import { globals as subtle } from './subtle.js';
import { globals as transform } from './streams/transform.js';
import { globals as writable } from './streams/writable.js';
import { globals as url } from './url.js';
import { globals as urlPattern } from './url-pattern.js';
import { globals as urlSearchParams } from './url-search-params.js';

// Interfaces are not enumerable; operations and attributes are. Attributes can be replaced by assignment, as their
// standards or the minimum common web API have it, all but `crypto`.
const interfaces = [
  abort, blob, byteController, compression, crypto, defaultController, domException, encoding, encodingStreams, events,
  fileReader, formData, headers, messageChannel, performance, readable, readers, request, response, scope, strategies,
  subtle, transform, url, urlPattern, urlSearchParams, writable,
];
const operations = [base64, fetch, scopeOperations, structuredClone];
const replaceable = [caches, performanceAttributes, scopeAttributes];
const readonly = [cryptoAttributes];

function install(target, records, enumerable) {
  for (let index = 0; index < records.length; index++) {
    const names = ReflectOwnKeys(records[index]);
    for (let at = 0; at < names.length; at++) {
      ObjectDefineProperty(target, names[at], {
        __proto__: null, value: records[index][names[at]], writable: true, configurable: true, enumerable,
      });
    }
  }
}

function installAttributes(target, records, canReplace) {
  for (let index = 0; index < records.length; index++) {
    const names = ReflectOwnKeys(records[index]);
    for (let at = 0; at < names.length; at++) {
      const name = names[at];
      const value = records[index][name];
      const accessors = {
        get [name]() {
          if (this !== undefined && this !== null && this !== target) illegalInvocation();
          return value;
        },
        set [name](replacement) {
          if (this !== undefined && this !== null && this !== target) illegalInvocation();
          ObjectDefineProperty(target, name, {
            __proto__: null, value: replacement, writable: true, configurable: true, enumerable: true,
          });
        },
      };
      const descriptor = ObjectGetOwnPropertyDescriptor(accessors, name);
      ObjectDefineProperty(target, name, canReplace ? descriptor : { __proto__: null, ...descriptor, set: undefined });
    }
  }
}

/** Installs the library on the global object. */
export function installLibrary(target) {
  install(target, interfaces, false);
  install(target, operations, true);
  installAttributes(target, replaceable, true);
  installAttributes(target, readonly, false);
  becomeEventTarget();
  registerStreams();
}
