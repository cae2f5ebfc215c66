/** Calls that only read begin while the model still writes its message, and run side by side: over HTTP, by gates, not by time. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Model } from '@toolwire/core'
import { expect, test } from 'vitest'
import { openStage } from './faults/product.ts'
import { inFolder } from './launch.ts'

const CALLS = 8
const GATE = 'toolwire.test.gate'
const USAGE = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }

/** Says who has come; opens for all of them at once when the last one has. */
function makeGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const entered: number[] = []
  const enter = async (n: number): Promise<void> => {
    entered.push(n)
    if (entered.length === CALLS) resolve()
    await promise
  }
  return { entered, opened: promise, enter }
}

const TOOL = `
export const tool = ({ defineTool, z }) => defineTool({
  name: 'Wait', description: 'Waits for the others.', input: z.strictObject({ n: z.number() }),
  isReadOnly: () => true,
  async *call({ n }) {
    await globalThis['${GATE}'].enter(n)
    yield { type: 'result', output_text: 'met ' + n }
  },
})
`

/** One message with all calls, which ends only when `until` has come; then a word. */
const callingModel = (until: Promise<void>): Model => ({
  provider: 'anthropic',
  id: 'claude-gated',
  async *stream({ messages }) {
    yield { type: 'start', provider_message_id: 'm', model: 'claude-gated' }
    if (messages.some(({ role }) => role === 'tool')) {
      yield { type: 'block-start', index: 0, kind: 'text' }
      yield { type: 'block-delta', index: 0, text: 'All met.' }
      yield { type: 'block-end', index: 0 }
      return yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage: USAGE }
    }
    for (let index = 0; index < CALLS; index++) {
      yield { type: 'block-start', index, kind: 'tool_use', tool: { id: `toolu_${index}`, name: 'Wait' } }
      yield { type: 'block-delta', index, input_text: JSON.stringify({ n: index }) }
      yield { type: 'block-end', index }
    }
    await until
    yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage: USAGE }
  },
})

test('eight calls of one message have all begun before their message ends and before any of them has ended', async () => {
  const gate = makeGate()
  Object.assign(globalThis, { [GATE]: gate })
  await inFolder(async dir => {
    mkdirSync(join(dir, 'tools'))
    writeFileSync(join(dir, 'tools', 'wait.js'), TOOL)
    const stage = await openStage({
      upstream: { model: callingModel(gate.opened) },
      flags: { tools: [join(dir, 'tools')], model: 'claude-gated' },
    })
    try {
      const headers = { 'content-type': 'application/json' }
      const made = await fetch(`${stage.url}/api/sessions`, { method: 'POST', headers, body: '{}' })
      const { id } = (await made.json()) as { id: string }
      const body = JSON.stringify({ session_id: id, message: 'go' })
      const answer = await fetch(`${stage.url}/api/chat/stream`, { method: 'POST', headers, body })
      expect(await answer.text()).toContain('All met.')
      expect(gate.entered.toSorted()).toEqual(Array.from({ length: CALLS }, (_, n) => n))
      const log = await (await fetch(`${stage.url}/api/sessions/${id}/events?wire=canonical`)).text()
      const types = [...log.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)
      const places = (wanted: string) => types.flatMap((type, at) => (type === wanted ? [at] : []))
      const [started, ended] = [places('tool.started'), places('tool.completed')]
      expect([started.length, ended.length]).toEqual([CALLS, CALLS])
      expect(Math.max(...started)).toBeLessThan(Math.min(...ended))
      expect(Math.max(...started)).toBeLessThan(types.indexOf('turn.completed'))
    } finally {
      await stage.close()
    }
  })
})
