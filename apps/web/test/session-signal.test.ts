import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onSessionChanged, tellSessionChanged } from '../src/session-signal.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('window', new EventTarget())
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('lists are read once for changes that come together, again for later ones, and not by those who left', () => {
  const sidebar = vi.fn()
  const inbox = vi.fn()
  onSessionChanged(sidebar)
  const leave = onSessionChanged(inbox)
  for (let n = 0; n < 5; n++) tellSessionChanged()
  expect(sidebar).not.toHaveBeenCalled()
  vi.runAllTimers()
  expect([sidebar.mock.calls.length, inbox.mock.calls.length]).toEqual([1, 1])
  leave()
  tellSessionChanged()
  tellSessionChanged()
  vi.runAllTimers()
  expect([sidebar.mock.calls.length, inbox.mock.calls.length]).toEqual([2, 1])
})
