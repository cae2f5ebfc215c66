/** Reads the result of a task from its log and its workspace. Pure. */
import type { ModelRequest, Rec, SessionEvent } from '@toolwire/core'
import type { EvalCall, EvalRun, WorkspaceCommits } from './eval-task.ts'
import type { WorkspaceFiles } from './task-workspace.ts'

interface RunParts {
  readonly requests: readonly ModelRequest[]
  readonly before: WorkspaceFiles
  readonly after: WorkspaceFiles
  readonly commits: WorkspaceCommits
}

export function readRun(records: readonly Rec[], { requests, before, after, commits }: RunParts): EvalRun {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)])
  const end = records.findLast(({ ev }) => ev.type in OUTCOMES && ev.agent_run_id === undefined)?.ev
  return {
    final: end?.type === 'run.completed' ? end.result_text : '',
    calls: callsOf(records),
    requests,
    changed: [...paths].filter(path => before[path] !== after[path]).sort(),
    read: path => after[path],
    commits,
    cost_usd: costOf(records),
    outcome: end ? (OUTCOMES[end.type] ?? 'failed') : 'failed',
    error: end?.type === 'run.failed' ? end.error.message : undefined,
  }
}

/** Of all model turns, those of subagents included. Undefined when one has no known price. */
function costOf(records: readonly Rec[]): number | undefined {
  const costs = records.flatMap(({ ev }) =>
    (ev.type === 'turn.completed' || ev.type === 'message.aborted') && ev.usage ? [ev.cost_usd] : [],
  )
  return costs.reduce<number | undefined>(
    (sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost),
    0,
  )
}

const OUTCOMES: Readonly<Partial<Record<SessionEvent['type'], EvalRun['outcome']>>> = {
  'run.completed': 'completed',
  'run.paused': 'paused',
  'run.cancelled': 'cancelled',
  'run.failed': 'failed',
}

function callsOf(records: readonly Rec[]): readonly EvalCall[] {
  const messages = records.flatMap(({ ev }) =>
    ev.type === 'message.started' && ev.agent_run_id === undefined ? [ev.message_id] : [],
  )
  const started = records.flatMap(({ ev }) =>
    ev.type === 'block.started' && ev.tool && ev.agent_run_id === undefined ? [ev] : [],
  )
  return started.flatMap(({ tool, message_id, block_id }) => {
    if (!tool) return []
    const block = records.find(({ ev }) => ev.type === 'block.completed' && ev.block_id === block_id)?.ev
    const end = records.find(
      ({ ev }) => (ev.type === 'tool.completed' || ev.type === 'tool.failed') && ev.call_id === tool.call_id,
    )?.ev
    const input = block?.type === 'block.completed' ? parseInput(block.input_text) : {}
    return [
      {
        name: tool.name,
        input,
        output: end && 'output_text' in end ? end.output_text : '',
        is_error: end?.type === 'tool.failed' || (end?.type === 'tool.completed' && end.is_error),
        message: messages.indexOf(message_id),
      },
    ]
  })
}

function parseInput(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** True of every run: one prompt, a history that only grows, and exactly one result for every call. */
export function checkRequests({ requests }: EvalRun, workspace: string): readonly string[] {
  const [first] = requests
  const texts = requests.map(({ messages }) => JSON.stringify(messages).slice(0, -1))
  return [
    ...(first?.system?.includes(`working directory: ${workspace}`)
      ? []
      : ['the prompt does not name the workspace']),
    ...(requests.every(({ system }) => system === first?.system) ? [] : ['the prompt changed']),
    ...(texts.every((text, at) => at === 0 || text.startsWith(texts[at - 1] ?? ''))
      ? []
      : ['the history was rewritten']),
    ...(requests.every(isPaired) ? [] : ['a call has no result']),
  ]
}

function isPaired({ messages }: ModelRequest): boolean {
  const asked = messages.flatMap(message =>
    message.role === 'assistant'
      ? message.content.flatMap(part => (part.type === 'tool_use' ? [part.call_id] : []))
      : [],
  )
  const answered = messages.flatMap(message =>
    message.role === 'tool' ? message.results.map(result => result.call_id) : [],
  )
  return asked.length === answered.length && asked.every((id, at) => answered[at] === id)
}
