/**
 * Random legal logs: whole sessions with runs, turns, awkward text, parallel calls, approvals,
 * client tools, pauses and resumptions, subagents, aborted messages and all four endings.
 * The same seed gives the same log. Shared by every suite that checks projections.
 */
import type { EventOf, PendingItem, Rec, SessionEvent, ToolSpec, Usage } from '@toolwire/core'

export interface RandomLogOptions {
  readonly runs?: number
  /** Deltas per block at most. */
  readonly deltas?: number
}

/** Records 1, 2, 3 … of a session that has become idle. */
export function randomLog(seed: number, options: RandomLogOptions = {}): readonly Rec[] {
  return new LogWriter(seed, options).write()
}

type Scope = { readonly agent_run_id?: string }
type Open = {
  readonly call_id: string
  readonly name: string
  readonly input_text: string
  approval_id?: string
}

const PIECES = [
  'a',
  ' the ',
  '"quoted"',
  '\\',
  '\n',
  '你好',
  '🙂',
  '\u2028',
  '</script>',
  'é',
  '\t',
  'data: x',
  '',
  '0',
]
/** The same objects in every run, as the runs of one process share them. */
const CLIENT_TOOLS: readonly ToolSpec[] = ['browse', 'locate', 'pick'].map(name => ({
  name,
  description: name,
  input_schema: { type: 'object' },
}))
const USAGE: Usage = { input: 9, output: 3, cache_read: 7, cache_write: 1, reasoning: 0 }

class LogWriter {
  readonly #records: Rec[] = []
  readonly #options: Required<RandomLogOptions>
  #seed: number
  #run = ''
  #serial = 0
  #turn = 0
  #blocks = 0

  constructor(seed: number, options: RandomLogOptions) {
    this.#seed = seed | 0
    this.#options = { runs: options.runs ?? 3, deltas: options.deltas ?? 4 }
  }

