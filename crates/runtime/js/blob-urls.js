// File API: the store of blob: URLs.
import { MapCtor, MapDelete, MapGet, MapSet } from './primordials.js';
import { isBlob } from './blob.js';
import { newUuid } from './crypto.js';
import { typeError } from './webidl.js';

const blobs = new MapCtor();

/** A new blob: URL for a Blob. */
export function createBlobUrl(blob, context) {
  if (!isBlob(blob)) throw typeError(context, "parameter 1 is not of type 'Blob'.");
  const url = `blob:null/${newUuid()}`;
  MapSet(blobs, url, blob);
  return url;
}

/** Forgets a blob: URL. */
export function revokeBlobUrl(url) {
  MapDelete(blobs, url);
}

/** The Blob of a blob: URL without its fragment, or undefined. */
export function blobOfUrl(url) {
  return MapGet(blobs, url);
}
