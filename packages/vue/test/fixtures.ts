/** Logs that show every part in every state, and a static session. */
import type { SessionSnapshot } from '@toolwire/client'
import type { SessionView, ViewRecord } from '@toolwire/core/view'
import { Script } from '../../core/test/view/script.ts'
import { answerQuestions, askQuestions } from '../../react/test/question-script.ts'
import { askForStickers } from '../../react/test/sticker-script.ts'
import type { SessionSource } from '../src/index.ts'

/** A source that never changes. */
export function fixedSession(view: SessionView): SessionSource {
  const snapshot: SessionSnapshot = { view, connection: { state: 'live', attempt: 0 } }
  return {
    id: 's1',
    subscribe: () => () => {},
    getSnapshot: () => snapshot,
    send: () => Promise.reject(new Error('a fixture takes no messages')),
    registerTool: () => () => {},
  }
}

/** Name of the image, and its log. */
export const fixtures = (): Readonly<Record<string, readonly ViewRecord[]>> => ({
  'text, thinking and statistics': plain().records,
  'calls in every state': states().records,
  'an approval with a change to look at': approval().records,
  'two approvals at once': batch().records,
  'a question with choices': question().records,
  thoughts: thoughts().records,
  'a form of a client': askForStickers().records,
  'several questions': askQuestions().records,
  'answered questions': answerQuestions().records,
  'a tool that the page runs': client().records,
  'results of every kind': kinds().records,
  'long and coloured output': long().records,
  'an agent inside a call': agent().records,
  'a failure, a stop and a queued message': endings().records,
  'calls that are being stopped': stopping().records,
  'further tools and results': further().records,
  'blocks of every kind and a picture from a person': blocks().records,
  'decisions with their reasons': decisions().records,
  'an agent that has ended, and one that failed': agentEnds().records,
  'output that still grows, and lines too wide to draw': growing().records,
})

const opened = () => new Script().created().ask('hi').turn('m1')

function plain(): Script {
  const script = opened()
  script.add('block.started', { message_id: 'm1', block_id: 't', index: 0, run_index: 0, kind: 'thinking' })
  script.add('block.completed', { block_id: 't', thinking: 'Let me see.\nYes.' })
  return script
    .text('m1', 1, [
      'First paragraph.\n\n',
      "Second, <b>not bold</b> & plain.\n\n```ts\nconst a = '<i>'\n```\n\n~~~\nopen",
    ])
    .endTurn('m1', 0.25)
    .completeRun(0.25)
}

function states(): Script {
  const script = opened()
  script
    .openCall('m1', 0, 'building')
    .add('block.delta', { block_id: 'm1.0', offset: 0, input_text: `{"command":"${'x'.repeat(300)}` })
  script.call('m1', 1, 'queued')
  script.call('m1', 2, 'running').add('tool.started', { call_id: 'running', attempt: 1 })
  script.add('tool.progress', { call_id: 'running', output_delta: 'one\ntwo\nthree\n' })
  script.call('m1', 3, 'ok').add('tool.started', { call_id: 'ok', attempt: 1 }).done('ok')
  script
    .call('m1', 4, 'bad')
    .add('tool.started', { call_id: 'bad', attempt: 1 })
    .failed('bad', 'execution', 'boom')
  script
    .call('m1', 5, 'no')
    .add('tool.approval_requested', { approval_id: 'a5', call_id: 'no', name: 'Bash', allow_edit: true })
  script.add('tool.approval_resolved', {
    approval_id: 'a5',
    call_id: 'no',
    decision: 'denied',
    reason: 'not now',
    by: 'user',
  })
  script.failed('no', 'permission', 'denied_user')
  script.call('m1', 6, 'late').failed('late', 'permission', 'expired')
  script.call('m1', 7, 'gone').failed('gone', 'execution', 'unknown_outcome')
  script.call('m1', 8, 'cut').failed('cut', 'aborted', 'cancelled')
  return script
}

const edit = {
  file_path: 'src/a.ts',
  old_string: 'const a = 1\nconst b = 2',
  new_string: 'const a = 1\nconst b = 3',
}