  write(): readonly Rec[] {
    this.#put({
      type: 'session.created',
      cwd: '/w',
      model: 'demo',
      tools: ['Bash'],
      permission_mode: 'default',
    })
    const runs = 1 + this.#pick(this.#options.runs)
    for (let i = 0; i < runs; i++) {
      if (this.#chance(0.2)) this.#put({ type: 'session.updated', title: this.#text() })
      this.#exchange()
    }
    return this.#records
  }

  /** One message with all its pauses, to its end. */
  #exchange(): void {
    const conversation = this.#id('run')
    this.#run = conversation
    this.#blocks = 0
    const content = [{ type: 'text' as const, text: this.#text() }]
    this.#put({
      type: 'input.message',
      message_id: this.#id('msg'),
      role: 'user',
      content,
      if_paused: 'supersede',
    })
    this.#begin(conversation)
    const turns = 1 + this.#pick(3)
    for (let i = 0; i < turns; i++) {
      if (this.#chance(0.15)) this.#aborted({})
      const open = this.#message({}, i < turns - 1)
      if (!this.#settle(open, conversation)) return
      if (this.#chance(0.3)) this.#steer()
    }
    this.#end()
  }

  /** A message that meets the run: changed, withdrawn, delivered or left in the queue. */
  #steer(): void {
    const message_id = this.#id('msg')
    const run_id = this.#id('run')
    const content = [{ type: 'text' as const, text: this.#text() }]
    const when_running = this.#chance(0.5) ? 'steer' : 'queue'
    this.#put({ type: 'input.message', run_id, message_id, role: 'user', content, when_running })
    if (this.#chance(0.3))
      this.#put({ type: 'input.changed', run_id, message_id, revision: 1, content, place: 0 })
    if (this.#chance(0.3)) this.#put({ type: 'input.withdrawn', run_id, message_id, by: 'client' })
    else this.#put({ type: 'input.delivered', message_id, run_id: this.#run, turn: this.#turn })
  }

  #begin(conversation: string, resumes?: string): void {
    this.#put({
      type: 'run.started',
      conversation_id: conversation,
      trigger: resumes === undefined ? 'message' : 'tool_outputs',
      ...(resumes === undefined ? {} : { resumes_run_id: resumes }),
      client_tools: CLIENT_TOOLS.filter(() => this.#chance(0.5)),
      model: 'demo',
    })
    if (!this.#chance(0.85)) return
    const facts = { cwd: '/w', model: 'demo', tools: ['Bash'], permission_mode: 'default' }
    this.#put({ type: 'session.bound', provider: 'native', provider_session_id: this.#id('ps'), ...facts })
  }

  #end(): void {
    const totals = { usage_by_model: [{ model: 'demo', usage: USAGE }], duration_ms: 5, num_turns: 1 }
    const roll = this.#pick(4)
    if (roll === 0) this.#put({ type: 'run.cancelled', reason: this.#text(), ...totals })
    else if (roll === 1)
      this.#put({
        type: 'run.failed',
        error: { code: 'model_timeout', message: this.#text(), retryable: true },
        ...totals,
      })
    else
      this.#put({
        type: 'run.completed',
        status: 'success',
        finish: 'stop',
        result_text: this.#text(),
        ...totals,
      })
  }

  /** A model message; returns its calls. */
  #message(scope: Scope, calls: boolean): Open[] {
    const message_id = this.#startMessage(scope)
    let index = 0
    if (this.#chance(0.3)) this.#block(scope, message_id, index++, 'thinking')
    if (this.#chance(0.8)) this.#block(scope, message_id, index++, 'text')
    const open: Open[] = []
    const count = calls ? 1 + this.#pick(3) : 0
    for (let i = 0; i < count; i++) open.push(this.#call(scope, message_id, index++))
    this.#put({
      type: 'turn.completed',
      ...scope,
      message_id,
      stop_reason: calls ? 'tool_use' : 'end_turn',
      finish: calls ? 'tool_calls' : 'stop',
      usage: USAGE,
      cost_usd: 0.25,
      has_next: calls,
    })
    return open
  }

  #startMessage(scope: Scope): string {
    const message_id = this.#id('msg')
    this.#put({
      type: 'turn.started',
      ...scope,
      turn: this.#turn++,
      provider: 'demo',
      model: 'demo',
      attempt: 1,
    })
    this.#put({
      type: 'message.started',
      ...scope,
      message_id,
      provider_message_id: `p_${message_id}`,
      role: 'assistant',
    })
    return message_id
  }

  #aborted(scope: Scope): void {
    const message_id = this.#startMessage(scope)
    const block_id = `${message_id}.0`
    const run_index = this.#blocks++
    this.#put({ type: 'block.started', ...scope, message_id, block_id, index: 0, run_index, kind: 'text' })
    this.#put({ type: 'block.delta', ...scope, block_id, offset: 0, text: this.#text() })
    this.#put({ type: 'message.aborted', ...scope, message_id, reason: 'interrupted' })
  }

  #block(scope: Scope, message_id: string, index: number, kind: 'text' | 'thinking'): void {
    const block_id = `${message_id}.${index}`
    this.#put({
      type: 'block.started',
      ...scope,
      message_id,
      block_id,
      index,
      run_index: this.#blocks++,
      kind,
    })
    const whole = this.#deltas(scope, block_id, kind)
    if (kind === 'thinking' && this.#chance(0.5))
      this.#put({ type: 'block.delta', ...scope, block_id, offset: whole.length, signature: 'sig' })
    this.#put({ type: 'block.completed', ...scope, block_id, [kind]: whole } as Body)
  }

  #deltas(scope: Scope, block_id: string, field: 'text' | 'thinking' | 'input_text', given?: string): string {
    let offset = 0
    let whole = ''
    const count = this.#pick(this.#options.deltas + 1)
    const pieces =
      given === undefined ? Array.from({ length: count }, () => this.#text()) : this.#split(given)
    for (const piece of pieces) {
      this.#put({ type: 'block.delta', ...scope, block_id, offset, [field]: piece } as Body)
      offset += piece.length
      whole += piece
    }
    return given ?? (count === 0 && this.#chance(0.5) ? this.#text() : whole)
  }

  #call(scope: Scope, message_id: string, index: number): Open {
    const block_id = `${message_id}.${index}`
    const call_id = this.#id('toolu')
    const broken = this.#chance(0.15)
    const input = { command: this.#text(), n: this.#pick(9) }
    const input_text = broken ? JSON.stringify(input).slice(0, -2) : JSON.stringify(input)
    const tool = { call_id, name: 'Bash', tool_type: 'builtin', executor: 'server' } as const
    const run_index = this.#blocks++
    this.#put({
      type: 'block.started',
      ...scope,
      message_id,
      block_id,
      index,
      run_index,
      kind: 'tool_use',
      tool,
    })
    this.#deltas(scope, block_id, 'input_text', input_text)
    this.#put({ type: 'block.completed', ...scope, block_id, input_text })
    const { name, tool_type, executor } = tool
    if (!broken && this.#chance(0.9))
      this.#put({ type: 'tool.ready', ...scope, call_id, name, tool_type, executor, input_text, input })
    return { call_id, name, input_text }
  }

  /** Brings calls to their ends, through pauses if need be. False when the run ended on the way. */
  #settle(open: Open[], conversation: string): boolean {
    const waiting: Open[] = []
    for (const call of open) {
      if (this.#chance(0.25)) waiting.push(this.#ask(call))
      else if (this.#chance(0.2)) this.#subagent(call)
      else this.#outcome({}, call)
    }
    while (waiting.length > 0) {
      const before = this.#run
      const pending = waiting.map(toPending)
      this.#put({ type: 'run.paused', reason: 'tool_approval_required', pending })
      const answered = waiting.splice(0, 1 + this.#pick(waiting.length))
      this.#run = this.#id('run')
      for (const call of answered) this.#answer(call)
      this.#begin(conversation, before)
      for (const call of answered) this.#takeUp(call)
      if (this.#chance(0.1) && waiting.length === 0) {
        this.#end()
        return false
      }
    }
    return true
  }

  #ask(call: Open): Open {
    const { call_id, name, input_text } = call
    if (this.#chance(0.5)) {
      this.#put({ type: 'tool.client_requested', call_id, name, input_text })
      return call
    }
    const approval_id = this.#id('apr')
    this.#put({
      type: 'tool.approval_requested',
      approval_id,
      call_id,
      name,
      allow_edit: true,
      message: this.#text(),
    })
    return { ...call, approval_id }
  }

  #answer({ call_id, approval_id }: Open): void {
    if (approval_id === undefined)
      this.#put({
        type: 'input.tool_output',
        call_id,
        output_text: this.#text(),
        is_error: false,
        by: 'client',
      })
    else this.#put({ type: 'input.approval', approval_id, call_id, decision: 'approved' })
  }

  #takeUp(call: Open): void {
    const { call_id, approval_id } = call
    if (approval_id !== undefined)
      this.#put({ type: 'tool.approval_resolved', approval_id, call_id, decision: 'approved', by: 'client' })
    this.#outcome({}, call)
  }

  #outcome(scope: Scope, { call_id }: Open): void {
    if (this.#chance(0.3)) {
      const error = { code: 'bad_input', layer: 'schema', message: this.#text(), retryable: false } as const
      this.#put({ type: 'tool.failed', ...scope, call_id, error, output_text: this.#text(), duration_ms: 1 })
      return
    }
    this.#put({ type: 'tool.started', ...scope, call_id, attempt: 1 })
    if (this.#chance(0.4)) this.#put({ type: 'tool.progress', ...scope, call_id, message: this.#text() })
    const output_text = this.#text()
    const content = this.#chance(0.5) ? [{ type: 'text' as const, text: output_text }] : []
    this.#put({
      type: 'tool.completed',
      ...scope,
      call_id,
      content,
      output_text,
      is_error: false,
      duration_ms: 2,
    })
  }

  /** A call that another agent works on: its own message and calls are between the call and its result. */
  #subagent(call: Open): void {
    const agent_run_id = this.#id('agent')
    this.#put({ type: 'tool.started', call_id: call.call_id, attempt: 1 })
    this.#put({
      type: 'agent.started',
      agent_run_id,
      name: 'helper',
      parent_call_id: call.call_id,
      prompt: this.#text(),
    })
    for (const nested of this.#message({ agent_run_id }, true)) this.#outcome({ agent_run_id }, nested)
    this.#put({ type: 'agent.finished', agent_run_id, outcome: 'success', result: this.#text() })
    this.#outcome({}, call)
  }

  #put(body: Body): void {
    const seq = this.#records.length + 1
    const ts = new Date(Date.UTC(2026, 0, 1) + seq * 10).toISOString()
    const run = this.#run === '' || body.type === 'session.created' ? {} : { run_id: this.#run }
    const turn = body.type.startsWith('block.') ? { turn: this.#turn - 1 } : {}
    this.#records.push({ seq, epoch: 1, ev: { ts, ...run, ...turn, ...body } as SessionEvent })
  }

  #id(prefix: string): string {
    return `${prefix}_${++this.#serial}`
  }

  #text(): string {
    let text = ''
    for (let i = this.#pick(4); i >= 0; i--) text += PIECES[this.#pick(PIECES.length)] ?? ''
    return text
  }

  /** Pieces that never break a character. */
  #split(text: string): string[] {
    const pieces: string[] = []
    let piece = ''
    for (const character of text) {
      piece += character
      if (!this.#chance(0.2)) continue
      pieces.push(piece)
      piece = ''
    }
    return piece === '' ? pieces : [...pieces, piece]
  }

  #chance(p: number): boolean {
    return this.#random() < p
  }

  #pick(n: number): number {
    return Math.floor(this.#random() * n)
  }

  /** mulberry32 */
  #random(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0
    let t = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

type Body = {
  [T in SessionEvent['type']]: Omit<EventOf<T>, 'ts' | 'run_id'> & { readonly run_id?: string }
}[SessionEvent['type']]

const toPending = (call: Open): PendingItem => ({
  kind: call.approval_id === undefined ? 'client_tool' : 'approval',
  id: call.approval_id ?? call.call_id,
  call_id: call.call_id,
  name: call.name,
  input_text: call.input_text,
})
