/**
 * The child as a model: one turn of the loop is one message of the child. Its input (results, or a new message)
 * comes with the request, so a child that knows the rest is reused and any other is replaced by one built from the
 * log.
 */
import {
  AppError,
  type Failure,
  type HistoryMessage,
  type Model,
  type ModelPart,
  type ModelRequest,
  type ToolResultPart,
} from '@toolwire/core'
import { TurnExitError } from '@toolwire/runtime/engine'
import type { Child, ChildSetup } from './child.ts'
import type { ChildSession, HeldChild } from './child-session.ts'
import { toBlocks, toGatewayResult } from './content.ts'
import { continuationOf } from './continuation.ts'
import { engineFailure } from './failures.ts'
import type { ReadOutput } from './read-messages.ts'
import type { AgentSdk, QueryOptions } from './sdk.ts'
import { createToolNames } from './tool-names.ts'
import { toRebuild, toTranscript } from './transcript.ts'

/** The message was interrupted and must be marked so; a retry gets the next one. */
export class CutMessage extends TurnExitError {
  override readonly name = 'CutMessage'
}

export interface AgentModelContext {
  readonly hold: ChildSession
  readonly loadSdk: () => Promise<AgentSdk>
  /** Starts a child, after making room for it where that is needed. */
  readonly start: (setup: ChildSetup) => Child
  readonly ownTools: readonly string[]
  readonly judge: ChildSetup['judge']
  readonly takeGrant: ChildSetup['takeGrant']
  readonly env: Readonly<Record<string, string | undefined>>
  readonly executable: string | undefined
  readonly costOf: ChildSetup['costOf']
  readonly patienceMs: number
  /** The id that the child is to know the session by: a UUID. */
  readonly sessionId: () => string
  readonly cwd: () => string
  /** Ids of calls that the log has already. */
  readonly usedIds: () => Pick<ReadonlySet<string>, 'has'>
  readonly now: () => Date
  readonly newUuid: () => string
}

const MAX_CUTS = 5

/** Its stream throws `CutMessage`, and nothing else; a child that did not end its message is killed. */
export function createAgentModel(id: string, context: AgentModelContext): Model {
  return {
    // The provider behind it: signed thinking may go back and forth between the engines.
    provider: 'anthropic',
    id,
    stream: (request, signal) => streamMessage(request, signal, context),
  }
}

async function* streamMessage(
  request: ModelRequest,
  signal: AbortSignal,
  context: AgentModelContext,
): AsyncGenerator<ModelPart, void, void> {
  const { hold } = context
  let isWhole = false
  try {
    const held = await connect(request, signal, context)
    if (!('child' in held)) return yield { type: 'error', error: held }
    hold.beginMessage(request.messages.length)
    for await (const part of readMessage(held, signal, context)) {
      // After a refusal the child's own history holds text that is not in the log.
      isWhole = part.type === 'end' && part.finish !== 'refusal'
      if (part.type === 'end') hold.cuts = 0
      yield part
      if (part.type === 'end' || part.type === 'error') return
    }
  } catch (error) {
    // The child repeats the request by itself, unless it was killed on the way here.
    isWhole = error instanceof CutMessage
    throw error
  } finally {
    if (!isWhole) hold.drop()
  }
}

/** A child that has received everything in the request; or the reason that it is missing. */
async function connect(
  request: ModelRequest,
  signal: AbortSignal,
  context: AgentModelContext,
): Promise<HeldChild | Failure> {
  const { hold } = context
  const { model, system, tools } = request
  const settings = JSON.stringify([model, system, tools])
  const { held } = hold
  const patience = AbortSignal.any([signal, AbortSignal.timeout(context.patienceMs)])
  if (held?.settings === settings && (await resumeChild(held.child, request, hold, patience))) return held
  hold.drop()
  try {
    const sdk = await context.loadSdk()
    const started = startFrom(request, settings, context, sdk)
    hold.keep(started)
    return started
  } catch (error) {
    if (!AppError.is(error)) throw error
    return { ...engineFailure(error.code, error.message), details: error.details }
  }
}

/** False if the child cannot continue with this. */
async function resumeChild(
  child: Child,
  { messages, boundary }: ModelRequest,
  hold: ChildSession,
  signal: AbortSignal,
): Promise<boolean> {
  const { known, calls } = hold
  const step = continuationOf({ known, calls, idle: child.isIdle }, messages)
  switch (step.do) {
    case 'listen':
      return true
    case 'rebuild':
      return false
    case 'answer':
      for (const result of step.results) await answerCall(child, result, hold, signal)
      return !child.isGone && !signal.aborted
    case 'say':
      child.say(toBlocks(toRebuild(step.messages, boundary).prompt ?? []))
      return true
  }
}

/** Waits until the child has received it: it reports results to the model in the order received. */
async function answerCall(
  child: Child,
  result: ToolResultPart,
  hold: ChildSession,
  signal: AbortSignal,
): Promise<void> {
  const id = hold.childId(result.call_id) ?? result.call_id
  child.answer(id, toGatewayResult(result))
  while (!child.board.result(id) && !child.isGone && !signal.aborted) await child.board.changed(signal)
}

