// One job on Node, Deno or Bun: `node peer.mjs SUITE`, the job's code on standard input, its outcome after MARK.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const ORIGIN = 'http://web-platform.test:8000';
const MARK = '\u0001outcome ';
const suite = process.argv[2];
let code = '';
for await (const part of process.stdin.setEncoding('utf8')) code += part;

globalThis.readOfSuite = (target) => {
  const url = new URL(target);
  if (url.origin !== ORIGIN) return undefined;
  const path = join(suite, url.pathname);
  if (!existsSync(path)) return undefined;
  if (path.endsWith('.asis')) return asIs(readFileSync(path, 'latin1'));
  const folder = statSync(path).isDirectory();
  return {
    body: folder ? '<!doctype html>\n' : new Uint8Array(readFileSync(path)),
    headers: { 'content-type': type(folder ? '.html' : path) },
  };
};

// A whole response in a file.
function asIs(text) {
  const [head, ...rest] = text.split(/\r?\n\r?\n/);
  const headers = head.split(/\r?\n/).slice(1).map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]);
  return { body: rest.join('\n\n'), headers };
}

function type(path) {
  const known = { html: 'text/html', js: 'text/javascript', json: 'application/json', png: 'image/png', txt: 'text/plain' };
  return known[path.split('.').at(-1)] ?? 'application/octet-stream';
}

// A test that leaves a rejection or an exception behind has said so in its outcome; the process goes on.
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});
const { write } = process.stdout;
const { exit } = process;
const run = new Function(`return (async () => {\n${code}\n})()`);
const outcome = await run().catch((error) => JSON.stringify({ status: 1, message: String(error), results: [] }));
write.call(process.stdout, `\n${MARK}${outcome}\n`, () => exit(0));
