/** Writes logs by hand, shortly: one method per thing that happens, ids and times given. */
import type { EventOf, PendingItem, Rec, SessionEvent } from '@toolwire/core'

export const SESSION = '0000002a-0000-4000-8000-000000000000'
/** The number that the first 48 bits of the session's id make. */
export const THREAD = 0x2a_0000

type Bodies = { [T in SessionEvent['type']]: Omit<EventOf<T>, 'ts'> }
type Body = Bodies[SessionEvent['type']]
type Tool = Omit<NonNullable<EventOf<'block.started'>['tool']>, 'call_id'>

const USAGE = { input: 100, output: 20, cache_read: 5, cache_write: 0, reasoning: 0 }
const TOTALS = { usage_by_model: [{ model: 'demo', usage: USAGE }], duration_ms: 5, num_turns: 1 }

export const SERVER_TOOL: Tool = { name: 'get_weather', tool_type: 'builtin', executor: 'server' }
export const MCP_TOOL: Tool = { name: 'lookup', tool_type: 'mcp', server: 'school', executor: 'server' }
export const CLIENT_TOOL: Tool = { name: 'set_temperature', tool_type: 'function', executor: 'client' }

export class LogBuilder {
  readonly records: Rec[] = []
  #run = 'run_1'
  #turns = 0
  #message = ''
  #blocks = 0
  #agent: { readonly agent_run_id?: string } = {}

  constructor() {
    const facts = { cwd: '/w', model: 'demo', tools: [], permission_mode: 'default' }
    this.#push({ type: 'session.created', ...facts })
  }

  /** Any event, stamped with the current run. */
  put(body: Body): this {
    this.#push({ run_id: this.#run, ...body })
    return this
  }

  message(text: string, run = 'run_1'): this {
    this.#run = run
    const content = [{ type: 'text' as const, text }]
    this.put({ type: 'input.message', message_id: `msg_of_${run}`, role: 'user', content })
    const started = { conversation_id: run, client_tools: [], model: 'demo' }
    return this.put({ type: 'run.started', ...started, trigger: 'message' })
  }

  resume(
    run: string,
    conversation: string,
    trigger: EventOf<'run.started'>['trigger'] = 'tool_outputs',
  ): this {
    const resumes_run_id = this.#run
    this.#run = run
    const started = { conversation_id: conversation, client_tools: [], model: 'demo' }
    this.put({ type: 'run.started', ...started, trigger, resumes_run_id })
    return this.put({ type: 'run.resumed', resumed_run_id: resumes_run_id, resolved: [], remaining: [] })
  }

  /** Events of a nested agent follow, until `asRoot`. */
  asAgent(agent_run_id: string): this {
    this.#agent = { agent_run_id }
    return this
  }

  asRoot(): this {
    this.#agent = {}
    return this
  }

  turn(): this {
    const turn = this.#turns++
    this.#message = `msg_${turn}`
    const asked = { turn, provider: 'demo', model: 'demo', attempt: 1, ...this.#agent }
    this.put({ type: 'turn.started', ...asked })
    const id = { message_id: this.#message, provider_message_id: `p_${turn}` }
    return this.put({ type: 'message.started', role: 'assistant', ...id, ...this.#agent })
  }

  turnEnd(has_next: boolean): this {
    const stop = has_next
      ? ({ stop_reason: 'tool_use', finish: 'tool_calls' } as const)
      : ({ stop_reason: 'end_turn', finish: 'stop' } as const)
    const body = { message_id: this.#message, usage: USAGE, has_next, ...stop, ...this.#agent }
    return this.put({ type: 'turn.completed', ...body })
  }

  startBlock(kind: EventOf<'block.started'>['kind'], tool?: Tool & { readonly call_id: string }): string {
    const run_index = this.#blocks++
    const block_id = `${this.#message}.${run_index}`
    const place = { message_id: this.#message, block_id, index: 0, run_index, kind, ...this.#agent }
    this.put({ type: 'block.started', ...place, ...(tool ? { tool } : {}) })
    return block_id
  }

  text(...pieces: readonly string[]): this {
    return this.#block('text', 'text', pieces)
  }

  thinking(...pieces: readonly string[]): this {
    return this.#block('thinking', 'thinking', pieces)
  }

  /** A call whose arguments arrive in pieces and are accepted. */
  call(call_id: string, tool: Tool, ...pieces: readonly string[]): this {
    const input_text = pieces.join('')
    this.#write(this.startBlock('tool_use', { ...tool, call_id }), 'input_text', pieces)
    const { name, tool_type, executor } = tool
    const input: unknown = input_text === '' ? {} : JSON.parse(input_text)
    return this.put({
      type: 'tool.ready',
      call_id,
      name,
      tool_type,
      executor,
      input_text,
      input,
      ...this.#agent,
    })
  }

  /** The call was handed to the client. */
  ask(call_id: string, input_text: string, name = 'set_temperature'): this {
    return this.put({ type: 'tool.client_requested', call_id, name, input_text, ...this.#agent })
  }

  output(call_id: string, output_text: string): this {
    return this.put({ type: 'input.tool_output', call_id, output_text, is_error: false, by: 'client' })
  }

  done(call_id: string, output_text: string, is_error = false): this {
    const body = { call_id, content: [], output_text, is_error, duration_ms: 3 }
    return this.put({ type: 'tool.completed', ...body, ...this.#agent })
  }

  failed(call_id: string, error: EventOf<'tool.failed'>['error']): this {
    const body = { call_id, error, output_text: error.message, duration_ms: 3 }
    return this.put({ type: 'tool.failed', ...body, ...this.#agent })
  }

  pause(reason: EventOf<'run.paused'>['reason'], ...pending: readonly PendingItem[]): this {
    return this.put({ type: 'run.paused', reason, pending: [...pending] })
  }

  complete(): this {
    return this.put({ type: 'run.completed', status: 'success', finish: 'stop', result_text: '', ...TOTALS })
  }

  fail(error: EventOf<'run.failed'>['error']): this {
    return this.put({ type: 'run.failed', error, ...TOTALS })
  }

  cancel(reason: string): this {
    return this.put({ type: 'run.cancelled', reason, ...TOTALS })
  }

  #block(kind: 'text' | 'thinking', field: 'text' | 'thinking', pieces: readonly string[]): this {
    this.#write(this.startBlock(kind), field, pieces)
    return this
  }

  #write(block_id: string, field: 'text' | 'thinking' | 'input_text', pieces: readonly string[]): void {
    let offset = 0
    for (const piece of pieces) {
      this.put({ type: 'block.delta', block_id, offset, [field]: piece, ...this.#agent })
      offset += piece.length
    }
    this.put({ type: 'block.completed', block_id, [field]: pieces.join(''), ...this.#agent })
  }

  #push(body: Body): void {
    const seq = this.records.length + 1
    const ts = new Date(Date.UTC(2025, 11, 13, 10) + seq * 100).toISOString()
    this.records.push({ seq, epoch: 1, ev: { ts, ...body } as SessionEvent })
  }
}

export const clientItem = (call_id: string, input_text: string): PendingItem => ({
  kind: 'client_tool',
  id: call_id,
  call_id,
  name: 'set_temperature',
  input_text,
})
