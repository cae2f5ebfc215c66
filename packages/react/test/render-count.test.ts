/** Render counts of cards: a change redraws the card of its own call and no other. */
import './dom.ts'
import { act, createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, test } from 'vitest'
import { type CallActionsProps, Conversation, SessionProvider } from '../src/index.ts'
import { CHANGES, driveSession, manyCalls, noCommands } from './driven-session.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

const ROUNDS = 20

test.each(CHANGES)('$name draws only the cards that it concerns', async ({ act: change, redrawn }) => {
  const session = driveSession(manyCalls(12))
  const drawn = new Map<string, number>()
  // Inside of every open card, and drawn whenever the card is.
  const callActions = ({ call }: CallActionsProps) => {
    drawn.set(call.id, (drawn.get(call.id) ?? 0) + 1)
    return null
  }
  const place = document.createElement('div')
  const root = createRoot(place)
  const given = { session: session.source, commands: noCommands, density: 'everything', callActions } as const
  await act(() =>
    root.render(createElement(SessionProvider, { ...given, clock: () => 0 }, createElement(Conversation))),
  )
  expect(drawn.size).toBe(12)
  const before = new Map(drawn)
  for (let n = 0; n < ROUNDS; n++) {
    change(session.script, n)
    await act(() => session.publish())
  }
  const again = [...drawn].filter(([id, count]) => count !== before.get(id)).map(([id]) => id)
  expect(again).toEqual(redrawn)
  for (const id of redrawn) expect(drawn.get(id)).toBe((before.get(id) ?? 0) + ROUNDS)
  await act(() => root.unmount())
})
