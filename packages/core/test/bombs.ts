/**
 * JSON that is small to write and large to process, instead of a value of a valid sample: nested beyond every
 * stack, long, with very many keys, with the same key again and again. Only as text: building them as values would
 * be an attack on the test. Assertions are about the size of the output, never about time.
 */
import fc from 'fast-check'

const DEEP = 100_000
const LONG = 1_200_000

/** Each is JSON but the last ones, which are truncated or never closed. */
const BOMBS: readonly string[] = [
  '['.repeat(DEEP) + ']'.repeat(DEEP),
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  `${'[{"type":"text","content":'.repeat(20_000)}1${'}]'.repeat(20_000)}`,
  `"${'a'.repeat(LONG)}"`,
  `"${'\\ud800'.repeat(100_000)}"`,
  `"${'\\n'.repeat(300_000)}"`,
  `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":${n}`).join(',')}}`,
  `{${'"type":"text","__proto__":{"a":1},'.repeat(10_000)}"type":"text"}`,
  `[${'{},'.repeat(100_000)}{}]`,
  '9'.repeat(200_000),
  `1e${'9'.repeat(1000)}`,
  `-0.${'0'.repeat(100_000)}1`,
  '['.repeat(DEEP),
  '{"a":'.repeat(DEEP),
  `"${'a'.repeat(LONG)}`,
]

const MARK = '@@bomb@@'

/** The text of one of these values with one bomb in it. */
export function bombed(corpus: readonly unknown[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...corpus), fc.nat({ max: 1000 }), fc.constantFrom(...BOMBS))
    .map(([sample, at, bomb]) => planted(sample, at).replace(JSON.stringify(MARK), () => bomb))
}

/** The mark replaces some value inside, or the whole. */
function planted(sample: unknown, at: number): string {
  const whole = JSON.stringify(sample)
  let count = 0
  JSON.stringify(sample, (_key, value: unknown) => {
    count += 1
    return value
  })
  let n = 0
  const text = JSON.stringify(sample, (_key, value: unknown) => (n++ === at % count ? MARK : value))
  return text ?? whole
}
