// Encoding: TextEncoderStream and TextDecoderStream.
import { StringCharCodeAt, StringSlice, Uint8ArrayCtor } from './primordials.js';
import {
  AllowSharedBufferSource, bytesOf, defineInterface, DOMString, illegalInvocation, isObject,
} from './webidl.js';
import { decodeChunk, newDecoderState } from './encoding.js';
import { utf8Encode } from './utf8.js';
import { createTransform, enqueueTransformed } from './streams/transform.js';
import { wrapReadable } from './streams/readable.js';

// A transform from chunks of text to UTF-8 bytes; a surrogate pair may be split between two chunks.
function encoderTransform() {
  let lead = '';
  return createTransform({
    __proto__: null,
    transform: (chunk, controller) => {
      let text = lead + DOMString(chunk, "Failed to write to 'TextEncoderStream'");
      lead = '';
      const last = text.length === 0 ? 0 : StringCharCodeAt(text, text.length - 1);
      if (last >= 0xd800 && last <= 0xdbff) {
        lead = text[text.length - 1];
        text = StringSlice(text, 0, -1);
      }
      if (text !== '') enqueueTransformed(controller, utf8Encode(text));
    },
    flush: (controller) => {
      if (lead !== '') enqueueTransformed(controller, utf8Encode(lead));
    },
    cancel: undefined,
  });
}

export class TextEncoderStream {
  #transform = encoderTransform();

  static #of(value) {
    return isObject(value) && #transform in value ? value.#transform : illegalInvocation();
  }

  get encoding() {
    TextEncoderStream.#of(this);
    return 'utf-8';
  }

  get readable() { return wrapReadable(TextEncoderStream.#of(this).readable); }
  get writable() { return TextEncoderStream.#of(this).writable.wrapper; }
}

defineInterface(TextEncoderStream);

const empty = new Uint8ArrayCtor(0);

/** A transform from chunks of bytes to text, over a decoder state. */
export function decoderTransform(state) {
  const context = "Failed to write to 'TextDecoderStream'";
  return createTransform({
    __proto__: null,
    transform: (chunk, controller) => {
      const text = decodeChunk(state, bytesOf(AllowSharedBufferSource(chunk, context)), false, context);
      if (text !== '') enqueueTransformed(controller, text);
    },
    flush: (controller) => {
      const text = decodeChunk(state, empty, true, context);
      if (text !== '') enqueueTransformed(controller, text);
    },
    cancel: undefined,
  });
}

export class TextDecoderStream {
  #state;
  #transform;

  constructor(label = 'utf-8', options = undefined) {
    this.#state = newDecoderState(label, options, "Failed to construct 'TextDecoderStream'");
    this.#transform = decoderTransform(this.#state);
  }

  static #check(value) {
    return isObject(value) && #transform in value ? value : illegalInvocation();
  }

  get encoding() { return TextDecoderStream.#check(this).#state.encoding; }
  get fatal() { return TextDecoderStream.#check(this).#state.fatal; }
  get ignoreBOM() { return TextDecoderStream.#check(this).#state.ignoreBOM; }
  get readable() { return wrapReadable(TextDecoderStream.#check(this).#transform.readable); }
  get writable() { return TextDecoderStream.#check(this).#transform.writable.wrapper; }
}

defineInterface(TextDecoderStream, { __proto__: null, length: 0 });

export const globals = { __proto__: null, TextEncoderStream, TextDecoderStream };
