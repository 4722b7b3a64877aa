// One process of the peer: a fresh isolate for each program, and none kept.
import ivm from "isolated-vm";

const MEMORY_MB = 64;
const TIMEOUT_MS = 60_000;
const PRELUDE = `const call = (...given) =>
  reference.apply(undefined, given, { arguments: { copy: true }, result: { promise: true, copy: true } });
const tools = { echo: (value) => call("echo", value), hold: () => call("hold", null) };
`;
const waiting = new Map();
let lastCall = 0;

// Crosses to the parent process and back, as a tool call of ours does.
function call(name, argument) {
  return new Promise((resolve) => {
    waiting.set(++lastCall, resolve);
    process.send({ call: lastCall, name, argument });
  });
}

async function run(code) {
  const isolate = new ivm.Isolate({ memoryLimit: MEMORY_MB });
  try {
    const context = await isolate.createContext();
    await context.global.set("reference", new ivm.Reference(call));
    const script = await isolate.compileScript(`${PRELUDE}(${code})()`);
    return await script.run(context, { promise: true, copy: true, timeout: TIMEOUT_MS });
  } finally {
    isolate.dispose();
  }
}

process.on("message", async (message) => {
  if (message.answer !== undefined) {
    waiting.get(message.answer)(message.value);
    waiting.delete(message.answer);
    return;
  }
  try {
    process.send({ result: await run(message.code) });
  } catch (error) {
    process.send({ error: String(error) });
  }
});
process.send({ ready: true });
