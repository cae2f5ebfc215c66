/** The AI SDK's stream parts as ours. Pure: one part in, parts out. Unknown parts say nothing. */
import type { Failure, Finish, ModelPart, Usage, Warning } from '@toolwire/core'
import { asNumber, asString, isObject, type JsonObject } from '@toolwire/core'
import { toFailure } from '../shared/failure.ts'
import { reportedUsage } from '../shared/usage.ts'
import { toFileData } from './file-data.ts'

export interface BridgeState {
  readonly provider: string
  readonly model: string
  readonly isStarted: boolean
  readonly id: string
  readonly count: number
  /** Blocks by the SDK's id: what is open, and which calls were streamed already. */
  readonly open: ReadonlyMap<string, OpenBlock>
  readonly streamed: ReadonlySet<string>
  readonly calls: number
  /** The failure. The SDK sends the usage of such a stream with its finish, which follows. */
  readonly failed?: Failure
  readonly warnings: readonly Warning[]
}

interface OpenBlock {
  readonly index: number
  readonly isCall: boolean
  readonly said: boolean
  readonly isText: boolean
  /** The latest of what the provider attached to its parts. */
  readonly metadata: JsonObject | undefined
}

/** `warnings` are sent before those of the provider. */
export const initialBridge = (
  source: { readonly provider: string; readonly modelId: string },
  warnings: readonly Warning[] = [],
): BridgeState => ({
  provider: source.provider,
  model: source.modelId,
  isStarted: false,
  id: '',
  count: 0,
  open: new Map(),
  streamed: new Set(),
  calls: 0,
  warnings,
})

type BridgeStep = readonly [BridgeState, readonly ModelPart[]]

export function stepBridge(state: BridgeState, raw: unknown): BridgeStep {
  if (!isObject(raw)) return [state, []]
  if (state.failed) return raw['type'] === 'finish' ? failWith(state.failed, state, raw) : [state, []]
  switch (raw['type']) {
    case 'stream-start':
      return [{ ...state, warnings: [...state.warnings, ...toWarnings(raw['warnings'])] }, []]
    case 'response-metadata':
      return [
        { ...state, id: asString(raw['id']) ?? state.id, model: asString(raw['modelId']) ?? state.model },
        [],
      ]
    case 'text-start':
      return openBlock(state, raw, { kind: 'text' })
    case 'reasoning-start':
      return openBlock(state, raw, { kind: 'thinking' })
    case 'tool-input-start':
      return toolStart(state, raw)
    case 'text-delta':
      return delta(state, raw, 'text')
    case 'reasoning-delta':
      return delta(state, raw, 'thinking')
    case 'tool-input-delta':
      return delta(state, raw, 'input_text')
    case 'text-end':
    case 'reasoning-end':
      return closeBlock(state, asString(raw['id']) ?? '', raw)
    case 'file':
      return file(state, raw)
    case 'source':
      return cite(state, raw)
    case 'tool-input-end':
      // The whole call follows, with the provider's metadata.
      return [state, []]
    case 'tool-call':
      return toolCall(state, raw)
    case 'finish':
      return finish(state, raw)
    case 'error':
      return [{ ...state, failed: toFailure('model_error', messageOf(raw['error'])) }, []]
    default:
      return [state, []]
  }
}

const failWith = (error: Failure, state: BridgeState, raw: JsonObject): BridgeStep => [
  state,
  [{ type: 'error', error, ...reportedUsage(toUsage(raw['usage'])) }],
]

const messageOf = (error: unknown): string =>
  error instanceof Error
    ? error.message
    : (asString(error) ?? JSON.stringify(error) ?? 'The provider reported an error.')

function begin(state: BridgeState): BridgeStep {
  if (state.isStarted) return [state, []]
  return [
    { ...state, isStarted: true },
    [
      {
        type: 'start',
        provider_message_id: state.id,
        model: state.model,
        ...(state.warnings.length > 0 ? { warnings: state.warnings } : {}),
      },
    ],
  ]
}

/** The provider package's warnings: a feature or setting by name, or a sentence. */
function toWarnings(raw: unknown): readonly Warning[] {
  if (!Array.isArray(raw)) return []
  return raw.filter(isObject).map(one => {
    const name = asString(one['feature']) ?? asString(one['setting'])
    const said = asString(one['message']) ?? asString(one['details'])
    const message = [name, said ?? (name ? 'not supported; it is ignored.' : undefined)]
    return { code: asString(one['type']) ?? 'other', message: message.filter(Boolean).join(': ') }
  })
}

type BlockStart = Pick<Extract<ModelPart, { type: 'block-start' }>, 'kind' | 'tool'>

function openBlock(state: BridgeState, raw: JsonObject, opening: BlockStart): BridgeStep {
  const [started, first] = begin(state)
  const index = started.count
  const id = asString(raw['id']) ?? asString(raw['toolCallId']) ?? String(index)
  // The same id again, though its block never ended: the old block is over.
  const [ready, stale] = closeBlock(started, id)
  const isCall = opening.tool !== undefined
  const block = { index, isCall, said: false, isText: opening.kind === 'text', metadata: metadataOf(raw) }
  const open = new Map(ready.open).set(id, block)
  return [
    { ...ready, count: index + 1, open },
    [...first, ...stale, { type: 'block-start', index, ...opening }],
  ]
}

