// What stands around a test file, on every runtime alike: the surroundings that the suite's own server would give a
// worker, the harness as shipped, and a reporter that hands the results over as data. An expression; the runner
// calls it with the settings and awaits a text of JSON.
(function runTestFile({ url, base, limitMs, harness, scripts, file }) {
  const { stringify } = JSON;
  const { apply, construct } = Reflect;
  const { setTimeout, URL, Request, Response, fetch } = globalThis;
  const { toWellFormed, slice } = String.prototype;
  const evaluate = globalThis.eval;
  const read = globalThis.readOfSuite;
  const started = Date.now;
  delete globalThis.readOfSuite;

  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  if (globalThis.self === undefined) define('self', globalThis);
  define('location', new URL(url));
  define('GLOBAL', { isWindow: () => false, isWorker: () => true, isShadowRealm: () => false });
  // idlharness knows only globals of browsers, and this is the one whose interfaces it does not look for.
  define('Window', Object.getPrototypeOf(globalThis).constructor);

  // Tests may name what they want relative to themselves. Runtimes without a page have no base URL, so it is
  // applied here, but not where the surface itself is examined.
  const absolute = (input) => {
    if (typeof input === 'object' || typeof input === 'symbol' || URL.canParse(input)) return input;
    return URL.canParse(input, url) ? new URL(input, url).href : input;
  };
  if (base) {
    const relative = new Proxy(Request, {
      construct: (target, args, newTarget) =>
        construct(target, args.length === 0 ? args : [absolute(args[0]), ...args.slice(1)],
          newTarget === relative ? target : newTarget),
    });
    Request.prototype.constructor = relative;
    globalThis.Request = relative;
    const { redirect } = Response;
    Response.redirect = { redirect(to, ...rest) { return apply(redirect, this, [absolute(to), ...rest]); } }.redirect;
    globalThis.fetch = { fetch(input, ...rest) {
      const target = absolute(input);
      if (read !== undefined && (typeof target === 'string' || target instanceof URL)) {
        const found = read(String(target));
        if (found !== undefined) {
          return Promise.resolve(new Response(found.body, { headers: found.headers, statusText: 'OK' }));
        }
      }
      return apply(fetch, this, [target, ...rest]);
    } }.fetch;
  } else if (read !== undefined) {
    globalThis.fetch = { fetch(input) {
      return Promise.resolve(new Response(read(String(absolute(input))).body));
    } }.fetch;
  } else {
    globalThis.fetch = { fetch(input, ...rest) { return apply(fetch, this, [absolute(input), ...rest]); } }.fetch;
  }

  return new Promise((settle) => {
    const results = [];
    const text = (value) => apply(slice, apply(toWellFormed, `${value ?? ''}`, []), [0, 400]);
    const finish = (status, message) => settle(stringify({ status, message: text(message), results }));
    const began = started();
    let broken;
    evaluate(harness);
    globalThis.add_result_callback((test) => {
      results[results.length] = { name: apply(toWellFormed, test.name, []), status: test.status, message: text(test.message) };
    });
    globalThis.add_completion_callback((tests, status) => {
      if (broken === undefined) finish(status.status, status.message);
      else finish(1, broken.error?.stack ?? broken.error);
    });
    setTimeout(() => finish(2, `not done after ${started() - began} ms`), limitMs);
    try {
      // One text, because what a script declares must be there for the next one.
      evaluate(`${scripts.map((script) => `;${script}\n`).join('')}${file}\n//# sourceURL=${url.replace(/[?#].*/, '')}`);
    } catch (error) {
      // Tests that were declared before it go on.
      broken = { error };
    }
    globalThis.done();
  });
})
