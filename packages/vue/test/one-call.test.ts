/** What the hooks and composables over one call and over the log give, in both packages. */
import '../../react/test/dom.ts'
import type { PendingView, ViewRecord } from '@toolwire/core/view'
import * as inReact from '@toolwire/react'
import { createElement } from 'react'
import { expect, test, vi } from 'vitest'
import { h } from 'vue'
import { Script } from '../../core/test/view/script.ts'
import { driveSession, noCommands } from '../../react/test/driven-session.ts'
import * as inVue from '../src/index.ts'
import { bothPages, readBy } from './both-pages.ts'

const asked = () =>
  new Script()
    .created()
    .ask('hi')
    .turn('m1')
    .call('m1', 0, 'c1', { name: 'Write', input: { a: 1 } })
    .add('tool.approval_requested', { approval_id: 'ap1', call_id: 'c1', name: 'Write', allow_edit: true })
    .call('m1', 1, 'c2', { name: 'pick', client: true })
    .add('tool.client_requested', { call_id: 'c2', name: 'pick', input_text: '{}' })

function commands() {
  const told: unknown[] = []
  const tell =
    (name: string) =>
    async (...given: readonly unknown[]) => {
      told.push([name, ...given])
    }
  const names = ['approve', 'deny', 'answer', 'cancelCall', 'toolOutputs'] as const
  const made = Object.fromEntries(names.map(name => [name, tell(name)]))
  return { told, commands: { ...noCommands, ...made } as typeof noCommands }
}

test('one call comes with everything that can be done about it', async () => {
  const { told, commands: given } = commands()
  const { source } = driveSession(asked())
  const shown = readBy(
    { session: source, commands: given },
    {
      react: () => ({ first: inReact.useToolCall('c1'), second: inReact.useToolCall('c2') }),
      vue: () => ({ first: inVue.useToolCall(() => 'c1'), second: inVue.useToolCall(() => 'c2') }),
    },
  )
  await bothPages(shown)
  expect(shown.last.react?.first.call?.state).toBe('awaiting_approval')
  expect(shown.last.vue?.first.call.value?.state).toBe('awaiting_approval')
  for (const hooks of [shown.last.react, shown.last.vue]) {
    if (!hooks) throw new Error('nothing was drawn')
    const { first, second } = hooks
    await first.approve({ rule: 'Write' })
    await first.editAndApprove({ a: 2 }, { reason: 'better' })
    await first.deny('no')
    await first.respond('so it is')
    await first.cancel('enough')
    await second.respond({ picked: 1 })
    await expect(second.approve()).rejects.toThrow('waits for no approval')
    expect(told.splice(0)).toEqual([
      ['approve', 'ap1', { rule: 'Write' }],
      ['approve', 'ap1', { reason: 'better', input: { a: 2 } }],
      ['deny', 'ap1', 'no'],
      ['answer', 'ap1', 'so it is'],
      ['cancelCall', 's1', 'c1', 'enough'],
      ['toolOutputs', 's1', [{ call_id: 'c2', output: { picked: 1 }, is_error: false }]],
    ])
  }
})

test('the records of the log come as they are, live, from where they are wanted', async () => {
  const { records } = asked()
  const after = vi.fn()
  const more = Promise.withResolvers<void>()
  const events = async function* (_: string, options: { readonly after?: number } = {}) {
    after(options.after)
    yield* records.slice(0, -1)
    await more.promise
    yield* records.slice(-1)
  }
  const given = { ...noCommands, events } as unknown as typeof noCommands
  const filter = ({ ev }: ViewRecord) => ev.type.startsWith('tool.')
  const shown = readBy(
    { session: driveSession(asked()).source, commands: given },
    {
      react: () => inReact.useEvents({ from: 5, filter }),
      vue: () => inVue.useEvents({ from: 5, filter }),
    },
  )
  const [page] = await bothPages(shown)
  const types = () => [shown.last.react, shown.last.vue?.value].map(list => list?.map(({ ev }) => ev.type))
  const first = ['tool.ready', 'tool.approval_requested', 'tool.ready']
  expect(types()).toEqual([first, first])
  expect(after.mock.calls).toEqual([[5], [5]])
  more.resolve()
  await page.settle()
  expect(types()).toEqual([
    [...first, 'tool.client_requested'],
    [...first, 'tool.client_requested'],
  ])
})

