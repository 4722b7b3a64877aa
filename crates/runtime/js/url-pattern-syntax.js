// URL Pattern: the pattern syntax. Tokens, parts, and the regular expression and pattern string of a list of parts.
import {
  append, newList, RegExpExec, StringCharCodeAt, StringCodePointAt, StringEndsWith, StringFromCodePoint,
  StringIndexOf, StringSlice, TypeErrorCtor,
} from './primordials.js';
import { isDigit } from './infra.js';

const identifierStart = /[$_\p{ID_Start}]/u;
const identifierPart = /[$_\u200c\u200d\p{ID_Continue}]/u;

function isNameCharacter(character, first) {
  return RegExpExec(first ? identifierStart : identifierPart, character) !== null;
}

function characterAt(text, index) {
  return StringFromCodePoint(StringCodePointAt(text, index));
}

// ---- tokens -------------------------------------------------------------------------------------------------

/** The tokens `{ type, index, value }` of a pattern string. A lenient tokenizer answers invalid-char where it must. */
export function tokenize(input, lenient) {
  const tokens = newList();
  let index = 0;
  const add = (type, next, start, length = next - start) => {
    append(tokens, { __proto__: null, type, index, value: StringSlice(input, start, start + length) });
    index = next;
  };
  const fail = (next, start) => {
    if (!lenient) throw new TypeErrorCtor(`The pattern '${input}' is malformed at ${start}.`);
    add('invalid-char', next, start);
  };
  while (index < input.length) {
    const character = characterAt(input, index);
    const next = index + character.length;
    const single = singleTokens[character];
    if (single !== undefined) add(single, next, index);
    else if (character === '\\') {
      if (next >= input.length) fail(next, index);
      else add('escaped-char', next + characterAt(input, next).length, next);
    } else if (character === ':') {
      let end = next;
      while (end < input.length) {
        const part = characterAt(input, end);
        if (!isNameCharacter(part, end === next)) break;
        end += part.length;
      }
      if (end === next) fail(next, index);
      else add('name', end, next);
    } else if (character === '(') {
      const end = endOfRegExp(input, next);
      if (end === undefined) fail(next, index);
      else add('regexp', end, next, end - next - 1);
    } else add('char', next, index);
  }
  add('end', index, index);
  return tokens;
}

const singleTokens = {
  __proto__: null, '*': 'asterisk', '+': 'other-modifier', '?': 'other-modifier', '{': 'open', '}': 'close',
};

// Where the group that starts at `start` ends, or undefined where it is malformed.
function endOfRegExp(input, start) {
  let depth = 1;
  let at = start;
  while (at < input.length) {
    const unit = StringCharCodeAt(input, at);
    if (unit > 0x7f || (at === start && unit === 0x3f)) return undefined;
    if (unit === 0x5c) {
      if (at === input.length - 1 || StringCharCodeAt(input, at + 1) > 0x7f) return undefined;
      at += 2;
      continue;
    }
    at++;
    if (unit === 0x29 && --depth === 0) break;
    if (unit === 0x28) {
      depth++;
      if (at >= input.length || input[at] !== '?') return undefined;
    }
  }
  return depth === 0 && at - start > 1 ? at : undefined;
}

// ---- parts --------------------------------------------------------------------------------------------------

function escapeWith(text, special) {
  let result = '';
  for (let index = 0; index < text.length; index++) {
    if (StringIndexOf(special, text[index]) !== -1) result += '\\';
    result += text[index];
  }
  return result;
}

/** A text that a pattern string matches literally. */
export function escapePattern(text) {
  return escapeWith(text, '+*?:{}()\\');
}

function escapeRegExp(text) {
  return escapeWith(text, '.+*?^${}()[]|/\\');
}

function segmentWildcard(options) {
  return `[^${escapeRegExp(options.delimiter)}]+?`;
}

const modifierOf = { __proto__: null, '?': '?', '*': '*', '+': '+' };

