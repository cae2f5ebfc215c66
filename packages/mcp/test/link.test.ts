import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLink, type Link } from '../src/link.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const backoff = { first_ms: 100, max_ms: 1_000, stable_ms: 5_000 }

function linkOf(open: (attempt: number) => Promise<string>) {
  const ended: string[] = []
  let attempts = 0
  const link: Link<string> = createLink({
    open: () => open(++attempts),
    end: async value => void ended.push(value),
    backoff,
    onChange: () => undefined,
  })
  return { link, ended, attempts: () => attempts }
}
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('pauses between attempts grow, up to the longest', async () => {
  const { link, attempts } = linkOf(() => Promise.reject(new Error('no')))
  const seen: number[] = []
  for (const pause of [0, 100, 200, 400, 800, 1_000, 1_000]) {
    await wait(pause)
    seen.push(attempts())
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7])
  await wait(999)
  expect(attempts()).toBe(7)
  expect(link.state()).toBe('waiting')
  expect(link.error()).toMatchObject({ message: 'no' })
})

test('what was lost at once is opened with the next longer pause, what was stable with the first', async () => {
  const { link, attempts, ended } = linkOf(async attempt => `link ${attempt}`)
  await wait(0)
  for (const pause of [100, 200, 400]) {
    link.lose(link.current() ?? '', new Error('gone'))
    await wait(pause - 1)
    expect(link.state()).toBe('waiting')
    await wait(1)
    expect(link.state()).toBe('ready')
  }
  await wait(5_001)
  link.lose('link 4', new Error('gone'))
  await wait(100)
  expect(attempts()).toBe(5)
  expect(ended).toEqual(['link 1', 'link 2', 'link 3', 'link 4'])
})

test('an urgent caller does not wait for the delay, and all share one attempt', async () => {
  const { link, attempts } = linkOf(attempt =>
    attempt === 1 ? Promise.reject(new Error('no')) : Promise.resolve('up'),
  )
  await wait(0)
  expect(link.state()).toBe('waiting')
  expect(await Promise.all([link.get(), link.get(), link.get()])).toEqual(['up', 'up', 'up'])
  expect(attempts()).toBe(2)
})

test('what opens while it is being closed is ended, and nothing is tried again', async () => {
  const opening = Promise.withResolvers<string>()
  const { link, ended, attempts } = linkOf(() => opening.promise)
  const closed = link.close()
  opening.resolve('late')
  await closed
  expect(ended).toEqual(['late'])
  await wait(10_000)
  expect(attempts()).toBe(1)
  expect(link.state()).toBe('closed')
  await expect(link.get()).rejects.toThrow('closed')
})

test('an old one that is reported lost changes nothing', async () => {
  const { link } = linkOf(async attempt => `link ${attempt}`)
  await wait(0)
  link.lose('another', new Error('gone'))
  expect(link.state()).toBe('ready')
})
