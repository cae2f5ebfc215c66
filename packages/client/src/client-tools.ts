/**
 * Tools that run in this page or process. A pending call is executed once and answered; what is
 * pending is asked of the server before anything runs, so neither the replay of a long history
 * nor a second tab makes a call run again.
 */
import type { ToolSpec } from '@toolwire/core'
import type { PendingView, SessionView } from '@toolwire/core/view'
import type { ToolOutput } from './answer-api.ts'
import type { SessionApi } from './session-api.ts'
import { type ToolwireError, toError } from './toolwire-error.ts'

export interface ClientTool {
  readonly description?: string
  /** JSON Schema; offered to the model with every message sent through the session. */
  readonly input_schema?: ToolSpec['input_schema']
  /** The returned value is the output; a thrown error becomes an error output with its message. */
  readonly handler: (input: unknown, context: ClientCall) => unknown
}

export interface ClientCall {
  readonly session_id: string
  readonly call_id: string
  readonly name: string
  /** Aborted when the output is no longer needed. */
  readonly signal: AbortSignal
}

export interface ClientToolsOptions {
  readonly session_id: string
  readonly api: Pick<SessionApi, 'get' | 'toolOutputs'>
  /** Called with answers that could not be delivered. */
  readonly onError: (error: ToolwireError) => void
}

/** Refusals that mean: the answer is not needed any more. */
const SETTLED: ReadonlySet<string> = new Set([
  'already_answered',
  'expired',
  'unknown_call',
  'session_deleted',
  'session_not_found',
])

export class ClientTools {
  readonly #options: ClientToolsOptions
  readonly #tools = new Map<string, ClientTool>()
  /** Calls taken on, by their id in the view. */
  readonly #taken = new Map<string, AbortController>()

  constructor(options: ClientToolsOptions) {
    this.#options = options
  }

  /** The newest registration of a name applies. Returns its removal; running calls continue. */
  register(name: string, tool: ClientTool): () => void {
    this.#tools.set(name, tool)
    return () => {
      if (this.#tools.get(name) === tool) this.#tools.delete(name)
    }
  }

  get size(): number {
    return this.#tools.size
  }

  /** Registered tools as a message offers them. */
  specs(): readonly ToolSpec[] {
    return [...this.#tools].map(([name, { description, input_schema }]) => ({
      name,
      ...(description === undefined ? {} : { description }),
      input_schema: input_schema ?? { type: 'object' },
    }))
  }

  /** Starts calls that wait for a registered tool, and stops those that no longer wait. Cheap; call it often. */
  look(view: SessionView): void {
    for (const [id, controller] of this.#taken)
      if (!view.pending.some(item => item.call === id)) controller.abort()
    for (const item of view.pending) {
      const tool = item.kind === 'client_tool' ? this.#tools.get(item.name) : undefined
      if (!tool || this.#taken.has(item.call)) continue
      const controller = new AbortController()
      this.#taken.set(item.call, controller)
      void this.#take(item, tool, controller.signal)
    }
  }

  /** Stops what runs; answers that were not delivered are given up. */
  close(): void {
    for (const controller of this.#taken.values()) controller.abort()
    this.#taken.clear()
  }

  async #take(item: PendingView, tool: ClientTool, signal: AbortSignal): Promise<void> {
    try {
      const name = `toolwire:${this.#options.session_id}:${item.call_id}`
      await withLock(name, signal, () => this.#run(item, tool, signal))
    } catch (thrown) {
      const error = toError(thrown)
      if (signal.aborted || SETTLED.has(error.code)) return
      this.#options.onError(error)
    }
  }

  async #run(item: PendingView, tool: ClientTool, signal: AbortSignal): Promise<void> {
    const { api, session_id } = this.#options
    if (!(await this.#waits(item, signal)) || signal.aborted) return
    const output = await execute(item, tool, { session_id, call_id: item.call_id, name: item.name, signal })
    if (signal.aborted) return
    await api.toolOutputs(session_id, [output], { signal, retries: Number.POSITIVE_INFINITY })
  }

  /** True if the server still waits for the call. If unknown, the call is left for the next update. */
  async #waits(item: PendingView, signal: AbortSignal): Promise<boolean> {
    try {
      const { pending } = await this.#options.api.get(this.#options.session_id, signal)
      return pending.some(open => open.kind === 'client_tool' && open.call_id === item.call_id)
    } catch (error) {
      this.#taken.delete(item.call)
      throw error
    }
  }
}

/** Runs the handler. Whatever it does becomes an output. */
async function execute(item: PendingView, tool: ClientTool, context: ClientCall): Promise<ToolOutput> {
  const { call_id } = item
  try {
    const input: unknown = item.input_text === '' ? {} : JSON.parse(item.input_text)
    const output = await tool.handler(input, context)
    return { call_id, output: typeof output === 'string' ? output : JSON.stringify(output ?? null) }
  } catch (error) {
    return { call_id, output: error instanceof Error ? error.message : String(error), is_error: true }
  }
}

/** One holder per name over all tabs of an origin, where the platform has locks; the next waits. */
async function withLock(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const locks = globalThis.navigator?.locks
  if (locks) await locks.request(name, { signal }, work)
  else await work()
}
