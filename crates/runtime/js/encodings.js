// Encoding: the labels of the encodings this library decodes itself. Every other label is the host's to know.
import { asciiLowercase, isAsciiWhitespace, strip } from './infra.js';
import { host } from './internal/host.js';

const ownLabels = { __proto__: null };

function label(name, labels) {
  for (let index = 0; index < labels.length; index++) ownLabels[labels[index]] = name;
}

label('utf-8', ['unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'utf-8', 'utf8', 'x-unicode20utf8']);
label('utf-16be', ['unicodefffe', 'utf-16be']);
label('utf-16le', [
  'csunicode', 'iso-10646-ucs-2', 'ucs-2', 'unicode', 'unicodefeff', 'utf-16', 'utf-16le',
]);

/** The name of the encoding of a label in lower case, or undefined. `replacement` is an encoding too. */
export function encodingOfLabel(text) {
  const key = asciiLowercase(strip(text, isAsciiWhitespace));
  return ownLabels[key] ?? host.encodingOfLabel(key);
}
