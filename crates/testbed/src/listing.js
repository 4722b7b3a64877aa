async () => {
  const show = (key) => (typeof key === 'symbol' ? `@@${key.description.replace(/^Symbol\./, '')}` : key)
  const members = (object) => Reflect.ownKeys(object).map(show).sort().join(' ')
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'
  const lines = []

  const list = (name, value) => {
    lines.push(`${name}: ${members(value)}`)
    const prototype = typeof value === 'function' ? Object.getOwnPropertyDescriptor(value, 'prototype')?.value : undefined
    if (isObject(prototype)) lines.push(`${name}.prototype: ${members(prototype)}`)
  }

  for (const key of Reflect.ownKeys(globalThis)) {
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, key)
    const name = show(key)
    if (!('value' in descriptor)) {
      lines.push(`${name}: (accessor)`)
      // A value that is behind an accessor is an object of a class that is listed; here are the members of its own.
      const value = descriptor.get && globalThis[key]
      if (isObject(value) && value !== globalThis) list(`${name} itself`, value)
    } else if (descriptor.value === globalThis) lines.push(`${name}: (the global object)`)
    else if (isObject(descriptor.value)) list(name, descriptor.value)
    else lines.push(`${name}: (${typeof descriptor.value})`)
  }

  // Namespaces whose members are classes of their own.
  for (const space of ['Intl', 'Temporal']) {
    for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(globalThis[space] ?? {}))) {
      if (isObject(value)) list(`${space}.${key}`, value)
    }
  }

  // Built-ins that no name leads to.
  const up = Object.getPrototypeOf
  const unnamed = {
    '(AsyncFunction)': (async () => {}).constructor,
    '(GeneratorFunction)': function* () {}.constructor,
    '(AsyncGeneratorFunction)': async function* () {}.constructor,
    '(TypedArray)': up(Uint8Array),
    '(ArrayIterator)': up([][Symbol.iterator]()),
    '(MapIterator)': up(new Map()[Symbol.iterator]()),
    '(SetIterator)': up(new Set()[Symbol.iterator]()),
    '(StringIterator)': up(''[Symbol.iterator]()),
    '(RegExpStringIterator)': up('a'.matchAll(/a/g)),
    '(IteratorHelper)': up([].values().map((x) => x)),
    '(Iterator.from)': up(Iterator.from({ next() {} })),
    '(AsyncIterator)': up(up(up(async function* () {}.prototype))),
    '(Generator)': up(function* () {}.prototype),
    '(AsyncGenerator)': up(async function* () {}.prototype),
    '(above globalThis)': up(globalThis),
    '(a promise)': Promise.resolve(),
    '(an error)': new Error('x'),
    '(import.meta)': import.meta,
  }
  for (const [name, value] of Object.entries(unnamed)) list(name, value)
  return lines.sort()
}
