/** Calls that may run and have to wait say so, with what they wait for. */
import { applyRecords, emptyView } from '@toolwire/core/view'
import { expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { oneStage } from './one-stage.ts'
import { gated } from './test-tools.ts'

const open = oneStage()

const keyed = gated('Keyed', {
  read_only: false,
  access: ({ key = '' }) => [{ key: `file:/${key}`, mode: 'write' }],
}).tool

test('a call behind another one on the same thing is queued after it before it starts; the others are not', async () => {
  const s = open({ tools: [keyed], mode: 'bypassPermissions' })
  await s.run(
    { name: 'Keyed', input: { key: 'a', n: 1 }, id: 'first' },
    { name: 'Keyed', input: { key: 'b', n: 2 }, id: 'other' },
    { name: 'Keyed', input: { key: 'a', n: 3 }, id: 'second' },
  )
  expect(s.events('tool.queued').map(({ call_id, after }) => ({ call_id, after }))).toEqual([
    { call_id: 'second', after: ['first'] },
  ])
  const at = (type: string, id: string): number =>
    s.records.findIndex(({ ev }) => ev.type === type && 'call_id' in ev && ev.call_id === id)
  expect(at('tool.queued', 'second')).toBeLessThan(at('tool.completed', 'first'))
  expect(at('tool.completed', 'first')).toBeLessThan(at('tool.started', 'second'))
})

test('a call that finds every slot taken is queued behind no other call', async () => {
  const s = open({ tools: [gated('Look').tool], max_parallel: 2 })
  await s.run(...[1, 2, 3].map(n => ({ name: 'Look', input: { n }, id: `look_${n}` })))
  expect(s.events('tool.queued').map(({ call_id, after }) => ({ call_id, after }))).toEqual([
    { call_id: 'look_3', after: [] },
  ])
})

test('a call held back by one that waits for a person is queued after it', async () => {
  const asked = { ...keyed, name: 'Asked' }
  const s = open({ tools: [keyed, asked], permissions: { rules: { allow: ['Keyed'], ask: ['Asked'] } } })
  await s.run(
    { name: 'Asked', input: { key: 'a' }, id: 'asked' },
    { name: 'Keyed', input: { key: 'a' }, id: 'behind' },
  )
  expect(s.state().calls.map(call => call.outcome !== undefined)).toEqual([false, false])
  expect(s.events('tool.queued').map(({ call_id, after }) => ({ call_id, after }))).toEqual([
    { call_id: 'behind', after: ['asked'] },
  ])
})

test('a screen shows the call as queued, with the calls it waits for', async () => {
  const s = open({ tools: [keyed] })
  await s.say([{ name: 'Keyed', input: { key: 'a' }, id: 'call_1' }])
  s.append({ type: 'tool.queued', ts: new Date().toISOString(), call_id: 'call_1', after: ['call_0'] })
  const call = applyRecords(emptyView(), s.records).calls.get('call_1')
  expect(call).toMatchObject({ state: 'queued', after: ['call_0'] })
})

test('a call that had to wait is judged again by what the earlier call left', async () => {
  const s = open({ tools: createBuiltinTools(), permissions: { rules: { allow: ['Bash(ln:*)'] } } })
  const [, byShell, byRead] = await s.run(
    { name: 'Bash', input: { command: `ln -s ${s.dir} out` } },
    { name: 'Bash', input: { command: 'cat out/secret' } },
    { name: 'Read', input: { file_path: 'out/secret' } },
  )
  expect([byShell, byRead].map(call => call?.approval !== undefined)).toEqual([true, true])
})
