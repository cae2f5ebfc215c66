/** Which memory counts as level, and which as growing. */
import { expect, test } from 'vitest'
import { growthOf, growthProblems, type Look } from './growth.ts'
import { createRandom } from './random.ts'

/** Looks every two seconds for eight minutes, each off by up to `noise` megabytes. */
function looksOf(sessions: number, at: (done: number) => number, noise = 1.5, count = 240): readonly Look[] {
  const random = createRandom(9)
  return Array.from({ length: count }, (_, i) => {
    const done = Math.round((sessions * (i + 1)) / count)
    return { sessions: done, megabytes: at(done) + (random() * 2 - 1) * noise }
  })
}

/** A curve through the medians of three thirds. */
function through(sessions: number, [first, middle, last]: readonly [number, number, number]) {
  const third = sessions / 3
  return (done: number): number =>
    done < sessions / 2
      ? first + ((middle - first) / third) * (done - third / 2)
      : middle + ((last - middle) / third) * (done - third * 1.5)
}

test('a heap that stays where it is is level, however noisy its looks are', () => {
  for (const noise of [0, 1.5, 4])
    expect(
      growthProblems(
        'the heap',
        looksOf(12_000, () => 72, noise),
      ),
    ).toEqual([])
})

test('the leak of a listener per command, which was within 5 % of the heap, is found', () => {
  const looks = looksOf(11_573, through(11_573, [72.2, 75.7, 79]))
  expect(growthOf(looks).slope).toBeCloseTo(0.87, 1)
  expect(growthProblems('the heap', looks)).toEqual([
    expect.stringMatching(
      /^the heap grows by 0\.\d+ MB per 1,000 sessions \(by thirds: 7\S+ · 7\S+ · 7\S+ MB\)$/,
    ),
  ])
})

test('71.2 · 73.0 · 74.5 after 12,197 sessions is not level either: that is 390 bytes for each of them', () => {
  const looks = looksOf(12_197, through(12_197, [71.2, 73, 74.5]))
  expect(growthOf(looks).slope).toBeGreaterThan(0.3)
  expect(growthProblems('the heap', looks)).toHaveLength(1)
})

test('a leak is found however far the run got', () => {
  for (const sessions of [3000, 12_000, 100_000])
    expect(
      growthProblems(
        'the heap',
        looksOf(sessions, done => 70 + done / 2000),
      ),
    ).toHaveLength(1)
})

test('growth in the first half is no leak, and neither is a shrinking value', () => {
  expect(
    growthProblems(
      'the heap',
      looksOf(12_000, done => Math.min(90, 50 + done / 100)),
    ),
  ).toEqual([])
  expect(
    growthProblems(
      'the heap',
      looksOf(12_000, done => 90 - done / 1000),
    ),
  ).toEqual([])
})

test('single samples with many active sessions change nothing', () => {
  const looks = looksOf(12_000, () => 72).map((look, i) =>
    i % 10 === 9 ? { ...look, megabytes: look.megabytes + i / 4 } : look,
  )
  expect(growthProblems('the heap', looks)).toEqual([])
})

test('a short run says nothing, and says so', () => {
  const few = looksOf(12_000, done => 70 + done / 100, 0, 40)
  const idle = looksOf(100, done => 70 + done, 0)
  for (const looks of [few, idle, []]) {
    expect(growthOf(looks).slope).toBeUndefined()
    expect(growthProblems('the heap', looks)).toEqual([])
  }
})
