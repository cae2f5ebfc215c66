/** What a tool leaves behind on the signal of its call goes with the call, though the run's own signal lives on. */
import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Tool } from '@toolwire/core'
import { expect, test } from 'vitest'
import { createBashTool } from '../src/builtin/bash.ts'
import { oneStage } from './one-stage.ts'
import { simple } from './test-tools.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const open = oneStage()

test('a listener that a tool forgot holds nothing once its call is over', async () => {
  const left: WeakRef<object>[] = []
  const forgetful = simple('Forgetful', {
    async *call(_, { signal }) {
      const large = new Uint8Array(1000)
      left.push(new WeakRef(large))
      signal.addEventListener('abort', () => large.fill(1))
      yield { type: 'result', output_text: 'done' }
    },
  })
  const s = open({ tools: [forgetful], mode: 'bypassPermissions' })
  await s.run(...[1, 2, 3].map(n => ({ name: 'Forgetful', input: { n }, id: `c${n}` })))
  expect(left).toHaveLength(3)
  // A later turn of the event loop: what a turn has looked at lives until it ends.
  await expect
    .poll(() => {
      collect()
      return left.filter(ref => ref.deref()).length
    })
    .toBe(0)
})

test('a command leaves no listener behind', async () => {
  const bash = createBashTool()
  const signals: AbortSignal[] = []
  const watched: Tool = {
    ...(bash as Tool),
    call(input, context) {
      signals.push(context.signal)
      return (bash as Tool).call(input, context)
    },
  }
  const s = open({ tools: [watched], mode: 'bypassPermissions' })
  await s.run({ name: 'Bash', input: { command: 'echo hi' }, id: 'c' })
  expect(signals).toHaveLength(1)
  expect(signals.flatMap(signal => getEventListeners(signal, 'abort'))).toEqual([])
})