function approval(): Script {
  return opened()
    .call('m1', 0, 'c1', { name: 'Edit', input: edit })
    .add('tool.approval_requested', {
      approval_id: 'a1',
      call_id: 'c1',
      name: 'Edit',
      allow_edit: true,
      message: 'Edit changes src/a.ts.',
      details: {
        suggested_rule: 'Edit(src/**)',
        why: { code: 'changes', params: { tool: 'Edit', path: 'src/a.ts' } },
      },
    })
    .endTurn('m1')
    .add('run.paused', { reason: 'tool_approval_required', pending: [] })
}

function batch(): Script {
  const script = opened()
  for (const [index, id] of ['c1', 'c2'].entries())
    script.call('m1', index, id).add('tool.approval_requested', {
      approval_id: `a_${id}`,
      call_id: id,
      name: 'Bash',
      allow_edit: index === 0,
    })
  return script.endTurn('m1').add('run.paused', { reason: 'tool_approval_required', pending: [] })
}

function question(): Script {
  return opened()
    .call('m1', 0, 'q1', { name: 'Ask', input: { question: 'Which?' } })
    .add('tool.approval_requested', {
      approval_id: 'a1',
      call_id: 'q1',
      name: 'Ask',
      kind: 'question',
      message: 'Which one?',
      allow_edit: false,
      options: ['left', { label: 'Right', value: 2 }],
    })
    .endTurn('m1')
    .add('run.paused', { reason: 'user_input_required', pending: [] })
}

