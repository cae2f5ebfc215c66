/**
 * One process of the vendor's program, for one session. It is read continuously, so that its output never blocks a
 * pipe; its questions and calls wait until they are answered. Ended by SIGKILL alone: a graceful stop makes it
 * produce more output or a model request.
 */
import type { ChildProcess } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject, ToolSpec } from '@toolwire/core'
import { CallTracker } from './call-board.ts'
import { engineFailure } from './failures.ts'
import { createGatewayServer, type GatewayResult } from './gateway-server.ts'
import type { ChildVerdict } from './judge.ts'
import { createMailbox } from './mailbox.ts'
import {
  type CostOf,
  initialRead,
  type ReadInput,
  type ReadOutput,
  type ReadState,
  stepRead,
  toReadInput,
} from './read-messages.ts'
import type {
  AgentSdk,
  AskPermission,
  PermissionAnswer,
  QueryOptions,
  SpawnRequest,
  UserMessage,
} from './sdk.ts'
import { createSlots } from './slots.ts'
import { spawnBound } from './spawn-bound.ts'
import { GATEWAY, isGatewayName, type ToolNames } from './tool-names.ts'

export interface ChildSetup {
  readonly sdk: AgentSdk
  readonly tools: readonly ToolSpec[]
  readonly names: ToolNames
  /** Names of the program's own tools that it is given. */
  readonly ownTools: readonly string[]
  readonly judge: (tool: string, input: unknown) => ChildVerdict
  /** The input for a call that was approved before it was made; each approval is used once. */
  readonly takeGrant: (tool: string, input: JsonObject) => JsonObject | undefined
  readonly costOf: CostOf | undefined
  readonly options: Pick<QueryOptions, 'env' | 'cwd' | 'model'> & Partial<QueryOptions>
}

const STDERR_TAIL = 2_000

export class Child {
  readonly board = new CallTracker()
  readonly #setup: ChildSetup
  readonly #outputs = createMailbox<ReadOutput>()
  readonly #prompts = createMailbox<UserMessage>()
  readonly #answers = createSlots<GatewayResult>()
  readonly #decisions = createSlots<PermissionAnswer>()
  readonly #over = new AbortController()
  /** Resolves when nothing of it is left: no process, no folder. Never rejects. */
  readonly ended: Promise<void>
  #process: ChildProcess | undefined
  #exited: Promise<void> = Promise.resolve()
  #stderr = ''
  #read: ReadState
  #idle = false

