/**
 * What the session API tells about a session, folded from its log without its texts: small
 * enough to keep for many sessions. Deltas change nothing.
 */
import type { EventOf, PendingItem, Rec } from '@toolwire/core'
import { createFollower } from '@toolwire/wire'

interface CallFact {
  readonly call_id: string
  readonly name: string
  readonly message_id: string
  readonly agent_run_id?: string | undefined
  readonly input_text: string
  /** The client was asked to run it. */
  readonly asked: boolean
  /** Where its output was recorded. */
  readonly answered_at?: number
  readonly ended: boolean
}

export interface ApprovalFact {
  readonly approval_id: string
  readonly call_id: string
  readonly agent_run_id?: string | undefined
  readonly request: EventOf<'tool.approval_requested'>
  /** Where the first answer was recorded. */
  readonly answered_at?: number
  readonly resolved?: EventOf<'tool.approval_resolved'>
}

export class SessionSummary {
  head = 0
  created: EventOf<'session.created'> | undefined
  title: string | undefined
  model = ''
  permission_mode = 'default'
  provider_session_id: string | null = null
  conversations = 0
  conversation_id: string | undefined
  error: { readonly code: string; readonly message: string } | undefined
  paused = false
  /** Something runs, is queued, or waits to be taken up. */
  busy = false
  readonly calls = new Map<string, CallFact>()
  readonly approvals = new Map<string, ApprovalFact>()
  /** Agents that work on when the run is over, and those at work for them. */
  readonly #background = new Set<string>()
  /** Agents at work in the background, by the call that started them. */
  readonly launched = new Map<string, string>()
  readonly #follow = createFollower({ kind: 'session' })

  /** Folds the next record; records must come in order, without gaps. */
  apply(rec: Rec): void {
    this.head = rec.seq
    const { ev } = rec
    if (ev.type === 'block.delta' || ev.type === 'tool.progress') return
    this.busy = !this.#follow(rec).last
    this.#session(rec)
    this.#call(rec)
    this.#approval(rec)
  }

  status(): 'idle' | 'running' | 'paused' | 'failed' {
    if (this.busy) return 'running'
    if (this.paused || this.pending().length > 0) return 'paused'
    return this.error ? 'failed' : 'idle'
  }

  /** What somebody outside has to answer, in the order in which it was asked. */
  pending(): readonly PendingItem[] {
    const out: PendingItem[] = []
    for (const fact of this.approvals.values())
      if (!fact.resolved && fact.answered_at === undefined) out.push(this.#pendingApproval(fact))
    for (const call of this.calls.values())
      if (call.asked && !call.ended && call.answered_at === undefined) out.push(pendingTool(call))
    return out
  }

  #pendingApproval(fact: ApprovalFact): PendingItem {
    const { request } = fact
    return {
      kind: request.kind === 'question' ? 'question' : 'approval',
      id: fact.approval_id,
      call_id: fact.call_id,
      name: request.name,
      input_text: this.calls.get(fact.call_id)?.input_text ?? '',
      ...(request.message === undefined ? {} : { message: request.message }),
      ...(request.schema === undefined ? {} : { schema: request.schema }),
      ...(request.url === undefined ? {} : { url: request.url }),
      ...(fact.agent_run_id === undefined ? {} : { agent_run_id: fact.agent_run_id }),
    }
  }

