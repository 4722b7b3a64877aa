// What the `type` of a Blob becomes. File API and the MIME Sniffing tests contradict each other here; the choice, rule
// by rule and with its counts, stands in docs/decisions/0007-the-type-of-a-blob.md.
import { StringCharCodeAt, StringIndexOf } from './primordials.js';
import { asciiLowercase } from './infra.js';
import { parseMimeType, serializeMimeType } from './mime.js';

/** The type that `slice` was given: lower case, empty where it holds anything but printable ASCII. */
export function typeOfSlice(text) {
  for (let index = 0; index < text.length; index++) {
    const unit = StringCharCodeAt(text, index);
    if (unit < 0x20 || unit > 0x7e) return '';
  }
  return asciiLowercase(text);
}

/** The type that a constructor was given: parsed and serialized. What has no slash names no MIME type and stays. */
export function typeOfNew(text) {
  if (StringIndexOf(text, '/') === -1) return typeOfSlice(text);
  return parsed(text, serializeMimeType);
}

/** The type with which a Blob is fetched: its own, unless that is no MIME type. */
export function typeOfFetched(text) {
  return parsed(text, () => text);
}

function parsed(text, answer) {
  const mime = parseMimeType(text);
  return mime === undefined ? '' : answer(mime);
}
