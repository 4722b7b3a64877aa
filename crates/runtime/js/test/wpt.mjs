// Development only: runs web-platform-tests files over the harness realm.
//   node --experimental-vm-modules wpt.mjs SUITE LIST [AREA-PREFIX…] [--verbose]
// SUITE is a checkout, LIST a text file whose lines start with the path of a test file.
import { fork } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const ORIGIN = 'http://web-platform.test:8000';

function metadata(text) {
  const meta = { scripts: [], variants: [''], title: undefined };
  const variants = [];
  for (const line of text.split('\n')) {
    const match = /^\/\/\s*META:\s*(\w+)=(.*)$/.exec(line.trim());
    if (match === null) {
      if (line.trim() !== '' && !line.startsWith('//')) break;
      continue;
    }
    if (match[1] === 'script') meta.scripts.push(match[2].trim());
    if (match[1] === 'variant') variants.push(match[2].trim());
  }
  if (variants.length > 0) meta.variants = variants;
  return meta;
}

// What the suite's server would replace in a file named `.sub.`.
function substitute(path, text) {
  if (!path.includes('.sub.')) return text;
  return text
    .replaceAll('{{host}}', 'web-platform.test')
    .replaceAll(/\{\{ports\[http\]\[\d\]\}\}/g, '8000')
    .replaceAll(/\{\{ports\[https\]\[\d\]\}\}/g, '8443')
    .replaceAll(/\{\{(?:hosts|domains)\[[^}]*\}\}/g, 'www1.web-platform.test');
}

async function runOne(suite, path, variant) {
  const { createRealm } = await import('./harness.mjs');
  const file = join(suite, path);
  const text = substitute(path, readFileSync(file, 'utf8'));
  const url = `${ORIGIN}/${path}${variant}`;
  const realm = await createRealm({
    log: process.env.WPT_LOG ? console.error : undefined,
    natives: { baseUrl: url },
  });
  const onRejection = (reason, promise) => {
    if (Object.prototype.toString.call(promise) === '[object Promise]') realm.notifyUnhandledRejection(promise, reason);
  };
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', onRejection);
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => realm.reportUncaught(error));
  const resolveScript = (name, from) => {
    if (name === '/resources/WebIDLParser.js') return join(suite, 'resources/webidl2/lib/webidl2.js');
    return name.startsWith('/') ? join(suite, name) : join(dirname(from), name);
  };
  const results = [];
  const finished = new Promise((resolve) => {
    realm.global.__report = (name, status, message) => results.push({ name, status, message });
    realm.global.__complete = (status, message) => resolve({ status, message });
  });
  realm.global.__readFile = (target) => {
    const parsed = URL.parse(target, url);
    if (parsed?.origin !== ORIGIN) return undefined;
    const local = join(suite, decodeURIComponent(parsed.pathname));
    return existsSync(local) && statSync(local).isFile() ? readFileSync(local, 'latin1') : undefined;
  };
  realm.run(`{
    const readFile = __readFile;
    delete globalThis.__readFile;
    globalThis.location = new URL(${JSON.stringify(url)});
    globalThis.GLOBAL = { isWindow() { return false; }, isWorker() { return true; }, isShadowRealm() { return false; } };
    const realFetch = globalThis.fetch;
    globalThis.fetch = function fetch(input, init) {
      const text = typeof input === 'string' || input instanceof URL ? readFile(String(input)) : undefined;
      if (text === undefined) return realFetch.apply(this, arguments);
      const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
      if (typeof Response === 'undefined') {
        const body = new TextDecoder().decode(bytes);
        return Promise.resolve({ ok: true, status: 200, text: async () => body, json: async () => JSON.parse(body) });
      }
      return Promise.resolve(new Response(bytes));
    };
    Object.defineProperty(globalThis.fetch, 'length', { value: 1 });
    globalThis.Window = Object.getPrototypeOf(globalThis).constructor;
  }`);
  const load = (target) => realm.run(substitute(target, readFileSync(target, 'utf8')), `${ORIGIN}/${target.slice(suite.length + 1)}`);
  load(join(suite, 'resources/testharness.js'));
  realm.run(`{
    const report = __report, complete = __complete;
    delete globalThis.__report;
    delete globalThis.__complete;
    add_result_callback((test) => report(test.name, test.status, test.message));
    add_completion_callback((tests, status) => complete(status.status, status.message));
  }`);
  try {
    const meta = metadata(text);
    for (const script of meta.scripts) load(resolveScript(script, file));
    realm.run(text, `${ORIGIN}/${path}`);
    realm.run('done()');
  } catch (error) {
    realm.reportUncaught(error);
  }
  const harness = await Promise.race([
    finished,
    new Promise((resolve) => setTimeout(resolve, Number(process.env.WPT_TIMEOUT ?? 30000), { status: 2, message: 'timed out' }).unref()),
  ]);
  realm.dispose();
  return { results, harness };
}

