// Fetch: the data: URL processor.
import { StringIndexOf, StringSlice, StringStartsWith } from './primordials.js';
import { asciiLowercase, isAsciiWhitespace, isomorphicDecode, strip } from './infra.js';
import { forgivingBase64Decode } from './base64.js';
import { parseMimeType, serializeMimeType } from './mime.js';
import { percentDecode } from './url-encoding.js';
import { serializeUrl } from './url-record.js';

/** The content type and bytes of a data: URL record, or undefined where it is malformed. */
export function processDataUrl(url) {
  const input = StringSlice(serializeUrl(url, true), 5);
  const comma = StringIndexOf(input, ',');
  if (comma === -1) return undefined;
  let type = strip(StringSlice(input, 0, comma), isAsciiWhitespace);
  let bytes = percentDecode(StringSlice(input, comma + 1));
  const bare = withoutBase64(type);
  if (bare !== undefined) {
    bytes = forgivingBase64Decode(isomorphicDecode(bytes));
    if (bytes === undefined) return undefined;
    type = bare;
  }
  if (StringStartsWith(type, ';')) type = `text/plain${type}`;
  const mime = parseMimeType(type);
  return {
    __proto__: null, type: mime === undefined ? 'text/plain;charset=US-ASCII' : serializeMimeType(mime), bytes,
  };
}

// The type without a trailing `; base64`, or undefined where it has none.
function withoutBase64(type) {
  if (asciiLowercase(StringSlice(type, -6)) !== 'base64') return undefined;
  let end = type.length - 6;
  while (end > 0 && type[end - 1] === ' ') end--;
  return type[end - 1] === ';' ? StringSlice(type, 0, end - 1) : undefined;
}
