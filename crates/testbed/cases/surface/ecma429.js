// The interfaces of the minimum common web API (ECMA-429) as the Web IDL of their standards has them: name, parent, and
// `length` of the constructor (`!`: it throws), then attributes (`*`: with a setter) and operations with their `length`
// (`+`: static). `pairs` and `async` are the iterables.
const table = `
Event 1
    attributes type target srcElement currentTarget eventPhase *cancelBubble bubbles cancelable *returnValue
    defaultPrevented composed isTrusted timeStamp
    operations composedPath/0 stopPropagation/0 stopImmediatePropagation/0 preventDefault/0 initEvent/1
EventTarget 0
    operations addEventListener/2 removeEventListener/2 dispatchEvent/1
CustomEvent 1 : Event
    attributes detail
    operations initCustomEvent/1
AbortController 0
    attributes signal
    operations abort/0
AbortSignal 0! : EventTarget
    attributes aborted reason *onabort
    operations +abort/0 +timeout/1 +any/1 throwIfAborted/0
ErrorEvent 1 : Event
    attributes message filename lineno colno error
MessageEvent 1 : Event
    attributes data origin lastEventId source ports
    operations initMessageEvent/1
PromiseRejectionEvent 2 : Event
    attributes promise reason
MessageChannel 0
    attributes port1 port2
MessagePort 0! : EventTarget
    attributes *onclose *onmessage *onmessageerror
    operations postMessage/1 start/0 close/0
DOMException 0
    attributes name message code
Headers 0 pairs
    operations append/2 delete/1 get/1 getSetCookie/0 has/1 set/2 entries/0 forEach/1 keys/0 values/0
Request 1
    attributes method url headers destination referrer referrerPolicy mode credentials cache redirect integrity
    keepalive isReloadNavigation isHistoryNavigation signal duplex body bodyUsed
    operations clone/0 arrayBuffer/0 blob/0 bytes/0 formData/0 json/0 text/0 textStream/0
Response 0
    attributes type url redirected status ok statusText headers body bodyUsed
    operations +error/0 +redirect/1 +json/1 clone/0 arrayBuffer/0 blob/0 bytes/0 formData/0 json/0 text/0 textStream/0
FormData 0 pairs
    operations append/2 delete/1 get/1 getAll/1 has/1 set/2 entries/0 forEach/1 keys/0 values/0
Blob 0
    attributes size type
    operations slice/0 stream/0 text/0 arrayBuffer/0 textStream/0 bytes/0
File 2 : Blob
    attributes name lastModified
CompressionStream 1
    attributes readable writable
DecompressionStream 1
    attributes readable writable
ByteLengthQueuingStrategy 1
    attributes highWaterMark size
CountQueuingStrategy 1
    attributes highWaterMark size
ReadableStream 0 async
    attributes locked
    operations +from/1 cancel/0 getReader/0 pipeThrough/1 pipeTo/1 tee/0 values/0
ReadableStreamDefaultReader 1
    attributes closed
    operations read/0 releaseLock/0 cancel/0
ReadableStreamBYOBReader 1
    attributes closed
    operations read/1 releaseLock/0 cancel/0
ReadableStreamDefaultController 0!
    attributes desiredSize
    operations close/0 enqueue/0 error/0
ReadableByteStreamController 0!
    attributes byobRequest desiredSize
    operations close/0 enqueue/1 error/0
ReadableStreamBYOBRequest 0!
    attributes view
    operations respond/1 respondWithNewView/1
WritableStream 0
    attributes locked
    operations abort/0 close/0 getWriter/0
WritableStreamDefaultWriter 1
    attributes closed desiredSize ready
    operations abort/0 close/0 releaseLock/0 write/0
WritableStreamDefaultController 0!
    attributes signal
    operations error/0
TransformStream 0
    attributes readable writable
TransformStreamDefaultController 0!
    attributes desiredSize
    operations enqueue/0 error/0 terminate/0
TextEncoder 0
    attributes encoding
    operations encode/0 encodeInto/2
TextDecoder 0
    attributes encoding fatal ignoreBOM
    operations decode/0
TextEncoderStream 0
    attributes encoding readable writable
TextDecoderStream 0
    attributes encoding fatal ignoreBOM readable writable
URL 1
    attributes *href origin *protocol *username *password *host *hostname *port *pathname *search searchParams *hash
    operations +createObjectURL/1 +revokeObjectURL/1 +parse/1 +canParse/1 toJSON/0 toString/0
URLSearchParams 0 pairs
    attributes size
    operations append/2 delete/1 get/1 getAll/1 has/1 set/2 sort/0 entries/0 forEach/1 keys/0 values/0 toString/0
URLPattern 0
    attributes protocol username password hostname port pathname search hash hasRegExpGroups
    operations test/0 exec/0
Crypto 0!
    attributes subtle
    operations getRandomValues/1 randomUUID/0
SubtleCrypto 0!
    operations encrypt/3 decrypt/3 sign/3 verify/4 digest/2 generateKey/3 deriveKey/5 deriveBits/2 importKey/5
    exportKey/2 wrapKey/4 unwrapKey/7
CryptoKey 0!
    attributes type extractable algorithm usages
Performance 0! : EventTarget
    attributes timeOrigin
    operations now/0 toJSON/0
`;

/** One record an interface. */
export const interfaces = table.trim().split(/\n(?=\w)/).map((text) => {
  const [head, ...rest] = text.split(/\n? {4}(?=attributes|operations)/);
  const [, name, length, illegal, parent, iterable] = /^(\w+) (\d)(!?)(?: : (\w+))?(?: (pairs|async))?$/.exec(head);
  const members = (kind) => rest.find((line) => line.startsWith(kind))?.split(/\s+/).slice(1) ?? [];
  return {
    name, length: Number(length), illegal: illegal === '!', parent, iterable,
    attributes: members('attributes').map((member) => {
      const settable = member.startsWith('*');
      return { name: member.slice(Number(settable)), settable };
    }),
    operations: members('operations').map((member) => {
      const [, fixed, operation, arity] = /^(\+?)(\w+)\/(\d)$/.exec(member);
      return { name: operation, length: Number(arity), fixed: fixed === '+' };
    }),
  };
});

/** `length` of the functions of the global object. */
export const functions = {
  atob: 1, btoa: 1, clearInterval: 0, clearTimeout: 0, fetch: 1, queueMicrotask: 1, reportError: 1, setInterval: 1,
  setTimeout: 1, structuredClone: 1,
};

/** The functions of the console namespace, whose `length` is 0. */
export const consoleFunctions = ['assert', 'clear', 'count', 'countReset', 'debug', 'dir', 'dirxml', 'error', 'group',
  'groupCollapsed', 'groupEnd', 'info', 'log', 'table', 'time', 'timeEnd', 'timeLog', 'trace', 'warn'];
