import { describe, expect, it } from 'vitest'
import {
  applyRecord,
  applyRecords,
  type CallView,
  emptyView,
  type SessionView,
} from '../../src/view/index.ts'
import { Script, START } from './script.ts'

const fold = (script: Script): SessionView => applyRecords(emptyView(), script.records)
const callOf = (script: Script, id = 'c1'): CallView | undefined => fold(script).calls.get(id)
const opened = () => new Script().created().ask('hi').turn('m1')
const ready = (name?: string) => opened().call('m1', 0, 'c1', name ? { name } : {})

describe('exchanges', () => {
  it('shows a question, its answer and the end of the run', () => {
    const view = fold(opened().text('m1', 0, ['Hel', 'lo']).endTurn('m1', 0.25).completeRun(0.25))
    const [turn] = view.turns
    expect(turn?.messages).toEqual(['in_r1', 'm1'])
    expect(turn?.state).toBe('completed')
    expect(view.blocks.get('m1.0')).toMatchObject({ text: 'Hello', state: 'complete', kind: 'text' })
    expect(view.messages.get('m1')).toMatchObject({ role: 'assistant', state: 'complete', model: 'demo' })
    expect(view.phase).toBe('idle')
    expect(view.info.created_at).toBe(START + 1000)
  })

  it('keeps a message in the queue until a run with its id starts', () => {
    const script = opened().message('next', 'r2')
    expect(fold(script).queue.map(m => m.id)).toEqual(['in_r2'])
    script.endTurn('m1').completeRun().started('r2')
    const view = fold(script)
    expect(view.queue).toEqual([])
    expect(view.turns.map(t => t.messages)).toEqual([['in_r1', 'm1'], ['in_r2']])
  })

  it('continues the same exchange when a paused run is resumed', () => {
    const script = ready()
      .add('tool.approval_requested', { approval_id: 'a1', call_id: 'c1', name: 'Bash', allow_edit: true })
      .endTurn('m1')
      .add('run.paused', { reason: 'tool_approval_required', pending: [] })
    expect(fold(script)).toMatchObject({ phase: 'paused', pause: { reason: 'tool_approval_required' } })
    script.started('r2', 'r1', 'r1')
    const view = fold(script)
    expect(view.turns).toHaveLength(1)
    expect(view.turns[0]).toMatchObject({ runs: ['r1', 'r2'], state: 'running' })
    expect(view.pause).toBeUndefined()
  })

  it('marks a half message and its open block as aborted and keeps what was said', () => {
    const script = opened()
    script.add('block.started', { message_id: 'm1', block_id: 'b', index: 0, run_index: 0, kind: 'text' })
    script.add('block.delta', { block_id: 'b', offset: 0, text: 'half' })
    script.add('message.aborted', { message_id: 'm1', reason: 'interrupted' })
    const view = fold(script)
    expect(view.blocks.get('b')).toMatchObject({ text: 'half', state: 'aborted' })
    expect(view.messages.get('m1')).toMatchObject({ state: 'aborted', abort_reason: 'interrupted' })
  })

  it('marks the first message after a compaction, and keeps all messages before it', () => {
    const script = opened()
    script.text('m1', 0, ['hello']).endTurn('m1')
    const before = fold(script).messages
    script.add('history.compacted', { replaced: 2, summary: 'In short.', shortened: [] })
    const warnings = [{ code: 'history_compacted', message: 'The history no longer fits.' }]
    script.add('message.started', { message_id: 'm2', provider_message_id: 'p', role: 'assistant', warnings })
    const { messages } = fold(script)
    expect(messages.get('m2')).toMatchObject({ compacted: true })
    expect(messages.get('m1')).toEqual(before.get('m1'))
    expect(messages.get('m1')).not.toHaveProperty('compacted')
  })

  it('keeps the failure of a run', () => {
    const error = { code: 'model_error', message: 'no', retryable: false }
    const view = fold(opened().add('run.failed', { error, usage_by_model: [], duration_ms: 5, num_turns: 0 }))
    expect(view.turns[0]).toMatchObject({ state: 'failed', error })
  })
})