if (process.argv[2] === '--child') {
  process.on('message', async ({ suite, path, variant }) => {
    try {
      process.send(await runOne(suite, path, variant));
    } catch (error) {
      process.send({ results: [], harness: { status: 1, message: String(error?.stack ?? error) } });
    }
  });
} else {
  const args = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
  const verbose = process.argv.includes('--verbose');
  const [suite, list, ...areas] = args;
  const lines = readFileSync(list, 'utf8').split('\n');
  const files = lines
    .map((line) => line.split('\t'))
    .filter(([path]) => path.endsWith('.js') && existsSync(join(suite, path)))
    .filter(([path]) => areas.length === 0 || areas.some((area) => path.startsWith(area)));
  const table = new Map();
  let child;
  const ask = (message) => new Promise((resolve) => {
    child ??= fork(self, ['--child'], { execArgv: process.execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), 60000);
    const settle = (answer) => {
      clearTimeout(timer);
      child?.removeAllListeners();
      resolve(answer);
    };
    child.once('message', settle);
    child.once('exit', (code, signal) => {
      child = undefined;
      settle({ results: [], harness: { status: 1, message: `the process ended: ${signal ?? code}` } });
    });
    child.send(message);
  });
  for (const [path, , expected, node, deno, bun] of files) {
    const { variants } = metadata(readFileSync(join(suite, path), 'utf8'));
    let passed = 0;
    let total = 0;
    const failures = [];
    for (const variant of variants) {
      const { results, harness } = await ask({ suite, path, variant });
      for (const { name, status, message } of results) {
        total++;
        if (status === 0) passed++;
        else failures.push(`    ${variant} ${name}: ${message}`);
      }
      if (harness.status !== 0) failures.push(`    ${variant} harness: ${harness.message}`);
    }
    const denominator = Math.max(total, Number(expected) || 0);
    const parts = path.split('/');
    const area = parts[0] === 'fetch' || parts[0] === 'html' || parts[0] === 'dom' ? parts.slice(0, 3).join('/').replace(/\/[^/]*\.js$/, '') : parts[0];
    const row = table.get(area) ?? { files: 0, passed: 0, total: 0, node: 0, deno: 0, bun: 0, expected: 0 };
    row.files++;
    row.passed += passed;
    row.total += denominator;
    row.expected += Number(expected) || 0;
    row.node += Number(node) || 0;
    row.deno += Number(deno) || 0;
    row.bun += Number(bun) || 0;
    table.set(area, row);
    if (failures.length > 0 || passed < denominator) {
      console.log(`${path}: ${passed}/${denominator}`);
      for (const failure of verbose ? failures : failures.slice(0, 4)) console.log(failure.slice(0, 260));
    }
  }
  child?.disconnect();
  let passed = 0;
  let total = 0;
  for (const [area, row] of table) {
    const percent = (value, of) => `${((100 * value) / (of || 1)).toFixed(1)}%`.padStart(7);
    console.log(
      `${area.padEnd(34)} ${String(row.files).padStart(3)} files ${String(row.passed).padStart(6)}/${String(row.total).padEnd(6)} ${percent(row.passed, row.total)}` +
        `  node ${percent(row.node, row.expected)} deno ${percent(row.deno, row.expected)} bun ${percent(row.bun, row.expected)}`,
    );
    passed += row.passed;
    total += row.total;
  }
  console.log(`total ${passed}/${total} ${((100 * passed) / total).toFixed(2)}%`);
}
