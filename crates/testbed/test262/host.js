// What the suite has a host define in the realm of a test. An expression; the runner calls it before anything of the
// suite is evaluated. A program cannot make realms, agents or scripts, so those hooks are absent.
(function installHost() {
  const { apply, defineProperty } = Reflect;
  const { transfer } = ArrayBuffer.prototype;
  const text = String;
  let heard;
  let settle;
  const printed = new Promise((resolve) => { settle = resolve; });
  const define = (name, value) =>
    defineProperty(globalThis, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });

  define('print', function print(value) {
    heard ??= `printed\n${text(value)}`;
    settle(heard);
  });
  define('$262', {
    global: globalThis,
    detachArrayBuffer(buffer) {
      apply(transfer, buffer, []);
      return null;
    },
    gc() {
      throw new Error('a program cannot collect garbage');
    },
  });

  return {
    printed,
    heard: () => heard,
    describe(thrown) {
      let name = '';
      let message = '';
      try {
        name = text(thrown.constructor.name);
      } catch {
        // It has none.
      }
      try {
        message = text(typeof thrown === 'object' && thrown !== null ? thrown.message : thrown);
      } catch {
        // It has none.
      }
      return `threw\n${name}\n${message}`;
    },
  };
})