function client(): Script {
  return opened()
    .call('m1', 0, 'c1', { name: 'set_theme', input: { theme: 'dark' }, client: true })
    .add('tool.client_requested', { call_id: 'c1', name: 'set_theme', input_text: '{"theme":"dark"}' })
    .endTurn('m1')
    .add('run.paused', { reason: 'client_tool_execution', pending: [] })
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

function kinds(): Script {
  const script = opened()
  const run = (index: number, name: string, input: unknown, output: string) =>
    script
      .call('m1', index, `k${index}`, { name, input })
      .add('tool.started', { call_id: `k${index}`, attempt: 1 })
      .done(`k${index}`, output)
  run(0, 'Read', { file_path: 'src/a.ts' }, '     1→const a = 1\n     2→export { a }')
  run(1, 'Edit', edit, 'changed')
  run(2, 'Grep', { pattern: 'a' }, 'src/a.ts:1:const a = 1\nsrc/b.ts:7:  a()')
  run(
    3,
    'TodoWrite',
    {
      todos: [
        { content: 'one', status: 'completed' },
        { content: 'two', status: 'in_progress' },
        { content: 'three', status: 'pending' },
      ],
    },
    'ok',
  )
  run(4, 'Write', { file_path: 'b.md', content: '# B\n\ntext' }, 'written')
  run(5, 'get_weather', { city: '沈阳', days: 2 }, '{"sky":"clear","wind":{"speed":3}}')
  run(6, 'mystery', { nested: { deep: [1, 2, 3] } }, 'plain text')
  run(7, 'Bash', { command: 'false' }, '')
  script.call('m1', 8, 'k8', { name: 'WebSearch', input: { query: 'x' } }).add('tool.completed', {
    call_id: 'k8',
    content: [],
    output_text: '',
    is_error: false,
    structured: {
      results: [
        { title: 'Site', url: 'https://example.com/a', snippet: 'words' },
        { title: 'bad', url: 'javascript:alert(1)' },
      ],
    },
    duration_ms: 5,
  })
  script.call('m1', 9, 'k9', { name: 'shot', input: {} }).add('tool.completed', {
    call_id: 'k9',
    content: [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
      { type: 'image', source: { type: 'url', url: 'https://pics.example/p.png' } },
    ],
    output_text: 'two pictures',
    is_error: false,
    duration_ms: 5,
  })
  return script.endTurn('m1').completeRun()
}

function long(): Script {
  const lines = Array.from(
    { length: 90 },
    (_, n) => `\u001b[3${n % 8}mline ${n}\u001b[0m \u001b[38;2;10;20;30mexact\u001b[0m`,
  )
  return opened()
    .call('m1', 0, 'c1')
    .add('tool.started', { call_id: 'c1', attempt: 1 })
    .done('c1', lines.join('\n'))
    .endTurn('m1')
    .completeRun()
}

function agent(): Script {
  const script = opened().call('m1', 0, 'c1', {
    name: 'Agent',
    input: { prompt: 'look around', description: 'Look' },
  })
  script.add('tool.started', { call_id: 'c1', attempt: 1 })
  script.add('agent.started', {
    agent_run_id: 'g1',
    name: 'scout',
    parent_call_id: 'c1',
    prompt: 'look around',
  })
  script.at = { run_id: 'r1', agent_run_id: 'g1' }
  return script.turn('m2').text('m2', 0, ['I see a file.']).call('m2', 1, 'c2')
}

function endings(): Script {
  const failure = { code: 'model_overloaded', message: 'Try later', retryable: true }
  const end = { usage_by_model: [], duration_ms: 5, num_turns: 1 }
  const script = opened()
  script.add('block.started', { message_id: 'm1', block_id: 'b', index: 0, run_index: 0, kind: 'text' })
  script.add('block.delta', { block_id: 'b', offset: 0, text: 'half' })
  script.add('message.aborted', { message_id: 'm1', reason: 'lost', error: failure })
  script.add('run.failed', { error: failure, ...end })
  script.ask('again', 'r2').turn('m2').text('m2', 0, ['so'])
  script.add('run.cancelled', { reason: 'user', ...end })
  const warnings = [{ code: 'history_compacted', message: 'The history no longer fits.' }]
  script.ask('third', 'r3')
  script.add('history.compacted', { replaced: 2, summary: 'In short.', shortened: [] })
  script.add('message.started', { message_id: 'm3', provider_message_id: 'p', role: 'assistant', warnings })
  script.turn('m3')
  return script.message('fourth', 'r4')
}

function stopping(): Script {
  const script = opened()
  for (const [index, id] of ['c1', 'c2'].entries())
    script.call('m1', index, id).add('tool.started', { call_id: id, attempt: 1 })
  return script.add('input.cancel', { reason: 'enough', by: 'user' })
}

/** A thought in each state that a call can have, as far as it is one. */
function thoughts(): Script {
  const script = opened()
  for (const [index, id] of ['t0', 't1', 't2', 't3'].entries())
    script.call('m1', index, id, { name: 'Think', input: { thought: `Thought ${id} <b>` } })
  script.add('tool.started', { call_id: 't1', attempt: 1 }).done('t2', 'Your thought has been logged.')
  return script.failed('t3', 'permission', 'denied')
}

function further(): Script {
  const script = opened()
  const names = ['LS', 'Glob', 'WebFetch', 'NotebookRead', 'NotebookEdit', 'MultiEdit', 'MemoryRead', 'Think']
  const input = {
    path: 'src',
    file_path: 'a.ipynb',
    notebook_path: 'a.ipynb',
    cell_id: 'c1',
    new_source: 'print(1)',
    pattern: '**/*.ts',
    url: 'https://example.com/',
    thought: 'Hm.\nWell.',
    edits: [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: 'd' },
    ],
  }
  for (const [index, name] of names.entries()) {
    script.call('m1', index, `f${index}`, { name, input })
    script.add('tool.started', { call_id: `f${index}`, attempt: 1 }).done(`f${index}`, 'src/a.ts\nsrc/b.ts')
  }
  script.call('m1', 20, 'exit').add('tool.completed', {
    call_id: 'exit',
    content: [],
    output_text: 'oh',
    is_error: true,
    structured: { exit_code: 2 },
    duration_ms: 5,
  })
  for (const [index, layer] of (['lookup', 'schema', 'validation'] as const).entries())
    script.call('m1', 30 + index, `l${index}`, { name: 'Nope' }).failed(`l${index}`, layer, 'x')
  const long = Array.from({ length: 80 }, (_, n) => `line ${n}`).join('\n')
  script
    .call('m1', 40, 'big', { name: 'Edit', input: { file_path: 'b.ts', old_string: '', new_string: long } })
    .done('big')
  return script.endTurn('m1').completeRun()
}

