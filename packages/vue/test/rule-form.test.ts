/** A rule is kept for the chosen time, and both frameworks ask for it with the same form. */
import { Conversation as ReactConversation, SessionProvider as ReactProvider } from '@toolwire/react'
import '../../react/test/dom.ts'
import { act, createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, test } from 'vitest'
import { createApp, h, nextTick } from 'vue'
import { Script } from '../../core/test/view/script.ts'
import { driveSession, noCommands } from '../../react/test/driven-session.ts'
import { Conversation, SessionProvider } from '../src/index.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

const asking = () =>
  new Script()
    .created()
    .ask('go')
    .turn('m1')
    .call('m1', 0, 'c0')
    .add('tool.approval_requested', {
      approval_id: 'a0',
      call_id: 'c0',
      name: 'Bash',
      kind: 'approval',
      message: 'May it?',
      allow_edit: false,
      details: { suggested_rule: 'Bash(ls)' },
    })

type Draw = (given: Record<string, unknown>, place: HTMLElement) => Promise<() => void>

const DRAW: Readonly<Record<string, Draw>> = {
  async react(given, place) {
    const root = createRoot(place)
    const props = given as unknown as Parameters<typeof ReactProvider>[0]
    await act(() => root.render(createElement(ReactProvider, props, createElement(ReactConversation))))
    return () => act(() => root.unmount())
  },
  async vue(given, place) {
    const app = createApp(() => h(SessionProvider, given as never, () => h(Conversation)))
    app.mount(place)
    return () => app.unmount()
  },
}

async function open(framework: string) {
  const sent: unknown[] = []
  const commands = {
    ...noCommands,
    approve: async (id: string, options: unknown) => {
      sent.push([id, options])
    },
  }
  const place = document.createElement('div')
  document.body.append(place)
  const given = { session: driveSession(asking()).source, commands, density: 'everything', clock: () => 0 }
  const leave = await DRAW[framework]?.(given, place)
  const part = <T extends HTMLElement>(name: string) =>
    place.querySelector<T>(`[data-tw-part="${name}"]`) ?? document.createElement('i')
  const settle = async (change: () => void) => {
    await act(async () => change())
    await nextTick()
  }
  await settle(() => part('allow-rule').click())
  const close = () => {
    leave?.()
    place.remove()
  }
  return { part, settle, sent, close }
}

test.each(['react', 'vue'])('%s: a rule without a limit, and one for an hour', async framework => {
  for (const [choice, expected] of [
    ['always', { rule: 'Bash(ls)' }],
    ['hour', { rule: 'Bash(ls)', rule_ttl_s: 3600 }],
  ] as const) {
    const { part, settle, sent, close } = await open(framework)
    const select = part('rule-time').querySelector('select') ?? document.createElement('select')
    await settle(() => {
      select.value = choice
      select.dispatchEvent(new Event('change', { bubbles: true }))
    })
    await settle(() => part('submit').click())
    expect(sent).toEqual([['a0', expected]])
    close()
  }
})

test('both draw the same field', async () => {
  const forms: string[] = []
  for (const framework of ['react', 'vue']) {
    const { part, close } = await open(framework)
    const field = part('rule-time').cloneNode(true) as HTMLElement
    // What is chosen is a property; one of the two also writes it down.
    field.querySelector('select')?.removeAttribute('value')
    forms.push(field.outerHTML)
    close()
  }
  expect(forms[0]).toContain('data-tw-part="rule-time"')
  expect(forms[1]).toBe(forms[0])
})
