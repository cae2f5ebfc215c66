/**
 * Makes room in a history that outgrew its model. What was done is one event, so every later request, also
 * after a crash, shows the model the same; until that event nothing has changed. The log keeps the whole history.
 */
import {
  type AgentState,
  boundaryOf,
  type EventOf,
  type Failure,
  fenceHistory,
  flushCalls,
  type HistoryMessage,
  type Model,
  type ModelRequest,
  type Warning,
} from '@toolwire/core'
import type { AgentPort } from './agent-port.ts'
import { closeTurn } from './end-run.ts'
import { planCompaction } from './plan-compaction.ts'
import { SKILLS_AFTER, skillCalls, skillsToRepeat, withoutSkills } from './repeat-skills.ts'
import { usedByAll } from './request-usage.ts'
import { contentText, elide, summarise } from './summarise.ts'

interface CompactRequest {
  readonly model: Model
  /** The reason that the turn cannot continue as it is. */
  readonly error: Failure
  /** Words of a hook that the summary is to hold. */
  readonly add?: string | undefined
}

interface Switch {
  readonly compaction?: boolean
}

/** As the request asks, else as the server does. A request to be sent unchanged allows none. */
export function mayCompact({ run }: AgentState, { compaction = true }: Switch): boolean {
  const { compaction: wish, refuse_changes } = run?.options ?? {}
  const isOn = wish === 'on' || (compaction && wish !== 'off')
  return isOn && refuse_changes !== true
}

/**
 * Closes the open turn and commits the compaction with it. False, with nothing committed, when there is
 * nothing left to give up; true also when the work was stopped meanwhile.
 */
export async function compact(
  port: AgentPort,
  { model, error, add }: CompactRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const state = port.state()
  const messages = flushCalls(state)
  const skills = skillCalls(state)
  const plan = planCompaction(messages, state.compaction, skills)
  if (!plan) return false
  if (plan.type === 'shorten') {
    await port.commit(
      ...closeTurn(state, port.stamp(), { reason: 'compaction', error }),
      compacted(port, { ...state.compaction, shortened: plan.shortened }),
    )
    return true
  }
  const { replaced: start = 0, summary: before, shortened = [] } = state.compaction ?? {}
  const part = messages.slice(start, plan.replaced)
  const boundary = boundaryOf(port.journal.state)
  const summary = await summarise(model, fenceHistory(part, boundary), withoutSkills(before), signal)
  const used = usedByAll(summary.asked)
  const closed = closeTurn(port.state(), port.stamp(), { reason: 'compaction', error, ...used })
  if (signal.aborted) {
    // The next driver closes the turn; the usage is known only here.
    if (used.usage !== undefined) await port.commit(...closed)
    return true
  }
  const left = new Set(callsIn(messages.slice(plan.replaced)))
  const loaded = skillsToRepeat(messages.slice(0, plan.replaced), skills, model.context)
  await port.commit(
    ...closed,
    compacted(port, {
      replaced: plan.replaced,
      summary: [
        toSummary(summary.text, part, messages.slice(plan.replaced), withoutSkills(before)) +
          (add === undefined ? '' : `\n\nA hook of this server adds:\n${add}`),
        ...loaded.map(({ text }) => text),
      ].join(SKILLS_AFTER),
      ...(loaded.length > 0 ? { repeated: loaded.map(({ call_id }) => call_id) } : {}),
      shortened: shortened.filter(id => left.has(id)),
    }),
  )
  return true
}

type CompactedEvent = EventOf<'history.compacted'>

const compacted = (
  port: AgentPort,
  given: {
    readonly replaced?: number
    readonly summary?: string
    readonly shortened: readonly string[]
    readonly repeated?: readonly string[]
  },
): CompactedEvent => ({
  type: 'history.compacted',
  ...port.stamp(),
  replaced: given.replaced ?? 0,
  ...(given.summary === undefined ? {} : { summary: given.summary }),
  shortened: [...given.shortened],
  ...(given.repeated === undefined ? {} : { repeated: [...given.repeated] }),
})

const callsIn = (messages: readonly HistoryMessage[]): readonly string[] =>
  messages.flatMap(message => (message.role === 'tool' ? message.results.map(result => result.call_id) : []))

/** The person's words that nothing else in the request repeats, and how much of them. */
const QUOTED = 4_000

/** The replacement of the messages. A request in progress stays in the user's own text. */
function toSummary(
  text: string | undefined,
  part: readonly HistoryMessage[],
  kept: readonly HistoryMessage[],
  before: string | undefined,
): string {
  const asked = part.findLast(message => message.role === 'user')
  const isOpen = kept[0]?.role !== 'user'
  const missing = `${part.length} earlier messages did not fit and were left out. Ask, or look again, for what you need of them.`
  return [
    'The conversation so far outgrew its room. This is what came before:',
    text ?? [before ?? '', missing].filter(line => line !== '').join('\n\n'),
    ...(isOpen && asked?.role === 'user'
      ? [`The request that is being worked on: ${elide(contentText(asked.content), QUOTED)}`]
      : []),
  ].join('\n\n')
}

/** Said with the first message after a compaction. */
export function compactionWarnings({ compaction }: AgentState): readonly Warning[] {
  if (!compaction?.is_news) return []
  const { replaced, summary, shortened } = compaction
  const parts = [
    ...(summary === undefined ? [] : [`a summary replaces its first ${replaced} messages`]),
    ...(shortened.length === 0 ? [] : [`${shortened.length} outputs of tools are shortened`]),
  ]
  return [
    {
      code: 'history_compacted',
      message: `The history no longer fits the model: ${parts.join(', and ')}. The session keeps everything.`,
    },
  ]
}

/** A window that is nearly full is not tried. */
const NEARLY = 0.9
/** Fewer characters than these never make a token, in any script that models read cheaply. */
const SURE_CHARACTERS_PER_TOKEN = 8
const CHARACTERS_PER_TOKEN = 3

/**
 * True if the request would not fit, judged before it is sent: from the provider's last count and the additions
 * since, or, without a count, by a size that is too large in any case. False if the window is unknown or nothing
 * could be done: then the provider decides.
 */
export function isFull(state: AgentState, request: ModelRequest, model: Model, setting: Switch): boolean {
  if (model.context === undefined || !mayCompact(state, setting)) return false
  const tokens = tokensOf(state, request)
  return (
    tokens > model.context * NEARLY &&
    planCompaction(flushCalls(state), state.compaction, skillCalls(state)) !== undefined
  )
}

function tokensOf({ context_tokens }: AgentState, { messages, system, tools }: ModelRequest): number {
  if (context_tokens === undefined) return sizeOf([messages, system, tools]) / SURE_CHARACTERS_PER_TOKEN
  const last = messages.findLastIndex(message => message.role === 'assistant')
  return context_tokens + sizeOf(messages.slice(last + 1)) / CHARACTERS_PER_TOKEN
}

/** Characters without images and documents, whose cost depends on pixels and pages. */
const sizeOf = (value: unknown): number =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'source' ? undefined : inner)).length
