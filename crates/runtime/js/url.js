// URL: the URL class.
import { newList, StringSlice } from './primordials.js';
import {
  defineInterface, DOMString, illegalInvocation, isObject, requireArguments, typeError, USVString,
} from './webidl.js';
import {
  cannotHaveCredentials, FRAGMENT, hasOpaquePath, HOST, HOSTNAME, parseInto, parseUrl, PATH_START, PORT,
  QUERY, SCHEME_START, serializeOrigin, serializePath, serializeUrl,
} from './url-record.js';
import { encodeSets, percentEncode } from './url-encoding.js';
import { createBlobUrl, revokeBlobUrl } from './blob-urls.js';
import { paramsOfUrl, refreshParams } from './url-search-params.js';

let isUrl;
let recordOf;

function parseWithBase(url, base) {
  if (base === undefined) return parseUrl(url);
  const baseRecord = parseUrl(base);
  return baseRecord === undefined ? undefined : parseUrl(url, baseRecord);
}

function parseArguments(url, base, count, context) {
  requireArguments(count, 1, context);
  url = USVString(url, context);
  if (base !== undefined) base = USVString(base, context);
  return parseWithBase(url, base);
}

const given = { __proto__: null };

export class URL {
  #record;
  #params = undefined;

  static {
    isUrl = (value) => isObject(value) && #record in value;
    recordOf = (url) => (isUrl(url) ? url.#record : illegalInvocation());
  }

  constructor(url, base = undefined) {
    if (base === given) {
      this.#record = url;
      return;
    }
    const context = "Failed to construct 'URL'";
    const record = parseArguments(url, base, arguments.length, context);
    if (record === undefined) throw typeError(context, 'Invalid URL');
    this.#record = record;
  }

  static parse(url, base = undefined) {
    const record = parseArguments(url, base, arguments.length, "Failed to execute 'parse' on 'URL'");
    return record === undefined ? null : new URL(record, given);
  }

  static canParse(url, base = undefined) {
    return parseArguments(url, base, arguments.length, "Failed to execute 'canParse' on 'URL'") !== undefined;
  }

  static createObjectURL(blob) {
    const context = "Failed to execute 'createObjectURL' on 'URL'";
    requireArguments(arguments.length, 1, context);
    return createBlobUrl(blob, context);
  }

  static revokeObjectURL(url) {
    const context = "Failed to execute 'revokeObjectURL' on 'URL'";
    requireArguments(arguments.length, 1, context);
    revokeBlobUrl(DOMString(url, context));
  }

  get href() { return serializeUrl(recordOf(this)); }
  set href(value) {
    recordOf(this);
    const context = "Failed to set the 'href' property on 'URL'";
    const record = parseUrl(USVString(value, context));
    if (record === undefined) throw typeError(context, 'Invalid URL');
    this.#record = record;
    this.#refresh();
  }

  toJSON() { return serializeUrl(recordOf(this)); }
  toString() { return serializeUrl(recordOf(this)); }

  get origin() { return serializeOrigin(recordOf(this)); }

  get protocol() { return `${recordOf(this).scheme}:`; }
  set protocol(value) {
    const record = recordOf(this);
    parseInto(record, `${USVString(value, "Failed to set the 'protocol' property on 'URL'")}:`, SCHEME_START);
  }

  get username() { return recordOf(this).username; }
  set username(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'username' property on 'URL'");
    if (!cannotHaveCredentials(record)) record.username = percentEncode(value, encodeSets.userinfo);
  }

  get password() { return recordOf(this).password; }
  set password(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'password' property on 'URL'");
    if (!cannotHaveCredentials(record)) record.password = percentEncode(value, encodeSets.userinfo);
  }

  get host() {
    const { host, port } = recordOf(this);
    if (host === null) return '';
    return port === null ? host : `${host}:${port}`;
  }
  set host(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'host' property on 'URL'");
    if (!hasOpaquePath(record)) parseInto(record, value, HOST);
  }

  get hostname() { return recordOf(this).host ?? ''; }
  set hostname(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'hostname' property on 'URL'");
    if (!hasOpaquePath(record)) parseInto(record, value, HOSTNAME);
  }

  get port() {
    const { port } = recordOf(this);
    return port === null ? '' : `${port}`;
  }
  set port(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'port' property on 'URL'");
    if (cannotHaveCredentials(record)) return;
    if (value === '') record.port = null;
    else parseInto(record, value, PORT);
  }

  get pathname() { return serializePath(recordOf(this)); }
  set pathname(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'pathname' property on 'URL'");
    if (hasOpaquePath(record)) return;
    record.path = newList();
    parseInto(record, value, PATH_START);
  }

  get search() {
    const { query } = recordOf(this);
    return query === null || query === '' ? '' : `?${query}`;
  }
  set search(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'search' property on 'URL'");
    if (value === '') record.query = null;
    else {
      record.query = '';
      parseInto(record, value[0] === '?' ? StringSlice(value, 1) : value, QUERY);
    }
    this.#refresh();
  }

  get searchParams() {
    const { query } = recordOf(this);
    this.#params ??= paramsOfUrl(query ?? '', (text) => {
      this.#record.query = text === '' ? null : text;
    });
    return this.#params;
  }

  get hash() {
    const { fragment } = recordOf(this);
    return fragment === null || fragment === '' ? '' : `#${fragment}`;
  }
  set hash(value) {
    const record = recordOf(this);
    value = USVString(value, "Failed to set the 'hash' property on 'URL'");
    if (value === '') record.fragment = null;
    else {
      record.fragment = '';
      parseInto(record, value[0] === '#' ? StringSlice(value, 1) : value, FRAGMENT);
    }
  }

  #refresh() {
    if (this.#params !== undefined) refreshParams(this.#params, this.#record.query ?? '');
  }
}

defineInterface(URL, { __proto__: null, is: isUrl });

export const globals = { __proto__: null, URL };
