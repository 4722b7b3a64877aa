// Node as an oracle: one request a line on the standard input, one answer a line on the standard output.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

// Bytes in a notation of this suite: a text that begins with a mark no generated text holds.
const notation = (mark) => (key, member) => {
  if (ArrayBuffer.isView(member)) return `${mark}view:${hex(member)}`;
  if (member instanceof ArrayBuffer) return `${mark}buffer:${hex(new Uint8Array(member))}`;
  return member;
};

const operations = {
  // The text that JSON.stringify gives the member `v` of an object, for each source of a value.
  values: ({ sources, mark }) =>
    sources.map((source) => JSON.stringify({ v: (0, eval)(`(${source})`) }, notation(mark))),
  // What the driver of a module graph answers.
  drive: async ({ driver }) => {
    const { default: drive } = await import(pathToFileURL(driver));
    return await drive();
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = { answer: await operations[request.operation](request) };
  } catch (error) {
    answer = { error: `${error?.stack ?? error}` };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