describe('tool states', () => {
  const states: [string, () => Script, Partial<CallView>][] = [
    ['building while arguments arrive', () => opened().openCall('m1', 0, 'c1'), { state: 'building' }],
    ['queued when the arguments are valid', () => ready(), { state: 'queued', input: { command: 'ls' } }],
    [
      'executing when started',
      () => ready().add('tool.started', { call_id: 'c1', attempt: 1 }),
      { state: 'executing' },
    ],
    ['success when completed', () => ready().done('c1'), { state: 'success', duration_ms: 250 }],
    ['failed when the tool says so', () => ready().done('c1', 'bad', true), { state: 'failed' }],
    ['failed with its layer', () => ready().failed('c1', 'validation'), { state: 'failed' }],
    ['denied by permission', () => ready().failed('c1', 'permission', 'denied_user'), { state: 'denied' }],
    ['expired', () => ready().failed('c1', 'permission', 'expired'), { state: 'expired' }],
    ['cancelled when aborted', () => ready().failed('c1', 'aborted', 'interrupted'), { state: 'cancelled' }],
    [
      'lost when the outcome is unknown',
      () => ready().failed('c1', 'execution', 'unknown_outcome'),
      { state: 'lost' },
    ],
  ]
  for (const [name, script, expected] of states)
    it(`is ${name}`, () => {
      expect(callOf(script())).toMatchObject(expected)
    })

  it('gives the layer of a failure', () => {
    expect(callOf(ready().failed('c1', 'schema'))?.result?.layer).toBe('schema')
    expect(callOf(ready().done('c1', 'bad', true))?.result?.layer).toBe('execution')
    expect(callOf(ready().done('c1'))?.result?.layer).toBeUndefined()
  })

  it('takes the first terminal event and ignores later ones', () => {
    expect(callOf(ready().done('c1', 'first').failed('c1', 'aborted'))).toMatchObject({
      state: 'success',
      result: { output_text: 'first' },
    })
  })

  it('awaits an approval, then is queued by its answer, and lists it as pending only in between', () => {
    const script = ready().add('tool.approval_requested', {
      approval_id: 'a1',
      call_id: 'c1',
      name: 'Bash',
      message: 'may I?',
      allow_edit: true,
    })
    expect(callOf(script)?.state).toBe('awaiting_approval')
    expect(fold(script).pending).toMatchObject([
      { kind: 'approval', id: 'a1', call: 'c1', message: 'may I?' },
    ])
    script.add('input.approval', { approval_id: 'a1', call_id: 'c1', decision: 'approved', rule: 'Bash(ls)' })
    expect(callOf(script)).toMatchObject({
      state: 'queued',
      approval: { decision: 'approved', rule: 'Bash(ls)' },
    })
    expect(fold(script).pending).toEqual([])
  })

  it('keeps the first answer to an approval', () => {
    const script = ready()
      .add('tool.approval_requested', { approval_id: 'a1', call_id: 'c1', name: 'Bash', allow_edit: true })
      .add('input.approval', { approval_id: 'a1', call_id: 'c1', decision: 'denied', reason: 'no' })
      .add('input.approval', { approval_id: 'a1', call_id: 'c1', decision: 'approved' })
    expect(callOf(script)?.approval).toMatchObject({ decision: 'denied', reason: 'no' })
  })

  it('shows edited arguments once the log has settled them', () => {
    const script = ready()
      .add('tool.approval_requested', { approval_id: 'a1', call_id: 'c1', name: 'Bash', allow_edit: true })
      .add('tool.approval_resolved', {
        approval_id: 'a1',
        call_id: 'c1',
        decision: 'approved',
        by: 'user',
        edited_input_text: '{"command":"pwd"}',
      })
    expect(callOf(script)).toMatchObject({ input: { command: 'pwd' }, input_text: '{"command":"pwd"}' })
  })

  it('awaits the client until an output is there', () => {
    const script = opened().call('m1', 0, 'c1', { name: 'paint', client: true })
    script.add('tool.client_requested', { call_id: 'c1', name: 'paint', input_text: '{}' })
    expect(fold(script).pending).toMatchObject([{ kind: 'client_tool', id: 'c1', name: 'paint' }])
    script.add('input.tool_output', { call_id: 'c1', output_text: '1', is_error: false, by: 'user' })
    expect(callOf(script)).toMatchObject({ state: 'executing', client: { answered: true } })
    expect(fold(script).pending).toEqual([])
  })

  it('is cancelling from the cancel until its terminal event', () => {
    const script = ready()
      .add('tool.started', { call_id: 'c1', attempt: 1 })
      .add('input.cancel', { reason: 'stop', by: 'user' })
    expect(fold(script).cancelling).toBe(true)
    script.add('tool.progress', { call_id: 'c1', output_delta: 'late' })
    script.add('tool.started', { call_id: 'c1', attempt: 2 })
    expect(callOf(script)?.state).toBe('cancelling')
    script
      .failed('c1', 'aborted')
      .add('run.cancelled', { reason: 'stop', usage_by_model: [], duration_ms: 1, num_turns: 0 })
    expect(callOf(script)?.state).toBe('cancelled')
    expect(fold(script)).toMatchObject({ cancelling: false, active: [], pending: [] })
  })

  it('ignores a cancel when nothing runs', () => {
    expect(
      fold(opened().endTurn('m1').completeRun().add('input.cancel', { reason: 'x', by: 'u' })).cancelling,
    ).toBe(false)
  })

  it('separates calls that share an id in different messages', () => {
    const script = ready().done('c1', 'one').endTurn('m1').turn('m2', 1).call('m2', 0, 'c1').done('c1', 'two')
    const view = fold(script)
    const ids = [...view.blocks.values()].map(block => block.call)
    expect(ids).toEqual(['c1', 'c1#2'])
    expect(ids.map(id => view.calls.get(id ?? '')?.result?.output_text)).toEqual(['one', 'two'])
  })
})

