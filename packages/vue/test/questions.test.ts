/** A question that follows on another in one breath is a new one: it can be answered. */
import '../../react/test/dom.ts'
import { expect, test } from 'vitest'
import { createApp, h, nextTick } from 'vue'
import { driveSession, noCommands, questions } from '../../react/test/driven-session.ts'
import { Conversation, SessionProvider } from '../src/index.ts'

test('the next question can be answered although the one before was being sent when it came', async () => {
  const { script, next } = questions()
  const session = driveSession(script)
  const commands = { ...noCommands, answer: () => new Promise<never>(() => {}) }
  const given = { session: session.source, commands, density: 'everything', clock: () => 0 } as const
  const app = createApp(() => h(SessionProvider, given, () => h(Conversation)))
  const place = document.createElement('div')
  app.mount(place)
  const first = () => place.querySelector<HTMLButtonElement>('[data-tw-part="question"] button')
  expect(first()?.disabled).toBe(false)
  first()?.click()
  await nextTick()
  expect(first()?.disabled).toBe(true)
  next(1)
  session.publish()
  await nextTick()
  expect(place.textContent).toContain('question 1')
  expect(first()?.disabled).toBe(false)
  app.unmount()
})