test('one call is copied: its output, or its arguments without one', async () => {
  const copied = vi.fn((_: string) => Promise.resolve())
  vi.stubGlobal('navigator', { clipboard: { writeText: copied } })
  try {
    const shown = readBy(
      { session: driveSession(asked()).source, commands: noCommands },
      { react: () => inReact.useToolCall('c1'), vue: () => inVue.useToolCall(() => 'c1') },
    )
    const [page] = await bothPages(shown)
    for (const hook of [shown.last.react, shown.last.vue]) await page.act(() => hook?.copy())
    expect(copied.mock.calls).toEqual([['{"a":1}'], ['{"a":1}']])
    expect([shown.last.react?.copied, shown.last.vue?.copied.value]).toEqual([true, true])
  } finally {
    vi.unstubAllGlobals()
  }
})

test('the time of a call is given for the call and for its id, and is absent without one', async () => {
  const { source } = driveSession(asked())
  const call = source.getSnapshot().view.calls.get('c1')
  if (!call) throw new Error('no call')
  const shown = readBy(
    { session: source, commands: noCommands, clock: () => call.since + 5000 },
    {
      react: () => [inReact.useElapsed(call), inReact.useElapsed('c1'), inReact.useElapsed('gone')],
      vue: () => [inVue.useElapsed(() => call), inVue.useElapsed(() => 'c1'), inVue.useElapsed(() => 'gone')],
    },
  )
  await bothPages(shown)
  expect(shown.last.react).toEqual([5000, 5000, 0])
  expect(shown.last.vue?.map(time => time.value)).toEqual([5000, 5000, 0])
})

test('a session gives its state and its exchanges, and repeats the latest request', async () => {
  const { source } = driveSession(asked())
  const send = vi.fn((_: unknown) => Promise.resolve({} as never))
  const shown = readBy(
    { session: { ...source, send }, commands: noCommands },
    { react: () => inReact.useSession(), vue: () => inVue.useSession() },
  )
  await bothPages(shown)
  const { react, vue } = shown.last
  expect([react?.status, vue?.status.value]).toEqual(['running', 'running'])
  expect([react?.turns, vue?.turns.value].map(turns => turns?.map(turn => turn.id))).toEqual([['r1'], ['r1']])
  await react?.retry()
  await vue?.retry()
  expect(send.mock.calls).toEqual([[[{ type: 'text', text: 'hi' }]], [[{ type: 'text', text: 'hi' }]]])
})

test('a page gets every new pending item once', async () => {
  const script = asked()
  const { source, publish } = driveSession(script)
  const told: Record<'react' | 'vue', string[]> = { react: [], vue: [] }
  const given = { session: source, commands: noCommands }
  const tell = (name: keyof typeof told) => ({
    onNeedsAttention: (item: PendingView) => told[name].push(item.call),
  })
  const [page] = await bothPages({
    react: () => createElement(inReact.SessionProvider, { ...given, ...tell('react') }),
    vue: () => h(inVue.SessionProvider, { ...given, ...tell('vue') }),
  })
  expect(told).toEqual({ react: ['c1', 'c2'], vue: ['c1', 'c2'] })
  script.call('m1', 2, 'c3', { name: 'Write' })
  script.add('tool.approval_requested', {
    approval_id: 'ap3',
    call_id: 'c3',
    name: 'Write',
    allow_edit: true,
  })
  await page.act(publish)
  await page.act(publish)
  expect(told).toEqual({ react: ['c1', 'c2', 'c3'], vue: ['c1', 'c2', 'c3'] })
})
