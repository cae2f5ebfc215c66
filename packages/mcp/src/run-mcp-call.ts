/**
 * Runs a call to an MCP server from any point: from the start, after an answer, or after a crash. A question of
 * the server suspends it. In the newer era the log has everything needed to continue; in the older era the
 * connection waits beside it, and is resumed or, if the call may be repeated, replaced.
 */
import {
  type CallToolResult,
  isInputRequiredResult,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client'
import type { Recovery, ToolContext, ToolStep, ToolView } from '@toolwire/core'
import { readFormAnswer } from '@toolwire/tools'
import type { FormAnswer } from '@toolwire/tools/internal'
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
import { type LiveCall, type LiveCallResult, type Reply, startLiveCall } from './live-call.ts'
import { type McpRequest, nameOfRequest, type Resume } from './mcp-request.ts'
import { writeFor } from './sampling.ts'
import { sourceOf } from './source.ts'
import { forgetSuspended, loadSuspended, type SuspendedCall, saveSuspended } from './suspended-call.ts'
import { toProblem } from './tool-problem.ts'
import { toOutcome } from './tool-result.ts'

const PROGRESS_EVERY_MS = 100
/** Maximum number of questions before a server has to answer. */
const MAX_ROUNDS = 20

export interface McpCallWork {
  readonly request: McpRequest
  readonly connection: Connection
  readonly context: ToolContext
  /** The server is believed when it says that the call may be repeated. */
  readonly repeatable: boolean
  /** The display of the result, where it is more than its text. */
  readonly picture?: (result: CallToolResult) => ToolView
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
  const reply = await replyTo(work, before, question.asked, read.answer)
  switch (before.way) {
    case 'round':
      if (!reply.ok) return yield end(work, failure(work, new Error(reply.message)))
      return yield* nextInRound(work, before, reply.result)
    case 'live':
      return yield* goOn(work, before, { asked: question.asked, reply })
    case 'again':
      if (read.answer.action !== 'accept') return yield end(work, refusedPage(work, read.answer))
      return yield* follow(work, { ...before, open: [] }, start(work))
  }
}

type ReplyTo =
  | { readonly ok: true; readonly result: Reply }
  | { readonly ok: false; readonly message: string }

/** The reply to the server: the user's answer, or a model's message that the user allowed. */
async function replyTo(
  { context }: McpCallWork,
  { rounds, given }: SuspendedCall,
  asked: Elicitation,
  answer: FormAnswer,
): Promise<ReplyTo> {
  if (asked.mode !== 'model') return { ok: true, result: toElicitResult(answer) }
  if (answer.action !== 'accept') return { ok: false, message: 'Nobody allowed a model to write for it.' }
  return await writeFor(asked, context, `${rounds}.${given.length}.${printOf(asked)}`)
}

/** The recovery of a call that a crash, or a restart while it was suspended, interrupted. */
export function recoverMcpCall({ context, connection, repeatable }: Omit<McpCallWork, 'request'>): Recovery {
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
  response: Reply,
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
  { asked, reply }: { readonly asked: Elicitation; readonly reply: ReplyTo },
): AsyncIterable<ToolStep> {
  const given = reply.ok ? [...before.given, { print: printOf(asked), response: reply.result }] : before.given
  const now = { ...before, open: [], given }
  const live = work.connection.held.take(keyOf(work.context))
  const isLost = live?.ended()?.ok === false
  if (!live || (isLost && work.repeatable)) return yield* follow(work, now, start(work), [...given])
  if (reply.ok) live.answer(asked, reply.result)
  else live.refuse(asked, reply.message)
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
          if (before.rounds < MAX_ROUNDS) return yield hold(work, before, live, now.asked)
          live.abort(tooOften())
          return yield end(work, failure(work, tooOften()))
        }
        live.answer(now.asked, again.response as Reply)
        break
      }
      case 'ended':
        detach()
        return yield* conclude(work, before, now.end)
    }
  }
}

async function* conclude(
  work: McpCallWork,
  before: SuspendedCall,
  ended: LiveCallResult,
): AsyncIterable<ToolStep> {
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
  if (!isInputRequiredResult(result)) return yield end(work, toResult(work, result))
  if (before.rounds >= MAX_ROUNDS) return yield end(work, failure(work, tooOften()))
  const round = fulfilRound(result, work)
  if (!round.ok) return yield end(work, failure(work, new Error(round.message)))
  const { open, responses, request_state } = round
  const now = { ...before, way: 'round' as const, rounds: before.rounds + 1, open, responses, request_state }
  if (open.length > 0) return yield suspend(work, now)
  yield* follow(work, now, start(work, { responses, request_state }))
}

function start({ request, connection, context }: McpCallWork, resume?: Resume): LiveCall {
  const { session_id, roots } = context
  return startLiveCall(voice =>
    connection.call({ request, voice, owner: session_id, roots, ...(resume ? { resume } : {}) }),
  )
}

function toResult(work: McpCallWork, result: CallToolResult): ToolStep {
  const outcome = toOutcome(result, outputSchema(work))
  const outside = `MCP server ${work.connection.name}`
  return { type: 'result', ...outcome, outside, ...(work.picture ? { view: work.picture(result) } : {}) }
}

/** Names a call in the whole process. */
const keyOf = ({ session_id, agent_run_id = '', call_id }: ToolContext): string =>
  `${session_id}/${agent_run_id}/${call_id}`

/** The step that asks the first open question. */
function suspend(work: McpCallWork, state: SuspendedCall, problems?: readonly string[]): ToolStep {
  const { context, connection, request } = work
  const [first] = state.open
  saveSuspended(context.notes, context.call_id, { ...state, attempt: context.attempt })
  const by = { server: connection.name, tool: nameOfRequest(request), source: sourceOf(connection.config) }
  return first
    ? { type: 'suspended', question: toQuestion(first.asked, by, problems) }
    : failure(work, new Error('It asked nothing.'))
}

/** Asks while the connection waits. A server that takes the question back gets its call going again. */
function hold(work: McpCallWork, before: SuspendedCall, live: LiveCall, asked: Elicitation): ToolStep {
  const { context, connection, repeatable } = work
  const key = keyOf(context)
  connection.held.keep(key, live)
  context.onCallEnd?.(() => connection.held.drop(key))
  void live.questionClosed().then(async () => {
    // Resumed, abandoned or closed meanwhile; a repeatable call still needs its answer.
    const ended = live.ended()
    if (!connection.held.has(key) || (ended && !ended.ok && repeatable)) return
    await context.withdraw?.('The server does not wait for the answer any more.')
  })
  return suspend(work, { ...before, way: 'live', rounds: before.rounds + 1, open: [{ key: '', asked }] })
}

function end({ context }: McpCallWork, step: ToolStep): ToolStep {
  forgetSuspended(context.notes, context.call_id)
  return step
}

const failure = (work: McpCallWork, error: unknown): ToolStep => ({
  type: 'failure',
  ...toProblem(error, { name: nameOfRequest(work.request) }, work.connection),
})

const tooOften = (): Error => new Error(`It asked more than ${MAX_ROUNDS} times without a result.`)

const outputSchema = ({ request }: McpCallWork) =>
  request.method === 'tools/call' ? request.tool.output_schema : undefined

const refusedPage = ({ connection }: McpCallWork, { action }: FormAnswer): ToolStep => ({
  type: 'failure',
  code: 'mcp_error',
  message: `${connection.name} needs the user to open a page first; the user ${action === 'decline' ? 'declined' : 'did not answer'}.`,
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