function toolStart(state: BridgeState, raw: JsonObject): BridgeStep {
  const id = asString(raw['id']) ?? ''
  const kind = raw['providerExecuted'] === true ? 'provider_tool_use' : 'tool_use'
  const [next, parts] = openBlock(state, raw, { kind, tool: { id, name: asString(raw['toolName']) ?? '' } })
  const calls = next.calls + (kind === 'tool_use' ? 1 : 0)
  return [{ ...next, streamed: new Set(next.streamed).add(id), calls }, parts]
}

function delta(state: BridgeState, raw: JsonObject, field: 'text' | 'thinking' | 'input_text'): BridgeStep {
  const id = asString(raw['id']) ?? ''
  const block = state.open.get(id)
  const text = asString(raw['delta']) ?? ''
  if (!block) return [state, []]
  const metadata = metadataOf(raw) ?? block.metadata
  const said = block.said || text !== ''
  const isSame = said === block.said && metadata === block.metadata
  const next = isSame ? state : { ...state, open: new Map(state.open).set(id, { ...block, said, metadata }) }
  return [next, text === '' ? [] : [{ type: 'block-delta', index: block.index, [field]: text }]]
}

/** `raw` is the part that ends the block. */
function closeBlock(state: BridgeState, id: string, raw: JsonObject = {}): BridgeStep {
  const block = state.open.get(id)
  if (!block) return [state, []]
  const open = new Map(state.open)
  open.delete(id)
  return [{ ...state, open }, ended(block, state, raw)]
}

function ended(
  { index, isCall, said, metadata }: OpenBlock,
  { provider }: BridgeState,
  raw: JsonObject = {},
): readonly ModelPart[] {
  const data = metadataOf(raw) ?? metadata
  return [
    // A call without arguments is a call with none.
    ...(isCall && !said ? [{ type: 'block-delta', index, input_text: '{}' } as const] : []),
    { type: 'block-end', index, ...(data === undefined ? {} : { opaque: { provider, data } }) },
  ]
}

/**
 * Signatures and the like come with the start, a delta or the end of a part, as each provider does it: the latest
 * applies, and goes back as it came.
 */
const metadataOf = ({ providerMetadata }: JsonObject): JsonObject | undefined =>
  isObject(providerMetadata) ? providerMetadata : undefined

/** A file that the model made is one block, in a form that JSON can hold. */
function file(state: BridgeState, raw: JsonObject): BridgeStep {
  const data = toFileData(raw)
  if (!data) return [state, []]
  const [started, first] = begin(state)
  const index = started.count
  const block = { index, isCall: false, said: true, isText: false, metadata: undefined }
  const start: ModelPart = { type: 'block-start', index, kind: 'file', data }
  return [{ ...started, count: index + 1 }, [...first, start, ...ended(block, started, raw)]]
}

/** Cites a source of the web in the text that is open. */
function cite(state: BridgeState, { url, title }: JsonObject): BridgeStep {
  const block = [...state.open.values()].findLast(({ isText }) => isText)
  if (!block || typeof url !== 'string') return [state, []]
  const citation = { type: 'url_citation', url, title: asString(title) ?? '' }
  return [state, [{ type: 'block-delta', index: block.index, citation }]]
}

/** Providers that do not stream arguments send the whole call; for others it repeats what was said. */
function toolCall(state: BridgeState, raw: JsonObject): BridgeStep {
  const id = asString(raw['toolCallId']) ?? ''
  if (state.streamed.has(id)) return closeBlock(state, id, raw)
  const [opened, first] = toolStart(state, { ...raw, id })
  const input = asString(raw['input']) ?? JSON.stringify(raw['input'] ?? {})
  const [told, second] = delta(opened, { id, delta: input || '{}' }, 'input_text')
  const [closed, third] = closeBlock(told, id, raw)
  return [closed, [...first, ...second, ...third]]
}

const FINISHES: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'content_filter'],
  ['tool-calls', 'tool_calls'],
  ['error', 'error'],
])

/** Specification 4 has reason and usage as objects, 3 as a string and flat numbers. */
function finish(state: BridgeState, raw: JsonObject): BridgeStep {
  const [started, first] = begin(state)
  const reason = isObject(raw['finishReason']) ? raw['finishReason'] : { unified: raw['finishReason'] }
  const unified = asString(reason['unified']) ?? 'stop'
  const told = FINISHES.get(unified) ?? 'stop'
  const end: ModelPart = {
    type: 'end',
    stop_reason: asString(reason['raw']) ?? unified,
    finish: told === 'stop' && started.calls > 0 ? 'tool_calls' : told,
    usage: toUsage(raw['usage']),
  }
  const ends = [...started.open.values()].flatMap(block => ended(block, started))
  return [{ ...started, open: new Map() }, [...first, ...ends, end]]
}

function toUsage(raw: unknown): Usage {
  const usage = isObject(raw) ? raw : {}
  const input = isObject(usage['inputTokens']) ? usage['inputTokens'] : { total: usage['inputTokens'] }
  const output = isObject(usage['outputTokens']) ? usage['outputTokens'] : { total: usage['outputTokens'] }
  const cache_read = asNumber(input['cacheRead']) ?? asNumber(usage['cachedInputTokens']) ?? 0
  const cache_write = asNumber(input['cacheWrite']) ?? 0
  return {
    input:
      asNumber(input['noCache']) ?? Math.max(0, (asNumber(input['total']) ?? 0) - cache_read - cache_write),
    output: asNumber(output['total']) ?? 0,
    cache_read,
    cache_write,
    reasoning: asNumber(output['reasoning']) ?? asNumber(usage['reasoningTokens']) ?? 0,
  }
}
