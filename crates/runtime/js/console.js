// The console: three methods that write a line, and the rest of the Console Standard that exists and writes none.
import { host } from './internal/host.js';

const text = String;
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
  'assert', 'clear', 'count', 'countReset', 'debug', 'dir', 'dirxml', 'group', 'groupCollapsed', 'groupEnd', 'info',
  'profile', 'profileEnd', 'table', 'time', 'timeEnd', 'timeLog', 'timeStamp', 'trace',
];

function createConsole() {
  const methods = {
    log(...args) { write(0, args); },
    warn(...args) { write(1, args); },
    error(...args) { write(2, args); },
  };
  for (let index = 0; index < silent.length; index++) {
    const name = silent[index];
    methods[name] = { [name]() {} }[name];
  }
  return methods;
}

const consoleObject = createConsole();
export { consoleObject as console };
