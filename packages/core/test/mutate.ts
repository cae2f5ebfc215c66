/**
 * Hostile input for decoders: samples of honest input with a few random wounds. Every draw comes from
 * fast-check, so a failure shrinks and its seed brings it back.
 */
import fc from 'fast-check'

/** Words that trip careless readers: names of inherited members, control characters, halves of pairs, other notations. */
export const HOSTILE_WORDS: readonly string[] = [
  '',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '\0',
  '\ud800',
  '\udc00x',
  '\u2028',
  '\r\n\r\n',
  '../../../etc/passwd',
  '[DONE]',
  '{}',
  'null',
  '1e999',
  '-0',
  '%00',
  '${HOME}',
  '\u202e',
  '\ufeff',
  '\ufffe',
]

const HOSTILE_TEXT: readonly string[] = [
  ...HOSTILE_WORDS,
  'a'.repeat(5000),
  '('.repeat(500),
  '[['.repeat(200),
  '{"a":1,"a":2}',
  '"type":"x","type":"y",',
  '-'.repeat(400),
  '9'.repeat(400),
]

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

/** Members that JSON can give an object and that code expects to be inherited. */
const TRAPS: readonly string[] = [
  '{"toString":1,"valueOf":1}',
  '{"__proto__":{"type":"text"}}',
  '{"constructor":1,"hasOwnProperty":1}',
  '{"length":-1}',
  '{"length":1e9}',
  '{"then":1}',
  '{"toJSON":1}',
  '{"prototype":{"type":"text"},"__defineGetter__":1}',
]

const HOSTILE: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e308,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 32,
  Number.MAX_SAFE_INTEGER + 1,
  JSON.parse('1e999'),
  [],
  {},
  [null],
  [[]],
  [{}],
  nested(60),
  nested(600),
  Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`k${n}`, n])),
  ...TRAPS.map(text => JSON.parse(text) as unknown),
  ...HOSTILE_TEXT,
]

const KEYS: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'type',
  'id',
  'length',
  '0',
  '',
]

type Kind = 'replace' | 'remove' | 'add' | 'repeat' | 'wrap' | 'swap'
interface Wound {
  readonly kind: Kind
  readonly at: number
  readonly key: string
  readonly value: unknown
}

const anything = fc.oneof(
  { weight: 120, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 30, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constant('é'.repeat(1_200_000)) },
)
const wound: fc.Arbitrary<Wound> = fc.record({
  kind: fc.constantFrom<Kind>('replace', 'replace', 'remove', 'add', 'repeat', 'wrap', 'swap'),
  at: fc.nat({ max: 1000 }),
  key: fc.constantFrom(...KEYS),
  value: anything,
})

/** A JSON value of the corpus with up to five wounds, or one that has nothing to do with it. */
export function mutatedJson(corpus: readonly unknown[]): fc.Arbitrary<unknown> {
  const wounded = fc
    .tuple(fc.constantFrom(...corpus), fc.array(wound, { minLength: 1, maxLength: 5 }))
    .map(([sample, wounds]) => wounds.reduce(apply, clone(sample)))
  return fc.oneof({ weight: 9, arbitrary: wounded }, { weight: 1, arbitrary: anything })
}

/** By itself and not by way of text, which would call a planted `toJSON` and lose what is too large for a number. */
function clone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clone)
  if (typeof value !== 'object' || value === null) return value
  const copy = {}
  for (const [key, one] of Object.entries(value)) put(copy, key, clone(one))
  return copy
}

interface Slot {
  readonly holder: unknown[] | Record<string, unknown>
  readonly key: string
}

function slotsOf(value: unknown, slots: Slot[] = []): readonly Slot[] {
  if (typeof value !== 'object' || value === null) return slots
  const holder = value as unknown[] | Record<string, unknown>
  for (const key of Object.keys(holder)) {
    slots.push({ holder, key })
    slotsOf(Reflect.get(holder, key), slots)
  }
  return slots
}

/** An own member, also under a name that assignment would take for another. */
function put(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
}

function add(holder: object, key: string, value: unknown): void {
  if (Array.isArray(holder)) holder.push(value)
  else put(holder, key, value)
}

function apply(root: unknown, { kind, at, key, value }: Wound): unknown {
  const slots = slotsOf(root)
  const slot = slots[at % Math.max(1, slots.length)]
  if (!slot) return value
  const inside: unknown = Reflect.get(slot.holder, slot.key)
  const other = slots[(at * 7 + 3) % slots.length]
  switch (kind) {
    case 'replace':
      put(slot.holder, slot.key, clone(value))
      break
    case 'remove':
      if (Array.isArray(slot.holder)) slot.holder.splice(Number(slot.key), 1)
      else Reflect.deleteProperty(slot.holder, slot.key)
      break
    case 'add':
      add(typeof inside === 'object' && inside !== null ? inside : slot.holder, key, clone(value))
      break
    case 'repeat':
      if (Array.isArray(slot.holder)) slot.holder.push(clone(inside))
      break
    case 'wrap':
      put(slot.holder, slot.key, [inside])
      break
    case 'swap':
      if (other) put(slot.holder, slot.key, clone(Reflect.get(other.holder, other.key) ?? null))
  }
  return root
}

