/**
 * The tasks extension (SEP-2663): a task is a call, its id is the call's, and its status is read from the log. So it
 * outlives connections and servers, and nothing is kept for it.
 */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequests,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { HostedCall, HostedOutcome, HostedResult } from '@toolwire/core'
import { z } from 'zod'
import type { CallScope, Pause } from './call-scope.ts'
import { progressSender } from './progress.ts'
import { toProtocolError } from './protocol-error.ts'
import { answerItems, askedItems } from './resolve-pause.ts'
import { toolNameOf } from './start-call.ts'

export const TASKS = 'io.modelcontextprotocol/tasks'
/** Clients may rely on a task for so long. */
const TTL_MS = 24 * 60 * 60 * 1000
const POLL_MS = 1000
/** A call that ends sooner is no task. */
const TASK_AFTER_MS = 500

const Declared = z.looseObject({ extensions: z.looseObject({ [TASKS]: z.unknown() }) })
const TaskParams = z.looseObject({ taskId: z.string().min(1).max(255) })
type TaskParams = z.infer<typeof TaskParams>

/** The client takes tasks: it says so with each request. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  const declared = Declared.safeParse(Object(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY])
  return declared.success && declared.data.extensions[TASKS] !== undefined
}

/** The result of a call that ends at once; else the task that it became. An agent's call is one from its start. */
export async function resultOrTask({ serving, ctx }: CallScope, call: HostedCall): Promise<CallToolResult> {
  if (!call.isAgent) {
    const signal = AbortSignal.any([
      ctx.mcpReq.signal,
      AbortSignal.timeout(serving.taskAfterMs ?? TASK_AFTER_MS),
    ])
    const outcome = await serving.host.follow(call, { signal, onProgress: progressSender(ctx) })
    if (outcome.type === 'result') return toCallResult(outcome.result)
  }
  return { resultType: 'task', ...toTask(call), status: 'working', content: [] }
}

/** The library's types are mutable. */
export const toCallResult = (result: HostedResult): CallToolResult =>
  structuredClone(result) as CallToolResult

const toTask = ({ id, createdAt, updatedAt }: HostedCall) => ({
  taskId: id,
  createdAt: new Date(createdAt).toISOString(),
  lastUpdatedAt: new Date(updatedAt).toISOString(),
  ttlMs: TTL_MS,
  pollIntervalMs: POLL_MS,
})

type MakeScope = (ctx: ServerContext) => CallScope

/** Sets the handlers of `tasks/get`, `tasks/update` and `tasks/cancel`. */
export function prepareTasks(server: Server, makeScope: MakeScope): void {
  const handle = (work: (scope: CallScope, call: HostedCall) => Promise<Result>) => {
    return async ({ taskId }: TaskParams, ctx: ServerContext): Promise<Result> => {
      if (!takesTasks(ctx))
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [TASKS]: {} } },
        })
      const scope = makeScope(ctx)
      try {
        return await work(scope, await findTask(scope, taskId))
      } catch (error) {
        throw toProtocolError(error)
      }
    }
  }
  server.setRequestHandler('tasks/get', { params: TaskParams }, handle(getTask))
  server.setRequestHandler('tasks/update', { params: TaskParams }, handle(updateTask))
  server.setRequestHandler('tasks/cancel', { params: TaskParams }, handle(cancelTask))
}

async function findTask({ serving }: CallScope, id: string): Promise<HostedCall> {
  const call = await serving.host.find(id)
  if (call && toolNameOf(serving.offer, call) !== undefined) return call
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown task')
}

async function getTask(scope: CallScope, call: HostedCall): Promise<Result> {
  const outcome = await scope.serving.host.peek(call)
  return { ...toTask(call), ...toStatus(scope, outcome) }
}

function toStatus(scope: CallScope, outcome: HostedOutcome): Result {
  if (outcome.type === 'running') return { status: 'working' }
  if (outcome.type === 'paused') return toInputRequired(scope, outcome)
  const { end, result } = outcome
  if (end === 'completed') return { status: end, result: toCallResult(result) }
  const message = result.content.map(part => (part.type === 'text' ? part.text : '')).join('')
  if (end === 'cancelled') return { status: end, statusMessage: message }
  return { status: end, error: { code: ProtocolErrorCode.InternalError, message } }
}

/** Items that the client cannot be asked about wait in the inbox, and the message names them. */
function toInputRequired(scope: CallScope, pause: Pause): Result {
  const asked = askedItems(scope, pause)
  const inputRequests: InputRequests = Object.fromEntries(
    asked.map(({ item, request }) => [item.id, request]),
  )
  const left = pause.pending.filter(({ id }) => !Object.hasOwn(inputRequests, id))
  const names = left.map(({ id, name, kind }) => `${kind} ${id} (${name})`).join(', ')
  return {
    status: 'input_required',
    inputRequests,
    ...(left.length === 0 ? {} : { statusMessage: `Waits for a person in the inbox of Toolwire: ${names}.` }),
  }
}

/** Unknown keys, and answers that do not fit, change nothing: the next `tasks/get` asks again. */
async function updateTask(scope: CallScope, call: HostedCall): Promise<Result> {
  const outcome = await scope.serving.host.peek(call)
  if (outcome.type === 'paused') {
    const items = askedItems(scope, outcome).map(({ item }) => item)
    await answerItems(scope.serving.host, call, { items, responses: scope.ctx.mcpReq.inputResponses })
  }
  return {}
}

/** An ended task stays as it is; a newer call of the same conversation is not touched. */
async function cancelTask({ serving: { host } }: CallScope, call: HostedCall): Promise<Result> {
  const outcome = await host.peek(call)
  if (outcome.type !== 'result') await host.cancel(call, 'cancelled by the client')
  return {}
}
