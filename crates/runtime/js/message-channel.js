// HTML: MessageChannel, MessagePort and MessageEvent.
//
// What a MessagePort object stands for is a record `{ port, peer, queue, enabled, closed, receive, receiveError }`. To
// transfer a port is to give its record a new object.
import { append, newList, ObjectFreeze, SymbolIterator } from './primordials.js';
import {
  any, defineInterface, DOMString, illegalInvocation, interfaceType, internal, isObject, nullable, object,
  requireArguments, requireInternal, sequence, sequenceFrom, USVString,
} from './webidl.js';
import { domException } from './dom-exception.js';
import {
  Event, EventTarget, eventInitWith, fireTrusted, getHandler, initializeEvent, isEventTarget, setHandler,
} from './events.js';
import {
  deserializeWithTransfer, registerTransferable, serializeOptions, serializeWithTransfer,
} from './structured-clone.js';
import { setTimeout } from './timers.js';

// ---- MessageEvent -------------------------------------------------------------------------------------------

const portType = interfaceType('MessagePort', (value) => isPort(value));
const source = nullable(interfaceType('EventTarget', isEventTarget));
const portSequence = sequence(portType);

const messageEventInit = eventInitWith('MessageEventInit', [
  { __proto__: null, key: 'data', convert: any, fallback: () => null },
  { __proto__: null, key: 'lastEventId', convert: DOMString, fallback: () => '' },
  { __proto__: null, key: 'origin', convert: USVString, fallback: () => '' },
  { __proto__: null, key: 'ports', convert: portSequence, fallback: () => [] },
  { __proto__: null, key: 'source', convert: source, fallback: () => null },
]);

let messageOf;

export class MessageEvent extends Event {
  #message;

  static {
    messageOf = (value) => (isObject(value) && #message in value ? value.#message : illegalInvocation());
  }

  constructor(type, init = undefined) {
    const context = "Failed to construct 'MessageEvent'";
    requireArguments(arguments.length, 1, context);
    type = DOMString(type, context);
    init = messageEventInit(init, context);
    super(type, init);
    this.#message = {
      __proto__: null, data: init.data, origin: init.origin, lastEventId: init.lastEventId, source: init.source,
      ports: ObjectFreeze(init.ports),
    };
  }

  get data() { return messageOf(this).data; }
  get origin() { return messageOf(this).origin; }
  get lastEventId() { return messageOf(this).lastEventId; }
  get source() { return messageOf(this).source; }
  get ports() { return messageOf(this).ports; }

  initMessageEvent(
    type, bubbles = false, cancelable = false, data = null, origin = '', lastEventId = '', sourceTarget = null,
    ports = undefined,
  ) {
    const message = messageOf(this);
    const context = "Failed to execute 'initMessageEvent' on 'MessageEvent'";
    requireArguments(arguments.length, 1, context);
    type = DOMString(type, context);
    origin = USVString(origin, context);
    lastEventId = DOMString(lastEventId, context);
    sourceTarget = source(sourceTarget, context);
    ports = ports === undefined ? [] : portSequence(ports, context);
    if (!initializeEvent(this, type, !!bubbles, !!cancelable)) return;
    message.data = data;
    message.origin = origin;
    message.lastEventId = lastEventId;
    message.source = sourceTarget;
    message.ports = ObjectFreeze(ports);
  }
}

defineInterface(MessageEvent);

// ---- ports --------------------------------------------------------------------------------------------------

function newRecord() {
  return {
    __proto__: null, port: undefined, peer: undefined, queue: newList(), enabled: false, closed: false, busy: false,
    receive: undefined, receiveError: undefined,
  };
}

let isPort;
let recordOf;
let rebind;

export class MessagePort extends EventTarget {
  #record;