function blocks(): Script {
  const script = new Script().created()
  script.at = { run_id: 'r1' }
  script.add('input.message', {
    run_id: 'r1',
    message_id: 'in_r1',
    role: 'user',
    content: [
      { type: 'text', text: 'what is this?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
      { type: 'image', source: { type: 'url', url: 'https://pics.example/p.png' } },
      { type: 'image', source: { type: 'url', url: 'javascript:alert(1)' } },
    ],
  })
  script.started('r1').turn('m1')
  const kinds = ['redacted_thinking', 'refusal', 'provider_tool_result', 'file', 'thinking'] as const
  for (const [index, kind] of kinds.entries()) {
    const block_id = `b${index}`
    script.add('block.started', { message_id: 'm1', block_id, index, run_index: index, kind })
    script.add('block.completed', { block_id, text: `as ${kind}` })
  }
  script.add('block.started', {
    message_id: 'm1',
    block_id: 'p',
    index: 9,
    run_index: 9,
    kind: 'provider_tool_use',
    tool: { call_id: 'p', name: 'web_search', tool_type: 'builtin', executor: 'provider' },
  })
  script.add('block.completed', { block_id: 'p', input_text: '{"query":"x"}' })
  return script.text('m1', 10, ['Done.']).endTurn('m1').completeRun(1.5)
}

function decisions(): Script {
  const script = opened()
  for (const [index, decision] of (['approved', 'denied', 'expired', 'cancelled'] as const).entries()) {
    const call_id = `d${index}`
    const approval_id = `a${index}`
    script.call('m1', index, call_id)
    script.add('tool.approval_requested', { approval_id, call_id, name: 'Bash', allow_edit: false })
    script.add('tool.approval_resolved', {
      approval_id,
      call_id,
      decision,
      by: 'user',
      ...(decision === 'approved' ? { rule: 'Bash(ls:*)', edited_input_text: '{"command":"ls -a"}' } : {}),
      ...(decision === 'denied' ? { reason: 'not <b>now</b>' } : {}),
    })
    if (decision === 'approved') script.done(call_id)
    else script.failed(call_id, 'permission', decision)
  }
  script.call('m1', 9, 'q', { name: 'Ask', input: {} }).add('tool.approval_requested', {
    approval_id: 'aq',
    call_id: 'q',
    name: 'Ask',
    kind: 'question',
    message: 'And now?',
    allow_edit: false,
  })
  const asked = { name: 'Ask', kind: 'question', allow_edit: false } as const
  const field = (type: string) => ({
    type: 'object',
    required: ['size'],
    properties: {
      name: { type, title: 'Your name' },
      age: { type: 'integer', description: 'In years' },
      size: { oneOf: [{ const: 's', title: 'Small' }, { const: 'l' }], default: 'l' },
      sure: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
    },
  })
  script.call('m1', 10, 'form', { name: 'Ask', input: {} })
  script.add('tool.approval_requested', {
    ...asked,
    approval_id: 'af',
    call_id: 'form',
    schema: field('string'),
  })
  script.call('m1', 11, 'page', { name: 'Ask', input: {} })
  script.add('tool.approval_requested', {
    ...asked,
    approval_id: 'ap',
    call_id: 'page',
    url: 'https://in.example/x',
  })
  return script.endTurn('m1').add('run.paused', { reason: 'user_input_required', pending: [] })
}

function agentEnds(): Script {
  const script = opened()
  const failure = { code: 'model_overloaded', message: 'Try later', retryable: true }
  for (const [index, outcome] of (['success', 'error', 'suspended'] as const).entries()) {
    const agent_run_id = `g${index}`
    script.call('m1', index, `c${index}`, { name: 'Agent', input: { prompt: 'look', description: 'Look' } })
    script.add('agent.started', { agent_run_id, name: 'scout', parent_call_id: `c${index}`, prompt: 'look' })
    script.at = { run_id: 'r1', agent_run_id }
    script.turn(`n${index}`).text(`n${index}`, 0, ['I see.']).endTurn(`n${index}`)
    script.at = { run_id: 'r1' }
    script.add('agent.finished', {
      agent_run_id,
      outcome,
      ...(outcome === 'success' ? { result: 'nothing' } : {}),
      ...(outcome === 'error' ? { error: failure } : {}),
    })
    if (outcome === 'success') script.done(`c${index}`, 'nothing')
  }
  return script
}

function growing(): Script {
  const script = opened().call('m1', 0, 'c1').add('tool.started', { call_id: 'c1', attempt: 1 })
  for (let n = 0; n < 30; n++)
    script.add('tool.progress', { call_id: 'c1', output_delta: `\u001b[1mrow ${n}\u001b[0m\n` })
  script.call('m1', 1, 'c2', { name: 'mystery', input: { text: 'y'.repeat(2500) } })
  return script.done('c2', `${'wide '.repeat(900)}\nshort`)
}
