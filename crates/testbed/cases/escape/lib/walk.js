// Walks everything that can be reached from some roots without running a getter, and tells what looks like it is not
// of this realm.

const own = Reflect.ownKeys
const describe = Reflect.getOwnPropertyDescriptor
const up = Reflect.getPrototypeOf
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'

// Every object within reach, with the path that led to it first.
export function reach(...roots) {
  const seen = new Map()
  const queue = []
  const meet = (value, path) => {
    if (!isObject(value) || seen.has(value)) return
    seen.set(value, path)
    queue.push(value)
  }
  roots.forEach((root, index) => meet(root, `root ${index}`))
  for (let at = 0; at < queue.length; at++) {
    const object = queue[at]
    const path = seen.get(object)
    meet(up(object), `${path} > prototype of`)
    for (const key of own(object)) {
      const descriptor = describe(object, key)
      if (descriptor === undefined) continue
      const step = `${path} > ${String(key)}`
      for (const part of ['value', 'get', 'set']) meet(descriptor[part], part === 'value' ? step : `${step} (${part})`)
    }
  }
  return seen
}

// What is suspicious about the objects within reach: names of hosts, texts that are paths, functions of another realm.
export function suspicions(...roots) {
  const found = []
  const names = /^(process|require|mainModule|binding|_linkedBinding|internalBinding|Deno|Bun|hostBindings|natives|__host.*|__consoleSink|__randomBytes|__sendRequest|__performSubtleOperation|gc|print|quit|d8)$/
  const texts = /(^|[\s"'(])\/(home|root|work|usr|etc|proc|tmp|var|opt|nix|build)\/|\.rs\b|file:\/\/|node:|\bcargo\b/
  for (const [object, path] of reach(...roots)) {
    for (const key of own(object)) {
      if (typeof key === 'string' && names.test(key)) found.push(`${path} > ${key}`)
      const value = describe(object, key)?.value
      if (typeof value === 'string' && texts.test(value)) found.push(`${path} > ${String(key)}: ${value}`)
    }
    if (typeof object === 'function' && object !== Function.prototype && !(object instanceof Function)) found.push(`${path} is a function of another realm`)
  }
  return found
}

// Whether an error and everything above it is of this realm.
export function isOurs(error) {
  if (!(error instanceof Error)) return `not an Error: ${String(error)}`
  const make = error.constructor.constructor
  if (make !== Function) return 'its constructor was made by another Function'
  if (make('return this')() !== globalThis) return 'its Function sees another global'
  return stackIsOurs(error.stack) ? 'ours' : `its stack is not: ${error.stack}`
}

// Whether no frame of a stack names a file of a host: a path, an address, a source file of another language.
export function stackIsOurs(stack) {
  return !String(stack).split('\n').some((line) => /^\s+at /.test(line) && /\.rs\b|\(\/|file:|node:|https?:|\[native code\]/.test(line))
}
