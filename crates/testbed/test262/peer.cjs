// Runs jobs in Node: `node peer.cjs SUITE`, jobs on standard input and answers on standard output, one JSON text a
// line. Each job runs in a process of its own, which is this file again with the job behind the suite.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const { registerHooks } = require('node:module');
const path = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const vm = require('node:vm');

/** What a test may take, as in the isolates of the runner. */
const PATIENCE_MS = 150_000;

const [, , suite, given] = process.argv;
if (given === undefined) {
  for (const line of fs.readFileSync(0, 'utf8').split('\n')) {
    if (line !== '') console.log(JSON.stringify(inProcess(line)));
  }
} else {
  run(JSON.parse(given));
}

function inProcess(line) {
  const { id } = JSON.parse(line);
  const { stdout, status, signal } =
    spawnSync(process.execPath, [__filename, suite, line], { encoding: 'utf8', timeout: PATIENCE_MS });
  const outcome = /\u0001(.*)\u0001/s.exec(stdout ?? '')?.[1];
  return outcome === undefined
    ? { id, outcome: null, error: `ended with ${signal ?? status}` }
    : { id, outcome, error: null };
}

function run({ path: test, goal, strict, asynchronous, harness }) {
  const file = path.join(suite, test);
  const host = vm.runInThisContext(fs.readFileSync(path.join(__dirname, 'host.js'), 'utf8'))();
  const write = (outcome) => process.stdout.write(`\u0001${outcome}\u0001`);
  // Whatever is imported from the suite is a module, also where nothing in it says so.
  registerHooks({
    load: (url, context, next) => (url.endsWith('.js')
      ? { format: 'module', source: fs.readFileSync(fileURLToPath(url)), shortCircuit: true }
      : next(url, context)),
  });
  const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const script = (text) => vm.runInThisContext(text, { filename: file, importModuleDynamically });
  // What a test rejects and nobody handles is the test's affair.
  process.on('unhandledRejection', () => {});
  const settled = () => {
    if (!asynchronous) return write('completed');
    return host.printed.then(write);
  };
  try {
    for (const name of harness) script(fs.readFileSync(path.join(suite, 'harness', name), 'utf8'));
    if (goal === 'module') {
      import(pathToFileURL(file)).then(settled, (thrown) => write(host.describe(thrown)));
      return;
    }
    script(`${strict ? '"use strict";\n' : ''}${fs.readFileSync(file, 'utf8')}`);
  } catch (thrown) {
    write(host.describe(thrown));
    return;
  }
  settled();
}