  static {
    isPort = (value) => isObject(value) && #record in value;
    recordOf = (port) => (isPort(port) ? port.#record : illegalInvocation());
    rebind = (port, record) => {
      port.#record = record;
    };
  }

  constructor(token = undefined, record = undefined) {
    requireInternal(token);
    super();
    this.#record = record;
    record.port = this;
  }

  postMessage(message, options = undefined) {
    const record = recordOf(this);
    const context = "Failed to execute 'postMessage' on 'MessagePort'";
    requireArguments(arguments.length, 1, context);
    postTo(record, message, transferList(options, context));
  }

  start() {
    enable(recordOf(this));
  }

  close() {
    closeRecord(recordOf(this));
  }

  get onmessage() {
    recordOf(this);
    return getHandler(this, 'message');
  }
  set onmessage(value) {
    const record = recordOf(this);
    setHandler(this, 'message', value);
    enable(record);
  }

  get onmessageerror() {
    recordOf(this);
    return getHandler(this, 'messageerror');
  }
  set onmessageerror(value) {
    recordOf(this);
    setHandler(this, 'messageerror', value);
  }

  get onclose() {
    recordOf(this);
    return getHandler(this, 'close');
  }
  set onclose(value) {
    recordOf(this);
    setHandler(this, 'close', value);
  }
}

defineInterface(MessagePort);

// The overloads of postMessage: a sequence of objects, or a dictionary with one.
function transferList(options, context) {
  if (isObject(options)) {
    const method = options[SymbolIterator];
    if (method !== undefined && method !== null) return sequenceFrom(options, method, object, context);
  }
  return serializeOptions(options, context).transfer;
}

/** Sends a message through a port record. */
export function postTo(record, message, transfer) {
  const { peer } = record;
  for (let index = 0; index < transfer.length; index++) {
    if (isPort(transfer[index]) && recordOf(transfer[index]) === record) {
      throw domException('A port cannot be transferred through itself.', 'DataCloneError');
    }
  }
  const serialized = serializeWithTransfer(message, transfer);
  if (peer === undefined || peer.closed) return;
  append(peer.queue, serialized);
  deliverLater(peer);
}

/** Lets the messages of a port record arrive. */
export function enable(record) {
  if (record.enabled || record.closed) return;
  record.enabled = true;
  deliverLater(record);
}

// Each message arrives in a task of its own.
function deliverLater(record) {
  if (!record.enabled || record.busy || record.queue.length === 0) return;
  record.busy = true;
  setTimeout(() => {
    record.busy = false;
    if (!record.enabled || record.queue.length === 0) return;
    const serialized = record.queue[0];
    const rest = newList();
    for (let index = 1; index < record.queue.length; index++) append(rest, record.queue[index]);
    record.queue = rest;
    deliverLater(record);
    deliver(record, serialized);
  }, 0);
}

function deliver(record, serialized) {
  let message;
  try {
    message = deserializeWithTransfer(serialized);
  } catch {
    if (record.receiveError !== undefined) record.receiveError();
    else fireTrusted(record.port, new MessageEvent('messageerror'));
    return;
  }
  if (record.receive !== undefined) {
    record.receive(message.value);
    return;
  }
  const ports = newList();
  for (let index = 0; index < message.transferred.length; index++) {
    if (isPort(message.transferred[index])) append(ports, message.transferred[index]);
  }
  const init = { __proto__: null, data: message.value, ports: iterable(ports) };
  fireTrusted(record.port, new MessageEvent('message', init));
}

// An iterable whose iteration no program can change.
function iterable(list) {
  let index = 0;
  const iterator = {
    __proto__: null,
    next: () => (index < list.length
      ? { __proto__: null, value: list[index++], done: false }
      : { __proto__: null, value: undefined, done: true }),
  };
  return { __proto__: null, [SymbolIterator]: () => iterator };
}

/** Closes a port record; the other side learns of it in a task. */
export function closeRecord(record) {
  if (record.closed) return;
  record.closed = true;
  const { peer } = record;
  record.peer = undefined;
  if (peer === undefined) return;
  peer.peer = undefined;
  setTimeout(() => {
    if (peer.port !== undefined && !peer.closed) fireTrusted(peer.port, new Event('close'));
  }, 0);
}

/** Two entangled port records. */
export function newChannel() {
  const first = newRecord();
  const second = newRecord();
  first.peer = second;
  second.peer = first;
  return { __proto__: null, first, second };
}

export class MessageChannel {
  #ports;

  constructor() {
    const { first, second } = newChannel();
    this.#ports = [new MessagePort(internal, first), new MessagePort(internal, second)];
  }

  get port1() {
    return isObject(this) && #ports in this ? this.#ports[0] : illegalInvocation();
  }

  get port2() {
    return isObject(this) && #ports in this ? this.#ports[1] : illegalInvocation();
  }
}

defineInterface(MessageChannel);

registerTransferable({
  __proto__: null,
  is: (value) => isPort(value),
  detached: (port) => recordOf(port).closed,
  transfer: (port) => {
    const record = recordOf(port);
    record.enabled = false;
    record.port = undefined;
    const detached = newRecord();
    detached.closed = true;
    rebind(port, detached);
    return record;
  },
  receive: (record) => new MessagePort(internal, record),
});

export const globals = { __proto__: null, MessageChannel, MessageEvent, MessagePort };
