/** Words that come with results: one place in the history, one model call, whatever happens in between. */
import { evolve, initial, type Rec, type SessionEvent } from '@toolwire/core'
import { applyRecords, emptyView } from '@toolwire/core/view'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { chatTool, type Gateway, startGateway } from './gateway-server.ts'

const tools = [chatTool('weather'), chatTool('time')]
const user = (content: string) => ({ role: 'user', content })

/** A conversation whose second request brings results and words. */
async function converse(
  gateway: Gateway,
): Promise<{ readonly session: string; readonly log: readonly Rec[] }> {
  const ask = async (messages: readonly object[]) => {
    const response = await gateway.post('/v1/chat/completions', { model: 'demo', messages, tools })
    return { session: response.headers.get('x-session-id') ?? '', body: await response.json() }
  }
  const first = await ask([user('call weather@Paris, time@Oslo')])
  const { message } = first.body.choices[0]
  const results = message.tool_calls.map((call: { id: string }) => ({
    role: 'tool',
    tool_call_id: call.id,
    content: 'sunny',
  }))
  await ask([user('call weather@Paris, time@Oslo'), message, ...results, user('say thanks')])
  await gateway.settled()
  return { session: first.session, log: await gateway.store.read(first.session, 0, 10_000) }
}

const historyOf = (log: readonly Rec[]) =>
  log.reduce(evolve, initial()).messages.map(message => {
    if (message.role === 'tool') return ['tool', ...message.results.map(result => result.output_text)]
    return [
      message.role,
      ...message.content.map(part => ('text' in part ? part.text : 'name' in part ? part.name : '')),
    ]
  })

test('killed after any event that follows the words, the session comes to the same history', async () => {
  const gateway = await startGateway()
  const { session, log } = await converse(gateway)
  await gateway.close()
  const expected = [
    ['user', 'call weather@Paris, time@Oslo'],
    ['assistant', 'weather', 'time'],
    ['tool', 'sunny', 'sunny'],
    ['user', 'say thanks'],
    ['assistant', 'thanks'],
  ]
  expect(historyOf(log)).toEqual(expected)
  const joined = log.findIndex(({ ev }) => ev.type === 'input.message' && ev.if_paused === 'join')
  const answers = log.findLastIndex(({ ev }) => ev.type === 'input.tool_output')
  expect(joined).toBeGreaterThan(0)
  for (let cut = Math.max(joined, answers) + 1; cut < log.length; cut += 1) {
    const store = createMemoryStore()
    const events: readonly SessionEvent[] = log.slice(0, cut).map(({ ev }) => ev)
    await store.append([{ session, create: true, state: 'running', events }])
    const again = await startGateway({ store })
    await again.settled()
    const after = await store.read(session, 0, 10_000)
    await again.close()
    await store.close()
    expect(historyOf(after), `cut after ${cut} events`).toEqual(expected)
  }
})

test('a run that is cancelled before the model hears the words keeps them in the history', async () => {
  const gateway = await startGateway()
  const { log } = await converse(gateway)
  await gateway.close()
  const heard = log.findLastIndex(({ ev }) => ev.type === 'turn.started')
  const cancelled = {
    type: 'run.cancelled',
    ts: '',
    reason: '',
    usage_by_model: [],
    duration_ms: 0,
    num_turns: 0,
  }
  const cut = log.slice(0, heard)
  const state = [...cut, { seq: cut.length + 1, epoch: 1, ev: cancelled as SessionEvent }].reduce(
    evolve,
    initial(),
  )
  expect(state.queue).toEqual([])
  expect(state.messages.at(-1)).toMatchObject({ role: 'user', content: [{ text: 'say thanks' }] })
})

test('the view shows the words between the calls and the answer, in one exchange', async () => {
  const gateway = await startGateway()
  const { log } = await converse(gateway)
  await gateway.close()
  const view = applyRecords(emptyView(), log)
  const turn = view.turns.at(-1)
  expect(turn?.messages.map(id => view.messages.get(id)?.role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
  ])
  expect(view.queue).toEqual([])
})