describe('a run that is over', () => {
  it('leaves no call open and no message streaming, as in a fork from the middle', () => {
    const script = ready().add('tool.approval_requested', {
      approval_id: 'a',
      call_id: 'c1',
      name: 'Bash',
      allow_edit: true,
    })
    script.add('run.cancelled', { reason: 'forked', usage_by_model: [], duration_ms: 0, num_turns: 0 })
    const view = fold(script)
    expect(view.calls.get('c1')?.state).toBe('cancelled')
    expect(view.messages.get('m1')?.state).toBe('aborted')
    expect(view).toMatchObject({ active: [], pending: [] })
  })
})

describe('live text', () => {
  it('ignores a delta that was seen and takes only the new part of an overlapping one', () => {
    const script = opened()
    script.add('block.started', { message_id: 'm1', block_id: 'b', index: 0, run_index: 0, kind: 'text' })
    script.add('block.delta', { block_id: 'b', offset: 0, text: 'Hello' })
    script.add('block.delta', { block_id: 'b', offset: 2, text: 'llo wor' })
    script.add('block.delta', { block_id: 'b', offset: 0, text: 'Hello' })
    expect(fold(script).blocks.get('b')?.text).toBe('Hello wor')
  })

  it('keeps the prefix when a delta is missing and has the whole text when the block completes', () => {
    const script = opened()
    script.add('block.started', { message_id: 'm1', block_id: 'b', index: 0, run_index: 0, kind: 'thinking' })
    script.add('block.delta', { block_id: 'b', offset: 0, thinking: 'one ' })
    script.add('block.delta', { block_id: 'b', offset: 8, thinking: 'three' })
    expect(fold(script).blocks.get('b')).toMatchObject({ text: 'one ', gap: true })
    script.add('block.completed', { block_id: 'b', thinking: 'one two three' })
    expect(fold(script).blocks.get('b')).toMatchObject({ text: 'one two three', state: 'complete' })
    expect(fold(script).blocks.get('b')).not.toHaveProperty('gap')
  })

  it('peeks into arguments while they arrive', () => {
    const script = opened().openCall('m1', 0, 'c1')
    script.add('block.delta', { block_id: 'm1.0', offset: 0, input_text: '{"file_path":"/a","content":"li' })
    script.add('block.delta', { block_id: 'm1.0', offset: 31, input_text: 'ne\\n2' })
    expect(callOf(script)?.peek?.fields).toEqual([
      { key: 'file_path', value: '/a', done: true },
      { key: 'content', value: 'line\n2', done: false },
    ])
  })

  it('takes in a megabyte of arguments in pieces of 16 characters', () => {
    const input_text = JSON.stringify({ file_path: '/a', content: 'line "x"\n中文 '.repeat(70_000) })
    const script = opened().openCall('m1', 0, 'c1', 'Write')
    for (let offset = 0; offset < input_text.length - 16; offset += 16)
      script.add('block.delta', {
        block_id: 'm1.0',
        offset,
        input_text: input_text.slice(offset, offset + 16),
      })
    const call = callOf(script)
    expect(input_text.length).toBeGreaterThan(1_000_000)
    expect(call?.input_text.length).toBeGreaterThan(input_text.length - 33)
    expect(call?.peek?.fields.map(field => field.key)).toEqual(['file_path', 'content'])
  })
})

