/** Writes logs for view tests: numbered records with times that advance by a second each. */
import type { EventOf, EventType, SessionEvent } from '@toolwire/core'
import type { ViewRecord } from '../../src/view/index.ts'

type Body<T extends EventType> = Omit<EventOf<T>, 'type' | 'ts'>

export const START = Date.parse('2026-01-01T00:00:00.000Z')

export class Script {
  readonly records: ViewRecord[] = []
  /** Added to every event until changed: run and agent. */
  at: { run_id?: string; agent_run_id?: string } = {}

  add<T extends EventType>(type: T, body: Body<T>): this {
    const seq = this.records.length + 1
    const ev = {
      type,
      ts: new Date(START + seq * 1000).toISOString(),
      ...this.at,
      ...body,
    } as unknown as SessionEvent
    this.records.push({ seq, ev })
    return this
  }

  created(): this {
    return this.add('session.created', {
      cwd: '/w',
      model: 'demo',
      tools: ['Bash'],
      permission_mode: 'default',
    })
  }

  /** A message and the run that starts with it. */
  ask(text: string, run_id = 'r1'): this {
    this.at = { run_id }
    return this.message(text, run_id).started(run_id)
  }

  message(text: string, run_id: string): this {
    return this.add('input.message', {
      run_id,
      message_id: `in_${run_id}`,
      role: 'user',
      content: [{ type: 'text', text }],
    })
  }

  started(run_id: string, resumes_run_id?: string, conversation_id = run_id): this {
    this.at = { ...this.at, run_id }
    return this.add('run.started', {
      conversation_id,
      trigger: resumes_run_id ? 'approvals' : 'message',
      ...(resumes_run_id ? { resumes_run_id } : {}),
      client_tools: [],
      model: 'demo',
    })
  }

  turn(message_id: string, turn = 0): this {
    return this.add('turn.started', { turn, provider: 'demo', model: 'demo', attempt: 1 }).add(
      'message.started',
      {
        message_id,
        provider_message_id: `p_${message_id}`,
        role: 'assistant',
      },
    )
  }

  text(message_id: string, index: number, pieces: readonly string[]): this {
    const block_id = `${message_id}.${index}`
    this.add('block.started', { message_id, block_id, index, run_index: index, kind: 'text' })
    let offset = 0
    for (const text of pieces) {
      this.add('block.delta', { block_id, offset, text })
      offset += text.length
    }
    return this.add('block.completed', { block_id, text: pieces.join('') })
  }

  openCall(message_id: string, index: number, call_id: string, name = 'Bash'): this {
    return this.add('block.started', {
      message_id,
      block_id: `${message_id}.${index}`,
      index,
      run_index: index,
      kind: 'tool_use',
      tool: { call_id, name, tool_type: 'builtin', executor: 'server' },
    })
  }

  /** A call with complete, valid arguments. */
  call(
    message_id: string,
    index: number,
    call_id: string,
    options: { name?: string; input?: unknown; client?: boolean; view?: EventOf<'tool.ready'>['view'] } = {},
  ): this {
    const { name = 'Bash', input = { command: 'ls' }, client = false, view } = options
    const block_id = `${message_id}.${index}`
    const input_text = JSON.stringify(input)
    return this.openCall(message_id, index, call_id, name)
      .add('block.delta', { block_id, offset: 0, input_text })
      .add('block.completed', { block_id, input_text })
      .add('tool.ready', {
        call_id,
        name,
        tool_type: 'builtin',
        executor: client ? 'client' : 'server',
        input_text,
        input,
        ...(view ? { view } : {}),
      })
  }

  endTurn(message_id: string, cost_usd?: number): this {
    return this.add('turn.completed', {
      message_id,
      stop_reason: 'end_turn',
      finish: 'stop',
      usage: { input: 10, output: 5, cache_read: 3, cache_write: 2, reasoning: 1 },
      ...(cost_usd === undefined ? {} : { cost_usd }),
      has_next: false,
    })
  }

  done(call_id: string, output_text = 'ok', is_error = false): this {
    return this.add('tool.completed', {
      call_id,
      content: [{ type: 'text', text: output_text }],
      output_text,
      is_error,
      duration_ms: 250,
    })
  }

  failed(call_id: string, layer: EventOf<'tool.failed'>['error']['layer'], code = 'x'): this {
    return this.add('tool.failed', {
      call_id,
      error: { code, layer, message: 'no', retryable: false },
      output_text: 'no',
      duration_ms: 0,
    })
  }

  completeRun(cost_usd?: number): this {
    return this.add('run.completed', {
      status: 'success',
      finish: 'stop',
      result_text: '',
      usage_by_model: [
        {
          model: 'demo',
          usage: { input: 10, output: 5, cache_read: 3, cache_write: 2, reasoning: 1 },
          ...(cost_usd === undefined ? {} : { cost_usd }),
        },
      ],
      ...(cost_usd === undefined ? {} : { cost_usd }),
      duration_ms: 4000,
      num_turns: 1,
    })
  }
}
