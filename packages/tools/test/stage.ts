/** A session for tool tests: events are folded by core, nothing else of the loop is needed. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolHost, ToolScope, ToolSystem } from '@toolwire/core'
import {
  type CallState,
  type EventOf,
  type EventType,
  evolve,
  type Finish,
  initial,
  next,
  type Rec,
  type SessionEvent,
  type ToolSpec,
} from '@toolwire/core'
import { createToolSystem, type ToolSystemOptions } from '../src/create-tool-system.ts'

export interface StageOptions extends ToolSystemOptions {
  readonly mode?: string
  readonly client_tools?: readonly ToolSpec[]
  readonly session_tools?: readonly string[]
  readonly session_id?: string
  /** Where a call may start an agent. */
  readonly runAgent?: ToolHost['runAgent']
}

export interface AskedCall {
  readonly name: string
  readonly input: unknown
  readonly id?: string
}

export type Stage = ReturnType<typeof createStage>

/** The caller removes `dir` through `close`. */
export function createStage(options: StageOptions) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-tools-')))
  const workspace = mkdtempSync(join(dir, 'workspace-'))
  const records: Rec[] = []
  let state = initial()
  let epoch = 1
  let ids = 0
  let messages = 0
  let cancel = new AbortController()
  let system: ToolSystem = make()

  function make(): ToolSystem {
    return createToolSystem({ artifacts: join(dir, 'artifacts'), ...options })
  }

  function append(...events: SessionEvent[]): void {
    for (const ev of events) {
      const rec = { seq: state.head + 1, epoch, ev: JSON.parse(JSON.stringify(ev)) as SessionEvent }
      records.push(rec)
      state = evolve(state, rec)
    }
  }

  const stamp = () => ({ ts: new Date().toISOString(), run_id: 'run_1' })
  const scope: ToolScope = {
    session_id: options.session_id ?? 'ses_1',
    session: () => state,
    agent: () => state,
  }
  const previews: SessionEvent[] = []
  function flush(): void {
    append(...previews.splice(0))
  }

  function voice(): ToolHost {
    const mine = epoch
    // As a store does: a writer that lost the session to a newer owner writes nothing more.
    const write = (events: readonly SessionEvent[]): void => {
      if (mine !== epoch) throw new Error('fenced')
      append(...events)
    }
    return {
      // Previews reach the log some time later, or with the next fact.
      emit(...events) {
        previews.push(...events)
        setImmediate(() => {
          if (mine === epoch) flush()
        })
        return undefined
      },
      async commit(...events) {
        // The events are folded a little later, never in the same turn.
        await Promise.resolve()
        if (mine === epoch) flush()
        write(events)
      },
      stamp,
      signal: cancel.signal,
      epoch,
      newId: prefix => `${prefix}${++ids}`,
      ...(options.runAgent === undefined ? {} : { runAgent: options.runAgent }),
      async record(event) {
        append(event)
      },
      async withdraw({ approval_id, call_id, reason }) {
        const by = { decision: 'expired', by: 'system', reason } as const
        append({ type: 'input.approval', ...stamp(), approval_id, call_id, ...by })
      },
    }
  }

  append(
    {
      type: 'session.created',
      ...stamp(),
      cwd: workspace,
      model: 'demo',
      tools: [...(options.session_tools ?? ['*'])],
      permission_mode: options.mode ?? 'default',
    },
    {
      type: 'run.started',
      ...stamp(),
      conversation_id: 'conv_1',
      trigger: 'message',
      client_tools: [...(options.client_tools ?? [])],
      model: 'demo',
    },
  )

  /** A model message with these calls; the raw text may be given instead of an input. */
  async function say(
    calls: readonly (AskedCall | { name: string; text: string; id?: string })[],
    finish: Finish = 'tool_calls',
    eager = false,
  ) {
    const message_id = `msg_${++messages}`
    append(
      { type: 'turn.started', ...stamp(), turn: state.turns, provider: 'demo', model: 'demo', attempt: 1 },
      { type: 'message.started', ...stamp(), message_id, provider_message_id: message_id, role: 'assistant' },
    )
    for (const [index, call] of calls.entries()) await sayCall(call, message_id, index, eager)
    if (eager) await system.eagerDecided?.(scope)
    append({
      type: 'turn.completed',
      ...stamp(),
      message_id,
      stop_reason: finish,
      finish,
      usage: { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 },
      has_next: true,
    })
  }

  async function sayCall(
    call: AskedCall | { name: string; text: string; id?: string },
    message_id: string,
    index: number,
    eager: boolean,
  ) {
    const block_id = `${message_id}.${index}`
    const call_id = call.id ?? `call_${message_id}_${index}`
    const input_text = 'text' in call ? call.text : JSON.stringify(call.input)
    const tool = { call_id, name: call.name, ...system.describe(call.name, scope) }
    append(
      {
        type: 'block.started',
        ...stamp(),
        message_id,
        block_id,
        index,
        run_index: index,
        kind: 'tool_use',
        tool,
      },
      { type: 'block.completed', ...stamp(), block_id, input_text },
    )
    const open = state.calls.at(-1) as CallState
    append(...(await system.ready(open, scope, voice())))
    const ready = state.calls.at(-1) as CallState
    if (!eager || !ready.ready) return
    system.startEager?.(ready, scope, voice())
    // A model takes its time between blocks.
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
  }

  /** Settles until `next` wants something else; the name of that. */
  async function settle(): Promise<string> {
    for (let round = 0; ; round++) {
      const step = next(state)
      if (step.do !== 'settle') return step.do
      if (round > 20) throw new Error('settle makes no progress')
      await system.settle(step.calls, scope, voice())
      if (cancel.signal.aborted) return next(state).do
    }
  }

  return {
    dir,
    workspace,
    append,
    say,
    settle,
    scope,
    voice,
    records,
    system: () => system,
    state: () => state,
    path: (...parts: string[]) => join(workspace, ...parts),
    /** One message with these calls, settled; the outcomes in call order. */
    async run(...calls: readonly AskedCall[]): Promise<readonly CallState[]> {
      await say(calls)
      await settle()
      return state.calls
    },
    /** One call, settled. */
    async one(name: string, input: unknown): Promise<CallState> {
      await say([{ name, input }])
      await settle()
      return state.calls[0] as CallState
    },
    approve(call: CallState, answer: Partial<EventOf<'input.approval'>> = {}): void {
      const approval_id = call.approval?.approval_id ?? ''
      append({
        type: 'input.approval',
        ...stamp(),
        approval_id,
        call_id: call.call_id,
        decision: 'approved',
        ...answer,
      })
    },
    answerClient(call: CallState, output_text: string, is_error = false): void {
      append({
        type: 'input.tool_output',
        ...stamp(),
        call_id: call.call_id,
        output_text,
        is_error,
        by: 'client',
      })
    },
    cancel(): void {
      append({ type: 'input.cancel', ...stamp(), reason: 'test', by: 'user' })
      cancel.abort()
    },
    /** The server stops: running work is aborted, no cancel is in the log. */
    shutdown(): void {
      cancel.abort()
    },
    /** A new process takes the session over: only the log is left. */
    restart(): void {
      previews.length = 0
      epoch++
      cancel = new AbortController()
      state = records.reduce(evolve, initial())
      system = make()
    },
    events<T extends EventType>(type: T): readonly EventOf<T>[] {
      return records.flatMap(rec => (rec.ev.type === type ? [rec.ev as EventOf<T>] : []))
    },
    close(): void {
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** What the model received. */
export const textOf = (call: CallState | undefined): string => call?.outcome?.output_text ?? '(none)'
export const codeOf = (call: CallState | undefined): string | undefined => call?.outcome?.failure?.code
