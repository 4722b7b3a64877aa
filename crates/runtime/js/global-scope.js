// HTML: what the global object itself is and does. It is an EventTarget, it reports exceptions and rejections, and it
// carries `self`, `navigator` and `reportError`.
import {
  ObjectDefineProperty, ObjectGetOwnPropertyDescriptor, ObjectSetPrototypeOf, StringCtor,
} from './primordials.js';
import {
  defineInterface, illegalInvocation, internal, isObject, requireArguments, requireInternal,
} from './webidl.js';
import {
  ErrorEvent, EventTarget, fireTrusted, getHandler, PromiseRejectionEvent, setHandler,
} from './events.js';
import { setReporter } from './reporting.js';
import { report } from './console.js';
import { host } from './internal/host.js';

const theGlobal = globalThis;

/** The class of the global object. It has no name on the global object, as no standard gives it one. */
class GlobalScope extends EventTarget {
  constructor(token = undefined) {
    requireInternal(token);
    super();
  }
}

defineInterface(GlobalScope);

// ---- reported exceptions and rejections ---------------------------------------------------------------------

let reporting = false;

/**
 * HTML's "report an exception": an `error` event at the global object, then the console unless a listener cancelled
 * it. An exception of an `error` listener goes to the console at once.
 */
export function reportUncaught(exception, onConsole = true) {
  const where = host.describeException === undefined ? undefined : host.describeException(exception);
  const message = where === undefined ? describe(exception) : where.message;
  let unhandled = true;
  if (!reporting) {
    reporting = true;
    try {
      unhandled = fireTrusted(theGlobal, new ErrorEvent('error', {
        __proto__: null, cancelable: true, message, error: exception, filename: where?.filename ?? '',
        lineno: where?.lineno ?? 0, colno: where?.colno ?? 0,
      }));
    } finally {
      reporting = false;
    }
  }
  if (unhandled && onConsole) report(2, describe(exception));
}

setReporter(reportUncaught);

// What `console.error` writes of it: `String()`, which may run the program's code and throw.
function describe(value) {
  try {
    return StringCtor(value);
  } catch {
    return 'An exception that cannot be described was thrown.';
  }
}

/** Fires `unhandledrejection`. Whether a listener cancels it makes no difference: nothing is written either way. */
export function notifyUnhandledRejection(promise, reason) {
  fireTrusted(theGlobal, new PromiseRejectionEvent('unhandledrejection', {
    __proto__: null, cancelable: true, promise, reason,
  }));
}

/** Fires `rejectionhandled`, for a promise whose `unhandledrejection` was fired before. */
export function notifyRejectionHandled(promise, reason) {
  fireTrusted(theGlobal, new PromiseRejectionEvent('rejectionhandled', { __proto__: null, promise, reason }));
}

// ---- navigator ----------------------------------------------------------------------------------------------

const USER_AGENT = 'Codemode';

export class Navigator {
  #brand;

  constructor(token = undefined) {
    requireInternal(token);
  }

  get userAgent() {
    return isObject(this) && #brand in this ? USER_AGENT : illegalInvocation();
  }
}

defineInterface(Navigator);

// ---- installation -------------------------------------------------------------------------------------------

export const globals = { __proto__: null, Navigator };

export const attributes = { __proto__: null, navigator: new Navigator(internal), self: theGlobal };

export const operations = {
  __proto__: null,

  reportError(exception) {
    requireArguments(arguments.length, 1, "Failed to execute 'reportError'");
    reportUncaught(exception);
  },
};

const handlerNames = ['error', 'unhandledrejection', 'rejectionhandled'];

/** Puts the global object on the prototype chain of EventTarget and defines its event handler attributes. */
export function becomeEventTarget() {
  ObjectSetPrototypeOf(theGlobal, GlobalScope.prototype);
  for (let index = 0; index < handlerNames.length; index++) {
    const type = handlerNames[index];
    const name = `on${type}`;
    const accessors = {
      get [name]() { return getHandler(theGlobal, type); },
      set [name](value) { setHandler(theGlobal, type, value); },
    };
    const descriptor = ObjectGetOwnPropertyDescriptor(accessors, name);
    ObjectDefineProperty(theGlobal, name, descriptor);
  }
}
