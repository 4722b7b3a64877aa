// Streams: readable streams that the library makes for itself, as records without a ReadableStream object.
import { setUpByteController } from './byte-controller.js';
import { setUpDefaultController } from './default-controller.js';
import { newReadableRecord } from './readable-core.js';
import { resolvedWith } from './support.js';

const nothing = () => undefined;
const resolved = () => resolvedWith(undefined);

/** CreateReadableStream: `{ start, pull, cancel, highWaterMark, size }`, all optional. */
export function createReadable(
  { start = nothing, pull = resolved, cancel = resolved, highWaterMark = 1, size = () => 1 },
) {
  const stream = newReadableRecord();
  setUpDefaultController(stream, { __proto__: null, start, pull, cancel, highWaterMark, size });
  return stream;
}

/** CreateReadableByteStream: `{ start, pull, cancel, highWaterMark }`, all optional. */
export function createByteReadable({ start = nothing, pull = resolved, cancel = resolved, highWaterMark = 0 }) {
  const stream = newReadableRecord();
  setUpByteController(stream, {
    __proto__: null, start, pull, cancel, highWaterMark, autoAllocateChunkSize: undefined,
  });
  return stream;
}
