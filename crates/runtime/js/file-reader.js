// File API: FileReader; XMLHttpRequest: ProgressEvent. Neither belongs to the minimum common web API; programs written
// for the web read blobs with them.
import {
  ObjectDefineProperty, ObjectGetOwnPropertyDescriptor, TypedArrayGetBuffer, TypedArrayGetLength,
} from './primordials.js';
import {
  boolean, copyBytes, defineInterface, DOMString, double, illegalInvocation, isObject, requireArguments, typeError,
} from './webidl.js';
import { domException } from './dom-exception.js';
import {
  Event, EventTarget, eventInitWith, fireTrusted, getHandler, setHandler,
} from './events.js';
import { base64Encode } from './base64.js';
import { blobBytes, blobTypeOf, isBlob } from './blob.js';
import { newDecoderState } from './encoding.js';
import { encodingOfLabel } from './encodings.js';
import { isomorphicDecode } from './infra.js';
import { mimeParameter, parseMimeType } from './mime.js';
import { setTimeout } from './timers.js';

const progressEventInit = eventInitWith('ProgressEventInit', [
  { __proto__: null, key: 'lengthComputable', convert: boolean, fallback: () => false },
  { __proto__: null, key: 'loaded', convert: double, fallback: () => 0 },
  { __proto__: null, key: 'total', convert: double, fallback: () => 0 },
]);

let progressOf;

export class ProgressEvent extends Event {
  #progress;

  static {
    progressOf = (value) => (isObject(value) && #progress in value ? value.#progress : illegalInvocation());
  }

  constructor(type, init = undefined) {
    const context = "Failed to construct 'ProgressEvent'";
    requireArguments(arguments.length, 1, context);
    type = DOMString(type, context);
    init = progressEventInit(init, context);
    super(type, init);
    this.#progress = init;
  }

  get lengthComputable() { return progressOf(this).lengthComputable; }
  get loaded() { return progressOf(this).loaded; }
  get total() { return progressOf(this).total; }
}

defineInterface(ProgressEvent);

const EMPTY = 0;
const LOADING = 1;
const DONE = 2;

let stateOf;

export class FileReader extends EventTarget {
  // `run` numbers the reads, so that what an aborted one has left to do has no effect.
  #state = { __proto__: null, readyState: EMPTY, result: null, error: null, run: 0 };

  static {
    stateOf = (value) => (isObject(value) && #state in value ? value.#state : illegalInvocation());
  }

  readAsArrayBuffer(blob) {
    read(this, blob, arguments.length, 'readAsArrayBuffer', (bytes) => TypedArrayGetBuffer(copyBytes(bytes)));
  }

  readAsBinaryString(blob) {
    read(this, blob, arguments.length, 'readAsBinaryString', isomorphicDecode);
  }

  readAsText(blob, encoding = undefined) {
    const context = "Failed to execute 'readAsText' on 'FileReader'";
    const label = encoding === undefined ? undefined : DOMString(encoding, context);
    read(this, blob, arguments.length, 'readAsText', (bytes, type) => decodeText(bytes, type, label));
  }

  readAsDataURL(blob) {
    read(this, blob, arguments.length, 'readAsDataURL', (bytes, type) => (
      `data:${type === '' ? 'application/octet-stream' : type};base64,${base64Encode(bytes)}`
    ));
  }

  abort() {
    const state = stateOf(this);
    if (state.readyState !== LOADING) {
      state.result = null;
      return;
    }
    state.readyState = DONE;
    state.result = null;
    state.run++;
    const { run } = state;
    fire(this, 'abort', 0);
    if (state.run === run && state.readyState !== LOADING) fire(this, 'loadend', 0);
  }

  get readyState() { return stateOf(this).readyState; }
  get result() { return stateOf(this).result; }
  get error() { return stateOf(this).error; }
}

// An event handler attribute for each event of a read.
const handlerNames = ['loadstart', 'progress', 'load', 'abort', 'error', 'loadend'];
for (let index = 0; index < handlerNames.length; index++) {
  const type = handlerNames[index];
  const accessors = {
    get [`on${type}`]() {
      stateOf(this);
      return getHandler(this, type);
    },
    set [`on${type}`](value) {
      stateOf(this);
      setHandler(this, type, value);
    },
  };
  ObjectDefineProperty(FileReader.prototype, `on${type}`, ObjectGetOwnPropertyDescriptor(accessors, `on${type}`));
}

defineInterface(FileReader, { __proto__: null, constants: { __proto__: null, EMPTY, LOADING, DONE } });

function decodeText(bytes, type, label) {
  let encoding = label === undefined ? undefined : encodingOfLabel(label);
  if (encoding === undefined) {
    const mime = parseMimeType(type);
    const charset = mime === undefined ? undefined : mimeParameter(mime, 'charset');
    if (charset !== undefined) encoding = encodingOfLabel(charset);
  }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) encoding = 'utf-16be';
  else if (bytes[0] === 0xff && bytes[1] === 0xfe) encoding = 'utf-16le';
  else if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) encoding = 'utf-8';
  return newDecoderState(encoding ?? 'utf-8', undefined, undefined).decode(bytes, true);
}

function fire(reader, type, loaded) {
  const init = { __proto__: null, lengthComputable: loaded > 0, loaded, total: loaded };
  fireTrusted(reader, new ProgressEvent(type, init));
}

function read(reader, blob, count, method, convert) {
  const state = stateOf(reader);
  const context = `Failed to execute '${method}' on 'FileReader'`;
  requireArguments(count, 1, context);
  if (!isBlob(blob)) throw typeError(context, "parameter 1 is not of type 'Blob'.");
  if (state.readyState === LOADING) throw domException(`${context}: a read is under way.`, 'InvalidStateError');
  state.readyState = LOADING;
  state.result = null;
  state.error = null;
  const run = ++state.run;
  const bytes = blobBytes(blob);
  const size = TypedArrayGetLength(bytes);
  const type = blobTypeOf(blob);
  // Each step is a task, as reading from a disk would be.
  const steps = [
    () => fire(reader, 'loadstart', 0),
    () => {
      if (size > 0) fire(reader, 'progress', size);
    },
    () => {
      state.readyState = DONE;
      state.result = convert(bytes, type);
      fire(reader, 'load', size);
      if (state.run === run && state.readyState !== LOADING) fire(reader, 'loadend', size);
    },
  ];
  const next = (index) => {
    setTimeout(() => {
      if (state.run !== run) return;
      steps[index]();
      if (index + 1 < steps.length) next(index + 1);
    }, 0);
  };
  next(0);
}

export const globals = { __proto__: null, FileReader, ProgressEvent };
