/** Render counts of cards: a change redraws the card of its own call and no other. */
import '../../react/test/dom.ts'
import type { CallView } from '@toolwire/core/view'
import { expect, test } from 'vitest'
import { createApp, h, nextTick } from 'vue'
import { CHANGES, driveSession, manyCalls, noCommands } from '../../react/test/driven-session.ts'
import { Conversation, SessionProvider } from '../src/index.ts'

const ROUNDS = 20

test.each(CHANGES)('$name draws only the cards that it concerns', async ({ act: change, redrawn }) => {
  const session = driveSession(manyCalls(12))
  const drawn = new Map<string, number>()
  const given = {
    session: session.source,
    commands: noCommands,
    density: 'everything',
    clock: () => 0,
  } as const
  const app = createApp(() => h(SessionProvider, given, () => h(Conversation)))
  app.mixin({
    updated() {
      if (this.$options.name !== 'ToolCallCard') return
      const { id } = this.$props.call as CallView
      drawn.set(id, (drawn.get(id) ?? 0) + 1)
    },
  })
  const place = document.createElement('div')
  app.mount(place)
  expect(place.querySelectorAll('[data-tw-part="tool-call"]')).toHaveLength(12)
  for (let n = 0; n < ROUNDS; n++) {
    change(session.script, n)
    session.publish()
    await nextTick()
  }
  expect([...drawn.keys()]).toEqual(redrawn)
  for (const id of redrawn) expect(drawn.get(id)).toBe(ROUNDS)
  app.unmount()
})
