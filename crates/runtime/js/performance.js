// High Resolution Time: Performance.
import { defineInterface, illegalInvocation, internal, isObject, requireInternal } from './webidl.js';
import { EventTarget } from './events.js';
import { host } from './internal/host.js';

let isPerformance;

export class Performance extends EventTarget {
  #brand;

  static {
    isPerformance = (value) => isObject(value) && #brand in value;
  }

  constructor(token = undefined) {
    requireInternal(token);
    super();
  }

  now() {
    return isPerformance(this) ? host.now() : illegalInvocation();
  }

  get timeOrigin() {
    return isPerformance(this) ? host.timeOrigin() : illegalInvocation();
  }

  toJSON() {
    return isPerformance(this) ? { timeOrigin: host.timeOrigin() } : illegalInvocation();
  }
}

defineInterface(Performance);

export const globals = { __proto__: null, Performance };
export const attributes = { __proto__: null, performance: new Performance(internal) };
