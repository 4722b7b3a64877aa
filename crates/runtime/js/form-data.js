// XMLHttpRequest: FormData.
import { append, newList, toArray } from './primordials.js';
import {
  defineInterface, definePairIterable, illegalInvocation, isObject, requireArguments, typeError, USVString,
} from './webidl.js';
import { blobBytes, blobTypeOf, fileData, isBlob, newFile } from './blob.js';

let isFormData;
let entriesOf;

export class FormData {
  #entries = newList();

  static {
    isFormData = (value) => isObject(value) && #entries in value;
    entriesOf = (form) => (isFormData(form) ? form.#entries : illegalInvocation());
  }

  constructor(form = undefined, submitter = undefined) {
    const context = "Failed to construct 'FormData'";
    if (form !== undefined) throw typeError(context, "parameter 1 is not of type 'HTMLFormElement'.");
    if (submitter !== undefined && submitter !== null) {
      throw typeError(context, "parameter 2 is not of type 'HTMLElement'.");
    }
  }

  append(name, value, filename = undefined) {
    const entries = entriesOf(this);
    append(entries, newEntry(name, value, filename, arguments.length, "Failed to execute 'append' on 'FormData'"));
  }

  delete(name) {
    const entries = entriesOf(this);
    name = entryName(name, arguments.length, "Failed to execute 'delete' on 'FormData'");
    let kept = 0;
    for (let index = 0; index < entries.length; index++) {
      if (entries[index][0] !== name) entries[kept++] = entries[index];
    }
    entries.length = kept;
  }

  get(name) {
    const entries = entriesOf(this);
    name = entryName(name, arguments.length, "Failed to execute 'get' on 'FormData'");
    for (let index = 0; index < entries.length; index++) if (entries[index][0] === name) return entries[index][1];
    return null;
  }

  getAll(name) {
    const entries = entriesOf(this);
    name = entryName(name, arguments.length, "Failed to execute 'getAll' on 'FormData'");
    const values = newList();
    for (let index = 0; index < entries.length; index++) {
      if (entries[index][0] === name) append(values, entries[index][1]);
    }
    return toArray(values);
  }

  has(name) {
    const entries = entriesOf(this);
    name = entryName(name, arguments.length, "Failed to execute 'has' on 'FormData'");
    for (let index = 0; index < entries.length; index++) if (entries[index][0] === name) return true;
    return false;
  }

  set(name, value, filename = undefined) {
    const entries = entriesOf(this);
    const entry = newEntry(name, value, filename, arguments.length, "Failed to execute 'set' on 'FormData'");
    let kept = 0;
    let found = false;
    for (let index = 0; index < entries.length; index++) {
      if (entries[index][0] !== entry[0]) entries[kept++] = entries[index];
      else if (!found) {
        found = true;
        entries[kept++] = entry;
      }
    }
    entries.length = kept;
    if (!found) append(entries, entry);
  }
}

defineInterface(FormData, { __proto__: null, length: 0, is: isFormData });
definePairIterable(FormData, isFormData, (form) => entriesOf(form));

function entryName(name, count, context) {
  requireArguments(count, 1, context);
  return USVString(name, context);
}

function newEntry(name, value, filename, count, context) {
  requireArguments(count, 2, context);
  name = USVString(name, context);
  if (!isBlob(value)) {
    if (count > 2) throw typeError(context, "parameter 2 is not of type 'Blob'.");
    return [name, USVString(value, context)];
  }
  const file = fileData(value);
  if (filename !== undefined) filename = USVString(filename, context);
  else if (file !== undefined) return [name, value];
  return [name, newFile(blobBytes(value), blobTypeOf(value), filename ?? 'blob', file?.lastModified)];
}

export { isFormData };

/** The list of `[name, value]` entries of a FormData. */
export function formEntries(form) {
  return entriesOf(form);
}

/** A FormData of a list of `[name, value]` entries, the values strings or Files. */
export function newFormData(entries) {
  const form = new FormData();
  const list = entriesOf(form);
  for (let index = 0; index < entries.length; index++) append(list, entries[index]);
  return form;
}

export const globals = { __proto__: null, FormData };
