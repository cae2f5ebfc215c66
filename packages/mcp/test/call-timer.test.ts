import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createCallTimer } from '../src/call-timer.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('patience ends after silence, and a sign of life renews it', () => {
  const patience = createCallTimer({ idle_ms: 100, total_ms: 1000 })
  vi.advanceTimersByTime(90)
  patience.touch()
  vi.advanceTimersByTime(90)
  expect(patience.signal.aborted).toBe(false)
  vi.advanceTimersByTime(20)
  expect(patience.signal.aborted).toBe(true)
})

test('patience ends after the whole time, however lively the server is', () => {
  const patience = createCallTimer({ idle_ms: 100, total_ms: 300 })
  for (let i = 0; i < 5; i++) {
    vi.advanceTimersByTime(50)
    patience.touch()
  }
  expect(patience.signal.aborted).toBe(false)
  vi.advanceTimersByTime(60)
  expect(patience.signal.aborted).toBe(true)
})

test('the time that a user takes to answer is excluded', () => {
  const patience = createCallTimer({ idle_ms: 100, total_ms: 300 })
  vi.advanceTimersByTime(50)
  patience.pause()
  patience.pause()
  vi.advanceTimersByTime(10_000)
  patience.resume()
  vi.advanceTimersByTime(10_000)
  patience.resume()
  vi.advanceTimersByTime(90)
  patience.touch()
  vi.advanceTimersByTime(90)
  patience.touch()
  expect(patience.signal.aborted).toBe(false)
  vi.advanceTimersByTime(90)
  expect(patience.signal.aborted).toBe(true)
})

test('patience that was stopped ends nothing', () => {
  const patience = createCallTimer({ idle_ms: 100, total_ms: 300 })
  patience.stop()
  patience.pause()
  patience.resume()
  vi.advanceTimersByTime(1000)
  expect(patience.signal.aborted).toBe(false)
})
