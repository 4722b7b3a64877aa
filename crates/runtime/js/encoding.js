// Encoding: TextEncoder and TextDecoder. UTF-8 and UTF-16 are decoded here, the legacy encodings by the host.
import {
  append, newList, RangeErrorCtor, ReflectApply, StringCharCodeAt, StringFromCharCode, StringIsWellFormed,
  StringSlice, StringToWellFormed, TypedArrayGetLength, Uint8ArrayCtor,
} from './primordials.js';
import {
  AllowSharedBufferSource, AllowSharedUint8Array, boolean, bytesOf, defineInterface, dictionary, DOMString,
  illegalInvocation, isObject, requireArguments, typeError, USVString,
} from './webidl.js';
import { encodingOfLabel } from './encodings.js';
import { newUtf8State, utf8DecodeChunk, utf8Encode, utf8EncodeInto } from './utf8.js';
import { host } from './internal/host.js';

let isEncoder;
let decoderState;
let isDecoder;

export class TextEncoder {
  #brand;

  static {
    isEncoder = (value) => isObject(value) && #brand in value;
  }

  get encoding() {
    if (!isEncoder(this)) illegalInvocation();
    return 'utf-8';
  }

  encode(input = '') {
    if (!isEncoder(this)) illegalInvocation();
    return utf8Encode(DOMString(input, "Failed to execute 'encode' on 'TextEncoder'"));
  }

  encodeInto(source, destination) {
    if (!isEncoder(this)) illegalInvocation();
    const context = "Failed to execute 'encodeInto' on 'TextEncoder'";
    requireArguments(arguments.length, 2, context);
    source = USVString(source, context);
    const { read, written } = utf8EncodeInto(source, AllowSharedUint8Array(destination, context));
    return { read, written };
  }
}

defineInterface(TextEncoder, { __proto__: null, length: 0, is: isEncoder });

// ---- decoders -----------------------------------------------------------------------------------------------

// A decoder answers the text of a chunk, or undefined where the input is malformed and `fatal`. After `last` it is
// as new.
function newDecoder(encoding, fatal, ignoreBom) {
  if (encoding === 'utf-8') return utf8Decoder(fatal, ignoreBom);
  if (encoding === 'utf-16le') return utf16Decoder(false, fatal, ignoreBom);
  if (encoding === 'utf-16be') return utf16Decoder(true, fatal, ignoreBom);
  return hostDecoder(encoding, fatal);
}

function utf8Decoder(fatal, ignoreBom) {
  const state = newUtf8State();
  return withoutBom(ignoreBom, (bytes, last) => utf8DecodeChunk(state, bytes, fatal, last));
}

// Drops a byte order mark at the start of each input.
function withoutBom(ignoreBom, decode) {
  let atStart = true;
  return (bytes, last) => {
    let text = decode(bytes, last);
    if (text === undefined) {
      atStart = true;
      return text;
    }
    if (atStart && text !== '') {
      atStart = false;
      if (!ignoreBom && StringCharCodeAt(text, 0) === 0xfeff) text = StringSlice(text, 1);
    }
    if (last) atStart = true;
    return text;
  };
}

function utf16Decoder(bigEndian, fatal, ignoreBom) {
  let leadByte = -1;
  let leadSurrogate = '';
  return withoutBom(ignoreBom, (bytes, last) => {
    let text = leadSurrogate;
    leadSurrogate = '';
    const length = TypedArrayGetLength(bytes);
    const units = newList();
    for (let index = 0; index < length; index++) {
      if (leadByte === -1) {
        leadByte = bytes[index];
        continue;
      }
      append(units, bigEndian ? (leadByte << 8) | bytes[index] : (bytes[index] << 8) | leadByte);
      leadByte = -1;
      if (units.length === 4096) {
        text += ReflectApply(StringFromCharCode, undefined, units);
        units.length = 0;
      }
    }
    if (units.length > 0) text += ReflectApply(StringFromCharCode, undefined, units);
    let malformed = false;
    if (last) {
      malformed = leadByte !== -1;
      leadByte = -1;
    } else if (text.length > 0) {
      const unit = StringCharCodeAt(text, text.length - 1);
      if (unit >= 0xd800 && unit <= 0xdbff) {
        leadSurrogate = text[text.length - 1];
        text = StringSlice(text, 0, -1);
      }
    }
    if (fatal && (malformed || !StringIsWellFormed(text))) {
      leadSurrogate = '';
      leadByte = -1;
      return undefined;
    }
    return StringToWellFormed(text) + (malformed ? '\ufffd' : '');
  });
}

function hostDecoder(encoding, fatal) {
  let id;
  return (bytes, last) => {
    id ??= host.openDecoder(encoding, fatal);
    const text = host.runDecoder(id, bytes, last);
    if (last || text === undefined) id = undefined;
    return text;
  };
}

const decoderOptions = dictionary('TextDecoderOptions', [
  { __proto__: null, key: 'fatal', convert: boolean, fallback: () => false },
  { __proto__: null, key: 'ignoreBOM', convert: boolean, fallback: () => false },
]);
const decodeOptions = dictionary('TextDecodeOptions', [
  { __proto__: null, key: 'stream', convert: boolean, fallback: () => false },
]);

/** What TextDecoder and TextDecoderStream are made from: encoding, flags and the decoder. */
export function newDecoderState(label, options, context) {
  label = DOMString(label, context);
  const { fatal, ignoreBOM } = decoderOptions(options, context);
  const encoding = encodingOfLabel(label);
  if (encoding === undefined || encoding === 'replacement') {
    throw new RangeErrorCtor(`${context}: The encoding label provided ('${label}') is invalid.`);
  }
  return { __proto__: null, encoding, fatal, ignoreBOM, decode: newDecoder(encoding, fatal, ignoreBOM) };
}

/** Decodes one chunk, throwing where a fatal decoder meets malformed input. */
export function decodeChunk(state, bytes, last, context) {
  const text = state.decode(bytes, last);
  if (text === undefined) {
    state.decode = newDecoder(state.encoding, state.fatal, state.ignoreBOM);
    throw typeError(context, 'The encoded data was not valid.');
  }
  return text;
}

const empty = new Uint8ArrayCtor(0);

export class TextDecoder {
  #state;

  static {
    isDecoder = (value) => isObject(value) && #state in value;
    decoderState = (decoder) => (isDecoder(decoder) ? decoder.#state : illegalInvocation());
  }

  constructor(label = 'utf-8', options = undefined) {
    this.#state = newDecoderState(label, options, "Failed to construct 'TextDecoder'");
  }

  get encoding() { return decoderState(this).encoding; }
  get fatal() { return decoderState(this).fatal; }
  get ignoreBOM() { return decoderState(this).ignoreBOM; }

  decode(input = undefined, options = undefined) {
    const state = decoderState(this);
    const context = "Failed to execute 'decode' on 'TextDecoder'";
    if (input !== undefined) input = AllowSharedBufferSource(input, context);
    const { stream } = decodeOptions(options, context);
    return decodeChunk(state, input === undefined ? empty : bytesOf(input), !stream, context);
  }
}

defineInterface(TextDecoder, { __proto__: null, length: 0, is: isDecoder });

export const globals = { __proto__: null, TextEncoder, TextDecoder };