  private constructor(setup: ChildSetup) {
    this.#setup = setup
    this.#read = initialRead(setup.costOf)
    this.ended = this.#listen()
      .then(
        () => this.#end(),
        error => this.#end(error),
      )
      .then(() => this.#exited)
  }

  /** It begins to work when something is said to it, or at once when it resumes from results. Never throws. */
  static start(setup: ChildSetup): Child {
    return new Child(setup)
  }

  /** Its turn has ended; it waits for a message. */
  get isIdle(): boolean {
    return this.#idle
  }

  get isGone(): boolean {
    return this.#over.signal.aborted
  }

  /** The next thing it says; undefined when `signal` is aborted first. When it is gone: an `error` part, for ever. */
  next(signal: AbortSignal): Promise<ReadOutput | undefined> {
    return this.#outputs.take(signal)
  }

  /** Sends a user message. Unread earlier output is dropped. */
  say(content: readonly JsonObject[]): void {
    this.#idle = false
    this.#outputs.clear()
    this.#prompts.put({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null })
  }

  /** The result of a gateway call; kept when the child has not come to the call yet. The first one counts. */
  answer(call_id: string, result: GatewayResult): void {
    this.board.reach(call_id, 'running')
    this.#answers.fill(call_id, result)
  }

  /** Answers a question about a call; the first answer counts. */
  decide(call_id: string, answer: PermissionAnswer): void {
    this.board.reach(call_id, 'running')
    this.#decisions.fill(call_id, answer)
  }

  /** At once and without a further word. Idempotent. */
  kill(): void {
    this.#over.abort()
    if (this.#process) killGroup(this.#process)
    this.board.ring()
  }

  async #listen(): Promise<void> {
    const { sdk, tools, names, ownTools, options } = this.#setup
    const instance = createGatewayServer(tools, names, call_id => this.#enter(call_id))
    const messages = sdk.query({
      prompt: this.#said(),
      options: {
        includePartialMessages: true,
        tools: ownTools,
        mcpServers: { [GATEWAY]: { type: 'sdk', name: GATEWAY, instance } },
        strictMcpConfig: true,
        settingSources: [],
        permissionMode: 'default',
        canUseTool: this.#mayRun,
        spawnClaudeCodeProcess: request => this.#spawn(request),
        ...options,
      },
    })
    for await (const raw of messages) {
      const input = toReadInput(raw)
      if (input) this.#feed(input)
    }
  }

  async *#said(): AsyncGenerator<UserMessage, void, void> {
    const { signal } = this.#over
    for (let one = await this.#prompts.take(signal); one; one = await this.#prompts.take(signal)) yield one
  }

  #spawn(request: SpawnRequest): ChildProcess {
    const started = spawnBound(request)
    started.stderr.on('data', chunk => {
      this.#stderr = (this.#stderr + String(chunk)).slice(-STDERR_TAIL)
    })
    this.#process = started
    this.#exited = exitOf(started).then(() => removeTranscript(request.env['CLAUDE_CONFIG_DIR']))
    if (this.isGone) killGroup(started)
    return started
  }

  #feed(input: ReadInput): void {
    const [next, outputs] = stepRead(this.#read, input)
    this.#read = next
    for (const output of outputs) {
      if (output.type === 'idle') this.#idle = true
      this.board.note(output)
      this.#outputs.put(output)
    }
  }

  #enter(call_id: string): Promise<GatewayResult> {
    this.board.reach(call_id, 'entered')
    this.#feed({ type: 'reached', call_ids: this.board.reached() })
    return this.#answers.wait(call_id)
  }

  readonly #mayRun: AskPermission = async (tool, input, context) => {
    // Toolwire's own rules decide about its own tools, when it runs them.
    const verdict = isGatewayName(tool) ? 'allow' : this.#setup.judge(tool, input)
    if (verdict === 'allow') return { behavior: 'allow', updatedInput: input }
    const granted = verdict === 'ask' ? this.#setup.takeGrant(tool, input) : undefined
    if (granted) return { behavior: 'allow', updatedInput: granted }
    if (verdict === 'deny')
      return { behavior: 'deny', message: 'The permission mode of this session does not allow it.' }
    if (context.agentID !== undefined)
      return { behavior: 'deny', message: 'Nobody can be asked about the calls of an agent inside a call.' }
    const message = context.title ?? context.decisionReason
    this.board.ask(context.toolUseID, { tool, input, ...(message === undefined ? {} : { message }) })
    this.#feed({ type: 'reached', call_ids: this.board.reached() })
    return await this.#decisions.wait(context.toolUseID)
  }

  #end(error?: unknown): void {
    const why = this.#stderr.trim() || (error instanceof Error ? error.message : '')
    const failure = engineFailure('model_unavailable', `The Claude Code process ended. ${why}`.trim())
    this.#outputs.end({ type: 'part', part: { type: 'error', error: failure } })
    this.kill()
  }
}

/** Also when it could not be started at all. */
const exitOf = (child: ChildProcess): Promise<void> =>
  new Promise(resolve => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/** The SDK writes the transcript to resume from into a folder for this process alone, and leaves it when that is killed. */
async function removeTranscript(folder: string | undefined): Promise<void> {
  if (folder?.startsWith(join(tmpdir(), 'claude-resume-')))
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
}
