/** The output items of one response as blocks. Pure. A message has one block per content part, any other item has one. */
import type { ModelPart, Opaque } from '@toolwire/core'
import { asNumber, asString, isObject, type JsonObject } from '@toolwire/core'

/** The source of opaque data, which goes back to it. */
export interface Origin {
  readonly provider: string
  readonly model: string
}

type Kind = Extract<ModelPart, { type: 'block-start' }>['kind']

interface OutputBlock {
  /** The position among the content of its item. */
  readonly at: number
  readonly index: number
  readonly kind: Kind
  /** Characters that the deltas brought. */
  readonly length: number
  readonly citations: number
}

interface OutputItem {
  readonly out: number | undefined
  readonly id: string | undefined
  readonly type: string
  readonly isDone: boolean
  readonly blocks: readonly OutputBlock[]
}

export interface ItemTable {
  readonly items: readonly OutputItem[]
  /** Blocks so far. */
  readonly count: number
  /** Calls that the client or the server runs. */
  readonly calls: number
}

export const NO_ITEMS: ItemTable = { items: [], count: 0, calls: 0 }

export type StepResult = readonly [ItemTable, readonly ModelPart[]]

export interface ItemDelta {
  readonly kind: 'text' | 'refusal' | 'thinking' | 'tool_use' | 'citation'
  readonly text: string
  readonly citation?: unknown
}

const DELTAS: ReadonlyMap<unknown, ItemDelta['kind']> = new Map<unknown, ItemDelta['kind']>([
  ['response.output_text.delta', 'text'],
  ['response.refusal.delta', 'refusal'],
  ['response.reasoning_summary_text.delta', 'thinking'],
  ['response.reasoning_text.delta', 'thinking'],
  ['response.reasoning.delta', 'thinking'],
  ['response.function_call_arguments.delta', 'tool_use'],
  ['response.custom_tool_call_input.delta', 'tool_use'],
])

/** Returns the addition of an event to its item; undefined for other events. */
export function deltaOf(event: JsonObject): ItemDelta | undefined {
  if (event['type'] === 'response.output_text.annotation.added')
    return { kind: 'citation', text: '', citation: event['annotation'] }
  const kind = DELTAS.get(event['type'])
  const text = asString(event['delta'])
  return kind === undefined || text === undefined || text === '' ? undefined : { kind, text }
}

/** The item that an event is about: by number, else by id, else the latest open one; -1 without a match. */
function positionOf({ items }: ItemTable, event: JsonObject): number {
  const out = asNumber(event['output_index'])
  if (out !== undefined) return items.findLastIndex(item => item.out === out)
  const id = asString(event['item_id'])
  const byId = id === undefined ? -1 : items.findLastIndex(item => item.id === id)
  return byId === -1 ? items.findLastIndex(item => !item.isDone) : byId
}

const itemIn = (event: JsonObject): JsonObject => (isObject(event['item']) ? event['item'] : {})

/** A new item. Calls and reasoning begin with it, messages with their first content. */
export function addItem(table: ItemTable, event: JsonObject): StepResult {
  const raw = itemIn(event)
  const added = append(table, event, raw)
  const position = added.items.length - 1
  const isNamed = isCall(raw['type']) && asString(raw['name'])
  if (raw['type'] !== 'reasoning' && !isNamed) return [added, []]
  return open(added, position, 0, raw)
}

function append(table: ItemTable, event: JsonObject, raw: JsonObject): ItemTable {
  const item: OutputItem = {
    out: asNumber(event['output_index']),
    id: asString(raw['id']) ?? asString(event['item_id']),
    type: asString(raw['type']) ?? '',
    isDone: false,
    blocks: [],
  }
  return { ...table, items: [...table.items, item] }
}

const isCall = (type: unknown): boolean => type === 'function_call' || type === 'custom_tool_call'

/** Opens a block of the item at `position`. `raw` is the item, or the content part of a message. */
function open(table: ItemTable, position: number, at: number, raw: JsonObject): StepResult {
  const item = table.items[position]
  if (!item) return [table, []]
  const { kind, tool, data } = openingOf(raw)
  const block: OutputBlock = { at, index: table.count, kind, length: 0, citations: 0 }
  const next: ItemTable = {
    items: table.items.with(position, { ...item, blocks: [...item.blocks, block] }),
    count: table.count + 1,
    calls: table.calls + (kind === 'tool_use' ? 1 : 0),
  }
  const start: ModelPart = {
    type: 'block-start',
    index: block.index,
    kind,
    ...(tool ? { tool } : {}),
    ...(data === undefined ? {} : { data }),
  }
  // A freeform call is plain text; ours are arguments, so the text travels inside of them.
  const wrapper: readonly ModelPart[] =
    raw['type'] === 'custom_tool_call'
      ? [{ type: 'block-delta', index: block.index, input_text: '{"input":"' }]
      : []
  return [next, [start, ...wrapper]]
}