  #session({ ev }: Rec): void {
    switch (ev.type) {
      case 'session.created':
        this.created = ev
        this.title = ev.title
        this.model = ev.model
        this.permission_mode = ev.permission_mode
        break
      case 'session.updated':
        this.title = ev.title ?? this.title
        this.model = ev.model ?? this.model
        this.permission_mode = ev.permission_mode ?? this.permission_mode
        break
      case 'session.bound':
        this.provider_session_id = ev.provider_session_id
        break
      case 'agent.started':
      case 'agent.finished':
        this.#agent(ev)
        break
      default:
        if (ev.agent_run_id === undefined) this.#run(ev)
    }
  }

  #agent(ev: EventOf<'agent.started' | 'agent.finished'>): void {
    const { agent_run_id } = ev
    if (ev.type === 'agent.finished') {
      for (const [call, agent] of this.launched) if (agent === agent_run_id) this.launched.delete(call)
      this.#closeWhere(fact => fact.agent_run_id === agent_run_id)
      return
    }
    if (ev.background) this.launched.set(ev.parent_call_id, agent_run_id)
    if (ev.background || this.#background.has(ev.parent_agent_run_id ?? ''))
      this.#background.add(agent_run_id)
  }

  #run(ev: Rec['ev']): void {
    switch (ev.type) {
      case 'run.started':
        this.paused = false
        this.conversation_id = ev.conversation_id
        if (ev.resumes_run_id === undefined) this.conversations += 1
        break
      case 'run.paused':
        this.paused = true
        break
      case 'run.completed':
        this.#close(undefined)
        break
      case 'run.failed':
        this.#close(ev.error)
        break
      case 'run.cancelled':
        this.#close(this.error)
        break
      default:
    }
  }

  /** A run that is over leaves nothing to answer but what agents in the background ask. */
  #close(error: { readonly code: string; readonly message: string } | undefined): void {
    this.paused = false
    this.error = error && { code: error.code, message: error.message }
    this.#closeWhere(fact => !this.#isBackground(fact))
  }

  #closeWhere(isOver: (fact: { readonly agent_run_id?: string | undefined }) => boolean): void {
    for (const [id, call] of this.calls)
      if (!call.ended && isOver(call)) this.calls.set(id, { ...call, ended: true })
    for (const [id, fact] of this.approvals)
      if (!fact.resolved && fact.answered_at === undefined && isOver(fact)) this.approvals.delete(id)
  }

  #isBackground({ agent_run_id }: { readonly agent_run_id?: string | undefined }): boolean {
    return agent_run_id !== undefined && this.#background.has(agent_run_id)
  }

  #call({ seq, ev }: Rec): void {
    switch (ev.type) {
      case 'block.started':
        this.#announce(ev)
        break
      case 'tool.ready':
        this.#patch(ev.call_id, { input_text: ev.input_text })
        break
      case 'tool.client_requested':
        this.#patch(ev.call_id, { asked: true, input_text: ev.input_text })
        break
      case 'input.tool_output':
        if (this.calls.get(ev.call_id)?.answered_at === undefined)
          this.#patch(ev.call_id, { answered_at: seq })
        break
      case 'tool.completed':
      case 'tool.failed':
        // Ended calls are remembered, but not their arguments: they may be large.
        this.#patch(ev.call_id, { ended: true, input_text: '' })
        break
      default:
    }
  }

  #announce({ tool, message_id, agent_run_id }: EventOf<'block.started'>): void {
    if (!tool) return
    const { call_id, name } = tool
    const fact = { call_id, name, message_id, agent_run_id, input_text: '', asked: false, ended: false }
    this.calls.set(call_id, fact)
  }

  #patch(callId: string, patch: Partial<CallFact>): void {
    const call = this.calls.get(callId)
    if (call) this.calls.set(callId, { ...call, ...patch })
  }

  #approval({ seq, ev }: Rec): void {
    if (ev.type === 'tool.approval_requested') {
      const { approval_id, call_id, agent_run_id } = ev
      this.approvals.set(approval_id, { approval_id, call_id, agent_run_id, request: ev })
    } else if (ev.type === 'input.approval' || ev.type === 'tool.approval_resolved') {
      const fact = this.approvals.get(ev.approval_id)
      if (!fact) return
      if (ev.type === 'tool.approval_resolved') this.approvals.set(ev.approval_id, { ...fact, resolved: ev })
      else if (fact.answered_at === undefined)
        this.approvals.set(ev.approval_id, { ...fact, answered_at: seq })
    }
  }
}

const pendingTool = (call: CallFact): PendingItem => ({
  kind: 'client_tool',
  id: call.call_id,
  call_id: call.call_id,
  name: call.name,
  input_text: call.input_text,
  ...(call.agent_run_id === undefined ? {} : { agent_run_id: call.agent_run_id }),
})
