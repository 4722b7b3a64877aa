// File API: Blob and File.
import {
  append, DateNow, markHandled, MathMax, MathMin, newList, slice, subarray, TypedArrayGetBuffer, TypedArrayGetLength,
} from './primordials.js';
import {
  copyBytes, defineInterface, dictionary, DOMString, enumeration, illegalInvocation, isBufferSource, isObject,
  longLong, requireArguments, sequence, USVString,
} from './webidl.js';
import { concatBytes, replaceAll } from './infra.js';
import { typeOfNew, typeOfSlice } from './blob-type.js';
import { utf8Decode, utf8Encode } from './utf8.js';
import { newDecoderState } from './encoding.js';
import { decoderTransform } from './encoding-streams.js';
import { registerSerializable } from './structured-clone.js';
import { closeByteController, enqueueView, respond } from './streams/byte-controller.js';
import { createByteReadable } from './streams/create.js';
import { pipe } from './streams/pipe.js';
import { wrapReadable } from './streams/readable.js';
import { resolvedWith } from './streams/support.js';

let isBlob;
let dataOf;

const blobPart = (value, context) => (isBlob(value) || isBufferSource(value) ? value : USVString(value, context));
const blobParts = sequence(blobPart);
const blobMembers = [
  {
    __proto__: null, key: 'endings', convert: enumeration('EndingType', ['transparent', 'native']),
    fallback: () => 'transparent',
  },
  { __proto__: null, key: 'type', convert: DOMString, fallback: () => '' },
];
const blobOptions = dictionary('BlobPropertyBag', blobMembers);

// The bytes of the parts of a blob, in memory that no program can reach.
function joinParts(parts, endings) {
  const chunks = newList();
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (typeof part === 'string') append(chunks, utf8Encode(endings === 'native' ? nativeEndings(part) : part));
    else append(chunks, isBlob(part) ? dataOf(part).bytes : copyBytes(part));
  }
  return concatBytes(chunks);
}

function nativeEndings(text) {
  return replaceAll(replaceAll(text, '\r\n', '\n'), '\r', '\n');
}

const given = { __proto__: null };

export class Blob {
  #data;

  static {
    isBlob = (value) => isObject(value) && #data in value;
    dataOf = (blob) => (isBlob(blob) ? blob.#data : illegalInvocation());
  }

  constructor(parts = undefined, options = undefined) {
    if (options === given) {
      this.#data = parts;
      return;
    }
    const context = "Failed to construct 'Blob'";
    const items = parts === undefined ? [] : blobParts(parts, context);
    const { endings, type } = blobOptions(options, context);
    this.#data = { __proto__: null, bytes: joinParts(items, endings), type: typeOfNew(type) };
  }

  get size() { return TypedArrayGetLength(dataOf(this).bytes); }
  get type() { return dataOf(this).type; }

  slice(start = undefined, end = undefined, contentType = undefined) {
    const { bytes } = dataOf(this);
    const context = "Failed to execute 'slice' on 'Blob'";
    const size = TypedArrayGetLength(bytes);
    const first = start === undefined ? 0 : relative(longLong.clamp(start), size);
    const last = end === undefined ? size : relative(longLong.clamp(end), size);
    const type = contentType === undefined ? '' : typeOfSlice(DOMString(contentType, context));
    return newBlob(subarray(bytes, first, MathMax(first, last)), type);
  }

  stream() {
    return wrapReadable(streamOfBytes(dataOf(this).bytes));
  }

  async text() {
    return utf8Decode(dataOf(this).bytes);
  }

  async arrayBuffer() {
    return TypedArrayGetBuffer(copyBytes(dataOf(this).bytes));
  }

  async bytes() {
    return copyBytes(dataOf(this).bytes);
  }

  textStream() {
    return wrapReadable(decodedStream(streamOfBytes(dataOf(this).bytes)));
  }
}

defineInterface(Blob, { __proto__: null, length: 0 });

function relative(position, size) {
  return position < 0 ? MathMax(size + position, 0) : MathMin(position, size);
}

/** A readable byte stream, as a record, of bytes that stay as they are. */
export function streamOfBytes(bytes) {
  const CHUNK = 65536;
  const length = TypedArrayGetLength(bytes);
  let offset = 0;
  const stream = createByteReadable({
    __proto__: null,
    pull: () => {
      const { controller } = stream;
      if (offset < length) {
        const end = MathMin(offset + CHUNK, length);
        enqueueView(controller, slice(bytes, offset, end));
        offset = end;
      }
      if (offset === length) {
        closeByteController(controller);
        if (controller.pending.length > 0) respond(controller, 0);
      }
      return resolvedWith(undefined);
    },
  });
  return stream;
}

/** The readable stream, as a record, of the UTF-8 text of a stream of bytes. */
export function decodedStream(stream) {
  const transform = decoderTransform(newDecoderState('utf-8', undefined, undefined));
  markHandled(pipe(stream, transform.writable, { __proto__: null }));
  return transform.readable;
}

const fileOptions = dictionary('FilePropertyBag', [
  blobMembers[0],
  blobMembers[1],
  { __proto__: null, key: 'lastModified', convert: longLong.convert },
]);

let fileDataOf;

export class File extends Blob {
  #file;

  static {
    fileDataOf = (value) => (isObject(value) && #file in value ? value.#file : undefined);
  }

  constructor(fileBits, fileName, options = undefined) {
    if (options === given) {
      super(fileBits, given);
      this.#file = fileName;
      return;
    }
    const context = "Failed to construct 'File'";
    requireArguments(arguments.length, 2, context);
    const items = blobParts(fileBits, context);
    const name = USVString(fileName, context);
    const { endings, type, lastModified } = fileOptions(options, context);
    super({ __proto__: null, bytes: joinParts(items, endings), type: typeOfNew(type) }, given);
    this.#file = { __proto__: null, name, lastModified: lastModified ?? DateNow() };
  }

  get name() { return (fileDataOf(this) ?? illegalInvocation()).name; }
  get lastModified() { return (fileDataOf(this) ?? illegalInvocation()).lastModified; }
}

defineInterface(File);

export { isBlob };

/** Whether a value is a File. */
export function isFile(value) {
  return fileDataOf(value) !== undefined;
}

/** The bytes of a Blob, which nobody may change. */
export function blobBytes(blob) {
  return dataOf(blob).bytes;
}

/** The type of a Blob. */
export function blobTypeOf(blob) {
  return dataOf(blob).type;
}

/** The name and time of a File. */
export function fileData(file) {
  return fileDataOf(file);
}

/** A Blob over bytes that nobody else holds. */
export function newBlob(bytes, type) {
  return new Blob({ __proto__: null, bytes, type }, given);
}

/** A File over bytes that nobody else holds. */
export function newFile(bytes, type, name, lastModified = DateNow()) {
  return new File({ __proto__: null, bytes, type }, { __proto__: null, name, lastModified }, given);
}

registerSerializable({
  __proto__: null,
  is: isBlob,
  serialize: (blob) => ({ __proto__: null, data: dataOf(blob), file: fileDataOf(blob) }),
  deserialize: ({ data, file }) => (file === undefined ? new Blob(data, given) : new File(data, file, given)),
});

export const globals = { __proto__: null, Blob, File };
