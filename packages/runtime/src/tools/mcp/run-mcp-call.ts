/**
 * Runs a call of an MCP tool from wherever it stands: anew, after an answer, or after a crash. A question
 * of the server suspends it. In the newer era all that is needed to go on is in the log; in the older the
 * connection waits beside it, and is taken up again or, where the call may be repeated, replaced.
 */
import {
  type ElicitResult,
  isInputRequiredResult,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client'
import type { Recovery, ToolContext, ToolStep } from '@toolwire/core'
import { readFormAnswer } from '../questions/form-answer.ts'
import type { Connection } from './connection.ts'
import {
  type Elicitation,
  parseElicitation,
  printOf,
  schemaOf,
  toElicitResult,
  toQuestion,
} from './elicitation.ts'
import { fulfilRound } from './fulfil-round.ts'
import type { ListedTool } from './list-tools.ts'
import { type Ended, type LiveCall, startLiveCall } from './live-call.ts'
import type { McpCall } from './send-call.ts'
import { sourceOf } from './source.ts'
import { forgetSuspended, loadSuspended, type SuspendedCall, saveSuspended } from './suspended-call.ts'
import { toProblem } from './tool-problem.ts'
import { toOutcome } from './tool-result.ts'

const PROGRESS_EVERY_MS = 100
/** How often a server may ask before it has to answer. */
const MAX_ROUNDS = 20

export interface McpCallWork {
  readonly tool: ListedTool
  readonly input: Readonly<Record<string, unknown>>
  readonly connection: Connection
  readonly context: ToolContext
  /** The server is believed when it says that the call may be repeated. */
  readonly repeatable: boolean
}

const FRESH: SuspendedCall = { attempt: 0, way: 'round', rounds: 0, open: [], responses: {}, given: [] }

/** The steps of one attempt. Never throws for anything a server does. */
export async function* runMcpCall(work: McpCallWork): AsyncIterable<ToolStep> {
  const { context } = work
  const before = loadSuspended(context.notes, context.call_id)
  const [question] = before?.open ?? []
  if (!before || !question || !context.answered) return yield* follow(work, FRESH, start(work))
  const read = readFormAnswer(schemaOf(question.asked), context.answered)
  if (!read.ok) return yield suspend(work, before, read.problems)
  const response = toElicitResult(read.answer)
  switch (before.way) {
    case 'round':
      return yield* nextInRound(work, before, response)
    case 'live':
      return yield* goOn(work, before, { asked: question.asked, response })
    case 'again':
      if (response.action !== 'accept') return yield end(work, refusedPage(work, response))
      return yield* follow(work, { ...before, open: [] }, start(work))
  }
}

/** What can be said of a call that a crash, or a restart while it was suspended, cut off. */
export function recoverMcpCall({
  context,
  connection,
  repeatable,
}: Omit<McpCallWork, 'tool' | 'input'>): Recovery {
  const saved = loadSuspended(context.notes, context.call_id)
  // Nothing has been sent since the question.
  const isUntouched = saved?.attempt === context.attempt - 1
  if (isUntouched && (saved.way !== 'live' || connection.held.has(keyOf(context))))
    return { type: 'not_done' }
  if (repeatable) return { type: 'not_done' }
  if (!isUntouched) return { type: 'unknown' }
  return {
    type: 'unknown',
    message: `The connection on which ${connection.name} waited for an answer is gone; the call may or may not have taken effect. Check before repeating it.`,
  }
}

/** One more question of the round, or the call again with all its answers. */
async function* nextInRound(
  work: McpCallWork,
  before: SuspendedCall,
  response: ElicitResult,
): AsyncIterable<ToolStep> {
  const [answered, ...open] = before.open
  const responses = { ...before.responses, [answered?.key ?? '']: response }
  const now = { ...before, open, responses }
  if (open.length > 0) return yield suspend(work, now)
  yield* follow(work, now, start(work, { responses, request_state: before.request_state }))
}

/** Gives the answer to the connection that waits, or to a new one when that is lost and the call may be repeated. */
async function* goOn(
  work: McpCallWork,
  before: SuspendedCall,
  { asked, response }: { readonly asked: Elicitation; readonly response: ElicitResult },
): AsyncIterable<ToolStep> {
  const given = [...before.given, { print: printOf(asked), response }]
  const now = { ...before, open: [], given }
  const live = work.connection.held.take(keyOf(work.context))
  const isLost = live?.ended()?.ok === false
  if (!live || (isLost && work.repeatable)) return yield* follow(work, now, start(work), [...given])
  live.answer(asked, response)
  yield* follow(work, now, live)
}

/** Reads what happens until the call ends or has to ask. `replay` are answers to give again. */
async function* follow(
  work: McpCallWork,
  before: SuspendedCall,
  live: LiveCall,
  replay: SuspendedCall['given'][number][] = [],
): AsyncIterable<ToolStep> {
  const detach = live.attach(work.context.signal)
  for (;;) {
    const now = await live.next()
    switch (now.type) {
      case 'progress':
        yield toProgress(now.progress)
        // However many reports arrive meanwhile, only the last is passed on.
        await live.rest(PROGRESS_EVERY_MS)
        break
      case 'question': {
        const known = replay.findIndex(one => one.print === printOf(now.asked))
        const [again] = known < 0 ? [] : replay.splice(known, 1)
        if (!again) {
          detach()
          return yield hold(work, before, live, now.asked)
        }
        live.answer(now.asked, again.response as ElicitResult)
        break
      }
      case 'ended':
        detach()
        return yield* conclude(work, before, now.end)
    }
  }
}

async function* conclude(work: McpCallWork, before: SuspendedCall, ended: Ended): AsyncIterable<ToolStep> {
  if (!ended.ok) {
    const pages = UrlElicitationRequiredError.isInstance(ended.error) ? ended.error.elicitations : []
    const open = pages.flatMap(page => {
      const asked = parseElicitation({ ...page, mode: 'url' })
      return asked ? [{ key: '', asked }] : []
    })
    if (open.length === 0 || before.rounds >= MAX_ROUNDS) return yield end(work, failure(work, ended.error))
    return yield suspend(work, { ...before, way: 'again', rounds: before.rounds + 1, open: open.slice(0, 1) })
  }
  const { result } = ended
  if (!isInputRequiredResult(result))
    return yield end(work, { type: 'result', ...toOutcome(result, work.tool.output_schema) })
  if (before.rounds >= MAX_ROUNDS)
    return yield end(
      work,
      failure(work, new Error(`It asked more than ${MAX_ROUNDS} times without a result.`)),
    )
  const round = await fulfilRound(result, work)
  if (!round.ok) return yield end(work, failure(work, new Error(round.message)))
  const { open, responses, request_state } = round
  const now = { ...before, way: 'round' as const, rounds: before.rounds + 1, open, responses, request_state }
  if (open.length > 0) return yield suspend(work, now)
  yield* follow(work, now, start(work, { responses, request_state }))
}

function start({ tool, input, connection, context }: McpCallWork, resume?: McpCall['resume']): LiveCall {
  const { session_id, roots } = context
  return startLiveCall(voice =>
    connection.call({ tool, input, voice, owner: session_id, roots, ...(resume ? { resume } : {}) }),
  )
}

/** Names a call in the whole process. */
const keyOf = ({ session_id, agent_run_id = '', call_id }: ToolContext): string =>
  `${session_id}/${agent_run_id}/${call_id}`

/** The step that asks the first open question. */
function suspend(work: McpCallWork, state: SuspendedCall, problems?: readonly string[]): ToolStep {
  const { context, connection, tool } = work
  const [first] = state.open
  saveSuspended(context.notes, context.call_id, { ...state, attempt: context.attempt })
  const by = { server: connection.name, tool: tool.name, source: sourceOf(connection.config) }
  return first
    ? { type: 'suspended', question: toQuestion(first.asked, by, problems) }
    : failure(work, new Error('It asked nothing.'))
}

/** Asks while the connection waits. A server that takes the question back gets its call going again. */
function hold(work: McpCallWork, before: SuspendedCall, live: LiveCall, asked: Elicitation): ToolStep {
  const { context, connection, repeatable } = work
  const key = keyOf(context)
  connection.held.keep(key, live)
  context.whenOver?.(() => connection.held.drop(key))
  void live.moot().then(async () => {
    // Taken up, given up or closed meanwhile; a call that may be repeated still wants its answer.
    const ended = live.ended()
    if (!connection.held.has(key) || (ended && !ended.ok && repeatable)) return
    await context.withdraw?.('The server does not wait for the answer any more.')
  })
  return suspend(work, { ...before, way: 'live', open: [{ key: '', asked }] })
}

function end({ context }: McpCallWork, step: ToolStep): ToolStep {
  forgetSuspended(context.notes, context.call_id)
  return step
}

const failure = (work: McpCallWork, error: unknown): ToolStep => ({
  type: 'failure',
  ...toProblem(error, work.tool, work.connection),
})

const refusedPage = ({ connection }: McpCallWork, { action }: ElicitResult): ToolStep => ({
  type: 'failure',
  code: 'mcp_error',
  message: `${connection.name} needs somebody to open a page first; they did ${action === 'decline' ? 'not want to' : 'not answer'}.`,
})

const toProgress = ({
  progress,
  total,
  message,
}: {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}): ToolStep => ({
  type: 'progress',
  progress,
  ...(total === undefined ? {} : { total }),
  ...(message === undefined ? {} : { message: message.slice(0, 1000) }),
})