type BlockOpening = Pick<Extract<ModelPart, { type: 'block-start' }>, 'kind' | 'tool' | 'data'>

function openingOf(raw: JsonObject): BlockOpening {
  switch (raw['type']) {
    case 'output_text':
      return { kind: 'text' }
    case 'refusal':
      return { kind: 'refusal' }
    case 'reasoning':
      return { kind: 'thinking' }
    case 'function_call':
    case 'custom_tool_call':
      return {
        kind: 'tool_use',
        tool: { id: asString(raw['call_id']) ?? '', name: asString(raw['name']) ?? '' },
      }
    case 'image_generation_call':
      return { kind: 'file', data: raw }
    default: {
      const name = (asString(raw['type']) ?? '').replace(/_call$/, '')
      return { kind: 'provider_tool_use', tool: { id: asString(raw['id']) ?? '', name }, data: raw }
    }
  }
}

/** A further part of a summary is a further paragraph. */
export function addSummaryPart(table: ItemTable, event: JsonObject): StepResult {
  const position = positionOf(table, event)
  const block = table.items[position]?.blocks[0]
  if (!block || block.length === 0 || table.items[position]?.isDone) return [table, []]
  return addDelta(table, position, block, { kind: 'thinking', text: '\n\n' })
}

export function stepDelta(table: ItemTable, event: JsonObject, delta: ItemDelta): StepResult {
  const position = positionOf(table, event)
  if (position === -1) return orphan(table, event, delta)
  const item = table.items[position]
  if (!item || item.isDone) return [table, []]
  const at = asNumber(event['content_index']) ?? 0
  const block = blockAt(item, at)
  if (block) return fits(block, delta) ? addDelta(table, position, block, delta) : [table, []]
  // A call without a name waits for the finished item.
  const raw = OPENINGS.get(delta.kind)
  if (raw === undefined) return [table, []]
  const [opened, parts] = open(table, position, at, raw)
  const fresh = blockAt(opened.items[position], at)
  if (!fresh) return [opened, parts]
  const [next, more] = addDelta(opened, position, fresh, delta)
  return [next, [...parts, ...more]]
}

const OPENINGS: ReadonlyMap<ItemDelta['kind'], JsonObject> = new Map([
  ['text', { type: 'output_text' }],
  ['refusal', { type: 'refusal' }],
  ['thinking', { type: 'reasoning' }],
])

/** Text for an item that the server never announced is still text. */
function orphan(table: ItemTable, event: JsonObject, delta: ItemDelta): StepResult {
  const raw = OPENINGS.get(delta.kind)
  if (!raw) return [table, []]
  const type = delta.kind === 'thinking' ? 'reasoning' : 'message'
  return stepDelta(append(table, event, { type }), event, delta)
}

function blockAt(item: OutputItem | undefined, at: number): OutputBlock | undefined {
  if (!item) return undefined
  return item.type === 'message' ? item.blocks.find(block => block.at === at) : item.blocks[0]
}

const fits = (block: OutputBlock, { kind }: ItemDelta): boolean =>
  kind === block.kind || (kind === 'citation' && block.kind === 'text')

function addDelta(table: ItemTable, position: number, block: OutputBlock, delta: ItemDelta): StepResult {
  const item = table.items[position]
  if (!item) return [table, []]
  const grown: OutputBlock =
    delta.kind === 'citation'
      ? { ...block, citations: block.citations + 1 }
      : { ...block, length: block.length + delta.text.length }
  const blocks = item.blocks.map(other => (other === block ? grown : other))
  return [
    { ...table, items: table.items.with(position, { ...item, blocks }) },
    [toPart(item.type, block.index, delta)],
  ]
}

function toPart(type: string, index: number, { kind, text, citation }: ItemDelta): ModelPart {
  switch (kind) {
    case 'citation':
      return { type: 'block-delta', index, citation }
    case 'thinking':
      return { type: 'block-delta', index, thinking: text }
    case 'tool_use':
      return { type: 'block-delta', index, input_text: type === 'custom_tool_call' ? escaped(text) : text }
    case 'text':
    case 'refusal':
      return { type: 'block-delta', index, text }
  }
}

/** The text as it appears inside a JSON string. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

/** An item is complete: what its deltas left out is added, and its blocks end. */
export function finishItem(table: ItemTable, event: JsonObject, origin: Origin): StepResult {
  const raw = itemIn(event)
  const position = positionOf(table, event)
  // Done twice: the second one says nothing new.
  if (table.items[position]?.isDone && table.items[position]?.id === asString(raw['id'])) return [table, []]
  const isKnown = position !== -1 && !table.items[position]?.isDone
  const ready = isKnown ? table : append(table, event, raw)
  return finish(ready, isKnown ? position : ready.items.length - 1, raw, origin)
}

