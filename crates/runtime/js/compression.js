// Compression: CompressionStream and DecompressionStream. The host keeps the state of a codec and this module names it
// by a number.
import { TypeErrorCtor, Uint8ArrayCtor } from './primordials.js';
import {
  BufferSource, bytesOf, defineInterface, enumeration, illegalInvocation, isObject, requireArguments,
} from './webidl.js';
import { createTransform, enqueueTransformed } from './streams/transform.js';
import { wrapReadable } from './streams/readable.js';
import { host } from './internal/host.js';

const compressionFormat = enumeration('CompressionFormat', ['brotli', 'deflate', 'deflate-raw', 'gzip']);

// A transform over a codec. `openCodec(format, decompress)` answers its number; `runCodec(number, bytes, last)` what it
// gives for a chunk, an array of Uint8Array that ends with a text where the input turned out to be malformed.
function codecTransform(format, decompress, context) {
  let codec = host.openCodec(format, decompress);
  const run = (bytes, last, controller) => {
    const output = host.runCodec(codec, bytes, last);
    for (let index = 0; index < output.length; index++) {
      if (typeof output[index] === 'string') throw new TypeErrorCtor(`${context}: ${output[index]}`);
      enqueueTransformed(controller, output[index]);
    }
  };
  const close = () => {
    if (codec !== undefined) host.closeCodec(codec);
    codec = undefined;
  };
  return createTransform({
    __proto__: null,
    transform: (chunk, controller) => {
      run(bytesOf(BufferSource(chunk, context)), false, controller);
    },
    flush: (controller) => {
      try {
        run(empty, true, controller);
      } finally {
        close();
      }
    },
    cancel: close,
  });
}

const empty = new Uint8ArrayCtor(0);
let compressorOf;
let decompressorOf;

export class CompressionStream {
  #transform;

  static {
    compressorOf = (value) => (isObject(value) && #transform in value ? value.#transform : undefined);
  }

  constructor(format) {
    const context = "Failed to construct 'CompressionStream'";
    requireArguments(arguments.length, 1, context);
    format = compressionFormat(format, context);
    this.#transform = codecTransform(format, false, "Failed to write to 'CompressionStream'");
  }

  get readable() { return wrapReadable((compressorOf(this) ?? illegalInvocation()).readable); }
  get writable() { return (compressorOf(this) ?? illegalInvocation()).writable.wrapper; }
}

defineInterface(CompressionStream, { __proto__: null, is: (value) => compressorOf(value) !== undefined });

export class DecompressionStream {
  #transform;

  static {
    decompressorOf = (value) => (isObject(value) && #transform in value ? value.#transform : undefined);
  }

  constructor(format) {
    const context = "Failed to construct 'DecompressionStream'";
    requireArguments(arguments.length, 1, context);
    format = compressionFormat(format, context);
    this.#transform = codecTransform(format, true, "Failed to write to 'DecompressionStream'");
  }

  get readable() { return wrapReadable((decompressorOf(this) ?? illegalInvocation()).readable); }
  get writable() { return (decompressorOf(this) ?? illegalInvocation()).writable.wrapper; }
}

defineInterface(DecompressionStream, { __proto__: null, is: (value) => decompressorOf(value) !== undefined });

export const globals = { __proto__: null, CompressionStream, DecompressionStream };
