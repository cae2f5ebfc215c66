/** What the hooks and composables over one call and over the log give, in both packages. */
import '../../react/test/dom.ts'
import type { ViewRecord } from '@toolwire/core/view'
import * as inReact from '@toolwire/react'
import { expect, test, vi } from 'vitest'
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
