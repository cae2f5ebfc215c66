/**
 * The host's side of MCP Apps as a pure fold: messages of a page and changes of its call go in, messages to the
 * page and effects come out. The caller executes the effects and returns the answers as inputs. Invariants: a
 * request is answered once; nothing is sent before the page is initialized; after the end nothing comes out,
 * whatever goes in.
 */

import { filesIn, type PageFile } from './page-file.ts'
import {
  type Fields,
  isFields,
  type JsonRpcMessage,
  type PageMessage,
  type RequestId,
  readMessage,
  toAnswer,
  toNotice,
  toRefusal,
  toRequest,
} from './page-message.ts'

/** The known facts of the page's call. The result comes once; so does a cancellation. */
export interface CallFacts {
  /** As far as they have come; of no interest once they are whole. */
  readonly partial?: Fields
  readonly arguments?: Fields
  readonly result?: Fields
  readonly cancelled?: string
}

export type BridgeInput =
  | { readonly type: 'heard'; readonly data: unknown }
  | { readonly type: 'call'; readonly facts: CallFacts }
  | { readonly type: 'context'; readonly change: Fields }
  | { readonly type: 'answer'; readonly id: RequestId; readonly result: Fields }
  | { readonly type: 'refuse'; readonly id: RequestId; readonly message: string }
  /** The page is to be taken away; it is told first. */
  | { readonly type: 'leave' }
  /** It is gone, or it had its time to leave. */
  | { readonly type: 'lost' }

/** Effects for the caller to execute. Those with an id expect an answer. */
export type BridgeEffect =
  | { readonly type: 'post'; readonly message: JsonRpcMessage }
  | { readonly type: 'call'; readonly id: RequestId; readonly name: string; readonly arguments: Fields }
  | { readonly type: 'read'; readonly id: RequestId; readonly uri: string }
  | { readonly type: 'link'; readonly id: RequestId; readonly url: string }
  | { readonly type: 'say'; readonly id: RequestId; readonly text: string }
  /** In place of what it wanted the model to know before; nothing when empty. */
  | { readonly type: 'context'; readonly id: RequestId; readonly text: string }
  | { readonly type: 'save'; readonly id: RequestId; readonly files: readonly PageFile[] }
  | { readonly type: 'size'; readonly height: number }
  | { readonly type: 'close' }

export interface BridgeState {
  /** `new` until it has introduced itself, `greeted` until it listens. */
  readonly phase: 'new' | 'greeted' | 'open' | 'leaving' | 'over'
  /** The host's facts for the page's initialization. */
  readonly host: { readonly capabilities: Fields; readonly context: Fields; readonly version: string }
  readonly facts: CallFacts
  readonly told: {
    readonly partial: Fields | undefined
    readonly arguments: boolean
    readonly outcome: boolean
  }
  /** Requests of the page that wait for an answer. */
  readonly open: ReadonlySet<RequestId>
}

const PROTOCOL = '2026-01-26'
const MAX_OPEN = 8
const MAX_TEXT = 20_000
const LEAVING = 'teardown'
const NO_METHOD = -32601
const BAD_PARAMS = -32602
const NOT_NOW = -32000

type StepResult = readonly [BridgeState, readonly BridgeEffect[]]

export const openBridge = (host: BridgeState['host']): BridgeState => ({
  phase: 'new',
  host,
  facts: {},
  told: { partial: undefined, arguments: false, outcome: false },
  open: new Set(),
})

export function stepBridge(state: BridgeState, input: BridgeInput): StepResult {
  if (state.phase === 'over') return [state, []]
  switch (input.type) {
    case 'heard':
      return hear(state, readMessage(input.data))
    case 'call':
      return tell({ ...state, facts: { ...state.facts, ...input.facts } })
    case 'context':
      return changeContext(state, input.change)
    case 'answer':
      return settle(state, input.id, toAnswer(input.id, input.result))
    case 'refuse':
      return settle(state, input.id, toRefusal(input.id, NOT_NOW, input.message))
    case 'leave':
      return leave(state)
    case 'lost':
      return [{ ...state, phase: 'over' }, [{ type: 'close' }]]
  }
}

function hear(state: BridgeState, heard: PageMessage | undefined): StepResult {
  if (!heard) return [state, []]
  if (state.phase === 'leaving')
    return heard.type === 'response' && heard.id === LEAVING
      ? [{ ...state, phase: 'over' }, [{ type: 'close' }]]
      : [state, []]
  switch (heard.type) {
    case 'request':
      return answer(state, heard)
    case 'notice':
      return notice(state, heard)
    case 'response':
      return [state, []]
  }
}

type Request = Extract<PageMessage, { readonly type: 'request' }>

function answer(state: BridgeState, request: Request): StepResult {
  const { id, method, params } = request
  switch (method) {
    case 'ping':
      return [state, [post(toAnswer(id, {}))]]
    case 'ui/initialize':
      return [{ ...state, phase: state.phase === 'new' ? 'greeted' : state.phase }, [post(greet(state, id))]]
    case 'ui/request-display-mode':
      return [state, [post(toAnswer(id, { mode: 'inline' }))]]
    case 'tools/call':
    case 'resources/read':
    case 'ui/open-link':
    case 'ui/message':
    case 'ui/update-model-context':
    case 'ui/download-file':
      return wish(state, request, toWish(id, method, params))
    default:
      return refuse(state, id, NO_METHOD, `This host has no method ${method.slice(0, 100)}.`)
  }
}

