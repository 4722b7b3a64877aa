// What the generated entry module of a run is made of: the tool call bridge, the provider proxies, and the race
// of the program against its clock.
import { host } from './host.js';
import { parseForDispatch, stringifyForDispatch } from './codec.js';
import { invokerOf } from './handles.js';

const ErrorConstructor = Error;
const ProxyConstructor = Proxy;
const text = String;
const { apply } = Reflect;
const hasOwn = Object.hasOwn;
const isErrorInstance = Function.prototype[Symbol.hasInstance];
const PromiseConstructor = Promise;
const then = PromiseConstructor.prototype.then;

// Rejects when the counted time of the run is spent. The host expires it; a timer of the isolate could not know
// what counts. The handler keeps an expiry that nobody awaits from being an unhandled rejection.
const { promise: expired, reject: rejectExpired } = PromiseConstructor.withResolvers();
apply(then, expired, [undefined, () => {}]);

export function expire(message) {
  rejectExpired(new ErrorConstructor(message));
}

// One tool call: three strings out, the envelope JSON back.
export function dispatch(provider, tool, argsJson) {
  return host.dispatch(text(provider), text(tool), text(argsJson));
}

async function callTool(provider, tool, argsJson) {
  const resultJson = await dispatch(provider, tool, argsJson);
  let data;
  try {
    data = parseForDispatch(resultJson);
  } catch {
    data = null;
  }
  if (data === null || typeof data !== 'object') throw new ErrorConstructor(host.outsideEnvelope);
  if (data.error) throw new ErrorConstructor(data.error);
  return data.result;
}

// The proxy of one provider. A property written onto it is returned before any tool; symbols and `then` never
// name a tool, so that inspection and `await` leave the provider alone.
export function provider(name, positional) {
  return new ProxyConstructor({}, {
    get: (target, toolName) => {
      if (hasOwn(target, toolName)) return target[toolName];
      if (typeof toolName === 'symbol' || toolName === 'then') return undefined;
      return async (...args) =>
        callTool(name, toolName, stringifyForDispatch(positional ? args : args[0] === undefined ? {} : args[0]));
    },
  });
}

// The text of a thrown value, as a run reports it.
export function describe(error) {
  return text(apply(isErrorInstance, ErrorConstructor, [error]) ? error.message : error);
}

// Runs the program, reports its outcome to the host and answers the envelope. `start` is an async function, so that
// a throw before the first yield is a rejection like any other. The report comes first; the entry's assignment to
// the completion name is then a later one, which cannot displace it.
//
// With `retains` a run that returned a request handler reports that instead of a value. The handler goes to the host
// directly. The name `__invokeHandle` is taken from whoever planted it, and a plant that cannot be taken away is the
// error of the run.
export async function settle(start, retains) {
  try {
    const result = await new PromiseConstructor((resolve, reject) => {
      apply(then, start(), [resolve, reject]);
      apply(then, expired, [undefined, reject]);
    });
    if (retains === true) {
      delete globalThis.__invokeHandle;
      const invoke = invokerOf(result);
      if (invoke !== undefined) {
        host.reportHandler(invoke);
        return '{}';
      }
    }
    const envelope = stringifyForDispatch({ result });
    host.reportResult(envelope);
    return envelope;
  } catch (error) {
    const message = describe(error);
    host.reportError(message);
    return stringifyForDispatch({ error: message });
  }
}