type Cut = readonly [from: number, length: number, text: string]

const cut: fc.Arbitrary<Cut> = fc.tuple(
  fc.nat({ max: 10_000 }),
  fc.oneof(fc.constant(0), fc.nat({ max: 30 }), fc.nat({ max: 10_000 })),
  fc.oneof(fc.constantFrom(...HOSTILE_TEXT, ...TRAPS), fc.string({ unit: 'binary', maxLength: 8 })),
)

/** A text of the corpus with pieces cut out and hostile ones put in, or one that has nothing to do with it. */
export function mutatedText(corpus: readonly string[]): fc.Arbitrary<string> {
  const wounded = fc
    .tuple(fc.constantFrom(...corpus), fc.array(cut, { minLength: 1, maxLength: 4 }))
    .map(([sample, cuts]) =>
      cuts.reduce((text, [from, length, put]) => {
        const at = from % (text.length + 1)
        return text.slice(0, at) + put + text.slice(at + length)
      }, sample),
    )
  return fc.oneof(
    { weight: 9, arbitrary: wounded },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  )
}

/** Bytes of the corpus with bits turned and pieces cut out. */
export function mutatedBytes(corpus: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const flips = fc.array(fc.tuple(fc.nat({ max: 100_000 }), fc.nat({ max: 255 })), { maxLength: 6 })
  const end = fc.oneof({ weight: 3, arbitrary: fc.constant(100_000) }, fc.nat({ max: 500 }))
  const wounded = fc.tuple(fc.constantFrom(...corpus), flips, end).map(([sample, changes, length]) => {
    const bytes = sample.slice(0, length)
    for (const [at, value] of changes) if (bytes.length > 0) bytes[at % bytes.length] = value
    return bytes
  })
  return fc.oneof(
    { weight: 9, arbitrary: wounded },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }) },
  )
}

/** Bytes that are no UTF-8: lone, overlong, of a surrogate, beyond the last character, cut off; and a byte order mark. */
const BROKEN_BYTES: readonly (readonly number[])[] = [
  [0xff],
  [0x80],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
  [0xef, 0xbb, 0xbf],
]
type Splice = readonly [at: number, bytes: readonly number[]]

/**
 * The bytes of a text in pieces of random sizes, so that frames and characters are cut anywhere; in every third case
 * with bytes among them that are no characters.
 */
export const inPieces = (text: fc.Arbitrary<string>): fc.Arbitrary<readonly Uint8Array[]> => {
  const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 12 })
  const splices = fc.array(
    fc.tuple(fc.oneof(fc.constant(0), fc.nat({ max: 100_000 })), fc.constantFrom(...BROKEN_BYTES)),
    { minLength: 1, maxLength: 3 },
  )
  const none: readonly Splice[] = []
  return fc
    .tuple(
      text,
      fc.oneof({ weight: 2, arbitrary: fc.constant(none) }, { weight: 1, arbitrary: splices }),
      sizes,
    )
    .map(([given, broken, steps]) => cutUp(withSplices(new TextEncoder().encode(given), broken), steps))
}

function withSplices(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  return splices.reduce<Uint8Array>((before, [from, inside]) => {
    const at = from % (before.length + 1)
    return Buffer.concat([before.subarray(0, at), Uint8Array.from(inside), before.subarray(at)])
  }, bytes)
}

/** In pieces of these sizes, which repeat; large texts in larger ones, for a case takes time for each. */
function cutUp(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const factor = Math.max(1, Math.floor(bytes.length / 100_000))
  const pieces: Uint8Array[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = factor * (sizes[i % sizes.length] ?? 1)
    pieces.push(bytes.slice(at, at + size))
    at += size
  }
  return pieces
}

/**
 * The number of tries of a property: the same cases every time, unless the environment asks for others
 * (`TOOLWIRE_FUZZ_SEED`) or for more of them (`TOOLWIRE_FUZZ_TIMES`, a factor). A failure prints its seed, and the
 * start of the failing input.
 */
export function fuzzing(runs: number): {
  readonly numRuns: number
  readonly seed: number
  readonly reporter: (details: Failure) => void
} {
  const { TOOLWIRE_FUZZ_SEED: seed = '20261116', TOOLWIRE_FUZZ_TIMES: times = '1' } = process.env
  return { numRuns: runs * Number(times), seed: Number(seed), reporter }
}

type Failure = Pick<
  fc.RunDetailsCommon<unknown>,
  'failed' | 'seed' | 'numRuns' | 'counterexample' | 'errorInstance'
>

/** Enough to see what it is; the seed brings back the rest. */
const SHOWN = 3000

function reporter({ failed, seed, numRuns, counterexample, errorInstance }: Failure): void {
  if (!failed) return
  const text = fc.stringify(counterexample)
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text
  throw new Error(`Failed at case ${numRuns} with TOOLWIRE_FUZZ_SEED=${seed}: ${shown}`, {
    cause: errorInstance,
  })
}