function wish(state: BridgeState, { id }: Request, wanted: BridgeEffect | undefined): StepResult {
  // Its first wish of this name is still open: an answer could not say which one it is for.
  if (state.open.has(id)) return [state, []]
  if (!wanted)
    return refuse(state, id, BAD_PARAMS, 'The parameters are not of the form that this method takes.')
  if (state.phase !== 'open') return refuse(state, id, NOT_NOW, 'The page has not said that it is ready.')
  if (state.open.size >= MAX_OPEN) return refuse(state, id, NOT_NOW, 'Too many requests at once.')
  return [{ ...state, open: new Set([...state.open, id]) }, [wanted]]
}

function toWish(id: RequestId, method: string, params: Fields): BridgeEffect | undefined {
  const { name, arguments: given = {}, uri, url, content, contents } = params
  switch (method) {
    case 'tools/call':
      return typeof name === 'string' && isFields(given)
        ? { type: 'call', id, name, arguments: given }
        : undefined
    case 'resources/read':
      return typeof uri === 'string' ? { type: 'read', id, uri } : undefined
    case 'ui/open-link':
      return typeof url === 'string' ? { type: 'link', id, url } : undefined
    case 'ui/update-model-context': {
      const text = contextIn(params)
      return text === undefined ? undefined : { type: 'context', id, text }
    }
    case 'ui/download-file': {
      const files = filesIn(contents)
      return files === undefined ? undefined : { type: 'save', id, files }
    }
    default: {
      const text = textIn(content)
      return text === '' ? undefined : { type: 'say', id, text }
    }
  }
}

/** The words, and what is given as data. Undefined for what has not the form. */
function contextIn({ content = [], structuredContent: data }: Fields): string | undefined {
  if (!Array.isArray(content) || (data !== undefined && !isFields(data))) return undefined
  const parts = [textIn(content), data === undefined ? '' : JSON.stringify(data)]
  return parts
    .filter(part => part !== '')
    .join('\n')
    .slice(0, MAX_TEXT)
}

/** The words of a message; whatever else is in it is left out. */
function textIn(content: unknown): string {
  if (!Array.isArray(content)) return ''
  const texts = content.flatMap((part: unknown) =>
    isFields(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? [part['text']] : [],
  )
  return texts.join('\n').trim().slice(0, MAX_TEXT)
}

function notice(state: BridgeState, heard: Extract<PageMessage, { readonly type: 'notice' }>): StepResult {
  const { method, params } = heard
  switch (method) {
    case 'ui/notifications/initialized':
      return state.phase === 'greeted' ? tell({ ...state, phase: 'open' }) : [state, []]
    case 'ui/notifications/size-changed': {
      const { height } = params
      const known = typeof height === 'number' && Number.isFinite(height) && height >= 0
      return [state, known ? [{ type: 'size', height }] : []]
    }
    case 'ui/notifications/request-teardown':
      return leave(state)
    default:
      return [state, []]
  }
}

const greet = ({ host }: BridgeState, id: RequestId): JsonRpcMessage =>
  toAnswer(id, {
    protocolVersion: PROTOCOL,
    hostInfo: { name: 'toolwire', version: host.version },
    hostCapabilities: host.capabilities,
    hostContext: host.context,
  })

/** Unsent facts of the call: the arguments, in pieces and then whole, and its end. */
function tell(state: BridgeState): StepResult {
  const { facts, told } = state
  if (state.phase !== 'open') return [state, []]
  const messages: JsonRpcMessage[] = []
  const hasArguments = told.arguments || facts.arguments !== undefined
  const { partial } = facts
  if (!hasArguments && !outcomeOf(facts) && partial && partial !== told.partial)
    messages.push(toNotice('ui/notifications/tool-input-partial', { arguments: partial }))
  if (!told.arguments && facts.arguments)
    messages.push(toNotice('ui/notifications/tool-input', { arguments: facts.arguments }))
  const outcome = told.outcome ? undefined : outcomeOf(facts)
  if (outcome) messages.push(outcome)
  const now = { partial, arguments: hasArguments, outcome: told.outcome || outcome !== undefined }
  return [{ ...state, told: now }, messages.map(post)]
}

function outcomeOf({ result, cancelled }: CallFacts): JsonRpcMessage | undefined {
  if (result) return toNotice('ui/notifications/tool-result', result)
  return cancelled === undefined
    ? undefined
    : toNotice('ui/notifications/tool-cancelled', { reason: cancelled })
}

function changeContext(state: BridgeState, change: Fields): StepResult {
  const { host } = state
  const news = Object.fromEntries(
    Object.entries(change).filter(([key, value]) => host.context[key] !== value),
  )
  if (Object.keys(news).length === 0) return [state, []]
  const next = { ...state, host: { ...host, context: { ...host.context, ...news } } }
  return [next, state.phase === 'open' ? [post(toNotice('ui/notifications/host-context-changed', news))] : []]
}

/** An answer to no open request is dropped. */
function settle(state: BridgeState, id: RequestId, message: JsonRpcMessage): StepResult {
  if (!state.open.has(id)) return [state, []]
  const open = new Set(state.open)
  open.delete(id)
  return [{ ...state, open }, state.phase === 'leaving' ? [] : [post(message)]]
}

function leave(state: BridgeState): StepResult {
  if (state.phase === 'leaving') return [state, []]
  // One that never introduced itself would not answer.
  if (state.phase === 'new') return [{ ...state, phase: 'over' }, [{ type: 'close' }]]
  return [{ ...state, phase: 'leaving' }, [post(toRequest(LEAVING, 'ui/resource-teardown'))]]
}

const post = (message: JsonRpcMessage): BridgeEffect => ({ type: 'post', message })

const refuse = (state: BridgeState, id: RequestId, code: number, message: string): StepResult => [
  state,
  [post(toRefusal(id, code, message))],
]
