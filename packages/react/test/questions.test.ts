/** A question that follows on another in one breath is a new one: it can be answered. */
import './dom.ts'
import { act, createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, test } from 'vitest'
import { Conversation, SessionProvider } from '../src/index.ts'
import { driveSession, noCommands, questions } from './driven-session.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

test('the next question can be answered although the one before was being sent when it came', async () => {
  const { script, next } = questions()
  const session = driveSession(script)
  const place = document.createElement('div')
  const root = createRoot(place)
  const commands = { ...noCommands, answer: () => new Promise<never>(() => {}) }
  const given = { session: session.source, commands, density: 'everything', clock: () => 0 } as const
  await act(() => root.render(createElement(SessionProvider, given, createElement(Conversation))))
  const first = () => place.querySelector<HTMLButtonElement>('[data-tw-part="question"] button')
  expect(first()?.disabled).toBe(false)
  await act(() => first()?.click())
  expect(first()?.disabled).toBe(true)
  next(1)
  await act(() => session.publish())
  expect(place.textContent).toContain('question 1')
  expect(first()?.disabled).toBe(false)
  await act(() => root.unmount())
})