describe('statistics', () => {
  it('sums exchanges and takes the totals that the run reports', () => {
    const script = opened()
      .endTurn('m1', 0.1)
      .completeRun(0.25)
      .ask('again', 'r2')
      .turn('m2', 1)
      .endTurn('m2', 0.5)
      .completeRun(0.5)
    const { stats } = fold(script)
    expect(stats).toMatchObject({ cost_usd: 0.75, cost_partial: false, turns: 2, duration_ms: 8000 })
    expect(stats.usage).toEqual({ input: 20, output: 10, cache_read: 6, cache_write: 4, reasoning: 2 })
    expect(stats.models).toHaveLength(1)
  })

  it('never treats an unknown cost as zero', () => {
    const unknown = fold(opened().endTurn('m1').completeRun())
    expect(unknown.stats).not.toHaveProperty('cost_usd')
    expect(unknown.stats.cost_partial).toBe(true)
    const half = fold(
      opened().endTurn('m1').completeRun().ask('b', 'r2').turn('m2').endTurn('m2', 1).completeRun(1),
    )
    expect(half.stats).toMatchObject({ cost_usd: 1, cost_partial: true })
  })

  it('updates requests while the run continues', () => {
    expect(fold(opened().endTurn('m1', 0.5)).stats).toMatchObject({
      cost_usd: 0.5,
      cost_partial: false,
      turns: 1,
    })
    expect(fold(opened().endTurn('m1')).stats).toMatchObject({ cost_partial: true, turns: 1 })
  })

  it('does not count the time of a pause', () => {
    const script = ready().endTurn('m1').add('run.paused', { reason: 'tool_approval_required', pending: [] })
    const before = fold(script).turns[0]?.stats.duration_ms ?? 0
    // A second per record, from the run's start to its pause.
    expect(before).toBe((script.records.length - 3) * 1000)
    for (let i = 0; i < 100; i++) script.add('note', { name: 'x', value: i })
    script.started('r2', 'r1', 'r1').completeRun()
    expect(fold(script).turns[0]?.stats.duration_ms).toBe(before + 4000)
  })
})

describe('nested agents', () => {
  it('keeps their messages apart from the exchange and links them to the call', () => {
    const script = opened().call('m1', 0, 'c1', { name: 'Agent', input: { prompt: 'look' } })
    script.at = { run_id: 'r1', agent_run_id: 'ag' }
    script.add('agent.started', {
      agent_run_id: 'ag',
      name: 'explorer',
      parent_call_id: 'c1',
      prompt: 'look',
    })
    script.turn('n1').text('n1', 0, ['found']).endTurn('n1', 0.5)
    script.add('agent.finished', { agent_run_id: 'ag', outcome: 'success', result: 'found' })
    const view = fold(script)
    expect(view.turns[0]?.messages).toEqual(['in_r1', 'm1'])
    expect(view.calls.get('c1')?.agents).toEqual(['ag'])
    expect(view.agents.get('ag')).toMatchObject({
      messages: ['n1'],
      state: 'success',
      stats: { cost_usd: 0.5 },
    })
    expect(view.messages.get('n1')?.agent).toBe('ag')
  })
})

describe('sharing', () => {
  const two = () => {
    const script = opened()
      .text('m1', 0, ['first'])
      .call('m1', 1, 'c1')
      .endTurn('m1')
      .done('c1')
      .turn('m2', 1)
    return script.add('block.started', {
      message_id: 'm2',
      block_id: 'b',
      index: 0,
      run_index: 2,
      kind: 'text',
    })
  }

  it('changes with a text delta only the block it touches', () => {
    const script = two()
    const before = fold(script)
    const after = applyRecord(
      before,
      script.add('block.delta', { block_id: 'b', offset: 0, text: 'x' }).records.at(-1) as never,
    )
    expect(after.blocks.get('b')).not.toBe(before.blocks.get('b'))
    expect(after.blocks.get('m1.0')).toBe(before.blocks.get('m1.0'))
    for (const part of [
      'turns',
      'messages',
      'calls',
      'agents',
      'active',
      'pending',
      'queue',
      'stats',
      'info',
      'notes',
    ] as const)
      expect(after[part]).toBe(before[part])
    expect(before.blocks.get('b')?.text).toBe('')
  })

  it('changes with an argument delta or progress only the call it touches', () => {
    const script = two().openCall('m2', 1, 'c2').openCall('m2', 2, 'c3')
    const before = fold(script)
    script.add('block.delta', { block_id: 'm2.1', offset: 0, input_text: '{' })
    const after = applyRecord(before, script.records.at(-1) as never)
    expect(after.calls.get('c2')).not.toBe(before.calls.get('c2'))
    expect(after.calls.get('c3')).toBe(before.calls.get('c3'))
    for (const part of ['turns', 'messages', 'blocks', 'agents', 'active', 'pending', 'stats'] as const)
      expect(after[part]).toBe(before[part])
  })

  it('returns the same view for a record it has seen', () => {
    const script = two()
    const view = fold(script)
    for (const rec of script.records) expect(applyRecord(view, rec)).toBe(view)
  })

  it('ignores an event type that it does not know and moves on', () => {
    const view = fold(two())
    const next = applyRecord(view, { seq: view.head + 1, ev: { type: 'future.thing', ts: '' } as never })
    expect(next).toEqual({ ...view, head: view.head + 1 })
  })
})