function startFrom(
  request: ModelRequest,
  settings: string,
  context: AgentModelContext,
  sdk: AgentSdk,
): HeldChild {
  const { transcript, prompt } = toRebuild(request.messages, request.boundary)
  const names = createToolNames(request.tools.map(tool => tool.name))
  const child = context.start({
    sdk,
    names,
    tools: request.tools,
    ownTools: context.ownTools,
    judge: context.judge,
    takeGrant: context.takeGrant,
    costOf: context.costOf,
    options: {
      ...baseOptions(request, context, prompt === undefined),
      ...resumeOptions(transcript, request, context, name =>
        context.ownTools.includes(name) ? name : names.toModel(name),
      ),
    },
  })
  if (prompt) child.say(toBlocks(prompt))
  return { child, names, settings }
}

function baseOptions(
  request: ModelRequest,
  { env, cwd, executable }: AgentModelContext,
  goesOn: boolean,
): Pick<QueryOptions, 'env' | 'cwd' | 'model'> & Partial<QueryOptions> {
  return {
    model: request.model,
    cwd: cwd(),
    // Without a new message, a transcript that ends in results is continued only on demand.
    env: goesOn ? { ...env, CLAUDE_CODE_RESUME_INTERRUPTED_TURN: '1' } : env,
    ...(request.system === undefined ? {} : { systemPrompt: request.system }),
    ...(executable === undefined ? {} : { pathToClaudeCodeExecutable: executable }),
  }
}

function resumeOptions(
  messages: readonly HistoryMessage[],
  { model, boundary }: ModelRequest,
  context: AgentModelContext,
  toModelName: (name: string) => string,
): Partial<QueryOptions> {
  const session_id = context.sessionId()
  if (messages.length === 0) return { sessionId: session_id, persistSession: false }
  const entries = toTranscript(messages, {
    session_id,
    model,
    toModelName,
    cwd: context.cwd(),
    ts: context.now().toISOString(),
    newUuid: context.newUuid,
    boundary,
  })
  return { resume: session_id, sessionStore: { append: async () => {}, load: async () => entries } }
}

async function* readMessage(
  held: HeldChild,
  signal: AbortSignal,
  context: AgentModelContext,
): AsyncGenerator<ModelPart, void, void> {
  const ear = createEar(held.child, signal, context.patienceMs)
  let isCall = false
  let calls = 0
  try {
    for (;;) {
      const output = await ear.hear()
      if (output.type === 'cut') yield* cut(output.survived, calls > 0, context.hold)
      const trouble = troubleOf(output)
      if (trouble) yield trouble
      if (output.type !== 'part') continue
      const { part } = output
      if (part.type === 'block-start') isCall = part.kind === 'tool_use'
      if (part.type === 'block-end' && isCall) calls++
      yield named(part, held, context)
    }
  } finally {
    ear.close()
  }
}

/** A part that ends the message for another reason than the message itself. */
function troubleOf(output: ReadOutput): ModelPart | undefined {
  if (output.type === 'idle') return failed('model_unavailable', 'The Claude Code process gave no answer.')
  // It would retry for minutes a problem that only a user can fix.
  if (output.type === 'retry' && !output.error.retryable) return { type: 'error', error: output.error }
  return undefined
}

/**
 * A complete call is kept and the rest of the message dropped, as the loop does for every model. Anything else is
 * marked as interrupted and requested again, of this child if it dropped the piece too.
 */
function* cut(survived: boolean, hasCall: boolean, hold: ChildSession): Generator<ModelPart, never, void> {
  hold.cuts++
  if (hasCall || hold.cuts > MAX_CUTS) yield failed('model_unavailable', 'The message was interrupted.')
  if (survived) hold.drop()
  throw new CutMessage()
}

const failed = (code: 'model_unavailable' | 'model_timeout' | 'interrupted', message: string): ModelPart => ({
  type: 'error',
  error: engineFailure(code, message),
})

/** The part with the log's name and id of the tool. */
function named(part: ModelPart, { names }: HeldChild, { hold, usedIds }: AgentModelContext): ModelPart {
  if (part.type !== 'block-start' || part.kind !== 'tool_use' || !part.tool) return part
  const id = hold.nameCall(part.tool.id, usedIds())
  return { ...part, tool: { id, name: names.fromModel(part.tool.name) } }
}

/** Reads a child with a timeout that restarts with every output. */
function createEar(
  child: Child,
  signal: AbortSignal,
  ms: number,
): { readonly hear: () => Promise<ReadOutput>; readonly close: () => void } {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), ms)
  const either = AbortSignal.any([signal, silence.signal])
  return {
    async hear() {
      const output = await child.next(either)
      timer.refresh()
      if (output) return output
      const part = signal.aborted
        ? failed('interrupted', 'The work was cut off.')
        : failed('model_timeout', `The Claude Code process was silent for ${Math.round(ms / 1000)} s.`)
      return { type: 'part', part }
    },
    close: () => clearTimeout(timer),
  }
}
