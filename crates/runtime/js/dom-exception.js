// Web IDL: DOMException and QuotaExceededError.
//
// An instance is a real Error object, so that `stack` and `Error.isError` hold; the class is not a subclass of Error,
// because the interface object's prototype is Function.prototype.
import { ErrorCaptureStackTrace, ErrorCtor, ObjectSetPrototypeOf, RangeErrorCtor } from './primordials.js';
import { defineInterface, dictionary, DOMString, double, illegalInvocation, isObject } from './webidl.js';

const legacyCodes = {
  __proto__: null,
  INDEX_SIZE_ERR: 1, DOMSTRING_SIZE_ERR: 2, HIERARCHY_REQUEST_ERR: 3, WRONG_DOCUMENT_ERR: 4,
  INVALID_CHARACTER_ERR: 5, NO_DATA_ALLOWED_ERR: 6, NO_MODIFICATION_ALLOWED_ERR: 7, NOT_FOUND_ERR: 8,
  NOT_SUPPORTED_ERR: 9, INUSE_ATTRIBUTE_ERR: 10, INVALID_STATE_ERR: 11, SYNTAX_ERR: 12,
  INVALID_MODIFICATION_ERR: 13, NAMESPACE_ERR: 14, INVALID_ACCESS_ERR: 15, VALIDATION_ERR: 16,
  TYPE_MISMATCH_ERR: 17, SECURITY_ERR: 18, NETWORK_ERR: 19, ABORT_ERR: 20, URL_MISMATCH_ERR: 21,
  QUOTA_EXCEEDED_ERR: 22, TIMEOUT_ERR: 23, INVALID_NODE_TYPE_ERR: 24, DATA_CLONE_ERR: 25,
};

const codeByName = {
  __proto__: null,
  IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
  NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10,
  InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14,
  InvalidAccessError: 15, TypeMismatchError: 17, SecurityError: 18, NetworkError: 19, AbortError: 20,
  URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23, InvalidNodeTypeError: 24, DataCloneError: 25,
};

// A class whose constructor answers another object stamps its private fields on that object.
class Returned {
  constructor(target) {
    return target;
  }
}

class Slots extends Returned {
  #name;
  #message;
  constructor(target, message, name) {
    super(target);
    this.#message = message;
    this.#name = name;
  }
  static has(value) {
    return isObject(value) && #name in value;
  }
  static name(value) {
    return #name in value ? value.#name : illegalInvocation();
  }
  static message(value) {
    return #message in value ? value.#message : illegalInvocation();
  }
}

class QuotaSlots extends Returned {
  #quota;
  #requested;
  constructor(target, quota, requested) {
    super(target);
    this.#quota = quota;
    this.#requested = requested;
  }
  static has(value) {
    return isObject(value) && #quota in value;
  }
  static quota(value) {
    return #quota in value ? value.#quota : illegalInvocation();
  }
  static requested(value) {
    return #requested in value ? value.#requested : illegalInvocation();
  }
}

const { has: isDOMException, name: nameOf, message: messageOf } = Slots;
const { has: isQuotaExceededError, quota: quotaOf, requested: requestedOf } = QuotaSlots;
export { isDOMException };

function create(prototype, message, name, above) {
  const exception = new ErrorCtor();
  ObjectSetPrototypeOf(exception, prototype);
  new Slots(exception, message, name);
  ErrorCaptureStackTrace(exception, above);
  return exception;
}

export class DOMException {
  constructor(message = '', name = 'Error') {
    const context = "Failed to construct 'DOMException'";
    message = DOMString(message, context);
    name = DOMString(name, context);
    return create(new.target.prototype, message, name, new.target);
  }

  get name() {
    return nameOf(this);
  }

  get message() {
    return messageOf(this);
  }

  get code() {
    return codeByName[nameOf(this)] ?? 0;
  }
}

defineInterface(DOMException, { __proto__: null, length: 0, constants: legacyCodes });
ObjectSetPrototypeOf(DOMException.prototype, ErrorCtor.prototype);

const quotaOptions = dictionary('QuotaExceededErrorOptions', [
  { __proto__: null, key: 'quota', convert: double },
  { __proto__: null, key: 'requested', convert: double },
]);

export class QuotaExceededError {
  constructor(message = '', options = undefined) {
    const context = "Failed to construct 'QuotaExceededError'";
    message = DOMString(message, context);
    const { quota, requested } = quotaOptions(options, context);
    if (quota < 0 || requested < 0) throw new RangeErrorCtor(`${context}: quota and requested must not be negative.`);
    if (quota > requested) throw new RangeErrorCtor(`${context}: requested must be at least quota.`);
    const exception = create(new.target.prototype, message, 'QuotaExceededError', new.target);
    new QuotaSlots(exception, quota ?? null, requested ?? null);
    return exception;
  }

  get quota() {
    return quotaOf(this);
  }

  get requested() {
    return requestedOf(this);
  }
}

defineInterface(QuotaExceededError, { __proto__: null, length: 0 });
ObjectSetPrototypeOf(QuotaExceededError, DOMException);
ObjectSetPrototypeOf(QuotaExceededError.prototype, DOMException.prototype);

/** What an exception holds, whatever its accessors have become. */
export function exceptionParts(exception) {
  const quota = isQuotaExceededError(exception) ? [quotaOf(exception), requestedOf(exception)] : undefined;
  return { __proto__: null, name: nameOf(exception), message: messageOf(exception), quota };
}

/** A DOMException of a name that the Web IDL standard lists. */
export function domException(message, name) {
  return new DOMException(message, name);
}

export const globals = { __proto__: null, DOMException, QuotaExceededError };