function finish(table: ItemTable, position: number, raw: JsonObject, origin: Origin): StepResult {
  const parts: ModelPart[] = []
  let now = table
  for (const [at, content] of contentsOf(raw).entries()) {
    if (!blockAt(now.items[position], at)) {
      const [opened, more] = open(now, position, at, content)
      now = opened
      parts.push(...more)
    }
    const block = blockAt(now.items[position], at)
    if (!block) continue
    for (const delta of missing(block, content)) {
      const current = blockAt(now.items[position], at)
      if (!current) continue
      const [next, more] = addDelta(now, position, current, delta)
      now = next
      parts.push(...more)
    }
  }
  const item = now.items[position]
  if (!item) return [now, parts]
  for (const block of item.blocks) parts.push(...ended(block, item.type, opaqueOf(raw, origin)))
  return [{ ...now, items: now.items.with(position, { ...item, isDone: true }) }, parts]
}

/** The content parts of a message; any other item is one.  */
function contentsOf(raw: JsonObject): readonly JsonObject[] {
  if (raw['type'] !== 'message') return typeof raw['type'] === 'string' ? [raw] : []
  const content = Array.isArray(raw['content']) ? raw['content'].filter(isObject) : []
  return content.filter(part => part['type'] === 'output_text' || part['type'] === 'refusal')
}

/** Returns the content of a finished item that its deltas left out. */
function missing(block: OutputBlock, raw: JsonObject): readonly ItemDelta[] {
  const rest = (text: string | undefined): string => (text ?? '').slice(block.length)
  switch (block.kind) {
    case 'text': {
      const text = rest(asString(raw['text']))
      const notes = Array.isArray(raw['annotations']) ? raw['annotations'].slice(block.citations) : []
      return [
        ...(text === '' ? [] : [{ kind: 'text', text } as const]),
        ...notes.map(citation => ({ kind: 'citation', text: '', citation }) as const),
      ]
    }
    case 'refusal':
      return delta('refusal', rest(asString(raw['refusal'])))
    case 'thinking':
      return block.length > 0 ? [] : delta('thinking', thoughtOf(raw))
    case 'tool_use':
      return delta('tool_use', rest(asString(raw['arguments']) ?? asString(raw['input'])))
    default:
      return []
  }
}

const delta = (kind: ItemDelta['kind'], text: string): readonly ItemDelta[] =>
  text === '' ? [] : [{ kind, text }]

function thoughtOf(raw: JsonObject): string {
  const texts = (list: unknown): readonly string[] =>
    Array.isArray(list) ? list.flatMap(part => (isObject(part) ? [asString(part['text']) ?? ''] : [])) : []
  const summary = texts(raw['summary'])
  return (summary.length > 0 ? summary : texts(raw['content'])).filter(text => text !== '').join('\n\n')
}

function opaqueOf(raw: JsonObject, { provider, model }: Origin): Opaque | undefined {
  if (raw['type'] === 'reasoning') {
    const { status: _, ...item } = raw
    return {
      provider,
      model,
      data: { ...item, summary: Array.isArray(raw['summary']) ? raw['summary'] : [] },
    }
  }
  const phase = raw['type'] === 'message' ? asString(raw['phase']) : undefined
  if (phase !== undefined) return { provider, data: { phase } }
  const namespace = raw['type'] === 'function_call' ? asString(raw['namespace']) : undefined
  return namespace === undefined ? undefined : { provider, data: { namespace } }
}

function ended(block: OutputBlock, type: string, opaque: Opaque | undefined): readonly ModelPart[] {
  const { index } = block
  const end: ModelPart = { type: 'block-end', index, ...(opaque === undefined ? {} : { opaque }) }
  if (block.kind !== 'tool_use') return [end]
  if (type === 'custom_tool_call') return [{ type: 'block-delta', index, input_text: '"}' }, end]
  // A call without arguments is a call with none.
  return block.length > 0 ? [end] : [{ type: 'block-delta', index, input_text: '{}' }, end]
}

/** The response is over: items that it lists and that were not finished are finished now. */
export function closeItems(table: ItemTable, output: unknown, origin: Origin): StepResult {
  const listed = Array.isArray(output) ? output.filter(isObject) : []
  const parts: ModelPart[] = []
  let now = table
  for (const [position, item] of table.items.entries()) {
    if (item.isDone) continue
    const whole = listed[position]?.['type'] === item.type ? listed[position] : undefined
    const [next, more] = finish(now, position, whole ?? {}, origin)
    now = next
    parts.push(...more)
  }
  for (const raw of listed.slice(table.items.length)) {
    const [next, more] = finishItem(now, { item: raw, output_index: now.items.length }, origin)
    now = next
    parts.push(...more)
  }
  return [now, parts]
}
