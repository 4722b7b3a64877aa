// Development only: no line of the library may use a built-in that a program can replace.
//   node --experimental-vm-modules tamper.mjs
import { readFileSync } from 'node:fs';
import { createRealm } from './harness.mjs';

const recorder = readFileSync(new URL('tamper-recorder.cjs', import.meta.url), 'utf8');

// Programs that reach every module. Each is the body of an asynchronous function.
const programs = [
  `new URL('http://user:p%20w@EXAMPLE.com:81/a/../b c?q=ü#f').href; new URL('http://[::1]/').host = '1.2.3';
   const p = new URL('http://x/?a=1&b=2').searchParams; p.append('c', 'd'); p.sort(); p.delete('a'); p.set('b', '3');
   p.toString(); p.getAll('b'); new URLSearchParams({ a: 'b' });`,
  `new URLPattern({ pathname: '/a/:id(\\\\d+)?', hostname: '*.example.com' }).exec({ pathname: '/a/1' });
   new URLPattern('https://x/:y').test('https://x/z');`,
  `new TextDecoder().decode(new TextEncoder().encode('aü€😀')); new TextEncoder().encodeInto('aü', new Uint8Array(2));
   new TextDecoder('utf-16le').decode(new Uint8Array([65, 0])); atob(btoa('abc'));`,
  `const t = new EventTarget(); t.addEventListener('x', () => {}, { once: true }); t.dispatchEvent(new CustomEvent('x'));
   const c = new AbortController(); const any = AbortSignal.any([c.signal]); any.onabort = () => {}; c.abort();
   new DOMException('a', 'AbortError').code; reportError(1);`,
  `structuredClone(new Map([[1, { a: [1, new Set([2]), new Date(0), /x/g, new Error('e'), new Uint8Array(2)] }]]));
   const b = new ArrayBuffer(4); structuredClone(b, { transfer: [b] }); structuredClone(new Blob(['a']));`,
  `const [a, b] = new ReadableStream({ start(c) { c.enqueue(1); c.close(); } }).tee();
   for await (const x of a) x; await b.getReader().read();
   const s = new ReadableStream({ type: 'bytes', pull(c) { c.byobRequest.view[0] = 1; c.byobRequest.respond(1); } });
   const r = s.getReader({ mode: 'byob' }); await r.read(new Uint8Array(4)); r.releaseLock(); await s.cancel();
   const y = new TransformStream({ transform(x, c) { c.enqueue(x + 1); } });
   const w = y.writable.getWriter(); w.write(1); w.close(); await y.readable.getReader().read();
   await ReadableStream.from([1, 2]).pipeTo(new WritableStream({ write() {} }));`,
  `await new Response('{"a":1}', { headers: { 'content-type': 'application/json' } }).json();
   const f = new FormData(); f.append('a', 'b'); f.append('c', new File(['d'], 'e.txt'));
   const copy = await new Response(f).formData(); copy.get('c').name; [...copy];
   const q = new Request('https://x/', { method: 'POST', body: 'a', headers: [['a', 'b']] });
   await q.clone().text(); q.headers.append('A', 'c'); [...q.headers]; await new Response(q.body).arrayBuffer();
   await (await fetch('data:text/plain;base64,YQ==')).text(); await fetch('https://x/').catch(() => {});
   await new Blob(['abc']).slice(1).text(); await new Response(new Blob(['a']).stream()).blob();`,
  `const { port1, port2 } = new MessageChannel(); const got = new Promise((resolve) => { port2.onmessage = resolve; });
   port1.postMessage({ a: 1 }); await got; port1.close();
   performance.mark('a'); performance.measure('b', 'a'); performance.getEntriesByName('b')[0].toJSON();
   crypto.randomUUID(); crypto.getRandomValues(new Uint8Array(4)); await crypto.subtle.digest('SHA-256', new Uint8Array(1));`,
];

// Where a standard reads from the program's own object: dictionaries and sequences, the iterables of
// ReadableStream.from, strings of objects, and `then` of the value that a promise of the program is resolved with.
const allowed = [
  /^get Object\.prototype\.\w+ in webidl\.js/, /^(Array|ArrayIterator)\.prototype\.\S+ in (webidl|streams\/(readable|support))\.js/,
  /^get Object\.prototype\.(then|done|value) in /, /^Object\.prototype\.toString in webidl\.js/,
];

let failed = false;
for (const program of programs) {
  const realm = await createRealm();
  realm.run(recorder, 'tamper-recorder.cjs');
  try {
    await realm.run(`(async () => { ${program} })()`);
  } catch (error) {
    failed = true;
    console.log(`a program failed: ${error.stack}`);
  }
  for (const use of Object.keys(realm.global.uses)) {
    if (allowed.some((pattern) => pattern.test(use))) continue;
    failed = true;
    console.log(use);
  }
  realm.dispose();
}
process.exit(failed ? 1 : 0);
