// The console: three methods that write a line, and the rest of the Console Standard that exists and writes none.
import { host } from './internal/host.js';

const text = String;
const { defineProperty } = Reflect;
let full = false;

function write(level, args) {
  if (full) return;
  let line = '';
  for (let index = 0; index < args.length; index++) line += (index === 0 ? '' : ' ') + text(args[index]);
  if (host.console(level, line) === false) full = true;
}

// Writes one line on behalf of the library.
export function report(level, line) {
  write(level, [line]);
}

const silent = [
  'assert', 'clear', 'debug', 'dir', 'dirxml', 'group', 'groupCollapsed', 'groupEnd', 'info', 'profile', 'profileEnd',
  'table', 'timeStamp', 'trace',
];

// These take a label, which the standard converts to text even where nothing is written.
const labelled = ['count', 'countReset', 'time', 'timeEnd', 'timeLog'];

function createConsole() {
  const methods = {
    // A namespace object has a prototype of its own, which is empty.
    __proto__: {},
    log(...args) { write(0, args); },
    warn(...args) { write(1, args); },
    error(...args) { write(2, args); },
  };
  for (let index = 0; index < silent.length; index++) {
    const name = silent[index];
    methods[name] = { [name]() {} }[name];
  }
  for (let index = 0; index < labelled.length; index++) {
    const name = labelled[index];
    methods[name] = { [name](label = 'default') { toText(label); } }[name];
  }
  defineProperty(methods, Symbol.toStringTag, { __proto__: null, value: 'console', configurable: true });
  return methods;
}

// ToString, which refuses a symbol where `String()` describes it.
function toText(value) {
  return `${value}`;
}

const consoleObject = createConsole();
export { consoleObject as console };