/** The parts `{ type, value, modifier, name, prefix, suffix }` of a pattern string. */
export function parsePattern(input, encode, options) {
  const tokens = tokenize(input, false);
  const parts = newList();
  const segment = segmentWildcard(options);
  let at = 0;
  let pending = '';
  let nextName = 0;

  const take = (type) => (tokens[at].type === type ? tokens[at++] : undefined);
  const need = (type) => {
    const token = take(type);
    if (token === undefined) throw new TypeErrorCtor(`The pattern '${input}' is malformed at ${tokens[at].index}.`);
    return token;
  };
  const takeText = () => {
    let text = '';
    for (;;) {
      const token = take('char') ?? take('escaped-char');
      if (token === undefined) return text;
      text += token.value;
    }
  };
  const takeGroup = (name) => take('regexp') ?? (name === undefined ? take('asterisk') : undefined);
  const takeModifier = () => take('other-modifier') ?? take('asterisk');
  const fixed = (value, modifier) => {
    append(parts, { __proto__: null, type: 'fixed-text', value, modifier, name: '', prefix: '', suffix: '' });
  };
  const flush = () => {
    if (pending === '') return;
    const value = encode(pending);
    pending = '';
    fixed(value, '');
  };
  const addPart = (prefix, name, group, suffix, modifierToken) => {
    const modifier = modifierToken === undefined ? '' : modifierOf[modifierToken.value];
    if (name === undefined && group === undefined && modifier === '') {
      pending += prefix;
      return;
    }
    flush();
    if (name === undefined && group === undefined) {
      if (prefix !== '') fixed(encode(prefix), modifier);
      return;
    }
    let value = group === undefined ? segment : group.type === 'asterisk' ? '.*' : group.value;
    let type = 'regexp';
    if (value === segment) type = 'segment-wildcard';
    else if (value === '.*') type = 'full-wildcard';
    if (type !== 'regexp') value = '';
    const label = name === undefined ? `${nextName++}` : name.value;
    for (let index = 0; index < parts.length; index++) {
      if (parts[index].name === label) throw new TypeErrorCtor(`The pattern '${input}' names '${label}' twice.`);
    }
    append(parts, {
      __proto__: null, type, value, modifier, name: label, prefix: encode(prefix), suffix: encode(suffix),
    });
  };

  while (at < tokens.length) {
    const character = take('char');
    let name = take('name');
    let group = takeGroup(name);
    if (name !== undefined || group !== undefined) {
      let prefix = character === undefined ? '' : character.value;
      if (prefix !== '' && prefix !== options.prefix) {
        pending += prefix;
        prefix = '';
      }
      flush();
      addPart(prefix, name, group, '', takeModifier());
      continue;
    }
    const text = character ?? take('escaped-char');
    if (text !== undefined) {
      pending += text.value;
      continue;
    }
    if (take('open') !== undefined) {
      const prefix = takeText();
      name = take('name');
      group = takeGroup(name);
      const suffix = takeText();
      need('close');
      addPart(prefix, name, group, suffix, takeModifier());
      continue;
    }
    flush();
    need('end');
  }
  return parts;
}

/** The source of the regular expression of parts, and the names of its groups. */
export function regExpOfParts(parts, options) {
  const names = newList();
  let source = '^';
  for (let index = 0; index < parts.length; index++) {
    const { type, value, modifier, name, prefix, suffix } = parts[index];
    if (type === 'fixed-text') {
      source += modifier === '' ? escapeRegExp(value) : `(?:${escapeRegExp(value)})${modifier}`;
      continue;
    }
    append(names, name);
    const inner = type === 'segment-wildcard' ? segmentWildcard(options) : type === 'full-wildcard' ? '.*' : value;
    const single = modifier === '' || modifier === '?';
    if (prefix === '' && suffix === '') {
      source += single ? `(${inner})${modifier}` : `((?:${inner})${modifier})`;
      continue;
    }
    const before = escapeRegExp(prefix);
    const after = escapeRegExp(suffix);
    if (single) source += `(?:${before}(${inner})${after})${modifier}`;
    else {
      const many = `(?:${before}((?:${inner})(?:${after}${before}(?:${inner}))*)${after})`;
      source += modifier === '*' ? `${many}?` : many;
    }
  }
  return { __proto__: null, source: `${source}$`, names };
}

/** The normalized pattern string of parts. */
export function patternOfParts(parts, options) {
  let text = '';
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    const previous = index > 0 ? parts[index - 1] : undefined;
    const next = index + 1 < parts.length ? parts[index + 1] : undefined;
    if (part.type === 'fixed-text') {
      text += part.modifier === '' ? escapePattern(part.value) : `{${escapePattern(part.value)}}${part.modifier}`;
      continue;
    }
    const custom = !isDigit(StringCharCodeAt(part.name, 0));
    const grouped = needsGrouping(part, previous, next, custom, options);
    if (grouped) text += '{';
    text += escapePattern(part.prefix);
    if (custom) text += `:${part.name}`;
    text += patternOfGroup(part, previous, custom, grouped, options);
    if (
      part.type === 'segment-wildcard' && custom && part.suffix !== '' &&
      isNameCharacter(characterAt(part.suffix, 0), false)
    ) text += '\\';
    text += escapePattern(part.suffix);
    if (grouped) text += '}';
    text += part.modifier;
  }
  return text;
}

function patternOfGroup(part, previous, custom, grouped, options) {
  if (part.type === 'regexp') return `(${part.value})`;
  if (part.type === 'segment-wildcard') return custom ? '' : `(${segmentWildcard(options)})`;
  const apart = grouped || part.prefix !== '' || previous === undefined || previous.type === 'fixed-text' ||
    previous.modifier !== '';
  return apart && !custom ? '*' : '(.*)';
}

function needsGrouping(part, previous, next, custom, options) {
  if (part.suffix !== '' || (part.prefix !== '' && part.prefix !== options.prefix)) return true;
  if (
    custom && part.type === 'segment-wildcard' && part.modifier === '' && next !== undefined && next.prefix === '' &&
    next.suffix === ''
  ) {
    const runsOn = next.type === 'fixed-text'
      ? isNameCharacter(characterAt(next.value, 0), false)
      : isDigit(StringCharCodeAt(next.name, 0));
    if (runsOn) return true;
  }
  return part.prefix === '' && previous !== undefined && previous.type === 'fixed-text' && options.prefix !== '' &&
    StringEndsWith(previous.value, options.prefix);
}
